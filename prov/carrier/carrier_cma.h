/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between this process and another one of the same host. */
#ifndef WEFT_PROV_CARRIER_CMA_H
#define WEFT_PROV_CARRIER_CMA_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Lets processes of the same user reach our memory where Yama asks for it. */
void carrier_cma_allow(void);

/*
 * Moves all bytes of local to (write) or from remote in process pid. 0;
 * -EFAULT: some address is not there, data may have moved in part; -ESRCH;
 * -EPERM, -ENOSYS: not on this host.
 */
int carrier_cma(pid_t pid, bool write, const struct iovec *local, int count,
		uint64_t remote);

#endif
