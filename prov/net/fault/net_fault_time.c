/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start, detection and end of the faults of a plan, and their effects on links
 * and nodes.
 *
 * A fault is a wake event with port NET_FAULT_PORT at each node that it
 * affects. A link that fails is busy until the failure is detected, so no
 * packet is sent on it. After that, packets for the link are lost
 * (net_fault_link.c) or rerouted (net_fault_routing.c).
 */
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/net_nic_int.h"
#include "prov/net/net_pool.h"
#include "prov/net/net_wheel.h"
#include "prov/net/routing/net_guid.h"

/* ---- dead and live links ------------------------------------------------- */

bool net_fault_line_affects(const struct net *net,
			    const struct net_fault_line *line, uint32_t node,
			    unsigned port)
{
	uint32_t link = net_links(net, node)[port];

	return link != NET_LINK_NONE &&
	       (net_fault_line_applies(net, line, node, port) ||
		net_fault_line_applies(net, line, net_link_peer(link),
				       net_link_port(link)));
}

/* Returns whether the port's direction has a live link. */
static bool any_alive(const struct net *net, uint32_t node, unsigned port)
{
	unsigned first = port, links = 1, i;

	if (net->flow[port] != NET_FLOW_NONE) {
		first = net->dir_first[net->flow[port]];
		links = net->dir_links[net->flow[port]];
	}
	for (i = first; i < first + links; i++)
		if (!net_fault_is_dead(net, node, i))
			return true;
	return false;
}

void net_fault_node_update(struct net *net, uint32_t node)
{
	struct net_fault_node *m = net_fault_node(net, node);
	unsigned port, alive = 0;

	if (node >= net->ends)
		return;
	for (port = 0; port < net->ports; port++)
		alive += net_links(net, node)[port] != NET_LINK_NONE &&
			 !net_fault_is_dead(net, node, port);
	net_faults(net)->sum.dead_nodes += (uint64_t)!alive - m->dead;
	m->dead = !alive;
}

void net_fault_link_fail(struct net *net, uint32_t node, unsigned port)
{
	net_fault_link(net, node, port)->state = NET_LINK_DEAD;
	net_faults(net)->sum.dead_links++;
	if (!net->cfg.care.reroute)
		return;
	net->detour++;
	if (net->steer == NET_STEER_TREE) {
		net_dead(net)[node] |= 1ull << port;
		net->renewed = ++net->deaths;
		net_table_clear(net);
	}
}

/* ---- effects of faults --------------------------------------------------- */

bool net_fault_is_failure(unsigned kind)
{
	return kind == WEFT_FAULT_DEAD_LINK || kind == WEFT_FAULT_DEAD_NODE ||
	       kind == WEFT_FAULT_DEAD_SWITCH || kind == WEFT_FAULT_DEAD_RAIL;
}

/* Sets or clears the bit error rate or burst length of the fault's links. */
void net_fault_set_class(struct net *net, const struct net_fault_line *line,
			 bool on)
{
	struct net_fault_link *l;
	uint32_t n, port;

	for (n = 0; n < net->nodes; n++)
		for (port = 0; port < net->ports; port++) {
			if (net_links(net, n)[port] == NET_LINK_NONE ||
			    !net_fault_line_applies(net, line, n, port))
				continue;
			l = net_fault_link(net, n, port);
			if (line->kind == WEFT_FAULT_ERRORS)
				l->ber = on ? line->value : 0;
			else
				l->burst = on ? (uint16_t)line->value : 1;
		}
}

void net_fault_set_node(struct net *net, const struct net_fault_line *line,
			bool on)
{
	struct net_fault_node *m;
	uint32_t n;

	for (n = 0; n < net->nodes; n++) {
		if (line->class != NET_CLASS_ANY && n != line->node)
			continue;
		m = net_fault_node(net, n);
		if (line->kind == WEFT_FAULT_MEMORY)
			m->memory = on ? line->value : 0;
		else
			m->slow = on ? (uint32_t)line->value : 0;
	}
}

/* Sets or restores the lanes or the rate of the fault's links. */
static void change_links(struct net_step *s, const struct net_fault_line *line,
			 bool on)
{
	struct net_fault_link *l;

	for (unsigned port = 0; port < s->net->ports; port++) {
		if (!net_fault_line_affects(s->net, line, s->id, port))
			continue;
		l = net_fault_link(s->net, s->id, port);
		net_links(s->net, s->id)[port] = l->word[on];
		net_fault_spare_use(s->net, line, l, on);
	}
}

/* ---- failures at run time ------------------------------------------------ */

/*
 * Marks links as busy, so that no packet is sent on them. A link that is
 * sending a packet is marked when that packet has left.
 */
static void link_block(struct net_step *s, const struct net_fault_line *line,
		       uint64_t word)
{
	struct net_fault_link *l;
	bool wait = false;
	unsigned port;

	for (port = 0; port < s->net->ports; port++) {
		l = net_fault_link(s->net, s->id, port);
		if (!net_fault_line_affects(s->net, line, s->id, port) ||
		    l->state)
			continue;
		if (s->node->busy >> port & 1) {
			wait = true;
			continue;
		}
		l->state = NET_LINK_UNDETECTED;
		s->node->busy |= 1ull << port;
	}
	if (wait)
		net_wheel_push(s->net, s->now + 1, word);
}

/* Schedules the net_up.dead callback. */
static void report_failure(struct net_step *s, uint32_t target)
{
	struct net *net = s->net;
	uint32_t mi = net_mrec_get(net);
	struct net_mrec *m = net_mrec(net, mi);

	if (!mi)
		return;
	m->cookie = target;
	m->ready_ps = (s->now + 1) * net->cfg.tick_ps;
	net->timers++;
	net_wheel_push(net, s->now + 1,
		       net_word(0, NET_EV_TIMER, 0, NET_TIMER_DEATH, mi));
}

