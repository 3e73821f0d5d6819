/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets and messages of every kind between two Message Units in one process.
 * bgq_limits_test.c tests protection, limits and index arithmetic.
 */
#include "test/support/bgq_pair.h"

static void a_message_is_cut_into_packets_of_512_zero_filled(void **state)
{
	static const unsigned sizes[] = {
		0, 1, 31, 32, 33, 511, 512, 513, 3000,
	};
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < WEFT_COUNT_OF(sizes); i++) {
		for (unsigned align = 0; align < 40; align += 13) {
			unsigned n = sizes[i];

			t_fill(p.a.mem + align, n, i);
			p.b.count = 0;
			pair_send(&p, 0, p.a.mem + align, n);
			pair_until_packets(&p, n ? (n + 511) / 512 : 1);
			T_IS(p.b.bytes, (n + 31) / 32 * 32);
			T_IS(t_differs(p.b.got, n, i), -1);
			for (unsigned k = n; k < p.b.bytes; k++)
				T_IS(p.b.got[k], 0);
			T_IS(p.b.last.counter, n ? (n - 1) / 512 : 0);
			T_IS(p.b.last.source, 0);
		}
	}
	pair_close(&p);
}

static void head_count_and_free_space_follow_the_descriptors(void **state)
{
	struct weft_bgq_desc d;
	struct pair p;
	uint64_t seq;

	pair_open(&p, "");
	pair_fifo_desc(&p, &d, p.a.mem, 100);
	for (uint64_t i = 1; i <= PAIR_SLOTS; i++) {
		T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, &seq));
		T_IS(seq, i);
	}
	T_AGAIN(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_FREE, 0), 0);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_COUNT, 0), 0);
	pair_until_packets(&p, PAIR_SLOTS);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_COUNT, 0), PAIR_SLOTS);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_HEAD, 0),
	     weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_TAIL, 0));
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_FREE, 0), PAIR_SLOTS);
	pair_close(&p);
}

static void the_header_carries_software_bytes(void **state)
{
	const char soft[WEFT_BGQ_SOFT_BYTES] = "twelve bytes";
	struct weft_bgq_msg m = { .node = 1, .vc = WEFT_BGQ_VC_ORDERED };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	weft_bgq_desc_fifo(&d, &m, 0, soft);
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	pair_until_packets(&p, 1);
	T_MEM(p.b.last.soft, soft, sizeof(soft));
	pair_close(&p);
}

/*
 * Puts n bytes to base address 1, offset 64; the counter is at base address 2.
 */
static void put(struct pair *p, unsigned fifo, const void *src, uint64_t n,
		unsigned vc)
{
	struct weft_bgq_msg m = {
		.node = 1,
		.payload = src,
		.bytes = n,
		.vc = (uint8_t)vc,
	};
	struct weft_bgq_put t = { .bat = 1, .offset = 64, .ctr_bat = 2 };
	struct weft_bgq_desc d;

	weft_bgq_desc_put(&d, &m, &t);
	T_OK(weft_bgq_inj_post(p->a.mu, fifo, &d, NULL));
}

static void a_direct_put_stores_at_base_plus_offset(void **state)
{
	struct pair p;

	pair_open(&p, "");
	t_fill(p.a.mem + 3, 10000, 9);
	p.b.counter = 10000 + 7;
	put(&p, 0, p.a.mem + 3, 10000, WEFT_BGQ_VC_ORDERED);
	pair_until_counter(&p, 7);
	T_IS(t_differs(p.b.mem + 64, 10000, 9), -1);
	T_IS(p.b.mem[63], 0);
	T_IS(p.b.mem[64 + 10000], 0);
	pair_close(&p);
}

/* Each packet carries its offset, so packets may arrive in any order. */
static void a_dynamic_put_tolerates_reordering(void **state)
{
	struct pair p;

	pair_open(&p, "seed=2; delay=0.3 by 2 ms; reorder=0.5; raw");
	t_fill(p.a.mem, 60000, 5);
	p.b.counter = 60000;
	put(&p, 0, p.a.mem, 60000, WEFT_BGQ_VC_DYNAMIC);
	pair_until_counter(&p, 0);
	T_IS(t_differs(p.b.mem + 64, 60000, 5), -1);
	pair_close(&p);
}

