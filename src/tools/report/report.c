/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens a recorded trace, indexes its chunks by rank and iterates over its
 * events; see report.h. mpiexec calls it after the ranks have exited.
 */
#include "src/tools/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_CHUNK UINT64_MAX

/* Returns whether chunk i holds events of a rank of this job. */
static bool is_valid_chunk(const struct report *s, uint64_t i)
{
	const struct trace_chunk *c = weft_trace_chunk(&s->file, i);

	return c->type == TRACE_EVENTS && c->writer < s->ranks &&
	       weft_trace_valid_bytes(&s->file, i);
}

/*
 * Links the chunks of each rank in the order in which they were written. The
 * chunks are visited last to first, because each is inserted at the head.
 */
static void chain_chunks(struct report *s)
{
	for (uint32_t r = 0; r < s->ranks; r++)
		s->first[r] = NO_CHUNK;
	for (int desks = 1; desks >= 0; desks--)
		for (uint64_t i = s->file.chunks; i-- > 0;)
			if (weft_trace_is_buffer(&s->file, i) == desks &&
			    is_valid_chunk(s, i)) {
				uint32_t rank =
					weft_trace_chunk(&s->file, i)->writer;

				s->next[i] = s->first[rank];
				s->first[rank] = i;
			}
}

static bool in_background(const struct report *s, uint32_t rank)
{
	return s->job->background && s->job->background[rank];
}

static void tally_call(const struct report *s, uint32_t rank,
		       const struct trace_event *e)
{
	struct job_page_tally *t;

	if (!s->job->job_page->counted || e->id >= JOB_PAGE_NAMES)
		return;
	t = weft_job_page_call_count(s->job->job_page, rank, e->id);
	/* relaxed: the ranks have exited, there are no other accesses */
	weft_store64_relaxed(&t->count, weft_load64_relaxed(&t->count) + 1);
	weft_store64_relaxed(&t->ps, weft_load64_relaxed(&t->ps) + e->span);
}

static void count_event(struct report *s, uint32_t rank,
			const struct trace_event *e)
{
	s->sends += e->kind == TRACE_SEND;
	s->recvs += e->kind == TRACE_RECV;
	s->sync_sends += e->kind == TRACE_SEND && report_is_sync(e->word);
	s->syncs += e->kind == TRACE_RECV && report_is_sync(e->word);
	if (e->kind != TRACE_CALL)
		return;
	tally_call(s, rank, e);
	s->calls++;
	s->colls += TRACE_IS_COLL(e->word);
	s->accesses += TRACE_IS_ACCESS(e->word);
	if (e->t < s->begin)
		s->begin = e->t;
	if (e->t + e->span > s->end)
		s->end = e->t + e->span;
	if (e->t + e->span > s->last_end && !in_background(s, rank)) {
		s->last_end = e->t + e->span;
		s->last = rank;
	}
}

/* ---- calls that are open at the end of the job --------------------------- */

static bool add_open(struct report *s, uint32_t rank, uint32_t id, uint64_t t)
{
	struct report_open_call *more =
		realloc(s->open, (s->opens + 1) * sizeof(*more));

	if (!more)
		return false;
	s->open = more;
	s->open[s->opens++] = (struct report_open_call){ rank, id, t };
	return true;
}

/*
 * Collects the calls of a chunk that are still open. last: for each rank, the
 * start time of its last completed call. A rank writes the event of a completed
 * call before it clears its entry in open; an entry with that start time is
 * therefore not open.
 */
static bool read_open(struct report *s, const struct trace_chunk *c,
		      const uint64_t *last)
{
	bool good = true;

	for (int i = 0; i < TRACE_THREADS; i++) {
		/* A3 pairs with R3 in note_open(), diag_call.c */
		uint32_t id = weft_load32(&c->open[i].id);
		uint64_t t = weft_load64(&c->open[i].since);

		if (c->counted)
			t = weft_trace_ps(&s->file, t);
		if (id && id < JOB_PAGE_NAMES && t != last[c->writer])
			good &= add_open(s, c->writer, id, t);
	}
	return good;
}

/* Returns the end of the job in ps, which is used as the end of open calls. */
static uint64_t job_end(const struct report *s)
{
	const char *text = report_note(s, "end");
	uint64_t end = s->job->virtual ? 0 : s->file.read_ps;

	if (text)
		end = strtoull(text, NULL, 10);
	for (uint32_t i = 0; i < s->opens; i++)
		if (s->open[i].t > end)
			end = s->open[i].t;
	return end > s->end ? end : s->end;
}

static bool find_open(struct report *s, const uint64_t *last)
{
	bool good = true;

	for (uint64_t i = 0; i < s->file.chunks; i++) {
		const struct trace_chunk *c = weft_trace_chunk(&s->file, i);

		if ((i + 1) * TRACE_CHUNK + TRACE_HEAD <= s->file.bytes &&
		    weft_trace_is_buffer(&s->file, i) &&
		    c->type == TRACE_EVENTS && c->writer < s->ranks)
			good &= read_open(s, c, last);
	}
	return good;
}

