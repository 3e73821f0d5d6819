/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time between processes: exact times, the same on every run, looks
 * and time-outs, deadlock, room, death, class routes. A test is a body that
 * each rank runs in a process of its own; what they find goes to a page they
 * share.
 */
#include "prov/carrier/carrier_end.h"
#include "prov/carrier/vt/vt.h"
#include "prov/net/net_file.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RANKS_MAX 32
#define FOREVER	  UINT64_MAX
#define NS	  1000u

static const struct weft_vt_conf bgq = { .machine = "bgq", .map = "" };

/* What the ranks find. */
struct found {
	uint64_t clock[RANKS_MAX];
	uint64_t value[RANKS_MAX];
	struct weft_vt_count count;
};

struct play {
	int ranks;
	int (*body)(struct play *p, struct end *e, uint32_t rank);
	struct weft_vt *w;
	char handle[WEFT_VT_HANDLE];
	struct found *found;
	uint64_t seed; /* of the disturbance */
	bool one_core;
	bool threads;
};

static uint32_t add_words(unsigned op, unsigned type, void *acc, const void *in,
			  size_t bytes)
{
	(void)op;
	(void)type;
	for (size_t i = 0; i < bytes / 8; i++) {
		uint64_t a, b;

		memcpy(&a, (char *)acc + 8 * i, 8);
		memcpy(&b, (const char *)in + 8 * i, 8);
		a += b;
		memcpy((char *)acc + 8 * i, &a, 8);
	}
	return 0;
}

static uint64_t now(struct end *e)
{
	return e->c->virt->now_ps(e->c, false);
}

static struct weft_peer *rank_peer(struct play *p, struct end *e, uint32_t rank)
{
	struct sockaddr_in name;

	weft_vt_name(p->w, rank, &name);
	return end_peer_name(e, &name);
}

static int play_rank(int i, void *arg)
{
	struct play *p = arg;
	struct weft_vt *w = p->w;
	struct weft_carrier_attr attr = { .combine = add_words,
					  .threads = p->threads };
	struct end *e = calloc(1, sizeof(*e));
	cpu_set_t one;
	int ret;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (p->one_core)
		sched_setaffinity(0, sizeof(one), &one);
	if (i && weft_vt_attach(&bgq, p->handle, (uint32_t)i, &w))
		return 90;
	attr.world = w;
	p->w = w;
	if (end_open(e, &weft_carrier_vt, (uint32_t)i, &attr))
		return 91;
	ret = p->body(p, e, (uint32_t)i);
	p->found->clock[i] = now(e);
	e->c->virt->count(e->c, &p->found->count);
	if (!ret && e->bad)
		ret = 92;
	end_close(e);
	return ret;
}

