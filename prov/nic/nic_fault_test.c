/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine with failures below it: full queues, failed allocations, DMA that
 * fails halfway, peers that die during transfers. The unit is `direct` with
 * limits set by the test; allocations fail by size, through the linker's
 * --wrap.
 */
#include "prov/nic/nic_dma.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_op.h"
#include "test/support/nic_pair.h"
#include "prov/nic/nic_send.h"

/* ---- failed allocations ---- */

static size_t refuse[2];  /* allocations of these sizes fail */
static bool refuse_slabs; /* no pool of objects grows */
static unsigned refusals;

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t align, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);

static bool refused(size_t n)
{
	if (!n || (n != refuse[0] && n != refuse[1]))
		return false;
	refusals++;
	return true;
}

void *__wrap_malloc(size_t n)
{
	return refused(n) ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return refused(n * size) ? NULL : __real_calloc(n, size);
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
	refusals += refuse_slabs;
	return refuse_slabs ? NULL : __real_aligned_alloc(align, n);
}

static void fail_allocations(size_t a, size_t b)
{
	refuse[0] = a;
	refuse[1] = b;
	refusals = 0;
}

static void fail_response_allocations(void)
{
	fail_allocations(sizeof(struct nic_ctrl),
			 sizeof(struct nic_ctrl) + sizeof(struct nic_segs));
}

static void allow_allocations(void)
{
	fail_allocations(0, 0);
}

/* ---- a unit with limits ---- */

struct limited_unit {
	struct weft_unit *u;
	const struct weft_carrier_up *up;
	void *up_arg;
	uint64_t room; /* packets that the unit still accepts */
	uint64_t gets; /* gets that the unit still accepts */
	uint64_t puts; /* puts that succeed before one fails with put_err */
	int put_err;
	/* peer that was reported dead to the endpoint */
	struct weft_peer *dead;
};

static struct limited_unit units[2];
static unsigned opened;

static struct limited_unit *limited_unit_of(const struct weft_unit *u)
{
	return &units[units[1].u == u];
}

static const struct weft_unit_ops limited;

static int limited_open(const struct weft_machine *m,
			const struct weft_carrier_ops *carrier,
			const struct weft_carrier_attr *attr,
			struct weft_unit **u_p)
{
	int err = weft_unit_direct.open(m, carrier, attr, u_p);

	if (err)
		return err;
	(*u_p)->ops = &limited;
	units[opened++ % 2] = (struct limited_unit){
		.u = *u_p,
		.up = attr->up,
		.up_arg = attr->up_arg,
		.room = UINT64_MAX,
		.gets = UINT64_MAX,
		.puts = UINT64_MAX,
	};
	return 0;
}

/*
 * Closes the unit. The carrier frees its peers when it closes; a dead peer must
 * not be accessed afterwards.
 */
static void limited_close(struct weft_unit *u)
{
	struct limited_unit *h = limited_unit_of(u);

	if (h->dead)
		h->dead->up = NULL;
	weft_unit_direct.close(u);
}

static int limited_packet(struct weft_unit *u, struct weft_peer *peer,
			  const struct weft_pkt *pkt, const struct iovec *iov,
			  int count)
{
	struct limited_unit *h = limited_unit_of(u);

	if (!h->room)
		return -EAGAIN;
	h->room--;
	return weft_unit_direct.packet(u, peer, pkt, iov, count);
}

static int limited_get(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_dma *d)
{
	struct limited_unit *h = limited_unit_of(u);

	if (!h->gets)
		return -EAGAIN;
	h->gets--;
	return weft_unit_direct.get(u, peer, d);
}

static int limited_put(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_dma *d)
{
	struct limited_unit *h = limited_unit_of(u);

	if (h->puts) {
		h->puts--;
		return weft_unit_direct.put(u, peer, d);
	}
	d->done(d, h->put_err);
	return 0;
}

static int limited_poll(struct weft_unit *u, int budget)
{
	return weft_unit_direct.poll(u, budget);
}

static const struct weft_unit_ops limited = {
	.name = "hindered",
	.open = limited_open,
	.close = limited_close,
	.packet = limited_packet,
	.get = limited_get,
	.put = limited_put,
	.poll = limited_poll,
};

