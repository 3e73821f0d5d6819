/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TLB (APE-06): a hit does not use the embedded processor; a miss occupies
 * the processor for 1.1 us per packet and refills the TLB. The TLB has 512
 * entries for pages of 4 KB and 64 KB, with LRU replacement.
 */
#include "test/support/apenet_pair.h"

#include <stdalign.h>

/* Puts one byte into each of n pages, starting with page `first`. */
static void touch(struct pair *p, int kind, unsigned first, unsigned n)
{
	unsigned bits = kind == HOST ? 12 : 16;

	for (unsigned i = 0; i < n; i++) {
		struct weft_apenet_cmd c = pair_cmd(p, HOST, kind, 1);

		c.flags = WEFT_APENET_RECEIVE;
		c.remote += (uint64_t)(first + i) << bits;
		T_OK(weft_apenet_put(p->s[0].a, &c));
		T_IS(pair_event(p, 1).what, WEFT_APENET_RECEIVED);
	}
}

static void misses_are(struct pair *p, uint64_t hits, uint64_t misses)
{
	struct weft_apenet_stats st = pair_stats(p, 1);

	T_IS(st.tlb_hits, hits);
	T_IS(st.tlb_misses, misses);
	T_IS(st.walks, misses);
	T_IS(st.walk_ns, misses * 1100);
}

static void a_tlb_hit_avoids_the_processor(void **state)
{
	struct pair p;

	pair_open(&p);
	touch(&p, HOST, 0, 10);
	misses_are(&p, 0, 10);
	touch(&p, HOST, 0, 10);
	misses_are(&p, 10, 10);
	pair_close(&p);
}

static void the_tlb_has_512_entries_with_lru(void **state)
{
	struct pair p;

	pair_open(&p);
	touch(&p, HOST, 0, 512);
	touch(&p, HOST, 0, 512);
	misses_are(&p, 512, 512);
	touch(&p, HOST, 512, 1); /* evicts page 0 */
	touch(&p, HOST, 1, 511);
	misses_are(&p, 512 + 511, 513);
	T_IS(pair_stats(&p, 1).tlb_evicted, 1);
	touch(&p, HOST, 0, 1); /* page 512 is the oldest now */
	misses_are(&p, 512 + 511, 514);
	touch(&p, HOST, 1, 511);
	misses_are(&p, 512 + 2 * 511, 514);
	touch(&p, HOST, 512, 1);
	misses_are(&p, 512 + 2 * 511, 515);
	pair_close(&p);
}

static void a_cycle_beyond_capacity_always_misses(void **state)
{
	struct pair p;

	pair_open(&p);
	touch(&p, HOST, 0, 513);
	touch(&p, HOST, 0, 513);
	misses_are(&p, 0, 2 * 513);
	pair_close(&p);
}

static void device_pages_have_64_kb(void **state)
{
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	c = pair_cmd(&p, HOST, DEVICE, 1u << 20);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(pair_event(&p, 1).what, WEFT_APENET_RECEIVED);
	misses_are(&p, 240, 16);
	pair_event(&p, 0);
	c = pair_cmd(&p, HOST, HOST, 1u << 20);
	c.remote = (c.remote + 4095) & ~UINT64_C(4095);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(pair_event(&p, 1).what, WEFT_APENET_RECEIVED);
	misses_are(&p, 240, 16 + 256);
	pair_close(&p);
}

/*
 * A packet that crosses a page boundary needs two translations, but starts the
 * processor once.
 */
static void a_packet_may_cross_a_page_boundary(void **state)
{
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	c = pair_cmd(&p, HOST, HOST, 4096);
	c.remote = ((c.remote + 4095) & ~UINT64_C(4095)) + 2048;
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(pair_event(&p, 1).what, WEFT_APENET_RECEIVED);
	T_IS(pair_stats(&p, 1).tlb_misses, 2);
	T_IS(pair_stats(&p, 1).walks, 1);
	pair_close(&p);
}

static void the_old_board_translates_every_packet(void **state)
{
	const struct weft_apenet_attr old = { .dmas = 1, .tlb = -1 };
	struct pair p;

	pair_open_as(&p, &old);
	touch(&p, HOST, 0, 1);
	touch(&p, HOST, 0, 1);
	touch(&p, HOST, 0, 1);
	misses_are(&p, 0, 3);
	pair_close(&p);
}

/*
 * A TLB hit is not sufficient: buffers may share a page, and the address must
 * be in the buffer.
 */
