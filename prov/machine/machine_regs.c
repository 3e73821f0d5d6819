/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory registers of a unit, in memory that its peers map. */
#include "prov/machine/machine_regs.h"

#include "src/base/atomic.h"

#include <errno.h>
#include <stdlib.h>

/* attempts to read an entry that the owner is writing */
#ifndef READ_TRIES
#define READ_TRIES 100
#endif

struct regs_row {
	weft_au64 seq; /* write counter, odd during a write */
	weft_au64 base;
	weft_au64 bytes;
	weft_au64 flags;
};

struct weft_regs_area {
	weft_au64 used;
	weft_au64 counter;
	uint64_t pad[6];
	struct regs_row row[];
};

static_assert(sizeof(struct regs_row) == 32 &&
		      offsetof(struct weft_regs_area, row) == 64,
	      "shared format");

static size_t area_bytes(uint32_t count)
{
	return sizeof(struct weft_regs_area) + count * sizeof(struct regs_row);
}

static size_t mask_words(uint32_t count)
{
	return (count + 63) / 64;
}

/* ---- open and close ---- */

size_t weft_regs_reserve(struct weft_carrier_attr *attr, uint32_t count)
{
	size_t offset = (attr->share_bytes + 63) / 64 * 64;

	attr->share_bytes = offset + area_bytes(count);
	return offset;
}

/* Returns the area of a peer, or of this process (peer NULL). */
static int area_map(struct weft_regs *r, struct weft_peer *peer,
		    struct weft_regs_area **area_p)
{
	struct weft_carrier *c = r->carrier;
	size_t bytes = 0;
	void *mem = NULL;
	int err = c->ops->share ? c->ops->share(c, peer, &mem, &bytes)
				: -EOPNOTSUPP;

	if (err)
		return err;
	if (bytes < r->offset + area_bytes(r->count))
		return -EOPNOTSUPP;
	*area_p = (void *)((char *)mem + r->offset);
	return 0;
}

int weft_regs_init(struct weft_regs *r, struct weft_carrier *c, size_t offset,
		   uint32_t count)
{
	*r = (struct weft_regs){
		.carrier = c,
		.offset = offset,
		.count = count,
	};
	r->taken = calloc(mask_words(count), sizeof(*r->taken));
	if (!r->taken)
		return -ENOMEM;
	if (area_map(r, NULL, &r->own))
		r->own = NULL;
	return 0;
}

void weft_regs_fini(struct weft_regs *r)
{
	weft_table_fini(&r->peer);
	free(r->taken);
	r->taken = NULL;
}

void weft_regs_lost(struct weft_regs *r, const struct weft_peer *peer)
{
	if (peer->index < r->peer.count)
		r->peer.cell[peer->index] = NULL;
}

/* ---- owner ---- */

int weft_regs_alloc(struct weft_regs *r, uint32_t first)
{
	for (uint32_t w = first / 64; w < mask_words(r->count); w++) {
		uint64_t free_bits = ~r->taken[w];
		uint32_t i;

		if (w == first / 64)
			free_bits &= UINT64_MAX << first % 64;
		if (!free_bits)
			continue;
		i = w * 64 + (uint32_t)__builtin_ctzll(free_bits);
		if (i >= r->count)
			break;
		r->taken[w] |= UINT64_C(1) << i % 64;
		return (int)i;
	}
	return -ENOSPC;
}

static void taken_set(struct weft_regs *r, uint32_t i, bool taken)
{
	uint64_t bit = UINT64_C(1) << i % 64;

	if (taken)
		r->taken[i / 64] |= bit;
	else
		r->taken[i / 64] &= ~bit;
}

