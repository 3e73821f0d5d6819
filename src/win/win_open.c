/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation and destruction of windows. Members exchange their contributions,
 * map the memory that they can share, register the memory for fi_*, and agree
 * on the result, so that either all members have the window or none.
 */
#include "coll/coll.h"
#include "src/comm/comm_channel.h"
#include "src/comm/comm_local.h"
#include "src/core/core_lock.h"
#include "src/comm/comm_make.h"
#include "src/core/core_opts.h"
#include "src/msg/msg_progress.h"
#include "src/core/core_state.h"
#include "src/types/types_info.h"
#include "src/win/win_am.h"
#include "src/offload/offload_device.h"
#include "src/win/win_attach.h"
#include "src/win/win_fabric.h"
#include "src/win/win_remote.h"
#include "src/win/win_heap.h"
#include "src/win/win_hint.h"
#include "src/win/win_lock.h"
#include "src/win/win_mapped.h"
#include "src/win/win_serve.h"
#include "src/win/win_share.h"
#include "src/win/win_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Contribution of a member, sent to all others. */
struct contribution {
	uint64_t size;
	uint64_t unit;
	uint64_t base;
	uint64_t key;
	uint64_t remote_addr; /* address of the member's struct win_remote */
	uint64_t remote_key;
	/* token of the kept page that the member can use; 0: none */
	uint64_t kept;
	uint32_t flags; /* JOIN_ bits */
	int32_t error;	/* -errno if the member has failed so far, or 0 */
	/* location of the memory that was passed to MPI_Win_create */
	struct win_heap_place heap;
};

enum {
	/* the member may use shared memory of the host */
	JOIN_SHARED_MEMORY = 1,
	JOIN_NONCONTIG = 2, /* alloc_shared_noncontig */
	JOIN_NO_LOCKS = 4,
	JOIN_SAME_SIZE = 8,
	JOIN_SAME_UNIT = 16,
	/* the first exchange contains everything that the other members need */
	JOIN_COMPLETE = 32,
	JOIN_DEVICE = 64, /* the member's memory is on a device */
	/* members on the same host may map the member's memory */
	JOIN_MAPPABLE = 128,
};

/* ---- options ------------------------------------------------------------- */

static bool allocates(const struct weft_win *w)
{
	return w->flavor == MPI_WIN_FLAVOR_ALLOCATE ||
	       w->flavor == MPI_WIN_FLAVOR_SHARED;
}

/*
 * Sets w->rma: fi_read, fi_write and fi_atomic are used. Returns whether shared
 * memory may be used.
 */
static bool choose_paths(struct weft_win *w)
{
	const char *path =
		weft_cfg_get(&weft_core_opts[WEFT_OPT_WIN_PATH]).text;
	bool fabric = strcmp(path, "messages") != 0;

	weft_lock();
	w->fabric = win_fabric();
	weft_unlock();
	w->rma = fabric && w->fabric->rma;
	if (w->device)
		return false;
	/*
	 * In virtual time every access uses the machine's network. Only Weft's
	 * provider accesses memory of applications without any action by the
	 * target.
	 */
	return fabric && !weft_core.traits.network_windows &&
	       strcmp(path, "fabric") != 0 && (w->fabric->ours || allocates(w));
}

/*
 * Errors of requests are raised on the window's communicator. A user-defined
 * handler of windows cannot be called for a communicator, so the communicator
 * gets MPI_ERRORS_RETURN instead; predefined handlers are copied.
 */
void weft_win_errhandler_set(struct weft_win *w, struct weft_errh *h)
{
	struct weft_errh *old = w->head.errh, *told = w->comm->errh;

	w->head.errh = weft_errh_get(h);
	weft_errh_put(old);
	w->comm->errh = weft_errh_get(
		h->obj.predefined ? h : weft_errh_of(MPI_ERRORS_RETURN));
	weft_errh_put(told);
}

/* ---- window objects ------------------------------------------------------ */

