/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules for the end of a job: the rank that caused the end, the exit code and
 * the message. Called by run_job.c.
 */
#include "src/tools/run/job/run_end.h"
#include "src/base/attr.h"

#include <mpi-ext.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum run_cause run_end_classify(const struct run_rank *r, bool others_in_mpi,
				int *code_p)
{
	if (WIFSIGNALED(r->status)) {
		*code_p = WTERMSIG(r->status);
		return RUN_CAUSE_SIGNAL;
	}
	*code_p = WEXITSTATUS(r->status);
	if (*code_p)
		return RUN_CAUSE_EXIT;
	if (r->connected && !r->finalized)
		return RUN_CAUSE_NO_FINI;
	if (!r->connected && others_in_mpi)
		return RUN_CAUSE_NO_INIT;
	return RUN_CAUSE_NONE;
}

int run_end_code(const struct run_end *e)
{
	switch (e->cause) {
	case RUN_CAUSE_NONE:
		return 0;
	case RUN_CAUSE_EXIT:
		return e->code;
	case RUN_CAUSE_SIGNAL:
	case RUN_CAUSE_INTERRUPT:
		return 128 + e->code;
	case RUN_CAUSE_ABORT:
		return e->code & 255 ? e->code & 255 : 1;
	case RUN_CAUSE_NO_FINI:
	case RUN_CAUSE_NO_INIT:
		return 1;
	case RUN_CAUSE_TIMEOUT:
		return RUN_EXIT_TIMEOUT;
	case RUN_CAUSE_FAULT:
		return e->code ? e->code : RUN_EXIT_FAULT;
	}
	return RUN_EXIT_FAULT;
}

bool run_end_follows(int code)
{
	return code == MPI_ERR_PROC_ABORTED ||
	       code == (MPIX_ERR_PROC_FAILED & 255);
}

/*
 * Writes the text of the cause, which follows "process rank 3 with PID 1234 on
 * node host" in the message.
 */
static int action_text(const struct run_end *e, char **text_p)
{
	switch (e->cause) {
	case RUN_CAUSE_EXIT:
		return asprintf(text_p, "exited with code %d", e->code);
	case RUN_CAUSE_SIGNAL:
		return asprintf(text_p, "exited on signal %d (%s)", e->code,
				strsignal(e->code));
	case RUN_CAUSE_ABORT:
		return asprintf(text_p,
				"called MPI_Abort with error code %d%s"
				"%s",
				e->code, e->text && *e->text ? ": " : "",
				e->text ? e->text : "");
	case RUN_CAUSE_NO_FINI:
		return asprintf(text_p, "exited with code 0 without calling "
					"MPI_Finalize");
	case RUN_CAUSE_NO_INIT:
		return asprintf(text_p, "exited with code 0 before MPI_Init, "
					"while other ranks were in MPI");
	default:
		return -1;
	}
}

char *run_end_text(const struct run_end *e, const char *host)
{
	/* the text of an abort already contains the call */
	const char *call = e->cause == RUN_CAUSE_ABORT ? NULL : e->call;
	char *action = NULL, *text = NULL;
	int n = -1;

	if (e->cause == RUN_CAUSE_TIMEOUT)
		n = asprintf(&text, "timeout after %d s; the job was ended",
			     e->code);
	else if (e->cause == RUN_CAUSE_INTERRUPT)
		n = asprintf(&text, "ended by signal %d (%s)", e->code,
			     strsignal(e->code));
	/* a deadlock, which is not caused by any single rank */
	else if (e->cause == RUN_CAUSE_ABORT && e->text &&
		 !strncmp(e->text, "deadlock", 8))
		n = asprintf(&text, "%s; the job was ended", e->text);
	else if (action_text(e, &action) >= 0)
		n = asprintf(&text,
			     "process rank %d with PID %d on node %s %s"
			     "%s%s",
			     e->rank, (int)e->pid, host, action,
			     call ? " in " : "", call ? call : "");
	free(action);
	return n < 0 ? NULL : text;
}

/*
 * Returns the ranks for which pick() is true, for example "0-3,7". Freed by the
 * caller.
 */
static char *ranges_of(const struct run_rank *rank, int n,
		       bool (*pick)(const struct run_rank *))
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i, first;

	if (!f)
		return NULL;
	for (i = 0; i < n; i++) {
		if (!pick(&rank[i]))
			continue;
		for (first = i; i + 1 < n && pick(&rank[i + 1]);)
			i++;
		fprintf(f, "%s%d", ftell(f) > 0 ? "," : "", first);
		if (i > first)
			fprintf(f, "-%d", i);
	}
	fclose(f);
	return text;
}

static bool is_outside(const struct run_rank *r)
{
	return !r->exited && !r->connected && !r->remote;
}

static bool is_inside(const struct run_rank *r)
{
	return !r->exited && r->connected && !r->finalized;
}

static bool is_after(const struct run_rank *r)
{
	return !r->exited && r->finalized;
}

static bool has_exited(const struct run_rank *r)
{
	return r->exited;
}

char *run_end_states(const struct run_rank *rank, int n)
{
	static const struct {
		const char *state;
		bool (*pick)(const struct run_rank *);
	} rows[] = {
		{ "in MPI (after MPI_Init)", is_inside },
		{ "not in MPI yet", is_outside },
		{ "after MPI_Finalize", is_after },
		{ "exited", has_exited },
	};
	char *text = NULL, *ranges;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (i = 0; i < WEFT_COUNT_OF(rows); i++) {
		ranges = ranges_of(rank, n, rows[i].pick);
		if (ranges && *ranges)
			fprintf(f, "%s%s: ranks %s", ftell(f) > 0 ? "; " : "",
				rows[i].state, ranges);
		free(ranges);
	}
	fclose(f);
	return text;
}
