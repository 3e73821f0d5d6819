/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows. A store, get or AMO through a window is a request in the open
 * transaction (SSID) of the window; a buffer (ORB entry) records the request
 * until its response arrives. There are as many buffers and transactions as on
 * the machine; if none is free, the caller gets -EAGAIN.
 */
#include "prov/machine/gemini/gemini_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <string.h>

/* ---- transactions ---- */

int gemini_txn_open(struct weft_gemini *f, unsigned cq)
{
	for (int i = 0; i < WEFT_GEMINI_SSIDS; i++) {
		if (f->txn[i].used)
			continue;
		f->txn[i] = (struct gemini_txn){
			.used = true,
			.cq = (uint16_t)cq,
		};
		return i;
	}
	return -EAGAIN;
}

static void txn_check(struct weft_gemini *f, struct gemini_txn *t)
{
	if (!t->closed || t->pending)
		return;
	t->used = false;
	if (t->fence)
		--*t->fence;
	gemini_cq_write(f, t->cq, WEFT_GEMINI_GLOBAL, t->status, t->data);
}

void gemini_txn_close(struct weft_gemini *f, unsigned ssid, uint64_t data)
{
	f->txn[ssid].closed = true;
	f->txn[ssid].data = data;
	txn_check(f, &f->txn[ssid]);
}

/* ---- outstanding request buffers ---- */

static struct gemini_orb *orb_take(struct weft_gemini *f, unsigned weight)
{
	struct gemini_orb *o;

	if (f->orb_used + weight > WEFT_GEMINI_ORB)
		return NULL;
	do {
		o = &f->orb[f->orb_next++ % WEFT_GEMINI_ORB];
	} while (o->used);
	o->used = true;
	o->stale = false;
	o->weight = (uint8_t)weight;
	f->orb_used += weight;
	return o;
}

static void orb_free(struct weft_gemini *f, struct gemini_orb *o)
{
	f->orb_used -= o->weight;
	o->used = false;
	o->gen++;
}

static uint32_t orb_id(const struct weft_gemini *f, const struct gemini_orb *o)
{
	return (uint32_t)o->gen << 16 | (uint32_t)(o - f->orb);
}

struct gemini_orb *gemini_orb_find(struct weft_gemini *f,
				   struct weft_peer *peer, uint32_t id)
{
	struct gemini_orb *o = &f->orb[(id & 0xffff) % WEFT_GEMINI_ORB];

	if (!o->used || o->peer != peer || orb_id(f, o) != id)
		return NULL;
	return o;
}

void gemini_orb_end(struct weft_gemini *f, struct gemini_orb *o, uint8_t status)
{
	struct gemini_txn *t = &f->txn[o->ssid];

	if (status) {
		f->stats.errors++;
		if (!t->status)
			t->status = status;
	}
	orb_free(f, o);
	t->pending--;
	txn_check(f, t);
}

void gemini_orb_lost(struct weft_gemini *f, struct weft_peer *peer)
{
	for (unsigned i = 0; i < WEFT_GEMINI_ORB; i++) {
		if (f->orb[i].used && f->orb[i].peer == peer)
			gemini_orb_end(f, &f->orb[i], WEFT_GEMINI_TIMEOUT);
	}
}

void gemini_orb_scrub(struct weft_gemini *f)
{
	for (unsigned i = 0; i < WEFT_GEMINI_ORB; i++) {
		struct gemini_orb *o = &f->orb[i];

		if (o->used && o->stale)
			gemini_orb_end(f, o, WEFT_GEMINI_TIMEOUT);
		else
			o->stale = true;
	}
}

/* ---- requests ---- */

static void request_pack(const struct gemini_request *r, uint32_t id,
			 struct weft_pkt *p)
{
	size_t len = 0;

	for (int i = 0; i < r->iov_count; i++)
		len += r->iov[i].iov_len;
	*p = (struct weft_pkt){
		.type = GEMINI_PKT,
		.flags = (uint8_t)r->cmd,
		.len = (uint16_t)len,
		.unit = gemini_unit(r->mdh, r->ptag,
				    r->flags | (r->mdh & WEFT_GEMINI_VMDH
							? GEMINI_REQ_VMDH
							: 0)),
		.aux = id,
		.tag = gemini_tag(r->offset, r->extra),
		.data = r->data,
	};
}

static unsigned request_phits(const struct gemini_request *r)
{
	if (r->cmd == GEMINI_GET)
		return GEMINI_GET_PHITS * gemini_packets(r->expect);
	return gemini_put_phits(r->bytes);
}

