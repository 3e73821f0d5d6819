/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups without a tree of the network, on a machine whose interfaces have
 * events that start packets (vt_result_bcast.c, vt_fold.c): five of eight
 * ranks. In their tree 1, 2 and 3 are children of 0, and 4 is a child of 3.
 */
#include "test/support/vt_fixture.h"

#include "test/t.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { MEMBERS = 5, BUSY = 3, LONG = 512, RANKS = 8 };

static const uint32_t ranks[MEMBERS] = { 0, 2, 3, 5, 7 };

#define START (100000ull * NS) /* time when all members start, ps */
/* time when the computing member continues, ps */
#define LATER (1000000ull * NS)

/* The operation of the members, and when the member BUSY computes. */
struct scene {
	struct play play;
	struct weft_backend_part part;
	bool computes; /* BUSY computes before it takes its result */
	bool late;     /* BUSY computes before it posts its contribution */
};

static int member_of(uint32_t rank)
{
	for (int i = 0; i < MEMBERS; i++)
		if (ranks[i] == rank)
			return i;
	return -1;
}

static void compute_until(struct end *e, uint64_t at)
{
	if (now(e) < at)
		e->c->ops->backend->compute(e->c, at - now(e));
}

/*
 * Waits until time `at` in the carrier. Unlike with compute_until(), the engine
 * cannot know in advance which operations the rank posts afterwards.
 */
static void wait_until(struct end *e, uint64_t at)
{
	while (now(e) < at)
		if (!e->c->ops->poll(e->c, 16))
			e->c->ops->wait(e->c, (at - now(e)) / NS + 1);
}

/*
 * Opens class route 3 of the members; returns 0 if chained events implement it.
 */
static int open_route(struct play *p, struct end *e, int me)
{
	struct weft_peer *member[MEMBERS];
	struct weft_backend_route a = {
		.key = 77, .routes = 8, .n = MEMBERS, .me = me, .member = member
	};
	unsigned id = 0;
	int ret;

	for (int i = 0; i < MEMBERS; i++)
		member[i] = rank_peer(p, e, ranks[i]);
	while ((ret = e->c->ops->backend->routes->open(e->c, &a, &id)) ==
	       -EAGAIN)
		e->c->ops->wait(e->c, FOREVER);
	return ret || id != 3 || !e->c->ops->backend->routes->chained(e->c, id);
}

