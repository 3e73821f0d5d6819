/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Version of the data that processes of a job exchange. Every value that a
 * process publishes begins with a record of its version, as text, so that all
 * versions can read it:
 *
 *   weft NNNN RELEASE   NNNN: WEFT_FORMAT; padded with zeroes
 *
 * A process that reads a value with another WEFT_FORMAT ends the job: no part
 * of the job can work.
 */
#ifndef WEFT_BOOT_FORMAT_H
#define WEFT_BOOT_FORMAT_H

#include <stddef.h>

/*
 * Increased by every change of published values, of messages of the MPI layer,
 * of the provider's packets or of shared memory.
 */
#define WEFT_FORMAT	   "0001"
#define WEFT_FORMAT_RECORD 24  /* bytes of a record of the version */
#define WEFT_FORMAT_WHY	   256 /* bytes of a reason */

void weft_format_write(char record[WEFT_FORMAT_RECORD]);

/*
 * Checks the record before a value of rank and copies the value. *len_p: on
 * entry the size of the buffer, on return the length of the value. Returns 0;
 * -EPROTO: the value does not fit; -EPROTOTYPE: another format, and why names
 * both versions.
 */
int weft_format_strip(int rank, const char *value, size_t len, void *to,
		      size_t *len_p, char why[WEFT_FORMAT_WHY]);

/* Refuses a job status page of another version. Returns 0 or -EPROTO. */
int weft_format_check_launcher(void);

#endif