static void play_open(struct play *p)
{
	T_OK(weft_vt_create(&bgq, (uint32_t)p->ranks, &p->w, p->handle));
	p->found = mmap(NULL, sizeof(*p->found), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	T_TRUE(p->found != MAP_FAILED);
}

static void play_close(struct play *p)
{
	munmap(p->found, sizeof(*p->found));
	weft_vt_close(p->w);
}

static void play(struct play *p, struct found *found_p)
{
	play_open(p);
	t_processes(p->ranks, play_rank, p, 60);
	*found_p = *p->found;
	play_close(p);
}

/* Waits in virtual time until so many packets have come. */
static int wait_got(struct end *e, uint64_t want)
{
	while (e->got < want) {
		if (e->c->ops->poll(e->c, 16))
			continue;
		if (e->c->ops->wait(e->c, FOREVER))
			return 80;
	}
	return 0;
}

static int send_waiting(struct end *e, struct weft_peer *to, uint64_t n,
			size_t len)
{
	int ret;

	while ((ret = end_send(e, to, n, len)) == -EAGAIN) {
		if (e->c->ops->poll(e->c, 16))
			continue;
		ret = e->c->ops->wait(e->c, FOREVER);
		if (ret && ret != -EAGAIN)
			return 81;
	}
	return ret ? 82 : 0;
}

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

static void note_time(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		      uint64_t offset, uint32_t bytes)
{
	(void)cookie;
	(void)node;
	(void)offset;
	(void)bytes;
	*(uint64_t *)arg = at;
}

/* One packet alone on the same machine: when it is there. */
static uint64_t zero_load(struct net_config *cfg, uint32_t bytes)
{
	struct net_why why;
	struct net_msg m = { .src = 0, .dst = 1, .bytes = bytes,
			     .way = NET_DETERMINISTIC };
	const struct net_up up = { .packet = note_time };
	bool stop = false;
	uint64_t at = 0;
	struct net *net;
	size_t room;

	T_OK(net_file_load("bgq", 2, cfg, &why));
	room = net_bytes(cfg, 64);
	net = calloc(1, room);
	T_OK(net_open(net, room, cfg, 64));
	T_OK(net_send(net, 0, &m));
	net_run(net, 1000000000, &up, &at, &stop);
	free(net);
	return at;
}

static void a_message_takes_what_the_model_says(void **state)
{
	struct play p = { .ranks = 2, .body = ping_pong };
	struct net_config cfg;
	uint64_t way = zero_load(&cfg, 8) + cfg.send_ps + cfg.recv_ps;
	struct found f;

	(void)state;
	play(&p, &f);
	T_IS(f.clock[0], 2 * ROUNDS * way);
	T_IS(f.clock[1], (2 * ROUNDS - 1) * way + cfg.send_ps);
}

/* Two messages of two packets each, one behind the other. */
static int two_long(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);

	for (uint64_t n = 0; n < 4 && rank == 0; n++) {
		if (n % 2 == 0)
			e->c->virt->lengthy(e->c);
		if (end_send(e, to, n, 512))
			return 1;
	}
	return rank == 0 ? 0 : wait_got(e, 4);
}

static void a_long_message_costs_its_sender_more_and_once(void **state)
{
	struct play p = { .ranks = 2, .body = two_long };
	struct net_config cfg;
	struct found f;

	(void)state;
	zero_load(&cfg, 8);
	play(&p, &f);
	T_IS(f.clock[0], 2 * (cfg.send_ps + cfg.message_ps));
}

/* Packets from one corner of a square to the other; seed: which way. */
static int diagonal(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 3);

	e->wish = (uint32_t)p->seed;
	for (uint64_t n = 0; n < 200 && rank == 0; n++)
		if (end_send(e, to, n, 512))
			return 1;
	return rank == 3 ? wait_got(e, 200) : 0;
}

static void what_may_go_by_any_road_takes_two(void **state)
{
	struct play p = { .ranks = 4, .body = diagonal };
	struct found ordered, any;

	(void)state;
	play(&p, &ordered);
	p.seed = WEFT_PKT_ANY_ROAD;
	play(&p, &any);
	T_TRUE(any.clock[3] * 3 < ordered.clock[3] * 2);
}

/* ---- the same on every run ----------------------------------------------- */

static void disturb(struct weft_rng *rng)
{
	struct timespec ts = { .tv_nsec = (long)weft_rng_below(rng, 200000) };

	if (weft_rng_below(rng, 4) == 0)
		nanosleep(&ts, NULL);
}

/* Messages of all sizes to everybody, some looks, some waits. */
static int traffic(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_rng what, when;
	uint64_t sent[RANKS_MAX] = { 0 };
	uint64_t rounds = (uint64_t)t_scale(60);
	uint32_t n = (uint32_t)p->ranks;

	weft_rng_init(&what, 7, rank);
	weft_rng_init(&when, p->seed, rank);
	for (uint64_t k = 0; k < rounds; k++) {
		uint32_t to = (rank + 1 + (uint32_t)(k % (n - 1))) % n;
		struct weft_peer *peer = rank_peer(p, e, to);

		disturb(&when);
		if (send_waiting(e, peer, sent[to]++,
				 weft_rng_below(&what, 513)))
			return 1;
		for (uint64_t i = weft_rng_below(&what, 5); i; i--)
			e->c->ops->poll(e->c, 4);
		if (wait_got(e, k / 2))
			return 2;
	}
	return wait_got(e, rounds);
}

