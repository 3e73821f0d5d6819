/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows, atomics, events, protection and limits of the Gemini interface.
 * gemini_bulk_test.c tests block transfers and mailboxes.
 */
#include "test/support/gemini_pair.h"
#include "src/base/rng.h"

static void a_store_puts_up_to_64_bytes(void **state)
{
	struct weft_gemini_event e;
	struct pair p;

	pair_open(&p);
	for (unsigned n = 0; n <= 64; n++) {
		t_fill(p.a.mem, n, n);
		T_OK(weft_gemini_store(p.a.f, 0, n * 100 + 3, p.a.mem, n));
		e = pair_sync(&p, n);
		T_IS(e.source, WEFT_GEMINI_GLOBAL);
		T_IS(e.status, WEFT_GEMINI_OK);
		T_IS(e.data, n);
		T_IS(t_differs(p.b.mem + n * 100 + 3, n, n), -1);
		T_IS(p.b.mem[n * 100 + 3 + n], 0);
	}
	T_IS(weft_gemini_store(p.a.f, 0, 0, p.a.mem, 65), -EMSGSIZE);
	T_IS(weft_gemini_sync(p.a.f, 0, 0), -ENOENT);
	/* the target gets an event only with a flag */
	T_AGAIN(weft_gemini_cq_read(p.b.f, p.b.rcq, &e));
	pair_close(&p);
}

static void window_bits_choose_the_element(void **state)
{
	struct weft_gemini_window w = { .pe = 0, .addr_bits = 10, .base = 256 };
	uint64_t v = 7;
	struct pair p;

	pair_open(&p);
	w.mdh = (uint16_t)p.b.mdh;
	w.cq = (uint16_t)p.a.cq;
	T_OK(weft_gemini_window_set(p.a.f, 0, &w));
	T_OK(weft_gemini_store(p.a.f, 0, 1024 + 8, &v, 8));
	T_OK(weft_gemini_store(p.a.f, 0, 16, &v, 8));
	T_IS(weft_gemini_store(p.a.f, 0, 2048, &v, 8), -EHOSTUNREACH);
	T_OK(pair_sync(&p, 0).status);
	T_IS(p.b.mem[256 + 8], 7);
	T_IS(p.a.mem[256 + 16], 7);
	/* relative to the window's PE; a PE beyond the last is an error */
	w.pe = 1;
	T_OK(weft_gemini_window_set(p.a.f, 0, &w));
	T_OK(weft_gemini_store(p.a.f, 0, 32, &v, 8));
	T_IS(weft_gemini_store(p.a.f, 0, UINT64_C(1) << 42, &v, 8),
	     -EHOSTUNREACH);
	T_OK(pair_sync(&p, 0).status);
	T_IS(p.b.mem[256 + 32], 7);
	pair_close(&p);
}

