/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A naive model of a datatype, for tests: a list of basic elements, each with
 * its offset, exactly as the standard defines type maps and bounds.
 */
#ifndef WEFT_TYPES_DT_MODEL_H
#define WEFT_TYPES_DT_MODEL_H

#include "src/base/rng.h"
#include "src/types/types_dt.h"

struct model_item {
	long off;
	int size;
	int align;
};

struct model {
	int n;
	struct model_item *item;
	bool marked; /* true: bounds were set explicitly */
	long lb;
	long ub;
};

/* A type and its model, built by the same calls. */
struct twin {
	struct weft_dt *dt;
	struct model *m;
};

void twin_close(struct twin *t);

/*
 * Returns a random type with at most `limit` items, nested at most `depth`
 * levels.
 */
struct twin twin_random(struct weft_rng *r, int depth, int limit);

struct twin twin_basic(MPI_Datatype h);
struct twin twin_blocks(int n, const MPI_Count *len, const MPI_Count *disp,
			struct twin *old, bool same);
struct twin twin_vector(int count, int len, long stride, struct twin *old);
struct twin twin_resized(struct twin *old, long lb, long extent);
struct twin twin_subarray(const struct weft_dt_subarray *a, struct twin *old);
struct twin twin_darray(const struct weft_dt_darray *a, struct twin *old);

long model_size(const struct model *m);
long model_lb(const struct model *m);
long model_extent(const struct model *m);
long model_true_lb(const struct model *m);
long model_true_ub(const struct model *m);

/* Returns the offset of packed byte pos in a sequence of elements. */
long model_byte(const struct model *m, long pos);

#endif
