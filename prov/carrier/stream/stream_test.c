/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers over streams: bytes, breaks at every position, withdrawals. */
#include "test/support/stream_pair.h"

#include <sys/resource.h>

enum { MODES = 3 };

/*
 * Returns a buffer with guards; filled with the pattern of `seed`, or with
 * zeroes if `seed` is 0.
 */
static uint8_t *buffer_new(size_t bytes, uint64_t seed)
{
	uint8_t *b = calloc(1, bytes + 2 * (size_t)PAIR_GUARD);

	T_NOT_NULL(b);
	if (seed)
		t_fill(b + PAIR_GUARD, bytes, seed);
	return b + PAIR_GUARD;
}

/* Checks the guards and frees the buffer. */
static void buffer_free(uint8_t *b, size_t bytes)
{
	for (int i = 0; i < PAIR_GUARD; i++) {
		T_IS(b[-1 - i], 0);
		T_IS(b[bytes + (size_t)i], 0);
	}
	free(b - PAIR_GUARD);
}

/* One transfer from A to B, until one side reports its end. */
struct flow {
	struct pair_xfer in, out;
	uint8_t *from, *to;
	uint64_t start, bytes;
};

static void flow_start(struct pair *p, struct flow *f, uint64_t start,
		       uint64_t bytes)
{
	f->start = start;
	f->bytes = bytes;
	f->from = buffer_new(start + bytes, 3);
	f->to = buffer_new(start + bytes, 0);
	pair_xfer_set(&f->in, f->to, start, bytes);
	pair_xfer_set(&f->out, f->from, start, bytes);
	T_OK(stream_expect(&p->b.st, &p->b.other, &f->in.x));
	f->out.x.ticket = f->in.x.ticket;
	T_OK(stream_supply(&p->a.st, &p->a.other, &f->out.x));
}

static void flow_free(struct flow *f)
{
	buffer_free(f->from, f->start + f->bytes);
	buffer_free(f->to, f->start + f->bytes);
}

/* Checks that exactly the bytes counted as received have arrived. */
static void flow_check(const struct flow *f)
{
	T_IS(f->in.ends, 1);
	T_MEM(f->to + f->start, f->from + f->start, f->in.x.moved);
	for (uint64_t i = 0; i < f->start; i++)
		T_IS(f->to[i], 0);
}

static void flow_run(struct pair *p, uint64_t start, uint64_t bytes)
{
	struct flow f;

	flow_start(p, &f, start, bytes);
	PAIR_UNTIL(p, f.in.ends && f.out.ends);
	T_IS(f.in.err, 0);
	T_IS(f.out.err, 0);
	T_IS(f.out.ends, 1);
	T_IS(f.in.x.moved, bytes);
	flow_check(&f);
	flow_free(&f);
}

static void bytes_of_any_length_arrive_once(void **state)
{
	static const uint64_t sizes[] = { 1,	 100,	 65535,	  65536,
					  65537, 131072, 1048577, 5000000 };

	for (int mode = 0; mode < MODES; mode++) {
		struct pair *p = pair_open((enum stream_mode)mode);

		pair_connect(p);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			flow_run(p, 0, sizes[i]);
			flow_run(p, 12345, sizes[i]);
		}
		T_IS(p->b.st.stats.accepts, 1);
		T_IS(p->b.st.stats.received, p->a.st.stats.sent);
		T_TRUE(weft_list_empty(&p->b.st.busy));
		pair_close(p);
	}
}

static void several_transfers_share_a_stream(void **state)
{
	enum { N = 20 };
	struct pair *p = pair_open(STREAM_TAGGED);
	struct flow f[N];

	pair_connect(p);
	for (int i = 0; i < N; i++)
		flow_start(p, &f[i], (uint64_t)i, 50000 + 1000 * (uint64_t)i);
	for (int i = 0; i < N; i++) {
		PAIR_UNTIL(p, f[i].in.ends && f[i].out.ends);
		T_IS(f[i].in.err, 0);
		flow_check(&f[i]);
		flow_free(&f[i]);
	}
	pair_close(p);
}

/* Without a connection both sides refuse, and the caller uses datagrams. */
static void no_transfer_without_a_connection(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	struct pair_xfer t;
	uint8_t byte = 0;

	pair_xfer_set(&t, &byte, 0, 1);
	T_AGAIN(stream_expect(&p->b.st, &p->b.other, &t.x));
	T_AGAIN(stream_supply(&p->a.st, &p->a.other, &t.x));
	T_NULL(t.x.conn);
	pair_close(p);
}

