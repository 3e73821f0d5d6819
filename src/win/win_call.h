/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An access in its normal form: n elements of one predefined type (bytes, for
 * puts and gets), operands and results as arrays, and the runs of elements at
 * the target. All paths use this form.
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
	struct weft_typed place; /* at the target; buf: see win_fi_find() */
	struct win_elem_rows r;
	struct weft_typed result; /* dt NULL: r.old is the result's location */
	void *own_in;		  /* arrays allocated for this call */
	void *own_old;
	bool plain; /* a put or get */
};

/* n contiguous elements. */
struct win_run {
	char *at;
	size_t n;
	struct win_elem_rows r; /* the corresponding parts of the arrays */
};

/*
 * Converts x to an accumulate of elements of unit, with fetch and compare if x
 * has them. 0 or -ENOMEM.
 */
int win_call_make(struct win_call *c, struct weft_win *w,
		  const struct weft_win_xfer *x, const struct weft_dt *unit);
/* Fetches old elements into an array that is not used. 0 or -ENOMEM. */
int win_call_fetch(struct win_call *c);
/* Stores results and frees the arrays. */
void win_call_end(struct win_call *c);
/* Hands the arrays over to an operation, which frees them. */
void win_call_hand_over(struct win_call *c, struct win_op *op);

/* The run that begins with element from; from < c->n. */
struct win_run win_call_run(const struct win_call *c, size_t from);

/* Sends runs as messages, gathering several into one. */
struct win_post {
	struct win_call *c;
	struct win_op *op;
	struct win_elem_rows r; /* of the first gathered run */
	uint32_t runs;
	size_t count;
	struct win_am_run *run;
};

/*
 * Sends the runs of a call for which want returns true as messages; want NULL:
 * all. 0 or -errno.
 */
typedef bool (*win_call_want)(const struct win_call *c,
			      const struct win_run *run);
int win_call_send(struct win_call *c, struct win_op *op, win_call_want want);

#endif