static int open_fill(struct weft_win *w, const struct weft_win_args *a)
{
	weft_obj_init(&w->head.obj, WEFT_KIND_WIN);
	w->head.errh = weft_errh_get(weft_errh_of(MPI_ERRORS_ARE_FATAL));
	w->flavor = a->flavor;
	w->model = MPI_WIN_UNIFIED;
	w->dynamic = a->flavor == MPI_WIN_FLAVOR_DYNAMIC;
	w->disp_unit = (int)a->unit;
	w->bytes = a->size;
	w->base = a->base;
	w->device = a->base && weft_device_owns(a->base);
	w->region.fd = -1;
	w->serve = win_serve;
	weft_list_init(&w->lock_waiters);
	weft_list_init(&w->parts);
	weft_list_init(&w->attached);
	return win_hint_open(w, a->info);
}

static void win_free(struct weft_win *w)
{
	win_attach_clear(w);
	win_mr_close(w->mr);
	win_remote_close(w);
	win_am_close(w);
	win_mapped_close(w);
	win_heap_unmap(w->heap, w->size);
	win_share_close(w);
	if (w->own)
		munmap(w->own, (size_t)w->bytes);
	if (w->comm)
		weft_comm_put(w->comm);
	if (w->info)
		weft_info_close(w->info);
	weft_errh_put(w->head.errh);
	free(w->unlocked);
	free(w->peer);
	w->head.obj.kind = WEFT_KIND_FREE;
	free(w);
}

static struct weft_win *win_new(const struct weft_win_args *a)
{
	struct weft_win *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	if (open_fill(w, a)) {
		win_free(w);
		return NULL;
	}
	return w;
}

static int clone_comm(struct weft_win *w, struct weft_comm *c)
{
	int rc = weft_comm_clone(c, &w->comm);

	if (rc)
		return rc;
	snprintf(w->comm->name, sizeof(w->comm->name), "a window of %.40s",
		 c->name[0] ? c->name : "a communicator");
	weft_win_errhandler_set(w, w->head.errh);
	w->size = w->comm->size;
	w->rank = w->comm->rank;
	w->peer = calloc((size_t)w->size, sizeof(*w->peer));
	return w->peer ? 0 : -ENOMEM;
}

/* ---- memory of windows --------------------------------------------------- */

/* Exchanges the contributions. Returns the first error of any member. */
static int open_exchange(struct weft_win *w, struct contribution *contribution)
{
	struct weft_channel m = weft_channel_of(w->comm);
	int rc =
		weft_channel_allgather(&m, contribution, sizeof(*contribution));

	for (int i = 0; !rc && i < w->size; i++)
		rc = contribution[i].error;
	return rc;
}

/* Returns whether the memory of all members is contiguous. */
static bool is_packed(const struct weft_win *w,
		      const struct contribution *contribution)
{
	return w->flavor == MPI_WIN_FLAVOR_SHARED &&
	       !(contribution[0].flags & JOIN_NONCONTIG);
}

/*
 * Returns the offset of the memory of `rank`, counted from the end of the page;
 * rank n: the total size.
 */
static uint64_t part_at(const struct weft_win *w,
			const struct contribution *contribution, int rank)
{
	bool packed = is_packed(w, contribution);
	uint64_t at = 0, line = 4096;

	for (int i = 0; i < rank; i++)
		at += packed ? contribution[i].size
			     : (contribution[i].size + line - 1) / line * line;
	return at;
}

/* Returns whether all members have offered the same kept page. */
static bool all_offer(const struct weft_win *w,
		      const struct contribution *contribution)
{
	bool same = contribution[0].kept;

	for (int i = 1; i < w->size; i++)
		same = same && contribution[i].kept == contribution[0].kept;
	return same;
}

/* Opens a region, or uses the kept page if all members have it. */
static int open_region(struct weft_win *w,
		       const struct contribution *contribution)
{
	bool memory = allocates(w);
	struct win_share_part mine = { part_at(w, contribution, w->rank),
				       memory ? (uint64_t)w->bytes : 0 };

	if (all_offer(w, contribution))
		return 0;
	win_share_close(w);
	return win_share_open(w, memory ? part_at(w, contribution, w->size) : 0,
			      mine);
}

