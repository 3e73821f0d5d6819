/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distributed graphs. With MPI_Dist_graph_create any process may specify any
 * edge: an edge is sent to both of its ends, in one exchange of counts and one
 * of records of three ints.
 */
#include "src/mpi/mpi_export.h"

#include "coll/coll.h"
#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/comm/mpi_topo.h"
#include "src/comm/comm_make.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The record sent to an end of an edge. */
struct edge {
	int out; /* 1: the edge starts at the receiver, 0: it ends there */
	int peer;
	int weight;
};

/* Lists of edges to or from every rank, one rank after the other. */
struct edge_lists {
	int *count; /* ints per rank, three per edge */
	int *displ;
	struct edge *edge;
};

static void edge_lists_close(struct edge_lists *p)
{
	free(p->count);
	free(p->displ);
	free(p->edge);
}

/* Computes where each rank's edges begin, and allocates their memory. */
static int edge_lists_layout(struct edge_lists *p, int ranks)
{
	int at = 0;

	for (int r = 0; r < ranks; r++) {
		p->displ[r] = at;
		at += p->count[r];
	}
	p->edge = malloc((size_t)at * sizeof(int) + sizeof(struct edge));
	return p->edge ? 0 : -ENOMEM;
}

static int edge_lists_open(struct edge_lists *p, int ranks)
{
	p->edge = NULL;
	p->count = calloc((size_t)ranks, sizeof(int));
	p->displ = calloc((size_t)ranks, sizeof(int));
	return p->count && p->displ ? 0 : -ENOMEM;
}

/* The arguments of MPI_Dist_graph_create. */
struct dist_call {
	int n;
	const int *sources;
	const int *degrees;
	const int *destinations;
	const int *weights; /* MPI_UNWEIGHTED: none */
};

static bool is_weighted(const struct dist_call *d)
{
	return d->weights != MPI_UNWEIGHTED;
}

/*
 * Adds a record for both ends of every edge; put[r]: next record of rank r. put
 * NULL: only counts the records.
 */
static void for_each_end(const struct dist_call *d, struct edge_lists *p,
			 int *put)
{
	int k = 0;

	for (int i = 0; i < d->n; i++) {
		for (int e = 0; e < d->degrees[i]; e++, k++) {
			int w = is_weighted(d) ? d->weights[k] : 1;
			int from = d->sources[i], to = d->destinations[k];

			if (!put) {
				p->count[from] += 3;
				p->count[to] += 3;
				continue;
			}
			p->edge[put[from]++] = (struct edge){ 1, to, w };
			p->edge[put[to]++] = (struct edge){ 0, from, w };
		}
	}
}

static int topo_dist_fill(const struct dist_call *d, struct edge_lists *p,
			  int ranks)
{
	int *put = malloc((size_t)ranks * sizeof(*put));

	if (!put)
		return -ENOMEM;
	for (int r = 0; r < ranks; r++)
		put[r] = p->displ[r] / 3;
	for_each_end(d, p, put);
	free(put);
	return 0;
}

/* Sends each rank its edges, and receives the edges of this rank. */
static int topo_dist_exchange(struct weft_comm *c, struct edge_lists *out,
			      struct edge_lists *in)
{
	struct weft_dt *dt = weft_dt_of(MPI_INT);
	struct weft_coll_args a = { .kind = WEFT_COLL_ALLTOALL,
				    .comm = c,
				    .s = { out->count, 1, dt, .types = NULL },
				    .r = { in->count, 1, dt, .types = NULL } };
	int rc = weft_coll_run(&a);

	if (!rc)
		rc = edge_lists_layout(in, c->size);
	if (rc)
		return rc;
	a.uneven = true;
	a.s = (struct weft_coll_side){ .buf = out->edge,
				       .dt = dt,
				       .counts.at = out->count,
				       .displs.at = out->displ };
	a.r = (struct weft_coll_side){ .buf = in->edge,
				       .dt = dt,
				       .counts.at = in->count,
				       .displs.at = in->displ };
	return weft_coll_run(&a);
}

