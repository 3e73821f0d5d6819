/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-tune --check: checks that no operation is slower than its fastest
 * algorithm, or than other operations that give the same result, by more than
 * the tolerance.
 */
#include "src/tools/tune/tune_run.h"

/*
 * Block size of a part of a composition, relative to the composed operation:
 * the same, multiplied by the number of ranks, or divided by it.
 */
enum part_size { SAME, ALL_BLOCKS, ONE_BLOCK };

struct part {
	enum tune_op op;
	enum part_size size;
};

/*
 * Operations that together give the result of another operation; TUNE_OPS: no
 * second part.
 */
static const struct composition {
	enum tune_op op;
	struct part part[2];
} compositions[] = {
	{ TUNE_BARRIER, { { TUNE_ALLREDUCE, SAME }, { TUNE_OPS, SAME } } },
	{ TUNE_BCAST, { { TUNE_ALLREDUCE, SAME }, { TUNE_OPS, SAME } } },
	{ TUNE_BCAST,
	  { { TUNE_SCATTER, ONE_BLOCK }, { TUNE_ALLGATHER, ONE_BLOCK } } },
	{ TUNE_REDUCE, { { TUNE_ALLREDUCE, SAME }, { TUNE_OPS, SAME } } },
	{ TUNE_REDUCE,
	  { { TUNE_REDUCE_SCATTER, ONE_BLOCK }, { TUNE_GATHER, ONE_BLOCK } } },
	{ TUNE_ALLREDUCE, { { TUNE_REDUCE, SAME }, { TUNE_BCAST, SAME } } },
	{ TUNE_ALLREDUCE,
	  { { TUNE_REDUCE_SCATTER, ONE_BLOCK },
	    { TUNE_ALLGATHER, ONE_BLOCK } } },
	{ TUNE_GATHER, { { TUNE_ALLGATHER, SAME }, { TUNE_OPS, SAME } } },
	{ TUNE_SCATTER, { { TUNE_BCAST, ALL_BLOCKS }, { TUNE_OPS, SAME } } },
	{ TUNE_ALLGATHER,
	  { { TUNE_GATHER, SAME }, { TUNE_BCAST, ALL_BLOCKS } } },
	{ TUNE_REDUCE_SCATTER,
	  { { TUNE_REDUCE, ALL_BLOCKS }, { TUNE_SCATTER, SAME } } },
};

static size_t part_bytes(const struct part *p, size_t ranks, size_t bytes)
{
	if (p->size == ALL_BLOCKS)
		return bytes * ranks;
	return p->size == ONE_BLOCK ? bytes / ranks : bytes;
}

/*
 * Returns the time of a composition; 0: its blocks would be shorter than a
 * word.
 */
static double composed(const struct composition *c, int ranks, size_t bytes)
{
	double sum = 0;
	size_t n;

	for (unsigned i = 0; i < 2 && c->part[i].op != TUNE_OPS; i++) {
		n = part_bytes(&c->part[i], (size_t)ranks, bytes);
		if (n < 8)
			return 0;
		sum += tune_measure(c->part[i].op, ranks, n, NULL);
	}
	return sum;
}

static void report(const struct tune_run *t, enum tune_op op, int ranks,
		   size_t bytes, double time, const char *other, double best)
{
	if (t->rank == 0)
		printf("%s of %d ranks, %zu bytes: %.2f us; %s: %.2f us\n",
		       tune_op_names[op], ranks, bytes, time, other, best);
}

unsigned tune_check(const struct tune_run *t, enum tune_op op, int ranks,
		    size_t bytes)
{
	double selected = tune_measure(op, ranks, bytes, NULL), time;
	char best[TUNE_NAME], other[64];
	unsigned bad = 0;

	time = tune_fastest(op, ranks, bytes, best);
	if (selected > TUNE_TOLERANCE * time) {
		report(t, op, ranks, bytes, selected, best, time);
		bad++;
	}
	for (unsigned i = 0; i < sizeof(compositions) / sizeof(compositions[0]);
	     i++) {
		const struct composition *c = &compositions[i];

		time = c->op == op ? composed(c, ranks, bytes) : 0;
		if (time <= 0 || selected <= TUNE_TOLERANCE * time)
			continue;
		snprintf(other, sizeof(other), "%s%s%s",
			 tune_op_names[c->part[0].op],
			 c->part[1].op == TUNE_OPS ? "" : " and ",
			 c->part[1].op == TUNE_OPS
				 ? ""
				 : tune_op_names[c->part[1].op]);
		report(t, op, ranks, bytes, selected, other, time);
		bad++;
	}
	return bad;
}
