/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Draws a class route, plane by plane:
 *
 *   weft-info --classroutes bgq:4x4x1x1x1 | classroute_draw
 *
 * Every plane has dimension B from left to right and A from top to bottom. @ is
 * the root, o a node; an arrow is the link on which the node sends its
 * contribution; a name is a link out of the plane.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIMS 5

struct node {
	int coord[DIMS];
	char up[8];
};

static struct node *nodes;
static size_t count;

static int read_nodes(FILE *in)
{
	char line[512];

	while (fgets(line, sizeof(line), in)) {
		struct node *more, n = { .up = "" };
		char *s = line;

		if (*s == '#') {
			fputs(line, stdout);
			continue;
		}
		for (int d = 0; d < DIMS; d++) {
			n.coord[d] = (int)strtol(s, &s, 10);
			if (*s != ',')
				break;
			s++;
		}
		if (sscanf(s, " up %7s", n.up) != 1)
			return -1;
		more = realloc(nodes, (count + 1) * sizeof(*nodes));
		if (!more)
			return -1;
		nodes = more;
		nodes[count++] = n;
	}
	return count ? 0 : -1;
}

static const struct node *find(int a, int b, const int *rest)
{
	for (size_t i = 0; i < count; i++) {
		if (nodes[i].coord[0] == a && nodes[i].coord[1] == b &&
		    !memcmp(nodes[i].coord + 2, rest, 3 * sizeof(int)))
			return &nodes[i];
	}
	return NULL;
}

static void draw_row(int a, int b_low, int b_high, const int *rest)
{
	for (int b = b_low; b <= b_high; b++) {
		const struct node *n = find(a, b, rest);
		const struct node *next = find(a, b + 1, rest);
		const char *link = "  ";

		if (!n) {
			printf("      ");
			continue;
		}
		if (!strcmp(n->up, "B+"))
			link = "->";
		else if (next && !strcmp(next->up, "B-"))
			link = "<-";
		printf("%c%-3s%s", strcmp(n->up, "none") ? 'o' : '@',
		       n->up[0] > 'B' && n->up[0] < 'F' ? n->up : "", link);
	}
	putchar('\n');
}

static void draw_between(int a, int b_low, int b_high, const int *rest)
{
	for (int b = b_low; b <= b_high; b++) {
		const struct node *n = find(a, b, rest);
		const struct node *below = find(a + 1, b, rest);

		printf("%c     ", n && !strcmp(n->up, "A+")	      ? 'v'
				  : below && !strcmp(below->up, "A-") ? '^'
								      : ' ');
	}
	putchar('\n');
}

static void bounds(int d, int *low, int *high)
{
	*low = *high = nodes[0].coord[d];
	for (size_t i = 0; i < count; i++) {
		if (nodes[i].coord[d] < *low)
			*low = nodes[i].coord[d];
		if (nodes[i].coord[d] > *high)
			*high = nodes[i].coord[d];
	}
}

static void draw_plane(const int *rest)
{
	int low[2], high[2];

	bounds(0, &low[0], &high[0]);
	bounds(1, &low[1], &high[1]);
	printf("\nC %d  D %d  E %d\n", rest[0], rest[1], rest[2]);
	for (int a = low[0]; a <= high[0]; a++) {
		draw_row(a, low[1], high[1], rest);
		if (a < high[0])
			draw_between(a, low[1], high[1], rest);
	}
}

int main(void)
{
	if (read_nodes(stdin)) {
		fputs("classroute_draw: no class route on standard input; use: "
		      "weft-info --classroutes bgq:4x4x4x4x2 | "
		      "classroute_draw\n",
		      stderr);
		return 1;
	}
	for (size_t i = 0; i < count; i++) {
		/* draw each plane once, at its first node */
		size_t k = 0;

		while (memcmp(nodes[k].coord + 2, nodes[i].coord + 2,
			      3 * sizeof(int)))
			k++;
		if (k == i)
			draw_plane(nodes[i].coord + 2);
	}
	free(nodes);
	return 0;
}
