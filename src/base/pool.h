/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pool of objects of one size, in slabs, last freed first reused. Grows without
 * limit, frees its memory at fini. The caller supplies the locking.
 *
 *   weft_pool_init -> weft_pool_get / weft_pool_put ... -> weft_pool_fini
 */
#ifndef WEFT_BASE_POOL_H
#define WEFT_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

struct weft_pool {
	void *free;	   /* free objects, chained in their first word */
	void *slabs;	   /* chain of slabs */
	size_t obj_bytes;  /* rounded up to the alignment */
	size_t slab_count; /* objects in the next slab */
	size_t used;	   /* objects in use */
};

/* Objects are aligned to 64 when obj_bytes >= 64, else to 16. */
void weft_pool_init(struct weft_pool *p, size_t obj_bytes);
void weft_pool_fini(struct weft_pool *p);

/* Adds a slab; 0 or -ENOMEM. */
int weft_pool_grow(struct weft_pool *p);

/* Returns an object, uninitialized, or NULL: no memory. */
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
