/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine over the loop carrier, on every machine, with and without DMA and
 * with injected faults: endpoints of one process, polled alternately.
 */
#include "test/support/nic_pair.h"

#include "src/base/rng.h"

/* ---- cases, each run for one grid entry ---------------------------------- */

static void case_sizes(const struct grid *g)
{
	static const size_t len[] = { 0,      1,      8,    512,   513,
				      4096,   8192,   9000, 20000, 65536,
				      140001, 300000, BIG };
	struct world *w = world_open(g);
	struct weft_nic_stats stats;
	char *out = malloc(BIG), *in = malloc(BIG);

	for (unsigned i = 0; i < sizeof(len) / sizeof(*len); i++) {
		t_fill(out, len[i], i);
		memset(in, 0, len[i]);
		if (i % 2)
			post_recv(&w->b, in, BIG, i, w->b.peer->index);
		post_send(w, &w->a, out, len[i], i, WEFT_OP_DATA);
		for (int k = 0; k < 20; k++)
			poll_both(w);
		if (i % 2 == 0)
			post_recv(&w->b, in, BIG, i, WEFT_MATCH_ANY);
		poll_until(w, &w->a, i + 1);
		poll_until(w, &w->b, i + 1);
		T_IS(w->b.completion[i].err, 0);
		T_IS(w->b.completion[i].len, len[i]);
		T_IS(w->b.completion[i].tag, i);
		T_IS(w->b.completion[i].data, i + 1);
		T_TRUE(w->b.completion[i].flags & WEFT_OP_DATA);
		T_IS(t_differs(in, len[i], i), -1);
	}
	/* long messages are described by the unit's descriptors */
	weft_nic_stats(w->b.nic, &stats);
	T_IS(stats.transfers > 0,
	     weft_machine_find(g->machine)->unit->mem_open && !g->no_dma);
	free(out);
	free(in);
	world_close(w);
}

/* Sends random messages in both directions at once. */
static void case_mix(const struct grid *g)
{
	struct world *w = world_open(g);
	struct weft_rng rng;
	int n = t_scale(400) < 60 ? 60 : 400, i;
	char *out = malloc((size_t)n * 20000), *in = malloc((size_t)n * 20000);
	size_t *len = calloc((size_t)n, sizeof(*len));

	weft_rng_init(&rng, 5, 0);
	for (i = 0; i < n; i++) {
		struct side *to = i % 2 ? &w->a : &w->b;
		struct side *from = i % 2 ? &w->b : &w->a;

		len[i] = weft_rng_below(&rng, i % 7 ? 300 : 20000);
		t_fill(out + i * 20000, len[i], (uint64_t)i);
		if (i % 3)
			post_recv(to, in + i * 20000, 20000, (uint64_t)i,
				  i % 5 ? to->peer->index : WEFT_MATCH_ANY);
		post_send(w, from, out + i * 20000, len[i], (uint64_t)i,
			  i % 4 ? 0 : WEFT_OP_ACK);
		if (i % 3 == 0)
			post_recv(to, in + i * 20000, 20000, (uint64_t)i,
				  to->peer->index);
	}
	poll_until(w, &w->a, (unsigned)n);
	poll_until(w, &w->b, (unsigned)n);
	for (i = 0; i < n; i++)
		T_IS(t_differs(in + i * 20000, len[i], (uint64_t)i), -1);
	free(out);
	free(in);
	free(len);
	world_close(w);
}

/* Tries accesses that are not within the region of a key; all fail. */
static void access_outside(struct world *w, uint64_t key, uint64_t addr,
			   uint64_t len)
{
	const uint64_t at[][2] = {
		{ addr - 1, 1 },       { addr - 1, len },     { addr + 1, len },
		{ addr + len, 1 },     { addr + len + 1, 1 }, { addr, len + 1 },
		{ UINT64_MAX - 7, 8 },
	};
	static unsigned char before[sizeof(w->b.mem)], buf[2 * sizeof(before)];

	memcpy(before, w->b.mem, sizeof(before));
	memset(buf, 0xa5, sizeof(buf));
	for (size_t i = 0; i < 2 * WEFT_COUNT_OF(at); i++) {
		unsigned was = w->a.completions;
		uint64_t n = at[i / 2][1];

		post_rma_at(&w->a, i % 2 ? WEFT_READ : WEFT_WRITE, buf, n, key,
			    at[i / 2][0]);
		poll_until(w, &w->a, was + 1);
		T_IS(w->a.completion[was].err, -EFAULT);
		T_MEM(w->b.mem, before, sizeof(before));
		T_IS(buf[0], 0xa5);
	}
}

