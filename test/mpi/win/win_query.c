/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queries of windows, and every invalid use: each function with each argument
 * that can be wrong, and calls outside the epochs that they need.
 */
#include "win_t.h"

/* ---- attributes, names, groups ------------------------------------------- */

static void attributes(struct wt *w)
{
	static const int flavor[] = {
		MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE,
		MPI_WIN_FLAVOR_SHARED, MPI_WIN_FLAVOR_DYNAMIC,
		MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_DYNAMIC
	};
	void *base, *val;
	MPI_Aint *size;
	int *v, flag;

	MT_OK(MPI_Win_get_attr(w->win, MPI_WIN_BASE, &base, &flag));
	MT_TRUE(flag && base == (wt_is_dynamic(w) ? MPI_BOTTOM : w->mem));
	MT_OK(MPI_Win_get_attr(w->win, MPI_WIN_SIZE, &size, &flag));
	MT_TRUE(flag && *size == (wt_is_dynamic(w) ? 0 : (MPI_Aint)w->bytes));
	MT_OK(MPI_Win_get_attr(w->win, MPI_WIN_DISP_UNIT, &v, &flag));
	MT_TRUE(flag && *v == w->unit);
	MT_OK(MPI_Win_get_attr(w->win, MPI_WIN_CREATE_FLAVOR, &v, &flag));
	MT_TRUE(flag && *v == flavor[w->kind]);
	MT_OK(MPI_Win_get_attr(w->win, MPI_WIN_MODEL, &v, &flag));
	MT_TRUE(flag && *v == MPI_WIN_UNIFIED);
	MT_IS(mt_class(MPI_Win_set_attr(w->win, MPI_WIN_SIZE, &flag)),
	      MPI_ERR_KEYVAL);
	MT_IS(mt_class(MPI_Win_get_attr(w->win, MPI_KEYVAL_INVALID, &val,
					&flag)),
	      MPI_ERR_KEYVAL);
}

static int deleted;

static int on_delete(MPI_Win win, int key, void *val, void *extra)
{
	deleted += *(int *)val;
	return MPI_SUCCESS;
}

static void own_attributes(void)
{
	struct wt w = wt_open(WT_ALLOCATE, MPI_COMM_WORLD, 8, 1);
	int key, other, seven = 7, flag, *val;

	MT_OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &key,
				    NULL));
	MT_OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &other,
				    NULL));
	MT_OK(MPI_Win_get_attr(w.win, key, &val, &flag));
	MT_TRUE(!flag);
	MT_OK(MPI_Win_set_attr(w.win, key, &seven));
	MT_OK(MPI_Win_set_attr(w.win, other, &seven));
	MT_OK(MPI_Win_get_attr(w.win, key, &val, &flag));
	MT_TRUE(flag && val == &seven);
	MT_OK(MPI_Win_delete_attr(w.win, key));
	MT_IS(deleted, 7);
	MT_OK(MPI_Win_get_attr(w.win, key, &val, &flag));
	MT_TRUE(!flag);
	MT_OK(MPI_Win_free_keyval(&key));
	MT_OK(MPI_Win_free_keyval(&other));
	wt_close(&w);
	MT_IS(deleted, 14);
}

/* Null handles have names. */
static void null_names(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	int n;

	MT_OK(MPI_Win_get_name(MPI_WIN_NULL, name, &n));
	MT_TRUE(n == 12 && !strcmp(name, "MPI_WIN_NULL"));
	MT_OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &n));
	MT_TRUE(n == 13 && !strcmp(name, "MPI_COMM_NULL"));
	MT_OK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &n));
	MT_TRUE(n == 17 && !strcmp(name, "MPI_DATATYPE_NULL"));
}

static void names(struct wt *w)
{
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Group a, b;
	int n, same;

	MT_OK(MPI_Win_get_name(w->win, name, &n));
	MT_TRUE(!n && !*name);
	MT_OK(MPI_Win_set_name(w->win, "a view"));
	MT_OK(MPI_Win_get_name(w->win, name, &n));
	MT_TRUE(n == 6 && !strcmp(name, "a view"));
	MT_OK(MPI_Win_get_group(w->win, &a));
	MPI_Comm_group(w->comm, &b);
	MPI_Group_compare(a, b, &same);
	MT_IS(same, MPI_IDENT);
	MPI_Group_free(&a);
	MPI_Group_free(&b);
	n = MPI_Win_toint(w->win);
	MT_TRUE(MPI_Win_fromint(n) == w->win);
}

