/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joining a world without a launcher. Ranks find each other by the name of the
 * job: rank 0 listens at an abstract socket of that name, the kernel reports
 * the pid of the listener to each process that connects, and the region is one
 * of the listener's descriptors. Rank 0 need not accept, and no file is
 * created.
 */
#include "prov/vt/vt.h"
#include "src/base/clock.h"
#include "src/base/log.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define JOIN_TIMEOUT_NS UINT64_C(30000000000)
#define REGION		"/memfd:weft-vt"
#define JOB_BYTES	64

struct job {
	char name[JOB_BYTES];
	unsigned rank;
	unsigned size;
};

/* Parses "name:rank:size". */
static int job_parse(const char *text, struct job *job)
{
	const char *colon = strchr(text, ':');
	char end;

	if (!colon || colon == text || colon - text >= JOB_BYTES ||
	    sscanf(colon, ":%u:%u%c", &job->rank, &job->size, &end) != 2 ||
	    job->rank >= job->size) {
		weft_log(WEFT_LOG_ERROR,
			 "virtual time: FI_WEFT_JOB=%s is not name:rank:size",
			 text);
		return -EINVAL;
	}
	memcpy(job->name, text, (size_t)(colon - text));
	job->name[colon - text] = 0;
	return 0;
}

static socklen_t job_address(const struct job *job, struct sockaddr_un *un)
{
	int n;

	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	/* the first byte is zero: abstract namespace */
	n = snprintf(un->sun_path + 1, sizeof(un->sun_path) - 1,
		     "weft-vt-%u-%s", (unsigned)getuid(), job->name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)n);
}

static int listen_for_job(const struct job *job)
{
	struct sockaddr_un un;
	socklen_t len = job_address(job, &un);
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err;

	if (s < 0)
		return -errno;
	if (bind(s, (struct sockaddr *)&un, len) || listen(s, (int)job->size)) {
		err = -errno;
		weft_log(WEFT_LOG_ERROR,
			 "virtual time: cannot listen for job %s: %s; use "
			 "another name in FI_WEFT_JOB",
			 job->name, strerror(-err));
		close(s);
		return err;
	}
	return s;
}

/*
 * Returns the number of the descriptor of a world in process pid, or -ENOENT.
 */
static int find_region(int pid)
{
	char path[64], link[128];
	struct dirent *e;
	int found = -ENOENT;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	while (d && found < 0 && (e = readdir(d))) {
		ssize_t n =
			readlinkat(dirfd(d), e->d_name, link, sizeof(link) - 1);

		if (n > 0 && !strncmp(link, REGION, strlen(REGION)))
			found = atoi(e->d_name);
	}
	if (d)
		closedir(d);
	return found;
}

/*
 * Returns the pid of the process that listens at the job's socket, or -errno.
 */
static int owner_of(const struct job *job)
{
	struct sockaddr_un un;
	socklen_t len = job_address(job, &un);
	struct ucred cred = { 0 };
	socklen_t cred_len = sizeof(cred);
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err = 0;

	if (s < 0)
		return -errno;
	if (connect(s, (struct sockaddr *)&un, len) ||
	    getsockopt(s, SOL_SOCKET, SO_PEERCRED, &cred, &cred_len))
		err = -errno;
	close(s);
	if (!err && cred.uid != getuid())
		err = -EPERM;
	return err ? err : cred.pid;
}

static int join_as_rank(const struct weft_vt_conf *conf, const struct job *job,
			struct weft_vt **w_p)
{
	const struct timespec delay = { .tv_nsec = 2000000 };
	uint64_t end = weft_now_ns() + JOIN_TIMEOUT_NS;
	char handle[WEFT_VT_HANDLE];
	int pid, fd;

	for (;;) {
		pid = owner_of(job);
		fd = pid < 0 ? pid : find_region(pid);
		if (fd >= 0)
			break;
		if (weft_now_ns() > end) {
			weft_log(WEFT_LOG_ERROR,
				 "virtual time: rank 0 of job %s did not start "
				 "within %u s",
				 job->name,
				 (unsigned)(JOIN_TIMEOUT_NS / 1000000000));
			return -ETIMEDOUT;
		}
		nanosleep(&delay, NULL);
	}
	snprintf(handle, sizeof(handle), "vt %d %d", pid, fd);
	return weft_vt_attach(conf, handle, job->rank, w_p);
}

int weft_vt_join_job(const struct weft_vt_conf *conf, const char *text,
		     struct weft_vt **w_p)
{
	char handle[WEFT_VT_HANDLE];
	struct job job;
	int ret = job_parse(text, &job);

	if (ret)
		return ret;
	if (job.rank)
		return join_as_rank(conf, &job, w_p);
	ret = weft_vt_create(conf, job.size, w_p, handle);
	if (ret)
		return ret;
	/*
	 * listen only now, when the region is complete, since other ranks may
	 * find it from now on
	 */
	ret = listen_for_job(&job);
	if (ret < 0) {
		weft_vt_close(*w_p);
		*w_p = NULL;
		return ret;
	}
	(*w_p)->listen = ret;
	return 0;
}
