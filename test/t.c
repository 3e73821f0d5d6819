/* SPDX-License-Identifier: BSD-3-Clause */
/* The test library over cmocka: see t.h. */
#include "test/t.h"
#include "src/base/rng.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define T_MAX 1024

size_t t_skipped;

int t_exit_code(int failed, size_t cases)
{
	if (failed)
		return 1;
	return t_skipped == cases ? 77 : 0;
}

void t_threads(int n, void *(*fn)(void *), void *arg, size_t stride)
{
	pthread_t th[T_MAX];

	T_TRUE(n <= T_MAX);
	for (int i = 0; i < n; i++)
		T_OK(pthread_create(&th[i], NULL, fn,
				    (char *)arg + (size_t)i * stride));
	for (int i = 0; i < n; i++)
		T_OK(pthread_join(th[i], NULL));
}

static pid_t t_child(int i, int (*fn)(int, void *), void *arg)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(99);
	i = fn(i, arg);
	fflush(NULL);
	_exit(i);
}

static int t_reap(pid_t *pid, int n)
{
	int left = 0;
	int status;

	for (int i = 0; i < n; i++) {
		if (pid[i] <= 0)
			continue;
		if (waitpid(pid[i], &status, WNOHANG) != pid[i]) {
			left++;
			continue;
		}
		pid[i] = 0;
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			fprintf(stderr, "child %d: status 0x%x\n", i, status);
			return -1;
		}
	}
	return left;
}

void t_processes(int n, int (*fn)(int i, void *arg), void *arg, int seconds)
{
	pid_t pid[T_MAX];
	struct t_limit limit;
	int left;

	T_TRUE(n <= T_MAX);
	t_limit_set(&limit, seconds);
	fflush(NULL);
	for (int i = 0; i < n; i++)
		pid[i] = t_child(i, fn, arg);
	do {
		left = t_reap(pid, n);
		usleep(1000);
	} while (left > 0 && !t_limit_expired(&limit));
	for (int i = 0; left && i < n; i++) {
		if (pid[i] > 0) {
			kill(pid[i], SIGKILL);
			waitpid(pid[i], NULL, 0);
		}
	}
	T_IS(left, 0);
}

void t_until(int (*cond)(void *), void *arg, int seconds)
{
	struct t_limit limit;

	t_limit_set(&limit, seconds);
	while (!cond(arg)) {
		if (t_limit_expired(&limit))
			fail_msg("condition not met in %d s", seconds);
		sched_yield();
	}
}

static unsigned char t_byte(uint64_t seed, size_t k)
{
	uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + k * 0xbf58476d1ce4e5b9u;

	return (unsigned char)(x >> 56);
}

void t_fill(void *buf, size_t len, uint64_t seed)
{
	unsigned char *p = buf;

	for (size_t k = 0; k < len; k++)
		p[k] = t_byte(seed, k);
}

ssize_t t_differs(const void *buf, size_t len, uint64_t seed)
{
	const unsigned char *p = buf;

	for (size_t k = 0; k < len; k++) {
		if (p[k] != t_byte(seed, k))
			return (ssize_t)k;
	}
	return -1;
}

int t_open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	T_NOT_NULL(d);
	while (readdir(d))
		n++;
	closedir(d);
	/* ".", ".." and the descriptor of this list */
	return n - 3;
}

int t_scale(int full)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	return full > 20 ? full / 20 : 1;
#else
	return full;
#endif
}

#ifdef __SANITIZE_THREAD__
static void skip_case(void **state)
{
	skip();
}
#endif

struct CMUnitTest t_case_one_thread(const char *name, CMUnitTestFunction f)
{
	struct CMUnitTest c = { .name = name, .test_func = f };

#ifdef __SANITIZE_THREAD__
	c.test_func = skip_case;
#endif
	return c;
}
