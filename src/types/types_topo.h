/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process topologies. A communicator with a topology points to it (comm->topo,
 * else NULL) and owns it. For every kind the neighbours are in two plain lists,
 * in the order of the neighbourhood collectives: messages are received from
 * in[0..nin-1] and sent to out[0..nout-1]; MPI_PROC_NULL is a missing
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
	/* MPI_CART */
	int ndims;
	int *dims;
	int *periods;
	int *coords; /* of this process */
	/* MPI_GRAPH, as given by the user */
	int nnodes;
	int nedges;
	int *index;
	int *edges;
	/* MPI_DIST_GRAPH */
	bool weighted;
	int *in_weight;
	int *out_weight;
};

/*
 * New topologies; NULL: out of memory. The caller has checked the arguments;
 * they are copied. rank is that of this process in the new communicator.
 */
struct weft_topo *weft_topo_cart(int ndims, const int *dims, const int *periods,
				 int rank);
struct weft_topo *weft_topo_graph(int nnodes, const int *index,
				  const int *edges, int rank);
/* The weights are NULL unless weighted. */
struct weft_topo *weft_topo_dist(int nin, const int *in, const int *in_weight,
				 int nout, const int *out,
				 const int *out_weight);

void weft_topo_close(struct weft_topo *t);
/* A copy, for MPI_Comm_dup; NULL: out of memory. */
struct weft_topo *weft_topo_dup(const struct weft_topo *t);

/* Rank at coordinates, modulo in periodic dimensions; MPI_PROC_NULL outside. */
int weft_topo_cart_rank(const struct weft_topo *t, const int *coords);
void weft_topo_cart_coords(const struct weft_topo *t, int rank, int *coords);
/* The rank disp steps along dimension dim from this process. */
int weft_topo_cart_step(const struct weft_topo *t, int dim, int disp);

/*
 * Fills the zero entries of dims so that the product is nnodes: as equal as the
 * factors allow, in descending order. -EINVAL: the non-zero entries do not
 * divide nnodes.
 */
int weft_topo_dims(int nnodes, int ndims, int *dims);

#endif
