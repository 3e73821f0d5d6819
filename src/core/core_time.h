/* SPDX-License-Identifier: BSD-3-Clause */
/* The provider's clock or the host's, and its smallest step. */
#ifndef WEFT_CORE_TIME_H
#define WEFT_CORE_TIME_H

#include <stdint.h>

uint64_t weft_core_now_ps(void);
/* The same for our own use: in virtual time looking takes none. */
uint64_t weft_core_look_ps(void);
uint64_t weft_core_tick_ps(void);

/* After the domain, and before it goes. */
void weft_core_clock_open(void);
void weft_core_clock_close(void);

#endif
