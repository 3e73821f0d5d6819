/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock of MPI_Wtime (the provider's or the host's) and its resolution. */
#ifndef WEFT_CORE_TIME_H
#define WEFT_CORE_TIME_H

#include <stdint.h>

uint64_t weft_core_now_ps(void);
/* Reads the clock for the library: does not advance virtual time. */
uint64_t weft_core_clock_peek_ps(void);
uint64_t weft_core_tick_ps(void);

/* Called after the domain is opened, and before it is closed. */
void weft_core_clock_open(void);
void weft_core_clock_close(void);

#endif
