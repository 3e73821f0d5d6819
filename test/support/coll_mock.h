/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job inside one process: p ranks (or p + q in an intercommunicator) whose
 * messages are delivered in a seeded random order. The mock replaces src/comm
 * and src/msg behind the interfaces msg_p2p.h, msg_req.h, msg_progress.h and
 * comm.h, so every algorithm can be tested without processes, with messages in
 * every order that the interfaces allow: some sends complete at once, others
 * only when received, and data is read from the sender's buffer as late as
 * possible.
 *
 *   mock_open -> (weft_coll_start per rank, mock_settle) ... -> mock_close
 *   mock_open -> mock_each(threads that call weft_coll_run) -> mock_close
 */
#ifndef WEFT_COLL_MOCK_H
#define WEFT_COLL_MOCK_H

#include "coll/coll.h"
#include "src/comm/comm.h"

#include <stdint.h>

struct mock {
	int p;
	int q; /* size of the second group; 0: an intracommunicator */
	/* communicators, indexed by process; the first p are the left group */
	struct weft_comm **comm;
};

struct mock *mock_open(int p, int q, uint64_t seed);
/* Fails unless all messages were received and all requests are freed. */
void mock_close(struct mock *m);

/* Makes progress until every started schedule completes; fails on deadlock. */
void mock_settle(struct mock *m);

/* Runs fn(i, arg) for each process i, each in its own thread. */
void mock_each(struct mock *m, void (*fn)(int i, void *arg), void *arg);

/*
 * Distributes the ranks over hosts: n consecutive ranks per host; n < 0:
 * round-robin over -n hosts; 0: one host.
 */
void mock_spread(int n);

/*
 * Makes one message to process `at` arrive with error err: the number-th
 * message from now; number 0: none. mock_broke() returns whether it has
 * arrived.
 */
void mock_break(int at, int number, int err);
bool mock_broke(void);

/* Error with which waits for words of shared memory end; 0: no error. */
extern int mock_pause_result;

/* Return the numbers of messages and of bytes sent so far. */
uint64_t mock_messages(void);
uint64_t mock_bytes(void);

#endif
