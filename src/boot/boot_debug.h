/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that wait in MPI_Init until a debugger is attached. */
#ifndef WEFT_BOOT_DEBUG_H
#define WEFT_BOOT_DEBUG_H

/*
 * Waits until a debugger sets MPIR_debug_gate, if the option WEFT_DEBUG_WAIT
 * names this rank.
 */
void weft_debug_wait(int rank);

#endif
