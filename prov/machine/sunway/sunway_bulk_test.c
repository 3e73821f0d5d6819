/* SPDX-License-Identifier: BSD-3-Clause */
/* RDMA below the message engine: message slots, answer words at both ends. */
#include "prov/machine/machine_order.h"
#include "prov/machine/sunway/sunway_bulk.h"
#include "prov/machine/sunway/sunway_transport.h"
#include "test/t.h"

#include <string.h>

#define BYTES	   100000
#define READ_WRITE (WEFT_MR_REMOTE_READ | WEFT_MR_REMOTE_WRITE)

struct side {
	struct weft_unit *u;
	struct weft_peer *peer;
	int reg; /* segment of mem */
	unsigned char mem[BYTES];
};

static int no_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	return 0;
}

static void no_lost(void *arg, struct weft_peer *peer, int err)
{
}

static const struct weft_carrier_up no_up = {
	.deliver = no_deliver,
	.lost = no_lost,
};

static const struct weft_machine machine = {
	.name = "test",
	.packet_bytes = 2016,
};

static int ended;
static int ended_err;

static void on_done(struct weft_dma *d, int err)
{
	ended++;
	ended_err = err;
}

static int segment(struct side *s, size_t bytes, unsigned access)
{
	const struct iovec mem = { s->mem, bytes };

	return s->u->ops->mem_open(s->u, &mem, access);
}

