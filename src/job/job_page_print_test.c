/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the report, printed from status pages that the tests fill. */
#include "src/job/job_page_print.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

static void add_calls(struct weft_job_page *r, uint32_t rank, const char *name,
		      uint64_t count, uint64_t ps)
{
	struct job_page_tally *t =
		weft_job_page_call_count(r, rank, weft_job_page_id(r, name));

	weft_add64(&t->count, count);
	weft_add64(&t->ps, ps);
}

static char *report(const struct weft_job_page *r)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	weft_job_page_print(r, "virtual time", "machine, 2 nodes", f);
	fclose(f);
	return text;
}

static void times_are_min_mean_and_max_of_all_ranks(void **state)
{
	struct weft_job_page r;
	char *text;

	T_OK(weft_job_page_open(&r, 2, true));
	for (uint32_t i = 0; i < 2; i++) {
		weft_store64(&weft_job_page_member(&r, i)->begin_ps, 1000000);
		weft_store64(&weft_job_page_member(&r, i)->end_ps, 11000000);
		weft_store32(&weft_job_page_member(&r, i)->ended, 1);
	}
	add_calls(&r, 0, "MPI_Barrier", 3, 4000000);
	add_calls(&r, 1, "MPI_Barrier", 3, 2000000);
	add_calls(&r, 1, "MPI_Send", 1, 8000000);
	weft_job_page_text_add(&r, "network: text of a rank\n");
	text = report(&r);
	T_STR(text,
	      "report: 2 ranks, 10.000000 us of virtual time from MPI_Init to "
	      "MPI_Finalize\n"
	      "  machine, 2 nodes\n"
	      "  in a rank                   ranks      calls        min us "
	      "      mean us        max us  mean %\n"
	      "  MPI_Send                        1          1      0.000000 "
	      "     4.000000      8.000000   40.00\n"
	      "  MPI_Barrier                     2          6      2.000000 "
	      "     3.000000      4.000000   30.00\n"
	      "network: text of a rank\n");
	free(text);
	weft_job_page_close(&r);
}

static void ranks_that_did_not_finalize_are_counted(void **state)
{
	struct weft_job_page r;
	char *text;

	T_OK(weft_job_page_open(&r, 3, true));
	/* rank 1 ended at time 0 */
	weft_store32(&weft_job_page_member(&r, 1)->ended, 1);
	text = report(&r);
	T_NOT_NULL(strstr(text, "  2 ranks did not reach MPI_Finalize\n"));
	free(text);
	weft_job_page_close(&r);
}

static void count_call(struct weft_job_page *r, uint32_t i, const char *name,
		       uint64_t ps)
{
	struct job_page_tally *t =
		weft_job_page_call_count(r, i, weft_job_page_id(r, name));

	weft_store64(&t->count, 1);
	weft_store64(&t->ps, ps);
}

static void each_job_has_a_table(void **state)
{
	static const struct weft_job_page_part part[] = {
		{ 0, 2, "2 ranks: a", false }, { 2, 1, "1 rank: b", true }
	};
	struct weft_job_page r;
	char *text = NULL, *second;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	T_NOT_NULL(f);
	T_OK(weft_job_page_open(&r, 3, true));
	for (uint32_t i = 0; i < 2; i++) {
		weft_store64(&weft_job_page_member(&r, i)->end_ps, 4000000);
		weft_store32(&weft_job_page_member(&r, i)->ended, 1);
		count_call(&r, i, "MPI_Send", 1000000);
	}
	count_call(&r, 2, "MPI_Recv", 3000000);
	weft_job_page_print_parts(&r, part, 2, "machine x", f);
	fclose(f);
	T_NOT_NULL(strstr(text, "report: 2 jobs, machine x\njob 0: 2 ranks: "
				"a\n  4.000000 us of virtual time"));
	second = strstr(text, "job 1: 1 rank: b\n");
	T_NOT_NULL(second);
	/* the table of a job contains only the calls of its members */
	T_NOT_NULL(strstr(second, "MPI_Recv"));
	T_TRUE(!strstr(second, "MPI_Send"));
	T_NOT_NULL(strstr(text, "    2          2      1.000000"));
	/* ranks of a background job need not reach MPI_Finalize */
	T_TRUE(!strstr(text, "did not reach"));
	free(text);
	weft_job_page_close(&r);
}

static void add_event(struct weft_job_page *r,
		      enum weft_job_page_event_kind kind, uint64_t begin_us,
		      uint64_t end_us, uint64_t at_us)
{
	const struct weft_job_page_event e = { .kind = kind,
					       .number = begin_us,
					       .begin_ps = begin_us * 1000000,
					       .end_ps = end_us * 1000000,
					       .rank = 2,
					       .at_ps = at_us * 1000000 };

	weft_job_page_event_add(r, &e);
}

/*
 * The host's clock: times are printed from the first MPI_Init on. Rank 2 has
 * failed before its MPI_Init.
 */
static void recovery_begins_with_the_first_failure(void **state)
{
	struct weft_job_page r;
	char *text = NULL, *table;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	T_NOT_NULL(f);
	T_OK(weft_job_page_open(&r, 3, true));
	weft_store64(&weft_job_page_member(&r, 0)->begin_ps, 7000000);
	weft_store64(&weft_job_page_member(&r, 1)->begin_ps, 5000000);
	add_event(&r, JOB_PAGE_AGREEMENT, 6, 7, 0);
	add_event(&r, JOB_PAGE_FAILURE, 9, 11, 8);
	add_event(&r, JOB_PAGE_SHRINK, 12, 15, 0);
	weft_job_page_print(&r, "time", NULL, f);
	fclose(f);
	table = strstr(text, "recovery: ");
	T_NOT_NULL(table);
	table = strchr(table, '\n') + 1;
	T_STR(table, "  failure of rank 2                           3.000\n"
		     "  detection of rank 2             1           4.000"
		     "           6.000        2.000           3.000\n"
		     "  shrink                          1           7.000"
		     "          10.000        3.000           7.000\n");
	free(text);
	weft_job_page_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(each_job_has_a_table),
		T_CASE(recovery_begins_with_the_first_failure),
		T_CASE(times_are_min_mean_and_max_of_all_ranks),
		T_CASE(ranks_that_did_not_finalize_are_counted),
	};

	return T_RUN(tests);
}
