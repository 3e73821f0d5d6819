/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers that the network interfaces do by themselves, between the memories
 * of two ranks that may both compute meanwhile. One post has both addresses;
 * the model cuts it into packets and times them. The bytes are copied once, at
 * the time when the last of them has come, by whoever runs the model.
 *
 *   get   asked:    request, origin -> target     put   moving:   the data
 *         moving:   data, target -> origin              told:     an answer
 *
 * The origin hears of the end as of a packet. Neither side may be gone before
 * that: both count it as flying.
 */
#include "prov/carrier/carrier_cma.h"
#include "prov/carrier/vt/vt.h"
#include "src/base/log.h"

#include <string.h>
#include <unistd.h>

#define BOUNCE (64u * 1024)

static_assert(sizeof(struct vt_dma) <= VT_PART_BYTES, "fits any buffer");

/* ---- the origin ---------------------------------------------------------- */

static bool describe(const struct weft_vt_dma *d, struct vt_dma *m)
{
	uint64_t left = d->bytes;

	*m = (struct vt_dma){ .get = d->get,
			      .step = d->get ? VT_DMA_ASKED : VT_DMA_MOVING,
			      .remote = d->remote,
			      .bytes = d->bytes };
	for (int i = 0; i < d->count && left; i++) {
		uint64_t len = d->local[i].iov_len;

		if (m->count == VT_DMA_SEGS)
			return false;
		len = len < left ? len : left;
		m->at[m->count] = (uintptr_t)d->local[i].iov_base;
		m->len[m->count++] = len;
		left -= len;
	}
	return !left;
}

static int free_place(const struct vt *v)
{
	for (int i = 0; i < (int)VT_DMAS; i++)
		if (!v->dma[i])
			return i;
	return -1;
}

int vt_dma(struct weft_carrier *c, struct weft_peer *peer,
	   struct weft_vt_dma *d)
{
	struct vt *v = vt_of(c);
	int place = free_place(v);
	struct vt_dma m;
	struct vt_buf *b;
	uint32_t i;

	if (peer->lost)
		return -ECONNRESET;
	if (v->no_dma || v->out)
		return -EOPNOTSUPP;
	if (!describe(d, &m))
		return -EINVAL;
	i = place < 0 ? VT_NONE : vt_buf_get(v);
	if (i == VT_NONE)
		return -EAGAIN;
	vt_enter(v);
	b = vt_buf(v->w, i);
	b->kind = VT_DMA;
	b->from = v->rank;
	b->to = ((struct vt_peer *)peer)->rank;
	b->more = 1; /* nothing is taken when it ends */
	b->way = d->way;
	b->id = (uint16_t)place;
	memcpy(b->payload, &m, sizeof(m));
	v->lengthy = true;
	vt_pay(v);
	b->stamp = vt_now(v->me);
	v->last_to = VT_NONE;
	v->dma[place] = d;
	vt_post(v, i);
	vt_exit(v);
	return 0;
}

int vt_dma_over(struct vt *v, const struct vt_buf *b)
{
	struct weft_vt_dma *d;
	struct vt_dma m;

	memcpy(&m, b->payload, sizeof(m));
	d = b->id < VT_DMAS ? v->dma[b->id] : NULL;
	if (!d || m.err > 0)
		return -EPROTO;
	v->dma[b->id] = NULL;
	vt_pass(v->me, v->w->cfg.poll_ps);
	d->done(d, m.err);
	return 0;
}

/* ---- the bytes ----------------------------------------------------------- */

/* One piece between two processes, neither of them this one. */
static int carry(pid_t from, uint64_t src, pid_t to, uint64_t dst,
		 uint64_t bytes)
{
	static char bounce[BOUNCE]; /* whoever has the engine is alone */
	int ret = 0;

	for (uint64_t n, at = 0; at < bytes && !ret; at += n) {
		struct iovec iov = { .iov_base = bounce };

		n = bytes - at < BOUNCE ? bytes - at : BOUNCE;
		iov.iov_len = n;
		ret = carrier_cma(from, false, &iov, 1, src + at);
		if (!ret)
			ret = carrier_cma(to, true, &iov, 1, dst + at);
	}
	return ret;
}

