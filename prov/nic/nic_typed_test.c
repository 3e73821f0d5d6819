/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Typed messages (packed by functions of their owner) over the loop carrier, on
 * every machine, with and without DMA and with injected faults: to typed and
 * contiguous buffers, expected and unexpected, truncated, cancelled, and with a
 * dead peer.
 */
#include "test/support/nic_pair.h"

#define LONG_BYTES ((size_t)300001)

/* Noncontiguous buffer: every second byte of mem. */
struct gaps {
	unsigned char *mem;
	size_t bytes;
	struct weft_nic_typed typed;
	/*
	 * packing of operation `fails` fails from this position; `fails` may be
	 * NULL
	 */
	size_t fails_at;
	struct weft_nic_op *fails;
};

static void pack(void *arg, size_t pos, void *to, size_t bytes)
{
	const struct gaps *g = arg;
	unsigned char *out = to;

	assert_true(pos + bytes <= g->bytes);
	if (g->fails && pos + bytes > g->fails_at)
		g->fails->err = -EIO;
	for (size_t i = 0; i < bytes; i++)
		out[i] = g->mem[2 * (pos + i)];
}

static void unpack(void *arg, size_t pos, const void *from, size_t bytes)
{
	const struct gaps *g = arg;
	const unsigned char *in = from;

	assert_true(pos + bytes <= g->bytes);
	for (size_t i = 0; i < bytes; i++)
		g->mem[2 * (pos + i)] = in[i];
}

static void gaps_open(struct gaps *g, size_t bytes)
{
	*g = (struct gaps){ 0 };
	g->mem = calloc(2, bytes + 1);
	T_NOT_NULL(g->mem);
	g->bytes = bytes;
	g->typed = (struct weft_nic_typed){ pack, unpack, g };
}

static void gaps_fill(struct gaps *g, uint64_t seed)
{
	unsigned char *flat = malloc(g->bytes);

	t_fill(flat, g->bytes, seed);
	unpack(g, 0, flat, g->bytes);
	free(flat);
}

/*
 * Checks that the first n bytes are those of seed, and that the gaps and all
 * other bytes are unchanged.
 */
static void gaps_check(const struct gaps *g, size_t n, uint64_t seed)
{
	unsigned char *flat = malloc(g->bytes + 1);

	pack((void *)(uintptr_t)g, 0, flat, g->bytes);
	T_IS(t_differs(flat, n, seed), -1);
	for (size_t i = n; i < g->bytes; i++)
		T_IS(flat[i], 0);
	for (size_t i = 0; i < g->bytes; i++)
		T_IS(g->mem[2 * i + 1], 0);
	free(flat);
}

static void typed(struct weft_nic_op *op, struct gaps *g)
{
	op->context = g;
	op->iov[0].iov_base = &g->typed;
	op->iov[0].iov_len = g->bytes;
	op->iov_count = WEFT_IOV_TYPED;
	op->len = g->bytes;
}

static void post_typed_send(struct world *w, struct side *s, struct gaps *g,
			    uint64_t tag)
{
	struct weft_nic_op *op = weft_nic_op_get(s->nic);
	int err;

	op->kind = WEFT_SEND;
	op->flags = WEFT_OP_TAGGED;
	op->peer = s->peer;
	op->tag = tag;
	typed(op, g);
	if (g->fails_at) {
		op->flags |= WEFT_OP_STAGED;
		op->err = 0;
		op->pos = 0;
		g->fails = op;
	}
	while ((err = weft_nic_send(s->nic, op)) == -EAGAIN)
		poll_both(w);
	T_OK(err);
}

static void post_typed_recv(struct side *s, struct gaps *g, uint64_t tag)
{
	struct weft_nic_op *op = weft_nic_op_get(s->nic);

	op->kind = WEFT_RECV;
	op->flags = WEFT_OP_TAGGED;
	op->peer = NULL;
	op->m.src = WEFT_MATCH_ANY;
	op->m.tag = tag;
	op->m.ignore = 0;
	typed(op, g);
	T_OK(weft_nic_recv(s->nic, op));
}

