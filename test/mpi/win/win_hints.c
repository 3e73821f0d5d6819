/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Info keys of windows: the effect of each key, and the information that
 * MPI_Win_get_info returns.
 */
#include "win_t.h"

static int hint_is(MPI_Win win, const char *key, const char *want)
{
	char val[MPI_MAX_INFO_VAL + 1] = "";
	MPI_Info info;
	int len = MPI_MAX_INFO_VAL, flag;

	MT_OK(MPI_Win_get_info(win, &info));
	MT_OK(MPI_Info_get_string(info, key, &len, val, &flag));
	MPI_Info_free(&info);
	return want ? flag && !strcmp(val, want) : !flag;
}

static MPI_Info info_of(const char *key, const char *val)
{
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, key, val);
	return info;
}

static int class_of(int rc)
{
	int class;

	MPI_Error_class(rc, &class);
	return class;
}

/* Creates a window with one info key. */
static struct wt open_with_hint(enum win_kind kind, const char *key,
				const char *val)
{
	MPI_Info info = info_of(key, val);
	struct wt w = wt_open_with(kind, MPI_COMM_WORLD, 4096, 8, info);

	MPI_Info_free(&info);
	return w;
}

/* ---- hints returned by MPI_Win_get_info ---------------------------------- */

static const struct row {
	const char *key, *val, *instead; /* instead: value without the key */
	const char *wrong;
} rows[] = {
	{ "no_locks", "true", "false", "maybe" },
	{ "same_size", "true", "false", "1" },
	{ "same_disp_unit", "true", "false", "yes" },
	{ "alloc_shared_noncontig", "true", "false", "" },
	{ "accumulate_ordering", "none", "rar,raw,war,waw", "none,rar" },
	{ "accumulate_ordering", "war,waw", "rar,raw,war,waw", "waw," },
	{ "accumulate_ops", "same_op", "same_op_no_op", "same" },
	{ "mpi_accumulate_granularity", "64", "0", "64k" },
	{ "mpi_assert_memory_alloc_kinds", "mpi:alloc_mem:win_allocate,system",
	  NULL, "hip" },
	{ "mpi_assert_memory_alloc_kinds", "system", NULL, "mpi:device" },
	{ "mpi_colour", NULL, NULL, "blue" },
};

static void set(MPI_Win win, const char *key, const char *val)
{
	MPI_Info info = info_of(key, val);

	MT_OK(MPI_Win_set_info(win, info));
	MPI_Info_free(&info);
}

static void check_row(const struct row *r, enum win_kind kind)
{
	struct wt w = wt_open(kind, MPI_COMM_WORLD, 4096, 8);

	MT_TRUE(hint_is(w.win, r->key, r->instead));
	set(w.win, r->key, r->wrong);
	MT_TRUE(hint_is(w.win, r->key, r->instead));
	if (r->val)
		set(w.win, r->key, r->val);
	MT_TRUE(hint_is(w.win, r->key, r->val ? r->val : r->instead));
	wt_close(&w);
	w = open_with_hint(kind, r->key, r->wrong);
	MT_TRUE(hint_is(w.win, r->key, r->instead));
	wt_close(&w);
	if (!r->val)
		return;
	w = open_with_hint(kind, r->key, r->val);
	MT_TRUE(hint_is(w.win, r->key, r->val));
	wt_close(&w);
}

/* The memory kinds are those of the communicator. */
static void check_kinds(enum win_kind kind)
{
	struct wt w = open_with_hint(kind, "mpi_memory_alloc_kinds", "mpi");
	char val[MPI_MAX_INFO_VAL + 1] = "";
	int len = sizeof(val), flag;
	MPI_Info info;

	MT_OK(MPI_Comm_get_info(MPI_COMM_WORLD, &info));
	MT_OK(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &len, val,
				  &flag));
	MT_TRUE(flag && strstr(val, "mpi") && strstr(val, "system"));
	MT_OK(MPI_Info_free(&info));
	MT_TRUE(hint_is(w.win, "mpi_memory_alloc_kinds", val));
	wt_close(&w);
}

/* ---- no_locks ------------------------------------------------------------ */

/* Every rank adds to every rank, between fences. */
static void add_by_fence(struct wt *w)
{
	const long one = 1;

	MT_OK(MPI_Win_fence(0, w->win));
	for (int t = 0; t < w->size; t++)
		MT_OK(MPI_Accumulate(&one, 1, MPI_LONG, t, wt_disp(w, t, 8), 1,
				     MPI_LONG, MPI_SUM, w->win));
	MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
	MT_IS(((long *)w->mem)[1], w->size);
}

static void locks_are_refused(enum win_kind kind)
{
	struct wt w = open_with_hint(kind, "no_locks", "true");
	char text[MPI_MAX_ERROR_STRING];
	int rc, len;

	rc = MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win);
	MT_IS(class_of(rc), MPI_ERR_RMA_SYNC);
	MPI_Error_string(rc, text, &len);
	MT_TRUE(strstr(text, "no_locks") != NULL);
	rc = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, w.win);
	MT_IS(class_of(rc), MPI_ERR_RMA_SYNC);
	MT_IS(class_of(MPI_Win_lock_all(0, w.win)), MPI_ERR_RMA_SYNC);
	set(w.win, "no_locks",
	    "false"); /* the hint cannot be changed after creation */
	MT_TRUE(hint_is(w.win, "no_locks", "true"));
	MT_IS(class_of(MPI_Win_lock_all(0, w.win)), MPI_ERR_RMA_SYNC);
	add_by_fence(&w);
	MT_OK(MPI_Win_free(&w.win));
	if (kind == WT_CREATE || kind == WT_DYNAMIC)
		free(w.mem);
	if (kind == WT_MEM || kind == WT_ATTACHED)
		MT_OK(MPI_Free_mem(w.mem));
	free(w.base);
}

