/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: a store, get or AMO through a window becomes a request with a buffer
 * (ORB entry) that records it until the response arrives, and joins the open
 * transaction (SSID) of its window. The numbers of buffers and transactions are
 * those of the machine: without a free one the caller gets -EAGAIN.
 */
#include "prov/nic/fma/fma_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <string.h>

/* ---- transactions ---- */

int fma_txn_open(struct weft_fma *f, unsigned cq)
{
	for (int i = 0; i < WEFT_FMA_SSIDS; i++) {
		if (f->txn[i].used)
			continue;
		f->txn[i] = (struct fma_txn){
			.used = true,
			.cq = (uint16_t)cq,
		};
		return i;
	}
	return -EAGAIN;
}

static void txn_check(struct weft_fma *f, struct fma_txn *t)
{
	if (!t->closed || t->pending)
		return;
	t->used = false;
	if (t->fence)
		--*t->fence;
	fma_cq_write(f, t->cq, WEFT_FMA_GLOBAL, t->status, t->data);
}

void fma_txn_close(struct weft_fma *f, unsigned ssid, uint64_t data)
{
	f->txn[ssid].closed = true;
	f->txn[ssid].data = data;
	txn_check(f, &f->txn[ssid]);
}

/* ---- outstanding request buffers ---- */

static struct fma_orb *orb_take(struct weft_fma *f, unsigned weight)
{
	struct fma_orb *o;

	if (f->orb_used + weight > WEFT_FMA_ORB)
		return NULL;
	do {
		o = &f->orb[f->orb_next++ % WEFT_FMA_ORB];
	} while (o->used);
	o->used = true;
	o->stale = false;
	o->weight = (uint8_t)weight;
	f->orb_used += weight;
	return o;
}

static void orb_free(struct weft_fma *f, struct fma_orb *o)
{
	f->orb_used -= o->weight;
	o->used = false;
	o->gen++;
}

static uint32_t orb_id(const struct weft_fma *f, const struct fma_orb *o)
{
	return (uint32_t)o->gen << 16 | (uint32_t)(o - f->orb);
}

struct fma_orb *fma_orb_find(struct weft_fma *f, struct weft_peer *peer,
			     uint32_t id)
{
	struct fma_orb *o = &f->orb[(id & 0xffff) % WEFT_FMA_ORB];

	if (!o->used || o->peer != peer || orb_id(f, o) != id)
		return NULL;
	return o;
}

void fma_orb_end(struct weft_fma *f, struct fma_orb *o, uint8_t status)
{
	struct fma_txn *t = &f->txn[o->ssid];

	if (status) {
		f->stats.errors++;
		if (!t->status)
			t->status = status;
	}
	orb_free(f, o);
	t->pending--;
	txn_check(f, t);
}

void fma_orb_lost(struct weft_fma *f, struct weft_peer *peer)
{
	for (unsigned i = 0; i < WEFT_FMA_ORB; i++) {
		if (f->orb[i].used && f->orb[i].peer == peer)
			fma_orb_end(f, &f->orb[i], WEFT_FMA_TIMEOUT);
	}
}

void fma_orb_scrub(struct weft_fma *f)
{
	for (unsigned i = 0; i < WEFT_FMA_ORB; i++) {
		struct fma_orb *o = &f->orb[i];

		if (o->used && o->stale)
			fma_orb_end(f, o, WEFT_FMA_TIMEOUT);
		else
			o->stale = true;
	}
}

/* ---- requests ---- */

static void request_pack(const struct fma_request *r, uint32_t id,
			 struct weft_pkt *p)
{
	size_t len = 0;

	for (int i = 0; i < r->iov_count; i++)
		len += r->iov[i].iov_len;
	*p = (struct weft_pkt){
		.type = FMA_PKT,
		.flags = (uint8_t)r->cmd,
		.len = (uint16_t)len,
		.unit = fma_unit(
			r->mdh, r->ptag,
			r->flags | (r->mdh & WEFT_FMA_VMDH ? FMA_REQ_VMDH : 0)),
		.aux = id,
		.tag = fma_tag(r->offset, r->extra),
		.data = r->data,
	};
}

static unsigned request_phits(const struct fma_request *r)
{
	if (r->cmd == FMA_GET)
		return FMA_GET_PHITS * fma_packets(r->expect);
	return fma_put_phits(r->bytes);
}

