/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects behind libfabric's handles. Every object starts with its fid, so
 * that the handle is the object's address. The functions of an object are
 * declared in the header of the file that implements them.
 *
 *     fabric -- eq                     weft_fabric.c weft_eq.c
 *       domain -- av mr poll           weft_domain.c weft_av.c weft_mr.c ...
 *         cq cntr                      weft_cq.c weft_cntr.c
 *         ep                           weft_ep.c and the data path
 *
 * Locks. A domain has one mutex, which protects all objects opened in it:
 * posting, progress, queues, counters, address vectors, registrations. The
 * mutex is not taken if the domain is FI_THREAD_DOMAIN with manual progress,
 * because the application serialises its calls then. Functions in an ops table
 * take the mutex (weft_enter, weft_leave); all others are called with the mutex
 * held. No thread blocks while holding the mutex, and no callback of the
 * application is called while it is held. Event queues belong to the fabric and
 * have their own mutex, taken last.
 *
 * Errors. Internal functions return 0 or -errno; only weft_ofi_err() converts
 * -errno to -FI_E*. Ops functions may return -FI_E* directly where they refuse
 * a call.
 *
 * Close returns -FI_EBUSY while the object is referenced.
 */
#ifndef WEFT_OFI_H
#define WEFT_OFI_H

#include "prov/vt/vt_api.h"
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

/* ---- references ---------------------------------------------------------- */

static inline void weft_ref_get(weft_au32 *ref)
{
	weft_add32(ref, 1);
}

static inline void weft_ref_put(weft_au32 *ref)
{
	weft_add32(ref, (uint32_t)-1);
}

/* ---- fabric and domain --------------------------------------------------- */

struct weft_fabric {
	struct fid_fabric fid;
	const struct weft_machine *machine;
	weft_au32 ref; /* references: domains and event queues */
};

