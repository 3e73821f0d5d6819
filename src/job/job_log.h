/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that only one rank of a job prints: the job status page records
 * which texts were printed.
 */
#ifndef WEFT_JOB_LOG_H
#define WEFT_JOB_LOG_H

#include "src/base/log.h"

/*
 * Like weft_log(), but in a job started by mpiexec only the first rank that
 * calls this function prints the text. Used for messages that are the same in
 * all ranks, such as a warning about an unknown variable. Without mpiexec every
 * process prints it.
 */
void weft_log_once(enum weft_log_level level, const char *fmt, ...)
	WEFT_PRINTF(2, 3) WEFT_COLD;
/*
 * Reports, once per process, that a peer uses another version of a format.
 * what: "a peer's shared memory".
 */
void weft_log_other_version(const char *what, unsigned other,
			    unsigned own) WEFT_COLD;
/* Returns whether no other rank has printed this text; true without mpiexec. */
bool weft_log_first(const char *text) WEFT_COLD;

#endif
