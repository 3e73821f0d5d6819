/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs all executions of the memory registers of a unit
 * (test/support/explore.h): the owner changes an entry while a peer reads it.
 * The peer must not read a mixture of the old and the new entry.
 */
#include "test/support/explore_atomic.h"

/* fewer attempts, so that all executions can be run */
#define READ_TRIES 2
#include "prov/machine/machine_regs.c"
#include "test/t.h"

static _Alignas(64) char memory[sizeof(struct weft_regs_area) +
				2 * sizeof(struct regs_row)];
static struct weft_regs_area *const area = (void *)memory;
static uint64_t taken;
static void *cell[1];
static struct weft_regs owner, reader;
static struct weft_peer peer;

static const struct weft_regs_entry first = { 1000, 500, 1 };
static const struct weft_regs_entry second = { 100, 10, 2 };
static const struct weft_regs_entry none = { 0, 0, 0 };
static struct weft_regs_entry wanted;
static bool frees; /* the entry is freed before it gets the second value */

static void setup(void)
{
	atomic_init(&area->used, 1);
	atomic_init(&area->row[0].seq, 2);
	atomic_init(&area->row[0].base, first.base);
	atomic_init(&area->row[0].bytes, first.bytes);
	atomic_init(&area->row[0].flags, first.flags);
	for (int i = 0; i < 4; i++)
		atomic_init((&area->row[1].seq) + i, 0);
	taken = 1;
	cell[0] = area;
	owner = (struct weft_regs){ .count = 2, .own = area, .taken = &taken };
	reader = (struct weft_regs){ .count = 2, .peer = { cell, 1 } };
}

static void replace(void)
{
	if (frees)
		weft_regs_set(&owner, 0, &none);
	weft_regs_set(&owner, 0, &second);
	weft_regs_set(&owner, 1, &first);
}

static bool is_entry(const struct weft_regs_entry *e,
		     const struct weft_regs_entry *of)
{
	return e->base == of->base && e->bytes == of->bytes &&
	       e->flags == of->flags;
}

static void find(void)
{
	struct weft_regs_entry e;
	uint32_t i;

	if (weft_regs_find(&reader, &peer, 0, &wanted, &i, &e))
		return;
	if (!is_entry(&e, &first) && !is_entry(&e, &second))
		explore_fail("the peer has read values of two entries");
	/* the owner writes only the first entry to index 1 */
	if (i == 1 && !is_entry(&e, &first))
		explore_fail("index 1 never had this entry");
}

static void either(int i)
{
	if (i)
		find();
	else
		replace();
}

static const char *explore_entry(uint64_t base, uint64_t bytes, uint64_t flags,
				 enum explore_fault fault)
{
	struct explore x = { .threads = 2,
			     .setup = setup,
			     .thread = either,
			     .fault = fault,
			     .interrupts = explore_interrupts(4),
			     .states_max = 20000000 };

	wanted = (struct weft_regs_entry){ base, bytes, flags };
	return explore_run(&x);
}

/*
 * A mixture of the two entries would contain the ranges that the peer looks up
 * here.
 */
static void entries_are_read_whole(void **state)
{
	for (int i = 0; i < 2; i++) {
		frees = i;
		T_NULL(explore_entry(150, 8, 0, EXPLORE_NO_FAULT));
		T_NULL(explore_entry(104, 4, 0, EXPLORE_NO_FAULT));
		T_NULL(explore_entry(104, 4, 1, EXPLORE_NO_FAULT));
		T_NULL(explore_entry(1100, 8, 1, EXPLORE_NO_FAULT));
	}
}

static void seeded_faults_are_found(void **state)
{
	frees = false;
	T_NOT_NULL(explore_entry(150, 8, 0, EXPLORE_NO_RELEASE));
	T_NOT_NULL(explore_entry(150, 8, 0, EXPLORE_NO_ACQUIRE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(entries_are_read_whole),
		T_CASE(seeded_faults_are_found),
	};

	return T_RUN(tests);
}
