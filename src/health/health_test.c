/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of the health watch without a clock: the test sets the time and calls
 * each round. Ranks are objects of this process, or child processes if one has
 * to die.
 */
#include "src/health/health_sense.h"
#include "src/os/alive.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 8, SECOND = 1000000000, PERIOD = SECOND, ROUND_NS = PERIOD / 2 };

static const struct weft_health_job job = { .name = "the job",
					    .host = "here",
					    .torus = "2x2x2",
					    .ranks = RANKS,
					    .here = RANKS,
					    .period_ns = PERIOD };

struct world {
	struct weft_health rank[RANKS];
	bool suspended[RANKS];
	uint64_t now;
};

/* Opens a region; all ranks except the last `without` ranks join. */
static void world_open(struct world *w, uint32_t without)
{
	memset(w, 0, sizeof(*w));
	w->now = 100 * (uint64_t)SECOND;
	T_OK(weft_health_open(&w->rank[0], &job));
	for (uint32_t i = 1; i < RANKS; i++)
		T_OK(weft_health_attach(&w->rank[i], w->rank[0].region.fd,
					"the job"));
	for (uint32_t i = 0; i < RANKS - without; i++)
		T_OK(weft_health_join(&w->rank[i], i, i + 100));
}

static void world_close(struct world *w)
{
	for (uint32_t i = RANKS; i-- > 0;)
		weft_health_close(&w->rank[i]);
}

static void run_rounds(struct world *w, unsigned n)
{
	for (; n; n--) {
		w->now += ROUND_NS;
		for (uint32_t i = 0; i < RANKS; i++)
			if (!w->suspended[i] && w->rank[i].me != HEALTH_NO_SLOT)
				weft_health_round(&w->rank[i], w->now);
	}
}

static struct weft_health_view view_of(const struct world *w, uint32_t slot)
{
	struct weft_health_view v;

	T_TRUE(weft_health_view_get(&w->rank[0], slot, w->now, &v));
	return v;
}

static void shape_is(const char *torus, uint32_t n, uint32_t a, uint32_t b,
		     uint32_t c)
{
	uint32_t s[HEALTH_DIMS];

	weft_health_shape(torus, n, s);
	T_IS(s[0], a);
	T_IS(s[1], b);
	T_IS(s[2], c);
}

static void torus_shape_is_given_or_cubic(void **state)
{
	shape_is("4x2x1", 8, 4, 2, 1);
	shape_is("2x2x2x2x2", 32, 2, 2, 8);
	/* sides of length 1 do not count as dimensions */
	shape_is("1x2x1x2x2", 8, 2, 2, 2);
	shape_is("", 8, 2, 2, 2);
	shape_is(NULL, 12, 2, 2, 3);
	shape_is(NULL, 7, 1, 1, 7);
	shape_is(NULL, 1, 1, 1, 1);
	/* shapes with another number of nodes, and invalid shapes */
	shape_is("4x4x4", 8, 2, 2, 2);
	shape_is("4x", 4, 1, 2, 2);
	shape_is("0x8", 8, 2, 2, 2);
	shape_is("4294967297x4294967297", 8, 2, 2, 2);
}

static void neighbour_relation_is_symmetric(void **state)
{
	static const uint32_t shapes[][HEALTH_DIMS] = {
		{ 1, 1, 7 }, { 2, 2, 2 }, { 3, 2, 4 }, { 1, 1, 2 }, { 5, 1, 1 },
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		const uint32_t *s = shapes[i];

		for (uint32_t n = 0; n < s[0] * s[1] * s[2]; n++)
			for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++) {
				uint32_t to = weft_health_neighbour(s, n, p);
				unsigned back = s[HEALTH_DIMS - 1 - p / 2] == 2
							? p
							: p ^ 1;

				if (to == HEALTH_NO_SLOT)
					continue;
				T_TRUE(to != n);
				T_IS(weft_health_neighbour(s, to, back), n);
			}
	}
	T_IS(weft_health_neighbour(shapes[0], 6, 0), 0);
	T_IS(weft_health_neighbour(shapes[0], 0, 1), 6);
	T_IS(weft_health_neighbour(shapes[0], 0, 2), HEALTH_NO_SLOT);
	T_IS(weft_health_neighbour(shapes[3], 0, 0), 1);
	T_IS(weft_health_neighbour(shapes[3], 0, 1), HEALTH_NO_SLOT);
}