/* Breaks the connection after `cut` bytes of records. */
static void flow_cut(enum stream_mode mode, uint64_t bytes, uint64_t cut)
{
	struct pair *p = pair_open(mode);
	uint64_t most = STREAM_UNTAGGED;
	struct flow f;

	pair_connect(p);
	if (mode != STREAM_OPEN)
		most = p->a.other.out->record_bytes;
	p->a.st.cut_bytes = cut;
	flow_start(p, &f, 5, bytes);
	PAIR_UNTIL(p, f.in.ends && f.out.ends);
	T_IS(f.in.err, -ECONNRESET);
	T_IS(f.out.err, -ECONNRESET);
	T_IS(f.in.x.moved % most, 0);
	T_TRUE(f.in.x.moved <= cut);
	flow_check(&f);
	flow_free(&f);
	T_FALSE(stream_peer_ready(&p->b.other));
	T_NULL(p->a.other.out);
	/* a new connection carries the next transfer */
	p->a.st.cut_bytes = 0;
	p->a.st.now = p->now += UINT64_C(5000000000);
	pair_connect(p);
	flow_run(p, 0, bytes);
	pair_close(p);
}

static void a_break_at_every_byte_is_reported_once(void **state)
{
	for (int mode = 0; mode < MODES; mode++) {
		uint64_t tag = mode == STREAM_OPEN ? 0 : STREAM_TAG;
		uint64_t all = sizeof(struct stream_head) + 30 + tag;

		for (uint64_t cut = 1; cut < all; cut++)
			flow_cut((enum stream_mode)mode, 30, cut);
	}
}

static void a_break_at_a_record_keeps_the_records_before(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	uint64_t record;

	pair_connect(p);
	record = sizeof(struct stream_head) + p->a.other.out->record_bytes +
		 STREAM_TAG;
	pair_close(p);

	for (uint64_t i = 1; i < 4; i++) {
		flow_cut(STREAM_TAGGED, 4 * STREAM_RECORD, i * record - 1);
		flow_cut(STREAM_TAGGED, 4 * STREAM_RECORD, i * record);
		flow_cut(STREAM_ENCRYPTED, 4 * STREAM_RECORD, i * record + 1);
	}
	flow_cut(STREAM_OPEN, 3000000, 2500000);
}

/* The bytes of a withdrawn transfer are dropped; others arrive. */
static void a_withdrawn_transfer_changes_no_memory(void **state)
{
	for (int mode = 0; mode < MODES; mode++) {
		struct pair *p = pair_open((enum stream_mode)mode);
		struct flow f, g;

		pair_connect(p);
		flow_start(p, &f, 0, 200000);
		stream_withdraw(&p->b.st, &f.in.x);
		flow_start(p, &g, 0, 100000);
		PAIR_UNTIL(p, f.out.ends && g.in.ends);
		T_IS(f.in.ends, 0);
		T_IS(f.to[0], 0);
		T_IS(g.in.err, 0);
		flow_check(&g);
		flow_free(&f);
		flow_free(&g);
		pair_close(p);
	}
}

/* A sender that withdraws within a record must end the connection. */
static void a_withdrawal_within_a_record_ends_the_connection(void **state)
{
	struct pair *p = pair_open(STREAM_OPEN);
	struct flow f;

	pair_connect(p);
	flow_start(p, &f, 0, 64 << 20);
	PAIR_UNTIL(p, p->a.other.out->record);
	stream_withdraw(&p->a.st, &f.out.x);
	PAIR_UNTIL(p, f.in.ends);
	T_IS(f.in.err, -ECONNRESET);
	T_IS(f.out.ends, 0);
	flow_free(&f);
	pair_close(p);
}

/*
 * A transfer of which no byte was sent may be withdrawn without breaking the
 * connection.
 */
static void
a_withdrawal_before_the_first_byte_keeps_the_connection(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	struct flow f;

	pair_connect(p);
	flow_start(p, &f, 0, 1000);
	T_IS(p->a.st.stats.sent, 0);
	stream_withdraw(&p->a.st, &f.out.x);
	stream_withdraw(&p->b.st, &f.in.x);
	pair_poll(p, 3);
	T_IS(f.in.ends + f.out.ends, 0);
	flow_free(&f);
	flow_run(p, 0, 70000);
	T_IS(p->a.st.stats.connects, 1);
	pair_close(p);
}

