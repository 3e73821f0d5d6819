/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which process is it, and does it live? A pid is a name that is used again;
 * together with its start time it is not. Both are in /proc/PID/stat.
 */
#ifndef WEFT_BASE_ALIVE_H
#define WEFT_BASE_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

/* When pid started, in the kernel's ticks; 0: /proc does not tell. */
uint64_t weft_alive_start(uint32_t pid);

/*
 * Whether the process of that pid and start time lives. start 0: whoever has
 * the pid. One that waits to be reaped is dead, one whose first thread has
 * ended while others go on is not.
 */
bool weft_alive(uint32_t pid, uint64_t start);

/* User and system time of pid, in ticks of sysconf(_SC_CLK_TCK). */
uint64_t weft_alive_cpu_ticks(uint32_t pid);

#endif
