/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects behind libfabric's handles, and what the files of this folder
 * ask of each other. Every object starts with its fid, so that a handle is
 * the object's address.
 *
 *     fabric -- eq                     weft_fabric.c weft_eq.c
 *       domain -- av mr poll           weft_domain.c weft_av.c weft_mr.c ...
 *         cq cntr                      weft_cq.c weft_cntr.c
 *         ep                           weft_ep.c and the data path
 *
 * Locks. A domain has one mutex; it covers everything opened in it: posting,
 * progress, queues, counters, address vectors, registrations. It is not taken
 * when the domain is FI_THREAD_DOMAIN with manual progress, because then the
 * application serialises. Functions that stand in an ops table take it
 * (weft_enter, weft_leave); all others run inside it. It is never held while
 * sleeping and nothing inside it calls back to the application. Event queues
 * belong to the fabric and have their own mutex, taken last.
 *
 * Errors. Inside 0 or -errno; weft_fi_err() is the one place that makes
 * -FI_E* of it. Ops functions may name -FI_E* directly where they refuse.
 *
 * Close answers -FI_EBUSY while somebody refers to the object.
 */
#ifndef WEFT_OFI_H
#define WEFT_OFI_H

#include "prov/carrier/carrier_vt.h"
#include "prov/nic/nic.h"
#include "prov/ofi/weft_lock.h"
#include "src/base/atomic.h"
#include "src/base/attr.h"
#include "src/base/hash.h"
#include "src/base/list.h"
#include "src/base/pool.h"

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <rdma/providers/fi_prov.h>

struct weft_domain;
struct weft_ep;
struct fi_weft_world;

/* ---- options: weft_init.c ---------------------------------------------- */

struct weft_conf {
	const struct weft_machine *machine;	/* FI_WEFT_MACHINE */
	const struct weft_carrier_ops *carrier; /* FI_WEFT_CARRIER */
	const char *faults;			/* FI_WEFT_FAULTS */
	bool dma;				/* FI_WEFT_DMA */
	size_t spin_ns;				/* FI_WEFT_SPIN */
	size_t eager_bytes;  /* FI_WEFT_EAGER, 0: the machine's */
	uint32_t fifo_slots; /* FI_WEFT_FIFO, 0: the carrier's */
	int node;	     /* FI_WEFT_NODE, -1: unknown */
	unsigned arity;	     /* FI_WEFT_ARITY */
	bool virt;	     /* FI_WEFT_CLOCK=virtual */
	struct weft_vt_conf vt; /* FI_WEFT_MACHINE, _MAP, _PPN, _COMPUTE */
	const char *job;	/* FI_WEFT_JOB */
};

/* Read from the environment once, at the first call. */
const struct weft_conf *weft_conf(void);

/* ---- errors: weft_err.c ------------------------------------------------ */

/*
 * -errno (or 0, or a positive count) becomes -FI_E*. EOVERFLOW is a message
 * longer than its buffer: FI_ETRUNC.
 */
ssize_t weft_fi_err(ssize_t err);
/* strerror slots of cq and eq. */
const char *weft_strerror(int prov_errno, char *buf, size_t len);

/* ---- references -------------------------------------------------------- */

static inline void weft_ref_get(weft_au32 *ref)
{
	weft_add32(ref, 1);
}

static inline void weft_ref_put(weft_au32 *ref)
{
	weft_add32(ref, (uint32_t)-1);
}

/* ---- fabric and domain ------------------------------------------------- */

struct weft_fabric {
	struct fid_fabric fid;
	const struct weft_machine *machine;
	weft_au32 ref; /* domains and event queues */
};

