/* SPDX-License-Identifier: BSD-3-Clause */
/* Which provider runs below. */
#ifndef WEFT_CORE_PROV_H
#define WEFT_CORE_PROV_H

struct fi_info;
struct fid_fabric;

/* The provider's answer to hints, and its fabric. 0 or -errno. */
int weft_prov_open(const struct fi_info *hints, struct fi_info **info_p,
		   struct fid_fabric **fabric_p);
/* Frees such an answer. */
void weft_prov_free(struct fi_info *info);

#endif