static void virtual_elements_are_translated_by_their_upper_bits(void **state)
{
	struct weft_gemini_window w = { .pe = 5u << 6 | 1 };
	uint64_t v = 9;
	struct pair p;

	pair_open(&p);
	w.mdh = (uint16_t)p.b.mdh;
	w.cq = (uint16_t)p.a.cq;
	T_OK(weft_gemini_window_set(p.a.f, 0, &w));
	T_IS(weft_gemini_store(p.a.f, 0, 0, &v, 8), -EHOSTUNREACH);
	T_OK(weft_gemini_ntt_set(p.a.f, 5, 0));
	T_OK(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	T_OK(pair_sync(&p, 0).status);
	T_IS(p.b.mem[0], 9);
	T_IS(weft_gemini_ntt_set(p.a.f, 4096, 0), -EINVAL);
	pair_close(&p);
}

/* Half as many PEs per table entry need twice as many entries. */
static void ntt_granularity(void **state)
{
	struct weft_gemini_window w = { .pe = 8191u << 5 | 1 };
	uint64_t v = 9;
	struct pair p;

	pair_open(&p);
	T_IS(weft_gemini_ntt_grain(p.a.f, 4), -EINVAL);
	T_IS(weft_gemini_ntt_grain(p.a.f, 18), -EINVAL);
	T_OK(weft_gemini_ntt_grain(p.a.f, 5));
	w.mdh = (uint16_t)p.b.mdh;
	w.cq = (uint16_t)p.a.cq;
	T_OK(weft_gemini_window_set(p.a.f, 0, &w));
	T_OK(weft_gemini_ntt_set(p.a.f, 8190, 0));
	T_IS(weft_gemini_store(p.a.f, 0, 0, &v, 8), -EHOSTUNREACH);
	T_OK(weft_gemini_ntt_set(p.a.f, 8191, 0));
	T_IS(weft_gemini_ntt_set(p.a.f, 8192, 0), -EINVAL);
	T_OK(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	T_OK(pair_sync(&p, 0).status);
	T_IS(p.b.mem[0], 9);
	pair_close(&p);
}

static void a_virtual_handle_maps_to_a_target_handle(void **state)
{
	struct weft_gemini_window w = { .pe = 1, .mdh = WEFT_GEMINI_VMDH | 7 };
	unsigned char second[64] = { 0 };
	struct pair p;
	uint64_t v = 9;
	unsigned mdh;

	pair_open(&p);
	T_OK(weft_gemini_mem_open(p.b.f, second, sizeof(second),
				  WEFT_GEMINI_WRITABLE, p.b.rcq, &mdh));
	T_IS(weft_gemini_vmdh_set(p.b.f, WEFT_GEMINI_VMDHS, mdh), -EINVAL);
	T_IS(weft_gemini_vmdh_set(p.b.f, 7, mdh + 1), -EINVAL);
	w.cq = (uint16_t)p.a.cq;
	T_OK(weft_gemini_window_set(p.a.f, 0, &w));
	T_OK(weft_gemini_store(p.a.f, 0, 8, &v, 8));
	T_IS(pair_sync(&p, 0).status, WEFT_GEMINI_VMDH_INVALID);
	T_OK(weft_gemini_vmdh_set(p.b.f, 7, mdh));
	T_OK(weft_gemini_put_flag(p.a.f, 0, 8, &v, 8, 16, 5));
	T_OK(pair_sync(&p, 0).status);
	T_IS(second[8], 9);
	T_IS(pair_event(&p, p.b.f, p.b.rcq).data, 5);
	T_OK(weft_gemini_vmdh_clear(p.b.f, 7));
	T_IS(weft_gemini_vmdh_clear(p.b.f, 7), -EINVAL);
	T_OK(weft_gemini_store(p.a.f, 0, 8, &v, 8));
	T_IS(pair_sync(&p, 0).status, WEFT_GEMINI_VMDH_INVALID);
	pair_close(&p);
}

static void a_get_returns_4_to_64_bytes(void **state)
{
	struct weft_gemini_local to = { .offset = 128 };
	struct pair p;

	pair_open(&p);
	to.mdh = (uint16_t)p.a.mdh;
	t_fill(p.b.mem, 4096, 3);
	T_OK(weft_gemini_get(p.a.f, 0, 0, &to, 64));
	to.offset = 192;
	T_OK(weft_gemini_get(p.a.f, 0, 64, &to, 4));
	T_OK(pair_sync(&p, 1).status);
	T_IS(t_differs(p.a.mem + 128, 68, 3), -1);
	T_IS(weft_gemini_get(p.a.f, 0, 0, &to, 0), -EINVAL);
	T_IS(weft_gemini_get(p.a.f, 0, 0, &to, 6), -EINVAL);
	T_IS(weft_gemini_get(p.a.f, 0, 2, &to, 4), -EINVAL);
	T_IS(weft_gemini_get(p.a.f, 0, 0, &to, 68), -EMSGSIZE);
	to.offset = PAIR_BYTES;
	T_IS(weft_gemini_get(p.a.f, 0, 0, &to, 4), -EFAULT);
	pair_close(&p);
}

static uint64_t amo(struct pair *p, unsigned op, uint64_t a, uint64_t b)
{
	struct weft_gemini_local to = { .mdh = (uint16_t)p->a.mdh };
	uint64_t old;

	memset(p->a.mem, 0xee, 8);
	T_OK(weft_gemini_amo(p->a.f, 0, 16, op, a, b, &to));
	T_OK(pair_sync(p, 0).status);
	memcpy(&old, p->a.mem, 8);
	return old;
}

static void atomics_with_and_without_response(void **state)
{
	struct pair p;
	uint64_t *v;

	pair_open(&p);
	v = (uint64_t *)(void *)(p.b.mem + 16);
	*v = 10;
	amo(&p, WEFT_GEMINI_ADD, 5, 0);
	T_IS(*v, 15);
	T_IS(p.a.mem[0], 0xee);
	T_IS(amo(&p, WEFT_GEMINI_ADD | WEFT_GEMINI_FETCH, 1, 0), 15);
	T_IS(amo(&p, WEFT_GEMINI_AND | WEFT_GEMINI_FETCH, 0x1c, 0), 16);
	T_IS(amo(&p, WEFT_GEMINI_OR | WEFT_GEMINI_FETCH, 3, 0), 16);
	T_IS(amo(&p, WEFT_GEMINI_XOR | WEFT_GEMINI_FETCH, 1, 0), 19);
	T_IS(amo(&p, WEFT_GEMINI_AX | WEFT_GEMINI_FETCH, 0x10, 5), 18);
	T_IS(amo(&p, WEFT_GEMINI_CSWAP | WEFT_GEMINI_FETCH, 1, 99), 21);
	T_IS(amo(&p, WEFT_GEMINI_CSWAP | WEFT_GEMINI_FETCH, 21, 99), 21);
	T_IS(*v, 99);
	T_IS(weft_gemini_amo(p.a.f, 0, 16, WEFT_GEMINI_CSWAP, 0, 0, NULL),
	     -EINVAL);
	T_IS(weft_gemini_amo(p.a.f, 0, 4, WEFT_GEMINI_ADD, 0, 0, NULL),
	     -EINVAL);
	T_IS(weft_gemini_amo(p.a.f, 0, 8, WEFT_GEMINI_AX, 0, 0, NULL), -EINVAL);
	pair_close(&p);
}

static void the_amo_cache_is_not_coherent_with_the_processor(void **state)
{
	struct weft_gemini_stats st;
	struct pair p;
	uint64_t *v;

	pair_open(&p);
	v = (uint64_t *)(void *)(p.b.mem + 16);
	amo(&p, WEFT_GEMINI_ADD, 1, 0);
	*v = 1000;
	amo(&p, WEFT_GEMINI_ADD, 1, 0);
	T_IS(*v, 2);
	*v = 1000;
	amo(&p, WEFT_GEMINI_ADD | WEFT_GEMINI_UNCACHED, 1, 0);
	T_IS(*v, 1001);
	weft_gemini_stats(p.b.f, &st);
	T_IS(st.amo_hits, 1);
	T_IS(st.amo_misses, 1);
	amo(&p, WEFT_GEMINI_ADD, 1, 0);
	T_IS(*v, 1002);
	pair_close(&p);
}

static void lazy_atomics_are_written_on_eviction(void **state)
{
	struct pair p;
	uint64_t *v;

	pair_open_with(&p, "", 1, 3);
	v = (uint64_t *)(void *)(p.b.mem + 16);
	amo(&p, WEFT_GEMINI_ADD, 1, 0);
	T_IS(*v, 0);
	T_OK(weft_gemini_amo(p.a.f, 0, 16 + 8 * GEMINI_AMO_LINES,
			     WEFT_GEMINI_ADD, 1, 0, NULL));
	T_OK(pair_sync(&p, 0).status);
	T_IS(*v, 1);
	weft_gemini_amo_flush(p.b.f);
	T_IS(v[GEMINI_AMO_LINES], 1);
	pair_close(&p);
}

static void a_flag_is_written_after_its_data_with_an_event(void **state)
{
	struct weft_gemini_event e;
	struct pair p;
	uint64_t flag;

	pair_open(&p);
	t_fill(p.a.mem, 1000, 2);
	T_OK(weft_gemini_put_flag(p.a.f, 0, 64, p.a.mem, 1000, 8, 0x77));
	e = pair_event(&p, p.b.f, p.b.rcq);
	T_IS(e.source, WEFT_GEMINI_REMOTE);
	T_IS(e.data, 0x77);
	memcpy(&flag, p.b.mem + 8, 8);
	T_IS(flag, 0x77);
	T_IS(t_differs(p.b.mem + 64, 1000, 2), -1);
	pair_close(&p);
}

static uint8_t status_of_store(struct pair *p, unsigned mdh, uint64_t at)
{
	struct weft_gemini_window w = {
		.pe = 1,
		.mdh = (uint16_t)mdh,
		.cq = (uint16_t)p->a.cq,
	};
	uint64_t v = 1;

	T_OK(weft_gemini_window_set(p->a.f, 0, &w));
	T_OK(weft_gemini_store(p->a.f, 0, at, &v, 8));
	return pair_sync(p, 0).status;
}

static void every_violation_has_its_own_status(void **state)
{
	struct weft_gemini_stats st;
	struct pair p;
	unsigned ro;

	pair_open(&p);
	T_OK(weft_gemini_mem_open(p.b.f, p.b.mem, 64, 0, WEFT_GEMINI_NO_CQ,
				  &ro));
	T_IS(status_of_store(&p, p.b.mdh, 0), WEFT_GEMINI_OK);
	T_IS(status_of_store(&p, p.b.mdh, PAIR_BYTES - 7), WEFT_GEMINI_BOUNDS);
	T_IS(status_of_store(&p, ro, 0), WEFT_GEMINI_PROTECTION);
	T_IS(status_of_store(&p, 4000, 0), WEFT_GEMINI_MDD_INVALID);
	T_OK(weft_gemini_mem_close(p.b.f, ro));
	T_IS(status_of_store(&p, ro, 0), WEFT_GEMINI_MDD_INVALID);
	T_IS(status_of_store(&p, p.b.mdh, 8), WEFT_GEMINI_OK);
	weft_gemini_stats(p.b.f, &st);
	T_IS(st.rejected, 4);
	pair_close(&p);
}

static void another_protection_tag_is_refused(void **state)
{
	struct pair p;

	pair_open_with(&p, "", 0, 4);
	T_IS(status_of_store(&p, p.b.mdh, 0), WEFT_GEMINI_PROTECTION);
	T_IS(weft_gemini_window_ptag(p.a.f, 0, 4), -EPERM);
	T_OK(weft_gemini_window_ptag(p.a.f, WEFT_GEMINI_USER_WINDOWS, 4));
	pair_close(&p);
}

/* Packets may be acknowledged in any order. */
static void a_transaction_completes_when_all_is_acknowledged(void **state)
{
	struct weft_gemini_event e;
	struct pair p;
	int err;

	pair_open_with(&p, "seed=9; delay=0.3 by 2 ms; reorder=0.5; raw", 0, 3);
	t_fill(p.a.mem, 64 * 500, 6);
	for (uint64_t i = 0; i < 500; i++) {
		do {
			err = weft_gemini_store(p.a.f, 0, i * 64,
						p.a.mem + i * 64, 64);
			pair_run(&p, 1);
		} while (err == -EAGAIN);
		T_OK(err);
	}
	e = pair_sync(&p, 42);
	T_IS(e.data, 42);
	T_IS(t_differs(p.b.mem, 64 * 500, 6), -1);
	pair_close(&p);
}

static void requests_wait_when_the_buffers_are_full(void **state)
{
	struct weft_gemini_stats st;
	struct pair p;
	uint64_t v = 0;
	int n = 0;

	pair_open(&p);
	while (weft_gemini_put(p.a.f, 0, 0, p.a.mem, 1024) == 0)
		n++;
	weft_gemini_stats(p.a.f, &st);
	T_IS(n, WEFT_GEMINI_ORB / 16);
	T_IS(st.outstanding, WEFT_GEMINI_ORB);
	T_AGAIN(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	for (int i = 0; i < 1000; i++)
		pair_run(&p, 1);
	weft_gemini_stats(p.a.f, &st);
	T_IS(st.outstanding, 0);
	T_OK(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	pair_close(&p);
}

static void a_full_queue_sets_the_overrun_flag(void **state)
{
	struct weft_gemini_event e;
	struct pair p;
	unsigned small;

	pair_open(&p);
	T_OK(weft_gemini_cq_open(p.a.f, 2, &small));
	for (uint64_t i = 0; i < 4; i++)
		gemini_cq_write(p.a.f, small, WEFT_GEMINI_LOCAL, 0, i);
	T_OK(weft_gemini_cq_read(p.a.f, small, &e));
	T_IS(e.data, 0);
	T_IS(e.overrun, 0);
	gemini_cq_write(p.a.f, small, WEFT_GEMINI_LOCAL, 0, 9);
	T_OK(weft_gemini_cq_read(p.a.f, small, &e));
	T_OK(weft_gemini_cq_read(p.a.f, small, &e));
	T_IS(e.data, 9);
	T_IS(e.overrun, 1);
	T_AGAIN(weft_gemini_cq_read(p.a.f, small, &e));
	gemini_cq_write(p.a.f, small, WEFT_GEMINI_LOCAL, 0, 10);
	T_OK(weft_gemini_cq_read(p.a.f, small, &e));
	T_IS(e.data, 10);
	T_IS(e.overrun, 0);
	T_OK(weft_gemini_cq_close(p.a.f, small));
	T_IS(weft_gemini_cq_read(p.a.f, small, &e), -EINVAL);
	pair_close(&p);
}

static void a_later_error_does_not_hide_the_first(void **state)
{
	struct pair p;
	uint64_t v = 1;

	pair_open(&p);
	T_OK(weft_gemini_store(p.a.f, 0, PAIR_BYTES - 4, &v, 8));
	for (int i = 0; i < 100; i++)
		pair_run(&p, 1);
	T_OK(weft_gemini_mem_close(p.b.f, p.b.mdh));
	T_OK(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	T_IS(pair_sync(&p, 0).status, WEFT_GEMINI_BOUNDS);
	pair_close(&p);
}

/* Returns the id of the only outstanding request of a. */
static uint32_t id_in_flight(const struct pair *p)
{
	for (uint32_t i = 0; i < WEFT_GEMINI_ORB; i++)
		if (p->a.f->orb[i].used)
			return (uint32_t)p->a.f->orb[i].gen << 16 | i;
	fail_msg("nothing is in flight");
	return 0;
}

/* Only the target may respond, and only with the requested bytes. */
static void a_response_must_match_its_request(void **state)
{
	struct weft_gemini_local to = { .offset = 64 };
	struct weft_pkt k = { .type = GEMINI_PKT,
			      .flags = GEMINI_REPLY,
			      .len = 8 };
	uint64_t data = 99;
	struct pair p;

	pair_open(&p);
	to.mdh = (uint16_t)p.a.mdh;
	T_OK(weft_gemini_get(p.a.f, 0, 0, &to, 16));
	k.aux = id_in_flight(&p);
	gemini_rx_deliver(p.a.f, gemini_peer(p.a.f, 0), &k, &data);
	T_IS(id_in_flight(&p), k.aux);
	T_IS(p.a.mem[64], 0);
	gemini_rx_deliver(p.a.f, gemini_peer(p.a.f, 1), &k, &data);
	T_IS(p.a.mem[64], 0);
	T_IS(pair_sync(&p, 0).status, WEFT_GEMINI_HT_DATA);
	pair_close(&p);
}

/*
 * A put with GEMINI_REQ_PROMPT is acknowledged at once; the acknowledgements of
 * other puts are batched.
 */
static void prompt_requests_are_acknowledged_first(void **state)
{
	struct weft_pkt k = { .type = GEMINI_PKT, .flags = GEMINI_PUT };
	struct weft_peer *src;
	struct pair p;

	pair_open(&p);
	src = gemini_peer(p.b.f, 0);
	k.unit = gemini_unit(p.b.mdh, 3, 0);
	gemini_rx_deliver(p.b.f, src, &k, NULL);
	T_FALSE(weft_list_empty(&p.b.f->responses.unsent));
	k.unit = gemini_unit(p.b.mdh, 3, GEMINI_REQ_PROMPT);
	gemini_rx_deliver(p.b.f, src, &k, NULL);
	T_TRUE(weft_list_empty(&p.b.f->responses.unsent));
	pair_close(&p);
}

static void a_get_of_partial_words_is_refused(void **state)
{
	struct weft_pkt k = { .type = GEMINI_PKT, .flags = GEMINI_GET };
	struct weft_gemini_stats st;
	struct pair p;

	pair_open(&p);
	k.unit = gemini_unit(p.b.mdh, 3, 0);
	for (unsigned bytes = 4; bytes < 8; bytes++) {
		k.tag = gemini_tag(0, bytes);
		gemini_rx_deliver(p.b.f, gemini_peer(p.b.f, 0), &k, NULL);
		weft_gemini_stats(p.b.f, &st);
		T_IS(st.rejected, bytes - 4);
	}
	pair_close(&p);
}

/*
 * Phits of request and response: 8-byte put 11 + 2, 64-byte put 32 + 2, 64-byte
 * get 8 + 27.
 */
static void phit_counts_match_the_paper(void **state)
{
	T_IS(gemini_put_phits(8), 11);
	T_IS(gemini_put_phits(64), 32);
	T_IS(GEMINI_RSP_PHITS, 2);
	T_IS(GEMINI_GET_PHITS, 8);
	T_IS(gemini_reply_phits(64), 27);
}

static void datagrams_carry_128_bytes(void **state)
{
	struct pair p;

	pair_open(&p);
	T_OK(weft_gemini_datagram_send(p.a.f, 1, "hello", 6));
	for (int i = 0; i < 1000 && !p.b.datagram[0]; i++)
		pair_run(&p, 1);
	T_STR(p.b.datagram, "hello");
	T_IS(weft_gemini_datagram_send(p.a.f, 1, p.a.mem, 129), -EMSGSIZE);
	pair_close(&p);
}

static void requests_to_a_lost_node_time_out(void **state)
{
	struct weft_gemini_event e;
	struct pair p;
	uint64_t v = 1;

	pair_open(&p);
	T_OK(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	T_OK(pair_sync(&p, 0).status);
	T_OK(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	weft_gemini_close(p.b.f);
	for (int i = 0; i < 1000000; i++) {
		weft_gemini_poll(p.a.f, 16);
		weft_gemini_sync(p.a.f, 0, 5);
		if (weft_gemini_cq_read(p.a.f, p.a.cq, &e) == 0)
			break;
	}
	T_IS(e.data, 5);
	T_IS(e.status, WEFT_GEMINI_TIMEOUT);
	weft_gemini_close(p.a.f);
	free(p.a.mem);
	free(p.b.mem);
}

static void random_packets_are_refused(void **state)
{
	unsigned char payload[2048];
	struct weft_gemini_stats st;
	struct weft_peer *src;
	struct weft_rng r;
	struct weft_pkt k;
	struct pair p;

	pair_open(&p);
	weft_rng_init(&r, 5, 0);
	src = weft_port_peer(&p.b.f->port, 0);
	for (int i = 0; i < t_scale(100000); i++) {
		weft_rng_fill(&r, &k, sizeof(k));
		weft_rng_fill(&r, payload, sizeof(payload));
		k.type = GEMINI_PKT;
		k.flags = (uint8_t)weft_rng_below(&r, 9);
		k.len = (uint16_t)weft_rng_below(&r, sizeof(payload));
		if (weft_rng_below(&r, 2))
			k.unit = gemini_unit(p.b.mdh, 3, 0);
		if (weft_rng_below(&r, 2))
			k.tag = gemini_tag(weft_rng_below(&r, 2 * PAIR_BYTES),
					   (unsigned)weft_rng_below(&r, 128));
		gemini_rx_deliver(p.b.f, src, &k, payload);
		pair_run(&p, 1);
	}
	weft_gemini_stats(p.b.f, &st);
	T_TRUE(st.rejected > 100);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_store_puts_up_to_64_bytes),
		T_CASE(window_bits_choose_the_element),
		T_CASE(virtual_elements_are_translated_by_their_upper_bits),
		T_CASE(ntt_granularity),
		T_CASE(a_virtual_handle_maps_to_a_target_handle),
		T_CASE(a_get_returns_4_to_64_bytes),
		T_CASE(atomics_with_and_without_response),
		T_CASE(the_amo_cache_is_not_coherent_with_the_processor),
		T_CASE(lazy_atomics_are_written_on_eviction),
		T_CASE(a_flag_is_written_after_its_data_with_an_event),
		T_CASE(every_violation_has_its_own_status),
		T_CASE(another_protection_tag_is_refused),
		T_CASE(a_transaction_completes_when_all_is_acknowledged),
		T_CASE(requests_wait_when_the_buffers_are_full),
		T_CASE(a_full_queue_sets_the_overrun_flag),
		T_CASE(a_later_error_does_not_hide_the_first),
		T_CASE(a_response_must_match_its_request),
		T_CASE(prompt_requests_are_acknowledged_first),
		T_CASE(a_get_of_partial_words_is_refused),
		T_CASE(phit_counts_match_the_paper),
		T_CASE(datagrams_carry_128_bytes),
		T_CASE(requests_to_a_lost_node_time_out),
		T_CASE(random_packets_are_refused),
	};

	return T_RUN(tests);
}
