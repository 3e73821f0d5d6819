/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deadlock report: describes the operations for which this process waits, and
 * ends a job that is deadlocked. The provider can detect a deadlock only in
 * virtual time.
 */
#ifndef WEFT_DIAG_DEADLOCK_H
#define WEFT_DIAG_DEADLOCK_H

#include "src/base/attr.h"

struct weft_idle;

/*
 * Called when the provider reports a deadlock: passes a description of this
 * rank's wait to the provider. The last rank to do so prints the report and
 * ends the job. Does not return.
 */
void weft_deadlock_report(const struct weft_idle *first)
	WEFT_NORETURN WEFT_COLD;

/*
 * Makes the progress loop call weft_deadlock_report() when the provider reports
 * a deadlock.
 */
void weft_deadlock_open(void);

#endif
