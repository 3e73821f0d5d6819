/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts without a program: their ranks run weft-play (src/tools/play), which
 * makes recorded calls (--replay) or the calls of a pattern (--calls).
 */
#ifndef WEFT_RUN_CALLS_H
#define WEFT_RUN_CALLS_H

#include "src/tools/run/opts/run_opts.h"

/* Returns whether the context has calls instead of a program. */
static inline bool run_calls_given(const struct run_app *a)
{
	return a->replay || a->calls;
}

enum { RUN_CALLS_WORDS = 4 };

/*
 * Opens the calls, sets the number of ranks, and writes the words of the
 * command to word. Returns the number of words, or -EINVAL after a message.
 */
int run_calls_words(struct run_app *a, char *word[RUN_CALLS_WORDS]);

/* Returns the name of the context's program or calls, for messages. */
const char *run_calls_name(const struct run_app *a);

#endif
