/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions with MPI_Count arguments: each has the same effect as its int form,
 * and none truncates a count or a displacement unit to an int.
 */
#include "win_t.h"

#define N     16
/* a count that becomes 1 if truncated to an int */
#define LARGE ((MPI_Count)1 << 32 | 1)

static void fetch_all(struct wt *w, int to, MPI_Aint at)
{
	long one[N], old[N];
	MPI_Request r;

	for (int i = 0; i < N; i++)
		one[i] = 1;
	MT_OK(MPI_Accumulate_c(one, N, MPI_LONG, to, at, N, MPI_LONG, MPI_SUM,
			       w->win));
	MT_OK(MPI_Get_accumulate_c(one, N, MPI_LONG, old, N, MPI_LONG, to, at,
				   N, MPI_LONG, MPI_SUM, w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	for (int i = 0; i < N; i++)
		MT_IS(old[i], 10 * i + w->rank + 1);
	MT_OK(MPI_Raccumulate_c(one, N, MPI_LONG, to, at, N, MPI_LONG, MPI_SUM,
				w->win, &r));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_OK(MPI_Rget_accumulate_c(NULL, 0, MPI_LONG, old, N, MPI_LONG, to, at,
				    N, MPI_LONG, MPI_NO_OP, w->win, &r));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	for (int i = 0; i < N; i++)
		MT_IS(old[i], 10 * i + w->rank + 3);
}

static void count_forms(struct wt *w)
{
	int to = (w->rank + 1) % w->size;
	MPI_Aint at = wt_disp(w, to, 0);
	long out[N], in[N];
	MPI_Request r;

	for (int i = 0; i < N; i++)
		out[i] = 10 * i + w->rank;
	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w->win));
	MT_OK(MPI_Put_c(out, N, MPI_LONG, to, at, N, MPI_LONG, w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	MT_OK(MPI_Get_c(in, N, MPI_LONG, to, at, N, MPI_LONG, w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	MT_TRUE(!memcmp(in, out, sizeof(in)));
	memset(in, 0, sizeof(in));
	MT_OK(MPI_Rput_c(out, N, MPI_LONG, to, at, N, MPI_LONG, w->win, &r));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_OK(MPI_Win_flush(to, w->win));
	MT_OK(MPI_Rget_c(in, N, MPI_LONG, to, at, N, MPI_LONG, w->win, &r));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_TRUE(!memcmp(in, out, sizeof(in)));
	fetch_all(w, to, at);
	MT_OK(MPI_Win_unlock(to, w->win));
}

/*
 * A count of LARGE exceeds the window; if it were truncated to 1, the access
 * would be valid.
 */
static void too_many(struct wt *w)
{
	int to = (w->rank + 1) % w->size;
	char c = 0, old = 0;
	MPI_Aint at = wt_disp(w, to, 0);
	MPI_Request r;

	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w->win));
#define REFUSED(call) MT_IS(mt_class(call), MPI_ERR_RMA_RANGE)
	REFUSED(MPI_Put_c(&c, LARGE, MPI_CHAR, to, at, LARGE, MPI_CHAR,
			  w->win));
	REFUSED(MPI_Get_c(&c, LARGE, MPI_CHAR, to, at, LARGE, MPI_CHAR,
			  w->win));
	REFUSED(MPI_Rput_c(&c, LARGE, MPI_CHAR, to, at, LARGE, MPI_CHAR, w->win,
			   &r));
	REFUSED(MPI_Rget_c(&c, LARGE, MPI_CHAR, to, at, LARGE, MPI_CHAR, w->win,
			   &r));
	REFUSED(MPI_Accumulate_c(&c, LARGE, MPI_SIGNED_CHAR, to, at, LARGE,
				 MPI_SIGNED_CHAR, MPI_SUM, w->win));
	REFUSED(MPI_Raccumulate_c(&c, LARGE, MPI_SIGNED_CHAR, to, at, LARGE,
				  MPI_SIGNED_CHAR, MPI_SUM, w->win, &r));
	REFUSED(MPI_Get_accumulate_c(&c, LARGE, MPI_SIGNED_CHAR, &old, LARGE,
				     MPI_SIGNED_CHAR, to, at, LARGE,
				     MPI_SIGNED_CHAR, MPI_SUM, w->win));
	REFUSED(MPI_Rget_accumulate_c(&c, LARGE, MPI_SIGNED_CHAR, &old, LARGE,
				      MPI_SIGNED_CHAR, to, at, LARGE,
				      MPI_SIGNED_CHAR, MPI_SUM, w->win, &r));
#undef REFUSED
	MT_OK(MPI_Win_unlock(to, w->win));
}

/* Displacement units larger than an int: only displacement 0 is valid. */
static void units(void)
{
	MPI_Aint unit = (MPI_Aint)1 << 33, size, got;
	long *mem, mine[N] = { 0 }, x = mt_rank;
	int to = (mt_rank + 1) % mt_size, share;
	MPI_Win win[3];

	share = !wt_cannot_share(MPI_COMM_WORLD);
	MT_OK(MPI_Win_create_c(mine, sizeof(mine), unit, MPI_INFO_NULL,
			       MPI_COMM_WORLD, &win[0]));
	MT_OK(MPI_Win_allocate_c(sizeof(mine), unit, MPI_INFO_NULL,
				 MPI_COMM_WORLD, &mem, &win[1]));
	if (share)
		MT_OK(MPI_Win_allocate_shared_c(sizeof(mine), unit,
						MPI_INFO_NULL, MPI_COMM_WORLD,
						&mem, &win[2]));
	for (int i = 0; i < 2 + share; i++) {
		MPI_Win_set_errhandler(win[i], MPI_ERRORS_RETURN);
		MT_OK(MPI_Win_fence(0, win[i]));
		MT_IS(mt_class(MPI_Put(&x, 1, MPI_LONG, to, 1, 1, MPI_LONG,
				       win[i])),
		      MPI_ERR_RMA_RANGE);
		MT_OK(MPI_Put(&x, 1, MPI_LONG, to, 0, 1, MPI_LONG, win[i]));
		MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win[i]));
	}
	MT_IS(mine[0], (mt_rank + mt_size - 1) % mt_size);
	if (share) {
		MT_OK(MPI_Win_shared_query_c(win[2], to, &size, &got, &mem));
		MT_IS(size, (MPI_Aint)sizeof(mine));
		MT_TRUE(got == unit);
	}
	for (int i = 0; i < 2 + share; i++)
		MT_OK(MPI_Win_free(&win[i]));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	for (int k = 0; k < WT_KINDS; k++) {
		struct wt w = wt_open(k, MPI_COMM_WORLD, N * sizeof(long), 8);

		count_forms(&w);
		/*
		 * in dynamic windows the fabric or the target detects the error
		 */
		if (!wt_is_dynamic(&w))
			too_many(&w);
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
		wt_close(&w);
	}
	units();
	return mt_end();
}
