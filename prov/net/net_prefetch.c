/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Software prefetch; it has no effect on the model's results. The state of a
 * large network does not fit the cache; if each cache miss had to wait for the
 * previous one, most time would be spent waiting. Before a batch of events or
 * nodes is processed, short loops load the cache lines that the batch needs, so
 * that the misses overlap; a second loop loads lines found through other lines.
 * The loops use plain loads: a prefetch instruction is dropped on a TLB miss,
 * and TLB misses are the common case in a large network.
 */
#include "prov/net/net_prefetch.h"
#include "prov/net/net_slot.h"
#include "prov/net/routing/net_routing.h"
#include "prov/net/net_wheel.h"

void net_prefetch_chunk(const struct net *net, uint32_t slot)
{
	uint32_t i = (slot - 1) / NET_CHUNK * NET_CHUNK;

	for (; i < slot; i += 8)
		net_prefetch(net_event(net, i));
}

void net_prefetch_nodes(const struct net *net, const uint64_t *w, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		net_prefetch(net_node(net, net_word_node(w[i])));
}

void net_prefetch_arrive(const struct net *net, const uint64_t *w, uint32_t n)
{
	const struct net_packet *p;
	uint32_t i, id;

	for (i = 0; i < n; i++) {
		id = net_word_node(w[i]);
		net_prefetch(net_packet(net, net_word_payload(w[i])));
		net_prefetch(&net_ins(net, id)[net_word_port(w[i])]);
		net_prefetch(net_node(net, id));
		net_prefetch(net_links(net, id));
	}
	for (i = 0; i < n; i++) {
		id = net_word_node(w[i]);
		p = net_packet(net, net_word_payload(w[i]));
		if (net_routing_is_last(net, p, id))
			net_prefetch(net_mrec(net, p->msg));
	}
}

/* Returns the FIFO of an engine's event; NULL for other events. */
static const struct net_fifo *engine(const struct net *net, uint64_t word)
{
	unsigned kind = net_word_kind(word);

	if (kind != NET_EV_WAKE && kind != NET_EV_BUILT)
		return NULL;
	return &net_fifos(net, net_word_node(word))[net_word_port(word)];
}

void net_prefetch_sorted(const struct net *net, const uint64_t *w, uint32_t n)
{
	const struct net_fifo *f;
	uint32_t i;

	for (i = 0; i < n; i++) {
		f = engine(net, w[i]);
		if (!f)
			continue;
		net_prefetch(f);
		net_prefetch(net_node(net, net_word_node(w[i])));
		net_prefetch(net_links(net, net_word_node(w[i])));
	}
	for (i = 0; i < n; i++) {
		f = engine(net, w[i]);
		if (f)
			net_prefetch(net_mrec(net, f->msg ? f->msg : f->ring));
	}
}

void net_prefetch_calls(const struct net *net, const uint64_t *w, uint32_t n)
{
	const struct net_packet *p;
	uint32_t i, id;

	for (i = 0; i < n; i++) {
		id = net_word_node(w[i]);
		/* packet or message record: one cache line */
		net_prefetch(net_packet(net, net_word_payload(w[i])));
		if (net_word_kind(w[i]) == NET_EV_DELIVER)
			net_prefetch(net_node(net, id));
		if (net_word_kind(w[i]) == NET_EV_SENT)
			net_prefetch(&net_fifos(net, id)[net_word_port(w[i])]);
	}
	for (i = 0; i < n; i++) {
		p = net_packet(net, net_word_payload(w[i]));
		if (net_word_kind(w[i]) == NET_EV_DELIVER)
			net_prefetch(net_mrec(net, p->msg));
	}
}

/* ---- prefetch before arbitration ----------------------------------------- */

/* Loads the senders that the arbitration at a node may access. */
static void load_senders(const struct net *net, uint32_t id, uint64_t ports)
{
	const struct net_out *o = net_outs(net, id);

	for (; ports; ports &= ports - 1)
		net_prefetch(&o[__builtin_ctzll(ports)]);
}

/* Loads the senders of all ports that a new head may have to request. */
static void load_new_heads(const struct net *net, const struct net_mark *m)
{
	const struct net_node *n = net_node(net, m->node);
	const struct net_packet *p;
	unsigned slot;

	if (!(m->fresh[0] | m->fresh[1]))
		return;
	slot = net_mask_next(m->fresh[0], m->fresh[1], 0);
	p = net_packet(net, net_slot_head(net, m->node, slot));
	if (!(p->want & ~n->busy))
		load_senders(net, m->node, p->want | 1ull << p->det);
}

/*
 * Loads the receiver of the slot that a port will serve. Returns the slot;
 * NET_SLOT_FIFO or higher: not a slot of a receiver.
 */
static uint32_t load_slot(const struct net *net, const struct net_mark *m)
{
	const struct net_node *n = net_node(net, m->node);
	uint64_t ports = m->dirty & ~n->busy, m0, m1;
	const struct net_out *o;
	unsigned slot;

	if (!ports)
		return NET_SLOT_FIFO;
	o = &net_outs(net, m->node)[__builtin_ctzll(ports)];
	m0 = o->dyn[0];
	m1 = o->dyn[1];
	net_mask_readable(net, n, &m0, &m1);
	if (!(m0 | m1))
		return NET_SLOT_FIFO;
	slot = net_mask_next(m0, m1, o->rr & 127);
	if (slot < NET_SLOT_FIFO)
		net_prefetch(&net_ins(net, m->node)[net_slot_in(net, slot)]);
	return slot;
}

void net_prefetch_marks(const struct net *net, struct net_mark *m, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (m[i].dirty) {
			load_senders(net, m[i].node, m[i].dirty);
			net_prefetch(net_links(net, m[i].node));
		}
	for (i = 0; i < n; i++)
		load_new_heads(net, &m[i]);
	for (i = 0; i < n; i++)
		m[i].head = load_slot(net, &m[i]);
	for (i = 0; i < n; i++)
		if (m[i].head < NET_SLOT_FIFO)
			net_prefetch(net_packet(
				net, net_slot_head(net, m[i].node, m[i].head)));
}
