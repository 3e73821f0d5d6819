/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers by the network interfaces, and machines with several paths into the
 * network: no processor takes part, the data are correct, the times are those
 * of the engine, and messages of a pair keep their order.
 */
#include "test/support/vt_fixture.h"
#include "test/t.h"

#include <string.h>

#define MIB	   (1u << 20)
#define COMPUTE_PS UINT64_C(50000000000) /* 50 ms, in ps */

/* has the same address in every rank */
static unsigned char memory[MIB + 64];

/* ---- puts and gets ------------------------------------------------------- */

struct posted {
	struct weft_amo a; /* transfers use a.dma */
	int completions;
	int err;
	uint64_t done_ps;
	struct end *e;
};

static void transfer_done(struct weft_dma *d, int err)
{
	struct posted *x = (struct posted *)d;

	x->completions++;
	x->err = err;
	x->done_ps = now(x->e);
}

static int move(struct end *e, struct weft_peer *peer, bool get,
		struct posted *x, const struct weft_dma_path *path)
{
	const struct weft_backend *b = e->c->ops->backend;

	return get ? b->get(e->c, peer, &x->a.dma, path)
		   : b->put(e->c, peer, &x->a.dma, path);
}

/* Transfers the whole memory array, in two local segments. */
static int post_as(struct end *e, struct weft_peer *peer, bool get,
		   bool ordered, struct posted *x)
{
	unsigned path = e->c->ops->backend->path(e->c, "dma");
	struct weft_dma_path paths;

	if (!path)
		path = e->c->ops->backend->path(e->c, "bte");
	*x = (struct posted){
		.e = e,
		/* the second segment is longer than the transfer */
		.a.dma = { .local = { { memory, 1000 },
				      { memory + 1000, MIB } },
			   .local_count = 2,
			   .ordered = ordered,
			   .remote = (uintptr_t)memory,
			   .bytes = MIB,
			   .done = transfer_done },
	};
	paths = (struct weft_dma_path){
		.there = { .bytes = 65, .path = (uint8_t)path },
		.back = { .path = (uint8_t)path },
	};
	return move(e, peer, get, x, &paths);
}

static int post(struct end *e, struct weft_peer *peer, bool get,
		struct posted *x)
{
	return post_as(e, peer, get, false, x);
}

static int wait_completion(struct end *e, const struct posted *x)
{
	while (!x->completions) {
		if (e->c->ops->poll(e->c, 16))
			continue;
		if (e->c->ops->wait(e->c, FOREVER) < 0)
			return 1;
	}
	return x->completions == 1 ? x->err : 2;
}

/* Rank 1 has the data and computes; rank 0 gets the data. */
static int get_memory(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);
	struct posted x;

	t_fill(memory, MIB, rank);
	if (rank == 1) {
		e->c->ops->backend->compute(e->c, COMPUTE_PS);
		return wait_got(e, 1);
	}
	if (post(e, to, true, &x) || wait_completion(e, &x))
		return 1;
	p->found->value[0] = x.done_ps;
	if (t_differs(memory, MIB, 1) >= 0)
		return 2;
	return end_send(e, to, 0, 8);
}

static void a_get_takes_the_time_of_the_engine(void **state)
{
	static const char *const machines[] = { "bgq", "qsnet2", "gemini" };
	/*
	 * time limits for 1 MiB, ps: at 850 MB/s, the rate of the slowest link,
	 * and at 8 GB/s, which is more than the rate of the fastest link
	 */
	const uint64_t most = MIB * UINT64_C(1000000) / 850;
	const uint64_t least = MIB * UINT64_C(1000000) / 8000;

	for (unsigned i = 0; i < 3; i++) {
		struct play p = { .ranks = 2,
				  .body = get_memory,
				  .machine = machines[i] };
		struct found f, again;

		play(&p, &f);
		T_TRUE(f.value[0] > least && f.value[0] < most);
		T_TRUE(f.clock[1] >= COMPUTE_PS);
		play(&p, &again);
		T_IS(f.value[0], again.value[0]);
		T_IS(f.count.hash, again.count.hash);
	}
}

/* Rank 0 puts while rank 1 computes, and records the time of completion. */
static int put_memory(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);
	struct posted x;

	t_fill(memory, MIB, rank);
	if (rank == 1) {
		e->c->ops->backend->compute(e->c, COMPUTE_PS);
		if (wait_got(e, 1))
			return 1;
		return t_differs(memory, MIB, 0) >= 0 ? 2 : 0;
	}
	if (post(e, to, false, &x) || wait_completion(e, &x))
		return 3;
	p->found->value[0] = x.done_ps;
	return end_send(e, to, 0, 8);
}

static void a_completed_put_is_visible_at_the_target(void **state)
{
	struct play p = { .ranks = 2, .body = put_memory, .machine = "qsnet2" };
	struct found f;

	play(&p, &f);
	T_TRUE(f.value[0] < COMPUTE_PS / 10);
}

