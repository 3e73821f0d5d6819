/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between processes in virtual time: which packets form a message, its
 * cost, exact timeouts, ranks that leave or die, class routes.
 */
#include "test/support/vt_fixture.h"
#include "test/t.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- extent and cost of messages ----------------------------------------- */

/* Sends two consecutive messages of two packets each. */
static int send_two_long_messages(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);

	for (uint64_t n = 0; n < 4 && rank == 0; n++) {
		if (n % 2 == 0)
			e->c->ops->backend->long_message(e->c);
		if (end_send(e, to, n, 512))
			return 1;
	}
	return rank == 0 ? 0 : wait_got(e, 4);
}

static void a_long_message_adds_its_send_cost_once(void **state)
{
	struct play p = { .ranks = 2, .body = send_two_long_messages };
	struct net_config cfg;
	struct found f;

	(void)state;
	unloaded_latency(&cfg, 8);
	play(&p, &f);
	T_IS(f.clock[0], 2 * (cfg.send_ps + cfg.message_ps));
}

/* All four packets have arrived before rank 1 polls. */
static int read_late(struct play *p, struct end *e, uint32_t rank)
{
	if (rank == 0)
		return send_two_long_messages(p, e, rank);
	e->c->ops->backend->compute(e->c, 100000000);
	e->c->ops->wait(e->c, 0);
	return e->c->ops->poll(e->c, 16) == 4 ? 0 : 2;
}

static void a_long_message_costs_one_reception(void **state)
{
	struct play p = { .ranks = 2, .body = read_late };
	struct net_config cfg;
	struct found f;

	(void)state;
	unloaded_latency(&cfg, 8);
	play(&p, &f);
	T_IS(f.clock[1], 100000000 + 2 * cfg.recv_ps);
}

/*
 * Sends full packets that form no message: to different peers, or after a
 * delay.
 */
static int full_packets(struct play *p, struct end *e, uint32_t rank)
{
	if (rank)
		return wait_got(e, rank == 1 ? 2 : 1);
	if (end_send(e, rank_peer(p, e, 1), 0, 512) ||
	    end_send(e, rank_peer(p, e, 2), 0, 512))
		return 1;
	e->c->ops->backend->compute(e->c, 5000);
	/* a packet to another peer was sent in between */
	if (end_send(e, rank_peer(p, e, 1), 1, 512))
		return 2;
	e->c->ops->backend->compute(e->c, 5000);
	return 0;
}

static int full_and_later(struct play *p, struct end *e, uint32_t rank)
{
	if (rank)
		return rank == 1 ? wait_got(e, 2) : 0;
	for (uint64_t n = 0; n < 2; n++) {
		if (end_send(e, rank_peer(p, e, 1), n, 512))
			return 1;
		e->c->ops->backend->compute(e->c, 5000);
	}
	return 0;
}

static void only_consecutive_packets_form_one_message(void **state)
{
	struct play p = { .ranks = 3, .body = full_packets };
	struct net_config cfg;
	struct found f;

	(void)state;
	unloaded_latency(&cfg, 8);
	play(&p, &f);
	T_IS(f.clock[0], 3 * cfg.send_ps + 10000);
	p.body = full_and_later;
	play(&p, &f);
	T_IS(f.clock[0], 2 * cfg.send_ps + 10000);
}

/* Sends three messages of one full packet each, without a pause. */
static int send_full_messages(struct play *p, struct end *e, uint32_t rank)
{
	if (rank) {
		e->c->ops->backend->compute(e->c, 100000000);
		e->c->ops->wait(e->c, 0);
		return e->c->ops->poll(e->c, 16) == 3 ? 0 : 2;
	}
	for (uint64_t n = 0; n < 3; n++)
		if (end_send(e, rank_peer(p, e, 1), n, 512))
			return 1;
	return 0;
}

static void messages_of_a_full_packet_have_their_own_cost(void **state)
{
	struct play p = { .ranks = 2, .body = send_full_messages };
	struct net_config cfg;
	struct found f;

	(void)state;
	unloaded_latency(&cfg, 8);
	play(&p, &f);
	T_IS(f.clock[0], 3 * cfg.send_ps);
	T_IS(f.clock[1], 100000000 + 3 * cfg.recv_ps);
}

