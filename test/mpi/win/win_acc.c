/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accumulate functions: every operation on every predefined type that
 * supports it, compared with MPI_Reduce_local; fetched values; compare and
 * swap; types with gaps; concurrent operations on the same elements, of which
 * none is lost or seen twice.
 */
#include "win_t.h"

#define N    24 /* number of elements of a small case */
#define ROOM 65536

static const MPI_Op ops[] = { MPI_SUM,	   MPI_PROD, MPI_MIN,	 MPI_MAX,
			      MPI_LAND,	   MPI_LOR,  MPI_LXOR,	 MPI_BAND,
			      MPI_BOR,	   MPI_BXOR, MPI_MINLOC, MPI_MAXLOC,
			      MPI_REPLACE, MPI_NO_OP };
static const MPI_Datatype types[] = {
	MPI_SIGNED_CHAR,
	MPI_UNSIGNED_CHAR,
	MPI_SHORT,
	MPI_UNSIGNED_SHORT,
	MPI_INT,
	MPI_UNSIGNED,
	MPI_LONG,
	MPI_UNSIGNED_LONG,
	MPI_LONG_LONG,
	MPI_INT8_T,
	MPI_UINT16_T,
	MPI_INT32_T,
	MPI_UINT64_T,
	MPI_FLOAT,
	MPI_DOUBLE,
	MPI_LONG_DOUBLE,
	MPI_C_BOOL,
	MPI_BYTE,
	MPI_AINT,
	MPI_OFFSET,
	MPI_COUNT,
	MPI_C_FLOAT_COMPLEX,
	MPI_C_DOUBLE_COMPLEX,
	MPI_FLOAT_INT,
	MPI_DOUBLE_INT,
	MPI_LONG_INT,
	MPI_2INT,
	MPI_SHORT_INT,
	MPI_LONG_DOUBLE_INT,
	MPI_CHAR,
};

/*
 * Fills n elements of type t with small numbers, so that no sum or product is
 * rounded.
 */
static void fill(MPI_Datatype t, char *buf, int n, int seed)
{
	MPI_Aint lb, ext;

	MPI_Type_get_extent(t, &lb, &ext);
	memset(buf, 0, (size_t)n * (size_t)ext);
	for (int i = 0; i < n; i++) {
		char *p = buf + i * ext;
		int v = (seed + i * 7) % 3 + 1;

		if (t == MPI_FLOAT || t == MPI_FLOAT_INT ||
		    t == MPI_C_FLOAT_COMPLEX)
			*(float *)p = (float)v;
		else if (t == MPI_DOUBLE || t == MPI_DOUBLE_INT ||
			 t == MPI_C_DOUBLE_COMPLEX)
			*(double *)p = v;
		else if (t == MPI_LONG_DOUBLE || t == MPI_LONG_DOUBLE_INT)
			*(long double *)p = v;
		else if (t == MPI_C_BOOL)
			*p = v > 1;
		else
			*p = (char)v;
		if (t == MPI_C_FLOAT_COMPLEX)
			((float *)p)[1] = (float)(v % 2);
		if (t == MPI_C_DOUBLE_COMPLEX)
			((double *)p)[1] = v % 2;
		if (t == MPI_2INT || t == MPI_FLOAT_INT || t == MPI_SHORT_INT)
			((int *)p)[1] = i + seed;
		if (t == MPI_DOUBLE_INT || t == MPI_LONG_INT)
			((int *)p)[2] = i + seed;
		if (t == MPI_LONG_DOUBLE_INT)
			((int *)p)[4] = i + seed;
	}
}

/* Compares elements, except gaps. */
static int same(MPI_Datatype t, const void *a, const void *b, int n)
{
	char x[N * 64], y[N * 64];
	int px = 0, py = 0;

	if (t == MPI_LONG_DOUBLE || t == MPI_LONG_DOUBLE_INT) {
		MPI_Aint lb, e;

		MPI_Type_get_extent(t, &lb, &e);
		for (int i = 0; i < n; i++)
			if (*(long double *)((char *)a + i * e) !=
			    *(long double *)((char *)b + i * e))
				return 0;
		return 1;
	}
	MPI_Pack(a, n, t, x, sizeof(x), &px, MPI_COMM_SELF);
	MPI_Pack(b, n, t, y, sizeof(y), &py, MPI_COMM_SELF);
	return px == py && !memcmp(x, y, (size_t)px);
}

/* Returns whether MPI_Reduce_local accepts the operation on the type. */
static int allowed(MPI_Op op, MPI_Datatype t)
{
	char a[64] = { 0 }, b[64] = { 0 };
	int rc;

	if (op == MPI_REPLACE || op == MPI_NO_OP)
		return 1;
	rc = MPI_Reduce_local(a, b, 1, t, op);
	return rc == MPI_SUCCESS;
}

