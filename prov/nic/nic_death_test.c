/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The death of a peer at every step of every protocol of the engine: at its
 * k-th packet, and after its k-th poll, for all k until the exchange completes.
 * Afterwards every request of the survivor has ended, the survivor exchanges
 * messages with a third endpoint, and nothing is left allocated.
 */
#include "test/support/carrier_fixture.h"
#include "test/support/nic_pair.h"

#include <malloc.h>

enum {
	EAGER = 1024, /* limit of eager messages */
	LEN = 5000,   /* length of a message sent by rendezvous */
	POLLS = 200000,
	STEPS = 400, /* more steps than an exchange has */
};

/* ---- allocations --------------------------------------------------------- */

static long allocated;

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
void __real_free(void *p);
void __wrap_free(void *p);

void *__wrap_malloc(size_t n)
{
	allocated++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocated++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	allocated += !p;
	return __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
	allocated++;
	return __real_aligned_alloc(align, n);
}

void __wrap_free(void *p)
{
	allocated -= p != NULL;
	__real_free(p);
}

/* ---- exchanges ----------------------------------------------------------- */

/* The survivor a, its peer b, which dies, and a third endpoint c. */
static struct trio {
	struct side a, b, c;
	unsigned posted; /* number of requests that a has posted */
	/* number of a's sends by rendezvous that no receive matches */
	unsigned unmatched;
	char out[2][2][LEN], in[2][2][LEN];
	uint64_t word[2][4];
} * t;

/* Counts a request posted by a; the engine does not own a refused request. */
static void posted(struct side *s, struct weft_nic_op *op, int err)
{
	if (err)
		weft_nic_op_put(op);
	else
		t->posted += s == &t->a;
}

static void send_to(struct side *s, void *buf, size_t len, uint64_t tag,
		    unsigned flags)
{
	struct weft_nic_op *op = side_request(s, WEFT_SEND, buf, len);

	op->flags = (uint16_t)(WEFT_OP_TAGGED | flags);
	op->tag = tag;
	posted(s, op, weft_nic_send(s->nic, op));
}

static void recv_from(struct side *s, void *buf, size_t len, uint64_t tag)
{
	struct weft_nic_op *op = side_request(s, WEFT_RECV, buf, len);

	op->flags = WEFT_OP_TAGGED;
	op->m.src = s->peer->index;
	op->m.tag = tag;
	op->m.ignore = 0;
	posted(s, op, weft_nic_recv(s->nic, op));
}

static void rma(struct side *s, uint8_t kind, void *buf, size_t len)
{
	struct weft_nic_op *op = side_request(s, kind, buf, len);

	posted(s, op, weft_nic_rma(s->nic, op));
}

static void atomic(struct side *s, uint8_t kind, uint64_t word[4])
{
	struct weft_nic_op *op =
		side_request(s, kind, &word[0], sizeof(word[0]));

	op->at_op = kind == WEFT_COMPARE ? WEFT_NUM_CSWAP : WEFT_NUM_SUM;
	op->at_type = WEFT_NUM_U64;
	op->result[0].iov_base = &word[1];
	op->result[0].iov_len = sizeof(word[1]);
	op->result_count = kind != WEFT_ATOMIC;
	op->compare[0].iov_base = &word[2];
	op->compare[0].iov_len = sizeof(word[2]);
	op->compare_count = kind == WEFT_COMPARE;
	posted(s, op, weft_nic_atomic(s->nic, op));
}

/*
 * Posts two sends and two receives at side s. Like every exchange function, it
 * runs one side of an exchange; i: 0 at a, 1 at b.
 */

static void messages(struct side *s, int i, size_t len, unsigned flags)
{
	for (int k = 0; k < 2; k++)
		send_to(s, t->out[i][k], len, (uint64_t)k, flags);
	for (int k = 0; k < 2; k++)
		recv_from(s, t->in[i][k], len, (uint64_t)k);
}

static void eager(struct side *s, int i)
{
	messages(s, i, 600, 0);
}

static void acknowledged(struct side *s, int i)
{
	messages(s, i, 8, WEFT_OP_ACK);
}

static void rendezvous(struct side *s, int i)
{
	messages(s, i, LEN, 0);
}

/*
 * Sends messages that no receive matches: multi-packet eager, and rendezvous.
 */
static void unexpected(struct side *s, int i)
{
	send_to(s, t->out[i][0], EAGER, 20, 0);
	send_to(s, t->out[i][1], LEN, 21, 0);
	t->unmatched = 1;
	messages(s, i, 8, WEFT_OP_ACK);
}

static void one_sided(struct side *s, int i)
{
	rma(s, WEFT_WRITE, t->out[i][0], 3000);
	rma(s, WEFT_READ, t->in[i][0], 3000);
	rma(s, WEFT_WRITE, t->out[i][1], 8);
	rma(s, WEFT_READ, t->in[i][1], 8);
}

static void atomics(struct side *s, int i)
{
	atomic(s, WEFT_ATOMIC, t->word[i]);
	atomic(s, WEFT_FETCH, t->word[i]);
	atomic(s, WEFT_COMPARE, t->word[i]);
}

/* ---- deaths -------------------------------------------------------------- */

static void trio_open(const struct grid *g, const char *faults)
{
	struct grid dying = *g;

	dying.faults = faults;
	t = calloc(1, sizeof(*t));
	T_NOT_NULL(t);
	side_open(&t->a, g);
	side_open(&t->b, &dying);
	side_open(&t->c, g);
	t->a.peer = peer_of(&t->a, &t->b);
	t->b.peer = peer_of(&t->b, &t->a);
	t->c.peer = peer_of(&t->c, &t->a);
}

