/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forged packets of a peer: each differs in one value from a packet that is
 * accepted. Message ids begin just below 2^32.
 */
#include "prov/machine/sunway/sunway_transport.h"
#include "test/support/sunway_pair.h"

#include <string.h>

#define LAST UINT32_C(0xfffffe00) /* id of slot 0 in the last generation */

/* A packet of node b for side a, with `bytes` bytes of data. */
struct forged {
	struct weft_pkt pkt;
	struct sunway_slice slice;
	unsigned bytes;
};

static struct forged write_packet(const struct pair *p, unsigned id,
				  uint32_t total, uint32_t offset)
{
	return (struct forged){
		.pkt = { .type = SUNWAY_PKT,
			 .flags = SUNWAY_WRITE,
			 .aux = id,
			 .tag = p->a.address,
			 .unit = sunway_unit(sunway_end(0, p->a.vi[0]),
					     sunway_end(0, p->b.vi[0]), 0, 0) },
		.slice = { .job = PAIR_JOB, .total = total, .offset = offset },
		.bytes = total - offset < WEFT_SUNWAY_PACKET
				 ? total - offset
				 : WEFT_SUNWAY_PACKET,
	};
}

/* Delivers the packet; `fill`: its data. */
static void deliver(struct pair *p, const struct forged *f, int fill)
{
	unsigned char payload[SUNWAY_SLICE + 2 * WEFT_SUNWAY_PACKET];
	struct sunway_port *port = &p->a.n->port[0];
	struct weft_pkt pkt = f->pkt;

	memcpy(payload, &f->slice, sizeof(f->slice));
	memset(payload + SUNWAY_SLICE, fill, 2 * WEFT_SUNWAY_PACKET);
	if (!pkt.len)
		pkt.len = (uint16_t)(SUNWAY_SLICE + f->bytes);
	sunway_rx_deliver(port, weft_port_peer(&port->port, p->b.n->guid), &pkt,
			  payload);
}

static uint64_t refused(const struct pair *p)
{
	return p->a.n->stats.refused;
}

static void packets_of_wrong_length_are_refused(void **state)
{
	struct forged f;
	struct pair p;

	pair_open(&p, "");
	f = write_packet(&p, LAST, 8, 0);
	f.pkt.len = SUNWAY_SLICE - 1;
	deliver(&p, &f, 1);
	T_IS(refused(&p), 1);
	f = write_packet(&p, LAST, 3 * WEFT_SUNWAY_PACKET, 0);
	f.bytes++;
	deliver(&p, &f, 1);
	T_IS(refused(&p), 2);
	/* more data than the message has, at its beginning and within it */
	f = write_packet(&p, LAST, 8, 0);
	f.bytes = 9;
	deliver(&p, &f, 1);
	T_IS(refused(&p), 3);
	f = write_packet(&p, LAST, WEFT_SUNWAY_PACKET + 8, WEFT_SUNWAY_PACKET);
	f.bytes = 9;
	deliver(&p, &f, 1);
	T_IS(refused(&p), 4);
	f.slice.offset = UINT32_MAX;
	deliver(&p, &f, 1);
	T_IS(refused(&p), 5);
	/* data that does not begin at a packet boundary */
	f = write_packet(&p, LAST, 4 * WEFT_SUNWAY_PACKET, 8);
	deliver(&p, &f, 1);
	T_IS(refused(&p), 6);
	f = write_packet(&p, LAST, 8, 0);
	f.pkt.flags = SUNWAY_CMDS;
	deliver(&p, &f, 1);
	T_IS(refused(&p), 7);
	f.pkt.flags = SUNWAY_WRITE;
	f.pkt.type--;
	deliver(&p, &f, 1);
	T_IS(refused(&p), 8);
	T_IS(p.a.mem[0], 0);
	f.pkt.type++;
	deliver(&p, &f, 1);
	T_IS(refused(&p), 8);
	T_IS(p.a.mem[7], 1);
	T_IS(p.a.mem[8], 0);
	pair_close(&p);
}

