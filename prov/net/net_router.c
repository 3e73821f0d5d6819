/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receivers, senders and the arbitration between them, at packet grain with
 * virtual cut-through. Within a tick a node first takes in all that arrives
 * (arrive, tail, token: they commute), then serves the ports for which
 * something has changed, by explicit round-robin state.
 *
 * A dynamic packet joins the shortest queue of its receiver; heads of queues
 * are slots. A new head takes a free port at once, after those that waited;
 * else it stands in the masks of every port that it may use. Packets on
 * a deterministic channel wait at the one port they need, in order, those that
 * go on in a ring apart from those that would enter it: the former need one
 * free packet buffer beyond, the latter leave one over (the bubble).
 */
#include "prov/net/net_router.h"

static inline unsigned slot_in(const struct net *net, unsigned slot)
{
	return slot >> net->qshift;
}

static inline unsigned slot_queue(const struct net *net, unsigned slot)
{
	return slot & ((1u << net->qshift) - 1);
}

static inline void mask_set(uint64_t *m, unsigned bit)
{
	m[bit >> 6] |= 1ull << (bit & 63);
}
static inline void mask_clear(uint64_t *m, unsigned bit)
{
	m[bit >> 6] &= ~(1ull << (bit & 63));
}
static inline bool mask_has(const uint64_t *m, unsigned bit)
{
	return m[bit >> 6] >> (bit & 63) & 1;
}

/* First bit from on, going round; the mask is not empty. */
static inline unsigned mask_next(uint64_t m0, uint64_t m1, unsigned from)
{
	uint64_t a = m0, b = m1;

	if (from < 64) {
		a &= ~0ull << from;
	} else {
		a = 0;
		b &= ~0ull << (from - 64);
	}
	if (a)
		return (unsigned)__builtin_ctzll(a);
	if (b)
		return 64 + (unsigned)__builtin_ctzll(b);
	if (m0)
		return (unsigned)__builtin_ctzll(m0);
	return 64 + (unsigned)__builtin_ctzll(m1);
}

/* Bits of the second word that belong to injection FIFOs. */
#define FIFO_BITS (~0ull << (NET_SLOT_FIFO - 64))

/* ---- slots --------------------------------------------------------------- */

/* The packet at the head of a slot. */
static inline uint32_t slot_head(const struct net_step *s, unsigned slot)
{
	const struct net *net = s->net;
	uint32_t tail;

	if (slot >= NET_SLOT_FIFO)
		tail = net_fifos(net, s->node)[slot - NET_SLOT_FIFO].tail;
	else
		tail = s->in[slot_in(net, slot)].tail[slot_queue(net, slot)];
	return net_packet(net, tail)->next;
}

/* A head that found no sender free asks all that it could use. */
static void slot_show(struct net_step *s, unsigned slot,
		      const struct net_packet *p)
{
	uint64_t w;

	for (w = p->want; w; w &= w - 1)
		mask_set(s->out[__builtin_ctzll(w)].dyn, slot);
	mask_set(s->out[p->det].esc, slot);
	s->node->waiting |= p->want | 1ull << p->det;
}

static void slot_hide(struct net_step *s, unsigned slot,
		      const struct net_packet *p)
{
	uint64_t w;

	for (w = p->want; w; w &= w - 1)
		mask_clear(s->out[__builtin_ctzll(w)].dyn, slot);
	mask_clear(s->out[p->det].esc, slot);
}

/* A deterministic head of an injection FIFO asks one port. */
static void offer_det(struct net_step *s, unsigned fifo,
		      const struct net_packet *p)
{
	struct net_out *o = &s->out[p->det];

	o->inject[p->vc] |= (uint16_t)(1u << fifo);
	o->vcs |= (uint8_t)(1u << p->vc);
	s->node->waiting |= 1ull << p->det;
	s->dirty |= 1ull << p->det;
}

void net_router_offer(struct net_step *s, unsigned fifo, uint32_t pi)
{
	struct net_packet *p = net_packet(s->net, pi);

	if (p->flags & NET_P_DYN)
		mask_set(s->fresh, NET_SLOT_FIFO + fifo);
	else
		offer_det(s, fifo, p);
}

/* ---- taking in ----------------------------------------------------------- */

