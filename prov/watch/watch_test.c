/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules of fault awareness on a torus, without time. A step is one period,
 * in which all hosts act, then all interfaces, then the status words arrive.
 */
#include "prov/watch/watch.h"
#include "test/t.h"

#include <string.h>

enum { SIDE = 4, NODES = SIDE * SIDE * SIDE, FRESH = 2 };

struct world {
	struct weft_watch_node node[NODES];
	struct weft_watch_view view[NODES];
	bool host_dead[NODES], nic_dead[NODES];
	bool cut[NODES][WEFT_WATCH_PORTS]; /* cut links, marked at both ends */
	uint64_t now;
};

static uint32_t neighbour(uint32_t n, unsigned port)
{
	static const uint32_t step[] = { 1, SIDE, SIDE * SIDE };
	uint32_t s = step[port / 2], at = n / s % SIDE;
	uint32_t to = (at + (port & 1 ? SIDE - 1 : 1)) % SIDE;

	return n - at * s + to * s;
}

static void world_open(struct world *w)
{
	uint32_t by[WEFT_WATCH_PORTS];

	memset(w, 0, sizeof(*w));
	for (uint32_t n = 0; n < NODES; n++) {
		for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++)
			by[p] = neighbour(n, p);
		weft_watch_node_init(&w->node[n], n, by);
		weft_watch_view_init(&w->view[n]);
	}
}

/* Returns the neighbour's port that leads back. */
static unsigned back(unsigned port)
{
	return port ^ 1;
}

static void hosts_step(struct world *w)
{
	struct weft_watch_report r[WEFT_WATCH_PORTS + 1];
	unsigned count;

	for (uint32_t n = 0; n < NODES; n++) {
		if (w->host_dead[n])
			continue;
		count = weft_watch_host(&w->node[n], r);
		for (unsigned i = 0; i < count; i++)
			weft_watch_report_add(
				&w->view[r[i].about], w->now, &r[i],
				r[i].port < WEFT_WATCH_PORTS ? back(r[i].port)
							     : 0);
	}
}

static void step(struct world *w)
{
	struct weft_watch_word word[NODES];

	w->now++;
	hosts_step(w);
	for (uint32_t n = 0; n < NODES; n++)
		if (!w->nic_dead[n])
			word[n] = weft_watch_nic(&w->node[n]);
	for (uint32_t n = 0; n < NODES; n++)
		for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++)
			if (!w->nic_dead[n] && !w->cut[n][p] &&
			    !w->nic_dead[neighbour(n, p)])
				weft_watch_word_receive(
					&w->node[neighbour(n, p)], back(p),
					&word[n]);
}

static void steps(struct world *w, unsigned n)
{
	while (n--)
		step(w);
}

static struct weft_watch_result master_state(const struct world *w, uint32_t n)
{
	return weft_watch_evaluate(&w->view[n], w->now, FRESH);
}

/* Checks that all nodes without faults are normal. */
static void others_are_normal(const struct world *w)
{
	for (uint32_t n = 0; n < NODES; n++) {
		if (w->host_dead[n] || w->nic_dead[n])
			continue;
		T_IS(master_state(w, n).host, WEFT_WATCH_NORMAL);
		T_IS(master_state(w, n).nic, WEFT_WATCH_NORMAL);
	}
}

static void a_register_without_heartbeat_is_broken(void **state)
{
	struct weft_watch_register r = { .beats = 7 };
	struct weft_watch_monitor e = { 0 };

	T_IS(weft_watch_check(&e, &r, 2), WEFT_WATCH_UNKNOWN);
	r.beats++;
	T_IS(weft_watch_check(&e, &r, 2), WEFT_WATCH_NORMAL);
	T_IS(weft_watch_check(&e, &r, 2), WEFT_WATCH_NORMAL);
	T_IS(weft_watch_check(&e, &r, 2), WEFT_WATCH_BROKEN);
	r.beats++;
	r.sensors = 1;
	T_IS(weft_watch_check(&e, &r, 2), WEFT_WATCH_SICK);
}

