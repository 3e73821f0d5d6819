/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forged packets with a valid CRC, and nodes that are lost in the middle of
 * their operations.
 */
#include "test/support/apenet_pair.h"

#include <stdlib.h>
#include <string.h>

static void packets_have_up_to_4_kb(void **state)
{
	static const struct {
		uint16_t bytes;
		unsigned in, refused;
	} row[] = {
		{ 0, 1, 0 },
		{ APENET_PAYLOAD, 2, 0 },
		{ APENET_PAYLOAD + 1, 2, 1 },
		{ UINT16_MAX, 2, 2 },
	};
	static unsigned char data[UINT16_MAX];
	struct pair p;

	pair_open(&p);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct apenet_header h = {
			.address = (uintptr_t)p.s[0].mem[HOST],
			.bytes = row[i].bytes,
			.flags = APENET_FIRST | APENET_LAST,
		};

		pair_forge(&p, &h, data, 0);
		T_IS(pair_stats(&p, 0).packets_in, row[i].in);
		T_IS(pair_stats(&p, 0).refused, row[i].refused);
	}
	T_IS(pair_stats(&p, 0).crc_errors, 0);
	pair_close(&p);
}

static void packets_of_unknown_types_are_refused(void **state)
{
	static const uint8_t types[] = { 0, APENET_PKT - 1,
					 APENET_PKT + APENET_OPS, UINT8_MAX };
	struct weft_pkt pkt = { .flags = APENET_FIRST | APENET_LAST };
	struct weft_peer *from;
	struct pair p;

	pair_open(&p);
	from = weft_port_peer(&p.s[0].a->port, 1);
	for (unsigned i = 0; i < sizeof(types); i++) {
		pkt.type = types[i];
		T_OK(apenet_rx_deliver(p.s[0].a, from, &pkt, NULL));
		T_IS(pair_stats(&p, 0).refused, i + 1);
	}
	T_IS(pair_stats(&p, 0).packets_in, 0);
	pair_close(&p);
}

static void node_numbers_are_limited(void **state)
{
	struct pair p;

	pair_open(&p);
	T_OK(weft_apenet_node_set(p.s[0].a, WEFT_APENET_NODES - 1,
				  &p.s[1].name));
	T_IS(weft_apenet_node_set(p.s[0].a, WEFT_APENET_NODES, &p.s[1].name),
	     -EINVAL);
	pair_close(&p);
}

/*
 * A packet from a link is not accepted without a CRC, regardless of its flags.
 */
static void a_packet_of_a_link_needs_a_crc(void **state)
{
	const char data[8] = "12345678";
	struct apenet_header h = {
		.bytes = sizeof(data),
		.flags = APENET_FIRST | APENET_LAST | APENET_NO_CRC,
	};
	struct weft_pkt pkt;
	struct pair p;

	pair_open(&p);
	h.address = (uintptr_t)p.s[0].mem[HOST];
	pkt = pair_packet(&h, 0);
	T_OK(apenet_rx_packet(p.s[0].a, 1, true, &pkt, data));
	T_IS(pair_stats(&p, 0).crc_errors, 1);
	T_TRUE(pair_is_zero(p.s[0].mem[HOST], 8));
	T_OK(apenet_rx_packet(p.s[0].a, 1, false, &pkt, data));
	T_IS(pair_stats(&p, 0).crc_errors, 1);
	T_TRUE(pair_same(p.s[0].mem[HOST], data, 8));
	pair_close(&p);
}

