/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reduction by a member that has all contributions: they are combined in the
 * order of a tree (visit and merge of src/tree/tree.h), so that the result is
 * bit-identical to that of the tree's nodes.
 *
 *   fold = { op, type, count, bytes, out, scratch, stride };
 *   for k in 0..n-1: weft_cunit_fold_part(&fold, data of visit[k], merge[k]);
 */
#ifndef WEFT_CUNIT_FOLD_H
#define WEFT_CUNIT_FOLD_H

#include "prov/group/cunit/cunit_alu.h"

#include <string.h>

struct weft_cunit_fold {
	unsigned op;
	unsigned type;
	size_t count;
	size_t bytes;	  /* bytes of a contribution */
	uint8_t *out;	  /* buffer for the result */
	uint8_t *scratch; /* buffer for depth - 1 more contributions */
	size_t stride;	  /* bytes between two contributions in scratch */
	int parts;	  /* contributions on the stack */
	uint32_t flags;
};

/* Returns the address of contribution i of the stack. */
static inline uint8_t *weft_cunit_fold_at(const struct weft_cunit_fold *f,
					  int i)
{
	return i ? f->scratch + (size_t)(i - 1) * f->stride : f->out;
}

/*
 * Pushes the next contribution and merges. A contribution that is merged at
 * once is combined in place, not copied.
 */
static inline void weft_cunit_fold_part(struct weft_cunit_fold *f,
					const void *part, int merges)
{
	if (!merges) {
		uint8_t *to = weft_cunit_fold_at(f, f->parts++);

		if (f->bytes == 8)
			memcpy(to, part, 8);
		else if (part != to)
			memcpy(to, part, f->bytes);
		return;
	}
	f->flags |= weft_cunit_combine(f->op, f->type,
				       weft_cunit_fold_at(f, f->parts - 1),
				       part, f->count);
	while (--merges) {
		f->parts--;
		f->flags |= weft_cunit_combine(
			f->op, f->type, weft_cunit_fold_at(f, f->parts - 1),
			weft_cunit_fold_at(f, f->parts), f->count);
	}
}

#endif
