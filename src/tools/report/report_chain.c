/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The longest chain of waits, followed backwards from the last end of a call.
 * Where a rank waited for another rank (report_wait.c), the chain continues
 * with that rank, at the time of the event that ended the wait; elsewhere it
 * continues with the rank's own work. The parts cover the run from its end to
 * its start without gaps, so their times add up to the duration of the run.
 */
#include "src/tools/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT64_MAX

struct chain {
	const struct report *s;
	const struct report_wait_result *w;
	struct report_chain *out;
	uint64_t room;
	uint64_t *first; /* by rank: first link in which the rank works */
	/* by link: next link in which the same rank works */
	uint64_t *next;
};

/* Returns the last wait of a rank that ended no later than t; NULL: none. */
static const struct report_wait *last_wait(const struct report_waits *w,
					   uint64_t t)
{
	uint64_t low = 0, high = w->count;

	while (low < high) {
		uint64_t mid = (low + high) / 2;

		if (w->wait[mid].to <= t)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &w->wait[low - 1] : NULL;
}

static bool chain_add(struct chain *c, struct report_link x)
{
	struct report_chain *out = c->out;
	struct report_link *link = out->link;
	uint64_t *next = c->next;

	if (out->links == c->room) {
		c->room = c->room ? 2 * c->room : 256;
		link = realloc(link, c->room * sizeof(*link));
		if (link)
			out->link = link;
		next = realloc(next, c->room * sizeof(*next));
		if (next)
			c->next = next;
		if (!link || !next)
			return false;
	}
	if (x.via == REPORT_OWN) {
		c->next[out->links] = c->first[x.rank];
		c->first[x.rank] = out->links;
	} else {
		out->by_call[x.id < JOB_PAGE_NAMES ? x.id : 0][x.via] +=
			x.to - x.from;
	}
	out->link[out->links++] = x;
	return true;
}

static bool add_own(struct chain *c, uint32_t rank, uint64_t from, uint64_t to)
{
	c->out->by_rank[rank] += to - from;
	return from == to ||
	       chain_add(c, (struct report_link){ .rank = rank,
						  .other = rank,
						  .via = REPORT_OWN,
						  .from = from,
						  .to = to });
}

/*
 * Follows the chain from the end of the run to its start. Times before the
 * first call, which can result from different clocks of several hosts, are
 * clipped.
 */
static bool follow_chain(struct chain *c)
{
	const struct report *s = c->s;
	uint64_t t = s->end;
	uint32_t r = s->last;
	bool good = true;

	while (good && t > s->begin) {
		const struct report_wait *x = last_wait(&c->w->rank[r], t);
		uint64_t from;

		if (!x || x->to <= s->begin)
			return add_own(c, r, s->begin, t);
		from = x->from > s->begin ? x->from : s->begin;
		good = add_own(c, r, x->to, t) &&
		       chain_add(c, (struct report_link){ .rank = r,
							  .other = x->other,
							  .peer = x->peer,
							  .id = x->id,
							  .via = x->via,
							  .from = from,
							  .to = x->to });
		r = x->other;
		t = from;
	}
	return good;
}

/* ---- own work by call ---------------------------------------------------- */

/* Attributes the time that a call and a link have in common to the call. */
static void attribute_call(struct chain *c, struct report_link *x,
			   uint64_t from, uint64_t to, uint32_t id)
{
	if (from < x->from)
		from = x->from;
	if (to > x->to)
		to = x->to;
	if (from >= to)
		return;
	x->outside -= to - from;
	c->out->outside -= to - from;
	c->out->by_call[id < JOB_PAGE_NAMES ? id : 0][REPORT_OWN] += to - from;
}

/*
 * Attributes a rank's links to its calls; both are sorted by time. Calls of
 * several threads overlap; such time is attributed only once.
 */
static void attribute_rank(struct chain *c, uint32_t rank)
{
	struct report_walk w = report_walk(c->s, rank, SHOW(TRACE_CALL));
	uint64_t at = c->first[rank], counted = 0;
	const struct trace_event *e;

	while (at != NONE && (e = report_next(&w))) {
		uint64_t from = e->t > counted ? e->t : counted;
		uint64_t to = e->t + e->span;

		if (e->kind != TRACE_CALL || to <= from)
			continue;
		while (at != NONE && c->out->link[at].to <= from)
			at = c->next[at];
		for (uint64_t i = at; i != NONE && c->out->link[i].from < to;
		     i = c->next[i])
			attribute_call(c, &c->out->link[i], from, to, e->id);
		counted = to;
	}
}

static void attribute_all(struct chain *c)
{
	for (uint64_t i = 0; i < c->out->links; i++) {
		struct report_link *x = &c->out->link[i];

		x->outside = x->via == REPORT_OWN ? x->to - x->from : 0;
		c->out->outside += x->outside;
	}
	for (uint32_t r = 0; r < c->s->ranks; r++)
		if (c->first[r] != NONE)
			attribute_rank(c, r);
}

int report_chain(const struct report *s, const struct report_wait_result *w,
		 struct report_chain *out)
{
	struct chain c = { .s = s, .w = w, .out = out };
	bool good;

	memset(out, 0, sizeof(*out));
	out->by_call = calloc(JOB_PAGE_NAMES, sizeof(*out->by_call));
	out->by_rank = calloc(s->ranks, sizeof(*out->by_rank));
	c.first = malloc(s->ranks * sizeof(*c.first));
	good = out->by_call && out->by_rank && c.first;
	if (good) {
		memset(c.first, 0xff, s->ranks * sizeof(*c.first));
		good = follow_chain(&c);
	}
	if (good)
		attribute_all(&c);
	else
		report_chain_free(out);
	free(c.first);
	free(c.next);
	return good ? 0 : -ENOMEM;
}

void report_chain_free(struct report_chain *c)
{
	free(c->link);
	free(c->by_call);
	free(c->by_rank);
	memset(c, 0, sizeof(*c));
}
