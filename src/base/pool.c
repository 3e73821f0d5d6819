/* SPDX-License-Identifier: BSD-3-Clause */
/* Slabs of a pool: each twice as large as the previous one, up to a limit. */
#include "src/base/pool.h"

#include <errno.h>
#include <stdlib.h>

#define POOL_FIRST_COUNT 16
#define POOL_MAX_COUNT	 1024
#define POOL_SLAB_HEAD	 64

void weft_pool_init(struct weft_pool *p, size_t obj_bytes)
{
	size_t align = obj_bytes >= 64 ? 64 : 16;

	*p = (struct weft_pool){
		.obj_bytes = (obj_bytes + align - 1) / align * align,
		.slab_count = POOL_FIRST_COUNT,
	};
}

int weft_pool_grow(struct weft_pool *p)
{
	size_t bytes = POOL_SLAB_HEAD + p->slab_count * p->obj_bytes;
	char *slab = aligned_alloc(64, (bytes + 63) / 64 * 64);
	char *o;

	if (!slab)
		return -ENOMEM;
	*(void **)slab = p->slabs;
	p->slabs = slab;
	for (size_t i = p->slab_count; i-- > 0;) {
		o = slab + POOL_SLAB_HEAD + i * p->obj_bytes;
		*(void **)o = p->free;
		p->free = o;
	}
	if (p->slab_count < POOL_MAX_COUNT)
		p->slab_count *= 2;
	return 0;
}

void weft_pool_fini(struct weft_pool *p)
{
	void *slab = p->slabs;

	while (slab) {
		void *next = *(void **)slab;

		free(slab);
		slab = next;
	}
	*p = (struct weft_pool){ .obj_bytes = p->obj_bytes,
				 .slab_count = POOL_FIRST_COUNT };
}
