/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs of processes in different namespaces: each pair must connect by the
 * fastest possible carrier, detect that the peer was killed, and not report a
 * living peer as dead. Namespaces require root; the test is skipped otherwise.
 */
#include "test/support/carrier_fixture.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PACKETS 300

/* Namespaces in which the two processes differ. */
struct ns_case {
	const char *name;
	int flags;	  /* flags of the child's unshare() */
	int parent_flags; /* flags of the parent's unshare() */
	bool proc;	  /* mount /proc of the new pid namespace */
	int dma; /* expected result when the parent reads the child's memory */
};

static const struct ns_case ns_cases[] = {
	{ "nothing", 0, 0, false, 0 },
	{ "network", CLONE_NEWNET, 0, false, 0 },
	/* the child's pid is visible to the parent, but not vice versa */
	{ "pids", CLONE_NEWPID, 0, false, 0 },
	{ "pids, with /proc", CLONE_NEWPID | CLONE_NEWNS, 0, true, 0 },
	{ "each other's pids", CLONE_NEWPID, CLONE_NEWPID, false, -EOPNOTSUPP },
	{ "each other's pids, with /proc", CLONE_NEWPID | CLONE_NEWNS,
	  CLONE_NEWPID | CLONE_NEWNS, true, -EOPNOTSUPP },
};

#define SKIP 77

/*
 * Main function of the child: sends its name, echoes packets, exits on command.
 */
static void child_run(int in, int out)
{
	struct pollfd word = { .fd = in, .events = POLLIN };
	struct end e;

	memset(&e, 0, sizeof(e));
	if (end_open(&e, &weft_carrier_hybrid, 2, NULL) ||
	    write(out, &e.name, sizeof(e.name)) != sizeof(e.name) ||
	    !end_wait_got(&e, PACKETS, 20))
		_exit(1);
	for (uint64_t n = 0; n < PACKETS; n++)
		if (end_send_all(&e, e.last, n, n * 31 % 8000, 20))
			_exit(1);
	while (!poll(&word, 1, 0)) {
		e.c->ops->poll(e.c, 32);
		e.c->ops->wait(e.c, 10000000);
	}
	_exit(0); /* exit without closing the endpoint, as if killed */
}

/* Enters new namespaces; a new pid namespace applies to children only. */
static void enter_namespaces(int flags, bool proc)
{
	int status = 0;
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (flags && unshare(flags))
		_exit(SKIP);
	pid = flags & CLONE_NEWPID ? fork() : 0;
	if (pid > 0) {
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (proc && (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		     mount("proc", "/proc", "proc", 0, NULL)))
		_exit(SKIP);
}

/*
 * Returns whether `got` differs from `want`, and reports this; used in
 * processes that do not run cmocka.
 */
static bool differs(const char *what, long long got, long long want)
{
	if (got == want)
		return false;
	fprintf(stderr, "%s: %lld, not %lld\n", what, got, want);
	return true;
}

struct pair {
	struct end e;
	struct weft_peer *to;
	int in;
	int out;
};

/*
 * Starts the child before the parent enters its namespaces, so that the child
 * does not inherit them.
 */
static int pair_fork(struct pair *p, const struct ns_case *ns)
{
	int down[2], up[2];
	pid_t pid;

	memset(p, 0, sizeof(*p));
	if (pipe(down) || pipe(up))
		return 1;
	pid = fork();
	if (!pid) {
		enter_namespaces(ns->flags, ns->proc);
		close(down[1]);
		close(up[0]);
		child_run(down[0], up[1]);
	}
	close(down[0]);
	close(up[1]);
	p->in = up[0];
	p->out = down[1];
	return pid < 0;
}

/* Returns SKIP if these namespaces are not available. */
static int pair_open(struct pair *p)
{
	union weft_name name;

	if (read(p->in, &name, sizeof(name)) != sizeof(name))
		return SKIP;
	if (end_open(&p->e, &weft_carrier_hybrid, 1, NULL))
		return 1;
	p->to = end_peer_name(&p->e, &name);
	return !p->to;
}

static bool pair_exchange(struct pair *p)
{
	struct weft_carrier_stats st = { 0 };

	for (uint64_t n = 0; n < PACKETS; n++)
		if (differs("send",
			    end_send_all(&p->e, p->to, n, n * 27 % 8000, 20),
			    0))
			return false;
	end_wait_got(&p->e, PACKETS, 20);
	p->e.c->ops->stats(p->e.c, &st);
	return !differs("packets", (long long)p->e.got, PACKETS) &&
	       !differs("wrong packets", (long long)p->e.bad, 0) &&
	       !differs("datagrams", (long long)st.remote, 0) &&
	       !differs("deaths", (long long)p->e.lost, 0);
}

static bool pair_read(struct pair *p, const struct ns_case *ns)
{
	char byte;
	struct iovec iov = { &byte, 1 };

	return !differs(
		"read",
		p->e.c->ops->read(p->e.c, p->to, &iov, 1, (uintptr_t)&ns_cases),
		ns->dma);
}

static bool pair_detect_death(struct pair *p)
{
	if (write(p->out, "x", 1) != 1)
		return false;
	end_wait_lost(&p->e, 1, 20);
	return !differs("deaths", (long long)p->e.lost, 1) &&
	       !differs("error of the loss", p->e.lost_err, ECONNRESET);
}

/* Tests one pair in a separate process, whose exit status is the result. */
static void pair_test(const struct ns_case *ns)
{
	struct pair p;
	int ret = pair_fork(&p, ns);

	enter_namespaces(ns->parent_flags, ns->proc);
	if (!ret)
		ret = pair_open(&p);
	if (!ret)
		ret = !(pair_exchange(&p) && pair_read(&p, ns) &&
			pair_detect_death(&p));
	_exit(ret);
}

static void processes_connect_by_the_fastest_carrier(void **state)
{
	int status;
	pid_t pid;

	for (size_t i = 0; i < WEFT_COUNT_OF(ns_cases); i++) {
		print_message("not shared: %s\n", ns_cases[i].name);
		pid = fork();
		if (!pid)
			pair_test(&ns_cases[i]);
		T_IS(waitpid(pid, &status, 0), pid);
		T_TRUE(WIFEXITED(status));
		if (WEXITSTATUS(status) == SKIP)
			print_message("skipped\n");
		else
			T_IS(WEXITSTATUS(status), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(processes_connect_by_the_fastest_carrier),
	};

	return T_RUN(tests);
}