static void both_complete(struct world *w, uint64_t len, int err)
{
	poll_until(w, &w->a, 1);
	poll_until(w, &w->b, 1);
	T_IS(w->a.completion[0].err, 0);
	T_IS(w->b.completion[0].err, err);
	T_IS(w->b.completion[0].len, len);
	w->a.completions = 0;
	w->b.completions = 0;
}

/*
 * Sends `bytes` of noncontiguous data to a noncontiguous receive buffer of
 * `room` bytes.
 */
static void exchange(struct world *w, size_t bytes, size_t room, bool early)
{
	size_t fits = bytes < room ? bytes : room;
	struct gaps from, to;

	gaps_open(&from, bytes);
	gaps_open(&to, room);
	gaps_fill(&from, bytes);
	if (early)
		post_typed_recv(&w->b, &to, 1);
	post_typed_send(w, &w->a, &from, 1);
	for (int k = 0; k < 10; k++)
		poll_both(w);
	if (!early)
		post_typed_recv(&w->b, &to, 1);
	both_complete(w, fits, fits < bytes ? -EOVERFLOW : 0);
	gaps_check(&to, fits, bytes);
	free(from.mem);
	free(to.mem);
}

static void case_typed(const struct grid *g)
{
	static const size_t bytes[] = { 9000, 65536, LONG_BYTES };
	struct world *w = world_open(g);

	for (unsigned i = 0; i < WEFT_COUNT_OF(bytes); i++)
		for (int early = 0; early < 2; early++) {
			exchange(w, bytes[i], bytes[i], early);
			exchange(w, bytes[i], bytes[i] + 77, early);
			exchange(w, bytes[i], bytes[i] / 2, early);
		}
	world_close(w);
}

/* Only one side is noncontiguous; a contiguous receive buffer may be empty. */
static void case_plain(const struct grid *g)
{
	static const size_t bytes[] = { 8, 600, 9000, 40000, LONG_BYTES };
	struct world *w = world_open(g);
	char *flat = malloc(LONG_BYTES);
	struct gaps gapped;

	gaps_open(&gapped, LONG_BYTES);
	gaps_fill(&gapped, 3);
	for (int early = 0; early < 2; early++)
		for (size_t room = 0; room <= LONG_BYTES; room += 100000) {
			if (early)
				post_recv(&w->b, flat, room, 2, WEFT_MATCH_ANY);
			post_typed_send(w, &w->a, &gapped, 2);
			poll_both(w);
			if (!early)
				post_recv(&w->b, flat, room, 2, WEFT_MATCH_ANY);
			both_complete(w, room, -EOVERFLOW);
			T_IS(t_differs(flat, room, 3), -1);
		}
	for (unsigned i = 0; i < WEFT_COUNT_OF(bytes); i++)
		for (int early = 0; early < 2; early++) {
			memset(gapped.mem, 0, 2 * gapped.bytes);
			t_fill(flat, bytes[i], i);
			if (early)
				post_typed_recv(&w->b, &gapped, 3);
			post_send(w, &w->a, flat, bytes[i], 3, 0);
			for (int k = 0; k < 10; k++)
				poll_both(w);
			if (!early)
				post_typed_recv(&w->b, &gapped, 3);
			both_complete(w, bytes[i], 0);
			gaps_check(&gapped, bytes[i], i);
		}
	free(gapped.mem);
	free(flat);
	world_close(w);
}

