/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: memory that the members of a communicator make accessible to each
 * other.
 *
 *   weft_win_open -> epochs: weft_win_fence, _start, _lock ... ->
 *   weft_win_close
 *
 * A window has its own communicator, which is not visible to the application:
 * only the window uses its collectives, messages and context. The path of an
 * access depends on the target's memory (README): it is mapped in this process,
 * accessible by fi_read and fi_write, or accessed by messages.
 *
 * src/mpi has checked the arguments. Functions return 0, -errno, or a positive
 * MPI error class.
 */
#ifndef WEFT_WIN_H
#define WEFT_WIN_H

#include "src/base/atomic.h"
#include "src/base/list.h"
#include "src/base/region.h"
#include "src/comm/comm.h"
#include "src/diag/diag_err.h"
#include "src/core/core_lock.h"
#include "src/types/types_dt.h"
#include "src/types/types_op.h"

#include <mpi.h>

struct fi_weft_amo_sync;
struct fid_mr;
struct weft_info;
struct weft_req;
struct win_am;
struct win_am_recv;
struct win_fabric;
struct win_remote;
struct win_heap_map;
struct win_list;
struct win_mapped;
struct win_page;

/* State of one member as a target; this process has an entry, too. */
struct weft_win_peer {
	/* fields that every access reads */
	char *direct;  /* target's memory, mapped for load and store; or NULL */
	uint64_t size; /* size of the target's window, bytes */
	uint64_t unit; /* displacement unit, bytes */
	weft_au32 open; /* 1: an access epoch for this target is open */
	/* outstanding operations; changed with the core lock held */
	weft_au32 pending;
	/* key of the target's region for fi_*; base is at offset 0 */
	uint64_t key;
	uint64_t base; /* address of the memory in the target's process */
	char *map;     /* target's memory, for MPI_Win_shared_query; or NULL */
	/*
	 * memory of a member on this host, in a window on several hosts, mapped
	 * for puts and gets; or NULL
	 */
	char *local;
	/* enum win_lock: lock that this process holds on the target */
	weft_au32 lock;
	/* another thread is requesting the lock; protected by the core lock */
	bool requesting;
	/*
	 * holds: lock of this rank's memory that the member holds; requested:
	 * lock that the member has requested by a message and does not hold
	 * yet; both protected by the core lock
	 */
	uint8_t holds;
	uint8_t requested;
	weft_au32 granted; /* 1: the lock requested by a message was granted */
	/* received post messages that MPI_Win_start has not used yet */
	weft_au32 post;
	/* number of exposures in the shared page that MPI_Win_start has used */
	uint32_t posts;
	/* struct win_remote of the target, for fi_* */
	uint64_t remote_addr; /* address of the page; 0: none */
	uint64_t remote_key;
	/*
	 * dynamic windows: list of attachments as last read; protected by the
	 * core lock
	 */
	struct win_list *list;
	/* dynamic windows: mapped attachments; protected by the core lock */
	struct win_mapped *mappings;
	/* effects of outstanding accumulates: WIN_READS, WIN_WRITES */
	uint32_t effects;
	struct weft_list waiter; /* in weft_win.lock_waiters */
};

struct weft_win {
	struct weft_err_owner head; /* handle, error handler */
	/* fields that every access reads */
	struct weft_win_peer *peer;
	int size;
	int rank;
	weft_au32 open_all; /* 1: an access epoch for all targets is open */
	/* every peer's memory is mapped: all peer[].direct are set */
	bool mapped;
	bool words; /* mapped elements are changed by atomic instructions */
	/*
	 * `words` is set, and the machine's interface is not used (amo is NULL)
	 */
	bool inline_words;
	bool dynamic; /* displacements are addresses */
	/* the other members are accessible by fi_read and fi_write */
	bool rma;
	/*
	 * the memory that this rank has passed to MPI_Win_create is on a device
	 * (win_device.h)
	 */
	bool device;
	weft_au32 used; /* 1: there were accesses since the last fence */
	/* 1: accesses have changed memory since the last flush */
	weft_au32 stored;
	/* calls counted by weft_win_skip_progress() */
	weft_au32 repeated_calls;
	weft_au32 pending; /* outstanding operations to all targets */
	/* outstanding pieces (struct win_op) to all targets */
	weft_au32 pieces;
	/* page shared by all members; NULL: messages are used */
	struct win_page *page;
	/*
	 * this rank's busy word (win_acc_lock.h); NULL: updates by atomic
	 * instructions need no exclusion
	 */
	weft_au32 *busy;

