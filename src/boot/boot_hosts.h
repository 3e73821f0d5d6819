/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts of the processes of the job. In a job on several hosts each process
 * appends a host record to the endpoint name that it publishes. The record
 * contains the number of the host, which is the rank of the host's first
 * process, and the name of the host.
 */
#ifndef WEFT_BOOT_HOSTS_H
#define WEFT_BOOT_HOSTS_H

#include <stdbool.h>

/* size of a record: four bytes for the number, then the name */
#define WEFT_HOST_RECORD 68

bool weft_hosts_several(void);

/*
 * Returns whether this process needs an address on the network: the job is on
 * several hosts, or WEFT_JOB_NETWORK is set.
 */
bool weft_hosts_network(void);

void weft_hosts_write(char record[WEFT_HOST_RECORD]);
void weft_hosts_read(int proc, const char record[WEFT_HOST_RECORD]);

/*
 * Returns the number of proc's host, which is the same in all processes; -1:
 * proc's host record has not been read.
 */
int weft_hosts_of(int proc);
/* Returns the name of proc's host; NULL: unknown, or the job is on one host. */
const char *weft_hosts_name(int proc);

void weft_hosts_close(void);

#endif
