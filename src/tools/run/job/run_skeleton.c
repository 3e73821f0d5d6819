/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of --skeleton: one file in memory, onto which the large allocations of
 * all ranks are mapped ("folded"); see src/job/job_skeleton.h.
 */
#include "src/tools/run/job/run_skeleton.h"

#include "src/job/job_skeleton.h"
#include "src/tools/run/opts/run_model.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Descriptor number of the file in a rank; larger than that of the trace file.
 */
enum { SKELETON_FD = 204 };

int run_skeleton_open(struct run_job *job)
{
	const struct run_model *m = &job->opts->model;
	int fd, err = 0;

	if (!m->skeleton || !run_model_virtual(m))
		return 0;
	fd = memfd_create("weft-skeleton", MFD_CLOEXEC);
	if (fd >= 0 && !ftruncate(fd, (off_t)WEFT_SKELETON_FILE_BYTES))
		job->skeleton_fd = fcntl(fd, F_DUPFD_CLOEXEC, SKELETON_FD);
	if (job->skeleton_fd < 0) {
		err = -errno;
		run_message("--skeleton: no file in memory: %s",
			    strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return err;
}

void run_skeleton_close(struct run_job *job)
{
	if (job->skeleton_fd >= 0)
		close(job->skeleton_fd);
	job->skeleton_fd = -1;
}

int run_skeleton_env(struct run_env *e, const struct run_job *job)
{
	char text[64];

	if (!job->opts->model.skeleton || job->skeleton_fd < 0)
		return run_env_set(e, WEFT_SKELETON_VAR, NULL);
	snprintf(text, sizeof(text), "%d,%llu", job->skeleton_fd,
		 (unsigned long long)job->opts->model.skeleton);
	return run_env_set(e, WEFT_SKELETON_VAR, text);
}
