/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulates at the target by fi_atomic, for types and locations that it
 * supports.
 */
#ifndef WEFT_WIN_AMO_H
#define WEFT_WIN_AMO_H

#include "src/win/win_call.h"

/* Can fi_atomic execute the run at its location? */
bool win_amo_supports(const struct win_call *c, const struct win_run *run);

/*
 * Called before the first run. Where the provider does not keep the order of
 * calls, waits for the earlier ones. Accumulates by other providers always
 * fetch: when the old elements are here, the change is complete at the target,
 * whatever a provider does with FI_DELIVERY_COMPLETE. 0, -errno or a class.
 */
int win_amo_prepare(struct win_call *c);

/* Posts a run as pieces of op. */
int win_amo_run(struct win_call *c, struct win_op *op,
		const struct win_run *run);

#endif
