/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructors with lists of blocks: the indexed family and struct. */
#include "src/mpi/mpi_export.h"

#include "src/mpi/type/mpi_type_make.h"

#include <errno.h>
#include <stdlib.h>

struct list_call {
	const char *func;
	int combiner;
	bool large;
	MPI_Count count;
	MPI_Count len; /* length of each block, if lens is not set */
	struct mpi_list lens;
	/* displacements; in elements for INDEXED and INDEXED_BLOCK */
	struct mpi_list disps;
	const MPI_Datatype *types;
	bool same; /* all blocks have one type */
	MPI_Datatype *newtype;
};

/* The call with its arrays widened and its types converted to objects. */
struct list_work {
	/* lengths of the blocks; NULL: all have length call->len */
	MPI_Count *len;
	MPI_Count *disp;
	struct weft_dt **old;
	MPI_Count olds;
};

static bool in_elements(const struct list_call *c)
{
	return c->combiner == MPI_COMBINER_INDEXED ||
	       c->combiner == MPI_COMBINER_INDEXED_BLOCK;
}

/* ---- checking ------------------------------------------------------------*/

static int check_lens(const struct list_call *c)
{
	if (!weft_check)
		return 0;
	if (!mpi_list_is_set(&c->lens))
		return c->len >= 0 ? 0
				   : mpi_check_nonneg(c->func, 2, MPI_ERR_ARG,
						      c->len, "blocklength");
	for (MPI_Count k = 0; k < c->count; k++)
		if (mpi_list_at(&c->lens, k) < 0)
			return weft_err_arg(
				NULL, c->func, MPI_ERR_ARG, 2,
				"negative blocklength %lld at index %lld",
				(long long)mpi_list_at(&c->lens, k),
				(long long)k);
	return 0;
}

static int check_call(const struct list_call *c)
{
	bool lens = c->combiner != MPI_COMBINER_INDEXED_BLOCK &&
		    c->combiner != MPI_COMBINER_HINDEXED_BLOCK;
	int err =
		mpi_check_nonneg(c->func, 1, MPI_ERR_COUNT, c->count, "count");

	if (!err && c->count && lens && !mpi_list_is_set(&c->lens))
		err = weft_check_ptr(NULL, c->func, 2, NULL,
				     "array_of_blocklengths");
	if (!err && c->count && !mpi_list_is_set(&c->disps))
		err = weft_check_ptr(NULL, c->func, 3, NULL,
				     "array_of_displacements");
	if (!err && c->count)
		err = weft_check_ptr(NULL, c->func, 4, c->types,
				     "array_of_types");
	if (!err)
		err = weft_check_ptr(NULL, c->func, 5, c->newtype, "newtype");
	return err ? err : check_lens(c);
}

/* ---- construction ------------------------------------------------------- */

static int work_types(struct list_work *w, const struct list_call *c)
{
	int err;

	for (MPI_Count k = 0; k < w->olds; k++) {
		err = mpi_check_type(c->func, 4, c->types[k], &w->old[k]);
		if (err)
			return err;
	}
	return 0;
}

static int work_disps(struct list_work *w, const struct list_call *c)
{
	MPI_Count unit = in_elements(c) ? w->old[0]->extent : 1;

	for (MPI_Count k = 0; k < c->count; k++) {
		if (w->len)
			w->len[k] = mpi_list_at(&c->lens, k);
		w->disp[k] = 0;
		if (w->len ? w->len[k] == 0 : c->len == 0)
			/* the displacement of an empty block is ignored */
			continue;
		if (__builtin_mul_overflow(mpi_list_at(&c->disps, k), unit,
					   &w->disp[k]))
			return -EOVERFLOW;
	}
	return 0;
}

static int work_open(struct list_work *w, const struct list_call *c)
{
	size_t n = (size_t)c->count + 1;
	bool lens = mpi_list_is_set(&c->lens);

	w->olds = c->same ? 1 : c->count;
	w->disp = malloc(n * sizeof(*w->disp));
	w->len = lens ? malloc(n * sizeof(*w->len)) : NULL;
	w->old = malloc(((size_t)w->olds + 1) * sizeof(struct weft_dt *));
	return w->disp && w->old && (w->len || !lens) ? 0 : -ENOMEM;
}

static void work_close(struct list_work *w)
{
	free(w->disp);
	free(w->len);
	free(w->old);
}

/* Stores the constructor's argument k, as int or as large count. */
static void env_num(struct weft_dt_env *e, bool large, MPI_Count k, MPI_Count v)
{
	if (large)
		e->c[k] = v;
	else
		e->i[k] = (int)v;
}

/*
 * Builds the envelope. Integers are the count, the block lengths (or the common
 * length), and displacements in elements; displacements in bytes are addresses,
 * or large counts after the other numbers.
 */
static struct weft_dt_env *list_env(const struct list_call *c,
				    const struct list_work *w)
{
	MPI_Count lens =
		c->combiner == MPI_COMBINER_INDEXED_BLOCK ||
				c->combiner == MPI_COMBINER_HINDEXED_BLOCK
			? 1
			: c->count;
	MPI_Count nums = 1 + lens + (in_elements(c) ? c->count : 0);
	MPI_Count addrs = in_elements(c) ? 0 : c->count;
	struct weft_dt_env *e =
		c->large ? weft_dt_env_open(c->combiner, 0, 0, nums + addrs,
					    w->olds)
			 : weft_dt_env_open(c->combiner, nums, addrs, 0,
					    w->olds);

	if (!e)
		return NULL;
	env_num(e, c->large, 0, c->count);
	for (MPI_Count k = 0; k < lens; k++)
		env_num(e, c->large, 1 + k,
			mpi_list_is_set(&c->lens) ? mpi_list_at(&c->lens, k)
						  : c->len);
	for (MPI_Count k = 0; k < c->count; k++) {
		MPI_Count d = mpi_list_at(&c->disps, k);

		if (addrs && !c->large)
			e->a[k] = (MPI_Aint)d;
		else
			env_num(e, c->large, 1 + lens + k, d);
	}
	for (MPI_Count k = 0; k < w->olds; k++)
		e->t[k] = weft_dt_get(w->old[k]);
	return e;
}

static int list_make(const struct list_call *c)
{
	struct list_work w = { NULL, NULL, NULL, 0 };
	struct weft_dt *dt = NULL;
	int err = check_call(c), rc;

	if (err)
		return err;
	rc = work_open(&w, c);
	if (!rc)
		err = work_types(&w, c);
	if (!rc && !err)
		rc = work_disps(&w, c);
	if (!rc && !err) {
		struct weft_dt_blocks b = { c->count, c->len, w.len,
					    w.disp,   w.old,  c->same };

		rc = weft_dt_blocks(&b, &dt);
	}
	if (!err)
		err = mpi_type_finish(c->func, rc, dt,
				      rc ? NULL : list_env(c, &w), c->newtype);
	work_close(&w);
	return err;
}

/* ---- calls ---------------------------------------------------------------*/

#define MPI_BODY "src/mpi/type/mpi_type_list_body.inc"
#include "src/mpi/mpi_both_counts.h"