/* Cancels before a receive has matched, and after. */
static void case_cancel(const struct grid *g)
{
	struct world *w = world_open(g);
	struct gaps from, to;

	gaps_open(&from, LONG_BYTES);
	gaps_open(&to, LONG_BYTES);
	gaps_fill(&from, 9);
	post_typed_send(w, &w->a, &from, 4);
	T_OK(weft_nic_cancel(w->a.nic, &from));
	poll_until(w, &w->a, 1);
	T_IS(w->a.completion[0].err, -ECANCELED);
	w->a.completions = 0;
	post_typed_recv(&w->b, &to, 4);
	post_typed_send(w, &w->a, &from, 4);
	for (int k = 0; k < 3; k++)
		poll_both(w);
	weft_nic_cancel(w->a.nic, &from);
	both_complete(w, LONG_BYTES, 0);
	gaps_check(&to, LONG_BYTES, 9);
	free(from.mem);
	free(to.mem);
	world_close(w);
}

/* The sender cannot read its buffer: both sides get the error. */
static void case_failing(const struct grid *g)
{
	static const size_t at[] = { 1, 100000, 200000, LONG_BYTES - 1 };
	struct world *w = world_open(g);
	struct weft_nic_stats stats;

	for (unsigned i = 0; i < WEFT_COUNT_OF(at); i++) {
		struct gaps from, to;

		gaps_open(&from, LONG_BYTES);
		gaps_open(&to, LONG_BYTES);
		from.fails_at = at[i];
		post_typed_recv(&w->b, &to, 5);
		post_typed_send(w, &w->a, &from, 5);
		poll_until(w, &w->a, 1);
		poll_until(w, &w->b, 1);
		T_IS(w->a.completion[0].err, -EIO);
		T_IS(w->b.completion[0].err, -EIO);
		w->a.completions = w->b.completions = 0;
		free(from.mem);
		/* the next message is not affected */
		gaps_open(&from, LONG_BYTES);
		gaps_fill(&from, i);
		post_typed_recv(&w->b, &to, 5);
		post_typed_send(w, &w->a, &from, 5);
		both_complete(w, LONG_BYTES, 0);
		gaps_check(&to, LONG_BYTES, i);
		free(from.mem);
		free(to.mem);
	}
	/*
	 * requests in flight when the error notice was sent are not counted as
	 * invalid
	 */
	weft_nic_stats(w->a.nic, &stats);
	T_IS(stats.garbage, 0);
	weft_nic_stats(w->b.nic, &stats);
	T_IS(stats.garbage, 0);
	world_close(w);
}

static void a_buffer_that_cannot_be_read_fails_both_sides(void **state)
{
	on_every_machine(case_failing);
}

static void a_typed_send_matches_a_typed_receive(void **state)
{
	on_every_machine(case_typed);
}

static void typed_and_contiguous_buffers_match(void **state)
{
	on_every_machine(case_plain);
}

static void a_typed_send_is_cancelled(void **state)
{
	on_every_machine(case_cancel);
}

/* A peer dies in the middle of a message, in both directions. */
static void peer_death_fails_typed_messages(void **state)
{
	const struct grid g = { .machine = "native" };
	struct world *w = world_open(&g);
	struct gaps out, in;
	unsigned i;

	gaps_open(&out, BIG);
	gaps_open(&in, BIG);
	post_typed_recv(&w->b, &in, 1);
	post_typed_send(w, &w->a, &out, 1);
	post_typed_recv(&w->a, &in, 2);
	post_typed_send(w, &w->b, &out, 2);
	for (i = 0; i < 3; i++)
		poll_both(w);
	T_IS(w->a.completions, 0);
	weft_nic_close(w->b.nic);
	for (i = 0; i < 100000 && w->a.completions < 2; i++)
		weft_nic_poll(w->a.nic, 8);
	T_IS(w->a.completions, 2);
	T_TRUE(w->a.completion[0].err < 0 && w->a.completion[1].err < 0);
	weft_nic_close(w->a.nic);
	free(out.mem);
	free(in.mem);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_typed_send_matches_a_typed_receive),
		T_CASE(typed_and_contiguous_buffers_match),
		T_CASE(a_typed_send_is_cancelled),
		T_CASE(a_buffer_that_cannot_be_read_fails_both_sides),
		T_CASE(peer_death_fails_typed_messages),
	};

	return T_RUN(tests);
}
