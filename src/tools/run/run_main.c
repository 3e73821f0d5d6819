/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpiexec: starts the ranks of a job on this host and waits until all have
 * exited; a job on other hosts is handed to the site's launcher. The order
 * matters: the collectors of output are forked before the PMIx library starts
 * its thread, and the main thread starts the ranks, because the kernel kills
 * them when that thread exits.
 */
#include "src/base/attr.h"
#include "src/os/copy_calibrate.h"
#include "src/tools/run/run_bind.h"
#include "src/tools/run/run_cpus.h"
#include "src/tools/run/daemon/run_daemon.h"
#include "src/tools/run/delegate/run_delegate.h"
#include "src/tools/run/io/run_io.h"
#include "src/tools/run/job/run_job.h"
#include "src/tools/run/job/run_nested.h"
#include "src/tools/run/job/run_limits.h"
#include "src/tools/run/opts/run_model.h"
#include "src/tools/run/opts/run_opts.h"
#include "src/tools/run/pmix/run_pmix.h"
#include "src/tools/run/pmix/run_pmix_hosts.h"
#include "src/tools/run/job/run_job_page.h"
#include "src/tools/run/run_message.h"
#include "src/tools/run/job/run_signal.h"
#include "src/tools/run/job/run_spawn.h"
#include "src/tools/run/job/run_record.h"
#include "src/tools/run/job/run_skeleton.h"
#include "src/tools/run/job/run_table.h"
#include "src/tools/run/job/run_events.h"
#include "src/tools/run/job/run_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

/*
 * Removes the variables of a launcher that started mpiexec, since mpiexec's
 * PMIx server would use them.
 */
static void remove_launcher_vars(void)
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

/*
 * Raises the descriptor limit to one descriptor per rank, for its PMIx
 * connection, and 32 more.
 */
static int raise_limit(struct run_job *job)
{
	rlim_t need = (rlim_t)job->nlocal + 32;
	struct rlimit lim;

	getrlimit(RLIMIT_NOFILE, &job->nofile);
	lim = job->nofile;
	if (lim.rlim_cur == RLIM_INFINITY || lim.rlim_cur >= need)
		return 0;
	if (lim.rlim_max != RLIM_INFINITY && lim.rlim_max < need) {
		run_message("%d ranks need %lu file descriptors, the hard "
			    "limit is %lu; raise it by ulimit -Hn or use fewer "
			    "ranks",
			    job->nlocal, (unsigned long)need,
			    (unsigned long)lim.rlim_max);
		return -EMFILE;
	}
	lim.rlim_cur = lim.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &lim) < 0 ? -errno : 0;
}

static int job_init(struct run_job *job, const struct run_opts *o)
{
	int i, k;
	uint64_t name[2];

	memset(job, 0, sizeof(*job));
	job->opts = o;
	job->topo_fd = -1;
	job->job_page_fd = -1;
	job->events_fd = -1;
	job->trace_fd = -1;
	job->skeleton_fd = -1;
	job->table_fd = -1;
	job->nranks = run_opts_ranks(o);
	job->nlocal = job->nranks;
	job->rank = calloc((size_t)job->nranks, sizeof(*job->rank));
	if (!job->rank)
		return -ENOMEM;
	for (i = 0; i < o->napps; i++)
		for (k = 0; k < o->app[i].n; k++)
			job->rank[o->app[i].first + k].app = (uint16_t)i;
	job->cpus = run_cpus();
	if (gethostname(job->host, sizeof(job->host)) < 0)
		strcpy(job->host, "localhost");
	/* key and name are random and not visible to other users */
	if (getrandom(job->key, sizeof(job->key), 0) != sizeof(job->key) ||
	    getrandom(name, sizeof(name), 0) != sizeof(name))
		return -EIO;
	snprintf(job->nspace, sizeof(job->nspace), "weft-%016llx%016llx",
		 (unsigned long long)name[0], (unsigned long long)name[1]);
	return 0;
}