/* All packets of a write must specify the same message length. */
static void the_length_of_a_write_does_not_change(void **state)
{
	static const uint32_t total[] = { 8, 64 * WEFT_SUNWAY_PACKET,
					  130 * WEFT_SUNWAY_PACKET };
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < WEFT_COUNT_OF(total); i++) {
		uint64_t before = refused(&p);
		struct forged f = write_packet(&p, LAST + i, total[i], 0);

		f.bytes = total[i] > 8 ? f.bytes : 0;
		deliver(&p, &f, 1);
		T_IS(refused(&p), before);
		/* a packet index far beyond the first length */
		f = write_packet(&p, LAST + i, UINT32_MAX,
				 (UINT32_C(1) << 20) * WEFT_SUNWAY_PACKET);
		deliver(&p, &f, 2);
		T_IS(refused(&p), before + 1);
		f = write_packet(&p, LAST + i, total[i] + 1, 0);
		f.bytes = 1;
		deliver(&p, &f, 2);
		T_IS(refused(&p), before + 2);
	}
	T_IS(p.a.mem[0], 1);
	pair_close(&p);
}

/* The generation of a message id wraps around; an older one is refused. */
static void message_ids_wrap_around(void **state)
{
	static const struct {
		uint32_t id;
		bool accepted;
	} row[] = {
		{ LAST - 512, true }, { LAST, true },  { LAST - 512, false },
		{ 0, true },	      { LAST, false }, { 512, true },
		{ 0, false },
	};
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < WEFT_COUNT_OF(row); i++) {
		uint64_t before = refused(&p);
		struct forged f = write_packet(&p, row[i].id, 8, 0);

		p.a.mem[0] = 0;
		deliver(&p, &f, 1);
		T_IS(refused(&p) - before, !row[i].accepted);
		T_IS(p.a.mem[0], row[i].accepted);
	}
	pair_close(&p);
}

/* An answer stays within its read, and answers the read that was sent. */
static void an_answer_stays_within_its_read(void **state)
{
	enum { BYTES = WEFT_SUNWAY_PACKET + 100 };
	struct weft_sunway_desc d;
	uint64_t absorbed;
	struct forged f;
	struct pair p;
	uint32_t id;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAR, BYTES);
	d.local = p.a.address;
	pair_post(&p.a, &d);
	weft_sunway_poll(p.a.n, 1);
	id = sunway_msg_id(p.a.n, &p.a.n->me[0].msg[0]);
	absorbed = p.a.n->stats.absorbed;
	for (int i = 0; i < 5; i++) {
		static const uint32_t total[] = { BYTES + 8, BYTES + 1,
						  2 * WEFT_SUNWAY_PACKET + 8,
						  BYTES, BYTES };
		static const uint32_t at[] = { WEFT_SUNWAY_PACKET,
					       WEFT_SUNWAY_PACKET,
					       2 * WEFT_SUNWAY_PACKET, 8, 0 };

		f = write_packet(&p, id + 512u * (i == 4), total[i], at[i]);
		f.pkt.flags = SUNWAY_WRITTEN;
		deliver(&p, &f, 3);
		T_IS(p.a.n->stats.absorbed - absorbed, i + 1);
		T_IS(p.a.n->me[0].in_flight, 1);
	}
	for (size_t i = 0; i < BYTES + 8; i++)
		T_IS(p.a.mem[i], 0);
	for (uint32_t at = 0; at < BYTES; at += WEFT_SUNWAY_PACKET) {
		f = write_packet(&p, id, BYTES, at);
		f.pkt.flags = SUNWAY_WRITTEN;
		deliver(&p, &f, 3);
	}
	T_IS(p.a.n->me[0].in_flight, 0);
	T_IS(p.a.mem[BYTES - 1], 3);
	T_IS(p.a.mem[BYTES], 0);
	pair_close(&p);
}

/*
 * Reads that wait until earlier ones are answered are identified by their
 * number.
 */
static void a_waiting_read_is_accepted_once(void **state)
{
	struct weft_sunway_stats *st;
	struct forged f;
	struct pair p;
	uint64_t served;
	unsigned i;

	pair_open(&p, "");
	st = &p.a.n->stats;
	served = WEFT_COUNT_OF(p.a.n->me[0].msg) - WEFT_SUNWAY_IN_FLIGHT;
	for (i = 0; i < served + 3; i++) {
		f = write_packet(&p, LAST + i, 64, 0);
		f.pkt.flags = SUNWAY_READ;
		f.bytes = 0;
		deliver(&p, &f, 0);
		T_IS(st->doubles, 0);
		T_IS(st->reads, i < served ? i + 1 : served);
	}
	for (i = 0; i < served + 3; i++) {
		f.pkt.aux = LAST + i;
		deliver(&p, &f, 0);
		T_IS(st->doubles, i + 1);
	}
	T_IS(refused(&p), 0);
	pair_close(&p);
}

