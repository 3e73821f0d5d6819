/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the path of accesses with MPI_T counters: shared memory, fi_*, or
 * messages, by window, provider and WEFT_WIN_PATH. If accesses used messages by
 * mistake, results would still be correct; only this test detects that.
 */
#include "win_t.h"

#include <stdbool.h>

/* An MPI_T counter, which counts since it was started. */
struct counter {
	MPI_T_pvar_session session;
	MPI_T_pvar_handle handle;
};
static struct counter fabric, messages, unit;

static void open_counter(struct counter *c, const char *want)
{
	int index, n;

	MT_OK(MPI_T_pvar_get_index(want, MPI_T_PVAR_CLASS_COUNTER, &index));
	MT_OK(MPI_T_pvar_session_create(&c->session));
	MT_OK(MPI_T_pvar_handle_alloc(c->session, index, NULL, &c->handle, &n));
	MT_IS(n, 1);
	MT_OK(MPI_T_pvar_start(c->session, c->handle));
}

static void close_counter(struct counter *c)
{
	MT_OK(MPI_T_pvar_handle_free(c->session, &c->handle));
	MT_OK(MPI_T_pvar_session_free(&c->session));
}

static unsigned long long count_of(const struct counter *c)
{
	unsigned long long v = 0;

	MT_OK(MPI_T_pvar_read(c->session, c->handle, &v));
	return v;
}

/* Returns the number of atomics of the unit; other providers have none. */
static unsigned long long unit_count(void)
{
	return getenv("FI_PROVIDER") ? 0 : count_of(&unit);
}

/*
 * Paths of accesses to the next rank, as a bit mask; 0: shared memory. fi_*
 * supports these accesses.
 */
enum { FABRIC = 1, MESSAGES = 2 };

static int paths_taken(struct wt *w)
{
	unsigned long long f = count_of(&fabric);
	unsigned long long m = count_of(&messages);
	int to = (w->rank + 1) % w->size;
	long x = 1, y;

	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w->win));
	MT_OK(MPI_Put(&x, 1, MPI_LONG, to, wt_disp(w, to, 8), 1, MPI_LONG,
		      w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	MT_OK(MPI_Get(&y, 1, MPI_LONG, to, wt_disp(w, to, 8), 1, MPI_LONG,
		      w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	MT_IS(y, x);
	MT_OK(MPI_Win_unlock(to, w->win));
	return (count_of(&fabric) > f ? FABRIC : 0) |
	       (count_of(&messages) > m ? MESSAGES : 0);
}

static int acc_paths_taken(struct wt *w)
{
	unsigned long long f = count_of(&fabric);
	unsigned long long m = count_of(&messages);
	int to = (w->rank + 1) % w->size;
	long x = 1, y;

	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w->win));
	MT_OK(MPI_Accumulate(&x, 1, MPI_LONG, to, wt_disp(w, to, 16), 1,
			     MPI_LONG, MPI_SUM, w->win));
	MT_OK(MPI_Fetch_and_op(&x, &y, MPI_LONG, to, wt_disp(w, to, 16),
			       MPI_SUM, w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	MT_IS(y, 1);
	MT_OK(MPI_Win_unlock(to, w->win));
	return (count_of(&fabric) > f ? FABRIC : 0) |
	       (count_of(&messages) > m ? MESSAGES : 0);
}

/* Returns whether the next rank is on this host; collective. */
static bool next_is_local(void)
{
	char mine[MPI_MAX_PROCESSOR_NAME] = "", next[sizeof(mine)];
	int n;

	MT_OK(MPI_Get_processor_name(mine, &n));
	MT_OK(MPI_Sendrecv(mine, sizeof(mine), MPI_CHAR,
			   (mt_rank + mt_size - 1) % mt_size, 0, next,
			   sizeof(next), MPI_CHAR, (mt_rank + 1) % mt_size, 0,
			   MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	return !strcmp(mine, next);
}

/*
 * Returns the documented paths, as a bit mask; collective. In windows on
 * several hosts only puts and gets within a host use shared memory.
 */
static int documented_paths(enum win_kind kind, bool acc)
{
	const char *path = getenv("WEFT_WIN_PATH"), *clock, *prov;
	bool one_host = mt_local_ranks(MPI_COMM_WORLD) == mt_size;
	bool local = next_is_local(), mapped;

	clock = getenv("CLOCK");
	prov = getenv("FI_PROVIDER");
	mapped = kind == WT_ALLOCATE || kind == WT_SHARED ||
		 ((kind == WT_MEM || kind == WT_ATTACHED) && !prov);
	if (mt_size == 1)
		return 0;
	if (path && !strcmp(path, "messages"))
		return MESSAGES;
	if (mapped && one_host && !path && (!clock || strcmp(clock, "virtual")))
		return 0;
	if (!one_host && local && !acc && kind != WT_CREATE &&
	    kind != WT_DYNAMIC && kind != WT_ATTACHED && !prov && !path)
		return 0;
	return acc && prov && strstr(prov, "rxd") ? MESSAGES : FABRIC;
}

/*
 * Returns whether an origin on the same host reads and writes the target's
 * memory through libfabric: the memory is not mapped, and the target does not
 * take part.
 */
static bool is_remotely_accessible(enum win_kind kind)
{
	const char *clock = getenv("CLOCK");

	return mt_local_ranks(MPI_COMM_WORLD) == mt_size &&
	       documented_paths(kind, false) == FABRIC &&
	       !getenv("FI_PROVIDER") && !getenv("WEFT_WIN_PATH") &&
	       (!clock || strcmp(clock, "virtual"));
}

/*
 * Makes a compare and swap on the next rank's element, which is 0. Returns the
 * number of libfabric accesses used.
 */
static unsigned long long swaps(struct wt *w, long compare, long want)
{
	unsigned long long f = count_of(&fabric);
	int to = (w->rank + 1) % w->size;
	long x = 5, y = -1;

	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w->win));
	MT_OK(MPI_Compare_and_swap(&x, &compare, &y, MPI_LONG, to,
				   wt_disp(w, to, 24), w->win));
	MT_OK(MPI_Win_unlock(to, w->win));
	MT_IS(y, want);
	return count_of(&fabric) - f;
}

/*
 * A compare and swap whose comparison fails reads the element and does not
 * write it.
 */
static void failed_swap_does_not_write(struct wt *w)
{
	bool reached = is_remotely_accessible(w->kind);
	unsigned long long atomics = unit_count();
	unsigned long long in_vain = swaps(w, 7, 0), done = swaps(w, 0, 0);
	/* one access by the machine's unit */
	bool by_unit = unit_count() > atomics;

	if (reached)
		MT_IS(in_vain, 1);
	if (reached)
		MT_IS(done, by_unit ? 1 : 2);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_IS(((long *)(void *)w->mem)[3], 5);
}

int main(int argc, char **argv)
{
	int have;

	MT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &have));
	mt_begin(&argc, &argv);
	open_counter(&fabric, "window_fabric");
	open_counter(&messages, "window_messages");
	open_counter(&unit, "unit_atomics");
	for (int k = 0; k < WT_KINDS; k++) {
		struct wt w = wt_open(k, MPI_COMM_WORLD, 64, 8);

		MT_IS(paths_taken(&w), documented_paths(w.kind, false));
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
		MT_IS(acc_paths_taken(&w), documented_paths(w.kind, true));
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
		failed_swap_does_not_write(&w);
		wt_close(&w);
	}
	close_counter(&fabric);
	close_counter(&messages);
	close_counter(&unit);
	MT_OK(MPI_T_finalize());
	return mt_end();
}
