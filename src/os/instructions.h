/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's counter of executed instructions. */
#ifndef WEFT_OS_INSTRUCTIONS_H
#define WEFT_OS_INSTRUCTIONS_H

/*
 * Opens a counter of the instructions that the calling thread executes in user
 * mode. Returns a descriptor, from which the count is read as a uint64_t, or
 * -errno.
 */
int weft_instructions_open(void);

/* What a host needs, for messages after a failure. */
#define WEFT_INSTRUCTIONS_NEEDS                                     \
	"/proc/sys/kernel/perf_event_paranoid must be at most 2, "  \
	"and a virtual machine must have the counter); use blocks " \
	"(doc/virtual.md), a factor, regions or a table"

#endif
