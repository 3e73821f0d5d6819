/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts of the processes. In a job on several hosts each process appends a host
 * record to its endpoint's name: the number of the host, which is the rank of
 * its first process, and the host's name.
 */
#ifndef WEFT_BOOT_HOSTS_H
#define WEFT_BOOT_HOSTS_H

#include <stdbool.h>

#define WEFT_HOST_RECORD 68 /* bytes: four for the number, then the name */

bool weft_hosts_several(void);

/*
 * Returns whether this process needs an address on the network: the job is on
 * several hosts, or WEFT_JOB_NETWORK is set.
 */
bool weft_hosts_network(void);

void weft_hosts_write(char record[WEFT_HOST_RECORD]);
void weft_hosts_read(int proc, const char record[WEFT_HOST_RECORD]);

/*
 * Returns the number of proc's host, equal in all processes; -1: its record has
 * not been read.
 */
int weft_hosts_of(int proc);
/* Returns the name of proc's host; NULL: unknown, or the job is on one host. */
const char *weft_hosts_name(int proc);

void weft_hosts_close(void);

#endif
