/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/base/bell.h"

#include "src/base/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* futex_waitv came with Linux 5.16; headers may be older than the kernel. */
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#define BELL_U32 2u /* FUTEX_32, which newer headers call FUTEX2_SIZE_U32 */

struct bell_wait { /* the kernel's struct futex_waitv */
	uint64_t is;
	uint64_t at;
	uint32_t flags;
	uint32_t zero;
};

uint32_t weft_bell_ring(struct weft_bell *b)
{
	/* cleared first: who lies down after this hears the ring below */
	uint32_t how = weft_swap32(&b->asleep, 0);

	weft_add32(&b->ring, 1);
	if (how & WEFT_BELL_RING)
		syscall(SYS_futex, &b->ring, FUTEX_WAKE, INT_MAX, NULL, NULL,
			0);
	return how;
}

int weft_bell_sleep(weft_au32 *own, uint32_t own_is, struct weft_bell *bell,
		    uint32_t heard, uint64_t ns)
{
	uint64_t end = weft_now_ns() + ns;
	struct timespec until = { .tv_sec = (time_t)(end / 1000000000u),
				  .tv_nsec = (long)(end % 1000000000u) };
	struct bell_wait w[2] = {
		{ own_is, (uintptr_t)own, BELL_U32, 0 },
		{ heard, (uintptr_t)&bell->ring, BELL_U32, 0 },
	};

	if (syscall(SYS_futex_waitv, w, 2, 0, &until, CLOCK_MONOTONIC) >= 0)
		return 0;
	return errno == ETIMEDOUT || errno == ENOSYS ? -errno : 0;
}
