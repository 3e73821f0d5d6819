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

/* The members of one job. */
struct members {
	const struct weft_job_page *page;
	uint32_t first, count;
};

static void sum_calls(const struct members *m, uint32_t id, struct row *row)
{
	const struct job_page_tally *t;
	uint64_t ps, count;

	row->min_ps = UINT64_MAX;
	for (uint32_t i = 0; i < m->count; i++) {
		t = weft_job_page_call_count(m->page, m->first + i, id);
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

static uint32_t page_print_fill(const struct members *m, struct row *row)
{
	uint32_t n = 0;

	for (uint32_t id = 1; id < JOB_PAGE_NAMES; id++) {
		memset(&row[n], 0, sizeof(row[n]));
		if (!weft_job_page_name(m->page, id, row[n].name))
			continue;
		sum_calls(m, id, &row[n]);
		n += row[n].calls > 0;
	}
	qsort(row, n, sizeof(*row), compare_time);
	return n;
}

/*
 * Returns the time from the end of MPI_Init to MPI_Finalize in ps: the maximum
 * of all ranks. *ended: number of ranks that have reached MPI_Finalize.
 */
static uint64_t span_ps(const struct members *of, uint32_t *ended)
{
	const struct job_page_member *m;
	uint64_t begin, end, span = 0;

	*ended = 0;
	for (uint32_t i = 0; i < of->count; i++) {
		m = weft_job_page_member(of->page, of->first + i);
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

/* ---- recovery after failures --------------------------------------------- */

/* A copy of an event; times in ps since the start of the job. */
struct event {
	unsigned kind;
	uint32_t rank, members;
	uint64_t begin_ps, end_ps;
	uint64_t at_ps; /* time of a failure; 0: unknown */
};

static int compare_begin(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->begin_ps != y->begin_ps)
		return x->begin_ps < y->begin_ps ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/*
 * Returns the earliest time at which a member completed MPI_Init; 0: no member
 * has completed it yet.
 */
static uint64_t first_begin(const struct weft_job_page *job_page)
{
	uint64_t first = UINT64_MAX, ps;

	for (uint32_t i = 0; i < job_page->members; i++) {
		ps = weft_load64(&weft_job_page_member(job_page, i)->begin_ps);
		if (ps && ps < first)
			first = ps;
	}
	return first == UINT64_MAX ? 0 : first;
}

/* Copies the events. start_ps: time that counts as 0. Returns their number. */
static size_t events_read(const struct weft_job_page *job_page,
			  uint64_t start_ps, struct event *event)
{
	const struct job_page_event *x = weft_job_page_events(job_page);
	size_t n = 0;

	for (unsigned i = 0; x && i < JOB_PAGE_EVENTS; i++, x++) {
		uint64_t begin = weft_load64(&x->begin_ps);
		uint64_t end = weft_load64(&x->end_ps);
		uint64_t at = weft_load64(&x->at_ps);

		if (!weft_load64(&x->key) || !weft_load32(&x->members))
			continue;
		event[n++] = (struct event){
			.kind = (unsigned)(weft_load64(&x->key) & 0xff),
			.rank = (uint32_t)weft_load64(&x->detail),
			.members = weft_load32(&x->members),
			.begin_ps = begin - 1 - start_ps,
			.end_ps = end - 1 - start_ps,
			.at_ps = at ? at - 1 - start_ps : 0,
		};
	}
	qsort(event, n, sizeof(*event), compare_begin);
	return n;
}

static void print_event(FILE *f, const struct event *e, uint64_t failed_ps)
{
	static const char *const names[] = { "", "detection", "revocation",
					     "agreement", "shrink" };
	char name[32];

	snprintf(name, sizeof(name), "%s",
		 e->kind < sizeof(names) / sizeof(*names) ? names[e->kind]
							  : "");
	if (e->kind == JOB_PAGE_FAILURE)
		snprintf(name, sizeof(name), "detection of rank %u", e->rank);
	fprintf(f, "  %-26s %6u %15.3f %15.3f %12.3f %15.3f\n", name,
		e->members, us(e->begin_ps), us(e->end_ps),
		us(e->end_ps - e->begin_ps),
		e->end_ps > failed_ps ? us(e->end_ps - failed_ps) : 0);
}

/* maximum number of lines in the recovery table */
#define RECOVERY_LINES 40

/*
 * Prints detection, revocation, agreements and shrinks. The last column is the
 * time since the most recent failure that was detected before the event.
 */
static void print_recovery(const struct weft_job_page *job_page, bool modelled,
			   FILE *f)
{
	struct event *event = calloc(JOB_PAGE_EVENTS, sizeof(*event));
	uint64_t start = modelled ? 0 : first_begin(job_page), failed_ps = 0;
	size_t n = event ? events_read(job_page, start, event) : 0;
	bool seen = false;

	for (size_t i = 0; i < n; i++) {
		const struct event *e = &event[i];

		/* agreements before any failure are not part of a recovery */
		if (!seen && e->kind != JOB_PAGE_FAILURE)
			continue;
		if (!seen)
			fprintf(f,
				"recovery:                   ranks  first "
				"begin "
				"us     last end us  duration us  since failure"
				"\n");
		seen = true;
		if (e->kind == JOB_PAGE_FAILURE)
			failed_ps = e->at_ps ? e->at_ps : e->begin_ps;
		if (i >= RECOVERY_LINES)
			continue;
		if (e->kind == JOB_PAGE_FAILURE && e->at_ps)
			fprintf(f, "  failure of rank %-17u %15.3f\n", e->rank,
				us(e->at_ps));
		print_event(f, e, failed_ps);
	}
	if (seen && n > RECOVERY_LINES)
		fprintf(f, "  and %zu other events\n", n - RECOVERY_LINES);
	free(event);
}

/* Prints the table of calls of these members. span: 0: not known. */
static void print_calls(const struct members *m, uint64_t span, FILE *f)
{
	struct row *row = calloc(JOB_PAGE_NAMES, sizeof(*row));
	uint32_t n = row ? page_print_fill(m, row) : 0;

	fprintf(f, "  %-26s %6s %10s %13s %13s %13s %7s\n", "in a rank",
		"ranks", "calls", "min us", "mean us", "max us", "mean %");
	for (uint32_t i = 0; i < n; i++) {
		fprintf(f, "  %-26s %6u %10" PRIu64 " %13.6f %13.6f %13.6f ",
			row[i].name, row[i].ranks, row[i].calls,
			us(row[i].min_ps), us(row[i].sum_ps) / m->count,
			us(row[i].max_ps));
		if (span)
			fprintf(f, "%7.2f\n",
				100.0 * (double)row[i].sum_ps / m->count /
					(double)span);
		else
			fprintf(f, "%7s\n", "-");
	}
	free(row);
}

static void print_missing(const struct members *m, uint32_t ended, FILE *f)
{
	if (ended < m->count)
		fprintf(f, "  %u ranks did not reach MPI_Finalize\n",
			m->count - ended);
}

static void print_text(const struct weft_job_page *job_page, FILE *f)
{
	char *text = weft_job_page_text(job_page);

	if (text)
		fputs(text, f);
	free(text);
}

void weft_job_page_print(const struct weft_job_page *job_page,
			 const char *clock, const char *machine, FILE *f)
{
	const struct members all = { job_page, 0, job_page->members };
	uint32_t ended;
	uint64_t span = span_ps(&all, &ended);

	fprintf(f,
		"report: %u rank%s, %.6f us of %s from MPI_Init to "
		"MPI_Finalize\n",
		all.count, all.count > 1 ? "s" : "", us(span), clock);
	if (machine)
		fprintf(f, "  %s\n", machine);
	print_missing(&all, ended, f);
	print_calls(&all, span, f);
	print_recovery(job_page, !strcmp(clock, "virtual time"), f);
	print_text(job_page, f);
}

void weft_job_page_print_parts(const struct weft_job_page *job_page,
			       const struct weft_job_page_part *part,
			       unsigned parts, const char *machine, FILE *f)
{
	uint64_t span;
	uint32_t ended;

	fprintf(f, "report: %u jobs, %s\n", parts, machine);
	for (unsigned i = 0; i < parts; i++) {
		const struct members m = { job_page, part[i].first,
					   part[i].members };

		span = span_ps(&m, &ended);
		fprintf(f, "job %u: %s\n", i, part[i].text);
		if (span)
			fprintf(f,
				"  %.6f us of virtual time from MPI_Init to "
				"MPI_Finalize\n",
				us(span));
		if (!part[i].background)
			print_missing(&m, ended, f);
		print_calls(&m, span, f);
	}
	print_text(job_page, f);
}
