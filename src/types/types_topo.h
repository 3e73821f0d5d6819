/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process topologies. A communicator owns its topology (comm->topo; NULL:
 * none). For every kind of topology the neighbours are in two lists, in the
 * order of the neighbourhood collectives: messages are received from
 * in[0..nin-1] and sent to out[0..nout-1]; MPI_PROC_NULL stands for a missing
 * neighbour.
 */
#ifndef WEFT_TYPES_TOPO_H
#define WEFT_TYPES_TOPO_H

#include <mpi.h>
#include <stdbool.h>

struct weft_topo {
	int kind; /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
	int nin;
	int nout;
	int *in;
	int *out;
	/* number of dimensions, for MPI_CART */
	int ndims;
	int *dims;
	int *periods;
	int *coords; /* coordinates of this process */
	/*
	 * number of nodes, for MPI_GRAPH; the arrays are as given by the user
	 */
	int nnodes;
	int nedges;
	int *index;
	int *edges;
	/* whether the edges have weights, for MPI_DIST_GRAPH */
	bool weighted;
	int *in_weight;
	int *out_weight;
};

/*
 * Create topologies; NULL: out of memory. The caller has checked the arguments,
 * which are copied. rank: rank of this process in the new communicator.
 */
struct weft_topo *weft_topo_cart(int ndims, const int *dims, const int *periods,
				 int rank);
struct weft_topo *weft_topo_graph(int nnodes, const int *index,
				  const int *edges, int rank);
/* Creates a distributed graph. Weights NULL: not weighted. */
struct weft_topo *weft_topo_dist(int nin, const int *in, const int *in_weight,
				 int nout, const int *out,
				 const int *out_weight);

void weft_topo_close(struct weft_topo *t);
/* Returns a copy, for MPI_Comm_dup; NULL: out of memory. */
struct weft_topo *weft_topo_dup(const struct weft_topo *t);

/*
 * Returns the rank at coordinates, which wrap around in periodic dimensions;
 * MPI_PROC_NULL: outside of the grid.
 */
int weft_topo_cart_rank(const struct weft_topo *t, const int *coords);
void weft_topo_cart_coords(const struct weft_topo *t, int rank, int *coords);
/* Returns the rank at distance disp from this process in dimension dim. */
int weft_topo_cart_step(const struct weft_topo *t, int dim, int disp);

/*
 * Sets the zero entries of dims so that the product is nnodes, with values as
 * close to each other as possible, in descending order. -EINVAL: the product of
 * the non-zero entries does not divide nnodes.
 */
int weft_topo_dims(int nnodes, int ndims, int *dims);

#endif
