/* SPDX-License-Identifier: BSD-3-Clause */
/* RDMA below the message engine: message slots, answer words at both ends. */
#include "prov/machine/machine_order.h"
#include "prov/machine/sunway/sunway_bulk.h"
#include "prov/machine/sunway/sunway_transport.h"
#include "test/t.h"

#include <string.h>

#define BYTES 100000

struct side {
	struct weft_unit *u;
	struct weft_peer *peer;
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

static void pair_open(struct side *s, const struct weft_carrier_ops *carrier)
{
	struct weft_carrier_attr a = {
		.name = { .sin_family = AF_INET,
			  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
		.up = &no_up,
		/* shared area of the engine; not a multiple of a cache line */
		.share_bytes = 1000,
	};
	struct sockaddr_in name;

	ended = 0;
	for (unsigned i = 0; i < 2; i++) {
		memset(s[i].mem, 0, BYTES);
		T_OK(weft_unit_sunway.open(&machine, carrier, &a, &s[i].u));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(put_increments_target_answer_word),
		T_CASE(get_increments_its_own_answer_word),
		T_CASE(answer_word_is_outside_the_engines_area),
		T_CASE(message_slots_are_reused),
	};

	return T_RUN(tests);
}
