/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The work of a tree node, done by the last member to arrive at it. Climbing is
 * a loop: store the contribution in the parent's cell, increment the arrival
 * counter, and after the last arrival combine all cells in their order and
 * continue as the parent.
 */
#include "prov/group/cunit/cunit_group.h"
#include "src/base/must.h"

#include <string.h>

/* Combines all cells in the slot of `member` into the scratch buffer. */
static void node_combine(struct cunit_climb *c, int member, unsigned inputs)
{
	struct weft_cunit_group *g = c->g;
	struct cunit_head *segment = g->segment[member];
	size_t elem = weft_cunit_bytes(c->op->type);

	WEFT_ASSERT(segment && inputs <= g->geo.inputs);
	for (unsigned i = 0; i < inputs; i++) {
		struct cunit_packet *p =
			cunit_cell(segment, &g->geo, c->seq, i);

		c->mixed |= p->sig != c->sig;
		c->flags |= p->flags;
		if (!c->bytes)
			continue;
		if (i == 0)
			memcpy(g->scratch, p->payload, c->bytes);
		else
			c->flags |= weft_cunit_combine(c->op->op, c->op->type,
						       g->scratch, p->payload,
						       c->bytes / elem);
	}
}

/* Publishes the complete result at the root of the tree. */
static void node_publish(struct cunit_climb *c)
{
	struct weft_cunit_group *g = c->g;
	struct cunit_packet *p =
		cunit_out(g->segment[g->tree.root], &g->geo, c->seq);

	WEFT_ASSERT(c->bytes <= g->geo.packet_bytes);
	cunit_climb_store(c, p, g->scratch);
	/*
	 * R0 pairs with A0 in cunit_packet_available(): the packet is written
	 * before its number.
	 */
	weft_store64(&p->seq, c->seq + 1);
	if (g->send)
		cunit_msg_publish(g, c->op, g->tree.root, c->seq, c->bytes);
	else
		cunit_notify(g, CUNIT_EVENT_OUT);
}

/* Sends a contribution to a member that shares no memory. */
static void node_send_up(struct cunit_climb *c, int member, unsigned input,
			 const void *data)
{
	struct weft_cunit_msg m = {
		.what = CUNIT_MSG_UP,
		.input = (uint8_t)input,
		.kind = c->op->kind,
		.op = c->op->op,
		.type = c->op->type,
		.root = (uint32_t)c->op->root,
		.sig = c->mixed ? ~c->sig : c->sig,
		.flags = c->flags,
		.seq = c->seq,
		.bytes = c->bytes,
	};

	c->g->send(c->g->arg, member, &m, data);
}

/*
 * Counts an arrival at `member`. Returns whether it was the last; then all
 * cells are combined.
 */
static bool node_arrive(struct cunit_climb *c, int member)
{
	struct weft_cunit_group *g = c->g;
	unsigned inputs = 1u + (unsigned)weft_tree_inputs(&g->tree, member);
	/*
	 * RA1 pairs with itself: all cells are written before the last arrival.
	 */
	uint64_t before = weft_add64(
		&cunit_count_of(g->segment[member], &g->geo, c->seq)->arrived,
		1);

	g->atomics++;
	if ((before + 1) % inputs)
		return false;
	node_combine(c, member, inputs);
	return true;
}

/*
 * Climbs from `member`, whose inputs are all combined, to the first node that
 * still waits for an input.
 */
static void node_climb(struct cunit_climb *c, int member)
{
	struct weft_cunit_group *g = c->g;

	while (g->tree.parent[member] >= 0) {
		unsigned input = 1u + (unsigned)g->tree.ordinal[member];

		member = g->tree.parent[member];
		WEFT_ASSERT(member >= 0 && member < g->n &&
			    input < g->geo.inputs);
		if (cunit_uses_messages(g, member)) {
			node_send_up(c, member, input, g->scratch);
			return;
		}
		cunit_climb_store(
			c,
			cunit_cell(g->segment[member], &g->geo, c->seq, input),
			g->scratch);
		if (!node_arrive(c, member))
			return;
	}
	node_publish(c);
}

void cunit_node_arrive(struct weft_cunit_group *g,
		       const struct weft_coll_call *op, uint64_t seq,
		       const void *data, size_t bytes)
{
	struct cunit_climb c = { .g = g,
				 .op = op,
				 .seq = seq,
				 .bytes = bytes,
				 .sig = cunit_sig(op, seq) };

	cunit_climb_store(&c, cunit_cell(g->segment[g->me], &g->geo, seq, 0),
			  data);
	if (node_arrive(&c, g->me))
		node_climb(&c, g->me);
}

void cunit_node_up(struct weft_cunit_group *g, const struct weft_cunit_msg *m,
		   const void *payload)
{
	struct weft_coll_call call = { .kind = m->kind,
				       .op = m->op,
				       .type = m->type,
				       .root = (int)m->root };
	struct cunit_climb c = { .g = g,
				 .op = &call,
				 .seq = m->seq,
				 .bytes = m->bytes,
				 .sig = m->sig,
				 .flags = m->flags };

	WEFT_ASSERT(m->input && m->input < g->geo.inputs);
	cunit_climb_store(
		&c, cunit_cell(g->segment[g->me], &g->geo, m->seq, m->input),
		payload);
	if (node_arrive(&c, g->me))
		node_climb(&c, g->me);
}

void cunit_node_credit_at(struct weft_cunit_group *g, int member,
			  uint64_t epoch)
{
	for (;;) {
		unsigned inputs =
			1u + (unsigned)weft_tree_inputs(&g->tree, member);
		/* RA2 pairs with itself: the last arrival sees all others. */
		uint64_t before = weft_add64(
			&g->segment[member]->credit_in[epoch & 1], 1);

		WEFT_ASSERT(member >= 0 && member < g->n);
		if ((before + 1) % inputs)
			return;
		if (g->tree.parent[member] < 0)
			break;
		member = g->tree.parent[member];
		if (cunit_uses_messages(g, member)) {
			struct weft_cunit_msg m = { .what = CUNIT_MSG_CREDIT,
						    .seq = epoch };

			g->send(g->arg, member, &m, NULL);
			return;
		}
	}
	/*
	 * R3 pairs with A3 in credit_limit(): all members have read the packets
	 * before their slots are reused.
	 */
	weft_store64(&g->segment[g->tree.root]->credit_done, epoch);
	if (g->send)
		cunit_msg_credits(g, epoch);
	else
		cunit_notify(g, CUNIT_EVENT_CREDIT);
}

WEFT_HOT void cunit_node_credit(struct weft_cunit_group *g)
{
	WEFT_ASSERT(g->credits < g->consumed / CUNIT_WINDOW);
	g->credits++;
	if (g->board)
		cunit_board_credit(g, g->credits);
	else
		cunit_node_credit_at(g, g->me, g->credits);
}