struct weft_domain {
	struct fid_domain fid;
	struct weft_fabric *fabric;
	const struct weft_machine *machine;
	struct weft_mutex mutex;
	bool threaded;	/* the mutex is needed */
	bool virt_addr; /* FI_MR_BASIC: RMA addresses are virtual addresses */
	bool prov_key;	/* FI_MR_BASIC: we choose the keys */
	bool auto_progress;
	enum fi_av_type av_type;
	/* endpoints that are enabled, in the order of fi_enable */
	struct weft_ep **eps;
	size_t ep_count;
	/* waiting: weft_wait.c */
	struct weft_wait *wait;
	/* registrations by key: weft_mr.c */
	struct weft_hash mrs;
	uint64_t next_key;
	struct weft_eq *eq; /* bound, or NULL */
	struct weft_vt *world; /* of virtual time, or NULL */
	weft_au32 ref;	    /* whatever was opened here and is not closed */
};

static inline void weft_enter(struct weft_domain *d)
{
	if (d->threaded)
		weft_mutex_lock(&d->mutex);
}

static inline void weft_leave(struct weft_domain *d)
{
	if (d->threaded)
		weft_mutex_unlock(&d->mutex);
}

/*
 * An endpoint with its carrier joins (at fi_enable, last step) and leaves (at
 * close, first step) what the domain's progress and waits look at. Inside the
 * lock. add: 0 or -ENOMEM.
 */
int weft_domain_ep_add(struct weft_domain *d, struct weft_ep *ep);
void weft_domain_ep_del(struct weft_domain *d, struct weft_ep *ep);

/* Polls the engine of an endpoint once; inside the lock. */
void weft_ep_progress(struct weft_ep *ep);

/* Polls all endpoints of the domain, as fi_cq_read and its likes do. */
static inline void weft_domain_progress(struct weft_domain *d)
{
	for (size_t i = 0; i < d->ep_count; i++)
		weft_ep_progress(d->eps[i]);
}

/* ---- waiting: weft_wait.c ---------------------------------------------- */

/*
 * What a CQ or counter has for those who wait for it. watched is the one word
 * the completion path looks at: threads that sleep, plus one when the
 * descriptor is armed.
 */
struct weft_watch {
	struct weft_domain *domain;
	enum fi_wait_obj obj;
	uint32_t watched;
	bool armed;
	bool signalled; /* fi_cq_signal */
	int event_fd;	/* -1 unless obj is FI_WAIT_FD */
	int epoll_fd;	/* for FI_GETWAIT: event_fd and the carriers */
};

int weft_watch_open(struct weft_watch *w, struct weft_domain *d,
		    enum fi_wait_obj obj);
void weft_watch_close(struct weft_watch *w);
/* Wakes all sleepers and the descriptor; inside the lock. */
void weft_watch_wake(struct weft_watch *w) WEFT_COLD;
/* FI_GETWAIT and FI_GETWAITOBJ; -FI_E*. */
int weft_watch_control(struct weft_watch *w, int command, void *arg);
/*
 * Prepares for poll(2) on the descriptor; inside the lock, after the caller
 * found nothing to read. -EAGAIN: something came meanwhile.
 */
int weft_watch_arm(struct weft_watch *w);
/*
 * Sleeps until the watch is woken or a packet may have come; deadline as
 * weft_deadline() gave it, UINT64_MAX for ever. Inside the lock, which is
 * released meanwhile. The caller looks again in any case, and says at the end
 * that it will not sleep again. 0, -ETIMEDOUT, or what ended virtual time.
 */
int weft_watch_sleep(struct weft_watch *w, uint64_t deadline_ns);
void weft_watch_end(struct weft_watch *w);
/* Milliseconds of libfabric (negative: for ever) to a deadline. */
uint64_t weft_deadline(struct weft_domain *d, int timeout_ms);

/* The domain's share: starts and ends the thread of automatic progress. */
int weft_wait_open(struct weft_domain *d);
void weft_wait_close(struct weft_domain *d);
/* An endpoint was added to or removed from d->eps. */
void weft_wait_ep_added(struct weft_domain *d, struct weft_ep *ep);
void weft_wait_ep_removed(struct weft_domain *d, struct weft_ep *ep);

