/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access to other libfabric providers through libfabric's library. The code is
 * in a separate module, libweft-fabric-shim.so, that boot_provider.c loads if
 * FI_PROVIDER names another provider. prov/ofi/weft_fi_core.c describes the
 * cost of loading that library.
 */
#ifndef WEFT_BOOT_FABRIC_SHIM_H
#define WEFT_BOOT_FABRIC_SHIM_H

#include <rdma/fabric.h>

struct weft_fishim {
	/*
	 * Calls fi_getinfo and fi_fabric. Returns 0 or -FI_E*; after an error,
	 * *what_p is the name of the call that failed.
	 */
	int (*open)(const struct fi_info *hints, struct fi_info **info_p,
		    struct fid_fabric **fabric_p, const char **what_p);
	void (*free)(struct fi_info *info);
};

#define WEFT_FABRIC_SHIM "weft_fishim"

#endif
