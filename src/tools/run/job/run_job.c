/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job after its start: one loop over signals, PMIx events and deadlines.
 * The first failure is recorded; the other ranks are ended (SIGTERM, SIGKILL
 * after a grace period), and the failure decides mpiexec's message and exit
 * code.
 */
#include "src/tools/run/job/run_job.h"
#include "src/base/clock.h"
#include "src/tools/run/job/run_background.h"
#include "src/tools/run/job/run_end.h"
#include "src/tools/run/job/run_events.h"
#include "src/tools/run/job/run_foreign.h"
#include "src/tools/run/io/run_io.h"
#include "src/tools/run/job/run_nested.h"
#include "src/tools/run/pmix/run_pmix.h"
#include "src/tools/run/pmix/run_pmix_hosts.h"
#include "src/tools/run/pmix/run_pmix_spawn.h"
#include "src/tools/run/job/run_report.h"
#include "src/tools/run/job/run_trace.h"
#include "src/tools/run/job/run_job_page.h"
#include "src/tools/run/run_message.h"
#include "src/tools/run/run_poll.h"
#include "src/tools/run/job/run_signal.h"
#include "src/tools/run/job/run_stuck.h"
#include "src/tools/run/job/run_survive.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull

/* Seconds between SIGTERM and SIGKILL: after a failure, and after a signal. */
enum { GRACE_FAILURE_S = 2, GRACE_SIGNAL_S = 10 };

/*
 * The peers of a rank may detect its death, fail and exit before the kernel has
 * completed the exit of the rank itself. So a cause of low weight becomes the
 * cause of the end only after this delay, unless a cause of higher weight
 * arrives.
 */
#define DECISION_DELAY_NS     100000000ull
/* gdb exits later than the rank that it runs: on a busy host, seconds later. */
#define DECISION_DELAY_GDB_NS (20 * DECISION_DELAY_NS)
enum { MAX_DELAYS = 10 };

/* Time after which a rank is no longer expected to connect. */
#define FOREIGN_NS (10 * SECOND_NS)

struct watch {
	struct run_job *job;
	int signal_fd;
	int event_fd;
	int hosts_fd; /* socket to the daemon; -1: the job is on one host */
	uint64_t timeout_ns; /* deadline of --timeout; 0: none */
	uint64_t kill_ns;    /* time of the SIGKILL; 0: the job is not ending */
	/* time at which the suspect becomes the cause; 0: no suspect */
	uint64_t decision_ns;
	/* time of the check for programs of other MPIs; 0: done */
	uint64_t foreign_ns;
	struct run_stuck stuck;
	struct run_end suspect;
	int delays_left; /* number of remaining delays of the decision */
	/* number of signals that requested the end of the job */
	int requests;
};

/* Sends sig to the process group of every running rank. */
static void signal_ranks(struct run_job *job, int sig)
{
	int i;

	for (i = 0; i < job->nranks; i++)
		if (job->rank[i].pid > 0 && !job->rank[i].exited)
			kill(-job->rank[i].pid, sig);
}

/* Sends sig to all ranks and to spawned jobs. */
static void signal_all(struct run_job *job, int sig)
{
	signal_ranks(job, sig);
	run_nested_signal(sig);
}

/* Returns whether spawned jobs that are apart end as well. */
static bool ends_everything(const struct run_job *job)
{
	return job->end.cause == RUN_CAUSE_INTERRUPT ||
	       job->end.cause == RUN_CAUSE_TIMEOUT;
}

/*
 * Returns the weight of a cause. Failures that can follow from another rank's
 * failure weigh less than those that cannot. Among causes with equal weight the
 * first is used.
 */
static int weight(enum run_cause cause, int code)
{
	switch (cause) {
	case RUN_CAUSE_NONE:
		return 0;
	case RUN_CAUSE_EXIT:
	case RUN_CAUSE_ABORT:
		return run_end_follows(code) ? 1 : 2;
	case RUN_CAUSE_NO_INIT:
	case RUN_CAUSE_NO_FINI:
		return 3;
	case RUN_CAUSE_SIGNAL:
		return code == SIGABRT || code == SIGPIPE || code == SIGTERM
			       ? 2
			       : 4;
	default:
		return 5;
	}
}