static void case_access(const struct grid *g)
{
	struct world *w = world_open(g);
	char out[4000], in[4000];
	const struct weft_mem_access row = { .key = 1,
					     .len = sizeof(w->b.mem),
					     .access = WEFT_MR_REMOTE_READ |
						       WEFT_MR_REMOTE_WRITE };

	for (unsigned listed = 0; listed < 2; listed++) {
		if (listed)
			weft_nic_region_list(w->b.nic, &row, w->b.mem);
		w->a.completions = 0;
		t_fill(out, sizeof(out), listed);
		memset(in, 0, sizeof(in));
		post_rma(&w->a, WEFT_WRITE, out, sizeof(out), 1);
		post_rma(&w->a, WEFT_READ, in, sizeof(in), 1);
		poll_until(w, &w->a, 2);
		T_IS(w->a.completion[0].err, 0);
		T_IS(t_differs(w->b.mem + 16, sizeof(out), listed), -1);
		T_IS(t_differs(in, sizeof(in), listed), -1);
		post_rma(&w->a, WEFT_WRITE, out, sizeof(out), 2);
		poll_until(w, &w->a, 3);
		T_IS(w->a.completion[2].err, -ENOKEY);
		access_outside(w, 1, 0, sizeof(w->b.mem));
	}
	weft_nic_region_unlist(w->b.nic, 1);
	world_close(w);
}

static void atomic_add(struct side *s, uint64_t *one, uint64_t *old)
{
	struct weft_nic_op *op = weft_nic_op_get(s->nic);

	op->kind = WEFT_FETCH;
	op->peer = s->peer;
	op->context = old;
	op->addr = 0;
	op->key = 1;
	op->at_op = WEFT_NUM_SUM;
	op->at_type = WEFT_NUM_U64;
	op->iov[0].iov_base = one;
	op->iov[0].iov_len = 8;
	op->iov_count = 1;
	op->result[0].iov_base = old;
	op->result[0].iov_len = 8;
	op->result_count = 1;
	op->compare_count = 0;
	op->len = 8;
	T_OK(weft_nic_atomic(s->nic, op));
}

static void case_atomics(const struct grid *g)
{
	struct world *w = world_open(g);
	uint64_t one = 1, old[100], sum;

	for (int i = 0; i < 100; i++)
		atomic_add(&w->a, &one, &old[i]);
	poll_until(w, &w->a, 100);
	for (uint64_t i = 0; i < 100; i++)
		T_IS(old[i], i);
	memcpy(&sum, w->b.mem, sizeof(sum));
	T_IS(sum, 100);
	world_close(w);
}

/*
 * A receiver may exit and never poll again when its receive is complete. The
 * FIN that the sender waits for must be sent before, even if the carrier had no
 * space at first.
 */
static void case_fin_before_completion(const struct grid *g)
{
	struct world *w = world_open(g);
	char *out = malloc(BIG), *in = malloc(BIG), word[8] = "";
	char *first = calloc(1, BIG);
	unsigned sent = 1;

	/*
	 * the first transfer: after it a unit may accept more packets for this
	 * peer
	 */
	post_recv(&w->b, first, 8, 3, w->b.peer->index);
	post_send(w, &w->a, first, BIG, 3, 0);
	poll_until(w, &w->b, 1);
	poll_until(w, &w->a, 1);
	t_fill(out, BIG, 1);
	post_send(w, &w->b, word, sizeof(word), 1, 0);
	post_send(w, &w->a, out, BIG, 2, 0);
	while (!try_send(&w->b, word, sizeof(word), 1, 0))
		T_TRUE(++sent < 4000);
	post_recv(&w->b, in, BIG, 2, w->b.peer->index);
	for (int i = 0; i < 100; i++)
		weft_nic_poll(w->b.nic, 8);
	T_TRUE(!is_complete(&w->b, in));
	poll_until(w, &w->b, sent + 2);
	T_TRUE(is_complete(&w->b, in));
	for (int i = 0; i < 100; i++)
		weft_nic_poll(w->a.nic, 8);
	T_TRUE(g->faults || is_complete(&w->a, out));
	poll_until(w, &w->a, 2);
	T_IS(t_differs(in, BIG, 1), -1);
	free(out);
	free(in);
	free(first);
	world_close(w);
}

