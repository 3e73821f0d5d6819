/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of the job and its ranks in mpiexec. Only the main thread accesses it;
 * the PMIx thread reports through a pipe (run_pmix.h).
 *
 *   spawned -> [connected -> finalized]* -> exited
 */
#ifndef WEFT_RUN_JOB_H
#define WEFT_RUN_JOB_H

#include "src/job/job_page.h"
#include "src/tools/run/opts/run_opts.h"

#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct run_rank {
	pid_t pid;
	int status; /* status of waitpid(), if exited */
	uint16_t app;
	bool connected; /* has called PMIx_Init */
	bool finalized; /* has called PMIx_Finalize since */
	bool exited;
};

/* Reasons why a job ends early: the first one counts. */
enum run_cause {
	RUN_CAUSE_NONE,
	RUN_CAUSE_EXIT,	   /* non-zero exit code */
	RUN_CAUSE_SIGNAL,  /* a rank was killed */
	RUN_CAUSE_ABORT,   /* PMIx_Abort, MPI_Abort */
	RUN_CAUSE_NO_FINI, /* exit 0 between init and finalize */
	RUN_CAUSE_NO_INIT, /* exit 0 before init while others are in MPI */
	RUN_CAUSE_TIMEOUT,
	RUN_CAUSE_INTERRUPT, /* mpiexec got a signal to end */
	RUN_CAUSE_FAULT, /* mpiexec itself failed, and has printed the reason */
};

struct run_end {
	enum run_cause cause;
	int rank;
	pid_t pid;
	int code; /* exit code, abort code or signal, depending on the cause */
	char *text;
	/* MPI call of the rank, NULL: none; timeout: calls of all ranks */
	char *call;
	/* of a timeout: ranks by state, before any is killed */
	char *job_page_call;
};

struct run_io;
struct run_bind;

/*
 * Message sizes in bytes that select the copy method between ranks of this
 * host.
 */
struct run_sizes {
	int eager;    /* FI_WEFT_HOST_EAGER */
	int help;     /* FI_WEFT_SHARED_COPY_MIN */
	int help_row; /* FI_WEFT_SHARED_COPY_MIN_BUSY */
	int loop;     /* FI_WEFT_COPY_LOOP_MAX */
};

struct run_job {
	const struct run_opts *opts;
	struct run_rank *rank;
	int nranks;
	int spawned;
	int live;
	int cpus;	  /* usable processors */
	bool no_affinity; /* sched_getaffinity() is forbidden */
	char host[HOST_NAME_MAX + 1];
	char nspace[64];
	unsigned char key[32]; /* for authenticated sockets between ranks */
	struct run_io *io;
	struct run_bind *bind;
	int topo_fd;		/* hwloc XML in a memfd, -1: none */
	struct run_sizes sizes; /* measured sizes; 0: not measured */
	/* job status page: the current call of each rank */
	struct weft_job_page job_page;
	int job_page_fd;      /* its descriptor in the ranks, -1: none */
	int trace_fd;	      /* memory for recorded events, -1: none */
	struct rlimit nofile; /* limit at mpiexec's start, for the ranks */
	sigset_t sigmask; /* signal mask at mpiexec's start, for the ranks */
	struct run_end end;
};

/*
 * Waits until every rank has exited; ends the others when one fails. event_fd:
 * run_pmix_event_fd(). Returns the exit code.
 */
int run_job_wait(struct run_job *job, int event_fd);

/* Kills and reaps the remaining descendants. */
void run_job_sweep(struct run_job *job);

/*
 * Number of processes and threads of a job: each rank with a PMIx thread;
 * mpiexec, its two threads, and a collector.
 */
static inline unsigned run_tasks(const struct run_job *job)
{
	return 2 * (unsigned)job->nranks + 4;
}

#endif
