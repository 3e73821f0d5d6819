/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searches the abstract namespace of Unix sockets on this host for a name of
 * this user. Another user can create any name there, also one with the bytes of
 * a line of /proc/net/unix, so the kernel's sock_diag interface is asked for
 * names and users. A kernel that does not report them (before 5.3, or built
 * without unix_diag) has only the list in /proc, whose sockets may be those of
 * another user.
 */
#ifndef WEFT_BOOT_NAMES_FIND_H
#define WEFT_BOOT_NAMES_FIND_H

#include <stddef.h>
#include <stdio.h>

struct boot_names_search {
	const char *prefix; /* beginning of the name, without the byte 0 */
	char *rest;	    /* where the rest of the name is stored */
	size_t room;	    /* size of the buffer `rest`, bytes */
};

/* Copies the rest of the first name that is found. Returns 0 or -ENOENT. */
int boot_names_find(const struct boot_names_search *s);

/*
 * The parts of boot_names_find(), for the tests. boot_names_ask() asks the
 * kernel; -EOPNOTSUPP: it does not report the users of sockets.
 * boot_names_read() reads messages from the kernel. Returns 1: not found, and
 * more messages follow; 0: found; -ENOENT: these were the last messages;
 * -EOPNOTSUPP. boot_names_list() reads the lines of /proc/net/unix.
 */
int boot_names_ask(const struct boot_names_search *s);
int boot_names_read(const struct boot_names_search *s, const void *messages,
		    size_t bytes);
int boot_names_list(const struct boot_names_search *s, FILE *f);

#endif
