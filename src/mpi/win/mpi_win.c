/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows: creation, queries, names, hints, free. */
#include "src/mpi/mpi_export.h"

#include "src/job/job_trace_layout.h"
#include "src/offload/offload_device.h"
#include "src/core/core_state.h"
#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/win/mpi_win.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- checks -------------------------------------------------------------- */

void mpi_win_trace_access(MPI_Win handle, int rank, MPI_Count count,
			  MPI_Datatype type)
{
	struct weft_win *w = weft_win_of(handle);
	struct weft_dt *dt = weft_dt_of(type);

	if (weft_traced() && w && dt && count > 0 && rank >= 0 &&
	    rank < w->size)
		weft_call_mark(&(const struct weft_call_mark){
			.word = TRACE_ACCESS(
				weft_core_member(w->comm->proc[rank]),
				(uint64_t)count * dt->size) });
}

int mpi_win_bad(const char *func, int arg, MPI_Win handle)
{
	if (!weft_running())
		return weft_check_comm_bad(func, arg, MPI_COMM_NULL);
	if (handle == MPI_WIN_NULL)
		return weft_err_arg(NULL, func, MPI_ERR_WIN, arg,
				    "window is MPI_WIN_NULL");
	return weft_err_arg(NULL, func, MPI_ERR_WIN, arg, "invalid window %p",
			    (void *)handle);
}

static int target_type_bad(const struct mpi_target *t, const struct weft_win *w)
{
	const struct mpi_msg m = { .func = t->func,
				   .arg = t->arg + 1,
				   /* not an argument: any valid address */
				   .buf = t,
				   .count = t->count,
				   .type = t->type,
				   .dt = t->dt };

	return mpi_check_data_slow(&m, w);
}

int mpi_check_target_slow(const struct mpi_target *t, struct weft_win *w)
{
	const struct weft_win_peer *p;
	int err = target_type_bad(t, w);

	if (err || t->rank == MPI_PROC_NULL || !weft_check)
		return err;
	err = mpi_check_win_rank(t->func, t->arg, t->rank, w);
	if (err)
		return err;
	p = &w->peer[t->rank];
	if (!weft_win_is_open(w, p))
		return weft_err_arg(w, t->func, MPI_ERR_RMA_SYNC, 0,
				    "no access epoch for rank %d is open",
				    t->rank);
	if (t->disp < 0 && !w->dynamic)
		return weft_err_arg(w, t->func, MPI_ERR_DISP, t->arg + 1,
				    "negative displacement %lld",
				    (long long)t->disp);
	if (!weft_win_holds(w, p, t->disp, t->count, t->dt))
		return weft_err_arg(w, t->func, MPI_ERR_RMA_RANGE, t->arg + 1,
				    "displacement %lld: not all of the data "
				    "is within the %llu bytes of rank %d",
				    (long long)t->disp,
				    (unsigned long long)p->size, t->rank);
	return 0;
}

/* ---- creation ------------------------------------------------------------ */

/* Arguments of all constructors of windows. */
struct make {
	const char *func;
	/* position of the argument size, from 1; unit, info and comm follow */
	int size_arg;
	MPI_Aint size;
	MPI_Aint unit;
	MPI_Info info;
	MPI_Comm comm;
	MPI_Win *win;
	int flavor;
};

static int check_make(const struct make *m, struct weft_comm **comm_p)
{
	int err = mpi_check_intra(m->func, m->size_arg + 3, m->comm, comm_p);

	if (err)
		return err;
	if (m->size < 0)
		return weft_err_arg(*comm_p, m->func, MPI_ERR_SIZE, m->size_arg,
				    "negative size %lld", (long long)m->size);
	if (m->unit <= 0)
		return weft_err_arg(*comm_p, m->func, MPI_ERR_DISP,
				    m->size_arg + 1,
				    "displacement unit %lld is not positive",
				    (long long)m->unit);
	err = mpi_check_info(*comm_p, m->func, m->size_arg + 2, m->info);
	if (err)
		return err;
	return weft_check_ptr(*comm_p, m->func, 0, m->win, "win");
}

