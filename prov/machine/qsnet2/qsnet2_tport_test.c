/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tagged ports: matching in the thread processor, unexpected messages, messages
 * fetched by DMA. The test has three units in one process.
 */
#include "prov/machine/qsnet2/qsnet2_tport.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

#define WORLD 3
#define BYTES (1 << 20)
#define ANY   WEFT_QSNET2_ANY

struct member {
	struct weft_qsnet2 *s;
	struct weft_qsnet2_tports *t;
	unsigned char *mem;
};

static struct member w[WORLD];

static void world_open(const struct weft_qsnet2_tports_attr *like,
		       const char *faults)
{
	struct weft_qsnet2_attr a = { .place = { .carrier = "loop",
						 .faults = faults } };
	struct sockaddr_in name;

	for (uint32_t i = 0; i < WORLD; i++) {
		T_OK(weft_qsnet2_open(&a, &w[i].s));
		w[i].mem = calloc(1, BYTES);
		T_OK(weft_qsnet2_map(w[i].s, 4, w[i].mem, BYTES,
				     WEFT_QSNET2_ALL));
		T_OK(weft_qsnet2_filter(w[i].s, 4, WEFT_QSNET2_ACCEPT));
	}
	for (uint32_t i = 0; i < WORLD; i++) {
		struct weft_qsnet2_tports_attr ta = *like;

		ta.context = 4;
		ta.vproc = i;
		T_OK(weft_qsnet2_tports_open(w[i].s, &ta, &w[i].t));
		weft_qsnet2_name(w[i].s, &name);
		for (uint32_t k = 0; k < WORLD; k++)
			T_OK(weft_qsnet2_route_set(w[k].s, i, &name, 4));
	}
}

static void world_run(int polls)
{
	for (int i = 0; i < polls; i++)
		for (uint32_t k = 0; k < WORLD; k++)
			if (w[k].s)
				weft_qsnet2_poll(w[k].s, 16);
}

static void member_close(struct member *m)
{
	weft_qsnet2_tports_close(m->t);
	weft_qsnet2_close(m->s);
	free(m->mem);
	memset(m, 0, sizeof(*m));
}

static void world_close(void)
{
	world_run(200);
	for (uint32_t i = 0; i < WORLD; i++)
		if (w[i].s)
			member_close(&w[i]);
}

/*
 * Fills `bytes` bytes at offset `off` of the sender's memory with pattern
 * `seed`, and sends them.
 */
static unsigned tx(uint32_t from, uint32_t to, uint64_t tag, size_t off,
		   uint64_t bytes, uint64_t seed, unsigned flags)
{
	unsigned req;

	t_fill(w[from].mem + off, bytes, seed);
	T_OK(weft_qsnet2_tports_tx(w[from].t, to, tag, w[from].mem + off, bytes,
				   flags, &req));
	return req;
}

static unsigned rx(uint32_t at, uint32_t from, uint64_t tag, uint64_t ignore,
		   size_t off, uint64_t bytes)
{
	unsigned req;

	T_OK(weft_qsnet2_tports_rx(w[at].t, from, tag, ignore, w[at].mem + off,
				   bytes, &req));
	return req;
}

static struct weft_qsnet2_tports_status done(uint32_t at, unsigned req)
{
	struct weft_qsnet2_tports_status st = { 0 };

	T_OK(weft_qsnet2_tports_done(w[at].t, req, &st));
	return st;
}

static struct weft_qsnet2_tports_stats stats(uint32_t at)
{
	struct weft_qsnet2_tports_stats st;

	weft_qsnet2_tports_stats(w[at].t, &st);
	return st;
}

static const struct weft_qsnet2_tports_attr plain;

