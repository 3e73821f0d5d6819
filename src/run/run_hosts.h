/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of hosts. This launcher serves the host it runs on; a job on others is
 * handed to another launcher (run_engine.h), which gets the list.
 */
#ifndef WEFT_RUN_HOSTS_H
#define WEFT_RUN_HOSTS_H

#include <stdbool.h>

struct run_host {
	char *name;
	int slots;
};

/* All zero is the empty list. */
struct run_hosts {
	struct run_host *host;
	int count;
};

/* No look-up: by name and by the loopback addresses only. */
bool run_hosts_is_local(const char *name, const char *self);

/* Slots of all hosts together. */
enum { RUN_SLOTS_MAX = 1000000 };

/*
 * "a:2,b" is added to h; a host that is named twice has the sum of its slots.
 * option is the user's spelling, for messages. 0, -ENOMEM, or -EINVAL after
 * saying what is wrong.
 */
int run_hosts_list(const char *option, const char *text, struct run_hosts *h);

/* The same from a file with "a:2" or "a slots=2" on each line. */
int run_hosts_file(const char *option, const char *name, struct run_hosts *h);

/* The first that is not self; NULL: none. */
const char *run_hosts_foreign(const struct run_hosts *h, const char *self);

int run_hosts_slots(const struct run_hosts *h);
void run_hosts_free(struct run_hosts *h);

#endif
