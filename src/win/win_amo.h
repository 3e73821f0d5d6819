/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates at the target by fi_atomic, where it is supported. */
#ifndef WEFT_WIN_AMO_H
#define WEFT_WIN_AMO_H

#include "src/win/win_call.h"

/* Returns whether fi_atomic can execute the run at its location. */
bool win_amo_supports(const struct win_call *c, const struct win_run *run);

/*
 * Called before the first run. Waits for earlier accumulates if the provider
 * does not keep their order. With providers other than Weft's, turns every
 * accumulate into a fetching one: when the old elements have arrived, the
 * change is complete at the target, even if the provider ignores
 * FI_DELIVERY_COMPLETE. Returns 0 or -errno.
 */
int win_amo_prepare(struct win_call *c);

/* Posts a run as pieces of op. Returns 0 or -errno. */
int win_amo_run(struct win_call *c, struct win_op *op,
		const struct win_run *run);

#endif
