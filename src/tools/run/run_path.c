/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searches for programs in PATH, as execvp() does, but in mpiexec, so that an
 * error is reported once and not by every rank.
 */
#include "src/tools/run/run_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Checks that a file can be executed. Returns 0, -ENOENT or -EACCES. */
static int check_file(const char *file, const char *wdir)
{
	struct stat st;
	char *full = NULL;
	int err = 0;

	if (wdir && file[0] != '/') {
		if (asprintf(&full, "%s/%s", wdir, file) < 0)
			return -ENOMEM;
		file = full;
	}
	if (stat(file, &st) < 0)
		err = errno == EACCES ? -EACCES : -ENOENT;
	else if (!S_ISREG(st.st_mode) || access(file, X_OK) < 0)
		err = -EACCES;
	free(full);
	return err;
}

static int search_dirs(const char *name, const char *dirs, const char *wdir,
		       char **file_p)
{
	int err, worst = -ENOENT, len;
	char *file = NULL;

	while (dirs && *dirs) {
		len = (int)strcspn(dirs, ":");
		if (asprintf(&file, "%.*s/%s", len ? len : 1, len ? dirs : ".",
			     name) < 0)
			return -ENOMEM;
		err = check_file(file, wdir);
		if (!err) {
			*file_p = file;
			return 0;
		}
		free(file);
		if (err == -EACCES)
			worst = err;
		dirs += len;
		dirs += *dirs == ':';
	}
	return worst;
}

int run_path_find(const char *name, const char *dirs, const char *wdir,
		  char **file_p)
{
	const char *path = getenv("PATH");
	int err, second;

	if (strchr(name, '/')) {
		err = check_file(name, wdir);
		if (err)
			return err;
		*file_p = strdup(name);
		return *file_p ? 0 : -ENOMEM;
	}
	err = search_dirs(name, dirs, wdir, file_p);
	if (!err)
		return 0;
	second = search_dirs(name, path ? path : "/bin:/usr/bin", wdir, file_p);
	if (second == -ENOENT && err == -EACCES)
		return err;
	return second;
}
