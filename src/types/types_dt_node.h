/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Construction of descriptions, for types_dt*.c and types_pack.c only. Each
 * function writes the simplest node that describes the same bytes in the same
 * order.
 */
#ifndef WEFT_TYPES_DT_NODE_H
#define WEFT_TYPES_DT_NODE_H

#include "src/types/types_dt.h"

/*
 * Describes count copies of child at distance stride. The result may point to
 * child, which must outlive it. Takes constant time: packing calls this
 * function for the count of every message.
 */
static inline void weft_dtn_repeat(struct weft_dtn *out,
				   const struct weft_dtn *child,
				   MPI_Count count, MPI_Count stride)
{
	*out = *child;
	if (count == 1)
		return;
	out->size = child->size * count;
	if (child->kind == WEFT_DTN_RUN && child->len == stride) {
		out->len = child->len * count;
	} else if (child->kind == WEFT_DTN_RUN) {
		out->kind = WEFT_DTN_VEC;
		out->count = count;
		out->stride = stride;
	} else if (child->kind == WEFT_DTN_VEC &&
		   stride == child->count * child->stride) {
		out->count = child->count * count;
	} else {
		*out = (struct weft_dtn){
			.kind = WEFT_DTN_LOOP,
			.size = child->size * count,
			.count = count,
			.stride = stride,
			.child = child,
		};
	}
}

/* Writes an empty node, for a type without data. */
static inline void weft_dtn_empty(struct weft_dtn *out)
{
	*out = (struct weft_dtn){ .kind = WEFT_DTN_RUN };
}

/*
 * Simplifies a list of n parts (part has n + 1 entries) to a run, a vector or
 * an indexed node. Returns true if the result is an indexed node, which points
 * to part.
 */
bool weft_dtn_runs(struct weft_dtn *out, const struct weft_dtn_part *part,
		   MPI_Count n);

#endif
