/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launcher, seen through PMIx. Without one the job is this process alone
 * and PMIx is never started.
 *
 *   open -> put (my endpoint's name) -> get (others', when needed) -> close
 *
 * A fence by which everybody gets everybody's name takes time and memory with
 * the square of the job. Our mpiexec has memory in common with its ranks, the
 * roll, and they leave their names there.
 */
#ifndef WEFT_CORE_PMIX_H
#define WEFT_CORE_PMIX_H

#include <stdbool.h>
#include <stddef.h>

struct weft_job;

/* Fills *job. -ENOTCONN: launched by something whose PMIx does not answer
 * (logged). */
int weft_pmix_open(struct weft_job *job);

/*
 * Publishes my name: through the launcher's roll where there is one, or PMIx,
 * and then it waits until all have published theirs. Once.
 */
int weft_pmix_put(const void *name, size_t len);

/* The name of a process; *len_p is the room, then the length. Waits for it. */
int weft_pmix_get(int rank, void *name, size_t *len_p);

/* The bytes that the first process of the job has, for all. All processes call
 * it. Other users of the hosts may read and replace them. */
int weft_pmix_same(void *bytes, size_t len);

/* Whether our mpiexec started the job, on this host. */
bool weft_pmix_is_own(void);

/* The launcher's name of the job; empty: there is none. */
const char *weft_pmix_job(void);

/* Something else for who knows its key, and that of a process, which is waited
 * for; -ETIMEDOUT after so many seconds. */
int weft_pmix_offer(const char *key, const void *bytes, size_t len);
int weft_pmix_take(int rank, const char *key, void *bytes, size_t *len_p,
		   int seconds);

/* Whether a name costs next to nothing. */
bool weft_pmix_names_are_cheap(void);

/* All processes reach this; idle() is called meanwhile, again and again, and
 * wake() when it is over. */
int weft_pmix_fence(void (*idle)(void), void (*wake)(void));

/* Ends the job; returns only when there is no launcher. */
void weft_pmix_abort(int code, const char *text);

void weft_pmix_close(void);

#endif
