/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The static MPI library, libmpi_abi.a, contains the provider. Its directory is
 * the library directory of make install, which contains the modules that are
 * opened at run time.
 */
#include "src/boot/boot_library.h"

#include <errno.h>
#include <rdma/fabric.h>
#include <stdio.h>

/* fi_prov_ini() of the provider, renamed by src/core/static.mk */
struct fi_provider *weft_linked_provider(void);

int weft_library_dir(char *dir, size_t room)
{
	return (size_t)snprintf(dir, room, "%s", WEFT_LIBDIR) < room ? 0
								     : -ENOENT;
}

weft_prov_ini_fn weft_library_provider(void)
{
	return weft_linked_provider;
}