int fma_request_quiet(struct weft_fma *f, const struct fma_request *r)
{
	struct weft_carrier *c = f->port.carrier;
	struct weft_pkt pkt;
	int err;

	request_pack(r, 0, &pkt);
	err = c->ops->send(c, r->peer, &pkt, r->iov, r->iov_count);
	if (err)
		return err;
	f->stats.requests += fma_packets(r->bytes);
	f->stats.phits += request_phits(r);
	return 0;
}

int fma_request(struct weft_fma *f, const struct fma_request *r)
{
	uint64_t bytes = r->cmd == FMA_GET ? r->expect : r->bytes;
	struct fma_orb *o = orb_take(f, fma_packets(bytes));
	struct weft_pkt pkt;
	int err;

	if (!o)
		return -EAGAIN;
	o->ssid = (uint16_t)r->ssid;
	o->peer = r->peer;
	o->local = r->local;
	o->bytes = r->expect;
	request_pack(r, orb_id(f, o), &pkt);
	err = fma_link_send(f, r, &pkt);
	if (err == -EAGAIN) {
		orb_free(f, o);
		return err;
	}
	f->txn[r->ssid].pending++;
	f->stats.requests += o->weight;
	f->stats.phits += request_phits(r);
	if (err)
		fma_orb_end(f, o, WEFT_FMA_TIMEOUT);
	return err;
}

/* ---- windows ---- */

WEFT_EXPORT int weft_fma_window_set(struct weft_fma *f, unsigned w,
				    const struct weft_fma_window *win)
{
	if (w >= WEFT_FMA_WINDOWS || win->addr_bits > WEFT_FMA_OFFSET_BITS ||
	    win->mdh > (FMA_MDH_MASK | WEFT_FMA_VMDH) ||
	    (win->pe & ~FMA_PE_MASK) || win->delivery > WEFT_FMA_IN_ORDER)
		return -EINVAL;
	f->window[w].w = *win;
	f->window[w].set = true;
	return 0;
}

WEFT_EXPORT int weft_fma_window_ptag(struct weft_fma *f, unsigned w,
				     uint8_t ptag)
{
	if (w >= WEFT_FMA_WINDOWS)
		return -EINVAL;
	if (w < WEFT_FMA_USER_WINDOWS)
		return -EPERM;
	f->window[w].ptag = ptag;
	return 0;
}

/* Fills peer, handle and offset from a window and an offset in it. */
static int window_target_fill(struct weft_fma *f, unsigned w, uint64_t offset,
			      struct fma_request *r)
{
	struct fma_window *win;
	uint64_t pe;

	if (w >= WEFT_FMA_WINDOWS || !f->window[w].set)
		return -EINVAL;
	win = &f->window[w];
	pe = win->w.pe;
	if (win->w.addr_bits) {
		pe += offset >> win->w.addr_bits;
		offset &= (UINT64_C(1) << win->w.addr_bits) - 1;
	}
	memset(r, 0, sizeof(*r));
	r->peer = pe > FMA_PE_MASK ? NULL : fma_peer(f, (uint32_t)pe);
	r->pe = fma_physical(f, (uint32_t)pe & FMA_PE_MASK);
	r->mdh = win->w.mdh;
	r->ptag = win->ptag;
	r->delivery = win->w.delivery;
	r->offset = win->w.base + offset;
	if (!r->peer)
		return -EHOSTUNREACH;
	return r->offset & ~FMA_OFFSET_MASK ? -EINVAL : 0;
}

/* Adds a request to the window's transaction, which the first request opens. */
static int window_join(struct weft_fma *f, unsigned w, struct fma_request *r)
{
	struct fma_window *win = &f->window[w];

	if (win->ssid < 0)
		win->ssid = fma_txn_open(f, win->w.cq);
	if (win->ssid < 0)
		return -EAGAIN;
	r->ssid = (unsigned)win->ssid;
	return fma_request(f, r);
}

WEFT_EXPORT int weft_fma_put(struct weft_fma *f, unsigned w, uint64_t offset,
			     const void *src, uint64_t bytes)
{
	struct fma_request r;
	int err = window_target_fill(f, w, offset, &r);

	if (err)
		return err;
	if (f->orb_used + fma_packets(bytes) > WEFT_FMA_ORB)
		return -EAGAIN;
	if (bytes > FMA_BURST)
		return -EMSGSIZE;
	r.cmd = FMA_PUT;
	r.bytes = bytes;
	r.iov[0].iov_base = (void *)(uintptr_t)src;
	r.iov[0].iov_len = bytes;
	r.iov_count = bytes ? 1 : 0;
	return window_join(f, w, &r);
}

