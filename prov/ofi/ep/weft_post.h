/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translation of a libfabric call to an operation of the engine: the common
 * part of messages, tagged messages, RMA and atomics. Short functions that
 * every message needs are inline.
 */
#ifndef WEFT_OFI_POST_H
#define WEFT_OFI_POST_H

#include "prov/ofi/weft_av.h"
#include "prov/ofi/queue/weft_cntr.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/weft_ofi.h"

static inline struct weft_ep *weft_to_ep(struct fid_ep *fid)
{
	return weft_container_of(fid, struct weft_ep, fid);
}

/*
 * Returns the peer of an address, or NULL. If the peer has closed, looks it up
 * again, because another endpoint may have taken its name.
 */
static inline struct weft_peer *weft_post_peer(struct weft_ep *ep,
					       fi_addr_t addr)
{
	struct weft_peer *peer;

	if (weft_unlikely(!ep->nic))
		return NULL;
	peer = weft_ep_peer(ep, addr);
	if (weft_likely(!peer || peer->lost != ESHUTDOWN))
		return peer;
	ep->peers[addr] = NULL;
	return weft_ep_peer(ep, addr);
}

/* Converts the flags of a *msg call (fi_sendmsg ...) to the engine's flags. */
unsigned weft_post_flags(uint64_t fi_flags, bool selective);

/* Copies the segments to op. Returns 0, or -EINVAL if there are too many. */
int weft_post_iov(struct weft_nic_op *op, const struct iovec *iov,
		  size_t count);

static inline void weft_post_buf(struct weft_nic_op *op, const void *buf,
				 size_t len)
{
	op->iov[0].iov_base = (void *)(uintptr_t)buf;
	op->iov[0].iov_len = len;
	op->iov_count = 1;
	op->len = len;
}

/* Arguments of a call other than its buffer. */
struct weft_post {
	fi_addr_t addr;
	void *context;
	uint64_t comp_flags; /* completion flags: FI_SEND | FI_TAGGED ... */
	unsigned flags;	     /* enum weft_nic_flag */
	uint8_t kind;
};

/*
 * Allocates an op for a call to a peer. Returns NULL after an error and sets
 * *err_p to -FI_E*.
 */
static inline struct weft_nic_op *
weft_post_op(struct weft_ep *ep, const struct weft_post *p, ssize_t *err_p)
{
	struct weft_peer *peer = weft_post_peer(ep, p->addr);
	struct weft_nic_op *op;

	if (weft_unlikely(!peer)) {
		*err_p = ep->nic ? -FI_EINVAL : -FI_EOPBADSTATE;
		return NULL;
	}
	op = weft_nic_op_get(ep->nic);
	if (weft_unlikely(!op)) {
		*err_p = -FI_ENOMEM;
		return NULL;
	}
	op->peer = peer;
	op->context = p->context;
	op->comp_flags = p->comp_flags;
	op->flags = (uint16_t)p->flags;
	op->kind = p->kind;
	return op;
}

/*
 * Handles an op that the engine refused; returns err as -FI_E*. If the engine
 * had no space, polls once, since the application may retry without reading a
 * queue.
 */
ssize_t weft_post_refused(struct weft_ep *ep, int err);

/*
 * Ends a post with result err of the engine: if the engine refused the op,
 * releases it. Returns 0 or -FI_E*.
 */
static inline ssize_t weft_post_end(struct weft_ep *ep, struct weft_nic_op *op,
				    int err)
{
	if (weft_likely(!err))
		return 0;
	weft_nic_op_put(op);
	return weft_post_refused(ep, err);
}

/*
 * Sends a message. p->flags determine whether the arguments tag and data are
 * used.
 */
ssize_t weft_post_sendv(struct weft_ep *ep, const struct weft_post *p,
			const struct iovec *iov, size_t count, uint64_t tag,
			uint64_t data);

WEFT_INLINE ssize_t weft_post_inject(struct weft_ep *ep, unsigned flags,
				     const void *buf, size_t len,
				     fi_addr_t addr, uint64_t tag,
				     uint64_t data)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, len };
	struct weft_peer *peer;
	ssize_t ret = 0;
	int err = -EINVAL;

	if (weft_unlikely(len > ep->inject_bytes))
		return -FI_EMSGSIZE;
	weft_enter(ep->domain);
	peer = weft_post_peer(ep, addr);
	if (weft_likely(peer != NULL))
		err = weft_nic_inject(ep->nic, peer, flags, &iov, tag, data);
	if (weft_likely(!err))
		weft_cntr_count(ep->cntr[WEFT_CNTR_SEND]);
	else
		ret = weft_post_refused(ep, err);
	weft_leave(ep->domain);
	return ret;
}

/* Match criteria of a receive: tag, and the mask of tag bits to ignore. */
struct weft_post_match {
	uint64_t tag;
	uint64_t ignore;
};

ssize_t weft_post_recvv(struct weft_ep *ep, const struct weft_post *p,
			const struct iovec *iov, size_t count,
			const struct weft_post_match *m);

static inline ssize_t weft_post_send(struct weft_ep *ep,
				     const struct weft_post *p, const void *buf,
				     size_t len, uint64_t tag, uint64_t data)
{
	struct weft_nic_op *op;
	ssize_t ret;

	weft_enter(ep->domain);
	op = weft_post_op(ep, p, &ret);
	if (weft_likely(op != NULL)) {
		weft_post_buf(op, buf, len);
		op->tag = tag;
		op->data = data;
		ret = weft_post_end(ep, op, weft_nic_send(ep->nic, op));
	}
	weft_leave(ep->domain);
	return ret;
}

/* Sets the source of a receive; returns false for an unknown address. */
static inline bool weft_post_source(struct weft_ep *ep, fi_addr_t addr,
				    struct weft_nic_op *op)
{
	op->peer = NULL;
	op->m.src = WEFT_MATCH_ANY;
	if (addr == FI_ADDR_UNSPEC || !(ep->caps & FI_DIRECTED_RECV))
		return true;
	op->peer = weft_post_peer(ep, addr);
	if (weft_unlikely(!op->peer))
		return false;
	op->m.src = op->peer->index;
	return true;
}

/*
 * Allocates an op for a receive, without setting its segments; NULL: out of
 * memory.
 */
static inline struct weft_nic_op *
weft_post_recv_op(struct weft_ep *ep, const struct weft_post *p,
		  const struct weft_post_match *m)
{
	struct weft_nic_op *op = weft_nic_op_get(ep->nic);

	if (weft_unlikely(!op))
		return NULL;
	op->context = p->context;
	op->comp_flags = p->comp_flags;
	op->kind = WEFT_RECV;
	op->flags = (uint16_t)p->flags;
	op->m.tag = m->tag & ~m->ignore;
	op->m.ignore = m->ignore;
	return op;
}

WEFT_INLINE ssize_t weft_post_recv(struct weft_ep *ep,
				   const struct weft_post *p, void *buf,
				   size_t len, const struct weft_post_match *m)
{
	struct weft_nic_op *op;
	int err = -ENOMEM;

	if (weft_unlikely(!ep->nic))
		return -FI_EOPBADSTATE;
	weft_enter(ep->domain);
	op = weft_post_recv_op(ep, p, m);
	if (weft_likely(op != NULL)) {
		weft_post_buf(op, buf, len);
		err = -EINVAL;
		if (weft_likely(weft_post_source(ep, p->addr, op)))
			err = weft_nic_recv(ep->nic, op);
		if (weft_unlikely(err))
			weft_nic_op_put(op);
	}
	weft_leave(ep->domain);
	return weft_likely(!err) ? 0 : weft_ofi_err(err);
}

#endif
