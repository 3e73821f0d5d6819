/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Providers of others, through libfabric's own library. It is in a module of
 * its own, libweft-other.so, that core_prov.c loads when FI_PROVIDER asks for
 * it: see prov/ofi/weft_own.c for what loading it costs.
 */
#ifndef WEFT_CORE_OTHER_H
#define WEFT_CORE_OTHER_H

#include <rdma/fabric.h>

struct weft_other {
	/* fi_getinfo and fi_fabric: -FI_E*, *what_p: which of them. */
	int (*open)(const struct fi_info *hints, struct fi_info **info_p,
		    struct fid_fabric **fabric_p, const char **what_p);
	void (*free)(struct fi_info *info);
};

#define WEFT_OTHER "weft_other"

#endif
