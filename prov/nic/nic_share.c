/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared area of an endpoint, as its peers map it.
 *
 *   0        64                 64 + 4 Ki                    + 32 Ki
 *   +--------+------------------+----------------------------+
 *   | magic  | cursor 0 .. 63   | row 0 .. 511               |
 *   +--------+------------------+----------------------------+
 *
 * The collective unit's areas are in the carrier's windows (grp_join.c).
 * Cursors distribute the chunks of shared copies. Rows list registered memory:
 * a hash table with open addressing by key, with 16 probes. Only the owner
 * writes rows; `seq` is odd during a write, and a reader that sees seq change
 * reads again. A process that writes a wrong row harms only itself: a reader
 * uses a row only to check its own request, and DMA checks the addresses.
 */
#include "prov/nic/nic_share.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_memory.h"
#include "src/base/hash.h"

#define SHARE_MAGIC 0x7765667473683031u
#define ROWS	    NIC_REGIONS
#define TRIES	    16u

struct nic_row {
	/* write counter, odd during a write; 0: row never used */
	weft_au64 seq;
	weft_au64 key;
	weft_au64 address; /* address of the region's first byte */
	weft_au64 addr;	   /* RMA address of the first byte */
	weft_au64 len;
	weft_au64 access; /* access bits; 0: the row is free */
	uint64_t pad[2];
};

struct nic_cursor {
	weft_au64 next;
	uint64_t pad[7];
};

struct nic_share {
	weft_au64 magic;
	uint64_t pad[7];
	struct nic_cursor cell[NIC_CELLS];
	struct nic_row row[ROWS];
};

static_assert(sizeof(struct nic_row) == 64 && sizeof(struct nic_cursor) == 64 &&
		      offsetof(struct nic_share, row) == 64 + 64 * NIC_CELLS,
	      "shared format");

size_t nic_share_bytes(void)
{
	return sizeof(struct nic_share);
}

static struct nic_share *share_map(struct weft_nic *nic, struct weft_peer *peer,
				   int *err_p)
{
	struct weft_carrier *c = nic->unit->carrier;
	size_t bytes = 0;
	void *area = NULL;

	*err_p = c->ops->share ? c->ops->share(c, peer, &area, &bytes)
			       : -EOPNOTSUPP;
	if (*err_p)
		return NULL;
	if (bytes < sizeof(struct nic_share)) {
		*err_p = -EOPNOTSUPP;
		return NULL;
	}
	return area;
}

void nic_share_init(struct weft_nic *nic)
{
	int err;

	nic->share = share_map(nic, NULL, &err);
	/* if the interfaces copy messages, there are no shared copies */
	nic->cells_free = nic->unit->carrier->ops->backend->transfers_later
				  ? 0
				  : UINT64_MAX;
	/*
	 * R11 pairs with A11 in nic_share_peer: the area is zeroed before the
	 * magic is stored.
	 */
	if (nic->share)
		weft_store64(&nic->share->magic, SHARE_MAGIC);
}

int nic_share_peer(struct weft_nic *nic, struct nic_peer *p)
{
	struct nic_share *s;
	int err;

	if (weft_likely(p->share != NULL))
		return 0;
	s = share_map(nic, p->peer, &err);
	if (!s)
		return err;
	/* A11 pairs with R11 in nic_share_init. */
	if (weft_load64(&s->magic) != SHARE_MAGIC)
		return nic->unit->carrier->ops->backend->shares_early
			       ? -EOPNOTSUPP
			       : -EAGAIN;
	p->share = s;
	return 0;
}

weft_au64 *nic_share_cell(struct nic_share *s, uint32_t i)
{
	return &s->cell[i].next;
}

/* ---- owner --------------------------------------------------------------- */

static struct nic_row *row_at(struct nic_share *s, uint64_t key, unsigned try)
{
	return &s->row[(weft_hash_mix(key) + try) & (ROWS - 1)];
}

static unsigned row_index(const struct nic_share *s, const struct nic_row *r)
{
	return (unsigned)(r - s->row);
}

/*
 * Returns the row with this key, or NULL; sets *free_p to a free row for the
 * key.
 */
static struct nic_row *row_lookup(struct nic_share *s, uint64_t key,
				  struct nic_row **free_p)
{
	struct nic_row *r;
	unsigned i;

