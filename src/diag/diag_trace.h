/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording of events for mpiexec's pages and traces (src/job/job_trace.h):
 * calls, sends and receives, and at the end the links of the model. A trace
 * replaces the ops tables of the library's endpoint and queue, so that tracing
 * costs nothing when it is off.
 */
#ifndef WEFT_DIAG_TRACE_H
#define WEFT_DIAG_TRACE_H

#include "src/diag/diag_call.h"

#include <mpi.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_ext_weft.h>

struct weft_comm;

/*
 * Functions by which the trace identifies the operations of requests:
 * `recv_done` is the completion function of receives, `sent` returns the send
 * that an operation belongs to (msg_recv.h, msg_send.h).
 */
struct weft_io;
struct weft_p2p;

struct weft_trace_hooks {
	void (*recv_done)(struct weft_io *io,
			  const struct fi_cq_tagged_entry *e, int err);
	const struct weft_p2p *(*sent)(const struct weft_io *io);
};

/*
 * Called after the endpoint and its queue are open; starts a trace, if one is
 * requested.
 */
void weft_trace_start(const struct weft_trace_hooks *of);
/* Called before the endpoint and its queue are closed. */
void weft_trace_stop(void);
bool weft_traced(void);

/*
 * Records that the current call of this thread is a collective of all members
 * of comm. root < 0: the collective has no root; type MPI_DATATYPE_NULL: it has
 * no data.
 */
void weft_trace_coll(MPI_Comm comm, int root, MPI_Count count,
		     MPI_Datatype type) WEFT_NOINLINE WEFT_HOT;

/* Arguments of the current call of this thread, for the trace. */
#define WEFT_TRACE_NO_ARG (-1000000) /* peer or tag of a call that has none */

struct weft_trace_args {
	MPI_Comm comm;
	int peer, tag, root; /* root: negative if there is none */
	MPI_Count count;
	MPI_Datatype type; /* datatype; MPI_DATATYPE_NULL: no data */
};

void weft_trace_args(const struct weft_trace_args *a) WEFT_NOINLINE;

/*
 * Record that the current call of this thread is a collective of all members of
 * a window with communicator c, or that it concerns one rank of the window.
 */
void weft_trace_win_coll(struct weft_comm *c);
void weft_trace_win_peer(const struct weft_comm *c, int rank);

/*
 * Records one step of a general active target epoch: this rank notifies `peer`
 * (if `out` is set) or was notified by it that a window is exposed, or that
 * accesses are complete.
 */
enum { WEFT_TRACE_POST = 1, WEFT_TRACE_COMPLETE };
void weft_trace_sync(const struct weft_comm *c, int peer, unsigned what,
		     bool out);

void weft_trace_route(const struct weft_comm *comm, int id);

/* Writes the model's counters and links; called by rank 0. */
void weft_trace_world(void);
/*
 * Writes a note with this name (such as "deadlock") for the page; text may have
 * several lines.
 */
void weft_trace_note(const char *name, const char *text);

#endif
