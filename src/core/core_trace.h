/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events for mpiexec's pages and traces (src/base/trace.h): calls, messages as
 * they leave and arrive, at the end the links of the model. Messages are seen
 * by standing between the library and the tables of fi_* calls of its endpoint
 * and its queue, so that nothing is asked or done when nobody traces.
 */
#ifndef WEFT_CORE_TRACE_H
#define WEFT_CORE_TRACE_H

#include "src/core/core_call.h"

#include <mpi.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_ext_weft.h>

struct weft_comm;

/* By which operations of requests are known: what completes a receive, and the
 * send behind an operation (core_recv.h, core_send.h). */
struct weft_io;
struct weft_p2p;

struct weft_trace_ends {
	void (*recv_done)(struct weft_io *io,
			  const struct fi_cq_tagged_entry *e, int err);
	const struct weft_p2p *(*sent)(const struct weft_io *io);
};

/* After the endpoint and its queue; without a trace it does nothing. */
void weft_trace_start(const struct weft_trace_ends *of);
/* Before they go. */
void weft_trace_stop(void);
/* Before and after somebody else changes the endpoint's table. */
void weft_trace_step_aside(void);
void weft_trace_step_back(void);
bool weft_traced(void);

/* The call that this thread is in is a collective of all members of comm.
 * root: or negative; MPI_DATATYPE_NULL: it has no data. */
void weft_trace_coll(MPI_Comm comm, int root, MPI_Count count,
		     MPI_Datatype type) WEFT_APART WEFT_HOT;

/* Arguments of the call that this thread is in. */
#define WEFT_TRACE_NO_ARG (-1000000) /* no peer, no tag */

struct weft_trace_args {
	MPI_Comm comm;
	int peer, tag, root; /* root: or negative */
	MPI_Count count;
	MPI_Datatype type; /* MPI_DATATYPE_NULL: it has no data */
};

void weft_trace_args(const struct weft_trace_args *a) WEFT_APART;

/* The call is a collective of all members of a window, whose communicator is c;
 * or is about one of them. */
void weft_trace_win_coll(struct weft_comm *c);
void weft_trace_win_peer(const struct weft_comm *c, int rank);

/* One step of a general active target epoch: this rank tells peer (out), or
 * has been told by it, that its window is exposed or its accesses are over. */
enum { WEFT_TRACE_POST = 1, WEFT_TRACE_COMPLETE };
void weft_trace_sync(const struct weft_comm *c, int peer, unsigned what,
		     bool out);

/* A class route that this rank has joined with others. */
void weft_trace_route(const struct weft_comm *comm, int id);

/* Rank 0, in virtual time: what the model did. */
void weft_trace_world(void);
/* A word for the page, as "deadlock"; text may have lines. */
void weft_trace_note(const char *name, const char *text);

#endif
