/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of detection, revocation and recovery, for the report of the job
 * (mpiexec --report). Without a report the functions do nothing.
 */
#ifndef WEFT_RECOVER_RECORD_H
#define WEFT_RECOVER_RECORD_H

#include "src/job/job_page.h"
#include "src/recover/recover_msg.h"

/* Returns the current time; the call takes no virtual time. */
uint64_t weft_recover_now_ps(void);

/* Records that this process knows of a failure; failed_ps: 0: unknown. */
void weft_recover_record_failure(int proc, uint64_t failed_ps);
/* Records an event of a communicator that began at begin_ps and ends now. */
void weft_recover_record(enum weft_job_page_event_kind kind,
			 const struct weft_recover_key *key, uint64_t begin_ps);

#endif
