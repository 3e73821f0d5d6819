/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The unit's memory registers. A peer's unit may access only memory for which
 * this process's unit has a register: a registered region, for as long as it is
 * listed, and the buffer of an operation whose segments are sent to the peer,
 * until the operation ends.
 */
#include "prov/nic/nic_memory.h"

#include <stdlib.h>

#define NO_REG UINT16_MAX /* value of `reg` for an empty segment */

static bool unit_has_registers(const struct weft_nic *nic)
{
	return nic->unit->ops->mem_open &&
	       !nic->unit->carrier->ops->backend->transfers_later;
}

void nic_memory_release(struct weft_nic *nic, struct weft_nic_op *op)
{
	while (op->regs) {
		uint16_t reg = op->reg[--op->regs];

		if (reg != NO_REG)
			nic->unit->ops->mem_close(nic->unit, reg);
	}
}

int nic_memory_open(struct weft_nic *nic, struct weft_nic_op *op,
		    unsigned access)
{
	int reg;

	if (!unit_has_registers(nic) || nic_is_typed(op))
		return 0;
	nic_memory_close(nic, op);
	for (int i = 0; i < op->iov_count; i++) {
		reg = NO_REG;
		if (op->iov[i].iov_len)
			reg = nic->unit->ops->mem_open(nic->unit, &op->iov[i],
						       access);
		if (reg < 0) {
			nic_memory_release(nic, op);
			return reg;
		}
		op->reg[op->regs++] = (uint16_t)reg;
	}
	return 0;
}

int nic_memory_region(struct weft_nic *nic, unsigned i,
		      const struct weft_mem_access *row, void *at)
{
	const struct iovec mem = { at, row->len };
	int reg;

	if (!unit_has_registers(nic))
		return 0;
	if (!nic->region_reg)
		nic->region_reg = calloc(NIC_REGIONS, sizeof(*nic->region_reg));
	if (!nic->region_reg)
		return -ENOMEM;
	if (nic->region_reg[i])
		nic->unit->ops->mem_close(nic->unit, nic->region_reg[i] - 1);
	nic->region_reg[i] = 0;
	if (!row->access || !row->len)
		return 0;
	reg = nic->unit->ops->mem_open(
		nic->unit, &mem,
		row->access & (WEFT_MR_REMOTE_READ | WEFT_MR_REMOTE_WRITE));
	if (reg < 0)
		return reg;
	nic->region_reg[i] = (uint16_t)(reg + 1);
	return 0;
}
