/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects ranks that do not reach the PMIx server: see run_stuck.h. */
#include "src/tools/run/job/run_stuck.h"
#include "src/base/clock.h"
#include "src/base/limit.h"
#include "src/tools/run/job/run_job_page.h"
#include "src/tools/run/run_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of checks within the time limit. */
enum { CHECKS = 4 };

/*
 * Returns whether the process is stopped, traced, or exited. /proc/PID/stat is
 * "PID (name) S ...".
 */
static bool is_stopped_or_exited(pid_t pid)
{
	char name[64], line[512] = "", *at;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	f = fopen(name, "re");
	if (!f)
		return true;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	at = strrchr(line, ')');
	return !at || strchr("TtXZ", at[2]);
}

/*
 * Returns the first rank that is in an MPI call but not connected to the
 * server; -1: none.
 */
static int find_stuck(const struct run_job *job, char **call_p)
{
	for (int i = 0; i < job->nranks; i++) {
		if (job->rank[i].exited || job->rank[i].connected ||
		    job->rank[i].remote)
			continue;
		*call_p = run_job_page_call(job, i);
		if (*call_p && !is_stopped_or_exited(job->rank[i].pid))
			return i;
		free(*call_p);
		*call_p = NULL;
	}
	return -1;
}

static bool all_connected(const struct run_job *job)
{
	for (int i = 0; i < job->nranks; i++)
		if (!job->rank[i].exited && !job->rank[i].connected &&
		    !job->rank[i].remote)
			return false;
	return true;
}

void run_stuck_begin(struct run_stuck *s, double limit_s)
{
	s->rank = -1;
	s->since_ns = 0;
	s->next_ns = limit_s > 0 ? weft_now_ns() : 0;
}

void run_stuck_event(struct run_stuck *s)
{
	s->rank = -1;
}

int run_stuck_check(struct run_stuck *s, const struct run_job *job,
		    uint64_t now)
{
	uint64_t limit = (uint64_t)(job->opts->connect_s * 1e9);
	char *call = NULL;
	int rank;

	if (!s->next_ns || now < s->next_ns)
		return -1;
	s->next_ns = all_connected(job) ? 0 : now + limit / CHECKS;
	rank = find_stuck(job, &call);
	if (rank != s->rank) {
		s->rank = rank;
		s->since_ns = now;
	}
	if (rank >= 0 && now - s->since_ns >= limit) {
		char why[WEFT_LIMIT_TEXT];

		run_message("rank %d with PID %d on node %s has been in %s for "
			    "%g s and does not reach the PMIx server of "
			    "mpiexec%s (MPIEXEC_CONNECT_TIMEOUT)",
			    rank, (int)job->rank[rank].pid, job->host, call,
			    job->opts->connect_s, weft_limit_space(why, 0));
	} else {
		rank = -1;
	}
	free(call);
	return rank;
}