/*
 * Handles the detection of a failure: the links accept packets again, and the
 * packets are lost.
 */
static void failure_detected(struct net_step *s,
			     const struct net_fault_line *line)
{
	struct net *net = s->net;
	struct net_fault_link *l;
	bool cut = false, was = net_fault_node(net, s->id)->dead, any = false;
	unsigned port;

	for (port = 0; port < net->ports; port++) {
		l = net_fault_link(net, s->id, port);
		if (!net_fault_line_affects(net, line, s->id, port) ||
		    l->state == NET_LINK_DEAD)
			continue;
		if (l->state == NET_LINK_UNDETECTED)
			s->node->busy &= ~(1ull << port);
		net_fault_link_fail(net, s->id, port);
		s->dirty |= 1ull << port;
		cut |= !any_alive(net, s->id, port);
		any = true;
	}
	net_fault_node_update(net, s->id);
	if (net->cfg.care.reroute && cut) {
		struct net_faults *f = net_faults(net);
		uint64_t end =
			s->now * net->cfg.tick_ps + net->cfg.care.quiesce_ps;

		if (net->cfg.care.quiesce_ps && f->stall_ps < end) {
			f->sum.quiesced +=
				f->stall_ps < s->now * net->cfg.tick_ps;
			f->stall_ps = end;
		}
	}
	if (net_fault_node(net, s->id)->dead && !was)
		report_failure(s, s->id);
	else if (any && !net->cfg.care.reroute &&
		 line->kind == WEFT_FAULT_DEAD_LINK && s->id == line->node)
		report_failure(s, s->id | NET_DEAD_LINK);
}

static void revive(struct net_step *s, const struct net_fault_line *line)
{
	unsigned port;

	for (port = 0; port < s->net->ports; port++) {
		struct net_fault_link *l;

		if (!net_fault_line_affects(s->net, line, s->id, port))
			continue;
		if (net_fault_link(s->net, s->id, port)->state ==
		    NET_LINK_UNDETECTED)
			s->node->busy &= ~(1ull << port);
		l = net_fault_link(s->net, s->id, port);
		if (l->state == NET_LINK_DEAD) {
			net_faults(s->net)->sum.dead_links--;
			s->net->detour -= s->net->cfg.care.reroute;
			if (s->net->steer == NET_STEER_TREE &&
			    s->net->cfg.care.reroute) {
				net_dead(s->net)[s->id] &= ~(1ull << port);
				s->net->renewed = --s->net->deaths;
				net_table_clear(s->net);
			}
		}
		l->state = NET_LINK_UP;
		s->dirty |= 1ull << port;
	}
	net_fault_node_update(s->net, s->id);
}

void net_fault_phase_schedule(struct net *net, uint32_t node, uint64_t at,
			      enum net_fault_phase phase, uint32_t i)
{
	net_event_schedule(
		net, at, NET_EV_WAKE,
		net_word(node, NET_EV_WAKE, NET_FAULT_PORT, phase, i));
}

/* Halts the interface of this node, as a fault of the plan would. */
void net_fault_halt(struct net_step *s)
{
	struct net *net = s->net;
	uint32_t link, all = NET_FAULT_HALT | s->id, id = s->id;
	uint64_t at = (s->now + 1) * net->cfg.tick_ps;

	net_faults(net)->sum.halted++;
	for (unsigned port = 0; port <= net->ports; port++) {
		if (port < net->ports) {
			link = net_links(net, s->id)[port];
			if (link == NET_LINK_NONE)
				continue;
			id = net_link_peer(link);
		} else {
			id = s->id;
		}
		net_fault_phase_schedule(net, id, at, NET_FAULT_BEGINS, all);
		net_fault_phase_schedule(net, id, at + net->cfg.care.detect_ps,
					 NET_FAULT_DETECTED, all);
	}
}

void net_fault_phase_run(struct net_step *s, uint64_t word)
{
	uint32_t i = net_word_payload(word);
	const struct net_fault_line halted = { .kind = WEFT_FAULT_DEAD_NODE,
					       .target = NET_FAULT_ON_NODE,
					       .node = i & ~NET_FAULT_HALT };
	const struct net_fault_line *line = &net_fault_lines(s->net)[i];
	unsigned phase = net_word_vc(word);

	if (i & NET_FAULT_HALT)
		line = &halted;
	if (net_fault_is_failure(line->kind)) {
		if (phase == NET_FAULT_BEGINS)
			link_block(s, line, word);
		else if (phase == NET_FAULT_DETECTED)
			failure_detected(s, line);
		else
			revive(s, line);
	} else if (line->target == NET_FAULT_ON_LINK) {
		change_links(s, line, phase == NET_FAULT_BEGINS);
	} else if (line->target == NET_FAULT_ON_CLASS) {
		net_fault_set_class(s->net, line, phase == NET_FAULT_BEGINS);
	} else {
		net_fault_set_node(s->net, line, phase == NET_FAULT_BEGINS);
	}
}

uint64_t net_fault_engine_delay(const struct net *net, uint32_t node,
				uint64_t start, uint64_t end)
{
	const struct net_faults *f = net_faults(net);
	uint32_t slow = net_fault_node(net, node)->slow;

	if (slow)
		end = start + (end - start) * slow / 1000;
	return start < f->stall_ps ? end + f->stall_ps - start : end;
}
