/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job on several hosts (run_launch.h): one loop over the frames of the hosts,
 * standard input, and signals. The first host that fails decides the exit code,
 * except that a failure that reports the death of a peer counts only if no
 * other failure is reported soon; then all other hosts are ended.
 */
#include "src/tools/run/daemon/run_launch.h"
#include "src/base/clock.h"
#include "src/tools/run/daemon/run_children.h"
#include "src/tools/run/daemon/run_exchange.h"
#include "src/tools/run/daemon/run_survivors.h"
#include "src/tools/run/job/run_end.h"
#include "src/tools/run/job/run_signal.h"
#include "src/tools/run/run_env.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND_NS   UINT64_C(1000000000)
/*
 * delay before a failure that another host may have caused decides the exit
 * code
 */
#define DECISION_NS UINT64_C(500000000)
/*
 * time that the hosts have to end, and then the time that the remote shells
 * have to end
 */
#define GRACE_NS    (20 * SECOND_NS)
#define SHELL_NS    (2 * SECOND_NS)
/* time after which a host that does not answer is reported */
#define SLOW_NS	    (20 * SECOND_NS)
#define INPUT_MAX   65536
/* default of FI_WEFT_SILENCE, seconds */
#define SILENCE_S   300
/* signals, standard input, starts of spawned jobs: polled before the hosts */
#define OWN_FDS	    3

struct launch {
	const struct run_opts *o;
	const char *agent;
	struct run_daemon_job job;
	struct run_link *host;
	struct run_exchange exchange;
	struct run_survivors survivors;
	struct run_children children;
	int started;	/* number of hosts that have started their ranks */
	int apart;	/* number of hosts that have sent RUN_FRAME_APART */
	int apart_code; /* exit code of a spawned job that was apart */
	int ping_limit; /* unanswered pings after which a host is lost */
	struct pollfd *poll;
	sigset_t mask;
	bool input_open;      /* whether standard input may have more bytes */
	int code;	      /* exit code; 0: no failure */
	bool ending;	      /* whether the hosts were told to end */
	bool interrupted;     /* whether a signal has ended the job */
	uint64_t decision_ns; /* time at which the failure ends the job */
	uint64_t kill_ns;     /* time at which remote shells are killed */
	uint64_t slow_ns;     /* time of the report about slow hosts; 0: done */
};

static void put_all(struct launch *l, enum run_frame_kind kind,
		    const struct run_bytes *b)
{
	for (int i = 0; i < l->job.layout.nhosts; i++)
		if (l->host[i].state == RUN_LINK_RUNNING)
			run_channel_put_bytes(&l->host[i].channel, kind, b);
}

/* ---- end ----------------------------------------------------------------- */

static void end_hosts(struct launch *l)
{
	struct run_bytes none = { 0 };

	if (l->ending)
		return;
	l->ending = true;
	l->decision_ns = 0;
	l->kill_ns = weft_now_ns() + GRACE_NS;
	put_all(l, RUN_FRAME_END, &none);
	run_nested_signal(l->code == RUN_EXIT_TIMEOUT ? SIGTERM
						      : RUN_NESTED_FAILED);
	/* a daemon that has not answered yet has no ranks */
	for (int i = 0; i < l->job.layout.nhosts; i++)
		if (l->host[i].state == RUN_LINK_STARTING && l->host[i].pid)
			kill(l->host[i].pid, SIGTERM);
}

static void fail(struct launch *l, int code)
{
	bool follows = run_end_follows(code);

	if (l->ending || !code)
		return;
	if (!l->code || run_end_follows(l->code))
		l->code = code;
	if (!follows)
		end_hosts(l);
	else if (!l->decision_ns)
		l->decision_ns = weft_now_ns() + DECISION_NS;
}

/* Ends the job if ranks wait in a fence for a host whose ranks have exited. */
static void check_fences(struct launch *l, int host)
{
	struct run_link *h = &l->host[host];

	if (h->state != RUN_LINK_DONE || l->ending || l->code ||
	    !run_fence_waits_for(&l->exchange.fences, host))
		return;
	run_message("the ranks of host %s have exited, while ranks of other "
		    "hosts wait for them in MPI_Init or MPI_Finalize",
		    h->name);
	fail(l, 1);
}

/* Reports a daemon that did not answer, and whose remote shell has exited. */
static void lose_shell(struct launch *l, struct run_link *h)
{
	h->lost_reported = true;
	if (!l->ending && !l->interrupted)
		run_link_report(h, l->agent);
	fail(l, RUN_EXIT_FAULT);
}

