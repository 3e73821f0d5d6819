/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Probing messages before receiving them. A matched message is a receive
 * request that has its message but no buffer yet: both use the same memory and
 * the same libfabric context.
 */
#ifndef WEFT_MSG_PROBE_H
#define WEFT_MSG_PROBE_H

#include "src/comm/comm.h"

#include <mpi.h>

struct weft_dt;
struct weft_p2p_args;
struct weft_p2p;
struct weft_req;

/*
 * *msg_p (unless msg_p is NULL) is set to the message, which is removed from
 * matching. Returns 1: found, status filled; 0: none; -errno.
 */
int weft_core_iprobe(const struct weft_p2p_args *a, struct weft_p2p **msg_p,
		     MPI_Status *status);
int weft_core_probe(const struct weft_p2p_args *a, struct weft_p2p **msg_p,
		    MPI_Status *status);

/* Receives a matched message, which becomes the request. */
int weft_core_imrecv(struct weft_p2p *msg, void *buf, MPI_Count count,
		     struct weft_dt *dt, struct weft_req **req_p);

struct weft_p2p *weft_msg_of(MPI_Message handle);
/* Returns the communicator whose error handler is called. */
struct weft_comm *weft_msg_comm(struct weft_p2p *msg);

#endif
