/* SPDX-License-Identifier: BSD-3-Clause */
/* The route that a unit requests for a packet reaches the network model. */
#include "test/support/vt_fixture.h"
#include "prov/vt/vt.h"
#include "test/t.h"

#include <string.h>

/* Returns the message of the model for a packet from rank 0 to rank 1. */
static struct net_msg message_of(struct end *e, struct weft_pkt_attr attr)
{
	struct net_msg m;

	vt_msg_init(vt_of(e->c)->w, 0, 1, &attr, &m);
	return m;
}

static int check_messages(struct play *p, struct end *e, uint32_t rank)
{
	static const uint8_t routing[] = {
		[WEFT_VC_ORDERED] = NET_DETERMINISTIC,
		[WEFT_VC_DYNAMIC] = NET_DYNAMIC,
		[WEFT_VC_HIGH] = NET_HIGH,
		[WEFT_VC_SYSTEM] = NET_SYSTEM,
	};
	struct weft_pkt_attr a = { .vc = WEFT_VC_DYNAMIC };

	(void)p;
	if (rank)
		return 0;
	for (uint8_t vc = 0; vc < WEFT_COUNT_OF(routing); vc++)
		if (message_of(e, (struct weft_pkt_attr){ .vc = vc }).routing !=
		    routing[vc])
			return 1;
	for (a.zone = 0; a.zone < NET_ZONES; a.zone++) {
		a.stay = a.zone & 1;
		if (message_of(e, a).zone != a.zone ||
		    message_of(e, a).stay != a.stay)
			return 2;
	}
	return 0;
}

static void channel_zone_and_escape_rule_reach_the_model(void **state)
{
	struct play p = { .ranks = 2, .body = check_messages };
	struct found f;

	(void)state;
	play(&p, &f);
}

/* Rank 0 sends a packet to rank 1; its direction hint is p->seed - 1. */
static int send_with_hint(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_pkt_attr a = { .hint = { (int8_t)(p->seed - 1) } };
	struct weft_peer *to = rank_peer(p, e, 1);

	if (rank == 1)
		return wait_got(e, 1);
	if (rank)
		return 0;
	e->c->ops->backend->routing(e->c, &a);
	return end_send(e, to, 0, 8);
}

/* In a ring of four nodes, the longer direction takes two more hops. */
static void hints_reach_the_model(void **state)
{
	struct play p = { .ranks = 4,
			  .body = send_with_hint,
			  .machine = "bgq:4" };
	uint64_t clock[3];
	struct net_config cfg;
	struct found f;

	(void)state;
	net_config_bgq(&cfg);
	for (p.seed = 0; p.seed < 3; p.seed++) {
		play(&p, &f);
		clock[p.seed] = f.clock[1];
	}
	T_IS(clock[1], clock[2]);
	T_IS(clock[0], clock[1] + 2 * cfg.hop_ps);
}

/*
 * Each destination has a FIFO; two ranks number the FIFOs in different orders.
 */
static int check_fifos(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_vt *w = vt_of(e->c)->w;
	const struct weft_pkt_attr a = { .vc = WEFT_VC_DYNAMIC };
	unsigned equal = 0;
	uint64_t seen = 0;
	struct net_msg m;

	if (rank)
		return 0;
	for (int to = 0; to < p->ranks; to++) {
		vt_msg_init(w, 0, (uint32_t)to, &a, &m);
		if (m.fifo >= 64 || seen >> m.fifo & 1)
			return 1;
		seen |= UINT64_C(1) << m.fifo;
		equal += m.fifo == (uint32_t)to;
	}
	return equal == (unsigned)p->ranks ? 2 : 0;
}

static void destinations_are_spread_over_memory_fifos(void **state)
{
	struct play p = { .ranks = 8, .body = check_fifos };
	struct found f;

	(void)state;
	play(&p, &f);
}

/* Checks the engines of messages to ranks 0 to 3: always 0, or 0, 1, 0, 1. */
static int check_engines(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_vt *w = vt_of(e->c)->w;

	for (uint32_t to = 0; to < 4 && !rank; to++) {
		struct weft_pkt_attr attr = { 0 };
		struct net_msg m;

		vt_msg_init(w, 0, to, &attr, &m);
		if (m.fifo % w->cfg.inject_fifos != (p->seed ? to % 2 : 0))
			return 1;
	}
	return 0;
}

/*
 * SWE-01: a node has two processors with one engine each, or one processor with
 * both engines.
 */
static void messages_of_a_processor_use_its_engines(void **state)
{
	struct play p = { .ranks = 4,
			  .body = check_engines,
			  .machine = "sunway" };
	struct found f;

	(void)state;
	play(&p, &f);
	p.machine = "sunway@single";
	p.seed = 1;
	play(&p, &f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(channel_zone_and_escape_rule_reach_the_model),
		T_CASE(hints_reach_the_model),
		T_CASE(destinations_are_spread_over_memory_fifos),
		T_CASE(messages_of_a_processor_use_its_engines),
	};
	return T_RUN(tests);
}