static void all_ranks_normal_without_faults(void **state)
{
	static struct world w;

	world_open(&w, 0);
	T_IS(view_of(&w, 3).host, WEFT_WATCH_UNKNOWN);
	run_rounds(&w, 3);
	for (uint32_t i = 0; i < RANKS; i++) {
		struct weft_health_view v = view_of(&w, i);

		T_IS(v.host, WEFT_WATCH_NORMAL);
		T_IS(v.nic, WEFT_WATCH_UNKNOWN);
		T_IS(v.rank, i + 100);
		T_TRUE(v.by >= 100 && v.by < 100 + RANKS && v.by != v.rank);
	}
	weft_health_nic(&w.rank[3], w.now, 0);
	run_rounds(&w, 1);
	T_IS(view_of(&w, 3).nic, WEFT_WATCH_NORMAL);
	world_close(&w);
}

/* Two periods are four rounds: one with, three without a heartbeat. */
static void rank_without_heartbeat_is_sick_within_two_periods(void **state)
{
	static struct world w;
	char text[128];

	world_open(&w, 0);
	run_rounds(&w, 3);
	w.suspended[5] = true;
	run_rounds(&w, 2);
	T_IS(view_of(&w, 5).host, WEFT_WATCH_NORMAL);
	/* ranks that check later in a round than rank 5 detect first */
	run_rounds(&w, 1);
	T_IS(view_of(&w, 5).host, WEFT_WATCH_SICK);
	T_IS(view_of(&w, 5).by, 107);
	T_IS(view_of(&w, 5).known_ns, 0);
	run_rounds(&w, 1);
	T_IS(view_of(&w, 5).host, WEFT_WATCH_SICK);
	T_IS(view_of(&w, 5).checks, 3);
	T_TRUE((view_of(&w, 5).checks + 1) / WEFT_HEALTH_ROUNDS <= 2);
	run_rounds(&w, 3);
	T_IS(view_of(&w, 5).host, WEFT_WATCH_SICK);
	T_IS(view_of(&w, 5).checks, 3);
	weft_health_view_format(
		&(struct weft_health_view){ .state = HEALTH_JOINED,
					    .host = WEFT_WATCH_SICK,
					    .by = 2,
					    .known_ns = 50000000,
					    .beat_ns = 310000000 },
		text, sizeof(text));
	T_STR(text,
	      "sick, last heartbeat 0.31 s ago, detected by rank 2 0.05 s ago");
	for (uint32_t i = 0; i < RANKS; i++)
		T_TRUE(i == 5 || view_of(&w, i).host == WEFT_WATCH_NORMAL);
	w.suspended[5] = false;
	run_rounds(&w, 2);
	T_IS(view_of(&w, 5).host, WEFT_WATCH_NORMAL);
	world_close(&w);
}

/* If all ranks are late together, no rank has missed a round. */
static void suspended_host_reports_no_rank_sick(void **state)
{
	static struct world w;

	world_open(&w, 0);
	run_rounds(&w, 3);
	w.now += 100 * (uint64_t)PERIOD;
	run_rounds(&w, 1);
	for (uint32_t i = 0; i < RANKS; i++)
		T_IS(view_of(&w, i).host, WEFT_WATCH_NORMAL);
	world_close(&w);
}

/*
 * Runs in a child process: joins as the last rank, executes two rounds, and
 * stops itself after each round.
 */
static void child(const struct world *w)
{
	struct weft_health h;

	if (weft_health_attach(&h, w->rank[0].region.fd, "the job") ||
	    weft_health_join(&h, RANKS - 1, RANKS + 99))
		_exit(1);
	weft_health_round(&h, w->now);
	weft_health_nic(&h, w->now, 0);
	raise(SIGSTOP);
	weft_health_round(&h, w->now + ROUND_NS);
	raise(SIGSTOP);
	_exit(0);
}

