/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hash table that maps a 64-bit key to a pointer, with open addressing and
 * linear probing. The table grows when it is three quarters full; a deletion
 * moves later entries back. The caller must supply locking.
 */
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct weft_hash_cell {
	uint64_t key;
	void *val; /* value; NULL: the slot is free */
};

struct weft_hash {
	struct weft_hash_cell *cell;
	size_t mask; /* number of slots - 1; 0: none allocated */
	size_t used;
};

/* Spreads the bits of a key over the whole word. */
static inline uint64_t weft_hash_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9e3779b97f4a7c15u;
	x ^= x >> 29;
	return x;
}

void weft_hash_init(struct weft_hash *h);
void weft_hash_fini(struct weft_hash *h);

/* Sets the value of key to val, which is not NULL. Returns 0 or -ENOMEM. */
int weft_hash_set(struct weft_hash *h, uint64_t key, void *val);

/* Returns the value of key, or NULL if the table does not contain key. */
void *weft_hash_get(const struct weft_hash *h, uint64_t key);

/* Removes key. Returns its value, or NULL if the table did not contain key. */
void *weft_hash_del(struct weft_hash *h, uint64_t key);

/* Calls fn for every entry; fn must not change the table. */
void weft_hash_each(const struct weft_hash *h,
		    void (*fn)(void *arg, uint64_t key, void *val), void *arg);

#endif
