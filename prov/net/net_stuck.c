/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When nothing moves: who waits for whom. Each packet that waits at the head
 * of something waits for buffers behind a port; who holds one of those is the
 * next in the chain. A chain in a finite network comes round.
 */
#include "prov/net/net_int.h"

#include "src/base/log.h"

enum { SHOWN_MAX = 32 };

/* A packet that waits, and where. */
struct waiter {
	uint32_t node;
	uint32_t packet;
};

/* Any head in a receiver's slots, of the VC if it is not 0. */
static uint32_t head_in(const struct net *net, const struct net_in *in,
			unsigned vc)
{
	unsigned q, first = vc ? net->queues - 1 : 0;

	for (q = first; q < net->queues; q++)
		if (in->len[q])
			return net_packet(net, in->tail[q])->next;
	return 0;
}

/* A packet that came in by port and waits in a sender's list. */
static uint32_t head_listed(const struct net *net, const struct net_node *n,
			    unsigned port, unsigned vc)
{
	const struct net_out *o = net_outs(net, n);
	uint32_t pi;
	unsigned i, w;

	for (i = 0; i < net->ports; i++)
		for (w = NET_WAIT_DET; w < NET_WAITS; w++)
			for (pi = o[i].list[w].head; pi;
			     pi = net_packet(net, pi)->next)
				if (net_packet(net, pi)->in == port &&
				    net_packet(net, pi)->vc == vc)
					return pi;
	return 0;
}

/* Who holds a buffer that the waiter needs. */
static struct waiter holder(const struct net *net, struct waiter w)
{
	const struct net_packet *p = net_packet(net, w.packet);
	const struct net_link *o =
		&net_links(net, net_node(net, w.node))[p->det];
	unsigned vc = p->vc ? p->vc : NET_VC_DET;
	struct waiter next = { o->peer, 0 };
	const struct net_node *n;

	if (o->peer == UINT32_MAX)
		return next;
	n = net_node(net, o->peer);
	next.packet = head_listed(net, n, o->peer_port, vc);
	if (!next.packet)
		next.packet = head_in(net, &net_ins(net, n)[o->peer_port],
				      vc == NET_VC_DET);
	if (!next.packet)
		next.packet = head_in(net, &net_ins(net, n)[o->peer_port], 0);
	return next;
}

/* Someone who waits inside the network. */
static struct waiter anyone(const struct net *net)
{
	struct waiter w = { 0, 0 };
	const struct net_node *n;
	unsigned port, vc;

	for (; w.node < net->nodes; w.node++) {
		n = net_node(net, w.node);
		for (port = 0; port < net->ports; port++) {
			for (vc = 1; vc < 4 && !w.packet; vc++)
				w.packet = head_listed(net, n, port, vc);
			if (!w.packet)
				w.packet = head_in(net, &net_ins(net, n)[port],
						   0);
			if (w.packet)
				return w;
		}
	}
	return w;
}

static void show(const struct net *net, struct waiter w)
{
	const struct net_packet *p = net_packet(net, w.packet);
	const struct net_mrec *m = net_mrec(net, p->msg);

	weft_log(WEFT_LOG_ERROR,
		 "net: node %u: a packet from %u to %u on vc %u waits for "
		 "port %u", w.node, m->src, m->dst, p->vc, p->det);
}

static void show_cycle(const struct net *net)
{
	struct waiter w = anyone(net), start;
	uint64_t steps = (uint64_t)net->nodes * net->ports, i;

	for (i = 0; i < steps && w.packet; i++)
		w = holder(net, w);
	start = w;
	for (i = 0; i < SHOWN_MAX && w.packet; i++) {
		show(net, w);
		w = holder(net, w);
		if (w.packet == start.packet)
			break;
	}
	if (i == SHOWN_MAX)
		weft_log(WEFT_LOG_ERROR, "net: and so on");
}

bool net_stuck(const struct net *net)
{
	uint64_t left = net->injected - net->delivered;

	if (net->pending > net->timers || !left)
		return false;
	weft_log(WEFT_LOG_ERROR, "net: stuck with %llu packets under way",
		 (unsigned long long)left);
	show_cycle(net);
	return true;
}
