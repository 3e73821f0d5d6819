/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion queues. The data path writes entries, each one cache line long,
 * into an unbounded ring. The first 48 bytes have the layout of libfabric's
 * tagged entry; all other formats are prefixes of it, so a read only copies. An
 * error is also an entry in the ring, so completions before it are read first.
 */
#include "prov/ofi/queue/weft_cq.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/weft_nosys.h"
#include "prov/ofi/ep/weft_progress.h"
#include "prov/ofi/queue/weft_wait.h"
#include "src/base/log.h"

#include <stdlib.h>
#include <string.h>

#define AS_TAGGED(ours, theirs)                                            \
	static_assert(offsetof(struct weft_cqe, ours) ==                   \
			      offsetof(struct fi_cq_tagged_entry, theirs), \
		      "an entry is a prefix of ours")
AS_TAGGED(context, op_context);
AS_TAGGED(flags, flags);
AS_TAGGED(len, len);
AS_TAGGED(buf, buf);
AS_TAGGED(data, data);
AS_TAGGED(tag, tag);

#define RING_MIN     64u
#define RING_MAX     65536u
#define RING_DEFAULT 1024u

static struct weft_cq *to_cq(struct fid_cq *fid)
{
	return weft_container_of(fid, struct weft_cq, fid);
}

/* ---- writing ------------------------------------------------------------- */

/*
 * Records that a completion could not be stored. Readers get the earlier
 * entries; every later read returns -FI_EOVERRUN, since the completion is lost.
 */
static int cq_overrun(struct weft_cq *cq)
{
	if (!cq->overrun)
		weft_log(WEFT_LOG_ERROR,
			 "ofi: out of memory: completion queue cannot grow "
			 "beyond %llu entries, a completion is lost",
			 (unsigned long long)cq->mask + 1);
	cq->overrun = true;
	weft_cq_wake(cq); /* signalled stays set: no reader blocks again */
	return -ENOMEM;
}

int weft_cq_grow(struct weft_cq *cq)
{
	uint64_t room = (cq->mask + 1) * 2;
	struct weft_cqe *ring = aligned_alloc(64, room * sizeof(*ring));

	if (!ring)
		return cq_overrun(cq);
	for (uint64_t i = cq->head; i != cq->tail; i++)
		ring[i & (room - 1)] = cq->ring[i & cq->mask];
	free(cq->ring);
	cq->ring = ring;
	cq->mask = room - 1;
	return 0;
}

int weft_cq_write_err(struct weft_cq *cq, const struct weft_cqe *e, int err,
		      size_t olen)
{
	struct fi_cq_err_entry *x = calloc(1, sizeof(*x));
	struct weft_cqe cqe = *e;

	if (!x)
		return cq_overrun(cq);
	x->op_context = e->context;
	x->flags = e->flags;
	x->len = e->len;
	x->buf = e->buf;
	x->data = e->data;
	x->tag = e->tag;
	x->olen = olen;
	x->err = (int)-weft_ofi_err(-err);
	x->prov_errno = x->err;
	cqe.err = x;
	if (weft_cq_write(cq, &cqe)) {
		free(x);
		return -ENOMEM;
	}
	return 0;
}

/* ---- reading ------------------------------------------------------------- */

static inline struct weft_cqe *first_entry(struct weft_cq *cq)
{
	return &cq->ring[cq->head & cq->mask];
}

/*
 * Copies an entry to the reader in its format. There is one copy of constant
 * size for each of the four formats, since it compiles to a few moves.
 */
static inline void *copy_out(enum fi_cq_format format, void *to,
			     const struct weft_cqe *e)
{
	switch (format) {
	case FI_CQ_FORMAT_CONTEXT:
		memcpy(to, e, sizeof(struct fi_cq_entry));
		return (struct fi_cq_entry *)to + 1;
	case FI_CQ_FORMAT_MSG:
		memcpy(to, e, sizeof(struct fi_cq_msg_entry));
		return (struct fi_cq_msg_entry *)to + 1;
	case FI_CQ_FORMAT_DATA:
		memcpy(to, e, sizeof(struct fi_cq_data_entry));
		return (struct fi_cq_data_entry *)to + 1;
	default:
		memcpy(to, e, sizeof(struct fi_cq_tagged_entry));
		return (struct fi_cq_tagged_entry *)to + 1;
	}
}

/*
 * Removes up to `count` entries from the queue and copies them to buf. Returns
 * their number or -FI_E*; src may be NULL.
 */
