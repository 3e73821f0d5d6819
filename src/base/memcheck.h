/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks for valgrind, which does not see that another process writes memory of
 * this process: without them its tool memcheck would report each use of these
 * bytes as a use of uninitialised values.
 */
#ifndef WEFT_BASE_MEMCHECK_H
#define WEFT_BASE_MEMCHECK_H

#include <stddef.h>
#include <sys/uio.h>

/* Without the header of valgrind's package the marks have no effect. */
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_DEFINED(addr, len) ((void)(addr), (void)(len))
#endif

/* Marks bytes that another process has written, or may write at any time. */
static inline void weft_peer_wrote(const void *addr, size_t len)
{
	(void)VALGRIND_MAKE_MEM_DEFINED(addr, len);
}

/* Marks the first `bytes` bytes of the segments. */
static inline void weft_peer_wrote_iov(const struct iovec *iov, int count,
				       size_t bytes)
{
	for (int i = 0; i < count && bytes; i++) {
		size_t len = iov[i].iov_len < bytes ? iov[i].iov_len : bytes;

		weft_peer_wrote(iov[i].iov_base, len);
		bytes -= len;
	}
}

#endif