static void end_all(struct watch *w)
{
	struct run_end *e = &w->job->end;
	bool requested = e->cause == RUN_CAUSE_INTERRUPT;
	int sig = requested ? e->code : SIGTERM;

	if (e->cause == RUN_CAUSE_TIMEOUT) {
		e->rank_states = run_end_states(w->job->rank, w->job->nranks);
		e->call = run_job_page_calls(w->job);
	}
	w->kill_ns = weft_now_ns() +
		     (requested ? GRACE_SIGNAL_S : GRACE_FAILURE_S) * SECOND_NS;
	signal_ranks(w->job, sig);
	run_nested_signal(ends_everything(w->job) ? sig : RUN_NESTED_FAILED);
	/* a stopped rank must run to handle its SIGTERM */
	signal_all(w->job, SIGCONT);
}

/*
 * Finds, among the ranks that exited with a non-zero code, the rank whose
 * lifeline was closed first, and makes it the suspect.
 */
static void find_first_death(struct watch *w)
{
	struct run_job *job = w->job;
	struct run_end *e = &w->suspect;
	int i, at, first, code;

	if (e->cause != RUN_CAUSE_EXIT)
		return;
	first = run_io_death_order(job->io, e->rank);
	for (i = 0; i < job->nranks; i++) {
		at = run_io_death_order(job->io, i);
		if (!job->rank[i].exited || !at || (first && at >= first) ||
		    run_end_classify(&job->rank[i], false, &code) != e->cause)
			continue;
		first = at;
		e->rank = i;
		e->code = code;
		e->pid = job->rank[i].pid;
	}
}

/*
 * Returns whether a rank whose lifeline was closed earlier is not reaped yet,
 * or the collector has not yet read the end of the suspect's lifeline.
 */
static bool order_is_unknown(const struct watch *w)
{
	const struct run_job *job = w->job;
	int i, at, first;

	if (w->suspect.cause != RUN_CAUSE_EXIT)
		return false;
	first = run_io_death_order(job->io, w->suspect.rank);
	for (i = 0; i < job->nranks && first; i++) {
		at = run_io_death_order(job->io, i);
		if (!job->rank[i].exited && at && at < first)
			return true;
	}
	return !first;
}

static void decide_cause(struct watch *w)
{
	find_first_death(w);
	w->decision_ns = 0;
	w->job->end = w->suspect;
	w->job->end.call = run_job_page_call(w->job, w->suspect.rank);
	end_all(w);
}

/*
 * Records a cause; the first of the causes with the highest weight is kept.
 * Takes ownership of text.
 */
static void set_suspect(struct watch *w, enum run_cause cause, int rank,
			int code, char *text)
{
	struct run_end *e = &w->suspect;

	if (w->job->end.cause != RUN_CAUSE_NONE ||
	    weight(cause, code) <= weight(e->cause, e->code) ||
	    (rank >= 0 && e->cause == RUN_CAUSE_ABORT && e->rank == rank)) {
		free(text);
		return;
	}
	free(e->text);
	*e = (struct run_end){
		.cause = cause, .rank = rank, .code = code, .text = text
	};
	if (rank >= 0)
		e->pid = w->job->rank[rank].pid;
	if (!w->decision_ns)
		w->decision_ns = weft_now_ns() +
				 (w->job->opts->gdb ? DECISION_DELAY_GDB_NS
						    : DECISION_DELAY_NS);
	if (weight(cause, code) > weight(RUN_CAUSE_NO_FINI, 0))
		decide_cause(w);
}

/* Returns whether ranks in MPI may wait for a rank that is not in MPI. */
static bool others_in_mpi(const struct run_job *job)
{
	int i;

	/* a rank that begins a session does not wait for the other ranks */
	if (run_job_page_sessions(job))
		return false;
	for (i = 0; i < job->nranks; i++)
		if (job->rank[i].connected && !job->rank[i].finalized &&
		    !job->rank[i].exited)
			return true;
	return false;
}

/* Starts the job that a rank spawns, unless this job is ending. */
static void spawn_job(struct watch *w, struct run_spawn_request *q)
{
	const char *const survive[] = { "--survive", NULL };
	const struct run_nested how = {
		/* without --survive there are no options */
		.options = survive + !w->job->opts->survive,
		.sigmask = &w->job->sigmask,
		.nofile = &w->job->nofile,
	};
	pid_t pid = -ECANCELED;

	if (w->job->end.cause == RUN_CAUSE_NONE)
		pid = run_nested_start(&how, q->what.words, q->what.env);
	run_pmix_spawn_answer(q, pid < 0 ? PMIX_ERR_JOB_FAILED_TO_LAUNCH
					 : PMIX_SUCCESS);
}