/* Two transfers share the engines: they take as long as one of double size. */
static int get_twice(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);
	struct posted x, y;

	if (rank == 1)
		return wait_got(e, 1);
	if (post(e, to, true, &x) || post(e, to, true, &y) ||
	    wait_completion(e, &x) || wait_completion(e, &y))
		return 1;
	p->found->value[0] = x.done_ps > y.done_ps ? x.done_ps : y.done_ps;
	return end_send(e, to, 0, 8);
}

static void transfers_share_the_bandwidth(void **state)
{
	struct play p = { .ranks = 2, .body = get_memory, .machine = "qsnet2" };
	struct found one, two;

	play(&p, &one);
	p.body = get_twice;
	play(&p, &two);
	T_TRUE(two.value[0] * 10 > one.value[0] * 19);
}

/* Gets memory that is not mapped. */
static int get_nothing(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);
	struct posted x = { .e = e,
			    .a.dma = { .local = { { memory, MIB } },
				       .local_count = 1,
				       .remote = 64,
				       .bytes = MIB,
				       .done = transfer_done } };
	int ret;

	if (rank == 1)
		return wait_got(e, 1);
	if (move(e, to, true, &x, &(struct weft_dma_path){ .quick = false }))
		return 1;
	ret = wait_completion(e, &x);
	if (end_send(e, to, 0, 8))
		return 2;
	return ret == -EFAULT ? 0 : 3;
}

static void a_transfer_of_unmapped_memory_fails(void **state)
{
	struct play p = { .ranks = 2, .body = get_nothing, .machine = "bgq" };
	struct found f;

	play(&p, &f);
}

/* ---- ordered accesses ---------------------------------------------------- */

/*
 * Transfers a word between *place and the peer's memory, by the fastest path.
 */
static int post_word(struct end *e, struct weft_peer *peer, bool get,
		     uint64_t *place, struct posted *x)
{
	const struct weft_dma_path path = {
		.there = { .fifo = 1, .ack = !get },
		.back = { .fifo = 1 },
		.quick = true,
	};

	*x = (struct posted){ .e = e,
			      .a.dma = { .local = { { place, sizeof(*place) } },
					 .local_count = 1,
					 .ordered = true,
					 .remote = (uintptr_t)memory,
					 .bytes = sizeof(*place),
					 .done = transfer_done } };
	return move(e, peer, get, x, &path);
}

/*
 * Posts a long put, a put of a word to the same address, and a get of that
 * word.
 */
static int put_and_overwrite(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);
	uint64_t word = 4711, seen = 0, before;
	struct posted x, y, z;

	t_fill(memory, MIB, rank);
	if (rank == 1) {
		e->c->ops->backend->compute(e->c, COMPUTE_PS);
		if (wait_got(e, 1))
			return 1;
		memcpy(&seen, memory, sizeof(seen));
		if (seen != word)
			return 2;
		t_fill(memory + MIB, 8, 0);
		memcpy(memory, memory + MIB, 8);
		return t_differs(memory, MIB, 0) >= 0 ? 3 : 0;
	}
	if (post_as(e, to, false, true, &x))
		return 4;
	before = now(e);
	if (post_word(e, to, false, &word, &y) ||
	    post_word(e, to, true, &seen, &z) || now(e) > before + 1000 * NS)
		return 5;
	if (wait_completion(e, &x) || wait_completion(e, &y) ||
	    wait_completion(e, &z))
		return 6;
	p->found->value[0] = z.done_ps;
	if (seen != word)
		return 7;
	return end_send(e, to, 0, 8);
}

static void ordered_accesses_execute_in_order(void **state)
{
	static const char *const machines[] = { "bgq", "qsnet2", "gemini" };

	for (unsigned i = 0; i < 3; i++) {
		struct play p = { .ranks = 2,
				  .body = put_and_overwrite,
				  .machine = machines[i] };
		struct found f, again;

		play(&p, &f);
		T_TRUE(f.value[0] < COMPUTE_PS / 10);
		play(&p, &again);
		T_IS(f.count.hash, again.count.hash);
	}
}

#define ADDS 20u

/*
 * All ranks add to a word of rank 0, which computes; each gets a different old
 * value.
 */