struct weft_domain {
	struct fid_domain fid;
	struct weft_fabric *fabric;
	const struct weft_machine *machine;
	/* backend of all endpoints of the domain */
	const struct weft_backend *backend;
	struct weft_mutex mutex;
	bool threaded;	/* calls must take the mutex */
	bool virt_addr; /* FI_MR_BASIC: RMA addresses are virtual addresses */
	bool prov_key;	/* FI_MR_BASIC: the provider chooses the keys */
	bool auto_progress;
	enum fi_av_type av_type;
	sa_family_t family; /* address family of all endpoint names */
	/* enabled endpoints, in the order of fi_enable */
	struct weft_ep **eps;
	size_t ep_count;
	/* waiting: weft_wait.c */
	struct weft_wait *wait;
	/* registrations, by key: weft_mr.c */
	struct weft_hash mrs;
	uint64_t next_key;
	struct weft_eq *eq;    /* bound event queue, or NULL */
	struct weft_vt *world; /* world (virtual time), or NULL */
	weft_au32 ref;	       /* references: open objects of the domain */
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
 * Wait state of a CQ or counter. The completion path checks only the word
 * `watched`: the number of blocked threads, plus one if the descriptor is
 * armed.
 */
struct weft_watch {
	struct weft_domain *domain;
	enum fi_wait_obj obj;
	uint32_t watched;
	bool armed;
	bool signalled; /* a blocked reader must return; set by fi_cq_signal */
	int event_fd;	/* eventfd; -1 unless obj is FI_WAIT_FD */
	/* epoll descriptor of event_fd and the carriers, for FI_GETWAIT */
	int epoll_fd;
};

/* ---- completion queue ---------------------------------------------------- */

/*
 * One completion, as written by the data path; it is converted to the queue's
 * format when it is read.
 */
struct weft_cqe {
	void *context;
	uint64_t flags; /* FI_SEND | FI_TAGGED ..., as in fi_cq_*_entry */
	size_t len;
	void *buf;
	uint64_t data;
	uint64_t tag;
	fi_addr_t src; /* weft_ep_source(), or FI_ADDR_NOTAVAIL */
	/* error entry, returned by readerr; NULL: success */
	struct fi_cq_err_entry *err;
};

static_assert(sizeof(struct weft_cqe) == 64, "one cache line");

struct weft_cq {
	struct fid_cq fid;
	struct weft_domain *domain;
	/*
	 * ring that is doubled when full; head and tail count up without
	 * wrapping (index & mask)
	 */
	struct weft_cqe *ring;
	uint64_t head;
	uint64_t tail;
	uint64_t mask;
	enum fi_cq_format format;
	bool threshold; /* wait condition FI_CQ_COND_THRESHOLD */
	bool overrun;	/* a completion was lost for lack of memory */
	struct weft_watch watch;
	weft_au32 ref; /* references: endpoints and poll sets */
	/* virtual time: number of peer deaths reported to the reader */
	uint64_t deaths;
};

/* ---- counter ------------------------------------------------------------- */

struct weft_cntr {
	struct fid_cntr fid;
	struct weft_domain *domain;
	/*
	 * values of the counter: written with the lock held, read by poll sets
	 * without it
	 */
	weft_au64 value;
	weft_au64 errors;
	struct weft_watch watch;
	weft_au32 ref;
};

/* ---- event queue --------------------------------------------------------- */

struct weft_eq;

/* ---- address vector ------------------------------------------------------ */

struct weft_av_entry {
	union weft_name name; /* name; family 0: the entry is free */
	uint32_t next_free;
	uint32_t uses; /* FI_AV_MAP: number of insertions of this name */
};

struct weft_av {
	struct fid_av fid;
	struct weft_domain *domain;
	enum fi_av_type type;
	uint64_t flags; /* FI_EVENT or 0 */
	struct weft_av_entry *entry;
	uint32_t count; /* number of entries ever used */
	uint32_t room;
	uint32_t free; /* first free entry, or UINT32_MAX */
	struct weft_hash by_name;
	struct weft_eq *eq;
	struct weft_list eps; /* bound endpoints, linked by av_link */
	weft_au32 ref;
};

/* ---- memory regions ------------------------------------------------------ */

struct weft_mr {
	struct fid_mr fid;
	struct weft_domain *domain;
	char *base;
	size_t len;
	uint64_t start; /* RMA address of the first byte */
	uint64_t access;
	uint64_t flags;		/* FI_RMA_EVENT or 0 */
	struct weft_cntr *cntr; /* counter of remote accesses, or NULL */
	uint64_t cntr_flags;	/* FI_REMOTE_WRITE, FI_REMOTE_READ */
	struct weft_ep *ep;
};

/* ---- endpoint ------------------------------------------------------------ */

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
	struct weft_nic *nic; /* the engine; NULL until fi_enable */
	/* carrier of the engine, for waits and peers */
	struct weft_carrier *carrier;
	/* peers by fi_addr_t; NULL: not looked up yet (weft_ep_peer) */
	struct weft_peer **peers;
	size_t peer_room;
	/* fi_addr_t by peer->index (weft_ep_source) */
	fi_addr_t *sources;
	size_t source_room;
	struct weft_av *av;
	struct weft_cq *tx_cq;
	struct weft_cq *rx_cq;
	bool tx_selective; /* bound with FI_SELECTIVE_COMPLETION */
	bool rx_selective;
	bool enabled;
	uint8_t hmem; /* enum weft_hmem, or 0 */
	/*
	 * WEFT_OP_RELAXED, WEFT_OP_LINES or 0: allowed reordering of remote
	 * accesses
	 */
	uint32_t tx_order;
	struct weft_cntr *cntr[WEFT_CNTR_KINDS];
	struct weft_eq *eq;
	uint64_t caps; /* capabilities of the endpoint's fi_info */
	uint64_t tx_op_flags;
	uint64_t rx_op_flags;
	/* op flags as enum weft_nic_flag, set by fi_enable */
	unsigned tx_flags;
	unsigned rx_flags;
	size_t inject_bytes;
	size_t min_multi_recv;
	/* requested name; after fi_enable, the endpoint's name */
	union weft_name name;
	struct weft_list av_link;
	weft_au32 ref;	 /* references: regions bound to the endpoint */
	uint8_t key[64]; /* copy of info->ep_attr->auth_key */
	size_t key_bytes;
	bool anywhere; /* info->src_addr was 0.0.0.0 or :: */
};

#endif
