/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matching by classes. Receives that compare the same parts of (source, tag)
 * form a class. Two receives of a class either have the same key or can never
 * match the same message, so a hash finds the oldest one. A message is looked
 * up once per class in use (one or two in practice), and the oldest candidate
 * is used. Unexpected messages are also hashed per class, but only after the
 * first receive that had to search beyond the front of the queue.
 */
#include "prov/match/match.h"

#include "src/base/hash.h"
#include "src/base/must.h"

#include <stdlib.h>

/* receive without a class: all classes are in use */
#define CLS_UNHASHED 0xfe
#define MIN_CELLS    64

static uint64_t class_key(const struct weft_match_class *c, uint32_t src,
			  uint64_t tag)
{
	uint64_t key = weft_hash_mix(tag & ~c->ignore);

	return c->any_src ? key : weft_hash_mix(key + src + 1);
}

static struct weft_list *table_make(uint64_t cells)
{
	struct weft_list *t = malloc(cells * sizeof(*t));
	uint64_t i;

	for (i = 0; t && i < cells; i++)
		weft_list_init(&t[i]);
	return t;
}

void weft_match_init(struct weft_match *m)
{
	*m = (struct weft_match){ .seq = 1, .unhashed_first = &m->posted };
	weft_list_init(&m->posted);
	weft_list_init(&m->msgs);
	weft_list_init(&m->unhashed);
}

void weft_match_fini(struct weft_match *m)
{
	unsigned i;

	for (i = 0; i < m->classes; i++) {
		free(m->cls[i].posted);
		free(m->cls[i].msgs);
	}
	m->classes = 0;
}

/* ---- classes ------------------------------------------------------------- */

static bool class_open(struct weft_match_class *c, uint32_t any_src,
		       uint64_t ignore)
{
	if (!c->posted)
		c->posted = table_make(MIN_CELLS);
	if (!c->posted)
		return false;
	if (!c->posted_mask)
		c->posted_mask = MIN_CELLS - 1;
	c->any_src = any_src;
	c->ignore = ignore;
	return true;
}

/*
 * Returns the class of a receive: existing, new or reused; NULL: all classes
 * are in use.
 */
static struct weft_match_class *class_find(struct weft_match *m,
					   const struct weft_match_recv *r)
{
	uint32_t any_src = r->src == WEFT_MATCH_ANY;
	struct weft_match_class *c, *idle = NULL;
	unsigned i;

	for (i = 0; i < m->classes; i++) {
		c = &m->cls[i];
		if (c->any_src == any_src && c->ignore == r->ignore)
			return c;
		if (!c->posted_used && !c->indexed)
			idle = c;
	}
	if (!idle && m->classes < WEFT_MATCH_CLASSES)
		idle = &m->cls[m->classes];
	if (!idle || !class_open(idle, any_src, r->ignore))
		return NULL;
	if (idle == &m->cls[m->classes])
		m->classes++;
	return idle;
}

/* Like class_find(), with a fast path for the class of the previous receive. */
static inline struct weft_match_class *class_of(struct weft_match *m,
						const struct weft_match_recv *r)
{
	struct weft_match_class *c = m->last;

	if (weft_likely(c && c->ignore == r->ignore &&
			c->any_src == (r->src == WEFT_MATCH_ANY)))
		return c;
	c = class_find(m, r);
	m->last = c;
	return c;
}

/* ---- posted receives ----------------------------------------------------- */

/*
 * Doubles the buckets. Entries of bucket i move to i and i + half, in order, so
 * every bucket stays sorted by age.
 */
static void posted_grow(struct weft_match_class *c)
{
	uint64_t half = c->posted_mask + 1, i;
	struct weft_list *t = table_make(2 * half), *n;
	struct weft_match_recv *r;

	if (!t)
		return;
	for (i = 0; i < half; i++) {
		while ((n = weft_list_pop_front(&c->posted[i]))) {
			r = weft_container_of(n, struct weft_match_recv, chain);
			weft_list_push_back(&t[class_key(c, r->src, r->tag) &
					       (2 * half - 1)],
					    n);
		}
	}
	free(c->posted);
	c->posted = t;
	c->posted_mask = 2 * half - 1;
}

static void posted_hash(struct weft_match *m, struct weft_match_recv *r)
{
	struct weft_match_class *c = class_of(m, r);

	if (!c) {
		r->cls = CLS_UNHASHED;
		weft_list_push_back(&m->unhashed, &r->chain);
		return;
	}
	if (c->posted_used++ > c->posted_mask)
		posted_grow(c);
	r->cls = (uint8_t)(c - m->cls);
	weft_list_push_back(
		&c->posted[class_key(c, r->src, r->tag) & c->posted_mask],
		&r->chain);
}

/* Hashes all receives posted beyond the front since the last call. */
static void posted_hash_fresh(struct weft_match *m)
{
	for (; m->unhashed_first != &m->posted;
	     m->unhashed_first = m->unhashed_first->next)
		posted_hash(m,
			    weft_container_of(m->unhashed_first,
					      struct weft_match_recv, order));
}

void weft_match_unhash(struct weft_match *m, struct weft_match_recv *r)
{
	weft_list_remove(&r->chain);
	if (r->cls == CLS_UNHASHED)
		return;
	WEFT_ASSERT(m->cls[r->cls].posted_used);
	m->cls[r->cls].posted_used--;
}

/* Returns the first match in a list linked by the field `chain`, or NULL. */
static struct weft_match_recv *chain_first(struct weft_list *l, uint32_t src,
					   uint64_t tag)
{
	struct weft_match_recv *r;
	struct weft_list *n;

	for (n = l->next; n != l; n = n->next) {
		r = weft_container_of(n, struct weft_match_recv, chain);
		if (weft_match_fits(r, src, tag))
			return r;
	}
	return NULL;
}

