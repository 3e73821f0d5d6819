/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kills descendants that outlived their rank. mpiexec is a subreaper, so
 * processes that a rank left behind, also in other sessions, are now children
 * of mpiexec. The kernel lists the children of each thread in a file; each
 * child is killed by its process id, until only the collectors are left.
 */
#include "src/tools/run/io/run_io.h"
#include "src/tools/run/job/run_job.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Number of rounds of 1 ms after which a process that has not exited is
 * ignored.
 */
enum { ROUNDS = 2000 };

static int kill_listed(struct run_job *job, const char *file)
{
	FILE *f = fopen(file, "re");
	int pid, found = 0;

	if (!f)
		return 0;
	while (fscanf(f, "%d", &pid) == 1) {
		if (run_io_is_helper(job->io, pid))
			continue;
		kill(pid, SIGKILL);
		found++;
	}
	fclose(f);
	return found;
}

/*
 * Kills the children of all threads of mpiexec: the kernel may assign orphans
 * to any thread.
 */
static int kill_children(struct run_job *job)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *d;
	char file[300];
	int found = 0;

	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "/proc/self/task/%s/children",
			 d->d_name);
		found += kill_listed(job, file);
	}
	if (dir)
		closedir(dir);
	return found;
}

void run_job_sweep(struct run_job *job)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < ROUNDS && kill_children(job) > 0; i++) {
		usleep(i < 5 ? 100 : 1000);
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			run_io_reap(job->io, pid, status);
	}
}