static void job_fini(struct run_job *job)
{
	run_io_close(job->io);
	run_bind_close(job->bind);
	run_trace_close(job);
	run_record_close(job);
	run_skeleton_close(job);
	run_table_close(job);
	run_job_page_close(job);
	free(job->end.text);
	free(job->end.call);
	free(job->end.rank_states);
	free(job->rank);
}

/*
 * Checks the number of processors. More ranks than processors are allowed,
 * unless the user forbids it.
 */
static int job_fits(const struct run_job *job)
{
	const struct run_place *p = &job->opts->place;

	if (job->nlocal <= job->cpus)
		return 0;
	if (p->no_oversubscribe) {
		run_message("%d ranks do not fit on %d processors, and "
			    "--nooversubscribe is set; use fewer ranks",
			    job->nlocal, job->cpus);
		return -EINVAL;
	}
	if ((p->oversubscribe || job->opts->verbose) && !job->opts->quiet)
		run_message(
			"%d ranks on %d processors: ranks yield when they wait",
			job->nlocal, job->cpus);
	return 0;
}

/*
 * The limit of eager messages is measured with two processes. Fetches of
 * several receivers from one process contend for the locks of its page tables:
 * with 4, 8 and 16 ranks on 16 cores, messages of up to 32 KiB are faster
 * through shared memory (bench/results.md).
 */
#define EAGER_OF_MANY 32768

static int eager_limit(const struct run_job *job, int measured)
{
	bool many = job->nlocal > 2 && job->nlocal <= job->cpus;

	return many && measured < EAGER_OF_MANY ? EAGER_OF_MANY : measured;
}

static void calibrate_copy_thresholds(struct run_job *job)
{
	struct weft_copy_calibration c;
	int err;

	if (job->nlocal < 2 || run_model_virtual(&job->opts->model))
		return;
	job->sizes.shared_copy_busy =
		(int)weft_copy_calibrate_shared_least_queued(
			run_bind_cache(job->bind));
	err = weft_copy_calibrate_measure(&c);
	job->sizes.loop = (int)weft_copy_calibrate_loop(&c);
	if (err)
		return;
	job->sizes.eager =
		eager_limit(job, (int)weft_copy_calibrate_threshold(&c));
	job->sizes.shared_copy = (int)weft_copy_calibrate_shared_least(&c);
}

/*
 * Places ranks if sched_getaffinity() is forbidden. hwloc cannot read the host
 * then, so ranks are not bound, and the topology is a flat list of processors.
 */
static int place_without_affinity(struct run_job *job, int why)
{
	struct run_place p = job->opts->place;
	char synthetic[32];

	if ((p.bind != RUN_UNIT_DEFAULT && p.bind != RUN_UNIT_NONE) ||
	    p.cpu_set || p.report) {
		run_message(
			"%s: sched_getaffinity is forbidden here (%s), so that "
			"ranks cannot be bound; use --bind-to none, or allow "
			"it in the seccomp filter",
			p.cpu_set  ? "--cpu-set"
			: p.report ? "--report-bindings"
				   : "--bind-to",
			strerror(-why));
		return -EINVAL;
	}
	if (!job->opts->quiet)
		run_message(
			"sched_getaffinity is forbidden here (%s): ranks are "
			"not bound, and %d processors are assumed",
			strerror(-why), job->cpus);
	job->no_affinity = true;
	p.bind = RUN_UNIT_NONE;
	snprintf(synthetic, sizeof(synthetic), "core:%d pu:1", job->cpus);
	return run_bind_open(&p, job->nlocal, job->cpus, synthetic, &job->bind);
}

/*
 * Loads the topology, once for the whole job. Signals are not blocked yet, so
 * that a user can interrupt mpiexec on a host where this takes long.
 */
static int job_place(struct run_job *job)
{
	int err = job_fits(job), forbidden = run_cpus_forbidden();

	if (err)
		return err;
	if (forbidden)
		err = place_without_affinity(job, forbidden);
	else
		err = run_bind_open(&job->opts->place, job->nlocal, job->cpus,
				    NULL, &job->bind);
	if (!err)
		job->topo_fd = run_bind_xml(job->bind);
	return err;
}