/* One packet carries two descriptors; each puts half of b's memory to a. */
static void a_remote_get_returns_data_by_puts(void **state)
{
	struct weft_bgq_desc in[2];
	struct weft_bgq_desc d;
	struct pair p;
	struct weft_bgq_put t = { .bat = 1, .ctr_bat = 2 };
	struct weft_bgq_msg m = { .node = 0, .bytes = 3000 };

	pair_open(&p, "");
	t_fill(p.b.mem, 6000, 4);
	for (int i = 0; i < 2; i++) {
		m.payload = p.b.mem + 3000 * i;
		t.offset = 3000u * (unsigned)i;
		weft_bgq_desc_put(&in[i], &m, &t);
	}
	memcpy(p.a.mem + 8192, in, sizeof(in));
	p.a.counter = 6000;
	m = (struct weft_bgq_msg){
		.node = 1,
		.payload = p.a.mem + 8192,
		.bytes = sizeof(in),
	};
	weft_bgq_desc_get(&d, &m, PAIR_RGET);
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	for (int i = 0; i < 100000 && p.a.counter; i++)
		pair_poll(&p);
	T_IS(p.a.counter, 0);
	T_IS(t_differs(p.a.mem, 6000, 4), -1);
	T_IS(weft_bgq_load(p.b.mu, WEFT_BGQ_INJ_COUNT, PAIR_RGET), 2);
	pair_close(&p);
}

static void a_local_copy_uses_no_link(void **state)
{
	struct weft_bgq_msg m = {
		.net_map = WEFT_BGQ_NET_LOCAL,
		.bytes = 2000,
	};
	struct weft_bgq_put t = { .bat = 1, .offset = 30000, .ctr_bat = 2 };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	t_fill(p.a.mem + 5, 2000, 8);
	m.payload = p.a.mem + 5;
	p.a.counter = 2000;
	weft_bgq_desc_put(&d, &m, &t);
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	weft_bgq_poll(p.a.mu, 100);
	T_IS(p.a.counter, 0);
	T_IS(t_differs(p.a.mem + 30000, 2000, 8), -1);
	for (unsigned i = 0; i < 10; i++)
		T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_NET_SENT, i), 0);
	pair_close(&p);
}

static void prefetch_only_sends_nothing(void **state)
{
	struct weft_bgq_msg m = { .node = 1, .flags = WEFT_BGQ_PREFETCH };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	m.payload = p.a.mem;
	m.bytes = 5000;
	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	for (int i = 0; i < 100; i++)
		pair_poll(&p);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_COUNT, 0), 1);
	T_IS(p.b.count, 0);
	pair_close(&p);
}

static void packets_of_a_message_spread_over_the_fifo_map(void **state)
{
	struct weft_bgq_msg m = { .node = 1, .net_map = 0x0a1 };
	struct weft_bgq_desc d;
	struct pair p;
	uint64_t n;

	pair_open(&p, "");
	m.payload = p.a.mem;
	m.bytes = 512 * 30;
	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	pair_until_packets(&p, 30);
	for (unsigned i = 0; i < WEFT_BGQ_NET_FIFOS; i++) {
		n = weft_bgq_load(p.a.mu, WEFT_BGQ_NET_SENT, i);
		T_IS(n, 0x0a1 >> i & 1 ? 10 : 0);
	}
	pair_close(&p);
}

/*
 * Sends an 8-byte word, with an atomic load at injection and an atomic store at
 * reception. Returns the new value.
 */
static uint64_t atomic(struct pair *p, unsigned load, unsigned store,
		       uint64_t *src, uint64_t *dst)
{
	struct weft_bgq_msg m = {
		.node = 1,
		.payload = src,
		.bytes = 8,
		.load_op = (uint8_t)load,
	};
	struct weft_bgq_put t = {
		.bat = 1,
		.offset = (uint64_t)((unsigned char *)dst - p->b.mem),
		.ctr_bat = 2,
		.store_op = (uint8_t)store,
	};
	struct weft_bgq_desc d;

	p->b.counter = 8;
	weft_bgq_desc_put(&d, &m, &t);
	T_OK(weft_bgq_inj_post(p->a.mu, 0, &d, NULL));
	pair_until_counter(p, 0);
	return *dst;
}

