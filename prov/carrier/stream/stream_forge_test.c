/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that are not peers, or that send invalid messages: handshakes with
 * a wrong key, name or incarnation, replays, garbage, many connections, forged
 * records.
 */
#include "test/support/log_text.h"
#include "test/support/stream_pair.h"

#include <fcntl.h>

/* ---- handshake ----------------------------------------------------------- */

/* Connects A to B; returns whether B accepts before A gives up. */
static bool accepts(struct pair *p)
{
	stream_connect(&p->a.st, &p->a.other);
	T_NOT_NULL(p->a.other.out);
	PAIR_UNTIL(p, stream_peer_ready(&p->b.other) || !p->a.other.out);
	pair_poll(p, 5);
	return stream_peer_ready(&p->b.other);
}

static void only_the_key_opens_a_stream(void **state)
{
	for (int i = 0; i < (int)STREAM_KEY_BYTES; i += 5) {
		struct pair *p = pair_open(STREAM_TAGGED);

		p->b.other.key[i] ^= 1;
		T_FALSE(accepts(p));
		T_IS(p->a.st.stats.connects, 0);
		pair_close(p);
	}
}

static void other_incarnations_are_refused(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);

	p->a.other.gen++;
	T_FALSE(accepts(p));
	T_IS(p->b.st.stats.refused, 1);
	pair_close(p);
	p = pair_open(STREAM_OPEN);
	p->b.other.gen++;
	T_FALSE(accepts(p));
	T_IS(p->b.st.stats.refused, 1);
	pair_close(p);
}

static void unknown_peers_and_other_modes_are_refused(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);

	p->b.unknown = true;
	T_FALSE(accepts(p));
	T_IS(p->b.st.stats.refused, 1);
	pair_close(p);
	p = pair_open(STREAM_TAGGED);
	p->a.st.attr.encrypt = true;
	T_FALSE(accepts(p));
	T_IS(p->b.st.stats.refused, 1);
	pair_close(p);
}

/* Connects an unrelated process to B; returns the socket. */
static int outsider(struct pair *p)
{
	int fd = socket(t_family(), SOCK_STREAM, 0);

	T_OK(connect(fd, (struct sockaddr *)&p->b.st.attr.name,
		     sizeof(p->b.st.attr.name)));
	T_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
	return fd;
}

/* Returns whether B has closed the connection. */
static bool outsider_closed(int fd)
{
	uint8_t byte[256];
	ssize_t n = recv(fd, byte, sizeof(byte), 0);

	return !n || (n < 0 && errno != EAGAIN);
}

/* B uses a new nonce for every connection, so a recorded proof is invalid. */
static void a_replayed_handshake_is_refused(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	struct stream_hello hello;
	uint8_t proof[STREAM_PROOF];
	uint8_t answer[sizeof(struct stream_answer)];
	int fd;

	pair_connect(p);
	hello = p->a.other.out->hello;
	memcpy(proof, p->a.other.out->proof, sizeof(proof));
	fd = outsider(p);
	T_IS(send(fd, &hello, sizeof(hello), 0), sizeof(hello));
	PAIR_UNTIL(p, recv(fd, answer, sizeof(answer), 0) == sizeof(answer));
	T_IS(send(fd, proof, sizeof(proof), 0), sizeof(proof));
	PAIR_UNTIL(p, outsider_closed(fd));
	T_IS(p->b.st.stats.refused, 1);
	T_IS(p->b.st.stats.accepts, 1);
	/* the peer's own connection is not affected */
	T_TRUE(stream_peer_ready(&p->b.other));
	close(fd);
	pair_close(p);
}

static void another_version_is_named(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	struct stream_hello hello = { .magic = STREAM_MAGIC + 1 };
	int fd = outsider(p);

	log_text_begin();
	T_IS(send(fd, &hello, sizeof(hello), 0), sizeof(hello));
	PAIR_UNTIL(p, outsider_closed(fd));
	T_TRUE(log_text_contains("the connection of a peer has format 3, this "
				 "process has format 2:"));
	T_IS(p->b.st.stats.refused, 1);
	close(fd);
	pair_close(p);
}

