/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiled routers, modelled per packet. The ports of a router are arranged in
 * columns. When a packet is the head of its input buffer, its column is
 * chosen; it moves to the row buffer in front of that column if there is
 * space, and frees its space in the input buffer. Packets in row buffers pass
 * through the column to the output port. So a blocked output delays first the
 * packets in the row buffers of its column and then, when a row buffer is full,
 * all packets of that input.
 *
 *      input buffer            row buffers      columns
 *   --> [ | | | ] --+--> [   ]---> 0   ->  out 0, 8, 16 ...
 *                   +--> [   ]---> 1   ->  out 1, 9, 17 ...
 *                   +--> ...
 *
 * Requests and responses (VCs) have separate buffers. A port to a node of the
 * router represents tiles in all columns.
 *
 * An adaptive packet at the head of its input chooses the least loaded port
 * whose row buffer has space, and keeps this choice. It may wait only for a
 * port by which it can also enter the bubble channel: any link in the direction
 * of its deterministic port or, if it is already on a ring's bubble channel,
 * the parallel link with the same number. Any other port must be free now.
 */
#include "prov/net/net_tile.h"
#include "prov/net/net_pool.h"
#include "prov/net/net_router.h"
#include "prov/net/net_slot.h"
#include "prov/net/net_tail.h"
#include "prov/net/net_wheel.h"

/* Receiver queues from this index on are the input buffers of the VCs. */
enum { FIRST = NET_QUEUES_MAX - 4 };

/*
 * Returns the capacity of a row buffer in packets. A port to a node represents
 * several tiles.
 */
static unsigned room_of(const struct net *net, unsigned port)
{
	unsigned tiles = port < net->down ? 1 : net->cfg.tokens_end;

	return net->cfg.row_buffer * (tiles ? tiles : 1);
}

/*
 * Returns the column of a packet that leaves by port `out`. For a port to a
 * node, this is the column with the emptiest row buffer.
 */
static unsigned column_to(const struct net *net, unsigned out,
			  const uint8_t *row)
{
	unsigned best = out % net->cfg.columns, c;

	if (out >= net->down)
		for (c = 0; c < net->cfg.columns; c++)
			if (row[4 * c] < row[4 * best])
				best = c;
	return best;
}

static bool has_room(const struct net *net, unsigned in, unsigned out,
		     const uint8_t *row)
{
	return row[4 * column_to(net, out, row)] < room_of(net, in);
}

/* Returns whether the packet stays on the bubble channel of its ring. */
static bool stays_in_ring(const struct net *net, const struct net_packet *p,
			  unsigned in)
{
	return p->vc && net->flow[p->det] == (net->flow[in] ^ 1u);
}

/*
 * Moves a packet that has left its queue to the row buffer of its port. Returns
 * a mask of the ports whose state has changed.
 */
static uint64_t row_enter(struct net_step *s, uint32_t node, unsigned in,
			  uint32_t pi)
{
	const struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	uint8_t *row = net_tile_rows(net, node, in) + p->vc;
	unsigned c = column_to(net, p->det, row);
	uint32_t back, len;
	const struct net_hop *h;

	row[4 * c]++;
	p->last = c;
	(*net_tile_queued(net, node, p->det))++;
	/* tokens return when the whole packet has left the input buffer */
	back = net_links(net, node)[in];
	h = net_link_hop(net, back);
	len = net_packet_len(net, h->rate, p);
	if (len < net_tail_left(s, p))
		len = net_tail_left(s, p);
	net_wheel_after(s, len + h->token_ticks, NET_EV_TOKEN,
			net_word(net_link_peer(back), NET_EV_TOKEN,
				 net_link_port(back), p->vc,
				 net_token_payload(s, p, true)));
	net_router_list(s, node, in, pi,
			NET_WAIT_DET + (p->vc ? 2 * (p->vc - 1u) : 0) +
				!stays_in_ring(net, p, in));
	return 1ull << p->det;
}

/*
 * Moves packets from an input buffer to row buffers while there is space.
 * Returns a mask of the ports whose state has changed.
 */