static void sensors_have_bounds(void **state)
{
	const struct weft_watch_sensor s[] = {
		{ .value = 85, .low = 0, .high = 85 },
		{ .value = 86, .low = 0, .high = 85 },
		{ .value = 11, .low = 12, .high = 13 },
	};

	T_IS(weft_watch_sensors(s, 3), 6);
}

static void all_nodes_are_normal_without_faults(void **state)
{
	static struct world w;

	world_open(&w);
	T_IS(master_state(&w, 5).host, WEFT_WATCH_UNKNOWN);
	steps(&w, 5);
	others_are_normal(&w);
	T_IS(master_state(&w, 5).silent, 0);
}

static void a_dead_host_is_reported_by_its_interface(void **state)
{
	static struct world w;

	world_open(&w);
	steps(&w, 5);
	w.host_dead[21] = true;
	step(&w);
	/*
	 * interface and neighbours have detected the fault, the master has not
	 */
	T_IS(w.node[21].of_host.state, WEFT_WATCH_BROKEN);
	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++)
		T_IS(w.node[neighbour(21, p)].neighbour[back(p)].host,
		     WEFT_WATCH_BROKEN);
	T_IS(master_state(&w, 21).host, WEFT_WATCH_NORMAL);
	step(&w);
	T_IS(master_state(&w, 21).host, WEFT_WATCH_BROKEN);
	T_IS(master_state(&w, 21).nic, WEFT_WATCH_NORMAL);
	steps(&w, 5);
	T_IS(master_state(&w, 21).host, WEFT_WATCH_BROKEN);
	others_are_normal(&w);
}

static void a_dead_interface_is_reported_by_its_host(void **state)
{
	static struct world w;

	world_open(&w);
	steps(&w, 5);
	w.nic_dead[21] = true;
	steps(&w, 2);
	T_IS(master_state(&w, 21).nic, WEFT_WATCH_BROKEN);
	T_IS(master_state(&w, 21).host, WEFT_WATCH_NORMAL);
	steps(&w, 5);
	T_IS(master_state(&w, 21).nic, WEFT_WATCH_BROKEN);
	T_IS(master_state(&w, 21).host, WEFT_WATCH_NORMAL);
	T_IS(master_state(&w, 21).silent, 0x3f);
	others_are_normal(&w);
}

static void a_dead_node_is_detected_by_missing_status_words(void **state)
{
	static struct world w;

	world_open(&w);
	steps(&w, 5);
	w.host_dead[21] = w.nic_dead[21] = true;
	steps(&w, FRESH + 2);
	T_IS(master_state(&w, 21).nic, WEFT_WATCH_BROKEN);
	T_IS(master_state(&w, 21).host, WEFT_WATCH_BROKEN);
	others_are_normal(&w);
}

static void a_node_dead_from_the_start_is_broken(void **state)
{
	static struct world w;

	world_open(&w);
	w.host_dead[3] = w.nic_dead[3] = true;
	steps(&w, 5);
	T_IS(master_state(&w, 3).nic, WEFT_WATCH_BROKEN);
	T_IS(master_state(&w, 3).host, WEFT_WATCH_BROKEN);
}

static void a_cut_link_is_not_a_dead_interface(void **state)
{
	static struct world w;

	world_open(&w);
	w.cut[21][2] = w.cut[neighbour(21, 2)][back(2)] = true;
	steps(&w, 6);
	T_IS(master_state(&w, 21).silent, 1 << 2);
	T_IS(master_state(&w, neighbour(21, 2)).silent, 1 << back(2));
	others_are_normal(&w);
}

