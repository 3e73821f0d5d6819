/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process identity that survives pid reuse: pid and start time, both from
 * /proc/PID/stat, and whether the process is alive.
 */
#ifndef WEFT_ALIVE_H
#define WEFT_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the start time of pid, in kernel ticks since boot; 0: not known. */
uint64_t weft_proc_start(uint32_t pid);

/*
 * Returns whether the process with that pid and start time is alive. start 0:
 * any process with that pid. A zombie is dead; a process whose main thread has
 * ended while other threads run is alive.
 */
bool weft_proc_alive(uint32_t pid, uint64_t start);

/* Returns user plus system time of pid, in _SC_CLK_TCK ticks; 0: unknown. */
uint64_t weft_proc_cpu_ticks(uint32_t pid);

#endif