static uint64_t move_to_rows(struct net_step *s, uint32_t node, unsigned port,
			     unsigned vc)
{
	const struct net *net = s->net;
	struct net_in *in = &net_ins(net, node)[port];
	const uint8_t *row = net_tile_rows(net, node, port) + vc;
	unsigned q = FIRST + vc;
	uint64_t dirty = 0;

	while (in->len[q]) {
		uint32_t pi = in->head[q];
		const struct net_packet *p;

		if (!has_room(net, port, net_packet(net, pi)->det, row))
			break;
		p = net_packet(net, in->head[q]);
		if (--in->len[q]) {
			in->head[q] = p->next;
			net_packet(net, p->next)->last = p->last;
		}
		dirty |= row_enter(s, node, port, pi);
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
	return move_to_rows(s, node, port, p->vc);
}

bool net_tile_has_room(const struct net_step *s, unsigned in, unsigned out,
		       unsigned vc)
{
	return has_room(s->net, in, out, net_tile_rows(s->net, s->id, in) + vc);
}

uint64_t net_tile_leave(struct net_step *s, const struct net_packet *p)
{
	uint8_t *row = net_tile_rows(s->net, s->id, p->in) + p->vc;

	s->in[p->in].wait_ticks += (uint32_t)s->now - p->since;
	WEFT_GUARD_ASSERT(row[4 * p->last] &&
			  *net_tile_queued(s->net, s->id, p->det));
	s->net->excess += !row[4 * p->last];
	row[4 * p->last]--;
	(*net_tile_queued(s->net, s->id, p->det))--;
	if (p->vc <= NET_VC_DET) {
		/* adaptive packets of this receiver may now find space */
		unsigned q = p->vc ? s->net->queues - 1 : 0,
			 end = p->vc ? s->net->queues : s->net->cfg.dyn_queues;

		for (; q < end; q++)
			if (s->in[p->in].len[q])
				net_mask_set(s->fresh,
					     (p->in << s->net->qshift) + q);
	}
	return p->vc ? move_to_rows(s, s->id, p->in, p->vc) : 0;
}

/* ---- adaptive packets ---------------------------------------------------- */

/* Returns the ports that an adaptive packet may wait for. */
static uint64_t may_wait(const struct net *net, const struct net_packet *p,
			 unsigned in)
{
	uint64_t own = 1ull << p->det;

	if (p->det >= net->down || stays_in_ring(net, p, in))
		return own;
	return own | (p->want & net->dir_ports[net->flow[p->det]]);
}

/*
 * Returns the number of tokens that remain after all packets queued for the
 * port.
 */
static int score_of(const struct net_step *s, unsigned port)
{
	const struct net *net = s->net;
	unsigned before = *net_tile_queued(net, s->id, port) +
			  (s->node->busy >> port & 1);
	int full = net->cost[net->cfg.payload_bytes / net->cfg.chunk_bytes];

	return s->node->room[port] - full * (int)before;
}

/*
 * Returns the least loaded port of the mask whose row buffer has space, or -1;
 * ties are resolved round-robin.
 */
static int best_of(const struct net_step *s, const struct net_packet *p,
		   unsigned in, uint64_t ports)
{
	const uint8_t *row = net_tile_rows(s->net, s->id, in) + p->vc;
	unsigned first = (unsigned)__builtin_ctzll(ports) +
			 s->node->rr % (unsigned)__builtin_popcountll(ports);
	uint64_t w = ports >> first | (first ? ports << (64 - first) : 0);
	int best = INT32_MIN, score, port = -1;

	for (; w; w &= w - 1) {
		unsigned i = ((unsigned)__builtin_ctzll(w) + first) % 64;

		if (!has_room(s->net, in, i, row))
			continue;
		score = score_of(s, i);
		if (score <= best)
			continue;
		best = score;
		port = (int)i;
	}
	return port;
}

int net_tile_choose(struct net_step *s, unsigned in, uint32_t pi)
{
	const struct net_packet *p = net_packet(s->net, pi);

	return best_of(s, p, in, may_wait(s->net, p, in));
}

uint64_t net_tile_enter(struct net_step *s, unsigned in, uint32_t pi,
			unsigned port)
{
	net_packet(s->net, pi)->det = (uint8_t)port;
	return row_enter(s, s->id, in, pi);
}
