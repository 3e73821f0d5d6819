/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datagrams of a hostile peer: valid exchanges whose header, records, order and
 * length are changed (test/support/fuzz.h), with a correct CRC, so that the
 * checks behind it are reached. No access outside a datagram is allowed, and
 * another peer must stay connected.
 */
#include "test/support/carrier_fixture.h"
#include "test/support/fuzz.h"
#include "prov/carrier/sock/sock.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 2048, PKT = sizeof(struct weft_pkt), STEPS = 8 };

static const struct fuzz_field fields[] = {
	FUZZ_FIELD(struct sock_head, from, 0),
	FUZZ_FIELD(struct sock_head, to, 0),
	FUZZ_FIELD(struct sock_head, seq, 0),
	FUZZ_FIELD(struct sock_head, seq, 0),
	FUZZ_FIELD(struct sock_head, ack, 0),
	FUZZ_FIELD(struct sock_head, ack_bits, 0),
	FUZZ_FIELD(struct sock_head, room, 0),
	FUZZ_FIELD(struct sock_head, stamp, 0),
	FUZZ_FIELD(struct sock_head, echo, 0),
	FUZZ_FIELD(struct sock_head, kind, 0),
	FUZZ_FIELD(struct sock_head, flags, 0),
	FUZZ_FIELD(struct sock_head, count, 0),
	/* the first record and its packet */
	FUZZ_FIELD(struct sock_record, bytes, 64),
	FUZZ_FIELD(struct sock_record, bytes, 64),
	FUZZ_FIELD(struct sock_record, more, 64),
	FUZZ_FIELD(struct weft_pkt, len, 72),
	FUZZ_FIELD(struct weft_pkt, type, 72),
	/* the second record and its packet */
	FUZZ_FIELD(struct sock_record, bytes, 72 + 48),
	FUZZ_FIELD(struct sock_record, more, 72 + 48),
	FUZZ_FIELD(struct weft_pkt, len, 80 + 48),
};

static union {
	struct sock_head head;
	uint8_t bytes[ROOM];
} dgram;

static size_t put_record(size_t at, uint32_t more, uint32_t bytes)
{
	struct sock_record r = { .bytes = bytes, .more = more };
	struct weft_pkt pkt = { .type = 1, .len = (uint16_t)(bytes - PKT) };

	memcpy(dgram.bytes + at, &r, sizeof(r));
	memcpy(dgram.bytes + at + sizeof(r), &pkt, PKT);
	return at + sizeof(r) + bytes;
}

/* Builds datagram number `step` of a valid exchange; returns its length. */
static size_t build(const struct sock *s, int step)
{
	static const uint8_t kind[STEPS] = { SOCK_HELLO, SOCK_DATA, SOCK_ACK,
					     SOCK_DATA,	 SOCK_DATA, SOCK_DATA,
					     SOCK_ACK,	 SOCK_BYE };
	static const uint32_t more[STEPS][2] = {
		[1] = { SOCK_WHOLE, SOCK_WHOLE },
		[3] = { SOCK_WHOLE, SOCK_PART },
		[4] = { SOCK_WHOLE, SOCK_PADDING },
		[5] = { SOCK_UNORDERED_WHOLE, SOCK_PIECE },
	};
	static const uint32_t seq[STEPS] = { 0, 0, 0, 1, 2, 3, 4, 4 };
	size_t len = sizeof(struct sock_head);

	memset(&dgram, 0, sizeof(dgram));
	dgram.head = (struct sock_head){ .magic = SOCK_MAGIC,
					 .from = 7,
					 .to = s->gen,
					 .seq = seq[step],
					 .room = 1 << 20,
					 .stamp = 1,
					 .kind = kind[step],
					 .count = (uint64_t)step + 1 };
	if (kind[step] == SOCK_ACK)
		return len + 16; /* 16 bytes: further words of the bitmap */
	if (kind[step] != SOCK_DATA)
		return len;
	if (step == 5)
		dgram.head.flags = SOCK_UNORDERED;
	len = put_record(len, more[step][0], 48);
	return put_record(len, more[step][1], 40);
}

/* Receives from a block of exactly that size, so that overreads are found. */
static void receive(struct sock *s, const union weft_name *from, size_t len)
{
	struct sock_head *h;

	/* the socket's functions drop shorter datagrams */
	if (len < sizeof(*h))
		return;
	h = malloc(len);
	T_NOT_NULL(h);
	memcpy(h, &dgram, len);
	h->bytes = (uint16_t)len;
	h->crc = sock_crc(s, h, (uint32_t)len);
	sock_rx_datagram(s, from, (uint8_t *)h, (uint32_t)len, 64);
	free(h);
}

static void hostile_exchange(struct sock *s, struct fuzz *f, int round)
{
	union weft_name name = { .in.sin_family = AF_INET };
	int order[STEPS + 3];
	int n = STEPS;

	name.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
	name.in.sin_port = htons((uint16_t)(1024 + round % 60000));
	for (int i = 0; i < STEPS; i++)
		order[i] = i;
	for (int i = 0; i < 2; i++)
		n = fuzz_order(f, order, n, STEPS + 3);
	for (int i = 0; i < n; i++) {
		size_t len = build(s, order[i]);

		if (fuzz_chance(f, 3))
			len = fuzz_message(f, &dgram, len, 300, fields,
					   WEFT_COUNT_OF(fields));
		receive(s, &name, len);
	}
}

static void fail_peers(struct sock *s)
{
	for (uint32_t i = 0; i < s->peer_count; i++) {
		if (!s->peer[i]->broken)
			sock_peer_fail(s, s->peer[i], ECONNRESET);
	}
}

static void changed_datagrams_are_refused_or_delivered(void **state)
{
	enum { SENT = 3 };
	struct end e, good;
	struct sock *s;
	struct fuzz f;

	for (uint64_t seed = 1; seed <= 4; seed++) {
		fuzz_init(&f, seed);
		T_OK(end_open(&e, &weft_carrier_sock, 1, NULL));
		s = sock_of(e.c);
		for (int i = 0; i < fuzz_rounds(500); i++) {
			sock_enter(s);
			hostile_exchange(s, &f, i);
			sock_leave(s);
		}
		T_TRUE(s->stats.refused > 0);
		T_TRUE(e.got > 0);
		/* a valid peer is still served */
		T_OK(end_open(&good, &weft_carrier_sock, 2, NULL));
		e.got = 0;
		for (uint64_t n = 0; n < SENT; n++)
			T_OK(end_send_all(&good, end_peer(&good, &e), n, 2000,
					  20));
		T_TRUE(end_wait_got(&e, SENT, 20));
		sock_enter(s);
		fail_peers(s);
		sock_leave(s);
		end_close(&good);
		end_close(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(changed_datagrams_are_refused_or_delivered),
	};

	return T_RUN(tests);
}