/* The oldest matching receive gets a message; unmatched messages are kept. */
static void a_message_matches_the_oldest_receive(void **state)
{
	struct weft_qsnet2_tports_status st;
	unsigned r[4];

	world_open(&plain, "");
	r[0] = rx(0, 2, 7, 0, 0, 100);
	r[1] = rx(0, ANY, 0x500, 0xff, 1000, 100);
	r[2] = rx(0, 1, 0, UINT64_MAX, 2000, 100);
	r[3] = rx(0, ANY, 0, UINT64_MAX, 3000, 100);
	world_run(20);
	/* matches r2; r0 is for sender 2, r1 for a different tag */
	tx(1, 0, 7, 0, 10, 1, 0);
	world_run(50);
	T_IS(weft_qsnet2_tports_done(w[0].t, r[0], NULL), -EAGAIN);
	st = done(0, r[2]);
	T_IS(st.sender, 1);
	T_IS(st.tag, 7);
	T_IS(st.bytes, 10);
	T_IS(t_differs(w[0].mem + 2000, 10, 1), -1);
	tx(2, 0, 0x5ab, 0, 20, 2, 0);	/* matches r1, from any sender */
	tx(2, 0, 0x6ab, 100, 30, 3, 0); /* matches r3 */
	tx(2, 0, 7, 200, 40, 4, 0);	/* matches r0 */
	world_run(50);
	T_IS(done(0, r[1]).tag, 0x5ab);
	T_IS(t_differs(w[0].mem + 1000, 20, 2), -1);
	T_IS(done(0, r[3]).tag, 0x6ab);
	T_IS(t_differs(w[0].mem + 3000, 30, 3), -1);
	T_IS(done(0, r[0]).sender, 2);
	T_IS(t_differs(w[0].mem, 40, 4), -1);
	T_IS(stats(0).matched, 4);
	T_IS(stats(0).unexpected, 0);
	T_IS(weft_qsnet2_tports_done(w[0].t, r[0], NULL), -EINVAL);
	world_close();
}

/* The unit's thread matches: while it does not run, no receive completes. */
static void arrivals_start_the_matching_thread(void **state)
{
	struct weft_qsnet2_stats before, after;
	unsigned r;

	world_open(&plain, "");
	r = rx(0, ANY, 1, 0, 0, 100);
	world_run(20);
	weft_qsnet2_stats(w[0].s, &before);
	tx(1, 0, 1, 0, 10, 1, 0);
	world_run(50);
	weft_qsnet2_stats(w[0].s, &after);
	T_IS(after.threads, before.threads + 1);
	T_IS(after.events, before.events + 1);
	done(0, r);
	world_close();
}

/* The sender may reuse its buffer at once. */
static void unexpected_messages_are_copied_late(void **state)
{
	struct weft_qsnet2_tports_stats st;
	unsigned r[3];

	world_open(&plain, "");
	for (uint64_t i = 0; i < 3; i++) {
		done(1, tx(1, 0, 10 + i, 0, 1500 + i, i, 0));
		memset(w[1].mem, 0xcc, 2000);
	}
	world_run(50);
	st = stats(0);
	T_IS(st.unexpected, 3);
	T_TRUE(st.elan_bytes >= 4503);
	r[2] = rx(0, 1, 12, 0, 0, 2000);
	/* r0 accepts tags 10 and 11, and gets the older message */
	r[0] = rx(0, ANY, 10, 1, 4000, 2000);
	r[1] = rx(0, 1, 11, 0, 8000, 2000);
	world_run(20);
	T_IS(done(0, r[2]).bytes, 1502);
	T_IS(t_differs(w[0].mem, 1502, 2), -1);
	T_IS(done(0, r[0]).tag, 10);
	T_IS(t_differs(w[0].mem + 4000, 1500, 0), -1);
	T_IS(done(0, r[1]).tag, 11);
	T_IS(t_differs(w[0].mem + 8000, 1501, 1), -1);
	T_IS(stats(0).elan_bytes, 0);
	world_close();
}

