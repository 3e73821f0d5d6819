/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared file pointer and atomic mode. The pointer is a word of rank 0 that all
 * members change by fetch-and-op: on one host a word that they map
 * (file_word.h), between hosts and in virtual time a word in a window. The lock
 * of atomic mode is the lock of a window at rank 0. On one host, accesses by
 * other members need no action by rank 0; between hosts they take the paths of
 * src/win. A file with one member has no windows.
 */
#include "src/file/file_guard.h"

#include "src/comm/comm_channel.h"
#include "src/comm/comm_local.h"
#include "src/core/core_state.h"
#include "src/win/win.h"

#include <errno.h>
#include <stdlib.h>

/* ---- windows ------------------------------------------------------------- */

static int open_window(struct weft_file *f, MPI_Aint bytes,
		       struct weft_win **win_p)
{
	const struct weft_win_args a = {
		.comm = f->control,
		.flavor = MPI_WIN_FLAVOR_ALLOCATE,
		.size = f->comm->rank == 0 ? bytes : 0,
		.unit = 1,
	};
	int rc = weft_win_open(&a, win_p);

	if (!rc)
		weft_win_errhandler_set(*win_p,
					weft_errh_of(MPI_ERRORS_RETURN));
	return rc;
}

/* Returns whether the members can map a word of rank 0. */
static bool maps_word(const struct weft_file *f)
{
	/*
	 * in virtual time, accesses to the pointer use the machine's network,
	 * so the word is in a window
	 */
	return f->comm->size > 1 && !weft_core.traits.network_windows &&
	       weft_comm_is_local(f->comm);
}

void file_shared_first(struct weft_file *f)
{
	if (maps_word(f))
		file_word_take(&f->word, (uint64_t)f->pointer);
}

int file_shared_open(struct weft_file *f)
{
	int rc;

	if (f->comm->size == 1) {
		f->word.at = &f->word.own;
		weft_store64(f->word.at, (uint64_t)f->pointer);
	}
	if (f->comm->size == 1 || f->word.place.index)
		return 0;
	rc = open_window(f, sizeof(int64_t), &f->shared);
	if (rc)
		return rc;
	if (f->comm->rank == 0)
		memset(f->shared->base, 0, sizeof(int64_t));
	rc = weft_win_lock_all(f->shared, MPI_MODE_NOCHECK);
	return rc ? rc : weft_file_shared_set(f, f->pointer);
}

int file_shared_close(struct weft_file *f)
{
	int rc, rc2;

	if (!f->shared)
		return 0;
	rc = weft_win_unlock_all(f->shared);
	rc2 = weft_win_close(f->shared);
	f->shared = NULL;
	return rc ? rc : rc2;
}

int file_guard_open(struct weft_file *f)
{
	if (f->comm->size == 1 || f->guard)
		return 0;
	return open_window(f, 0, &f->guard);
}

int file_guard_close(struct weft_file *f)
{
	int rc = f->guard ? weft_win_close(f->guard) : 0;

	f->guard = NULL;
	return rc;
}

/* ---- shared file pointer ------------------------------------------------- */

/* Applies op to the word in the window. Stores the old value in *old_p. */
static int change_word(struct weft_file *f, MPI_Op op, int64_t operand,
		       MPI_Offset *old_p)
{
	struct weft_dt *dt = weft_dt_of(MPI_INT64_T);
	int64_t old = 0;
	const struct weft_win_xfer x = { .buf = &operand,
					 .count = 1,
					 .dt = dt,
					 .tcount = 1,
					 .tdt = dt,
					 .op = weft_op_of(op),
					 .result = &old,
					 .rcount = 1,
					 .rdt = dt };
	int rc = weft_win_acc(f->shared, &x, NULL);

	if (!rc)
		rc = weft_win_flush(f->shared, 0);
	*old_p = old;
	return rc;
}

/* Maps the word when it is first used. */
static int find_word(struct weft_file *f)
{
	int rc;

	pthread_mutex_lock(&f->lock);
	rc = file_word_map(&f->word);
	pthread_mutex_unlock(&f->lock);
	return rc;
}

