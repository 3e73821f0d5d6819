/* SPDX-License-Identifier: BSD-3-Clause */
/* Choices of a machine file from a grid of fastest algorithms (tune.h). */
#include "src/tools/tune/tune.h"

#include <string.h>

const char *const tune_op_names[TUNE_OPS] = {
	"barrier", "bcast",	"reduce",   "allreduce",      "gather",
	"scatter", "allgather", "alltoall", "reduce_scatter", "scan",
};

uint64_t tune_volume(enum tune_op op, uint64_t ranks, uint64_t bytes)
{
	bool all = op == TUNE_ALLGATHER || op == TUNE_REDUCE_SCATTER;

	return all ? ranks * bytes : bytes;
}

/*
 * Writes a number; with the suffix K or M if it is a multiple of 2^10 or 2^20.
 */
static void print_size(FILE *out, uint64_t x)
{
	if (x && x % (1u << 20) == 0)
		fprintf(out, "%lluM", (unsigned long long)(x >> 20));
	else if (x && x % (1u << 10) == 0)
		fprintf(out, "%lluK", (unsigned long long)(x >> 10));
	else
		fprintf(out, "%llu", (unsigned long long)x);
}

/* Writes "LOW-HIGH"; end is the first value above the range, 0: no limit. */
static void print_range(FILE *out, uint64_t low, uint64_t end)
{
	print_size(out, low);
	fprintf(out, "-");
	if (end)
		fprintf(out, "%llu", (unsigned long long)(end - 1));
}

/*
 * Returns whether two numbers of ranks have the same algorithms for all sizes.
 */
static bool same_row(const struct tune_grid *g, unsigned a, unsigned b)
{
	for (unsigned s = 0; s < g->size_count; s++)
		if (strcmp(g->best[a][s], g->best[b][s]))
			return false;
	return true;
}

/*
 * Returns the first size index after s whose algorithm differs, or the number
 * of sizes.
 */
static unsigned next_size(const struct tune_grid *g, unsigned r, unsigned s)
{
	unsigned to = s + 1;

	while (to < g->size_count && !strcmp(g->best[r][to], g->best[r][s]))
		to++;
	return to;
}

/*
 * Prints the choices for the numbers of ranks with indices [r, to). some:
 * whether a choice was already printed; returns the updated value.
 */
static bool print_row(FILE *out, enum tune_op op, const struct tune_grid *g,
		      unsigned r, unsigned to, bool some)
{
	uint64_t p = g->ranks[r], end = to < g->rank_count ? g->ranks[to] : 0;

	for (unsigned s = 0, next; s < g->size_count; s = next) {
		next = next_size(g, r, s);
		if (!*g->best[r][s])
			continue;
		if (some)
			fprintf(out, ", ");
		else
			fprintf(out, "choose_%s = ", tune_op_names[op]);
		some = true;
		print_range(out, p, end);
		fprintf(out, " ");
		print_range(out, s ? tune_volume(op, p, g->sizes[s]) : 0,
			    next < g->size_count
				    ? tune_volume(op, p, g->sizes[next])
				    : 0);
		fprintf(out, " %s", g->best[r][s]);
	}
	return some;
}

void tune_print_choices(FILE *out, enum tune_op op, const struct tune_grid *g)
{
	bool some = false;

	for (unsigned r = 0, to; r < g->rank_count; r = to) {
		/*
		 * merge rows only if the volume does not depend on the number
		 * of ranks
		 */
		to = r + 1;
		while (to < g->rank_count && tune_volume(op, 2, 1) == 1 &&
		       same_row(g, r, to))
			to++;
		some = print_row(out, op, g, r, to, some);
	}
	if (some)
		fprintf(out, "  # assumed: weft-tune\n");
}
