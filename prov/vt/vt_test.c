/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time between processes: exact times, deterministic runs, polls and
 * timeouts, deadlock, back-pressure, threads, leaving. Messages, deaths and
 * class routes are tested in vt_message_test.c.
 */
#include "test/support/vt_fixture.h"
#include "prov/vt/vt.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- exact times --------------------------------------------------------- */

#define ROUNDS 50

static int ping_pong(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);

	for (uint64_t n = 0; n < ROUNDS; n++) {
		if (rank == 0 && end_send(e, to, n, 8))
			return 1;
		if (wait_got(e, n + 1))
			return 2;
		if (rank == 1 && end_send(e, to, n, 8))
			return 3;
	}
	return 0;
}

static void a_message_takes_the_time_of_the_model(void **state)
{
	struct play p = { .ranks = 2, .body = ping_pong };
	struct net_config cfg;
	uint64_t one_way_ps =
		unloaded_latency(&cfg, 8) + cfg.send_ps + cfg.recv_ps;
	struct found f;

	(void)state;
	play(&p, &f);
	T_IS(f.clock[0], 2 * ROUNDS * one_way_ps);
	T_IS(f.clock[1], (2 * ROUNDS - 1) * one_way_ps + cfg.send_ps);
}

/* The thread processor of an Elan4 matches every message. */
static void a_message_waits_until_it_is_matched(void **state)
{
	char path[] = PLAY_FILE;
	struct play p = { .ranks = 2, .body = ping_pong, .machine = "qsnet2" };
	struct found with, without;

	(void)state;
	play(&p, &with);
	play_file(path, "qsnet2", "match", "match = 0 ns\n");
	p.machine = path;
	play(&p, &without);
	unlink(path);
	T_IS(with.clock[0] - without.clock[0], 2 * ROUNDS * 300000);
}

/*
 * Sends packets between opposite corners of a square; if p->seed is set, by any
 * route.
 */
static int diagonal(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 3);

	e->unordered = p->seed;
	for (uint64_t n = 0; n < 200 && rank == 0; n++)
		if (end_send(e, to, n, 512))
			return 1;
	return rank == 3 ? wait_got(e, 200) : 0;
}

static void adaptive_routing_uses_two_paths(void **state)
{
	struct play p = { .ranks = 4, .body = diagonal };
	struct found ordered, any;

	(void)state;
	play(&p, &ordered);
	p.seed = 1;
	play(&p, &any);
	T_TRUE(any.clock[3] * 3 < ordered.clock[3] * 2);
}

/* ---- deterministic runs -------------------------------------------------- */

static void random_delay(struct weft_rng *rng)
{
	struct timespec ts = { .tv_nsec = (long)weft_rng_below(rng, 200000) };

	if (weft_rng_below(rng, 4) == 0)
		nanosleep(&ts, NULL);
}

/* Sends messages of all sizes to all ranks, with some polls and some waits. */
static int traffic(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_rng traffic_rng, delay_rng;
	uint64_t sent[RANKS_MAX] = { 0 };
	uint64_t rounds = (uint64_t)t_scale(60);
	uint32_t n = (uint32_t)p->ranks;

	weft_rng_init(&traffic_rng, 7, rank);
	weft_rng_init(&delay_rng, p->seed, rank);
	for (uint64_t k = 0; k < rounds; k++) {
		uint32_t to = (rank + 1 + (uint32_t)(k % (n - 1))) % n;
		struct weft_peer *peer = rank_peer(p, e, to);

		random_delay(&delay_rng);
		if (send_waiting(e, peer, sent[to]++,
				 weft_rng_below(&traffic_rng, 513)))
			return 1;
		for (uint64_t i = weft_rng_below(&traffic_rng, 5); i; i--)
			e->c->ops->poll(e->c, 4);
		if (wait_got(e, k / 2))
			return 2;
	}
	return wait_got(e, rounds);
}

static void *use_cpu(void *arg)
{
	weft_au32 *stop = arg;

	while (!weft_load32(stop))
		;
	return NULL;
}

static void runs_are_deterministic(void **state)
{
	struct play p = { .ranks = 7, .body = traffic, .seed = 1 };
	struct found a, b;
	weft_au32 stop = 0;
	pthread_t th;

	(void)state;
	play(&p, &a);
	T_TRUE(a.count.events > 0);
	for (uint64_t run = 0; run < 3; run++) {
		p.seed = 2 + run;
		p.one_core = run == 1;
		if (run == 2)
			T_OK(pthread_create(&th, NULL, use_cpu, &stop));
		play(&p, &b);
		T_MEM(a.clock, b.clock, sizeof(a.clock));
		T_IS(a.count.hash, b.count.hash);
		T_IS(a.count.passes, b.count.passes);
	}
	weft_store32(&stop, 1);
	pthread_join(th, NULL);
}