static unsigned shortest_queue(const struct net *net, const struct net_in *in)
{
	unsigned q, best = 0;

	for (q = 0; q < net->cfg.dyn_queues; q++) {
		if (!in->len[q])
			return q;
		if (in->len[q] < in->len[best])
			best = q;
	}
	return best;
}

static void queue_dynamic(struct net_step *s, unsigned port, uint32_t pi)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi), *t;
	struct net_in *in = &s->in[port];
	unsigned q = p->vc == NET_VC_DYN ? shortest_queue(net, in) :
					   net->queues - 1;

	if (in->len[q]++) {
		t = net_packet(net, in->tail[q]);
		p->next = t->next;
		t->next = pi;
		in->tail[q] = pi;
		return;
	}
	p->next = pi;
	in->tail[q] = pi;
	mask_set(s->fresh, (port << net->qshift) + q);
}

/* Which list a deterministic packet that came in by port waits in. */
static unsigned wait_of(const struct net_packet *p, unsigned port)
{
	bool on = port == (p->det ^ 1u);

	return NET_WAIT_DET + 2 * (p->vc - 1u) + !on;
}

/* In order of arrival; those of one tick by receiver. */
static void list_push(struct net *net, struct net_list *l, uint32_t pi)
{
	struct net_packet *p = net_packet(net, pi);
	const struct net_packet *t = net_packet(net, l->tail), *q;
	uint32_t i, prev = 0;

	if (!l->head || t->since != p->since || t->in < p->in) {
		net_list_push(net, l, pi);
		return;
	}
	for (i = l->head;; i = q->next) {
		q = net_packet(net, i);
		if (q->since == p->since && q->in > p->in)
			break;
		prev = i;
	}
	p->next = i;
	if (prev)
		net_packet(net, prev)->next = pi;
	else
		l->head = pi;
}

static void queue_det(struct net_step *s, unsigned port, uint32_t pi)
{
	struct net_packet *p = net_packet(s->net, pi);
	struct net_out *o = &s->out[p->det];
	unsigned w = wait_of(p, port);

	p->in = (uint8_t)port;
	list_push(s->net, &o->list[w], pi);
	o->waits |= (uint8_t)(1u << w);
	s->node->waiting |= 1ull << p->det;
	s->dirty |= 1ull << p->det;
}

void net_router_arrive(struct net_step *s, uint64_t word)
{
	struct net *net = s->net;
	unsigned port = net_word_port(word);
	uint32_t pi = net_word_payload(word);
	struct net_packet *p = net_packet(net, pi);

	if (p->flags & NET_P_DEPOSIT && !net_road_ends(net, p, s->id) &&
	    !net_unit_deposit(s, port, pi)) {
		net_wheel_push(net, s->now + NET_RETRY_TICKS, word);
		return;
	}
	p->vc = (uint8_t)net_word_vc(word);
	p->since = (uint32_t)s->now;
	s->in[port].received++;
	s->in[port].chunks += p->chunks;
	if (net_road_ends(net, p, s->id)) {
		net_unit_receive(s, port, pi);
		return;
	}
	net_road_look(net, p, s->id);
	if (p->flags & NET_P_DYN)
		queue_dynamic(s, port, pi);
	else
		queue_det(s, port, pi);
}

/* ---- granting ------------------------------------------------------------ */

/* Sends p out by port on vc; from: the receiver it leaves + 1, or 0. */
static void launch(struct net_step *s, unsigned port, unsigned vc,
		   uint32_t pi, unsigned reader)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	struct net_link *o = &s->link[port];
	uint32_t len = net_len(net, p->chunks);
	uint32_t hop = o->hop_ticks, busy = len + net->cfg.protocol_ticks;
	uint32_t frac = p->frac + (uint32_t)o->hop_frac;
	bool carry = frac >= net->cfg.tick_ps;

	net->excess += o->busy || net_tokens(o, vc) <
					  net_cost(net, p->chunks, vc);
	net_road_hop(net, p, port);
	o->busy = 1;
	if (vc)
		o->token[vc - 1]--;
	else
		o->chunks = (uint16_t)(o->chunks - net->cost[p->chunks]);
	net->hops++;
	net->escapes += vc && p->flags & NET_P_DYN;
	p->frac = (uint16_t)(frac - (carry ? net->cfg.tick_ps : 0));
	hop += carry;
	net_wheel_push(net, s->now + hop, net_word(o->peer, NET_EV_ARRIVE,
						   o->peer_port, vc, pi));
	net_wheel_push(net, s->now + busy,
		       net_word(s->id, NET_EV_TAIL, port, 0, reader));
}

