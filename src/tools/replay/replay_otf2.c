/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OTF2 archives: a module (otf2_convert.c) converts them to a trace of calls in
 * a file without a name, which replay_trace.c reads.
 */
#include "src/tools/replay/replay_call.h"

#include "src/base/attr.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MODULE "libweft-replay-otf2.so"

/*
 * Opens the module. Installed: PREFIX/lib/weft, for programs in PREFIX/bin; in
 * the build tree: .libs.
 */
static void *module_open(void)
{
	static const char *const places[] = { "%s/../lib/weft/" MODULE,
					      "%s/.libs/" MODULE,
					      "%s/" MODULE };
	char self[PATH_MAX / 2], path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	void *module = NULL;
	char *slash;

	self[n < 0 ? 0 : n] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; !module && i < WEFT_COUNT_OF(places); i++) {
		snprintf(path, sizeof(path), places[i], self);
		module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return module;
}

int replay_otf2_open(const char *file, struct replay_source **s_p, char *why,
		     size_t len)
{
	int (*convert)(const char *file, int fd, char *why, size_t len);
	void *module = module_open();
	char name[32];
	int fd, err;

	if (!module) {
		snprintf(why, len,
			 "%s: this Weft was built without libotf2 (Debian "
			 "package libopen-trace-format2-dev)",
			 file);
		return -ENOSYS;
	}
	*(void **)&convert = dlsym(module, "replay_otf2_convert");
	fd = memfd_create("weft-calls", MFD_CLOEXEC);
	err = convert && fd >= 0 ? convert(file, fd, why, len) : -ENOSYS;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (!err)
		err = replay_trace_open(name, s_p, why, len);
	if (fd >= 0)
		close(fd);
	dlclose(module);
	return err;
}
