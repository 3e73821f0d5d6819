/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of a machine that has only atomics and puts for them (vt_fold.c):
 * number of atomics, results, and times.
 */
#include "test/support/vt_fixture.h"

#include "test/t.h"

#include <errno.h>

enum { ROUNDS = 40, LONG = 512 };

static int send_part(struct end *e, const struct weft_backend_part *part,
		     const void *data)
{
	int ret;

	while ((ret = e->c->ops->backend->routes->send(e->c, 3, part, data)) ==
	       -EAGAIN) {
		ret = e->c->ops->wait(e->c, FOREVER);
		if (ret && ret != -EAGAIN)
			return ret;
	}
	return ret;
}

/* Alternates barriers, short sums and long sums. */
static int sums_and_barriers(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t n = (uint64_t)p->ranks, data[LONG / 8];

	if (play_route(p, e, rank))
		return 1;
	for (uint64_t k = 0; k < ROUNDS; k++) {
		static const uint32_t bytes[] = { 0, 8, LONG, 128 };
		struct weft_backend_part part = {
			.kind = k % 4 ? WEFT_COLL_ALLREDUCE : WEFT_COLL_BARRIER,
			.bytes = bytes[k % 4],
			.word = k % 4 < 2,
			.seq = k
		};

		for (unsigned i = 0; i < LONG / 8; i++)
			data[i] = (rank + 1) * (k + i + 1);
		if (send_part(e, &part, data) || play_result(e, &part, data))
			return 2;
		for (unsigned i = 0; i < part.bytes / 8; i++)
			if (data[i] != n * (n + 1) / 2 * (k + i + 1))
				return 3;
	}
	p->found->value[rank] = now(e);
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

static void word_sums_use_one_atomic_per_member_but_the_first(void **state)
{
	struct play p = { .machine = "gemini", .body = sums_and_barriers };
	struct found a, b;

	for (p.ranks = 3; p.ranks <= 12; p.ranks += 9) {
		p.one_core = false;
		play(&p, &a);
		T_IS(a.count.route_atomics,
		     ROUNDS / 2 * ((unsigned)p.ranks - 1));
		p.one_core = true;
		play(&p, &b);
		T_MEM(a.clock, b.clock, sizeof(a.clock));
		T_IS(a.count.hash, b.count.hash);
	}
	/*
	 * one atomic, one poll and one put per member; messages of the binomial
	 * tree for a long sum
	 */
	assert_in_range(a.value[0], ROUNDS * UINT64_C(1500000),
			ROUNDS * UINT64_C(4500000));
}

/*
 * Posts a window of floating-point reductions, which use a binomial tree, and
 * then a barrier, in which all members send directly to the first member:
 * contributions to the barrier must not be mistaken for contributions to the
 * reductions.
 */
static int two_trees(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_backend_part part = { .bytes = LONG };
	uint64_t data[LONG / 8] = { 0 };

	if (play_route(p, e, rank))
		return 1;
	for (part.seq = 0; part.seq <= 2 * VT_WINDOW; part.seq++) {
		part.fp = part.seq % (VT_WINDOW + 1) != VT_WINDOW;
		part.kind = part.fp ? WEFT_COLL_REDUCE : WEFT_COLL_BARRIER;
		part.bytes = part.fp ? LONG : 0;
		part.word = !part.fp;
		data[0] = part.seq + rank;
		if (send_part(e, &part, data))
			return 2;
		if (rank && part.fp)
			continue;
		if (play_result(e, &part, data))
			return 3;
		if (part.fp && data[0] != 4 * part.seq + 6)
			return 4;
	}
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

static void two_trees_share_one_window(void **state)
{
	struct play p = { .machine = "gemini", .ranks = 4, .body = two_trees };
	struct found f;

	play(&p, &f);
}

/* Only the last member has data; the other contributions are only counted. */
static int one_member_with_data(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_backend_part part = { .kind = WEFT_COLL_ALLREDUCE,
					  .bytes = LONG,
					  .fp = p->ranks == 4,
					  .word = rank + 1 !=
						  (uint32_t)p->ranks };
	unsigned char data[LONG] = { 0 };

	if (play_route(p, e, rank))
		return 1;
	if (!part.word)
		t_fill(data, LONG, 5);
	if (send_part(e, &part, data) || play_result(e, &part, data))
		return 2;
	if (t_differs(data, LONG, 5) >= 0)
		return 3;
	p->found->value[rank] = now(e);
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

static void parts_without_data_are_only_counted(void **state)
{
	struct play p = { .machine = "gemini",
			  .ranks = 9,
			  .body = one_member_with_data };
	struct found f;

	play(&p, &f);
	T_IS(f.count.route_atomics, 7);
	T_TRUE(f.value[8] < 4000000);
	/*
	 * binomial tree: member 1 arrives at member 0 by an atomic; member 2
	 * uses no atomic, since it forwards the data of member 3
	 */
	p.ranks = 4;
	play(&p, &f);
	T_IS(f.count.route_atomics, 1);
}

static int sum_of(struct play *p, struct end *e, uint32_t rank, uint32_t bytes)
{
	struct weft_backend_part part = { .kind = WEFT_COLL_ALLREDUCE,
					  .bytes = bytes };
	unsigned char data[LONG] = { 0 };

	if (play_route(p, e, rank) || send_part(e, &part, data) ||
	    play_result(e, &part, data))
		return 1;
	p->found->value[rank] = now(e);
	e->c->ops->backend->routes->close(e->c, 3);
	return 0;
}

static int one_packet(struct play *p, struct end *e, uint32_t rank)
{
	return sum_of(p, e, rank, LONG / 8);
}

static int eight_packets(struct play *p, struct end *e, uint32_t rank)
{
	return sum_of(p, e, rank, LONG);
}

/* One link takes 41 ns per packet, up and down. */
static void a_result_is_complete_with_its_last_packet(void **state)
{
	struct play p = { .machine = "gemini", .ranks = 4 };
	struct found one, eight;

	p.body = one_packet;
	play(&p, &one);
	p.body = eight_packets;
	play(&p, &eight);
	print_message("%lu ps\n",
		      (unsigned long)(eight.value[3] - one.value[3]));
	T_TRUE(eight.value[3] - one.value[3] > 2 * 7 * 35000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(word_sums_use_one_atomic_per_member_but_the_first),
		T_CASE(two_trees_share_one_window),
		T_CASE(parts_without_data_are_only_counted),
		T_CASE(a_result_is_complete_with_its_last_packet),
	};
	return T_RUN(tests);
}