/* No data moves before the receive is posted; then both sides complete. */
static void a_long_message_is_fetched_after_matching(void **state)
{
	struct weft_qsnet2_stats st;
	unsigned s, r;

	world_open(&plain, "");
	s = tx(1, 0, 5, 0, 300001, 1, 0);
	world_run(50);
	T_IS(stats(0).unexpected, 1);
	T_TRUE(stats(0).elan_bytes < 200);
	T_IS(weft_qsnet2_tports_done(w[1].t, s, NULL), -EAGAIN);
	weft_qsnet2_stats(w[1].s, &st);
	T_IS(st.packets, 1);
	r = rx(0, ANY, 5, 0, 3, 400000);
	world_run(1000);
	T_IS(done(0, r).bytes, 300001);
	done(1, s);
	T_IS(t_differs(w[0].mem + 3, 300001, 1), -1);
	T_IS(stats(0).fetched, 1);
	weft_qsnet2_stats(w[1].s, &st);
	T_IS(st.dmas, 1); /* the sender's unit has run the DMA */
	world_close();
}

static void a_sync_send_completes_when_received(void **state)
{
	unsigned s[2], r;

	world_open(&plain, "");
	s[0] = tx(1, 0, 5, 0, 16, 1, WEFT_QSNET2_SYNC);
	s[1] = tx(1, 0, 6, 64, 0, 1, WEFT_QSNET2_SYNC);
	world_run(100);
	T_IS(weft_qsnet2_tports_done(w[1].t, s[0], NULL), -EAGAIN);
	r = rx(0, 1, 5, 0, 0, 16);
	world_run(100);
	T_IS(done(0, r).bytes, 16);
	done(1, s[0]);
	T_IS(weft_qsnet2_tports_done(w[1].t, s[1], NULL), -EAGAIN);
	r = rx(0, 1, 6, 0, 0, 16);
	world_run(100);
	T_IS(done(0, r).bytes, 0);
	done(1, s[1]);
	world_close();
}

static void a_too_long_message_is_truncated(void **state)
{
	static const uint64_t sizes[] = { 1000, 100000 };
	struct weft_qsnet2_tports_status st;
	unsigned s, r;

	world_open(&plain, "");
	for (unsigned i = 0; i < 2; i++) {
		s = tx(1, 0, 5, 0, sizes[i], i, 0);
		r = rx(0, 1, 5, 0, 0, sizes[i] - 1);
		w[0].mem[sizes[i] - 1] = 0xab;
		world_run(500);
		st = done(0, r);
		T_IS(st.err, -EMSGSIZE);
		T_IS(st.bytes, sizes[i]);
		T_IS(t_differs(w[0].mem, sizes[i] - 1, i), -1);
		T_IS(w[0].mem[sizes[i] - 1], 0xab);
		done(1, s);
	}
	world_close();
}

/* The memory holds two messages; the other messages wait at their senders. */
static void senders_wait_when_elan_memory_is_full(void **state)
{
	const struct weft_qsnet2_tports_attr few = {
		.slots = 4,
		.elan_bytes = 2500,
	};
	struct weft_qsnet2_stats st;

	world_open(&few, "");
	for (uint64_t i = 0; i < 8; i++) {
		tx(1, 0, i, 0, 1000, i, 0);
		world_run(50);
	}
	T_IS(stats(0).unexpected, 2);
	weft_qsnet2_stats(w[1].s, &st);
	T_TRUE(st.restarts > 0);
	T_IS(st.trap, WEFT_QSNET2_TRAP_NONE);
	for (uint64_t i = 0; i < 8; i++) {
		unsigned r = rx(0, 1, i, 0, 0, 1000);

		world_run(200);
		T_IS(done(0, r).tag, i);
		T_IS(t_differs(w[0].mem, 1000, i), -1);
	}
	world_close();
}

static void buffers_must_be_mapped_in_the_context(void **state)
{
	static unsigned char mine[4096];
	unsigned req;

	world_open(&plain, "");
	T_IS(weft_qsnet2_tports_rx(w[0].t, 1, 0, 0, mine, 8, &req), -EFAULT);
	T_IS(weft_qsnet2_tports_tx(w[0].t, 1, 0, mine, 4096, 0, &req), -EFAULT);
	T_IS(weft_qsnet2_tports_tx(w[0].t, 9, 0, mine, 8, 0, &req), -ENOENT);
	T_OK(weft_qsnet2_tports_tx(w[0].t, 1, 0, mine, 8, 0, &req));
	world_close();
}