/* Creates a window. *base_p: allocated memory; base_p may be NULL. */
static int make(const struct make *m, void *base, void *base_p)
{
	struct weft_comm *c;
	struct weft_win *w;
	int err = check_make(m, &c), rc;

	if (m->win)
		*m->win = MPI_WIN_NULL;
	if (err)
		return err;
	rc = weft_win_open(&(struct weft_win_args){ c, m->flavor, base, m->size,
						    m->unit,
						    weft_info_of(m->info) },
			   &w);
	if (rc == -EXDEV)
		return weft_err_arg(c, m->func, MPI_ERR_RMA_SHARED,
				    m->size_arg + 3,
				    "the members do not share memory");
	if (rc)
		return weft_err_rc(c, m->func,
				   rc == -EFBIG	 ? MPI_ERR_SIZE
				   : rc == -EDOM ? MPI_ERR_DISP
						 : rc);
	*m->win = weft_win_handle(w);
	if (base_p)
		memcpy(base_p, &w->base, sizeof(w->base));
	return MPI_SUCCESS;
}

static int create(const char *func, void *base, MPI_Aint size, MPI_Aint unit,
		  MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	struct make m = { func, 2,    size, unit,
			  info, comm, win,  MPI_WIN_FLAVOR_CREATE };

	if (!base && size > 0)
		return weft_err_arg(weft_comm_of(comm), func, MPI_ERR_BASE, 1,
				    "base is NULL and size is %lld",
				    (long long)size);
	return make(&m, base, NULL);
}

static int allocate(const struct make *m, void *baseptr)
{
	int err = weft_check_ptr(weft_comm_of(m->comm), m->func, 5, baseptr,
				 "baseptr");

	return err ? err : make(m, NULL, baseptr);
}

/*
 * Calls allocate() with the arguments of MPI_Win_allocate or
 * MPI_Win_allocate_shared, which have equal names.
 */
#define ALLOCATE(flavor)                                                   \
	allocate(&(struct make){ __func__, 1, size, disp_unit, info, comm, \
				 win, flavor },                            \
		 baseptr)

#pragma weak MPI_Win_create_dynamic = PMPI_Win_create_dynamic
int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct make m = { __func__, -1,	  0,   1,
			  info,	    comm, win, MPI_WIN_FLAVOR_DYNAMIC };

	return make(&m, MPI_BOTTOM, NULL);
}

#pragma weak MPI_Win_free = PMPI_Win_free
int PMPI_Win_free(MPI_Win *win)
{
	MPI_ENTER;
	struct weft_win *w;
	const char *why;
	int err = weft_check_ptr(NULL, __func__, 1, win, "win");

	if (!err)
		err = mpi_check_win(__func__, 1, *win, &w);
	if (err)
		return err;
	why = weft_win_no_end(w);
	if (why)
		return weft_err_arg(w, __func__, MPI_ERR_RMA_SYNC, 0, "%s",
				    why);
	err = weft_attrs_clear(&w->attr, *win);
	if (err)
		return weft_err_rc(w, __func__, err);
	weft_trace_win_coll(w->comm);
	err = weft_win_close(w);
	*win = MPI_WIN_NULL;
	return weft_err_rc(NULL, __func__, err);
}

/* ---- dynamic windows ----------------------------------------------------- */

static int check_dynamic(const char *func, MPI_Win win, struct weft_win **win_p)
{
	int err = mpi_check_win(func, 1, win, win_p);

	if (err || (*win_p)->dynamic)
		return err;
	return weft_err_arg(*win_p, func, MPI_ERR_RMA_FLAVOR, 1,
			    "window is not dynamic");
}

#pragma weak MPI_Win_attach = PMPI_Win_attach
int PMPI_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = check_dynamic(__func__, win, &w), rc;

	if (!err && size < 0)
		err = weft_err_arg(w, __func__, MPI_ERR_SIZE, 3,
				   "negative size %lld", (long long)size);
	if (!err && !base && size)
		err = weft_err_arg(w, __func__, MPI_ERR_BASE, 2,
				   "base is NULL and size is %lld",
				   (long long)size);
	if (err)
		return err;
	rc = weft_win_attach(w, base, size);
	if (rc == -EBUSY || rc == -ENOSPC)
		return weft_err_arg(w, __func__, MPI_ERR_RMA_ATTACH, 2,
				    rc == -EBUSY ? "part of the memory is "
						   "attached already"
						 : "too many attachments");
	if (rc == -EXDEV)
		return weft_err_arg(w, __func__, MPI_ERR_BASE, 2,
				    "part of the memory is device memory, part "
				    "is not");
	return weft_err_rc(w, __func__, rc);
}

#pragma weak MPI_Win_detach = PMPI_Win_detach
int PMPI_Win_detach(MPI_Win win, const void *base)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = check_dynamic(__func__, win, &w);

	if (err)
		return err;
	if (weft_win_detach(w, base))
		return weft_err_arg(w, __func__, MPI_ERR_BASE, 2,
				    "no memory is attached at %p", base);
	return MPI_SUCCESS;
}

