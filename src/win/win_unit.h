/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Updates of one element by atomics of the machine's interface
 * (FI_WEFT_AMO_SYNC), live on one host. The interface checks the access by the
 * target's memory registers, and updates the element by atomic instructions of
 * the processor, so these updates are mutually atomic with those of other
 * paths.
 */
#ifndef WEFT_WIN_UNIT_H
#define WEFT_WIN_UNIT_H

#include "src/win/win.h"
#include "src/win/win_elem.h"

struct win_unit_call {
	int target;
	const struct weft_dt *unit; /* type of the element */
	/* operation; not used by a compare and swap */
	const struct weft_op *op;
	/*
	 * offset in the target's window; dynamic windows: address in the target
	 */
	const char *location;
	struct win_elem_arrays r;
	/*
	 * mapped element; NULL: not mapped, and the target's accumulate lock is
	 * held
	 */
	char *at;
};

/*
 * Changes the element. Returns 0; 1: the interface has no such atomic, or
 * cannot be used now; -ERANGE: the target's registers refuse the access.
 */
int win_unit_change(struct weft_win *w, const struct win_unit_call *c);

#endif