/*
 * The loss of a peer ends receives that only this peer could complete, and
 * sends to this peer.
 */
static void a_lost_peer_ends_its_requests(void **state)
{
	unsigned r[2], s;

	world_open(&plain, "");
	r[0] = rx(0, 2, 1, 0, 0, 100);
	r[1] = rx(0, ANY, 1, 0, 200, 100);
	s = tx(0, 2, 9, 0, 100000, 1, 0);
	world_run(100);
	member_close(&w[2]);
	world_run(2000);
	T_IS(done(0, r[0]).err, -ECONNRESET);
	T_IS(done(0, s).err, -ECONNRESET);
	T_IS(weft_qsnet2_tports_done(w[0].t, r[1], NULL), -EAGAIN);
	tx(1, 0, 1, 0, 50, 3, 0);
	world_run(100);
	T_IS(done(0, r[1]).sender, 1);
	T_IS(t_differs(w[0].mem + 200, 50, 3), -1);
	world_close();
}

/* ---- many messages ---- */

#define MANY   400 /* messages from each of two senders */
#define WINDOW 8   /* posted receives */
#define ROOM   2600

static size_t size_of(uint64_t k)
{
	static const size_t sizes[] = { 8, 40, 1999, 2000, 2001, 2600, 100 };

	return sizes[k % WEFT_COUNT_OF(sizes)];
}

/* Writes an envelope from member 1 into the input queue of member 0. */
static void forge(const struct tport_envelope *env)
{
	struct qsnet2_route *r = qsnet2_route(w[1].s, 0);
	uint64_t words[64];
	struct weft_qsnet2_stream st = { .word = words, .max = 64 };
	unsigned q;

	T_OK(weft_qsnet2_queue_open(w[1].s, 4, 8192, WEFT_QSNET2_MAY_STEN, 0,
				    &q));
	weft_qsnet2_open_packet(&st, 0, 0, 100);
	weft_qsnet2_transaction(&st, WEFT_QSNET2_T_IDENTIFY, ++r->cookie, NULL,
				0);
	weft_qsnet2_transaction(&st, WEFT_QSNET2_T_GET_INDEX, TPORT_ADDRESS,
				NULL, 0);
	weft_qsnet2_transaction(&st, WEFT_QSNET2_T_WRITE, 0, env, sizeof(*env));
	weft_qsnet2_transaction(&st, WEFT_QSNET2_T_COMMIT | WEFT_QSNET2_T_LAST,
				TPORT_ADDRESS, NULL, 0);
	T_TRUE(st.count <= st.max);
	T_OK(weft_qsnet2_queue_write(w[1].s, q, words, st.count));
	world_run(20);
	T_OK(weft_qsnet2_queue_close(w[1].s, q));
}

/*
 * Envelopes with lengths beyond the slot, or with lengths or requests that no
 * sender has.
 */
static void invalid_envelopes_are_refused(void **state)
{
	static const struct tport_envelope bad[] = {
		{ .sender = 1, .bytes = WEFT_QSNET2_TPORTS_MAX + 1 },
		{ .sender = 1, .bytes = UINT64_MAX },
		{ .sender = 1, .src = 64, .bytes = INT32_MAX + UINT64_C(1) },
		{ .sender = 1, .src = 64, .req = WEFT_QSNET2_TPORTS_REQS },
	};
	static const struct tport_envelope longest = {
		.sender = 1, .bytes = WEFT_QSNET2_TPORTS_MAX
	};
	static const struct tport_envelope unknown = { .sender = 99,
						       .src = 64,
						       .bytes = 8 };
	const struct weft_qsnet2_tports_attr attr = { 0 };
	struct weft_qsnet2_tports_status st;
	unsigned req;

	world_open(&attr, NULL);
	T_OK(weft_qsnet2_tports_rx(w[0].t, ANY, 0, UINT64_MAX, w[0].mem, BYTES,
				   &req));
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		forge(&bad[i]);
		T_IS(w[0].s->stats.refused, i + 1);
		T_AGAIN(weft_qsnet2_tports_done(w[0].t, req, &st));
	}
	forge(&longest);
	T_OK(weft_qsnet2_tports_done(w[0].t, req, &st));
	T_OK(st.err);
	T_IS(st.bytes, WEFT_QSNET2_TPORTS_MAX);
	/* a long message of a sender to which there is no route */
	T_OK(weft_qsnet2_tports_rx(w[0].t, ANY, 0, UINT64_MAX, w[0].mem, BYTES,
				   &req));
	forge(&unknown);
	T_OK(weft_qsnet2_tports_done(w[0].t, req, &st));
	T_IS(st.err, -ENOENT);
	T_IS(w[0].s->stats.refused, sizeof(bad) / sizeof(bad[0]));
	world_close();
}