static inline void weft_watch_notify(struct weft_watch *w)
{
	if (weft_unlikely(w->watched))
		weft_watch_wake(w);
}

/* ---- completion queue: weft_cq.c --------------------------------------- */

/* One completion, as the data path writes it; formatted when it is read. */
struct weft_cqe {
	void *context;
	uint64_t flags; /* FI_SEND | FI_TAGGED ..., as in fi_cq_*_entry */
	size_t len;
	void *buf;
	uint64_t data;
	uint64_t tag;
	fi_addr_t src;		     /* weft_ep_source(), or FI_ADDR_NOTAVAIL */
	struct fi_cq_err_entry *err; /* not NULL: an error, read by readerr */
};

static_assert(sizeof(struct weft_cqe) == 64, "one cache line");

struct weft_cq {
	struct fid_cq fid;
	struct weft_domain *domain;
	/* unbounded ring: indices run free, doubled when full */
	struct weft_cqe *ring;
	uint64_t head;
	uint64_t tail;
	uint64_t mask;
	enum fi_cq_format format;
	bool threshold; /* FI_CQ_COND_THRESHOLD */
	bool overrun;	/* a completion is missing: memory was out */
	struct weft_watch watch;
	weft_au32 ref; /* endpoints and poll sets */
};

/* fi_trywait for one queue: 0, or -EAGAIN: do not sleep. */
int weft_cq_trywait(struct weft_cq *cq);
/* Doubles the ring; -ENOMEM: it is overrun from now on. */
int weft_cq_grow(struct weft_cq *cq) WEFT_COLD;

/*
 * Where the next completion is to be written, or NULL: memory is out; and the
 * word that it is there. Inside the lock.
 */
static inline struct weft_cqe *weft_cq_slot(struct weft_cq *cq)
{
	if (weft_unlikely(cq->tail - cq->head > cq->mask) && weft_cq_grow(cq))
		return NULL;
	return &cq->ring[cq->tail & cq->mask];
}

static inline bool weft_cq_has(const struct weft_cq *cq)
{
	return cq && cq->head != cq->tail;
}

/* Who sleeps in the queue comes back and looks, as after fi_cq_signal. */
static inline void weft_cq_rouse(struct weft_cq *cq)
{
	cq->watch.signalled = true;
	weft_watch_notify(&cq->watch);
}

static inline void weft_cq_commit(struct weft_cq *cq)
{
	cq->tail++;
	weft_watch_notify(&cq->watch);
}

/* Writes one completion, inside the lock. -ENOMEM when memory is out. */
static inline int weft_cq_write(struct weft_cq *cq, const struct weft_cqe *e)
{
	struct weft_cqe *slot = weft_cq_slot(cq);

	if (weft_unlikely(!slot))
		return -ENOMEM;
	*slot = *e;
	weft_cq_commit(cq);
	return 0;
}

/*
 * Writes an error completion: e as for a success (len: bytes received, tag,
 * data and src filled when known), err a positive errno (translated here),
 * olen the bytes that did not fit.
 */
int weft_cq_write_err(struct weft_cq *cq, const struct weft_cqe *e, int err,
		      size_t olen);

/* ---- counter: weft_cntr.c ---------------------------------------------- */

struct weft_cntr {
	struct fid_cntr fid;
	struct weft_domain *domain;
	weft_au64 value; /* written inside the lock; poll sets peek */
	weft_au64 errors;
	struct weft_watch watch;
	weft_au32 ref;
};

/* One more success or failure; inside the lock; cntr may be NULL. */
static inline void weft_cntr_count(struct weft_cntr *cntr)
{
	if (!cntr)
		return;
	/* relaxed: only changed inside the lock, and nothing hangs on it */
	weft_store64(&cntr->value, weft_load64_relaxed(&cntr->value) + 1);
	weft_watch_notify(&cntr->watch);
}