/*
 * A fenced message waits for all outstanding operations to its peer; messages
 * without a fence do not.
 */
static void case_fence(const struct grid *g)
{
	struct world *w = world_open(g);
	char *out = malloc(BIG), *in = malloc(BIG), word[3][8] = { "", "", "" };

	post_send(w, &w->a, word[0], 8, 1, 0);
	post_send(w, &w->a, out, BIG, 2, 0);
	for (int i = 0; i < 100; i++) {
		poll_both(w);
		T_IS(try_send(&w->a, word[1], 8, 3, WEFT_OP_FENCE), -EAGAIN);
	}
	post_send(w, &w->a, word[2], 8, 4, 0);
	T_TRUE(!is_complete(&w->a, out));
	post_recv(&w->b, in, BIG, 2, w->b.peer->index);
	post_send(w, &w->a, word[1], 8, 3, WEFT_OP_FENCE);
	T_TRUE(is_complete(&w->a, out));
	poll_until(w, &w->a, 4);
	T_TRUE(w->a.completion[2].context == out &&
	       w->a.completion[3].context == word[1]);
	free(out);
	free(in);
	world_close(w);
}

static void write_relaxed(struct side *s, void *buf, uint64_t len, bool relaxed)
{
	struct weft_nic_op *op = weft_nic_op_get(s->nic);

	op->kind = WEFT_WRITE;
	op->flags = relaxed ? WEFT_OP_RELAXED : 0;
	op->peer = s->peer;
	op->context = buf;
	op->addr = 0;
	op->key = 1;
	op->iov[0] = (struct iovec){ buf, len };
	op->iov_count = 1;
	op->len = len;
	T_OK(weft_nic_rma(s->nic, op));
}

static uint64_t sent_by(struct side *s)
{
	struct weft_carrier *c = weft_nic_carrier(s->nic);
	struct weft_carrier_stats st;

	c->ops->stats(c, &st);
	return st.sent;
}

/*
 * With a small packet limit, the packets of a write are stored directly in the
 * target memory, without reassembly.
 */
static void case_packet_limit(const struct grid *g, bool relaxed)
{
	enum { WHOLE = 200, N = 20 };
	struct world *w = world_open(g);
	char out[sizeof(w->b.mem)];
	uint64_t sent;

	post_send(w, &w->a, out, 0, 1, 0);
	poll_until(w, &w->a, 1);
	sent = sent_by(&w->a);
	for (unsigned i = 0; i < N; i++) {
		w->a.peer->whole = WHOLE;
		t_fill(out, sizeof(out), i);
		write_relaxed(&w->a, out, sizeof(out), relaxed);
		poll_until(w, &w->a, i + 2);
		T_IS(w->a.completion[i + 1].err, 0);
		T_IS(t_differs(w->b.mem, sizeof(out), i), -1);
	}
	T_TRUE(sent_by(&w->a) - sent >= N * (sizeof(out) / WHOLE));
	world_close(w);
}

static void a_write_is_split_at_the_peer_packet_limit(void **state)
{
	static const char *const plan[] = {
		NULL, "seed=3; loss=0.05; duplicate=0.05; reorder=0.1"
	};

	for (unsigned i = 0; i < 4; i++) {
		const struct grid g = { .machine = "native",
					.carrier = &weft_carrier_sock,
					.faults = plan[i / 2] };

		case_packet_limit(&g, i % 2);
	}
}

/* ---- the cases on every machine ------------------------------------------ */

static void every_size_arrives_on_every_machine(void **state)
{
	on_every_machine(case_sizes);
}

static void mixed_messages_in_both_directions_arrive(void **state)
{
	on_every_machine(case_mix);
}

static void remote_memory_is_read_and_written_or_refused(void **state)
{
	on_every_machine(case_access);
}

static void atomics_execute_once_and_in_order(void **state)
{
	on_every_machine(case_atomics);
}

static void a_receive_completes_after_its_fin_is_sent(void **state)
{
	on_every_machine(case_fin_before_completion);
}

