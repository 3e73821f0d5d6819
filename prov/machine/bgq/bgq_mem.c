/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory accesses of the unit: range registers, which check every access; the
 * base address table; the atomic operations of the L2 cache.
 */
#include "prov/machine/bgq/bgq_dev.h"

#include "prov/machine/machine_regs.h"
#include "src/base/attr.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

bool bgq_range_ok(const struct weft_bgq *mu, uint64_t addr, uint64_t bytes,
		  enum bgq_use use, bool system)
{
	unsigned n = system ? WEFT_BGQ_RANGES : WEFT_BGQ_USER_RANGES;

	for (unsigned i = 0; i < n; i++) {
		const struct bgq_range *r = &mu->range[i];

		if (use && (r->flags & WEFT_BGQ_RANGE_INJ_ONLY))
			continue;
		if (use == BGQ_ATOMIC && r->gaps)
			continue;
		if (r->bytes && addr >= r->base && bytes <= r->bytes &&
		    addr - r->base <= r->bytes - bytes)
			return true;
	}
	return false;
}

/* A ring in memory, and an access to it: position and number of elements. */
struct ring_use {
	uint64_t base;
	uint64_t count;	     /* elements of the ring, a power of two */
	unsigned elem_bytes; /* size of one ring element, bytes */
	enum bgq_use use;
	uint64_t pos;
	uint64_t elems;
};

static bool ring_part_ok(const struct weft_bgq *mu, const struct ring_use *u,
			 uint64_t first, uint64_t elems)
{
	return bgq_range_ok(mu, u->base + first * u->elem_bytes,
			    elems * u->elem_bytes, u->use, true);
}

/*
 * Returns whether an access to a ring is allowed. The whole ring is checked
 * once after every change of the registers; if part of it is not allowed, each
 * access is checked.
 */
static bool ring_ok(const struct weft_bgq *mu, const struct ring_use *u,
		    uint32_t *checked)
{
	uint64_t first = u->pos & (u->count - 1);
	uint64_t room = u->count - first;

	if (weft_likely(*checked == mu->range_changes))
		return true;
	if (ring_part_ok(mu, u, 0, u->count)) {
		*checked = mu->range_changes;
		return true;
	}
	if (u->elems <= room)
		return ring_part_ok(mu, u, first, u->elems);
	return ring_part_ok(mu, u, first, room) &&
	       ring_part_ok(mu, u, 0, u->elems - room);
}

bool bgq_inj_ring_ok(const struct weft_bgq *mu, struct bgq_inj *f, uint64_t pos,
		     unsigned slots, enum bgq_use use)
{
	const struct ring_use u = {
		(uintptr_t)f->ring, f->slots, sizeof(*f->ring), use, pos, slots
	};

	return ring_ok(mu, &u, &f->checked);
}

bool bgq_rec_ring_ok(const struct weft_bgq *mu, struct bgq_rec *r, uint64_t pos,
		     unsigned chunks)
{
	const struct ring_use u = {
		(uintptr_t)r->base, r->chunks, WEFT_BGQ_CHUNK,
		BGQ_STORE,	    pos,       chunks
	};

	return ring_ok(mu, &u, &r->checked);
}

/* Returns whether a range without gaps includes the bytes. */
static bool range_without_gaps(const struct weft_bgq *mu, uint64_t addr,
			       uint64_t bytes)
{
	return bgq_range_ok(mu, addr, bytes, BGQ_ATOMIC, true);
}

/*
 * Stores bytes in a range with gaps by a system call, which refuses unmapped
 * addresses. Returns false if the addresses are unmapped.
 */
static bool gaps_store(uint64_t to, const void *from, unsigned bytes)
{
	const struct iovec local = { (void *)(uintptr_t)from, bytes };
	const struct iovec remote = { (void *)(uintptr_t)to, bytes };

	return process_vm_writev(getpid(), &local, 1, &remote, 1, 0) ==
	       (ssize_t)bytes;
}

bool bgq_store(const struct weft_bgq *mu, uint64_t to, const void *from,
	       unsigned bytes)
{
	if (weft_unlikely(!range_without_gaps(mu, to, bytes)))
		return gaps_store(to, from, bytes);
	memcpy((void *)(uintptr_t)to, from, bytes);
	return true;
}

WEFT_EXPORT int weft_bgq_range_set(struct weft_bgq *mu, unsigned i, void *base,
				   uint64_t bytes, unsigned flags)
{
	if (i >= WEFT_BGQ_RANGES || (flags & ~WEFT_BGQ_RANGE_INJ_ONLY))
		return -EINVAL;
	if (bytes > BGQ_ADDR_MASK || (uintptr_t)base > BGQ_ADDR_MASK - bytes)
		return -EINVAL;
	mu->range[i] = (struct bgq_range){
		.base = (uintptr_t)base,
		.bytes = bytes,
		.flags = flags,
	};
	mu->range_changes += mu->range_changes == UINT32_MAX ? 2 : 1;
	/* packets of peers are user packets */
	if (mu->range_regs && i < WEFT_BGQ_USER_RANGES)
		weft_regs_set(mu->range_regs, i,
			      &(struct weft_regs_entry){
				      .base = (uintptr_t)base,
				      .bytes = bytes,
				      .flags = ~flags & WEFT_BGQ_RANGE_INJ_ONLY,
			      });
	return 0;
}

