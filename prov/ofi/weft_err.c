/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The only place where -errno is converted to -FI_E*. libfabric uses most errno
 * numbers unchanged; the table contains the others.
 */
#include "prov/ofi/weft_err.h"

#include <stdio.h>

static const struct {
	int err;
	int fi;
} differ[] = {
	{ EOVERFLOW, FI_ETRUNC }, /* message longer than the receive buffer */
	{ ENOKEY, FI_ENOKEY },
	{ EPROTO, FI_EIO }, /* a peer sent an invalid packet */
	{ EBADMSG, FI_EIO },
	{ EPIPE, FI_ECONNRESET },
	{ ESRCH, FI_ECONNRESET }, /* the peer's process has ended */
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
