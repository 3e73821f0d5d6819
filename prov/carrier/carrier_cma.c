/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between processes by process_vm_readv() and process_vm_writev(). */
#include "prov/carrier/carrier_cma.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CMA_IOV 64 /* maximum number of segments in one call */

void carrier_cma_allow(void)
{
	char scope = '0';
	int fd = open("/proc/sys/kernel/yama/ptrace_scope",
		      O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (read(fd, &scope, 1) == 1 && scope == '1')
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	close(fd);
}

/* Position in a list of segments. */
struct cma_pos {
	const struct iovec *iov;
	int count;
	size_t done; /* bytes of the first segment already copied */
};

/*
 * Fills out with the next segments and sets *bytes_p to their length; returns
 * the number of segments.
 */
static int cma_next(const struct cma_pos *pos, struct iovec *out,
		    size_t *bytes_p)
{
	int n = 0;

	*bytes_p = 0;
	for (; n < CMA_IOV && n < pos->count; n++) {
		size_t skip = n ? 0 : pos->done;

		out[n].iov_base = (char *)pos->iov[n].iov_base + skip;
		out[n].iov_len = pos->iov[n].iov_len - skip;
		*bytes_p += out[n].iov_len;
	}
	return n;
}

static void cma_advance(struct cma_pos *pos, size_t bytes)
{
	while (pos->count && bytes >= pos->iov->iov_len - pos->done) {
		bytes -= pos->iov->iov_len - pos->done;
		pos->done = 0;
		pos->iov++;
		pos->count--;
	}
	pos->done += bytes;
}

static int cma_many(pid_t pid, bool write, struct cma_pos pos, uint64_t remote)
{
	struct iovec piece[CMA_IOV];
	struct iovec theirs;
	ssize_t n;
	int pieces;

	for (;;) {
		cma_advance(&pos, 0); /* skip empty segments */
		if (!pos.count)
			return 0;
		pieces = cma_next(&pos, piece, &theirs.iov_len);
		theirs.iov_base = (void *)(uintptr_t)remote;
		n = carrier_cma_call(pid, write, piece, pieces, &theirs);
		if (n < 0)
			return -errno;
		if (!n)
			return -EFAULT;
		remote += (uint64_t)n;
		cma_advance(&pos, (size_t)n);
	}
}

int carrier_cma_continue(pid_t pid, bool write, const struct iovec *local,
			 int count, uint64_t remote, size_t done)
{
	struct cma_pos pos = { .iov = local, .count = count };

	cma_advance(&pos, done);
	return cma_many(pid, write, pos, remote + done);
}
