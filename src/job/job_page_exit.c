/* SPDX-License-Identifier: BSD-3-Clause */
/* Exits of members, which the launcher records (job_page.h). */
#include "src/job/job_page.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void weft_job_page_record_exit(struct weft_job_page *r, uint32_t i)
{
	if (!r->head || i >= r->members)
		return;
	/* R4 pairs with A4: the number of exits is stored last */
	weft_store32_relaxed(&weft_job_page_member(r, i)->exited, 1);
	weft_add32(&r->head->exits, 1);
	weft_job_page_wake_waiters(r);
}

bool weft_job_page_has_exited(const struct weft_job_page *r, uint32_t i)
{
	return weft_load32(&weft_job_page_member(r, i)->exited);
}

uint32_t weft_job_page_exits(const struct weft_job_page *r)
{
	/* A4 pairs with R4 in weft_job_page_record_exit() */
	return weft_load32(&r->head->exits);
}

void weft_job_page_wait_exit(struct weft_job_page *r, uint32_t seen)
{
	/* with a timeout, since the launcher may be killed */
	struct timespec timeout = { .tv_nsec = 100000000 };

	syscall(SYS_futex, &r->head->exits, FUTEX_WAIT, seen, &timeout, NULL,
		0);
}

void weft_job_page_wake_waiters(struct weft_job_page *r)
{
	syscall(SYS_futex, &r->head->exits, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
