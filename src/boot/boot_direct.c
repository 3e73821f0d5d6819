/* SPDX-License-Identifier: BSD-3-Clause */
/* Start of a rank without PMIx (boot_direct.h). */
#include "src/boot/boot_direct.h"

#include "src/core/core_state.h"
#include "src/diag/diag_call.h"
#include "src/job/job_event.h"
#include "src/job/job_log.h"
#include "src/job/job_own.h"
#include "src/job/job_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static int events_fd = -1; /* pipe to the launcher; -1: not open */
static uint32_t my_rank;

/* Returns the descriptor of the pipe, or -1. */
static int pipe_of_launcher(void)
{
	const char *text = getenv("WEFT_JOB_EVENTS");
	char *end;
	long fd;

	if (!text || !*text)
		return -1;
	fd = strtol(text, &end, 10);
	if (*end || fd < 0 || fd > 1 << 24 || fcntl((int)fd, F_GETFD) < 0)
		return -1;
	return (int)fd;
}

/*
 * Returns the job status page if it belongs to this job, otherwise NULL; sets
 * *rank_p to this rank's index in the page.
 */
static struct weft_job_page *page_of_job(uint32_t *rank_p)
{
	const char *job = getenv("PMIX_NAMESPACE");
	struct weft_job_page *p = weft_call_job_page(rank_p);

	return p && job && weft_job_page_is_of(p, job) ? p : NULL;
}

/* Returns the number of ranks including those that can be spawned (--usize). */
static int universe(int size)
{
	const char *text = getenv("FI_WEFT_UNIVERSE");
	int n = text ? atoi(text) : 0;

	return n > size ? n : size;
}

/*
 * If mpiexec has started several jobs, sets the rank and size that this process
 * has in its own job. Returns false if the environment variable with these
 * values is invalid.
 */
static bool read_own_job(struct weft_job *job)
{
	const char *text = getenv(WEFT_JOB_OWN);
	char kind[16] = "";
	int first, size;

	if (!text)
		return true;
	if (sscanf(text, WEFT_JOB_OWN_FORMAT, &first, &size, kind) < 2 ||
	    first < 0 || size < 1 || job->member < first ||
	    job->member - first >= size || size > job->members - first) {
		weft_log(WEFT_LOG_ERROR,
			 WEFT_JOB_OWN "=%s: only mpiexec sets it", text);
		return false;
	}
	job->base = first;
	job->rank = job->member - first;
	job->size = size;
	job->background = *kind != 0;
	return true;
}

int weft_direct_open(struct weft_job *job)
{
	int fd = pipe_of_launcher();
	struct weft_job_page *p = page_of_job(&my_rank);

	if (fd < 0 || !p || (int)my_rank != job->rank)
		return 0;
	job->member = job->rank;
	job->size = job->members = (int)p->members;
	if (!read_own_job(job))
		return -EINVAL;
	job->local = malloc((size_t)job->size * sizeof(*job->local));
	if (!job->local)
		return -ENOMEM;
	for (int i = 0; i < job->size; i++)
		job->local[i] = i;
	job->launched = true;
	job->local_size = job->size;
	job->universe = universe(job->size);
	job->appnum = (int)weft_job_page_member(p, my_rank)->app;
	/*
	 * programs that this process starts do not belong to the job, so they
	 * must not inherit the pipe
	 */
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	events_fd = fd;
	weft_job_event_send(fd, WEFT_JOB_STARTED, my_rank, 0, NULL);
	return 1;
}

bool weft_direct_is_open(void)
{
	return events_fd >= 0;
}

bool weft_direct_abort(int code, const char *text)
{
	return events_fd >= 0 &&
	       !weft_job_event_send(events_fd, WEFT_JOB_ABORTED, my_rank, code,
				    text);
}

void weft_direct_close(void)
{
	if (events_fd >= 0)
		weft_job_event_send(events_fd, WEFT_JOB_LEFT, my_rank, 0, NULL);
	events_fd = -1;
}