int gemini_request_quiet(struct weft_gemini *f, const struct gemini_request *r)
{
	struct weft_carrier *c = f->port.carrier;
	struct weft_pkt pkt;
	int err;

	request_pack(r, 0, &pkt);
	err = c->ops->send(c, r->peer, &pkt, r->iov, r->iov_count);
	if (err)
		return err;
	f->stats.requests += gemini_packets(r->bytes);
	f->stats.phits += request_phits(r);
	return 0;
}

int gemini_request(struct weft_gemini *f, const struct gemini_request *r)
{
	uint64_t bytes = r->cmd == GEMINI_GET ? r->expect : r->bytes;
	struct gemini_orb *o = orb_take(f, gemini_packets(bytes));
	struct weft_pkt pkt;
	int err;

	if (!o)
		return -EAGAIN;
	o->ssid = (uint16_t)r->ssid;
	o->peer = r->peer;
	o->local = r->local;
	o->bytes = r->expect;
	request_pack(r, orb_id(f, o), &pkt);
	err = gemini_link_send(f, r, &pkt);
	if (err == -EAGAIN) {
		orb_free(f, o);
		return err;
	}
	f->txn[r->ssid].pending++;
	f->stats.requests += o->weight;
	f->stats.phits += request_phits(r);
	if (err)
		gemini_orb_end(f, o, WEFT_GEMINI_TIMEOUT);
	return err;
}

/* ---- windows ---- */

WEFT_EXPORT int weft_gemini_window_set(struct weft_gemini *f, unsigned w,
				       const struct weft_gemini_window *win)
{
	if (w >= WEFT_GEMINI_WINDOWS ||
	    win->addr_bits > WEFT_GEMINI_OFFSET_BITS ||
	    win->mdh > (GEMINI_MDH_MASK | WEFT_GEMINI_VMDH) ||
	    (win->pe & ~GEMINI_PE_MASK) || win->delivery > WEFT_GEMINI_IN_ORDER)
		return -EINVAL;
	f->window[w].w = *win;
	f->window[w].set = true;
	return 0;
}

WEFT_EXPORT int weft_gemini_window_ptag(struct weft_gemini *f, unsigned w,
					uint8_t ptag)
{
	if (w >= WEFT_GEMINI_WINDOWS)
		return -EINVAL;
	if (w < WEFT_GEMINI_USER_WINDOWS)
		return -EPERM;
	f->window[w].ptag = ptag;
	return 0;
}

/*
 * Sets peer, handle and address offset of a request, given an offset in a
 * window.
 */
static int window_target_fill(struct weft_gemini *f, unsigned w,
			      uint64_t offset, struct gemini_request *r)
{
	struct gemini_window *win;
	uint64_t pe;

	if (w >= WEFT_GEMINI_WINDOWS || !f->window[w].set)
		return -EINVAL;
	win = &f->window[w];
	pe = win->w.pe;
	if (win->w.addr_bits) {
		pe += offset >> win->w.addr_bits;
		offset &= (UINT64_C(1) << win->w.addr_bits) - 1;
	}
	memset(r, 0, sizeof(*r));
	r->peer = pe > GEMINI_PE_MASK ? NULL : gemini_peer(f, (uint32_t)pe);
	r->pe = gemini_physical(f, (uint32_t)pe & GEMINI_PE_MASK);
	r->mdh = win->w.mdh;
	r->ptag = win->ptag;
	r->delivery = win->w.delivery;
	r->offset = win->w.base + offset;
	if (!r->peer)
		return -EHOSTUNREACH;
	return r->offset & ~GEMINI_OFFSET_MASK ? -EINVAL : 0;
}

/* Adds a request to the window's transaction, which the first request opens. */
static int window_join(struct weft_gemini *f, unsigned w,
		       struct gemini_request *r)
{
	struct gemini_window *win = &f->window[w];

	if (win->ssid < 0)
		win->ssid = gemini_txn_open(f, win->w.cq);
	if (win->ssid < 0)
		return -EAGAIN;
	r->ssid = (unsigned)win->ssid;
	return gemini_request(f, r);
}

WEFT_EXPORT int weft_gemini_put(struct weft_gemini *f, unsigned w,
				uint64_t offset, const void *src,
				uint64_t bytes)
{
	struct gemini_request r;
	int err = window_target_fill(f, w, offset, &r);

	if (err)
		return err;
	if (f->orb_used + gemini_packets(bytes) > WEFT_GEMINI_ORB)
		return -EAGAIN;
	if (bytes > GEMINI_BURST)
		return -EMSGSIZE;
	r.cmd = GEMINI_PUT;
	r.bytes = bytes;
	r.iov[0].iov_base = (void *)(uintptr_t)src;
	r.iov[0].iov_len = bytes;
	r.iov_count = bytes ? 1 : 0;
	return window_join(f, w, &r);
}

