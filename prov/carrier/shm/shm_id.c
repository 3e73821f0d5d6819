/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which process is it, and does it live? A pid is a name that is used again;
 * together with its start time it is not. Both are read from /proc/PID/stat.
 */
#include "prov/carrier/shm/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* The fields of /proc/PID/stat that we look at. */
struct id_stat {
	char state;
	uint64_t cpu_ticks; /* user and system time */
	unsigned threads;
	uint64_t start;
};

/* Reads the whole file into buf; -ESRCH when there is no such process. */
static int id_stat_read(uint32_t pid, char *buf, size_t room)
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

static int id_stat(uint32_t pid, struct id_stat *st)
{
	unsigned long long user, sys, start;
	char buf[1024];
	const char *p;
	int ret = id_stat_read(pid, buf, sizeof(buf));

	if (ret)
		return ret;
	/* The command may hold anything, blanks and brackets too. */
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

int shm_id_self(struct shm_id *id)
{
	struct id_stat st;
	int ret;

	id->pid = (uint32_t)getpid();
	ret = id_stat(id->pid, &st);
	/* Without /proc pids alone must do, here and in shm_id_alive. */
	id->start = ret ? 0 : st.start;
	do {
		if (getrandom(&id->cookie, sizeof(id->cookie), 0) !=
		    sizeof(id->cookie))
			return -EIO;
	} while (!id->cookie);
	return 0;
}

bool shm_id_alive(const struct shm_id *id)
{
	struct id_stat st;
	int ret = id_stat(id->pid, &st);

	if (ret == -ESRCH && id->start)
		return false;
	if (ret)
		return !kill((pid_t)id->pid, 0) || errno != ESRCH;
	/* A first thread that has ended shows as Z while others go on. */
	if ((st.state == 'Z' || st.state == 'X') && st.threads <= 1)
		return false;
	return !id->start || st.start == id->start;
}

uint64_t shm_id_cpu_ticks(uint32_t pid)
{
	struct id_stat st;

	return id_stat(pid, &st) ? 0 : st.cpu_ticks;
}
