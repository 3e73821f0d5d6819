/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the site's launcher and executes it. */
#include "src/tools/run/delegate/run_delegate.h"
#include "src/tools/run/daemon/run_launch.h"
#include "src/tools/run/job/run_limits.h"
#include "src/tools/run/run_path.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void run_cmd_add(struct run_cmd *c, const char *fmt, ...)
{
	char *text = NULL, **list;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	list = n < 0 ? NULL
		     : realloc(c->word, ((size_t)c->count + 2) * sizeof(*list));
	if (!list) {
		c->lost = true;
		if (n >= 0)
			free(text);
		return;
	}
	list[c->count++] = text;
	list[c->count] = NULL;
	c->word = list;
}

void run_cmd_free(struct run_cmd *c)
{
	for (int i = 0; i < c->count; i++)
		free(c->word[i]);
	free(c->word);
	free(c->script);
	memset(c, 0, sizeof(*c));
}

/*
 * Recognises "mpirun (Open MPI) 4.1.4", "mpirun.openmpi (OpenRTE) 4.1.4", "...
 * (PRRTE)".
 */
bool run_delegate_identify(const char *version, struct run_delegate *e)
{
	const char *open_mpi = strstr(version, "(Open MPI)");

	if (strstr(version, "(OpenRTE)")) {
		e->kind = RUN_ENGINE_ORTE;
	} else if (open_mpi) {
		e->kind = atoi(open_mpi + strlen("(Open MPI)")) < 5
				  ? RUN_ENGINE_ORTE
				  : RUN_ENGINE_PRTE;
	} else if (strstr(version, "PRRTE") || strstr(version, "PMIx RefRTE")) {
		e->kind = RUN_ENGINE_PRTE;
		e->name = "PRRTE's prterun";
		return true;
	} else {
		return false;
	}
	e->name = "Open MPI's mpirun";
	return true;
}

/* Reads the output of "FILE --version"; "" if there is none. */
static void read_version(char *file, char *text, size_t size)
{
	char option[] = "--version", *argv[] = { file, option, NULL };
	posix_spawn_file_actions_t files;
	int fd[2], status;
	ssize_t n = 0;
	size_t have = 0;
	pid_t pid;

	text[0] = '\0';
	if (pipe2(fd, O_CLOEXEC) < 0)
		return;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fd[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null",
					 O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
					 O_RDONLY, 0);
	if (!posix_spawn(&pid, file, &files, NULL, argv, environ)) {
		close(fd[1]);
		fd[1] = -1;
		while (have < size - 1 &&
		       (n = read(fd[0], text + have, size - 1 - have)) > 0)
			have += (size_t)n;
		waitpid(pid, &status, 0);
	}
	text[have] = '\0';
	posix_spawn_file_actions_destroy(&files);
	close(fd[0]);
	if (fd[1] >= 0)
		close(fd[1]);
}

/*
 * Returns whether the file is a supported launcher. Several MPI libraries
 * install an mpirun, including Weft, so the version is checked.
 */
static bool try_file(const char *dir, int len, const char *name,
		     struct run_delegate *e)
{
	char *file = NULL, version[256];

	if (asprintf(&file, "%.*s/%s", len ? len : 1, len ? dir : ".", name) <
	    0)
		return false;
	if (!access(file, X_OK)) {
		read_version(file, version, sizeof(version));
		if (run_delegate_identify(version, e)) {
			e->file = file;
			return true;
		}
	}
	free(file);
	return false;
}

static bool try_name(const char *name, struct run_delegate *e)
{
	const char *dirs = getenv("PATH");
	int len;

	if (!dirs)
		dirs = "/bin:/usr/bin";
	while (*dirs) {
		len = (int)strcspn(dirs, ":");
		if (try_file(dirs, len, name, e))
			return true;
		dirs += len;
		dirs += *dirs == ':';
	}
	return false;
}

static bool find_srun(struct run_delegate *e)
{
	e->kind = RUN_ENGINE_SRUN;
	e->name = "Slurm's srun";
	return !run_path_find("srun", NULL, NULL, &e->file);
}

static bool report_none(const struct run_opts *o)
{
	const struct run_remote *w = &o->remote;
	static const struct {
		enum run_launcher launcher;
		const char *name, *install;
	} rows[] = {
		{ RUN_LAUNCHER_SRUN, "Slurm's srun",
		  "Slurm (Debian: slurm-client)" },
		{ RUN_LAUNCHER_MPIRUN, "Open MPI's mpirun",
		  "Open MPI (Debian: openmpi-bin) on every host" },
		{ RUN_LAUNCHER_PRTERUN, "PRRTE's prterun",
		  "PRRTE on every host" },
	};
	size_t i = 0;

	while (i + 1 < WEFT_COUNT_OF(rows) && rows[i].launcher != w->launcher)
		i++;
	run_message("-launcher: %s is not in PATH; install %s, or use "
		    "-launcher ssh, which needs only Weft on the other hosts",
		    rows[i].name, rows[i].install);
	return false;
}

/*
 * Selects the daemons of mpiexec, which it starts on the hosts of a list if
 * there is no launcher. Returns false, after a message, if no hosts are given.
 */
static bool find_own(const struct run_opts *o, struct run_delegate *e)
{
	e->kind = RUN_ENGINE_OWN;
	e->name = "mpiexec";
	if (o->remote.hosts.count)
		return true;
	run_message("the names of the job's hosts are not known: there is no "
		    "srun in PATH; use -host or -hostfile");
	return false;
}

