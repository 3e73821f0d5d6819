/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-play: an MPI program that makes recorded calls, or those of a pattern
 * (src/tools/replay/replay_call.h). mpiexec --replay and --calls start it. Each
 * rank reads its own calls; messages have sizes, but their data is undefined.
 */
#ifndef WEFT_PLAY_H
#define WEFT_PLAY_H

#include "src/tools/replay/replay_call.h"

#include <mpi.h>

/* The calls of this rank, and its position in them. */
struct play {
	struct replay_source *source;
	const char *name; /* file or pattern, as on the command line */
	uint32_t rank, ranks;
	uint64_t calls; /* number of the present call, from 1 */
};

extern struct play play;

/* Reports an error of the calls, and ends the job. */
void play_fail(const char *form, ...)
	__attribute__((format(printf, 1, 2), noreturn));
/*
 * Checks the result of an MPI function. A message that is longer than its
 * receive is no error: with another order of messages it may match.
 */
void play_check(int rc);
/* Returns a count as an int; longer vectors are refused. */
int play_int(uint64_t n);

/*
 * Return the buffer from which, or into which, `bytes` bytes of data are moved.
 */
void *play_out(uint64_t bytes);
void *play_in(uint64_t bytes);

/* ---- play_msg.c ---- */

/* Makes a call that sends, receives, waits or probes. */
void play_message(const struct replay_call *c);
/*
 * Adds an open request under its number in the recording. arrays: memory that
 * is freed when the request is complete, or NULL.
 */
void play_open(uint64_t id, MPI_Request req, void *arrays);
/* Polls n times without result. */
void play_poll(uint64_t n);
void play_poll_close(void);

/* ---- play_coll.c ---- */

void play_coll(const struct replay_call *c);

/* ---- play_comm.c ---- */

/* Returns a communicator by its number; an unknown one is an error. */
MPI_Comm play_comm(uint64_t id);
void play_comm_make(const struct replay_call *c);
void play_comm_free(uint64_t id);
/* Frees all communicators except the world. */
void play_comm_free_all(void);

#endif
