/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the trees of class routes to the page, as recorded by the first member
 * of each class route.
 */
#include "src/tools/report/report_part.h"

#include <stdio.h>
#include <string.h>

#define MOST 65536u /* maximum number of nodes of all trees on a page */

static void put_node(struct json *j, const struct trace_tree_node *b)
{
	char node[sizeof(b->node) + 1] = "";

	memcpy(node, b->node, sizeof(b->node));
	json_array(j, NULL);
	json_text(j, NULL, node);
	json_int(j, NULL, b->parent);
	json_int(j, NULL, b->ranks);
	json_close(j);
}

static void routes_end(struct json *j)
{
	json_close(j);
	json_close(j);
}

/*
 * Writes the routes of one record. A rank records its class routes one after
 * another, each with consecutive nodes; index 0 starts a route. Returns the
 * number of nodes that still fit.
 */
static uint32_t put_routes(struct json *j, const struct trace_tree_node *b,
			   size_t n, uint32_t left, bool *open)
{
	for (; n && left; n--, b++, left--) {
		if (!b->index || !*open) {
			if (*open)
				routes_end(j);
			json_object(j, NULL);
			json_int(j, "first", b->first);
			json_int(j, "members", b->members);
			json_int(j, "opened", (int64_t)b->t);
			json_array(j, "tree");
			*open = true;
		}
		put_node(j, b);
	}
	return left;
}

void report_put_routes(struct json *j, const struct report *s)
{
	const struct trace_tree_node *b;
	uint32_t left = MOST;
	bool open;
	size_t bytes;

	json_array(j, "routes");
	for (uint32_t r = 0; r < s->ranks; r++) {
		uint64_t at = 0;

		open = false;
		while ((b = weft_trace_next(&s->file, TRACE_TREES, r, &at,
					    &bytes)))
			left = put_routes(j, b, bytes / sizeof(*b), left,
					  &open);
		if (open)
			routes_end(j);
	}
	json_close(j);
}
