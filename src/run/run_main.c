/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpiexec: starts the ranks of a job on this host and stays until all are
 * gone; a job on others is handed to the launcher of the site. The order
 * matters: collectors are forked before the PMIx library starts its thread, and
 * ranks are started by the main thread, because the kernel ends them when that
 * thread is gone.
 */
#include "src/base/attr.h"
#include "src/base/copies.h"
#include "src/run/run_bind.h"
#include "src/run/run_cpus.h"
#include "src/run/run_engine.h"
#include "src/run/run_io.h"
#include "src/run/run_job.h"
#include "src/run/run_limits.h"
#include "src/run/run_model.h"
#include "src/run/run_opts.h"
#include "src/run/run_pmix.h"
#include "src/run/run_roll.h"
#include "src/run/run_say.h"
#include "src/run/run_signal.h"
#include "src/run/run_spawn.h"
#include "src/run/run_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

/* 0, 1 and 2 are open from here on, so that no pipe takes their place. */
static void open_std(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* Variables of a launcher that started us would confuse our own server. */
static void forget_launcher(void)
{
	static const char *const names[] = { "PMIX_RANK", "PMIX_NAMESPACE" };
	char name[64], **v;
	size_t i, len;

	for (v = environ; *v;) {
		len = strcspn(*v, "=");
		if (!strncmp(*v, "PMIX_SERVER_", 12) && len < sizeof(name)) {
			memcpy(name, *v, len);
			name[len] = '\0';
			unsetenv(name);
		} else {
			v++;
		}
	}
	for (i = 0; i < WEFT_COUNT_OF(names); i++)
		unsetenv(names[i]);
}

/* One PMIx connection for each rank, and what the rest of mpiexec needs. */
static int raise_limit(struct run_job *job)
{
	rlim_t need = (rlim_t)job->nranks + 32;
	struct rlimit lim;

	getrlimit(RLIMIT_NOFILE, &job->nofile);
	lim = job->nofile;
	if (lim.rlim_cur == RLIM_INFINITY || lim.rlim_cur >= need)
		return 0;
	if (lim.rlim_max != RLIM_INFINITY && lim.rlim_max < need) {
		run_say("%d ranks need %lu descriptors, and the hard limit "
			"(ulimit -Hn) is %lu",
			job->nranks, (unsigned long)need,
			(unsigned long)lim.rlim_max);
		return -EMFILE;
	}
	lim.rlim_cur = lim.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &lim) < 0 ? -errno : 0;
}

/*
 * The key, and the name of the job, which a client has to know: neither can be
 * guessed, nor is it shown to others anywhere.
 */
static int job_secrets(struct run_job *job)
{
	uint64_t name[2];

	if (getrandom(job->key, sizeof(job->key), 0) != sizeof(job->key) ||
	    getrandom(name, sizeof(name), 0) != sizeof(name))
		return -EIO;
	snprintf(job->nspace, sizeof(job->nspace), "weft-%016llx%016llx",
		 (unsigned long long)name[0], (unsigned long long)name[1]);
	return 0;
}

static int job_init(struct run_job *job, const struct run_opts *o)
{
	int i, k;

	memset(job, 0, sizeof(*job));
	job->opts = o;
	job->topo_fd = -1;
	job->roll_fd = -1;
	job->trace_fd = -1;
	job->nranks = run_opts_ranks(o);
	job->rank = calloc((size_t)job->nranks, sizeof(*job->rank));
	if (!job->rank)
		return -ENOMEM;
	for (i = 0; i < o->napps; i++)
		for (k = 0; k < o->app[i].n; k++)
			job->rank[o->app[i].first + k].app = (uint16_t)i;
	job->cpus = run_cpus();
	if (gethostname(job->host, sizeof(job->host)) < 0)
		strcpy(job->host, "localhost");
	return job_secrets(job);
}

static void job_fini(struct run_job *job)
{
	run_io_close(job->io);
	run_bind_close(job->bind);
	run_trace_close(job);
	run_roll_close(job);
	free(job->end.text);
	free(job->end.call);
	free(job->end.roll_call);
	free(job->rank);
}

/* More ranks than processors: allowed, unless the user says otherwise. */
static int job_fits(const struct run_job *job)
{
	const struct run_place *p = &job->opts->place;

	if (job->nranks <= job->cpus)
		return 0;
	if (p->no_over) {
		run_say("%d ranks do not fit on %d processors, and "
			"--nooversubscribe forbids more",
			job->nranks, job->cpus);
		return -EINVAL;
	}
	if ((p->said_over || job->opts->verbose) && !job->opts->quiet)
		run_say("%d ranks on %d processors: ranks yield when they wait",
			job->nranks, job->cpus);
	return 0;
}

