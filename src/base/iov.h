/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers segments into a buffer, scatters a buffer into segments. */
#ifndef WEFT_BASE_IOV_H
#define WEFT_BASE_IOV_H

#include <stddef.h>
#include <string.h>
#include <sys/uio.h>

/*
 * Copies the segments into one buffer. Returns the number of bytes copied. An
 * empty segment may have no address.
 */
static inline size_t weft_iov_gather(void *to, const struct iovec *iov,
				     int count)
{
	char *p = to;

	for (int i = 0; i < count; i++) {
		if (!iov[i].iov_len)
			continue;
		memcpy(p, iov[i].iov_base, iov[i].iov_len);
		p += iov[i].iov_len;
	}
	return (size_t)(p - (char *)to);
}

static inline void weft_iov_scatter(const struct iovec *iov, int count,
				    const void *from)
{
	const char *p = from;

	for (int i = 0; i < count; i++) {
		if (!iov[i].iov_len)
			continue;
		memcpy(iov[i].iov_base, p, iov[i].iov_len);
		p += iov[i].iov_len;
	}
}

#endif