static void *burn(void *arg)
{
	weft_au32 *stop = arg;

	while (!weft_load32(stop))
		;
	return NULL;
}

static void every_run_is_the_same(void **state)
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
			T_OK(pthread_create(&th, NULL, burn, &stop));
		play(&p, &b);
		T_MEM(a.clock, b.clock, sizeof(a.clock));
		T_IS(a.count.hash, b.count.hash);
		T_IS(a.count.turns, b.count.turns);
	}
	weft_store32(&stop, 1);
	pthread_join(th, NULL);
}

/* ---- time-outs and looks ------------------------------------------------- */

static int time_out(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t t = now(e);

	(void)p;
	if (rank)
		return e->c->ops->wait(e->c, 1) == -ETIMEDOUT ? 0 : 1;
	/* The others leave: that is worth a look. */
	while (e->c->ops->wait(e->c, 2500000) != -ETIMEDOUT)
		t = now(e);
	if (now(e) != t + UINT64_C(2500000) * NS)
		return 3;
	e->c->ops->wake(e->c);
	return e->c->ops->wait(e->c, FOREVER) ? 4 : 0;
}

static void a_time_out_takes_virtual_time_only(void **state)
{
	struct play p = { .ranks = 3, .body = time_out };
	struct found f;

	(void)state;
	play(&p, &f);
	T_IS(f.clock[1], 1 * NS);
}

/* Rank 0 waits so many ns for what rank 1 sends so many ps later. */
static int wait_ns(struct play *p, struct end *e, uint32_t rank)
{
	int ret;

	if (rank) {
		e->c->virt->compute(e->c, p->seed % 10000);
		return end_send(e, rank_peer(p, e, 0), 0, 8);
	}
	ret = e->c->ops->wait(e->c, p->seed / 10000);
	p->found->value[1] = now(e);
	p->found->value[0] = ret == -ETIMEDOUT;
	return ret && ret != -ETIMEDOUT ? 1 : wait_got(e, 1);
}

/* Both may lie in one tick of the network, which is longer than 1 ns. */
static void a_time_out_just_before_an_arrival_is_one(void **state)
{
	struct play p = { .ranks = 2, .body = wait_ns };
	struct net_config cfg;
	uint64_t there = zero_load(&cfg, 8) + cfg.send_ps;
	struct found f;

	(void)state;
	for (uint64_t late = 0; late < 2 * cfg.tick_ps; late += 470) {
		uint64_t ns = (there + late) / NS;

		if ((there + late) % NS == 0)
			continue;
		p.seed = ns * 10000 + late;
		play(&p, &f);
		T_IS(f.value[0], 1);
		T_IS(f.value[1], ns * NS);
		p.seed = (ns + 1) * 10000 + late;
		play(&p, &f);
		T_IS(f.value[0], 0);
		T_IS(f.value[1], there + late);
	}
}

#define LATE UINT64_C(3000000000) /* 3 ms */

/* Rank 0 looks in a loop for what comes much later. */
static int look_loop(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t looks = 0;

	if (rank) {
		e->c->virt->compute(e->c, LATE);
		return end_send(e, rank_peer(p, e, 0), 0, 8);
	}
	while (!e->got) {
		e->c->ops->poll(e->c, 1);
		looks++;
	}
	p->found->value[0] = looks;
	return 0;
}

static void a_loop_of_looks_ends_and_keeps_its_steps(void **state)
{
	struct play p = { .ranks = 2, .body = look_loop };
	struct net_config cfg;
	uint64_t there = LATE + zero_load(&cfg, 8) + cfg.send_ps;
	uint64_t step = cfg.poll_ps;
	struct found f;

	(void)state;
	play(&p, &f);
	assert_in_range(f.value[0], 1, 100);
	T_IS(f.clock[0], (there + step - 1) / step * step + cfg.recv_ps);
}

