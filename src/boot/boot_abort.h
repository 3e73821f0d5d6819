/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends the job after a fatal error. */
#ifndef WEFT_BOOT_ABORT_H
#define WEFT_BOOT_ABORT_H

#include "src/base/attr.h"

/* Prints the text and ends the job with this exit code. Does not return. */
void weft_core_abort(int code, const char *fmt, ...)
	WEFT_PRINTF(2, 3) WEFT_NORETURN;

/* Ends the job without printing to stderr; passes text to mpiexec. */
void weft_core_exit_job(int code, const char *text) WEFT_NORETURN;

#endif