static void pair_open(struct side *s, const struct weft_carrier_ops *carrier)
{
	struct weft_carrier_attr a = {
		.name = { .in.sin_family = AF_INET,
			  .in.sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
		.up = &no_up,
		/* shared area of the engine; not a multiple of a cache line */
		.share_bytes = 1000,
	};
	union weft_name name;

	ended = 0;
	for (unsigned i = 0; i < 2; i++) {
		memset(s[i].mem, 0, BYTES);
		T_OK(weft_unit_sunway.open(&machine, carrier, &a, &s[i].u));
		s[i].reg = segment(&s[i], BYTES, READ_WRITE);
		T_IS(s[i].reg, 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		struct weft_carrier *c = s[i].u->carrier;

		s[!i].u->carrier->ops->name_get(s[!i].u->carrier, &name);
		T_OK(c->ops->peer(c, &name, &s[i].peer));
	}
}

static void pair_close(struct side *s)
{
	weft_unit_sunway.close(s[0].u);
	weft_unit_sunway.close(s[1].u);
}

static struct weft_dma dma_of(struct side *here, struct side *there)
{
	return (struct weft_dma){
		.local = { { here->mem, 60 }, { here->mem + 60, BYTES - 60 } },
		.local_count = 2,
		.remote = (uintptr_t)there->mem,
		.bytes = BYTES,
		.done = on_done,
	};
}

static uint64_t answers(struct side *s)
{
	return nic_event_read(sunway_bulk_answer(s->u, NULL));
}

/* The answer word counts writes while the target is passive. */
static void put_increments_target_answer_word(void **state)
{
	static struct side s[2];
	struct weft_dma d;

	pair_open(s, &weft_carrier_loop);
	d = dma_of(&s[0], &s[1]);
	for (unsigned i = 1; i <= 3; i++) {
		t_fill(s[0].mem, BYTES, i);
		T_OK(s[0].u->ops->put(s[0].u, s[0].peer, &d));
		T_IS(ended, i);
		T_IS(ended_err, 0);
		T_IS(t_differs(s[1].mem, BYTES, i), -1);
		T_IS(answers(&s[1]), i);
	}
	T_IS(answers(&s[0]), 0);
	pair_close(s);
}

static void get_increments_its_own_answer_word(void **state)
{
	static struct side s[2];
	struct weft_dma d;

	pair_open(s, &weft_carrier_loop);
	d = dma_of(&s[0], &s[1]);
	t_fill(s[1].mem, BYTES, 4);
	T_OK(s[0].u->ops->get(s[0].u, s[0].peer, &d));
	T_IS(ended, 1);
	T_IS(ended_err, 0);
	T_IS(t_differs(s[0].mem, BYTES, 4), -1);
	T_IS(answers(&s[0]) + answers(&s[1]), 0);
	pair_close(s);
}

/* The shared area of the engine ends before the answer word. */
static void answer_word_is_outside_the_engines_area(void **state)
{
	static struct side s[2];
	struct weft_dma d;
	size_t bytes;
	void *area;

	pair_open(s, &weft_carrier_loop);
	d = dma_of(&s[0], &s[1]);
	T_OK(s[0].u->ops->put(s[0].u, s[0].peer, &d));
	T_OK(s[1].u->carrier->ops->share(s[1].u->carrier, NULL, &area, &bytes));
	T_TRUE(bytes >= 1000 + SUNWAY_ANSWER_LINE);
	for (unsigned i = 0; i < 1000; i++)
		T_IS(((unsigned char *)area)[i], 0);
	pair_close(s);
}

/* More transfers than slots, one after the other. */
static void message_slots_are_reused(void **state)
{
	static struct side s[2];
	struct weft_dma d;

	pair_open(s, &weft_carrier_loop);
	d = dma_of(&s[0], &s[1]);
	d.bytes = 8;
	for (int i = 1; i <= 3 * WEFT_SUNWAY_IN_FLIGHT; i++) {
		T_OK(s[0].u->ops->get(s[0].u, s[0].peer, &d));
		T_IS(ended, i);
	}
	pair_close(s);
}

/* Returns the result of a transfer of all bytes. */
static int result(struct side *s, bool get)
{
	struct weft_dma d = dma_of(&s[0], &s[1]);
	int before = ended;

	T_OK(get ? s[0].u->ops->get(s[0].u, s[0].peer, &d)
		 : s[0].u->ops->put(s[0].u, s[0].peer, &d));
	T_IS(ended, before + 1);
	return ended_err;
}

static void the_segments_of_the_target_limit_a_transfer(void **state)
{
	static struct side s[2];
	struct weft_sunway *n;
	uint64_t done;

	pair_open(s, &weft_carrier_loop);
	n = sunway_transport_chip(s[0].u);
	T_OK(result(s, true));
	s[1].u->ops->mem_close(s[1].u, s[1].reg);
	done = n->stats.rdmas;
	T_IS(result(s, true), -EACCES);
	T_IS(result(s, false), -EACCES);
	s[1].reg = segment(&s[1], BYTES, WEFT_MR_REMOTE_READ);
	T_OK(result(s, true));
	T_IS(result(s, false), -EACCES);
	s[1].u->ops->mem_close(s[1].u, s[1].reg);
	s[1].reg = segment(&s[1], BYTES, WEFT_MR_REMOTE_WRITE);
	T_IS(result(s, true), -EACCES);
	T_OK(result(s, false));
	s[1].u->ops->mem_close(s[1].u, s[1].reg);
	segment(&s[1], BYTES - 1, READ_WRITE);
	T_IS(result(s, true), -EACCES);
	T_IS(n->stats.rdmas - done, 2);
	T_IS(s[0].u->transfers, 3);
	T_IS(answers(&s[1]), 1);
	pair_close(s);
}

/* Refused transfers release their message slots. */
static void refused_transfers_keep_no_slot(void **state)
{
	static struct side s[2];

	pair_open(s, &weft_carrier_loop);
	s[1].u->ops->mem_close(s[1].u, s[1].reg);
	for (int i = 0; i < 2 * WEFT_SUNWAY_IN_FLIGHT; i++)
		T_IS(result(s, true), -EACCES);
	pair_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(put_increments_target_answer_word),
		T_CASE(get_increments_its_own_answer_word),
		T_CASE(answer_word_is_outside_the_engines_area),
		T_CASE(message_slots_are_reused),
		T_CASE(the_segments_of_the_target_limit_a_transfer),
		T_CASE(refused_transfers_keep_no_slot),
	};

	return T_RUN(tests);
}
