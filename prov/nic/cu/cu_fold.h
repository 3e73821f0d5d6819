/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sum under way at somebody who has all parts: they are combined in the
 * order of a tree (visit and merge of cu_tree.h), so that it has the bits that
 * the tree's own nodes would give it.
 *
 *   fold = { op, type, count, bytes, out, room, apart };
 *   for k in 0..n-1: weft_cu_fold_part(&fold, part of visit[k], merge[k]);
 */
#ifndef WEFT_NIC_CU_FOLD_H
#define WEFT_NIC_CU_FOLD_H

#include "prov/nic/cu/cu_alu.h"

#include <string.h>

struct weft_cu_fold {
	unsigned op;
	unsigned type;
	size_t count;
	size_t bytes;  /* of a part */
	uint8_t *out;  /* where the sum will be */
	uint8_t *room; /* for depth - 1 more parts */
	size_t apart;  /* bytes from one of them to the next */
	int parts;     /* that wait for others */
	uint32_t flags;
};

/* Where part i of those that wait is. */
static inline uint8_t *weft_cu_fold_at(const struct weft_cu_fold *f, int i)
{
	return i ? f->room + (size_t)(i - 1) * f->apart : f->out;
}

/* A part that no other follows is combined from where it is, not copied. */
static inline void weft_cu_fold_part(struct weft_cu_fold *f, const void *part,
				     int merges)
{
	if (!merges) {
		uint8_t *to = weft_cu_fold_at(f, f->parts++);

		if (f->bytes == 8)
			memcpy(to, part, 8);
		else if (part != to)
			memcpy(to, part, f->bytes);
		return;
	}
	f->flags |= weft_cu_combine(f->op, f->type,
				    weft_cu_fold_at(f, f->parts - 1), part,
				    f->count);
	while (--merges) {
		f->parts--;
		f->flags |= weft_cu_combine(
			f->op, f->type, weft_cu_fold_at(f, f->parts - 1),
			weft_cu_fold_at(f, f->parts), f->count);
	}
}

#endif
