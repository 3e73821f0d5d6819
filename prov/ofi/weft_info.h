/* SPDX-License-Identifier: BSD-3-Clause */
/* fi_getinfo. */
#ifndef WEFT_OFI_INFO_H
#define WEFT_OFI_INFO_H

#include "prov/ofi/weft_ofi.h"

int weft_getinfo(uint32_t version, const char *node, const char *service,
		 uint64_t flags, const struct fi_info *hints,
		 struct fi_info **info_p);

#endif
