/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Class routes of Message Units: the barrier unit (BGQ-31, BGQ-14), broadcasts
 * and broadcasts of a remote get (BGQ-32); stores to the registers of heads and
 * tails (BGQ-16). Seven units are a binary tree with root 0.
 */
#include "test/support/bgq_pair.h"

enum { UNITS = 7, CLASS = 3 };

static struct side unit[UNITS];

static void tree_open(unsigned flags)
{
	for (unsigned i = 0; i < UNITS; i++) {
		pair_side(&unit[i], "", 4096);
		unit[i].node = 10 + i;
		T_OK(weft_bgq_store(unit[i].mu, WEFT_BGQ_IRQ_MASK, 0, ~0ull));
	}
	for (unsigned i = 0; i < UNITS; i++) {
		uint32_t child[2] = { 10 + 2 * i + 1, 10 + 2 * i + 2 };

		for (unsigned k = 0; k < UNITS; k++)
			pair_introduce(&unit[i], &unit[k]);
		T_OK(weft_bgq_route_set(unit[i].mu, CLASS,
					i ? 10 + (i - 1) / 2 : WEFT_BGQ_NO_NODE,
					child, i < UNITS / 2 ? 2 : 0, flags));
	}
}

static void tree_close(void)
{
	for (unsigned i = 0; i < UNITS; i++) {
		T_IS(weft_bgq_load(unit[i].mu, WEFT_BGQ_ERR_COUNT, 0), 0);
		side_close(&unit[i]);
	}
}

static void tree_poll(void)
{
	for (unsigned i = 0; i < UNITS; i++)
		weft_bgq_poll(unit[i].mu, 16);
}

static void control_set(unsigned i, unsigned bits)
{
	T_OK(weft_bgq_store(unit[i].mu, WEFT_BGQ_GI_CONTROL, CLASS, bits));
}

/* Polls until no unit changes; returns whether all have this status. */
static bool all_have(unsigned bits)
{
	for (unsigned n = 0; n < 200; n++)
		tree_poll();
	for (unsigned i = 0; i < UNITS; i++)
		if (weft_bgq_load(unit[i].mu, WEFT_BGQ_GI_STATUS, CLASS) !=
		    bits)
			return false;
	return true;
}

/* A barrier is complete when the bit of the old state reads 0. */
static void barriers_rotate_through_three_states(void **state)
{
	unsigned now = 4;

	tree_open(0);
	for (unsigned i = 0; i < UNITS; i++)
		control_set(i, now);
	T_TRUE(all_have(now));
	for (unsigned round = 0; round < 7; round++) {
		unsigned next = now > 1 ? now >> 1 : 4;

		for (unsigned i = 0; i < UNITS; i++) {
			T_TRUE(all_have(i ? now | next : now));
			control_set((i * 3 + round) % UNITS, next);
		}
		T_TRUE(all_have(next));
		now = next;
	}
	tree_close();
}

static void a_change_interrupts_all_members_once(void **state)
{
	tree_open(0);
	control_set(5, 1);
	T_TRUE(all_have(1));
	control_set(6, 1); /* the OR stays the same: no packet, no interrupt */
	control_set(2, 1);
	control_set(0, 1);
	T_TRUE(all_have(1));
	for (unsigned i = 0; i < UNITS; i++) {
		T_IS(unit[i].irqs[WEFT_BGQ_IRQ_GI], 1);
		T_IS(unit[i].irq_id, CLASS);
	}
	tree_close();
}

static void a_cleared_class_refuses_stores(void **state)
{
	tree_open(0);
	T_OK(weft_bgq_route_clear(unit[1].mu, CLASS));
	T_IS(weft_bgq_route_clear(unit[1].mu, CLASS), -EINVAL);
	T_IS(weft_bgq_store(unit[1].mu, WEFT_BGQ_GI_CONTROL, CLASS, 2),
	     -EINVAL);
	tree_close();
}

static void classes_of_the_system_refuse_user_stores(void **state)
{
	tree_open(WEFT_BGQ_SYSTEM);
	T_IS(weft_bgq_store(unit[1].mu, WEFT_BGQ_GI_CONTROL, CLASS, 2), -EPERM);
	T_IS(weft_bgq_load(unit[1].mu, WEFT_BGQ_ERR_CODE, 0),
	     WEFT_BGQ_ERR_SYSTEM);
	unit[1].mu->err_count = 0;
	T_OK(weft_bgq_store(unit[1].mu, WEFT_BGQ_GI_CONTROL_SYSTEM, CLASS, 2));
	T_TRUE(all_have(2));
	T_IS(weft_bgq_store(unit[1].mu, WEFT_BGQ_GI_CONTROL_SYSTEM, CLASS, 8),
	     -EINVAL);
	T_IS(weft_bgq_store(unit[1].mu, WEFT_BGQ_GI_CONTROL_SYSTEM, 4, 1),
	     -EINVAL);
	T_IS(weft_bgq_store(unit[1].mu, WEFT_BGQ_GI_CONTROL_SYSTEM, 16, 1),
	     -EINVAL);
	T_IS(weft_bgq_store(unit[1].mu, WEFT_BGQ_GI_STATUS, CLASS, 1), -EPERM);
	tree_close();
}