static void trio_close(void)
{
	weft_nic_close(t->a.nic);
	weft_nic_close(t->b.nic);
	weft_nic_close(t->c.nic);
	free(t);
}

static bool b_is_dead(void)
{
	return end_is_dead(weft_nic_carrier(t->b.nic));
}

/* Returns whether both sides completed all requests that need no receive. */
static bool all_expected_ended(void)
{
	return t->a.completions + t->unmatched >= t->posted &&
	       t->b.completions + t->unmatched >= t->posted;
}

/*
 * Polls a and b until all requests have ended; b dies after `polls` polls of
 * one packet each, or not at a poll if `polls` is 0.
 */
static void run_exchange(unsigned polls)
{
	for (unsigned n = 1; n < POLLS; n++) {
		weft_nic_poll(t->b.nic, 1);
		if (n == polls)
			end_kill(weft_nic_carrier(t->b.nic));
		weft_nic_poll(t->a.nic, 8);
		if (b_is_dead() ? t->a.completions >= t->posted
				: all_expected_ended())
			return;
	}
	fail_msg("%u of %u requests ended", t->a.completions, t->posted);
}

/* Endpoints a and c exchange messages in both directions. */
static void survivors_go_on(void)
{
	struct weft_peer *dead = t->a.peer;
	unsigned a = t->a.completions, c = t->c.completions;

	memset(t->out, 7, sizeof(t->out));
	memset(t->in, 0, sizeof(t->in));
	t->a.peer = peer_of(&t->a, &t->c);
	T_TRUE(t->a.peer != dead);
	for (int k = 0; k < 2; k++) {
		size_t len = k ? LEN : 40;

		recv_from(&t->a, t->in[0][k], len, 9);
		recv_from(&t->c, t->in[1][k], len, 9);
		send_to(&t->a, t->out[0][k], len, 9, 0);
		send_to(&t->c, t->out[1][k], len, 9, 0);
		for (unsigned n = 0; n < POLLS && (t->a.completions < a + 2 ||
						   t->c.completions < c + 2);
		     n++) {
			weft_nic_poll(t->a.nic, 8);
			weft_nic_poll(t->c.nic, 8);
		}
		T_IS(t->a.completions, a += 2);
		T_IS(t->c.completions, c += 2);
		T_MEM(t->in[0][k], t->out[0][k], len);
		T_MEM(t->in[1][k], t->out[1][k], len);
	}
}

/*
 * Fails if a request has an error although b is alive, or an error other than
 * that of a dead peer.
 */
static void check_errors(bool died)
{
	for (unsigned i = 0; i < t->a.completions; i++) {
		int err = t->a.completion[i].err;

		if (err && (!died || (err != -ECONNRESET && err != -ESHUTDOWN)))
			fail_msg("request %u ended with %d", i, err);
	}
}

/* Runs the exchange once. Returns whether b died during the exchange. */
static bool exchange_dies(const struct grid *g,
			  void (*exchange)(struct side *, int),
			  unsigned packets, unsigned polls)
{
	char faults[32];
	long before = allocated;
	bool died;

	snprintf(faults, sizeof(faults), "die=%u", packets);
	trio_open(g, packets ? faults : NULL);
	exchange(&t->a, 0);
	exchange(&t->b, 1);
	run_exchange(polls);
	died = b_is_dead();
	check_errors(died);
	if (died || !t->unmatched)
		survivors_go_on();
	trio_close();
	T_IS(allocated, before);
	return died;
}

/* Lets b die at every packet and, if `polls` is set, after every poll. */
static void die_at_every_step(const struct grid *g,
			      void (*exchange)(struct side *, int), bool polls)
{
	unsigned k = 0;

	T_FALSE(exchange_dies(g, exchange, 0, 0));
	while (exchange_dies(g, exchange, ++k, 0))
		T_TRUE(k < STEPS);
	T_TRUE(k > 1);
	for (k = 1; polls && exchange_dies(g, exchange, 0, k); k++)
		T_TRUE(k < STEPS);
}

/*
 * Runs an exchange on all machines, with and without DMA. Unless LONG=1 is set
 * in the environment, deaths after polls are tested on the first machine only,
 * and each other machine is tested once.
 */
static void die_everywhere(void (*exchange)(struct side *, int))
{
	bool all = getenv("LONG") != NULL;
	const struct weft_machine *m;

	for (unsigned i = 0; (m = weft_machine_at(i)); i++) {
		for (unsigned no_dma = 0; no_dma < 2; no_dma++) {
			const struct grid g = { .machine = m->name,
						.no_dma = no_dma,
						.eager_bytes = EAGER };

			if (!all && i &&
			    (i % 2 != no_dma || t_scale(100) < 100))
				continue;
			die_at_every_step(&g, exchange, all || !i);
		}
	}
}

static void eager_messages_end_at_every_death(void **state)
{
	die_everywhere(eager);
	die_everywhere(acknowledged);
	die_everywhere(unexpected);
}

static void rendezvous_ends_at_every_death(void **state)
{
	die_everywhere(rendezvous);
}

static void one_sided_accesses_end_at_every_death(void **state)
{
	die_everywhere(one_sided);
}

static void atomics_end_at_every_death(void **state)
{
	die_everywhere(atomics);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(eager_messages_end_at_every_death),
		T_CASE(rendezvous_ends_at_every_death),
		T_CASE(one_sided_accesses_end_at_every_death),
		T_CASE(atomics_end_at_every_death),
	};

	/* keeps freed memory: every exchange opens and closes three endpoints
	 */
	mallopt(M_TRIM_THRESHOLD, INT32_MAX);
	mallopt(M_MMAP_THRESHOLD, INT32_MAX);
	return T_RUN(tests);
}