/* Maps the memory that members share. direct: accesses may use the mapping. */
static int map_shared(struct weft_win *w,
		      const struct contribution *contribution, bool direct)
{
	bool memory = allocates(w);
	char *start;
	int rc = open_region(w, contribution);

	if (rc)
		return rc;
	if (direct)
		w->page = win_share_page(w);
	w->mapped = direct && memory;
	start = (char *)w->region.base + win_share_page(w)->memory;
	for (int i = 0; memory && i < w->size; i++) {
		char *at = start + part_at(w, contribution, i);

		/* memory of size 0 has an address only in contiguous memory */
		if (contribution[i].size || is_packed(w, contribution))
			w->peer[i].map = at;
		if (direct)
			w->peer[i].direct = at;
	}
	if (memory)
		w->base = w->peer[w->rank].map;
	return 0;
}

/* Returns whether all memory is from MPI_Alloc_mem and can be mapped. */
static bool heap_has_all(const struct weft_win *w,
			 const struct contribution *contribution)
{
	bool all = w->flavor == MPI_WIN_FLAVOR_CREATE, any = false;

	for (int i = 0; all && i < w->size; i++) {
		all = !contribution[i].size || contribution[i].heap.fd >= 0;
		any = any || contribution[i].size;
	}
	return all && any;
}

static int heap_map(struct weft_win *w, const struct contribution *contribution)
{
	int rc = 0;

	w->heap = calloc((size_t)w->size, sizeof(*w->heap));
	if (!w->heap)
		return -ENOMEM;
	for (int i = 0; !rc && i < w->size; i++) {
		struct weft_win_peer *p = &w->peer[i];

		/* placeholder address: members with 0 bytes are not accessed */
		p->direct = (char *)w->page;
		if (contribution[i].size && i == w->rank)
			p->direct = w->base;
		else if (contribution[i].size)
			rc = win_heap_map(&contribution[i].heap,
					  contribution[i].size, &w->heap[i],
					  &p->direct);
	}
	return rc;
}

/*
 * Maps memory from MPI_Alloc_mem, on all members or on none, since all must
 * use the same method for atomic updates.
 */
static void heap_open(struct weft_win *w,
		      const struct contribution *contribution)
{
	int rc = heap_map(w, contribution);

	if (!win_share_agree(w, rc)) {
		w->mapped = true;
		return;
	}
	win_heap_unmap(w->heap, w->size);
	w->heap = NULL;
	for (int i = 0; i < w->size; i++)
		w->peer[i].direct = NULL;
}

/* Allocates memory that other members on this host can map. */
static int allocate_mappable(struct weft_win *w)
{
	int rc = weft_region_open(&w->region, "weft-window", (size_t)w->bytes);

	/* so that a lack of memory is an error here, not a signal later */
	if (!rc && posix_fallocate(w->region.fd, 0, w->bytes))
		rc = -ENOMEM;
	if (rc)
		win_share_close(w);
	else
		w->base = w->region.base;
	return rc;
}

/* Allocates memory for a window without a shared page. */
static int allocate(struct weft_win *w, bool mappable)
{
	void *own;

	if (!w->bytes || (mappable && !allocate_mappable(w)))
		return 0;
	own = mmap(NULL, (size_t)w->bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own == MAP_FAILED)
		return -ENOMEM;
	w->own = own;
	w->base = own;
	return 0;
}

/*
 * Finds or allocates the window's memory after the first exchange, in a shared
 * region if possible.
 */
static int find_memory(struct weft_win *w,
		       const struct contribution *contribution)
{
	bool local = true, shared = w->flavor == MPI_WIN_FLAVOR_SHARED;
	int rc = 0;

	for (int i = 0; i < w->size; i++)
		local = local && contribution[i].flags & JOIN_SHARED_MEMORY;
	if (shared && !weft_comm_is_local(w->comm))
		return -EXDEV;
	if (local || shared)
		rc = map_shared(w, contribution, local);
	if (rc && !shared) /* shared memory failed: use the other paths */
		rc = local = 0;
	if (!rc && w->page && heap_has_all(w, contribution))
		heap_open(w, contribution);
	if (!local && w->flavor == MPI_WIN_FLAVOR_ALLOCATE)
		rc = allocate(w, contribution[w->rank].flags & JOIN_MAPPABLE);
	return rc;
}

static void fill_peers(struct weft_win *w,
		       const struct contribution *contribution)
{
	for (int i = 0; i < w->size; i++) {
		w->peer[i].size = contribution[i].size;
		w->peer[i].unit = contribution[i].unit;
		w->peer[i].base = contribution[i].base;
		w->peer[i].key = contribution[i].key;
		w->peer[i].remote_addr = contribution[i].remote_addr;
		w->peer[i].remote_key = contribution[i].remote_key;
	}
	if (!w->dynamic && !w->mapped && !w->device)
		w->peer[w->rank].direct = w->base;
}

