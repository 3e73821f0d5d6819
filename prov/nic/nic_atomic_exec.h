/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic of atomic operations on this process's memory. */
#ifndef WEFT_NIC_ATOMIC_EXEC_H
#define WEFT_NIC_ATOMIC_EXEC_H

#include <stddef.h>
#include <stdint.h>

struct nic_atomic_call {
	uint8_t op;   /* enum weft_num_op, valid for the type */
	uint8_t type; /* enum weft_num_type */
	uint32_t count;
	void *target;
	const void *operand; /* operands: `count` elements, any alignment */
	/* comparands: `count` elements; for compare-and-swap only */
	const void *compare;
	/* out: old values, `count` elements; NULL: discard them */
	void *old;
};

/*
 * Executes the operation. Each element that is aligned to its size changes
 * atomically.
 */
void nic_atomic_exec(const struct nic_atomic_call *c);

/* Implements weft_carrier_attr.change; `what` has the format of NIC_ATOMIC. */
int nic_atomic_change(const void *what, size_t operand_bytes, void *data,
		      void *old, size_t bytes);

#endif