void weft_cntr_count_err(struct weft_cntr *cntr);
/* fi_trywait for one counter: 0, or -EAGAIN: do not sleep. */
int weft_cntr_trywait(struct weft_cntr *cntr);

/* ---- event queue: weft_eq.c -------------------------------------------- */

struct weft_eq;

/* Posts an event whose bytes are copied; from anywhere. -ENOMEM. */
int weft_eq_post(struct weft_eq *eq, uint32_t event, const void *buf,
		 size_t len);
/* Posts an error event; err is a positive errno. */
int weft_eq_post_err(struct weft_eq *eq, struct fid *fid, void *context,
		     int err, uint64_t data);
struct weft_eq *weft_eq_of(struct fid *fid);
void weft_eq_get(struct weft_eq *eq);
void weft_eq_put(struct weft_eq *eq);
int weft_eq_trywait(struct weft_eq *eq);

/* ---- address vector: weft_av.c ----------------------------------------- */

struct weft_av_entry {
	struct sockaddr_in name; /* family 0: free */
	uint32_t next_free;
	uint32_t uses; /* FI_AV_MAP: inserts of the same name */
};

struct weft_av {
	struct fid_av fid;
	struct weft_domain *domain;
	enum fi_av_type type;
	uint64_t flags; /* FI_EVENT */
	struct weft_av_entry *entry;
	uint32_t count; /* entries ever used */
	uint32_t room;
	uint32_t free; /* first free entry, or UINT32_MAX */
	struct weft_hash by_name;
	struct weft_eq *eq;
	struct weft_list eps; /* bound endpoints, by their av_link */
	weft_au32 ref;
};

/* Inside the lock; -EINVAL when the endpoint already has one. */
int weft_av_bind(struct weft_av *av, struct weft_ep *ep);
void weft_av_unbind(struct weft_ep *ep);

/* ---- memory regions: weft_mr.c ----------------------------------------- */

struct weft_mr {
	struct fid_mr fid;
	struct weft_domain *domain;
	char *base;
	size_t len;
	uint64_t start; /* RMA address of the first byte */
	uint64_t access;
	uint64_t flags;		/* FI_RMA_EVENT */
	struct weft_cntr *cntr; /* counts remote accesses, or NULL */
	uint64_t cntr_flags;	/* FI_REMOTE_WRITE, FI_REMOTE_READ */
	struct weft_ep *ep;
};

/* What a peer asks for. access: FI_REMOTE_READ and/or FI_REMOTE_WRITE. */
struct weft_mr_want {
	uint64_t key;
	uint64_t addr;
	size_t len;
	uint64_t access;
};

/*
 * The region that holds all of what is wanted, and the address of its first
 * byte in this process. Inside the lock. -ENOKEY: no such key, -EACCES: not
 * with that access, -EFAULT: not inside the region.
 */
int weft_mr_find(struct weft_domain *d, const struct weft_mr_want *want,
		 struct weft_mr **mr_p, void **at_p);

/* Lists all regions of the domain in a new endpoint's table. */
void weft_mr_expose_all(struct weft_ep *ep);

/* A peer's access to mr is over: counts it where fi_mr_bind asked to. */
static inline void weft_mr_event(struct weft_mr *mr, uint64_t access)
{
	if (mr->cntr && (mr->cntr_flags & access))
		weft_cntr_count(mr->cntr);
}

/* ---- endpoint: weft_ep.c and the data path ----------------------------- */

enum weft_ep_cntr {
	WEFT_CNTR_SEND,
	WEFT_CNTR_RECV,
	WEFT_CNTR_READ,
	WEFT_CNTR_WRITE,
	WEFT_CNTR_REMOTE_READ,
	WEFT_CNTR_REMOTE_WRITE,
	WEFT_CNTR_KINDS,
};