#define PIECES 200u

/* Rank 1 waits for the first packets of a long message. */
static int wait_for_first_packets(struct play *p, struct end *e, uint32_t rank)
{
	if (rank == 0) {
		e->c->ops->backend->long_message(e->c);
		for (uint64_t n = 0; n < PIECES; n++)
			if (end_send(e, rank_peer(p, e, 1), n, 512))
				return 1;
		return 0;
	}
	while (!e->got) {
		if (e->c->ops->wait(e->c, FOREVER))
			return 2;
		e->c->ops->poll(e->c, 16);
	}
	p->found->value[0] = now(e);
	return wait_got(e, PIECES);
}

/*
 * A long message wakes its receiver repeatedly, not only when it is complete.
 */
static void a_long_message_wakes_its_receiver_before_its_end(void **state)
{
	struct play p = { .ranks = 2, .body = wait_for_first_packets };
	struct found f;

	(void)state;
	play(&p, &f);
	T_TRUE(f.value[0] * 2 < f.clock[1]);
}

/* ---- exact timeouts ------------------------------------------------------ */

/*
 * Rank 0 waits seed / 10000 ns for a packet that rank 1 sends after seed %
 * 10000 ps.
 */
static int wait_ns(struct play *p, struct end *e, uint32_t rank)
{
	int ret;

	if (rank) {
		e->c->ops->backend->compute(e->c, p->seed % 10000);
		return end_send(e, rank_peer(p, e, 0), 0, 8);
	}
	ret = e->c->ops->wait(e->c, p->seed / 10000);
	p->found->value[1] = now(e);
	p->found->value[0] = ret == -ETIMEDOUT;
	/* a poll without cost must not find a later packet */
	if (ret == -ETIMEDOUT && (e->c->ops->poll(e->c, 1) || e->got))
		return 2;
	return ret && ret != -ETIMEDOUT ? 1 : wait_got(e, 1);
}

/* Both events may be in one cycle of the network, longer than 1 ns. */
static void a_timeout_just_before_an_arrival_is_reported(void **state)
{
	struct play p = { .ranks = 2, .body = wait_ns };
	struct net_config cfg;
	uint64_t arrival_ps = unloaded_latency(&cfg, 8) + cfg.send_ps;
	struct found f;

	(void)state;
	for (uint64_t delay_ps = 0; delay_ps < 2 * cfg.tick_ps;
	     delay_ps += 470) {
		uint64_t ns = (arrival_ps + delay_ps) / NS;

		if ((arrival_ps + delay_ps) % NS == 0)
			continue;
		p.seed = ns * 10000 + delay_ps;
		play(&p, &f);
		T_IS(f.value[0], 1);
		T_IS(f.value[1], ns * NS);
		p.seed = (ns + 1) * 10000 + delay_ps;
		play(&p, &f);
		T_IS(f.value[0], 0);
		T_IS(f.value[1], arrival_ps + delay_ps);
	}
}

/* ---- ranks that leave or die --------------------------------------------- */

static int leave_early(struct play *p, struct end *e, uint32_t rank)
{
	if (rank)
		return end_send(e, rank_peer(p, e, 0), 0, 100);
	/* only contacted peers are reported lost */
	if (wait_got(e, (uint64_t)p->ranks - 1))
		return 1;
	while (e->lost < (uint64_t)p->ranks - 1) {
		if (!e->c->ops->poll(e->c, 1) &&
		    e->c->ops->wait(e->c, 1000000) == -EDEADLK)
			return 2;
	}
	return e->lost_err == ESHUTDOWN ? 0 : 3;
}

static void a_closed_rank_is_reported_after_its_packets(void **state)
{
	struct play p = { .ranks = 4, .body = leave_early };
	struct found f;

	(void)state;
	play(&p, &f);
}

