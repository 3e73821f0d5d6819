/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Count 0 in every access to windows of every kind, also to windows without
 * memory, with every kind of datatype on both sides, with null and valid
 * buffers.
 */
#include "win_t.h"
#include "zero_t.h"

static void wait_all(MPI_Request *r, int n)
{
	MT_OK(MPI_Waitall(n, r, MPI_STATUSES_IGNORE));
}

/*
 * Calls both forms (int and MPI_Count) of an access. The count at the target is
 * 0 as well, since the origin has no data.
 */
#define BOTH(N, ...)                             \
	do {                                     \
		MT_OK(MPI_##N(__VA_ARGS__));     \
		MT_OK(MPI_##N##_c(__VA_ARGS__)); \
	} while (0)
#define BOTH_R(N, ...)                                   \
	do {                                             \
		MPI_Request r_[2];                       \
		MT_OK(MPI_##N(__VA_ARGS__, &r_[0]));     \
		MT_OK(MPI_##N##_c(__VA_ARGS__, &r_[1])); \
		wait_all(r_, 2);                         \
	} while (0)

static void moves(int i, void *buf, int target, MPI_Win win)
{
	MPI_Datatype t = zero_type[i].type, u = zero_peer_type(i);

	BOTH(Put, buf, zero_n, t, target, 0, 0, u, win);
	BOTH(Get, buf, zero_n, t, target, 0, 0, u, win);
}

static void moves_with_requests(int i, void *buf, int target, MPI_Win win)
{
	MPI_Datatype t = zero_type[i].type, u = zero_peer_type(i);

	BOTH_R(Rput, buf, zero_n, t, target, 0, 0, u, win);
	BOTH_R(Rget, buf, zero_n, t, target, 0, 0, u, win);
}

/*
 * Returns whether the type consists of one basic type, as accumulates require.
 */
static int has_one_basic(int i)
{
	return strcmp(zero_type[i].name, "struct") != 0;
}

/* Accumulates with the same basic type on both sides. */
static void accumulates(int i, void *buf, int target, MPI_Win win)
{
	MPI_Datatype t = zero_type[i].type;

	BOTH(Accumulate, buf, zero_n, t, target, 0, zero_n, t, MPI_REPLACE,
	     win);
	BOTH(Get_accumulate, buf, zero_n, t, buf, zero_n, t, target, 0, zero_n,
	     t, MPI_NO_OP, win);
	if (zero_type[i].basic && t != MPI_INT)
		return;
	BOTH(Accumulate, buf, zero_n, t, target, 0, zero_n, t, MPI_SUM, win);
	BOTH(Get_accumulate, buf, zero_n, t, buf, zero_n, t, target, 0, zero_n,
	     t, MPI_SUM, win);
}

static void accumulates_with_requests(int i, void *buf, int target, MPI_Win win)
{
	MPI_Datatype t = zero_type[i].type;

	BOTH_R(Raccumulate, buf, zero_n, t, target, 0, zero_n, t, MPI_REPLACE,
	       win);
	BOTH_R(Rget_accumulate, buf, zero_n, t, buf, zero_n, t, target, 0,
	       zero_n, t, MPI_NO_OP, win);
}

static void in_fence(int i, void *buf, int target, MPI_Win win)
{
	MT_OK(MPI_Win_fence(0, win));
	moves(i, buf, target, win);
	if (has_one_basic(i))
		accumulates(i, buf, target, win);
	MT_OK(MPI_Win_fence(0, win));
}

static void in_lock(int i, void *buf, int target, MPI_Win win)
{
	MT_OK(MPI_Win_lock_all(0, win));
	moves(i, buf, target, win);
	moves_with_requests(i, buf, target, win);
	if (has_one_basic(i)) {
		accumulates(i, buf, target, win);
		accumulates_with_requests(i, buf, target, win);
	}
	MT_OK(MPI_Win_flush_all(win));
	MT_OK(MPI_Win_unlock_all(win));
}

static void each_type(MPI_Win win)
{
	int next = (mt_rank + 1) % mt_size;

	for (int i = 0; i < zero_types; i++) {
		for (zero_n = 0; zero_n <= zero_max_count(i); zero_n += 3) {
			for (int b = 0; b < 2; b++) {
				in_fence(i, zero_buf[b], next, win);
				in_lock(i, zero_buf[b], next, win);
				in_lock(i, zero_buf[b], mt_rank, win);
				in_lock(i, zero_buf[b], MPI_PROC_NULL, win);
			}
		}
	}
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	zero_begin();
	for (int kind = 0; kind < WT_KINDS; kind++) {
		if (kind == WT_SHARED && wt_cannot_share(MPI_COMM_WORLD))
			continue;
		for (int bytes = 0; bytes <= 64; bytes += 64) {
			struct wt w =
				wt_open(kind, MPI_COMM_WORLD, (size_t)bytes, 1);

			each_type(w.win);
			wt_close(&w);
		}
	}
	zero_end();
	return mt_end();
}
