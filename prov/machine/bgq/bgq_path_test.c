/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decisions of the Message Unit for each packet: the FIFO that sends next
 * (BGQ-03), and the route that the header requests (BGQ-18, 20, 21).
 */
#include "test/support/bgq_pair.h"

#include "prov/backend/backend.h"

/* ---- arbitration --------------------------------------------------------- */

enum { FIFOS = 8, ROUNDS = 400 };

/* Receives packets at b; at a, runs only the carrier. */
static void pair_drain(struct pair *p)
{
	struct weft_carrier *c = p->a.mu->port.carrier;

	weft_bgq_poll(p->b.mu, 16);
	weft_bgq_rec_poll(p->b.mu, 0, pair_take, &p->b, 16);
	c->ops->poll(c, 16);
}

/* Sends packets of several FIFOs; counts those of each FIFO, logs the order. */
static void arbitrate(uint64_t seed, unsigned count[FIFOS],
		      uint8_t order[ROUNDS])
{
	static struct weft_bgq_desc ring[FIFOS][2];
	struct weft_bgq_desc d;
	uint64_t before[FIFOS] = { 0 };
	struct pair p;

	pair_open(&p, "");
	weft_rng_init(&p.a.mu->rng, seed, 0);
	pair_fifo_desc(&p, &d, p.a.mem, 100 * 512);
	pair_ring(&p.a, 2, ring, sizeof(ring));
	for (unsigned i = 0; i < FIFOS; i++) {
		count[i] = 0;
		T_OK(weft_bgq_inj_open(p.a.mu, 16 + i, ring[i], 2, 0));
		T_OK(weft_bgq_inj_post(p.a.mu, 16 + i, &d, NULL));
	}
	for (unsigned n = 0; n < ROUNDS; n++) {
		while (!bgq_tx_run(p.a.mu, 1))
			pair_drain(&p);
		for (unsigned i = 0; i < FIFOS; i++) {
			if (p.a.mu->inj[16 + i].sent == before[i])
				continue;
			before[i] = p.a.mu->inj[16 + i].sent;
			count[i]++;
			order[n] = (uint8_t)i;
		}
	}
	pair_close(&p);
}

static void the_choice_within_a_class_is_random(void **state)
{
	unsigned count[FIFOS], repeats = 0, equal = 0;
	uint8_t order[2][ROUNDS];

	for (unsigned k = 0; k < 2; k++) {
		arbitrate(k + 1, count, order[k]);
		/* expected 50, standard deviation 6.6 */
		for (unsigned i = 0; i < FIFOS; i++)
			T_TRUE(count[i] > 20 && count[i] < 80);
	}
	for (unsigned n = FIFOS; n < ROUNDS; n++) {
		repeats += order[0][n] == order[0][n - FIFOS];
		equal += order[0][n] == order[1][n];
	}
	/* expected by chance: one in eight */
	T_TRUE(repeats < ROUNDS / 4 && equal < ROUNDS / 4);
}

/* ---- routes -------------------------------------------------------------- */

static struct weft_pkt_attr requested;

static void record_route(struct weft_carrier *c,
			 const struct weft_pkt_attr *route)
{
	requested = *route;
}

/* Sends one message and returns the route that its packet requests. */
static struct weft_pkt_attr route_of(struct weft_bgq_msg m)
{
	struct weft_carrier_ops ops;
	struct weft_backend backend;
	struct weft_bgq_desc ring[2], d;
	struct pair p;
	unsigned flags = m.vc == WEFT_BGQ_VC_SYSTEM ? WEFT_BGQ_SYSTEM : 0;

	pair_open(&p, "");
	ops = *p.a.mu->port.carrier->ops;
	backend = *ops.backend;
	backend.paths = true;
	backend.routing = record_route;
	ops.backend = &backend;
	p.a.mu->port.carrier->ops = &ops;
	memset(&requested, 0xff, sizeof(requested));
	m.node = 1;
	m.payload = p.a.mem;
	m.bytes = 64;
	pair_ring(&p.a, 2, ring, sizeof(ring));
	T_OK(weft_bgq_inj_open(p.a.mu, 20, ring, 2, flags));
	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	T_OK(weft_bgq_inj_post(p.a.mu, 20, &d, NULL));
	pair_until_packets(&p, 1);
	pair_close(&p);
	return requested;
}

static void the_header_selects_the_virtual_channel(void **state)
{
	static const struct {
		uint8_t vc, want;
	} row[] = {
		{ WEFT_BGQ_VC_DYNAMIC, WEFT_VC_DYNAMIC },
		{ WEFT_BGQ_VC_ORDERED, WEFT_VC_ORDERED },
		{ WEFT_BGQ_VC_HIGH, WEFT_VC_HIGH },
		{ WEFT_BGQ_VC_SYSTEM, WEFT_VC_SYSTEM },
	};

	for (unsigned i = 0; i < WEFT_COUNT_OF(row); i++) {
		struct weft_pkt_attr a =
			route_of((struct weft_bgq_msg){ .vc = row[i].vc });

		T_IS(a.vc, row[i].want);
	}
}

static void zone_and_escape_rule_are_in_the_header(void **state)
{
	for (unsigned zone = 0; zone < 4; zone++) {
		struct weft_pkt_attr a = route_of((struct weft_bgq_msg){
			.zone = (uint8_t)zone,
			.flags = zone & 1 ? WEFT_BGQ_STAY : 0 });

		T_IS(a.zone, zone);
		T_IS(a.stay, zone & 1);
		T_IS(a.vc, WEFT_VC_DYNAMIC);
	}
}

static void hints_of_all_dimensions_are_in_the_header(void **state)
{
	for (unsigned dim = 0; dim < WEFT_BGQ_DIMS; dim++)
		for (int hint = -1; hint <= 1; hint++) {
			struct weft_bgq_msg m = { .vc = WEFT_BGQ_VC_ORDERED };
			struct weft_pkt_attr a;

			m.hint[dim] = (int8_t)hint;
			m.hint[(dim + 1) % WEFT_BGQ_DIMS] = (int8_t)-hint;
			a = route_of(m);
			for (unsigned d = 0; d < WEFT_BGQ_DIMS; d++)
				T_IS(a.hint[d], m.hint[d]);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_choice_within_a_class_is_random),
		T_CASE(the_header_selects_the_virtual_channel),
		T_CASE(zone_and_escape_rule_are_in_the_header),
		T_CASE(hints_of_all_dimensions_are_in_the_header),
	};
	return T_RUN(tests);
}