static void handle_event(struct watch *w, struct run_event *ev)
{
	struct run_job *job = w->job;
	struct run_rank *r;

	if (ev->rank < 0 || ev->rank >= job->nranks)
		return;
	r = &job->rank[ev->rank];
	switch (ev->kind) {
	case RUN_EVENT_CONNECTED:
		r->connected = true;
		r->finalized = false;
		run_stuck_event(&w->stuck);
		if (job->live < job->spawned) {
			/*
			 * Finds a rank that exited before MPI_Init, for which
			 * the MPI_Init of the other ranks waits. A rank that
			 * exited with an error is reported for its error
			 * instead.
			 */
			int i;

			for (i = 0; i < job->nranks; i++)
				if (job->rank[i].exited &&
				    !job->rank[i].connected &&
				    !job->rank[i].status)
					break;
			if (i < job->nranks && others_in_mpi(job))
				set_suspect(w, RUN_CAUSE_NO_INIT, i, 0, NULL);
		}
		break;
	case RUN_EVENT_FINALIZED:
		r->finalized = true;
		break;
	case RUN_EVENT_ABORT:
		set_suspect(w, RUN_CAUSE_ABORT, ev->rank, ev->code, ev->text);
		ev->text = NULL;
		break;
	case RUN_EVENT_KILL:
		set_suspect(w, RUN_CAUSE_ABORT, ev->rank, 1, NULL);
		break;
	case RUN_EVENT_SPAWN:
		spawn_job(w, ev->spawn);
		break;
	}
}

static void handle_events(struct watch *w)
{
	struct run_event ev;

	while (!run_pmix_next(&ev) || !run_events_next(&ev)) {
		handle_event(w, &ev);
		free(ev.text);
	}
}

static int rank_of(const struct run_job *job, pid_t pid)
{
	int i;

	for (i = 0; i < job->nranks; i++)
		if (job->rank[i].pid == pid && !job->rank[i].exited)
			return i;
	return -1;
}

/*
 * Handles the end of a spawned job; the mpiexec of the spawned job has printed
 * the reason.
 */
static void spawned_ended(struct watch *w, int status, bool apart)
{
	struct run_job *job = w->job;
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : RUN_EXIT_FAULT;

	if (!status)
		return;
	if (job->opts->survive) {
		run_message("all ranks of a spawned job have failed; the job "
			    "continues");
	} else if (apart) {
		job->apart_code = job->apart_code ? job->apart_code : code;
		run_nested_print_apart();
	} else {
		set_suspect(w, RUN_CAUSE_FAULT, -1, code, NULL);
	}
}

static void child_exited(struct watch *w, pid_t pid, int status)
{
	struct run_job *job = w->job;
	enum run_cause cause;
	bool apart = false;
	int i, code;

	if (run_io_reap(job->io, pid, status))
		return;
	if (run_nested_reap(pid, &apart)) {
		spawned_ended(w, status, apart);
		return;
	}
	i = rank_of(job, pid);
	if (i < 0)
		return;
	job->rank[i].exited = true;
	job->rank[i].status = status;
	job->live--;
	run_stuck_event(&w->stuck);
	/* events that the rank sent before it exited are in the pipe by now */
	handle_events(w);
	if (run_job_page_finished(job, i))
		job->rank[i].finalized = true;
	if (job->rank[i].dismissed)
		return;
	cause = run_end_classify(&job->rank[i], others_in_mpi(job), &code);
	if (job->opts->gdb && cause == RUN_CAUSE_EXIT && code > 128) {
		cause = RUN_CAUSE_SIGNAL;
		code -= 128;
	}
	if (run_survive_exit(job, i, cause, code))
		return;
	if (cause != RUN_CAUSE_NONE)
		set_suspect(w, cause, i, code, NULL);
	else if (w->suspect.cause == RUN_CAUSE_NONE)
		run_background_end(job);
}

