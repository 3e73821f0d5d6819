/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs replays in child processes, for the tests of the replay. */
#ifndef WEFT_REPLAY_SIM_H
#define WEFT_REPLAY_SIM_H

#include "test/t.h"

#include "src/tools/replay/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[8192]; /* output of the last replay */

/*
 * Ends a child before the sanitizers' leak check: a replay that fails frees
 * nothing, and the check of a process with fibers takes seconds.
 */
static inline void leave(int status, void *arg)
{
	(void)arg;
	fflush(NULL);
	_exit(status);
}

/*
 * Runs weft-sim with these words. Returns its exit status; -1: it was ended by
 * a signal. text: its output.
 */
static inline int sim_words(char **words)
{
	int ends[2], status;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	T_OK(pipe(ends));
	fflush(NULL);
	pid = fork();
	if (!pid) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		close(ends[0]);
		on_exit(leave, NULL);
		/* a replay that does not end is ended by a signal */
		alarm(300);
		exit(replay_main(words));
	}
	close(ends[1]);
	while ((got = read(ends[0], text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = 0;
	close(ends[0]);
	T_IS(waitpid(pid, &status, 0), pid);
	if (strstr(text, "Sanitizer") || strstr(text, "runtime error"))
		fail_msg("%s", text);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline int sim(const char *a, const char *b, const char *c,
		      const char *d)
{
	char *words[] = { (char *)(uintptr_t) "weft-sim", (char *)(uintptr_t)a,
			  (char *)(uintptr_t)b,		  (char *)(uintptr_t)c,
			  (char *)(uintptr_t)d,		  NULL };

	return sim_words(words);
}

#endif