/* Adds the open calls to the statistics as calls that end with the job. */
static void count_open(struct report *s)
{
	const struct report_open_call *last = NULL;

	if (!s->opens)
		return;
	s->end = job_end(s);
	for (uint32_t i = 0; i < s->opens; i++) {
		const struct report_open_call *o = &s->open[i];
		const struct trace_event e = { .kind = TRACE_CALL,
					       .t = o->t,
					       .span = s->end - o->t,
					       .id = o->id };

		tally_call(s, o->rank, &e);
		if (!in_background(s, o->rank) && (!last || o->t > last->t))
			last = o;
		if (o->t < s->begin)
			s->begin = o->t;
	}
	/*
	 * the chain of waits starts with the call that was entered last: ranks
	 * in the other open calls wait for a rank that did not reach the
	 * matching call; background jobs end in a call
	 */
	if (last)
		s->last = last->rank;
}

/* Counts the events of a rank, and records the kinds in each chunk. */
static void count_rank(struct report *s, uint32_t rank, uint64_t *last)
{
	const struct trace_event *e;
	struct report_walk w;
	unsigned kinds;

	for (uint64_t i = s->first[rank]; i != NO_CHUNK; i = s->next[i]) {
		w = (struct report_walk){ .s = s,
					  .wanted = REPORT_ALL,
					  .next = i };
		s->kinds[i] = REPORT_ALL;
		kinds = 0;
		for (report_next_chunk(&w); w.left;) {
			e = report_next(&w);
			count_event(s, rank, e);
			kinds |= e->kind < 8 ? SHOW(e->kind) : 0;
			if (e->kind == TRACE_CALL)
				last[rank] = e->t;
			else if (e->kind == TRACE_MORE)
				kinds |= SHOW(TRACE_CALL);
		}
		s->kinds[i] = (uint8_t)kinds;
	}
}

static bool count_all(struct report *s)
{
	uint64_t *last = calloc(s->ranks, sizeof(*last));
	bool good = last != NULL;

	for (uint32_t r = 0; good && r < s->ranks; r++)
		count_rank(s, r, last);
	good = good && find_open(s, last);
	free(last);
	if (good)
		count_open(s);
	return good;
}

int report_open(struct report *s, int fd, const struct report_job *job)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->job = job;
	s->ranks = job->job_page->members;
	s->begin = UINT64_MAX;
	err = weft_trace_read(&s->file, fd);
	if (err)
		return err;
	s->first = calloc(s->ranks, sizeof(*s->first));
	s->next = calloc(s->file.chunks + 1, sizeof(*s->next));
	s->kinds = malloc(s->file.chunks + 1);
	if (!s->first || !s->next || !s->kinds) {
		report_close(s);
		return -ENOMEM;
	}
	chain_chunks(s);
	if (!count_all(s)) {
		report_close(s);
		return -ENOMEM;
	}
	if (s->begin > s->end)
		s->begin = s->end;
	return 0;
}

void report_close(struct report *s)
{
	weft_trace_close(&s->file);
	free(s->first);
	free(s->next);
	free(s->kinds);
	free(s->open);
	memset(s, 0, sizeof(*s));
}

struct report_walk report_walk(const struct report *s, uint32_t rank,
			       unsigned wanted)
{
	return (struct report_walk){ .s = s,
				     .wanted = wanted,
				     .next = s->first[rank] };
}

bool report_next_chunk(struct report_walk *w)
{
	const struct weft_trace_file *f = &w->s->file;

	for (; !w->left; w->next = w->s->next[w->next]) {
		if (w->next == NO_CHUNK)
			return false;
		if (!(w->s->kinds[w->next] & w->wanted))
			continue;
		w->c = weft_trace_chunk(f, w->next);
		w->entry =
			(const void *)((const char *)w->c + TRACE_CHUNK_HEAD);
		w->left =
			weft_trace_valid_bytes(f, w->next) / sizeof(*w->entry);
	}
	return true;
}

const char *report_name(const struct report *s, uint32_t id,
			char name[JOB_PAGE_NAME])
{
	if (!weft_job_page_name(s->job->job_page, id, name))
		strcpy(name, "?");
	return name;
}

const char *report_note(const struct report *s, const char *name)
{
	size_t len = strlen(name), bytes;
	uint64_t at = 0;
	const char *p;

	while ((p = weft_trace_next(&s->file, TRACE_NOTES, TRACE_ALL_WRITERS,
				    &at, &bytes))) {
		const char *end = p + bytes;

		for (; p < end; p += strnlen(p, (size_t)(end - p)) + 1)
			if ((size_t)(end - p) > len && end[-1] == '\0' &&
			    !memcmp(p, name, len) && p[len] == '\t')
				return p + len + 1;
	}
	return NULL;
}
