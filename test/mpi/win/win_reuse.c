/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows that are opened and freed again and again use the same shared page:
 * locks, exposures, attachments and counters of an earlier window have no
 * effect on a later one, also if several windows, other communicators and other
 * kinds are open in between.
 */
#include "win_t.h"

#include <unistd.h>

#define ROUNDS 12

/*
 * Rank origin puts the value to rank target. The target posts late or the
 * origin completes late, so that a wait that ends too early finds a wrong
 * value.
 */
static void expose(struct wt *w, int origin, int target, long value)
{
	long *mem = (long *)(void *)w->mem + 1;

	if (w->rank == target) {
		if (value % 2)
			usleep(1000);
		*mem = -1;
	}
	wt_begin(w, WT_PSCW, origin, target);
	if (w->rank == origin && value % 2 == 0)
		usleep(1000);
	if (w->rank == origin)
		MT_OK(MPI_Put(&value, 1, MPI_LONG, target,
			      wt_disp(w, target, 8), 1, MPI_LONG, w->win));
	wt_end(w, WT_PSCW, origin, target);
	if (w->rank == target)
		MT_IS(*mem, value);
}

/* Uses every part of a window's page. */
static void use(struct wt *w, int round)
{
	long one = 1, old, sum = 0;

	for (int t = 0; t < w->size; t++)
		expose(w, t, (t + 1) % w->size, round * 100 + t);
	/* increment a counter of rank 0, under each kind of lock */
	MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win));
	MT_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, wt_disp(w, 0, 0), 1,
			     MPI_LONG, MPI_SUM, w->win));
	MT_OK(MPI_Win_unlock(0, w->win));
	MT_OK(MPI_Win_lock_all(0, w->win));
	MT_OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, wt_disp(w, 0, 0),
			       MPI_SUM, w->win));
	MT_OK(MPI_Win_unlock_all(w->win));
	MT_OK(MPI_Barrier(w->comm));
	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win));
	MT_OK(MPI_Get(&sum, 1, MPI_LONG, 0, wt_disp(w, 0, 0), 1, MPI_LONG,
		      w->win));
	MT_OK(MPI_Win_unlock(0, w->win));
	MT_IS(sum, 2 * w->size);
}

static void open_use_close(enum win_kind kind, MPI_Comm comm, int round)
{
	struct wt w = wt_open(kind, comm, 64, kind == WT_DYNAMIC ? 1 : 8);

	use(&w, round);
	wt_close(&w);
}

static void kinds_alternate(MPI_Comm comm)
{
	for (int r = 0; r < ROUNDS; r++)
		open_use_close(r % WT_KINDS, comm, r);
}

/* Several windows are open at a time, and freed in a different order. */
static void windows_overlap(MPI_Comm comm)
{
	struct wt w[6];

	for (int r = 0; r < 3; r++) {
		for (int i = 0; i < 6; i++)
			w[i] = wt_open(i % 2 ? WT_DYNAMIC : WT_CREATE, comm, 64,
				       i % 2 ? 1 : 8);
		for (int i = 0; i < 6; i++)
			use(&w[i * 5 % 6], i);
		for (int i = 0; i < 6; i++)
			wt_close(&w[(i + r) % 6]);
	}
}

/* Uses a window without locks between windows with locks. */
static void without_locks(MPI_Comm comm)
{
	MPI_Info info;
	struct wt w;

	MPI_Info_create(&info);
	MPI_Info_set(info, "no_locks", "true");
	open_use_close(WT_CREATE, comm, 1);
	w = wt_open_with(WT_CREATE, comm, 64, 8, info);
	MT_OK(MPI_Win_fence(0, w.win));
	wt_close(&w);
	open_use_close(WT_CREATE, comm, 2);
	MPI_Info_free(&info);
}

/* Returns the number of mapped window pages, or -1 without /proc. */
static int mapped_pages(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		n += strstr(line, "weft-window") != NULL;
	fclose(f);
	return n;
}

/* After windows are freed, at most one page stays mapped. */
static void one_page_is_kept(void)
{
	int before, after;

	open_use_close(WT_CREATE, MPI_COMM_WORLD, 0);
	before = mapped_pages();
	for (int r = 0; r < ROUNDS; r++)
		open_use_close(WT_CREATE, MPI_COMM_WORLD, r);
	after = mapped_pages();
	MT_IS(after, before);
	MT_TRUE(after);
}

int main(int argc, char **argv)
{
	MPI_Comm half, back;

	mt_begin(&argc, &argv);
	one_page_is_kept();
	MPI_Comm_split(MPI_COMM_WORLD, mt_rank % 2, 0, &half);
	MPI_Comm_split(MPI_COMM_WORLD, 0, mt_size - mt_rank, &back);
	for (int i = 0; i < 2; i++) {
		kinds_alternate(MPI_COMM_WORLD);
		kinds_alternate(half);
		kinds_alternate(back);
		windows_overlap(i ? back : MPI_COMM_WORLD);
		without_locks(half);
	}
	MPI_Comm_free(&half);
	MPI_Comm_free(&back);
	return mt_end();
}