static void wait_until_stopped(pid_t pid)
{
	int status;

	T_IS(waitpid(pid, &status, WUNTRACED), pid);
	T_TRUE(WIFSTOPPED(status));
}

static void killed_rank_is_broken_at_first_check(void **state)
{
	static struct world w;
	struct weft_health_view v;
	int status;
	pid_t pid;

	world_open(&w, 1);
	pid = fork();
	if (!pid)
		child(&w);
	wait_until_stopped(pid);
	run_rounds(&w, 1);
	kill(pid, SIGCONT);
	wait_until_stopped(pid);
	run_rounds(&w, 1);
	T_IS(view_of(&w, RANKS - 1).host, WEFT_WATCH_NORMAL);
	T_IS(view_of(&w, RANKS - 1).nic, WEFT_WATCH_NORMAL);
	/* the process is stopped: three rounds without a heartbeat */
	run_rounds(&w, 3);
	T_IS(view_of(&w, RANKS - 1).host, WEFT_WATCH_SICK);
	T_IS(view_of(&w, RANKS - 1).nic, WEFT_WATCH_NORMAL);
	kill(pid, SIGKILL);
	T_IS(waitpid(pid, &status, 0), pid);
	/* the reader detects the exit before any neighbour has checked */
	v = view_of(&w, RANKS - 1);
	T_IS(v.host, WEFT_WATCH_BROKEN);
	T_IS(v.by, HEALTH_NO_SLOT);
	run_rounds(&w, 1);
	v = view_of(&w, RANKS - 1);
	T_IS(v.host, WEFT_WATCH_BROKEN);
	T_IS(v.nic, WEFT_WATCH_BROKEN);
	T_TRUE(v.by >= 100 && v.by < 100 + RANKS - 1);
	T_IS(v.checks, 4);
	world_close(&w);
}

static void rank_that_dies_is_broken_within_a_period(void **state)
{
	static struct world w;
	int status;
	pid_t pid;

	world_open(&w, 1);
	pid = fork();
	if (!pid)
		child(&w);
	wait_until_stopped(pid);
	run_rounds(&w, 1);
	kill(pid, SIGCONT);
	wait_until_stopped(pid);
	run_rounds(&w, 1);
	kill(pid, SIGKILL);
	T_IS(waitpid(pid, &status, 0), pid);
	run_rounds(&w, 1);
	T_IS(view_of(&w, RANKS - 1).host, WEFT_WATCH_BROKEN);
	T_IS(view_of(&w, RANKS - 1).checks, 1);
	world_close(&w);
}

/* A pid of another namespace cannot be checked: the process may be alive. */
static void pid_of_another_namespace_counts_as_alive(void **state)
{
	static struct world w;
	pid_t pid;

	world_open(&w, 0);
	pid = fork();
	if (!pid)
		_exit(0);
	T_IS(waitpid(pid, NULL, 0), pid);
	weft_store32(&w.rank[0].slot[2].pid, (uint32_t)pid);
	weft_store32(&w.rank[0].slot[2].ns, w.rank[0].ns + 1);
	run_rounds(&w, 3);
	w.suspended[2] = true;
	run_rounds(&w, 4);
	T_IS(view_of(&w, 2).host, WEFT_WATCH_SICK);
	world_close(&w);
}

/*
 * A pid counts as alive, too, if the namespace of the processes is not known.
 */
static void pid_of_an_unknown_namespace_counts_as_alive(void **state)
{
	static struct world w;
	pid_t pid;

	world_open(&w, 0);
	pid = fork();
	if (!pid)
		_exit(0);
	T_IS(waitpid(pid, NULL, 0), pid);
	weft_store32(&w.rank[0].slot[2].pid, (uint32_t)pid);
	weft_store32(&w.rank[0].slot[2].ns, 0);
	for (uint32_t i = 0; i < RANKS; i++)
		w.rank[i].ns = 0;
	run_rounds(&w, 3);
	w.suspended[2] = true;
	run_rounds(&w, 4);
	T_IS(view_of(&w, 2).host, WEFT_WATCH_SICK);
	world_close(&w);
}

