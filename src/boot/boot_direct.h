/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start of a rank by Weft's mpiexec in virtual time, without PMIx: the data of
 * the job comes from the job status page, and the launcher is notified through
 * a pipe. A PMIx connection would cost each rank a thread and a copy of the
 * data of all ranks, so that the memory of a job would grow with the square of
 * its size.
 */
#ifndef WEFT_BOOT_DIRECT_H
#define WEFT_BOOT_DIRECT_H

#include <stdbool.h>

struct weft_job;

/*
 * Fills *job and reports the start. Returns 1; 0 if the launcher offers no
 * direct start; or -errno.
 */
int weft_direct_open(struct weft_job *job);
bool weft_direct_is_open(void);
/* Ends the job. Returns false if the start was not direct. */
bool weft_direct_abort(int code, const char *text);
void weft_direct_close(void);

#endif
