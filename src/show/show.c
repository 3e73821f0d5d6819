/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding one's way in a trace, see show.h. */
#include "src/show/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_CHUNK UINT64_MAX

/* Ranks write events; a chunk that says otherwise is left out. */
static bool is_good(const struct show *s, uint64_t i)
{
	const struct trace_chunk *c = weft_trace_chunk(&s->file, i);

	return c->type == TRACE_EVENTS && c->writer < s->ranks &&
	       weft_trace_used(&s->file, i);
}

static void chain_before(struct show *s, uint64_t i)
{
	uint32_t rank = weft_trace_chunk(&s->file, i)->writer;

	s->next[i] = s->first[rank];
	s->first[rank] = i;
}

/* Chains the chunks of each rank, last to first, so that first is first. */
static void chain(struct show *s)
{
	for (uint32_t r = 0; r < s->ranks; r++)
		s->first[r] = NO_CHUNK;
	for (int desks = 1; desks >= 0; desks--)
		for (uint64_t i = s->file.chunks; i-- > 0;)
			if (weft_trace_is_desk(&s->file, i) == desks &&
			    is_good(s, i))
				chain_before(s, i);
}

static void tally(const struct show *s, uint32_t rank,
		  const struct trace_event *e)
{
	struct roll_tally *t;

	if (!s->job->roll->counted || e->id >= ROLL_NAMES)
		return;
	t = weft_roll_tally(s->job->roll, rank, e->id);
	/* relaxed: the ranks are gone */
	weft_store64_relaxed(&t->count, weft_load64_relaxed(&t->count) + 1);
	weft_store64_relaxed(&t->ps, weft_load64_relaxed(&t->ps) + e->span);
}

static void count(struct show *s, uint32_t rank, const struct trace_event *e)
{
	s->sends += e->kind == TRACE_SEND;
	s->recvs += e->kind == TRACE_RECV;
	if (e->kind != TRACE_CALL)
		return;
	tally(s, rank, e);
	s->calls++;
	s->colls += TRACE_IS_COLL(e->word);
	s->reaches += TRACE_IS_REACH(e->word);
	if (e->t < s->begin)
		s->begin = e->t;
	if (e->t + e->span > s->end) {
		s->end = e->t + e->span;
		s->last = rank;
	}
}

int show_open(struct show *s, int fd, const struct show_job *job)
{
	const struct trace_event *e;
	struct show_walk w;
	int err;

	memset(s, 0, sizeof(*s));
	s->job = job;
	s->ranks = job->roll->members;
	s->begin = UINT64_MAX;
	err = weft_trace_read(&s->file, fd);
	if (err)
		return err;
	s->first = calloc(s->ranks, sizeof(*s->first));
	s->next = calloc(s->file.chunks + 1, sizeof(*s->next));
	if (!s->first || !s->next) {
		show_close(s);
		return -ENOMEM;
	}
	chain(s);
	for (uint32_t r = 0; r < s->ranks; r++)
		for (w = show_walk(s, r); (e = show_next(&w));)
			count(s, r, e);
	if (s->begin > s->end)
		s->begin = s->end;
	return 0;
}

void show_close(struct show *s)
{
	weft_trace_close(&s->file);
	free(s->first);
	free(s->next);
	memset(s, 0, sizeof(*s));
}

struct show_walk show_walk(const struct show *s, uint32_t rank)
{
	return (struct show_walk){ .s = s, .next = s->first[rank] };
}

static bool next_chunk(struct show_walk *w)
{
	const struct weft_trace_file *f = &w->s->file;

	while (!w->left) {
		if (w->next == NO_CHUNK)
			return false;
		w->c = weft_trace_chunk(f, w->next);
		w->at = (const void *)((const char *)w->c + TRACE_CHUNK_HEAD);
		w->left = weft_trace_used(f, w->next) / sizeof(*w->at);
		w->next = w->s->next[w->next];
	}
	return true;
}

const struct trace_event *show_next(struct show_walk *w)
{
	if (!w->left && !next_chunk(w))
		return NULL;
	w->left--;
	w->e = weft_trace_get(&w->s->file, w->c, w->at++);
	return &w->e;
}

const char *show_name(const struct show *s, uint32_t id, char name[ROLL_NAME])
{
	if (!weft_roll_name(s->job->roll, id, name))
		strcpy(name, "?");
	return name;
}

const char *show_note(const struct show *s, const char *name)
{
	size_t len = strlen(name), bytes;
	uint64_t at = 0;
	const char *p;

	while ((p = weft_trace_next(&s->file, TRACE_NOTES, TRACE_ANYBODY, &at,
				    &bytes))) {
		const char *end = p + bytes;

		for (; p < end; p += strnlen(p, (size_t)(end - p)) + 1)
			if ((size_t)(end - p) > len && end[-1] == '\0' &&
			    !memcmp(p, name, len) && p[len] == '\t')
				return p + len + 1;
	}
	return NULL;
}
