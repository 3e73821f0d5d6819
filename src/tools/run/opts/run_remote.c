/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options that select the hosts of a job, and the decision whether the job runs
 * on this host. Jobs on other hosts are handed to another launcher:
 * run_delegate.c. run_opts.c calls the functions of both files.
 */
#include "config.h"
#include "src/base/attr.h"
#include "src/tools/run/run_env.h"
#include "src/tools/run/opts/run_flags.h"
#include "src/tools/run/opts/run_model.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds hosts. The value of the table entry is 1 if the argument is a file. */
int run_set_hosts(struct run_parse *p, char **arg)
{
	struct run_hosts *h = &p->o->remote.hosts;

	if (p->on_host_ranks)
		return 0;
	return p->flag->value ? run_hosts_file(p->spelled, arg[0], h)
			      : run_hosts_list(p->spelled, arg[0], h);
}

static const struct {
	const char *word;
	enum run_launcher launcher;
} launchers[] = {
	{ "fork", RUN_LAUNCHER_FORK },	    { "srun", RUN_LAUNCHER_SRUN },
	{ "slurm", RUN_LAUNCHER_SRUN },	    { "mpirun", RUN_LAUNCHER_MPIRUN },
	{ "openmpi", RUN_LAUNCHER_MPIRUN }, { "prterun", RUN_LAUNCHER_PRTERUN },
	{ "prrte", RUN_LAUNCHER_PRTERUN },  { "ssh", RUN_LAUNCHER_RSH },
	{ "rsh", RUN_LAUNCHER_RSH },
};

int run_set_launcher(struct run_parse *p, char **arg)
{
	for (size_t i = 0; i < WEFT_COUNT_OF(launchers); i++) {
		if (strcmp(launchers[i].word, arg[0]))
			continue;
		p->o->remote.launcher = launchers[i].launcher;
		return 0;
	}
	return run_flag_note(p,
			     "fork, srun, mpirun, prterun and ssh are known");
}

int run_set_agent(struct run_parse *p, char **arg)
{
	p->o->remote.agent = arg[0];
	return run_flag_note_where(p, "no remote shell is used on this host",
				   RUN_NOTE_NO_RSH);
}

int run_set_iface(struct run_parse *p, char **arg)
{
	p->o->remote.iface = arg[0];
	return run_flag_note_where(p, "no network is used on one host",
				   RUN_NOTE_HERE);
}

static int passthrough_add(struct run_remote *w, char *text)
{
	char **list = realloc(w->pass, ((size_t)w->npass + 1) * sizeof(*list));

	if (!list || !text) {
		w->pass = list ? list : w->pass;
		free(text);
		return -ENOMEM;
	}
	list[w->npass++] = text;
	w->pass = list;
	return 0;
}

/*
 * Passes an option to Open MPI's launcher: two dashes, the option's first name,
 * and its values.
 */
int run_set_pass_through(struct run_parse *p, char **arg)
{
	const struct weft_arg *row = &p->flag->arg;
	char *flag = NULL;
	int i, err;

	if (asprintf(&flag, "--%.*s", (int)strcspn(row->names, "|"),
		     row->names) < 0)
		return -ENOMEM;
	err = passthrough_add(&p->o->remote, flag);
	for (i = 0; i < row->nargs && !err; i++)
		err = passthrough_add(&p->o->remote, strdup(arg[i]));
	if (err)
		return err;
	return run_flag_note_where(p, row->help, RUN_NOTE_NO_MPIRUN);
}

/*
 * Reads RUN_CHILDREN_VAR and removes it from the environment, so that ranks do
 * not inherit it.
 */
static int read_spawned(struct run_remote *w)
{
	const char *text = getenv(RUN_CHILDREN_VAR);
	int err;

	if (!text)
		return 0;
	w->spawned = true;
	err = run_hosts_list(RUN_CHILDREN_VAR, text, &w->list);
	unsetenv(RUN_CHILDREN_VAR);
	return err;
}

