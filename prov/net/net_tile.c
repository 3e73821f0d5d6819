/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routers of tiles, packet by packet. The ports of a router stand in columns.
 * What comes in waits in the input buffer until it is at its head; then its
 * column is chosen, and it moves on to the row buffer in front of that column,
 * if there is room, and its place in the input buffer is free. From the row
 * buffers packets go through the column's channels to the output's queue. So an
 * output that is blocked holds up, behind a full row buffer, first what goes to
 * the same column, then all of that input.
 *
 *      input buffer            row buffers      columns
 *   --> [ | | | ] --+--> [   ]---> 0   ->  out 0, 8, 16 ...
 *                   +--> [   ]---> 1   ->  out 1, 9, 17 ...
 *                   +--> ...
 *
 * Requests and responses (VCs) have buffers of their own. A port to a node of
 * the router stands for tiles in all columns.
 *
 * Adaptive packets keep to the queues of the dynamic VC. One that finds a link
 * free takes it; one that has to wait chooses its column and waits for that.
 */
#include "prov/net/net_tile.h"
#include "prov/net/net_pool.h"
#include "prov/net/net_router.h"
#include "prov/net/net_wheel.h"

/* Where the input buffers of VCs are among the queues of a receiver. */
enum { FIRST = NET_QUEUES_MAX - 4 };

static unsigned column_of(const struct net *net, unsigned port)
{
	return port % net->cfg.columns;
}

/* Packets that a row buffer takes; to a node there are several tiles. */
static unsigned room_of(const struct net *net, unsigned port)
{
	unsigned tiles = port < net->down ? 1 : net->cfg.tokens_end;

	return net->cfg.row_buffer * (tiles ? tiles : 1);
}

/* The column for the packet at the head, or -1: no room before it. */
static int choose(const struct net *net, const struct net_packet *p,
		  unsigned in, const uint8_t *row)
{
	unsigned room = room_of(net, in), best, c;

	best = column_of(net, p->det);
	if (p->det >= net->down)
		for (c = 0; c < net->cfg.columns; c++)
			if (row[4 * c] < row[4 * best])
				best = c;
	return row[4 * best] < room ? (int)best : -1;
}

/* Its place in the input buffer is free when all of it has gone on. */
static void give_back(struct net_step *s, uint32_t node, unsigned port,
		      const struct net_packet *p)
{
	const struct net *net = s->net;
	uint32_t back = net_links(net, node)[port];
	const struct net_hop *h = net_link_hop(net, back);

	net_wheel_after(s, net_packet_len(net, h->rate, p) + h->token_ticks,
			NET_EV_TOKEN,
			net_word(net_link_peer(back), NET_EV_TOKEN,
				 net_link_port(back), p->vc, 1));
}

static void pop(const struct net *net, struct net_in *in, unsigned q)
{
	const struct net_packet *p = net_packet(net, in->head[q]);

	if (!--in->len[q])
		return;
	in->head[q] = p->next;
	net_packet(net, p->next)->last = p->last;
}

/* Moves packets on to row buffers as long as there is room. */
static uint64_t advance(struct net_step *s, uint32_t node, unsigned port,
			unsigned vc)
{
	const struct net *net = s->net;
	struct net_in *in = &net_ins(net, node)[port];
	uint8_t *row = net_tile_rows(net, node, port) + vc;
	unsigned q = FIRST + vc;
	uint64_t dirty = 0;

	while (in->len[q]) {
		uint32_t pi = in->head[q];
		struct net_packet *p = net_packet(net, pi);
		int c = choose(net, p, port, row);

		if (c < 0)
			break;
		pop(net, in, q);
		row[4 * c]++;
		p->last = (uint32_t)c;
		give_back(s, node, port, p);
		net_router_list(s, node, port, pi);
		dirty |= 1ull << p->det;
	}
	return dirty;
}

uint64_t net_tile_arrive(struct net_step *s, uint32_t node, unsigned port,
			 uint32_t pi)
{
	const struct net *net = s->net;
	struct net_in *in = &net_ins(net, node)[port];
	struct net_packet *p = net_packet(net, pi), *head;
	unsigned q = FIRST + p->vc;

	if (in->len[q]++) {
		head = net_packet(net, in->head[q]);
		net_packet(net, head->last)->next = pi;
		head->last = pi;
		return 0;
	}
	in->head[q] = pi;
	p->last = pi;
	return advance(s, node, port, p->vc);
}

uint64_t net_tile_leave(struct net_step *s, const struct net_packet *p)
{
	uint8_t *row = net_tile_rows(s->net, s->id, p->in) + p->vc;

	s->in[p->in].wait_ticks += (uint32_t)s->now - p->since;
	s->net->excess += !row[4 * p->last];
	row[4 * p->last]--;
	return advance(s, s->id, p->in, p->vc);
}

uint64_t net_tile_column(const struct net_step *s, uint64_t want)
{
	const struct net *net = s->net;
	const struct net_out *out = net_outs(net, s->id);
	unsigned columns = net->cfg.columns, c, port;
	int best = INT32_MIN, score,
	    full = net->cost[net->cfg.payload_bytes / net->cfg.chunk_bytes];
	uint64_t mask = 0, w;

	if (s->id < net->ends || want >> net->down)
		return want;
	for (w = want; w; w &= w - 1) {
		port = (unsigned)__builtin_ctzll(w);
		score = s->node->room[port] -
			full * __builtin_popcountll(out[port].dyn[0]) -
			full * __builtin_popcountll(out[port].dyn[1]);
		if (score <= best)
			continue;
		best = score;
		mask = 0;
		for (c = column_of(net, port); c < net->down; c += columns)
			mask |= 1ull << c;
	}
	return want & mask;
}
