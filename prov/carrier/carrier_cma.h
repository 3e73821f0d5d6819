/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between this process and another process on the same host. */
#ifndef WEFT_PROV_CARRIER_CMA_H
#define WEFT_PROV_CARRIER_CMA_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/*
 * Lets processes of the same user access this process's memory where Yama
 * restricts it.
 */
void carrier_cma_allow(void);

/*
 * Makes one system call; returns the number of bytes copied, or -1 with errno
 * set.
 */
static inline ssize_t carrier_cma_call(pid_t pid, bool write,
				       const struct iovec *local, int count,
				       const struct iovec *remote)
{
	if (write)
		return process_vm_writev(pid, local, (unsigned long)count,
					 remote, 1, 0);
	return process_vm_readv(pid, local, (unsigned long)count, remote, 1, 0);
}

/* Continues carrier_cma() after `done` bytes. */
int carrier_cma_continue(pid_t pid, bool write, const struct iovec *local,
			 int count, uint64_t remote, size_t done);

/*
 * Copies all bytes of local to (write) or from remote in process pid. Returns
 * 0; -EFAULT: an address does not exist, and some data may have been copied;
 * -ESRCH; -EPERM, -ENOSYS: CMA is not available on this host.
 */
static inline int carrier_cma(pid_t pid, bool write, const struct iovec *local,
			      int count, uint64_t remote)
{
	struct iovec theirs;
	ssize_t n = 0;

	/*
	 * Fast path for one segment. The function and its callers are inline:
	 * the system call clears the processor's return stack, so each return
	 * from an outer frame would be mispredicted.
	 */
	if (count == 1 && local->iov_len) {
		theirs.iov_base = (void *)(uintptr_t)remote;
		theirs.iov_len = local->iov_len;
		n = carrier_cma_call(pid, write, local, 1, &theirs);
		if (n == (ssize_t)local->iov_len)
			return 0;
		if (n <= 0)
			return n ? -errno : -EFAULT;
	}
	return carrier_cma_continue(pid, write, local, count, remote,
				    (size_t)n);
}

#endif
