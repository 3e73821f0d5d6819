/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of recording calls on the job status page: one thread, callbacks,
 * several threads, timed calls.
 */
#include "src/diag/diag_call.h"
#include "src/job/job_page.h"
#include "test/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* page of the launcher; this process is rank 1 of 2 */
static struct weft_job_page job_page;
static uint64_t ticks;

/* Beginning of a function, as in the functions of src/mpi. */
#define ENTER(name)                                             \
	static struct weft_call_site site = { "P" name, 0, 0 }; \
	WEFT_CLEANUP(weft_call_leave)                           \
	const struct weft_call here = weft_call_enter(&site)

static void expect_call(const char *want)
{
	char text[64] = "", own[64];

	weft_job_page_in(&job_page, 1, text, sizeof(text));
	T_STR(text, want);
	T_STR(weft_call_text(own, sizeof(own)), want);
}

static void inner(const char *want)
{
	ENTER("MPI_Inner");
	expect_call(want);
}

static int outer(const char *want, int early)
{
	ENTER("MPI_Outer");
	if (early)
		return 1;
	inner(want);
	expect_call("MPI_Outer");
	return 0;
}

static uint64_t clock_ps(void)
{
	return ticks += 10;
}

/*
 * The order of the tests matters, because MPI_Init sets the recording mode once
 * per process.
 */
static void before_init_the_outermost_call_is_recorded(void **state)
{
	expect_call("");
	T_IS(outer("MPI_Outer", 0), 0);
	expect_call("");
}

static void one_thread_records_the_innermost_call(void **state)
{
	weft_call_start(false, NULL);
	for (int i = 0; i < 3; i++) {
		outer("MPI_Inner", 0);
		T_IS(outer("", 1), 1);
		expect_call("");
	}
	inner("MPI_Inner");
	weft_call_stop();
}

static void finish_is_recorded(void **state)
{
	T_IS(weft_load32(&weft_job_page_member(&job_page, 1)->finished), 0);
	weft_call_finish();
	T_IS(weft_load32(&weft_job_page_member(&job_page, 1)->finished), 1);
	T_IS(weft_load32(&weft_job_page_member(&job_page, 0)->finished), 0);
}

static void timed_call(void)
{
	ENTER("MPI_Timed");
}

static void *call_often(void *arg)
{
	for (int i = 0; i < 100; i++)
		timed_call();
	return NULL;
}

static void calls_of_threads_are_counted_and_timed(void **state)
{
	uint32_t id = weft_job_page_id(&job_page, "MPI_Timed");
	const struct job_page_tally *t =
		weft_job_page_call_count(&job_page, 1, id);

	weft_call_start(true, clock_ps);
	timed_call();
	T_IS(weft_load64(&t->count), 1);
	T_IS(weft_load64(&t->ps), 10);
	weft_call_stop();
	T_IS(weft_load64(&weft_job_page_member(&job_page, 1)->end_ps), ticks);
	weft_call_start(true, NULL);
	t_threads(4, call_often, NULL, 0);
	T_IS(weft_load64(&t->count), 1);
	expect_call("");
	weft_call_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(before_init_the_outermost_call_is_recorded),
		T_CASE(one_thread_records_the_innermost_call),
		T_CASE(finish_is_recorded),
		T_CASE(calls_of_threads_are_counted_and_timed),
	};
	char fd[16];
	int rc;

	if (weft_job_page_open(&job_page, 2, true))
		return 1;
	snprintf(fd, sizeof(fd), "%d", job_page.region.fd);
	setenv("WEFT_JOB_PAGE", fd, 1);
	setenv("PMIX_RANK", "1", 1);
	rc = T_RUN(tests);
	weft_job_page_close(&job_page);
	return rc;
}