/* A staged message may have packets without data, which store nothing. */
static void empty_packets_of_a_staged_message(void **state)
{
	struct apenet_header h = {
		.flags = APENET_FIRST | APENET_STAGED | APENET_RECEIVE,
	};
	struct weft_apenet_event ev;
	char bytes[64];
	struct pair p;

	pair_open(&p);
	memset(bytes, 3, sizeof(bytes));
	h.address = (uintptr_t)p.s[0].mem[DEVICE];
	pair_forge(&p, &h, bytes, 0);
	h.flags = APENET_STAGED;
	pair_forge(&p, &h, bytes, 0);
	h.bytes = sizeof(bytes);
	pair_forge(&p, &h, bytes, 0);
	h.address += sizeof(bytes);
	h.bytes = 0;
	h.flags = APENET_STAGED | APENET_LAST;
	pair_forge(&p, &h, bytes, 5);
	ev = pair_event(&p, 0);
	T_IS(ev.status, WEFT_APENET_OK);
	T_IS(ev.bytes, sizeof(bytes));
	T_IS(ev.data, 5);
	T_TRUE(pair_same(p.s[0].mem[DEVICE], bytes, sizeof(bytes)));
	T_TRUE(pair_is_zero(p.s[0].mem[DEVICE] + sizeof(bytes), 64));
	pair_close(&p);
}

/* The first packet decides whether a message is staged. */
static void packets_of_a_message_with_different_flags(void **state)
{
	char bytes[128];
	struct pair p;

	t_fill(bytes, sizeof(bytes), 8);
	pair_open(&p);
	for (unsigned i = 0; i < 4; i++) {
		const unsigned first = i & 1 ? APENET_STAGED : 0;
		const unsigned last = i & 2 ? APENET_STAGED : 0;
		char *to = p.s[0].mem[DEVICE] + 4096 * i;
		struct apenet_header h = {
			.address = (uintptr_t)to,
			.bytes = 64,
			.message = i,
			.flags = (uint8_t)(APENET_FIRST | APENET_RECEIVE |
					   first),
		};

		pair_forge(&p, &h, bytes, 0);
		T_TRUE(first ? pair_is_zero(to, 64) : pair_same(to, bytes, 64));
		h.address += 64;
		h.flags = (uint8_t)(APENET_LAST | last);
		pair_forge(&p, &h, bytes + 64, 0);
		T_IS(pair_event(&p, 0).status, WEFT_APENET_OK);
		T_TRUE(pair_same(to, bytes, sizeof(bytes)));
		T_TRUE(pair_is_zero(to + sizeof(bytes), 64));
		T_IS(pair_stats(&p, 0).copies, (i + 1) / 2);
	}
	pair_close(&p);
}

/*
 * Packets of a staged message that are beyond the end of its buffer are
 * dropped.
 */
static void a_staged_message_stays_within_its_buffer(void **state)
{
	struct apenet_header h = {
		.bytes = 64,
		.flags = APENET_FIRST | APENET_STAGED | APENET_RECEIVE,
	};
	struct weft_apenet_event ev;
	char bytes[64] = { 1 };
	struct pair p;

	pair_open(&p);
	h.address = (uintptr_t)p.s[0].mem[DEVICE] + PAIR_BYTES - 64;
	pair_forge(&p, &h, bytes, 0);
	h.address += 64;
	h.flags = APENET_STAGED;
	pair_forge(&p, &h, bytes, 0);
	T_IS(pair_stats(&p, 0).dropped, 1);
	h.address += 64;
	h.flags = APENET_STAGED | APENET_LAST;
	pair_forge(&p, &h, bytes, 0);
	T_IS(pair_stats(&p, 0).dropped, 2);
	ev = pair_event(&p, 0);
	T_IS(ev.status, WEFT_APENET_ADDRESS);
	T_IS(ev.address, (uintptr_t)p.s[0].mem[DEVICE] + PAIR_BYTES);
	T_TRUE(pair_is_zero(p.s[0].mem[DEVICE], PAIR_BYTES));
	pair_close(&p);
}

