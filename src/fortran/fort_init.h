/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers the sizes and the LOGICAL values of the Fortran compiler. */
#ifndef FORT_INIT_H
#define FORT_INIT_H

#include "src/fortran/fort.h"

/*
 * Registers the compiler's types; called before MPI starts. Only the first call
 * in a process has an effect.
 */
void fort_register(void);

#endif
