/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffered sends. A buffer belongs to a communicator or to the process; each
 * message in it is a header and its packed data. A buffer is the memory that
 * the user attached or, with MPI_BUFFER_AUTOMATIC, is allocated per message.
 */
#ifndef WEFT_MSG_BSEND_H
#define WEFT_MSG_BSEND_H

#include <mpi.h>

struct weft_bsend;
struct weft_p2p_args;
struct weft_req;

/*
 * Attaches a buffer. where: &comm->bsend or weft_bsend_process(). Returns 0,
 * -ENOMEM, or -EBUSY: a buffer is already attached.
 */
struct weft_bsend **weft_bsend_process(void);
int weft_bsend_attach(struct weft_bsend **where, void *base, MPI_Count size);
/*
 * Waits until all messages are sent, and detaches the buffer. *base_p is NULL
 * and *size_p 0 if no buffer was attached.
 */
void weft_bsend_detach(struct weft_bsend **where, void **base_p,
		       MPI_Count *size_p);
void weft_bsend_flush(struct weft_bsend **where);
/* Frees the requests and the buffer space of messages that have been sent. */
void weft_bsend_reap(struct weft_bsend **where);
int weft_bsend_iflush(struct weft_bsend **where, struct weft_req **req_p);

/*
 * Sends a message from the buffer. Returns 0, -errno, or -ENOBUFS: no buffer is
 * attached, or the buffer is full.
 */
int weft_core_bsend(const struct weft_p2p_args *a);
/* Creates a persistent request; each start is one buffered send. */
int weft_core_bsend_init(const struct weft_p2p_args *a,
			 struct weft_req **req_p);

#endif
