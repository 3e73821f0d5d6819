/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts a job on several hosts without another launcher: a daemon on each
 * host, through a remote shell (run_daemon.h).
 */
#ifndef WEFT_RUN_LAUNCH_H
#define WEFT_RUN_LAUNCH_H

#include "src/tools/run/opts/run_opts.h"

/*
 * Runs the job; returns the exit code. words: command line of mpiexec; env:
 * variables for the other hosts. Both end with NULL.
 */
int run_launch(const struct run_opts *o, char **words, char **env);

#endif