#define A (&units[0])
#define B (&units[1])

static struct world *limited_world(bool no_dma)
{
	static struct weft_machine m;
	const struct grid g = { .own = &m, .no_dma = no_dma };

	m = *weft_machine_find("native");
	m.unit = &limited;
	opened = 0;
	return world_open(&g);
}

/* Reports the death of peer to h's endpoint. */
static void report_death(struct limited_unit *h, struct weft_peer *peer)
{
	h->dead = peer;
	h->up->lost(h->up_arg, peer, ECONNRESET);
}

static void poll_rounds(struct world *w, int n)
{
	while (n-- > 0)
		poll_both(w);
}

static struct weft_nic_stats stats_of(const struct side *s)
{
	struct weft_nic_stats st;

	weft_nic_stats(s->nic, &st);
	return st;
}

/* Allocates an operation on a buffer; a tagged one has tag 7. */
static struct weft_nic_op *op_new(struct side *s, uint8_t kind, unsigned flags,
				  void *buf, size_t len)
{
	struct weft_nic_op *op = weft_nic_op_get(s->nic);

	op->kind = kind;
	op->flags = (uint16_t)flags;
	op->peer = s->peer;
	op->context = buf;
	op->tag = 7;
	op->m.tag = 7;
	op->m.ignore = 0;
	op->m.src = WEFT_MATCH_ANY;
	op->addr = 16;
	op->key = 1;
	op->iov[0].iov_base = buf;
	op->iov[0].iov_len = len;
	op->iov_count = 1;
	op->len = len;
	return op;
}

/* ---- ids and sizes ---- */

/*
 * With FI_WEFT_EAGER below the size of a packet, longer messages are announced
 * first, but injected messages are not. No id is leaked (weft_nic_close
 * checks).
 */
static void an_eager_limit_below_one_packet_is_respected(void **state)
{
	const struct grid g = { .machine = "native", .eager_bytes = 64 };
	struct world *w = world_open(&g);
	char out[1000], in[1000];
	struct weft_nic_op *op;

	for (unsigned i = 0; i < 200; i++) {
		t_fill(out, sizeof(out), i);
		post_recv(&w->b, in, sizeof(in), i, WEFT_MATCH_ANY);
		post_send(w, &w->a, out, i % 2 ? sizeof(out) : 64, i, 0);
		poll_until(w, &w->a, i + 1);
		poll_until(w, &w->b, i + 1);
		T_IS(t_differs(in, i % 2 ? sizeof(in) : 64, i), -1);
	}
	T_IS(stats_of(&w->a).rendezvous, 100);
	op = op_new(&w->a, WEFT_SEND, WEFT_OP_TAGGED | WEFT_OP_INJECT, out,
		    100);
	T_OK(weft_nic_send(w->a.nic, op));
	poll_until(w, &w->a, 201);
	T_IS(stats_of(&w->a).rendezvous, 100);
	world_close(w);
}

/* ---- DMA ---- */

/*
 * The sender of a shared copy fails in the middle of a chunk; the receiver
 * copies only the rest of that chunk. Chunks are 128 KiB. The last chunk, where
 * the sender starts, lies in two segments of the receiver: the sender's first
 * piece of it succeeds, the second fails.
 */