/* Sorts the received records into the two lists of a topology. */
static struct weft_topo *sort_edges(const struct edge_lists *in, int ranks,
				    bool weighted)
{
	int n = (in->displ[ranks - 1] + in->count[ranks - 1]) / 3;
	int *v = malloc((4 * (size_t)n + 1) * sizeof(*v));
	int at[2] = { 0, 0 };
	struct weft_topo *t;

	if (!v)
		return NULL;
	for (int i = 0; i < n; i++) {
		const struct edge *e = &in->edge[i];
		int k = 2 * n * e->out + at[e->out]++;

		v[k] = e->peer;
		v[k + n] = e->weight;
	}
	t = weft_topo_dist(at[0], v, weighted ? v + n : NULL, at[1], v + 2 * n,
			   weighted ? v + 3 * n : NULL);
	free(v);
	return t;
}

static int dist_build(struct weft_comm *c, const struct dist_call *d,
		      struct weft_topo **topo_p)
{
	struct edge_lists out = { NULL, NULL, NULL }, in = { NULL, NULL, NULL };
	int rc = edge_lists_open(&out, c->size);

	if (!rc)
		rc = edge_lists_open(&in, c->size);
	if (!rc) {
		for_each_end(d, &out, NULL);
		rc = edge_lists_layout(&out, c->size);
	}
	if (!rc)
		rc = topo_dist_fill(d, &out, c->size);
	if (!rc)
		rc = topo_dist_exchange(c, &out, &in);
	if (!rc) {
		*topo_p = sort_edges(&in, c->size, is_weighted(d));
		rc = *topo_p ? 0 : -ENOMEM;
	}
	edge_lists_close(&out);
	edge_lists_close(&in);
	return rc;
}

/* ---- checks --------------------------------------------------------------*/

static int check_ranks(const struct weft_comm *c, const char *func, int arg,
		       int n, const int *ranks)
{
	if (n && !ranks)
		return weft_check_ptr(c, func, arg, ranks, "list of ranks");
	if (!weft_check)
		return 0;
	for (int i = 0; i < n; i++)
		if (ranks[i] < 0 || ranks[i] >= c->size)
			return weft_err_arg(
				c, func, MPI_ERR_RANK, arg,
				"invalid rank %d in communicator of size %d",
				ranks[i], c->size);
	return 0;
}

static int check_degree(const struct weft_comm *c, const char *func, int arg,
			int n)
{
	if (!weft_check || n >= 0)
		return 0;
	return weft_err_arg(c, func, MPI_ERR_ARG, arg, "negative number %d", n);
}

/* Checks that a rank with edges passes an array of weights. */
static int check_weights(const struct weft_comm *c, const char *func, int arg,
			 int n, const int *weights)
{
	if (!n || (weights && weights != MPI_WEIGHTS_EMPTY))
		return 0;
	return weft_err_arg(
		c, func, MPI_ERR_ARG, arg,
		"the array of weights is NULL, and there are %d edges", n);
}

static int check_dist(const struct weft_comm *c, const char *func,
		      const struct dist_call *d)
{
	int err = check_degree(c, func, 2, d->n);
	int edges = 0;

	if (!err)
		err = check_ranks(c, func, 3, d->n, d->sources);
	if (!err && d->n)
		err = weft_check_ptr(c, func, 4, d->degrees, "degrees");
	for (int i = 0; i < d->n && !err; i++) {
		err = check_degree(c, func, 4, d->degrees[i]);
		edges += d->degrees[i];
	}
	if (!err)
		err = check_ranks(c, func, 5, edges, d->destinations);
	return err ? err : check_weights(c, func, 6, edges, d->weights);
}

/* ---- constructors ------------------------------------------------------- */

static int clone_with(struct weft_comm *c, MPI_Info info,
		      struct weft_comm **new_p)
{
	int rc = weft_comm_clone(c, new_p);

	if (!rc && weft_info_of(info)) {
		rc = mpi_comm_merge_info(*new_p, weft_info_of(info));
		if (rc)
			weft_comm_put(*new_p);
	}
	return rc;
}

#pragma weak MPI_Dist_graph_create = PMPI_Dist_graph_create
int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[],
			   const int degrees[], const int destinations[],
			   const int weights[], MPI_Info info, int reorder,
			   MPI_Comm *comm_dist_graph)
{
	MPI_ENTER_COLL(comm_old, MPI_NO_ROOT, MPI_NO_DATA);
	struct dist_call d = { n, sources, degrees, destinations, weights };
	struct weft_comm *c, *new = NULL;
	struct weft_topo *t = NULL;
	int err = mpi_check_intra(__func__, 1, comm_old, &c);
	int rc;

	mpi_comm_set_null(comm_dist_graph);
	if (!err)
		err = check_dist(c, __func__, &d);
	if (!err)
		err = mpi_check_info(c, __func__, 7, info);
	if (!err)
		err = weft_check_ptr(c, __func__, 9, comm_dist_graph,
				     "comm_dist_graph");
	if (err)
		return err;
	rc = dist_build(c, &d, &t);
	if (!rc)
		rc = clone_with(c, info, &new);
	if (rc)
		weft_topo_close(t);
	return mpi_topo_finish(__func__, c, rc, new, t, comm_dist_graph);
}