static void rank_that_left_is_not_broken(void **state)
{
	static struct world w;
	char text[64];

	world_open(&w, 1);
	run_rounds(&w, 3);
	T_IS(view_of(&w, RANKS - 1).state, HEALTH_FREE);
	T_IS(view_of(&w, RANKS - 1).host, WEFT_WATCH_UNKNOWN);
	weft_health_leave(&w.rank[4]);
	run_rounds(&w, 5);
	T_IS(view_of(&w, 4).state, HEALTH_LEFT);
	T_IS(view_of(&w, 4).host, WEFT_WATCH_UNKNOWN);
	weft_health_view_format(
		&(struct weft_health_view){ .state = HEALTH_LEFT }, text,
		sizeof(text));
	T_STR(text, "has left the job");
	world_close(&w);
}

/* Reports of neighbours without heartbeats are ignored. */
static void reader_checks_rank_without_reports(void **state)
{
	static struct world w;

	world_open(&w, 0);
	run_rounds(&w, 3);
	for (uint32_t i = 1; i < RANKS; i++)
		w.suspended[i] = true;
	/*
	 * rank 7 has an old report that rank 5 is normal; rank 5 and all its
	 * neighbours are suspended
	 */
	run_rounds(&w, 8);
	T_IS(view_of(&w, 7).host, WEFT_WATCH_SICK);
	T_IS(view_of(&w, 7).by, HEALTH_NO_SLOT);
	T_IS(view_of(&w, 1).host, WEFT_WATCH_SICK);
	T_IS(view_of(&w, 1).by, 100);
	/* all neighbours of rank 0 are suspended */
	T_IS(view_of(&w, 0).host, WEFT_WATCH_NORMAL);
	T_IS(view_of(&w, 0).by, HEALTH_NO_SLOT);
	world_close(&w);
}

/* Without reports, a rank is sick after two periods without a heartbeat. */
static void reader_allows_two_periods_without_heartbeat(void **state)
{
	static struct world w;

	world_open(&w, 0);
	run_rounds(&w, 3);
	for (uint32_t i = 1; i < 7; i++)
		w.suspended[i] = true;
	/* the reports of the neighbours of rank 7 expire */
	run_rounds(&w, 4);
	w.suspended[7] = true;
	run_rounds(&w, 4);
	T_IS(view_of(&w, 7).by, HEALTH_NO_SLOT);
	T_IS(view_of(&w, 7).host, WEFT_WATCH_NORMAL);
	run_rounds(&w, 1);
	T_IS(view_of(&w, 7).by, HEALTH_NO_SLOT);
	T_IS(view_of(&w, 7).host, WEFT_WATCH_SICK);
	world_close(&w);
}

static void sensor_warning_sets_sick(void **state)
{
	static struct world w;

	world_open(&w, 0);
	run_rounds(&w, 2);
	weft_health_nic(&w.rank[6], w.now, 2);
	run_rounds(&w, 1);
	T_IS(view_of(&w, 6).nic, WEFT_WATCH_SICK);
	T_IS(view_of(&w, 6).host, WEFT_WATCH_NORMAL);
	weft_health_nic(&w.rank[6], w.now, 0);
	run_rounds(&w, 1);
	T_IS(view_of(&w, 6).nic, WEFT_WATCH_NORMAL);
	world_close(&w);
}

static void write_file(const char *root, const char *file, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, file);
	for (char *c = path + strlen(root) + 1; (c = strchr(c, '/')); c++) {
		*c = 0;
		mkdir(path, 0700);
		*c = '/';
	}
	f = fopen(path, "w");
	T_NOT_NULL(f);
	fputs(text, f);
	fclose(f);
}

#define ZONE "/sys/class/thermal/thermal_zone"