static struct weft_match_recv *older(struct weft_match_recv *a,
				     struct weft_match_recv *b)
{
	if (!a || !b)
		return a ? a : b;
	return a->seq < b->seq ? a : b;
}

struct weft_match_recv *weft_match_find_posted(struct weft_match *m,
					       uint32_t src, uint64_t tag)
{
	struct weft_match_recv *r, *best;
	struct weft_match_class *c;
	struct weft_list *n = m->posted.next;
	uint64_t key;
	unsigned i;

	for (i = 0; i < WEFT_MATCH_FRONT && n != &m->posted; i++, n = n->next) {
		r = weft_container_of(n, struct weft_match_recv, order);
		if (weft_match_fits(r, src, tag))
			return r;
	}
	if (n == &m->posted)
		return NULL;
	posted_hash_fresh(m);
	best = chain_first(&m->unhashed, src, tag);
	for (i = 0; i < m->classes; i++) {
		c = &m->cls[i];
		if (!c->posted_used)
			continue;
		key = class_key(c, src, tag);
		r = chain_first(&c->posted[key & c->posted_mask], src, tag);
		best = older(best, r);
	}
	return best;
}

/* ---- unexpected messages ------------------------------------------------- */

static void msg_index(struct weft_match *m, struct weft_match_class *c,
		      struct weft_match_msg *u)
{
	uint64_t key = class_key(c, u->src, u->tag);

	weft_list_push_back(&c->msgs[key & c->msgs_mask],
			    &u->chain[c - m->cls]);
}

/*
 * Hashes all messages in class c, in a table of suitable size. Returns false if
 * out of memory.
 */
static bool msgs_index(struct weft_match *m, struct weft_match_class *c)
{
	uint64_t cells = MIN_CELLS;
	struct weft_match_msg *u;
	struct weft_list *t, *n;

	while (cells < 2 * m->msgs_used)
		cells *= 2;
	t = table_make(cells);
	if (!t)
		return false;
	free(c->msgs);
	c->msgs = t;
	c->msgs_mask = cells - 1;
	c->indexed = 1;
	for (n = m->msgs.next; n != &m->msgs; n = n->next) {
		u = weft_container_of(n, struct weft_match_msg, order);
		weft_list_init(&u->chain[c - m->cls]);
		msg_index(m, c, u);
	}
	return true;
}

void weft_match_add(struct weft_match *m, struct weft_match_msg *u)
{
	struct weft_match_class *c;
	unsigned i;

	u->seq = m->seq++;
	u->queued = 1;
	weft_list_push_back(&m->msgs, &u->order);
	m->msgs_used++;
	for (i = 0; i < WEFT_MATCH_CLASSES; i++) {
		c = &m->cls[i];
		weft_list_init(&u->chain[i]);
		if (!c->indexed)
			continue;
		msg_index(m, c, u);
		if (m->msgs_used > 4 * c->msgs_mask)
			msgs_index(m, c);
	}
}

void weft_match_remove(struct weft_match *m, struct weft_match_msg *u)
{
	unsigned i;

	if (!u->queued)
		return;
	u->queued = 0;
	weft_list_remove(&u->order);
	for (i = 0; i < m->classes; i++)
		weft_list_remove(&u->chain[i]);
	if (--m->msgs_used)
		return;
	for (i = 0; i < m->classes; i++)
		m->cls[i].indexed = 0;
}

static struct weft_match_msg *
msgs_walk(struct weft_match *m, const struct weft_match_recv *r, uint64_t count)
{
	struct weft_match_msg *u;
	struct weft_list *n;

	for (n = m->msgs.next; n != &m->msgs && count--; n = n->next) {
		u = weft_container_of(n, struct weft_match_msg, order);
		if (weft_match_fits(r, u->src, u->tag))
			return u;
	}
	return NULL;
}

struct weft_match_msg *weft_match_find_msg(struct weft_match *m,
					   const struct weft_match_recv *r)
{
	struct weft_match_msg *u = msgs_walk(m, r, WEFT_MATCH_FRONT);
	struct weft_match_class *c;
	struct weft_list *l, *n;

	if (u || m->msgs_used <= WEFT_MATCH_FRONT)
		return u;
	c = class_of(m, r);
	if (!c || (!c->indexed && !msgs_index(m, c)))
		return msgs_walk(m, r, UINT64_MAX);
	l = &c->msgs[class_key(c, r->src, r->tag) & c->msgs_mask];
	for (n = l->next; n != l; n = n->next) {
		u = weft_container_of(n, struct weft_match_msg,
				      chain[c - m->cls]);
		if (weft_match_fits(r, u->src, u->tag))
			return u;
	}
	return NULL;
}

/* ---- length of a linear search ------------------------------------------- */

static uint64_t entries_searched(const struct weft_list *list,
				 const struct weft_list *last)
{
	const struct weft_list *n;
	uint64_t count = 0;

	for (n = list->next; n != list; n = n->next) {
		count++;
		if (n == last)
			break;
	}
	return count;
}

uint64_t weft_match_posted_searched(const struct weft_match *m,
				    const struct weft_match_recv *r)
{
	return entries_searched(&m->posted, r ? &r->order : NULL);
}

uint64_t weft_match_msgs_searched(const struct weft_match *m,
				  const struct weft_match_msg *u)
{
	return entries_searched(&m->msgs, u ? &u->order : NULL);
}