/*
 * In a window on several hosts, maps the memory of members on this host. Only
 * puts and gets use this mapping: accumulates must exclude the accumulates of
 * other hosts, which the target executes. Memory that cannot be mapped is
 * accessed by fi_*.
 */
static void map_local(struct weft_win *w,
		      const struct contribution *contribution)
{
	if (w->page || w->dynamic || w->device ||
	    !(contribution[w->rank].flags & JOIN_MAPPABLE))
		return;
	if (!w->heap)
		w->heap = calloc((size_t)w->size, sizeof(*w->heap));
	for (int i = 0; w->heap && i < w->size; i++) {
		const struct contribution *c = &contribution[i];

		if (i != w->rank && c->size && c->flags & JOIN_MAPPABLE &&
		    c->heap.fd >= 0 && weft_proc_is_local(w->comm->proc[i]) &&
		    win_heap_map(&c->heap, c->size, &w->heap[i],
				 &w->peer[i].local))
			w->peer[i].local = NULL;
	}
}

static uint32_t own_flags(const struct weft_win *w, bool memory)
{
	bool local = memory && weft_comm_is_local(w->comm);

	return (local ? JOIN_SHARED_MEMORY : 0) |
	       (memory && weft_core.job.local_size > 1 ? JOIN_MAPPABLE : 0) |
	       (w->device ? JOIN_DEVICE : 0) |
	       (win_hint_is(w, "alloc_shared_noncontig", "true")
			? JOIN_NONCONTIG
			: 0) |
	       (win_hint_is(w, "no_locks", "true") ? JOIN_NO_LOCKS : 0) |
	       (win_hint_is(w, "same_size", "true") ? JOIN_SAME_SIZE : 0) |
	       (win_hint_is(w, "same_disp_unit", "true") ? JOIN_SAME_UNIT : 0);
}

/*
 * Combines the hints of all members: locks exist unless all members exclude
 * them, and same_size and same_disp_unit are checked. If one member has device
 * memory, all members use messages. The result is the same on all members.
 */
static int check_contributions(struct weft_win *w,
			       const struct contribution *contribution)
{
	uint32_t all = UINT32_MAX, any = 0;
	bool sizes = true, units = true;

	for (int i = 0; i < w->size; i++) {
		all &= contribution[i].flags;
		any |= contribution[i].flags;
		sizes = sizes && contribution[i].size == contribution[0].size;
		units = units && contribution[i].unit == contribution[0].unit;
	}
	if (any & JOIN_SAME_SIZE && !sizes)
		return -EFBIG;
	if (any & JOIN_SAME_UNIT && !units)
		return -EDOM;
	if (any & JOIN_DEVICE)
		w->rma = false;
	w->lockless = w->no_locks = all & JOIN_NO_LOCKS;
	return w->no_locks ? 0 : win_hint_settle(w, "no_locks", "false");
}

/*
 * Prepares accesses by messages: allocates the unlock counters, if the window
 * has locks, and posts the receive.
 */
static int open_messages(struct weft_win *w)
{
	if (!w->lockless) {
		w->unlocked = calloc((size_t)w->size, sizeof(*w->unlocked));
		if (!w->unlocked)
			return -ENOMEM;
	}
	return win_am_open(w);
}

/* Opens the paths to this rank's memory that need no mapping. */
static int open_paths(struct weft_win *w, struct contribution *mine)
{
	int rc = 0;

	if ((!w->mapped || w->amo) && !w->dynamic && !w->mr)
		rc = win_mr_open(w, w->base, (size_t)w->bytes, &w->mr,
				 &mine->key);
	if (!rc && !w->page)
		rc = win_remote_open(w, &mine->remote_key);
	if (!rc && !w->page)
		rc = open_messages(w);
	if (!w->page && w->base && w->base == w->region.base)
		mine->heap = win_heap_place(&w->region);
	mine->remote_addr = (uintptr_t)w->remote_page;
	mine->base = (uintptr_t)w->base;
	return rc;
}