int weft_file_shared_advance(struct weft_file *f, MPI_Offset n,
			     MPI_Offset *old_p)
{
	int rc;

	if (f->shared)
		return change_word(f, MPI_SUM, n, old_p);
	*old_p = 0;
	rc = find_word(f);
	if (!rc)
		*old_p = (MPI_Offset)weft_add64(f->word.at, (uint64_t)n);
	return rc;
}

/* Sets the word at rank 0. */
static int set_word(struct weft_file *f, MPI_Offset value)
{
	MPI_Offset old;

	if (f->shared)
		return change_word(f, MPI_REPLACE, value, &old);
	weft_store64(f->word.at, (uint64_t)value);
	return 0;
}

int weft_file_shared_set(struct weft_file *f, MPI_Offset value)
{
	int rc = weft_file_agree_same(f, 0, value);

	if (rc)
		return rc;
	/*
	 * the other members return from weft_file_agree() after the word is set
	 */
	if (f->comm->rank == 0)
		rc = set_word(f, value);
	return weft_file_agree(f, rc);
}

int weft_file_shared_seek(struct weft_file *f, MPI_Offset offset, int whence)
{
	MPI_Offset base = 0;
	int rc = weft_file_agree_same(f, 0, offset * 4 + (whence & 3));

	if (rc)
		return rc;
	if (f->comm->rank == 0 && whence == MPI_SEEK_CUR)
		rc = weft_file_shared_advance(f, 0, &base);
	if (f->comm->rank == 0 && whence == MPI_SEEK_END)
		rc = weft_file_end(f, &base);
	rc = weft_file_from_first(f, rc, &base);
	if (!rc && base + offset < 0)
		rc = -EINVAL;
	return rc ? rc : weft_file_shared_set(f, base + offset);
}

int weft_file_shared_byte(struct weft_file *f, MPI_Offset *byte_p)
{
	int rc = 0;

	*byte_p = 0;
	if (f->comm->rank == 0)
		rc = weft_file_shared_advance(f, 0, byte_p);
	rc = weft_file_from_first(f, rc, byte_p);
	*byte_p = weft_file_byte_offset(f, *byte_p);
	return rc;
}

int weft_file_shared_ordered(struct weft_file *f, MPI_Offset n,
			     MPI_Offset *old_p)
{
	struct weft_channel m = weft_channel_of(f->control);
	int size = f->comm->size, rank = f->comm->rank, rc, mine;
	MPI_Offset *all = calloc((size_t)size, sizeof(*all)), sum = 0;

	if (!all)
		return -ENOMEM;
	all[rank] = n;
	rc = mine = weft_channel_allgather(&m, all, sizeof(*all));
	for (int i = 0; i < size && !rc; i++)
		sum += all[i];
	*old_p = 0;
	if (rank == 0 && !rc)
		rc = weft_file_shared_advance(f, sum, old_p);
	/* the first member's result does not replace this member's error */
	rc = weft_file_from_first(f, rc, old_p);
	rc = rc ? rc : mine;
	for (int i = 0; i < rank && !rc; i++)
		*old_p += all[i];
	free(all);
	return rc;
}

/* ---- atomic mode --------------------------------------------------------- */

int file_guarded_move(struct file_range *r)
{
	struct weft_win *w = r->f->guard;
	int rc = 0, rc2 = 0;

	if (!r->f->atomic)
		return file_range_move(r);
	/*
	 * a process can hold a window's lock only once: exclude its other
	 * threads
	 */
	pthread_mutex_lock(&r->f->guard_mutex);
	if (w)
		rc = weft_win_lock(
			w, r->write ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0,
			0);
	if (!rc) {
		rc = file_range_move(r);
		rc2 = w ? weft_win_unlock(w, 0) : 0;
	}
	pthread_mutex_unlock(&r->f->guard_mutex);
	return rc ? rc : rc2;
}

int weft_file_atomic_set(struct weft_file *f, bool atomic)
{
	int rc = weft_file_agree_same(f, 0, atomic);

	if (!rc && atomic)
		rc = file_guard_open(f);
	if (!rc)
		f->atomic = atomic;
	return rc;
}
