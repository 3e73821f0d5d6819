/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of arrays: subarray and darray, built one dimension after the other
 * from the fastest to the slowest. After each step the type covers all
 * dimensions so far. Its extent is the extent of the whole array in these
 * dimensions, so that the next step only repeats it.
 */
#include "src/types/types_dt.h"

#include <errno.h>
#include <stdlib.h>

/* Returns the index of the dimension of step k, counted from the fastest. */
static int dim_at(int k, int ndims, int order)
{
	return order == MPI_ORDER_C ? ndims - 1 - k : k;
}

/*
 * Replaces *t by a type with its data moved by disp and the bounds [0, extent).
 * Drops the reference on the old *t, also on failure.
 */
static int dt_array_place(struct weft_dt **t, MPI_Count disp, MPI_Count extent)
{
	struct weft_dt_blocks b = {
		.n = 1, .len = 1, .disp = &disp, .old = t, .same = true
	};
	struct weft_dt *moved = NULL, *sized = NULL;
	int rc = weft_dt_blocks(&b, &moved);

	if (!rc) {
		rc = weft_dt_resized(moved, 0, extent, &sized);
		weft_dt_put(moved);
	}
	weft_dt_put(*t);
	*t = sized;
	return rc;
}

static bool grows_too_far(MPI_Count *extent, MPI_Count n)
{
	return __builtin_mul_overflow(*extent, n, extent);
}

int weft_dt_subarray(const struct weft_dt_subarray *a, struct weft_dt *old,
		     struct weft_dt **dt_p)
{
	MPI_Count extent = old->extent;
	struct weft_dt *t = weft_dt_get(old), *row;
	int rc = 0;

	for (int k = 0; k < a->ndims && !rc; k++) {
		int d = dim_at(k, a->ndims, a->order);
		MPI_Count step = extent;

		row = NULL;
		rc = weft_dt_vector(a->subsizes[d], 1, step, t, &row);
		weft_dt_put(t);
		t = row;
		if (!rc && grows_too_far(&extent, a->sizes[d])) {
			weft_dt_put(t);
			return -EOVERFLOW;
		}
		if (!rc)
			rc = dt_array_place(&t, a->starts[d] * step, extent);
	}
	if (!rc)
		*dt_p = t;
	return rc;
}

/* One dimension of a distributed array, for one process. */
struct share {
	MPI_Count size;	 /* size of the array in this dimension, elements */
	MPI_Count block; /* block size, elements */
	MPI_Count procs;
	MPI_Count coord;
};

/*
 * Creates the type of this process's blocks in one dimension:
 *
 *   size 11, block 2, procs 3, coord 1:   . . 2 3 . . . . 8 9 .
 *   one whole cycle of 6 and a remainder of 5, which also contains this
 *   process's whole block
 */
static int share_type(const struct share *s, MPI_Count step,
		      struct weft_dt *old, struct weft_dt **dt_p)
{
	MPI_Count start = s->coord * s->block;
	MPI_Count cycle = s->procs * s->block;
	MPI_Count left = start < s->size ? s->size - start : 0;
	MPI_Count full = left / cycle + (left % cycle >= s->block);
	MPI_Count rest = left % cycle < s->block ? left % cycle : 0;
	MPI_Count len[2] = { 1, rest };
	MPI_Count disp[2] = { start * step, (start + full * cycle) * step };
	struct weft_dt *part[2] = { NULL, old };
	struct weft_dt_blocks b = {
		.n = 2, .blocklen = len, .disp = disp, .old = part
	};
	int rc = weft_dt_vector(full, s->block, cycle * step, old, &part[0]);

	if (rc)
		return rc;
	rc = weft_dt_blocks(&b, dt_p);
	weft_dt_put(part[0]);
	return rc;
}

static struct share share_of(const struct weft_dt_darray *a, int d, int coord)
{
	struct share s = { a->gsizes[d], a->dargs[d], a->psizes[d], coord };

	if (a->distribs[d] == MPI_DISTRIBUTE_NONE) {
		s.block = s.size ? s.size : 1;
		s.procs = 1;
		s.coord = 0;
	} else if (a->dargs[d] == MPI_DISTRIBUTE_DFLT_DARG) {
		s.block = 1;
		if (a->distribs[d] == MPI_DISTRIBUTE_BLOCK)
			s.block = (s.size + s.procs - 1) / s.procs;
	}
	if (s.block == 0)
		s.block = 1;
	return s;
}

/* Returns the process's coordinate in dimension d; the grid is row-major. */
static int grid_coord(const struct weft_dt_darray *a, int d)
{
	int below = 1;

	for (int k = d + 1; k < a->ndims; k++)
		below *= a->psizes[k];
	return a->rank / below % a->psizes[d];
}

int weft_dt_darray(const struct weft_dt_darray *a, struct weft_dt *old,
		   struct weft_dt **dt_p)
{
	MPI_Count extent = old->extent;
	struct weft_dt *t = weft_dt_get(old), *row;
	int rc = 0;

	for (int k = 0; k < a->ndims && !rc; k++) {
		int d = dim_at(k, a->ndims, a->order);
		struct share s = share_of(a, d, grid_coord(a, d));

		row = NULL;
		rc = share_type(&s, extent, t, &row);
		weft_dt_put(t);
		t = row;
		if (!rc && grows_too_far(&extent, a->gsizes[d])) {
			weft_dt_put(t);
			return -EOVERFLOW;
		}
		if (!rc)
			rc = dt_array_place(&t, 0, extent);
	}
	if (!rc)
		*dt_p = t;
	return rc;
}