static void the_receiver_completes_the_chunk_of_a_failed_sender(void **state)
{
	enum { LAST = 4 * (128 << 10), CUT = LAST + 40000, ALL = LAST / 4 * 5 };
	struct world *w = limited_world(false);
	char *out = malloc(ALL), *in = malloc(ALL);
	struct weft_nic_stats a, b;
	struct weft_nic_op *op;

	/* a first message shows that DMA works between the two processes */
	post_send(w, &w->a, out, ALL, 1, 0);
	post_recv(&w->b, in, ALL, 1, WEFT_MATCH_ANY);
	poll_until(w, &w->a, 1);
	a = stats_of(&w->a);
	b = stats_of(&w->b);
	t_fill(out, ALL, 3);
	memset(in, 0, ALL);
	op = op_new(&w->b, WEFT_RECV, WEFT_OP_TAGGED, in, CUT);
	op->peer = NULL;
	op->iov[1].iov_base = in + CUT;
	op->iov[1].iov_len = ALL - CUT;
	op->iov_count = 2;
	op->len = ALL;
	T_OK(weft_nic_recv(w->b.nic, op));
	/* the receiver claims the first chunk, but its unit accepts no get */
	B->gets = 0;
	A->puts = 1;
	A->put_err = -EFAULT;
	post_send(w, &w->a, out, ALL, 7, 0);
	poll_rounds(w, 10);
	B->gets = UINT64_MAX;
	poll_until(w, &w->a, 2);
	poll_until(w, &w->b, 2);
	T_IS(w->a.completion[1].err, 0);
	T_IS(w->b.completion[1].err, 0);
	T_IS(t_differs(in, ALL, 3), -1);
	T_IS(stats_of(&w->a).dma_bytes - a.dma_bytes, CUT - LAST);
	T_IS(stats_of(&w->b).dma_bytes - b.dma_bytes, ALL - (CUT - LAST));
	free(out);
	free(in);
	world_close(w);
}

/*
 * Sends n messages of len bytes from a to b and `back` messages from b to a,
 * and checks the data. Neither side fetches before the other can take part in
 * the copy. Returns the number of pieces that a has put.
 */
static uint64_t pieces_put_by_sender(struct world *w, size_t len, unsigned n,
				     unsigned back)
{
	unsigned a = w->a.completions + n + back,
		 b = w->b.completions + n + back;
	char *out = malloc(len), *in = calloc(3, len);
	uint64_t puts = A->puts;

	t_fill(out, len, 5);
	for (unsigned i = 0; i < n; i++)
		post_recv(&w->b, in + i * len, len, 7, WEFT_MATCH_ANY);
	for (unsigned i = 0; i < back; i++)
		post_recv(&w->a, in + (n + i) * len, len, 7, WEFT_MATCH_ANY);
	A->gets = B->gets = 0;
	for (unsigned i = 0; i < n; i++)
		T_OK(try_send(&w->a, out, len, 7, 0));
	for (unsigned i = 0; i < back; i++)
		T_OK(try_send(&w->b, out, len, 7, 0));
	poll_rounds(w, 10);
	A->gets = B->gets = UINT64_MAX;
	poll_until(w, &w->a, a);
	poll_until(w, &w->b, b);
	for (unsigned i = 0; i < n + back; i++)
		T_IS(t_differs(in + i * len, len, 5), -1);
	free(out);
	free(in);
	return puts - A->puts;
}

/*
 * The minimum size of a shared copy is smaller for a single message than for
 * several messages or messages in both directions.
 */
static void the_shared_copy_limit_depends_on_outstanding_messages(void **state)
{
	enum { SINGLE = 96 << 10, SEVERAL = 512 << 10 };
	struct world *w = limited_world(false);

	w->a.nic->shared_copy_bytes = w->b.nic->shared_copy_bytes = SINGLE;
	w->a.nic->shared_copy_busy_bytes = w->b.nic->shared_copy_busy_bytes =
		SEVERAL;
	/* a first message shows that DMA works between the two processes */
	T_IS(pieces_put_by_sender(w, SINGLE - 1, 1, 1), 0);
	T_IS(pieces_put_by_sender(w, SINGLE - 1, 1, 0), 0);
	/* the receiver had claimed one of the three chunks */
	T_IS(pieces_put_by_sender(w, SINGLE, 1, 0), 2);
	T_IS(pieces_put_by_sender(w, SINGLE, 2, 0), 2);
	T_IS(pieces_put_by_sender(w, SINGLE, 1, 1), 0);
	T_IS(pieces_put_by_sender(w, SEVERAL - 1, 1, 1), 0);
	/* the receiver had claimed one of the four chunks of each message */
	T_IS(pieces_put_by_sender(w, SEVERAL, 2, 0), 6);
	T_IS(pieces_put_by_sender(w, SEVERAL, 1, 1), 3);
	world_close(w);
}

