/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending of packets. A send copies the packet into a buffer of the rank's
 * pool, stamps it with the virtual time and pushes it onto the rank's stack;
 * the engine takes it from there when no rank runs. When the receiver has read
 * a buffer, the engine returns it, so the success of a send never depends on
 * the order in which ranks have run.
 *
 * Consecutive full packets to one peer are one message: the unit segments it,
 * and its software cost is that of one message.
 */
#include "prov/vt/vt.h"
#include "prov/vt/route/vt_route.h"
#include "src/base/iov.h"
#include "src/base/must.h"
#include "src/job/job_skeleton.h"

#include <string.h>

WEFT_HOT uint32_t vt_buf_get(struct vt *v)
{
	struct vt_rank *me = v->me;
	uint32_t i = weft_load32(&me->returned);

	/*
	 * A0, as in engine_lock(): a different thread of this process may have
	 * run the engine when the buffer was last in flight, and another
	 * process may have returned the buffer.
	 */
	if (weft_unlikely(v->threads))
		weft_load32(&v->w->head->engine);
	/*
	 * only this rank pops buffers, so the successor of buffer i cannot
	 * change
	 */
	while (i != VT_NONE) {
		if (weft_unlikely(i >= v->w->buf_count ||
				  vt_buf_owner(v->w, i) != v->rank)) {
			vt_mark_broken(v);
			break;
		}
		/* relaxed: stored before the push that made i visible */
		uint32_t next = weft_load32_relaxed(&vt_buf(v->w, i)->next);

		if (weft_cas32(&me->returned, &i, next))
			return i;
	}
	if (me->unused_buf < VT_BUFS)
		return vt_buf_of(v->w, v->rank, me->unused_buf++);
	vt_set_backpressure(v, VT_ROOM_BUFS);
	return VT_NONE;
}

void vt_set_backpressure(struct vt *v, enum vt_room what)
{
	weft_store32(&v->full, weft_load32(&v->full) | what);
	v->stats.full++;
}

void vt_full(struct weft_carrier *c)
{
	struct vt *v = vt_of(c);

	v->refused_received = v->stats.received;
	vt_set_backpressure(v, VT_ROOM_UNIT);
}

bool vt_has_room(const struct vt *v)
{
	uint32_t resources = weft_load32(&v->full);

	if ((resources & VT_ROOM_ROUTE) && vt_route_room(v))
		return true;
	if ((resources & VT_ROOM_UNIT) &&
	    v->stats.received != v->refused_received)
		return true;
	return (resources & VT_ROOM_BUFS) &&
	       (v->me->unused_buf < VT_BUFS ||
		weft_load32(&v->me->returned) != VT_NONE);
}

WEFT_HOT void vt_post(struct vt *v, uint32_t i)
{
	/* a rank that has ended sends nothing; its next wait fails */
	if (weft_unlikely(vt_has_ended(v)))
		return;
	/*
	 * R3 pairs with A3 in posted_by(): the contents of the buffer are
	 * visible.
	 */
	vt_push(v->w, &v->me->posted, i);
	vt_idle_polls_set(v, 0);
	/*
	 * a thread may send while another thread of this rank is blocked, so
	 * that no rank counts as running
	 */
	if (weft_unlikely(v->threads) && !weft_load32(&v->w->head->running))
		vt_engine_try(v);
}

/*
 * Advances the clock by the software cost of a message, which is higher if the
 * unit segments it.
 */
void vt_send_cost(struct vt *v)
{
	const struct net_config *cfg = &v->w->cfg;
	uint64_t ps = cfg->send_ps + (v->long_message ? v->long_ps : 0);

	/* the interface sends without the processor */
	if (weft_likely(!v->interface.running))
		vt_clock_advance(v->me, vt_cost(v, ps));
	v->long_message = false;
}

void vt_path_record(struct weft_carrier *c, const struct weft_pkt_attr *attr)
{
	vt_of(c)->attr = *attr;
}

unsigned vt_path(struct weft_carrier *c, const char *name)
{
	return vt_path_of(&vt_of(c)->w->cfg, name);
}

uint64_t vt_packet_copy_ps(const struct vt *v, const struct vt_buf *b)
{
	const struct net_config *cfg = &v->w->cfg;
	/* read once: other processes can write to the buffer */
	uint32_t from = b->from, to = b->to;

	/* copies between ranks that share memory are timed separately */
	if (weft_likely(!cfg->packet_copy_ps_x1000) || v->interface.running ||
	    from >= v->w->size || to >= v->w->size ||
	    vt_memory_shared(v->w, from, to))
		return 0;
	return b->pkt.len * cfg->packet_copy_ps_x1000 / 1000;
}

/* Copies the segments of a packet, except segments in folded memory. */
static void payload_copy(const struct vt *v, unsigned char *to,
			 const struct iovec *iov, int count)
{
	if (weft_likely(!v->w->skeleton)) {
		weft_iov_gather(to, iov, count);
		return;
	}
	for (int i = 0; i < count; i++) {
		if (!weft_skeleton_has((uintptr_t)iov[i].iov_base))
			memcpy(to, iov[i].iov_base, iov[i].iov_len);
		to += iov[i].iov_len;
	}
}

int vt_send(struct weft_carrier *c, struct weft_peer *peer,
	    const struct weft_pkt *pkt, const struct iovec *iov, int count)
{
	struct vt *v = vt_of(c);
	struct vt_peer *p = (struct vt_peer *)peer;
	struct vt_buf *b;
	uint32_t i;

	if (peer->lost)
		return -ECONNRESET;
	if (pkt->len > c->mtu)
		return -EMSGSIZE;
	/* a rank that has left sends nothing */
	if (v->out)
		return 0;
	vt_enter(v);
	i = vt_buf_get(v);
	if (i == VT_NONE) {
		vt_exit(v);
		return -EAGAIN;
	}
	WEFT_ASSERT(p->rank < v->w->size);
	b = vt_buf(v->w, i);
	b->kind = VT_PACKET;
	b->from = v->rank;
	b->to = p->rank;
	/* 1 if the packet continues the message of the previous packet */
	b->more = (v->in_long_message || v->interface.running) &&
		  v->last_attr.full && v->last_to == p->rank &&
		  v->last_attr.vc == v->attr.vc && !v->long_message &&
		  v->last_clock == vt_time(v);
	b->attr = v->attr;
	b->pkt = *pkt;
	b->by_interface = v->interface.running;
	payload_copy(v, b->payload, iov, count);
	if (!b->more) {
		v->in_long_message = v->long_message;
		vt_send_cost(v);
	}
	vt_clock_advance(v->me, vt_cost(v, vt_packet_copy_ps(v, b)));
	b->stamp = vt_time(v);
	v->last_to = p->rank;
	v->last_attr = v->attr;
	v->last_attr.full |= pkt->len == c->mtu;
	v->attr = (struct weft_pkt_attr){ .path = 0 };
	v->last_clock = vt_time(v);
	v->stats.sent++;
	vt_post(v, i);
	vt_exit(v);
	return 0;
}