static void one_rank_reads_the_host_sensors(void **state)
{
	struct weft_health_bounds b = { .temp_mc = 90000,
					.load_cpcpu = INT32_MAX };
	char root[] = "/tmp/weft-sense.XXXXXX", clean[64];
	static struct world w;
	const struct health_head *head;

	T_NOT_NULL(mkdtemp(root));
	write_file(root, ZONE "0/temp", "41000\n");
	write_file(root, ZONE "1/temp", "90000\n");
	world_open(&w, 0);
	head = w.rank[0].head;
	weft_health_sense(&w.rank[1], w.now, &b, root);
	T_IS(weft_load32(&head->temp_mc), 90000);
	T_IS(weft_load32(&head->load_cpcpu), HEALTH_NONE);
	T_IS(weft_load32(&head->warns), 0);
	write_file(root, ZONE "0/temp", "90001\n");
	write_file(root, "/proc/loadavg", "3.00 1.0 1.0 1/1 1\n");
	/* the sensors have been read less than a period ago */
	weft_health_sense(&w.rank[2], w.now + PERIOD - 1, &b, root);
	T_IS(weft_load32(&head->warns), 0);
	weft_health_sense(&w.rank[2], w.now + PERIOD, &b, root);
	T_IS(weft_load32(&head->warns), 1);
	T_IS(weft_load32(&head->load_cpcpu),
	     (int32_t)(300.0 / (double)sysconf(_SC_NPROCESSORS_ONLN)));
	run_rounds(&w, 3);
	T_IS(view_of(&w, 3).host, WEFT_WATCH_SICK);
	b.temp_mc = INT32_MAX;
	b.load_cpcpu = 0;
	weft_health_sense(&w.rank[2], w.now + 9 * (uint64_t)PERIOD, &b, root);
	T_IS(weft_load32(&head->warns), 2);
	world_close(&w);
	snprintf(clean, sizeof(clean), "rm -r %s", root);
	T_OK(system(clean));
}

static void a_region_of_another_job_is_refused(void **state)
{
	struct weft_health_job none = job;
	struct weft_health h, other;

	T_OK(weft_health_open(&h, &job));
	T_IS(weft_health_attach(&other, h.region.fd, "another"), -ESTALE);
	T_IS(weft_health_join(&h, RANKS, 0), -EINVAL);
	weft_health_close(&h);
	none.here = 0;
	T_IS(weft_health_open(&h, &none), -EINVAL);
	none.here = HEALTH_SLOTS_MAX + 1;
	T_IS(weft_health_open(&h, &none), -EINVAL);
}

/* Reads all data that a tool reads, and checks that states are valid. */
static void read_all(const struct weft_health *h, uint64_t now)
{
	struct weft_health_view v;
	char text[128];

	for (uint32_t i = 0; weft_health_view_get(h, i, now, &v); i++) {
		T_TRUE(v.host <= WEFT_WATCH_BROKEN);
		T_TRUE(v.nic <= WEFT_WATCH_BROKEN);
		weft_health_view_format(&v, text, sizeof(text));
		T_TRUE(strlen(text) < sizeof(text));
	}
	weft_health_find_rank(h, (uint32_t)now);
}

static void random_region_is_refused_or_read_safely(void **state)
{
	static struct world w;
	struct weft_rng rng;
	struct weft_health h;
	uint64_t *word;
	size_t words, first = sizeof(struct health_head) / 8;

	weft_rng_init(&rng, 7, 0);
	for (int round = 0; round < t_scale(2000); round++) {
		world_open(&w, 0);
		run_rounds(&w, 3);
		word = (uint64_t *)w.rank[0].region.base;
		words = w.rank[0].region.bytes / 8;
		/* random words: even rounds in slots, odd in the head */
		for (uint64_t n = 1 + weft_rng_below(&rng, 200); n; n--) {
			size_t from = round & 1 ? 0 : first;
			size_t to = round & 1 ? first : words;
			size_t index = from + weft_rng_below(&rng, to - from);

			word[index] =
				weft_rng_u64(&rng) >> weft_rng_below(&rng, 64);
		}
		if (!weft_health_attach_readonly(&h, w.rank[0].region.fd)) {
			read_all(&h, w.now);
			weft_health_close(&h);
		}
		world_close(&w);
	}
}