/* Values from nodes that are neither parent nor child are refused. */
static void values_of_other_nodes_are_refused(void **state)
{
	static const struct {
		uint32_t source, unit, aux;
	} bad[] = {
		{ 16, CLASS, 0x101 }, { 11, 4, 0x101 },
		{ 11, CLASS, 0x108 }, { 11, CLASS, 1 },
		{ 11, 99, 0x101 },    { WEFT_BGQ_NO_NODE, CLASS, 1 },
	};

	tree_open(0);
	for (unsigned i = 0; i < WEFT_COUNT_OF(bad); i++) {
		struct weft_pkt pkt = { .type = BGQ_GI,
					.unit = bad[i].unit,
					.aux = bad[i].aux };

		T_OK(bgq_gi_deliver(unit[0].mu, bad[i].source, &pkt));
		T_IS(unit[0].mu->err_count, i + 1);
		T_IS(unit[0].mu->err_code, WEFT_BGQ_ERR_PACKET);
	}
	T_TRUE(all_have(0));
	unit[0].mu->err_count = 0;
	tree_close();
}

/* ---- broadcasts ---------------------------------------------------------- */

static void bcast_from(unsigned i, const void *data, uint64_t bytes)
{
	struct weft_bgq_msg m = { .node = CLASS,
				  .flags = WEFT_BGQ_BCAST,
				  .payload = data,
				  .bytes = bytes };
	struct weft_bgq_desc d;

	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	T_OK(weft_bgq_inj_post(unit[i].mu, 0, &d, NULL));
}

/* Reception FIFOs hold seven packets, so branches of the tree fill up. */
static void every_member_gets_every_packet_in_order(void **state)
{
	enum { PACKETS = 8 };
	unsigned done = 0;

	for (unsigned from = 0; from < UNITS; from += 3) {
		tree_open(0);
		for (unsigned i = 0; i < PACKETS * 512; i++)
			unit[from].mem[i] = (unsigned char)(i / 512 + i * 7);
		bcast_from(from, unit[from].mem, PACKETS * 512);
		for (unsigned n = 0; n < 100000 && done < UNITS; n++) {
			unsigned slow = n % 50 ? UNITS - 1 : UNITS;

			tree_poll();
			done = 0;
			for (unsigned i = 0; i < UNITS; i++) {
				if (i < slow)
					weft_bgq_rec_poll(unit[i].mu, 0,
							  pair_take, &unit[i],
							  1);
				done += unit[i].count == PACKETS;
			}
		}
		for (unsigned i = 0; i < UNITS; i++) {
			T_IS(unit[i].count, PACKETS);
			T_MEM(unit[i].got, unit[from].mem, PACKETS * 512);
		}
		tree_close();
		done = 0;
	}
}

/*
 * Unit 2 broadcasts a remote get: every member puts its word to unit 0, so one
 * packet starts the messages of all members.
 */
static void a_broadcast_remote_get_starts_all_members(void **state)
{
	struct weft_bgq_put put = { .bat = 1, .ctr_bat = 2, .store_op = 0 };
	struct weft_bgq_msg m = { .node = 10, .vc = WEFT_BGQ_VC_ORDERED };
	struct weft_bgq_desc get, *add;
	uint64_t sum;

	tree_open(0);
	/* all members read the word at the same address: that of unit 2 */
	memset(unit[2].mem, 0, 64);
	unit[2].mem[64] = 5;
	for (unsigned i = 0; i < UNITS; i++)
		T_OK(weft_bgq_range_set(unit[i].mu, 2, unit[2].mem, 4096, 0));
	add = (struct weft_bgq_desc *)(void *)(unit[2].mem + 128);
	m.payload = unit[2].mem + 64;
	m.bytes = 8;
	put.store_op = WEFT_BGQ_STORE_ADD;
	weft_bgq_desc_put(add, &m, &put);
	memset(unit[0].mem, 0, 8);
	unit[0].counter = 8 * UNITS;
	m = (struct weft_bgq_msg){ .node = CLASS,
				   .flags = WEFT_BGQ_BCAST,
				   .payload = add,
				   .bytes = sizeof(*add) };
	weft_bgq_desc_get(&get, &m, PAIR_RGET);
	T_OK(weft_bgq_inj_post(unit[2].mu, 0, &get, NULL));
	for (unsigned n = 0; n < 100000 && unit[0].counter; n++)
		tree_poll();
	T_IS(unit[0].counter, 0);
	memcpy(&sum, unit[0].mem, 8);
	T_IS(sum, 5 * UNITS);
	tree_close();
}

