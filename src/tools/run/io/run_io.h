/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output of the ranks. Every rank has a pipe for stdout and another for stderr,
 * so programs behave as usual (write() of any length, no terminal, /dev/stderr
 * can be opened). mpiexec already holds one PMIx connection for each rank, so
 * the reading ends are held by collectors: child processes of mpiexec, each for
 * a slice of the ranks and with far fewer than 1024 descriptors.
 *
 *   mpiexec --'P'--> collector      request the pipes of the next rank
 *           <--fds--                their writing ends, by SCM_RIGHTS
 *           --'D'-->                no more ranks: exit when all are closed
 *           --EOF-->                mpiexec was killed: end all ranks
 *
 * Collectors share one lock, so that lines of different slices do not mix. They
 * write with blocking calls: a slow reader of mpiexec's output slows the ranks
 * down through their pipes, and mpiexec itself stays responsive.
 */
#ifndef WEFT_RUN_IO_H
#define WEFT_RUN_IO_H

#include "src/tools/run/opts/run_opts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/*
 * Memory shared by mpiexec and its collectors. ended: position of the rank in
 * the order in which the ranks' lifelines were closed, from 1. A lifeline is a
 * third pipe that a rank holds open and that carries no data. A dying process
 * closes its files, the highest descriptor first, before its parent is
 * notified; in the meantime, peers may detect the death, fail, and be reaped.
 * So this order is the order of death.
 */
struct run_shared {
	/* robust mutex: a collector may be killed while it holds the lock */
	pthread_mutex_t lock;
	int nranks;
	atomic_int ends;
	struct {
		pid_t group; /* process group; 0: none or reaped */
		atomic_int ended;
	} rank[];
};

/*
 * Descriptor of the lifeline in a rank, above the descriptors that programs
 * usually open.
 */
enum { RUN_LIFELINE_FD = 201 };

struct run_slice {
	int first;
	int count;
	const char *host;
	const struct run_output *out;
	struct run_shared *shared;
};

/* Runs a collector; returns its exit code. ctl: socket to mpiexec. */
int run_collect(const struct run_slice *slice, int ctl);

/* Main function of the feeder, for count ranks (run_feed.c). */
int run_feed(int count, int ctl);

/* Ignores the signals that end ranks, so that helpers still deliver output. */
void run_ignore_signals(void);

struct run_io;

/* Ranks of this host. */
struct run_io_ranks {
	int first;
	int count;
};

/* Forks the collectors, before any thread exists. Returns 0 or -errno. */
int run_io_open(const struct run_opts *o, const struct run_io_ranks *ranks,
		const char *host, struct run_io **io_p);

/*
 * Gets the descriptors for stdout, stderr and the lifeline of the next rank
 * (ranks in ascending order). The caller closes them after the fork; the first
 * two may be equal. Returns 0 or -errno.
 */
int run_io_fetch(struct run_io *io, int rank, int fd[3]);

/*
 * Returns the descriptor to duplicate as stdin of a rank, or -errno. The caller
 * closes it after the fork if it is above 2.
 */
int run_io_stdin(struct run_io *io, int rank);

/*
 * Notifies the collectors that all ranks have their descriptors: collectors may
 * exit at end of file.
 */
void run_io_all_started(struct run_io *io);

void run_io_set_group(struct run_io *io, int rank, pid_t pid);

/*
 * Returns the rank's position in the order of death, counted from 1; 0: the
 * rank is still running.
 */
int run_io_death_order(const struct run_io *io, int rank);

/* Returns true if pid is a helper, which is then marked as exited. */
bool run_io_reap(struct run_io *io, pid_t pid, int status);
int run_io_live(const struct run_io *io);
bool run_io_is_helper(const struct run_io *io, pid_t pid);

/* Kills the feeder when no rank is left. */
void run_io_stop_feeding(struct run_io *io);

/* Kills the collectors; undelivered output is lost. */
void run_io_kill(struct run_io *io);

/* Returns 0, or -EIO if a collector could not write output of the ranks. */
int run_io_status(const struct run_io *io);

/* Kills the remaining collectors, by their process ids, and frees io. */
void run_io_close(struct run_io *io);

#endif
