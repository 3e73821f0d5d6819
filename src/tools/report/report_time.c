/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the timeline: the calls of each rank by time. If a run has more calls
 * than a page can hold, the calls that start within one time slice are
 * merged and named after the longest of them.
 */
#include "src/tools/report/report_part.h"

#include <stdio.h>
#include <stdlib.h>

/* maximum number of calls on a page: about 6 MB */
#define CALLS_MOST    300000u
#define MESSAGES_MOST 100000u
#define COLLS_MOST    20000u

/* A call, or several merged calls. */
struct span {
	uint64_t from, in, longest;
	uint32_t id;
};

static void put_span(struct json *j, const struct span *x, uint64_t *last)
{
	const int64_t row[] = { (int64_t)(x->from - *last), (int64_t)x->in,
				x->id };

	if (!x->in && !x->id)
		return;
	json_ints(j, row, 3);
	*last = x->from;
}

/* Writes the calls of a rank. slice: time slice in ps; 0: do not merge. */
static void put_rank(struct json *j, const struct report *s, uint32_t rank,
		     uint64_t slice)
{
	struct report_walk w = report_walk(s, rank, SHOW(TRACE_CALL));
	const struct trace_event *e;
	struct span x = { 0 };
	uint64_t last = 0;

	json_array(j, NULL);
	while ((e = report_next(&w))) {
		if (e->kind != TRACE_CALL)
			continue;
		if (!slice || !x.id || e->t >= x.from + slice) {
			put_span(j, &x, &last);
			x = (struct span){ e->t, e->span, e->span, e->id };
			continue;
		}
		x.in += e->span;
		if (e->span > x.longest) {
			x.longest = e->span;
			x.id = e->id;
		}
	}
	put_span(j, &x, &last);
	/* open calls last until the end of the run */
	for (uint32_t i = 0; i < s->opens; i++)
		if (s->open[i].rank == rank)
			put_span(j,
				 &(struct span){ .from = s->open[i].t,
						 .in = s->end - s->open[i].t,
						 .id = s->open[i].id },
				 &last);
	json_close(j);
}

/* Writes the names by index; names of calls that were not made are empty. */
static void put_names(struct json *j, const struct report *s)
{
	char name[JOB_PAGE_NAME];
	uint32_t id, last = 0;

	for (id = 1; id < JOB_PAGE_NAMES; id++)
		if (weft_job_page_name(s->job->job_page, id, name))
			last = id;
	json_array(j, "names");
	json_text(j, NULL, "");
	for (id = 1; id <= last; id++)
		json_text(j, NULL, report_name(s, id, name));
	json_close(j);
}

void report_put_time(struct json *j, const struct report *s)
{
	/*
	 * length of a time slice, ps: so long that all calls fit on the page;
	 * 0: calls are not merged
	 */
	uint64_t slice =
		s->calls > CALLS_MOST
			? (s->end - s->begin) / (CALLS_MOST / s->ranks + 1) + 1
			: 0;
	char note[200];

	json_object(j, "time");
	json_int(j, "begin", (int64_t)s->begin);
	json_int(j, "end", (int64_t)s->end);
	if (slice) {
		snprintf(note, sizeof(note),
			 "%llu calls exceed the limit of a page: calls within "
			 "%.3f us are drawn as one, named after the longest.",
			 (unsigned long long)s->calls, (double)slice * 1e-6);
		json_text(j, "note", note);
	}
	put_names(j, s);
	/* an open call is the last call in the row of its rank */
	if (s->opens) {
		json_array(j, "open");
		for (uint32_t i = 0; i < s->opens; i++)
			json_int(j, NULL, s->open[i].rank);
		json_close(j);
	}
	json_array(j, "row");
	for (uint32_t r = 0; r < s->ranks; r++)
		put_rank(j, s, r, slice);
	json_close(j);
	json_close(j);
}

static void put_message(struct json *j, const struct report_message *m)
{
	const int64_t row[] = { m->from, m->to, (int64_t)m->sent,
				(int64_t)m->got, (int64_t)m->bytes };

	json_array(j, NULL);
	json_ints(j, row, 5);
	json_close(j);
}

static void put_coll(struct json *j, const struct report *s,
		     const struct report_coll *c)
{
	char name[JOB_PAGE_NAME];

	json_array(j, NULL);
	json_text(j, NULL, report_name(s, c->id, name));
	json_int(j, NULL, (int64_t)c->first);
	json_int(j, NULL, (int64_t)c->last);
	json_int(j, NULL, c->last_rank);
	json_int(j, NULL, (int64_t)c->end);
	json_int(j, NULL, c->ranks);
	json_close(j);
}

/*
 * Writes messages and collectives; if there are more than the limit, writes
 * only every step-th of them.
 */
void report_put_messages(struct json *j, const struct report *s,
			 const struct report_matched *m)
{
	uint64_t step = m->messages / MESSAGES_MOST + 1;

	json_int(j, "messages_all", (int64_t)(s->sends - s->sync_sends));
	json_array(j, "messages");
	for (uint64_t i = 0; i < m->messages; i += step)
		put_message(j, &m->message[i]);
	json_close(j);
	step = m->colls / COLLS_MOST + 1;
	json_array(j, "collectives");
	for (uint64_t i = 0; i < m->colls; i += step)
		put_coll(j, s, &m->coll[i]);
	json_close(j);
}