/* A long message has several chunks, a short one two halves. */
static void chunks_depend_on_the_size(void **state)
{
	T_IS(nic_chunk(3), 2);
	T_IS(nic_chunk(48 << 10), 24 << 10);
	T_IS(nic_chunk(64 << 10), 32 << 10);
	T_IS(nic_chunk(96 << 10), 32 << 10);
	T_IS(nic_chunk(128 << 10), 32 << 10);
	T_IS(nic_chunk((256 << 10) - 1), 64 << 10);
	T_IS(nic_chunk(256 << 10), 128 << 10);
	T_IS(nic_chunk(1 << 30), 128 << 10);
}

/* ---- death of a peer ---- */

/* Queued requests fail, and so do sends whose bytes were requested. */
static void peer_death_fails_queued_requests(void **state)
{
	struct world *w = limited_world(true);
	char *big = calloc(1, BIG), *in = calloc(1, BIG), word[8] = "";

	post_send(w, &w->a, word, sizeof(word), 1, 0);
	post_send(w, &w->a, big, BIG, 2, 0);
	poll_rounds(w, 10);
	/* b requests bytes, but the unit of a accepts no packets */
	A->room = 0;
	post_recv(&w->b, in, BIG, 2, WEFT_MATCH_ANY);
	poll_rounds(w, 10);
	post_rma(&w->a, WEFT_WRITE, word, sizeof(word), 1);
	post_rma(&w->a, WEFT_READ, word, sizeof(word), 1);
	T_IS(w->a.completions, 1);
	report_death(A, w->a.peer);
	T_IS(w->a.completions, 4);
	for (unsigned i = 1; i < 4; i++)
		T_IS(w->a.completion[i].err, -ECONNRESET);
	world_close(w);
	free(big);
	free(in);
}

static void claim(struct side *s, void *context)
{
	struct weft_nic_op *op = op_new(
		s, WEFT_RECV, WEFT_OP_TAGGED | WEFT_OP_CLAIM, context, 0);

	op->peer = NULL;
	T_OK(weft_nic_peek(s->nic, op));
	T_IS(s->completion[s->completions - 1].err, 0);
}

static int recv_claimed(struct world *w, struct side *s, void *buf, size_t len)
{
	unsigned completions = s->completions;
	struct weft_nic_op *op =
		op_new(s, WEFT_RECV, WEFT_OP_TAGGED | WEFT_OP_CLAIM, buf, len);

	op->peer = NULL;
	T_OK(weft_nic_recv(s->nic, op));
	poll_rounds(w, 10);
	T_IS(s->completions, completions + 1);
	return s->completion[completions].err;
}

/*
 * A claimed message of which only a part, or only its announcement, has
 * arrived.
 */
static void an_incomplete_claimed_message_of_a_dead_peer_fails(void **state)
{
	size_t eager = weft_machine_find("native")->eager_bytes;

	for (unsigned i = 0; i < 4; i++) {
		struct world *w = limited_world(i & 1);
		char *out = calloc(1, BIG), *in = calloc(1, BIG);
		size_t len = i & 2 ? BIG : eager;

		A->room = 1;
		T_OK(try_send(&w->a, out, len, 7, 0));
		poll_rounds(w, 10);
		claim(&w->b, in);
		T_IS(w->b.completion[0].len, len);
		report_death(B, w->b.peer);
		T_IS(recv_claimed(w, &w->b, in, BIG), -ECONNRESET);
		A->room = UINT64_MAX;
		report_death(A, w->a.peer);
		world_close(w);
		free(out);
		free(in);
	}
}

static void a_complete_claimed_message_survives_its_sender(void **state)
{
	struct world *w = limited_world(false);
	char word[8] = "", in[8];

	post_send(w, &w->a, word, sizeof(word), 7, 0);
	poll_rounds(w, 10);
	claim(&w->b, in);
	report_death(B, w->b.peer);
	T_IS(recv_claimed(w, &w->b, in, sizeof(in)), 0);
	world_close(w);
}