void weft_regs_set(struct weft_regs *r, uint32_t i,
		   const struct weft_regs_entry *e)
{
	struct regs_row *row;
	uint64_t seq;

	taken_set(r, i, e->bytes > 0);
	if (!r->own)
		return;
	row = &r->own->row[i];
	/* relaxed: only the owner writes entries and `used` */
	seq = weft_load64_relaxed(&row->seq);
	weft_store64_relaxed(&row->seq, seq + 1);
	/*
	 * R0 pairs with A0 in row_read: seq becomes odd before any new value is
	 * stored.
	 */
	weft_store64(&row->base, e->base);
	weft_store64(&row->bytes, e->bytes);
	weft_store64(&row->flags, e->flags);
	/*
	 * R1 pairs with A1 in row_read: the new values are stored before seq
	 * becomes even.
	 */
	weft_store64(&row->seq, seq + 2);
	/*
	 * R2 pairs with A2 in weft_regs_find: the entry is written before the
	 * limit `used` includes it.
	 */
	if (e->bytes && weft_load64_relaxed(&r->own->used) <= i)
		weft_store64(&r->own->used, i + 1);
}

/* ---- peers ---- */

static int area_of(struct weft_regs *r, struct weft_peer *peer,
		   struct weft_regs_area **area_p)
{
	void **cell;
	int err;

	*area_p = weft_table_get(&r->peer, peer->index);
	if (weft_likely(*area_p != NULL))
		return 0;
	cell = weft_table_slot(&r->peer, peer->index);
	if (!cell)
		return -ENOMEM;
	err = area_map(r, peer, area_p);
	if (!err)
		*cell = *area_p;
	return err;
}

/*
 * Reads a consistent copy of an entry. Returns false if the entry is being
 * written, or keeps changing.
 */
static bool row_read(struct regs_row *row, struct weft_regs_entry *e)
{
	for (int tries = 0; tries < READ_TRIES; tries++) {
		/* A1 pairs with R1 in weft_regs_set. */
		uint64_t seq = weft_load64(&row->seq);

		/* A0 pairs with R0: a new value implies a later seq below. */
		e->base = weft_load64(&row->base);
		e->bytes = weft_load64(&row->bytes);
		e->flags = weft_load64(&row->flags);
		/* relaxed: ordered by the acquire loads above */
		if (!(seq & 1) && weft_load64_relaxed(&row->seq) == seq)
			return true;
	}
	return false;
}

int weft_regs_read(struct weft_regs *r, struct weft_peer *peer, uint32_t i,
		   struct weft_regs_entry *e)
{
	struct weft_regs_area *a;
	int err = area_of(r, peer, &a);

	if (err)
		return err;
	if (i >= r->count)
		return -ENOENT;
	if (!row_read(&a->row[i], e))
		return -EAGAIN;
	return e->bytes ? 0 : -ENOENT;
}

static bool entry_contains(const struct weft_regs_entry *e, uint64_t addr,
			   uint64_t bytes)
{
	return addr >= e->base && bytes <= e->bytes &&
	       addr - e->base <= e->bytes - bytes;
}

int weft_regs_find(struct weft_regs *r, struct weft_peer *peer, uint32_t first,
		   const struct weft_regs_entry *want, uint32_t *i_p,
		   struct weft_regs_entry *e)
{
	struct weft_regs_area *a;
	uint64_t used;
	int err = area_of(r, peer, &a);

	if (err)
		return err;
	/* A2 pairs with R2 in weft_regs_set. */
	used = weft_load64(&a->used);
	if (used > r->count)
		used = r->count;
	err = -EACCES;
	for (uint32_t i = first; i < used; i++) {
		if (!row_read(&a->row[i], e)) {
			/* the owner was interrupted during a write */
			err = -EAGAIN;
			continue;
		}
		if (!e->bytes || (e->flags & want->flags) != want->flags ||
		    !entry_contains(e, want->base, want->bytes))
			continue;
		*i_p = i;
		return 0;
	}
	return err;
}

weft_au64 *weft_regs_counter(struct weft_regs *r, struct weft_peer *peer)
{
	struct weft_regs_area *a = r->own;

	if (peer && area_of(r, peer, &a))
		a = NULL;
	return a ? &a->counter : NULL;
}
