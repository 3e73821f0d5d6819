/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The longest chain of waits: from the last end of a call back in time. Where
 * the rank was kept waiting, by a message that was sent after it had begun to
 * wait, or by a collective that another came to last, the chain goes on with
 * the one it waited for; else it goes on with what the rank did before.
 */
#include "src/show/show.h"

#include <stdlib.h>

/* A place where a rank was kept: until when, by whom, and since when. */
struct wait {
	uint64_t to, from;
	uint32_t other;
	uint32_t id; /* of a collective */
};

struct waits {
	struct wait *at;
	uint64_t count, room;
};

/* Without memory the chain has fewer links. */
static void push(struct waits *list, struct wait x)
{
	uint64_t room = list->room ? 2 * list->room : 256;
	struct wait *at;

	if (list->count == list->room) {
		at = realloc(list->at, room * sizeof(*at));
		if (!at)
			return;
		list->at = at;
		list->room = room;
	}
	list->at[list->count++] = x;
}

/* When the call began that a rank was in at a time; times only rise. */
static uint64_t begin_of(uint64_t t, struct show_walk *w,
			 const struct trace_event **e)
{
	while (*e && ((*e)->kind != TRACE_CALL || (*e)->t + (*e)->span < t))
		*e = show_next(w);
	return *e && (*e)->t <= t ? (*e)->t : t;
}

/* Messages of one rank that it waited for; m lists them by receiver. */
static void add_messages(const struct show *s, uint32_t rank,
			 const struct show_matched *m, uint64_t i,
			 struct waits *list)
{
	struct show_walk w = show_walk(s, rank);
	const struct trace_event *e = show_next(&w);

	for (; i < m->messages && m->message[i].to == rank; i++) {
		const struct show_message *x = &m->message[i];
		uint64_t begin = begin_of(x->got, &w, &e);

		if (x->sent > begin && x->sent < x->got && x->from != rank)
			push(list,
			     (struct wait){ x->got, x->sent, x->from, 0 });
	}
}

static void add_colls(const struct show *s, uint32_t rank,
		      const struct show_matched *m, struct waits *list)
{
	struct show_walk w = show_walk(s, rank);
	const struct trace_event *e;
	const struct show_coll *c = NULL;

	while ((e = show_next(&w))) {
		if (e->kind != TRACE_CALL || !TRACE_IS_COLL(e->word))
			continue;
		c = show_coll_of(m, e->word, c);
		if (c && c->last_rank != rank && c->last > e->t &&
		    c->last < e->t + e->span)
			push(list, (struct wait){ e->t + e->span, c->last,
						  c->last_rank, e->id });
	}
}

static int by_end(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

/* Of one thread and one kind they come so. */
static void sort(struct waits *w)
{
	for (uint64_t i = 1; i < w->count; i++)
		if (w->at[i].to < w->at[i - 1].to) {
			qsort(w->at, w->count, sizeof(*w->at), by_end);
			return;
		}
}

/* All waits of all ranks, those of a rank by their end. */
static struct waits *gather(const struct show *s, const struct show_matched *m)
{
	struct waits *w = calloc(s->ranks, sizeof(*w));
	uint64_t i = 0, next;

	for (uint32_t r = 0; w && r < s->ranks; r++, i = next) {
		for (next = i; next < m->messages && m->message[next].to == r;)
			next++;
		if (next > i)
			add_messages(s, r, m, i, &w[r]);
		if (s->colls)
			add_colls(s, r, m, &w[r]);
		sort(&w[r]);
	}
	return w;
}

/* The last wait of a rank that ended by t; NULL: none. */
static const struct wait *last_wait(const struct waits *w, uint64_t t)
{
	uint64_t low = 0, high = w->count;

	while (low < high) {
		uint64_t mid = (low + high) / 2;

		if (w->at[mid].to <= t)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &w->at[low - 1] : NULL;
}

unsigned show_chain(const struct show *s, const struct show_matched *m,
		    struct show_link *link, unsigned room)
{
	struct waits *w = m->all ? gather(s, m) : NULL;
	unsigned n = 0;
	uint64_t t = s->end;
	uint32_t r = s->last;

	while (w && n + 2 <= room && t > s->begin) {
		const struct wait *x = last_wait(&w[r], t);
		uint64_t from = x ? x->to : s->begin;

		if (from < t)
			link[n++] =
				(struct show_link){ r, r, from, t, 0, false };
		if (!x)
			break;
		link[n++] = (struct show_link){ r,     x->other, x->from,
						x->to, x->id,	 !x->id };
		r = x->other;
		t = x->from;
	}
	for (uint32_t i = 0; w && i < s->ranks; i++)
		free(w[i].at);
	free(w);
	return n;
}
