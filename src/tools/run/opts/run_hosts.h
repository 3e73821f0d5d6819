/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of hosts. mpiexec starts ranks on its own host; a job on other hosts is
 * handed to another launcher (run_delegate.h), which gets the list.
 */
#ifndef WEFT_RUN_HOSTS_H
#define WEFT_RUN_HOSTS_H

#include <stdbool.h>

struct run_host {
	char *name;
	int slots;
};

/* List of hosts; all zero is the empty list. */
struct run_hosts {
	struct run_host *host;
	int count;
};

/*
 * Returns whether `name` is this host: compares it with `self` and the loopback
 * addresses, without a name lookup.
 */
bool run_hosts_is_local(const char *name, const char *self);

/* Returns whether two names are equal; one of them may lack the domain. */
bool run_hosts_same(const char *a, const char *b);

/* Maximum total number of slots of all hosts. */
enum { RUN_SLOTS_MAX = 1000000 };

/*
 * Adds a host, or slots of a host that is in the list. Returns 0, -ENOMEM, or
 * -ERANGE: more than RUN_SLOTS_MAX slots.
 */
int run_hosts_add(struct run_hosts *h, const char *name, int slots);

/*
 * Adds "a:2,b" to h; the slots of a host that is listed twice are added up.
 * option: the option as typed, for messages. Returns 0, -ENOMEM, or -EINVAL and
 * reports the reason on stderr.
 */
int run_hosts_list(const char *option, const char *text, struct run_hosts *h);

/*
 * Adds the hosts of a file with "a:2" or "a slots=2" on each line. Return
 * values are those of run_hosts_list().
 */
int run_hosts_file(const char *option, const char *name, struct run_hosts *h);

/* Returns the first host that is not `self`; NULL: none. */
const char *run_hosts_first_remote(const struct run_hosts *h, const char *self);

int run_hosts_slots(const struct run_hosts *h);
void run_hosts_free(struct run_hosts *h);

#endif