/* Reaps one child that has exited. Returns false if none has. */
static bool reap_one(struct watch *w, idtype_t which, pid_t pid)
{
	siginfo_t si = { .si_pid = 0 };
	int status, i;

	if (waitid(which, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT) ||
	    !si.si_pid)
		return false;
	/*
	 * The rank is not reaped yet, so its pid still identifies its process
	 * group: kill the other processes of the group.
	 */
	i = rank_of(w->job, si.si_pid);
	if (i >= 0) {
		run_io_set_group(w->job->io, i, 0);
		kill(-si.si_pid, SIGKILL);
	}
	if (waitpid(si.si_pid, &status, 0) != si.si_pid)
		return false;
	child_exited(w, si.si_pid, status);
	return true;
}

/* Handles a request to end the job; the second one kills the ranks. */
static void handle_end_signal(struct watch *w, int sig)
{
	if (w->requests++ == 0 && w->job->end.cause == RUN_CAUSE_NONE) {
		set_suspect(w, RUN_CAUSE_INTERRUPT, -1, sig, NULL);
		return;
	}
	signal_all(w->job, SIGKILL);
	if (w->job->live == 0)
		run_io_kill(w->job->io);
}

static void handle_signal(struct watch *w, int sig, pid_t from)
{
	switch (run_signal_kind(sig)) {
	case RUN_SIGNAL_CHILD:
		handle_events(w);
		/*
		 * Signals of the same kind are not queued; the delivered signal
		 * names the child that died first since the previous signal.
		 * That child is reaped first, because waitid() for any child
		 * returns the children in another order.
		 */
		if (from > 0)
			reap_one(w, P_PID, from);
		while (reap_one(w, P_ALL, 0))
			;
		if (run_io_status(w->job->io))
			set_suspect(w, RUN_CAUSE_FAULT, -1, RUN_EXIT_FAULT,
				    NULL);
		break;
	case RUN_SIGNAL_END:
		handle_end_signal(w, sig);
		break;
	case RUN_SIGNAL_STOP:
		signal_all(w->job, sig);
		raise(SIGSTOP);
		break;
	case RUN_SIGNAL_PASS:
		signal_all(w->job, sig);
		break;
	case RUN_SIGNAL_PARENTS:
		if (!run_job_page_apart(w->job))
			set_suspect(w, RUN_CAUSE_FAULT, -1, RUN_EXIT_FAULT,
				    NULL);
		break;
	}
}

static void check_deadlines(struct watch *w)
{
	uint64_t now = weft_now_ns();

	if (w->foreign_ns && now >= w->foreign_ns) {
		w->foreign_ns = 0;
		run_foreign_note(w->job);
	}
	if (w->job->end.cause == RUN_CAUSE_NONE &&
	    run_stuck_check(&w->stuck, w->job, now) >= 0)
		set_suspect(w, RUN_CAUSE_FAULT, -1, RUN_EXIT_FAULT, NULL);
	if (w->timeout_ns && now >= w->timeout_ns &&
	    (w->job->live > 0 || run_nested_live() > 0)) {
		w->timeout_ns = 0;
		set_suspect(w, RUN_CAUSE_TIMEOUT, -1,
			    (int)w->job->opts->timeout_s, NULL);
	}
	if (w->kill_ns && now >= w->kill_ns) {
		w->kill_ns = 0;
		signal_ranks(w->job, SIGKILL);
		if (ends_everything(w->job))
			run_nested_signal(SIGKILL);
	}
	if (!w->decision_ns || now < w->decision_ns)
		return;
	if (order_is_unknown(w) && w->delays_left-- > 0)
		w->decision_ns = now + DECISION_DELAY_NS;
	else
		decide_cause(w);
}

/* Returns the milliseconds to the nearest deadline, for poll(). */
static int poll_timeout_ms(const struct watch *w)
{
	uint64_t at = run_poll_earlier(w->timeout_ns, w->foreign_ns);

	at = run_poll_earlier(at, w->stuck.next_ns);
	at = run_poll_earlier(at, w->kill_ns);
	return run_poll_ms(run_poll_earlier(at, w->decision_ns));
}