	const struct win_fabric *fabric; /* capabilities of the provider */
	/* the interface's atomics on one element (win_unit.h), or NULL */
	const struct fi_weft_amo_sync *amo;
	bool unordered; /* accumulates may overtake each other */
	bool no_locks;	/* no member will lock the window */
	bool lockless;	/* created with no_locks: the window has no locks */
	/* maximum number of bytes changed under one lock; 0: default */
	size_t granule;
	struct weft_comm *comm; /* communicator used by the window only */
	int flavor;		/* MPI_WIN_FLAVOR_ */
	int model;		/* MPI_WIN_UNIFIED */
	int disp_unit;	/* displacement unit of this rank, bytes (attribute) */
	MPI_Aint bytes; /* size of this rank's window, bytes (attribute) */
	void *base;
	/*
	 * -errno (int) of the first failed operation without a request, or 0;
	 * changed with the core lock held
	 */
	weft_au32 error;

	/* state of the epochs of this rank */
	bool fence; /* a fence has opened an epoch */
	/* MPI_Win_lock_all epoch; the locks are in peer[].lock */
	bool lock_all;
	bool lock_nocheck; /* the lock_all epoch uses MPI_MODE_NOCHECK */
	int locks;	   /* targets locked by MPI_Win_lock */
	struct weft_group *started; /* access epoch of MPI_Win_start */
	struct weft_group *posted;  /* exposure epoch of MPI_Win_post */
	/*
	 * number of origins that have called MPI_Win_complete, if they use
	 * messages
	 */
	weft_au32 completes;
	uint32_t completed; /* completions consumed by MPI_Win_wait */

	/* lock of this rank's memory, if origins request it by messages */
	/* members with queued lock requests, oldest first */
	struct weft_list lock_waiters;
	int shared; /* number of holders of the shared lock */
	bool exclusive;
	uint32_t unlocks;	/* locks released by received messages */
	uint32_t *unlocked;	/* unlock messages sent, indexed by target */
	struct weft_list parts; /* sent requests that wait for a response */
	uint32_t part_ids;
	struct win_am_recv *receive; /* NULL: no message is expected yet */
	/*
	 * processes a received message, with the core lock held; body: the data
	 * that follows the header
	 */
	void (*serve)(struct weft_win *w, int source, const struct win_am *head,
		      const char *body, size_t bytes);

	struct weft_region region; /* page and memory of all members */
	/*
	 * token of the page; 0: the region contains window memory and is not
	 * kept
	 */
	uint64_t token;
	/* mapped MPI_Alloc_mem memory of each member; NULL: none */
	struct win_heap_map *heap;
	void *own; /* private window memory of this process, to be freed */
	struct fid_mr *mr;
	struct win_remote *remote_page; /* this rank's page for fi_*, or NULL */
	struct fid_mr *remote_mr;
	/* dynamic windows: attachments of this rank */
	struct weft_list attached;
	weft_au32 devices; /* number of attachments that are device memory */
	struct weft_attr *attr;
	struct weft_info *info;
	struct {
		const char *what; /* text for messages, e.g. "put to memory" */
		int rank;	  /* rank of the target */
	} failed;		  /* operation that set `error` */
	char name[MPI_MAX_OBJECT_NAME];
};