static void corrupt_header_is_refused(void **state)
{
	struct weft_health h, tool;
	struct health_job_info good, *w;

	T_OK(weft_health_open(&h, &job));
	w = &h.head->what;
	good = *w;
	for (int fault = 0; fault < 7; fault++) {
		*w = good;
		T_OK(weft_health_attach_readonly(&tool, h.region.fd));
		weft_health_close(&tool);
		w->version += fault == 0;
		w->period_ns *= fault != 1;
		w->shape[0] *= fault == 2 ? 3 : 1;
		w->shape[1] *= fault != 3;
		if (fault == 4)
			memset(w->job, 'x', sizeof(w->job));
		if (fault == 5)
			memset(w->host, 'x', sizeof(w->host));
		/* more slots than fit into the region */
		w->slots *= fault == 6 ? 2 : 1;
		w->shape[2] *= fault == 6 ? 2 : 1;
		T_IS(weft_health_attach_readonly(&tool, h.region.fd), -EINVAL);
	}
	weft_health_close(&h);
}

/* The checked head is a copy, so later changes of the region have no effect. */
static void header_is_copied_once(void **state)
{
	static struct world w;
	struct weft_health h;

	world_open(&w, 0);
	run_rounds(&w, 3);
	T_OK(weft_health_attach_readonly(&h, w.rank[0].region.fd));
	memset(w.rank[0].head, 0, sizeof(struct health_job_info));
	read_all(&h, w.now);
	T_STR(h.what.job, "the job");
	weft_health_close(&h);
	memset(w.rank[0].head, 0xff, sizeof(struct health_job_info));
	T_IS(weft_health_attach_readonly(&h, w.rank[0].region.fd), -EINVAL);
	world_close(&w);
}

static void reader_mapping_is_read_only(void **state)
{
	struct weft_health h, tool;
	char line[512], perms[8] = "";
	unsigned long from;
	FILE *f;

	T_OK(weft_health_open(&h, &job));
	T_OK(weft_health_attach_readonly(&tool, h.region.fd));
	f = fopen("/proc/self/maps", "re");
	T_NOT_NULL(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%*x %7s", &from, perms) == 2 &&
		    from == (unsigned long)(uintptr_t)tool.region.base)
			break;
	fclose(f);
	T_STR(perms, "r--s");
	weft_health_close(&tool);
	weft_health_close(&h);
}

static void a_rank_is_found_by_its_number(void **state)
{
	static struct world w;

	world_open(&w, 2);
	for (uint32_t i = 0; i < RANKS; i++)
		T_IS(weft_health_find_rank(&w.rank[0], i + 100),
		     i < RANKS - 2 ? i : HEALTH_NO_SLOT);
	/* free slots have no rank, not rank 0 */
	T_IS(weft_health_find_rank(&w.rank[0], 0), HEALTH_NO_SLOT);
	weft_health_leave(&w.rank[1]);
	T_IS(weft_health_find_rank(&w.rank[0], 101), 1);
	world_close(&w);
}

/* Checks the text of a view, which short buffers truncate at the end. */
static void text_is(const struct weft_health_view *v, const char *expected)
{
	char text[128];

	for (size_t room = 1; room < sizeof(text); room++) {
		memset(text, 'x', sizeof(text));
		weft_health_view_format(v, text, room);
		T_IS(strlen(text), strnlen(expected, room - 1));
		T_TRUE(!strncmp(text, expected, strlen(text)));
		T_IS(text[room], 'x');
	}
}