static void expect(MPI_Op op, MPI_Datatype t, char *mem, const char *in, int n)
{
	MPI_Aint lb, ext;

	MPI_Type_get_extent(t, &lb, &ext);
	if (op == MPI_REPLACE)
		memcpy(mem, in, (size_t)(n * ext));
	else if (op != MPI_NO_OP)
		MPI_Reduce_local(in, mem, n, t, op);
}

/*
 * Tests one operation on one type. at: offset in the window in bytes; odd
 * offsets are unaligned.
 */
static void one_pair(struct wt *w, MPI_Op op, MPI_Datatype t, size_t at)
{
	char in[N * 32], old[N * 32], model[N * 32], first[N * 32], now[N * 32];
	int to = (w->rank + 1) % w->size;

	fill(t, first, N, to);
	memcpy(model, first, sizeof(model));
	fill(t, in, N, w->rank + 1);
	MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w->win));
	MT_OK(MPI_Put(first, N, t, to, wt_disp(w, to, at), N, t, w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	memset(old, 0, sizeof(old));
	MT_OK(MPI_Get_accumulate(in, N, t, old, N, t, to, wt_disp(w, to, at), N,
				 t, op, w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	MT_TRUE(same(t, old, first, N));
	expect(op, t, model, in, N);
	if (op != MPI_NO_OP) {
		MT_OK(MPI_Accumulate(in, N, t, to, wt_disp(w, to, at), N, t, op,
				     w->win));
		expect(op, t, model, in, N);
	}
	memset(old, 0, sizeof(old));
	MT_OK(MPI_Fetch_and_op(in, old, t, to, wt_disp(w, to, at), op, w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	MT_TRUE(same(t, old, model, 1));
	expect(op, t, model, in, 1);
	MT_OK(MPI_Get(now, N, t, to, wt_disp(w, to, at), N, t, w->win));
	MT_OK(MPI_Win_unlock(to, w->win));
	MT_TRUE(same(t, now, model, N));
}

static void pairs(struct wt *w)
{
	MPI_Aint lb, ext;

	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++)
		for (size_t o = 0; o < sizeof(ops) / sizeof(*ops); o++) {
			if (!allowed(ops[o], types[t]))
				continue;
			one_pair(w, ops[o], types[t], 64);
			/* elements that are not aligned to their size */
			MPI_Type_get_extent(types[t], &lb, &ext);
			if (ext > 8)
				one_pair(w, ops[o], types[t], 8);
		}
	/* an unaligned offset, if the displacement unit allows it */
	if (w->unit == 1 || wt_is_dynamic(w)) {
		one_pair(w, MPI_SUM, MPI_INT, 65);
		one_pair(w, MPI_MAX, MPI_DOUBLE, 67);
		one_pair(w, MPI_REPLACE, MPI_SHORT, 33);
	}
}

/* ---- compare and swap ---------------------------------------------------- */

static void swap_one(struct wt *w, MPI_Datatype t, size_t bytes)
{
	int to = (w->rank + 1) % w->size;
	uint64_t is = 0x1122334455667788u, want = 0x8877665544332211u;
	uint64_t old = 0, now = 0;

	MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w->win));
	MT_OK(MPI_Put(&is, 1, t, to, wt_disp(w, to, 16), 1, t, w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	MT_OK(MPI_Compare_and_swap(&want, &want, &old, t, to,
				   wt_disp(w, to, 16), w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	MT_TRUE(!memcmp(&old, &is, bytes));
	MT_OK(MPI_Compare_and_swap(&want, &is, &old, t, to, wt_disp(w, to, 16),
				   w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	MT_TRUE(!memcmp(&old, &is, bytes));
	MT_OK(MPI_Get(&now, 1, t, to, wt_disp(w, to, 16), 1, t, w->win));
	MT_OK(MPI_Win_unlock(to, w->win));
	MT_TRUE(!memcmp(&now, &want, bytes));
}

static void swaps(struct wt *w)
{
	swap_one(w, MPI_INT8_T, 1);
	swap_one(w, MPI_BYTE, 1);
	swap_one(w, MPI_SHORT, 2);
	swap_one(w, MPI_INT, 4);
	swap_one(w, MPI_UNSIGNED, 4);
	swap_one(w, MPI_LONG, 8);
	swap_one(w, MPI_AINT, 8);
	swap_one(w, MPI_C_BOOL, 1);
}

/* ---- types with gaps ----------------------------------------------------- */

static void gaps(struct wt *w)
{
	MPI_Datatype a, b, p, q;
	int in[60], old[60], to = (w->rank + 1) % w->size;
	struct {
		double v;
		int i;
	} pair[6], was[6];

	MPI_Type_vector(20, 1, 3, MPI_INT, &a);
	MPI_Type_vector(10, 2, 7, MPI_INT, &b);
	MPI_Type_vector(3, 1, 2, MPI_DOUBLE_INT, &p);
	MPI_Type_contiguous(3, MPI_DOUBLE_INT, &q);
	MPI_Type_commit(&a);
	MPI_Type_commit(&b);
	MPI_Type_commit(&p);
	MPI_Type_commit(&q);
	MPI_Barrier(w->comm);
	memset(w->mem, 0, ROOM);
	for (int i = 0; i < 60; i++)
		in[i] = i + w->rank;
	MT_OK(MPI_Win_fence(0, w->win));
	for (int k = 0; k < 3;
	     k++) /* accumulates are applied in the order of the calls */
		MT_OK(MPI_Accumulate(in, 1, a, to, wt_disp(w, to, 32), 1, b,
				     MPI_SUM, w->win));
	MT_OK(MPI_Get_accumulate(NULL, 0, MPI_INT, old, 20, MPI_INT, to,
				 wt_disp(w, to, 32), 1, b, MPI_NO_OP, w->win));
	MT_OK(MPI_Win_fence(0, w->win));
	for (int i = 0; i < 20; i++) {
		int from = (w->rank + w->size - 1) % w->size;

		MT_IS(old[i], 3 * (3 * i + w->rank));
		MT_IS(((int *)(w->mem + 32))[i / 2 * 7 + i % 2],
		      3 * (3 * i + from));
	}
	memset(w->mem, 0, ROOM);
	memset(pair, 0, sizeof(pair));
	for (int i = 0; i < 6; i++) {
		pair[i].v = i % 2 ? -1 : i + 1;
		pair[i].i = i + 10;
	}
	MT_OK(MPI_Win_fence(0, w->win));
	MT_OK(MPI_Get_accumulate_c(pair, 1, p, was, 3, MPI_DOUBLE_INT, to,
				   wt_disp(w, to, 64), 1, q, MPI_MAXLOC,
				   w->win));
	MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
	for (int i = 0; i < 3; i++) {
		char *at = w->mem + 64 + 16 * i;

		MT_TRUE(was[i].v == 0 && was[i].i == 0);
		MT_TRUE(*(double *)at == 2 * i + 1 &&
			*(int *)(at + 8) == 2 * i + 10);
	}
	MPI_Type_free(&a);
	MPI_Type_free(&b);
	MPI_Type_free(&p);
	MPI_Type_free(&q);
}

/* ---- concurrent operations ----------------------------------------------- */

static void concurrent_adds(struct wt *w)
{
	enum { TIMES = 50, LEN = 40 };
	double one[LEN];
	long double ld = 1;
	int ones[LEN];

	for (int i = 0; i < LEN; i++)
		one[i] = ones[i] = 1;
	memset(w->mem, 0, ROOM);
	MPI_Barrier(w->comm);
	MT_OK(MPI_Win_lock_all(0, w->win));
	for (int k = 0; k < TIMES; k++)
		for (int t = 0; t < w->size; t++) {
			MT_OK(MPI_Accumulate(one, LEN, MPI_DOUBLE, t,
					     wt_disp(w, t, 0), LEN, MPI_DOUBLE,
					     MPI_SUM, w->win));
			MT_OK(MPI_Accumulate(ones, LEN, MPI_INT, t,
					     wt_disp(w, t, 4096), LEN, MPI_INT,
					     MPI_SUM, w->win));
			MT_OK(MPI_Accumulate(&ld, 1, MPI_LONG_DOUBLE, t,
					     wt_disp(w, t, 8192), 1,
					     MPI_LONG_DOUBLE, MPI_SUM, w->win));
		}
	MT_OK(MPI_Win_unlock_all(w->win));
	MPI_Barrier(w->comm);
	for (int i = 0; i < LEN; i++) {
		MT_TRUE(((double *)w->mem)[i] == TIMES * w->size);
		MT_IS(((int *)(w->mem + 4096))[i], TIMES * w->size);
	}
	MT_TRUE(*(long double *)(w->mem + 8192) == TIMES * w->size);
}

/*
 * All ranks increment a shared counter: every old value is returned exactly
 * once.
 */
static void counter(struct wt *w)
{
	enum { TIMES = 100 };
	int64_t one = 1, got = -1, before;
	char *seen = calloc((size_t)w->size * TIMES, 1);

	memset(w->mem, 0, ROOM);
	MPI_Barrier(w->comm);
	MT_OK(MPI_Win_lock_all(0, w->win));
	for (int k = 0; k < TIMES; k++) {
		before = got;
		MT_OK(MPI_Fetch_and_op(&one, &got, MPI_INT64_T, 0,
				       wt_disp(w, 0, 8), MPI_SUM, w->win));
		MT_OK(MPI_Win_flush(0, w->win));
		MT_TRUE(got > before && got < (int64_t)w->size * TIMES);
		seen[got] = 1;
	}
	MT_OK(MPI_Win_unlock_all(w->win));
	MT_OK(MPI_Allreduce(MPI_IN_PLACE, seen, w->size * TIMES, MPI_CHAR,
			    MPI_SUM, w->comm));
	for (int k = 0; k < w->size * TIMES; k++)
		MT_IS(seen[k], 1);
	free(seen);
}

/*
 * Uses a spin lock built from compare and swap to protect operations that are
 * not atomic.
 */
static void mutex(struct wt *w)
{
	enum { TIMES = 20 };
	int mine = w->rank + 1, none = 0, was, value;

	memset(w->mem, 0, ROOM);
	MPI_Barrier(w->comm);
	MT_OK(MPI_Win_lock_all(0, w->win));
	for (int k = 0; k < TIMES; k++) {
		do {
			MT_OK(MPI_Compare_and_swap(&mine, &none, &was, MPI_INT,
						   0, wt_disp(w, 0, 0),
						   w->win));
			MT_OK(MPI_Win_flush(0, w->win));
		} while (was);
		MT_OK(MPI_Get(&value, 1, MPI_INT, 0, wt_disp(w, 0, 64), 1,
			      MPI_INT, w->win));
		MT_OK(MPI_Win_flush(0, w->win));
		value++;
		MT_OK(MPI_Put(&value, 1, MPI_INT, 0, wt_disp(w, 0, 64), 1,
			      MPI_INT, w->win));
		MT_OK(MPI_Win_flush(0, w->win));
		MT_OK(MPI_Accumulate(&none, 1, MPI_INT, 0, wt_disp(w, 0, 0), 1,
				     MPI_INT, MPI_REPLACE, w->win));
		MT_OK(MPI_Win_flush(0, w->win));
	}
	MT_OK(MPI_Win_unlock_all(w->win));
	MPI_Barrier(w->comm);
	if (w->rank == 0)
		MT_IS(*(int *)(w->mem + 64), TIMES * w->size);
	MPI_Barrier(w->comm);
}

/* Tests long vectors, requests, and both forms of counts. */
static void long_vectors(struct wt *w)
{
	enum { LEN = 8000 };
	double *in = malloc(LEN * sizeof(*in)),
	       *old = malloc(LEN * sizeof(*in));
	int to = (w->rank + 1) % w->size;
	int from = (w->rank + w->size - 1) % w->size;
	MPI_Request q[2];

	memset(w->mem, 0, ROOM);
	for (int i = 0; i < LEN; i++)
		in[i] = w->rank + i;
	MPI_Barrier(w->comm);
	MT_OK(MPI_Win_lock_all(0, w->win));
	MT_OK(MPI_Raccumulate(in, LEN, MPI_DOUBLE, to, wt_disp(w, to, 0), LEN,
			      MPI_DOUBLE, MPI_SUM, w->win, &q[0]));
	MT_OK(MPI_Raccumulate_c(in, LEN, MPI_DOUBLE, to, wt_disp(w, to, 0), LEN,
				MPI_DOUBLE, MPI_SUM, w->win, &q[1]));
	MT_OK(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
	MT_OK(MPI_Rget_accumulate(in, LEN, MPI_DOUBLE, old, LEN, MPI_DOUBLE, to,
				  wt_disp(w, to, 0), LEN, MPI_DOUBLE, MPI_SUM,
				  w->win, &q[0]));
	MT_OK(MPI_Wait(&q[0], MPI_STATUS_IGNORE));
	for (int i = 0; i < LEN; i++)
		MT_TRUE(old[i] == 2 * (w->rank + i));
	MT_OK(MPI_Accumulate_c(in, LEN, MPI_DOUBLE, to, wt_disp(w, to, 0), LEN,
			       MPI_DOUBLE, MPI_SUM, w->win));
	MT_OK(MPI_Win_unlock_all(w->win));
	MPI_Barrier(w->comm);
	for (int i = 0; i < LEN; i++)
		MT_TRUE(((double *)w->mem)[i] == 4 * (from + i));
	MPI_Barrier(w->comm);
	free(in);
	free(old);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	for (int k = 0; k < WT_KINDS; k++) {
		struct wt w = wt_open(k, MPI_COMM_WORLD, ROOM, 1);

		pairs(&w);
		swaps(&w);
		gaps(&w);
		concurrent_adds(&w);
		counter(&w);
		mutex(&w);
		long_vectors(&w);
		wt_close(&w);
	}
	return mt_end();
}