/* A staged put needs the same access right as a put without staging. */
static void a_staged_put_needs_the_right_to_write(void **state)
{
	struct apenet_header h = {
		.bytes = 64,
		.flags = APENET_FIRST | APENET_LAST | APENET_STAGED |
			 APENET_RECEIVE,
	};
	struct weft_apenet_event ev;
	char bytes[64] = { 1 };
	struct pair p;

	pair_open(&p);
	T_OK(weft_apenet_buf_close(p.s[0].a, p.s[0].buf[DEVICE]));
	T_OK(weft_apenet_buf_open(p.s[0].a, p.s[0].mem[DEVICE], PAIR_BYTES,
				  WEFT_APENET_MAY_READ, &p.s[0].buf[DEVICE]));
	h.address = (uintptr_t)p.s[0].mem[DEVICE];
	pair_forge(&p, &h, bytes, 0);
	ev = pair_event(&p, 0);
	T_IS(ev.status, WEFT_APENET_ADDRESS);
	T_IS(ev.address, (uintptr_t)p.s[0].mem[DEVICE]);
	T_TRUE(pair_is_zero(p.s[0].mem[DEVICE], 4096));
	pair_close(&p);
}

static void a_request_of_another_size_is_refused(void **state)
{
	static const uint16_t sizes[] = { 0, APENET_DESC - 1, APENET_DESC + 1,
					  APENET_PAYLOAD };
	static union {
		struct apenet_get_request req;
		unsigned char bytes[APENET_PAYLOAD];
	} data;
	struct apenet_header h = { .op = APENET_GET,
				   .flags = APENET_FIRST | APENET_LAST };
	struct pair p;

	pair_open(&p);
	pair_fill(&p.s[0], HOST, 3);
	data.req = (struct apenet_get_request){
		.from = (uintptr_t)p.s[0].mem[HOST],
		.to = (uintptr_t)p.s[1].mem[HOST],
		.bytes = 64,
	};
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		h.bytes = sizes[i];
		pair_forge(&p, &h, &data, 0);
		T_IS(pair_stats(&p, 0).refused, i + 1);
	}
	pair_silent(&p, 0);
	T_IS(pair_stats(&p, 0).active_steps, 0);
	pair_close(&p);
}

/* No packet of a reply is stored after the last one, or after a refusal. */
static void a_reply_that_ends_early_is_an_error(void **state)
{
	struct apenet_header h = {
		.bytes = 64,
		.op = APENET_REPLY,
		.flags = APENET_FIRST | APENET_LAST,
	};
	const struct apenet_header refuse = { .op = APENET_REFUSE };
	const uint64_t second = UINT64_C(1) << 16; /* number of the next get */
	struct weft_apenet_cmd c;
	char bytes[64] = { 1 };
	uint64_t dropped;
	struct pair p;

	pair_open(&p);
	c = pair_cmd(&p, HOST, HOST, 128);
	T_OK(weft_apenet_get(p.s[0].a, &c));
	h.address = c.local;
	pair_forge(&p, &h, bytes, 0);
	T_OK(weft_apenet_get(p.s[0].a, &c));
	h.flags = APENET_FIRST;
	pair_forge(&p, &h, bytes, second);
	pair_forge(&p, &refuse, bytes, second);
	dropped = pair_stats(&p, 0).dropped;
	h.address += 64;
	h.flags = APENET_LAST;
	pair_forge(&p, &h, bytes, second);
	T_IS(pair_stats(&p, 0).dropped, dropped + 1);
	T_IS(pair_stats(&p, 0).refused, 0);
	/* a second refusal of the same get is refused */
	pair_forge(&p, &refuse, bytes, second);
	T_IS(pair_stats(&p, 0).refused, 1);
	T_IS(pair_event(&p, 0).status, WEFT_APENET_CUT);
	T_IS(pair_event(&p, 0).status, WEFT_APENET_ADDRESS);
	T_TRUE(pair_is_zero(p.s[0].mem[HOST] + 64, 4096));
	pair_close(&p);
}

/*
 * The source of a staged put needs no access rights, which apply to peers only.
 */