/* A long transfer does not delay the datagrams of its process. */
static void a_poll_sends_a_limited_number_of_bytes(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	struct flow f;

	pair_connect(p);
	flow_start(p, &f, 0, 8 * STREAM_RECORD);
	p->now += 1000000;
	stream_poll(&p->a.st, p->now);
	T_TRUE(p->a.st.stats.sent > 0);
	T_TRUE(p->a.st.stats.sent <= 4 * STREAM_RECORD);
	/* the descriptor is ready, so that no wait blocks */
	T_TRUE(p->a.other.out->writable);
	PAIR_UNTIL(p, f.in.ends && f.out.ends);
	T_FALSE(p->a.other.out->writable);
	flow_check(&f);
	flow_free(&f);
	pair_close(p);
}

static void the_loss_of_a_peer_ends_transfers_without_callbacks(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	struct flow f;

	pair_connect(p);
	flow_start(p, &f, 0, 64 << 20);
	T_TRUE(stream_peer_receives(&p->b.other));
	stream_peer_close(&p->b.st, &p->b.other);
	T_FALSE(stream_peer_receives(&p->b.other));
	T_NULL(f.in.x.conn);
	PAIR_UNTIL(p, f.out.ends);
	T_IS(f.in.ends, 0);
	flow_free(&f);
	pair_close(p);
}

static void the_receivers_reset_breaks_the_connection(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);

	pair_connect(p);
	stream_reset(&p->a.st, &p->a.other);
	PAIR_UNTIL(p, !p->b.other.in);
	T_NULL(p->a.other.out);
	pair_close(p);
}

static void an_idle_connection_is_closed(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);

	pair_connect(p);
	flow_run(p, 0, 1000);
	p->now += STREAM_IDLE_NS - UINT64_C(1000000000);
	pair_poll(p, 3);
	T_NOT_NULL(p->a.other.out);
	p->now += UINT64_C(2000000000);
	PAIR_UNTIL(p, !p->a.other.out && !p->b.other.in);
	pair_connect(p);
	flow_run(p, 0, 1000);
	pair_close(p);
}

/*
 * The receiver does not close an idle connection, since it does not know
 * whether a transfer is in flight.
 */
static void only_the_sender_closes_an_idle_connection(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);

	pair_connect(p);
	p->now += 2 * STREAM_IDLE_NS;
	for (int i = 0; i < 5; i++)
		stream_poll(&p->b.st, p->now += 1000000);
	T_TRUE(stream_peer_ready(&p->b.other));
	PAIR_UNTIL(p, !p->a.other.out && !p->b.other.in);
	pair_close(p);
}

/* The receiver reads nothing, so a transfer larger than all buffers waits. */
static void a_connection_with_a_transfer_is_not_idle(void **state)
{
	struct pair *p = pair_open(STREAM_OPEN);
	struct flow f;

	pair_connect(p);
	PAIR_UNTIL(p, stream_peer_writable(&p->a.other));
	flow_start(p, &f, 0, 16 << 20);
	for (int i = 0; i < 40; i++)
		stream_poll(&p->a.st, p->now += 1000000);
	T_IS(f.out.ends, 0);
	p->now += 2 * STREAM_IDLE_NS;
	for (int i = 0; i < 5; i++)
		stream_poll(&p->a.st, p->now += 1000000);
	PAIR_UNTIL(p, f.in.ends && f.out.ends);
	T_IS(f.in.err, 0);
	T_IS(f.out.err, 0);
	flow_check(&f);
	flow_free(&f);
	pair_close(p);
}

static void a_sender_without_transfers_detects_the_receivers_end(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	uint64_t begin = p->now;

	pair_connect(p);
	PAIR_UNTIL(p, stream_peer_writable(&p->a.other));
	stream_peer_close(&p->b.st, &p->b.other);
	PAIR_UNTIL(p, !p->a.other.out);
	T_IS(p->a.st.stats.broken, 1);
	T_TRUE(p->now - begin < STREAM_IDLE_NS);
	pair_close(p);
}

/*
 * At the limit the outgoing connection without transfers that has been idle
 * longest is closed. p's A has three connections: from p's B, which is the
 * oldest, to p's B, and to q's B, which is closed if the one before was used
 * later, or has an unfinished transfer.
 */
