/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Directory of the shared MPI library: the directory of the file that was
 * loaded, since an installed tree may be moved.
 */
#include "src/boot/boot_library.h"

#include "src/core/core_state.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int weft_library_dir(char *dir, size_t room)
{
	char file[PATH_MAX];
	Dl_info di;

	if (!dladdr(&weft_core, &di) || !realpath(di.dli_fname, file))
		return -ENOENT;
	*strrchr(file, '/') = 0;
	return (size_t)snprintf(dir, room, "%s", file) < room ? 0 : -ENOENT;
}

weft_prov_ini_fn weft_library_provider(void)
{
	return NULL;
}