/* Sends the exit of a rank to the hosts of the other ranks. */
static void put_exit(void *arg, int rank, int code)
{
	struct launch *l = arg;
	int from = run_layout_host_of(&l->job.layout, rank);
	struct run_bytes b = { 0 };

	run_survivors_write(rank, code, &b);
	for (int i = 0; i < l->job.layout.nhosts; i++)
		if (i != from && l->host[i].state == RUN_LINK_RUNNING)
			run_channel_put_bytes(&l->host[i].channel,
					      RUN_FRAME_RANK_EXIT, &b);
	run_bytes_free(&b);
}

/* Continues the job without the ranks of a lost host. */
static void survive_host(struct launch *l, struct run_link *h)
{
	bool silent = h->unanswered >= l->ping_limit;
	int host = (int)(h - l->host), left;

	h->state = RUN_LINK_LOST;
	h->lost_reported = true;
	run_survivors_lose_host(&l->survivors, host, RUN_EXIT_FAULT, put_exit,
				l);
	left = l->job.layout.nranks - l->survivors.failures;
	run_message("%s %s%s; its ranks have failed%s",
		    silent ? "host" : "the connection to host", h->name,
		    silent ? " does not answer" : " is lost",
		    left ? ", and the job continues" : "");
}

static void lose_host(struct launch *l, struct run_link *h)
{
	run_link_output_ends(h);
	run_channel_close(&h->channel);
	if (h->state == RUN_LINK_DONE)
		return;
	if (l->survivors.exited && h->state == RUN_LINK_RUNNING && !l->ending &&
	    !l->interrupted) {
		survive_host(l, h);
		return;
	}
	/* a daemon that did not answer is reported after its shell's exit */
	if (h->state == RUN_LINK_RUNNING && !l->ending)
		run_message("the connection to host %s is lost; the job is "
			    "ended",
			    h->name);
	h->lost_reported = h->state == RUN_LINK_RUNNING || l->ending;
	h->state = RUN_LINK_LOST;
	if (h->lost_reported)
		fail(l, RUN_EXIT_FAULT);
	else if (!h->pid)
		lose_shell(l, h);
}

static void shell_exited(struct launch *l, struct run_link *h)
{
	h->pid = 0;
	if (h->state == RUN_LINK_LOST && !h->lost_reported)
		lose_shell(l, h);
}

/* ---- spawned jobs -------------------------------------------------------- */

/* Sends the answer to a rank that spawns. */
static void answer_spawn(void *arg, int host, uint32_t id, int status)
{
	struct launch *l = arg;
	struct run_bytes b = { 0 };

	run_bytes_u32(&b, id);
	run_bytes_u32(&b, (uint32_t)status);
	run_channel_put_bytes(&l->host[host].channel, RUN_FRAME_SPAWN_DONE, &b);
	run_bytes_free(&b);
}

/* Handles the end of a spawned job; its mpiexec has printed the reason. */
static void spawned_ended(struct launch *l, int status, bool apart)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : RUN_EXIT_FAULT;

	if (!status)
		return;
	if (l->survivors.exited && !l->ending) {
		run_message("all ranks of a spawned job have failed; the job "
			    "continues");
	} else if (apart) {
		l->apart_code = l->apart_code ? l->apart_code : code;
		run_nested_print_apart();
	} else {
		fail(l, code);
	}
}

static void reap_spawned(struct launch *l)
{
	bool apart = false;
	int status;

	while (run_children_reap(&l->children, &status, &apart))
		spawned_ended(l, status, apart);
}

static int handle_started(struct launch *l)
{
	if (++l->started == l->job.layout.nhosts)
		run_nested_report(RUN_NESTED_STARTED);
	return 0;
}

/* ---- frames -------------------------------------------------------------- */

static int handle_fence(struct launch *l, int host, struct run_scan *s)
{
	int rc = run_exchange_fence(&l->exchange, host, s);

	for (int i = 0; !rc && i < l->job.layout.nhosts; i++)
		check_fences(l, i);
	return rc < 0 ? rc : 0;
}

static void handle_output(struct launch *l, struct run_link *h,
			  const struct run_scan *s)
{
	int err = run_link_output(h, s->at, s->left);

	if (!err || l->ending)
		return;
	run_message("cannot write the output of the ranks: %s; the job is "
		    "ended",
		    strerror(-err));
	fail(l, RUN_EXIT_FAULT);
}