static void a_sensor_warning_is_reported_as_sick(void **state)
{
	static struct world w;

	world_open(&w);
	w.node[9].host.sensors = 4;
	w.node[10].nic.sensors = 1;
	steps(&w, 5);
	T_IS(master_state(&w, 9).host, WEFT_WATCH_SICK);
	T_IS(master_state(&w, 9).nic, WEFT_WATCH_NORMAL);
	T_IS(master_state(&w, 10).nic, WEFT_WATCH_SICK);
	T_STR(weft_watch_name(master_state(&w, 10).nic), "sick");
	w.host_dead[9] = true;
	steps(&w, 5);
	T_IS(master_state(&w, 9).host, WEFT_WATCH_BROKEN);
}

/* All neighbours of the node are dead: only it reports about itself. */
static void a_node_with_dead_neighbours_reports_itself(void **state)
{
	static struct world w;
	unsigned bad = 0;

	world_open(&w);
	steps(&w, 5);
	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++)
		w.nic_dead[neighbour(21, p)] = w.host_dead[neighbour(21, p)] =
			true;
	steps(&w, 5);
	T_IS(master_state(&w, 21).host, WEFT_WATCH_NORMAL);
	T_IS(master_state(&w, 21).nic, WEFT_WATCH_NORMAL);
	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++)
		T_IS(master_state(&w, neighbour(21, p)).nic, WEFT_WATCH_BROKEN);
	/* the host fails; its neighbours are dead, so no report arrives */
	w.host_dead[21] = true;
	steps(&w, 5);
	T_IS(master_state(&w, 21).host, WEFT_WATCH_UNKNOWN);
	for (uint32_t n = 0; n < NODES; n++)
		bad += master_state(&w, n).host != WEFT_WATCH_NORMAL;
	T_IS(bad, 7);
	others_are_normal(&w);
}

/*
 * Reports of two neighbours about one node, on any two ports: the newer report
 * counts, or the worse one if both have the same time.
 */
static void the_newest_or_worst_report_counts(void **state)
{
	const struct weft_watch_report good = { .host = WEFT_WATCH_NORMAL,
						.nic = WEFT_WATCH_NORMAL };
	const struct weft_watch_report bad = { .host = WEFT_WATCH_BROKEN,
					       .nic = WEFT_WATCH_SICK };

	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++)
		for (unsigned q = 0; q < WEFT_WATCH_PORTS; q++)
			for (uint64_t at = 9; p != q && at <= 11; at++) {
				struct weft_watch_view v;
				struct weft_watch_result r;

				weft_watch_view_init(&v);
				weft_watch_report_add(&v, 10, &bad, p);
				weft_watch_report_add(&v, at, &good, q);
				r = weft_watch_evaluate(&v, 11, FRESH);
				T_IS(r.host, at > 10 ? good.host : bad.host);
				T_IS(r.nic, at > 10 ? good.nic : bad.nic);
			}
}

/* A report counts until its age reaches FRESH. */
static void reports_expire(void **state)
{
	const struct weft_watch_report own = { .host = WEFT_WATCH_NORMAL,
					       .nic = WEFT_WATCH_SICK,
					       .port = WEFT_WATCH_PORTS };
	struct weft_watch_view v;

	weft_watch_view_init(&v);
	weft_watch_report_add(&v, 10, &own, 0);
	T_IS(weft_watch_evaluate(&v, 10 + FRESH, FRESH).host,
	     WEFT_WATCH_NORMAL);
	T_IS(weft_watch_evaluate(&v, 10 + FRESH, FRESH).nic, WEFT_WATCH_SICK);
	T_IS(weft_watch_evaluate(&v, 11 + FRESH, FRESH).host,
	     WEFT_WATCH_UNKNOWN);
	T_IS(weft_watch_evaluate(&v, 11 + FRESH, FRESH).nic,
	     WEFT_WATCH_UNKNOWN);
}