static int die_running(struct play *p, struct end *e, uint32_t rank)
{
	if (rank == 1) {
		if (end_send(e, rank_peer(p, e, 0), 0, 8))
			return 1;
		raise(SIGKILL);
	}
	if (rank == 0 && wait_got(e, 1))
		return 2;
	while (rank == 0 && !e->lost) {
		if (!e->c->ops->poll(e->c, 1) && !e->lost &&
		    e->c->ops->wait(e->c, FOREVER) == -EDEADLK)
			return 3;
	}
	return rank == 0 && e->lost_err != ECONNRESET ? 4 : 0;
}

/*
 * Both ranks have contacted each other; rank 1 dies right after its last
 * packet.
 */
static int die_after_sending(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);

	if (rank == 1) {
		if (end_send(e, to, 0, 8) || wait_got(e, 1) ||
		    end_send(e, to, 1, 8))
			return 1;
		raise(SIGKILL);
	}
	if (wait_got(e, 1) || end_send(e, to, 0, 8) || wait_got(e, 2))
		return 2;
	while (!e->lost)
		if (!e->c->ops->poll(e->c, 1) && !e->lost &&
		    e->c->ops->wait(e->c, FOREVER) == -EDEADLK)
			return 3;
	return e->lost_err == ECONNRESET ? 0 : 4;
}

static int die_in_engine(struct play *p, struct end *e, uint32_t rank)
{
	if (rank == 1) {
		weft_store32(&p->w->head->engine, rank + 1);
		raise(SIGKILL);
	}
	return e->c->ops->wait(e->c, FOREVER) == -EOWNERDEAD ? 0 : 1;
}