/* The record of a dead peer is kept until its last message is received. */
static void a_dead_peer_is_removed_with_its_last_message(void **state)
{
	struct world *w = limited_world(false);
	char word[8] = "", in[8];

	post_send(w, &w->a, word, sizeof(word), 1, 0);
	post_send(w, &w->a, word, sizeof(word), 2, 0);
	poll_rounds(w, 10);
	T_IS(stats_of(&w->b).gone, 0);
	report_death(B, w->b.peer);
	T_IS(stats_of(&w->b).gone, 1);
	post_recv(&w->b, in, sizeof(in), 1, WEFT_MATCH_ANY);
	T_IS(stats_of(&w->b).gone, 1);
	post_recv(&w->b, in, sizeof(in), 2, WEFT_MATCH_ANY);
	T_IS(stats_of(&w->b).gone, 0);
	T_IS(w->b.completions, 2);
	world_close(w);
}

/* One message is claimed, another is still unexpected. */
static void closing_frees_the_messages_of_dead_peers(void **state)
{
	struct world *w = limited_world(false);
	char word[8] = "", in[8];

	post_send(w, &w->a, word, sizeof(word), 7, 0);
	post_send(w, &w->a, word, sizeof(word), 8, 0);
	poll_rounds(w, 10);
	report_death(B, w->b.peer);
	claim(&w->b, in);
	T_IS(stats_of(&w->b).gone, 1);
	world_close(w);
}

/* ---- refused operations ---- */

/*
 * The first message to a peer finds no space in the carrier: it is refused, not
 * completed, and the client retries.
 */
static void a_first_message_without_space_is_refused(void **state)
{
	struct world *w = limited_world(true);
	char word[8] = "message", in[8] = "";

	post_recv(&w->b, in, sizeof(in), 7, WEFT_MATCH_ANY);
	A->room = 0;
	for (int i = 0; i < 3; i++) {
		T_AGAIN(try_send(&w->a, word, sizeof(word), 7, 0));
		poll_rounds(w, 10);
		T_IS(w->a.completions + w->b.completions, 0);
	}
	A->room = UINT64_MAX;
	T_OK(try_send(&w->a, word, sizeof(word), 7, 0));
	poll_until(w, &w->b, 1);
	T_STR(in, "message");
	T_IS(w->a.completions, 1);
	world_close(w);
}

/*
 * A request must not overtake a one-sided access: it is refused until the
 * access has ended.
 */
static void a_request_after_a_one_sided_access_is_refused(void **state)
{
	const struct weft_mem_access row = { .key = 1,
					     .len = sizeof(
						     ((struct side *)0)->mem),
					     .access = WEFT_MR_REMOTE_READ };
	struct world *w = limited_world(false);
	char in[4000], other[8];
	struct weft_nic_op *op;

	weft_nic_region_list(w->b.nic, &row, w->b.mem);
	A->gets = 0;
	post_rma(&w->a, WEFT_READ, in, sizeof(in), 1);
	op = op_new(&w->a, WEFT_READ, 0, other, sizeof(other));
	op->key = 2;
	for (int i = 0; i < 3; i++) {
		T_AGAIN(weft_nic_rma(w->a.nic, op));
		poll_rounds(w, 10);
		T_IS(w->a.completions, 0);
	}
	A->gets = UINT64_MAX;
	poll_until(w, &w->a, 1);
	T_PTR(w->a.completion[0].context, in);
	T_IS(w->a.completion[0].err, 0);
	T_OK(weft_nic_rma(w->a.nic, op));
	poll_until(w, &w->a, 2);
	T_IS(w->a.completion[1].err, -ENOKEY);
	weft_nic_region_unlist(w->b.nic, 1);
	world_close(w);
}

/* ---- out of memory ---- */