static void a_staged_put_from_a_buffer_without_rights(void **state)
{
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	T_OK(weft_apenet_buf_close(p.s[0].a, p.s[0].buf[DEVICE]));
	T_OK(weft_apenet_buf_open(p.s[0].a, p.s[0].mem[DEVICE], PAIR_BYTES, 0,
				  &p.s[0].buf[DEVICE]));
	pair_fill(&p.s[0], DEVICE, 4);
	c = pair_cmd(&p, DEVICE, HOST, 8192);
	c.flags |= WEFT_APENET_STAGED;
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(pair_event(&p, 1).status, WEFT_APENET_OK);
	T_IS(pair_stats(&p, 0).copies, 1);
	T_TRUE(pair_same(p.s[0].mem[DEVICE], p.s[1].mem[HOST], 8192));
	pair_close(&p);
}

/*
 * The next message from a node ends the node's message that is still being
 * collected.
 */
static void an_interrupted_staged_message_is_cut(void **state)
{
	struct apenet_header h = {
		.bytes = 64,
		.flags = APENET_FIRST | APENET_STAGED | APENET_RECEIVE,
	};
	struct weft_apenet_event ev;
	char bytes[64] = { 1 };
	struct pair p;

	pair_open(&p);
	h.address = (uintptr_t)p.s[0].mem[DEVICE];
	pair_forge(&p, &h, bytes, 0);
	h.message = 1;
	h.address += 4096;
	h.flags |= APENET_LAST;
	pair_forge(&p, &h, bytes, 0);
	ev = pair_event(&p, 0);
	T_IS(ev.status, WEFT_APENET_CUT);
	T_IS(ev.bytes, 64);
	T_IS(pair_event(&p, 0).status, WEFT_APENET_OK);
	pair_silent(&p, 0);
	T_TRUE(pair_is_zero(p.s[0].mem[DEVICE], 64));
	T_TRUE(pair_same(p.s[0].mem[DEVICE] + 4096, bytes, 64));
	pair_close(&p);
}

/* The source of the first put is closed while its parts are read. */
static void a_failed_put_leaves_the_engines_to_the_next(void **state)
{
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	pair_fill(&p.s[0], DEVICE, 9);
	c = pair_cmd(&p, HOST, HOST, PAIR_BYTES);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	apenet_tx_run(p.s[0].a, 3);
	T_OK(weft_apenet_buf_close(p.s[0].a, p.s[0].buf[HOST]));
	T_IS(pair_event(&p, 0).status, WEFT_APENET_CLOSED);
	c = pair_cmd(&p, DEVICE, DEVICE, PAIR_BYTES);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(pair_event(&p, 0).status, WEFT_APENET_OK);
	while (pair_event(&p, 1).status != WEFT_APENET_OK)
		;
	T_TRUE(pair_same(p.s[0].mem[DEVICE], p.s[1].mem[DEVICE], PAIR_BYTES));
	pair_close(&p);
}

static void a_budget_is_the_number_of_steps(void **state)
{
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	c = pair_cmd(&p, HOST, HOST, PAIR_BYTES);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	apenet_tx_run(p.s[0].a, 3);
	T_IS(pair_stats(&p, 0).active_steps, 3);
	apenet_tx_run(p.s[0].a, 0);
	T_IS(pair_stats(&p, 0).active_steps, 3);
	pair_close(&p);
}

/*
 * Commands for other nodes (in this test for the board itself) are still
 * executed.
 */
static void a_lost_node_ends_only_its_own_commands(void **state)
{
	struct weft_apenet_event ev;
	struct weft_apenet_cmd c;
	struct pair p;
	int gone = 0, sent = 0;

	pair_open(&p);
	for (unsigned i = 0; i < 100; i++) {
		c = pair_cmd(&p, HOST, HOST, 64);
		c.flags = WEFT_APENET_EVENT;
		c.node = i % 4 == 0;
		if (!c.node)
			c.remote = (uintptr_t)p.s[0].mem[DEVICE];
		T_OK(weft_apenet_put(p.s[0].a, &c));
	}
	apenet_rx_lost(p.s[0].a, 1);
	apenet_cmd_lost(p.s[0].a, 1, false);
	pair_run(&p, 1000);
	while (!weft_apenet_event(p.s[0].a, &ev)) {
		gone += ev.status == WEFT_APENET_GONE;
		sent += ev.status == WEFT_APENET_OK;
	}
	T_IS(gone, 25);
	T_IS(sent, 75);
	pair_close(&p);
}

