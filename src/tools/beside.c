/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of the same installation (beside.h). */
#include "src/tools/beside.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int weft_beside(const char *name, char *path, size_t len)
{
	char self[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return -ENOENT;
	self[n] = 0;
	/* in a build tree the program may be in .libs */
	for (int up = 0; up < 2 && (slash = strrchr(self, '/')); up++) {
		*slash = 0;
		n = snprintf(path, len, "%s/%s", self, name);
		if (n > 0 && (size_t)n < len && !access(path, X_OK))
			return 0;
	}
	return -ENOENT;
}