static void a_fence_waits_for_outstanding_operations(void **state)
{
	on_every_machine(case_fence);
}

/*
 * The other side exits without closing: all operations that wait for it fail.
 */
static void peer_death_fails_waiting_operations(void **state)
{
	const struct grid g = { .machine = "native" };
	struct world *w = world_open(&g);
	char *big = calloc(1, BIG), in[8], any[8];
	unsigned i;

	post_send(w, &w->a, big, BIG, 1, 0);
	post_send(w, &w->a, in, 8, 2, WEFT_OP_ACK);
	post_recv(&w->a, in, 8, 3, w->a.peer->index);
	post_recv(&w->a, any, 8, 4, WEFT_MATCH_ANY);
	for (i = 0; i < 50; i++)
		poll_both(w);
	weft_nic_close(w->b.nic);
	for (i = 0; i < 100000 && w->a.completions < 3; i++)
		weft_nic_poll(w->a.nic, 8);
	T_IS(w->a.completions, 3);
	for (i = 0; i < 3; i++) {
		T_TRUE(w->a.completion[i].err < 0);
		T_TRUE(w->a.completion[i].context != any);
	}
	weft_nic_close(w->a.nic);
	free(big);
	free(w);
}

/* ---- short messages for receives on the slow path ------------------------ */

/* Posts a receive of two n-byte parts of buf, as one or two segments. */
static void post_recv_parts(struct side *s, char *buf, size_t n, int parts,
			    unsigned flags)
{
	struct weft_nic_op *op = weft_nic_op_get(s->nic);

	op->kind = WEFT_RECV;
	op->flags = (uint16_t)(WEFT_OP_TAGGED | flags);
	op->peer = NULL;
	op->context = buf;
	op->m.src = WEFT_MATCH_ANY;
	op->m.tag = 1;
	op->m.ignore = 0;
	for (int i = 0; i < parts; i++)
		op->iov[i] = (struct iovec){ buf + i * 2 * (int)n, n };
	op->iov_count = (uint8_t)parts;
	op->len = n * (size_t)parts;
	T_OK(weft_nic_recv(s->nic, op));
}

static void a_short_message_stays_in_its_receive_buffer(void **state)
{
	const struct grid g = { .machine = "native" };
	struct world *w = world_open(&g);
	char out[8] = "abcdefg", in[16];

	/* the message is longer than the buffer */
	memset(in, 'x', sizeof(in));
	post_recv_parts(&w->b, in, 4, 1, 0);
	post_send(w, &w->a, out, 8, 1, 0);
	poll_until(w, &w->b, 1);
	T_IS(w->b.completion[0].err, -EOVERFLOW);
	T_IS(w->b.completion[0].olen, 4);
	T_IS(memcmp(in, "abcdxxxx", 8), 0);
	/* the buffer has two segments */
	memset(in, 'x', sizeof(in));
	post_recv_parts(&w->b, in, 4, 2, 0);
	post_send(w, &w->a, out, 8, 1, 0);
	poll_until(w, &w->b, 2);
	T_IS(w->b.completion[1].err, 0);
	T_IS(memcmp(in, "abcdxxxxefg", 12), 0);
	/* two messages arrive in one buffer */
	post_recv_parts(&w->b, in, 16, 1, WEFT_OP_MULTI);
	post_send(w, &w->a, out, 8, 1, 0);
	post_send(w, &w->a, out, 8, 1, 0);
	poll_until(w, &w->b, 4);
	T_IS(w->b.completion[3].len, 8);
	T_IS(memcmp(in, "abcdefg", 8) | memcmp(in + 8, "abcdefg", 8), 0);
	world_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(every_size_arrives_on_every_machine),
		T_CASE(mixed_messages_in_both_directions_arrive),
		T_CASE(remote_memory_is_read_and_written_or_refused),
		T_CASE(atomics_execute_once_and_in_order),
		T_CASE(a_receive_completes_after_its_fin_is_sent),
		T_CASE(a_fence_waits_for_outstanding_operations),
		T_CASE(peer_death_fails_waiting_operations),
		T_CASE(a_short_message_stays_in_its_receive_buffer),
		T_CASE(a_write_is_split_at_the_peer_packet_limit),
	};

	return T_RUN(tests);
}
