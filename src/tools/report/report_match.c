/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matches sends with receives, and groups the calls of ranks into collectives.
 *
 * A tag word encodes context, sender and tag. Messages with the same tag word
 * to one rank have the same sender and are matched in order: the n-th arrival
 * is the n-th send. (If a short message overtakes a long one with the same tag
 * word, the two are interchanged here.)
 */
#include "src/tools/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST (UINT64_C(8) << 20) /* maximum number of events */
#define NONE UINT32_MAX

/* Queue of the sends with one tag word to one rank, oldest first. */
struct key {
	uint64_t word;
	uint32_t to;
	uint32_t head, tail; /* indices of struct post, oldest and newest */
	/* index of the next send whose completion has not been read */
	uint32_t done;
	bool used;
};

struct post {
	uint64_t sent, bytes, done;
	uint32_t from, next;
	bool later; /* whether the completion is a separate event */
};

struct table {
	struct key *key;
	uint64_t mask;
	struct post *post;
	uint32_t posts;
};

static uint64_t hash_word(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	return x ^ x >> 29;
}

static struct key *match_find(struct table *t, uint32_t to, uint64_t word)
{
	uint64_t i = hash_word(word + hash_word(to)) & t->mask;

	while (t->key[i].used && (t->key[i].word != word || t->key[i].to != to))
		i = (i + 1) & t->mask;
	return &t->key[i];
}

static void add_send(struct table *t, uint32_t from,
		     const struct trace_event *e)
{
	struct key *k = match_find(t, e->id, e->word);
	struct post *p = &t->post[t->posts];

	*p = (struct post){ e->t, e->size, 0, from, NONE, e->later };
	if (!k->used)
		*k = (struct key){ e->word, e->id, NONE, NONE, NONE, true };
	if (k->done == NONE)
		k->done = t->posts;
	if (k->head == NONE)
		k->head = t->posts;
	else
		t->post[k->tail].next = t->posts;
	k->tail = t->posts++;
}

/*
 * Records a completion: the n-th completion belongs to the n-th send that has a
 * separate completion.
 */
static void add_done(struct table *t, const struct trace_event *e)
{
	struct key *k = match_find(t, e->id, e->word);

	while (k->used && k->done != NONE && !t->post[k->done].later)
		k->done = t->post[k->done].next;
	if (!k->used || k->done == NONE)
		return;
	t->post[k->done].done = e->t;
	k->done = t->post[k->done].next;
}

static void add_recv(struct table *t, uint32_t to, const struct trace_event *e,
		     struct report_matched *m)
{
	struct key *k = match_find(t, to, e->word);
	const struct post *p;
	struct report_message *x;

	if (!k->used || k->head == NONE)
		return;
	p = &t->post[k->head];
	k->head = p->next;
	x = report_is_sync(e->word) ? &m->sync[m->syncs++]
				    : &m->message[m->messages++];
	*x = (struct report_message){ .from = p->from,
				      .to = to,
				      .sent = p->sent,
				      .got = e->t,
				      .bytes = p->bytes,
				      .posted = e->span ? e->t - e->span : 0,
				      .done = p->done,
				      .word = e->word };
}

static void match_messages(const struct report *s, struct table *t,
			   struct report_matched *m)
{
	const struct trace_event *e;
	struct report_walk w;

	if (!s->sends || !s->recvs)
		return;
	for (uint32_t r = 0; r < s->ranks; r++)
		for (w = report_walk(s, r, SHOW(TRACE_SEND));
		     (e = report_next(&w));)
			if (e->kind == TRACE_SEND)
				add_send(t, r, e);
	for (uint32_t r = 0; r < s->ranks; r++)
		for (w = report_walk(s, r, SHOW(TRACE_DONE));
		     (e = report_next(&w));)
			if (e->kind == TRACE_DONE)
				add_done(t, e);
	for (uint32_t r = 0; r < s->ranks; r++)
		for (w = report_walk(s, r, SHOW(TRACE_RECV));
		     (e = report_next(&w));)
			if (e->kind == TRACE_RECV)
				add_recv(t, r, e, m);
}

/*
 * Fills in missing post times: a receive that was posted by the call in which
 * it completed was posted at the start of that call. i: first message of the
 * rank. Returns the first message of the next rank.
 */
static uint64_t fill_posts(const struct report *s, struct report_matched *m,
			   uint32_t rank, uint64_t i)
{
	struct report_walk w = report_walk(s, rank, SHOW(TRACE_CALL));
	const struct trace_event *e = report_next(&w);

	for (; i < m->messages && m->message[i].to == rank; i++) {
		struct report_message *x = &m->message[i];

		while (e && (e->kind != TRACE_CALL || e->t + e->span < x->got))
			e = report_next(&w);
		if (!x->posted && e && e->t <= x->got)
			x->posted = e->t;
	}
	return i;
}

/* ---- collectives --------------------------------------------------------- */

