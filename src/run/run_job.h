/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job: what mpiexec knows about its ranks. The table is touched by the
 * main thread only; the PMIx thread reports through a pipe (run_pmix.h).
 *
 *   spawned -> [connected -> finalized]* -> exited
 */
#ifndef WEFT_RUN_JOB_H
#define WEFT_RUN_JOB_H

#include "src/base/roll.h"
#include "src/run/run_opts.h"

#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct run_rank {
	pid_t pid;
	int status; /* of waitpid, when exited */
	uint16_t app;
	bool connected; /* called PMIx_Init, at least once */
	bool finalized; /* and PMIx_Finalize after it */
	bool exited;
};

/* Why a job ends early: the first reason is the one that counts. */
enum run_cause {
	RUN_CAUSE_NONE,
	RUN_CAUSE_EXIT,	   /* non-zero exit code */
	RUN_CAUSE_SIGNAL,  /* a rank was killed */
	RUN_CAUSE_ABORT,   /* PMIx_Abort, MPI_Abort */
	RUN_CAUSE_NO_FINI, /* exit 0 between init and finalize */
	RUN_CAUSE_NO_INIT, /* exit 0 before init while others are in MPI */
	RUN_CAUSE_TIMEOUT,
	RUN_CAUSE_INTERRUPT, /* mpiexec was told to stop */
	RUN_CAUSE_FAULT,     /* mpiexec itself failed, and has said why */
};

struct run_end {
	enum run_cause cause;
	int rank;
	pid_t pid;
	int code; /* exit code, abort code or signal, after the cause */
	char *text;
	char *call; /* MPI call it was in, NULL: none; time-out: all calls */
	char *roll_call; /* of a time-out, taken before anybody is killed */
};

struct run_io;
struct run_bind;

/* How messages go between ranks of this host, by their bytes. */
struct run_sizes {
	int eager;    /* FI_WEFT_HOST_EAGER */
	int help;     /* FI_WEFT_HOST_HELP */
	int help_row; /* FI_WEFT_HOST_HELP_ROW */
	int loop;     /* FI_WEFT_HOST_LOOP */
};

struct run_job {
	const struct run_opts *opts;
	struct run_rank *rank;
	int nranks;
	int spawned;
	int live;
	int cpus;	  /* usable ones */
	bool no_affinity; /* sched_getaffinity() is forbidden */
	char host[HOST_NAME_MAX + 1];
	char nspace[64];
	unsigned char key[32]; /* for authenticated sockets between ranks */
	struct run_io *io;
	struct run_bind *bind;
	int topo_fd;		/* hwloc XML in a memfd, -1: none */
	struct run_sizes sizes; /* as measured; 0: it was not */
	struct weft_roll roll;	/* where ranks leave the call they are in */
	int roll_fd;		/* its number in the ranks, -1: none */
	int trace_fd;		/* the events that they leave, -1: none */
	struct rlimit nofile;	/* as we were started, for the ranks */
	sigset_t sigmask;	/* likewise */
	struct run_end end;
};

/*
 * Waits until every rank is gone and decides the exit code; ends the others
 * when one fails. event_fd: run_pmix_event_fd(). Returns the exit code.
 */
int run_job_wait(struct run_job *job, int event_fd);

/* Kills what is left of descendants and reaps it. */
void run_job_sweep(struct run_job *job);

/* Processes and threads of a job: each rank with a thread of PMIx; mpiexec, its
 * two, and a collector of output. */
static inline unsigned run_tasks(const struct run_job *job)
{
	return 2 * (unsigned)job->nranks + 4;
}

#endif
