/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Normal form of an access, used by all paths: n elements of one predefined
 * type (bytes, for puts and gets), arrays of operands and results, and the runs
 * of elements at the target.
 */
#ifndef WEFT_WIN_CALL_H
#define WEFT_WIN_CALL_H

#include "src/win/win_elem.h"
#include "src/win/win_op.h"

struct win_call {
	struct weft_win *w;
	int target;
	const struct weft_dt *unit;
	const struct weft_op *op;
	struct win_elem e;
	size_t n;
	/* typed data at the target; buf: see win_fi_find() */
	struct weft_typed place;
	struct win_elem_arrays r;
	/*
	 * result buffer, if not contiguous; dt NULL: r.old points into the
	 * caller's result buffer
	 */
	struct weft_typed result;
	void *own_in; /* arrays allocated for this call */
	void *own_old;
	bool plain; /* true: a put or get, not an accumulate */
};

/* A run: n contiguous elements at the target. */
struct win_run {
	char *location; /* address at the target; see win_fi_find() */
	size_t n;
	struct win_elem_arrays r; /* parts of the arrays for this run */
};

/*
 * Converts x to an accumulate of elements of type `unit`, with fetch and
 * comparison if x has them. Returns 0 or -ENOMEM.
 */
int win_call_make(struct win_call *c, struct weft_win *w,
		  const struct weft_win_xfer *x, const struct weft_dt *unit);
/*
 * Converts the access to a fetching one, and allocates an array for the old
 * elements, which are discarded. Returns 0 or -ENOMEM.
 */
int win_call_fetch(struct win_call *c);
/* Stores results and frees the arrays. */
void win_call_end(struct win_call *c);
/* Hands the arrays over to an operation, which frees them. */
void win_call_hand_over(struct win_call *c, struct win_op *op);

/* Returns the run that begins with element `from`; requires from < c->n. */
struct win_run win_call_run(const struct win_call *c, size_t from);

/* Runs gathered for the next message. */
struct win_post {
	struct win_call *c;
	struct win_op *op;
	struct win_elem_arrays r; /* arrays of the first gathered run */
	uint32_t runs;
	size_t count;
	struct win_am_run *run;
};

/*
 * win_call_send() sends the runs of a call for which `want` returns true, as
 * messages; `want` NULL: all runs. Returns 0 or -errno.
 */
typedef bool (*win_call_want)(const struct win_call *c,
			      const struct win_run *run);
int win_call_send(struct win_call *c, struct win_op *op, win_call_want want);

#endif
