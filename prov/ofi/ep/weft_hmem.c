/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoints with FI_HMEM: buffers may be in memory of any kind (prov/mem). If
 * the machine's interface can access this memory, the operation uses its bus
 * address (peer to peer); otherwise the data is staged (weft_stage.c). The
 * calls with segments check ep->hmem themselves; for the calls with a single
 * buffer there is a separate ops table here, so that endpoints without FI_HMEM
 * have no overhead.
 */
#include "prov/ofi/ep/weft_hmem.h"
#include "prov/ofi/weft_conf.h"
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/ep/weft_post.h"
#include "prov/ofi/ep/weft_stage.h"
#include "src/os/program_memory.h"

#include <pthread.h>

static int segment_translate(struct iovec *iov)
{
	const struct weft_mem_kind *k;

	if (!iov->iov_len)
		return 0;
	k = weft_mem_kind_of(iov->iov_base, iov->iov_len);
	return k ? k->reach(iov->iov_base, iov->iov_len, &iov->iov_base)
		 : -EFAULT;
}

/*
 * Translates the addresses of an op. A multi-receive buffer must be in host
 * memory, since its completions report addresses in the buffer.
 */
int weft_hmem_op_translate(struct weft_ep *ep, struct weft_nic_op *op)
{
	void *first = op->iov[0].iov_base;
	int err = 0;

	if (ep->hmem == WEFT_HMEM_STAGED)
		return weft_stage_op_prepare(ep, op);
	for (unsigned i = 0; i < op->iov_count && !err; i++)
		err = segment_translate(&op->iov[i]);
	/* all segments are of the same kind, so none has been translated */
	if (err == -EOPNOTSUPP)
		return weft_stage_op_prepare(ep, op);
	if (!err && op->flags & WEFT_OP_MULTI && op->iov[0].iov_base != first)
		return -ENOSYS;
	return err;
}

/* Common part of the fi_send variants that have no flags argument. */
static ssize_t send_one(struct fid_ep *fid, struct weft_post *p,
			const void *buf, size_t len, uint64_t tag,
			uint64_t data)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, len };

	p->comp_flags =
		FI_SEND | (p->flags & WEFT_OP_TAGGED ? FI_TAGGED : FI_MSG);
	p->kind = WEFT_SEND;
	return weft_post_sendv(weft_to_ep(fid), p, &iov, 1, tag, data);
}

#define INJECTED (WEFT_OP_INJECT | WEFT_OP_QUIET)

/* ---- messages ---- */

static ssize_t hmem_recv(struct fid_ep *ep, void *buf, size_t len, void *desc,
			 fi_addr_t addr, void *context)
{
	const struct iovec iov = { buf, len };

	return weft_msg_ops.recvv(ep, &iov, NULL, 1, addr, context);
}

static ssize_t hmem_send(struct fid_ep *ep, const void *buf, size_t len,
			 void *desc, fi_addr_t addr, void *context)
{
	struct weft_post p = { .addr = addr,
			       .context = context,
			       .flags = weft_to_ep(ep)->tx_flags };

	return send_one(ep, &p, buf, len, 0, 0);
}

static ssize_t hmem_inject(struct fid_ep *ep, const void *buf, size_t len,
			   fi_addr_t addr)
{
	struct weft_post p = { .addr = addr, .flags = INJECTED };

	return send_one(ep, &p, buf, len, 0, 0);
}

static ssize_t hmem_senddata(struct fid_ep *ep, const void *buf, size_t len,
			     void *desc, uint64_t data, fi_addr_t addr,
			     void *context)
{
	struct weft_post p = { .addr = addr,
			       .context = context,
			       .flags = weft_to_ep(ep)->tx_flags |
					WEFT_OP_DATA };

	return send_one(ep, &p, buf, len, 0, data);
}

static ssize_t hmem_injectdata(struct fid_ep *ep, const void *buf, size_t len,
			       uint64_t data, fi_addr_t addr)
{
	struct weft_post p = { .addr = addr, .flags = INJECTED | WEFT_OP_DATA };

	return send_one(ep, &p, buf, len, 0, data);
}

/* ---- tagged messages ---- */

static ssize_t hmem_trecv(struct fid_ep *ep, void *buf, size_t len, void *desc,
			  fi_addr_t addr, uint64_t tag, uint64_t ignore,
			  void *context)
{
	const struct iovec iov = { buf, len };

	return weft_tagged_ops.recvv(ep, &iov, NULL, 1, addr, tag, ignore,
				     context);
}

