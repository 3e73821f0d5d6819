/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output of the ranks. Every rank has its own pipe for stdout and another for
 * stderr: programs see what they are used to (write() of any length, no
 * terminal, /dev/stderr can be opened). mpiexec already holds one PMIx
 * connection for each rank, so the reading ends live in collectors: child
 * processes of mpiexec, each serving a slice of ranks and staying far below
 * 1024 descriptors.
 *
 *   mpiexec --'P'--> collector      asks for the pipes of the next rank
 *           <--fds--                their writing ends, by SCM_RIGHTS
 *           --'D'-->                no more ranks: leave when all are closed
 *           --EOF-->                mpiexec was killed: end all ranks
 *
 * Collectors share one lock, so that lines of different slices do not mix.
 * They write with blocking calls: a slow reader of mpiexec's output slows the
 * ranks down through their pipes, and mpiexec itself stays responsive.
 */
#ifndef WEFT_RUN_IO_H
#define WEFT_RUN_IO_H

#include "src/run/run_opts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/*
 * Shared by mpiexec and its collectors. ended: the order in which the ranks'
 * lifelines ended, 1 first. A lifeline is a third pipe that a rank holds and
 * nobody writes to. A dying process closes its files, the highest first,
 * before the parent is told of its death; its peers may notice, fail, and be
 * reaped in between. So this is the true order of death.
 */
struct run_shared {
	pthread_mutex_t lock; /* robust: a collector may be killed */
	int nranks;
	atomic_int ends;
	struct {
		pid_t group; /* process group, 0: none or reaped */
		atomic_int ended;
	} rank[];
};

/* The number of the lifeline in a rank: above what programs open. */
enum { RUN_LIFELINE_FD = 201 };

struct run_slice {
	int first;
	int count;
	const char *host;
	const struct run_output *out;
	struct run_shared *shared;
};

/* The collector's life; returns its exit code. ctl: socket to mpiexec. */
int run_collect(const struct run_slice *slice, int ctl);

/* The feeder's life, for count ranks (run_feed.c). */
int run_feed(int count, int ctl);

/* Helpers outlive what ends the ranks: they still have output to deliver. */
void run_ignore_signals(void);

struct run_io;

/* Forks the collectors; before any thread exists. 0 or -errno. */
int run_io_open(const struct run_opts *o, int nranks, const char *host,
		struct run_io **io_p);

/*
 * Descriptors for stdout, stderr and the lifeline of the next rank (ranks
 * come in order). The caller closes them after the fork; the first two may be
 * equal.
 */
int run_io_fetch(struct run_io *io, int rank, int fd[3]);

/*
 * What stdin of a rank is duplicated from. The caller closes it after the
 * fork when it is above 2. -errno on failure.
 */
int run_io_stdin(struct run_io *io, int rank);

/* All ranks have their descriptors: collectors may leave when done. */
void run_io_last(struct run_io *io);

void run_io_set_group(struct run_io *io, int rank, pid_t pid);

/* When the lifeline of a rank ended, counted from 1; 0: it has not. */
int run_io_ended(const struct run_io *io, int rank);

/* True when pid is a collector (which then counts as gone). */
bool run_io_reap(struct run_io *io, pid_t pid, int status);
int run_io_live(const struct run_io *io);
bool run_io_is_helper(const struct run_io *io, pid_t pid);

/* No rank is left to be fed. */
void run_io_stop_feeding(struct run_io *io);

/* Gives up output that nobody takes. */
void run_io_kill(struct run_io *io);

/* 0, or -EIO when a collector could not write what the ranks printed. */
int run_io_status(const struct run_io *io);

/* Kills collectors that are left, by their id, and frees. */
void run_io_close(struct run_io *io);

#endif