static void garbage_is_refused(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	uint8_t bytes[200];
	int fd = outsider(p);

	t_fill(bytes, sizeof(bytes), 9);
	T_IS(send(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	PAIR_UNTIL(p, outsider_closed(fd));
	T_IS(p->b.st.stats.refused, 1);
	close(fd);
	pair_close(p);
}

static void a_silent_connection_has_a_time_limit(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	int fd = outsider(p);

	T_IS(send(fd, "WST1", 4, 0), 4);
	PAIR_UNTIL(p, p->b.st.accepted_count == 1);
	p->now += STREAM_GREETING_NS + UINT64_C(1000000000);
	PAIR_UNTIL(p, outsider_closed(fd));
	T_IS(p->b.st.accepted_count, 0);
	close(fd);
	pair_close(p);
}

static void a_thousand_connections_hold_few_records(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);

	for (int i = 0; i < 1000; i++) {
		int fd = outsider(p);

		pair_poll(p, 1);
		T_TRUE(p->b.st.accepted_count <= STREAM_GREETING_MAX + 4);
		close(fd);
	}
	pair_connect(p);
	T_TRUE(stream_peer_ready(&p->b.other));
	pair_close(p);
}

/*
 * Half-open connections of unrelated processes do not prevent a peer from
 * connecting.
 */
static void a_peer_connects_beside_half_open_connections(void **state)
{
	enum { N = 40 };
	struct pair *p = pair_open(STREAM_TAGGED);
	int fd[N];

	for (int i = 0; i < N; i++)
		fd[i] = outsider(p);
	pair_poll(p, N);
	T_TRUE(p->b.st.accepted_count >= STREAM_GREETING_MAX);
	T_TRUE(p->b.st.accepted_count <= STREAM_GREETING_MAX + 4);
	pair_connect(p);
	T_TRUE(p->b.st.accepted_count <= STREAM_GREETING_MAX + 4);
	for (int i = 0; i < N; i++)
		close(fd[i]);
	pair_close(p);
}

/*
 * The time to the next attempt doubles with each refusal, up to 64 s, and is 1
 * s after a success.
 */
static void a_refused_connect_is_retried_later(void **state)
{
	const uint64_t second = UINT64_C(1000000000);
	struct pair *p = pair_open(STREAM_TAGGED);
	struct stream_peer *to = &p->a.other;

	pair_connect(p);
	PAIR_UNTIL(p, stream_peer_writable(to));
	stream_reset(&p->a.st, to);
	PAIR_UNTIL(p, !to->out);
	close(p->b.st.listener);
	p->b.st.listener = -1;
	for (uint64_t wait = 1; wait <= 256; wait *= 2) {
		p->a.st.now = to->retry_ns - 1;
		stream_connect(&p->a.st, to);
		T_NULL(to->out);
		p->now = ++p->a.st.now;
		stream_connect(&p->a.st, to);
		T_NOT_NULL(to->out);
		T_IS(to->retry_ns - p->now, (wait < 64 ? wait : 64) * second);
		PAIR_UNTIL(p, !to->out);
	}
	pair_close(p);
}

static void a_second_connection_replaces_the_first(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	struct stream_conn *first;
	uint8_t to[100] = { 0 };
	struct pair_xfer in;

	pair_connect(p);
	first = p->b.other.in;
	pair_xfer_set(&in, to, 0, sizeof(to));
	T_OK(stream_expect(&p->b.st, &p->b.other, &in.x));
	p->a.other.out = NULL; /* A has lost the record of its connection */
	p->a.st.now = p->now += UINT64_C(5000000000);
	stream_connect(&p->a.st, &p->a.other);
	PAIR_UNTIL(p, in.ends);
	T_IS(in.err, -ECONNRESET);
	T_TRUE(p->b.other.in != first);
	T_TRUE(stream_peer_ready(&p->b.other));
	pair_close(p);
}

/* ---- records ------------------------------------------------------------- */

enum { LEN = 1000 };

struct record_row {
	const char *what;
	int64_t ticket; /* added to the valid value, as are the fields below */
	int64_t offset;
	int64_t bytes;
	int flip; /* byte of the payload or tag that is changed; -1: none */
	bool accepted;
};

static const struct record_row rows[] = {
	{ "valid", 0, 0, 0, -1, true },
	{ "a ticket that was never issued", 1, 0, 0, -1, false },
	{ "ticket 0", -1, 0, 0, -1, false },
	{ "a later offset", 0, 1, 0, -1, false },
	{ "an offset beyond the end", 0, 1 << 20, 0, -1, false },
	{ "an offset that wraps around", 0, -1, 0, -1, false },
	{ "more bytes than expected", 0, 0, 1, -1, false },
	{ "no bytes", 0, 0, -LEN, -1, false },
	{ "more bytes than a record has", 0, 0, 2 << 20, -1, false },
	{ "a changed first byte", 0, 0, 0, 0, false },
	{ "a changed last byte", 0, 0, 0, LEN - 1, false },
	{ "a changed tag", 0, 0, 0, LEN, false },
	{ "a changed end of the tag", 0, 0, 0, LEN + 15, false },
};

/* Sends one record through A's connection, signed with its key. */
static void record_send(struct pair *p, const struct record_row *r,
			uint64_t ticket)
{
	struct stream_conn *c = p->a.other.out;
	struct stream_head head = { .ticket = ticket + (uint64_t)r->ticket,
				    .offset = (uint64_t)r->offset,
				    .bytes = (uint32_t)(LEN + r->bytes) };
	uint8_t body[LEN + STREAM_TAG];
	struct stream_iov payload = { .count = 0 };
	size_t len = c->seal ? sizeof(body) : LEN;

	t_fill(body, LEN, 4);
	stream_iov_add(&payload, body, LEN, 0);
	if (c->seal)
		T_TRUE(stream_seal_sign(c->seal, 0, &head, &payload, NULL,
					body + LEN));
	if (r->flip >= 0)
		body[r->flip] ^= 1;
	T_IS(send(c->fd, &head, sizeof(head), 0), sizeof(head));
	T_IS(send(c->fd, body, len, 0), len);
}

static void record_row_run(enum stream_mode mode, const struct record_row *r)
{
	struct pair *p = pair_open(mode);
	uint8_t to[PAIR_GUARD + LEN + PAIR_GUARD] = { 0 };
	struct pair_xfer in;

	pair_connect(p);
	pair_xfer_set(&in, to + PAIR_GUARD, 0, LEN);
	T_OK(stream_expect(&p->b.st, &p->b.other, &in.x));
	record_send(p, r, in.x.ticket);
	PAIR_UNTIL(p, in.ends);
	if ((in.err == 0) != r->accepted)
		fail_msg("%s: %d", r->what, in.err);
	T_IS(in.x.moved, r->accepted ? LEN : 0);
	for (int i = 0; i < PAIR_GUARD; i++) {
		T_IS(to[i], 0);
		T_IS(to[PAIR_GUARD + LEN + i], 0);
	}
	T_IS(p->b.st.stats.forged, r->flip >= 0);
	T_IS(stream_peer_ready(&p->b.other), r->accepted);
	pair_close(p);
}

static void invalid_records_break_the_connection(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		record_row_run(STREAM_TAGGED, &rows[i]);
		record_row_run(STREAM_ENCRYPTED, &rows[i]);
		if (rows[i].flip < 0)
			record_row_run(STREAM_OPEN, &rows[i]);
	}
}