/* A packet leaves receiver port: count it, give its buffer back. */
static void leave(struct net_step *s, unsigned port,
		  const struct net_packet *p)
{
	struct net *net = s->net;
	struct net_in *in = &s->in[port];
	const struct net_link *back = &s->link[port];

	in->wait_ticks += (uint32_t)s->now - p->since;
	net_wheel_push(net, s->now + net_len(net, p->chunks) +
			       back->token_ticks,
		       net_word(back->peer, NET_EV_TOKEN, back->peer_port,
				p->vc, net_cost(net, p->chunks, p->vc)));
}

/* Counts a packet that leaves the dynamic VC; the limit shuts the rest. */
static unsigned read_path(struct net_step *s, unsigned port)
{
	struct net *net = s->net;
	uint64_t m[2];

	if (!net->cfg.read_paths || port >= NET_READERS)
		return 0;
	if (++s->node->reading[port] >= net->cfg.read_paths) {
		net_router_paths(net, port, m);
		s->node->shut[0] |= m[0];
		s->node->shut[1] |= m[1];
	}
	return port + 1;
}

/* Takes the head out of a receiver's queue; the one behind it is new. */
static void queue_pop(struct net_step *s, unsigned slot)
{
	struct net *net = s->net;
	struct net_in *in = &s->in[slot_in(net, slot)];
	unsigned q = slot_queue(net, slot);
	struct net_packet *t = net_packet(net, in->tail[q]);

	t->next = net_packet(net, t->next)->next;
	if (--in->len[q])
		mask_set(s->fresh, slot);
}

/* The head of a slot, which no port knows of any more, goes. */
static void grant_head(struct net_step *s, unsigned port, unsigned vc,
		       unsigned slot, uint32_t pi)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	unsigned in, reader = 0;

	if (slot >= NET_SLOT_FIFO) {
		net_unit_drain(s, slot - NET_SLOT_FIFO);
	} else {
		in = slot_in(net, slot);
		queue_pop(s, slot);
		leave(s, in, p);
		if (p->vc == NET_VC_DYN)
			reader = read_path(s, in);
	}
	launch(s, port, vc, pi, reader);
}

static void grant_slot(struct net_step *s, unsigned port, unsigned vc,
		       unsigned slot)
{
	uint32_t pi = slot_head(s, slot);

	slot_hide(s, slot, net_packet(s->net, pi));
	grant_head(s, port, vc, slot, pi);
}

static void grant_det(struct net_step *s, unsigned port, unsigned vc,
		      unsigned which)
{
	struct net_out *o = &s->out[port];
	uint32_t pi = net_list_pop(s->net, &o->list[which]);
	const struct net_packet *p = net_packet(s->net, pi);

	if (!o->list[which].head)
		o->waits &= (uint8_t)~(1u << which);
	leave(s, p->in, p);
	launch(s, port, vc, pi, 0);
}

static void grant_inject(struct net_step *s, unsigned port, unsigned vc)
{
	struct net_out *o = &s->out[port];
	unsigned from = o->rr & 15u;
	uint32_t m = o->inject[vc], high = m >> from << from;
	unsigned f = (unsigned)__builtin_ctz(high ? high : m);
	uint32_t pi = slot_head(s, NET_SLOT_FIFO + f);

	o->inject[vc] &= (uint16_t)~(1u << f);
	if (!o->inject[vc])
		o->vcs &= (uint8_t)~(1u << vc);
	o->rr = (uint8_t)(o->rr + 1);
	net_unit_drain(s, f);
	launch(s, port, vc, pi, 0);
}

/* ---- arbitration --------------------------------------------------------- */

