/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looking at messages before receiving them. A matched message is a receive
 * request that has its message but no buffer yet: the same memory, and the
 * same context below, serve both.
 */
#ifndef WEFT_CORE_PROBE_H
#define WEFT_CORE_PROBE_H

#include "src/core/core_comm.h"

#include <mpi.h>

struct weft_dt;
struct weft_p2p_args;
struct weft_p2p;
struct weft_req;

/* *msg_p (unless msg_p is NULL) becomes the message, taken out of matching.
 * Returns 1: found, status filled; 0: none; -errno. */
int weft_core_iprobe(const struct weft_p2p_args *a, struct weft_p2p **msg_p,
		     MPI_Status *status);
int weft_core_probe(const struct weft_p2p_args *a, struct weft_p2p **msg_p,
		    MPI_Status *status);

/* Receives a matched message; it becomes the request. */
int weft_core_imrecv(struct weft_p2p *msg, void *buf, MPI_Count count,
		     struct weft_dt *dt, struct weft_req **req_p);

struct weft_p2p *weft_msg_of(MPI_Message handle);
/* The communicator whose error handler is responsible. */
struct weft_comm *weft_msg_comm(struct weft_p2p *msg);

#endif
