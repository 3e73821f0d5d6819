/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes a and b have two units (rails) each. The rails of a process share
 * only its memory.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

#define RAILS 2
#define BYTES (1 << 20)

struct process {
	struct weft_qsnet2 *s[RAILS];
	unsigned char *mem;
	struct weft_qsnet2_rails *r;
};

static struct process p[2];

static void rails_open(void)
{
	struct weft_qsnet2_attr a = { .place = { .carrier = "loop" } };
	struct sockaddr_in name;
	unsigned q;

	for (unsigned i = 0; i < 2; i++) {
		p[i].mem = aligned_alloc(64, BYTES);
		memset(p[i].mem, 0, BYTES);
		for (unsigned k = 0; k < RAILS; k++) {
			T_OK(weft_qsnet2_open(&a, &p[i].s[k]));
			T_OK(weft_qsnet2_map(p[i].s[k], 2, p[i].mem, BYTES,
					     WEFT_QSNET2_ALL));
			T_OK(weft_qsnet2_filter(p[i].s[k], 2,
						WEFT_QSNET2_ACCEPT));
		}
	}
	for (unsigned k = 0; k < RAILS; k++) {
		for (uint32_t i = 0; i < 2; i++) {
			weft_qsnet2_name(p[i].s[k], &name);
			T_OK(weft_qsnet2_route_set(p[0].s[k], i, &name, 2));
			T_OK(weft_qsnet2_route_set(p[1].s[k], i, &name, 2));
		}
	}
	/* one rail has another queue; the queue numbers must still agree */
	T_OK(weft_qsnet2_queue_open(p[0].s[1], 2, 1024, 255, 0, &q));
	for (unsigned i = 0; i < 2; i++)
		T_OK(weft_qsnet2_rails_open(p[i].s, RAILS, 2, &p[i].r));
}

static void rails_close(void)
{
	for (unsigned i = 0; i < 2; i++) {
		weft_qsnet2_rails_close(p[i].r);
		for (unsigned k = 0; k < RAILS; k++)
			weft_qsnet2_close(p[i].s[k]);
		free(p[i].mem);
	}
	memset(p, 0, sizeof(p));
}

/* Polls the rails whose bits are set in `which`, at both processes. */
static void rails_run(int polls, unsigned which)
{
	for (int t = 0; t < polls; t++)
		for (unsigned i = 0; i < 2; i++)
			for (unsigned k = 0; k < RAILS; k++)
				if (which >> k & 1 && p[i].s[k])
					weft_qsnet2_poll(p[i].s[k], 16);
}

static struct weft_qsnet2_stats stats(unsigned i, unsigned k)
{
	struct weft_qsnet2_stats st;

	weft_qsnet2_stats(p[i].s[k], &st);
	return st;
}

static struct weft_qsnet2_event *event_at(unsigned i, size_t off)
{
	return (struct weft_qsnet2_event *)(void *)(p[i].mem + off);
}

static uint64_t word_at(unsigned i, size_t off)
{
	return (uintptr_t)p[i].mem + off;
}

static void put_or_get(bool get, uint32_t bytes)
{
	unsigned from = get ? 1 : 0;
	struct weft_qsnet2_dma d = {
		.bytes = bytes,
		.flags = get ? WEFT_QSNET2_DMA_REMOTE : 0,
		.restarts = 255,
		.vproc = 1,
		.src = word_at(from, 4096),
		.dst = word_at(!from, 4101),
		.src_event = word_at(from, 0),
		.dst_event = word_at(!from, 64),
	};

	event_at(from, 0)->count = -1;
	event_at(!from, 64)->count = -1;
	t_fill(p[from].mem + 4096, bytes, bytes);
	T_OK(weft_qsnet2_rails_dma(p[0].r, &d));
}

static void check_put_or_get(bool get, uint32_t bytes)
{
	unsigned from = get ? 1 : 0;

	T_IS(event_at(from, 0)->count, 0);
	T_IS(event_at(!from, 64)->count, 0);
	T_IS(t_differs(p[!from].mem + 4101, bytes, bytes), -1);
	T_IS(p[!from].mem[4101 + bytes], 0);
}

