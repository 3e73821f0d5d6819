/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts the ranks. After vfork() the child shares mpiexec's memory until
 * execve(), so everything is prepared before vfork(), and the child returns an
 * error through struct child. The child makes system calls only.
 *
 * Each rank leads its own process group, so that signals sent by mpiexec also
 * reach the rank's descendants. The kernel kills the rank when mpiexec's main
 * thread exits.
 */
#include "src/tools/run/job/run_spawn.h"
#include "src/tools/run/job/run_mpir.h"
#include "src/base/attr.h"
#include "src/base/limit.h"
#include "src/tools/run/run_bind.h"
#include "src/tools/run/run_env.h"
#include "src/tools/run/io/run_io.h"
#include "src/tools/run/job/run_limits.h"
#include "src/tools/run/opts/run_model.h"
#include "src/tools/run/run_path.h"
#include "src/tools/run/pmix/run_pmix.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct child {
	const char *file;
	char **argv;
	char **envp;
	const char *wdir;
	int fd[3];
	int keep_fd[6]; /* descriptors that the rank inherits; -1: none */
	int life_fd;
	/* processors of the rank; NULL: not bound */
	const struct run_cpuset *cpus;
	const struct rlimit *nofile;
	const sigset_t *mask;
	pid_t parent;
	/*
	 * Written by the child in mpiexec's memory; atomic, because the
	 * compiler cannot see that the child changes the values.
	 */
	_Atomic(const char *) what; /* name of the failed step */
	atomic_int err;
};

static int report_missing(const char *name, const char *wdir, int err)
{
	char *here = NULL, *dotted = NULL;

	if (err == -ENOENT && !strchr(name, '/') &&
	    asprintf(&dotted, "./%s", name) > 0)
		err = run_path_find(dotted, NULL, wdir, &here);
	if (!err)
		run_message("%s: not found in PATH; did you mean %s?", name,
			    dotted);
	else if (err == -ENOENT)
		run_message("%s: not found", name);
	else if (dotted && err == -EACCES)
		run_message("%s: not found in PATH, and %s is not executable",
			    name, dotted);
	else
		run_message("%s: %s", name,
			    err == -EACCES ? "not executable" : strerror(-err));
	free(here);
	free(dotted);
	return !err || err == -ENOENT ? RUN_EXIT_NOENT : RUN_EXIT_NOEXEC;
}

/* Returns the file to execute: the wrapper, if any, or the program. */
static const char *program(const struct run_opts *o, const struct run_app *a)
{
	return o->wrapper ? o->wrapper[0] : a->argv[0];
}

int run_spawn_check(const struct run_opts *o)
{
	const struct run_app *a;
	const char *machine;
	char *file = NULL;
	int i, err;

	for (i = 0; i < o->napps; i++) {
		a = &o->app[i];
		machine = run_env_value(o, i, "FI_WEFT_MACHINE");
		if (machine && !o->model.machine && run_model_known(machine))
			return RUN_EXIT_FAULT;
		if (a->wdir && access(a->wdir, X_OK) < 0) {
			run_message("cannot enter directory %s: %s", a->wdir,
				    strerror(errno));
			return RUN_EXIT_FAULT;
		}
		err = run_path_find(a->argv[0], a->path, a->wdir, &file);
		if (err)
			return report_missing(a->argv[0], a->wdir, err);
		free(file);
		err = run_path_find(program(o, a), a->path, a->wdir, &file);
		if (err)
			return report_missing(program(o, a), a->wdir, err);
		free(file);
	}
	return 0;
}

/* Returns the words of the wrapper, the program's path and its arguments. */
static char **full_argv(const struct run_opts *o, const struct run_app *a)
{
	size_t w = 0, n = 0;
	char **argv, *file = NULL;

	while (o->wrapper && o->wrapper[w])
		w++;
	while (a->argv[n])
		n++;
	argv = calloc(w + n + 1, sizeof(*argv));
	if (!argv)
		return NULL;
	if (w)
		memcpy(argv, o->wrapper, w * sizeof(*argv));
	memcpy(argv + w, a->argv, n * sizeof(*argv));
	/* gdb and valgrind do not search the directories of -path */
	if (w && !run_path_find(a->argv[0], a->path, a->wdir, &file))
		argv[w] = file;
	return argv;
}

static void set_failed(struct child *c, const char *what, int err)
{
	/*
	 * vfork() resumes the parent after the child has ended or called
	 * execve(), which orders these stores
	 */
	atomic_store_explicit(&c->what, what, memory_order_release);
	atomic_store_explicit(&c->err, err, memory_order_release);
}

static void child_fails(struct child *c, const char *what)
{
	set_failed(c, what, errno);
	_exit(RUN_EXIT_NOEXEC);
}

static void child_signals(const struct child *c)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	sigaction(SIGPIPE, &dfl, NULL);
	sigaction(SIGXFSZ, &dfl, NULL);
	sigprocmask(SIG_SETMASK, c->mask, NULL);
}

