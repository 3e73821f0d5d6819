/* SPDX-License-Identifier: BSD-3-Clause */
/* Resource limits of the process, for error messages. */
#include "src/base/limit.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define KIB	      1024u
/* glibc's default stack size of a thread, bytes */
#define DEFAULT_STACK (8192 * KIB)

/* Returns the soft limit for a resource, or RLIM_INFINITY. */
static rlim_t limit_of(__rlimit_resource_t what)
{
	struct rlimit l;

	return getrlimit(what, &l) ? RLIM_INFINITY : l.rlim_cur;
}

/* Returns the address space in use, in KiB; 0: not known. */
static unsigned long space_used(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * ((unsigned long)sysconf(_SC_PAGESIZE) / 1024);
}

const char *weft_limit_space(char text[WEFT_LIMIT_TEXT], size_t bytes)
{
	rlim_t l = limit_of(RLIMIT_AS);
	char more[48] = "";

	text[0] = '\0';
	if (l == RLIM_INFINITY)
		return text;
	if (bytes)
		snprintf(more, sizeof(more), "%zu KiB more are needed; ",
			 (bytes + KIB - 1) / KIB);
	snprintf(text, WEFT_LIMIT_TEXT,
		 ": %s%lu of %llu KiB of address space (ulimit -v) are in use",
		 more, space_used(), (unsigned long long)l / KIB);
	return text;
}

const char *weft_limit_file(char text[WEFT_LIMIT_TEXT], size_t bytes)
{
	rlim_t l = limit_of(RLIMIT_FSIZE);

	text[0] = '\0';
	if (l != RLIM_INFINITY)
		snprintf(text, WEFT_LIMIT_TEXT,
			 ": %zu KiB are needed, the file size limit is %llu "
			 "KiB (ulimit -f)",
			 (bytes + KIB - 1) / KIB, (unsigned long long)l / KIB);
	return text;
}

const char *weft_limit_files(char text[WEFT_LIMIT_TEXT])
{
	rlim_t l = limit_of(RLIMIT_NOFILE);

	text[0] = '\0';
	if (l != RLIM_INFINITY)
		snprintf(text, WEFT_LIMIT_TEXT,
			 ": the limit is %llu descriptors (ulimit -n)",
			 (unsigned long long)l);
	return text;
}

const char *weft_limit_tasks(char text[WEFT_LIMIT_TEXT], unsigned tasks)
{
	rlim_t l = limit_of(RLIMIT_NPROC);

	text[0] = '\0';
	if (l != RLIM_INFINITY)
		snprintf(text, WEFT_LIMIT_TEXT,
			 ": %u processes and threads are needed, the limit of "
			 "this user is %llu in all (ulimit -u)",
			 tasks, (unsigned long long)l);
	return text;
}

const char *weft_limit_memfd(char text[WEFT_LIMIT_TEXT])
{
	int fd = memfd_create("weft-probe", MFD_CLOEXEC);

	text[0] = '\0';
	if (fd >= 0)
		close(fd);
	else if (errno == EPERM || errno == EACCES || errno == ENOSYS)
		snprintf(text, WEFT_LIMIT_TEXT,
			 ": the system call memfd_create is forbidden here; a "
			 "seccomp filter (of a container, for example) must "
			 "allow it");
	return text;
}

bool weft_limit_file_ok(size_t bytes)
{
	rlim_t l = limit_of(RLIMIT_FSIZE);

	return l == RLIM_INFINITY || bytes <= l;
}

const char *weft_limit_thread(char text[WEFT_LIMIT_TEXT], unsigned tasks)
{
	rlim_t space = limit_of(RLIMIT_AS), stack = limit_of(RLIMIT_STACK);

	if (stack == RLIM_INFINITY)
		stack = DEFAULT_STACK;
	if (space != RLIM_INFINITY && space / KIB < space_used() + stack / KIB)
		return weft_limit_space(text, (size_t)stack);
	return weft_limit_tasks(text, tasks);
}

static void *noop_thread(void *arg)
{
	return arg;
}

int weft_limit_try_thread(void)
{
	pthread_t th;
	int err = pthread_create(&th, NULL, noop_thread, NULL);

	if (!err)
		pthread_join(th, NULL);
	return -err;
}