	*free_p = NULL;
	for (i = 0; i < TRIES; i++) {
		r = row_at(s, key, i);
		/* relaxed: only the owner writes rows */
		if (!weft_load64_relaxed(&r->access)) {
			*free_p = *free_p ? *free_p : r;
			continue;
		}
		if (weft_load64_relaxed(&r->key) == key)
			return r;
	}
	return NULL;
}

/* Writes a row: seq is odd while the values change, and even afterwards. */
static void row_write(struct nic_row *r, const struct weft_mem_access *w,
		      uint64_t at)
{
	/* relaxed: only the owner writes rows */
	uint64_t seq = weft_load64_relaxed(&r->seq);

	weft_store64_relaxed(&r->seq, seq + 1);
	/*
	 * R12 pairs with A12 in row_read: the odd seq is stored before any new
	 * value.
	 */
	weft_store64(&r->key, w->key);
	weft_store64(&r->address, at);
	weft_store64(&r->addr, w->addr);
	weft_store64(&r->len, w->len);
	weft_store64(&r->access, w->access);
	/*
	 * R13 pairs with A13 in row_read: the values are stored before the even
	 * seq.
	 */
	weft_store64(&r->seq, seq + 2);
}

void weft_nic_region_list(struct weft_nic *nic,
			  const struct weft_mem_access *row, void *at)
{
	struct nic_row *r, *free_row;

	if (!nic->share || !row->access)
		return;
	r = row_lookup(nic->share, row->key, &free_row);
	if (!r)
		r = free_row;
	/*
	 * if the region gets no memory register, it is not listed, and peers
	 * send requests
	 */
	if (r && !nic_memory_region(nic, row_index(nic->share, r), row, at))
		row_write(r, row, (uint64_t)(uintptr_t)at);
}

void weft_nic_region_unlist(struct weft_nic *nic, uint64_t key)
{
	const struct weft_mem_access none = { .key = key };
	struct nic_row *r, *free_row;

	if (!nic->share)
		return;
	r = row_lookup(nic->share, key, &free_row);
	if (!r)
		return;
	row_write(r, &none, 0);
	nic_memory_region(nic, row_index(nic->share, r), &none, NULL);
}

/* ---- peer ---------------------------------------------------------------- */

/*
 * Reads a consistent copy of a row. Returns false if the row was never used or
 * keeps changing.
 */
static bool row_read(struct nic_row *r, struct weft_mem_access *w,
		     uint64_t *at_p)
{
	uint64_t seq;
	int tries;

	for (tries = 0; tries < 100; tries++) {
		/* A13 pairs with R13 in row_write. */
		seq = weft_load64(&r->seq);
		if (!seq)
			return false;
		/*
		 * A12 pairs with R12: if a new value was read, the load of seq
		 * below returns a later seq.
		 */
		w->key = weft_load64(&r->key);
		*at_p = weft_load64(&r->address);
		w->addr = weft_load64(&r->addr);
		w->len = weft_load64(&r->len);
		w->access = (uint32_t)weft_load64(&r->access);
		/* relaxed: ordered by the acquire loads above */
		if (!(seq & 1) && weft_load64_relaxed(&r->seq) == seq)
			return true;
	}
	return false;
}

int nic_share_find(struct weft_nic *nic, struct nic_peer *p,
		   const struct weft_mem_access *want, uint64_t *at_p,
		   uint64_t *region_p, uint32_t *access_p)
{
	struct weft_mem_access w;
	uint64_t at, offset;
	unsigned i;
	int err = nic_share_peer(nic, p);

	if (err)
		return err == -EAGAIN ? err : -ENOENT;
	for (i = 0; i < TRIES; i++) {
		if (!row_read(row_at(p->share, want->key, i), &w, &at) ||
		    !w.access || w.key != want->key)
			continue;
		if ((w.access & want->access) != want->access)
			return -EACCES;
		offset = want->addr - w.addr;
		if (want->addr < w.addr || offset > w.len ||
		    want->len > w.len - offset)
			return -EFAULT;
		*at_p = at + offset;
		*region_p = at;
		*access_p = w.access;
		return 0;
	}
	return -ENOENT;
}
