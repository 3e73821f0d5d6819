/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals as data: all relevant signals are blocked and read from a descriptor,
 * so mpiexec has no signal handler.
 */
#ifndef WEFT_RUN_SIGNAL_H
#define WEFT_RUN_SIGNAL_H

#include <signal.h>

enum run_signal_kind {
	RUN_SIGNAL_CHILD, /* a child has exited */
	RUN_SIGNAL_END,	  /* end the job */
	RUN_SIGNAL_STOP,  /* stop the job */
	RUN_SIGNAL_PASS,  /* pass to the ranks */
	/* the job that has spawned this one has failed */
	RUN_SIGNAL_PARENTS,
};

/* Blocks the signals; *old gets the previous mask. Returns 0 or -errno. */
int run_signal_open(sigset_t *old);
int run_signal_fd(void);
enum run_signal_kind run_signal_kind(int sig);

#endif
