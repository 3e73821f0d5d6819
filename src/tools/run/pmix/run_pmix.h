/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PMIx server inside mpiexec. Its callbacks run in a thread of the library
 * and only send events through a pipe, which the main loop reads.
 */
#ifndef WEFT_RUN_PMIX_H
#define WEFT_RUN_PMIX_H

#include "src/tools/run/job/run_job.h"

/* Name of the job key (a byte object) in the job's data, for PMIx_Get. */
#define RUN_KEY_JOB_KEY "weft.job.key"

enum run_event_kind {
	RUN_EVENT_CONNECTED,
	RUN_EVENT_FINALIZED,
	RUN_EVENT_ABORT,
	RUN_EVENT_KILL,	 /* job control requested the end of the job */
	RUN_EVENT_SPAWN, /* a rank has requested further processes */
};

struct run_spawn_request; /* run_pmix_spawn.h */

struct run_event {
	int32_t kind;
	int32_t rank;
	int32_t code;
	int32_t pad;
	char *text; /* text of the event, or NULL; freed by the reader */
	struct run_spawn_request *spawn; /* request of RUN_EVENT_SPAWN */
};

/* Starts the server and its thread. Returns 0, or -errno after a message. */
int run_pmix_open(struct run_job *job);

/* Brings the loopback interface up, with a message, if it is down. */
int run_loopback(void);

int run_pmix_register(struct run_job *job);

/*
 * Returns the NULL-terminated variables with which a rank finds the server, the
 * same for all ranks; PMIX_RANK is not included. Owned by the server.
 */
char **run_pmix_env(void);

/*
 * Returns a descriptor that is readable while events are queued.
 * run_pmix_next() reads one event and returns 0 or -EAGAIN.
 */
int run_pmix_event_fd(void);
int run_pmix_next(struct run_event *ev);

#endif