/* ---- timeouts and polls -------------------------------------------------- */

static int time_out(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t t = now(e);

	(void)p;
	if (rank)
		return e->c->ops->wait(e->c, 1) == -ETIMEDOUT ? 0 : 1;
	/* leaving ranks end a wait, so repeat it */
	while (e->c->ops->wait(e->c, 2500000) != -ETIMEDOUT)
		t = now(e);
	if (now(e) != t + UINT64_C(2500000) * NS)
		return 3;
	e->c->ops->wake(e->c);
	return e->c->ops->wait(e->c, FOREVER) ? 4 : 0;
}

static void a_timeout_takes_only_virtual_time(void **state)
{
	struct play p = { .ranks = 3, .body = time_out };
	struct found f;

	(void)state;
	play(&p, &f);
	T_IS(f.clock[1], 1 * NS);
}

#define SEND_PS UINT64_C(3000000000) /* 3 ms of virtual time, ps */

/* Rank 0 polls in a loop for a packet that arrives much later. */
static int poll_loop(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t polls = 0;

	if (rank) {
		e->c->ops->backend->compute(e->c, SEND_PS);
		return end_send(e, rank_peer(p, e, 0), 0, 8);
	}
	while (!e->got) {
		e->c->ops->poll(e->c, 1);
		polls++;
	}
	p->found->value[0] = polls;
	return 0;
}

static void a_polling_loop_ends_at_the_same_step(void **state)
{
	struct play p = { .ranks = 2, .body = poll_loop };
	struct net_config cfg;
	uint64_t arrival_ps = SEND_PS + unloaded_latency(&cfg, 8) + cfg.send_ps;
	uint64_t step = cfg.poll_ps;
	struct found f;

	(void)state;
	play(&p, &f);
	/* number of polls that cover 60,000 steps */
	assert_in_range(f.value[0], 1, 1500);
	T_IS(f.clock[0], (arrival_ps + step - 1) / step * step + cfg.recv_ps);
}

static int clock_loop(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t polls = 0;

	(void)p;
	if (rank)
		return wait_got(e, 1);
	while (e->c->ops->backend->now_ps(e->c, true) < 100000000) {
		e->c->ops->poll(e->c, 1);
		polls++;
	}
	p->found->value[0] = polls;
	return end_send(e, rank_peer(p, e, 1), 0, 8);
}

static void a_loop_that_reads_the_clock_ends(void **state)
{
	struct play p = { .ranks = 2, .body = clock_loop };
	struct net_config cfg;
	struct found f;

	(void)state;
	unloaded_latency(&cfg, 8);
	play(&p, &f);
	T_TRUE(f.value[0] <= 100000000 / (cfg.poll_ps + cfg.wtime_ps) + 3);
}

/* ---- deadlock ------------------------------------------------------------ */

static int all_wait(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_vt_note note;
	char text[32];
	int left;

	if (rank == 1 && end_send(e, rank_peer(p, e, 0), 0, 8))
		return 1;
	if (rank == 0 && wait_got(e, 1))
		return 2;
	if (e->c->ops->wait(e->c, FOREVER) != -EDEADLK)
		return 3;
	snprintf(text, sizeof(text), "rank %u waits", rank);
	left = weft_vt_note(e->c, (int64_t)rank + 1, text);
	if (left)
		return 0;
	p->found->value[0]++;
	for (uint32_t i = 0; i < (uint32_t)p->ranks; i++) {
		snprintf(text, sizeof(text), "rank %u waits", i);
		if (weft_vt_read_note(e->c, i, &note) || note.peer != i + 1 ||
		    strcmp(note.text, text))
			return 4;
	}
	return 0;
}

static void a_deadlock_ends_every_wait(void **state)
{
	struct play p = { .ranks = 5, .body = all_wait };
	struct found f;

	(void)state;
	play(&p, &f);
	T_IS(f.value[0], 1);
}

static int poll_forever(struct play *p, struct end *e, uint32_t rank)
{
	if (rank)
		return e->c->ops->wait(e->c, FOREVER) == -EDEADLK ? 0 : 1;
	for (uint64_t k = 0; k < 1000000; k++) {
		e->c->ops->poll(e->c, 1);
		if (k % 10000 == 0 && e->c->ops->wait(e->c, 0) == -EDEADLK)
			return 0;
	}
	(void)p;
	return 2;
}

