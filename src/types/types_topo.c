/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies: creation, copies, and Cartesian arithmetic. */
#include "src/types/types_topo.h"

#include <stdlib.h>
#include <string.h>

/* Returns a copy of n ints, not NULL for n = 0; NULL: out of memory. */
static int *copy_ints(const int *from, int n)
{
	int *to = malloc(((size_t)n + 1) * sizeof(*to));

	if (to && n)
		memcpy(to, from, (size_t)n * sizeof(*to));
	return to;
}

void weft_topo_close(struct weft_topo *t)
{
	if (!t)
		return;
	free(t->in);
	free(t->out);
	free(t->dims);
	free(t->periods);
	free(t->coords);
	free(t->index);
	free(t->edges);
	free(t->in_weight);
	free(t->out_weight);
	free(t);
}

/* ---- Cartesian topologies ---- */

int weft_topo_cart_rank(const struct weft_topo *t, const int *coords)
{
	int rank = 0;

	for (int d = 0; d < t->ndims; d++) {
		int c = coords[d], size = t->dims[d];

		if (t->periods[d])
			c = (c % size + size) % size;
		else if (c < 0 || c >= size)
			return MPI_PROC_NULL;
		rank = rank * size + c;
	}
	return rank;
}

void weft_topo_cart_coords(const struct weft_topo *t, int rank, int *coords)
{
	for (int d = t->ndims - 1; d >= 0; d--) {
		coords[d] = rank % t->dims[d];
		rank /= t->dims[d];
	}
}

int weft_topo_cart_step(const struct weft_topo *t, int dim, int disp)
{
	int was = t->coords[dim], rank;
	long long to = (long long)was + disp;

	if (t->periods[dim])
		to = (to % t->dims[dim] + t->dims[dim]) % t->dims[dim];
	else if (to < 0 || to >= t->dims[dim])
		return MPI_PROC_NULL;
	rank = 0;
	for (int d = 0; d < t->ndims; d++)
		rank = rank * t->dims[d] + (d == dim ? (int)to : t->coords[d]);
	return rank;
}

struct weft_topo *weft_topo_cart(int ndims, const int *dims, const int *periods,
				 int rank)
{
	struct weft_topo *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->kind = MPI_CART;
	t->ndims = ndims;
	t->dims = copy_ints(dims, ndims);
	t->periods = copy_ints(periods, ndims);
	t->coords = calloc((size_t)ndims + 1, sizeof(int));
	t->in = calloc(2 * (size_t)ndims + 1, sizeof(int));
	t->out = calloc(2 * (size_t)ndims + 1, sizeof(int));
	if (!t->dims || !t->periods || !t->coords || !t->in || !t->out) {
		weft_topo_close(t);
		return NULL;
	}
	weft_topo_cart_coords(t, rank, t->coords);
	t->nin = t->nout = 2 * ndims;
	for (int k = 0; k < 2 * ndims; k++)
		t->in[k] = t->out[k] =
			weft_topo_cart_step(t, k / 2, k % 2 ? 1 : -1);
	return t;
}

/* ---- graph topologies ---- */

struct weft_topo *weft_topo_graph(int nnodes, const int *index,
				  const int *edges, int rank)
{
	int first = rank ? index[rank - 1] : 0;
	struct weft_topo *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->kind = MPI_GRAPH;
	t->nnodes = nnodes;
	t->nedges = index[nnodes - 1];
	t->index = copy_ints(index, nnodes);
	t->edges = copy_ints(edges, t->nedges);
	t->nin = t->nout = index[rank] - first;
	t->in = copy_ints(edges + first, t->nin);
	t->out = copy_ints(edges + first, t->nout);
	if (t->index && t->edges && t->in && t->out)
		return t;
	weft_topo_close(t);
	return NULL;
}

struct weft_topo *weft_topo_dist(int nin, const int *in, const int *in_weight,
				 int nout, const int *out,
				 const int *out_weight)
{
	struct weft_topo *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->kind = MPI_DIST_GRAPH;
	t->nin = nin;
	t->nout = nout;
	t->in = copy_ints(in, nin);
	t->out = copy_ints(out, nout);
	t->weighted = in_weight && out_weight;
	if (t->weighted) {
		t->in_weight = copy_ints(in_weight, nin);
		t->out_weight = copy_ints(out_weight, nout);
	}
	if (t->in && t->out &&
	    (!t->weighted || (t->in_weight && t->out_weight)))
		return t;
	weft_topo_close(t);
	return NULL;
}

/* ---- copies ---- */

/*
 * Returns a copy of n ints, or NULL if from is NULL. Sets *ok to false if there
 * is no memory.
 */
static int *dup_ints(const int *from, int n, bool *ok)
{
	int *to = from ? copy_ints(from, n) : NULL;

	*ok = *ok && (to || !from);
	return to;
}

struct weft_topo *weft_topo_dup(const struct weft_topo *from)
{
	struct weft_topo *t = malloc(sizeof(*t));
	bool ok = true;

	if (!t)
		return NULL;
	*t = *from;
	t->in = dup_ints(from->in, from->nin, &ok);
	t->out = dup_ints(from->out, from->nout, &ok);
	t->dims = dup_ints(from->dims, from->ndims, &ok);
	t->periods = dup_ints(from->periods, from->ndims, &ok);
	t->coords = dup_ints(from->coords, from->ndims, &ok);
	t->index = dup_ints(from->index, from->nnodes, &ok);
	t->edges = dup_ints(from->edges, from->nedges, &ok);
	t->in_weight = dup_ints(from->in_weight, from->nin, &ok);
	t->out_weight = dup_ints(from->out_weight, from->nout, &ok);
	if (ok)
		return t;
	weft_topo_close(t);
	return NULL;
}