static int clock_loop(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t looks = 0;

	(void)p;
	if (rank)
		return wait_got(e, 1);
	while (e->c->virt->now_ps(e->c, true) < 100000000) {
		e->c->ops->poll(e->c, 1);
		looks++;
	}
	p->found->value[0] = looks;
	return end_send(e, rank_peer(p, e, 1), 0, 8);
}

static void a_loop_on_the_clock_ends(void **state)
{
	struct play p = { .ranks = 2, .body = clock_loop };
	struct net_config cfg;
	struct found f;

	(void)state;
	zero_load(&cfg, 8);
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
	left = e->c->virt->note(e->c, (int64_t)rank + 1, text);
	if (left)
		return 0;
	p->found->value[0]++;
	for (uint32_t i = 0; i < (uint32_t)p->ranks; i++) {
		snprintf(text, sizeof(text), "rank %u waits", i);
		if (e->c->virt->look(e->c, i, &note) || note.peer != i + 1 ||
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

static int look_for_ever(struct play *p, struct end *e, uint32_t rank)
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

static void looking_for_ever_is_a_deadlock_too(void **state)
{
	struct play p = { .ranks = 2, .body = look_for_ever };
	struct found f;

	(void)state;
	play(&p, &f);
}

/* ---- room ---------------------------------------------------------------- */

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

static void a_full_ring_waits_for_room(void **state)
{
	struct play p = { .ranks = 3, .body = flood };
	struct found a, b;

	(void)state;
	play(&p, &a);
	play(&p, &b);
	T_MEM(a.clock, b.clock, sizeof(a.clock));
}

/* ---- good-bye and death -------------------------------------------------- */

static int leave_early(struct play *p, struct end *e, uint32_t rank)
{
	if (rank)
		return end_send(e, rank_peer(p, e, 0), 0, 100);
	/* Somebody has to be known to be missed. */
	if (wait_got(e, (uint64_t)p->ranks - 1))
		return 1;
	while (e->lost < (uint64_t)p->ranks - 1) {
		if (!e->c->ops->poll(e->c, 1) &&
		    e->c->ops->wait(e->c, 1000000) == -EDEADLK)
			return 2;
	}
	return e->lost_err == ESHUTDOWN ? 0 : 3;
}

static void who_closes_is_missed_after_its_packets(void **state)
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
		if (!e->c->ops->poll(e->c, 1) &&
		    e->c->ops->wait(e->c, FOREVER) == -EDEADLK)
			return 3;
	}
	return rank == 0 && e->lost_err != ECONNRESET ? 4 : 0;
}

static int die_over_engine(struct play *p, struct end *e, uint32_t rank)
{
	if (rank == 1) {
		weft_store32(&p->w->head->engine, rank + 1);
		raise(SIGKILL);
	}
	return e->c->ops->wait(e->c, FOREVER) == -EOWNERDEAD ? 0 : 1;
}

/* Rank 1 kills itself; the others must all end well. */
static void survive(struct play *p)
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

static void who_dies_is_reported_lost(void **state)
{
	struct play p = { .ranks = 2, .body = die_running };

	(void)state;
	survive(&p);
}

static void death_over_the_engine_hangs_nobody(void **state)
{
	/* the last ones sleep without a timer */
	struct play p = { .ranks = 12, .body = die_over_engine };

	(void)state;
	survive(&p);
}

/* ---- class routes -------------------------------------------------------- */

#define SUMS 100u

static int open_route(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *member[RANKS_MAX];
	struct weft_vt_route_attr a = { .key = 77, .routes = 8,
					.n = p->ranks, .me = (int)rank,
					.member = member };
	unsigned id = 0;
	int ret;

	for (int i = 0; i < p->ranks; i++)
		member[i] = rank_peer(p, e, (uint32_t)i);
	while ((ret = e->c->virt->route_open(e->c, &a, &id)) == -EAGAIN)
		e->c->ops->wait(e->c, FOREVER);
	return ret ? ret : id != 3;
}

static int take_waiting(struct end *e, struct weft_vt_part *part, void *data)
{
	int ret;

	while ((ret = e->c->virt->route_take(e->c, 3, part, data)) == -EAGAIN) {
		if (e->c->ops->poll(e->c, 1))
			continue;
		if (e->c->ops->wait(e->c, FOREVER))
			return 1;
	}
	return ret;
}

static int sum(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t n = (uint64_t)p->ranks;
	uint64_t data[64];

	if (open_route(p, e, rank))
		return 1;
	for (uint64_t k = 0; k < SUMS; k++) {
		struct weft_vt_part part = { .kind = WEFT_VT_ALLREDUCE,
					     .bytes = k % 2 ? 512 : 8,
					     .seq = k };

		for (int i = 0; i < 64; i++)
			data[i] = (rank + 1) * (k + 1);
		if (e->c->virt->route_send(e->c, 3, &part, data))
			return 2;
		if (take_waiting(e, &part, data))
			return 3;
		for (unsigned i = 0; i < part.bytes / 8; i++)
			if (data[i] != n * (n + 1) / 2 * (k + 1))
				return 4;
	}
	p->found->value[rank] = now(e);
	e->c->virt->route_close(e->c, 3);
	return 0;
}

static void a_class_route_adds_up(void **state)
{
	struct play p = { .ranks = 16, .body = sum };
	struct found a, b;

	(void)state;
	play(&p, &a);
	p.one_core = true;
	play(&p, &b);
	T_MEM(a.clock, b.clock, sizeof(a.clock));
	T_IS(a.count.hash, b.count.hash);
	/* 8 bytes take about 1 us on 16 nodes (SC11, table 3), 512 more. */
	T_TRUE(a.value[0] > SUMS * UINT64_C(900000) &&
	       a.value[0] < SUMS * UINT64_C(3000000));
}

/* ---- threads ------------------------------------------------------------- */

struct sleeper {
	struct end *e;
	weft_au32 *stop;
};

static void *sleep_on(void *arg)
{
	struct sleeper *s = arg;

	while (!weft_load32(s->stop))
		s->e->c->ops->wait(s->e->c, FOREVER);
	return NULL;
}

/* One thread sleeps for the rank while another sends and looks. */
static int beside(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);
	uint64_t n = (uint64_t)t_scale(300);
	weft_au32 stop = 0;
	struct sleeper s = { e, &stop };
	pthread_t th;
	int ret = 0;

	if (pthread_create(&th, NULL, sleep_on, &s))
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

static void threads_may_send_beside_a_sleeper(void **state)
{
	struct play p = { .ranks = 2, .body = beside, .threads = true };
	struct found f;

	(void)state;
	play(&p, &f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_message_takes_what_the_model_says),
		T_CASE(a_long_message_costs_its_sender_more_and_once),
		T_CASE(what_may_go_by_any_road_takes_two),
		T_CASE(every_run_is_the_same),
		T_CASE(a_time_out_takes_virtual_time_only),
		T_CASE(a_time_out_just_before_an_arrival_is_one),
		T_CASE(a_loop_of_looks_ends_and_keeps_its_steps),
		T_CASE(a_loop_on_the_clock_ends),
		T_CASE(a_deadlock_ends_every_wait),
		T_CASE(looking_for_ever_is_a_deadlock_too),
		T_CASE(a_full_ring_waits_for_room),
		T_CASE(who_closes_is_missed_after_its_packets),
		T_CASE(who_dies_is_reported_lost),
		T_CASE(death_over_the_engine_hangs_nobody),
		T_CASE(a_class_route_adds_up),
		T_CASE(threads_may_send_beside_a_sleeper),
	};

	return T_RUN(tests);
}