static bool is_remote(const struct run_remote *w, const char *self)
{
	const char *nodes;

	if (w->spawned)
		return true;
	switch (w->launcher) {
	case RUN_LAUNCHER_FORK:
		return false;
	case RUN_LAUNCHER_SRUN:
	case RUN_LAUNCHER_MPIRUN:
	case RUN_LAUNCHER_PRTERUN:
		return true;
	default:
		if (w->hosts.count)
			return run_hosts_first_remote(&w->hosts, self);
		/* a Slurm allocation with a host other than this one */
		nodes = getenv("SLURM_JOB_NODELIST");
		return getenv("SLURM_JOB_ID") &&
		       (!nodes || !run_hosts_is_local(nodes, self));
	}
}

static int check_here(const struct run_opts *o, const char *self)
{
	const char *other = run_hosts_first_remote(&o->remote.hosts, self);

	if (other) {
		run_message("-launcher fork: host %s is not this host", other);
		return -EINVAL;
	}
	/* do not run without the requested faults */
	if (o->model.faults && !run_model_virtual(&o->model) &&
	    !run_model_live_faults(&o->model)) {
		run_message(
			"--faults %s: not possible in a live job on one host; "
			"possible there: errors * (up to 1e-3), burst *, "
			"corrupt, loss, duplicate; use --machine with the "
			"virtual clock, or several hosts",
			o->model.faults);
		return -EINVAL;
	}
	return 0;
}

static bool wants_virtual(const struct run_opts *o)
{
	const char *clock;

	if (o->model.machine || o->model.clock)
		return run_model_virtual(&o->model) ||
		       (o->model.clock && strcmp(o->model.clock, "live"));
	for (int i = 0; i < o->napps; i++) {
		clock = run_env_value(o, i, "FI_WEFT_CLOCK");
		if (clock && !strcmp(clock, "virtual"))
			return true;
	}
	return false;
}

/*
 * Checks that this build can sign messages between hosts, or that
 * FI_WEFT_KEY=none (trusted network) is set for every program.
 */
static int check_signatures(const struct run_opts *o)
{
#ifndef HAVE_CRYPTO
	for (int i = 0; i < o->napps; i++) {
		const char *key = run_env_value(o, i, "FI_WEFT_KEY");

		if (key && !strcmp(key, "none"))
			continue;
		run_message("this Weft was configured without OpenSSL: jobs "
			    "run on one host (-host localhost), or with "
			    "FI_WEFT_KEY=none on a trusted network");
		return -ENOSYS;
	}
#endif
	return 0;
}

/*
 * Selects the launcher of a job that survives failures: the daemons of mpiexec,
 * since other launchers end the job. Returns false after a message.
 */
static bool survives_failures(struct run_remote *w)
{
	if (w->launcher != RUN_LAUNCHER_ANY &&
	    w->launcher != RUN_LAUNCHER_RSH) {
		run_message("--survive: on several hosts possible only with "
			    "-launcher ssh; the other launchers end the job "
			    "when a rank fails");
		return false;
	}
	if (!w->hosts.count) {
		run_message("--survive: the names of the job's hosts are not "
			    "known; use -host or -hostfile");
		return false;
	}
	w->launcher = RUN_LAUNCHER_RSH;
	return true;
}

int run_remote_decide(struct run_parse *p)
{
	struct run_remote *w = &p->o->remote;

	if (p->on_host_ranks)
		return 0;
	if (read_spawned(w))
		return -EINVAL;
	w->wanted = is_remote(w, p->self);
	if (p->o->survive && w->wanted && !survives_failures(w))
		return -EINVAL;
	if (!w->wanted)
		return check_here(p->o, p->self);
	if (!wants_virtual(p->o))
		return check_signatures(p->o);
	run_message(
		"virtual time needs all ranks on one host: --clock live runs "
		"the machine's interface on several, -host localhost runs all "
		"ranks here");
	return -EINVAL;
}
