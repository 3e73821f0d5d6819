/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between this process and another one of the same host. */
#ifndef WEFT_PROV_CARRIER_CMA_H
#define WEFT_PROV_CARRIER_CMA_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Lets processes of the same user reach our memory where Yama asks for it. */
void carrier_cma_allow(void);

/* One call; bytes that have moved, or -1 with errno. */
static inline ssize_t carrier_cma_call(pid_t pid, bool write,
				       const struct iovec *local, int count,
				       const struct iovec *remote)
{
	if (write)
		return process_vm_writev(pid, local, (unsigned long)count,
					 remote, 1, 0);
	return process_vm_readv(pid, local, (unsigned long)count, remote, 1, 0);
}

/* What is left of carrier_cma() after so many bytes. */
int carrier_cma_rest(pid_t pid, bool write, const struct iovec *local,
		     int count, uint64_t remote, size_t done);

/*
 * Moves all bytes of local to (write) or from remote in process pid. 0;
 * -EFAULT: some address is not there, data may have moved in part; -ESRCH;
 * -EPERM, -ENOSYS: not on this host.
 */
static inline int carrier_cma(pid_t pid, bool write, const struct iovec *local,
			      int count, uint64_t remote)
{
	struct iovec theirs;
	ssize_t n = 0;

	/* One piece, as nearly everything is. Inline, like what calls it: the
	 * kernel leaves the processor without its memory of return addresses,
	 * and each frame that is left then costs a wrong guess. */
	if (count == 1 && local->iov_len) {
		theirs.iov_base = (void *)(uintptr_t)remote;
		theirs.iov_len = local->iov_len;
		n = carrier_cma_call(pid, write, local, 1, &theirs);
		if (n == (ssize_t)local->iov_len)
			return 0;
		if (n <= 0)
			return n ? -errno : -EFAULT;
	}
	return carrier_cma_rest(pid, write, local, count, remote, (size_t)n);
}

#endif
