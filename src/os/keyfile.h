/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The user's key: a file of random bytes that only the user can read, created
 * when it is first needed. Processes of one user authenticate each other with
 * it.
 */
#ifndef WEFT_KEYFILE_H
#define WEFT_KEYFILE_H

#include <stddef.h>
#include <stdint.h>

#define WEFT_KEYFILE_BYTES 32
#define WEFT_KEYFILE_WHY   1024

/*
 * Stores the path $HOME/.weft_key in path; if HOME is not set, uses the home
 * directory in the user database. Returns 0; -ENOENT: there is no home
 * directory; -ENAMETOOLONG.
 */
int weft_keyfile_path(char *path, size_t room);

/*
 * Reads the key file and creates it if it does not exist. Any number of
 * processes may call this concurrently and get the same key. Returns 0 or:
 *
 *   -ENOENT  there is no such file, and none can be created
 *   -EACCES  the file cannot be trusted: owner, mode or type
 *   -EINVAL  the file does not contain a key
 *
 * why is an error message for the user, with the path.
 */
int weft_keyfile_get(const char *path, uint8_t key[WEFT_KEYFILE_BYTES],
		     char why[WEFT_KEYFILE_WHY]);

#endif
