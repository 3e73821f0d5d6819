/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point-to-point communication inside the library, called by MPI_Send and the
 * collectives. Arguments are objects, not handles, and have been checked.
 * Functions return 0 or -errno; the result of the message is in the request. A
 * receive ends with -EMSGSIZE if the message was longer than the buffer.
 */
#ifndef WEFT_MSG_P2P_H
#define WEFT_MSG_P2P_H

#include <mpi.h>

struct weft_comm;
struct weft_dt;
struct weft_req;

enum {
	WEFT_P2P_SYNC = 1,  /* completes only after a receive has matched */
	WEFT_P2P_READY = 2, /* the receive is posted already */
	/* at most one of the following: enum weft_ctx_kind shifted by 2 */
	/* message in the communicator's collective context */
	WEFT_P2P_COLL = 4,
	/* message in the context of MPI_Comm_create_group */
	WEFT_P2P_GROUP = 8,
	WEFT_P2P_CTRL = 12, /* message in the library's context */
};

/* Arguments of a send or receive; the buffer of a send is only read. */
struct weft_p2p_args {
	void *buf;
	MPI_Count count;
	struct weft_dt *dt;
	/*
	 * rank in comm (remote group of an intercommunicator), MPI_PROC_NULL,
	 * or MPI_ANY_SOURCE
	 */
	int peer;
	int tag; /* up to INT_MAX, or MPI_ANY_TAG */
	struct weft_comm *comm;
	unsigned mode; /* WEFT_P2P_ flags */
};

int weft_core_isend(const struct weft_p2p_args *a, struct weft_req **req_p);
int weft_core_irecv(const struct weft_p2p_args *a, struct weft_req **req_p);

/* Blocking forms, without a request object if possible. */
int weft_core_send(const struct weft_p2p_args *a);
int weft_core_recv(const struct weft_p2p_args *a, MPI_Status *status);

/* Sends with a request, for messages that weft_core_inject() did not accept. */
int weft_core_send_by_request(const struct weft_p2p_args *a);
int weft_core_isend_by_request(const struct weft_p2p_args *a,
			       struct weft_req **req_p);

int weft_core_sendrecv(const struct weft_p2p_args *send,
		       const struct weft_p2p_args *recv, MPI_Status *status);

#endif