/* Deterministic packets from receivers. */
static bool serve_det(struct net_step *s, unsigned port, unsigned vc)
{
	struct net_out *o = &s->out[port];
	unsigned on = NET_WAIT_DET + 2 * (vc - 1), enter = on + 1;
	unsigned have = net_tokens(&s->link[port], vc);
	bool can_on = o->waits >> on & 1 && have >= 1;
	bool can_enter = o->waits >> enter & 1 && have >= s->link[port].need;

	if (can_on && !(can_enter && o->turn & 2)) {
		o->turn |= 2;
		grant_det(s, port, vc, on);
		return true;
	}
	if (can_enter) {
		o->turn &= (uint8_t)~2u;
		grant_det(s, port, vc, enter);
		return true;
	}
	return false;
}

static bool serve_inject_det(struct net_step *s, unsigned port, unsigned vc)
{
	const struct net_link *l = &s->link[port];

	if (!(s->out[port].vcs >> vc & 1) || net_tokens(l, vc) < l->need)
		return false;
	grant_inject(s, port, vc);
	return true;
}

/* Slots of the mask on the dynamic VC, room: chunks to leave over. */
static bool serve_dyn(struct net_step *s, unsigned port, uint64_t m0,
		      uint64_t m1, unsigned room)
{
	struct net *net = s->net;
	struct net_out *o = &s->out[port];
	unsigned slot;
	uint32_t cost;

	m0 &= ~s->node->shut[0];
	m1 &= ~s->node->shut[1];
	if (!(m0 | m1))
		return false;
	slot = mask_next(m0, m1, o->rr & 127);
	cost = net_cost(net, net_packet(net, slot_head(s, slot))->chunks, 0);
	if (s->link[port].chunks < cost + room)
		return false;
	o->rr = (uint8_t)((slot + 1) & 127);
	grant_slot(s, port, NET_VC_DYN, slot);
	return true;
}

/* Slots of the mask on the bubble channel. */
static bool serve_esc(struct net_step *s, unsigned port, uint64_t m0,
		      uint64_t m1)
{
	struct net *net = s->net;
	struct net_out *o = &s->out[port];
	unsigned on = ((port ^ 1u) << net->qshift) + net->queues - 1, slot;
	unsigned have = net_tokens(&s->link[port], NET_VC_DET);
	uint64_t one[2] = { m0, m1 };

	if (!(m0 | m1) || !have)
		return false;
	if (have < s->link[port].need) {
		if (!mask_has(one, on))
			return false;
		grant_slot(s, port, NET_VC_DET, on);
		return true;
	}
	m0 &= ~s->node->shut[0];
	m1 &= ~s->node->shut[1];
	if (!(m0 | m1))
		return false;
	slot = mask_next(m0, m1, o->rr & 127);
	o->rr = (uint8_t)((slot + 1) & 127);
	grant_slot(s, port, NET_VC_DET, slot);
	return true;
}

static bool serve_receivers(struct net_step *s, unsigned port)
{
	struct net_out *o = &s->out[port];
	bool det = o->waits >> NET_WAIT_DET & 3;

	o->turn ^= det;
	if (det && o->turn & 1 && serve_det(s, port, NET_VC_DET))
		return true;
	if (serve_dyn(s, port, o->dyn[0], o->dyn[1] & ~FIFO_BITS, 0))
		return true;
	if (det && serve_det(s, port, NET_VC_DET))
		return true;
	return serve_esc(s, port, o->esc[0], o->esc[1] & ~FIFO_BITS);
}

static bool serve_injection(struct net_step *s, unsigned port)
{
	struct net_out *o = &s->out[port];

	if (serve_dyn(s, port, 0, o->dyn[1] & FIFO_BITS,
		      s->net->cfg.inject_room))
		return true;
	if (serve_inject_det(s, port, NET_VC_DET))
		return true;
	return serve_esc(s, port, 0, o->esc[1] & FIFO_BITS);
}

/* Normal traffic: receivers, and injection once in a while. */
static void serve_normal(struct net_step *s, unsigned port)
{
	struct net_out *o = &s->out[port];
	bool inject = (o->dyn[1] | o->esc[1]) & FIFO_BITS ||
		      o->vcs & 1u << NET_VC_DET;

	if (inject && o->share >= s->net->cfg.through_share &&
	    serve_injection(s, port)) {
		o->share = 0;
		return;
	}
	if (serve_receivers(s, port)) {
		o->share = (uint8_t)(inject ? o->share + (o->share < 255) : 0);
		return;
	}
	if (inject)
		serve_injection(s, port);
}

