/* SPDX-License-Identifier: BSD-3-Clause */
/* Simplification of lists of runs, used by types_dt.c to build descriptions. */
#include "src/types/types_dt_node.h"

static bool steps_are_equal(const struct weft_dtn_part *part, MPI_Count n)
{
	MPI_Count step = part[1].off - part[0].off;
	MPI_Count len = part[1].pos - part[0].pos;

	for (MPI_Count i = 1; i < n; i++)
		if (part[i].off - part[i - 1].off != step ||
		    part[i + 1].pos - part[i].pos != len)
			return false;
	return true;
}

bool weft_dtn_runs(struct weft_dtn *out, const struct weft_dtn_part *part,
		   MPI_Count n)
{
	weft_dtn_empty(out);
	if (n == 0)
		return false;
	out->size = part[n].pos;
	out->off = part[0].off;
	out->len = part[1].pos;
	if (n == 1)
		return false;
	out->count = n;
	if (steps_are_equal(part, n)) {
		out->kind = WEFT_DTN_VEC;
		out->stride = part[1].off - part[0].off;
		return false;
	}
	out->kind = WEFT_DTN_IDX;
	out->off = 0;
	out->part = part;
	return true;
}
