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
 * Must be increased with every change of the format of published values, of the
 * MPI layer's messages, of the provider's packets or of shared memory.
 */
#define WEFT_FORMAT	   "0001"
#define WEFT_FORMAT_RECORD 24  /* size of a version record, bytes */
#define WEFT_FORMAT_WHY	   256 /* size of the text for a reason, bytes */

void weft_format_write(char record[WEFT_FORMAT_RECORD]);

/*
 * Checks the version record in front of a value that `rank` has published, and
 * copies the value to `to`. *len_p: on entry the size of the buffer, on return
 * the length of the value. Returns 0; -EPROTO if the value does not fit; or
 * -EPROTOTYPE if it has another format, in which case `why` names both
 * versions.
 */
int weft_format_strip(int rank, const char *value, size_t len, void *to,
		      size_t *len_p, char why[WEFT_FORMAT_WHY]);

/* Refuses a job status page of another version. Returns 0 or -EPROTO. */
int weft_format_check_launcher(void);

#endif
