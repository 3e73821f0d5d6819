/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows, acknowledgements and timers of prov/arq, one at a time. */
#include "prov/arq/arq.h"
#include "src/base/attr.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <string.h>

static void a_cumulative_acknowledgement_passes_the_wrap_around(void **state)
{
	struct weft_arq_tx tx = { .next = 5, .acked = UINT32_MAX - 2 };

	T_IS(weft_arq_in_flight(&tx), 8);
	T_TRUE(weft_arq_tx_ack(&tx, UINT32_MAX - 1));
	T_IS(weft_arq_in_flight(&tx), 7);
	T_TRUE(weft_arq_tx_ack(&tx, UINT32_MAX - 1));
	T_TRUE(weft_arq_tx_ack(&tx, 5));
	T_IS(weft_arq_in_flight(&tx), 0);
}

static void impossible_acknowledgements_change_nothing(void **state)
{
	struct weft_arq_tx tx = { .next = 10, .acked = 5 };

	T_FALSE(weft_arq_tx_ack(&tx, 11));
	T_FALSE(weft_arq_tx_ack(&tx, 4));
	T_IS(tx.acked, 5);
	T_TRUE(weft_arq_tx_ack(&tx, 10));
	T_IS(tx.acked, 10);
}

static void an_acknowledgement_names_single_numbers(void **state)
{
	T_TRUE(weft_arq_ack_has(3, 2, 2));
	T_FALSE(weft_arq_ack_has(3, 2, 3));
	T_TRUE(weft_arq_ack_has(3, 2, 4));
	T_FALSE(weft_arq_ack_has(3, 2, 5));
	T_FALSE(weft_arq_ack_has(3, ~UINT64_C(0), 67));
	T_TRUE(weft_arq_ack_has(3, ~UINT64_C(0), 66));
	T_TRUE(weft_arq_ack_has(1, 0, UINT32_MAX));
}

/* An acknowledgement covers the half of the number space before it. */
static void an_acknowledgement_covers_half_of_all_numbers(void **state)
{
	static const uint32_t acks[] = {
		0, 1, 77, UINT32_MAX / 2, UINT32_MAX / 2 + 1, UINT32_MAX
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(acks); i++) {
		uint32_t ack = acks[i], half = UINT32_MAX / 2 + 1;
		struct weft_arq_win w;

		T_TRUE(weft_arq_ack_has(ack, 0, ack - 1));
		T_TRUE(weft_arq_ack_has(ack, 0, ack - half));
		T_FALSE(weft_arq_ack_has(ack, 0, ack - half - 1));
		weft_arq_win_init(&w, ack);
		T_IS(weft_arq_win_check(&w, ack - half, 1), WEFT_ARQ_OLD);
		T_IS(weft_arq_win_check(&w, ack - half - 1, 1),
		     WEFT_ARQ_OUTSIDE);
	}
}

static void duplicates_and_numbers_beyond_the_window_are_dropped(void **state)
{
	struct weft_arq_win w;

	weft_arq_win_init(&w, UINT32_MAX);
	T_IS(weft_arq_win_arrive(&w, 0, 64), WEFT_ARQ_NEW);
	T_IS(weft_arq_win_arrive(&w, 0, 64), WEFT_ARQ_OLD);
	T_FALSE(weft_arq_win_ready(&w));
	T_IS(weft_arq_win_arrive(&w, 63, 64), WEFT_ARQ_OUTSIDE);
	T_IS(weft_arq_win_arrive(&w, 62, 64), WEFT_ARQ_NEW);
	T_IS(weft_arq_win_word(&w, 0), UINT64_C(1) << 63 | 2);
	T_IS(weft_arq_win_arrive(&w, UINT32_MAX, 64), WEFT_ARQ_NEW);
	T_TRUE(weft_arq_win_ready(&w));
	weft_arq_win_advance(&w);
	weft_arq_win_advance(&w);
	T_FALSE(weft_arq_win_ready(&w));
	T_IS(weft_arq_win_arrive(&w, UINT32_MAX, 64), WEFT_ARQ_OLD);
}

