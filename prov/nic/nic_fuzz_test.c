/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of a hostile peer, on every machine: two endpoints exchange messages,
 * one-sided accesses and atomics, and the carrier of one corrupts some of the
 * packets that it sends (test/support/fuzz.h): header fields, integers in the
 * payload, lengths; it also duplicates and drops packets. The other endpoint
 * must not access memory outside packets and buffers, and must still serve a
 * third endpoint.
 */
#include "test/support/fuzz.h"
#include "test/support/nic_pair.h"

enum { LEN = 5000, ROOM = 8192, POLLS = 300 };

static struct fuzz f;
static unsigned one_in; /* one in this many packets is changed; 0: none */
static unsigned changed;

/* ---- a carrier that changes packets -------------------------------------- */

/* Fields of struct weft_pkt, then words of the payload. */
static const struct fuzz_field fields[] = {
	FUZZ_FIELD(struct weft_pkt, type, 0),
	FUZZ_FIELD(struct weft_pkt, flags, 0),
	FUZZ_FIELD(struct weft_pkt, carrier, 0),
	FUZZ_FIELD(struct weft_pkt, unit, 0),
	FUZZ_FIELD(struct weft_pkt, aux, 0),
	FUZZ_FIELD(struct weft_pkt, tag, 0),
	FUZZ_FIELD(struct weft_pkt, data, 0),
	{ 32, 2 },
	{ 34, 2 },
	{ 32, 4 },
	{ 36, 4 },
	{ 32, 8 },
	{ 40, 4 },
	{ 40, 8 },
	{ 44, 4 },
	{ 48, 8 },
	{ 52, 4 },
	{ 56, 8 },
	{ 60, 4 },
	{ 64, 8 },
	{ 72, 8 },
};

static int send_changed(struct weft_carrier *c, struct weft_peer *peer,
			const struct weft_pkt *pkt, const struct iovec *iov,
			int count)
{
	static uint8_t message[sizeof(*pkt) + ROOM];
	size_t len = sizeof(*pkt);
	struct weft_pkt head;
	struct iovec one;
	int rc = 0;

	memcpy(message, pkt, sizeof(*pkt));
	for (int i = 0; i < count; i++) {
		memcpy(message + len, iov[i].iov_base, iov[i].iov_len);
		len += iov[i].iov_len;
	}
	len = fuzz_message(&f, message, len, sizeof(message), fields,
			   WEFT_COUNT_OF(fields));
	/* truncated inside the header: the packet is dropped */
	if (len < sizeof(head))
		return 0;
	memcpy(&head, message, sizeof(head));
	/* the carrier checks this length itself */
	head.len = (uint16_t)(len - sizeof(head));
	one.iov_base = message + sizeof(head);
	one.iov_len = head.len;
	for (int i = 0; !rc && i <= fuzz_chance(&f, 8); i++)
		rc = weft_carrier_loop.send(c, peer, &head, &one, 1);
	return rc;
}

static int hostile_send(struct weft_carrier *c, struct weft_peer *peer,
			const struct weft_pkt *pkt, const struct iovec *iov,
			int count)
{
	if (!one_in || !fuzz_chance(&f, one_in))
		return weft_carrier_loop.send(c, peer, pkt, iov, count);
	changed++;
	return send_changed(c, peer, pkt, iov, count);
}

static struct weft_carrier_ops hostile;

static int hostile_open(const struct weft_carrier_attr *attr,
			struct weft_carrier **c_p)
{
	int rc = weft_carrier_loop.open(attr, c_p);

	if (!rc)
		(*c_p)->ops = &hostile;
	return rc;
}

/* ---- the exchange -------------------------------------------------------- */

static char out[2][LEN], in[2][LEN];
static uint64_t word[2][4];

static void posted(struct weft_nic_op *op, int err)
{
	if (err)
		weft_nic_op_put(op);
}

