/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of signals and their effect on the launcher. */
#include "src/tools/run/job/run_signal.h"
#include "src/base/attr.h"
#include "src/tools/run/job/run_nested.h"

#include <errno.h>
#include <sys/signalfd.h>

static const struct {
	int sig;
	enum run_signal_kind kind;
} table[] = {
	{ SIGCHLD, RUN_SIGNAL_CHILD },
	{ SIGINT, RUN_SIGNAL_END },
	{ SIGTERM, RUN_SIGNAL_END },
	{ SIGHUP, RUN_SIGNAL_END },
	{ SIGQUIT, RUN_SIGNAL_END },
	{ SIGXCPU, RUN_SIGNAL_END },
	{ SIGTSTP, RUN_SIGNAL_STOP },
	{ SIGCONT, RUN_SIGNAL_PASS },
	{ SIGUSR1, RUN_SIGNAL_PASS },
	{ SIGUSR2, RUN_SIGNAL_PASS },
	{ SIGALRM, RUN_SIGNAL_PASS },
	{ SIGWINCH, RUN_SIGNAL_PASS },
	{ SIGURG, RUN_SIGNAL_PASS },
	{ RUN_NESTED_FAILED, RUN_SIGNAL_PARENTS },
};

static int signal_fd = -1;

/*
 * Returns whether a signal is ignored; signals that are ignored at the start
 * (nohup, background jobs of a script) stay ignored.
 */
static int is_ignored(int sig)
{
	struct sigaction sa;

	return !sigaction(sig, NULL, &sa) && sa.sa_handler == SIG_IGN &&
	       sig != SIGCHLD;
}

int run_signal_open(sigset_t *old)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < WEFT_COUNT_OF(table); i++)
		if (!is_ignored(table[i].sig))
			sigaddset(&set, table[i].sig);
	/* children of a process that ignores SIGCHLD cannot be waited for */
	sigaction(SIGCHLD, &dfl, NULL);
	if (sigprocmask(SIG_BLOCK, &set, old) < 0)
		return -errno;
	signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return signal_fd < 0 ? -errno : 0;
}

int run_signal_fd(void)
{
	return signal_fd;
}

enum run_signal_kind run_signal_kind(int sig)
{
	size_t i;

	for (i = 0; i < WEFT_COUNT_OF(table); i++)
		if (table[i].sig == sig)
			return table[i].kind;
	return RUN_SIGNAL_PASS;
}
