/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions. A group belongs to a session, or to the world model (NULL), and a
 * communicator belongs to the session of its group. Groups hold a reference on
 * their session; MPI_Session_finalize drops the reference of the application
 * and makes the handle invalid.
 */
#ifndef WEFT_COMM_SESSION_H
#define WEFT_COMM_SESSION_H

#include "src/diag/diag_err.h"

struct weft_bsend; /* msg_bsend.h */
struct weft_info;  /* types_info.h */

struct weft_session {
	struct weft_err_owner head;
	/* info keys that the library uses; owned by the session */
	struct weft_info *info;
	struct weft_bsend *bsend;
	bool closed; /* MPI_Session_finalize was called */
};

/* Returns the session of a handle if it is open, otherwise NULL. */
static inline struct weft_session *weft_session_of(MPI_Session handle)
{
	struct weft_session *s = weft_obj_of(handle, WEFT_KIND_SESSION);

	return s && !s->closed ? s : NULL;
}

/* Creates a session and takes over info. Returns NULL if out of memory. */
struct weft_session *weft_session_new(struct weft_errh *errh,
				      struct weft_info *info);
/* Add and drop a reference; s may be NULL in both functions. */
struct weft_session *weft_session_get(struct weft_session *s);
void weft_session_put(struct weft_session *s);

void weft_session_errhandler_set(struct weft_session *s, struct weft_errh *h);

#endif