/* The target of a message is notified that the sender is lost. */
static void a_message_of_a_lost_node_ends_with_an_error(void **state)
{
	struct apenet_header h = { .bytes = 64, .flags = APENET_FIRST };
	struct weft_apenet_event ev;
	char bytes[64] = { 0 };
	struct pair p;

	pair_open(&p);
	h.address = (uintptr_t)p.s[0].mem[HOST];
	pair_forge(&p, &h, bytes, 0);
	pair_silent(&p, 0);
	apenet_rx_lost(p.s[0].a, 1);
	ev = pair_event(&p, 0);
	T_IS(ev.what, WEFT_APENET_ERROR);
	T_IS(ev.status, WEFT_APENET_GONE);
	T_IS(ev.node, 1);
	T_IS(ev.bytes, 64);
	apenet_rx_lost(p.s[0].a, 1);
	pair_silent(&p, 0);
	pair_close(&p);
}

/* Sends the first packet of a message that the node never completes. */
static void begin_message(struct pair *p, uint32_t node)
{
	const char bytes[8] = { 0 };
	const struct apenet_header h = {
		.address = (uintptr_t)p->s[0].mem[HOST],
		.bytes = sizeof(bytes),
		.flags = APENET_FIRST,
	};
	struct weft_pkt pkt = pair_packet(&h, 0);

	pkt.unit = apenet_crc(p->s[0].a, &pkt, bytes);
	T_OK(apenet_rx_packet(p->s[0].a, node, true, &pkt, bytes));
}

/* The events of lost nodes are written as soon as the queue has space. */
static void lost_nodes_are_reported_after_a_full_queue(void **state)
{
	const struct weft_apenet_attr attr = { .events = 8 };
	struct weft_apenet_event ev;
	struct pair p;

	pair_open_as(&p, &attr);
	for (uint32_t node = 1; node <= 12; node++)
		begin_message(&p, node);
	for (uint32_t node = 1; node <= 12; node++)
		apenet_rx_lost(p.s[0].a, node);
	for (uint32_t node = 1; node <= 12; node++) {
		T_OK(weft_apenet_event(p.s[0].a, &ev));
		T_IS(ev.status, WEFT_APENET_GONE);
		T_IS(ev.node, node);
		T_IS(ev.bytes, 8);
	}
	T_IS(weft_apenet_event(p.s[0].a, &ev), -EAGAIN);
	/* events that were not read are freed by the close */
	for (uint32_t node = 1; node <= 12; node++)
		begin_message(&p, node);
	for (uint32_t node = 1; node <= 12; node++)
		apenet_rx_lost(p.s[0].a, node);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(packets_have_up_to_4_kb),
		T_CASE(packets_of_unknown_types_are_refused),
		T_CASE(a_packet_of_a_link_needs_a_crc),
		T_CASE(empty_packets_of_a_staged_message),
		T_CASE(packets_of_a_message_with_different_flags),
		T_CASE(a_staged_message_stays_within_its_buffer),
		T_CASE(a_staged_put_needs_the_right_to_write),
		T_CASE(a_request_of_another_size_is_refused),
		T_CASE(a_reply_that_ends_early_is_an_error),
		T_CASE(a_staged_put_from_a_buffer_without_rights),
		T_CASE(an_interrupted_staged_message_is_cut),
		T_CASE(a_failed_put_leaves_the_engines_to_the_next),
		T_CASE(node_numbers_are_limited),
		T_CASE(a_budget_is_the_number_of_steps),
		T_CASE(a_lost_node_ends_only_its_own_commands),
		T_CASE(a_message_of_a_lost_node_ends_with_an_error),
		T_CASE(lost_nodes_are_reported_after_a_full_queue),
	};

	return T_RUN(tests);
}