static ssize_t hmem_tsend(struct fid_ep *ep, const void *buf, size_t len,
			  void *desc, fi_addr_t addr, uint64_t tag,
			  void *context)
{
	struct weft_post p = { .addr = addr,
			       .context = context,
			       .flags = weft_to_ep(ep)->tx_flags |
					WEFT_OP_TAGGED };

	return send_one(ep, &p, buf, len, tag, 0);
}

static ssize_t hmem_tinject(struct fid_ep *ep, const void *buf, size_t len,
			    fi_addr_t addr, uint64_t tag)
{
	struct weft_post p = { .addr = addr,
			       .flags = INJECTED | WEFT_OP_TAGGED };

	return send_one(ep, &p, buf, len, tag, 0);
}

static ssize_t hmem_tsenddata(struct fid_ep *ep, const void *buf, size_t len,
			      void *desc, uint64_t data, fi_addr_t addr,
			      uint64_t tag, void *context)
{
	struct weft_post p = { .addr = addr,
			       .context = context,
			       .flags = weft_to_ep(ep)->tx_flags |
					WEFT_OP_TAGGED | WEFT_OP_DATA };

	return send_one(ep, &p, buf, len, tag, data);
}

static ssize_t hmem_tinjectdata(struct fid_ep *ep, const void *buf, size_t len,
				uint64_t data, fi_addr_t addr, uint64_t tag)
{
	struct weft_post p = {
		.addr = addr, .flags = INJECTED | WEFT_OP_TAGGED | WEFT_OP_DATA
	};

	return send_one(ep, &p, buf, len, tag, data);
}

/* ---- enabling ---- */

static struct fi_ops_msg msg_ops;
static struct fi_ops_tagged tagged_ops;
static pthread_once_t tables = PTHREAD_ONCE_INIT;

/*
 * Fills the ops tables of endpoints with FI_HMEM: the usual tables, in which
 * the calls with a single buffer are replaced.
 */
static void tables_fill(void)
{
	msg_ops = weft_msg_ops;
	msg_ops.recv = hmem_recv;
	msg_ops.send = hmem_send;
	msg_ops.inject = hmem_inject;
	msg_ops.senddata = hmem_senddata;
	msg_ops.injectdata = hmem_injectdata;
	tagged_ops = weft_tagged_ops;
	tagged_ops.recv = hmem_trecv;
	tagged_ops.send = hmem_tsend;
	tagged_ops.inject = hmem_tinject;
	tagged_ops.senddata = hmem_tsenddata;
	tagged_ops.injectdata = hmem_tinjectdata;
}

void weft_hmem_use(struct weft_ep *ep)
{
	weft_program_memory_open();
	weft_enter(ep->domain);
	if (!ep->hmem)
		ep->hmem = ep->domain->machine->hmem && weft_conf()->peer
				   ? WEFT_HMEM_PEER
				   : WEFT_HMEM_STAGED;
	weft_hmem_callbacks_set(ep);
	weft_leave(ep->domain);
}

void weft_hmem_enable(struct weft_ep *ep)
{
	pthread_once(&tables, tables_fill);
	weft_hmem_use(ep);
	ep->fid.msg = &msg_ops;
	ep->fid.tagged = &tagged_ops;
}

/* Sets the engine's callbacks for staged operations. */
void weft_hmem_callbacks_set(struct weft_ep *ep)
{
	if (ep->nic && ep->hmem)
		weft_nic_set_up(ep->nic, &weft_stage_callbacks);
}

/* ---- option FI_OPT_FI_HMEM_P2P ---- */

int weft_hmem_set(struct weft_ep *ep, int p2p)
{
	bool can = ep->domain->machine->hmem;

	if (!ep->hmem)
		return -FI_ENOPROTOOPT;
	if (p2p == FI_HMEM_P2P_REQUIRED && !can)
		return -FI_EOPNOTSUPP;
	if (p2p != FI_HMEM_P2P_DISABLED && p2p != FI_HMEM_P2P_ENABLED &&
	    p2p != FI_HMEM_P2P_PREFERRED && p2p != FI_HMEM_P2P_REQUIRED)
		return -FI_EINVAL;
	weft_enter(ep->domain);
	ep->hmem = can && p2p != FI_HMEM_P2P_DISABLED ? WEFT_HMEM_PEER
						      : WEFT_HMEM_STAGED;
	weft_hmem_callbacks_set(ep);
	weft_leave(ep->domain);
	return 0;
}
