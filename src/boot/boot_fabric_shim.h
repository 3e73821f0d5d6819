/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Other libfabric providers, through libfabric's own library. The code is in a
 * separate module, libweft-fabric-shim.so, that boot_provider.c loads when
 * FI_PROVIDER names another provider: see prov/ofi/weft_fi_core.c for the cost
 * of loading it.
 */
#ifndef WEFT_BOOT_FABRIC_SHIM_H
#define WEFT_BOOT_FABRIC_SHIM_H

#include <rdma/fabric.h>

struct weft_fishim {
	/*
	 * Calls fi_getinfo and fi_fabric. 0 or -FI_E*; *what_p: the one that
	 * failed.
	 */
	int (*open)(const struct fi_info *hints, struct fi_info **info_p,
		    struct fid_fabric **fabric_p, const char **what_p);
	void (*free)(struct fi_info *info);
};

#define WEFT_FABRIC_SHIM "weft_fishim"

#endif
