/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that a violated invariant aborts and logs its source line. */
#include "src/base/must.h"
#include "test/t.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Runs weft_must(x == 1) in a child process. Returns its exit status, and its
 * output in text.
 */
static int must_in_child(int x, char *text, size_t room)
{
	const struct rlimit no_core = { 0 };
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	T_OK(pipe(fd));
	pid = fork();
	if (!pid) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		dup2(fd[1], 2);
		weft_must(x == 1);
		_exit(0);
	}
	close(fd[1]);
	T_IS(waitpid(pid, &status, 0), pid);
	n = read(fd[0], text, room - 1);
	T_TRUE(n >= 0);
	text[n] = 0;
	close(fd[0]);
	return status;
}

static void true_condition_continues(void **state)
{
	char text[512];

	T_IS(must_in_child(1, text, sizeof(text)), 0);
	T_STR(text, "");
}

static void false_condition_aborts_and_logs_source_line(void **state)
{
	char text[512];
	int status = must_in_child(2, text, sizeof(text));

	T_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	T_NOT_NULL(strstr(text, "must_test.c:"));
	T_NOT_NULL(strstr(text, "x == 1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(true_condition_continues),
		T_CASE(false_condition_aborts_and_logs_source_line),
	};

	return T_RUN(tests);
}