static void child_files(struct child *c)
{
	int i;

	for (i = 0; i < 3; i++)
		if (dup2(c->fd[i], i) < 0)
			child_fails(c, "dup2");
	for (i = 0; i < (int)WEFT_COUNT_OF(c->keep_fd); i++)
		if (c->keep_fd[i] >= 0)
			fcntl(c->keep_fd[i], F_SETFD, 0);
	/*
	 * with a low descriptor limit the lifeline keeps its current descriptor
	 * number
	 */
	if (dup2(c->life_fd, RUN_LIFELINE_FD) < 0)
		fcntl(c->life_fd, F_SETFD, 0);
	setrlimit(RLIMIT_NOFILE, c->nofile);
}

static WEFT_NORETURN void child_run(struct child *c)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* mpiexec may have died before the prctl() above */
	if (getppid() != c->parent)
		_exit(RUN_EXIT_FAULT);
	child_files(c);
	if (c->cpus)
		sched_setaffinity(0, c->cpus->size, c->cpus->set);
	if (c->wdir && chdir(c->wdir) < 0)
		child_fails(c, c->wdir);
	child_signals(c);
	run_limits_restore();
	execve(c->file, c->argv, c->envp);
	child_fails(c, c->file);
	_exit(RUN_EXIT_NOEXEC);
}

static pid_t start(struct child *c)
{
	pid_t pid = vfork();

	if (pid == 0)
		child_run(c);
	return pid;
}

static int start_rank(struct run_job *job, struct child *c, int rank)
{
	int out[3], err;
	pid_t pid;
	char why[WEFT_LIMIT_TEXT];
	const char *what;

	if (run_io_fetch(job->io, rank, out) < 0)
		return RUN_EXIT_FAULT;
	c->fd[0] = run_io_stdin(job->io, rank);
	if (c->fd[0] < 0) {
		run_message("cannot give stdin to rank %d: %s", rank,
			    strerror(-c->fd[0]));
		return RUN_EXIT_FAULT;
	}
	c->fd[1] = out[0];
	c->fd[2] = out[1];
	c->life_fd = out[2];
	c->cpus = run_bind_of(job->bind, rank - job->first);
	set_failed(c, NULL, 0);
	pid = start(c);
	if (pid < 0)
		set_failed(c, "fork", errno);
	close(out[2]);
	close(out[0]);
	if (out[1] != out[0])
		close(out[1]);
	if (c->fd[0] > STDERR_FILENO)
		close(c->fd[0]);
	if (pid > 0) {
		job->rank[rank].pid = pid;
		job->live++;
		job->spawned++;
		run_io_set_group(job->io, rank, pid);
	}
	if (!atomic_load_explicit(&c->err, memory_order_acquire))
		return 0;
	what = atomic_load_explicit(&c->what, memory_order_acquire);
	err = atomic_load_explicit(&c->err, memory_order_acquire);
	run_message("cannot start rank %d: %s: %s%s", rank, what, strerror(err),
		    err == EAGAIN ? weft_limit_tasks(why, run_tasks(job)) : "");
	if (err == ENOENT)
		return RUN_EXIT_NOENT;
	return err == EAGAIN || err == ENOMEM ? RUN_EXIT_FAULT
					      : RUN_EXIT_NOEXEC;
}

static int start_app(struct run_job *job, int app)
{
	const struct run_app *a = &job->opts->app[app];
	struct child c = { .wdir = a->wdir,
			   .keep_fd = { job->topo_fd, job->job_page_fd,
					job->trace_fd, job->events_fd,
					job->skeleton_fd, job->table_fd },
			   .nofile = &job->nofile,
			   .mask = &job->sigmask,
			   .parent = getpid() };
	struct run_env env;
	char *file = NULL;
	int i, rc = 0;

	if (run_env_open(&env, job, app, run_pmix_env()) < 0)
		return RUN_EXIT_FAULT;
	if (run_path_find(program(job->opts, a), a->path, a->wdir, &file))
		return RUN_EXIT_NOENT;
	c.file = file;
	c.argv = full_argv(job->opts, a);
	if (!c.argv)
		rc = RUN_EXIT_FAULT;
	for (i = 0; i < a->n && !rc; i++) {
		if (job->rank[a->first + i].remote)
			continue;
		c.envp = run_env_of_rank(&env, a->first + i);
		rc = start_rank(job, &c, a->first + i);
	}
	free(c.argv);
	free(file);
	run_env_close(&env);
	return rc;
}

int run_spawn(struct run_job *job)
{
	int i, rc = 0;

	for (i = 0; i < job->opts->napps && !rc; i++)
		rc = start_app(job, i);
	run_io_all_started(job->io);
	if (!rc)
		run_mpir_publish(job);
	return rc;
}
