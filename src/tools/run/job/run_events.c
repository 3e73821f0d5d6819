/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that ranks report through a pipe (run_events.h). */
#include "src/tools/run/job/run_events.h"
#include "src/base/attr.h"
#include "src/job/job_event.h"
#include "src/tools/run/opts/run_model.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Descriptor of the pipe in a rank, above that of the job status page. */
enum { EVENTS_FD = 203 };

static int read_fd = -1;

int run_events_open(struct run_job *job)
{
	int end[2];

	/* no pipe: without a job status page ranks need PMIx */
	if (!run_model_virtual(&job->opts->model) || job->job_page_fd < 0)
		return 0;
	if (pipe2(end, O_CLOEXEC) < 0)
		return -errno;
	read_fd = end[0];
	fcntl(read_fd, F_SETFL, O_NONBLOCK);
	/*
	 * mpiexec keeps this end open, so that the pipe never reaches end of
	 * file
	 */
	job->events_fd = fcntl(end[1], F_DUPFD_CLOEXEC, EVENTS_FD);
	close(end[1]);
	return 0;
}

int run_events_fd(void)
{
	return read_fd;
}

int run_events_next(struct run_event *ev)
{
	static const int32_t kinds[] = {
		[WEFT_JOB_STARTED] = RUN_EVENT_CONNECTED,
		[WEFT_JOB_LEFT] = RUN_EVENT_FINALIZED,
		[WEFT_JOB_ABORTED] = RUN_EVENT_ABORT,
	};
	struct weft_job_event e;
	int err = read_fd < 0 ? -EAGAIN : weft_job_event_next(read_fd, &e);

	/* other bytes: a program has written to a descriptor it did not open */
	while (err == -EPROTO ||
	       (!err && (!e.kind || e.kind >= WEFT_COUNT_OF(kinds))))
		err = weft_job_event_next(read_fd, &e);
	if (err)
		return -EAGAIN;
	*ev = (struct run_event){ .kind = kinds[e.kind],
				  .rank = (int32_t)e.member,
				  .code = e.code,
				  .text = *e.text ? strdup(e.text) : NULL };
	return 0;
}
