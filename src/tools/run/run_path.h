/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the program of a context before any process is started. */
#ifndef WEFT_RUN_PATH_H
#define WEFT_RUN_PATH_H

/*
 * Finds the file for execve(). A name without a slash is searched first in the
 * colon-separated `dirs` (may be NULL), then in PATH. wdir: the rank's working
 * directory, for relative names; NULL: the current directory. The caller frees
 * *file_p. Returns 0, -ENOENT, -EACCES (found, not executable) or -ENOMEM.
 */
int run_path_find(const char *name, const char *dirs, const char *wdir,
		  char **file_p);

#endif