static int move(pid_t from, uint64_t src, pid_t to, uint64_t dst,
		uint64_t bytes)
{
	struct iovec iov = { .iov_len = bytes };

	if (to == getpid()) {
		iov.iov_base = (void *)(uintptr_t)dst;
		return carrier_cma(from, false, &iov, 1, src);
	}
	if (from == getpid()) {
		iov.iov_base = (void *)(uintptr_t)src;
		return carrier_cma(to, true, &iov, 1, dst);
	}
	return carry(from, src, to, dst, bytes);
}

static bool is_here(const struct vt_rank *r)
{
	return weft_load32(&r->status) < WEFT_VT_DONE;
}

static int refused(int err)
{
	weft_log_once(WEFT_LOG_WARN,
		      "virtual time: ranks may not reach each other's memory "
		      "(%s): long messages go as packets that their processors "
		      "send; kernel.yama.ptrace_scope=0 or the capability "
		      "CAP_SYS_PTRACE allows it",
		      strerror(err));
	return -EOPNOTSUPP;
}

/* Copies all of it; 0 or -errno. */
static int copy(struct weft_vt *w, const struct vt_buf *b,
		const struct vt_dma *m)
{
	const struct vt_rank *here = vt_rank(w, b->from);
	const struct vt_rank *there = vt_rank(w, b->to);
	pid_t mine = (pid_t)weft_load32(&here->pid);
	pid_t other = (pid_t)weft_load32(&there->pid);
	uint64_t remote = m->remote;
	int ret = 0;

	if (!is_here(here) || !is_here(there))
		return -ECONNRESET;
	vt_sure(m->count <= VT_DMA_SEGS);
	for (unsigned i = 0; i < m->count && !ret; i++) {
		ret = m->get ? move(other, remote, mine, m->at[i], m->len[i])
			     : move(mine, m->at[i], other, remote, m->len[i]);
		remote += m->len[i];
	}
	if (ret == -ESRCH)
		return -ECONNRESET;
	return ret == -EPERM || ret == -ENOSYS ? refused(-ret) : ret;
}

/* ---- the engine ---------------------------------------------------------- */

/* The message of the step that begins now. */
static void step_send(struct vt_turn *t, uint32_t i, uint64_t at)
{
	struct vt_buf *b = vt_buf(t->w, i);
	struct vt_dma *m = (void *)b->payload;
	bool back = m->step == (m->get ? VT_DMA_MOVING : VT_DMA_TOLD);
	struct net_msg msg;

	vt_aim(t->w, back ? b->to : b->from, back ? b->from : b->to, &b->way,
	       &msg);
	msg.cookie = i | VT_COOKIE_DMA;
	msg.bytes = m->bytes;
	if (m->step == VT_DMA_ASKED)
		msg.bytes = b->way.bytes ? b->way.bytes - 1 : 0;
	if (m->step == VT_DMA_TOLD)
		msg.bytes = 0;
	m->come = 0;
	m->awaited = msg.bytes;
	vt_model_send(t->w, at, &msg);
}

void vt_dma_post(struct vt_turn *t, uint32_t i)
{
	struct vt_buf *b = vt_buf(t->w, i);

	vt_rank(t->w, b->from)->flying++;
	vt_rank(t->w, b->to)->flying++;
	step_send(t, i, vt_send_time(t->w, b->stamp));
}

static void end(struct vt_turn *t, uint32_t i)
{
	struct vt_buf *b = vt_buf(t->w, i);
	uint32_t from = b->from, to = b->to;

	vt_arrive(t, from, i, false);
	vt_landed(t, from);
	vt_landed(t, to);
}

void vt_dma_lost(struct vt_turn *t, uint32_t i)
{
	struct vt_dma *m = (void *)vt_buf(t->w, i)->payload;

	m->err = -ECONNRESET;
	end(t, i);
}

void vt_dma_packet(struct vt_turn *t, uint32_t i, uint32_t bytes)
{
	struct vt_buf *b = vt_buf(t->w, i);
	struct vt_dma *m = (void *)b->payload;

	vt_sure(b->kind == VT_DMA);
	m->come += bytes;
	if (m->come < m->awaited)
		return;
	if (m->step == VT_DMA_MOVING)
		m->err = copy(t->w, b, m);
	if (m->step == VT_DMA_TOLD || (m->get && m->step == VT_DMA_MOVING)) {
		end(t, i);
		return;
	}
	m->step++;
	step_send(t, i, t->at);
}
