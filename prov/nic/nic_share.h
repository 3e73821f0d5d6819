/* SPDX-License-Identifier: BSD-3-Clause */
/* What an endpoint shows of its memory, for peers to find by themselves. */
#ifndef WEFT_NIC_SHARE_H
#define WEFT_NIC_SHARE_H

#include "prov/nic/nic_int.h"

size_t nic_share_bytes(void);
void nic_share_init(struct weft_nic *nic);
/* The peer's shared area is mapped: 0; -EAGAIN, -EOPNOTSUPP. */
int nic_share_peer(struct weft_nic *nic, struct nic_peer *p);
/*
 * Where a wanted piece of the peer's memory lies, where its region begins, and
 * the row's access bits.
 * -ENOENT: not listed, ask the peer. -EACCES, -EFAULT. -EAGAIN.
 */
int nic_share_find(struct weft_nic *nic, struct nic_peer *p,
		   const struct weft_want *want, uint64_t *at_p,
		   uint64_t *region_p, uint32_t *access_p);
/* Cursor i of an area. */
weft_au64 *nic_share_cell(struct nic_share *s, uint32_t i);

#endif
