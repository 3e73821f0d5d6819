/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files about windows. */
#ifndef WEFT_MPI_WIN_H
#define WEFT_MPI_WIN_H

#include "src/mpi/mpi_check.h"
#include "src/win/win.h"

/* Raises MPI_ERR_WIN for an invalid handle. */
int mpi_win_bad(const char *func, int arg, MPI_Win handle) WEFT_COLD;

static inline int mpi_check_win(const char *func, int arg, MPI_Win handle,
				struct weft_win **win_p)
{
	*win_p = weft_win_of(handle);
	return weft_likely(*win_p != NULL) ? 0 : mpi_win_bad(func, arg, handle);
}

/* Records for a trace which bytes of a member this call accesses. */
void mpi_win_trace_access(MPI_Win handle, int rank, MPI_Count count,
			  MPI_Datatype type) WEFT_COLD;

/* MPI_ENTER for accesses to windows; tracing is on the slow path. */
#define MPI_ENTER_ACCESS(count, type)              \
	MPI_ENTER;                                 \
	if (weft_unlikely(call_here.slot == NULL)) \
	mpi_win_trace_access(win, target_rank, count, type)

/* The target's side of an access: rank, displacement, count and type are
 * consecutive arguments, the first of them number arg. */
struct mpi_target {
	const char *func;
	int arg;
	int rank;
	MPI_Aint disp;
	MPI_Count count;
	MPI_Datatype type;
	/* object of the datatype; set when the arguments are checked */
	struct weft_dt *dt;
};

/*
 * The origin's side of a call (its first three arguments), and the target's
 * side, whose first argument has number n. Both use the argument names that all
 * these functions have.
 */
#define MPI_WIN_ORIGIN                                          \
	{                                                       \
		.func = __func__, .arg = 1, .buf = origin_addr, \
		.count = origin_count, .type = origin_datatype  \
	}
#define MPI_WIN_TARGET(n)                                            \
	{                                                            \
		__func__, n, target_rank, target_disp, target_count, \
			target_datatype, NULL                        \
	}

/* Finds the wrong argument of a target; 0: no error, also for MPI_PROC_NULL. */
int mpi_check_target_slow(const struct mpi_target *t,
			  struct weft_win *w) WEFT_COLD;

static inline bool mpi_target_is_valid(const struct mpi_target *t,
				       const struct weft_win *w)
{
	const struct weft_win_peer *p = &w->peer[t->rank];

	return t->dt && weft_dt_is_int_safe(t->dt) &&
	       (uint64_t)t->count <= INT_MAX && weft_win_is_open(w, p) &&
	       weft_win_holds(w, p, t->disp, t->count, t->dt);
}

static inline int mpi_check_target(struct mpi_target *t, struct weft_win *w)
{
	t->dt = weft_dt_of(t->type);
	if (weft_likely((unsigned)t->rank < (unsigned)w->size &&
			mpi_target_is_valid(t, w)))
		return 0;
	return mpi_check_target_slow(t, w);
}

/* Raises MPI_ERR_RANK unless rank is a member. */
int mpi_check_win_rank(const char *func, int arg, int rank,
		       const struct weft_win *w);

#endif