/* ---- shared memory ------------------------------------------------------- */

/* Tests adjacent segments of different lengths; some ranks have no segment. */
static void shared_parts(int apart)
{
	MPI_Aint size = mt_rank % 3 == 1 ? 0 : 40 + 8 * mt_rank, got;
	char *mine, *at, *behind = NULL;
	MPI_Info info;
	MPI_Win win;
	int unit;

	MPI_Info_create(&info);
	if (apart)
		MPI_Info_set(info, "alloc_shared_noncontig", "true");
	MT_OK(MPI_Win_allocate_shared_c(size, 4, info, MPI_COMM_WORLD, &mine,
					&win));
	MPI_Info_free(&info);
	if (size)
		memset(mine, mt_rank + 1, (size_t)size);
	MT_OK(MPI_Win_fence(0, win));
	for (int r = 0; r < mt_size; r++) {
		MT_OK(MPI_Win_shared_query(win, r, &got, &unit, &at));
		MT_IS(got, r % 3 == 1 ? 0 : 40 + 8 * r);
		MT_IS(unit, 4);
		MT_TRUE(apart || !behind || at == behind);
		MT_TRUE(got || !apart || !at);
		MT_TRUE(r != mt_rank || at == mine);
		for (MPI_Aint i = 0; i < got; i++)
			MT_IS(at[i], r + 1);
		behind = at + got;
	}
	MT_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &got, &unit, &at));
	MT_TRUE(got == 40 && *at == 1);
	MT_OK(MPI_Win_fence(0, win));
	MT_OK(MPI_Win_free(&win));
}

/* Uses C atomics and MPI atomics on the same counter. */
static void shared_atomics(void)
{
	enum { TIMES = 2000 };
	_Atomic int *count;
	int one = 1, was, unit;
	MPI_Aint bytes;
	MPI_Win win;

	MT_OK(MPI_Win_allocate_shared(mt_rank ? 0 : 64, 1, MPI_INFO_NULL,
				      MPI_COMM_WORLD, &count, &win));
	MT_OK(MPI_Win_shared_query(win, 0, &bytes, &unit, &count));
	MT_OK(MPI_Win_fence(0, win));
	MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	MT_OK(MPI_Win_lock_all(0, win));
	for (int k = 0; k < TIMES; k++) {
		if ((k + mt_rank) % 2) {
			__atomic_fetch_add((int *)count, 1, __ATOMIC_SEQ_CST);
		} else if (k % 64 < 2) {
			MT_OK(MPI_Fetch_and_op(&one, &was, MPI_INT, 0, 0,
					       MPI_SUM, win));
			MT_OK(MPI_Win_flush(0, win));
		} else {
			MT_OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT,
					     MPI_SUM, win));
		}
	}
	MT_OK(MPI_Win_unlock_all(win));
	MPI_Barrier(MPI_COMM_WORLD);
	MT_IS(__atomic_load_n((int *)count, __ATOMIC_SEQ_CST), TIMES * mt_size);
	MT_OK(MPI_Win_free(&win));
}

/*
 * MPI_PROC_NULL selects the lowest rank of the shared memory domain that has
 * memory. All ranks of a host get the same result: here rank 0 of the host, or
 * no rank.
 */
static void query_no_proc(struct wt *w)
{
	MPI_Aint first_size = -1, size = -1;
	int first = w->rank, unit;
	char *first_at, *at;
	MPI_Comm host;

	MT_OK(MPI_Comm_split_type(w->comm, MPI_COMM_TYPE_SHARED, 0,
				  MPI_INFO_NULL, &host));
	MT_OK(MPI_Bcast(&first, 1, MPI_INT, 0, host));
	MT_OK(MPI_Comm_free(&host));
	MT_OK(MPI_Win_shared_query(w->win, first, &first_size, &unit,
				   &first_at));
	MT_OK(MPI_Win_shared_query(w->win, MPI_PROC_NULL, &size, &unit, &at));
	MT_TRUE(size == first_size && at == first_at);
}

static void query_others(struct wt *w)
{
	MPI_Aint size = -1;
	char *at = (char *)1;
	int unit;

	if (wt_is_dynamic(w)) {
		MT_IS(mt_class(MPI_Win_shared_query(w->win, 0, &size, &unit,
						    &at)),
		      MPI_ERR_RMA_FLAVOR);
		return;
	}
	MT_OK(MPI_Win_shared_query(w->win, w->rank, &size, &unit, &at));
	MT_TRUE(size == (MPI_Aint)w->bytes && at == w->mem);
	for (int r = 0; r < w->size; r++) {
		MT_OK(MPI_Win_shared_query(w->win, r, &size, &unit, &at));
		MT_TRUE(at ? size == (MPI_Aint)w->bytes : size == 0);
	}
	query_no_proc(w);
}

