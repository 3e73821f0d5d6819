/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards by sigsetjmp: signal handlers jump to their thread's guard. */
#include "src/os/guard.h"
#include "src/base/log.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE };

/* Signal actions before weft_guard_init(). */
static struct sigaction earlier_actions[WEFT_COUNT_OF(signals)];

/* Guard of this thread, or NULL, and the reason why its work failed. */
static _Thread_local sigjmp_buf *guard;
static _Thread_local const char *volatile reason;

static const char *signal_text(int sig)
{
	return sig == SIGSEGV  ? "invalid address (SIGSEGV)"
	       : sig == SIGBUS ? "missing memory (SIGBUS)"
			       : "division by zero (SIGFPE)";
}

/*
 * Handles a signal outside of a guard: performs the earlier action. A fault is
 * raised again when the handler returns; a signal from kill() is not.
 */
static void call_earlier_action(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *old = NULL;

	for (size_t i = 0; i < WEFT_COUNT_OF(signals); i++)
		if (signals[i] == sig)
			old = &earlier_actions[i];
	if (old->sa_flags & SA_SIGINFO) {
		old->sa_sigaction(sig, info, context);
	} else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
		old->sa_handler(sig);
	} else {
		sigaction(sig, old, NULL);
		if (info->si_code <= 0)
			raise(sig);
	}
}

static void fault_handler(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	if (!guard || info->si_code <= 0) {
		call_earlier_action(sig, info, context);
		return;
	}
	reason = signal_text(sig);
	/* siglongjmp does not restore the signals blocked for the handler. */
	pthread_sigmask(SIG_SETMASK, &uc->uc_sigmask, NULL);
	siglongjmp(*guard, 1);
}

static void install_handlers(void)
{
	struct sigaction sa = { .sa_sigaction = fault_handler,
				.sa_flags = SA_SIGINFO | SA_ONSTACK };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < WEFT_COUNT_OF(signals); i++)
		sigaction(signals[i], &sa, &earlier_actions[i]);
}

void weft_guard_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, install_handlers);
}

bool weft_guard_works(void)
{
	struct sigaction now;

	weft_guard_init();
	return !sigaction(SIGBUS, NULL, &now) && now.sa_flags & SA_SIGINFO &&
	       now.sa_sigaction == fault_handler;
}

int weft_guard_quiet(void (*work)(void *arg), void *arg)
{
	sigjmp_buf here;

	guard = &here;
	if (sigsetjmp(here, 0)) {
		guard = NULL;
		return -EFAULT;
	}
	work(arg);
	guard = NULL;
	return 0;
}

int weft_guard(void (*work)(void *arg), void *arg)
{
	int err = weft_guard_quiet(work, arg);

	if (err)
		weft_log(WEFT_LOG_ERROR, "corrupt shared memory: %s", reason);
	return err;
}

void weft_guard_fail(const char *why)
{
	if (!guard) {
		weft_log(WEFT_LOG_ERROR, "%s", why);
		abort();
	}
	reason = why;
	siglongjmp(*guard, 1);
}
