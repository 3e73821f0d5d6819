/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sent how much to whom, and the chain of waits. */
#include "src/show/show_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 256 };

struct cell {
	uint64_t messages, bytes;
};

static void add(struct cell *c, uint64_t bytes)
{
	c->messages++;
	c->bytes += bytes;
}

static void fill(const struct show *s, uint32_t group, uint32_t side,
		 struct cell *cell)
{
	unsigned wanted = SHOW(TRACE_SEND) | (s->reaches ? SHOW_ALL : 0);
	const struct trace_event *e;
	struct show_walk w;

	for (uint32_t r = 0; r < s->ranks; r++)
		for (w = show_walk(s, r, wanted); (e = show_next(&w));) {
			uint32_t other = e->id;
			bool in = false;

			if (e->kind == TRACE_SEND && other < s->ranks)
				add(&cell[r / group * side + other / group],
				    e->span);
			else if (show_reach(s, e, &other, &in))
				add(&cell[(in ? other : r) / group * side +
					  (in ? r : other) / group],
				    e->word & TRACE_REACH_BYTES);
		}
}

void show_put_matrix(struct json *j, const struct show *s)
{
	uint32_t group = (s->ranks + SIDE - 1) / SIDE;
	uint32_t side = (s->ranks + group - 1) / group;
	struct cell *cell = calloc((size_t)side * side, sizeof(*cell));

	if (!cell || !(s->sends || s->reaches)) {
		free(cell);
		return;
	}
	fill(s, group, side, cell);
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

/* ---- the chain ----------------------------------------------------------- */

static const char *what(const struct show *s, const struct show_link *l,
			char *text, size_t len)
{
	char name[ROLL_NAME];

	if (l->message)
		snprintf(text, len, "a message from rank %u", l->other);
	else if (l->id)
		snprintf(text, len, "%s, to which rank %u came last",
			 show_name(s, l->id, name), l->other);
	else
		snprintf(text, len, "on its own");
	return text;
}

void show_put_chain(struct json *j, const struct show *s,
		    const struct show_link *link, unsigned n)
{
	char text[128];

	json_array(j, "chain");
	for (unsigned i = n; i-- > 0;) {
		json_object(j, NULL);
		json_int(j, "rank", link[i].rank);
		json_int(j, "from", (int64_t)link[i].from);
		json_int(j, "length", (int64_t)(link[i].to - link[i].from));
		json_text(j, "what", what(s, &link[i], text, sizeof(text)));
		json_close(j);
	}
	json_close(j);
}