/* Rank 1 kills itself; all other ranks must succeed. */
static void check_survivors(struct play *p)
{
	pid_t pid[RANKS_MAX];
	int status;

	play_open(p);
	for (int i = 0; i < p->ranks; i++) {
		pid[i] = fork();
		T_TRUE(pid[i] >= 0);
		if (!pid[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			_exit(play_rank(i, p));
		}
	}
	for (int i = 0; i < p->ranks; i++) {
		T_IS(waitpid(pid[i], &status, 0), pid[i]);
		if (i == 1)
			T_TRUE(WIFSIGNALED(status));
		else
			T_IS(status, 0);
	}
	play_close(p);
}

static void a_dead_rank_is_reported_lost(void **state)
{
	struct play p = { .ranks = 2, .body = die_running };

	(void)state;
	check_survivors(&p);
}

static void packets_of_a_dead_rank_precede_its_loss(void **state)
{
	struct play p = { .ranks = 2, .body = die_after_sending };

	(void)state;
	check_survivors(&p);
}

static void a_death_in_the_engine_hangs_no_rank(void **state)
{
	/* the last ranks block without a timer */
	struct play p = { .ranks = 12, .body = die_in_engine };

	(void)state;
	check_survivors(&p);
}

/* ---- class routes -------------------------------------------------------- */

#define SUMS 100u

static int sum(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t n = (uint64_t)p->ranks;
	uint64_t data[64];

	if (play_route(p, e, rank))
		return 1;
	for (uint64_t k = 0; k < SUMS; k++) {
		struct weft_backend_part part = { .kind = WEFT_COLL_ALLREDUCE,
						  .bytes = k % 2 ? 512 : 8,
						  .seq = k };

		for (int i = 0; i < 64; i++)
			data[i] = (rank + 1) * (k + 1);
		if (e->c->ops->backend->routes->send(e->c, 3, &part, data))
			return 2;
		if (play_result(e, &part, data))
			return 3;
		for (unsigned i = 0; i < part.bytes / 8; i++)
			if (data[i] != n * (n + 1) / 2 * (k + 1))
				return 4;
	}
	p->found->value[rank] = now(e);
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

static void a_class_route_computes_sums(void **state)
{
	struct play p = { .ranks = 16, .body = sum };
	struct found a, b;

	(void)state;
	play(&p, &a);
	p.one_core = true;
	play(&p, &b);
	T_MEM(a.clock, b.clock, sizeof(a.clock));
	T_IS(a.count.hash, b.count.hash);
	/*
	 * 8 bytes take about 1 us on 16 nodes (SC11, table 3), 512 bytes take
	 * longer
	 */
	T_TRUE(a.value[0] > SUMS * UINT64_C(900000) &&
	       a.value[0] < SUMS * UINT64_C(3000000));
}

#define AHEAD (3 * VT_WINDOW)

/*
 * Member 1 sends its contributions to reductions to member 0, which computes
 * first.
 */
static int send_parts_early(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t data = 0;

	if (play_route(p, e, rank))
		return 1;
	if (rank == 0)
		e->c->ops->backend->compute(e->c, 1000000000);
	for (uint64_t k = 0; k < AHEAD; k++) {
		struct weft_backend_part part = { .kind = WEFT_COLL_REDUCE,
						  .bytes = 8,
						  .seq = k };
		int ret;

		data = k + rank;
		while ((ret = e->c->ops->backend->routes->send(
				e->c, 3, &part, &data)) == -EAGAIN) {
			p->found->value[rank]++;
			ret = e->c->ops->wait(e->c, FOREVER);
			if (ret && ret != -EAGAIN)
				return 2;
		}
		if (ret)
			return 3;
		if (rank == 0 &&
		    (play_result(e, &part, &data) || data != 2 * k + 1))
			return 4;
	}
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

static void a_member_without_result_waits_for_its_window(void **state)
{
	struct play p = { .ranks = 2, .body = send_parts_early };
	struct found f;

	(void)state;
	play(&p, &f);
	T_IS(f.value[0], 0);
	assert_in_range(f.value[1], 1, AHEAD);
}

/* Member 1 sends its contribution and closes the route; the others continue. */
static int close_early(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_backend_part part = { .kind = WEFT_COLL_REDUCE,
					  .bytes = 8 };
	uint64_t data = rank + 1;

	if (play_route(p, e, rank))
		return 1;
	if (rank == 0)
		e->c->ops->backend->compute(e->c, 1000000000);
	if (e->c->ops->backend->routes->send(e->c, 3, &part, &data))
		return 2;
	if (rank == 0 && (play_result(e, &part, &data) || data != 3))
		return 3;
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

static void a_route_closes_with_its_last_member(void **state)
{
	struct play p = { .ranks = 2, .body = close_early };
	struct found f;

	(void)state;
	play(&p, &f);
}

/* ---- reductions by interfaces, copies by switches ------------------------ */

static void interfaces_compute_the_same_sums(void **state)
{
	struct play p = { .machine = "qsnet2",
			  .ranks = 2,
			  .body = send_parts_early };
	struct found a, b;

	play(&p, &a);
	T_IS(a.value[0], 0);
	T_TRUE(a.value[1] > 0);
	p.body = close_early;
	play(&p, &a);
	p.body = sum;
	for (p.ranks = 2; p.ranks <= 17; p.ranks += 5) {
		p.one_core = false;
		play(&p, &a);
		p.one_core = true;
		play(&p, &b);
		T_MEM(a.clock, b.clock, sizeof(a.clock));
		T_IS(a.count.hash, b.count.hash);
	}
}

/*
 * Returns the result of count members, combined recursively by halves; if count
 * is odd, the first half has one member more.
 */
static uint64_t by_halves(uint64_t first, uint32_t count)
{
	uint32_t half = (count + 1) / 2;

	return count == 1 ? first
			  : play_mix(by_halves(first, half),
				     by_halves(first + half, count - half));
}

/*
 * Runs several reductions in flight, which are combined in the order of
 * members, at any root.
 */
static int ordered(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_backend_part part = {
		.kind = WEFT_COLL_REDUCE, .op = 1, .fp = 1, .bytes = 8
	};
	uint64_t data;

	if (play_route(p, e, rank))
		return 1;
	for (part.seq = 0; part.seq < 20; part.seq++) {
		part.root = part.seq % p->ranks;
		data = 100 * part.seq + rank;
		if (e->c->ops->backend->routes->send(e->c, 3, &part, &data))
			return 2;
	}
	for (part.seq = 0; part.seq < 20; part.seq++) {
		if (part.seq % p->ranks != rank)
			continue;
		if (play_result(e, &part, &data) ||
		    data != by_halves(100 * part.seq, p->ranks))
			return 3;
	}
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

/* Waits for a millisecond. */
static int wait_one_ms(struct end *e)
{
	int ret = 0;

	while (now(e) < 1000000000 && (!ret || ret == -ETIMEDOUT))
		if (!e->c->ops->poll(e->c, 16))
			ret = e->c->ops->wait(e->c, 1000000);
	return now(e) < 1000000000 ? ret : 0;
}

/*
 * A window of reductions, then an allreduction: the reductions wait for rank 0.
 */
static int a_window_and_one(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_backend_part part = { .bytes = 8 };
	uint64_t data;
	int ret;

	if (play_route(p, e, rank))
		return 1;
	if (rank == 0 && wait_one_ms(e))
		return 9;
	for (part.seq = 0; part.seq <= VT_WINDOW; part.seq++) {
		part.kind = part.seq < VT_WINDOW ? WEFT_COLL_REDUCE
						 : WEFT_COLL_ALLREDUCE;
		data = part.seq + rank;
		while ((ret = e->c->ops->backend->routes->send(
				e->c, 3, &part, &data)) == -EAGAIN) {
			ret = e->c->ops->wait(e->c, FOREVER);
			if (ret && ret != -EAGAIN)
				return 3;
		}
		if (ret)
			return 4;
		if (rank && part.kind == WEFT_COLL_REDUCE)
			continue;
		if (play_result(e, &part, &data) || data != 2 * part.seq + 1)
			return 5;
	}
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

static void a_window_slot_is_reused_when_free(void **state)
{
	struct play p = { .machine = "qsnet2",
			  .ranks = 2,
			  .body = a_window_and_one };
	struct found f;

	play(&p, &f);
}

/* On sunway, sums whose order does not matter use another tree. */
static void interfaces_add_in_the_order_of_pairs(void **state)
{
	struct play p = { .machine = "qsnet2", .ranks = 5, .body = ordered };
	struct found f;

	play(&p, &f);
	p.machine = "sunway";
	p.ranks = 8;
	play(&p, &f);
}

/* Member 2 broadcasts; a late member finds the data already arrived. */
static int late_broadcast(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_backend_part part = { .kind = WEFT_COLL_BCAST,
					  .root = 2,
					  .bytes = 512 };
	uint64_t data[64];

	if (play_route(p, e, rank))
		return 1;
	if (rank == 4 && wait_one_ms(e))
		return 9;
	for (part.seq = 0; part.seq < VT_WINDOW; part.seq++) {
		t_fill(data, sizeof(data), rank == 2 ? part.seq : 99);
		if (e->c->ops->backend->routes->send(e->c, 3, &part, data))
			return 2;
	}
	for (part.seq = 0; part.seq < VT_WINDOW; part.seq++)
		if (play_result(e, &part, data) ||
		    t_differs(data, sizeof(data), part.seq) >= 0)
			return 3;
	p->found->value[rank] = now(e);
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

static void a_broadcast_waits_for_no_member(void **state)
{
	struct play p = { .machine = "qsnet2",
			  .ranks = 5,
			  .body = late_broadcast };
	struct found f;

	play(&p, &f);
	T_TRUE(f.value[0] < 100000000 && f.value[4] >= 1000000000);
}

/* If the members name different roots, all get an error. */
static int differing_roots(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_backend_part part = { .kind = WEFT_COLL_BCAST,
					  .root = rank == 3 ? 3 : 2,
					  .bytes = 8 };
	uint64_t data = 0;

	if (play_route(p, e, rank) ||
	    e->c->ops->backend->routes->send(e->c, 3, &part, &data) ||
	    play_result(e, &part, &data))
		return 1;
	e->c->ops->backend->routes->close(e->c, 3);
	return part.flags & WEFT_BACKEND_DIFFER ? 0 : 2;
}

static void differing_roots_return_an_error(void **state)
{
	struct play p = { .machine = "qsnet2",
			  .ranks = 5,
			  .body = differing_roots };
	struct found f;

	play(&p, &f);
}

/* ---- interfaces without arithmetic --------------------------------------- */

static int refused_sum(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_backend_part part = { .kind = WEFT_COLL_ALLREDUCE,
					  .bytes = 8 };
	uint64_t data = rank;

	if (play_route(p, e, rank))
		return 1;
	if (e->c->ops->backend->routes->can(e->c, WEFT_COLL_ALLREDUCE))
		return 2;
	if (e->c->ops->backend->routes->send(e->c, 3, &part, &data) !=
	    -EOPNOTSUPP)
		return 3;
	part.kind = WEFT_COLL_BARRIER;
	part.bytes = 0;
	if (e->c->ops->backend->routes->send(e->c, 3, &part, &data) ||
	    play_result(e, &part, &data))
		return 4;
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

/* A qsnet2 whose interfaces execute no reductions. */
static void no_sum_without_arithmetic_in_the_network(void **state)
{
	char path[] = PLAY_FILE;
	struct play p = { .machine = path, .ranks = 2, .body = refused_sum };
	struct found f;

	play_file(path, "qsnet2", "fold", "");
	play(&p, &f);
	unlink(path);
}

/* ---- full input queues --------------------------------------------------- */

#define FLOOD 40u

/*
 * While rank 1 computes, the other ranks send more messages than it has slots
 * for.
 */
static int flood(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t want = FLOOD * ((uint64_t)p->ranks - 1);

	if (rank == 1) {
		e->c->ops->backend->compute(e->c, 100000 * NS);
		if (wait_got(e, want) || e->bad)
			return 1;
		p->found->value[1] = now(e);
		return 0;
	}
	for (uint64_t n = 0; n < FLOOD; n++)
		if (send_waiting(e, rank_peer(p, e, 1), n, n % 4 ? 8 : 2500))
			return 2;
	return 0;
}

static void a_full_input_queue_discards(void **state)
{
	char path[] = PLAY_FILE;
	struct play p = { .machine = path, .ranks = 3, .body = flood };
	struct found few, again, all;

	play_file(path, "qsnet2", "input", "input = 8 # assumed\n");
	play(&p, &few);
	p.one_core = true;
	play(&p, &again);
	unlink(path);
	p.machine = "qsnet2";
	play(&p, &all);
	T_IS(all.count.discards, 0);
	T_TRUE(few.count.discards >= 6);
	T_IS(few.count.discards, again.count.discards);
	T_IS(few.count.hash, again.count.hash);
	/* each discarded message is retransmitted later */
	T_TRUE(few.count.packets >= all.count.packets + few.count.discards);
	T_TRUE(few.value[1] > all.value[1]);
	T_IS(few.value[1], again.value[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_long_message_adds_its_send_cost_once),
		T_CASE(a_long_message_costs_one_reception),
		T_CASE(messages_of_a_full_packet_have_their_own_cost),
		T_CASE(only_consecutive_packets_form_one_message),
		T_CASE(a_long_message_wakes_its_receiver_before_its_end),
		T_CASE(a_timeout_just_before_an_arrival_is_reported),
		T_CASE(a_closed_rank_is_reported_after_its_packets),
		T_CASE(a_dead_rank_is_reported_lost),
		T_CASE(packets_of_a_dead_rank_precede_its_loss),
		T_CASE(a_death_in_the_engine_hangs_no_rank),
		T_CASE(a_class_route_computes_sums),
		T_CASE(a_member_without_result_waits_for_its_window),
		T_CASE(a_route_closes_with_its_last_member),
		T_CASE(interfaces_compute_the_same_sums),
		T_CASE(a_window_slot_is_reused_when_free),
		T_CASE(interfaces_add_in_the_order_of_pairs),
		T_CASE(a_broadcast_waits_for_no_member),
		T_CASE(differing_roots_return_an_error),
		T_CASE(no_sum_without_arithmetic_in_the_network),
		T_CASE(a_full_input_queue_discards),
	};

	return T_RUN(tests);
}
