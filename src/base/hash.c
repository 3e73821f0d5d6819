/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash table with linear probing and no tombstones. */
#include "src/base/hash.h"

#include <errno.h>
#include <stdlib.h>

#define HASH_FIRST_CELLS 16

void weft_hash_init(struct weft_hash *h)
{
	*h = (struct weft_hash){ 0 };
}

void weft_hash_fini(struct weft_hash *h)
{
	free(h->cell);
	weft_hash_init(h);
}

/*
 * Returns the slot that contains key, or the free slot in which it would be
 * stored.
 */
static struct weft_hash_cell *hash_find(const struct weft_hash *h, uint64_t key)
{
	size_t i = weft_hash_mix(key) & h->mask;

	while (h->cell[i].val && h->cell[i].key != key)
		i = (i + 1) & h->mask;
	return &h->cell[i];
}

static int hash_grow(struct weft_hash *h)
{
	size_t old = h->cell ? h->mask + 1 : 0;
	size_t cells = old ? old * 2 : HASH_FIRST_CELLS;
	struct weft_hash_cell *was = h->cell;
	struct weft_hash_cell *now = calloc(cells, sizeof(*now));

	if (!now)
		return -ENOMEM;
	h->cell = now;
	h->mask = cells - 1;
	for (size_t i = 0; i < old; i++) {
		if (was[i].val)
			*hash_find(h, was[i].key) = was[i];
	}
	free(was);
	return 0;
}

int weft_hash_set(struct weft_hash *h, uint64_t key, void *val)
{
	struct weft_hash_cell *c;
	int ret;

	if (!h->cell || (h->used + 1) * 4 > (h->mask + 1) * 3) {
		ret = hash_grow(h);
		if (ret)
			return ret;
	}
	c = hash_find(h, key);
	if (!c->val)
		h->used++;
	c->key = key;
	c->val = val;
	return 0;
}

void *weft_hash_get(const struct weft_hash *h, uint64_t key)
{
	return h->cell ? hash_find(h, key)->val : NULL;
}

/*
 * Closes the gap at slot i: moves back the entries that were stored later
 * because slot i was occupied.
 */
static void hash_close_gap(struct weft_hash *h, size_t i)
{
	size_t j = i;
	size_t home;

	for (;;) {
		j = (j + 1) & h->mask;
		if (!h->cell[j].val)
			break;
		home = weft_hash_mix(h->cell[j].key) & h->mask;
		if (((j - home) & h->mask) < ((j - i) & h->mask))
			continue;
		h->cell[i] = h->cell[j];
		i = j;
	}
	h->cell[i].val = NULL;
}

void *weft_hash_del(struct weft_hash *h, uint64_t key)
{
	struct weft_hash_cell *c;
	void *val;

	if (!h->cell)
		return NULL;
	c = hash_find(h, key);
	val = c->val;
	if (!val)
		return NULL;
	hash_close_gap(h, (size_t)(c - h->cell));
	h->used--;
	return val;
}

void weft_hash_each(const struct weft_hash *h,
		    void (*fn)(void *arg, uint64_t key, void *val), void *arg)
{
	for (size_t i = 0; h->cell && i <= h->mask; i++) {
		if (h->cell[i].val)
			fn(arg, h->cell[i].key, h->cell[i].val);
	}
}