/* ---- error handlers ------------------------------------------------------ */

static int handled, handled_class;
static MPI_Win handled_win;

static void on_error(MPI_Win *win, int *code, ...)
{
	handled++;
	handled_class = mt_class(*code);
	handled_win = *win;
}

static void handlers(struct wt *w)
{
	MPI_Errhandler mine, now;
	MPI_Win win = w->win;
	void *mem;

	MT_OK(MPI_Win_create_errhandler(on_error, &mine));
	MT_OK(MPI_Win_set_errhandler(w->win, mine));
	MT_OK(MPI_Win_get_errhandler(w->win, &now));
	MT_TRUE(now == mine);
	MPI_Errhandler_free(&now);
	handled = 0;
	MT_IS(mt_class(MPI_Win_unlock(0, w->win)), MPI_ERR_RMA_SYNC);
	MT_TRUE(handled == 1 && handled_class == MPI_ERR_RMA_SYNC &&
		handled_win == w->win);
	MT_OK(MPI_Win_call_errhandler(w->win, MPI_ERR_SIZE));
	MT_TRUE(handled == 2 && handled_class == MPI_ERR_SIZE);
	MT_IS(mt_class(MPI_Comm_set_errhandler(MPI_COMM_SELF, mine)),
	      MPI_ERR_ARG);
	MPI_Errhandler_free(&mine);
	MT_OK(MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN));
	MT_OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mem,
			       &win));
	MT_OK(MPI_Win_get_errhandler(win, &now));
	MT_TRUE(now == MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&now);
	MT_OK(MPI_Win_free(&win));
}

/* ---- wrong arguments ----------------------------------------------------- */

#define WRONG(call, class) MT_IS(mt_class(call), class)

static int user_op(void *in, void *inout, int *n, MPI_Datatype *t)
{
	return 0;
}

static void bad_creation_arguments(void)
{
	char mem[64];
	MPI_Win win;
	void *p;

	WRONG(MPI_Win_create(mem, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win),
	      MPI_ERR_SIZE);
	MT_TRUE(win == MPI_WIN_NULL);
	WRONG(MPI_Win_create(mem, 64, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win),
	      MPI_ERR_DISP);
	WRONG(MPI_Win_create(NULL, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win),
	      MPI_ERR_BASE);
	WRONG(MPI_Win_create(mem, 64, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win),
	      MPI_ERR_COMM);
	WRONG(MPI_Win_allocate(-5, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &p, &win),
	      MPI_ERR_SIZE);
	WRONG(MPI_Win_allocate(5, -1, MPI_INFO_NULL, MPI_COMM_WORLD, &p, &win),
	      MPI_ERR_DISP);
	WRONG(MPI_Win_allocate(5, 1, MPI_INFO_NULL, MPI_COMM_WORLD, NULL, &win),
	      MPI_ERR_ARG);
	WRONG(MPI_Win_allocate(5, 1, (MPI_Info)mem, MPI_COMM_WORLD, &p, &win),
	      MPI_ERR_INFO);
	win = MPI_WIN_NULL;
	WRONG(MPI_Win_free(&win), MPI_ERR_WIN);
	WRONG(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
	WRONG(MPI_Win_flush(0, MPI_WIN_NULL), MPI_ERR_WIN);
}

static void bad_targets(struct wt *w)
{
	MPI_Datatype raw;
	int x = 0;

	MPI_Type_contiguous(2, MPI_INT, &raw);
	MT_OK(MPI_Win_lock_all(0, w->win));
	WRONG(MPI_Put(&x, 1, MPI_INT, w->size, 0, 1, MPI_INT, w->win),
	      MPI_ERR_RANK);
	WRONG(MPI_Put(&x, 1, MPI_INT, -7, 0, 1, MPI_INT, w->win), MPI_ERR_RANK);
	WRONG(MPI_Get(&x, -1, MPI_INT, 0, 0, 1, MPI_INT, w->win),
	      MPI_ERR_COUNT);
	WRONG(MPI_Get(&x, 1, MPI_INT, 0, 0, -1, MPI_INT, w->win),
	      MPI_ERR_COUNT);
	WRONG(MPI_Put(&x, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, w->win),
	      MPI_ERR_TYPE);
	WRONG(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL, w->win),
	      MPI_ERR_TYPE);
	WRONG(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, raw, w->win), MPI_ERR_TYPE);
	WRONG(MPI_Put(NULL, 1, MPI_INT, 0, wt_disp(w, 0, 0), 1, MPI_INT,
		      w->win),
	      MPI_ERR_BUFFER);
	WRONG(MPI_Put(&x, 2, MPI_INT, 0, wt_disp(w, 0, 0), 1, MPI_INT, w->win),
	      MPI_ERR_TRUNCATE);
	WRONG(MPI_Rput(&x, 1, MPI_INT, 0, wt_disp(w, 0, 0), 1, MPI_INT, w->win,
		       NULL),
	      MPI_ERR_ARG);
	if (!wt_is_dynamic(w)) {
		WRONG(MPI_Put(&x, 1, MPI_INT, 0, -1, 1, MPI_INT, w->win),
		      MPI_ERR_DISP);
		WRONG(MPI_Put(&x, 1, MPI_INT, 0, (MPI_Aint)w->bytes - 3, 1,
			      MPI_INT, w->win),
		      MPI_ERR_RMA_RANGE);
		WRONG(MPI_Get(&x, 1, MPI_INT, 0, (MPI_Aint)1 << 62, 1, MPI_INT,
			      w->win),
		      MPI_ERR_RMA_RANGE);
		WRONG(MPI_Accumulate(&x, 1, MPI_INT, 0, (MPI_Aint)w->bytes, 1,
				     MPI_INT, MPI_SUM, w->win),
		      MPI_ERR_RMA_RANGE);
	}
	MT_OK(MPI_Win_unlock_all(w->win));
	MPI_Type_free(&raw);
}