WEFT_EXPORT int weft_fma_store(struct weft_fma *f, unsigned w, uint64_t offset,
			       const void *src, unsigned bytes)
{
	if (bytes > WEFT_FMA_STORE)
		return -EMSGSIZE;
	return weft_fma_put(f, w, offset, src, bytes);
}

WEFT_EXPORT int weft_fma_put_flag(struct weft_fma *f, unsigned w,
				  uint64_t offset, const void *src,
				  unsigned bytes, uint64_t flag_offset,
				  uint64_t flag)
{
	uint64_t head[2];
	struct fma_request r;
	int err = window_target_fill(f, w, offset, &r);

	if (err)
		return err;
	if (bytes > FMA_BURST)
		return -EMSGSIZE;
	if (flag_offset % 8)
		return -EINVAL;
	head[0] = f->window[w].w.base + flag_offset;
	head[1] = flag;
	r.cmd = FMA_FLAG;
	r.flags = FMA_REQ_EVENT;
	r.data = flag;
	r.bytes = bytes + 8;
	r.iov[0].iov_base = head;
	r.iov[0].iov_len = FMA_FLAG_HEAD;
	r.iov[1].iov_base = (void *)(uintptr_t)src;
	r.iov[1].iov_len = bytes;
	r.iov_count = bytes ? 2 : 1;
	return window_join(f, w, &r);
}

/* Checks the memory that a response will be written to. */
static int window_local(struct weft_fma *f, const struct weft_fma_local *to,
			uint32_t bytes, struct fma_request *r)
{
	if (to->mdh >= WEFT_FMA_MDDS ||
	    fma_translate(&f->mdd[to->mdh], to->offset, bytes, true, &r->local))
		return -EFAULT;
	r->expect = bytes;
	return 0;
}

WEFT_EXPORT int weft_fma_get(struct weft_fma *f, unsigned w, uint64_t offset,
			     const struct weft_fma_local *to, unsigned bytes)
{
	struct fma_request r;
	int err = window_target_fill(f, w, offset, &r);

	if (err)
		return err;
	if (bytes > WEFT_FMA_STORE)
		return -EMSGSIZE;
	if (!bytes || bytes % 4 || r.offset % 4 || to->offset % 4)
		return -EINVAL;
	r.cmd = FMA_GET;
	r.extra = bytes;
	err = window_local(f, to, bytes, &r);
	return err ? err : window_join(f, w, &r);
}

WEFT_EXPORT int weft_fma_amo(struct weft_fma *f, unsigned w, uint64_t offset,
			     unsigned op, uint64_t a, uint64_t b,
			     const struct weft_fma_local *to)
{
	uint64_t operand[2] = { a, b };
	struct fma_request r;
	int err = window_target_fill(f, w, offset, &r);

	if (err)
		return err;
	if (!fma_amo_valid(op) || r.offset % 8 ||
	    ((op & 15) == WEFT_FMA_AX && r.offset % 16))
		return -EINVAL;
	r.cmd = FMA_AMO;
	r.extra = op;
	r.bytes = (op & 15) >= WEFT_FMA_AX ? 16 : 8;
	r.iov[0].iov_base = operand;
	r.iov[0].iov_len = sizeof(operand);
	r.iov_count = 1;
	if (op & WEFT_FMA_FETCH)
		err = to ? window_local(f, to, 8, &r) : -EINVAL;
	return err ? err : window_join(f, w, &r);
}

/* A zero-length prompt put flushes the target's batched responses. */
static int window_ack_prompt(struct weft_fma *f, unsigned w)
{
	struct fma_request r;
	int err = window_target_fill(f, w, 0, &r);

	if (err)
		return err;
	r.cmd = FMA_PUT;
	r.flags = FMA_REQ_PROMPT;
	return window_join(f, w, &r);
}

WEFT_EXPORT int weft_fma_sync(struct weft_fma *f, unsigned w, uint64_t data)
{
	struct fma_window *win = &f->window[w];
	int ssid;
	int err;

	if (w >= WEFT_FMA_WINDOWS || win->ssid < 0)
		return -ENOENT;
	ssid = win->ssid;
	err = f->txn[ssid].pending ? window_ack_prompt(f, w) : 0;
	if (err && err != -ECONNRESET)
		return err;
	win->ssid = -1;
	fma_txn_close(f, (unsigned)ssid, data);
	return 0;
}
