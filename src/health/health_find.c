/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the region of a job on this host among the file descriptors of its
 * ranks, in /proc. The kernel allows this for processes of the same user only.
 */
#include "src/health/health.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 64 }; /* largest number of ancestor processes of a rank */

/* Returns the parent process of pid; 0: none, or unknown. */
static uint32_t parent_of(uint32_t pid)
{
	char path[32], line[1024];
	unsigned parent = 0;
	const char *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	/*
	 * the command name may contain blanks and parentheses, so the last ')'
	 * ends it
	 */
	if (fgets(line, sizeof(line), f) && (p = strrchr(line, ')')) &&
	    sscanf(p + 1, " %*c %u", &parent) != 1)
		parent = 0;
	fclose(f);
	return parent;
}

static bool is_descendant(uint32_t pid, uint32_t top)
{
	for (int i = 0; i < DEPTH && pid > 1; i++) {
		if (pid == top)
			return true;
		pid = parent_of(pid);
	}
	return pid == top;
}

/* Opens the descriptor of that name if it is a region of src/health. */
static int open_region(const char *dir, const char *name)
{
	static const char start[] = "/memfd:" HEALTH_NAME;
	char path[300], link[64] = "";

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (readlink(path, link, sizeof(link) - 1) < 0 ||
	    strncmp(link, start, sizeof(start) - 1))
		return -ESRCH;
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Returns whether fd is the region of this job; job NULL: of any job. */
static bool is_region_of(int fd, const char *job)
{
	struct weft_health h;
	bool same;

	if (weft_health_attach_readonly(&h, fd))
		return false;
	same = !job || !strncmp(h.what.job, job, HEALTH_JOB - 1);
	weft_health_close(&h);
	return same;
}

/*
 * Finds the region of the job among the descriptors of pid. Returns a new
 * descriptor or -ESRCH.
 */
static int region_of(uint32_t pid, const char *job)
{
	const struct dirent *e;
	int found = -ESRCH, fd;
	char dir[32];
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%u/fd", pid);
	d = opendir(dir);
	if (!d)
		return -ESRCH;
	while (found < 0 && (e = readdir(d))) {
		fd = open_region(dir, e->d_name);
		if (fd >= 0 && is_region_of(fd, job))
			found = fd;
		else if (fd >= 0)
			close(fd);
	}
	closedir(d);
	return found;
}

/* Returns the pid in the text; 0: the text is a name. */
static uint32_t pid_in(const char *job)
{
	char *end;
	unsigned long n = strtoul(job, &end, 10);

	return isdigit((unsigned char)*job) && !*end && n <= INT32_MAX
		       ? (uint32_t)n
		       : 0;
}

int weft_health_find(const char *job)
{
	uint32_t top = pid_in(job), pid;
	const struct dirent *e;
	int found = -ESRCH;
	DIR *d = opendir("/proc");

	if (!d)
		return -ESRCH;
	while (found < 0 && (e = readdir(d))) {
		pid = pid_in(e->d_name);
		if (pid && (!top || is_descendant(pid, top)))
			found = region_of(pid, top ? NULL : job);
	}
	closedir(d);
	return found;
}