/* Prints the bindings that the kernel reports, not the planned bindings. */
static void report_bindings(const struct run_job *job)
{
	char *text;
	int i;

	for (i = job->first; i < job->first + job->nlocal; i++) {
		text = run_bind_text(job->bind, job->rank[i].pid);
		run_message("rank %d with PID %d on node %s: %s (%s)", i,
			    (int)job->rank[i].pid, job->host,
			    run_bind_of(job->bind, i - job->first)
				    ? "bound"
				    : "not bound",
			    text && *text ? text : "exited");
		free(text);
	}
}

/* Starts the job. Returns 0; otherwise job->end has the exit code. */
static int job_start(struct run_job *job)
{
	const struct run_io_ranks local = { .first = job->first,
					    .count = job->nlocal };
	int err;

	err = raise_limit(job);
	if (!err)
		err = run_limits_space(job->nlocal);
	if (err)
		return RUN_EXIT_FAULT;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* a rank may have exited when mpiexec writes to it */
	signal(SIGPIPE, SIG_IGN);
	/* a write beyond the file size limit then fails with EFBIG */
	signal(SIGXFSZ, SIG_IGN);
	err = job_place(job);
	if (!err)
		err = run_signal_open(&job->sigmask);
	if (!err)
		err = run_io_open(job->opts, &local, job->host, &job->io);
	/* the PMIx server starts a thread, so helpers are forked before it */
	if (!err)
		calibrate_copy_thresholds(job);
	if (!err)
		err = run_job_page_open(job);
	if (!err)
		err = run_events_open(job);
	if (!err)
		err = run_trace_open(job);
	if (!err)
		err = run_record_open(job);
	if (!err)
		err = run_skeleton_open(job);
	if (!err)
		err = run_table_open(job);
	if (!err)
		err = run_pmix_open(job);
	if (!err)
		err = run_pmix_register(job);
	if (err)
		return RUN_EXIT_FAULT;
	err = run_spawn(job);
	if (!err)
		run_pmix_hosts_send_started();
	if (!err && job->opts->place.report)
		report_bindings(job);
	return err;
}

/* Limits the job to the ranks of this host (run_daemon.h). */
static void job_on_host(struct run_job *job, const struct run_daemon_job *d)
{
	const struct run_layout_host *h = &d->layout.host[d->self];

	job->layout = &d->layout;
	job->network = d->network;
	job->first = h->first;
	job->nlocal = h->count;
	for (int i = 0; i < job->nranks; i++)
		job->rank[i].remote = i < h->first || i >= h->first + h->count;
	snprintf(job->host, sizeof(job->host), "%s", h->name);
	strcpy(job->nspace, d->nspace);
	memcpy(job->key, d->key, sizeof(job->key));
}

/*
 * d: job on several hosts, of which this is one; NULL: all ranks are on this
 * host
 */
static int main_run(const struct run_opts *o, const struct run_daemon_job *d)
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
	if (d)
		job_on_host(&job, d);
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

/* Runs the ranks of one host of a job; fd: socket to the daemon. */
static int run_on_host(const struct run_daemon_job *d, int fd)
{
	struct run_opts opts;
	int rc;

	if (!run_opts_parse_on_host(&opts, d->words, d->layout.nranks, &rc))
		return rc;
	run_pmix_hosts_open(fd, &d->layout, d->self, d->nspace);
	return main_run(&opts, d);
}

int main(int argc, char **argv)
{
	struct run_opts opts;
	int rc, fd;

	/* no pipe may get descriptor 0, 1 or 2 */
	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	if (run_limits_stack())
		return RUN_EXIT_FAULT;
	remove_launcher_vars();
	run_nested_open();
	if (argc == 2 && !strcmp(argv[1], RUN_DAEMON_OPTION))
		return run_daemon(run_on_host);
	if (!run_opts_parse(&opts, argv, &rc))
		return rc;
	if (opts.remote.wanted)
		return run_delegate_start(&opts, argv);
	run_opts_print_notes(&opts, RUN_NOTE_HERE);
	rc = main_run(&opts, NULL);
	/* the PMIx thread still runs: no exit handlers may run */
	_exit(rc);
}
