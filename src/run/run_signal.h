/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals as data: all that matter are blocked and read from a descriptor, so
 * there is no handler anywhere in mpiexec.
 */
#ifndef WEFT_RUN_SIGNAL_H
#define WEFT_RUN_SIGNAL_H

#include <signal.h>

enum run_signal_kind {
	RUN_SIGNAL_CHILD, /* somebody died */
	RUN_SIGNAL_END,	  /* we shall end */
	RUN_SIGNAL_STOP,  /* we shall stop */
	RUN_SIGNAL_PASS,  /* for the ranks */
};

/* Blocks the signals; what was blocked before goes to *old. 0 or -errno. */
int run_signal_open(sigset_t *old);
int run_signal_fd(void);
enum run_signal_kind run_signal_kind(int sig);

#endif
