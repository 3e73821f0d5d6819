/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An outstanding access: a request, whose pieces are operations of libfabric or
 * messages (win_am.h). MPI_Put and similar calls leave an orphaned request,
 * which the window counts as pending; MPI_Rput returns the request.
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
	const char *what; /* for error texts: "put"; NULL: "access" */
	bool kept;	  /* a request: it reports the error */
	/* memory owned by the operation, and data for its completion */
	void *in;
	void *old;
	struct weft_typed result; /* dt NULL: old is the result itself */
	const struct weft_dt *unit;
};

/* Starts with one piece, owned by the caller. NULL: no memory. */
struct win_op *win_op_open(struct weft_win *w, int target, bool kept);
/* A piece is complete; the lock is held. err: 0, -errno or an MPI class. */
void win_op_piece_done(struct win_op *op, int err);
/*
 * All pieces are posted, or rc is the error. req_p: returns the request; NULL:
 * the window tracks it. Returns the result of the access.
 */
int win_op_start(struct win_op *op, int rc, struct weft_req **req_p);

/* Before another piece: waits while PIECES_MAX are outstanding. */
int win_op_room(struct weft_win *w);

/* Kind of one operation of libfabric. */
enum win_fi_kind {
	WIN_FI_WRITE,
	WIN_FI_READ,
	WIN_FI_ATOMIC,
	WIN_FI_FETCH,
	WIN_FI_COMPARE,
};

struct win_fi {
	enum win_fi_kind kind;
	void *local; /* data, operands */
	size_t len;  /* bytes */
	uint64_t addr;
	uint64_t key;
	/* atomics; len counts elements */
	enum fi_datatype type;
	enum fi_op op;
	const void *compare;
	void *result;
};

/* Posts one piece of op. 0 or -errno. */
int win_fi_post(struct win_op *op, const struct win_fi *f);

/*
 * Translates a location of the target's memory for fi_*; buf is an offset in
 * its window, or in dynamic ones an address. len is reduced to what is in one
 * region. 0, or MPI_ERR_RMA_RANGE.
 */
int win_fi_find(struct weft_win *w, int target, const void *buf,
		struct win_fi *f);

/* Executes one piece at a known address, and waits for it. */
int win_fi_execute(struct weft_win *w, int target, const struct win_fi *f);

/*
 * Reads or writes a target's memory, found by win_fi_find(), and waits for it.
 */
int win_fi_wait(struct weft_win *w, int target, const char *buf,
		struct win_fi f);

#endif
