/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens other providers through libfabric's library (boot_fabric_shim.h). */
#include "src/boot/boot_fabric_shim.h"

#include "src/base/attr.h"

static int other_open(const struct fi_info *hints, struct fi_info **info_p,
		      struct fid_fabric **fabric_p, const char **what_p)
{
	int rc;

	*what_p = "fi_getinfo";
	rc = fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, info_p);
	if (rc)
		return rc;
	*what_p = "fi_fabric";
	return fi_fabric((*info_p)->fabric_attr, fabric_p, NULL);
}

extern const struct weft_fishim weft_fishim;

WEFT_EXPORT const struct weft_fishim weft_fishim = {
	.open = other_open,
	.free = fi_freeinfo,
};
