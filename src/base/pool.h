/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pool of objects of one size, allocated in slabs. The object freed last is
 * reused first. A pool grows without limit and frees its memory in
 * weft_pool_fini. The caller supplies the locking.
 */
#ifndef WEFT_BASE_POOL_H
#define WEFT_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

struct weft_pool {
	void *free; /* free objects, chained in their first word */
	void *slabs;
	size_t obj_bytes;  /* object size, rounded up to its alignment */
	size_t slab_count; /* objects in the next slab */
	size_t used;
};

/* Objects are aligned to 64 bytes if obj_bytes >= 64, otherwise to 16 bytes. */
void weft_pool_init(struct weft_pool *p, size_t obj_bytes);
void weft_pool_fini(struct weft_pool *p);

/* Adds a slab. Returns 0 or -ENOMEM. */
int weft_pool_grow(struct weft_pool *p);

/* Returns an uninitialized object, or NULL if out of memory. */
static inline void *weft_pool_get(struct weft_pool *p)
{
	void *o;

	if (!p->free && weft_pool_grow(p))
		return NULL;
	o = p->free;
	p->free = *(void **)o;
	p->used++;
	return o;
}

static inline void weft_pool_put(struct weft_pool *p, void *o)
{
	*(void **)o = p->free;
	p->free = o;
	p->used--;
}

#endif
