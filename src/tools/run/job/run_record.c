/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording of calls (run_record.h): mpiexec writes the header of the file, the
 * ranks append chunks (src/job/job_record.h). A library with functions MPI_*,
 * which call PMPI_*, is preloaded into the ranks.
 */
#include "src/tools/run/job/run_record.h"

#include "src/job/job_record.h"
#include "src/tools/run/job/run_trace.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LIBRARY "libweft-record.so"

static int record_error(const char *file, const char *why)
{
	run_message("--record %s: %s", *file ? file : "''", why);
	return -EINVAL;
}

static const char *library(char *path, size_t room)
{
	char dir[PATH_MAX];

	run_lib_folder(dir, sizeof(dir));
	snprintf(path, room, "%s/" LIBRARY, dir);
	return path;
}

static int write_head(const struct run_job *job, const char *file)
{
	struct record_head h = { .version = RECORD_VERSION,
				 .ranks = (uint32_t)job->nranks };
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int err = 0;

	memcpy(h.magic, RECORD_MAGIC, sizeof(h.magic));
	if (fd < 0 || write(fd, &h, sizeof(h)) != (ssize_t)sizeof(h))
		err = record_error(file, strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

int run_record_open(struct run_job *job)
{
	const char *file = job->opts->model.record;
	const char *old = getenv("LD_PRELOAD");
	char path[2 * PATH_MAX];
	int err;

	if (!file)
		return 0;
	if (job->opts->remote.wanted)
		return record_error(file, "only for jobs on this host");
	if (access(library(path, sizeof(path)), R_OK))
		return record_error(path, strerror(errno));
	err = write_head(job, file);
	if (err)
		return err;
	/* absolute, since ranks may run in another directory */
	job->record = realpath(file, NULL);
	if (!job->record || asprintf(&job->preload, "%s%s%s", path,
				     old ? ":" : "", old ? old : "") < 0)
		return -ENOMEM;
	return 0;
}

void run_record_close(struct run_job *job)
{
	free(job->record);
	free(job->preload);
	job->record = job->preload = NULL;
}
