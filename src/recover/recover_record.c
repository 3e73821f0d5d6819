/* SPDX-License-Identifier: BSD-3-Clause */
/* Times for the report (recover_record.h), in the job status page. */
#include "src/recover/recover_record.h"

#include "src/core/core_time.h"
#include "src/diag/diag_call.h"

uint64_t weft_recover_now_ps(void)
{
	return weft_core_clock_peek_ps();
}

static void add(const struct weft_job_page_event *e)
{
	uint32_t me;

	weft_job_page_event_add(weft_call_job_page(&me), e);
}

void weft_recover_record_failure(int proc, uint64_t failed_ps)
{
	uint64_t now = weft_recover_now_ps();

	add(&(struct weft_job_page_event){ .kind = JOB_PAGE_FAILURE,
					   .number = (uint64_t)proc,
					   .begin_ps = now,
					   .end_ps = now,
					   .rank = (uint32_t)proc,
					   .at_ps = failed_ps });
}

void weft_recover_record(enum weft_job_page_event_kind kind,
			 const struct weft_recover_key *key, uint64_t begin_ps)
{
	uint64_t seq = kind == JOB_PAGE_REVOCATION ? 0 : key->seq;

	add(&(struct weft_job_page_event){ .kind = kind,
					   .number = (uint64_t)key->ctx << 48 ^
						     (uint64_t)key->hash << 16 ^
						     seq,
					   .begin_ps = begin_ps,
					   .end_ps = weft_recover_now_ps() });
}
