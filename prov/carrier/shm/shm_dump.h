/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a region of the shm carrier, for people: tests and weft-info. */
#ifndef WEFT_CARRIER_SHM_DUMP_H
#define WEFT_CARRIER_SHM_DUMP_H

#include <stdio.h>

struct weft_carrier;

/* The own region of an open shm carrier. */
void weft_shm_dump(struct weft_carrier *c, FILE *out);

/*
 * All regions that pid has open. The number printed, or -errno: the process
 * is not there, or not ours to look at.
 */
int weft_shm_dump_pid(int pid, FILE *out);

#endif
