/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of the job and its ranks in mpiexec. Only the main thread accesses this
 * state; the PMIx thread reports through a pipe (run_pmix.h).
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
	int status; /* waitpid() status, valid after the exit */
	uint16_t app;
	bool connected; /* whether the rank has initialized the library */
	bool finalized; /* whether the rank has finalized the library again */
	bool exited;
	/* the rank is on another host, whose own mpiexec starts it */
	bool remote;
	bool failed;	/* the job continued without this rank */
	bool dismissed; /* mpiexec has ended this rank of a background job */
};

/* Causes of an early end of a job. */
enum run_cause {
	RUN_CAUSE_NONE,
	RUN_CAUSE_EXIT,	   /* non-zero exit code */
	RUN_CAUSE_SIGNAL,  /* a rank was killed by a signal */
	RUN_CAUSE_ABORT,   /* PMIx_Abort, MPI_Abort */
	RUN_CAUSE_NO_FINI, /* exit code 0 between MPI_Init and MPI_Finalize */
	/* exit code 0 before MPI_Init while other ranks are in MPI */
	RUN_CAUSE_NO_INIT,
	RUN_CAUSE_TIMEOUT,
	RUN_CAUSE_INTERRUPT, /* mpiexec received a signal to end the job */
	RUN_CAUSE_FAULT, /* mpiexec itself failed and has printed the reason */
};

struct run_end {
	enum run_cause cause;
	int rank;
	pid_t pid;
	int code; /* exit code, abort code or signal, depending on the cause */
	char *text;
	/*
	 * MPI call in which the rank was; NULL: none. After a timeout: calls of
	 * all ranks.
	 */
	char *call;
	/* after a timeout: ranks by state, before any rank is killed */
	char *rank_states;
};

struct run_io;
struct run_bind;
struct run_layout;

/* Message sizes in bytes that select the copy method on this host. */
struct run_sizes {
	/* above this size messages are fetched: FI_WEFT_HOST_EAGER */
	int eager;
	/* minimum for shared copies: FI_WEFT_SHARED_COPY_MIN */
	int shared_copy;
	/*
	 * minimum for shared copies while other messages are in flight:
	 * FI_WEFT_SHARED_COPY_MIN_BUSY
	 */
	int shared_copy_busy;
	int loop; /* maximum for the copy loop: FI_WEFT_COPY_LOOP_MAX */
};

struct run_job {
	const struct run_opts *opts;
	struct run_rank *rank;
	/* number of ranks of the job, including those on other hosts */
	int nranks;
	int first;  /* first rank on this host */
	int nlocal; /* number of ranks on this host */
	/* hosts of the job; NULL: all ranks are on this host */
	const struct run_layout *layout;
	/* whether processes on other hosts may connect to the ranks */
	bool network;
	int spawned;
	int live;
	int cpus;	  /* number of usable processors */
	bool no_affinity; /* whether sched_getaffinity() is forbidden */
	char host[HOST_NAME_MAX + 1];
	char nspace[64];
	unsigned char key[32]; /* key for authenticated sockets between ranks */
	struct run_io *io;
	struct run_bind *bind;
	/* descriptor of a memfd with the topology as hwloc XML; -1: none */
	int topo_fd;
	struct run_sizes sizes; /* measured message sizes; 0: not measured */
	/* job status page: the current call of each rank */
	struct weft_job_page job_page;
	/* descriptor of the job status page in the ranks; -1: none */
	int job_page_fd;
	/* descriptor of the pipe for events in the ranks; -1: none */
	int events_fd;
	/* descriptor of the memory for recorded events; -1: none */
	int trace_fd;
	/* descriptor of the folded memory of --skeleton; -1: none */
	int skeleton_fd;
	/* descriptor of the map file (run_table.h) in the ranks; -1: none */
	int table_fd;
	char *record;  /* file of --record; NULL: calls are not recorded */
	char *preload; /* libraries that are loaded into the ranks */
	/* descriptor limit at mpiexec's start, for the ranks */
	struct rlimit nofile;
	sigset_t sigmask; /* signal mask at mpiexec's start, for the ranks */
	struct run_end end;
	int failures; /* number of ranks that failed while the job continued */
	struct run_end first_failure;
	/* exit code of a spawned job that was apart when it failed */
	int apart_code;
};

/*
 * Waits until every rank has exited; ends the other ranks when one fails.
 * event_fd: run_pmix_event_fd(). Returns the exit code.
 */
int run_job_wait(struct run_job *job, int event_fd);

/* Kills and reaps the remaining descendants of mpiexec. */
void run_job_sweep(struct run_job *job);

/*
 * Returns the number of processes and threads of a job: each rank and its PMIx
 * thread; mpiexec, its two threads, and a collector.
 */
static inline unsigned run_tasks(const struct run_job *job)
{
	return 2 * (unsigned)job->nlocal + 4;
}

#endif
