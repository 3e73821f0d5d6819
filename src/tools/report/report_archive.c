/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads the module that writes OTF2 archives (report_otf2.c), for mpiexec
 * --trace with a folder.
 */
#include "src/tools/report/report.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>

bool report_archive_can(const char *lib)
{
	char file[PATH_MAX];
	void *module;

	snprintf(file, sizeof(file), "%s/libweft-otf2.so", lib);
	module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (module)
		dlclose(module);
	return module;
}

int report_archive(const struct report *s, const char *lib, const char *folder)
{
	int (*write_archive)(const struct report *s, const char *folder);
	char file[PATH_MAX];
	void *module;
	int err;

	snprintf(file, sizeof(file), "%s/libweft-otf2.so", lib);
	module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!module)
		return -ENOSYS;
	*(void **)&write_archive = dlsym(module, "report_otf2");
	err = write_archive ? write_archive(s, folder) : -ENOSYS;
	dlclose(module);
	return err;
}