static inline struct weft_win *weft_win_of(MPI_Win handle)
{
	return weft_obj_of(handle, WEFT_KIND_WIN);
}

static inline MPI_Win weft_win_handle(const struct weft_win *w)
{
	return weft_obj_handle(&w->head.obj);
}

/* ---- open and close ------------------------------------------------------ */

struct weft_win_args {
	struct weft_comm *comm;
	int flavor;
	void *base; /* memory of this rank, for MPI_WIN_FLAVOR_CREATE */
	MPI_Aint size;
	MPI_Aint unit;
	struct weft_info *info; /* hints, or NULL */
};

/*
 * Creates a window; collective. The entries of info are copied. Returns 0;
 * -EXDEV: the members cannot share memory; -EFBIG: sizes differ in spite of
 * same_size; -EDOM: displacement units differ in spite of same_disp_unit;
 * -errno.
 */
int weft_win_open(const struct weft_win_args *a, struct weft_win **win_p);
/* Frees a window without epochs and attributes; collective. */
int weft_win_close(struct weft_win *w);

/* Sets the hints of info (may be NULL) that may change after creation. */
int weft_win_hint(struct weft_win *w, struct weft_info *info);
void weft_win_errhandler_set(struct weft_win *w, struct weft_errh *h);

/*
 * Attach and detach memory of a dynamic window. -EBUSY: part of the memory is
 * attached already; -ENOSPC: too many attachments; -ENOENT: no attachment
 * begins at `base`; -EXDEV: the memory is partly on a device.
 */
int weft_win_attach(struct weft_win *w, void *base, MPI_Aint size);
int weft_win_detach(struct weft_win *w, const void *base);

/*
 * Allocates and frees memory that members of a window on the same host can map
 * (win_heap.h). weft_win_heap_alloc() returns NULL if no such memory is
 * available; weft_win_heap_free() returns false if base was not allocated by
 * it.
 */
void *weft_win_heap_alloc(size_t bytes);
bool weft_win_heap_free(void *base);
/* Releases all blocks of the free list; called by MPI_Finalize. */
void weft_win_heap_trim(void);
/* Releases the kept pages of freed windows; called by MPI_Finalize. */
void weft_win_share_trim(void);

/* ---- accesses ------------------------------------------------------------ */

/* One access: the origin's data, the target's location. */
struct weft_win_xfer {
	void *buf;
	MPI_Count count;
	struct weft_dt *dt;
	int target;
	MPI_Aint disp;
	MPI_Count tcount;
	struct weft_dt *tdt;
	/* accumulates only */
	struct weft_op *op;
	void *result; /* buffer for fetched elements; NULL: none are fetched */
	MPI_Count rcount;
	struct weft_dt *rdt;
	const void *compare; /* comparand of a compare and swap; else NULL */
};

/*
 * Start an access. req_p NULL: the next synchronization completes the access.
 * Otherwise *req_p is a request that completes when the origin's buffer may be
 * reused and results are stored.
 */
int weft_win_put(struct weft_win *w, const struct weft_win_xfer *x,
		 struct weft_req **req_p);
int weft_win_get(struct weft_win *w, const struct weft_win_xfer *x,
		 struct weft_req **req_p);
int weft_win_acc(struct weft_win *w, const struct weft_win_xfer *x,
		 struct weft_req **req_p);

/* Returns whether an access epoch is open for the target. */
static inline bool weft_win_is_open(const struct weft_win *w,
				    const struct weft_win_peer *p)
{
	/*
	 * relaxed: the epoch was opened by an earlier call, of this thread or
	 * ordered by the application
	 */
	return weft_load32_relaxed(&w->open_all) ||
	       weft_load32_relaxed(&p->open);
}

/*
 * Returns whether `count` elements of type dt at displacement disp are within
 * the target's window. Always true for dynamic windows, which are checked
 * later.
 */
