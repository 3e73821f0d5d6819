/* SPDX-License-Identifier: BSD-3-Clause */
/* Event word: a notification wakes all waiters. */
#include "src/os/event_word.h"

#include "src/base/futex.h"

uint32_t weft_event_notify_all(struct weft_event *b)
{
	/*
	 * The bits are cleared first: a waiter that sets its bit after this
	 * sees the change of the notification counter below.
	 */
	uint32_t bits = weft_swap32(&b->waiter_bits, 0);

	weft_add32(&b->ring, 1);
	if (bits & WEFT_EVENT_NOTIFY)
		weft_futex_wake(&b->ring, WEFT_FUTEX_ALL, WEFT_FUTEX_PROCESSES);
	return bits;
}

void weft_event_block(struct weft_event *event_word, uint32_t seen, uint64_t ns)
{
	weft_futex_wait(&event_word->ring, seen, ns, WEFT_FUTEX_PROCESSES);
}

int weft_event_wait(weft_au32 *own, uint32_t own_is,
		    struct weft_event *event_word, uint32_t seen, uint64_t ns)
{
	return weft_futex_wait_two((weft_au32 *[2]){ own, &event_word->ring },
				   (uint32_t[2]){ own_is, seen }, ns);
}
