/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a job that goes wrong. */
#ifndef WEFT_CORE_ABORT_H
#define WEFT_CORE_ABORT_H

#include "src/base/attr.h"

/* Ends the job with this code and text; does not return. */
void weft_core_abort(int code, const char *fmt, ...)
	WEFT_PRINTF(2, 3) WEFT_NORETURN;

/* Ends the job without a further word on the screen; text is for mpiexec. */
void weft_core_quit(int code, const char *text) WEFT_NORETURN;

#endif
