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

/* dest and source are ranks in comm (remote group of an intercommunicator),
 * MPI_PROC_NULL, or MPI_ANY_SOURCE; tag up to INT_MAX or MPI_ANY_TAG. */
int weft_core_isend(const void *buf, MPI_Count count, struct weft_dt *dt,
		    int dest, int tag, struct weft_comm *comm, unsigned flags,
		    struct weft_req **req_p);
int weft_core_irecv(void *buf, MPI_Count count, struct weft_dt *dt, int source,
		    int tag, struct weft_comm *comm, unsigned flags,
		    struct weft_req **req_p);

/* Blocking forms, without a request object if possible. */
int weft_core_send(const void *buf, MPI_Count count, struct weft_dt *dt,
		   int dest, int tag, struct weft_comm *comm, unsigned flags);
int weft_core_recv(void *buf, MPI_Count count, struct weft_dt *dt, int source,
		   int tag, struct weft_comm *comm, unsigned flags,
		   MPI_Status *status);

/* Sends with a request, for messages that weft_core_inject() did not accept. */
int weft_core_send_by_request(const void *buf, MPI_Count count,
			      struct weft_dt *dt, int dest, int tag,
			      struct weft_comm *comm, unsigned flags);
int weft_core_isend_by_request(const void *buf, MPI_Count count,
			       struct weft_dt *dt, int dest, int tag,
			       struct weft_comm *comm, unsigned flags,
			       struct weft_req **req_p);

/* Arguments of a send and a receive, for collectives and MPI_Sendrecv. */
struct weft_xfer {
	const void *sbuf;
	MPI_Count scount;
	struct weft_dt *sdt;
	int dest;
	int stag;
	void *rbuf;
	MPI_Count rcount;
	struct weft_dt *rdt;
	int source;
	int rtag;
};
int weft_core_sendrecv(const struct weft_xfer *x, struct weft_comm *comm,
		       unsigned flags, MPI_Status *status);

#endif