struct weft_ep {
	struct fid_ep fid;
	struct weft_domain *domain;
	struct weft_nic *nic;	      /* the engine; NULL until fi_enable */
	struct weft_carrier *carrier; /* its carrier, for waits and peers */
	/* fi_addr_t -> peer; NULL: not asked for yet (weft_ep_peer) */
	struct weft_peer **peers;
	size_t peer_room;
	/* peer->index -> fi_addr_t (weft_ep_source) */
	fi_addr_t *sources;
	size_t source_room;
	struct weft_av *av;
	struct weft_cq *tx_cq;
	struct weft_cq *rx_cq;
	bool tx_selective; /* bound with FI_SELECTIVE_COMPLETION */
	bool rx_selective;
	bool enabled;
	struct weft_cntr *cntr[WEFT_CNTR_KINDS];
	struct weft_eq *eq;
	uint64_t caps; /* of the fi_info it was made from */
	uint64_t tx_op_flags;
	uint64_t rx_op_flags;
	/* the same as enum weft_op_flag, from fi_enable on */
	unsigned tx_flags;
	unsigned rx_flags;
	size_t inject_bytes;
	size_t min_multi_recv;
	struct sockaddr_in name; /* wanted, then own */
	struct weft_list av_link;
	weft_au32 ref; /* regions bound to it */
};

/* fi_endpoint; the rest of the endpoint's life is behind its ops. */
int weft_ep_open(struct fid_domain *domain, struct fi_info *info,
		 struct fid_ep **ep_p, void *context);
/* fi_query_atomic. */
int weft_query_atomic(struct fid_domain *domain, enum fi_datatype datatype,
		      enum fi_op op, struct fi_atomic_attr *attr,
		      uint64_t flags);

/* Not for callers: the rare halves of the two below (weft_av.c). */
struct weft_peer *weft_ep_peer_make(struct weft_ep *ep,
				    fi_addr_t addr) WEFT_COLD;
fi_addr_t weft_ep_source_find(struct weft_ep *ep,
			      struct weft_peer *peer) WEFT_COLD;

/* The peer behind an address, or NULL: not in the vector. O(1). */
static inline struct weft_peer *weft_ep_peer(struct weft_ep *ep, fi_addr_t addr)
{
	if (weft_likely(addr < ep->peer_room && ep->peers[addr]))
		return ep->peers[addr];
	return weft_ep_peer_make(ep, addr);
}

/* The address of a peer, or FI_ADDR_NOTAVAIL: not in the vector. O(1). */
static inline fi_addr_t weft_ep_source(struct weft_ep *ep,
				       struct weft_peer *peer)
{
	if (weft_likely(peer->index < ep->source_room &&
			ep->sources[peer->index] != FI_ADDR_NOTAVAIL))
		return ep->sources[peer->index];
	return weft_ep_source_find(ep, peer);
}

/* The ops_open slot of endpoint and domain: rdma/fi_ext_weft.h. */
int weft_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
		  void *context);

/* The table of domains in virtual time: weft_world.c. */
extern struct fi_weft_world weft_world_ops;

/* ---- opening the other objects ----------------------------------------- */

int weft_getinfo(uint32_t version, const char *node, const char *service,
		 uint64_t flags, const struct fi_info *hints,
		 struct fi_info **info_p);
int weft_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric_p,
		     void *context);
int weft_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		     struct fid_domain **domain_p, void *context);
int weft_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr,
		 struct fid_eq **eq_p, void *context);
int weft_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr,
		 struct fid_cq **cq_p, void *context);
int weft_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		   struct fid_cntr **cntr_p, void *context);
int weft_av_open(struct fid_domain *domain, struct fi_av_attr *attr,
		 struct fid_av **av_p, void *context);
int weft_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		   struct fid_poll **poll_p);
int weft_trywait(struct fid_fabric *fabric, struct fid **fids, int count);
extern struct fi_ops_mr weft_mr_ops;

#endif
