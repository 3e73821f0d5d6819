/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic operations on 8 bytes of this node's memory, with the small cache that
 * makes hot counters fast. A cached operation works on the cache line and does
 * not see stores by the processor to that memory. Its result is written to
 * memory at once or, with lazy write, when the line is evicted. Uncached
 * operations are atomic with respect to the processor.
 */
#include "prov/machine/gemini/gemini_dev.h"

#include "src/base/attr.h"

bool gemini_amo_valid(unsigned op)
{
	unsigned kind = op & 15;

	if (op & ~(15u | WEFT_GEMINI_FETCH | WEFT_GEMINI_UNCACHED))
		return false;
	if (kind == WEFT_GEMINI_CSWAP)
		return op & WEFT_GEMINI_FETCH;
	return kind < WEFT_GEMINI_CSWAP;
}

static uint64_t amo_value(unsigned op, uint64_t v, uint64_t a, uint64_t b)
{
	switch (op & 15) {
	case WEFT_GEMINI_ADD:
		return v + a;
	case WEFT_GEMINI_AND:
		return v & a;
	case WEFT_GEMINI_OR:
		return v | a;
	case WEFT_GEMINI_XOR:
		return v ^ a;
	case WEFT_GEMINI_AX:
		return (v & a) ^ b;
	default:
		return v == a ? b : v;
	}
}

static void amo_write(const struct gemini_line *l)
{
	nic_event_post((weft_au64 *)(uintptr_t)l->addr, l->value);
}

static struct gemini_line *amo_line(struct weft_gemini *f, uint64_t addr)
{
	return &f->amo[addr / 8 % GEMINI_AMO_LINES];
}

/*
 * Returns the filled cache line of an address; a miss evicts the address that
 * the line held.
 */
static struct gemini_line *amo_fill(struct weft_gemini *f, uint64_t addr)
{
	struct gemini_line *l = amo_line(f, addr);

	if (l->addr == addr) {
		f->stats.amo_hits++;
		return l;
	}
	if (l->addr && l->dirty)
		amo_write(l);
	f->stats.amo_misses++;
	l->addr = addr;
	l->value = nic_event_read((weft_au64 *)(uintptr_t)addr);
	l->dirty = false;
	return l;
}

static void amo_evict(struct weft_gemini *f, uint64_t addr)
{
	struct gemini_line *l = amo_line(f, addr);

	if (l->addr != addr)
		return;
	if (l->dirty)
		amo_write(l);
	l->addr = 0;
}

static uint64_t amo_uncached(uint64_t addr, unsigned op, uint64_t a, uint64_t b)
{
	weft_au64 *p = (weft_au64 *)(uintptr_t)addr;
	uint64_t old = weft_load64(p);

	while (!weft_cas64(p, &old, amo_value(op, old, a, b)))
		;
	return old;
}

uint64_t gemini_amo_run(struct weft_gemini *f, uint64_t addr, unsigned op,
			uint64_t a, uint64_t b)
{
	struct gemini_line *l;
	uint64_t old;

	if (op & WEFT_GEMINI_UNCACHED) {
		amo_evict(f, addr);
		return amo_uncached(addr, op, a, b);
	}
	l = amo_fill(f, addr);
	old = l->value;
	l->value = amo_value(op, old, a, b);
	l->dirty = f->lazy_amo;
	if (!f->lazy_amo)
		amo_write(l);
	return old;
}

WEFT_EXPORT void weft_gemini_amo_flush(struct weft_gemini *f)
{
	for (unsigned i = 0; i < GEMINI_AMO_LINES; i++) {
		if (f->amo[i].addr && f->amo[i].dirty)
			amo_write(&f->amo[i]);
		f->amo[i].addr = 0;
	}
}
