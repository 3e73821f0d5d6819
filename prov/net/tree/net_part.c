/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contributions (parts) to packets of collectives: their records, the queue of
 * contributions that wait for a node's collective engine, and the combine
 * table, where a contribution waits for the other inputs of its packet. The
 * combine table is a hash table with open addressing; the key consists of
 * member and sequence number.
 */
#include "prov/net/net_pool.h"
#include "prov/net/tree/net_tree_int.h"
#include "prov/net/net_wheel.h"

#include "src/base/hash.h"

uint32_t net_part_get(struct net *net)
{
	uint32_t pi = net_packet_get(net);

	net->parts += pi != 0;
	return pi;
}

void net_part_put(struct net *net, uint32_t pi)
{
	net->parts--;
	net_packet_put(net, pi);
}

uint32_t net_member_find(const struct net *net, uint32_t route, uint32_t node)
{
	uint32_t i = node * net->cfg.routes + 1, k;

	for (k = 0; k < net->cfg.routes; k++)
		if (net_member(net, i + k)->route == route + 1)
			return i + k;
	return 0;
}

uint64_t net_part_word(const struct net *net, enum net_ev kind, uint32_t pi)
{
	const struct net_packet *p = net_packet(net, pi);
	uint32_t node = net_member_node(net, p->msg);
	uint32_t slot = p->msg - 1 - node * net->cfg.routes;

	return net_word(node, kind, slot & 63, p->seq & 15, pi);
}

void net_part_schedule(struct net_step *s, uint64_t ps, uint32_t pi)
{
	struct net *net = s->net;
	uint64_t tick = ps / net->cfg.tick_ps;

	net_packet(net, pi)->frac = (uint16_t)(ps % net->cfg.tick_ps);
	net_wheel_push(net, tick > s->now ? tick : s->now + 1,
		       net_part_word(net, NET_EV_PART, pi));
}

/*
 * Returns whether contribution a precedes b at an engine; they are ordered by
 * time, sequence number and cookie.
 */
static bool part_before(const struct net_packet *a, const struct net_packet *b)
{
	if (a->since != b->since)
		return (int32_t)(a->since - b->since) < 0;
	if (a->frac != b->frac)
		return a->frac < b->frac;
	if (a->seq != b->seq)
		return a->seq < b->seq;
	return a->cookie < b->cookie;
}

static void part_insert(struct net *net, struct net_list *l, uint32_t pi)
{
	struct net_packet *p = net_packet(net, pi), *q;
	uint32_t prev = 0, i, steps = 0;

	if (!l->head || !part_before(p, net_packet(net, l->tail))) {
		net_list_push(net, l, pi);
		return;
	}
	for (i = l->head; !part_before(p, net_packet(net, i)); i = q->next) {
		net_walk_check(steps++ < net->packets_max);
		q = net_packet(net, i);
		prev = i;
	}
	p->next = i;
	if (prev)
		net_packet(net, prev)->next = pi;
	else
		l->head = pi;
}

void net_part_queue(struct net_step *s, uint32_t pi)
{
	part_insert(s->net, &net_nic(s->net, s->id)->part, pi);
	s->part = true;
}

/* ---- combine table: packets that wait for other inputs ------------------- */

uint32_t *net_combine_table(const struct net *net)
{
	return net_at(net, net->off_combine);
}

/*
 * Number of neighbouring nodes that share a row of the combine table. In a
 * table of this size, an access to another row usually causes a cache miss and
 * a TLB miss.
 */
#define COMBINE_ROW 64u

static uint32_t combine_cell(const struct net *net, const struct net_packet *p)
{
	uint32_t node = net_member_node(net, p->msg);
	uint32_t slot = p->msg - node * net->cfg.routes;
	uint64_t row = (uint64_t)(node / COMBINE_ROW) << 46 ^
		       (uint64_t)slot << 40 ^ p->seq;

	return ((uint32_t)weft_hash_mix(row) * COMBINE_ROW +
		node % COMBINE_ROW) &
	       net->combine_mask;
}

uint32_t net_combine_find(const struct net *net, const struct net_packet *p)
{
	const uint32_t *t = net_combine_table(net);
	const struct net_packet *q;
	uint32_t i, steps = 0;

	for (i = combine_cell(net, p); t[i]; i = (i + 1) & net->combine_mask) {
		net_walk_check(steps++ < net->combine_mask);
		q = net_packet(net, t[i]);
		if (q->msg == p->msg && q->seq == p->seq)
			break;
	}
	return i;
}

/*
 * Deletes an entry, and moves entries that its cell had displaced back towards
 * their own cells.
 */
void net_combine_delete(struct net *net, uint32_t i)
{
	uint32_t *t = net_combine_table(net), mask = net->combine_mask, k = i,
		 home;
	uint32_t steps = 0;

	for (;;) {
		net_walk_check(steps++ < mask);
		k = (k + 1) & mask;
		if (!t[k])
			break;
		home = combine_cell(net, net_packet(net, t[k]));
		if (((k - home) & mask) >= ((k - i) & mask)) {
			t[i] = t[k];
			i = k;
		}
	}
	t[i] = 0;
}