static void send_and_receive(struct side *s, int i, size_t len, uint64_t tag)
{
	struct weft_nic_op *op = side_request(s, WEFT_SEND, out[i], len);

	op->flags = WEFT_OP_TAGGED | (len < 100 ? WEFT_OP_ACK : 0);
	op->tag = tag;
	posted(op, weft_nic_send(s->nic, op));
	op = side_request(s, WEFT_RECV, in[i], len);
	op->flags = WEFT_OP_TAGGED;
	op->m.src = WEFT_MATCH_ANY;
	op->peer = NULL;
	op->m.tag = tag;
	op->m.ignore = 0;
	posted(op, weft_nic_recv(s->nic, op));
}

static void atomic(struct side *s, int i, uint8_t kind)
{
	struct weft_nic_op *op = side_request(s, kind, &word[i][0], 8);

	op->at_op = kind == WEFT_COMPARE ? WEFT_NUM_CSWAP : WEFT_NUM_SUM;
	op->at_type = WEFT_NUM_U64;
	op->result[0].iov_base = &word[i][1];
	op->result[0].iov_len = 8;
	op->result_count = kind != WEFT_ATOMIC;
	op->compare[0].iov_base = &word[i][2];
	op->compare[0].iov_len = 8;
	op->compare_count = kind == WEFT_COMPARE;
	posted(op, weft_nic_atomic(s->nic, op));
}

static void exchange(struct side *s, int i)
{
	struct weft_nic_op *op;

	send_and_receive(s, i, 8, 1);
	send_and_receive(s, i, 900, 2);
	send_and_receive(s, i, LEN, 3);
	op = side_request(s, WEFT_WRITE, out[i], 3000);
	posted(op, weft_nic_rma(s->nic, op));
	op = side_request(s, WEFT_READ, in[i], 3000);
	posted(op, weft_nic_rma(s->nic, op));
	for (uint8_t kind = WEFT_ATOMIC; kind <= WEFT_COMPARE; kind++)
		atomic(s, i, kind);
}

/* Endpoint a still exchanges messages with an honest endpoint. */
static void honest_peer_is_served(struct side *a, const struct grid *g)
{
	struct side *c = calloc(1, sizeof(*c));
	unsigned polls = 0;

	T_NOT_NULL(c);
	side_open(c, g);
	c->peer = peer_of(c, a);
	c->completions = 0;
	T_OK(try_send(c, out[0], 600, 77, WEFT_OP_ACK));
	post_recv(a, in[0], 600, 77, WEFT_MATCH_ANY);
	while (!c->completions && polls++ < 100000) {
		weft_nic_poll(a->nic, 8);
		weft_nic_poll(c->nic, 8);
	}
	T_IS(c->completions, 1);
	T_IS(c->completion[0].err, 0);
	weft_nic_close(c->nic);
	free(c);
}

static void run_hostile(const struct grid *g)
{
	struct grid bad = *g;
	struct world *w = calloc(1, sizeof(*w));

	T_NOT_NULL(w);
	bad.carrier = &hostile;
	one_in = 1 + (unsigned)weft_rng_below(&f.rng, 12);
	side_open(&w->a, g);
	side_open(&w->b, &bad);
	w->a.peer = peer_of(&w->a, &w->b);
	w->b.peer = peer_of(&w->b, &w->a);
	exchange(&w->a, 0);
	exchange(&w->b, 1);
	for (int i = 0; i < POLLS; i++)
		poll_both(w);
	one_in = 0;
	honest_peer_is_served(&w->a, g);
	weft_nic_close(w->b.nic);
	weft_nic_close(w->a.nic);
	free(w);
}

static void hostile_packets_break_no_machine(void **state)
{
	const struct weft_machine *m;

	hostile = weft_carrier_loop;
	hostile.open = hostile_open;
	hostile.send = hostile_send;
	for (unsigned i = 0; (m = weft_machine_at(i)); i++) {
		fuzz_init(&f, 100 + i);
		changed = 0;
		for (int k = 0; k < fuzz_rounds(20); k++) {
			const struct grid g = { .machine = m->name,
						.no_dma = true,
						.eager_bytes = 1024 };

			run_hostile(&g);
		}
		T_TRUE(changed > 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(hostile_packets_break_no_machine),
	};

	return T_RUN(tests);
}