/* A record is valid only once: its number is part of the tag. */
static void replayed_record_run(enum stream_mode mode)
{
	struct pair *p = pair_open(mode);
	uint8_t to[LEN];
	struct pair_xfer in;

	pair_connect(p);
	pair_xfer_set(&in, to, 0, LEN);
	T_OK(stream_expect(&p->b.st, &p->b.other, &in.x));
	record_send(p, &rows[0], in.x.ticket);
	PAIR_UNTIL(p, in.ends);
	T_IS(in.err, 0);
	/* the ticket is known, but no longer expected */
	record_send(p, &rows[0], in.x.ticket);
	PAIR_UNTIL(p, !p->b.other.in);
	T_IS(p->b.st.stats.forged, 1);
	pair_close(p);
}

static void a_replayed_record_is_refused(void **state)
{
	replayed_record_run(STREAM_TAGGED);
	replayed_record_run(STREAM_ENCRYPTED);
}

/* The ticket is part of the tag: a record fits no other transfer. */
static void redirected_record_run(enum stream_mode mode)
{
	struct pair *p = pair_open(mode);
	struct stream_conn *c;
	struct stream_head head = { .bytes = LEN };
	struct stream_iov payload = { .count = 0 };
	uint8_t to[2][LEN];
	uint8_t body[LEN + STREAM_TAG];
	struct pair_xfer in[2];

	pair_connect(p);
	c = p->a.other.out;
	for (int i = 0; i < 2; i++) {
		pair_xfer_set(&in[i], to[i], 0, LEN);
		T_OK(stream_expect(&p->b.st, &p->b.other, &in[i].x));
	}
	t_fill(body, LEN, 4);
	stream_iov_add(&payload, body, LEN, 0);
	head.ticket = in[0].x.ticket;
	T_TRUE(stream_seal_sign(c->seal, 0, &head, &payload, NULL, body + LEN));
	head.ticket = in[1].x.ticket;
	T_IS(send(c->fd, &head, sizeof(head), 0), sizeof(head));
	T_IS(send(c->fd, body, sizeof(body), 0), sizeof(body));
	PAIR_UNTIL(p, in[0].ends && in[1].ends);
	T_IS(in[1].err, -ECONNRESET);
	T_IS(in[1].x.moved, 0);
	T_IS(p->b.st.stats.forged, 1);
	pair_close(p);
}

