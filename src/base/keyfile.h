/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The user's key: a file of random bytes that only the user can read, made when
 * it is first needed. Processes of one user recognise each other by it.
 */
#ifndef WEFT_BASE_KEYFILE_H
#define WEFT_BASE_KEYFILE_H

#include <stddef.h>
#include <stdint.h>

#define WEFT_KEYFILE_BYTES 32
#define WEFT_KEYFILE_WHY   1024

/* $HOME/.weft_key, with the home of the user database where HOME is not set.
 * -ENOENT: there is no home. -ENAMETOOLONG. */
int weft_keyfile_path(char *path, size_t room);

/*
 * The key in the file, which is made if it does not exist; any number of
 * processes may call this at once and get the same key.
 *   -ENOENT  there is no such file, and none can be made
 *   -EACCES  the file cannot be trusted: owner, mode or kind
 *   -EINVAL  the file is no key
 * why says so in a sentence, with the path.
 */
int weft_keyfile_get(const char *path, uint8_t key[WEFT_KEYFILE_BYTES],
		     char why[WEFT_KEYFILE_WHY]);

#endif
