/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deadlock diagnosis: finds a cycle of packets that wait for each other. A
 * packet at the head of a queue waits for a buffer behind a port; the next
 * packet of the chain holds such a buffer. In a finite network the chain ends
 * in a cycle.
 */
#include "prov/net/net_layout.h"
#include "prov/net/net_wheel.h"

#include "src/base/log.h"

enum { SHOWN_MAX = 32 };

/* A waiting packet and its node. */
struct waiter {
	uint32_t node;
	uint32_t packet;
};

/*
 * Returns a packet at the head of one of the receiver's queues; if vc is not 0,
 * of its bubble queue.
 */
static uint32_t head_in(const struct net *net, const struct net_in *in,
			unsigned vc)
{
	unsigned q, first = vc ? net->queues - 1 : 0;

	for (q = first; q < net->queues; q++)
		if (in->len[q])
			return in->head[q];
	return 0;
}

/* Returns a packet that arrived at `port` and waits in the list of a sender. */
static uint32_t head_listed(const struct net *net, uint32_t node, unsigned port,
			    unsigned vc)
{
	const struct net_out *o = net_outs(net, node);
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

/* Returns a packet that holds a buffer for which packet w waits. */
static struct waiter holder(const struct net *net, struct waiter w)
{
	const struct net_packet *p = net_packet(net, w.packet);
	uint32_t link = net_links(net, w.node)[p->det];
	unsigned vc = p->vc ? p->vc : NET_VC_DET, port = net_link_port(link);
	struct waiter next = { net_link_peer(link), 0 };
	const struct net_in *in;

	if (link == NET_LINK_NONE)
		return next;
	if (net->steer == NET_STEER_SWITCHED)
		vc = p->class + 1u;
	in = &net_ins(net, next.node)[port];
	next.packet = head_listed(net, next.node, port, vc);
	if (!next.packet)
		next.packet = head_listed(net, next.node, port, p->vc);
	if (!next.packet)
		next.packet = head_in(net, in, vc == NET_VC_DET);
	if (!next.packet)
		next.packet = head_in(net, in, 0);
	return next;
}

/* Returns any waiting packet in the network. */
static struct waiter waiter_any(const struct net *net)
{
	struct waiter w = { 0, 0 };
	unsigned port, vc;

	for (; w.node < net->nodes; w.node++)
		for (port = 0; port < net->ports; port++) {
			for (vc = 0; vc < net->vcs && !w.packet; vc++)
				w.packet = head_listed(net, w.node, port, vc);
			if (!w.packet)
				w.packet = head_in(
					net, &net_ins(net, w.node)[port], 0);
			if (w.packet)
				return w;
		}
	return w;
}

static void cycle_log(const struct net *net)
{
	struct waiter w = waiter_any(net), start;
	uint64_t steps = (uint64_t)net->nodes * net->ports, i;

	for (i = 0; i < steps && w.packet; i++)
		w = holder(net, w);
	start = w;
	for (i = 0; i < SHOWN_MAX && w.packet; i++) {
		const struct net_packet *p = net_packet(net, w.packet);
		const struct net_mrec *m = net_mrec(net, p->msg);

		weft_log(WEFT_LOG_ERROR,
			 "net: node %u: a packet from %u to %u on vc %u waits "
			 "for port %u",
			 w.node, m->src, m->dst, p->vc, p->det);
		w = holder(net, w);
		if (w.packet == start.packet)
			break;
	}
	if (i == SHOWN_MAX)
		weft_log(WEFT_LOG_ERROR, "net: (more packets follow)");
}

bool net_deadlock_check(const struct net *net)
{
	uint64_t left = net->injected - net->delivered;

	if (!left || net_wheel_pending(net) > net->timers)
		return false;
	weft_log(WEFT_LOG_ERROR, "net: deadlock with %llu packets in flight",
		 (unsigned long long)left);
	cycle_log(net);
	return true;
}
