/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of processes that are alive, zombies or gone, and of reused pids. */
#include "src/os/alive.h"
#include "test/t.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void *pause_forever(void *arg)
{
	for (;;)
		pause();
	return NULL;
}

/*
 * Forks a process that runs until it is killed. headless: the main thread of
 * the process exits, and another thread runs.
 */
static pid_t start_child(bool headless)
{
	pid_t pid = fork();
	pthread_t t;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (headless && !pthread_create(&t, NULL, pause_forever, NULL))
		pthread_exit(NULL);
	pause_forever(NULL);
	return 0;
}

static int is_zombie(void *arg)
{
	const pid_t *pid = arg;
	char path[32], line[512], *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)*pid);
	f = fopen(path, "r");
	T_NOT_NULL(f);
	T_NOT_NULL(fgets(line, sizeof(line), f));
	fclose(f);
	p = strrchr(line, ')');
	return p && p[2] == 'Z';
}

static void proc_alive_until_killed(void **state)
{
	pid_t pid = start_child(false);
	uint64_t start = weft_proc_start((uint32_t)pid);

	T_TRUE(start > 0);
	T_TRUE(weft_proc_alive((uint32_t)pid, start));
	T_TRUE(weft_proc_alive((uint32_t)pid, 0));
	kill(pid, SIGKILL);
	t_until(is_zombie, &pid, 20);
	/* the child is a zombie */
	T_FALSE(weft_proc_alive((uint32_t)pid, start));
	T_FALSE(weft_proc_alive((uint32_t)pid, 0));
	T_IS(waitpid(pid, NULL, 0), pid);
	T_FALSE(weft_proc_alive((uint32_t)pid, start));
	T_FALSE(weft_proc_alive((uint32_t)pid, 0));
	T_IS(weft_proc_start((uint32_t)pid), 0);
}

static void process_is_alive_after_main_thread_exit(void **state)
{
	pid_t pid = start_child(true);
	uint64_t start = weft_proc_start((uint32_t)pid);

	t_until(is_zombie, &pid, 20);
	T_TRUE(weft_proc_alive((uint32_t)pid, start));
	T_TRUE(weft_proc_alive((uint32_t)pid, 0));
	kill(pid, SIGKILL);
	T_IS(waitpid(pid, NULL, 0), pid);
	T_FALSE(weft_proc_alive((uint32_t)pid, start));
}

static void reused_pid_is_not_alive(void **state)
{
	uint32_t pid = (uint32_t)getpid();
	uint64_t start = weft_proc_start(pid);

	T_TRUE(weft_proc_alive(pid, start));
	T_FALSE(weft_proc_alive(pid, start + 1));
}

/*
 * Runs as a process that cannot open files in /proc and whose user id is not
 * allowed to send signals to process 1. arg: a pid that has ended.
 */
static int check_without_proc(int i, void *arg)
{
	const struct rlimit none = { 0, 0 };
	const uint32_t *ended = arg;

	/* in a user namespace there may be no other user */
	if (!geteuid() && setuid(65534))
		return 0;
	if (setrlimit(RLIMIT_NOFILE, &none))
		return 2;
	if (weft_proc_start(1))
		return 3;
	if (!weft_proc_alive(1, 0) || !weft_proc_alive(1, 5))
		return 4;
	if (!weft_proc_alive((uint32_t)getpid(), 5))
		return 5;
	return weft_proc_alive(*ended, 5) ? 6 : 0;
}

static void without_proc_the_pid_is_checked(void **state)
{
	pid_t pid = start_child(false);
	uint32_t ended = (uint32_t)pid;

	kill(pid, SIGKILL);
	T_IS(waitpid(pid, NULL, 0), pid);
	t_processes(1, check_without_proc, &ended, 60);
}

static void cpu_ticks_increase(void **state)
{
	uint32_t pid = (uint32_t)getpid();
	uint64_t before = weft_proc_cpu_ticks(pid);

	while (weft_proc_cpu_ticks(pid) == before)
		;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(proc_alive_until_killed),
		T_CASE(process_is_alive_after_main_thread_exit),
		T_CASE(reused_pid_is_not_alive),
		T_CASE(without_proc_the_pid_is_checked),
		T_CASE(cpu_ticks_increase),
	};

	return T_RUN(tests);
}
