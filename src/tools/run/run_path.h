/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the program of a context before any process is started. */
#ifndef WEFT_RUN_PATH_H
#define WEFT_RUN_PATH_H

/*
 * Finds the file for execve(): searches name in the colon-separated dirs first
 * (may be NULL), then in PATH, unless name has a slash. wdir: the rank's
 * working directory, for relative names; NULL: the current one. The caller
 * frees *file_p. Returns 0, -ENOENT, -EACCES (found, not executable) or
 * -ENOMEM.
 */
int run_path_find(const char *name, const char *dirs, const char *wdir,
		  char **file_p);

#endif
