/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --classroutes: prints the class routes that a machine would use. */
#include "src/tools/info/info_routes.h"

#include "src/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIMS	  5 /* dimensions A to E */
#define NODES_MAX 100000

/* A box of nodes: lowest and highest coordinate in each dimension. */
struct box {
	int dims;
	int low[DIMS];
	int high[DIMS];
};

static int report_invalid(const char *spec, const char *why)
{
	fprintf(stderr, "weft-info: class route %s: %s\n", spec, why);
	return 2;
}

/* Parses "4x4x4x4x2". Returns the text after the shape, or NULL. */
static const char *parse_shape(const char *s, struct box *b)
{
	for (b->dims = 0; b->dims < DIMS; b->dims++) {
		char *end;
		long len = strtol(s, &end, 10);

		if (end == s || len < 1 || len > NODES_MAX)
			return NULL;
		b->high[b->dims] = (int)len - 1;
		s = end;
		if (*s != 'x')
			break;
		s++;
	}
	if (b->dims == DIMS)
		return NULL;
	b->dims++;
	return s;
}

/*
 * Parses "0-1,2,0-3", a range per dimension. Returns the text after it, or
 * NULL.
 */
static const char *parse_part(const char *s, struct box *b)
{
	for (int d = 0; d < b->dims; d++) {
		char *end;
		long low = strtol(s, &end, 10), high = low;

		if (end != s && *end == '-') {
			s = end + 1;
			high = strtol(s, &end, 10);
		}
		if (end == s || low < 0 || high < low || high > b->high[d])
			return NULL;
		b->low[d] = (int)low;
		b->high[d] = (int)high;
		s = end;
		if (d + 1 < b->dims && *s++ != ',')
			return NULL;
	}
	return s;
}

static long box_nodes(const struct box *b)
{
	long n = 1;

	for (int d = 0; d < b->dims; d++) {
		n *= b->high[d] - b->low[d] + 1;
		if (n > NODES_MAX)
			return -1;
	}
	return n;
}

static void box_fill(const struct box *b, struct weft_tree_coord *at)
{
	struct weft_tree_coord c = { { 0 } };
	int d;

	memcpy(c.at, b->low, sizeof(b->low));
	for (;;) {
		*at++ = c;
		for (d = b->dims - 1; d >= 0; d--) {
			if (++c.at[d] <= b->high[d])
				break;
			c.at[d] = b->low[d];
		}
		if (d < 0)
			return;
	}
}

/* Returns the name of the link from a node to its neighbour: "A+". */
static const char *link_name(const struct weft_tree_coord *from,
			     const struct weft_tree_coord *to)
{
	static char name[3];

	for (int d = 0; d < DIMS; d++) {
		if (from->at[d] == to->at[d])
			continue;
		name[0] = (char)('A' + d);
		name[1] = to->at[d] > from->at[d] ? '+' : '-';
		return name;
	}
	return "local";
}

static void print_coord(FILE *out, const struct box *b,
			const struct weft_tree_coord *c)
{
	for (int d = 0; d < b->dims; d++)
		fprintf(out, "%s%d", d ? "," : "", c->at[d]);
}

/* Prints the number of links of the tree in each dimension. */
static void print_links(FILE *out, const struct box *b,
			const struct weft_tree *t,
			const struct weft_tree_coord *at)
{
	int used[DIMS] = { 0 };

	for (int i = 0; i < t->n; i++) {
		if (t->parent[i] >= 0)
			used[link_name(&at[i], &at[t->parent[i]])[0] - 'A']++;
	}
	fprintf(out, "# links:");
	for (int d = 0; d < b->dims; d++)
		fprintf(out, " %c %d", 'A' + d, used[d]);
	fputc('\n', out);
}

static int print_torus(FILE *out, const char *spec, const struct box *b)
{
	long n = box_nodes(b);
	struct weft_tree_coord *at;
	struct weft_tree t;
	int ret;

	if (n < 0)
		return report_invalid(spec, "too many nodes");
	at = calloc((size_t)n, sizeof(*at));
	if (!at)
		return report_invalid(spec, "no memory");
	box_fill(b, at);
	ret = weft_tree_torus(&t, (int)n, at);
	if (!ret) {
		fprintf(out, "# class route %s: %d nodes, root ", spec, t.n);
		print_coord(out, b, &at[t.root]);
		fprintf(out, ", depth %d, %d hops up and down\n", t.depth,
			2 * t.depth);
		print_links(out, b, &t, at);
		for (int i = 0; i < t.n; i++) {
			print_coord(out, b, &at[i]);
			fprintf(out, "  up %s  inputs local",
				t.parent[i] < 0
					? "none"
					: link_name(&at[i], &at[t.parent[i]]));
			for (int k = t.first[i]; k < t.first[i + 1]; k++)
				fprintf(out, " %s",
					link_name(&at[i], &at[t.input[k]]));
			fputc('\n', out);
		}
		weft_tree_fini(&t);
	}
	free(at);
	return ret ? report_invalid(spec, strerror(-ret)) : 0;
}

static int print_pairs(FILE *out, const char *spec, const char *count)
{
	struct weft_tree t;
	char *end;
	long n = strtol(count, &end, 10);

	if (*end || n < 1 || n > NODES_MAX)
		return report_invalid(spec, "not a number of ranks");
	if (weft_tree_pairs(&t, (int)n))
		return report_invalid(spec, "no memory");
	fprintf(out, "# class route %s: %d ranks, root %d, depth %d\n", spec,
		t.n, t.root, t.depth);
	for (int i = 0; i < t.n; i++) {
		fprintf(out, "%d  up %d  inputs local", i, t.parent[i]);
		for (int k = t.first[i]; k < t.first[i + 1]; k++)
			fprintf(out, " %d", t.input[k]);
		fputc('\n', out);
	}
	weft_tree_fini(&t);
	return 0;
}

static int print_block(FILE *out, const char *spec, const char *shape)
{
	struct box b = { 0 };
	const char *s = parse_shape(shape, &b);

	if (s && *s == '@')
		s = parse_part(s + 1, &b);
	if (!s || *s)
		return report_invalid(spec, "not a shape, as bgq:4x4x4x4x2 or "
					    "bgq:4x4x4x4x2@0-1,2,0-3,0-3,0");
	return print_torus(out, spec, &b);
}

/* Machines with class routes, and the functions that print their routes. */
static const struct {
	const char *name;
	int (*print)(FILE *out, const char *spec, const char *size);
} trees[] = {
	{ "native:", print_pairs },
	{ "bgq:", print_block },
};

int tool_routes(FILE *out, const char *spec)
{
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		size_t len = strlen(trees[i].name);

		if (!strncmp(spec, trees[i].name, len))
			return trees[i].print(out, spec, spec + len);
	}
	return report_invalid(spec, "machines with class routes: bgq, native");
}
