/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for recorded events and the files written from it: see run_trace.h. */
#include "src/tools/run/job/run_trace.h"

#include "src/tools/outfile.h"
#include "src/tools/run/job/run_background.h"
#include "src/tools/run/job/run_report.h"
#include "src/tools/run/opts/run_model.h"
#include "src/tools/run/run_message.h"
#include "src/tools/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Descriptor number of the trace file in a rank; larger than that of the status
 * page.
 */
enum { TRACE_FD = 203 };

#define OTF2 ".otf2"

static int report_error(const char *file, int err)
{
	run_message("cannot write %s: %s", file, strerror(-err));
	return err;
}

/*
 * Returns the name of an output file that is written from recorded events;
 * NULL: none.
 */
static const char *output_of(const struct run_model *m)
{
	return m->page ? m->page : m->trace ? m->trace : m->stats;
}

int run_trace_open(struct run_job *job)
{
	const struct run_model *m = &job->opts->model;
	const char *file = output_of(m);
	int fd;

	if (!file)
		return 0;
	/* If the output is a pipe or a device, events are stored in /tmp. */
	fd = weft_trace_create(weft_outfile_is_stream(file) ? "/tmp/" : file);
	if (fd < 0)
		return report_error(file, fd);
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
	run_report_print(job, f);
	fclose(f);
	return text;
}

static bool ends_in(const char *file, const char *end)
{
	size_t n = strlen(file), m = strlen(end);

	return n > m && !strcmp(file + n - m, end);
}

const char *run_lib_folder(char *dir, size_t room)
{
	char self[PATH_MAX / 2];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n < 0 ? 0 : n] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	snprintf(dir, room, "%s/../lib/weft", self);
	if (access(dir, X_OK))
		snprintf(dir, room, ends_in(self, "/.libs") ? "%s" : "%s/.libs",
			 self);
	return dir;
}

static int write_trace(const struct report *s, const char *file)
{
	char dir[PATH_MAX];

	if (!ends_in(file, OTF2))
		return report_perfetto(s, file);
	return report_archive(s, run_lib_folder(dir, sizeof(dir)), file);
}

/* Checks the file of --trace, whose suffix selects the format. */
static int check_trace(const char *file, char why[WEFT_OUTFILE_WHY])
{
	char dir[PATH_MAX];

	if (ends_in(file, OTF2) &&
	    !report_archive_can(run_lib_folder(dir, sizeof(dir)))) {
		snprintf(why, WEFT_OUTFILE_WHY,
			 "this Weft was built without libotf2 (Debian package "
			 "libopen-trace-format2-dev); FILE.json needs no "
			 "library");
		return -EINVAL;
	}
	if (ends_in(file, OTF2))
		return weft_outfile_check_dir(file, why);
	if (!ends_in(file, ".json") && !weft_outfile_is_stream(file)) {
		snprintf(why, WEFT_OUTFILE_WHY,
			 "the name of a trace ends in .json (Chrome, Perfetto) "
			 "or .otf2 (Vampir, Scalasca)");
		return -EINVAL;
	}
	return weft_outfile_check(file, WEFT_OUTFILE_TRACE, why);
}

/*
 * Checks whether the first file of --stats, PREFIX.jsonl, can be written.
 * Returns 0, or an error and the reason in `why`.
 */
static int check_stats(const char *prefix, char why[WEFT_OUTFILE_WHY])
{
	char file[PATH_MAX];

	snprintf(file, sizeof(file), "%s.jsonl", prefix);
	return weft_outfile_check(file, WEFT_OUTFILE_TRACE, why);
}

int run_trace_check(const struct run_model *m)
{
	char why[WEFT_OUTFILE_WHY];
	const char *flag = NULL, *file = NULL;

	if (m->report_named &&
	    weft_outfile_check(m->report, WEFT_OUTFILE_REPORT, why)) {
		flag = "--report-file";
		file = m->report;
	} else if (m->page &&
		   weft_outfile_check(m->page, WEFT_OUTFILE_PAGE, why)) {
		flag = "--report-html";
		file = m->page;
	} else if (m->trace && check_trace(m->trace, why)) {
		flag = "--trace";
		file = m->trace;
	} else if (m->stats && check_stats(m->stats, why)) {
		flag = "--stats";
		file = m->stats;
	}
	if (flag)
		run_message("%s %s: %s", flag, *file ? file : "''", why);
	return flag ? -EINVAL : 0;
}

static int write_files(const struct run_job *job, struct report_job *desc)
{
	const struct run_model *m = &job->opts->model;
	struct report s;
	int err = report_open(&s, job->trace_fd, desc), bad;
	char *text;

	if (err)
		return report_error(output_of(m), err);
	bad = s.file.lost ? -ENOSPC : 0;
	if (bad)
		run_message("disk full: the events of %u ranks are "
			    "incomplete",
			    s.file.lost);
	desc->report = text = report_text(job);
	err = m->page ? report_page(&s, m->page) : 0;
	if (err)
		bad = report_error(m->page, err);
	err = m->trace ? write_trace(&s, m->trace) : 0;
	if (err)
		bad = report_error(m->trace, err);
	err = m->stats ? report_stats(&s, m->stats) : 0;
	if (err)
		bad = report_error(m->stats, err);
	report_close(&s);
	free(text);
	return bad;
}

/*
 * Returns an array that states for each rank whether it belongs to a background
 * job; NULL: out of memory.
 */
static bool *background_ranks(const struct run_job *job)
{
	bool *is = calloc((size_t)job->nranks, sizeof(*is));

	for (int i = 0; is && i < job->nranks; i++)
		is[i] = run_background_has(job, i);
	return is;
}

int run_trace_show(const struct run_job *job)
{
	const struct run_model *m = &job->opts->model;
	char **jobs;
	bool *background;
	int err;
	struct report_job desc = {
		.job_page = &job->job_page,
		.argv = job->opts->app[0].argv,
		.machine = m->spec ? m->spec : m->machine,
		.host = job->host,
		.compute = m->compute,
		.nodes = m->nodes,
		.nodes_used = m->nodes_used,
		.link_byte_pj = m->link_byte_pj,
		.link_mw = m->link_mw,
		.node_mw = m->node_mw,
		.virtual = run_model_virtual(m),
	};

	if (!output_of(m))
		return 0;
	if (job->trace_fd < 0 || !job->job_page.head)
		return report_error(output_of(m), -ENODATA);
	desc.jobs = jobs = run_report_jobs(job->opts);
	desc.background = background = background_ranks(job);
	err = write_files(job, &desc);
	free(jobs);
	free(background);
	return err;
}