static void atomic_load_operations(void **state)
{
	struct pair p;
	uint64_t *src;
	uint64_t *dst;

	pair_open(&p, "");
	src = (uint64_t *)(void *)p.a.mem + 1;
	dst = (uint64_t *)(void *)p.b.mem;
	src[-1] = 4;
	src[0] = 5;
	src[1] = 7;
	T_IS(atomic(&p, WEFT_BGQ_LOAD, 0, src, dst), 5);
	T_IS(atomic(&p, WEFT_BGQ_LOAD_INC, 0, src, dst), 5);
	T_IS(atomic(&p, WEFT_BGQ_LOAD_INC_BOUNDED, 0, src, dst), 6);
	T_IS(atomic(&p, WEFT_BGQ_LOAD_INC_BOUNDED, 0, src, dst),
	     (int64_t)WEFT_BGQ_BOUND_REACHED);
	T_IS(atomic(&p, WEFT_BGQ_LOAD_INC_EQUAL, 0, src, dst), 7);
	T_IS(atomic(&p, WEFT_BGQ_LOAD_DEC, 0, src, dst), 8);
	src[0] = 5;
	T_IS(atomic(&p, WEFT_BGQ_LOAD_DEC_BOUNDED, 0, src, dst), 5);
	T_IS(atomic(&p, WEFT_BGQ_LOAD_DEC_BOUNDED, 0, src, dst),
	     (int64_t)WEFT_BGQ_BOUND_REACHED);
	T_IS(atomic(&p, WEFT_BGQ_LOAD_CLEAR, 0, src, dst), 4);
	T_IS(src[0], 0);
	pair_close(&p);
}

static void atomic_store_operations(void **state)
{
	struct pair p;
	uint64_t *src;
	uint64_t *dst;

	pair_open(&p, "");
	src = (uint64_t *)(void *)p.a.mem;
	dst = (uint64_t *)(void *)p.b.mem;
	*src = 12;
	T_IS(atomic(&p, 0, WEFT_BGQ_STORE, src, dst), 12);
	T_IS(atomic(&p, 0, WEFT_BGQ_STORE_ADD, src, dst), 24);
	*src = 7;
	T_IS(atomic(&p, 0, WEFT_BGQ_STORE_OR, src, dst), 31);
	T_IS(atomic(&p, 0, WEFT_BGQ_STORE_XOR, src, dst), 24);
	T_IS(atomic(&p, 0, WEFT_BGQ_STORE_MAX_UNSIGNED, src, dst), 24);
	*src = UINT64_MAX;
	T_IS(atomic(&p, 0, WEFT_BGQ_STORE_MAX_SIGNED, src, dst), 24);
	T_IS(atomic(&p, 0, WEFT_BGQ_STORE_MAX_UNSIGNED, src, dst), -1);
	*src = 3;
	dst[1] = 5;
	T_IS(atomic(&p, 0, WEFT_BGQ_STORE_TWIN, src, dst), -1);
	dst[1] = UINT64_MAX;
	T_IS(atomic(&p, 0, WEFT_BGQ_STORE_TWIN, src, dst), 3);
	T_IS(dst[1], 3);
	*src = (uint64_t)-3;
	T_IS(atomic(&p, 0, WEFT_BGQ_STORE_ADD_ZERO, src, dst), 0);
	T_TRUE(weft_bgq_load(p.b.mu, WEFT_BGQ_IRQ_PENDING, 0) >>
		       WEFT_BGQ_IRQ_ZERO &
	       1);
	pair_close(&p);
}

static void many_fifos_progress_concurrently(void **state)
{
	struct weft_bgq_desc *ring = aligned_alloc(64, 600 * 64);
	struct weft_bgq_msg m = { .node = 1, .vc = WEFT_BGQ_VC_ORDERED };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	pair_ring(&p.a, 2, ring, 600 * 64);
	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	for (unsigned i = PAIR_RGET + 1; i < WEFT_BGQ_INJ_FIFOS; i++) {
		T_OK(weft_bgq_inj_open(p.a.mu, i, &ring[i], 1, 0));
		T_OK(weft_bgq_inj_post(p.a.mu, i, &d, NULL));
	}
	T_IS(weft_bgq_inj_open(p.a.mu, WEFT_BGQ_INJ_FIFOS, ring, 1, 0),
	     -EINVAL);
	T_IS(weft_bgq_inj_open(p.a.mu, 100, ring, 1, 0), -EBUSY);
	pair_until_packets(&p, WEFT_BGQ_INJ_FIFOS - PAIR_RGET - 1);
	pair_close(&p);
	free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_message_is_cut_into_packets_of_512_zero_filled),
		T_CASE(head_count_and_free_space_follow_the_descriptors),
		T_CASE(the_header_carries_software_bytes),
		T_CASE(a_direct_put_stores_at_base_plus_offset),
		T_CASE(a_dynamic_put_tolerates_reordering),
		T_CASE(a_remote_get_returns_data_by_puts),
		T_CASE(a_local_copy_uses_no_link),
		T_CASE(prefetch_only_sends_nothing),
		T_CASE(packets_of_a_message_spread_over_the_fifo_map),
		T_CASE(atomic_load_operations),
		T_CASE(atomic_store_operations),
		T_CASE(many_fifos_progress_concurrently),
	};

	return T_RUN(tests);
}
