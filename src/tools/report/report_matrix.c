/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the communication matrix: messages and bytes per pair of ranks. */
#include "src/tools/report/report_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 256 };

struct cell {
	uint64_t messages, bytes;
};

static void matrix_add(struct cell *c, uint64_t bytes)
{
	c->messages++;
	c->bytes += bytes;
}

static void matrix_fill(const struct report *s, uint32_t group, uint32_t side,
			struct cell *cell)
{
	unsigned wanted = SHOW(TRACE_SEND) | (s->accesses ? REPORT_ALL : 0);
	const struct trace_event *e;
	struct report_walk w;

	for (uint32_t r = 0; r < s->ranks; r++)
		for (w = report_walk(s, r, wanted); (e = report_next(&w));) {
			uint32_t other = e->id;
			bool in = false;

			if (e->kind == TRACE_SEND && other < s->ranks &&
			    !report_is_sync(e->word))
				matrix_add(
					&cell[r / group * side + other / group],
					e->size);
			else if (report_access(s, e, &other, &in))
				matrix_add(
					&cell[(in ? other : r) / group * side +
					      (in ? r : other) / group],
					e->word & TRACE_ACCESS_BYTES);
		}
}

void report_put_matrix(struct json *j, const struct report *s)
{
	uint32_t group = (s->ranks + SIDE - 1) / SIDE;
	uint32_t side = (s->ranks + group - 1) / group;
	struct cell *cell = calloc((size_t)side * side, sizeof(*cell));

	if (!cell || !(s->sends || s->accesses)) {
		free(cell);
		return;
	}
	matrix_fill(s, group, side, cell);
	json_object(j, "matrix");
	json_int(j, "ranks", s->ranks);
	json_int(j, "group", group);
	json_array(j, "entry");
	for (uint32_t i = 0; i < side * side; i++) {
		if (!cell[i].messages)
			continue;
		json_array(j, NULL);
		json_int(j, NULL, i / side);
		json_int(j, NULL, i % side);
		json_int(j, NULL, (int64_t)cell[i].messages);
		json_int(j, NULL, (int64_t)cell[i].bytes);
		json_close(j);
	}
	json_close(j);
	json_close(j);
	free(cell);
}