static int add_to_word(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 0);
	uint64_t one = 1, old, last = 0;
	const struct weft_dma_path path = {
		.there = { .bytes = 1 + sizeof(one) },
		.quick = true,
	};

	if (rank == 0) {
		e->c->ops->backend->compute(e->c, COMPUTE_PS);
		if (wait_got(e, (uint64_t)p->ranks - 1))
			return 1;
		memcpy(&old, memory, sizeof(old));
		return old == ADDS * ((uint64_t)p->ranks - 1) ? 0 : 2;
	}
	for (unsigned i = 0; i < ADDS; i++) {
		struct posted x = {
			.e = e,
			.a = { .dma = { .local = { { &old, sizeof(old) } },
					.local_count = 1,
					.ordered = true,
					.remote = (uintptr_t)memory,
					.bytes = sizeof(old),
					.done = transfer_done },
			       .what = &one,
			       .operand_bytes = sizeof(one) },
		};

		old = UINT64_MAX;
		if (e->c->ops->backend->atomic(e->c, to, &x.a, &path) ||
		    wait_completion(e, &x))
			return 3;
		if (i && old <= last)
			return 4;
		last = old;
		p->found->value[rank] += old;
	}
	return end_send(e, to, 0, 8);
}

static void atomics_of_one_interface_are_serialized(void **state)
{
	static const char *const machines[] = { "bgq", "qsnet2", "gemini" };

	for (unsigned i = 0; i < 3; i++) {
		struct play p = { .ranks = 7,
				  .body = add_to_word,
				  .machine = machines[i] };
		uint64_t n = ADDS * 6, sum = 0;
		struct found f, again;

		play(&p, &f);
		for (unsigned r = 1; r < 7; r++)
			sum += f.value[r];
		T_IS(sum, n * (n - 1) / 2);
		p.one_core = true;
		play(&p, &again);
		T_MEM(f.value, again.value, sizeof(f.value));
		T_IS(f.count.hash, again.count.hash);
	}
}

/*
 * A rank with threads executes atomics on its own processor, so the interface
 * refuses them.
 */
static int no_atomic(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_amo a = { .dma = { .remote = (uintptr_t)memory,
				       .bytes = 8,
				       .done = transfer_done },
			      .what = memory,
			      .operand_bytes = 8 };
	int ret = e->c->ops->backend->atomic(
		e->c, rank_peer(p, e, 1 - rank), &a,
		&(struct weft_dma_path){ .quick = false });

	return ret == -EOPNOTSUPP ? 0 : 1;
}

static void atomics_on_a_rank_with_threads_are_refused(void **state)
{
	struct play p = { .ranks = 2, .body = no_atomic, .threads = true };
	struct found f;

	play(&p, &f);
}

/* ---- order of messages --------------------------------------------------- */

/*
 * Sends a long message by the slow path, then short messages by the fast path.
 */
static int overtake(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);

	if (rank == 1)
		return wait_got(e, 40) || e->bad;
	for (uint64_t n = 0; n < 40; n++) {
		bool is_long = n % 4 == 0;
		struct weft_pkt_attr attr = { .fifo = is_long ? 2 : 1 };

		attr.path = (uint8_t)e->c->ops->backend->path(
			e->c, is_long ? "dma" : "sten");
		e->c->ops->backend->routing(e->c, &attr);
		if (send_waiting(e, to, n, is_long ? 2000 : 8))
			return 1;
	}
	return 0;
}

static void a_short_message_does_not_overtake_a_long_one(void **state)
{
	struct play p = { .ranks = 2, .body = overtake, .machine = "qsnet2" };
	struct found f;

	play(&p, &f);
}

/*
 * Rank 0 sends one message with the path and the length that p->seed selects;
 * both must reach the model.
 */
static int one_message(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);
	struct weft_pkt_attr attr = { .bytes = p->seed > 1 ? 2001 : 0 };

	if (rank == 1)
		return wait_got(e, 1);
	attr.path = (uint8_t)e->c->ops->backend->path(
		e->c, p->seed == 1 ? "dma" : "sten");
	e->c->ops->backend->routing(e->c, &attr);
	return end_send(e, to, 0, 8);
}

static void path_and_size_of_a_post_reach_the_model(void **state)
{
	struct play p = { .ranks = 2, .body = one_message };
	uint64_t t[3];
	struct found f;

	p.machine = "qsnet2";
	for (p.seed = 0; p.seed < 3; p.seed++) {
		play(&p, &f);
		t[p.seed] = f.clock[1];
	}
	/* a DMA starts 892 ns later, after its packet is complete */
	T_TRUE(t[1] > t[0] + 892 * NS && t[1] < t[0] + 950 * NS);
	/* 2000 bytes at 450 MB/s */
	T_TRUE(t[2] > t[0] + 3000 * NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_get_takes_the_time_of_the_engine),
		T_CASE(a_completed_put_is_visible_at_the_target),
		T_CASE(transfers_share_the_bandwidth),
		T_CASE(a_transfer_of_unmapped_memory_fails),
		T_CASE(ordered_accesses_execute_in_order),
		T_CASE(atomics_of_one_interface_are_serialized),
		T_CASE(atomics_on_a_rank_with_threads_are_refused),
		T_CASE(a_short_message_does_not_overtake_a_long_one),
		T_CASE(path_and_size_of_a_post_reach_the_model),
	};

	return T_RUN(tests);
}
