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
#include <rdma/fi_ext_weft.h>

struct weft_comm;

/* After the endpoint and its queue; without a trace it does nothing. */
void weft_trace_start(void);
/* Before they go. */
void weft_trace_stop(void);
/* Before and after somebody else changes the endpoint's table. */
void weft_trace_step_aside(void);
void weft_trace_step_back(void);
bool weft_traced(void);

/* The call that this thread is in is a collective of all members of comm. */
void weft_trace_coll(MPI_Comm comm) WEFT_APART WEFT_HOT;

/* A class route that this rank has joined with others. */
void weft_trace_route(const struct weft_comm *comm, int id);

/* Rank 0, in virtual time: what the model did. */
void weft_trace_world(void);
/* A word for the page, as "deadlock"; text may have lines. */
void weft_trace_note(const char *name, const char *text);

#endif
