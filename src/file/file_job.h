/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs: accesses that worker threads execute while the application computes.
 * Workers call the operating system only, never MPI; the progress loop detects
 * the end of a job (file_req.c, file_coll.c).
 */
#ifndef WEFT_FILE_JOB_H
#define WEFT_FILE_JOB_H

#include "src/base/atomic.h"
#include "src/base/list.h"

struct file_job {
	struct weft_list link;
	void (*run)(struct file_job *job);
	weft_au32 done; /* 1: the job is complete; stored last, with release */
};

/*
 * Starts a job. If jobs cannot run in the background (no thread, or the clock
 * is virtual), the job is executed in the calling thread.
 */
void file_job_start(struct file_job *job);

/* Returns whether jobs run in the background in this process. */
bool file_jobs_are_threaded(void);

static inline bool file_job_is_done(const struct file_job *job)
{
	return weft_load32(&job->done);
}

/* Waits at most ns for the end of the job. */
void file_job_wait(struct file_job *job, uint64_t ns);

/* Completes all jobs and ends the worker threads. */
void file_jobs_close(void);

#endif
