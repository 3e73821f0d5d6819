/* SPDX-License-Identifier: BSD-3-Clause */
/* Node and slot of each rank, as a file in memory (run_table.h). */
#include "src/tools/run/job/run_table.h"

#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Descriptor number of the file in a rank; larger than that of the folded
 * memory (run_skeleton.c).
 */
enum { TABLE_FD = 205 };

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t n = write(fd, text, left);

		if (n < 0)
			return -errno;
		text += n;
		left -= (size_t)n;
	}
	return 0;
}

int run_table_open(struct run_job *job)
{
	const char *text = job->opts->model.table;
	int fd, err;

	if (!text)
		return 0;
	fd = memfd_create("weft-places", MFD_CLOEXEC);
	err = fd < 0 ? -errno : write_all(fd, text);
	if (!err) {
		job->table_fd = fcntl(fd, F_DUPFD_CLOEXEC, TABLE_FD);
		err = job->table_fd < 0 ? -errno : 0;
	}
	if (err)
		run_message("--place: cannot create the map in memory: %s",
			    strerror(-err));
	if (fd >= 0)
		close(fd);
	return err;
}

void run_table_close(struct run_job *job)
{
	if (job->table_fd >= 0)
		close(job->table_fd);
	job->table_fd = -1;
}

int run_table_env(struct run_env *e, const struct run_job *job)
{
	char name[32];

	if (job->table_fd < 0)
		return 0;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", job->table_fd);
	return run_env_set(e, "FI_WEFT_MAP", name);
}
