/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that an event word loses no notification between threads. */
#include "src/os/event_word.h"
#include "test/t.h"

#include <errno.h>
#include <pthread.h>

#define LONG_NS UINT64_C(20000000000)

struct event {
	struct weft_event event_word;
	weft_au32 own;
	weft_au32 word;
	weft_au32 woken;
};

/* Waiter thread: prepares to wait, checks the word again, blocks. */
static void *waiter(void *arg)
{
	struct event *r = arg;

	while (!weft_load32(&r->word)) {
		uint32_t seen = weft_event_prepare_wait(&r->event_word,
							WEFT_EVENT_NOTIFY);

		weft_fence_full();
		if (weft_load32(&r->word))
			break;
		if (weft_event_wait(&r->own, 0, &r->event_word, seen, LONG_NS))
			return arg;
	}
	weft_add32(&r->woken, 1);
	return NULL;
}

static void one_notification_wakes_all_waiters(void **state)
{
	struct event r = { .word = 0 };
	pthread_t t[8];
	void *bad;

	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&t[i], NULL, waiter, &r), 0);
	while (!weft_event_has_waiters(&r.event_word))
		;
	weft_store32(&r.word, 1);
	weft_fence_full();
	if (weft_event_has_waiters(&r.event_word))
		assert_int_equal(weft_event_notify_all(&r.event_word),
				 WEFT_EVENT_NOTIFY);
	for (int i = 0; i < 8; i++) {
		pthread_join(t[i], &bad);
		assert_null(bad);
	}
	assert_int_equal(weft_load32(&r.woken), 8);
}

static void wait_times_out(void **state)
{
	struct event r = { .word = 0 };
	uint32_t seen =
		weft_event_prepare_wait(&r.event_word, WEFT_EVENT_NOTIFY);

	assert_int_equal(weft_event_wait(&r.own, 0, &r.event_word, seen, 1000),
			 -ETIMEDOUT);
}

static void notify_or_changed_word_prevents_block(void **state)
{
	struct event r = { .word = 0 };
	uint32_t seen =
		weft_event_prepare_wait(&r.event_word, WEFT_EVENT_NOTIFY);

	assert_int_equal(weft_event_notify_all(&r.event_word),
			 WEFT_EVENT_NOTIFY);
	assert_false(weft_event_has_waiters(&r.event_word));
	assert_int_equal(
		weft_event_wait(&r.own, 0, &r.event_word, seen, LONG_NS), 0);
	assert_int_equal(
		weft_event_wait(&r.own, 1, &r.event_word, seen + 1, LONG_NS),
		0);
}

static void nudge_waiters_are_distinguished(void **state)
{
	struct event r = { .word = 0 };

	weft_event_prepare_wait(&r.event_word, WEFT_EVENT_NUDGE);
	assert_true(weft_event_has_waiters(&r.event_word));
	assert_int_equal(weft_event_notify_all(&r.event_word),
			 WEFT_EVENT_NUDGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_notification_wakes_all_waiters),
		cmocka_unit_test(wait_times_out),
		cmocka_unit_test(notify_or_changed_word_prevents_block),
		cmocka_unit_test(nudge_waiters_are_distinguished),
	};

	return T_RUN(tests);
}
