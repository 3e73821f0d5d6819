/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receiving on the thread processor: arrivals start the thread, packets stay in
 * order, and a packet that the message engine refuses is delivered later.
 */
#include "prov/machine/machine_chain.h"
#include "prov/machine/qsnet2/qsnet2_transport.h"
#include "prov/nic/nic.h"
#include "test/t.h"

#include <errno.h>
#include <string.h>

#define PACKETS 500
#define BYTES	1000

struct side {
	struct weft_unit *u;
	struct weft_peer *peer;
	unsigned got;
	/* number of packets to refuse before the next is accepted */
	unsigned refuse;
	bool copies; /* the engine makes a long copy for each packet */
};

static struct side side[2];

static size_t bytes_of(unsigned i)
{
	return 8 + i * 37 % (BYTES - 8); /* lengths for STEN and for DMA */
}

static int on_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct side *s = arg;

	if (s->refuse) {
		s->refuse--;
		return -EAGAIN;
	}
	T_IS(pkt->tag, s->got);
	T_IS(pkt->len, bytes_of(s->got));
	T_IS(t_differs(payload, pkt->len, s->got), -1);
	s->got++;
	s->u->copied = s->copies;
	return 0;
}

static void on_lost(void *arg, struct weft_peer *peer, int err)
{
}

static const struct weft_carrier_up up = {
	.deliver = on_deliver,
	.lost = on_lost,
};

static const struct weft_machine machine = {
	.name = "test",
	.packet_bytes = BYTES,
};

static void pair_open(bool host_match)
{
	union weft_name name;

	memset(side, 0, sizeof(side));
	for (int i = 0; i < 2; i++) {
		struct weft_carrier_attr a = {
			.name = { .in.sin_family = AF_INET,
				  .in.sin_addr.s_addr =
					  htonl(INADDR_LOOPBACK) },
			.up = &up,
			.up_arg = &side[i],
			.host_match = host_match,
		};

		T_OK(weft_unit_qsnet2.open(&machine, &weft_carrier_loop, &a,
					   &side[i].u));
	}
	for (int i = 0; i < 2; i++) {
		struct weft_carrier *c = side[i].u->carrier;

		side[!i].u->carrier->ops->name_get(side[!i].u->carrier, &name);
		T_OK(c->ops->peer(c, &name, &side[i].peer));
	}
}

static void pair_close(void)
{
	weft_unit_qsnet2.close(side[0].u);
	weft_unit_qsnet2.close(side[1].u);
}

/* Returns the number of commands that events of the receiver have started. */
static uint64_t started(void)
{
	return side[1].u->ops->chain->started(side[1].u);
}

static int send_packet(unsigned i)
{
	unsigned char data[BYTES];
	const struct weft_pkt pkt = {
		.type = 1,
		.len = (uint16_t)bytes_of(i),
		.tag = i,
	};
	const struct iovec iov = { data, bytes_of(i) };

	t_fill(data, bytes_of(i), i);
	return side[0].u->ops->packet(side[0].u, side[0].peer, &pkt, &iov, 1);
}

/* Sends all packets; returns the sum of the results of the receiver's polls. */
static unsigned exchange(void)
{
	unsigned sent = 0, polled = 0;

	for (int k = 0; k < 100 * PACKETS && side[1].got < PACKETS; k++) {
		if (sent < PACKETS && !send_packet(sent))
			sent++;
		side[0].u->ops->poll(side[0].u, 16);
		polled += (unsigned)side[1].u->ops->poll(side[1].u, 16);
	}
	T_IS(side[1].got, PACKETS);
	return polled;
}

static void arrivals_start_the_thread(void **state)
{
	pair_open(false);
	T_IS(started(), 0);
	T_IS(exchange(), PACKETS);
	T_TRUE(started() > 0 && started() <= PACKETS);
	pair_close();
}

static void one_poll_receives_and_matches(void **state)
{
	pair_open(false);
	T_OK(send_packet(0));
	T_IS(side[1].u->ops->poll(side[1].u, 16), 1);
	T_IS(side[1].got, 1);
	T_IS(started(), 1);
	pair_close();
}

static void the_processor_can_receive_instead(void **state)
{
	pair_open(true);
	T_IS(exchange(), PACKETS);
	T_IS(started(), 0);
	pair_close();
}

static void refused_packets_are_delivered_later(void **state)
{
	pair_open(false);
	side[1].refuse = 40;
	exchange();
	T_IS(side[1].refuse, 0);
	pair_close();
}

/* After a copy the thread continues in the next poll. */
static void a_copy_suspends_the_thread(void **state)
{
	pair_open(false);
	side[1].copies = true;
	T_OK(send_packet(0));
	T_OK(send_packet(1));
	side[1].u->ops->poll(side[1].u, 16);
	T_IS(side[1].got, 1);
	side[1].u->ops->poll(side[1].u, 16);
	T_IS(side[1].got, 2);
	pair_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(arrivals_start_the_thread),
		T_CASE(one_poll_receives_and_matches),
		T_CASE(the_processor_can_receive_instead),
		T_CASE(refused_packets_are_delivered_later),
		T_CASE(a_copy_suspends_the_thread),
	};

	return T_RUN(tests);
}
