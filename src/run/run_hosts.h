/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of hosts. This launcher serves one host, the one it runs on; a list
 * is accepted when it names no other.
 */
#ifndef WEFT_RUN_HOSTS_H
#define WEFT_RUN_HOSTS_H

#include <stdbool.h>

/* No look-up: by name and by the loopback addresses only. */
bool run_hosts_is_local(const char *name, const char *self);

/*
 * "a:2,b": slots of the local host are added to *slots_p. 0, or -EREMOTE with
 * the foreign name in *other_p (freed by the caller).
 */
int run_hosts_list(const char *text, const char *self, int *slots_p,
		   char **other_p);

/* A file with "a:2" or "a slots=2" on each line; also -errno of open(). */
int run_hosts_file(const char *name, const char *self, int *slots_p,
		   char **other_p);

#endif