/* Sends one packet; found.value is the time that the member needed. */
static int one_packet(struct play *p, struct end *e, uint32_t rank)
{
	struct scene *s = weft_container_of(p, struct scene, play);
	int me = member_of(rank);
	bool root = me == (int)s->part.root;
	struct weft_backend_part part = s->part;
	unsigned char data[LONG];

	if (me < 0)
		return 0;
	if (open_route(p, e, me))
		return 1;
	compute_until(e, START);
	if (me == BUSY && s->late)
		wait_until(e, LATER);
	t_fill(data, sizeof(data), root ? 5 : 99);
	if (e->c->ops->backend->routes->send(e->c, 3, &part, data))
		return 2;
	if (me == BUSY && s->computes)
		compute_until(e, LATER);
	if (play_result(e, &part, data) || part.flags ||
	    part.bytes != s->part.bytes)
		return 3;
	if (part.kind == WEFT_COLL_BCAST && t_differs(data, part.bytes, 5) >= 0)
		return 4;
	p->found->value[rank] = now(e) - START;
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

static void one(struct scene *s, struct found *f)
{
	s->play.ranks = RANKS;
	s->play.body = one_packet;
	if (!s->play.machine)
		s->play.machine = "qsnet2:4x4";
	play(&s->play, f);
}

/* Returns the time of the last member other than BUSY. */
static uint64_t last_member_time(const struct found *f)
{
	uint64_t most = 0;

	for (int i = 0; i < MEMBERS; i++)
		if (i != BUSY && f->value[ranks[i]] > most)
			most = f->value[ranks[i]];
	return most;
}

static void equal_times(const struct found *a, const struct found *b)
{
	for (int i = 0; i < MEMBERS; i++)
		if (i != BUSY)
			T_IS(a->value[ranks[i]], b->value[ranks[i]]);
}

static void a_chained_barrier_ends_while_a_member_computes(void **state)
{
	struct scene s = { .part = { .kind = WEFT_COLL_BARRIER } };
	struct found idle, busy, again;

	one(&s, &idle);
	s.computes = true;
	one(&s, &busy);
	equal_times(&busy, &idle);
	/* 0.66 us of software and host, four steps of 0.31 to 0.41 us */
	T_TRUE(last_member_time(&idle) > 2000 * NS &&
	       last_member_time(&idle) < 2300 * NS);
	T_TRUE(busy.value[ranks[BUSY]] >= LATER - START);
	s.play.one_core = true;
	one(&s, &again);
	T_IS(again.count.hash, busy.count.hash);
	equal_times(&again, &busy);
}

static void a_barrier_waits_for_all_members(void **state)
{
	struct scene s = { .part = { .kind = WEFT_COLL_BARRIER },
			   .late = true };
	struct found f;

	one(&s, &f);
	for (int i = 0; i < MEMBERS; i++)
		T_TRUE(f.value[ranks[i]] > LATER - START);
}

/* There are two steps up and two down, each with its own event. */
static void a_chained_step_takes_the_time_of_its_event(void **state)
{
	char path[] = PLAY_FILE;
	char machine[sizeof(path) + 8];
	struct scene s = { .part = { .kind = WEFT_COLL_BARRIER } };
	struct found quick, slow;

	one(&s, &quick);
	play_file(path, "qsnet2", "event.inject",
		  "event.inject = 582.5 ns # assumed\n");
	snprintf(machine, sizeof(machine), "%s:4x4", path);
	s.play.machine = machine;
	one(&s, &slow);
	unlink(path);
	T_IS(slow.value[ranks[4]] - quick.value[ranks[4]], 4 * 500 * NS);
}

/*
 * The interface of a member that has not posted its contribution forwards the
 * broadcast, and keeps the data until the member posts its contribution.
 */
static void a_broadcast_passes_a_computing_member(void **state)
{
	static const uint32_t roots[] = { 0, 2, 4 };

	for (unsigned i = 0; i < WEFT_COUNT_OF(roots); i++) {
		struct scene s = { .part = { .kind = WEFT_COLL_BCAST,
					     .root = roots[i],
					     .bytes = LONG } };
		struct found idle, busy;

		one(&s, &idle);
		T_TRUE(last_member_time(&idle) < 10000 * NS);
		for (uint32_t m = 0; m < MEMBERS; m++)
			T_TRUE(m == roots[i] ||
			       idle.value[ranks[m]] > 1500 * NS);
		s.late = true;
		one(&s, &busy);
		equal_times(&busy, &idle);
		/* only the cost of the call is added */
		T_TRUE(busy.value[ranks[BUSY]] < LATER - START + 1000 * NS);
	}
}

/* The root only posts the broadcast and does not wait. */
static void the_root_of_a_broadcast_does_not_wait(void **state)
{
	struct scene s = {
		.part = { .kind = WEFT_COLL_BCAST, .root = BUSY, .bytes = LONG }
	};
	struct found idle, busy;

	one(&s, &idle);
	s.computes = true;
	one(&s, &busy);
	equal_times(&busy, &idle);
	T_TRUE(last_member_time(&busy) < 10000 * NS);
}

/* ---- many broadcasts from changing roots --------------------------------- */

enum { MANY = 16 };

static uint32_t many_bytes(uint64_t seq)
{
	static const uint32_t bytes[] = { LONG, 8, 0, 333 };

	return bytes[seq % WEFT_COUNT_OF(bytes)];
}

/* Broadcasts from all roots, with sums between them; BUSY is late. */
static int many_operations(struct play *p, struct end *e, uint32_t rank)
{
	int me = member_of(rank);
	uint64_t data[LONG / 8];

	if (me < 0)
		return 0;
	if (open_route(p, e, me))
		return 1;
	if (me == BUSY)
		wait_until(e, LATER);
	for (uint64_t k = 0; k < MANY; k++) {
		struct weft_backend_part part = { .kind = WEFT_COLL_BCAST,
						  .root = k * 3 % MEMBERS,
						  .bytes = many_bytes(k),
						  .seq = k };

		t_fill(data, sizeof(data), me == (int)part.root ? k : 99);
		if (k % 5 == 4) {
			part.kind = WEFT_COLL_ALLREDUCE;
			part.bytes = 8;
			data[0] = k + (uint64_t)me;
		}
		if (e->c->ops->backend->routes->send(e->c, 3, &part, data))
			return 2;
	}
	for (uint64_t k = 0; k < MANY; k++) {
		struct weft_backend_part part = { .seq = k };

		if (play_result(e, &part, data) || part.flags)
			return 3;
		if (k % 5 == 4 ? data[0] != MEMBERS * k + 10
			       : t_differs(data, many_bytes(k), k) >= 0)
			return 4;
	}
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

static void broadcasts_and_sums_share_a_route(void **state)
{
	struct play p = { .machine = "qsnet2:4x4",
			  .ranks = RANKS,
			  .body = many_operations };
	struct found f, again;

	play(&p, &f);
	p.one_core = true;
	play(&p, &again);
	T_IS(f.count.hash, again.count.hash);
}

/* ---- operations that differ between members ----------------------------- */

enum other { OTHER_KIND, OTHER_BYTES, OTHER_ROOT };

static int differing_operations(struct play *p, struct end *e, uint32_t rank)
{
	static const struct weft_backend_part others[] = {
		[OTHER_KIND] = { .kind = WEFT_COLL_BARRIER },
		[OTHER_BYTES] = { .kind = WEFT_COLL_BCAST, .bytes = 8 },
		[OTHER_ROOT] = { .kind = WEFT_COLL_BCAST,
				 .bytes = 16,
				 .root = 4 },
	};
	struct weft_backend_part part = { .kind = WEFT_COLL_BCAST,
					  .bytes = 16 };
	int me = member_of(rank);
	uint64_t data[2] = { 0 };

	if (me < 0)
		return 0;
	if (open_route(p, e, me))
		return 1;
	if (me == BUSY) {
		wait_until(e, LATER);
		part = others[p->seed];
	}
	if (e->c->ops->backend->routes->send(e->c, 3, &part, data) ||
	    play_result(e, &part, data))
		return 2;
	e->c->ops->backend->routes->close(e->c, 3);
	return me == BUSY ? !(part.flags & WEFT_BACKEND_DIFFER) || part.bytes
			  : 0;
}

static void differing_operations_return_an_error(void **state)
{
	for (uint64_t kind = OTHER_KIND; kind <= OTHER_ROOT; kind++) {
		struct play p = { .machine = "qsnet2:4x4",
				  .ranks = RANKS,
				  .body = differing_operations,
				  .seed = kind };
		struct found f;

		play(&p, &f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_chained_barrier_ends_while_a_member_computes),
		T_CASE(a_barrier_waits_for_all_members),
		T_CASE(a_chained_step_takes_the_time_of_its_event),
		T_CASE(a_broadcast_passes_a_computing_member),
		T_CASE(the_root_of_a_broadcast_does_not_wait),
		T_CASE(broadcasts_and_sums_share_a_route),
		T_CASE(differing_operations_return_an_error),
	};

	return T_RUN(tests);
}
