/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Probes of messages. A matched message is a receive request that has its
 * message but no buffer yet: both use the same memory and the same libfabric
 * context.
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
 * Search for a message; weft_core_probe() waits for it. Unless msg_p is NULL,
 * the message is removed from matching and stored in *msg_p. weft_core_iprobe()
 * returns 1: found, status filled; 0: none; -errno. weft_core_probe() returns 0
 * or -errno.
 */
int weft_core_iprobe(const struct weft_p2p_args *a, struct weft_p2p **msg_p,
		     MPI_Status *status);
int weft_core_probe(const struct weft_p2p_args *a, struct weft_p2p **msg_p,
		    MPI_Status *status);

/* Receives a matched message as the request. Returns 0 or -errno. */
int weft_core_imrecv(struct weft_p2p *msg, void *buf, MPI_Count count,
		     struct weft_dt *dt, struct weft_req **req_p);

struct weft_p2p *weft_msg_of(MPI_Message handle);
/* Returns the communicator of the message, for its error handler. */
struct weft_comm *weft_msg_comm(struct weft_p2p *msg);

#endif
