/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reception of packets. The engine appends arriving packets to the rank's list,
 * stamped with the time of arrival; the rank reads the list up to its clock.
 * The list starts with a buffer that has already been read, so that appending
 * and reading share only one word.
 */
#include "prov/vt/vt.h"
#include "prov/vt/route/vt_route.h"
#include "src/base/must.h"

/* Returns the first unread packet, or VT_NONE. */
static uint32_t first_unread(struct vt *v)
{
	/* relaxed: only this rank writes in_head */
	uint32_t head = weft_load32_relaxed(&v->me->in_head);
	uint32_t i = VT_NONE;

	/*
	 * A4 pairs with R4 in vt_arrive(): the contents of the packet are
	 * visible.
	 */
	if (weft_likely(head < v->w->buf_count))
		i = weft_load32(&vt_buf(v->w, head)->next);
	else
		vt_mark_broken(v);
	if (weft_likely(i < v->w->buf_count || i == VT_NONE))
		return i;
	vt_mark_broken(v);
	return VT_NONE;
}

WEFT_HOT uint64_t vt_next(struct vt *v)
{
	uint32_t i = first_unread(v);

	return i == VT_NONE ? VT_NEVER : vt_buf(v->w, i)->stamp;
}

/*
 * Makes i the head of the list; the previous head will be returned to its
 * owner.
 */
static void list_advance(struct vt *v, uint32_t i)
{
	/* relaxed: only this rank writes in_head */
	uint32_t old = weft_load32_relaxed(&v->me->in_head);

	WEFT_ASSERT(i < v->w->buf_count);
	weft_store32(&v->me->in_head, i);
	vt_push(v->w, &v->me->freed, old);
}

static struct weft_peer *peer_of(struct vt *v, uint32_t rank)
{
	struct vt_peer *p = weft_hash_get(&v->peers, rank);
	union weft_name name;
	struct weft_peer *made;

	if (weft_likely(p != NULL))
		return &p->base;
	weft_vt_name(v->w, rank, &name);
	return v->base.ops->peer(&v->base, &name, &made) ? NULL : made;
}

static int deliver(struct vt *v, uint32_t i)
{
	struct vt_buf *b = vt_buf(v->w, i);
	struct weft_pkt pkt = b->pkt;
	uint32_t from = b->from;
	struct weft_peer *src;

	if (b->kind == VT_PART && !vt_route_result_put(v, b))
		return 0;
	if (b->kind == VT_DMA && !vt_dma_completed(v, b))
		return 0;
	if (weft_unlikely(b->kind != VT_PACKET || from >= v->w->size ||
			  b->to != v->rank || pkt.len > v->base.mtu)) {
		v->stats.refused++;
		vt_mark_broken(v);
		return -EAGAIN;
	}
	src = peer_of(v, from);
	if (!src)
		return -EAGAIN;
	return src->lost ? 0 : v->up->deliver(v->up_arg, src, &pkt, b->payload);
}

/*
 * Returns the software cost of receiving a packet, ps. Only the first packet of
 * a message is matched: by the processor, unless the interface has matched it.
 */
static uint64_t receive_cost_ps(const struct vt *v, const struct vt_buf *b)
{
	const struct net_config *cfg = &v->w->cfg;

	if (b->kind == VT_PACKET && b->more)
		return vt_packet_copy_ps(v, b);
	if (b->more)
		return 0;
	if (b->kind == VT_PART)
		return cfg->coll_recv_ps;
	if (b->kind != VT_PACKET)
		return cfg->recv_ps;
	return cfg->recv_ps + vt_packet_copy_ps(v, b) +
	       (v->interface.matches ? 0 : cfg->match_ps);
}

WEFT_HOT int vt_rx_receive(struct vt *v, int budget)
{
	int n = 0;

	while (n < budget) {
		uint32_t i = first_unread(v);

		if (i == VT_NONE || vt_buf(v->w, i)->stamp > vt_time(v))
			break;
		if (deliver(v, i))
			break;
		vt_charge(v, vt_cost(v, receive_cost_ps(v, vt_buf(v->w, i))));
		/*
		 * relaxed: only this rank writes packets_read; the engine reads
		 * it when this rank has blocked
		 */
		if (vt_buf(v->w, i)->kind == VT_PACKET)
			weft_store32_relaxed(
				&v->me->packets_read,
				weft_load32_relaxed(&v->me->packets_read) + 1);
		list_advance(v, i);
		v->stats.received++;
		n++;
	}
	return n;
}

/* Reports peers that have left, after all their packets have been read. */
static void report_lost(struct vt *v)
{
	uint32_t left = weft_load32(&v->w->head->left);

	if (first_unread(v) != VT_NONE)
		return;
	WEFT_ASSERT(v->contacted_count <= v->w->size);
	v->left_seen = left;
	for (uint32_t i = 0; i < v->contacted_count; i++) {
		struct vt_peer *p = v->contacted[i];
		uint32_t err = weft_load32(&v->w->rank_of[p->rank].exit_err);

		if (!err || p->base.lost)
			continue;
		if (err != ESHUTDOWN && err != ECONNRESET) {
			vt_mark_broken(v);
			return;
		}
		p->base.lost = err;
		v->up->lost(v->up_arg, &p->base, (int)err);
	}
}

/* Receives packets, either by the rank's processor or by its interface. */
WEFT_HOT static int receive(struct vt *v, int budget)
{
	return weft_unlikely(v->interface.matches)
		       ? vt_interface_receive(v, budget)
		       : vt_rx_receive(v, budget);
}

WEFT_HOT int vt_poll(struct weft_carrier *c, int budget)
{
	struct vt *v = vt_of(c);
	int n;

	if (v->out)
		return 0;
	/* the interface processes one packet at a time, at its own clock */
	if (weft_unlikely(v->interface.running))
		return vt_rx_receive(v, 1);
	vt_enter(v);
	n = receive(v, budget);
	if (!n) {
		vt_poll_unsuccessful(v);
		n = receive(v, budget);
	}
	if (n)
		vt_idle_polls_set(v, 0);
	if (weft_unlikely(weft_load32(&v->w->head->left) != v->left_seen))
		report_lost(v);
	vt_exit(v);
	return n;
}
