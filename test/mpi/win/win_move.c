/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put and get: every kind of window, every kind of epoch, sizes from 0 to long,
 * types with gaps on both sides, requests, large counts.
 */
#include "win_t.h"

#define ROOM 300000

/* Puts and gets of one length, in one epoch for each direction. */
static void one_size(struct wt *w, enum wt_sync sync, size_t len)
{
	int next = (w->rank + 1) % w->size;
	char *out = malloc(len + 1), *in = malloc(len + 1);

	for (int o = 0; o < w->size; o++) {
		int t = (o + 1) % w->size;

		wt_begin(w, sync, o, t);
		if (w->rank == o) {
			mt_fill(out, len, (uint64_t)o + len);
			MT_OK(MPI_Put(out, (int)len, MPI_BYTE, t,
				      wt_disp(w, t, 8), (int)len, MPI_BYTE,
				      w->win));
		}
		wt_end(w, sync, o, t);
		if (w->rank == t)
			MT_TRUE(mt_same(w->mem + 8, len, (uint64_t)o + len));
		wt_begin(w, sync, o, t);
		if (w->rank == o)
			MT_OK(MPI_Get(in, (int)len, MPI_BYTE, next,
				      wt_disp(w, next, 8), (int)len, MPI_BYTE,
				      w->win));
		wt_end(w, sync, o, t);
		if (w->rank == o)
			MT_TRUE(mt_same(in, len, (uint64_t)o + len));
	}
	free(out);
	free(in);
}

static void sizes(struct wt *w)
{
	static const size_t len[] = { 0, 1, 7, 8, 9, 64, 511, 4096, 20000 };

	for (int s = 0; s < WT_SYNCS; s++)
		for (size_t i = 0; i < sizeof(len) / sizeof(*len); i++)
			one_size(w, s, len[i]);
	one_size(w, WT_LOCK_ALL, ROOM - 8);
}

/*
 * Every third int of the origin is put to pairs of ints at the target, and read
 * back.
 */
static void gaps(struct wt *w)
{
	MPI_Datatype a, b;
	int out[300], in[300], t = (w->rank + w->size - 1) % w->size;

	MPI_Type_vector(100, 1, 3, MPI_INT, &a);
	MPI_Type_vector(50, 2, 5, MPI_INT, &b);
	MPI_Type_commit(&a);
	MPI_Type_commit(&b);
	for (int i = 0; i < 300; i++) {
		out[i] = w->rank * 1000 + i;
		in[i] = -1;
	}
	MT_OK(MPI_Win_fence(0, w->win));
	MT_OK(MPI_Put(out, 1, a, t, wt_disp(w, t, 16), 1, b, w->win));
	MT_OK(MPI_Win_fence(0, w->win));
	for (int i = 0; i < 100; i++)
		MT_IS(((int *)(w->mem + 16))[i / 2 * 5 + i % 2],
		      (w->rank + 1) % w->size * 1000 + 3 * i);
	MT_OK(MPI_Get(in, 1, a, t, wt_disp(w, t, 16), 100, MPI_INT, w->win));
	MT_OK(MPI_Win_fence(0, w->win));
	MT_OK(MPI_Get(in, 100, MPI_INT, t, wt_disp(w, t, 16), 1, b, w->win));
	MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
	for (int i = 0; i < 100; i++)
		MT_IS(in[i], w->rank * 1000 + 3 * i);
	MPI_Type_free(&a);
	MPI_Type_free(&b);
}

/*
 * Types may be freed immediately after the call; the library keeps them as long
 * as needed.
 */
static void freed_types(struct wt *w)
{
	MPI_Datatype a;
	int out[20], t = (w->rank + 1) % w->size;

	for (int i = 0; i < 20; i++)
		out[i] = w->rank + i;
	MPI_Type_vector(10, 1, 2, MPI_INT, &a);
	MPI_Type_commit(&a);
	MT_OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win));
	MT_OK(MPI_Put(out, 1, a, t, wt_disp(w, t, 0), 1, a, w->win));
	MPI_Type_free(&a);
	MT_OK(MPI_Win_flush_local(t, w->win));
	memset(out, 0, sizeof(out));
	MT_OK(MPI_Win_unlock_all(w->win));
	MPI_Barrier(w->comm);
	for (int i = 0; i < 20; i += 2)
		MT_IS(((int *)w->mem)[i],
		      (w->rank + w->size - 1) % w->size + i);
	MPI_Barrier(w->comm);
}

static void requests(struct wt *w)
{
	int t = (w->rank + 1) % w->size, k;
	int from = (w->rank + w->size - 1) % w->size;
	double out[64], in[64];
	MPI_Request q[64];
	MPI_Status st;

	MT_OK(MPI_Win_lock_all(0, w->win));
	for (k = 0; k < 64; k++) {
		out[k] = w->rank * 100 + k;
		MT_OK(MPI_Rput(&out[k], 1, MPI_DOUBLE, t,
			       wt_disp(w, t, (size_t)k * 8), 1, MPI_DOUBLE,
			       w->win, &q[k]));
	}
	MT_OK(MPI_Waitall(64, q, MPI_STATUSES_IGNORE));
	MT_OK(MPI_Win_flush(t, w->win));
	MPI_Barrier(w->comm);
	MT_OK(MPI_Win_sync(w->win));
	for (k = 0; k < 64; k++) {
		MT_TRUE(((double *)w->mem)[k] == from * 100 + k);
		MT_OK(MPI_Rget_c(&in[k], 1, MPI_DOUBLE, t,
				 wt_disp(w, t, (size_t)k * 8), 1, MPI_DOUBLE,
				 w->win, &q[k]));
	}
	for (k = 0; k < 64; k++) {
		MT_OK(MPI_Wait(&q[k], &st));
		MT_TRUE(q[k] == MPI_REQUEST_NULL);
		MT_TRUE(in[k] == w->rank * 100 + k);
	}
	MPI_Barrier(w->comm);
	/* without MPI_Wait, the request completes with the epoch */
	MT_OK(MPI_Rput_c(&out[7], 1, MPI_DOUBLE, t, wt_disp(w, t, 0), 1,
			 MPI_DOUBLE, w->win, &q[0]));
	MPI_Request_free(&q[0]);
	MT_OK(MPI_Win_unlock_all(w->win));
	MPI_Barrier(w->comm);
	MT_TRUE(((double *)w->mem)[0] == from * 100 + 7);
	MPI_Barrier(w->comm);
}

