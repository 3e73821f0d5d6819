/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datagrams with a valid header and CRC whose records, parts and
 * acknowledgements are forged: each row of a table differs from an accepted
 * exchange in one value. The datagrams are passed to the receive function, not
 * to a socket, so that the result is exact. All sequence numbers begin just
 * below 2^32.
 */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/sock/sock.h"
#include "test/support/log_text.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum {
	PKT = sizeof(struct weft_pkt),
	FULL = PKT + SOCK_MTU, /* largest packet */
	FIRST = -2,	       /* first sequence number, as int32_t */
	ROOM = 65536,
};

struct record {
	uint32_t more;
	uint32_t bytes; /* length of the content */
	int32_t claim;	/* number that is added to the length in the record */
	int32_t len;	/* added to the length in the packet's header */
};

struct row {
	const char *what;
	uint32_t flags;
	struct record r[2]; /* no second record if its bytes are 0 */
	uint32_t two;	    /* 1: each record is in a datagram of its own */
	uint32_t cut;	    /* bytes removed from the end */
	uint32_t got;	    /* packets delivered */
	int broken;
};

static union {
	struct sock_head head;
	uint8_t bytes[ROOM];
} dgram;

static struct end e;

static struct sock *forge_open(void)
{
	struct sock *s;

	T_OK(end_open(&e, &weft_carrier_sock, 1, NULL));
	s = sock_of(e.c);
	e.c->ops->poll(e.c, 1);
	sock_enter(s);
	return s;
}

/*
 * Returns a peer that never answers and that is known because of a first
 * datagram.
 */
static struct sock_peer *forge_peer(struct sock *s, int i)
{
	union weft_name name = { .in.sin_family = AF_INET,
				 .in.sin_port = htons((uint16_t)(1024 + i)) };
	struct sock_peer *p;

	name.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
	T_OK(sock_peer_get(s, &name, &p));
	weft_arq_win_init(&p->rx, (uint32_t)FIRST);
	p->tx.next = p->tx.acked = (uint32_t)FIRST;
	return p;
}

static void forge_close(struct sock *s, struct sock_peer **p, int n)
{
	for (int i = 0; i < n; i++)
		sock_peer_fail(s, p[i], ECONNRESET);
	sock_leave(s);
	end_close(&e);
}

/* Receives the datagram as from p; returns the result. */
static int forge_receive(struct sock *s, struct sock_peer *p, uint8_t kind,
			 uint32_t bytes)
{
	struct sock_head *h = &dgram.head;

	h->magic = SOCK_MAGIC;
	h->from = 7;
	h->kind = kind;
	h->bytes = (uint16_t)bytes;
	h->crc = sock_crc(s, h, bytes);
	return sock_rx_datagram(s, &p->name, dgram.bytes, bytes, 64);
}

/* Appends a record at `at`; returns where the next one begins. */
static uint32_t put_record(uint32_t at, const struct record *r, uint32_t packet)
{
	struct sock_record head = { .bytes = r->bytes + (uint32_t)r->claim,
				    .more = r->more };
	struct weft_pkt pkt = { .type = 1 };

	pkt.len = (uint16_t)(packet - PKT + (uint32_t)r->len);
	memcpy(dgram.bytes + at, &head, sizeof(head));
	memcpy(dgram.bytes + at + sizeof(head), &pkt,
	       r->bytes < PKT ? r->bytes : PKT);
	return (uint32_t)(at + sizeof(head) + r->bytes + 7) & ~7u;
}

static void receive_row(struct sock *s, struct sock_peer *p,
			const struct row *w)
{
	uint32_t parts = w->r[0].more == SOCK_PART ? w->r[1].bytes : 0;
	uint32_t at = sizeof(struct sock_head);
	uint32_t begin = at;

	memset(&dgram, 0, sizeof(dgram));
	dgram.head.flags = (uint8_t)w->flags;
	dgram.head.seq = (uint32_t)FIRST;
	at = put_record(at, &w->r[0], w->r[0].bytes + parts);
	if (w->two) {
		forge_receive(s, p, SOCK_DATA, at);
		dgram.head.seq++;
		at = begin;
	}
	if (w->two || w->r[1].bytes)
		at = put_record(at, &w->r[1], w->r[1].bytes);
	forge_receive(s, p, SOCK_DATA, at - w->cut);
}

/* The content of a record after the first part is not a packet's header. */
#define PARTS(a, b)                         \
	{                                   \
		{ SOCK_PART, a, 0, 0 },     \
		{                           \
			SOCK_WHOLE, b, 0, 0 \
		}                           \
	}
#define ONE(more, bytes, claim, len)            \
	{                                       \
		{                               \
			more, bytes, claim, len \
		}                               \
	}