static ssize_t cq_take(struct weft_cq *cq, void *buf, size_t count,
		       fi_addr_t *src)
{
	size_t n = 0;

	if (cq->head == cq->tail)
		return cq->overrun ? -FI_EOVERRUN : -FI_EAGAIN;
	for (; n < count && cq->head != cq->tail; n++, cq->head++) {
		struct weft_cqe *e = first_entry(cq);

		if (weft_unlikely(e->err != NULL))
			break;
		buf = copy_out(cq->format, buf, e);
		if (src)
			src[n] = e->src;
	}
	if (!n && cq->head != cq->tail && first_entry(cq)->err)
		return -FI_EAVAIL;
	return (ssize_t)n;
}

/*
 * Reports a read with result `ret` to the backend, and returns the result for
 * the caller. If entries were read, calls the backend's completed(), except for
 * a peek that found no message, so that a loop of peeks counts as polling
 * without result. If there are no entries and virtual time has ended, returns
 * an error, so that a loop of reads ends.
 */
static WEFT_COLD ssize_t observe_read(struct weft_cq *cq, ssize_t ret)
{
	struct weft_domain *d = cq->domain;
	struct weft_carrier *c = d->ep_count ? d->eps[0]->carrier : NULL;
	int err;

	if (!c)
		return ret;
	if (ret != -FI_EAGAIN) {
		if (ret != -FI_EAVAIL || first_entry(cq)->err->err != FI_ENOMSG)
			c->ops->backend->completed(c);
		return ret;
	}
	err = c->ops->backend->verdict(c);
	return err ? weft_ofi_err(err) : ret;
}

static ssize_t weft_cq_readfrom(struct fid_cq *fid, void *buf, size_t count,
				fi_addr_t *src)
{
	struct weft_cq *cq = to_cq(fid);
	ssize_t ret;

	weft_enter(cq->domain);
	if (cq->tail - cq->head < count || !count)
		weft_domain_progress(cq->domain);
	ret = cq_take(cq, buf, count, src);
	if (weft_unlikely(cq->domain->backend->observes_reads))
		ret = observe_read(cq, ret);
	weft_leave(cq->domain);
	return ret;
}

static ssize_t weft_cq_read(struct fid_cq *fid, void *buf, size_t count)
{
	return weft_cq_readfrom(fid, buf, count, NULL);
}

static ssize_t weft_cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *buf,
			       uint64_t flags)
{
	struct weft_cq *cq = to_cq(fid);
	ssize_t ret = -FI_EAGAIN;

	weft_enter(cq->domain);
	if (cq->head == cq->tail)
		weft_domain_progress(cq->domain);
	if (cq->head != cq->tail && first_entry(cq)->err) {
		struct fi_cq_err_entry *x = first_entry(cq)->err;
		uint32_t api = cq->domain->fabric->fid.api_version;
		size_t bytes = FI_VERSION_GE(api, FI_VERSION(1, 5))
				       ? sizeof(*buf)
				       : offsetof(struct fi_cq_err_entry,
						  err_data_size);

		/*
		 * the caller's structure may be shorter: before API 1.5 it
		 * ended with err_data. The provider returns no error data
		 * besides the error number.
		 */
		memcpy(buf, x, bytes);
		free(x);
		cq->head++;
		ret = 1;
	}
	weft_leave(cq->domain);
	return ret;
}

/*
 * Returns whether a wait may end, because the queue has `threshold` entries or
 * an error.
 */
static bool threshold_reached(struct weft_cq *cq, size_t threshold)
{
	if (cq->tail - cq->head >= threshold)
		return true;
	for (uint64_t i = cq->head; i != cq->tail; i++)
		if (cq->ring[i & cq->mask].err)
			return true;
	return false;
}

/*
 * Returns whether a peer has died since the last call. In virtual time this
 * ends a wait, which has no periodic timeout.
 */
static WEFT_COLD bool peer_died(struct weft_cq *cq)
{
	const struct weft_domain *d = cq->domain;
	uint64_t n = d->ep_count && d->eps[0]->nic
			     ? weft_nic_dead_count(d->eps[0]->nic)
			     : 0;
	bool more = n != cq->deaths;

	cq->deaths = n;
	return more;
}

static ssize_t weft_cq_sreadfrom(struct fid_cq *fid, void *buf, size_t count,
				 fi_addr_t *src, const void *cond, int timeout)
{
	struct weft_cq *cq = to_cq(fid);
	uint64_t deadline = weft_deadline(cq->domain, timeout);
	size_t threshold = cq->threshold && cond ? *(const size_t *)cond : 1;
	ssize_t ret;
	int err = 0;

	if (cq->watch.obj == FI_WAIT_NONE)
		return -FI_EINVAL;
	weft_enter(cq->domain);
	for (;;) {
		weft_domain_progress(cq->domain);
		if (threshold_reached(cq, threshold) || cq->watch.signalled)
			break;
		if (weft_unlikely(cq->domain->backend->observes_reads) &&
		    peer_died(cq))
			break;
		err = weft_watch_wait(&cq->watch, deadline);
		if (err)
			break;
	}
	ret = cq_take(cq, buf, count, src);
	if (ret == -FI_EAGAIN)
		cq->watch.signalled = false;
	if (ret == -FI_EAGAIN && err && err != -ETIMEDOUT)
		ret = weft_ofi_err(err);
	weft_watch_end(&cq->watch);
	weft_leave(cq->domain);
	return ret;
}

