/* SPDX-License-Identifier: BSD-3-Clause */
/* membarrier(2): registration and use. */
#include "src/base/fence.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static int membarrier(int cmd)
{
	int ret = (int)syscall(SYS_membarrier, cmd, 0, 0);

	return ret < 0 ? -errno : ret;
}

int weft_membarrier_register(void)
{
	int can = membarrier(MEMBARRIER_CMD_QUERY);

	if (can < 0)
		return can;
	if (!(can & MEMBARRIER_CMD_GLOBAL_EXPEDITED))
		return -ENOSYS;
	return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

void weft_membarrier(void)
{
	membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}
