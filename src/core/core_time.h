/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clock of MPI_Wtime (the provider's clock or the host's clock), and its
 * resolution.
 */
#ifndef WEFT_CORE_TIME_H
#define WEFT_CORE_TIME_H

#include <stdint.h>

uint64_t weft_core_now_ps(void);
/* Reads the clock for use by the library, without advancing virtual time. */
uint64_t weft_core_clock_peek_ps(void);
uint64_t weft_core_tick_ps(void);

/*
 * weft_core_clock_open is called after the domain is opened,
 * weft_core_clock_close before it is closed.
 */
void weft_core_clock_open(void);
void weft_core_clock_close(void);

#endif
