/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of a window, on its communicator, for operations that neither shared
 * memory nor libfabric's remote memory access supports. A member has one posted
 * receive for all messages (struct win_am_recv), so the thread that makes
 * progress processes messages in the order of arrival, with the core lock held.
 *
 *   request   LOCK UNLOCK POST COMPLETE     without data
 *             ACCESS   runs, operands       gets a response
 *   response  GRANT                         to LOCK
 *             ANSWER   old elements         to ACCESS, same id
 */
#ifndef WEFT_WIN_AM_H
#define WEFT_WIN_AM_H

#include "src/win/win_op.h"

enum win_am_type {
	WIN_AM_LOCK, /* flags: WIN_AM_EXCLUSIVE or WIN_AM_FURTHER */
	WIN_AM_UNLOCK,
	WIN_AM_GRANT,
	WIN_AM_POST,
	WIN_AM_COMPLETE,
	WIN_AM_ACCESS,
	WIN_AM_ANSWER,
};

enum {
	WIN_AM_EXCLUSIVE = 1, /* LOCK: the lock is exclusive */
	WIN_AM_FETCH = 2,     /* ACCESS: return old elements */
	WIN_AM_COMPARE = 4,   /* ACCESS: comparands follow the operands */
	WIN_AM_PLAIN = 8,     /* ACCESS: a put or get, not atomic */
	WIN_AM_INPUT = 16,    /* ACCESS: operands are included */
	WIN_AM_FURTHER = 32,  /* LOCK: the epoch of lock_all has other locks */
};

/* Header of a message; runs follow, then arrays of elements. */
struct win_am {
	uint32_t type;
	uint32_t id;
	uint32_t unit; /* element type: handle of a predefined type */
	uint32_t op;   /* operation: handle of a predefined operation */
	uint32_t flags;
	uint32_t runs;
	uint32_t count; /* number of elements in all runs */
	int32_t error;	/* ANSWER: 0 or -errno */
};
static_assert(sizeof(struct win_am) == 32, "travels");

struct win_am_run {
	uint64_t location; /* offset in the window, or an address (dynamic) */
	uint64_t count;
};

#define WIN_AM_RUNS  64	  /* maximum number of runs in one request */
#define WIN_AM_ARRAY 8192 /* maximum size of one array of elements, bytes */
#define WIN_AM_BYTES                                                       \
	(sizeof(struct win_am) + WIN_AM_RUNS * sizeof(struct win_am_run) + \
	 2 * WIN_AM_ARRAY)

/*
 * Post and cancel the receive of messages, which w->serve processes.
 * win_am_open() has no effect if the receive is posted already: a window with a
 * shared page posts it when device memory is attached or accessed.
 */
int win_am_open(struct weft_win *w);
void win_am_close(struct weft_win *w);

/*
 * Sends a message; the caller holds the core lock. part[0..n): data that
 * follows the header. If op is not NULL, its number of pieces is incremented;
 * the piece completes when the message has been sent. Returns 0 or -errno.
 */
int win_am_send(struct weft_win *w, int rank, const struct win_am *head,
		const struct iovec *part, int n, struct win_op *op);

/* Sends a message without data; acquires the core lock. Returns 0 or -errno. */
int win_am_send_empty(struct weft_win *w, int rank, enum win_am_type type,
		      uint32_t flags);

#endif