static void find_sizes(struct run_job *job)
{
	struct weft_copies c;
	int err;

	if (job->nranks < 2 || run_model_virtual(&job->opts->model))
		return;
	job->sizes.help_row = (int)weft_copies_row(run_bind_cache(job->bind));
	err = weft_copies_measure(&c);
	job->sizes.loop = (int)weft_copies_loop(&c);
	if (err)
		return;
	job->sizes.eager = (int)weft_copies_cut(&c);
	job->sizes.help = (int)weft_copies_help(&c);
}

/*
 * Without sched_getaffinity() hwloc cannot read the host: ranks are not bound,
 * and the topology is as many equal processors as there are.
 */
static int place_blindly(struct run_job *job, int why)
{
	struct run_place p = job->opts->place;
	char synthetic[32];

	if ((p.bind != RUN_UNIT_DEFAULT && p.bind != RUN_UNIT_NONE) ||
	    p.cpu_set || p.report) {
		run_say("%s: sched_getaffinity is forbidden here (%s), so that "
			"ranks cannot be bound; use --bind-to none, or allow "
			"it in the seccomp filter",
			p.cpu_set  ? "--cpu-set"
			: p.report ? "--report-bindings"
				   : "--bind-to",
			strerror(-why));
		return -EINVAL;
	}
	if (!job->opts->quiet)
		run_say("sched_getaffinity is forbidden here (%s): ranks are "
			"not bound, and the host is taken to have %d "
			"processors",
			strerror(-why), job->cpus);
	job->no_affinity = true;
	p.bind = RUN_UNIT_NONE;
	snprintf(synthetic, sizeof(synthetic), "core:%d pu:1", job->cpus);
	return run_bind_open(&p, job->nranks, job->cpus, synthetic, &job->bind);
}

/*
 * The topology is loaded here, once for the whole job. Signals are not blocked
 * yet: a host on which this takes long can be interrupted.
 */
static int job_place(struct run_job *job)
{
	int err = job_fits(job), forbidden = run_cpus_forbidden();

	if (err)
		return err;
	if (forbidden)
		err = place_blindly(job, forbidden);
	else
		err = run_bind_open(&job->opts->place, job->nranks, job->cpus,
				    NULL, &job->bind);
	if (!err)
		job->topo_fd = run_bind_xml(job->bind);
	return err;
}

/* What the kernel says, not what was planned. */
static void report_bindings(const struct run_job *job)
{
	char *text;
	int i;

	for (i = 0; i < job->nranks; i++) {
		text = run_bind_text(job->bind, job->rank[i].pid);
		run_say("rank %d with PID %d on node %s: %s (%s)", i,
			(int)job->rank[i].pid, job->host,
			run_bind_of(job->bind, i) ? "bound" : "not bound",
			text && *text ? text : "already gone");
		free(text);
	}
}

/* 0 when all ranks run; otherwise job->end says what mpiexec returns. */
static int job_start(struct run_job *job)
{
	int err;

	err = raise_limit(job);
	if (!err)
		err = run_limits_space(job->nranks);
	if (err)
		return RUN_EXIT_FAULT;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* A rank may be gone when we write to it; that is no reason to die. */
	signal(SIGPIPE, SIG_IGN);
	/* A file that may not be so long is an error like others. */
	signal(SIGXFSZ, SIG_IGN);
	err = job_place(job);
	if (!err)
		err = run_signal_open(&job->sigmask);
	if (!err)
		err = run_io_open(job->opts, job->nranks, job->host, &job->io);
	/* It starts a thread: after the helpers are forked. */
	if (!err)
		find_sizes(job);
	if (!err)
		err = run_roll_open(job);
	if (!err)
		err = run_trace_open(job);
	if (!err)
		err = run_pmix_open(job);
	if (!err)
		err = run_pmix_register(job);
	if (err)
		return RUN_EXIT_FAULT;
	err = run_spawn(job);
	if (!err && job->opts->place.report)
		report_bindings(job);
	return err;
}

static int run(const struct run_opts *o)
{
	struct run_job job;
	int rc;

	rc = run_spawn_check(o);
	if (rc)
		return rc;
	if (run_trace_check(&o->model))
		return RUN_EXIT_FAULT;
	if (job_init(&job, o) < 0)
		return RUN_EXIT_FAULT;
	rc = job_start(&job);
	if (rc) {
		job.end.cause = RUN_CAUSE_FAULT;
		job.end.code = rc;
	}
	if (job.io && job.spawned)
		rc = run_job_wait(&job, run_pmix_event_fd());
	job_fini(&job);
	return rc;
}

int main(int argc, char **argv)
{
	struct run_opts opts;
	int rc;

	open_std();
	if (run_limits_stack())
		return RUN_EXIT_FAULT;
	forget_launcher();
	if (!run_opts_parse(&opts, argv, &rc))
		return rc;
	if (opts.away.wanted)
		return run_engine_start(&opts);
	run_opts_say_notes(&opts, RUN_NOTE_HERE);
	rc = run(&opts);
	/* The PMIx thread is still there: no handler of exit() may run. */
	_exit(rc);
}
