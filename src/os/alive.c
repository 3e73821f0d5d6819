/* SPDX-License-Identifier: BSD-3-Clause */
/* Identity and liveness of processes, from /proc/PID/stat. */
#include "src/os/alive.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Fields of /proc/PID/stat that are used. */
struct alive_stat {
	char state;
	uint64_t cpu_ticks; /* user and system time */
	unsigned threads;
	uint64_t start;
};

/*
 * Reads /proc/PID/stat into buf. Returns 0, -ESRCH (no such process) or another
 * -errno.
 */
static int stat_read(uint32_t pid, char *buf, size_t room)
{
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = read(fd, buf, room - 1);
	close(fd);
	if (n <= 0)
		return -ESRCH;
	buf[n] = '\0';
	return 0;
}

static int stat_get(uint32_t pid, struct alive_stat *st)
{
	unsigned long long user, sys, start;
	char buf[1024];
	const char *p;
	int ret = stat_read(pid, buf, sizeof(buf));

	if (ret)
		return ret;
	/*
	 * the command name may contain blanks and parentheses, so the last ')'
	 * ends it
	 */
	p = strrchr(buf, ')');
	if (!p || sscanf(p + 1,
			 " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu "
			 "%llu %*d %*d %*d %*d %u %*d %llu",
			 &st->state, &user, &sys, &st->threads, &start) != 5)
		return -EIO;
	st->cpu_ticks = user + sys;
	st->start = start;
	return 0;
}

uint64_t weft_proc_start(uint32_t pid)
{
	struct alive_stat st;

	return stat_get(pid, &st) ? 0 : st.start;
}

bool weft_proc_alive(uint32_t pid, uint64_t start)
{
	struct alive_stat st;
	int ret = stat_get(pid, &st);

	if (ret == -ESRCH && start)
		return false;
	/* Without /proc only the pid can be checked. */
	if (ret)
		return !kill((pid_t)pid, 0) || errno != ESRCH;
	/* A main thread that has ended shows as Z while other threads run. */
	if ((st.state == 'Z' || st.state == 'X') && st.threads <= 1)
		return false;
	return !start || st.start == start;
}

uint64_t weft_proc_cpu_ticks(uint32_t pid)
{
	struct alive_stat st;

	return stat_get(pid, &st) ? 0 : st.cpu_ticks;
}