/* A sender with at most one outstanding message. */
struct stream {
	unsigned sent;
	unsigned req;
	bool on;
};

static void stream_step(struct stream *st, uint32_t from)
{
	uint64_t seed = (uint64_t)from << 20 | st->sent;

	if (st->on && !weft_qsnet2_tports_done(w[from].t, st->req, NULL))
		st->on = false;
	if (st->on || st->sent == MANY)
		return;
	t_fill(w[from].mem, size_of(seed), seed);
	if (weft_qsnet2_tports_tx(w[from].t, 0, st->sent % 4, w[from].mem,
				  size_of(seed), 0, &st->req))
		return;
	st->on = true;
	st->sent++;
}

/*
 * Checks the receive, if it is complete: it has the next message of its sender.
 * Returns false if it is not complete.
 */
static bool next_is_right(unsigned req, const unsigned char *buf,
			  unsigned *next)
{
	struct weft_qsnet2_tports_status st;
	uint64_t seed;

	if (weft_qsnet2_tports_done(w[0].t, req, &st))
		return false;
	seed = (uint64_t)st.sender << 20 | next[st.sender];
	T_OK(st.err);
	T_IS(st.tag, next[st.sender] % 4);
	T_IS(st.bytes, size_of(seed));
	T_IS(t_differs(buf, st.bytes, seed), -1);
	next[st.sender]++;
	return true;
}

/* Receives accept any sender, and are checked in the order of posting. */
static void many_messages(const char *faults)
{
	struct stream st[WORLD] = { { 0 } };
	unsigned next[WORLD] = { 0 };
	unsigned req[WINDOW];
	unsigned posted = 0;
	unsigned taken = 0;

	world_open(&plain, faults);
	for (int round = 0; round < 400000 && taken < 2 * MANY; round++) {
		stream_step(&st[1], 1);
		stream_step(&st[2], 2);
		if (posted < 2 * MANY && posted - taken < WINDOW) {
			req[posted % WINDOW] =
				rx(0, ANY, 0, 3,
				   (size_t)(posted % WINDOW) * 4096, ROOM);
			posted++;
		}
		if (taken < posted &&
		    next_is_right(req[taken % WINDOW],
				  w[0].mem + (size_t)(taken % WINDOW) * 4096,
				  next))
			taken++;
		world_run(1);
	}
	T_IS(next[1], MANY);
	T_IS(next[2], MANY);
	world_close();
}

static void many_messages_keep_their_order(void **state)
{
	many_messages("");
	many_messages("seed=2; delay=0.1 by 2 ms; loss=0.05; duplicate=0.05; "
		      "reorder=0.1");
	many_messages("seed=3; delay=0.2 by 2 ms; reorder=0.3; raw");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_message_matches_the_oldest_receive),
		T_CASE(arrivals_start_the_matching_thread),
		T_CASE(unexpected_messages_are_copied_late),
		T_CASE(a_long_message_is_fetched_after_matching),
		T_CASE(a_sync_send_completes_when_received),
		T_CASE(a_too_long_message_is_truncated),
		T_CASE(senders_wait_when_elan_memory_is_full),
		T_CASE(buffers_must_be_mapped_in_the_context),
		T_CASE(a_lost_peer_ends_its_requests),
		T_CASE(invalid_envelopes_are_refused),
		T_CASE(many_messages_keep_their_order),
	};

	return T_RUN(tests);
}