/* The first packet of a peer arrives when no memory is left for its record. */
static void the_first_packet_of_a_peer_waits_for_memory(void **state)
{
	for (unsigned i = 0; i < 4; i++) {
		struct world *w = limited_world(i == 3);
		char *out = calloc(1, BIG), *in = calloc(1, BIG);

		if (i == 0)
			/* a send creates a's record of b */
			post_send(w, &w->a, out, 0, 1, 0);
		fail_allocations(sizeof(struct nic_peer), 0);
		if (i == 0) {
			post_recv(&w->b, in, BIG, 1, WEFT_MATCH_ANY);
			w->a.completions = w->b.completions = 0;
			T_OK(try_send(&w->a, out, BIG, 7, 0));
			post_recv(&w->b, in, BIG, 7, WEFT_MATCH_ANY);
		} else {
			allow_allocations();
			T_NOT_NULL(nic_peer_of(w->a.nic, w->a.peer));
			fail_allocations(sizeof(struct nic_peer), 0);
			post_rma(&w->a, i == 1 ? WEFT_WRITE : WEFT_READ, out,
				 4000, 1);
		}
		for (unsigned k = 0; k < 100 && !refusals; k++)
			poll_both(w);
		T_TRUE(refusals > 0);
		T_IS(stats_of(&w->b).garbage, 0);
		T_IS(w->a.completions, 0);
		allow_allocations();
		poll_until(w, &w->a, 1);
		T_IS(w->a.completion[0].err, 0);
		T_IS(stats_of(&w->b).garbage, 0);
		free(out);
		free(in);
		world_close(w);
	}
}

/*
 * A request that the target serves by DMA arrives when the target has no free
 * operation: the request waits, and nothing is written or completed.
 */
static void a_request_waits_for_an_operation_of_the_target(void **state)
{
	static const uint8_t kinds[] = { WEFT_WRITE, WEFT_READ };
	struct weft_nic_op *ops[256];

	for (size_t k = 0; k < WEFT_COUNT_OF(kinds); k++) {
		struct world *w = limited_world(false);
		char buf[4000];
		unsigned n = 0;

		memset(buf, 5, sizeof(buf));
		post_send(w, &w->a, buf, 8, 1, 0);
		poll_rounds(w, 10);
		/* the bytes do not fit into one packet */
		w->a.nic->packet_bytes = 512;
		post_rma(&w->a, kinds[k], buf, sizeof(buf), 1);
		fail_allocations(0, 0);
		refuse_slabs = true;
		while (n < WEFT_COUNT_OF(ops) &&
		       (ops[n] = weft_nic_op_get(w->b.nic)))
			n++;
		T_IS(refusals, 1);
		poll_rounds(w, 50);
		T_TRUE(refusals > 1);
		T_IS(w->a.completions, 1);
		T_IS(w->b.mem[16], 0);
		refuse_slabs = false;
		while (n)
			weft_nic_op_put(ops[--n]);
		poll_until(w, &w->a, 2);
		T_IS(w->a.completion[1].err, 0);
		T_IS(w->b.mem[16], kinds[k] == WEFT_WRITE ? 5 : 0);
		T_IS(buf[0], kinds[k] == WEFT_WRITE ? 5 : 0);
		world_close(w);
	}
}

/*
 * Many responses can be neither sent nor allocated; none is lost. A receive
 * sends its own FIN later; for other responses there are spare packets, and
 * when these are used up, the peer's packets wait.
 */
static void no_response_is_lost_without_memory(void **state)
{
	enum { N = 40 };
	struct world *w = limited_world(true);
	char word[8] = "", in[N][8];
	unsigned posted = 0;
	struct weft_nic_op *op;

	post_send(w, &w->b, word, sizeof(word), 1, 0);
	poll_rounds(w, 10);
	B->room = 0;
	fail_response_allocations();
	for (unsigned i = 0; i < N; i++) {
		post_recv(&w->b, in[i], sizeof(in[i]), 7, WEFT_MATCH_ANY);
		T_OK(try_send(&w->a, word, sizeof(word), 7, WEFT_OP_ACK));
		poll_rounds(w, 10);
	}
	for (; posted < N; posted++) {
		op = op_new(&w->a, WEFT_WRITE, 0, word, sizeof(word));
		if (weft_nic_rma(w->a.nic, op))
			break;
		poll_rounds(w, 10);
	}
	T_TRUE(posted >= NIC_SPARES && refusals > 0);
	T_IS(w->a.completions, 0);
	B->room = UINT64_MAX;
	poll_rounds(w, 200);
	allow_allocations();
	poll_until(w, &w->a, N + posted);
	poll_until(w, &w->b, N + 1);
	for (unsigned i = 0; i < N + posted; i++)
		T_IS(w->a.completion[i].err, 0);
	world_close(w);
}