bool run_delegate_find(const struct run_opts *o, struct run_delegate *e)
{
	enum run_launcher wanted = o->remote.launcher;

	memset(e, 0, sizeof(*e));
	if ((wanted == RUN_LAUNCHER_SRUN ||
	     (wanted == RUN_LAUNCHER_ANY && getenv("SLURM_JOB_ID"))) &&
	    find_srun(e))
		return true;
	if (wanted == RUN_LAUNCHER_SRUN)
		return report_none(o);
	if (wanted == RUN_LAUNCHER_RSH)
		return find_own(o, e);
	if (wanted != RUN_LAUNCHER_PRTERUN &&
	    (try_name("mpirun", e) || try_name("mpirun.openmpi", e) ||
	     try_name("orterun", e)))
		return true;
	if (wanted != RUN_LAUNCHER_MPIRUN && try_name("prterun", e))
		return true;
	return wanted == RUN_LAUNCHER_ANY ? find_own(o, e) : report_none(o);
}

void run_delegate_note(const struct run_opts *o, const struct run_delegate *e,
		       const char *flag)
{
	if (!o->quiet)
		run_message("%s has no effect: %s has no such option", flag,
			    e->name);
}

/*
 * Adds the program. A name without a slash is looked up on this host, because a
 * login on another host has another PATH; if it is not found, the launcher
 * searches for it.
 */
static void add_found(const struct run_app *a, const char *name,
		      struct run_cmd *c)
{
	char *file = NULL;

	if (strchr(name, '/') || run_path_find(name, a->path, a->wdir, &file))
		run_cmd_add(c, "%s", name);
	else
		run_cmd_add(c, "%s", file);
	free(file);
}

void run_delegate_program(const struct run_opts *o, const struct run_app *a,
			  struct run_cmd *c)
{
	char **w = o->wrapper;
	int i;

	if (w)
		add_found(a, *w, c);
	for (i = 1; w && w[i]; i++)
		run_cmd_add(c, "%s", w[i]);
	add_found(a, a->argv[0], c);
	for (i = 1; a->argv[i]; i++)
		run_cmd_add(c, "%s", a->argv[i]);
}

/*
 * Reports options whose files cannot be written, since calls are counted and
 * recorded only in jobs that mpiexec itself starts on this host. Returns
 * whether there is such an option.
 */
static bool files_lost(const struct run_opts *o, const struct run_delegate *e)
{
	const struct run_model *m = &o->model;
	const char *flag = m->report_named ? "--report-file"
			   : m->page	   ? "--report-html"
			   : m->trace	   ? "--trace"
					   : NULL;

	if (flag)
		run_message(
			"%s: %s cannot write the file; reports and traces are "
			"available for jobs on one host",
			flag, e->name);
	return flag;
}

int run_delegate_command(const struct run_opts *o, const struct run_delegate *e,
			 struct run_cmd *c)
{
	int err;

	memset(c, 0, sizeof(*c));
	if (e->kind == RUN_ENGINE_SRUN && o->timeout_s > 0) {
		/* timeout(1) signals only the launcher, which ends all ranks */
		run_cmd_add(c, "timeout");
		run_cmd_add(c, "--foreground");
		run_cmd_add(c, "--kill-after=10");
		run_cmd_add(c, "%g", o->timeout_s);
	}
	run_cmd_add(c, "%s", e->file);
	if (o->print_codes)
		run_delegate_note(o, e, "-print-all-exitcodes");
	if (files_lost(o, e))
		return -EINVAL;
	if (o->model.report)
		run_delegate_note(o, e, "--report");
	err = e->kind == RUN_ENGINE_SRUN ? run_delegate_srun(o, e, c)
					 : run_delegate_mpirun(o, e, c);
	return !err && c->lost ? -ENOMEM : err;
}

static void print_command(const struct run_cmd *c)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	for (int i = 0; f && i < c->count; i++)
		fprintf(f, " %s", c->word[i]);
	if (f)
		fclose(f);
	run_message("the command is%s", text ? text : "");
	free(text);
}

/* Starts daemons on all hosts, which start the ranks. Returns the exit code. */
static int start_daemons(const struct run_opts *o, const struct run_delegate *e,
			 char **words)
{
	char **env = run_delegate_env(o);
	int rc;

	if (files_lost(o, e) || !env)
		return RUN_EXIT_FAULT;
	if (o->model.report)
		run_delegate_note(o, e, "--report");
	if (!o->quiet)
		run_message("%s starts mpiexec on the job's hosts",
			    o->remote.agent ? o->remote.agent : "ssh");
	rc = run_launch(o, words, env);
	free(env);
	return rc;
}

static enum run_note_where notes_of(enum run_delegate_kind kind)
{
	switch (kind) {
	case RUN_ENGINE_SRUN:
		return RUN_NOTE_NO_RSH;
	case RUN_ENGINE_OWN:
		return RUN_NOTE_NO_MPIRUN;
	default:
		return RUN_NOTE_ALWAYS;
	}
}

int run_delegate_start(const struct run_opts *o, char **words)
{
	struct run_delegate e;
	struct run_cmd c;

	if (!run_delegate_find(o, &e))
		return RUN_EXIT_FAULT;
	run_opts_print_notes(o, notes_of(e.kind));
	if (e.kind == RUN_ENGINE_OWN)
		return start_daemons(o, &e, words);
	if (run_delegate_command(o, &e, &c))
		return RUN_EXIT_FAULT;
	if (!o->quiet)
		run_message("%s starts the job (%s)", e.name, e.file);
	if (o->verbose)
		print_command(&c);
	if (e.kind != RUN_ENGINE_SRUN)
		return run_delegate_watch(o, &e, &c);
	run_limits_restore();
	execvp(c.word[0], c.word);
	run_message("cannot execute %s: %s", c.word[0], strerror(errno));
	return RUN_EXIT_NOEXEC;
}