static int handle_rank_exit(struct launch *l, int host, struct run_scan *s)
{
	int code, rank = run_survivors_take(&l->survivors, host, s, &code);

	if (rank < 0)
		return rank;
	put_exit(l, rank, code);
	return 0;
}

static int handle_exit(struct launch *l, int host, struct run_scan *s)
{
	struct run_link *h = &l->host[host];

	h->code = (int)run_scan_u32(s);
	h->state = RUN_LINK_DONE;
	run_link_output_ends(h);
	if (!h->survived)
		fail(l, h->code);
	else if (!l->survivors.after)
		l->survivors.after = h->code;
	check_fences(l, host);
	/* end of file on its standard input ends the daemon's remote shell */
	if (h->channel.out >= 0)
		close(h->channel.out);
	h->channel.out = -1;
	return 0;
}

static int handle_frame(struct launch *l, int host, struct run_frame *f)
{
	struct run_link *h = &l->host[host];

	switch (f->kind) {
	case RUN_FRAME_OUTPUT:
		handle_output(l, h, &f->body);
		return 0;
	case RUN_FRAME_INPUT_TAKEN:
		h->wants_input = true;
		return 0;
	case RUN_FRAME_FENCE:
		return handle_fence(l, host, &f->body);
	case RUN_FRAME_MODEX:
		return run_exchange_question(&l->exchange, host, &f->body);
	case RUN_FRAME_MODEX_DONE:
		return run_exchange_answer(&l->exchange, &f->body);
	case RUN_FRAME_EXIT:
		return handle_exit(l, host, &f->body);
	case RUN_FRAME_RANK_EXIT:
		return handle_rank_exit(l, host, &f->body);
	case RUN_FRAME_PING:
		return 0;
	case RUN_FRAME_STARTED:
		return handle_started(l);
	case RUN_FRAME_APART:
		l->apart++;
		return 0;
	case RUN_FRAME_SPAWN:
		return run_children_request(&l->children, host, &f->body,
					    l->ending || l->interrupted);
	case RUN_FRAME_SURVIVED:
		h->survived = l->survivors.exited;
		return 0;
	default:
		return -EPROTO;
	}
}

/* ---- start --------------------------------------------------------------- */

static bool gets_input(const struct launch *l, int host)
{
	const struct run_layout_host *h = &l->job.layout.host[host];
	int rank = l->o->stdin_rank;

	return rank == RUN_STDIN_ALL ||
	       (rank >= h->first && rank - h->first < h->count);
}

static int send_job(struct launch *l, int host)
{
	struct run_link *h = &l->host[host];
	struct run_bytes b = { 0 };
	int err;

	run_daemon_job_write(&l->job, host, &b);
	err = b.lost ? -ENOMEM : 0;
	if (!err)
		run_channel_put_bytes(&h->channel, RUN_FRAME_JOB, &b);
	run_bytes_free(&b);
	h->state = RUN_LINK_RUNNING;
	h->wants_input = gets_input(l, host);
	if (!h->wants_input)
		run_channel_put(&h->channel, RUN_FRAME_INPUT, NULL, 0);
	return err;
}

static void read_host(struct launch *l, int host)
{
	struct run_link *h = &l->host[host];
	struct run_frame f;
	int rc = 0, err;

	if (h->state == RUN_LINK_STARTING) {
		err = run_link_hello(h);
		/* a daemon that answers after the end of the job exits */
		if (err > 0 && (l->ending || l->interrupted))
			err = -ECANCELED;
		if (err > 0)
			err = send_job(l, host);
		if (err == -EPROTO)
			fail(l, RUN_EXIT_FAULT);
	} else {
		err = run_channel_fill(&h->channel);
	}
	while (!err && h->state >= RUN_LINK_RUNNING &&
	       (rc = run_channel_next(&h->channel, &f)))
		err = rc < 0 ? rc : handle_frame(l, host, &f);
	if (err)
		lose_host(l, h);
}

static int start_hosts(struct launch *l)
{
	const struct run_layout *lay = &l->job.layout;
	char self[HOST_NAME_MAX + 1] = "localhost";
	int err = 0;

	gethostname(self, sizeof(self));
	for (int i = 0; i < lay->nhosts && !err; i++) {
		l->host[i].name = lay->host[i].name;
		err = run_link_start(
			&l->host[i], l->agent,
			run_hosts_is_local(lay->host[i].name, self), &l->mask);
	}
	if (err)
		run_message("cannot start %s: %s", l->agent, strerror(-err));
	return err;
}

