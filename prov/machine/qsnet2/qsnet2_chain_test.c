/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of chained events over six units in one process: packets and
 * synchronisation points propagate from unit to unit without the members.
 */
#include "prov/machine/qsnet2/qsnet2_chain.h"

#include "src/base/attr.h"
#include "src/base/hash.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

#define UNITS	6
#define CONTEXT 7

struct chain_fixture {
	struct weft_qsnet2 *s[UNITS];
	/* peer[i][j]: unit j in the peer table of unit i */
	struct weft_peer *peer[UNITS][UNITS];
	struct weft_chain *chain[UNITS];
	struct weft_tree tree;
};

static struct weft_chain_attr chain_attr(struct chain_fixture *x, int i)
{
	return (struct weft_chain_attr){
		.key = 42, .tree = &x->tree, .me = i, .member = x->peer[i]
	};
}

/* Virtual process numbers are peer indices, as below the message engine. */
static void connect_unit(struct chain_fixture *x, int i)
{
	struct weft_carrier *ca = x->s[i]->port.carrier;
	union weft_name name;

	for (int j = 0; j < UNITS; j++) {
		if (j == i)
			continue;
		ca->ops->name_get(x->s[j]->port.carrier, &name);
		T_OK(ca->ops->peer(ca, &name, &x->peer[i][j]));
		T_OK(qsnet2_route_bind(x->s[i], x->peer[i][j]->index,
				       x->peer[i][j], CONTEXT));
	}
}

static void fixture_open(struct chain_fixture *x)
{
	const struct weft_qsnet2_attr a = { .place = { .carrier = "loop" } };

	memset(x, 0, sizeof(*x));
	T_OK(weft_tree_pairs(&x->tree, UNITS));
	for (int i = 0; i < UNITS; i++) {
		T_OK(weft_qsnet2_open(&a, &x->s[i]));
		T_OK(weft_qsnet2_filter(x->s[i], CONTEXT, WEFT_QSNET2_ACCEPT));
	}
	for (int i = 0; i < UNITS; i++) {
		const struct weft_chain_attr attr = chain_attr(x, i);

		connect_unit(x, i);
		T_OK(qsnet2_chain_open(x->s[i], CONTEXT, &attr, NULL,
				       &x->chain[i]));
	}
}

static void fixture_close(struct chain_fixture *x)
{
	for (int i = 0; i < UNITS; i++) {
		if (x->chain[i])
			qsnet2_chain_close(x->chain[i]);
	}
	for (int i = 0; i < UNITS; i++)
		weft_qsnet2_close(x->s[i]);
	weft_tree_fini(&x->tree);
}

static void fixture_run(struct chain_fixture *x)
{
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < UNITS; i++)
			weft_qsnet2_poll(x->s[i], 16);
	}
}

static uint64_t traps(struct chain_fixture *x)
{
	uint64_t n = 0;

	for (int i = 0; i < UNITS; i++)
		n += x->s[i]->stats.trap;
	return n;
}

static void broadcast(struct chain_fixture *x, int from, uint64_t seq,
		      size_t bytes)
{
	memset(qsnet2_chain_slot(x->chain[from], seq), (int)seq + 1, bytes);
	T_OK(qsnet2_chain_broadcast(x->chain[from], seq, bytes));
}

static void a_packet_from_any_member_reaches_all(void **state)
{
	struct chain_fixture x;

	fixture_open(&x);
	for (uint64_t seq = 0; seq < 3 * WEFT_CHAIN_SLOTS; seq++) {
		size_t bytes = seq % 3 ? WEFT_CHAIN_LONG : WEFT_CHAIN_SHORT;

		broadcast(&x, (int)(seq % UNITS), seq, bytes);
		fixture_run(&x);
		for (int i = 0; i < UNITS; i++) {
			const unsigned char *p =
				qsnet2_chain_slot(x.chain[i], seq);

			T_IS(qsnet2_chain_received(x.chain[i], seq),
			     seq / WEFT_CHAIN_SLOTS + 1);
			T_IS(p[0], (int)seq + 1);
			T_IS(p[bytes - 1], (int)seq + 1);
			/* one event per packet, and no other action */
			T_IS(x.s[i]->chained, seq + 1);
		}
	}
	T_IS(traps(&x), 0);
	fixture_close(&x);
}

static void a_point_is_passed_when_all_have_arrived(void **state)
{
	struct chain_fixture x;

	fixture_open(&x);
	for (uint64_t round = 0; round < 10; round++) {
		for (int k = 0; k < UNITS; k++) {
			int i = (int)(round + (uint64_t)k * 5) % UNITS;

			for (int m = 0; m < UNITS; m++)
				T_IS(qsnet2_chain_passed(x.chain[m],
							 WEFT_CHAIN_BARRIER),
				     round);
			T_OK(qsnet2_chain_arrive(x.chain[i],
						 WEFT_CHAIN_BARRIER));
			fixture_run(&x);
		}
	}
	for (int i = 0; i < UNITS; i++) {
		T_IS(qsnet2_chain_passed(x.chain[i], WEFT_CHAIN_BARRIER), 10);
		T_IS(qsnet2_chain_passed(x.chain[i], WEFT_CHAIN_CREDIT), 0);
		T_IS(x.s[i]->chained, 20);
	}
	fixture_close(&x);
}

/*
 * All slots are in use at once, so more DMAs are posted than the two packets
 * that can be in flight.
 */
