/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interface to the launcher, through PMIx. Without a launcher the job is this
 * process alone, and PMIx is never started.
 *
 *   open -> put (endpoint name of this process)
 *        -> get (names of other processes, when needed) -> close
 *
 * A fence that collects all names takes time and memory proportional to the
 * square of the job size. Weft's mpiexec shares memory with its ranks (the job
 * status page), and ranks store their names there.
 */
#ifndef WEFT_BOOT_PMIX_H
#define WEFT_BOOT_PMIX_H

#include <stdbool.h>
#include <stddef.h>

struct weft_job;

/*
 * Fills *job. alone: other processes may start at any other time, so no
 * function waits for them until weft_pmix_collect() is called. Returns 0 or
 * -errno; -ENOTCONN: a launcher started this process, but its PMIx server does
 * not answer (logged).
 */
int weft_pmix_open(struct weft_job *job, bool alone);
/*
 * Connects to the PMIx server before a direct call of PMIx. Returns 0 or
 * -errno; -ENOTCONN without a launcher.
 */
int weft_pmix_connect(void);
/*
 * Executes the waits for other processes that weft_pmix_open() with `alone` has
 * deferred; every process must call this function or MPI_Init.
 */
int weft_pmix_collect(void);

/*
 * Publishes the name of this process: on the launcher's job status page if
 * there is one, otherwise through PMIx, and then waits until all processes have
 * published their names. Called once.
 */
int weft_pmix_put(const void *name, size_t len);

/*
 * Waits until a process has published its name, and gets the name. *len_p: on
 * entry the size of the buffer, on return the length of the name. Returns 0 or
 * -errno.
 */
int weft_pmix_get(int rank, void *name, size_t *len_p);

/*
 * Broadcasts bytes from the job's first process to all processes, which all
 * call this function. Other users of the hosts may read and replace the bytes.
 */
int weft_pmix_bcast(void *bytes, size_t len);

/* Returns whether Weft's mpiexec started the job, on this host. */
bool weft_pmix_launcher_is_weft(void);

/*
 * weft_pmix_use_sessions() records that this process uses sessions; it is
 * called before the process connects to the launcher, which then does not
 * expect all ranks to connect. weft_pmix_sessions_used() returns whether any
 * process of the job has used sessions before its MPI_Finalize, if Weft's
 * mpiexec started the job. after_world: this process has called MPI_Finalize.
 */
void weft_pmix_use_sessions(bool after_world);
bool weft_pmix_sessions_used(void);

/* Returns the name of the job in the launcher; "" without a launcher. */
const char *weft_pmix_job(void);

/*
 * weft_pmix_publish() publishes bytes under a key. weft_pmix_fetch() waits for
 * the bytes that a process has published and gets them; it returns -ETIMEDOUT
 * after `seconds`.
 */
int weft_pmix_publish(const char *key, const void *bytes, size_t len);
int weft_pmix_fetch(int rank, const char *key, void *bytes, size_t *len_p,
		    int seconds);

/* Returns whether names are in shared memory, so that getting them is cheap. */
bool weft_pmix_names_are_shared(void);

/*
 * Waits until all processes have called this function. Calls idle() repeatedly
 * while it waits, and wake() when the fence has completed. Returns 0 or -errno.
 */
int weft_pmix_fence(void (*idle)(void), void (*wake)(void));

/* Ends the job. Returns only if there is no launcher. */
void weft_pmix_abort(int code, const char *text);

/*
 * Closes the connection to the PMIx server: the launcher then treats this
 * process as one that has completed MPI_Finalize. A function that needs PMIx
 * later connects again; values that were published remain.
 */
void weft_pmix_leave(void);

void weft_pmix_close(void);

#endif