/* A part has a group, an input and a length, each below its limit. */
static void parts_of_no_group_or_input_are_refused(void **state)
{
	static const struct {
		unsigned group, nth, bytes;
	} row[] = {
		{ WEFT_SUNWAY_MULTICASTS - 1, WEFT_SUNWAY_INPUTS - 1,
		  WEFT_SUNWAY_FSM },
		{ WEFT_SUNWAY_MULTICASTS, 0, 0 },
		{ 0, WEFT_SUNWAY_INPUTS, 0 },
		{ 0, 0, WEFT_SUNWAY_FSM + 1 },
	};
	static const unsigned char data[WEFT_SUNWAY_FSM + 1];
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < WEFT_COUNT_OF(row); i++) {
		const struct weft_pkt pkt = { .tag = row[i].group |
						     row[i].nth << 8 };
		const struct sunway_in in = { .pkt = &pkt,
					      .data = data,
					      .bytes = row[i].bytes };

		sunway_coll_part(p.a.n, sunway_vi(p.a.n, 0, p.a.vi[0]), &in);
		T_IS(refused(&p), i);
	}
	pair_close(&p);
}

/* ---- the chip below the message engine ---- */

/* The unit of a message engine, and a carrier that sends it any packet. */
struct target {
	struct weft_unit *u;
	struct weft_sunway *n;
	struct weft_carrier *c;
	struct weft_peer *peer; /* peer record of the target, at the carrier */
	struct weft_peer *src;	/* peer record of the carrier, at the target */
	uint64_t word;		/* memory of the target */
	unsigned taken;
};

static int target_deliver(void *arg, struct weft_peer *src,
			  const struct weft_pkt *pkt, const void *payload)
{
	struct target *t = arg;

	t->taken++;
	t->src = src;
	return 0;
}

static int no_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	return 0;
}

static void no_lost(void *arg, struct weft_peer *peer, int err)
{
}