/* A host that reports itself is broken only if a newer status word says so. */
static void a_newer_status_word_overrides_the_hosts_report(void **state)
{
	const struct weft_watch_report own = { .host = WEFT_WATCH_NORMAL,
					       .nic = WEFT_WATCH_NORMAL,
					       .port = WEFT_WATCH_PORTS };
	const struct weft_watch_report word = { .host = WEFT_WATCH_BROKEN,
						.nic = WEFT_WATCH_NORMAL };

	for (uint64_t at = 9; at <= 11; at++) {
		struct weft_watch_view v;

		weft_watch_view_init(&v);
		weft_watch_report_add(&v, 10, &own, 0);
		weft_watch_report_add(&v, at, &word, 3);
		T_IS(weft_watch_evaluate(&v, 11, FRESH).host,
		     at > 10 ? WEFT_WATCH_BROKEN : WEFT_WATCH_NORMAL);
	}
}

/* Nothing is known about the host behind an interface that is silent. */
static void a_silent_interface_hides_its_host(void **state)
{
	struct weft_watch_report r[WEFT_WATCH_PORTS + 1];
	static struct world w;
	unsigned count, about = 0;

	world_open(&w);
	steps(&w, 5);
	w.nic_dead[21] = true;
	steps(&w, 2);
	count = weft_watch_host(&w.node[neighbour(21, 0)], r);
	T_IS(count, WEFT_WATCH_PORTS + 1);
	for (unsigned i = 0; i < count; i++) {
		if (r[i].about != 21)
			continue;
		about++;
		T_IS(r[i].port, back(0));
		T_IS(r[i].nic, WEFT_WATCH_BROKEN);
		T_IS(r[i].host, WEFT_WATCH_UNKNOWN);
	}
	T_IS(about, 1);
}

/* With any set of faults, a dead node is never reported as normal. */
static void no_combination_of_faults_is_missed(void **state)
{
	static struct world w;
	uint64_t seed = 12345;

	for (unsigned round = 0; round < 200; round++) {
		world_open(&w);
		steps(&w, 4);
		for (uint32_t n = 0; n < NODES; n++) {
			seed = seed * 6364136223846793005u +
			       1442695040888963407u;
			w.host_dead[n] = (seed >> 40) % 100 < round % 60;
			w.nic_dead[n] = (seed >> 50) % 100 < round % 45;
		}
		steps(&w, FRESH + 4);
		for (uint32_t n = 0; n < NODES; n++) {
			if (w.host_dead[n])
				T_TRUE(master_state(&w, n).host !=
				       WEFT_WATCH_NORMAL);
			else
				T_IS(master_state(&w, n).host,
				     WEFT_WATCH_NORMAL);
			if (w.nic_dead[n])
				T_TRUE(master_state(&w, n).nic !=
				       WEFT_WATCH_NORMAL);
		}
	}
}

static void a_revived_host_is_normal(void **state)
{
	static struct world w;

	world_open(&w);
	steps(&w, 5);
	w.host_dead[21] = true;
	steps(&w, 5);
	w.host_dead[21] = false;
	steps(&w, 2);
	T_IS(master_state(&w, 21).host, WEFT_WATCH_NORMAL);
	others_are_normal(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_register_without_heartbeat_is_broken),
		T_CASE(sensors_have_bounds),
		T_CASE(all_nodes_are_normal_without_faults),
		T_CASE(a_dead_host_is_reported_by_its_interface),
		T_CASE(a_dead_interface_is_reported_by_its_host),
		T_CASE(a_dead_node_is_detected_by_missing_status_words),
		T_CASE(a_node_dead_from_the_start_is_broken),
		T_CASE(a_cut_link_is_not_a_dead_interface),
		T_CASE(a_sensor_warning_is_reported_as_sick),
		T_CASE(a_node_with_dead_neighbours_reports_itself),
		T_CASE(the_newest_or_worst_report_counts),
		T_CASE(reports_expire),
		T_CASE(a_newer_status_word_overrides_the_hosts_report),
		T_CASE(a_silent_interface_hides_its_host),
		T_CASE(no_combination_of_faults_is_missed),
		T_CASE(a_revived_host_is_normal),
	};

	return T_RUN(tests);
}
