/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree implemented by messages, for members that share no memory: on
 * carriers without shared memory, for sets of members that the hardware cannot
 * serve, and during a join. A published packet is sent to its readers; results
 * of the tree and completed epochs are sent down the tree, forwarded by each
 * node.
 */
#include "prov/group/cunit/cunit_group.h"
#include "src/base/must.h"

#include <errno.h>
#include <string.h>

static void msg_send(struct weft_cunit_group *g, int member,
		     const struct weft_cunit_msg *m, const void *payload)
{
	WEFT_ASSERT(member >= 0 && member < g->n);
	if (member != g->me)
		g->send(g->arg, member, m, payload);
}

static void msg_send_down(struct weft_cunit_group *g,
			  const struct weft_cunit_msg *m, const void *payload)
{
	const struct weft_tree *t = &g->tree;

	for (int i = t->first[g->me]; i < t->first[g->me + 1]; i++)
		msg_send(g, t->input[i], m, payload);
}

static bool result_from_tree(const struct weft_cunit_group *g, unsigned kind)
{
	return !g->flat &&
	       (kind == WEFT_COLL_BARRIER || kind == WEFT_COLL_ALLREDUCE ||
		kind == WEFT_COLL_REDUCE_SCATTER);
}

void cunit_msg_publish(struct weft_cunit_group *g,
		       const struct weft_coll_call *call, int origin,
		       uint64_t seq, size_t bytes)
{
	struct cunit_packet *p = cunit_out(g->segment[origin], &g->geo, seq);
	struct weft_cunit_msg m = {
		.what = CUNIT_MSG_OUT,
		.kind = call->kind,
		.op = call->op,
		.type = call->type,
		.origin = (uint32_t)origin,
		.root = (uint32_t)call->root,
		.sig = p->sig,
		.flags = p->flags,
		.seq = seq,
		.bytes = bytes,
	};

	if (call->kind == WEFT_COLL_REDUCE || call->kind == WEFT_COLL_GATHER) {
		msg_send(g, call->root, &m, p->payload);
		return;
	}
	if (result_from_tree(g, call->kind)) {
		msg_send_down(g, &m, p->payload);
		return;
	}
	for (int i = 0; i < g->n; i++)
		msg_send(g, i, &m, p->payload);
}

void cunit_msg_credits(struct weft_cunit_group *g, uint64_t epoch)
{
	struct weft_cunit_msg m = { .what = CUNIT_MSG_CREDITS, .seq = epoch };

	msg_send_down(g, &m, NULL);
}

static bool msg_fits(const struct weft_cunit_group *g,
		     const struct weft_cunit_msg *m)
{
	unsigned inputs = 1u + (unsigned)weft_tree_inputs(&g->tree, g->me);
	size_t elem = weft_cunit_bytes(m->type);

	if (m->kind >= WEFT_COLL_GROUP_KINDS || m->origin >= (uint32_t)g->n ||
	    m->root >= (uint32_t)g->n || m->bytes > g->geo.packet_bytes)
		return false;
	if (m->what == CUNIT_MSG_CREDIT || m->what == CUNIT_MSG_CREDITS)
		return !m->bytes;
	if (m->what != CUNIT_MSG_UP)
		return true;
	return m->input > 0 && m->input < inputs && elem &&
	       m->bytes % elem == 0 &&
	       (!m->bytes || weft_cunit_supports(m->op, m->type));
}

static void published_receive(struct weft_cunit_group *g,
			      const struct weft_cunit_msg *m,
			      const void *payload)
{
	struct cunit_packet *p;

	if (cunit_segments_map(g, (int)m->origin, (int)m->origin + 1)) {
		weft_cunit_group_fail(g, -ENOMEM);
		return;
	}
	p = cunit_out(g->segment[m->origin], &g->geo, m->seq);
	p->sig = m->sig;
	p->flags = (uint16_t)m->flags;
	if (m->bytes)
		memcpy(p->payload, payload, m->bytes);
	/* R0 pairs with A0 in cunit_packet_available(), in the same thread. */
	weft_store64(&p->seq, m->seq + 1);
	if (result_from_tree(g, m->kind))
		msg_send_down(g, m, payload);
}

bool weft_cunit_receive(struct weft_cunit_group *g,
			const struct weft_cunit_msg *m, const void *payload)
{
	if (!g->send || !msg_fits(g, m))
		return false;
	switch (m->what) {
	case CUNIT_MSG_UP:
		cunit_node_up(g, m, payload);
		return true;
	case CUNIT_MSG_OUT:
		published_receive(g, m, payload);
		return true;
	case CUNIT_MSG_CREDIT:
		cunit_node_credit_at(g, g->me, m->seq);
		return true;
	case CUNIT_MSG_CREDITS:
		weft_store64(&g->segment[g->tree.root]->credit_done, m->seq);
		msg_send_down(g, m, NULL);
		return true;
	default:
		return false;
	}
}