/*
 * Returns whether the first exchange has given all members everything that they
 * need, and no member can fail any more: the page exists already.
 */
static bool is_complete(const struct weft_win *w,
			const struct contribution *contribution)
{
	bool all = w->page && all_offer(w, contribution);

	for (int i = 0; i < w->size; i++)
		all = all && contribution[i].flags & JOIN_COMPLETE;
	return all;
}

static int set_up(struct weft_win *w, struct contribution *contribution)
{
	struct contribution *mine = &contribution[w->rank];
	int rc = open_exchange(w, contribution), rc2 = 0;

	if (!rc)
		rc = check_contributions(w, contribution);
	if (rc)
		return rc;
	rc = find_memory(w, contribution);
	w->words = w->mapped;
	/* programs may also change shared memory by C atomics */
	if (w->words && w->flavor != MPI_WIN_FLAVOR_SHARED)
		w->busy = &win_record(w->page, w->rank)->busy;
	w->amo = w->page && w->rma ? w->fabric->amo : NULL;
	w->inline_words = w->words && !w->amo;
	if (rc || !is_complete(w, contribution)) {
		mine->error = rc ? rc : open_paths(w, mine);
		rc = mine->error;
		rc2 = open_exchange(w, contribution);
	}
	if (!rc2)
		fill_peers(w, contribution);
	if (!rc && !rc2)
		map_local(w, contribution);
	return rc ? rc : rc2;
}

/* Fills this rank's contribution to the first exchange. */
static void contribute(struct weft_win *w, const struct weft_win_args *a,
		       struct contribution *mine)
{
	*mine = (struct contribution){
		.size = (uint64_t)a->size,
		.unit = (uint64_t)a->unit,
		.base = (uintptr_t)w->base,
		.flags = own_flags(w, choose_paths(w)),
		.heap = win_heap_find(a->base, (size_t)a->size),
	};
	if (allocates(w) || !(mine->flags & JOIN_SHARED_MEMORY))
		return;
	mine->kept = win_share_offer(w);
	if (w->dynamic)
		mine->flags |= JOIN_COMPLETE;
	if (w->dynamic || mine->heap.fd >= 0)
		return;
	/* memory of the application, which no member can map */
	mine->error =
		win_mr_open(w, w->base, (size_t)w->bytes, &w->mr, &mine->key);
	mine->flags |= JOIN_COMPLETE;
}

int weft_win_open(const struct weft_win_args *a, struct weft_win **win_p)
{
	struct weft_win *w = win_new(a);
	struct contribution *contribution;
	int rc;

	if (!w)
		return -ENOMEM;
	rc = clone_comm(w, a->comm);
	contribution =
		rc ? NULL : calloc((size_t)w->size, sizeof(*contribution));
	if (!rc && !contribution)
		rc = -ENOMEM;
	if (!rc) {
		contribute(w, a, &contribution[w->rank]);
		rc = set_up(w, contribution);
	}
	free(contribution);
	if (rc)
		win_free(w);
	else
		*win_p = w;
	return rc;
}

/* ---- close --------------------------------------------------------------- */

/*
 * Waits until all unlock messages have arrived, so that none is in flight any
 * more.
 */
static int await_unlocks(struct weft_win *w)
{
	struct win_idle idle = win_idle_begin(w);
	struct weft_dt *dt = weft_dt_of(MPI_UINT32_T);
	uint32_t mine = 0;
	struct weft_coll_args a = {
		.kind = WEFT_COLL_REDUCE_SCATTER,
		.comm = w->comm,
		.op = weft_op_of(MPI_SUM),
		.s = { .buf = w->unlocked, .count = 1, .dt = dt },
		.r = { .buf = &mine, .count = 1, .dt = dt }
	};
	int rc = weft_coll_run(&a);

	while (!rc && w->unlocks != mine)
		rc = win_idle_pass(&idle);
	return rc;
}

int weft_win_close(struct weft_win *w)
{
	int rc = win_epoch_drain(w, &w->pending), rc2;

	if (!rc && !w->page && !w->lockless)
		rc = await_unlocks(w);
	rc2 = win_barrier(w);
	if (!rc && !rc2) {
		win_attach_clear(w);
		win_share_keep(w);
	}
	win_free(w);
	return rc ? rc : rc2;
}