/* ---- queries ------------------------------------------------------------- */

static bool is_on_this_host(int proc)
{
	const struct weft_job *job = &weft_core.job;

	for (int i = 0; job->local && i < job->local_size; i++)
		if (job->local[i] == proc)
			return true;
	return proc == job->rank;
}

/*
 * Returns the member that MPI_PROC_NULL selects: the lowest rank of the shared
 * memory domain with memory, whether this process can access that memory or
 * not.
 */
static int first_with_memory(const struct weft_win *w)
{
	for (int i = 0; i < w->size; i++)
		if (w->peer[i].size && is_on_this_host(w->comm->proc[i]))
			return i;
	return w->rank;
}

static int shared_query(const char *func, MPI_Win win, int rank, MPI_Aint *size,
			const struct weft_win_peer **peer_p, void *baseptr)
{
	struct weft_win *w;
	char *at;
	int err = mpi_check_win(func, 1, win, &w);

	if (!err && w->dynamic)
		err = weft_err_arg(w, func, MPI_ERR_RMA_FLAVOR, 1,
				   "window is dynamic");
	if (!err && rank != MPI_PROC_NULL)
		err = mpi_check_win_rank(func, 2, rank, w);
	if (!err)
		err = weft_check_ptr(w, func, 3, size, "size");
	if (!err)
		err = weft_check_ptr(w, func, 5, baseptr, "baseptr");
	if (err)
		return err;
	if (rank == MPI_PROC_NULL)
		rank = first_with_memory(w);
	*peer_p = &w->peer[rank];
	at = rank == w->rank ? w->base : (*peer_p)->map;
	*size = at ? (MPI_Aint)(*peer_p)->size : 0;
	memcpy(baseptr, &at, sizeof(at));
	return MPI_SUCCESS;
}

#pragma weak MPI_Win_get_group = PMPI_Win_get_group
int PMPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (!err)
		err = weft_check_ptr(w, __func__, 2, group, "group");
	if (!err)
		*group = weft_obj_handle(&weft_group_get(w->comm->group)->obj);
	return err;
}

/* ---- names and hints ----------------------------------------------------- */

#pragma weak MPI_Win_set_name = PMPI_Win_set_name
int PMPI_Win_set_name(MPI_Win win, const char *win_name)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (!err)
		err = weft_check_ptr(w, __func__, 2, win_name, "win_name");
	if (!err)
		snprintf(w->name, sizeof(w->name), "%s", win_name);
	return err;
}

#pragma weak MPI_Win_get_name = PMPI_Win_get_name
int PMPI_Win_get_name(MPI_Win win, char *win_name, int *resultlen)
{
	MPI_ENTER;
	struct weft_win *w = NULL;
	int err = 0;

	if (win != MPI_WIN_NULL)
		err = mpi_check_win(__func__, 1, win, &w);
	if (!err)
		err = weft_check_ptr(w, __func__, 2, win_name, "win_name");
	if (!err)
		err = weft_check_ptr(w, __func__, 3, resultlen, "resultlen");
	if (!err)
		*resultlen = snprintf(win_name, MPI_MAX_OBJECT_NAME, "%s",
				      w ? w->name : "MPI_WIN_NULL");
	return err;
}

#pragma weak MPI_Win_set_info = PMPI_Win_set_info
int PMPI_Win_set_info(MPI_Win win, MPI_Info info)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (!err)
		err = mpi_check_info(w, __func__, 2, info);
	return err ? err
		   : weft_err_rc(w, __func__,
				 weft_win_hint(w, weft_info_of(info)));
}

#pragma weak MPI_Win_get_info = PMPI_Win_get_info
int PMPI_Win_get_info(MPI_Win win, MPI_Info *info_used)
{
	MPI_ENTER;
	struct weft_win *w;
	struct weft_info *info;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (!err)
		err = weft_check_ptr(w, __func__, 2, info_used, "info_used");
	if (err)
		return err;
	info = weft_info_dup(w->info);
	if (!info || weft_device_info(info)) {
		weft_info_close(info);
		return weft_err_rc(w, __func__, -ENOMEM);
	}
	*info_used = weft_info_handle(info);
	return MPI_SUCCESS;
}

#define MPI_BODY "src/mpi/win/mpi_win_body.inc"
#include "src/mpi/mpi_both_counts.h"