/* Returns the hash table entry of a tag word, or the free entry for it. */
static uint32_t *entry_of(const struct report_matched *m, uint64_t word)
{
	uint64_t i = hash_word(word) & m->mask;

	while (m->index[i] != NONE && m->coll[m->index[i]].word != word)
		i = (i + 1) & m->mask;
	return &m->index[i];
}

/* Doubles the hash table. Returns false if out of memory. */
static bool grow_table(struct report_matched *m)
{
	uint64_t room = m->index ? 2 * (m->mask + 1) : 1024;
	void *index = realloc(m->index, room * sizeof(*m->index));
	void *coll = realloc(m->coll, room / 2 * sizeof(*m->coll));

	if (index)
		m->index = index;
	if (coll)
		m->coll = coll;
	if (!index || !coll)
		return false;
	m->mask = room - 1;
	memset(m->index, 0xff, room * sizeof(*m->index));
	for (uint32_t i = 0; i < m->colls; i++)
		*entry_of(m, m->coll[i].word) = i;
	return true;
}

static void coll_add_rank(struct report_coll *c, uint32_t rank,
			  const struct trace_event *e)
{
	if (e->t < c->first)
		c->first = e->t;
	if (e->t > c->last) {
		c->last = e->t;
		c->last_rank = rank;
	}
	if (e->t + e->span > c->end)
		c->end = e->t + e->span;
	c->ranks++;
	if (e->root && e->root_rank == rank) {
		c->root = rank;
		c->root_in = e->t;
	}
}

/*
 * Adds a rank's call to its collective. guess: probable index of the
 * collective, since ranks mostly call collectives in the same order.
 */
static bool add_coll(struct report_matched *m, uint32_t rank,
		     const struct trace_event *e, uint32_t *guess)
{
	uint32_t *at = guess;

	if (*guess >= m->colls || m->coll[*guess].word != e->word)
		at = entry_of(m, e->word);
	if (*at != NONE) {
		*guess = *at;
		coll_add_rank(&m->coll[(*guess)++], rank, e);
		return true;
	}
	*at = (uint32_t)m->colls;
	m->coll[m->colls++] = (struct report_coll){
		.word = e->word,
		.first = e->t,
		.last = e->t,
		.last_rank = rank,
		.id = e->id,
		.root = REPORT_NO_RANK,
	};
	coll_add_rank(&m->coll[*at], rank, e);
	*guess = (uint32_t)m->colls;
	return m->colls < (m->mask + 1) / 2 || grow_table(m);
}

static bool match_colls(const struct report *s, struct report_matched *m)
{
	const struct trace_event *e;
	struct report_walk w;
	bool good = grow_table(m);

	for (uint32_t r = 0; good && s->colls && r < s->ranks; r++) {
		uint32_t guess = 0;

		w = report_walk(s, r, SHOW(TRACE_CALL));
		while (good && (e = report_next(&w)))
			if (e->kind == TRACE_CALL && TRACE_IS_COLL(e->word))
				good = add_coll(m, r, e, &guess);
	}
	return good;
}

const struct report_coll *report_coll_of(const struct report_matched *m,
					 uint64_t word,
					 const struct report_coll *last)
{
	uint32_t i;

	if (last && last + 1 < m->coll + m->colls && last[1].word == word)
		return last + 1;
	i = m->index ? *entry_of(m, word) : NONE;
	return i == NONE ? NULL : &m->coll[i];
}

/* ---- interface ----------------------------------------------------------- */

static uint64_t power_above(uint64_t n)
{
	uint64_t p = 64;

	while (p < 2 * n)
		p *= 2;
	return p;
}

int report_match(const struct report *s, struct report_matched *m)
{
	struct table t = { .mask = power_above(s->sends) - 1 };
	uint64_t i = 0;

	memset(m, 0, sizeof(*m));
	if (s->sends > MOST || s->recvs > MOST || s->calls > MOST)
		return 0;
	t.key = calloc(t.mask + 1, sizeof(*t.key));
	t.post = calloc(s->sends + 1, sizeof(*t.post));
	m->message = calloc(s->recvs + 1, sizeof(*m->message));
	m->sync = calloc(s->syncs + 1, sizeof(*m->sync));
	if (t.key && t.post && m->message && m->sync) {
		match_messages(s, &t, m);
		for (uint32_t r = 0; r < s->ranks && i < m->messages; r++)
			i = fill_posts(s, m, r, i);
		m->all = true;
	}
	free(t.key);
	free(t.post);
	return m->all ? 0 : -ENOMEM;
}

int report_match_colls(const struct report *s, struct report_matched *m)
{
	return !m->all || match_colls(s, m) ? 0 : -ENOMEM;
}

void report_match_free(struct report_matched *m)
{
	free(m->message);
	free(m->sync);
	free(m->coll);
	free(m->index);
	memset(m, 0, sizeof(*m));
}
