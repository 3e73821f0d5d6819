/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key of a job on several hosts, which is never sent outside the processes of
 * its user. Other users of the hosts and of the network can read and write data
 * in the launcher's PMIx server. So the first rank publishes only a random
 * number, and all ranks derive the job's key from it and from a secret of the
 * user: FI_WEFT_KEY, or the key file (src/os/keyfile.h).
 *
 *   open -> [sign, verify]* -> close
 *
 * The addresses that ranks publish carry an authentication tag, so that an
 * address that another user has stored is refused.
 */
#ifndef WEFT_BOOT_SECRET_H
#define WEFT_BOOT_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Environment variable with the data from which a spawned job derives the key
 * of its parents: a job and the jobs that it spawns have one key.
 */
#define WEFT_SECRET_PARENTS "WEFT_PARENT_KEY"

#define WEFT_SECRET_KEY 32 /* size of the job's key, bytes */
#define WEFT_SECRET_TAG 16 /* size of the tag appended to an address, bytes */

/*
 * Computes the key of this job; all its processes call it. own: the launcher is
 * Weft's mpiexec, whose PMIx server accepts only the user's processes, so the
 * key may be sent through it. A job that was spawned gets the key of its
 * parents. Returns 0, an error of PMIx, or -EACCES (logged): the user's secret
 * cannot be used, or differs from that of the first rank or of the parents.
 */
int weft_secret_open(int rank, bool own, uint8_t key[WEFT_SECRET_KEY]);

/*
 * Returns the value of WEFT_SECRET_PARENTS for the jobs that this job spawns;
 * NULL: this job has no key. Freed by the caller.
 */
char *weft_secret_for_children(void);

/*
 * Returns a number that is equal in all jobs with this key and does not
 * disclose the key; 0: this job has no key.
 */
uint32_t weft_secret_id(void);

bool weft_secret_signs(void);

/* Compute and check the authentication tag of bytes that rank publishes. */
void weft_secret_sign(int rank, const void *bytes, size_t len,
		      uint8_t tag[WEFT_SECRET_TAG]);
bool weft_secret_verify(int rank, const void *bytes, size_t len,
			const uint8_t tag[WEFT_SECRET_TAG]);

void weft_secret_close(void);

#endif
