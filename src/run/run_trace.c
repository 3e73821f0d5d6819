/* SPDX-License-Identifier: BSD-3-Clause */
/* See run_trace.h. */
#include "src/run/run_trace.h"

#include "src/base/roll_print.h"
#include "src/run/run_model.h"
#include "src/run/run_say.h"
#include "src/show/show.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Its number in a rank: above the roll's. */
enum { TRACE_FD = 203 };

static int cannot(const char *file, int err)
{
	run_say("cannot write %s: %s", file, strerror(-err));
	return err;
}

int run_trace_open(struct run_job *job)
{
	const struct run_model *m = &job->opts->model;
	const char *file = m->page ? m->page : m->trace;
	int fd;

	if (!file)
		return 0;
	fd = weft_trace_create(file);
	if (fd < 0)
		return cannot(file, fd);
	job->trace_fd = fcntl(fd, F_DUPFD_CLOEXEC, TRACE_FD);
	close(fd);
	return job->trace_fd < 0 ? -errno : 0;
}

void run_trace_close(struct run_job *job)
{
	if (job->trace_fd >= 0)
		close(job->trace_fd);
	job->trace_fd = -1;
}

static char *report_text(const struct run_job *job)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	weft_roll_print(&job->roll,
			run_model_virtual(&job->opts->model) ? "virtual time"
							     : "time",
			f);
	fclose(f);
	return text;
}

static void show(const struct run_job *job, const struct show_job *told)
{
	const struct run_model *m = &job->opts->model;
	struct show s;
	int err = show_open(&s, job->trace_fd, told);

	if (err) {
		cannot(m->page ? m->page : m->trace, err);
		return;
	}
	if (s.file.lost)
		run_say("the disk was full: the events of %u ranks are not "
			"complete",
			s.file.lost);
	err = m->page ? show_page(&s, m->page) : 0;
	if (err)
		cannot(m->page, err);
	err = m->trace ? show_perfetto(&s, m->trace) : 0;
	if (err)
		cannot(m->trace, err);
	show_close(&s);
}

void run_trace_show(const struct run_job *job)
{
	const struct run_model *m = &job->opts->model;
	char *text = job->trace_fd >= 0 ? report_text(job) : NULL;
	const struct show_job told = {
		.roll = &job->roll,
		.argv = job->opts->app[0].argv,
		.machine = m->spec ? m->spec : m->machine,
		.host = job->host,
		.report = text,
		.virtual = run_model_virtual(m),
	};

	if (job->trace_fd >= 0 && job->roll.head)
		show(job, &told);
	free(text);
}
