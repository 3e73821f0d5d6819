/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates at the target by fi_atomic, where type and place are its. */
#ifndef WEFT_WIN_AMO_H
#define WEFT_WIN_AMO_H

#include "src/win/win_call.h"

/* Is the run at a place of the target fi_atomic's business? */
bool win_amo_takes(const struct win_call *c, const struct win_run *run);

/*
 * Before the first run. Where the provider does not keep the order of calls,
 * those before this one are completed. Others' accumulates always fetch: when
 * the old elements are here, the change is made there, whatever a provider
 * makes of FI_DELIVERY_COMPLETE. 0, -errno or a class.
 */
int win_amo_prepare(struct win_call *c);

/* Posts a run as pieces of op. */
int win_amo_run(struct win_call *c, struct win_op *op,
		const struct win_run *run);

#endif