/* ---- standard input and signals ------------------------------------------ */

/* Returns whether all hosts that get input can take more. */
static bool can_take_input(const struct launch *l)
{
	bool any = false;

	for (int i = 0; i < l->job.layout.nhosts; i++) {
		if (!gets_input(l, i) || l->host[i].state > RUN_LINK_RUNNING)
			continue;
		if (!l->host[i].wants_input)
			return false;
		any = true;
	}
	return any;
}

static void read_input(struct launch *l)
{
	char data[INPUT_MAX];
	ssize_t n = read(STDIN_FILENO, data, sizeof(data));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0)
		l->input_open = false;
	for (int i = 0; i < l->job.layout.nhosts; i++) {
		struct run_link *h = &l->host[i];

		if (!gets_input(l, i) || h->state != RUN_LINK_RUNNING)
			continue;
		h->wants_input = false;
		run_channel_put(&h->channel, RUN_FRAME_INPUT, data,
				n > 0 ? (size_t)n : 0);
	}
}

static void reap(struct launch *l)
{
	for (int i = 0; i < l->job.layout.nhosts; i++) {
		struct run_link *h = &l->host[i];

		if (h->pid > 0 &&
		    waitpid(h->pid, &h->status, WNOHANG) == h->pid)
			shell_exited(l, h);
	}
	reap_spawned(l);
}

static void pass_signal(struct launch *l, int sig)
{
	struct run_bytes b = { 0 };

	run_bytes_u32(&b, (uint32_t)sig);
	put_all(l, RUN_FRAME_SIGNAL, &b);
	run_bytes_free(&b);
	/* the hosts decide whether this job ends with its parents */
	if (sig != RUN_NESTED_FAILED)
		run_nested_signal(sig);
}

static void handle_end_signal(struct launch *l, int sig)
{
	if (!l->interrupted && !l->ending) {
		run_message("ended by signal %d (%s)", sig, strsignal(sig));
		l->kill_ns = weft_now_ns() + GRACE_NS;
	}
	l->interrupted = true;
	if (!l->code)
		l->code = 128 + sig;
	pass_signal(l, sig);
	for (int i = 0; i < l->job.layout.nhosts; i++)
		if (l->host[i].state == RUN_LINK_STARTING && l->host[i].pid)
			kill(l->host[i].pid, SIGTERM);
}

static void read_signals(struct launch *l)
{
	struct signalfd_siginfo si;

	while (read(run_signal_fd(), &si, sizeof(si)) == sizeof(si)) {
		int sig = (int)si.ssi_signo;

		switch (run_signal_kind(sig)) {
		case RUN_SIGNAL_CHILD:
			reap(l);
			break;
		case RUN_SIGNAL_END:
			handle_end_signal(l, sig);
			break;
		case RUN_SIGNAL_STOP:
			pass_signal(l, sig);
			raise(SIGSTOP);
			break;
		case RUN_SIGNAL_PARENTS:
			/* ranks that have not started cannot be apart */
			if (l->started < l->job.layout.nhosts)
				fail(l, RUN_EXIT_FAULT);
			else
				pass_signal(l, sig);
			break;
		case RUN_SIGNAL_PASS:
			pass_signal(l, sig);
			break;
		}
	}
}

/* ---- main loop ----------------------------------------------------------- */

/* Reports once the hosts that have not answered. */
static void report_slow(struct launch *l)
{
	for (int i = 0; i < l->job.layout.nhosts; i++)
		if (l->host[i].state == RUN_LINK_STARTING)
			run_message("still waiting for host %s: '%s %s' has "
				    "not answered for %d s",
				    l->host[i].name, l->agent, l->host[i].name,
				    (int)(SLOW_NS / SECOND_NS));
	l->slow_ns = 0;
}

/* Declares hosts lost that do not answer, in a job that survives failures. */
static void ping_hosts(struct launch *l, uint64_t now)
{
	for (int i = 0; i < l->job.layout.nhosts; i++) {
		struct run_link *h = &l->host[i];

		if (h->state != RUN_LINK_RUNNING ||
		    !run_link_ping(h, now, l->ping_limit))
			continue;
		lose_host(l, h);
		if (h->pid > 0)
			kill(h->pid, SIGKILL);
	}
}

