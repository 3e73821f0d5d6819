/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one place where -errno becomes -FI_E*. libfabric took most of errno's
 * numbers over; the table holds those it did not take and those that mean
 * something else there.
 */
#include "prov/ofi/weft_err.h"

#include <stdio.h>

static const struct {
	int err;
	int fi;
} differ[] = {
	{ EOVERFLOW, FI_ETRUNC }, /* longer than the receive buffer */
	{ ENOKEY, FI_ENOKEY },
	{ EPROTO, FI_EIO }, /* a peer broke the packet format */
	{ EBADMSG, FI_EIO },
	{ EPIPE, FI_ECONNRESET },
	{ ESRCH, FI_ECONNRESET }, /* the peer's process is gone */
	{ ENETRESET, FI_ECONNRESET },
	{ ERANGE, FI_EINVAL },
	{ ENFILE, FI_EMFILE },
	{ EEXIST, FI_EADDRINUSE },
};

ssize_t weft_ofi_err(ssize_t err)
{
	if (err >= 0 || err == -EAGAIN)
		return err;
	for (size_t i = 0; i < WEFT_COUNT_OF(differ); i++)
		if (differ[i].err == -err)
			return -differ[i].fi;
	return err;
}

const char *weft_strerror(int prov_errno, char *buf, size_t len)
{
	const char *text = fi_strerror(prov_errno);

	if (!buf || !len)
		return text;
	snprintf(buf, len, "%s", text);
	return buf;
}
