/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Support for the tests of windows: windows of every kind with one interface,
 * and epochs of every kind around an access.
 */
#ifndef WEFT_TEST_MPI_WIN_T_H
#define WEFT_TEST_MPI_WIN_T_H

#include "mpi_t.h"

/*
 * WT_MEM: created with memory of MPI_Alloc_mem; WT_ATTACHED: dynamic, with
 * attached memory of MPI_Alloc_mem
 */
enum win_kind {
	WT_CREATE,
	WT_ALLOCATE,
	WT_SHARED,
	WT_DYNAMIC,
	WT_MEM,
	WT_ATTACHED,
	WT_KINDS
};

/* A window with `bytes` bytes on each rank. */
struct wt {
	MPI_Win win;
	MPI_Comm comm;
	enum win_kind kind;
	char *mem;	/* memory of this rank */
	size_t bytes;	/* size of mem */
	int unit;	/* displacement unit */
	MPI_Aint *base; /* dynamic windows: base address on each rank */
	int rank, size;
};

static inline int wt_is_dynamic(const struct wt *w)
{
	return w->kind == WT_DYNAMIC || w->kind == WT_ATTACHED;
}

static inline void wt_open_dynamic(struct wt *w, MPI_Info info)
{
	MPI_Aint mine;

	if (w->kind == WT_ATTACHED)
		MT_OK(MPI_Alloc_mem((MPI_Aint)w->bytes + 1, MPI_INFO_NULL,
				    &w->mem));
	else
		w->mem = calloc(1, w->bytes + 1);
	MT_OK(MPI_Win_create_dynamic(info, w->comm, &w->win));
	MT_OK(MPI_Win_attach(w->win, w->mem, (MPI_Aint)w->bytes));
	MPI_Get_address(w->mem, &mine);
	w->base = calloc((size_t)w->size, sizeof(*w->base));
	MT_OK(MPI_Allgather(&mine, 1, MPI_AINT, w->base, 1, MPI_AINT, w->comm));
}

/*
 * Checks that shared windows on several hosts are refused. Returns false if
 * comm is on one host.
 */
static inline int wt_cannot_share(MPI_Comm comm)
{
	MPI_Errhandler was;
	MPI_Win win;
	void *mem;
	int rc, size, class;

	MPI_Comm_size(comm, &size);
	if (mt_local_ranks(comm) == size)
		return 0;
	MPI_Comm_get_errhandler(comm, &was);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	rc = MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, comm, &mem, &win);
	MPI_Error_class(rc, &class);
	MT_IS(class, MPI_ERR_RMA_SHARED);
	MPI_Comm_set_errhandler(comm, was);
	if (was != MPI_ERRORS_ARE_FATAL && was != MPI_ERRORS_RETURN)
		MPI_Errhandler_free(&was);
	return 1;
}

static inline struct wt wt_open_with(enum win_kind kind, MPI_Comm comm,
				     size_t bytes, int unit, MPI_Info info)
{
	struct wt w = {
		.comm = comm, .kind = kind, .bytes = bytes, .unit = unit
	};

	if (kind == WT_SHARED && wt_cannot_share(comm))
		kind = w.kind = WT_ALLOCATE;
	MPI_Comm_rank(comm, &w.rank);
	MPI_Comm_size(comm, &w.size);
	switch (kind) {
	case WT_CREATE:
		w.mem = calloc(1, bytes + 1);
		MT_OK(MPI_Win_create(w.mem, (MPI_Aint)bytes, unit, info, comm,
				     &w.win));
		break;
	case WT_MEM:
		MT_OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &w.mem));
		MT_OK(MPI_Win_create(w.mem, (MPI_Aint)bytes, unit, info, comm,
				     &w.win));
		break;
	case WT_ALLOCATE:
		MT_OK(MPI_Win_allocate((MPI_Aint)bytes, unit, info, comm,
				       &w.mem, &w.win));
		break;
	case WT_SHARED:
		MT_OK(MPI_Win_allocate_shared((MPI_Aint)bytes, unit, info, comm,
					      &w.mem, &w.win));
		break;
	default:
		wt_open_dynamic(&w, info);
		w.unit = 1;
	}
	MT_OK(MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN));
	if (bytes)
		memset(w.mem, 0, bytes);
	MT_OK(MPI_Barrier(comm));
	return w;
}

static inline struct wt wt_open(enum win_kind kind, MPI_Comm comm, size_t bytes,
				int unit)
{
	return wt_open_with(kind, comm, bytes, unit, MPI_INFO_NULL);
}

static inline void wt_close(struct wt *w)
{
	if (wt_is_dynamic(w)) {
		MT_OK(MPI_Barrier(w->comm));
		MT_OK(MPI_Win_detach(w->win, w->mem));
	}
	MT_OK(MPI_Win_free(&w->win));
	MT_TRUE(w->win == MPI_WIN_NULL);
	if (w->kind == WT_CREATE || w->kind == WT_DYNAMIC)
		free(w->mem);
	if (w->kind == WT_MEM || w->kind == WT_ATTACHED)
		MT_OK(MPI_Free_mem(w->mem));
	free(w->base);
}

/*
 * Returns the displacement, in the window's units, of the byte at offset `at`
 * of rank's memory; `at` is a multiple of the unit.
 */
static inline MPI_Aint wt_disp(const struct wt *w, int rank, size_t at)
{
	return wt_is_dynamic(w) ? MPI_Aint_add(w->base[rank], (MPI_Aint)at)
				: (MPI_Aint)at / w->unit;
}

/* ---- epochs -------------------------------------------------------------- */

enum wt_sync {
	WT_FENCE,
	WT_PSCW,
	WT_LOCK,
	WT_LOCK_SHARED,
	WT_LOCK_ALL,
	WT_SYNCS,
};

/* Opens an epoch in which rank origin may access rank target; collective. */
static inline void wt_begin(struct wt *w, enum wt_sync sync, int origin,
			    int target)
{
	MPI_Group all, one;

	MPI_Win_get_group(w->win, &all);
	switch (sync) {
	case WT_FENCE:
		MT_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, w->win));
		break;
	case WT_PSCW:
		if (w->rank == target) {
			MPI_Group_incl(all, 1, &origin, &one);
			MT_OK(MPI_Win_post(one, 0, w->win));
			MPI_Group_free(&one);
		}
		if (w->rank == origin) {
			MPI_Group_incl(all, 1, &target, &one);
			MT_OK(MPI_Win_start(one, 0, w->win));
			MPI_Group_free(&one);
		}
		break;
	case WT_LOCK:
	case WT_LOCK_SHARED:
		if (w->rank == origin)
			MT_OK(MPI_Win_lock(sync == WT_LOCK ? MPI_LOCK_EXCLUSIVE
							   : MPI_LOCK_SHARED,
					   target, 0, w->win));
		break;
	default:
		MT_OK(MPI_Win_lock_all(0, w->win));
	}
	MPI_Group_free(&all);
}

static inline void wt_end(struct wt *w, enum wt_sync sync, int origin,
			  int target)
{
	switch (sync) {
	case WT_FENCE:
		MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
		return;
	case WT_PSCW:
		if (w->rank == origin)
			MT_OK(MPI_Win_complete(w->win));
		if (w->rank == target)
			MT_OK(MPI_Win_wait(w->win));
		break;
	case WT_LOCK:
	case WT_LOCK_SHARED:
		if (w->rank == origin)
			MT_OK(MPI_Win_unlock(target, w->win));
		break;
	default:
		MT_OK(MPI_Win_unlock_all(w->win));
	}
	MT_OK(MPI_Barrier(w->comm));
}

#endif