static void check_deadlines(struct launch *l)
{
	uint64_t now = weft_now_ns();

	if (l->survivors.exited && !l->ending && !l->interrupted)
		ping_hosts(l, now);
	if (l->slow_ns && now >= l->slow_ns)
		report_slow(l);
	if (l->decision_ns && now >= l->decision_ns)
		end_hosts(l);
	if (!l->kill_ns || now < l->kill_ns)
		return;
	l->kill_ns = now + SHELL_NS;
	if (l->interrupted || l->code == RUN_EXIT_TIMEOUT)
		run_nested_signal(SIGKILL);
	for (int i = 0; i < l->job.layout.nhosts; i++) {
		struct run_link *h = &l->host[i];

		if (h->pid > 0)
			kill(h->pid, SIGKILL);
		if (h->state >= RUN_LINK_DONE)
			continue;
		run_message("host %s does not answer; its ranks may still run",
			    h->name);
		lose_host(l, h);
	}
}

/* Returns the milliseconds to the nearest deadline, for poll(). */
static int poll_timeout_ms(const struct launch *l)
{
	uint64_t at = UINT64_MAX, now = weft_now_ns();

	if (l->survivors.exited)
		at = now + RUN_LINK_PING_NS;
	if (l->slow_ns && l->slow_ns < at)
		at = l->slow_ns;
	if (l->decision_ns && l->decision_ns < at)
		at = l->decision_ns;
	if (l->kill_ns && l->kill_ns < at)
		at = l->kill_ns;
	if (at == UINT64_MAX)
		return -1;
	return at <= now ? 0 : (int)((at - now) / 1000000) + 1;
}

static void poll_once(struct launch *l)
{
	int n = l->job.layout.nhosts;
	struct pollfd *p = l->poll;

	p[0] = (struct pollfd){ .fd = run_signal_fd(), .events = POLLIN };
	p[1] = (struct pollfd){ .fd = -1, .events = POLLIN };
	p[2] = (struct pollfd){ .fd = run_nested_fd(), .events = POLLIN };
	if (l->input_open && can_take_input(l))
		p[1].fd = STDIN_FILENO;
	for (int i = 0; i < n; i++) {
		const struct run_channel *c = &l->host[i].channel;
		bool queued = c->out >= 0 && run_channel_queued(c);

		p[OWN_FDS + 2 * i] =
			(struct pollfd){ .fd = c->in, .events = POLLIN };
		p[OWN_FDS + 1 + 2 * i] =
			(struct pollfd){ .fd = queued ? c->out : -1,
					 .events = POLLOUT };
	}
	poll(p, (nfds_t)(OWN_FDS + 2 * n), poll_timeout_ms(l));
	if (p[1].revents)
		read_input(l);
	if (p[2].revents)
		run_children_started(&l->children);
	for (int i = 0; i < n; i++) {
		if (p[OWN_FDS + 1 + 2 * i].revents)
			run_channel_flush(&l->host[i].channel);
		if (p[OWN_FDS + 2 * i].revents && l->host[i].channel.in >= 0)
			read_host(l, i);
	}
	if (p[0].revents)
		read_signals(l);
	check_deadlines(l);
}

/* Returns whether a host, its remote shell or a spawned job still runs. */
static bool is_running(struct launch *l)
{
	bool shells = false;

	for (int i = 0; i < l->job.layout.nhosts; i++) {
		if (l->host[i].state < RUN_LINK_DONE)
			return true;
		shells = shells || l->host[i].pid > 0;
	}
	if (run_nested_live())
		return true;
	if (shells && (!l->kill_ns || l->kill_ns > weft_now_ns() + SHELL_NS))
		l->kill_ns = weft_now_ns() + SHELL_NS;
	return shells;
}

/* ---- job ----------------------------------------------------------------- */

/*
 * Returns the number of unanswered pings after which a host is lost: one per
 * second of the provider's silence timeout.
 */
static int ping_limit(const struct run_opts *o)
{
	const char *text = run_env_value(o, 0, "FI_WEFT_SILENCE");
	int s = text ? atoi(text) : 0;

	return s > 0 ? s : SILENCE_S;
}

