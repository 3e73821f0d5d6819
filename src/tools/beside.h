/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of the same installation. */
#ifndef WEFT_BESIDE_H
#define WEFT_BESIDE_H

#include <stddef.h>

/*
 * Writes the path of a program in the folder of the running program; also in a
 * build tree. Returns 0; -ENOENT: there is none.
 */
int weft_beside(const char *name, char *path, size_t len);

#endif