static void endless_polling_is_a_deadlock(void **state)
{
	struct play p = { .ranks = 2, .body = poll_forever };
	struct found f;

	(void)state;
	play(&p, &f);
}

/* ---- back-pressure ------------------------------------------------------- */

#define FLOOD 5000u

static int flood(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_carrier_stats s;
	uint64_t n = (uint64_t)t_scale(FLOOD);

	if (rank == 0)
		return wait_got(e, n * (uint64_t)(p->ranks - 1));
	for (uint64_t k = 0; k < n; k++) {
		int ret = send_waiting(e, rank_peer(p, e, 0), k, 512);

		if (ret)
			return ret;
	}
	e->c->ops->stats(e->c, &s);
	return n > 2 * VT_BUFS && !s.full;
}

static void a_sender_without_buffers_waits(void **state)
{
	struct play p = { .ranks = 3, .body = flood };
	struct found a, b;

	(void)state;
	play(&p, &a);
	play(&p, &b);
	T_MEM(a.clock, b.clock, sizeof(a.clock));
}

/* ---- threads ------------------------------------------------------------- */

struct waiter {
	struct end *e;
	weft_au32 *stop;
};

static void *wait_loop(void *arg)
{
	struct waiter *s = arg;

	while (!weft_load32(s->stop))
		s->e->c->ops->wait(s->e->c, FOREVER);
	return NULL;
}

/* One thread of the rank is blocked while another sends and polls. */
static int send_while_blocked(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);
	uint64_t n = (uint64_t)t_scale(300);
	weft_au32 stop = 0;
	struct waiter s = { e, &stop };
	pthread_t th;
	int ret = 0;

	if (pthread_create(&th, NULL, wait_loop, &s))
		return 1;
	for (uint64_t k = 0; k < n && !ret; k++) {
		while ((ret = end_send(e, to, k, k % 500)) == -EAGAIN)
			e->c->ops->poll(e->c, 16);
		while (!ret && e->got <= k)
			e->c->ops->poll(e->c, 16);
	}
	weft_store32(&stop, 1);
	e->c->ops->wake(e->c);
	pthread_join(th, NULL);
	return ret;
}

static void a_thread_sends_while_another_is_blocked(void **state)
{
	struct play p = { .ranks = 2,
			  .body = send_while_blocked,
			  .threads = true };
	struct found f;

	(void)state;
	play(&p, &f);
}

/* ---- leaving with packets in flight -------------------------------------- */

#define LAST_SENT 500u

static void wait_until_left(struct end *e, uint32_t rank)
{
	struct weft_vt_note note;

	while (!weft_vt_read_note(e->c, rank, &note) &&
	       note.state != WEFT_VT_LEFT)
		sched_yield();
}

/*
 * Rank 1 leaves with many packets in flight; rank 0, which has left before,
 * counts them.
 */
static int leave_in_flight(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);
	struct weft_vt_count count;

	if (rank) {
		wait_until_left(e, 0);
		for (uint64_t n = 0; n < LAST_SENT; n++)
			if (end_send(e, to, n, 512))
				return 1;
		weft_vt_leave(e->c);
		return 0;
	}
	weft_vt_leave(e->c);
	wait_until_left(e, 1);
	weft_vt_count(e->c, &count);
	return count.packets == LAST_SENT ? 0 : 2;
}

static void a_rank_that_left_has_run_the_last_pass(void **state)
{
	struct play p = { .ranks = 2, .body = leave_in_flight };
	struct found f;

	for (int i = 0; i < 10; i++)
		play(&p, &f);
}

/* Leaving a second time has no effect. */
static int leave_twice(struct play *p, struct end *e, uint32_t rank)
{
	weft_vt_leave(e->c);
	weft_vt_leave(e->c);
	return weft_load32(&vt_of(e->c)->w->head->running) != 0;
}

static void a_rank_leaves_once(void **state)
{
	struct play p = { .ranks = 1, .body = leave_twice };
	struct found f;

	play(&p, &f);
}

/* Peers are numbered in the order of their first use. */
static int number_peers(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *one = rank_peer(p, e, (rank + 2) % 4);
	struct weft_peer *two = rank_peer(p, e, (rank + 1) % 4);
	struct weft_peer *three = rank_peer(p, e, (rank + 3) % 4);

	return one->index || two->index != 1 || three->index != 2 ||
	       rank_peer(p, e, (rank + 1) % 4) != two;
}

