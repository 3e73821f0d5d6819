/* SPDX-License-Identifier: BSD-3-Clause */
/* Intrusive doubly linked list with a head; no locking, no allocation. */
#ifndef WEFT_BASE_LIST_H
#define WEFT_BASE_LIST_H

#include "src/base/attr.h"

#include <stdbool.h>

struct weft_list {
	struct weft_list *next;
	struct weft_list *prev;
};

static inline void weft_list_init(struct weft_list *l)
{
	l->next = l;
	l->prev = l;
}

static inline bool weft_list_empty(const struct weft_list *l)
{
	return l->next == l;
}

static inline void weft_list_insert_after(struct weft_list *pos,
					  struct weft_list *n)
{
	n->prev = pos;
	n->next = pos->next;
	pos->next->prev = n;
	pos->next = n;
}

static inline void weft_list_push_back(struct weft_list *l, struct weft_list *n)
{
	weft_list_insert_after(l->prev, n);
}

static inline void weft_list_push_front(struct weft_list *l,
					struct weft_list *n)
{
	weft_list_insert_after(l, n);
}

/* Removes a node; removing it a second time has no effect. */
static inline void weft_list_remove(struct weft_list *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	weft_list_init(n);
}

static inline struct weft_list *weft_list_pop_front(struct weft_list *l)
{
	struct weft_list *n = l->next;

	if (n == l)
		return NULL;
	weft_list_remove(n);
	return n;
}

static inline void weft_list_splice_back(struct weft_list *dst,
					 struct weft_list *src)
{
	if (weft_list_empty(src))
		return;
	src->next->prev = dst->prev;
	src->prev->next = dst;
	dst->prev->next = src->next;
	dst->prev = src->prev;
	weft_list_init(src);
}

/* Iterates over a list; the body may remove the current node. */
#define weft_list_each(pos, tmp, list)                                   \
	for ((pos) = (list)->next, (tmp) = (pos)->next; (pos) != (list); \
	     (pos) = (tmp), (tmp) = (pos)->next)

#endif
