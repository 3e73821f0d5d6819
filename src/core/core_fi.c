/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion of libfabric's error codes (core_fi.h). */
#include "src/core/core_fi.h"

#include <errno.h>
#include <rdma/fi_errno.h>

int weft_fi_errno(int rc)
{
	if (rc == 0)
		return 0;
	if (rc == -FI_ETRUNC || rc == -FI_ETOOSMALL)
		return -EMSGSIZE;
	if (rc > -FI_ERRNO_OFFSET)
		return rc;
	return -EIO;
}