/* An access may span two adjacent attachments. */
static void attached_side_by_side(void)
{
	enum { HALF = 100 };
	static int mem[2 * HALF], in[2 * HALF], out[2 * HALF];
	int to = (mt_rank + 1) % mt_size;
	MPI_Aint *at = calloc((size_t)mt_size, sizeof(*at));
	MPI_Win win;

	memset(mem, 0, sizeof(mem));
	MPI_Get_address(mem, &at[mt_rank]);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, at, 1, MPI_AINT,
		      MPI_COMM_WORLD);
	MT_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	MT_OK(MPI_Win_attach(win, mem, sizeof(mem) / 2 - 2));
	MT_OK(MPI_Win_attach(win, (char *)mem + sizeof(mem) / 2 - 2,
			     sizeof(mem) / 2 + 2));
	MPI_Barrier(MPI_COMM_WORLD);
	MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win));
	for (int i = 0; i < 2 * HALF; i++)
		in[i] = i + mt_rank;
	MT_OK(MPI_Put(in, 2 * HALF, MPI_INT, to, at[to], 2 * HALF, MPI_INT,
		      win));
	MT_OK(MPI_Win_flush(to, win));
	MT_OK(MPI_Accumulate(in, 2 * HALF, MPI_INT, to, at[to], 2 * HALF,
			     MPI_INT, MPI_SUM, win));
	MT_OK(MPI_Win_flush(to, win));
	MT_OK(MPI_Get(out, 2 * HALF, MPI_INT, to, at[to], 2 * HALF, MPI_INT,
		      win));
	MT_OK(MPI_Win_unlock(to, win));
	for (int i = 0; i < 2 * HALF; i++)
		MT_IS(out[i], 2 * in[i]);
	MPI_Barrier(MPI_COMM_WORLD);
	MT_OK(MPI_Win_free(&win));
	free(at);
}

/*
 * An access to memory that is not attached is reported immediately, or by the
 * next flush.
 */
