/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree by messages, for members that share no memory: sets the hardware
 * cannot serve, carriers without common memory, and the agreement needed for a
 * join. A published packet is sent to its readers; results of the tree and
 * complete epochs are sent down the tree, forwarded by each node.
 */
#include "prov/nic/cu/cu_group.h"

#include <errno.h>
#include <string.h>

static void msg_send(struct weft_cu_group *g, int member,
		     const struct weft_cu_msg *m, const void *payload)
{
	if (member != g->me)
		g->send(g->arg, member, m, payload);
}

static void msg_send_down(struct weft_cu_group *g, const struct weft_cu_msg *m,
			  const void *payload)
{
	const struct weft_cu_tree *t = &g->tree;

	for (int i = t->first[g->me]; i < t->first[g->me + 1]; i++)
		msg_send(g, t->input[i], m, payload);
}

static bool from_tree(const struct weft_cu_group *g, unsigned kind)
{
	return !g->flat &&
	       (kind == WEFT_CU_BARRIER || kind == WEFT_CU_ALLREDUCE ||
		kind == WEFT_CU_REDUCE_SCATTER);
}

void cu_msg_publish(struct weft_cu_group *g, const struct weft_cu_call *call,
		    int origin, uint64_t seq, size_t bytes)
{
	struct cu_packet *p = cu_out(g->row[origin], &g->geo, seq);
	struct weft_cu_msg m = {
		.what = CU_MSG_OUT,
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

	if (call->kind == WEFT_CU_REDUCE || call->kind == WEFT_CU_GATHER) {
		msg_send(g, call->root, &m, p->payload);
		return;
	}
	if (from_tree(g, call->kind)) {
		msg_send_down(g, &m, p->payload);
		return;
	}
	for (int i = 0; i < g->n; i++)
		msg_send(g, i, &m, p->payload);
}

void cu_msg_credits(struct weft_cu_group *g, uint64_t epoch)
{
	struct weft_cu_msg m = { .what = CU_MSG_CREDITS, .seq = epoch };

	msg_send_down(g, &m, NULL);
}

static bool msg_fits(const struct weft_cu_group *g, const struct weft_cu_msg *m)
{
	unsigned inputs = 1u + (unsigned)weft_cu_tree_inputs(&g->tree, g->me);
	size_t elem = weft_cu_bytes(m->type);

	if (m->kind >= WEFT_CU_KINDS || m->origin >= (uint32_t)g->n ||
	    m->root >= (uint32_t)g->n || m->bytes > g->geo.packet_bytes)
		return false;
	if (m->what == CU_MSG_CREDIT || m->what == CU_MSG_CREDITS)
		return !m->bytes;
	if (m->what != CU_MSG_UP)
		return true;
	return m->input > 0 && m->input < inputs && elem &&
	       m->bytes % elem == 0 &&
	       (!m->bytes || weft_cu_supports(m->op, m->type));
}

static void got_out(struct weft_cu_group *g, const struct weft_cu_msg *m,
		    const void *payload)
{
	struct cu_packet *p;

	if (cu_segments_map(g, (int)m->origin, (int)m->origin + 1)) {
		weft_cu_group_fail(g, -ENOMEM);
		return;
	}
	p = cu_out(g->row[m->origin], &g->geo, m->seq);
	p->sig = m->sig;
	p->flags = (uint16_t)m->flags;
	if (m->bytes)
		memcpy(p->payload, payload, m->bytes);
	/* R0 pairs with A0 in cu_packet_available(), though in one thread. */
	weft_store64(&p->seq, m->seq + 1);
	if (from_tree(g, m->kind))
		msg_send_down(g, m, payload);
}

bool weft_cu_receive(struct weft_cu_group *g, const struct weft_cu_msg *m,
		     const void *payload)
{
	if (!g->send || !msg_fits(g, m))
		return false;
	switch (m->what) {
	case CU_MSG_UP:
		cu_node_up(g, m, payload);
		return true;
	case CU_MSG_OUT:
		got_out(g, m, payload);
		return true;
	case CU_MSG_CREDIT:
		cu_node_credit_at(g, g->me, m->seq);
		return true;
	case CU_MSG_CREDITS:
		weft_store64(&g->row[g->tree.root]->credit_done, m->seq);
		msg_send_down(g, m, NULL);
		return true;
	default:
		return false;
	}
}