static void poll_once(struct watch *w)
{
	struct pollfd pfd[] = { { .fd = w->signal_fd, .events = POLLIN },
				{ .fd = w->event_fd, .events = POLLIN },
				{ .fd = run_events_fd(), .events = POLLIN },
				{ .fd = w->hosts_fd, .events = POLLIN } };

	if (poll(pfd, 4, poll_timeout_ms(w)) > 0) {
		if (pfd[1].revents || pfd[2].revents)
			handle_events(w);
		if (pfd[3].revents && run_pmix_hosts_read()) {
			/* mpiexec has reported why the job ends */
			w->hosts_fd = -1;
			set_suspect(w, RUN_CAUSE_FAULT, -1, RUN_EXIT_FAULT,
				    NULL);
		}
		if (pfd[0].revents) {
			struct signalfd_siginfo si;

			while (read(w->signal_fd, &si, sizeof(si)) ==
			       sizeof(si))
				handle_signal(w, (int)si.ssi_signo,
					      (pid_t)si.ssi_pid);
		}
	}
	check_deadlines(w);
}

static void print_codes(const struct run_job *job)
{
	int i, s;

	for (i = 0; i < job->nranks; i++) {
		if (job->rank[i].remote)
			continue;
		s = job->rank[i].status;
		run_message("rank %d: %s %d", i,
			    WIFSIGNALED(s) ? "signal" : "exit code",
			    WIFSIGNALED(s) ? WTERMSIG(s) : WEXITSTATUS(s));
	}
}

/*
 * Writes reports and the final message. Returns 0, or -errno if a report or a
 * trace could not be written.
 */
static int print_final(const struct run_job *job)
{
	char *text = NULL;
	int err, lost;

	/* mpiexec itself reports a signal that it passes to several hosts */
	if (!job->layout || job->end.cause != RUN_CAUSE_INTERRUPT)
		text = run_end_text(&job->end, job->host);

	if (job->opts->print_codes)
		print_codes(job);
	lost = run_trace_show(job);
	err = run_report(job);
	if (job->end.rank_states)
		run_message("%s", job->end.rank_states);
	if (job->end.rank_states && job->end.call)
		run_message("%s", job->end.call);
	if (text)
		run_message("%s", text);
	free(text);
	return lost ? lost : err;
}

/*
 * Called when a rank on another host has exited, in a job that survives
 * failures.
 */
static void remote_exited(void *arg, int rank, int code)
{
	struct watch *w = arg;

	if (!run_survive_remote(w->job, rank, code))
		set_suspect(w, RUN_CAUSE_FAULT, -1, code, NULL);
}

/* Reports a failure that does not affect the job of the parents. */
static void report_apart(const struct run_job *job)
{
	if (job->end.cause == RUN_CAUSE_NONE || !run_job_page_apart(job))
		return;
	if (job->layout)
		run_pmix_hosts_send_apart();
	else
		run_nested_report(RUN_NESTED_APART);
}

int run_job_wait(struct run_job *job, int event_fd)
{
	struct watch w = { .job = job,
			   .signal_fd = run_signal_fd(),
			   .event_fd = event_fd,
			   .hosts_fd = run_pmix_hosts_fd(),
			   .foreign_ns = weft_now_ns() + FOREIGN_NS,
			   .delays_left = MAX_DELAYS };
	int lost;

	if (job->opts->survive)
		run_pmix_hosts_on_exit(remote_exited, &w);
	run_stuck_begin(&w.stuck, job->opts->connect_s);
	if (job->opts->timeout_s > 0)
		w.timeout_ns =
			weft_now_ns() + (uint64_t)(job->opts->timeout_s * 1e9);
	if (job->end.cause != RUN_CAUSE_NONE) {
		signal_all(job, SIGTERM);
		w.kill_ns = weft_now_ns() + GRACE_FAILURE_S * SECOND_NS;
	}
	while (job->live > 0 || run_nested_live() > 0)
		poll_once(&w);
	run_survive_end(job);
	while (w.decision_ns && order_is_unknown(&w))
		poll_once(&w);
	if (w.decision_ns)
		decide_cause(&w);
	run_io_stop_feeding(job->io);
	run_job_sweep(job);
	while (run_io_live(job->io) > 0)
		poll_once(&w);
	if (run_io_status(job->io) && job->end.cause == RUN_CAUSE_NONE)
		job->end.cause = RUN_CAUSE_FAULT;
	if (w.foreign_ns)
		run_foreign_note(job);
	lost = print_final(job);
	report_apart(job);
	if (job->end.cause != RUN_CAUSE_NONE)
		return run_end_code(&job->end);
	return lost ? RUN_EXIT_REPORT : job->apart_code;
}
