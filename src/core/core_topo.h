/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process topologies. A communicator that has one points to it
 * (comm->topo, else NULL) and owns it. Whatever the kind, the neighbours
 * stand in two plain lists, in the order the neighbourhood collectives use:
 * messages come from in[0..nin-1] and go to out[0..nout-1]; MPI_PROC_NULL is
 * a neighbour that is not there.
 */
#ifndef WEFT_CORE_TOPO_H
#define WEFT_CORE_TOPO_H

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
	/* MPI_GRAPH, as the user gave it */
	int nnodes;
	int nedges;
	int *index;
	int *edges;
	/* MPI_DIST_GRAPH */
	bool weighted;
	int *in_weight;
	int *out_weight;
};

void weft_topo_close(struct weft_topo *t);
/* A copy, for MPI_Comm_dup; NULL: out of memory. */
struct weft_topo *weft_topo_dup(const struct weft_topo *t);

#endif
