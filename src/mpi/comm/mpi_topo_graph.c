/* SPDX-License-Identifier: BSD-3-Clause */
/* Graph topologies, stored as a whole by every process. */
#include "src/mpi/mpi_export.h"

#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/comm/mpi_topo.h"

#include <string.h>

static int check_graph(const struct weft_comm *c, const char *func, int nnodes,
		       const int *index, const int *edges)
{
	int was = 0;

	if (nnodes < 0 || nnodes > c->size)
		return weft_err_arg(c, func, MPI_ERR_ARG, 2,
				    "%d nodes for a communicator of size %d",
				    nnodes, c->size);
	if (nnodes && !index)
		return weft_check_ptr(c, func, 3, index, "index");
	for (int i = 0; i < nnodes && weft_check; i++) {
		if (index[i] < was)
			return weft_err_arg(
				c, func, MPI_ERR_ARG, 3,
				"index %d at node %d is less than %d", index[i],
				i, was);
		was = index[i];
	}
	if (was && !edges)
		return weft_check_ptr(c, func, 4, edges, "edges");
	for (int k = 0; k < was && weft_check; k++)
		if (edges[k] < 0 || edges[k] >= nnodes)
			return weft_err_arg(c, func, MPI_ERR_ARG, 4,
					    "edge to node %d of %d", edges[k],
					    nnodes);
	return 0;
}

#pragma weak MPI_Graph_create = PMPI_Graph_create
int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[],
		      const int edges[], int reorder, MPI_Comm *comm_graph)
{
	MPI_ENTER_COLL(comm_old, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c, *new = NULL;
	struct weft_topo *t = NULL;
	int err = mpi_check_intra(__func__, 1, comm_old, &c);
	int rc;

	mpi_comm_set_null(comm_graph);
	if (!err)
		err = check_graph(c, __func__, nnodes, indx, edges);
	if (!err)
		err = weft_check_ptr(c, __func__, 6, comm_graph, "comm_graph");
	if (err)
		return err;
	if (nnodes == 0) {
		*comm_graph = MPI_COMM_NULL;
		return MPI_SUCCESS;
	}
	rc = mpi_topo_comm(c, nnodes, &new);
	if (!rc && new)
		t = weft_topo_graph(nnodes, indx, edges, new->rank);
	return mpi_topo_finish(__func__, c, rc, new, t, comm_graph);
}

#pragma weak MPI_Graph_map = PMPI_Graph_map
int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int indx[],
		   const int edges[], int *newrank)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_intra(__func__, 1, comm, &c);

	if (!err)
		err = check_graph(c, __func__, nnodes, indx, edges);
	if (!err)
		err = weft_check_ptr(c, __func__, 5, newrank, "newrank");
	if (!err)
		*newrank = c->rank < nnodes ? c->rank : MPI_UNDEFINED;
	return err;
}

#pragma weak MPI_Graphdims_get = PMPI_Graphdims_get
int PMPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_topo(__func__, comm, MPI_GRAPH, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, nnodes, "nnodes");
	if (!err)
		err = weft_check_ptr(c, __func__, 3, nedges, "nedges");
	if (!err) {
		*nnodes = c->topo->nnodes;
		*nedges = c->topo->nedges;
	}
	return err;
}

static void copy_some(int *to, int room, const int *from, int n)
{
	n = n < room ? n : room;
	if (n > 0)
		memcpy(to, from, (size_t)n * sizeof(*to));
}

#pragma weak MPI_Graph_get = PMPI_Graph_get
int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int indx[],
		   int edges[])
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_topo(__func__, comm, MPI_GRAPH, &c);

	if (!err) {
		copy_some(indx, maxindex, c->topo->index, c->topo->nnodes);
		copy_some(edges, maxedges, c->topo->edges, c->topo->nedges);
	}
	return err;
}

/*
 * Returns the number of edges of a node; -1: no such node. *first_p: index of
 * its first edge.
 */
static int edges_of(const struct weft_topo *t, int node, int *first_p)
{
	if (node < 0 || node >= t->nnodes)
		return -1;
	*first_p = node ? t->index[node - 1] : 0;
	return t->index[node] - *first_p;
}

static int bad_node(const struct weft_comm *c, const char *func, int rank)
{
	return weft_err_arg(c, func, MPI_ERR_RANK, 2,
			    "invalid rank %d in a graph of %d nodes", rank,
			    c->topo->nnodes);
}

#pragma weak MPI_Graph_neighbors_count = PMPI_Graph_neighbors_count
int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_topo(__func__, comm, MPI_GRAPH, &c);
	int first, n;

	if (!err)
		err = weft_check_ptr(c, __func__, 3, nneighbors, "nneighbors");
	if (err)
		return err;
	n = edges_of(c->topo, rank, &first);
	if (n < 0)
		return bad_node(c, __func__, rank);
	*nneighbors = n;
	return MPI_SUCCESS;
}

#pragma weak MPI_Graph_neighbors = PMPI_Graph_neighbors
int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors,
			 int neighbors[])
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_topo(__func__, comm, MPI_GRAPH, &c);
	int first = 0, n;

	if (err)
		return err;
	n = edges_of(c->topo, rank, &first);
	if (n < 0)
		return bad_node(c, __func__, rank);
	copy_some(neighbors, maxneighbors, c->topo->edges + first, n);
	return MPI_SUCCESS;
}
