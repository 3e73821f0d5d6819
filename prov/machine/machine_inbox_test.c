/* SPDX-License-Identifier: BSD-3-Clause */
/* The inbox: reassembly, refused packets, and its table of peers. */
#include "prov/machine/machine_inbox.h"
#include "test/t.h"

#include <string.h>

struct engine {
	int taken;
	int refuse; /* number of packets still to refuse */
	uint64_t tags[64];
	struct weft_peer *from[64];
};

static int deliver(void *arg, struct weft_peer *src, const struct weft_pkt *pkt,
		   const void *payload)
{
	struct engine *e = arg;

	if (e->refuse) {
		e->refuse--;
		return -EAGAIN;
	}
	T_IS(t_differs(payload, pkt->len, pkt->tag), -1);
	e->tags[e->taken] = pkt->tag;
	e->from[e->taken++] = src;
	return 0;
}

static const struct weft_carrier_up up = { .deliver = deliver };

static void inbox_open(struct weft_inbox *in, struct engine *e)
{
	struct weft_carrier_attr a = { .up = &up, .up_arg = e };

	memset(e, 0, sizeof(*e));
	weft_inbox_init(in, &a, 1000);
}

/*
 * Makes a packet with len bytes of payload, a pattern that depends on tag.
 * Returns the total number of bytes.
 */
static size_t make(void *buf, uint64_t tag, unsigned len)
{
	unsigned char payload[1024];
	struct iovec iov = { payload, len };
	struct weft_pkt pkt = { .type = 1, .len = (uint16_t)len, .tag = tag };

	t_fill(payload, len, tag);
	return weft_transport_gather(buf, &pkt, &iov, 1);
}

static void pieces_of_any_size_are_reassembled(void **state)
{
	unsigned char buf[1100];
	struct weft_peer peer = { .index = 40 };
	struct weft_inbox in;
	struct engine e;
	size_t n;

	inbox_open(&in, &e);
	for (size_t piece = 32; piece < 1100; piece += 111) {
		e.taken = 0;
		n = make(buf, piece, 1000);
		for (size_t at = 0; at < n; at += piece)
			T_OK(weft_inbox_take(&in, &peer, buf + at, piece));
		T_IS(e.taken, 1);
		T_IS(e.tags[0], piece);
	}
	weft_inbox_fini(&in);
}

static void a_refused_packet_delays_its_own_peer_only(void **state)
{
	unsigned char buf[1100];
	struct weft_peer a = { .index = 0 };
	struct weft_peer b = { .index = 100 };
	struct weft_inbox in;
	struct engine e;

	inbox_open(&in, &e);
	e.refuse = 2;
	make(buf, 1, 10);
	T_OK(weft_inbox_take(&in, &a, buf, 42));
	make(buf, 2, 10);
	T_OK(weft_inbox_take(&in, &a, buf, 42));
	make(buf, 3, 10);
	T_OK(weft_inbox_take(&in, &b, buf, 42));
	T_IS(e.taken, 1);
	T_IS(e.tags[0], 3);
	T_TRUE(weft_inbox_holds(&in, &a));
	T_FALSE(weft_inbox_holds(&in, &b));
	T_IS(weft_inbox_retry(&in), 2);
	T_IS(e.tags[1], 1);
	T_IS(e.tags[2], 2);
	T_FALSE(weft_inbox_holds(&in, &a));
	weft_inbox_fini(&in);
}

static void malformed_pieces_are_dropped(void **state)
{
	unsigned char buf[1100];
	struct weft_peer peer = { .index = 3 };
	struct weft_inbox in;
	struct engine e;

	inbox_open(&in, &e);
	make(buf, 1, 10);
	T_IS(weft_inbox_take(&in, &peer, buf, 31), -EPROTO);
	make(buf, 1, 1001);
	T_IS(weft_inbox_take(&in, &peer, buf, 1033), -EPROTO);
	make(buf, 1, 1000);
	T_OK(weft_inbox_take(&in, &peer, buf, 500));
	T_IS(e.taken, 0);
	weft_inbox_fini(&in);
}

static void a_table_grows_and_starts_empty(void **state)
{
	struct weft_table t = { 0 };
	int x;

	T_NULL(weft_table_get(&t, 5));
	for (uint32_t i = 0; i < 1000; i += 7) {
		T_NULL(*weft_table_slot(&t, i));
		*weft_table_slot(&t, i) = &x;
	}
	T_PTR(weft_table_get(&t, 994), &x);
	T_NULL(weft_table_get(&t, 993));
	weft_table_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(pieces_of_any_size_are_reassembled),
		T_CASE(a_refused_packet_delays_its_own_peer_only),
		T_CASE(malformed_pieces_are_dropped),
		T_CASE(a_table_grows_and_starts_empty),
	};

	return T_RUN(tests);
}