/* What goes before normal traffic; true: the sender is busy now. */
static bool serve_urgent(struct net_step *s, unsigned port)
{
	struct net_out *o = &s->out[port];
	unsigned vc;

	if (o->list[NET_WAIT_DOWN].head) {
		net_tree_grant(s, port, NET_WAIT_DOWN);
		return true;
	}
	if (o->list[NET_WAIT_UP].head) {
		net_tree_grant(s, port, NET_WAIT_UP);
		return true;
	}
	for (vc = NET_VC_SYS; vc >= NET_VC_HIGH; vc--)
		if (serve_det(s, port, vc) || serve_inject_det(s, port, vc))
			return true;
	return false;
}

#define WAITS_NORMAL (3u << NET_WAIT_DET)

static inline bool wanted(const struct net_out *o)
{
	return (o->dyn[0] | o->dyn[1] | o->esc[0] | o->esc[1]) != 0 ||
	       o->waits | o->vcs;
}

static void serve_port(struct net_step *s, unsigned port)
{
	struct net_out *o = &s->out[port];

	if (s->link[port].busy)
		return;
	if (!wanted(o)) {
		s->node->waiting &= ~(1ull << port);
		return;
	}
	if (o->waits & ~WAITS_NORMAL || o->vcs & ~(1u << NET_VC_DET))
		if (serve_urgent(s, port))
			return;
	serve_normal(s, port);
}

/*
 * The free port with most tokens that a new head may use, or -1. Written
 * without branches: they would be taken as often as not.
 */
static int best_port(const struct net_step *s, uint64_t want, uint32_t cost)
{
	uint32_t best = 0, score, tie = ~s->node->rr & 1;
	const struct net_link *l;
	unsigned i;
	int port = -1;

	for (; want; want &= want - 1) {
		i = (unsigned)__builtin_ctzll(want);
		l = &s->link[i];
		score = l->chunks & -(uint32_t)(!l->busy & (l->chunks >= cost));
		port = score && score + tie > best ? (int)i : port;
		best = score > best ? score : best;
	}
	return port;
}

/* A new head may escape: by its ring's last buffer if it stays in it. */
static bool may_escape(const struct net_step *s, const struct net_packet *p,
		       unsigned slot)
{
	const struct net *net = s->net;
	const struct net_link *l = &s->link[p->det];
	unsigned on = ((p->det ^ 1u) << net->qshift) + net->queues - 1;
	unsigned need = slot == on ? 1 : l->need;

	return !l->busy && net_tokens(l, NET_VC_DET) >= need;
}

/* A new head finds a sender free, or escapes, or has to wait. */
static void serve_fresh(struct net_step *s, unsigned slot)
{
	struct net *net = s->net;
	uint32_t pi = slot_head(s, slot), cost;
	const struct net_packet *p = net_packet(net, pi);
	int port = -1;

	if (mask_has(s->node->shut, slot)) {
		slot_show(s, slot, p);
		return;
	}
	cost = net_cost(net, p->chunks, 0);
	if (slot >= NET_SLOT_FIFO)
		cost += net->cfg.inject_room;
	port = best_port(s, p->want, cost);
	s->node->rr++;
	if (port >= 0)
		grant_head(s, (unsigned)port, NET_VC_DYN, slot, pi);
	else if (may_escape(s, p, slot))
		grant_head(s, p->det, NET_VC_DET, slot, pi);
	else
		slot_show(s, slot, p);
}

void net_router_serve(struct net_step *s)
{
	unsigned n;

	while (s->dirty | s->fresh[0] | s->fresh[1]) {
		while (s->dirty) {
			n = (unsigned)__builtin_ctzll(s->dirty);
			s->dirty &= s->dirty - 1;
			serve_port(s, n);
		}
		if (!(s->fresh[0] | s->fresh[1]))
			return;
		n = mask_next(s->fresh[0], s->fresh[1], s->node->rr % 128);
		mask_clear(s->fresh, n);
		serve_fresh(s, n);
	}
}