static void bad_broadcasts_are_refused(void **state)
{
	struct weft_bgq_put put = { .bat = 1, .ctr_bat = 2 };
	struct weft_bgq_msg m = { .flags = WEFT_BGQ_BCAST,
				  .bytes = 8,
				  .node = CLASS };
	static const unsigned want[] = { WEFT_BGQ_ERR_DESC, WEFT_BGQ_ERR_MAP,
					 WEFT_BGQ_ERR_NODE,
					 WEFT_BGQ_ERR_SYSTEM };

	for (unsigned i = 0; i < WEFT_COUNT_OF(want); i++) {
		struct weft_bgq_desc d;

		tree_open(i == 3 ? WEFT_BGQ_SYSTEM : 0);
		m.payload = unit[0].mem;
		m.net_map = i == 1 ? WEFT_BGQ_NET_TORUS : 0;
		m.node = i == 2 ? 4 : CLASS;
		if (i)
			weft_bgq_desc_fifo(&d, &m, 0, NULL);
		else
			weft_bgq_desc_put(&d, &m, &put);
		T_OK(weft_bgq_inj_post(unit[0].mu, 0, &d, NULL));
		tree_poll();
		T_IS(weft_bgq_load(unit[0].mu, WEFT_BGQ_INJ_ERROR, 0), want[i]);
		unit[0].mu->err_count = 0;
		tree_close();
	}
}

/* ---- halted parts and groups of interrupts (BGQ-49) ---------------------- */

/*
 * Packets reach b, and a answers; then the injection of a and the reception of
 * b are halted.
 */
static void a_halted_part_stops_alone(void **state)
{
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_bgq_store(p.a.mu, WEFT_BGQ_IRQ_MASK, 0, ~0ull));
	T_IS(weft_bgq_halt(p.a.mu, WEFT_BGQ_PARTS), -EINVAL);
	T_OK(weft_bgq_halt(p.a.mu, WEFT_BGQ_PART_INJECT));
	T_IS(p.a.irqs[WEFT_BGQ_IRQ_HALT], 1);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_HALTED, 0),
	     1 << WEFT_BGQ_PART_INJECT);
	pair_send(&p, 0, p.a.mem, 64);
	for (int i = 0; i < 100; i++)
		pair_poll(&p);
	T_IS(p.b.count, 0);
	T_OK(weft_bgq_store(p.a.mu, WEFT_BGQ_HALTED, 0, ~0ull));
	pair_until_packets(&p, 1);
	T_OK(weft_bgq_halt(p.b.mu, WEFT_BGQ_PART_RECEIVE));
	pair_send(&p, 0, p.a.mem, 64);
	for (int i = 0; i < 100; i++)
		pair_poll(&p);
	T_IS(p.b.count, 1);
	T_OK(weft_bgq_store(p.b.mu, WEFT_BGQ_HALTED, 0,
			    1 << WEFT_BGQ_PART_RECEIVE));
	pair_until_packets(&p, 2);
	pair_close(&p);
}

static void a_halted_barrier_unit_keeps_its_value(void **state)
{
	tree_open(0);
	T_OK(weft_bgq_halt(unit[2].mu, WEFT_BGQ_PART_BARRIER));
	control_set(2, 1);
	control_set(5, 2); /* a child of unit 2 */
	control_set(1, 4);
	for (unsigned n = 0; n < 200; n++)
		tree_poll();
	T_IS(weft_bgq_load(unit[0].mu, WEFT_BGQ_GI_STATUS, CLASS), 4);
	T_IS(weft_bgq_load(unit[2].mu, WEFT_BGQ_GI_STATUS, CLASS), 0);
	T_OK(weft_bgq_store(unit[2].mu, WEFT_BGQ_HALTED, 0, ~0ull));
	T_TRUE(all_have(7));
	tree_close();
}

