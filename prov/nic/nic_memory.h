/* SPDX-License-Identifier: BSD-3-Clause */
/* The unit's memory registers for buffers and regions that peers access. */
#ifndef WEFT_NIC_MEMORY_H
#define WEFT_NIC_MEMORY_H

#include "prov/nic/nic_int.h"

/*
 * Sets memory registers for the segments of an op, so that its peer may access
 * them. Returns 0; -ENOSPC: none is free. Does nothing if the unit has no
 * registers.
 */
int nic_memory_open(struct weft_nic *nic, struct weft_nic_op *op,
		    unsigned access);
void nic_memory_release(struct weft_nic *nic, struct weft_nic_op *op);
/*
 * Sets the register of the region in row i of the shared area's table, or
 * clears it if row->access is 0.
 */
int nic_memory_region(struct weft_nic *nic, unsigned i,
		      const struct weft_mem_access *row, void *at);

static inline void nic_memory_close(struct weft_nic *nic,
				    struct weft_nic_op *op)
{
	if (weft_unlikely(op->regs))
		nic_memory_release(nic, op);
}

#endif
