/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On which host a process is. In a job on several hosts each leaves a card
 * behind its endpoint's name: a number that the processes of a host have in
 * common, the first of them, and what the host is called.
 */
#ifndef WEFT_CORE_HOSTS_H
#define WEFT_CORE_HOSTS_H

#include <stdbool.h>

#define WEFT_HOST_CARD 68 /* four bytes of number, and the name */

bool weft_hosts_several(void);

/* My card. */
void weft_hosts_write(char card[WEFT_HOST_CARD]);
/* Takes the card of proc. */
void weft_hosts_read(int proc, const char card[WEFT_HOST_CARD]);

/* The number of proc's host, the same everywhere; -1: its card was not read. */
int weft_hosts_of(int proc);
/* The name of its host; NULL: not known, or it is one for all. */
const char *weft_hosts_name(int proc);

void weft_hosts_close(void);

#endif
