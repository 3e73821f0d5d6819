/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs that survive failures (run_survive.h). */
#include "src/tools/run/job/run_survive.h"
#include "src/tools/run/job/run_end.h"
#include "src/tools/run/job/run_job_page.h"
#include "src/tools/run/pmix/run_pmix_hosts.h"
#include "src/tools/run/run_message.h"

#include <stdlib.h>

/* Returns the number of ranks that have not exited, on all hosts. */
static int remaining(const struct run_job *job)
{
	int n = 0;

	for (int i = 0; i < job->nranks; i++)
		n += !job->rank[i].exited;
	return n;
}

/* Records an exit for the ranks of this host, and sends it to other hosts. */
static void record_exit(struct run_job *job, int rank, int code)
{
	weft_job_page_record_exit(&job->job_page, (uint32_t)rank);
	if (job->layout)
		run_pmix_hosts_send_exit(rank, code);
}

static void record_failure(struct run_job *job, int rank)
{
	job->failures++;
	job->rank[rank].failed = true;
}

/* Handles the exit of a rank that a fault plan has ended. */
static void record_planned_end(struct run_job *job, int i)
{
	if (job->first_failure.cause == RUN_CAUSE_NONE)
		job->first_failure =
			(struct run_end){ .cause = RUN_CAUSE_EXIT,
					  .rank = i,
					  .code = 1,
					  .pid = job->rank[i].pid };
	record_failure(job, i);
	if (job->live > 0)
		run_message("rank %d has failed, as set by the fault plan; the "
			    "job continues with %d ranks",
			    i, job->live);
}

static void print_failure(const struct run_job *job, struct run_end *e)
{
	int left = remaining(job);
	char *text;

	e->call = run_job_page_call(job, e->rank);
	text = run_end_text(e, job->host);
	if (text && left > 0)
		run_message("%s; the job continues with %d ranks", text, left);
	free(text);
	free(e->call);
}

/*
 * Keeps the first exit that may decide the exit code of the job; the exit of a
 * rank after MPI_Finalize takes precedence over a failure.
 */
static void keep_first(struct run_job *job, const struct run_end *e)
{
	const struct run_end *first = &job->first_failure;

	if (first->cause == RUN_CAUSE_NONE ||
	    (job->rank[e->rank].finalized && first->rank >= 0 &&
	     !job->rank[first->rank].finalized))
		job->first_failure = *e;
}

bool run_survive_exit(struct run_job *job, int i, enum run_cause cause,
		      int code)
{
	struct run_end e = {
		.cause = cause, .rank = i, .code = code, .pid = job->rank[i].pid
	};
	bool has_left = cause == RUN_CAUSE_NONE || job->rank[i].finalized;
	const struct job_page_member *m;

	if (!job->opts->survive || job->end.cause != RUN_CAUSE_NONE ||
	    !run_job_page_all_started(job))
		return false;
	m = weft_job_page_member(&job->job_page, (uint32_t)i);
	/* the rank's request to end the job may arrive after its exit */
	if (weft_load32(&m->aborted))
		return false;
	record_exit(job, i, has_left ? 0 : run_end_code(&e));
	if (weft_load32(&m->failed)) {
		record_planned_end(job, i);
		return true;
	}
	if (cause != RUN_CAUSE_NONE)
		keep_first(job, &e);
	if (has_left)
		return true;
	record_failure(job, i);
	print_failure(job, &e);
	return true;
}

bool run_survive_remote(struct run_job *job, int rank, int code)
{
	struct run_rank *r = &job->rank[rank];

	if (r->exited || job->end.cause != RUN_CAUSE_NONE)
		return true;
	r->exited = true;
	weft_job_page_record_exit(&job->job_page, (uint32_t)rank);
	if (!code)
		return true;
	record_failure(job, rank);
	if (run_job_page_all_started(job))
		return true;
	run_message("rank %d has failed before all ranks of host %s have "
		    "completed MPI_Init; the job is ended",
		    rank, job->host);
	return false;
}

void run_survive_end(struct run_job *job)
{
	const struct run_end *e = &job->first_failure;
	bool finished = false;

	if (e->cause == RUN_CAUSE_NONE || job->end.cause != RUN_CAUSE_NONE)
		return;
	for (int i = 0; i < job->nranks; i++)
		finished = finished ||
			   (job->rank[i].finalized && !job->rank[i].failed);
	if (job->rank[e->rank].finalized && !job->rank[e->rank].failed) {
		job->end = *e;
		if (job->layout)
			run_pmix_hosts_send_survived();
	} else if (job->layout) {
		return;
	} else if (!finished) {
		job->end = *e;
	} else {
		run_message("%d of %d ranks have failed, the others have "
			    "completed the job",
			    job->failures, job->nranks);
	}
}
