/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests every collective call of a group against a naive result. */
#ifndef WEFT_PROV_CALLS_H
#define WEFT_PROV_CALLS_H

#include "test/prov/prov_group.h"

#include <stdlib.h>
#include <string.h>

#define ELEMS 1500

static inline int32_t value(int member, int round, size_t i)
{
	return member * 1000 + round * 17 + (int32_t)(i % 29);
}

static inline void fill(int32_t *v, int member, int round, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = value(member, round, i);
}

static inline void same(struct job *j, const int32_t *got, int member,
			int round, size_t off, size_t n)
{
	for (size_t i = 0; i < n; i++)
		job_check(j, got[i] == value(member, round, off + i), "element",
			  (long)i);
}

static inline void sums(struct job *j, struct group *g, const int32_t *got,
			int round, size_t off, size_t n)
{
	int32_t ranks = g->n * (g->n - 1) / 2 * 1000;

	for (size_t i = 0; i < n; i++)
		job_check(j, got[i] == ranks + g->n * value(0, round, off + i),
			  "sum", (long)i);
}

struct buffers {
	int32_t in[ELEMS * 20], out[ELEMS * 20];
};

static inline void data_calls(struct job *j, struct group *g, struct buffers *b,
			      int round, size_t n)
{
	int root = round % g->n;
	size_t all = n * (size_t)g->n;
	fi_addr_t root_addr = j->addr[g->first + root * g->step];

	fill(b->in, g->me, round, all);
	memcpy(b->out, b->in, n * 4);
	finish(j,
	       fi_broadcast(j->ep, b->out, n, NULL, g->addr, root_addr,
			    FI_INT32, 0, &j->entry),
	       "broadcast");
	same(j, b->out, root, round, 0, n);
	finish(j,
	       fi_allgather(j->ep, b->in, n, NULL, b->out, NULL, g->addr,
			    FI_INT32, 0, &j->entry),
	       "allgather");
	for (int m = 0; m < g->n; m++)
		same(j, b->out + (size_t)m * n, m, round, 0, n);
	finish(j,
	       fi_alltoall(j->ep, b->in, n, NULL, b->out, NULL, g->addr,
			   FI_INT32, 0, &j->entry),
	       "alltoall");
	for (int m = 0; m < g->n; m++)
		same(j, b->out + (size_t)m * n, m, round, (size_t)g->me * n, n);
	finish(j,
	       fi_scatter(j->ep, b->in, n, NULL, b->out, NULL, g->addr,
			  root_addr, FI_INT32, 0, &j->entry),
	       "scatter");
	same(j, b->out, root, round, (size_t)g->me * n, n);
	finish(j,
	       fi_gather(j->ep, b->in, n, NULL, b->out, NULL, g->addr,
			 root_addr, FI_INT32, 0, &j->entry),
	       "gather");
	for (int m = 0; root == g->me && m < g->n; m++)
		same(j, b->out + (size_t)m * n, m, round, 0, n);
}

static inline void sum_calls(struct job *j, struct group *g, struct buffers *b,
			     int round, size_t n)
{
	int root = round % g->n;
	fi_addr_t root_addr = j->addr[g->first + root * g->step];

	finish(j,
	       fi_allreduce(j->ep, b->in, n, NULL, b->out, NULL, g->addr,
			    FI_INT32, FI_SUM, 0, &j->entry),
	       "allreduce");
	sums(j, g, b->out, round, 0, n);
	finish(j,
	       fi_reduce(j->ep, b->in, n, NULL, b->out, NULL, g->addr,
			 root_addr, FI_INT32, FI_SUM, 0, &j->entry),
	       "reduce");
	if (root == g->me)
		sums(j, g, b->out, round, 0, n);
	finish(j,
	       fi_reduce_scatter(j->ep, b->in, n, NULL, b->out, NULL, g->addr,
				 FI_INT32, FI_SUM, 0, &j->entry),
	       "reduce_scatter");
	sums(j, g, b->out, round, (size_t)g->me * n, n);
	finish(j, fi_barrier(j->ep, g->addr, &j->entry), "barrier");
}

static inline void all_calls(struct job *j, struct group *g)
{
	static const size_t sizes[] = { 1, 0, 3, 12, 128, 129, ELEMS };
	struct buffers *b = malloc(sizeof(*b));

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		data_calls(j, g, b, (int)s, sizes[s]);
		sum_calls(j, g, b, (int)s, sizes[s]);
	}
	free(b);
}

/*
 * Returns whether reductions use the order of the binomial tree, not one set by
 * the machine or the user.
 */
static inline bool has_pairs(void)
{
	const char *machine = getenv("FI_WEFT_MACHINE");

	return !getenv("FI_WEFT_ARITY") && (!machine || strcmp(machine, "bgq"));
}

#endif