/* Each rail carries half of the data; one event is set at each end. */
static void a_long_dma_uses_both_rails(void **state)
{
	static const uint32_t sizes[] = { 4096, 4097, 6000, 100001, 900000 };

	for (unsigned get = 0; get < 2; get++) {
		for (unsigned i = 0; i < WEFT_COUNT_OF(sizes); i++) {
			rails_open();
			put_or_get(get, sizes[i]);
			rails_run(2000, 3);
			check_put_or_get(get, sizes[i]);
			T_IS(event_at(get, 0)->fired, 1);
			T_IS(event_at(!get, 64)->fired, 1);
			T_IS(stats(get, 0).dmas, 1);
			T_IS(stats(get, 1).dmas, 1);
			rails_close();
		}
	}
}

/* One rail is not polled and its half is missing, so no event is set. */
static void the_events_wait_for_the_slower_rail(void **state)
{
	for (unsigned get = 0; get < 2; get++) {
		for (unsigned slow = 0; slow < RAILS; slow++) {
			rails_open();
			put_or_get(get, 200000);
			rails_run(1000, 1u << !slow);
			T_IS(event_at(get, 0)->count, -1);
			T_IS(event_at(!get, 64)->count, -1);
			rails_run(1000, 3);
			check_put_or_get(get, 200000);
			rails_close();
		}
	}
}

static void consecutive_split_dmas(void **state)
{
	rails_open();
	for (uint32_t i = 0; i < 300; i++) {
		put_or_get(i & 1, 5000 + i);
		rails_run(100, 3);
		check_put_or_get(i & 1, 5000 + i);
		memset(p[0].mem + 4096, 0, 10000);
		memset(p[1].mem + 4096, 0, 10000);
	}
	rails_close();
}

static void add_word(unsigned count)
{
	uint64_t w[16];
	struct weft_qsnet2_stream st = { .word = w, .max = 16 };
	uint64_t one = 1;

	weft_qsnet2_open_packet(&st, 0, 1, 255);
	weft_qsnet2_transaction(&st,
				WEFT_QSNET2_T_ADD_WORD | WEFT_QSNET2_T_LAST,
				word_at(1, 128), &one, 8);
	for (unsigned i = 0; i < count; i++)
		T_OK(weft_qsnet2_rails_write(p[0].r, w, st.count));
}

static void packets_use_either_rail(void **state)
{
	rails_open();
	add_word(20);
	rails_run(500, 3);
	T_IS(*(uint64_t *)(void *)(p[1].mem + 128), 20);
	T_IS(stats(0, 0).packets, 10);
	T_IS(stats(0, 1).packets, 10);
	rails_close();
}

/* First a queue has trapped, then a rail has no route to the process. */
static void a_failed_rail_is_skipped(void **state)
{
	uint64_t bad = 0xff;
	uint64_t before;

	rails_open();
	T_OK(weft_qsnet2_queue_write(
		p[0].s[0], qsnet2_queue(p[0].s[0], 1)->number, &bad, 1));
	rails_run(10, 3);
	add_word(20);
	rails_run(500, 3);
	T_IS(*(uint64_t *)(void *)(p[1].mem + 128), 20);
	T_IS(stats(0, 1).packets, 20);
	put_or_get(false, 100000);
	rails_run(2000, 3);
	check_put_or_get(false, 100000);
	T_IS(stats(0, 0).dmas, 0);
	rails_close();

	rails_open();
	put_or_get(false, 100000);
	rails_run(2000, 3);
	before = stats(0, 0).dmas;
	weft_qsnet2_rails_close(p[1].r);
	p[1].r = NULL;
	weft_qsnet2_close(p[1].s[1]);
	p[1].s[1] = NULL;
	rails_run(3000, 3);
	put_or_get(false, 120000);
	rails_run(2000, 3);
	check_put_or_get(false, 120000);
	T_IS(stats(0, 0).dmas, before + 1);
	rails_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_long_dma_uses_both_rails),
		T_CASE(the_events_wait_for_the_slower_rail),
		T_CASE(consecutive_split_dmas),
		T_CASE(packets_use_either_rail),
		T_CASE(a_failed_rail_is_skipped),
	};

	return T_RUN(tests);
}