static const struct row rows[] = {
	{ "a packet", 0, ONE(SOCK_WHOLE, 48, 0, 0), .got = 1 },
	{ "no payload", 0, ONE(SOCK_WHOLE, PKT, 0, 0), .got = 1 },
	{ "the largest", 0, ONE(SOCK_WHOLE, FULL, 0, 0), .got = 1 },
	{ "two packets",
	  0,
	  { { SOCK_WHOLE, 48, 0, 0 }, { SOCK_WHOLE, 40, 0, 0 } },
	  .got = 2 },
	{ "too large", 0, ONE(SOCK_WHOLE, FULL + 8, 0, 0), .broken = EPROTO },
	{ "less than a header", 0, ONE(SOCK_WHOLE, PKT - 8, 0, 0),
	  .broken = EPROTO },
	{ "record beyond its datagram", 0, ONE(SOCK_WHOLE, 48, 1, 1),
	  .broken = EPROTO },
	{ "length near 2^32", 0, ONE(SOCK_WHOLE, 48, -49, 0),
	  .broken = EPROTO },
	{ "datagram ends in a record's header",
	  0,
	  { { SOCK_WHOLE, 48, 0, 0 }, { SOCK_WHOLE, 32, 0, 0 } },
	  .cut = 36,
	  .got = 1,
	  .broken = EPROTO },
	{ "packet longer than its record", 0, ONE(SOCK_WHOLE, 48, 0, 1),
	  .broken = EPROTO },
	{ "packet shorter than its record", 0, ONE(SOCK_WHOLE, 48, 0, -1),
	  .broken = EPROTO },
	{ "no kind of record", 0, ONE(SOCK_MORE_COUNT, 48, 0, 0),
	  .broken = EPROTO },
	{ "last kind", 0, ONE(SOCK_PADDING, 48, 0, 0), .got = 0 },
	{ "packet after padding",
	  0,
	  { { SOCK_PADDING, 8, 0, 0 }, { SOCK_WHOLE, 40, 0, 0 } },
	  .got = 1 },
	{ "piece", SOCK_UNORDERED, ONE(SOCK_PIECE, 48, 0, 0), .got = 1 },
	{ "unordered", SOCK_UNORDERED, ONE(SOCK_UNORDERED_WHOLE, 48, 0, 0),
	  .got = 1 },
	{ "piece beyond its datagram", SOCK_UNORDERED,
	  ONE(SOCK_PIECE, 48, 1, 1), .broken = EPROTO },
	{ "ordered packet in an unordered datagram", SOCK_UNORDERED,
	  ONE(SOCK_WHOLE, 48, 0, 0), .broken = EPROTO },
	{ "part in an unordered datagram", SOCK_UNORDERED,
	  ONE(SOCK_PART, 48, 0, 0), .broken = EPROTO },
	{ "parts", 0, PARTS(40, 24), .two = 1, .got = 1 },
	{ "parts of the largest packet", 0, PARTS(FULL - 1, 1), .two = 1,
	  .got = 1 },
	{ "parts of more",
	  0,
	  { { SOCK_PART, FULL, 0, 0 }, { SOCK_PART, 1, 0, 0 } },
	  .two = 1,
	  .broken = EPROTO },
	{ "parts with another length",
	  0,
	  { { SOCK_PART, 40, 0, 1 }, { SOCK_WHOLE, 24, 0, 0 } },
	  .two = 1,
	  .broken = EPROTO },
	{ "empty first part", 0, ONE(SOCK_PART, 0, 0, 0), .broken = EPROTO },
	{ "empty last part", 0, PARTS(40, 0), .two = 1, .broken = EPROTO },
};

static void records_are_accepted_or_break_the_peer(void **state)
{
	enum { N = sizeof(rows) / sizeof(rows[0]) };
	struct sock *s = forge_open();
	struct sock_peer *p[N];

	for (int i = 0; i < N; i++) {
		uint64_t got = e.got, refused = s->stats.refused;

		p[i] = forge_peer(s, i);
		receive_row(s, p[i], &rows[i]);
		if (e.got != got + rows[i].got ||
		    p[i]->broken != rows[i].broken ||
		    s->stats.refused != refused + (rows[i].broken != 0))
			fail_msg("%s: %u packets, error %d", rows[i].what,
				 (unsigned)(e.got - got), p[i]->broken);
	}
	forge_close(s, p, N);
}

/* Datagrams in any order around 2^32 are delivered in order, once each. */
static void sequence_numbers_wrap_around(void **state)
{
	static const uint32_t order[] = { 3, 1, 3, 0, 0, 2, 1, 4 };
	static const uint32_t got[] = { 0, 0, 0, 2, 2, 4, 4, 5 };
	const struct record r = { SOCK_WHOLE, 48, 0, 0 };
	struct sock *s = forge_open();
	struct sock_peer *p = forge_peer(s, 1);

	for (size_t i = 0; i < WEFT_COUNT_OF(order); i++) {
		memset(&dgram, 0, sizeof(dgram));
		dgram.head.seq = (uint32_t)FIRST + order[i];
		forge_receive(s, p, SOCK_DATA,
			      put_record(sizeof(dgram.head), &r, r.bytes));
		T_IS(e.got, got[i]);
	}
	T_IS(p->rx.next, 3);
	/* the last number of the window, and the first beyond it */
	dgram.head.seq = 3 + SOCK_WINDOW;
	forge_receive(s, p, SOCK_DATA, sizeof(dgram.head) + 56);
	T_IS(p->held, 0);
	dgram.head.seq = 3 + SOCK_WINDOW - 1;
	forge_receive(s, p, SOCK_DATA, sizeof(dgram.head) + 56);
	T_IS(p->held, sizeof(dgram.head) + 56);
	T_IS(e.got, 5);
	forge_close(s, &p, 1);
}

