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

static void raise_it(void *arg)
{
	raise(*(int *)arg);
}

static void give_up(void *arg)
{
	weft_guard_fail("it makes no sense");
}

static void good_work_is_done(void **state)
{
	int n = 0;

	T_OK(weft_guard(add_one, &n));
	T_IS(n, 1);
}

static void work_that_goes_astray_ends(void **state)
{
	void *none =
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int n = 0;

	weft_guard_init();
	for (int i = 0; i < 100; i++) {
		T_IS(weft_guard(touch, none), -EFAULT);
		T_IS(weft_guard(give_up, NULL), -EFAULT);
		T_OK(weft_guard(add_one, &n));
	}
	T_IS(n, 100);
	munmap(none, 4096);
}

/* Runs fn(arg) in a child; returns the signal that ended it. */
static int ends_by(void (*fn)(void *arg), void *arg, bool guarded)
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

static void outside_of_a_guard_a_fault_is_a_fault(void **state)
{
	void *none =
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sig = SIGFPE;

	T_IS(ends_by(touch, none, false), SIGSEGV);
	T_IS(ends_by(touch, none, true), 0);
	T_IS(ends_by(give_up, NULL, false), SIGABRT);
	/* a signal from raise() is not a fault of the work */
	T_IS(ends_by(raise_it, &sig, true), SIGFPE);
	T_IS(ends_by(raise_it, &sig, false), SIGFPE);
	munmap(none, 4096);
}

static volatile sig_atomic_t seen;

static void see(int sig)
{
	seen = sig;
	_exit(7);
}

static void the_programs_own_handler_goes_on(void **state)
{
	void *none =
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGSEGV, see);
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
	/*
	 * Children install the handlers: weft_guard_init() acts once per
	 * process.
	 */
	const struct CMUnitTest tests[] = {
		T_CASE(good_work_is_done),
		T_CASE(outside_of_a_guard_a_fault_is_a_fault),
		T_CASE(the_programs_own_handler_goes_on),
		T_CASE(work_that_goes_astray_ends),
	};

	return T_RUN(tests);
}