/*
 * Returns the weights for the topology; NULL: unweighted. A weighted graph
 * without edges may have a NULL list.
 */
static const int *weights_for(bool weighted, const int *list)
{
	if (!weighted)
		return NULL;
	return list ? list : MPI_WEIGHTS_EMPTY;
}

#pragma weak MPI_Dist_graph_create_adjacent = PMPI_Dist_graph_create_adjacent
int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree,
				    const int sources[],
				    const int sourceweights[], int outdegree,
				    const int destinations[],
				    const int destweights[], MPI_Info info,
				    int reorder, MPI_Comm *comm_dist_graph)
{
	MPI_ENTER_COLL(comm_old, MPI_NO_ROOT, MPI_NO_DATA);
	bool weighted = sourceweights != MPI_UNWEIGHTED &&
			destweights != MPI_UNWEIGHTED;
	struct weft_comm *c, *new = NULL;
	struct weft_topo *t = NULL;
	int err = mpi_check_intra(__func__, 1, comm_old, &c);
	int rc;

	mpi_comm_set_null(comm_dist_graph);
	if (!err)
		err = check_degree(c, __func__, 2, indegree);
	if (!err)
		err = check_ranks(c, __func__, 3, indegree, sources);
	if (!err)
		err = check_weights(c, __func__, 4, indegree, sourceweights);
	if (!err)
		err = check_degree(c, __func__, 5, outdegree);
	if (!err)
		err = check_ranks(c, __func__, 6, outdegree, destinations);
	if (!err)
		err = check_weights(c, __func__, 7, outdegree, destweights);
	if (!err)
		err = mpi_check_info(c, __func__, 8, info);
	if (!err)
		err = weft_check_ptr(c, __func__, 10, comm_dist_graph,
				     "comm_dist_graph");
	if (err)
		return err;
	rc = clone_with(c, info, &new);
	if (!rc)
		t = weft_topo_dist(indegree, sources,
				   weights_for(weighted, sourceweights),
				   outdegree, destinations,
				   weights_for(weighted, destweights));
	return mpi_topo_finish(__func__, c, rc, new, t, comm_dist_graph);
}

/* ---- queries ------------------------------------------------------------ */

#pragma weak MPI_Dist_graph_neighbors_count = PMPI_Dist_graph_neighbors_count
int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree,
				    int *outdegree, int *weighted)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_topo(__func__, comm, MPI_DIST_GRAPH, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, indegree, "indegree");
	if (!err)
		err = weft_check_ptr(c, __func__, 3, outdegree, "outdegree");
	if (!err)
		err = weft_check_ptr(c, __func__, 4, weighted, "weighted");
	if (!err) {
		*indegree = c->topo->nin;
		*outdegree = c->topo->nout;
		*weighted = c->topo->weighted;
	}
	return err;
}

/*
 * Copies a list of ranks, and of weights if the graph has weights and the
 * caller requests them.
 */
static void copy_list(int room, const int *ranks, const int *weights, int n,
		      int *ranks_out, int *weights_out)
{
	size_t bytes = (size_t)(n < room ? n : room) * sizeof(int);

	if (n <= 0 || room <= 0)
		return;
	memcpy(ranks_out, ranks, bytes);
	if (weights && weights_out != MPI_UNWEIGHTED)
		memcpy(weights_out, weights, bytes);
}

#pragma weak MPI_Dist_graph_neighbors = PMPI_Dist_graph_neighbors
int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[],
			      int sourceweights[], int maxoutdegree,
			      int destinations[], int destweights[])
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_topo(__func__, comm, MPI_DIST_GRAPH, &c);

	if (err)
		return err;
	copy_list(maxindegree, c->topo->in, c->topo->in_weight, c->topo->nin,
		  sources, sourceweights);
	copy_list(maxoutdegree, c->topo->out, c->topo->out_weight,
		  c->topo->nout, destinations, destweights);
	return MPI_SUCCESS;
}
