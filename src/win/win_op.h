/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An access under way: a request, whose pieces are operations of libfabric or
 * messages (win_am.h). MPI_Put and its like leave an orphan behind, which the
 * window counts as pending; MPI_Rput hands the request out.
 */
#ifndef WEFT_WIN_OP_H
#define WEFT_WIN_OP_H

#include "src/core/core_io.h"
#include "src/core/core_pend.h"
#include "src/core/core_req.h"
#include "src/types/types_pack.h"
#include "src/win/win.h"

#include <rdma/fi_atomic.h>

struct win_op {
	struct weft_req req;
	struct weft_win *w;
	struct weft_win_peer *peer;
	unsigned left; /* pieces to come, and one for who posts them */
	int error;
	const char *what; /* for error texts: "put"; NULL: "access" */
	bool kept;	  /* a request: its error is told there */
	/* memory that lives as long as it, and what is done at the end */
	void *in;
	void *old;
	struct weft_typed
		result; /* dt NULL: old is where it belongs; holds it */
	const struct weft_dt *unit;
};

/* With one piece to come: the caller's. NULL: no memory. */
struct win_op *win_op_open(struct weft_win *w, int target, bool kept);
/* A piece is over; the lock is held. err: 0, -errno or an MPI class. */
void win_op_drop(struct win_op *op, int err);
/*
 * All pieces are posted, or rc says why not. req_p: hands the request out;
 * NULL: the window looks after it. Returns what the access returns.
 */
int win_op_posted(struct win_op *op, int rc, struct weft_req **req_p);

/* Before another piece: waits while very many are under way. */
int win_op_room(struct weft_win *w);

/* What one operation of libfabric does. */
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

/* Where that piece of the target's memory lies for fi_*; buf is an offset in
 * its window, or in dynamic ones an address. len becomes less where that much
 * is not in one region. 0, or MPI_ERR_RMA_RANGE. */
int win_fi_find(struct weft_win *w, int target, const void *buf,
		struct win_fi *f);

/* One piece to a place that is known, and waits for it. */
int win_fi_do(struct weft_win *w, int target, const struct win_fi *f);

/* Reads or writes a target's memory, found as above, and waits for it. */
int win_fi_wait(struct weft_win *w, int target, const char *buf,
		struct win_fi f);

#endif