static void numbers_taken_in_any_order_advance_the_window(void **state)
{
	struct weft_arq_win w;

	weft_arq_win_init(&w, UINT32_MAX);
	weft_arq_win_take(&w, UINT32_MAX);
	T_IS(w.next, 0);
	weft_arq_win_take(&w, 1);
	T_IS(w.next, 0);
	T_IS(weft_arq_win_check(&w, 1, 64), WEFT_ARQ_OLD);
	T_IS(weft_arq_win_check(&w, 0, 64), WEFT_ARQ_NEW);
	T_IS(weft_arq_win_check(&w, 64, 64), WEFT_ARQ_OUTSIDE);
	weft_arq_win_take(&w, 0);
	T_IS(w.next, 2);
	T_IS(w.top, 2);
	T_FALSE(weft_arq_win_ready(&w));
	T_IS(weft_arq_win_check(&w, 1, 64), WEFT_ARQ_OLD);
}

static void a_window_of_one_number_takes_the_next_only(void **state)
{
	struct weft_arq_win w;

	weft_arq_win_init(&w, 7);
	T_IS(weft_arq_win_arrive(&w, 8, 1), WEFT_ARQ_OUTSIDE);
	T_IS(weft_arq_win_arrive(&w, 6, 1), WEFT_ARQ_OLD);
	T_IS(weft_arq_win_arrive(&w, 7, 1), WEFT_ARQ_NEW);
	weft_arq_win_undo(&w, 7);
	T_FALSE(weft_arq_win_ready(&w));
	T_IS(weft_arq_win_arrive(&w, 7, 1), WEFT_ARQ_NEW);
	weft_arq_win_advance(&w);
	T_IS(w.next, 8);
}

/* Compares a window with an array of flags, one per number. */
static void check_arrivals(uint32_t window)
{
	enum { N = 40000, FIRST = -2000 };
	static bool arrived[N];
	struct weft_arq_win w;
	uint32_t next = 0;
	struct weft_rng rng;

	memset(arrived, 0, sizeof(arrived));
	weft_arq_win_init(&w, (uint32_t)FIRST);
	weft_rng_init(&rng, 5, window);
	while (next < N - 2 * WEFT_ARQ_WINDOW) {
		uint32_t ahead = (uint32_t)weft_rng_below(&rng, window + 100);
		uint32_t seq = next + (ahead % 3 != 1 ? ahead % 90 : ahead);

		T_IS(weft_arq_win_arrive(&w, (uint32_t)FIRST + seq, window),
		     seq - next >= window ? WEFT_ARQ_OUTSIDE
		     : arrived[seq]	  ? WEFT_ARQ_OLD
					  : WEFT_ARQ_NEW);
		arrived[seq] |= seq - next < window;
		for (uint32_t i = 0; i < WEFT_ARQ_WINDOW; i++) {
			uint64_t word = i / 64 < weft_arq_win_words(&w)
						? weft_arq_win_word(&w, i / 64)
						: 0;

			if ((word >> i % 64 & 1) != arrived[next + i])
				T_IS(i, WEFT_ARQ_WINDOW);
		}
		for (; weft_arq_win_ready(&w); next++)
			weft_arq_win_advance(&w);
		T_FALSE(arrived[next]);
		if (next)
			T_IS(weft_arq_win_arrive(&w, (uint32_t)FIRST + next - 1,
						 window),
			     WEFT_ARQ_OLD);
	}
}

static void windows_track_arrivals(void **state)
{
	check_arrivals(64);
	check_arrivals(WEFT_ARQ_WINDOW);
}

static void a_timer_doubles_its_time_up_to_a_limit(void **state)
{
	struct weft_arq_timer t;

	weft_arq_timer_start(&t, 100, 8);
	T_FALSE(weft_arq_timer_expired(&t, 107, 50));
	T_TRUE(weft_arq_timer_expired(&t, 108, 50));
	T_FALSE(weft_arq_timer_expired(&t, 123, 50));
	T_TRUE(weft_arq_timer_expired(&t, 130, 50));
	T_IS(t.due, 162);
	T_TRUE(weft_arq_timer_expired(&t, 162, 50));
	T_IS(t.due, 212);
	T_TRUE(weft_arq_timer_expired(&t, 300, 50));
	T_IS(t.due, 350);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_cumulative_acknowledgement_passes_the_wrap_around),
		T_CASE(impossible_acknowledgements_change_nothing),
		T_CASE(an_acknowledgement_names_single_numbers),
		T_CASE(an_acknowledgement_covers_half_of_all_numbers),
		T_CASE(duplicates_and_numbers_beyond_the_window_are_dropped),
		T_CASE(numbers_taken_in_any_order_advance_the_window),
		T_CASE(a_window_of_one_number_takes_the_next_only),
		T_CASE(windows_track_arrivals),
		T_CASE(a_timer_doubles_its_time_up_to_a_limit),
	};

	return T_RUN(tests);
}