static inline bool weft_win_holds(const struct weft_win *w,
				  const struct weft_win_peer *p, MPI_Aint disp,
				  MPI_Count count, const struct weft_dt *dt)
{
	MPI_Count lo, off;

	if (weft_unlikely(w->dynamic || !count || !dt->size))
		return true;
	if (weft_unlikely(disp < 0 || (uint64_t)disp > p->size / p->unit))
		return false;
	off = (MPI_Count)((uint64_t)disp * p->unit);
	lo = off + dt->true_lb;
	if (weft_unlikely(dt->extent < 0))
		lo += (count - 1) * dt->extent;
	return lo >= 0 && lo + weft_dt_span(dt, count) <= (MPI_Count)p->size;
}

/* ---- synchronization ----------------------------------------------------- */

/* Return the reason why the call is not allowed now, or NULL. */
const char *weft_win_why_no_fence(const struct weft_win *w);
const char *weft_win_no_start(const struct weft_win *w);
const char *weft_win_no_lock(const struct weft_win *w, int rank);
const char *weft_win_no_lock_all(const struct weft_win *w);
const char *weft_win_no_end(const struct weft_win *w);

/*
 * Returns why a flush of a target, or of all targets (rank -1), is not allowed,
 * or NULL.
 */
static inline const char *weft_win_no_flush(const struct weft_win *w, int rank)
{
	if (weft_likely(w->lock_all ||
			(rank < 0 ? w->locks > 0
				  : weft_load32(&w->peer[rank].lock) > 0)))
		return NULL;
	return rank < 0 ? "no target is locked" : "the target is not locked";
}

int weft_win_fence(struct weft_win *w, int assert);
int weft_win_post(struct weft_win *w, struct weft_group *g, int assert);
int weft_win_start(struct weft_win *w, struct weft_group *g, int assert);
int weft_win_complete(struct weft_win *w);
int weft_win_wait(struct weft_win *w);
/* Implements MPI_Win_test. Returns 1: complete; 0: not yet; -errno. */
int weft_win_test(struct weft_win *w);
int weft_win_lock(struct weft_win *w, int type, int rank, int assert);
int weft_win_unlock(struct weft_win *w, int rank);
int weft_win_lock_all(struct weft_win *w, int assert);
int weft_win_unlock_all(struct weft_win *w);

int weft_win_flush_slow(struct weft_win *w, weft_au32 *pending);

/*
 * Returns whether a call may skip its progress pass: programs repeat flushes
 * and tests until a value changes. Without a shared page other members need
 * this rank's progress, so every call makes progress; with a shared page, every
 * 64th call does.
 */
static inline bool weft_win_skip_progress(struct weft_win *w)
{
	/* relaxed: a lost increment is tolerated */
	uint32_t n = weft_load32_relaxed(&w->repeated_calls) + 1;

	weft_store32_relaxed(&w->repeated_calls, n);
	return w->page && n % 64;
}

/* Orders earlier stores of this thread, if any, before its later loads. */
static inline void weft_win_order(struct weft_win *w)
{
	/* relaxed: written by the only thread */
	if (!weft_threads && !weft_load32_relaxed(&w->stored))
		return;
	weft_store32_relaxed(&w->stored, 0);
	weft_fence_full();
}

/* Completes all accesses to the target, at the origin and at the target. */
static inline int weft_win_flush(struct weft_win *w, int rank)
{
	weft_au32 *pending = &w->peer[rank].pending;

	weft_win_order(w);
	if (weft_likely(!weft_load32(pending) && !weft_load32(&w->error) &&
			weft_win_skip_progress(w)))
		return 0;
	return weft_win_flush_slow(w, pending);
}

static inline int weft_win_flush_all(struct weft_win *w)
{
	weft_win_order(w);
	if (weft_likely(!weft_load32(&w->pending) && !weft_load32(&w->error) &&
			weft_win_skip_progress(w)))
		return 0;
	return weft_win_flush_slow(w, &w->pending);
}

void weft_win_sync(struct weft_win *w);

#endif