static void bad_addresses(struct wt *w)
{
	static int elsewhere;
	char text[MPI_MAX_ERROR_STRING], want[64];
	int x = 1, rc, len, t = (w->rank + 1) % w->size;
	MPI_Aint at, all[64];
	MPI_Request q;

	if (!wt_is_dynamic(w))
		return;
	MPI_Get_address(&elsewhere, &at);
	MPI_Allgather(&at, 1, MPI_AINT, all, 1, MPI_AINT, w->comm);
	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w->win));
	rc = MPI_Put(&x, 1, MPI_INT, t, all[t], 1, MPI_INT, w->win);
	if (!rc) {
		rc = MPI_Win_flush(t, w->win);
		MPI_Error_string(rc, text, &len);
		snprintf(want, sizeof(want),
			 "put to memory of rank %d failed:", t);
		MT_TRUE(strstr(text, want) != NULL);
	}
	MT_IS(mt_class(rc), MPI_ERR_RMA_RANGE);
	rc = MPI_Fetch_and_op(&x, &x, MPI_INT, t, all[t], MPI_SUM, w->win);
	if (!rc)
		rc = MPI_Win_flush(t, w->win);
	MT_IS(mt_class(rc), MPI_ERR_RMA_RANGE);
	rc = MPI_Rget(&x, 1, MPI_INT, t, all[t], 1, MPI_INT, w->win, &q);
	if (!rc)
		rc = MPI_Wait(&q, MPI_STATUS_IGNORE);
	MT_IS(mt_class(rc), MPI_ERR_RMA_RANGE);
	MT_OK(MPI_Win_unlock(t, w->win));
	MPI_Barrier(w->comm);
	MT_IS(elsewhere, 0);
	WRONG(MPI_Win_attach(w->win, w->mem + 4, 4), MPI_ERR_RMA_ATTACH);
	WRONG(MPI_Win_attach(w->win, w->mem, -4), MPI_ERR_SIZE);
	WRONG(MPI_Win_detach(w->win, w->mem + 8), MPI_ERR_BASE);
}

static void bad_operations(struct wt *w)
{
	MPI_Datatype mixed, part[2] = { MPI_INT, MPI_DOUBLE };
	MPI_Aint at[2] = { 0, 8 };
	int one[2] = { 1, 1 }, x = 0, y = 0;
	double d = 0;
	MPI_Op own;

	MPI_Op_create((MPI_User_function *)user_op, 1, &own);
	MPI_Type_create_struct(2, one, at, part, &mixed);
	MPI_Type_commit(&mixed);
	MT_OK(MPI_Win_lock_all(0, w->win));
	WRONG(MPI_Accumulate(&x, 1, MPI_INT, 0, wt_disp(w, 0, 0), 1, MPI_INT,
			     own, w->win),
	      MPI_ERR_OP);
	WRONG(MPI_Accumulate(&x, 1, MPI_INT, 0, wt_disp(w, 0, 0), 1, MPI_INT,
			     MPI_OP_NULL, w->win),
	      MPI_ERR_OP);
	WRONG(MPI_Accumulate(&x, 1, MPI_INT, 0, wt_disp(w, 0, 0), 1, MPI_INT,
			     MPI_NO_OP, w->win),
	      MPI_ERR_OP);
	WRONG(MPI_Accumulate(&d, 1, MPI_DOUBLE, 0, wt_disp(w, 0, 0), 1,
			     MPI_DOUBLE, MPI_BAND, w->win),
	      MPI_ERR_OP);
	WRONG(MPI_Accumulate(&x, 1, MPI_INT, 0, wt_disp(w, 0, 0), 1, MPI_FLOAT,
			     MPI_SUM, w->win),
	      MPI_ERR_TYPE);
	WRONG(MPI_Accumulate(&d, 1, mixed, 0, wt_disp(w, 0, 0), 1, mixed,
			     MPI_SUM, w->win),
	      MPI_ERR_TYPE);
	WRONG(MPI_Fetch_and_op(&d, &d, mixed, 0, wt_disp(w, 0, 0), MPI_SUM,
			       w->win),
	      MPI_ERR_TYPE);
	WRONG(MPI_Compare_and_swap(&d, &d, &d, MPI_DOUBLE, 0, wt_disp(w, 0, 0),
				   w->win),
	      MPI_ERR_TYPE);
	WRONG(MPI_Get_accumulate(&x, 1, MPI_INT, &y, 0, MPI_INT, 0,
				 wt_disp(w, 0, 0), 1, MPI_INT, MPI_SUM, w->win),
	      MPI_ERR_TRUNCATE);
	/* types are not checked if there are no elements */
	MT_OK(MPI_Accumulate(&d, 0, MPI_DOUBLE, 0, wt_disp(w, 0, 0), 0, MPI_INT,
			     MPI_SUM, w->win));
	MT_OK(MPI_Get_accumulate(&d, 0, mixed, &y, 0, MPI_FLOAT, 0,
				 wt_disp(w, 0, 0), 0, MPI_INT, MPI_SUM,
				 w->win));
	WRONG(MPI_Accumulate(&d, 0, MPI_DOUBLE, 0, wt_disp(w, 0, 0), 0, MPI_INT,
			     own, w->win),
	      MPI_ERR_OP);
	WRONG(MPI_Accumulate(&d, 1, MPI_DOUBLE, 0, wt_disp(w, 0, 0), 0, MPI_INT,
			     MPI_SUM, w->win),
	      MPI_ERR_TYPE);
	MT_OK(MPI_Win_unlock_all(w->win));
	MPI_Type_free(&mixed);
	MPI_Op_free(&own);
}