/* Accesses to MPI_PROC_NULL, accesses of zero elements, and large counts. */
static void edge_cases(struct wt *w)
{
	int x = 5, y = 6;
	MPI_Request q;

	MT_OK(MPI_Win_lock_all(0, w->win));
	MT_OK(MPI_Put(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w->win));
	MT_OK(MPI_Get(&y, 1, MPI_INT, MPI_PROC_NULL, -7, 1, MPI_INT, w->win));
	MT_OK(MPI_Rput(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w->win,
		       &q));
	MT_OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	MT_IS(y, 6);
	MT_OK(MPI_Put(NULL, 0, MPI_INT, 0, wt_disp(w, 0, 0), 0, MPI_INT,
		      w->win));
	MT_OK(MPI_Put_c(&x, 1, MPI_INT, w->rank, wt_disp(w, w->rank, 40), 1,
			MPI_INT, w->win));
	MT_OK(MPI_Get_c(&y, 1, MPI_INT, w->rank, wt_disp(w, w->rank, 40), 1,
			MPI_INT, w->win));
	MT_OK(MPI_Win_flush(w->rank, w->win));
	MT_IS(y, 5);
	MT_OK(MPI_Win_flush(MPI_PROC_NULL, w->win));
	MT_OK(MPI_Win_unlock_all(w->win));
	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, w->win));
	MT_OK(MPI_Win_unlock(MPI_PROC_NULL, w->win));
}

/* Tests windows in which some ranks, or all ranks, have no memory. */
static void windows_without_memory(enum win_kind kind)
{
	struct wt w = wt_open(kind, MPI_COMM_WORLD,
			      mt_rank == mt_size / 2 ? 64 : 0, 1);
	struct wt none = wt_open(kind, MPI_COMM_WORLD, 0, 1);
	int x = mt_rank, t = mt_size / 2;

	MT_OK(MPI_Win_fence(0, none.win));
	MT_OK(MPI_Win_fence(0, none.win));
	MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w.win));
	MT_OK(MPI_Put(&x, 1, MPI_INT, t, wt_disp(&w, t, 0), 1, MPI_INT, w.win));
	MT_OK(MPI_Win_unlock(t, w.win));
	MPI_Barrier(MPI_COMM_WORLD);
	if (mt_rank == t)
		MT_TRUE(*(int *)w.mem >= 0 && *(int *)w.mem < mt_size);
	wt_close(&none);
	wt_close(&w);
}

/* Tests displacement units that differ between ranks. */
static void units(void)
{
	int unit = mt_rank % 2 ? 8 : 1, x = mt_rank,
	    t = (mt_rank + 1) % mt_size;
	char *mem = calloc(1, 800);
	MPI_Win win;

	MT_OK(MPI_Win_create_c(mem, 800, unit, MPI_INFO_NULL, MPI_COMM_WORLD,
			       &win));
	MT_OK(MPI_Win_fence(0, win));
	MT_OK(MPI_Put(&x, 1, MPI_INT, t, t % 2 ? 10 : 80, 1, MPI_INT, win));
	MT_OK(MPI_Win_fence(0, win));
	MT_IS(*(int *)(mem + 80), (mt_rank + mt_size - 1) % mt_size);
	MT_OK(MPI_Win_free(&win));
	free(mem);
}

/* Uses several windows at once, on subsets of the world. */
static void windows_on_subsets(void)
{
	MPI_Comm half;
	struct wt w[WT_KINDS];
	int x, t;

	MPI_Comm_split(MPI_COMM_WORLD, mt_rank % 2, -mt_rank, &half);
	for (int k = 0; k < WT_KINDS; k++)
		w[k] = wt_open(k, half, 64, 4);
	for (int k = 0; k < WT_KINDS; k++) {
		x = mt_rank * 10 + k;
		t = (w[k].rank + 1) % w[k].size;
		MT_OK(MPI_Win_fence(0, w[k].win));
		MT_OK(MPI_Put(&x, 1, MPI_INT, t, wt_disp(&w[k], t, 8), 1,
			      MPI_INT, w[k].win));
		MT_OK(MPI_Win_fence(0, w[k].win));
		MPI_Sendrecv(&x, 1, MPI_INT, t, 0, &x, 1, MPI_INT,
			     (w[k].rank + w[k].size - 1) % w[k].size, 0, half,
			     MPI_STATUS_IGNORE);
	}
	for (int k = 0; k < WT_KINDS; k++)
		MT_IS(*(int *)(w[k].mem + 8) % 10, k);
	for (int k = 0; k < WT_KINDS; k++)
		wt_close(&w[k]);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	for (int k = 0; k < WT_KINDS; k++) {
		struct wt w = wt_open(k, MPI_COMM_WORLD, ROOM, 4);

		sizes(&w);
		gaps(&w);
		freed_types(&w);
		requests(&w);
		edge_cases(&w);
		wt_close(&w);
		windows_without_memory(k);
	}
	units();
	windows_on_subsets();
	return mt_end();
}