static void target_open(struct target *t)
{
	static const struct weft_machine machine = { .packet_bytes = 1900 };
	static const struct weft_carrier_up up = { .deliver = target_deliver,
						   .lost = no_lost };
	static const struct weft_carrier_up no_up = { .deliver = no_deliver,
						      .lost = no_lost };
	struct weft_carrier_attr a = {
		.name = { .in.sin_family = AF_INET,
			  .in.sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
		.up = &up,
		.up_arg = t,
	};
	union weft_name name;

	memset(t, 0, sizeof(*t));
	T_OK(weft_unit_sunway.open(&machine, &weft_carrier_loop, &a, &t->u));
	t->n = sunway_transport_chip(t->u);
	a.up = &no_up;
	T_OK(weft_carrier_loop.open(&a, &t->c));
	t->u->carrier->ops->name_get(t->u->carrier, &name);
	T_OK(t->c->ops->peer(t->c, &name, &t->peer));
}

static void target_close(struct target *t)
{
	t->c->ops->close(t->c);
	weft_unit_sunway.close(t->u);
}

/*
 * Sends a packet to the target. Returns the number of packets that the target
 * has refused.
 */
static uint64_t target_send(struct target *t, struct weft_pkt pkt)
{
	static unsigned char payload[WEFT_SUNWAY_PACKET];
	const struct iovec iov = { payload, pkt.len };

	T_OK(t->c->ops->send(t->c, t->peer, &pkt, &iov, 1));
	t->u->ops->poll(t->u, 16);
	t->c->ops->poll(t->c, 16);
	return t->n->stats.refused;
}

/* Only acknowledgements and probes are accepted, and only without data. */
static void peers_cannot_command_the_engines_chip(void **state)
{
	struct weft_pkt pkt = { .type = SUNWAY_PKT };
	uint64_t refused = 0;
	struct target t;

	target_open(&t);
	pkt.tag = sunway_address_whole(&t.word);
	for (unsigned cmd = 0; cmd <= SUNWAY_CMDS; cmd++) {
		bool good = cmd == SUNWAY_ACK || cmd == SUNWAY_PROBE;

		pkt.flags = (uint8_t)cmd;
		pkt.len = SUNWAY_SLICE + 8;
		T_IS(target_send(&t, pkt), ++refused);
		pkt.len = 0;
		refused += !good;
		T_IS(target_send(&t, pkt), refused);
	}
	pkt.type++;
	pkt.flags = SUNWAY_ACK;
	T_IS(target_send(&t, pkt), refused + 1);
	T_IS(t.word, 0);
	T_IS(t.taken, 0);
	T_IS(t.n->stats.acks, 1);
	target_close(&t);
}

static void engine_packets_have_a_length_and_a_number(void **state)
{
	struct weft_pkt pkt = { .type = 7, .len = 96, .unit = SUNWAY_UNIT_FSM };
	struct target t;

	target_open(&t);
	pkt.len++;
	T_IS(target_send(&t, pkt), 1); /* too long for the chip */
	pkt.unit = 0;
	pkt.len = 1901;
	T_IS(target_send(&t, pkt), 2);
	pkt.len = 1900;
	pkt.unit = WEFT_ARQ_WINDOW; /* outside of the window */
	T_IS(target_send(&t, pkt), 3);
	T_IS(t.taken, 0);
	pkt.unit = 1;
	T_IS(target_send(&t, pkt), 3);
	T_IS(t.taken, 0);
	pkt.unit = 0;
	T_IS(target_send(&t, pkt), 3);
	T_IS(t.taken, 2);
	/* old numbers are duplicates, in both halves of the number space */
	for (unsigned i = 0; i < 2; i++) {
		pkt.unit = i ? SUNWAY_SEQ : 1;
		T_IS(target_send(&t, pkt), 3);
		T_IS(t.n->stats.doubles, i + 1);
	}
	T_IS(t.taken, 2);
	target_close(&t);
}

/* An acknowledgement frees only the slots of messages that were sent. */
static void acknowledgements_are_for_messages_that_were_sent(void **state)
{
	struct weft_pkt pkt = { .type = 7 };
	struct target t;

	target_open(&t);
	target_send(&t, pkt);
	for (unsigned i = 0; i < 5; i++)
		T_OK(t.u->ops->packet(t.u, t.src, &pkt, NULL, 0));
	pkt = (struct weft_pkt){ .type = SUNWAY_PKT, .flags = SUNWAY_ACK };
	T_IS(t.n->me[0].in_flight, 5);
	pkt.unit = 6u << SUNWAY_ACK_SHIFT;
	target_send(&t, pkt);
	T_IS(t.n->me[0].in_flight, 5);
	pkt.unit = SUNWAY_ACK_MASK << SUNWAY_ACK_SHIFT;
	target_send(&t, pkt);
	T_IS(t.n->me[0].in_flight, 5);
	pkt.unit = 3u << SUNWAY_ACK_SHIFT;
	target_send(&t, pkt);
	T_IS(t.n->me[0].in_flight, 2);
	pkt.unit = 2u << SUNWAY_ACK_SHIFT;
	target_send(&t, pkt);
	T_IS(t.n->me[0].in_flight, 2);
	pkt.unit = 5u << SUNWAY_ACK_SHIFT;
	target_send(&t, pkt);
	T_IS(t.n->me[0].in_flight, 0);
	target_close(&t);
}

/* After the loss of a peer, its message ids denote new messages. */
static void a_lost_peer_leaves_no_message_ids(void **state)
{
	struct forged f;
	struct pair p;

	pair_open(&p, "");
	f = write_packet(&p, LAST, 8, 0);
	deliver(&p, &f, 1);
	f.pkt.aux++;
	deliver(&p, &f, 2);
	T_IS(p.a.mem[0], 2);
	T_IS(p.a.n->rdma_rx_by_key.used, 2);
	/* another peer's messages stay */
	sunway_rx_lost(p.a.n, p.b.n->guid + 1);
	T_IS(p.a.n->rdma_rx_by_key.used, 2);
	sunway_rx_lost(p.a.n, p.b.n->guid);
	T_IS(p.a.n->rdma_rx_by_key.used, 0);
	T_TRUE(weft_list_empty(&p.a.n->rdma_rx));
	deliver(&p, &f, 3);
	T_IS(p.a.mem[0], 3);
	T_IS(p.a.n->rdma_rx_by_key.used, 1);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(packets_of_wrong_length_are_refused),
		T_CASE(the_length_of_a_write_does_not_change),
		T_CASE(message_ids_wrap_around),
		T_CASE(a_lost_peer_leaves_no_message_ids),
		T_CASE(an_answer_stays_within_its_read),
		T_CASE(a_waiting_read_is_accepted_once),
		T_CASE(parts_of_no_group_or_input_are_refused),
		T_CASE(peers_cannot_command_the_engines_chip),
		T_CASE(engine_packets_have_a_length_and_a_number),
		T_CASE(acknowledgements_are_for_messages_that_were_sent),
	};

	return T_RUN(tests);
}