static void peers_are_numbered_by_first_use(void **state)
{
	struct play p = { .ranks = 4, .body = number_peers };
	struct found f;

	play(&p, &f);
}

/* ---- names of jobs ------------------------------------------------------- */

/* The process id in the name keeps concurrent tests apart. */
static void a_job_is_a_name_a_rank_and_a_size(void **state)
{
	static const char *const wrong[] = {
		"",	 "a",	   "a:0",    ":0:1",  "a:1:1", "a:2:1",
		"a:0:0", "a:0:1x", "a:0:1:", "a:x:1", "a::1",  "a:0:",
	};
	const struct weft_vt_conf conf = { .machine = "bgq",
					   .map = "",
					   .packet_bytes = 512 };
	struct weft_vt *w = NULL;
	char longest[80];

	for (size_t i = 0; i < WEFT_COUNT_OF(wrong); i++)
		T_IS(weft_vt_join_job(&conf, wrong[i], &w), -EINVAL);
	snprintf(longest, sizeof(longest), "%064d:0:1", (int)getpid());
	T_IS(weft_vt_join_job(&conf, longest, &w), -EINVAL);
	T_NULL(w);
	snprintf(longest, sizeof(longest), "%063d:0:1", (int)getpid());
	T_OK(weft_vt_join_job(&conf, longest, &w));
	T_IS(weft_vt_size(w), 1);
	weft_vt_close(w);
}

/* ---- memory of the world ------------------------------------------------- */

static uint64_t bytes_of_a_rank(const char *machine, uint32_t packet)
{
	struct weft_vt_conf conf = { .machine = machine,
				     .map = "",
				     .packet_bytes = packet };
	char handle[WEFT_VT_HANDLE];
	const uint32_t ranks = 512;
	struct weft_vt *w;
	uint64_t bytes;

	T_OK(weft_vt_create(&conf, ranks, &w, handle));
	bytes = w->head->bytes / ranks;
	printf("%s, %u ranks: %llu bytes of addresses each\n", machine, ranks,
	       (unsigned long long)bytes);
	weft_vt_close(w);
	return bytes;
}

/*
 * Reduction state (struct vt_adder) uses memory only on machines whose
 * interfaces execute reductions.
 */
static void a_rank_uses_limited_address_space(void **state)
{
	T_TRUE(bytes_of_a_rank("bgq", 512) < 4000000);
	T_TRUE(bytes_of_a_rank("gemini", 1024) < 20000000);
	T_TRUE(bytes_of_a_rank("qsnet2", 2560) < 22000000);
}

static void *since(void *arg)
{
	struct vt_cpu_time *t = arg;

	return (void *)(uintptr_t)vt_cpu_since(t);
}

static void cpu_time_is_that_of_one_thread(void **state)
{
	struct vt_cpu_time t;
	pthread_t other;
	void *ns;

	vt_cpu_begin(&t);
	while (!vt_cpu_since(&t))
		continue;
	t.ns = 0; /* less than the time of any thread */
	T_OK(pthread_create(&other, NULL, since, &t));
	T_OK(pthread_join(other, &ns));
	T_IS((uintptr_t)ns, 0);
	/* an earlier thread of the same name */
	t.ns = UINT64_MAX;
	T_IS(vt_cpu_since(&t), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_message_takes_the_time_of_the_model),
		T_CASE(a_message_waits_until_it_is_matched),
		T_CASE(adaptive_routing_uses_two_paths),
		T_CASE(runs_are_deterministic),
		T_CASE(a_timeout_takes_only_virtual_time),
		T_CASE(a_polling_loop_ends_at_the_same_step),
		T_CASE(a_loop_that_reads_the_clock_ends),
		T_CASE(a_deadlock_ends_every_wait),
		T_CASE(endless_polling_is_a_deadlock),
		T_CASE(a_sender_without_buffers_waits),
		T_CASE(a_thread_sends_while_another_is_blocked),
		T_CASE(a_rank_that_left_has_run_the_last_pass),
		T_CASE(a_rank_leaves_once),
		T_CASE(peers_are_numbered_by_first_use),
		T_CASE(a_job_is_a_name_a_rank_and_a_size),
		T_CASE(a_rank_uses_limited_address_space),
		T_CASE(cpu_time_is_that_of_one_thread),
	};

	return T_RUN(tests);
}
