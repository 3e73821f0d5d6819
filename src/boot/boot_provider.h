/* SPDX-License-Identifier: BSD-3-Clause */
/* Choice of the libfabric provider. */
#ifndef WEFT_BOOT_PROVIDER_H
#define WEFT_BOOT_PROVIDER_H

struct fi_info;
struct fid_fabric;

/* Opens the provider: its info for hints, and its fabric. 0 or -errno. */
int weft_prov_open(const struct fi_info *hints, struct fi_info **info_p,
		   struct fid_fabric **fabric_p);
/* Frees the info of weft_prov_open(). */
void weft_prov_free(struct fi_info *info);

#endif