static void forge_ack(struct sock *s, struct sock_peer *p, uint32_t ack,
		      uint64_t bits, uint32_t room)
{
	memset(&dgram, 0, sizeof(dgram));
	dgram.head.to = s->gen;
	dgram.head.ack = ack;
	dgram.head.ack_bits = bits;
	dgram.head.room = room;
	forge_receive(s, p, SOCK_ACK, sizeof(dgram.head));
}

/*
 * An acknowledgement of a number that was never sent, or that is older than the
 * last one, changes nothing.
 */
static void impossible_acknowledgements_are_ignored(void **state)
{
	struct sock *s = forge_open();
	struct sock_peer *p = forge_peer(s, 1);
	uint32_t first = (uint32_t)FIRST;

	forge_receive(s, p, SOCK_HELLO, sizeof(dgram.head));
	forge_ack(s, p, first, 0, 1 << 20);
	T_IS(p->room, 1 << 20);
	for (int i = 0; i < 4; i++) {
		T_OK(end_send(&e, &p->base, (uint64_t)i, 4096));
		sock_tx_send_open(s, p);
	}
	T_IS(weft_arq_in_flight(&p->tx), 4);
	forge_ack(s, p, first + 5, 0, 1);
	forge_ack(s, p, first - 1, 0, 1);
	forge_ack(s, p, first + 0x80000000u, 0, 1);
	T_IS(p->room, 1 << 20);
	T_IS(weft_arq_in_flight(&p->tx), 4);
	forge_ack(s, p, first + 3, 0, 2000000);
	T_IS(p->room, 2000000);
	T_IS(weft_arq_in_flight(&p->tx), 1);
	forge_ack(s, p, first + 4, 0, 3000000);
	T_IS(p->room, 3000000);
	T_IS(weft_arq_in_flight(&p->tx), 0);
	T_IS(p->inflight_bytes, 0);
	forge_close(s, &p, 1);
}

/*
 * Neither datagrams in flight nor the one that is being filled remain, and none
 * is freed twice when the endpoint is closed.
 */
static void a_lost_peer_keeps_no_datagram(void **state)
{
	struct sock *s = forge_open();
	struct sock_peer *p = forge_peer(s, 1);

	forge_receive(s, p, SOCK_HELLO, sizeof(dgram.head));
	forge_ack(s, p, (uint32_t)FIRST, 0, 1 << 20);
	s->polling = true; /* packets wait for the end of the pass */
	T_OK(end_send(&e, &p->base, 0, 4096));
	sock_tx_send_open(s, p);
	T_OK(end_send(&e, &p->base, 1, 8));
	s->polling = false;
	sock_tx_mark_unsent(p, (uint32_t)FIRST);
	T_IS(p->losses, 1);
	T_IS(weft_arq_in_flight(&p->tx), 1);
	T_NOT_NULL(p->open);
	sock_peer_fail(s, p, ECONNRESET);
	T_IS(weft_arq_in_flight(&p->tx), 0);
	T_NULL(p->open);
	T_IS(p->losses, 0);
	T_IS(p->inflight_bytes, 0);
	T_IS(end_send(&e, &p->base, 2, 8), -ECONNRESET);
	forge_close(s, &p, 1);
}

static int receive_version(struct sock *s, struct sock_peer *p, uint32_t magic)
{
	uint32_t bytes = sizeof(struct sock_head);

	memset(&dgram, 0, sizeof(dgram));
	dgram.head = (struct sock_head){ .magic = magic,
					 .from = 7,
					 .kind = SOCK_HELLO,
					 .bytes = (uint16_t)bytes };
	dgram.head.crc = sock_crc(s, &dgram.head, bytes);
	return sock_rx_datagram(s, &p->name, dgram.bytes, bytes, 64);
}

/* A damaged datagram is not mistaken for a datagram of another version. */
static void another_version_is_named(void **state)
{
	struct sock *s = forge_open();
	struct sock_peer *p = forge_peer(s, 0);

	log_text_begin();
	T_IS(receive_version(s, p, SOCK_MAGIC + 256), -EBADMSG);
	dgram.head.magic = SOCK_MAGIC + 1;
	T_IS(sock_rx_datagram(s, &p->name, dgram.bytes,
			      sizeof(struct sock_head), 64),
	     -EBADMSG);
	T_FALSE(log_text_contains("version"));
	log_text_begin();
	T_IS(receive_version(s, p, SOCK_MAGIC + 1), -EBADMSG);
	T_TRUE(log_text_contains("a datagram of a peer has format 6, this "
				 "process has format 5:"));
	forge_close(s, &p, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(records_are_accepted_or_break_the_peer),
		T_CASE(sequence_numbers_wrap_around),
		T_CASE(impossible_acknowledgements_are_ignored),
		T_CASE(a_lost_peer_keeps_no_datagram),
		T_CASE(another_version_is_named),
	};

	return T_RUN(tests);
}
