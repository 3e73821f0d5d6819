/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matching: posted receives on one side, unexpected messages on the other.
 * The code moves no data and allocates only its hash tables; entries are
 * embedded in the caller's objects. The caller is responsible for locking.
 *
 *   init -> [post, arrive, search, add, remove]* -> fini (both sides empty)
 *
 *   a receive is posted:  m = search(r)  found: remove(m)  none: post(r)
 *   a message arrives:    r = arrive()   found: unpost(r)  none: add(m)
 *
 * A receive has a source or any source, a tag, and the bits of the tag to
 * ignore. Of the receives that match a message the oldest is used; of the
 * messages that match a receive the oldest is used. The README explains how
 * this is O(1).
 */
#ifndef WEFT_PROV_MATCH_H
#define WEFT_PROV_MATCH_H

#include "src/base/list.h"

#include <assert.h>
#include <stdint.h>

#define WEFT_MATCH_ANY	   UINT32_MAX /* source of a receive from any source */
/* maximum number of (any source, ignore) combinations that are hashed */
#define WEFT_MATCH_CLASSES 6
/* number of oldest entries, which are searched linearly */
#define WEFT_MATCH_FRONT   8

/* A posted receive; one cache line. */
struct weft_match_recv {
	/* link in the list of posted receives, oldest first */
	struct weft_list order;
	struct weft_list chain; /* link in a bucket of its class, or unlinked */
	uint64_t seq;
	uint64_t tag;
	uint64_t ignore;
	uint32_t src; /* peer index or WEFT_MATCH_ANY */
	uint8_t cls;  /* class number, or WEFT_MATCH_NONE */
	uint8_t posted;
	uint16_t reserved;
};

static_assert(sizeof(struct weft_match_recv) == 64, "one cache line");

/* An unexpected message. */
struct weft_match_msg {
	/* link in the list of unexpected messages, oldest first */
	struct weft_list order;
	struct weft_list chain[WEFT_MATCH_CLASSES];
	uint64_t seq;
	uint64_t tag;
	uint32_t src;
	uint32_t queued;
};

/* A class of receives: the parts of (source, tag) that they compare. */
struct weft_match_class {
	uint64_t ignore;
	uint32_t any_src;
	/* 1: unexpected messages are also hashed in this class */
	uint32_t indexed;
	struct weft_list *posted; /* posted_mask + 1 buckets, or NULL */
	struct weft_list *msgs;	  /* msgs_mask + 1 buckets, or NULL */
	uint64_t posted_mask;
	uint64_t msgs_mask;
	uint64_t posted_used;
};

struct weft_match {
	struct weft_list posted;
	struct weft_list msgs;
	uint64_t posted_used;
	uint64_t msgs_used;
	uint64_t seq;
	struct weft_list unhashed; /* posted receives that are in no class */
	unsigned classes;
	struct weft_match_class *last; /* class of the last receive, or NULL */
	/* first entry of posted that is not hashed; the list head: none */
	struct weft_list *unhashed_first;
	struct weft_match_class cls[WEFT_MATCH_CLASSES];
};

void weft_match_init(struct weft_match *m);
void weft_match_fini(struct weft_match *m);

/* Returns whether receive r matches a message (src, tag). */
static inline bool weft_match_fits(const struct weft_match_recv *r,
				   uint32_t src, uint64_t tag)
{
	return ((r->tag ^ tag) & ~r->ignore) == 0 &&
	       (r->src == src || r->src == WEFT_MATCH_ANY);
}

/* value of cls for a receive that is not hashed */
#define WEFT_MATCH_NONE 0xff

/* Internal: slow path of weft_match_unpost. */
void weft_match_unhash(struct weft_match *m, struct weft_match_recv *r);

/*
 * Posts r, whose tag, ignore and src are set, after weft_match_search found no
 * message. The first WEFT_MATCH_FRONT receives are searched linearly. A receive
 * that is posted as one of them is never hashed, because it only moves towards
 * the front. The others are hashed when a message is first searched beyond the
 * front.
 */
static inline void weft_match_post(struct weft_match *m,
				   struct weft_match_recv *r)
{
	r->seq = m->seq++;
	r->posted = 1;
	r->cls = WEFT_MATCH_NONE;
	weft_list_push_back(&m->posted, &r->order);
	if (m->posted_used++ >= WEFT_MATCH_FRONT &&
	    m->unhashed_first == &m->posted)
		m->unhashed_first = &r->order;
}

/* Removes r; no effect if it is not posted. */
static inline void weft_match_unpost(struct weft_match *m,
				     struct weft_match_recv *r)
{
	if (!r->posted)
		return;
	r->posted = 0;
	r->order.prev->next = r->order.next;
	r->order.next->prev = r->order.prev;
	if (m->unhashed_first == &r->order)
		m->unhashed_first = r->order.next;
	m->posted_used--;
	if (weft_unlikely(r->cls != WEFT_MATCH_NONE))
		weft_match_unhash(m, r);
}

/*
 * Slow path of weft_match_arrive, if the first posted receive does not match.
 * Returns the oldest matching receive, or NULL.
 */
struct weft_match_recv *weft_match_find_posted(struct weft_match *m,
					       uint32_t src, uint64_t tag);

/* Returns the oldest posted receive if it matches, or NULL. */
static inline struct weft_match_recv *
weft_match_first(const struct weft_match *m, uint32_t src, uint64_t tag)
{
	struct weft_match_recv *r;

	if (weft_unlikely(weft_list_empty(&m->posted)))
		return NULL;
	r = weft_container_of(m->posted.next, struct weft_match_recv, order);
	return weft_likely(weft_match_fits(r, src, tag)) ? r : NULL;
}

/* Returns the oldest matching receive (it stays posted), or NULL. */
static inline struct weft_match_recv *
weft_match_arrive(struct weft_match *m, uint32_t src, uint64_t tag)
{
	struct weft_match_recv *r = weft_match_first(m, src, tag);

	if (r || weft_list_empty(&m->posted))
		return r;
	return weft_match_find_posted(m, src, tag);
}

/* Queues an unexpected message, whose src and tag are set. */
void weft_match_add(struct weft_match *m, struct weft_match_msg *u);

/* Removes u; no effect if it is not queued. */
void weft_match_remove(struct weft_match *m, struct weft_match_msg *u);

/* Returns the oldest matching message (it stays queued), or NULL. */
struct weft_match_msg *weft_match_find_msg(struct weft_match *m,
					   const struct weft_match_recv *r);

/*
 * Return the number of entries that a linear search compares before it ends: at
 * the given entry or, if the entry is NULL, at the end of the queue.
 */
uint64_t weft_match_posted_searched(const struct weft_match *m,
				    const struct weft_match_recv *r);
uint64_t weft_match_msgs_searched(const struct weft_match *m,
				  const struct weft_match_msg *u);

static inline struct weft_match_msg *
weft_match_search(struct weft_match *m, const struct weft_match_recv *r)
{
	if (weft_likely(weft_list_empty(&m->msgs)))
		return NULL;
	return weft_match_find_msg(m, r);
}

#endif