WEFT_EXPORT int weft_bgq_bat_set(struct weft_bgq *mu, unsigned i, void *base,
				 unsigned flags)
{
	if (i >= WEFT_BGQ_BAT_ENTRIES || (flags & ~WEFT_BGQ_SYSTEM))
		return -EINVAL;
	mu->bat[i] = (struct bgq_bat){
		.base = (uintptr_t)base,
		.valid = base != NULL,
		.system = flags & WEFT_BGQ_SYSTEM,
	};
	mu->upc[WEFT_BGQ_UPC_SLAVE_WRITES]++;
	if (mu->bat_regs)
		weft_regs_set(mu->bat_regs, i,
			      &(struct weft_regs_entry){
				      .base = (uintptr_t)base,
				      .bytes = base != NULL,
			      });
	return 0;
}

enum weft_bgq_error bgq_bat_address(const struct weft_bgq *mu, uint64_t sel,
				    bool system, uint64_t *addr_p)
{
	unsigned id = bgq_sel_id(sel);

	if (id >= WEFT_BGQ_BAT_ENTRIES || !mu->bat[id].valid)
		return WEFT_BGQ_ERR_BAT_ID;
	if (mu->bat[id].system && !system)
		return WEFT_BGQ_ERR_SYSTEM;
	*addr_p = mu->bat[id].base + bgq_sel_offset(sel);
	return WEFT_BGQ_OK;
}

int bgq_load_neighbour(unsigned op)
{
	switch (op) {
	case WEFT_BGQ_LOAD_INC_BOUNDED:
	case WEFT_BGQ_LOAD_INC_EQUAL:
		return 1;
	case WEFT_BGQ_LOAD_DEC_BOUNDED:
		return -1;
	default:
		return 0;
	}
}

/*
 * If (*p == *bound) == equal, adds step to *p and returns the old value;
 * otherwise returns WEFT_BGQ_BOUND_REACHED.
 */
static uint64_t load_if(weft_au64 *p, const weft_au64 *bound, bool equal,
			uint64_t step)
{
	uint64_t v = weft_load64(p);

	do {
		if ((v == weft_load64(bound)) != equal)
			return WEFT_BGQ_BOUND_REACHED;
	} while (!weft_cas64(p, &v, v + step));
	return v;
}

uint64_t bgq_atomic_load(uint64_t addr, unsigned op)
{
	weft_au64 *p = (weft_au64 *)(uintptr_t)addr;

	switch (op) {
	case WEFT_BGQ_LOAD_CLEAR:
		return atomic_exchange_explicit(p, 0, memory_order_acq_rel);
	case WEFT_BGQ_LOAD_INC:
		return weft_add64(p, 1);
	case WEFT_BGQ_LOAD_DEC:
		return weft_add64(p, UINT64_MAX);
	case WEFT_BGQ_LOAD_INC_BOUNDED:
		return load_if(p, p + 1, false, 1);
	case WEFT_BGQ_LOAD_DEC_BOUNDED:
		return load_if(p, p - 1, false, UINT64_MAX);
	case WEFT_BGQ_LOAD_INC_EQUAL:
		return load_if(p, p + 1, true, 1);
	default:
		return weft_load64(p);
	}
}

static uint64_t store_value(unsigned op, uint64_t old, uint64_t v)
{
	switch (op) {
	case WEFT_BGQ_STORE_ADD:
	case WEFT_BGQ_STORE_ADD_ZERO:
		return old + v;
	case WEFT_BGQ_STORE_OR:
		return old | v;
	case WEFT_BGQ_STORE_XOR:
		return old ^ v;
	case WEFT_BGQ_STORE_MAX_UNSIGNED:
		return v > old ? v : old;
	case WEFT_BGQ_STORE_MAX_SIGNED:
		return (int64_t)v > (int64_t)old ? v : old;
	default:
		return v;
	}
}

/*
 * Stores to both words of a pair if they are equal. Returns the first word
 * afterwards.
 */
static uint64_t store_twin(weft_au64 *p, uint64_t v)
{
	uint64_t old = weft_load64(p);

	if (old != weft_load64(p + 1) || !weft_cas64(p, &old, v))
		return old;
	weft_store64(p + 1, v);
	return v;
}

uint64_t bgq_atomic_store(uint64_t addr, unsigned op, uint64_t value)
{
	weft_au64 *p = (weft_au64 *)(uintptr_t)addr;
	uint64_t old = weft_load64(p);
	uint64_t v;

	if (op == WEFT_BGQ_STORE_TWIN)
		return store_twin(p, value);
	do {
		v = store_value(op, old, value);
	} while (!weft_cas64(p, &old, v));
	return v;
}
