/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's counter of executed instructions (instructions.h). */
#include "src/os/instructions.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int weft_instructions_open(void)
{
	struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE,
				     .size = sizeof(a),
				     .config = PERF_COUNT_HW_INSTRUCTIONS,
				     .exclude_kernel = 1,
				     .exclude_hv = 1 };
	long fd = syscall(SYS_perf_event_open, &a, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}
