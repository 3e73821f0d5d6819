/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An outstanding access: a request, whose pieces are libfabric operations or
 * messages (win_am.h). MPI_Put and similar calls do not return the request; the
 * window counts it as pending. MPI_Rput returns the request.
 */
#ifndef WEFT_WIN_OP_H
#define WEFT_WIN_OP_H

#include "src/core/core_io.h"
#include "src/msg/msg_retry.h"
#include "src/msg/msg_req.h"
#include "src/types/types_pack.h"
#include "src/win/win.h"

#include <rdma/fi_atomic.h>

struct win_op {
	struct weft_req req;
	struct weft_win *w;
	struct weft_win_peer *peer;
	unsigned left; /* outstanding pieces, plus one while they are posted */
	int error;
	/* name of the access in error texts, such as "put"; NULL: "access" */
	const char *what;
	/* the request was returned to the caller and reports the error */
	bool kept;
	/* memory owned by the operation, and data for its completion */
	void *in;
	void *old;
	/* result buffer; dt NULL: `old` points to the result buffer */
	struct weft_typed result;
	const struct weft_dt *unit;
};

/*
 * Creates an access. Its number of pieces is 1 until win_op_start(), so that it
 * cannot complete before that call. NULL: out of memory.
 */
struct win_op *win_op_open(struct weft_win *w, int target, bool kept);
/*
 * Completes one piece; requires the core lock. err: 0, -errno, or an MPI error
 * class.
 */
void win_op_piece_done(struct win_op *op, int err);
/*
 * Called when all pieces are posted (rc 0), or after the error rc. *req_p: the
 * request; req_p NULL: the window tracks the access. Returns 0 or the error.
 */
int win_op_start(struct win_op *op, int rc, struct weft_req **req_p);

/*
 * Waits while PIECES_MAX pieces are outstanding; called before a new piece is
 * posted. Returns 0 or the error.
 */
int win_op_throttle(struct weft_win *w);

/* Kind of a libfabric operation. */
enum win_fi_kind {
	WIN_FI_WRITE,
	WIN_FI_READ,
	WIN_FI_ATOMIC,
	WIN_FI_FETCH,
	WIN_FI_COMPARE,
};

struct win_fi {
	enum win_fi_kind kind;
	void *local; /* data or operands in this process */
	size_t len;  /* length, bytes */
	uint64_t addr;
	uint64_t key;
	/* atomics only; len is a number of elements */
	enum fi_datatype type;
	enum fi_op op;
	const void *compare;
	void *result;
};

/* Posts one piece of op. Returns 0 or -errno. */
int win_fi_post(struct win_op *op, const struct win_fi *f);

/*
 * Finds the address and the key of a location in the target's memory for fi_*.
 * buf: offset in the target's window, or an address for a dynamic window.
 * f->len is reduced to the part in one region. Returns 0 or -ERANGE.
 */
int win_fi_find(struct weft_win *w, int target, const void *buf,
		struct win_fi *f);

/*
 * Executes one piece at a known address, and waits for it. Returns 0 or the
 * error.
 */
int win_fi_execute(struct weft_win *w, int target, const struct win_fi *f);

/*
 * Reads or writes memory found by win_fi_find(), and waits until this is
 * complete. Returns 0 or the error.
 */
int win_fi_wait(struct weft_win *w, int target, const char *buf,
		struct win_fi f);

#endif