static void the_longest_idle_connection_is_closed(void **state)
{
	enum { UNUSED, USED, IN_USE, CASES };

	for (int how = 0; how < CASES; how++) {
		struct pair *p = pair_open(STREAM_OPEN);
		struct pair *q = pair_open(STREAM_OPEN);
		struct stream_peer more = { .name = q->b.st.attr.name,
					    .gen = 8 };
		struct stream_peer third = { .name = p->a.other.name };
		struct flow f;

		q->b.other.name = p->a.st.attr.name;
		stream_connect(&p->b.st, &p->b.other);
		PAIR_UNTIL(p, stream_peer_ready(&p->a.other));
		pair_connect(p);
		if (how == IN_USE)
			flow_start(p, &f, 0, 16 << 20);
		stream_connect(&p->a.st, &more);
		PAIR_UNTIL(q, (stream_poll(&p->a.st, p->now += 1000000),
			       stream_peer_writable(&more)));
		if (how == USED)
			flow_run(p, 0, 1000);
		p->a.st.conn_max = 2;
		p->now += STREAM_SPARE_NS + 1;
		stream_poll(&p->a.st, p->now);
		stream_connect(&p->a.st, &third);
		stream_poll(&p->a.st, ++p->now);
		T_NULL(third.out);
		T_IS(stream_peer_writable(&p->a.other), how != UNUSED);
		T_IS(stream_peer_writable(&more), how == UNUSED);
		T_TRUE(stream_peer_ready(&p->a.other));
		stream_peer_close(&p->a.st, &more);
		pair_close(p);
		pair_close(q);
		if (how == IN_USE)
			flow_free(&f);
	}
}

/* Most descriptors of a process are left to the application. */
static void an_eighth_of_all_descriptors_is_used(void **state)
{
	struct rlimit old, few;
	struct pair *p;

	T_OK(getrlimit(RLIMIT_NOFILE, &old));
	few = old;
	few.rlim_cur = 8 * 20 + 7;
	T_OK(setrlimit(RLIMIT_NOFILE, &few));
	p = pair_open(STREAM_OPEN);
	T_OK(setrlimit(RLIMIT_NOFILE, &old));
	T_IS(p->a.st.conn_max, 20);
	pair_close(p);
}

/*
 * At the limit an idle connection is closed, and only then a new one is opened.
 */
static void the_number_of_connections_is_limited(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	struct stream_peer third = { .name = p->a.other.name };

	pair_connect(p);
	flow_run(p, 0, 1000);
	T_IS(p->a.st.conn_count[0], 1);
	T_IS(p->b.st.conn_count[1], 1);
	p->a.st.conn_max = 1;
	stream_connect(&p->a.st, &third);
	pair_poll(p, 3);
	T_NULL(third.out);
	T_NOT_NULL(p->a.other.out);
	p->now += STREAM_SPARE_NS + 1;
	pair_poll(p, 1);
	stream_connect(&p->a.st, &third);
	T_NULL(third.out);
	PAIR_UNTIL(p, !p->a.other.out);
	stream_connect(&p->a.st, &third);
	T_NOT_NULL(third.out);
	stream_peer_close(&p->a.st, &third);
	pair_close(p);
}

/* Incoming connections beyond the limit are closed at once. */
static void incoming_connections_are_limited(void **state)
{
	struct pair *p = pair_open(STREAM_TAGGED);
	uint64_t before;

	p->b.st.conn_max = 0;
	p->b.st.conn_count[1] = STREAM_GREETING_MAX;
	before = p->b.st.stats.refused;
	stream_connect(&p->a.st, &p->a.other);
	PAIR_UNTIL(p, p->b.st.stats.refused > before && !p->a.other.out);
	p->b.st.conn_count[1] = 0;
	pair_close(p);
}

static void no_descriptor_is_left_open(void **state)
{
	int before = t_open_files();
	struct pair *p = pair_open(STREAM_TAGGED);

	pair_connect(p);
	pair_close(p);
	T_IS(t_open_files(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(bytes_of_any_length_arrive_once),
		T_CASE(several_transfers_share_a_stream),
		T_CASE(no_transfer_without_a_connection),
		T_CASE(a_break_at_every_byte_is_reported_once),
		T_CASE(a_break_at_a_record_keeps_the_records_before),
		T_CASE(a_withdrawn_transfer_changes_no_memory),
		T_CASE(a_withdrawal_within_a_record_ends_the_connection),
		T_CASE(a_withdrawal_before_the_first_byte_keeps_the_connection),
		T_CASE(a_poll_sends_a_limited_number_of_bytes),
		T_CASE(the_loss_of_a_peer_ends_transfers_without_callbacks),
		T_CASE(the_receivers_reset_breaks_the_connection),
		T_CASE(an_idle_connection_is_closed),
		T_CASE(only_the_sender_closes_an_idle_connection),
		T_CASE(a_connection_with_a_transfer_is_not_idle),
		T_CASE(a_sender_without_transfers_detects_the_receivers_end),
		T_CASE(the_longest_idle_connection_is_closed),
		T_CASE(an_eighth_of_all_descriptors_is_used),
		T_CASE(the_number_of_connections_is_limited),
		T_CASE(incoming_connections_are_limited),
		T_CASE(no_descriptor_is_left_open),
	};

	return T_RUN(tests);
}