static void buffers_may_share_a_page(void **state)
{
	static alignas(4096) char page[4096];
	struct weft_apenet_cmd c;
	struct pair p;
	unsigned a, b;

	pair_open(&p);
	T_OK(weft_apenet_buf_open(p.s[1].a, page, 64, PAIR_RIGHTS, &a));
	T_OK(weft_apenet_buf_open(p.s[1].a, page + 128, 64, PAIR_RIGHTS, &b));
	memset(p.s[0].mem[HOST], 3, 64);
	c = pair_cmd(&p, HOST, HOST, 64);
	c.flags = WEFT_APENET_RECEIVE;
	for (int i = 0; i < 4; i++) {
		c.remote = (uintptr_t)(page + (i & 1) * 128);
		T_OK(weft_apenet_put(p.s[0].a, &c));
		T_IS(pair_event(&p, 1).what, WEFT_APENET_RECEIVED);
	}
	c.remote = (uintptr_t)(page + 64);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(pair_event(&p, 1).status, WEFT_APENET_ADDRESS);
	T_IS(page[64], 0);
	T_IS(page[128], 3);
	pair_close(&p);
}

static void a_closed_buffer_leaves_no_translation(void **state)
{
	struct apenet_tlb t;

	memset(&t, 0xff, sizeof(t)); /* init sets every field */
	T_OK(apenet_tlb_init(&t, 4));
	for (unsigned i = 0; i < 4; i++)
		T_TRUE(!apenet_tlb_fill(&t, i << 12, 12, i & 1));
	apenet_tlb_drop(&t, 1);
	T_IS(apenet_tlb_find(&t, 0 << 12, 12), 0);
	T_IS(apenet_tlb_find(&t, 1 << 12, 12), -1);
	T_IS(apenet_tlb_find(&t, 2 << 12, 12), 0);
	T_IS(apenet_tlb_find(&t, 3 << 12, 12), -1);
	T_TRUE(!apenet_tlb_fill(&t, 1 << 12, 12, 1));
	T_TRUE(!apenet_tlb_fill(&t, 3 << 12, 12, 1));
	T_TRUE(apenet_tlb_fill(&t, 4 << 12, 12, 1));
	/* a page that is cached keeps its entry */
	T_TRUE(!apenet_tlb_fill(&t, 4 << 12, 12, 2));
	T_IS(apenet_tlb_find(&t, 4 << 12, 12), 2);
	/* page 2 of a different page size */
	T_IS(apenet_tlb_find(&t, 2 << 12, 12), 0);
	T_IS(apenet_tlb_find(&t, 2 << 16, 16), -1);
	apenet_tlb_fini(&t);
}

/*
 * A removed translation is not found, even if its entry is the one that a
 * lookup tries first.
 */
static void a_removed_translation_is_not_found(void **state)
{
	struct apenet_tlb t;

	T_OK(apenet_tlb_init(&t, 2));
	T_FALSE(apenet_tlb_fill(&t, 0x1000, 12, 7));
	T_IS(apenet_tlb_find(&t, 0x1fff, 12), 7);
	T_IS(apenet_tlb_find(&t, 0x1000, 12), 7);
	apenet_tlb_drop(&t, 7);
	T_IS(apenet_tlb_find(&t, 0x1000, 12), -1);
	for (uint64_t i = 1; i < 8; i++) {
		T_IS(apenet_tlb_fill(&t, i << 12, 12, (uint32_t)i), i > 2);
		T_IS(apenet_tlb_find(&t, i << 12, 12), i);
		if (i > 2)
			T_IS(apenet_tlb_find(&t, (i - 2) << 12, 12), -1);
	}
	/* alternating pages, as with two peers */
	for (uint64_t i = 0; i < 8; i++)
		T_IS(apenet_tlb_find(&t, (6 + i % 2) << 12, 12), 6 + i % 2);
	apenet_tlb_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_tlb_hit_avoids_the_processor),
		T_CASE(the_tlb_has_512_entries_with_lru),
		T_CASE(a_cycle_beyond_capacity_always_misses),
		T_CASE(device_pages_have_64_kb),
		T_CASE(a_packet_may_cross_a_page_boundary),
		T_CASE(the_old_board_translates_every_packet),
		T_CASE(buffers_may_share_a_page),
		T_CASE(a_closed_buffer_leaves_no_translation),
		T_CASE(a_removed_translation_is_not_found),
	};

	return T_RUN(tests);
}
