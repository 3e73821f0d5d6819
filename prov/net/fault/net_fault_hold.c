/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packet order with retransmission: a deterministic packet waits at the target
 * until all earlier packets of the same source have arrived, however often they
 * are retransmitted. Each target has a list of the missing packets and of the
 * packets that wait for them, in the order in which they were sent.
 */
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/net_nic.h"

static bool has_order(const struct net_packet *p)
{
	return !(p->flags & (NET_P_DYN | NET_P_ACK | NET_P_DEPOSIT));
}

static bool same_flow(const struct net_fault_hold *a,
		      const struct net_fault_hold *b)
{
	return a->src == b->src && a->vc == b->vc;
}

/*
 * Returns the pointer in a node's list that refers to packet pi, or the pointer
 * at the end of the list.
 */
static uint32_t *fault_hold_find(const struct net *net, uint32_t node,
				 uint32_t pi)
{
	uint32_t *at = &net_fault_node(net, node)->order_list, steps = 0;

	while (*at && *at != pi) {
		net_walk_check(steps++ < net->packets_max);
		at = &net_fault_hold(net, *at)->next;
	}
	return at;
}

static void fault_hold_add(const struct net *net, uint32_t node, uint32_t pi,
			   bool ready)
{
	const struct net_packet *p = net_packet(net, pi);
	const struct net_mrec *m = net_mrec(net, p->msg);

	*net_fault_hold(net, pi) = (struct net_fault_hold){
		.src = m->src, .vc = m->vc_zone & 15, .on = 1, .ready = ready
	};
	*fault_hold_find(net, node, 0) = pi;
}

void net_fault_order_wait(struct net *net, uint32_t pi)
{
	const struct net_packet *p = net_packet(net, pi);

	if (has_order(p) && !net_fault_hold(net, pi)->on)
		fault_hold_add(net, p->dst, pi, false);
}

/* Returns the first packet in the list that belongs to the flow, or 0. */
static uint32_t first_of(const struct net *net, uint32_t node,
			 const struct net_fault_hold *flow)
{
	uint32_t pi = net_fault_node(net, node)->order_list, steps = 0;

	while (pi && !same_flow(net_fault_hold(net, pi), flow)) {
		net_walk_check(steps++ < net->packets_max);
		pi = net_fault_hold(net, pi)->next;
	}
	return pi;
}

static void hold_remove(const struct net *net, uint32_t node, uint32_t pi)
{
	struct net_fault_hold *h = net_fault_hold(net, pi);

	*fault_hold_find(net, node, pi) = h->next;
	*h = (struct net_fault_hold){ 0 };
}

/* Delivers the packets of a flow up to the next missing packet. */
static void deliver_held(struct net_step *s, const struct net_call *c,
			 uint32_t node, const struct net_fault_hold *flow)
{
	struct net *net = s->net;
	struct net_call call = { .time_ps = c->time_ps };
	uint32_t pi;

	while ((pi = first_of(net, node, flow)) &&
	       net_fault_hold(net, pi)->ready) {
		hold_remove(net, node, pi);
		call.word = net_word(node, NET_EV_DELIVER,
				     net_word_port(c->word), flow->vc, pi);
		net_faults(net)->free = 1;
		net_nic_deliver(s, &call);
		net_faults(net)->free = 0;
	}
}

bool net_fault_order_hold(struct net_step *s, const struct net_call *c)
{
	struct net *net = s->net;
	uint32_t pi = net_word_payload(c->word), node = net_word_node(c->word);
	const struct net_packet *p = net_packet(net, pi);
	struct net_fault_hold *h = net_fault_hold(net, pi), flow;

	if (net_faults(net)->free || !net_fault_node(net, node)->order_list ||
	    !has_order(p))
		return false;
	if (h->on) {
		h->ready = 1;
		flow = *h;
		deliver_held(s, c, node, &flow);
		return true;
	}
	flow.src = net_mrec(net, p->msg)->src;
	flow.vc = net_mrec(net, p->msg)->vc_zone & 15;
	if (!first_of(net, node, &flow))
		return false;
	fault_hold_add(net, node, pi, true);
	return true;
}

void net_fault_order_skip(struct net_step *s, const struct net_call *c,
			  uint32_t pi, uint32_t node)
{
	struct net_fault_hold flow = *net_fault_hold(s->net, pi);

	if (!flow.on)
		return;
	hold_remove(s->net, node, pi);
	deliver_held(s, c, node, &flow);
}
