/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs use and the standard ABI leaves out: Fortran handles as ints,
 * and names that MPI 3.0 removed, mapped to their successors. Only macros:
 * the library has no symbol for them. -DWEFT_STRICT_ABI turns all of it off.
 */
#ifndef WEFT_MPI_COMPAT_H
#define WEFT_MPI_COMPAT_H

typedef int MPI_Fint;

#endif