static void a_view_is_written_as_text(void **state)
{
	struct weft_health_view v = { .state = HEALTH_JOINED,
				      .host = WEFT_WATCH_SICK,
				      .by = 2,
				      .beat_ns = 310000000,
				      .known_ns = 50000000 };

	text_is(&v, "sick, last heartbeat 0.31 s ago, detected by rank 2 "
		    "0.05 s ago");
	v.by = HEALTH_NO_SLOT;
	text_is(&v, "sick, last heartbeat 0.31 s ago");
	v.state = HEALTH_LEFT;
	text_is(&v, "has left the job");
	v.state = HEALTH_FREE;
	text_is(&v, "unknown");
}

/* A name that does not fit into the region is compared as far as it fits. */
static void a_long_job_name_is_truncated(void **state)
{
	struct weft_health_job mine = job;
	struct weft_health h, other;
	char name[HEALTH_JOB + 40];
	int fd;

	for (size_t len = HEALTH_JOB - 2; len < sizeof(name); len++) {
		memset(name, 'n', sizeof(name));
		snprintf(name, 32, "health_test.%d", getpid());
		name[strlen(name)] = '.';
		name[len] = 0;
		mine.name = name;
		T_OK(weft_health_open(&h, &mine));
		T_IS(strlen(h.what.job), strnlen(name, HEALTH_JOB - 1));
		T_OK(weft_health_attach(&other, h.region.fd, name));
		weft_health_close(&other);
		fd = weft_health_find(name);
		T_TRUE(fd >= 0);
		close(fd);
		name[HEALTH_JOB - 3] = 'x';
		T_IS(weft_health_attach(&other, h.region.fd, name), -ESTALE);
		weft_health_close(&h);
	}
}

static void job_is_found_by_name_and_by_pid(void **state)
{
	struct weft_health_job mine = job;
	struct weft_health h, found;
	char name[64], pid[16];
	int files;
	int fd;

	snprintf(name, sizeof(name), "health_test.%d", getpid());
	mine.name = name;
	T_OK(weft_health_open(&h, &mine));
	files = t_open_files();
	fd = weft_health_find(name);
	T_TRUE(fd >= 0);
	T_OK(weft_health_attach_readonly(&found, fd));
	T_STR(found.what.job, name);
	weft_health_close(&found);
	close(fd);
	snprintf(pid, sizeof(pid), "%d", getpid());
	fd = weft_health_find(pid);
	T_TRUE(fd >= 0);
	close(fd);
	/* 0: the parent is outside this pid namespace */
	if (getppid()) {
		snprintf(pid, sizeof(pid), "%d", getppid());
		fd = weft_health_find(pid);
		T_TRUE(fd >= 0);
		close(fd);
	}
	T_IS(weft_health_find("no such job"), -ESRCH);
	T_IS(t_open_files(), files);
	weft_health_close(&h);
	T_IS(weft_health_find(name), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(torus_shape_is_given_or_cubic),
		T_CASE(neighbour_relation_is_symmetric),
		T_CASE(all_ranks_normal_without_faults),
		T_CASE(rank_without_heartbeat_is_sick_within_two_periods),
		T_CASE(suspended_host_reports_no_rank_sick),
		T_CASE(killed_rank_is_broken_at_first_check),
		T_CASE(rank_that_dies_is_broken_within_a_period),
		T_CASE(pid_of_another_namespace_counts_as_alive),
		T_CASE(pid_of_an_unknown_namespace_counts_as_alive),
		T_CASE(rank_that_left_is_not_broken),
		T_CASE(reader_checks_rank_without_reports),
		T_CASE(reader_allows_two_periods_without_heartbeat),
		T_CASE(sensor_warning_sets_sick),
		T_CASE(one_rank_reads_the_host_sensors),
		T_CASE(a_region_of_another_job_is_refused),
		T_CASE(random_region_is_refused_or_read_safely),
		T_CASE(corrupt_header_is_refused),
		T_CASE(header_is_copied_once),
		T_CASE(reader_mapping_is_read_only),
		T_CASE(a_rank_is_found_by_its_number),
		T_CASE(a_view_is_written_as_text),
		T_CASE(a_long_job_name_is_truncated),
		T_CASE(job_is_found_by_name_and_by_pid),
	};

	return T_RUN(tests);
}
