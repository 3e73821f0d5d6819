/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Report at the end of a job, from the tallies of the job status page: number
 * of calls, and minimum, mean and maximum time per rank. The calls of a member
 * that died are included up to its death.
 */
#include "src/job/job_page_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct row {
	char name[JOB_PAGE_NAME];
	uint64_t calls;
	uint32_t ranks; /* number of ranks that called the function */
	uint64_t sum_ps;
	uint64_t min_ps; /* minimum over all ranks of the job */
	uint64_t max_ps;
};

static void sum_calls(const struct weft_job_page *job_page, uint32_t id,
		      struct row *row)
{
	const struct job_page_tally *t;
	uint64_t ps, count;

	row->min_ps = UINT64_MAX;
	for (uint32_t i = 0; i < job_page->members; i++) {
		t = weft_job_page_call_count(job_page, i, id);
		ps = weft_load64(&t->ps);
		count = weft_load64(&t->count);
		row->calls += count;
		row->ranks += count > 0;
		row->sum_ps += ps;
		if (ps < row->min_ps)
			row->min_ps = ps;
		if (ps > row->max_ps)
			row->max_ps = ps;
	}
}

/* Orders rows by descending time, then by name. */
static int compare_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->sum_ps != y->sum_ps)
		return x->sum_ps < y->sum_ps ? 1 : -1;
	return strcmp(x->name, y->name);
}

static uint32_t page_print_fill(const struct weft_job_page *job_page,
				struct row *row)
{
	uint32_t n = 0;

	for (uint32_t id = 1; id < JOB_PAGE_NAMES; id++) {
		memset(&row[n], 0, sizeof(row[n]));
		if (!weft_job_page_name(job_page, id, row[n].name))
			continue;
		sum_calls(job_page, id, &row[n]);
		n += row[n].calls > 0;
	}
	qsort(row, n, sizeof(*row), compare_time);
	return n;
}

/*
 * Returns the time from the end of MPI_Init to MPI_Finalize in ps: the maximum
 * of all ranks. *ended: number of ranks that have reached MPI_Finalize.
 */
static uint64_t span_ps(const struct weft_job_page *job_page, uint32_t *ended)
{
	const struct job_page_member *m;
	uint64_t begin, end, span = 0;

	*ended = 0;
	for (uint32_t i = 0; i < job_page->members; i++) {
		m = weft_job_page_member(job_page, i);
		/* A2 pairs with R2 in weft_call_stop() */
		*ended += weft_load32(&m->ended) != 0;
		begin = weft_load64(&m->begin_ps);
		end = weft_load64(&m->end_ps);
		if (end > begin && end - begin > span)
			span = end - begin;
	}
	return span;
}

static double us(uint64_t ps)
{
	return (double)ps * 1e-6;
}

void weft_job_page_print(const struct weft_job_page *job_page,
			 const char *clock, const char *machine, FILE *f)
{
	struct row *row = calloc(JOB_PAGE_NAMES, sizeof(*row));
	uint32_t n = row ? page_print_fill(job_page, row) : 0, ended;
	uint64_t span = span_ps(job_page, &ended);
	char *text = weft_job_page_text(job_page);

	fprintf(f,
		"report: %u rank%s, %.6f us of %s from MPI_Init to "
		"MPI_Finalize\n",
		job_page->members, job_page->members > 1 ? "s" : "", us(span),
		clock);
	if (machine)
		fprintf(f, "  %s\n", machine);
	if (ended < job_page->members)
		fprintf(f, "  %u ranks did not reach MPI_Finalize\n",
			job_page->members - ended);
	fprintf(f, "  %-26s %6s %10s %13s %13s %13s %7s\n", "in a rank",
		"ranks", "calls", "min us", "mean us", "max us", "mean %");
	for (uint32_t i = 0; i < n; i++)
		fprintf(f,
			"  %-26s %6u %10" PRIu64 " %13.6f %13.6f %13.6f "
			"%7.2f\n",
			row[i].name, row[i].ranks, row[i].calls,
			us(row[i].min_ps),
			us(row[i].sum_ps) / job_page->members,
			us(row[i].max_ps),
			span ? 100.0 * (double)row[i].sum_ps /
					job_page->members / (double)span
			     : 0);
	if (text)
		fputs(text, f);
	free(text);
	free(row);
}
