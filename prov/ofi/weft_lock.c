/* SPDX-License-Identifier: BSD-3-Clause */
/* The rare half of the domain's mutex: two threads met. */
#include "prov/ofi/weft_lock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000u

/* Turns before sleeping: a holder is inside for well under a microsecond. */
#define SPIN_TURNS 100

int weft_futex_sleep(weft_au32 *word, uint32_t value, uint64_t timeout_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(timeout_ns / NS_PER_S),
		.tv_nsec = (long)(timeout_ns % NS_PER_S),
	};

	if (syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value,
		    timeout_ns == UINT64_MAX ? NULL : &ts, NULL, 0) == 0)
		return 0;
	return errno == ETIMEDOUT ? -ETIMEDOUT : 0;
}

void weft_futex_wake(weft_au32 *word, int count)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

void weft_mutex_lock_slow(struct weft_mutex *m)
{
	for (int i = 0; i < SPIN_TURNS; i++) {
		uint32_t expect = 0;

		weft_relax();
		if (weft_cas32(&m->word, &expect, 1))
			return;
	}
	/* From here on the word says 2, so that the holder wakes us. */
	while (weft_swap32(&m->word, 2) != 0)
		weft_futex_sleep(&m->word, 2, UINT64_MAX);
}

void weft_mutex_wake(struct weft_mutex *m)
{
	weft_futex_wake(&m->word, 1);
}