WEFT_EXPORT int weft_gemini_store(struct weft_gemini *f, unsigned w,
				  uint64_t offset, const void *src,
				  unsigned bytes)
{
	if (bytes > WEFT_GEMINI_STORE)
		return -EMSGSIZE;
	return weft_gemini_put(f, w, offset, src, bytes);
}

WEFT_EXPORT int weft_gemini_put_flag(struct weft_gemini *f, unsigned w,
				     uint64_t offset, const void *src,
				     unsigned bytes, uint64_t flag_offset,
				     uint64_t flag)
{
	uint64_t head[2];
	struct gemini_request r;
	int err = window_target_fill(f, w, offset, &r);

	if (err)
		return err;
	if (bytes > GEMINI_BURST)
		return -EMSGSIZE;
	if (flag_offset % 8)
		return -EINVAL;
	head[0] = f->window[w].w.base + flag_offset;
	head[1] = flag;
	r.cmd = GEMINI_FLAG;
	r.flags = GEMINI_REQ_EVENT;
	r.data = flag;
	r.bytes = bytes + 8;
	r.iov[0].iov_base = head;
	r.iov[0].iov_len = GEMINI_FLAG_HEAD;
	r.iov[1].iov_base = (void *)(uintptr_t)src;
	r.iov[1].iov_len = bytes;
	r.iov_count = bytes ? 2 : 1;
	return window_join(f, w, &r);
}

/* Checks the memory to which a response will be written. */
static int window_local(struct weft_gemini *f,
			const struct weft_gemini_local *to, uint32_t bytes,
			struct gemini_request *r)
{
	if (to->mdh >= WEFT_GEMINI_MDDS ||
	    gemini_translate(&f->mdd[to->mdh], to->offset, bytes, true,
			     &r->local))
		return -EFAULT;
	r->expect = bytes;
	return 0;
}

WEFT_EXPORT int weft_gemini_get(struct weft_gemini *f, unsigned w,
				uint64_t offset,
				const struct weft_gemini_local *to,
				unsigned bytes)
{
	struct gemini_request r;
	int err = window_target_fill(f, w, offset, &r);

	if (err)
		return err;
	if (bytes > WEFT_GEMINI_STORE)
		return -EMSGSIZE;
	if (!bytes || bytes % 4 || r.offset % 4 || to->offset % 4)
		return -EINVAL;
	r.cmd = GEMINI_GET;
	r.extra = bytes;
	err = window_local(f, to, bytes, &r);
	return err ? err : window_join(f, w, &r);
}

WEFT_EXPORT int weft_gemini_amo(struct weft_gemini *f, unsigned w,
				uint64_t offset, unsigned op, uint64_t a,
				uint64_t b, const struct weft_gemini_local *to)
{
	uint64_t operand[2] = { a, b };
	struct gemini_request r;
	int err = window_target_fill(f, w, offset, &r);

	if (err)
		return err;
	if (!gemini_amo_valid(op) || r.offset % 8 ||
	    ((op & 15) == WEFT_GEMINI_AX && r.offset % 16))
		return -EINVAL;
	r.cmd = GEMINI_AMO;
	r.extra = op;
	r.bytes = (op & 15) >= WEFT_GEMINI_AX ? 16 : 8;
	r.iov[0].iov_base = operand;
	r.iov[0].iov_len = sizeof(operand);
	r.iov_count = 1;
	if (op & WEFT_GEMINI_FETCH)
		err = to ? window_local(f, to, 8, &r) : -EINVAL;
	return err ? err : window_join(f, w, &r);
}

/*
 * Sends an empty put that requests a prompt acknowledgement, which flushes the
 * target's batched responses.
 */
static int window_ack_prompt(struct weft_gemini *f, unsigned w)
{
	struct gemini_request r;
	int err = window_target_fill(f, w, 0, &r);

	if (err)
		return err;
	r.cmd = GEMINI_PUT;
	r.flags = GEMINI_REQ_PROMPT;
	return window_join(f, w, &r);
}

WEFT_EXPORT int weft_gemini_sync(struct weft_gemini *f, unsigned w,
				 uint64_t data)
{
	struct gemini_window *win = &f->window[w];
	int ssid;
	int err;

	if (w >= WEFT_GEMINI_WINDOWS || win->ssid < 0)
		return -ENOENT;
	ssid = win->ssid;
	err = f->txn[ssid].pending ? window_ack_prompt(f, w) : 0;
	if (err && err != -ECONNRESET)
		return err;
	win->ssid = -1;
	gemini_txn_close(f, (unsigned)ssid, data);
	return 0;
}
