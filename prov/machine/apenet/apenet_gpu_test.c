/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device memory (APE-02 to 05): puts and gets between all kinds of memory,
 * without an intermediate copy, and staged for comparison. The emulated device
 * memory cannot be accessed by address, so all data in it was written through
 * its functions.
 */
#include "test/support/apenet_pair.h"

#define BYTES  (300u * 1024 + 7)
#define PIECES ((BYTES + 4095) / 4096)

/*
 * Runs a put between two kinds of memory; checks the counters of both boards.
 */
static void put(struct pair *p, int from, int to, unsigned flags)
{
	struct weft_apenet_cmd c = pair_cmd(p, from, to, BYTES);

	c.flags |= flags;
	c.remote += 5;
	pair_fill(&p->s[0], from, (uint64_t)from * 7 + (uint64_t)to);
	T_OK(weft_apenet_put(p->s[0].a, &c));
	T_IS(pair_event(p, 1).what, WEFT_APENET_RECEIVED);
	T_IS(pair_event(p, 0).status, WEFT_APENET_OK);
	T_TRUE(pair_same(p->s[0].mem[from], p->s[1].mem[to] + 5, BYTES));
	T_TRUE(pair_is_zero(p->s[1].mem[to] + 5 + BYTES, 4096));
}

static void puts_between_all_kinds_without_a_copy(void **state)
{
	for (int from = 0; from < KINDS; from++) {
		for (int to = 0; to < KINDS; to++) {
			struct pair p;

			pair_open(&p);
			put(&p, from, to, 0);
			T_IS(pair_stats(&p, 0).peer_reads,
			     from == DEVICE ? PIECES : 0);
			T_IS(pair_stats(&p, 1).peer_writes,
			     to == DEVICE ? PIECES : 0);
			T_IS(pair_stats(&p, 0).copies, 0);
			T_IS(pair_stats(&p, 1).copies, 0);
			pair_close(&p);
		}
	}
}

static void staged_puts_are_copied_at_both_ends(void **state)
{
	for (int from = 0; from < KINDS; from++) {
		for (int to = 0; to < KINDS; to++) {
			struct pair p;

			pair_open(&p);
			put(&p, from, to, WEFT_APENET_STAGED);
			T_IS(pair_stats(&p, 0).peer_reads, 0);
			T_IS(pair_stats(&p, 1).peer_writes, 0);
			T_IS(pair_stats(&p, 0).copies, from == DEVICE);
			T_IS(pair_stats(&p, 1).copies, to == DEVICE);
			pair_close(&p);
		}
	}
}

static void gets_between_all_kinds_of_memory(void **state)
{
	for (int i = 0; i < 2 * KINDS * KINDS; i++) {
		int here = i & 1, there = i >> 1 & 1;
		struct weft_apenet_cmd c;
		struct pair p;

		pair_open(&p);
		c = pair_cmd(&p, here, there, BYTES);
		c.flags = WEFT_APENET_EVENT | (i & 4 ? WEFT_APENET_STAGED : 0);
		pair_fill(&p.s[1], there, (uint64_t)i);
		T_OK(weft_apenet_get(p.s[0].a, &c));
		T_IS(pair_event(&p, 0).status, WEFT_APENET_OK);
		T_TRUE(pair_same(p.s[0].mem[here], p.s[1].mem[there], BYTES));
		pair_close(&p);
	}
}

/* No data is visible before the event. */
static void a_staged_put_becomes_visible_at_once(void **state)
{
	struct weft_apenet_event ev;
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	pair_fill(&p.s[0], DEVICE, 2);
	c = pair_cmd(&p, DEVICE, DEVICE, BYTES);
	c.flags |= WEFT_APENET_STAGED;
	T_OK(weft_apenet_put(p.s[0].a, &c));
	while (weft_apenet_event(p.s[1].a, &ev)) {
		T_TRUE(pair_is_zero(p.s[1].mem[DEVICE], BYTES));
		weft_apenet_poll(p.s[0].a, 8);
		weft_apenet_poll(p.s[1].a, 8);
	}
	T_TRUE(pair_same(p.s[0].mem[DEVICE], p.s[1].mem[DEVICE], BYTES));
	pair_close(&p);
}

/* A staged put copies all data first, so the source may reuse its buffer. */
static void a_staged_put_reads_its_source_once(void **state)
{
	struct weft_apenet_cmd c;
	struct pair p;
	char *kept = malloc(BYTES);

	pair_open(&p);
	pair_fill(&p.s[0], DEVICE, 2);
	T_OK(weft_mem_out(kept, p.s[0].mem[DEVICE], BYTES));
	c = pair_cmd(&p, DEVICE, HOST, BYTES);
	c.flags |= WEFT_APENET_STAGED;
	T_OK(weft_apenet_put(p.s[0].a, &c));
	weft_apenet_poll(p.s[0].a, 4);
	pair_fill(&p.s[0], DEVICE, 3);
	pair_event(&p, 1);
	T_TRUE(pair_same(kept, p.s[1].mem[HOST], BYTES));
	free(kept);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(puts_between_all_kinds_without_a_copy),
		T_CASE(staged_puts_are_copied_at_both_ends),
		T_CASE(gets_between_all_kinds_of_memory),
		T_CASE(a_staged_put_becomes_visible_at_once),
		T_CASE(a_staged_put_reads_its_source_once),
	};

	return T_RUN(tests);
}