static void packets_in_flight_concurrently(void **state)
{
	struct chain_fixture x;

	fixture_open(&x);
	for (uint64_t seq = 0; seq < WEFT_CHAIN_SLOTS; seq++)
		broadcast(&x, (int)(seq % UNITS), seq, WEFT_CHAIN_LONG);
	for (int i = 0; i < 20; i++)
		fixture_run(&x);
	for (int i = 0; i < UNITS; i++) {
		for (uint64_t seq = 0; seq < WEFT_CHAIN_SLOTS; seq++) {
			const unsigned char *p =
				qsnet2_chain_slot(x.chain[i], seq);

			T_IS(qsnet2_chain_received(x.chain[i], seq), 1);
			T_IS(p[WEFT_CHAIN_LONG - 1], (int)seq + 1);
		}
	}
	fixture_close(&x);
}

/* A unit that does not forward delays only its subtree. */
static void run_reports_whether_all_was_forwarded(void **state)
{
	struct chain_fixture x;
	int received = 0;

	fixture_open(&x);
	broadcast(&x, 0, 0, 8);
	T_TRUE(qsnet2_chain_run(x.chain[0]));
	T_IS(qsnet2_chain_received(x.chain[0], 0), 1);
	for (int round = 0; round < 100 && !received; round++) {
		weft_qsnet2_poll(x.s[2], 16);
		received = qsnet2_chain_received(x.chain[2], 0) == 1;
	}
	T_TRUE(received);
	/* member 3 is the child of member 2 */
	weft_qsnet2_poll(x.s[3], 16);
	T_IS(qsnet2_chain_received(x.chain[3], 0), 0);
	T_TRUE(qsnet2_chain_run(x.chain[2]));
	for (int round = 0; round < 100; round++)
		weft_qsnet2_poll(x.s[3], 16);
	T_IS(qsnet2_chain_received(x.chain[3], 0), 1);
	fixture_close(&x);
}

static void packets_for_a_closed_tree_are_refused(void **state)
{
	struct chain_fixture x;
	struct weft_chain_attr a;

	fixture_open(&x);
	qsnet2_chain_close(x.chain[5]);
	x.chain[5] = NULL;
	broadcast(&x, 0, 0, 8);
	fixture_run(&x);
	T_IS(qsnet2_chain_received(x.chain[4], 0), 1);
	T_TRUE(x.s[5]->stats.trap || x.s[4]->stats.trap);
	/* another tree of the same members has a different address */
	a = chain_attr(&x, 5);
	a.key = 43;
	T_OK(qsnet2_chain_open(x.s[5], CONTEXT, &a, NULL, &x.chain[5]));
	broadcast(&x, 0, 1, 8);
	fixture_run(&x);
	T_IS(qsnet2_chain_received(x.chain[4], 1), 1);
	T_IS(qsnet2_chain_received(x.chain[5], 1), 0);
	fixture_close(&x);
}

/* Peers can write neither commands nor event fields. */
static void peers_can_write_slots_only(void **state)
{
	const uint64_t at = UINT64_C(1) << 62 | weft_hash_mix(42) >> 24 << 22;
	const size_t slots = (2 * WEFT_CHAIN_SLOTS + 2 * WEFT_CHAIN_POINTS) *
			     sizeof(struct weft_qsnet2_event);
	const size_t blocks = slots + WEFT_CHAIN_SLOTS * WEFT_CHAIN_LONG;
	struct chain_fixture x;

	fixture_open(&x);
	T_TRUE(weft_qsnet2_memory(x.s[1], CONTEXT, at, 8,
				  WEFT_QSNET2_REMOTE_EVENT));
	T_TRUE(!weft_qsnet2_memory(x.s[1], CONTEXT, at, 8,
				   WEFT_QSNET2_REMOTE_WRITE));
	T_TRUE(weft_qsnet2_memory(x.s[1], CONTEXT, at + slots, 8,
				  WEFT_QSNET2_REMOTE_WRITE));
	T_TRUE(weft_qsnet2_memory(x.s[1], CONTEXT, at + blocks, 8,
				  WEFT_QSNET2_LOCAL_READ));
	T_TRUE(!weft_qsnet2_memory(x.s[1], CONTEXT, at + blocks, 8,
				   WEFT_QSNET2_REMOTE_WRITE));
	fixture_close(&x);
}

/* Below the message engine a DMA command waits for a free descriptor. */
static void a_dma_waits_for_a_free_descriptor(void **state)
{
	struct chain_fixture x;
	struct weft_list kept;
	int engine;

	fixture_open(&x);
	x.s[0]->engine = &engine;
	weft_list_init(&kept);
	weft_list_splice_back(&kept, &x.s[0]->dma_free);
	broadcast(&x, 0, 0, 8);
	fixture_run(&x);
	T_IS(qsnet2_chain_received(x.chain[1], 0), 0);
	T_IS(traps(&x), 0);
	/* one descriptor suffices for all DMAs, one at a time */
	weft_list_push_back(&x.s[0]->dma_free, weft_list_pop_front(&kept));
	fixture_run(&x);
	for (int i = 0; i < UNITS; i++)
		T_IS(qsnet2_chain_received(x.chain[i], 0), 1);
	x.s[0]->engine = NULL;
	fixture_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_packet_from_any_member_reaches_all),
		T_CASE(a_point_is_passed_when_all_have_arrived),
		T_CASE(packets_in_flight_concurrently),
		T_CASE(run_reports_whether_all_was_forwarded),
		T_CASE(packets_for_a_closed_tree_are_refused),
		T_CASE(peers_can_write_slots_only),
		T_CASE(a_dma_waits_for_a_free_descriptor),
	};

	return T_RUN(tests);
}
