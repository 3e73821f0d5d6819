/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Directory and provider of the MPI library, which differ between the shared
 * library (boot_library.c) and the static one (boot_library_static.c).
 */
#ifndef WEFT_BOOT_LIBRARY_H
#define WEFT_BOOT_LIBRARY_H

#include <stddef.h>

struct fi_provider;

typedef struct fi_provider *(*weft_prov_ini_fn)(void);

/* Finds the directory of the MPI library. Returns 0 or -ENOENT. */
int weft_library_dir(char *dir, size_t room);

/*
 * Returns the entry point of the provider that is linked into the MPI library,
 * or NULL if the provider is a module in the library's directory.
 */
weft_prov_ini_fn weft_library_provider(void);

#endif