static void fetch_add(struct side *s, uint64_t *one, uint64_t *old)
{
	struct weft_nic_op *op = op_new(s, WEFT_FETCH, 0, one, sizeof(*one));

	op->at_op = WEFT_NUM_SUM;
	op->at_type = WEFT_NUM_U64;
	op->result[0].iov_base = old;
	op->result[0].iov_len = sizeof(*old);
	op->result_count = 1;
	op->compare_count = 0;
	T_OK(weft_nic_atomic(s->nic, op));
}

/*
 * An atomic whose response cannot be allocated is executed later, exactly once.
 */
static void an_atomic_delayed_by_lack_of_memory_executes_once(void **state)
{
	struct world *w = limited_world(false);
	uint64_t one = 1, old = 99, sum;

	post_send(w, &w->a, &one, sizeof(one), 1, 0);
	fail_allocations(sizeof(struct nic_ctrl) + sizeof(old), 0);
	fetch_add(&w->a, &one, &old);
	poll_rounds(w, 50);
	T_TRUE(refusals > 0);
	T_IS(w->a.completions, 1);
	allow_allocations();
	poll_until(w, &w->a, 2);
	T_IS(w->a.completion[1].err, 0);
	T_IS(old, 0);
	memcpy(&sum, w->b.mem + 16, sizeof(sum));
	T_IS(sum, 1);
	world_close(w);
}

/*
 * The 17th packet can be neither sent nor queued: the next poll reports the
 * peer as lost.
 */
static void a_peer_that_misses_a_packet_is_lost(void **state)
{
	const struct weft_pkt pkt = { .type = NIC_EMPTY };
	struct world *w = limited_world(true);
	char word[8] = "";

	post_send(w, &w->b, word, sizeof(word), 1, 0);
	post_send(w, &w->b, word, sizeof(word), 2, WEFT_OP_ACK);
	poll_rounds(w, 10);
	T_IS(w->b.completions, 1);
	B->room = 0;
	fail_response_allocations();
	for (unsigned i = 0; i < NIC_SPARES; i++)
		nic_ctrl(w->b.nic, w->b.peer, &pkt, NULL);
	weft_nic_poll(w->b.nic, 1);
	T_IS(w->b.completions, 1);
	nic_ctrl(w->b.nic, w->b.peer, &pkt, NULL);
	T_IS(w->b.completions, 1);
	weft_nic_poll(w->b.nic, 1);
	T_IS(w->b.completions, 2);
	T_IS(w->b.completion[1].err, -ENOMEM);
	T_IS(w->b.peer->lost, ENOMEM);
	T_IS(weft_nic_dead_count(w->b.nic), 1);
	T_IS(try_send(&w->b, word, sizeof(word), 7, 0), -ENOMEM);
	allow_allocations();
	B->dead = w->b.peer;
	world_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(an_eager_limit_below_one_packet_is_respected),
		T_CASE(the_receiver_completes_the_chunk_of_a_failed_sender),
		T_CASE(the_shared_copy_limit_depends_on_outstanding_messages),
		T_CASE(chunks_depend_on_the_size),
		T_CASE(peer_death_fails_queued_requests),
		T_CASE(an_incomplete_claimed_message_of_a_dead_peer_fails),
		T_CASE(a_complete_claimed_message_survives_its_sender),
		T_CASE(a_dead_peer_is_removed_with_its_last_message),
		T_CASE(closing_frees_the_messages_of_dead_peers),
		T_CASE(the_first_packet_of_a_peer_waits_for_memory),
		T_CASE(a_first_message_without_space_is_refused),
		T_CASE(a_request_after_a_one_sided_access_is_refused),
		T_CASE(a_request_waits_for_an_operation_of_the_target),
		T_CASE(no_response_is_lost_without_memory),
		T_CASE(an_atomic_delayed_by_lack_of_memory_executes_once),
		T_CASE(a_peer_that_misses_a_packet_is_lost),
	};

	return T_RUN(tests);
}