static ssize_t weft_cq_sread(struct fid_cq *fid, void *buf, size_t count,
			     const void *cond, int timeout)
{
	return weft_cq_sreadfrom(fid, buf, count, NULL, cond, timeout);
}

static int weft_cq_signal(struct fid_cq *fid)
{
	struct weft_cq *cq = to_cq(fid);

	weft_enter(cq->domain);
	weft_cq_wake(cq);
	weft_leave(cq->domain);
	return 0;
}

static const char *weft_cq_strerror(struct fid_cq *fid, int prov_errno,
				    const void *err_data, char *buf, size_t len)
{
	return weft_strerror(prov_errno, buf, len);
}

/* ---- open and close ------------------------------------------------------ */

static int weft_cq_close(struct fid *fid)
{
	struct weft_cq *cq = weft_container_of(fid, struct weft_cq, fid.fid);

	if (weft_load32(&cq->ref))
		return -FI_EBUSY;
	for (; cq->head != cq->tail; cq->head++)
		free(first_entry(cq)->err);
	weft_watch_close(&cq->watch);
	weft_ref_put(&cq->domain->ref);
	free(cq->ring);
	free(cq);
	return 0;
}

static int weft_cq_control(struct fid *fid, int command, void *arg)
{
	struct weft_cq *cq = weft_container_of(fid, struct weft_cq, fid.fid);

	return weft_watch_control(&cq->watch, command, arg);
}

int weft_cq_trywait(struct weft_cq *cq)
{
	int ret;

	weft_enter(cq->domain);
	weft_domain_progress(cq->domain);
	ret = cq->head != cq->tail || cq->watch.signalled
		      ? -EAGAIN
		      : weft_watch_arm(&cq->watch);
	weft_leave(cq->domain);
	return ret;
}

static struct fi_ops fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_cq_close,
	.bind = weft_nosys_bind,
	.control = weft_cq_control,
	.ops_open = weft_nosys_ops_open,
	.tostr = weft_nosys_tostr,
	.ops_set = weft_nosys_ops_set,
};

static struct fi_ops_cq cq_ops = {
	.size = sizeof(struct fi_ops_cq),
	.read = weft_cq_read,
	.readfrom = weft_cq_readfrom,
	.readerr = weft_cq_readerr,
	.sread = weft_cq_sread,
	.sreadfrom = weft_cq_sreadfrom,
	.signal = weft_cq_signal,
	.strerror = weft_cq_strerror,
};

/*
 * Returns the initial number of entries: the requested size rounded up to a
 * power of two, within limits.
 */
static uint64_t ring_room(size_t requested)
{
	uint64_t room = RING_MIN;

	if (!requested)
		return RING_DEFAULT;
	while (room < requested && room < RING_MAX)
		room *= 2;
	return room;
}

static int cq_fill(struct weft_cq *cq, const struct fi_cq_attr *attr)
{
	uint64_t room = ring_room(attr->size);

	cq->format = attr->format == FI_CQ_FORMAT_UNSPEC ? FI_CQ_FORMAT_TAGGED
							 : attr->format;
	cq->threshold = attr->wait_cond == FI_CQ_COND_THRESHOLD;
	cq->mask = room - 1;
	cq->ring = aligned_alloc(64, room * sizeof(*cq->ring));
	if (!cq->ring)
		return -ENOMEM;
	return weft_watch_open(&cq->watch, cq->domain, attr->wait_obj);
}

int weft_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr,
		 struct fid_cq **cq_p, void *context)
{
	static const struct fi_cq_attr none;
	struct weft_cq *cq;
	int err;

	if (!attr)
		attr = (struct fi_cq_attr *)&none;
	if (attr->flags & ~FI_AFFINITY)
		return -FI_EBADFLAGS;
	if (attr->format > FI_CQ_FORMAT_TAGGED)
		return -FI_ENOSYS;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return -FI_ENOMEM;
	cq->fid.fid.fclass = FI_CLASS_CQ;
	cq->fid.fid.context = context;
	cq->fid.fid.ops = &fid_ops;
	cq->fid.ops = &cq_ops;
	cq->domain = weft_container_of(domain, struct weft_domain, fid);
	err = cq_fill(cq, attr);
	if (err)
		goto err_free;
	weft_ref_get(&cq->domain->ref);
	*cq_p = &cq->fid;
	return 0;
err_free:
	free(cq->ring);
	free(cq);
	return (int)weft_ofi_err(err);
}
