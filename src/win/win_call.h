/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An access in its normal form: n elements of one predefined type (bytes, for
 * puts and gets), operands and results as rows, and the runs of elements at the
 * target. From here on every path looks the same.
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
	struct weft_typed result; /* dt NULL: r.old is in place */
	void *own_in;		  /* rows that were made for this */
	void *own_old;
	bool plain; /* a put or get */
};

/* n elements that lie side by side. */
struct win_run {
	char *at;
	size_t n;
	struct win_elem_rows r; /* the rows' part for them */
};

/* x as an accumulate of elements of unit, with fetching and comparing as x
 * says. 0 or -ENOMEM. */
int win_call_make(struct win_call *c, struct weft_win *w,
		  const struct weft_win_xfer *x, const struct weft_dt *unit);
/* Old elements come to a row that nobody reads. 0 or -ENOMEM. */
int win_call_fetch(struct win_call *c);
/* Gives the rows back, after results are in their places. */
void win_call_end(struct win_call *c);
/* Hands the rows over to an operation, which gives them back. */
void win_call_give(struct win_call *c, struct win_op *op);

/* The run that begins with element from; from < c->n. */
struct win_run win_call_run(const struct win_call *c, size_t from);

/* Sends runs as messages, gathering several into one. */
struct win_post {
	struct win_call *c;
	struct win_op *op;
	struct win_elem_rows r; /* of the first run that is gathered */
	uint32_t runs;
	size_t count;
	struct win_am_run *run;
};

/* The whole call by messages: its runs for which want says so; want NULL: all.
 * 0 or -errno. */
typedef bool (*win_call_want)(const struct win_call *c,
			      const struct win_run *run);
int win_call_send(struct win_call *c, struct win_op *op, win_call_want want);

#endif