static void a_redirected_record_is_refused(void **state)
{
	redirected_record_run(STREAM_TAGGED);
	redirected_record_run(STREAM_ENCRYPTED);
}

/* Returns whether the bytes that A sends contain the payload. */
static bool payload_is_visible(enum stream_mode mode)
{
	struct pair *p = pair_open(mode);
	uint8_t from[LEN], to[LEN], wire[2 * LEN];
	struct pair_xfer in, out;
	ssize_t n = 0;
	bool visible;

	pair_connect(p);
	t_fill(from, LEN, 4);
	pair_xfer_set(&in, to, 0, LEN);
	pair_xfer_set(&out, from, 0, LEN);
	T_OK(stream_expect(&p->b.st, &p->b.other, &in.x));
	out.x.ticket = in.x.ticket;
	PAIR_UNTIL(p, stream_peer_writable(&p->a.other));
	T_OK(stream_supply(&p->a.st, &p->a.other, &out.x));
	while (n < LEN) {
		stream_poll(&p->a.st, p->now += 1000000);
		n = recv(p->b.other.in->fd, wire, sizeof(wire),
			 MSG_PEEK | MSG_DONTWAIT);
	}
	visible = memmem(wire, (size_t)n, from + LEN / 2, 16);
	PAIR_UNTIL(p, in.ends);
	T_IS(in.err, 0);
	T_MEM(to, from, LEN);
	pair_close(p);
	return visible;
}

static void an_encrypted_payload_is_not_readable(void **state)
{
	T_TRUE(payload_is_visible(STREAM_OPEN));
	T_TRUE(payload_is_visible(STREAM_TAGGED));
	T_FALSE(payload_is_visible(STREAM_ENCRYPTED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(only_the_key_opens_a_stream),
		T_CASE(other_incarnations_are_refused),
		T_CASE(unknown_peers_and_other_modes_are_refused),
		T_CASE(a_replayed_handshake_is_refused),
		T_CASE(another_version_is_named),
		T_CASE(garbage_is_refused),
		T_CASE(a_silent_connection_has_a_time_limit),
		T_CASE(a_thousand_connections_hold_few_records),
		T_CASE(a_peer_connects_beside_half_open_connections),
		T_CASE(a_refused_connect_is_retried_later),
		T_CASE(a_second_connection_replaces_the_first),
		T_CASE(invalid_records_break_the_connection),
		T_CASE(a_replayed_record_is_refused),
		T_CASE(a_redirected_record_is_refused),
		T_CASE(an_encrypted_payload_is_not_readable),
	};

	return T_RUN(tests);
}