/*
 * If no_locks is set after creation, locks are refused until no_locks is
 * cleared.
 */
static void locks_disabled_later(enum win_kind kind)
{
	struct wt w = wt_open(kind, MPI_COMM_WORLD, 4096, 8);

	for (int i = 0; i < 2; i++) {
		MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win));
		MT_OK(MPI_Win_unlock(0, w.win));
		set(w.win, "no_locks", "true");
		MT_IS(class_of(MPI_Win_lock_all(0, w.win)), MPI_ERR_RMA_SYNC);
		set(w.win, "no_locks", "false");
	}
	wt_close(&w);
}

/* Locks remain available if only one member disables them. */
static void locks_need_all_members(enum win_kind kind)
{
	struct wt w =
		open_with_hint(kind, "no_locks", mt_rank ? "false" : "true");

	if (mt_size > 1) {
		MT_TRUE(hint_is(w.win, "no_locks", "false"));
		MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win));
		MT_OK(MPI_Win_unlock(0, w.win));
	}
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	wt_close(&w);
}

/* ---- same_size, same_disp_unit ------------------------------------------- */

static int open_rc(const char *key, MPI_Aint bytes, int unit)
{
	MPI_Info info = info_of(key, "true");
	MPI_Win win = MPI_WIN_NULL;
	void *mem;
	int rc;

	rc = MPI_Win_allocate(bytes, unit, info, MPI_COMM_WORLD, &mem, &win);
	if (!rc)
		MT_TRUE(hint_is(win, key, "true"));
	MPI_Info_free(&info);
	if (win != MPI_WIN_NULL)
		MT_OK(MPI_Win_free(&win));
	return class_of(rc);
}

/* A key whose condition is not met is reported as "false". */
static void hints_set_late(int last)
{
	MPI_Win win;
	void *mem;

	MT_OK(MPI_Win_allocate(last ? 65 : 64, last ? 1 : 2, MPI_INFO_NULL,
			       MPI_COMM_WORLD, &mem, &win));
	set(win, "same_size", "true");
	set(win, "same_disp_unit", "true");
	MT_TRUE(hint_is(win, "same_size", mt_size > 1 ? "false" : "true"));
	MT_TRUE(hint_is(win, "same_disp_unit", mt_size > 1 ? "false" : "true"));
	MT_OK(MPI_Win_free(&win));
}

static void hints_at_creation(void)
{
	int last = mt_size > 1 && mt_rank == mt_size - 1;
	int many = mt_size > 1;

	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	MT_IS(open_rc("same_size", 64, last ? 1 : 8), MPI_SUCCESS);
	MT_IS(open_rc("same_size", last ? 65 : 64, 1),
	      many ? MPI_ERR_SIZE : MPI_SUCCESS);
	MT_IS(open_rc("same_disp_unit", last ? 64 : 128, 4), MPI_SUCCESS);
	MT_IS(open_rc("same_disp_unit", 64, last ? 4 : 8),
	      many ? MPI_ERR_DISP : MPI_SUCCESS);
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
	hints_set_late(last);
}

/* ---- accumulates --------------------------------------------------------- */

#define PARTS 33

/*
 * Accumulates of long double, which need a lock, with one info key: a small
 * mpi_accumulate_granularity, accumulate_ordering none, accumulate_ops same_op.
 */
static void accumulates_are_correct(enum win_kind kind, const char *key,
				    const char *val)
{
	struct wt w = open_with_hint(kind, key, val);
	long double in[PARTS], *mem = (long double *)(void *)w.mem;
	int n = w.size * (w.size + 1) / 2;

	for (int i = 0; i < PARTS; i++)
		in[i] = (long double)(i * (w.rank + 1));
	for (int t = 0; t < w.size; t++) {
		MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w.win));
		MT_OK(MPI_Accumulate(in, PARTS, MPI_LONG_DOUBLE, t,
				     wt_disp(&w, t, 0), PARTS, MPI_LONG_DOUBLE,
				     MPI_SUM, w.win));
		MT_OK(MPI_Win_unlock(t, w.win));
	}
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, w.rank, 0, w.win));
	for (int i = 0; i < PARTS; i++)
		MT_TRUE(mem[i] == (long double)(i * n));
	MT_OK(MPI_Win_unlock(w.rank, w.win));
	wt_close(&w);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	for (int k = 0; k < WT_KINDS; k++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			check_row(&rows[i], k);
		check_kinds(k);
		locks_are_refused(k);
		locks_disabled_later(k);
		locks_need_all_members(k);
		accumulates_are_correct(k, "mpi_accumulate_granularity", "48");
		accumulates_are_correct(k, "accumulate_ordering", "none");
		accumulates_are_correct(k, "accumulate_ops", "same_op");
	}
	hints_at_creation();
	return mt_end();
}
