/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which send belongs to which receive, and who was in a collective together.
 *
 * A tag word names context, sender and tag, and at one receiver it belongs to
 * one sender at a time, whose messages with that word are matched in order: so
 * the n-th arrival of a word at a rank is the n-th send of that word to it.
 * (Of two messages with one word, a short one behind a long one may arrive
 * first; then the two are exchanged here.)
 */
#include "src/show/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST (UINT64_C(8) << 20) /* events that are kept in memory */
#define NONE UINT32_MAX

/* Sends to one rank with one word, oldest first. */
struct key {
	uint64_t word;
	uint32_t to;
	uint32_t head, tail; /* in struct post */
	bool used;
};

struct post {
	uint64_t sent, bytes;
	uint32_t from, next;
};

struct table {
	struct key *key;
	uint64_t mask;
	struct post *post;
	uint32_t posts;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	return x ^ x >> 29;
}

static struct key *find(struct table *t, uint32_t to, uint64_t word)
{
	uint64_t i = mix(word + mix(to)) & t->mask;

	while (t->key[i].used && (t->key[i].word != word || t->key[i].to != to))
		i = (i + 1) & t->mask;
	return &t->key[i];
}

static void add_send(struct table *t, uint32_t from,
		     const struct trace_event *e)
{
	struct key *k = find(t, e->id, e->word);
	struct post *p = &t->post[t->posts];

	*p = (struct post){ e->t, e->span, from, NONE };
	if (!k->used)
		*k = (struct key){ e->word, e->id, NONE, NONE, true };
	if (k->head == NONE)
		k->head = t->posts;
	else
		t->post[k->tail].next = t->posts;
	k->tail = t->posts++;
}

static void add_recv(struct table *t, uint32_t to, const struct trace_event *e,
		     struct show_matched *m)
{
	struct key *k = find(t, to, e->word);
	const struct post *p;

	if (!k->used || k->head == NONE)
		return;
	p = &t->post[k->head];
	k->head = p->next;
	m->message[m->messages++] =
		(struct show_message){ p->from, to, p->sent, e->t, e->span };
}

static void match_messages(const struct show *s, struct table *t,
			   struct show_matched *m)
{
	const struct trace_event *e;
	struct show_walk w;

	for (uint32_t r = 0; r < s->ranks; r++)
		for (w = show_walk(s, r); (e = show_next(&w));)
			if (e->kind == TRACE_SEND)
				add_send(t, r, e);
	for (uint32_t r = 0; r < s->ranks; r++)
		for (w = show_walk(s, r); (e = show_next(&w));)
			if (e->kind == TRACE_RECV)
				add_recv(t, r, e, m);
}

/* ---- collectives --------------------------------------------------------- */

static int by_word(const void *a, const void *b)
{
	const struct show_coll *x = a, *y = b;

	return x->word < y->word ? -1 : x->word > y->word;
}

/* One entry for each call; merged below. */
static void list_colls(const struct show *s, struct show_matched *m)
{
	const struct trace_event *e;
	struct show_walk w;

	for (uint32_t r = 0; r < s->ranks; r++)
		for (w = show_walk(s, r); (e = show_next(&w));)
			if (e->kind == TRACE_CALL && TRACE_IS_COLL(e->word))
				m->coll[m->colls++] = (struct show_coll){
					e->word, e->t, e->t, e->t + e->span,
					r,	 1,    e->id
				};
}

static void merge(struct show_coll *to, const struct show_coll *c)
{
	if (c->first < to->first)
		to->first = c->first;
	if (c->last > to->last) {
		to->last = c->last;
		to->last_rank = c->last_rank;
	}
	if (c->end > to->end)
		to->end = c->end;
	to->ranks++;
}

static void merge_colls(struct show_matched *m)
{
	uint64_t n = 0;

	qsort(m->coll, m->colls, sizeof(*m->coll), by_word);
	for (uint64_t i = 0; i < m->colls; i++)
		if (n && m->coll[n - 1].word == m->coll[i].word)
			merge(&m->coll[n - 1], &m->coll[i]);
		else
			m->coll[n++] = m->coll[i];
	m->colls = n;
}

const struct show_coll *show_coll_of(const struct show_matched *m,
				     uint64_t word)
{
	const struct show_coll key = { .word = word };

	return m->colls ? bsearch(&key, m->coll, m->colls, sizeof(key), by_word)
			: NULL;
}

/* -------------------------------------------------------------------------- */

static uint64_t power_above(uint64_t n)
{
	uint64_t p = 64;

	while (p < 2 * n)
		p *= 2;
	return p;
}

int show_match(const struct show *s, struct show_matched *m)
{
	struct table t = { .mask = power_above(s->sends) - 1 };

	memset(m, 0, sizeof(*m));
	if (s->sends > MOST || s->recvs > MOST || s->calls > MOST)
		return 0;
	t.key = calloc(t.mask + 1, sizeof(*t.key));
	t.post = calloc(s->sends + 1, sizeof(*t.post));
	m->message = calloc(s->recvs + 1, sizeof(*m->message));
	m->coll = calloc(s->calls + 1, sizeof(*m->coll));
	if (t.key && t.post && m->message && m->coll) {
		match_messages(s, &t, m);
		list_colls(s, m);
		merge_colls(m);
		m->all = true;
	}
	free(t.key);
	free(t.post);
	return m->all ? 0 : -ENOMEM;
}

void show_match_free(struct show_matched *m)
{
	free(m->message);
	free(m->coll);
	memset(m, 0, sizeof(*m));
}
