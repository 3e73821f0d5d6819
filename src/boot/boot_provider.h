/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the libfabric provider. */
#ifndef WEFT_BOOT_PROVIDER_H
#define WEFT_BOOT_PROVIDER_H

struct fi_info;
struct fid_fabric;

/* Opens the provider's fabric and gets its info. Returns 0 or -errno. */
int weft_prov_open(const struct fi_info *hints, struct fi_info **info_p,
		   struct fid_fabric **fabric_p);
void weft_prov_free(struct fi_info *info);

#endif