static int job_make(struct launch *l, char **words, char **env)
{
	const struct run_opts *o = l->o;
	uint64_t name[2];
	int err = run_layout_make(&o->remote.hosts, o->model.ppn,
				  run_opts_ranks(o), &l->job.layout);

	/* jobs that ranks spawn may use every host of the list */
	l->job.network = o->remote.hosts.count > 1 || o->remote.spawned;
	l->job.words = words;
	l->job.env = env;
	l->job.wdir = getcwd(NULL, 0);
	if (getrandom(l->job.key, sizeof(l->job.key), 0) !=
		    sizeof(l->job.key) ||
	    getrandom(name, sizeof(name), 0) != sizeof(name))
		return -EIO;
	if (asprintf(&l->job.nspace, "weft-%016llx%016llx",
		     (unsigned long long)name[0],
		     (unsigned long long)name[1]) < 0)
		l->job.nspace = NULL;
	l->host = calloc((size_t)l->job.layout.nhosts, sizeof(*l->host));
	l->poll = calloc(OWN_FDS + 2 * (size_t)l->job.layout.nhosts,
			 sizeof(*l->poll));
	if (err || !l->job.wdir || !l->job.nspace || !l->host || !l->poll)
		return err ? err : -ENOMEM;
	l->children.answer = answer_spawn;
	l->children.arg = l;
	l->children.sigmask = &l->mask;
	err = run_children_open(&l->children, o, &l->job.layout);
	if (err)
		return err;
	l->exchange.layout = &l->job.layout;
	l->exchange.host = l->host;
	l->ping_limit = ping_limit(o);
	return o->survive ? run_survivors_open(&l->survivors, &l->job.layout)
			  : 0;
}

/*
 * Raises the descriptor limit: two for each host, and those of mpiexec. Returns
 * 0, or -EMFILE after a message. *before_p: the limit at the start.
 */
static int raise_limit(int nhosts, struct rlimit *before_p)
{
	rlim_t need = 2 * (rlim_t)nhosts + 32;
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return -errno;
	*before_p = lim;
	if (lim.rlim_cur >= need)
		return 0;
	lim.rlim_cur = lim.rlim_max;
	if (lim.rlim_max >= need && !setrlimit(RLIMIT_NOFILE, &lim))
		return 0;
	run_message("%d hosts need %lu file descriptors, the hard limit is "
		    "%lu; raise it by ulimit -Hn or use fewer hosts",
		    nhosts, (unsigned long)need, (unsigned long)lim.rlim_max);
	return -EMFILE;
}

/* Decides the exit code of a job that has survived failures. */
static void end_of_survivors(struct launch *l)
{
	const struct run_survivors *s = &l->survivors;

	if (!s->exited || l->code)
		return;
	l->code = run_survivors_code(s);
	if (s->failures && !run_survivors_none(s))
		run_message("%d of %d ranks have failed, the others have "
			    "completed the job",
			    s->failures, s->layout->nranks);
}

/* Prints the number of bytes that were sent through mpiexec, for -v. */
static void print_bytes(const struct launch *l)
{
	uint64_t in = 0, out = 0;

	for (int i = 0; i < l->job.layout.nhosts; i++) {
		in += l->host[i].channel.read_bytes;
		out += l->host[i].channel.write_bytes;
	}
	run_message("%llu bytes were received from %d hosts, and %llu were "
		    "sent",
		    (unsigned long long)in, l->job.layout.nhosts,
		    (unsigned long long)out);
}

static void job_free(struct launch *l)
{
	for (int i = 0; l->host && i < l->job.layout.nhosts; i++) {
		run_channel_close(&l->host[i].channel);
		run_bytes_free(&l->host[i].line);
	}
	run_exchange_close(&l->exchange);
	run_survivors_close(&l->survivors);
	run_children_close(&l->children);
	run_layout_free(&l->job.layout);
	free(l->job.wdir);
	free(l->job.nspace);
	free(l->host);
	free(l->poll);
}

int run_launch(const struct run_opts *o, char **words, char **env)
{
	struct launch l = {
		.o = o,
		.agent = o->remote.agent ? o->remote.agent : "ssh",
		.input_open = o->stdin_rank != RUN_STDIN_NONE,
	};
	int err = job_make(&l, words, env);

	signal(SIGPIPE, SIG_IGN);
	if (!err)
		err = raise_limit(l.job.layout.nhosts, &l.children.nofile);
	if (!err)
		err = run_signal_open(&l.mask);
	if (!err)
		err = start_hosts(&l);
	if (err)
		return RUN_EXIT_FAULT;
	l.slow_ns = weft_now_ns() + SLOW_NS;
	while (is_running(&l))
		poll_once(&l);
	end_of_survivors(&l);
	if (l.code && l.apart == l.job.layout.nhosts)
		run_nested_report(RUN_NESTED_APART);
	if (!l.code)
		l.code = l.apart_code;
	if (o->verbose)
		print_bytes(&l);
	job_free(&l);
	return l.code;
}