static void interrupts_are_pending_in_their_group(void **state)
{
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_bgq_halt(p.a.mu, WEFT_BGQ_PART_BARRIER));
	bgq_error(p.a.mu, WEFT_BGQ_ERR_NODE, 0, 0);
	bgq_irq(p.a.mu, WEFT_BGQ_IRQ_ARRIVAL, 0);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_GROUP_PENDING,
			   WEFT_BGQ_MACHINE_CHECK),
	     1 << WEFT_BGQ_IRQ_HALT);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_GROUP_PENDING, WEFT_BGQ_CRITICAL),
	     1 << WEFT_BGQ_IRQ_ERROR);
	T_OK(weft_bgq_store(p.a.mu, WEFT_BGQ_IRQ_GROUP, WEFT_BGQ_IRQ_ARRIVAL,
			    WEFT_BGQ_CRITICAL));
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_IRQ_GROUP, WEFT_BGQ_IRQ_ARRIVAL),
	     WEFT_BGQ_CRITICAL);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_GROUP_PENDING, WEFT_BGQ_CRITICAL),
	     1 << WEFT_BGQ_IRQ_ERROR | 1 << WEFT_BGQ_IRQ_ARRIVAL);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_GROUP_PENDING,
			   WEFT_BGQ_NON_CRITICAL),
	     0);
	T_IS(weft_bgq_store(p.a.mu, WEFT_BGQ_IRQ_GROUP, 0, WEFT_BGQ_GROUPS),
	     -EINVAL);
	T_IS(weft_bgq_store(p.a.mu, WEFT_BGQ_IRQ_GROUP, WEFT_BGQ_IRQS, 0),
	     -EINVAL);
	pair_close(&p);
}

/* ---- heads and tails by register ----------------------------------------- */

static void a_store_to_the_tail_starts_descriptors(void **state)
{
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < 3; i++)
		pair_fifo_desc(&p, &p.a.ring[i], p.a.mem, 64);
	T_IS(weft_bgq_store(p.a.mu, WEFT_BGQ_INJ_TAIL, 0, PAIR_SLOTS + 1),
	     -EINVAL);
	T_IS(weft_bgq_store(p.a.mu, WEFT_BGQ_INJ_TAIL, 100, 1), -EINVAL);
	T_IS(weft_bgq_store(p.a.mu, WEFT_BGQ_INJ_TAIL, PAIR_RGET, 1), -EPERM);
	T_OK(weft_bgq_store(p.a.mu, WEFT_BGQ_INJ_TAIL, 0, 3));
	T_IS(weft_bgq_store(p.a.mu, WEFT_BGQ_INJ_TAIL, 0, 2), -EINVAL);
	pair_until_packets(&p, 3);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_COUNT, 0), 3);
	pair_close(&p);
}

/* A store may fill the ring to its last slot, and no further. */
static void a_store_to_the_tail_fills_the_ring(void **state)
{
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < PAIR_SLOTS; i++)
		pair_fifo_desc(&p, &p.a.ring[i], p.a.mem, 64);
	T_IS(weft_bgq_store(p.a.mu, WEFT_BGQ_INJ_TAIL, 0, PAIR_SLOTS + 1),
	     -EINVAL);
	T_OK(weft_bgq_store(p.a.mu, WEFT_BGQ_INJ_TAIL, 0, PAIR_SLOTS));
	pair_until_packets(&p, PAIR_SLOTS);
	pair_close(&p);
}

static void a_store_to_the_head_frees_packets(void **state)
{
	struct pair p;
	uint64_t tail;

	pair_open(&p, "");
	pair_send(&p, 0, p.a.mem, 64);
	while (!weft_bgq_load(p.b.mu, WEFT_BGQ_NET_RECEIVED, 0))
		pair_run(&p, 1);
	tail = weft_bgq_load(p.b.mu, WEFT_BGQ_REC_TAIL, 0);
	T_IS(tail, 96);
	T_IS(weft_bgq_store(p.b.mu, WEFT_BGQ_REC_HEAD, 0, tail + 32), -EINVAL);
	T_IS(weft_bgq_store(p.b.mu, WEFT_BGQ_REC_HEAD, 0, 5), -EINVAL);
	T_IS(weft_bgq_store(p.b.mu, WEFT_BGQ_REC_HEAD, 7, 0), -EINVAL);
	T_OK(weft_bgq_store(p.b.mu, WEFT_BGQ_REC_HEAD, 0, tail));
	T_IS(weft_bgq_rec_poll(p.b.mu, 0, pair_take, &p.b, 4), 0);
	T_IS(weft_bgq_load(p.b.mu, WEFT_BGQ_REC_FREE, 0), 64 * 1024 / 32);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(barriers_rotate_through_three_states),
		T_CASE(a_change_interrupts_all_members_once),
		T_CASE(a_cleared_class_refuses_stores),
		T_CASE(classes_of_the_system_refuse_user_stores),
		T_CASE(values_of_other_nodes_are_refused),
		T_CASE(every_member_gets_every_packet_in_order),
		T_CASE(a_broadcast_remote_get_starts_all_members),
		T_CASE(bad_broadcasts_are_refused),
		T_CASE(a_halted_part_stops_alone),
		T_CASE(a_halted_barrier_unit_keeps_its_value),
		T_CASE(interrupts_are_pending_in_their_group),
		T_CASE(a_store_to_the_tail_starts_descriptors),
		T_CASE(a_store_to_the_tail_fills_the_ring),
		T_CASE(a_store_to_the_head_frees_packets),
	};
	return T_RUN(tests);
}
