/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that a fault ends the guarded work, and that signals outside of a guard
 * keep their actions.
 */
#include "src/os/guard.h"
#include "test/t.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_one(void *arg)
{
	++*(int *)arg;
}

static void touch(void *arg)
{
	*(volatile char *)arg = 1;
}

static void raise_signal(void *arg)
{
	raise(*(int *)arg);
}

static void fail_guard(void *arg)
{
	weft_guard_fail("invalid value");
}

static void guarded_work_returns_0(void **state)
{
	int n = 0;

	T_OK(weft_guard(add_one, &n));
	T_IS(n, 1);
}

/* A quiet guard logs nothing. */
static void quiet_fault(void *none)
{
	int out[2], n = 0, err;
	char text[64];

	T_OK(pipe(out));
	err = dup(2);
	dup2(out[1], 2);
	n += weft_guard_quiet(touch, none) == -EFAULT;
	dup2(err, 2);
	close(err);
	close(out[1]);
	T_IS(n, 1);
	T_IS(read(out[0], text, sizeof(text)), 0);
	T_OK(weft_guard_quiet(add_one, &n));
	T_IS(n, 2);
	close(out[0]);
}

/* The program replaces the handler, and restores it. */
static void program_handler(void)
{
	struct sigaction own;

	T_TRUE(weft_guard_works());
	sigaction(SIGBUS, NULL, &own);
	signal(SIGBUS, SIG_DFL);
	T_TRUE(!weft_guard_works());
	sigaction(SIGBUS, &own, NULL);
	T_TRUE(weft_guard_works());
}

static void guarded_fault_returns_efault(void **state)
{
	void *none =
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int n = 0;

	weft_guard_init();
	for (int i = 0; i < 100; i++) {
		T_IS(weft_guard(touch, none), -EFAULT);
		T_IS(weft_guard(fail_guard, NULL), -EFAULT);
		T_OK(weft_guard(add_one, &n));
	}
	T_IS(n, 100);
	quiet_fault(none);
	program_handler();
	munmap(none, 4096);
}

/* Runs fn(arg) in a child; returns the signal that ended it. */
static int signal_that_ends(void (*fn)(void *arg), void *arg, bool guarded)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		/* the default actions, instead of cmocka's handlers */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGFPE, SIG_DFL);
		signal(SIGABRT, SIG_DFL);
		weft_guard_init();
		if (guarded)
			weft_guard(fn, arg);
		else
			fn(arg);
		_exit(0);
	}
	T_IS(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void fault_outside_guard_has_default_action(void **state)
{
	void *none =
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sig = SIGFPE;

	T_IS(signal_that_ends(touch, none, false), SIGSEGV);
	T_IS(signal_that_ends(touch, none, true), 0);
	T_IS(signal_that_ends(fail_guard, NULL, false), SIGABRT);
	/* a signal from raise() is not a fault of the guarded work */
	T_IS(signal_that_ends(raise_signal, &sig, true), SIGFPE);
	T_IS(signal_that_ends(raise_signal, &sig, false), SIGFPE);
	munmap(none, 4096);
}

static volatile sig_atomic_t seen;

static void record_signal_and_exit(int sig)
{
	seen = sig;
	_exit(7);
}

static void user_sigsegv_handler_is_called(void **state)
{
	void *none =
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGSEGV, record_signal_and_exit);
		weft_guard_init();
		touch(none);
		_exit(0);
	}
	T_IS(waitpid(pid, &status, 0), pid);
	T_TRUE(WIFEXITED(status));
	T_IS(WEXITSTATUS(status), 7);
	munmap(none, 4096);
}

int main(void)
{
	/* children install the handlers: possible once per process */
	const struct CMUnitTest tests[] = {
		T_CASE(guarded_work_returns_0),
		T_CASE(fault_outside_guard_has_default_action),
		T_CASE(user_sigsegv_handler_is_called),
		T_CASE(guarded_fault_returns_efault),
	};

	return T_RUN(tests);
}
