/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared area of an endpoint: the part of its memory that peers map. */
#ifndef WEFT_NIC_SHARE_H
#define WEFT_NIC_SHARE_H

#include "prov/nic/nic_int.h"

size_t nic_share_bytes(void);
void nic_share_init(struct weft_nic *nic);
/* Maps the peer's shared area. Returns 0, -EAGAIN or -EOPNOTSUPP. */
int nic_share_peer(struct weft_nic *nic, struct nic_peer *p);
/*
 * Looks up the requested memory in the peer's table: sets *at_p to its address
 * in the peer, *region_p to the start of its region, and *access_p to the
 * region's access bits. -ENOENT: the region is not listed, so a request must be
 * sent; -EACCES, -EFAULT: the access is invalid; -EAGAIN: not possible yet.
 */
int nic_share_find(struct weft_nic *nic, struct nic_peer *p,
		   const struct weft_mem_access *want, uint64_t *at_p,
		   uint64_t *region_p, uint32_t *access_p);
/* Returns cursor i of a shared area. */
weft_au64 *nic_share_cell(struct nic_share *s, uint32_t i);

#endif
