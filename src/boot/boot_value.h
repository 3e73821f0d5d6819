/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of values that this process reads from PMIx. */
#ifndef WEFT_BOOT_VALUE_H
#define WEFT_BOOT_VALUE_H

#include <stddef.h>

/*
 * Parses a list of ranks, "0,1,4-7", of a job with `size` ranks. Stores at most
 * `room` of them in out[]. Returns their number, or -EPROTO if the list is
 * invalid or contains a rank that is not in the job.
 */
int weft_value_ranks(const char *list, int size, int *out, int room);

/*
 * Checks the address that rank proc has published: the authentication tag at
 * its end, whose length is subtracted from *len_p, and the length of the rest,
 * which must be at least `least`. Returns 0, -EHOSTUNREACH if proc did not
 * publish the address, or -EPROTO if it is too short.
 */
int weft_value_name(int proc, const char *name, size_t *len_p, size_t least);

#endif
