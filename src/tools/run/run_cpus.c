/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Number of usable processors. In a container the affinity mask often includes
 * all processors of the host, while the CPU quota of the control group allows
 * only two. Both are read; the quota is the smallest one on the path from this
 * process's group to the root, in both versions of the cgroup interface.
 */
#include "src/tools/run/run_cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int run_cpus_parse(const char *text)
{
	long long quota, period;

	if (sscanf(text, "%lld %lld", &quota, &period) != 2)
		return 0;
	if (quota <= 0 || period <= 0)
		return 0;
	return (int)((quota + period - 1) / period);
}

/* Reads the first line of dir/name; "" if there is none. */
static void read_line(const char *dir, const char *name, char *buf, int size)
{
	char path[512];
	FILE *f;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(buf, size, f))
		buf[0] = '\0';
	fclose(f);
	buf[strcspn(buf, "\n")] = '\0';
}

static int quota_in(const char *dir, int v2)
{
	char text[80], period[40];

	if (v2) {
		read_line(dir, "cpu.max", text, sizeof(text));
		return run_cpus_parse(text);
	}
	read_line(dir, "cpu.cfs_quota_us", text, 40);
	read_line(dir, "cpu.cfs_period_us", period, sizeof(period));
	strcat(text, " ");
	strcat(text, period);
	return run_cpus_parse(text);
}

/*
 * Returns the smallest quota of the control group `path` and its parents, up to
 * the mount point.
 */
static int quota_of_path(const char *mount, const char *path, int v2)
{
	char dir[400];
	int n, least = 0;
	char *slash;

	snprintf(dir, sizeof(dir), "%s%s", mount, path);
	for (;;) {
		n = quota_in(dir, v2);
		if (n && (!least || n < least))
			least = n;
		slash = strrchr(dir, '/');
		if (!slash || (size_t)(slash - dir) < strlen(mount))
			return least;
		*slash = '\0';
	}
}

/* Returns the control group's quota, rounded up; 0: none. */
static int quota_of(void)
{
	char line[300], *path;
	int n, least = 0;
	FILE *f = fopen("/proc/self/cgroup", "re");

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (!path)
			continue;
		n = 0;
		if (!strncmp(line, "0::", 3))
			n = quota_of_path("/sys/fs/cgroup", path, 1);
		else if (strstr(line, ":cpu,") || strstr(line, ":cpu:") ||
			 strstr(line, ",cpu:"))
			n = quota_of_path("/sys/fs/cgroup/cpu", path, 0);
		if (n && (!least || n < least))
			least = n;
	}
	if (f)
		fclose(f);
	return least;
}

int run_cpus_forbidden(void)
{
	cpu_set_t set;

	/* EINVAL: the call is allowed, but the kernel's mask is longer */
	if (!sched_getaffinity(0, sizeof(set), &set) || errno == EINVAL)
		return 0;
	return -errno;
}

static int allowed(void)
{
	int n = 1024, count;
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t *set;
	size_t size;

	if (run_cpus_forbidden())
		return online > 0 ? (int)online : 1;
	/* the kernel refuses a mask that is smaller than its own */
	for (; n <= 1 << 20; n *= 4) {
		set = CPU_ALLOC(n);
		size = CPU_ALLOC_SIZE(n);
		if (!set)
			break;
		if (!sched_getaffinity(0, size, set)) {
			count = CPU_COUNT_S(size, set);
			CPU_FREE(set);
			return count > 0 ? count : 1;
		}
		CPU_FREE(set);
	}
	return 1;
}

int run_cpus(void)
{
	int n = allowed(), quota = quota_of();

	return quota && quota < n ? quota : n;
}
