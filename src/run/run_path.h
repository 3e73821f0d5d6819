/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding the program of a context before anything is started. */
#ifndef WEFT_RUN_PATH_H
#define WEFT_RUN_PATH_H

/*
 * The file that execve() will get for name: searched in the colon-separated
 * dirs first (may be NULL), then in PATH, unless name has a slash. wdir: where
 * the rank will stand, for relative names; NULL: here. On success *file_p is
 * the caller's to free. -ENOENT, -EACCES (found, not executable) or -ENOMEM.
 */
int run_path_find(const char *name, const char *dirs, const char *wdir,
		  char **file_p);

#endif
