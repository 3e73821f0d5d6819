/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that is certainly ordinary host memory: the program's own data, its
 * heap (the brk area) and the main thread's stack. No driver can place other
 * memory there, so no lookup is needed for such addresses.
 */
#ifndef WEFT_OS_PROGRAM_MEMORY_H
#define WEFT_OS_PROGRAM_MEMORY_H

#include "src/base/attr.h"

#include <stdbool.h>
#include <stdint.h>

struct weft_program_memory {
	uintptr_t data, data_end;
	uintptr_t heap, heap_end;
	uintptr_t stack, stack_end;
};
extern struct weft_program_memory weft_program_memory;

/* Finds the ranges; before the first call they are empty. */
void weft_program_memory_open(void);
/* Like weft_program_memory_has(), but first reads the heap's end again. */
bool weft_program_memory_grown(uintptr_t at);

static inline bool weft_program_memory_has(const void *p)
{
	const struct weft_program_memory *m = &weft_program_memory;
	const uintptr_t at = (uintptr_t)p;

	if (weft_likely(at - m->heap < m->heap_end - m->heap ||
			at - m->stack < m->stack_end - m->stack ||
			at - m->data < m->data_end - m->data))
		return true;
	return weft_program_memory_grown(at);
}

#endif