/* ---- calls outside of their epochs --------------------------------------- */

static void calls_outside_epochs(struct wt *w)
{
	MPI_Group none = MPI_GROUP_EMPTY, world;
	MPI_Win win = w->win;
	int x = 0, flag, r = w->rank;

	WRONG(MPI_Put(&x, 1, MPI_INT, 0, wt_disp(w, 0, 0), 1, MPI_INT, w->win),
	      MPI_ERR_RMA_SYNC);
	WRONG(MPI_Fetch_and_op(&x, &x, MPI_INT, 0, wt_disp(w, 0, 0), MPI_SUM,
			       w->win),
	      MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_flush_local(0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_flush_local_all(win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, r, 0, win));
	WRONG(MPI_Win_lock(MPI_LOCK_SHARED, r, 0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_start(none, 0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
	if (w->size > 1)
		WRONG(MPI_Get(&x, 1, MPI_INT, (r + 1) % w->size,
			      wt_disp(w, (r + 1) % w->size, 0), 1, MPI_INT,
			      win),
		      MPI_ERR_RMA_SYNC);
	MT_OK(MPI_Win_unlock(r, win));
	MT_OK(MPI_Win_lock_all(0, win));
	WRONG(MPI_Win_lock(MPI_LOCK_SHARED, r, 0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_unlock(r, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
	MT_OK(MPI_Win_unlock_all(win));
	MT_OK(MPI_Win_post(none, 0, win));
	WRONG(MPI_Win_post(none, 0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
	MT_OK(MPI_Win_start(none, 0, win));
	WRONG(MPI_Win_start(none, 0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Put(&x, 1, MPI_INT, r, wt_disp(w, r, 0), 1, MPI_INT, win),
	      MPI_ERR_RMA_SYNC);
	MT_OK(MPI_Win_complete(win));
	MT_OK(MPI_Win_wait(win));
	WRONG(MPI_Win_lock(7, r, 0, win), MPI_ERR_LOCKTYPE);
	WRONG(MPI_Win_lock(MPI_LOCK_SHARED, w->size, 0, win), MPI_ERR_RANK);
	WRONG(MPI_Win_lock(MPI_LOCK_SHARED, r, MPI_MODE_NOPUT, win),
	      MPI_ERR_ASSERT);
	WRONG(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT);
	WRONG(MPI_Win_post(none, MPI_MODE_NOSUCCEED, win), MPI_ERR_ASSERT);
	WRONG(MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_free(&world);
}

/*
 * Accesses after a fence must be complete before another kind of epoch begins.
 */
static void bad_epoch_order(struct wt *w)
{
	int x = 0;
	MPI_Win win = w->win;

	MT_OK(MPI_Win_fence(0, win));
	MT_OK(MPI_Get(&x, 1, MPI_INT, w->rank, wt_disp(w, w->rank, 0), 1,
		      MPI_INT, win));
	WRONG(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
	WRONG(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
	MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	WRONG(MPI_Get(&x, 1, MPI_INT, w->rank, wt_disp(w, w->rank, 0), 1,
		      MPI_INT, win),
	      MPI_ERR_RMA_SYNC);
	if (!wt_is_dynamic(w)) {
		WRONG(MPI_Win_attach(win, w->mem, 8), MPI_ERR_RMA_FLAVOR);
		WRONG(MPI_Win_detach(win, w->mem), MPI_ERR_RMA_FLAVOR);
	}
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	bad_creation_arguments();
	null_names();
	for (int k = 0; k < WT_KINDS; k++) {
		struct wt w = wt_open(k, MPI_COMM_WORLD, 256, 1);

		attributes(&w);
		names(&w);
		query_others(&w);
		handlers(&w);
		bad_targets(&w);
		bad_addresses(&w);
		bad_operations(&w);
		calls_outside_epochs(&w);
		bad_epoch_order(&w);
		wt_close(&w);
	}
	own_attributes();
	if (!wt_cannot_share(MPI_COMM_WORLD)) {
		shared_parts(0);
		shared_parts(1);
		shared_atomics();
	}
	attached_side_by_side();
	return mt_end();
}
