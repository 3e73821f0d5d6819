/* SPDX-License-Identifier: BSD-3-Clause */
/* Support for tests of the provider: starts processes and waits for them. */
#include "test/prov/prov_job.h"

#include "test/t.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds of -FI_EAGAIN after which a call is considered failed. */
#define AGAIN_LIMIT_S 40

struct start {
	struct job_shared *all;
	struct job_opts opts;
	void (*body)(struct job *j);
	int size;
};

void job_check(struct job *j, int ok, const char *what, long value)
{
	if (ok)
		return;
	fprintf(stderr, "rank %d: %s (%ld)\n", j->rank, what, value);
	_exit(1);
}

static void must(struct job *j, long ret, const char *what)
{
	job_check(j, ret == 0, what, ret);
}

fi_addr_t job_addr(struct job *j, int rank)
{
	return rank < 0 ? FI_ADDR_UNSPEC : j->addr[rank];
}

void job_backoff(const struct job *j, struct t_limit *l)
{
	static long cpus;

	if (!cpus)
		cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (j->size > 8 * cpus)
		t_limit_backoff(l);
	else
		sched_yield();
}

static void poll_or_fail(struct job *j, struct t_limit *l)
{
	fi_cq_read(j->cq, NULL, 0);
	if (!l->checked_ns)
		t_limit_set(l, AGAIN_LIMIT_S);
	job_check(j, !t_limit_expired(l), "no progress", 0);
	job_backoff(j, l);
}

void job_tsend(struct job *j, int to, const void *buf, size_t len, uint64_t tag,
	       void *context)
{
	struct t_limit limit = { 0 };
	ssize_t ret;

	while ((ret = fi_tsend(j->ep, buf, len, NULL, j->addr[to], tag,
			       context)) == -FI_EAGAIN)
		poll_or_fail(j, &limit);
	must(j, ret, "fi_tsend");
}

void job_tinject(struct job *j, int to, const void *buf, size_t len,
		 uint64_t tag)
{
	struct t_limit limit = { 0 };
	ssize_t ret;

	while ((ret = fi_tinject(j->ep, buf, len, j->addr[to], tag)) ==
	       -FI_EAGAIN)
		poll_or_fail(j, &limit);
	must(j, ret, "fi_tinject");
}

void job_trecv(struct job *j, int from, void *buf, size_t len, uint64_t tag,
	       uint64_t ignore, void *context)
{
	must(j,
	     fi_trecv(j->ep, buf, len, NULL, job_addr(j, from), tag, ignore,
		      context),
	     "fi_trecv");
}

int job_next(struct job *j)
{
	struct t_limit limit;
	ssize_t ret;

	t_limit_set(&limit, AGAIN_LIMIT_S);
	while ((ret = fi_cq_readfrom(j->cq, &j->entry, 1, &j->source)) ==
	       -FI_EAGAIN) {
		job_check(j, !t_limit_expired(&limit), "no completion", 0);
		job_backoff(j, &limit);
	}
	if (ret == 1)
		return 1;
	must(j, ret == -FI_EAVAIL ? 0 : ret, "fi_cq_readfrom");
	memset(&j->error, 0, sizeof(j->error));
	job_check(j, fi_cq_readerr(j->cq, &j->error, 0) == 1, "fi_cq_readerr",
		  0);
	return -FI_EAVAIL;
}

void job_wait(struct job *j, void *context)
{
	int ret = job_next(j);

	job_check(j, ret == 1, "unexpected error completion", j->error.err);
	job_check(j, j->entry.op_context == context,
		  "completion of another context",
		  (long)(intptr_t)j->entry.op_context);
}

void job_wait_any(struct job *j, int count)
{
	while (count-- > 0)
		job_check(j, job_next(j) == 1, "unexpected error completion",
			  j->error.err);
}

void job_wait_err(struct job *j, int err)
{
	job_check(j, job_next(j) == -FI_EAVAIL, "an error was expected", err);
	job_check(j, j->error.err == err, "another error", j->error.err);
}

void job_wait_cntr(struct job *j, struct fid_cntr *cntr, uint64_t value)
{
	struct t_limit limit;

	t_limit_set(&limit, AGAIN_LIMIT_S);
	while (fi_cntr_read(cntr) < value) {
		job_check(j, !t_limit_expired(&limit),
			  "the counter does not advance",
			  (long)fi_cntr_read(cntr));
		job_backoff(j, &limit);
	}
}

void job_barrier(struct job *j)
{
	uint32_t round = weft_load32(&j->all->round);
	struct t_limit limit = { 0 };

	if (weft_add32(&j->all->arrived, 1) + 1 == (uint32_t)j->size) {
		weft_store32(&j->all->arrived, 0);
		weft_add32(&j->all->round, 1);
		return;
	}
	while (weft_load32(&j->all->round) == round)
		poll_or_fail(j, &limit);
}

/* ---- open and close ------------------------------------------------------ */

static void open_info(struct job *j, const struct job_opts *o)
{
	struct fi_info *hints = fi_allocinfo();
	const char *machine = getenv("FI_WEFT_MACHINE");
	char node[16];

	snprintf(node, sizeof(node), "%d", j->rank * o->nodes_apart);
	if (o->nodes_apart)
		setenv("FI_WEFT_NODE", node, 1);
	hints->fabric_attr->prov_name = strdup("weft");
	hints->ep_attr->type = FI_EP_RDM;
	hints->caps = FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC |
		      FI_DIRECTED_RECV | FI_MULTI_RECV | FI_SOURCE |
		      FI_RMA_EVENT | o->caps;
	hints->tx_attr->op_flags = o->tx_flags;
	hints->domain_attr->threading = o->threading;
	hints->domain_attr->data_progress = o->progress;
	hints->domain_attr->av_type = o->av_type;
	hints->domain_attr->mr_mode = (int)o->mr_mode;
	must(j, fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &j->info),
	     "fi_getinfo");
	if (machine)
		job_check(j, !strcmp(j->info->domain_attr->name, machine),
			  "another machine", 0);
	fi_freeinfo(hints);
}

static void open_counters(struct job *j)
{
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP };

	must(j, fi_cntr_open(j->domain, &attr, &j->tx_cntr, NULL), "cntr");
	must(j, fi_cntr_open(j->domain, &attr, &j->rx_cntr, NULL), "cntr");
	must(j, fi_cntr_open(j->domain, &attr, &j->remote_cntr, NULL), "cntr");
	must(j,
	     fi_ep_bind(j->ep, &j->tx_cntr->fid, FI_SEND | FI_READ | FI_WRITE),
	     "bind");
	must(j, fi_ep_bind(j->ep, &j->rx_cntr->fid, FI_RECV), "bind");
	must(j,
	     fi_ep_bind(j->ep, &j->remote_cntr->fid,
			FI_REMOTE_READ | FI_REMOTE_WRITE),
	     "bind");
}

static void open_ep(struct job *j, const struct job_opts *o)
{
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_TAGGED,
				      .wait_obj = o->wait_obj };
	struct fi_eq_attr eq_attr = { .size = 16, .wait_obj = FI_WAIT_NONE };
	struct fi_av_attr av_attr = { .type = o->av_type };

	must(j, fi_fabric(j->info->fabric_attr, &j->fabric, NULL), "fabric");
	must(j, fi_domain(j->fabric, j->info, &j->domain, NULL), "domain");
	must(j, fi_cq_open(j->domain, &cq_attr, &j->cq, NULL), "cq");
	must(j, fi_av_open(j->domain, &av_attr, &j->av, NULL), "av");
	must(j, fi_endpoint(j->domain, j->info, &j->ep, NULL), "endpoint");
	must(j, fi_ep_bind(j->ep, &j->av->fid, 0), "bind av");
	must(j, fi_eq_open(j->fabric, &eq_attr, &j->eq, NULL), "eq");
	must(j, fi_ep_bind(j->ep, &j->eq->fid, 0), "bind eq");
	must(j,
	     fi_ep_bind(j->ep, &j->cq->fid,
			FI_TRANSMIT | FI_RECV | o->cq_flags),
	     "bind cq");
	if (o->counters)
		open_counters(j);
	must(j, fi_enable(j->ep), "fi_enable");
}

static void exchange_names(struct job *j)
{
	size_t len = sizeof(j->all->name[0]);
	struct t_limit limit = { 0 };
	int i;

	must(j, fi_getname(&j->ep->fid, &j->all->name[j->rank], &len),
	     "getname");
	weft_store32(&j->all->named[j->rank], 1);
	for (i = 0; i < j->size; i++) {
		while (!weft_load32(&j->all->named[i]))
			job_backoff(j, &limit);
		job_check(j,
			  fi_av_insert(j->av, &j->all->name[i], 1, &j->addr[i],
				       0, NULL) == 1,
			  "fi_av_insert", i);
	}
}

static void close_all(struct job *j)
{
	must(j, fi_close(&j->ep->fid), "close ep");
	must(j, fi_close(&j->eq->fid), "close eq");
	if (j->tx_cntr) {
		must(j, fi_close(&j->tx_cntr->fid), "close cntr");
		must(j, fi_close(&j->rx_cntr->fid), "close cntr");
		must(j, fi_close(&j->remote_cntr->fid), "close cntr");
	}
	must(j, fi_close(&j->cq->fid), "close cq");
	must(j, fi_close(&j->av->fid), "close av");
	must(j, fi_close(&j->domain->fid), "close domain");
	must(j, fi_close(&j->fabric->fid), "close fabric");
	fi_freeinfo(j->info);
}

static int process(int rank, void *arg)
{
	struct start *s = arg;
	struct job j = { .rank = rank, .size = s->size, .all = s->all };

	open_info(&j, &s->opts);
	open_ep(&j, &s->opts);
	exchange_names(&j);
	s->body(&j);
	job_barrier(&j);
	close_all(&j);
	return 0;
}

/* Forks a process that may be killed, and ignores its exit status. */
static int process_may_die(int rank, void *arg)
{
	struct start *s = arg;
	pid_t pid;

	if (rank + 1 != s->opts.may_die)
		return process(rank, arg);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(process(rank, arg));
	}
	waitpid(pid, NULL, 0);
	return 0;
}

/* Uses the provider of the build tree that contains this program. */
static void provider_here(void)
{
	char exe[4096], path[4200];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int up;

	T_TRUE(n > 0);
	exe[n] = 0;
	for (up = 0; up < 3; up++)
		*strrchr(exe, '/') = 0;
	snprintf(path, sizeof(path), "%s/.libs", exe);
	setenv("FI_PROVIDER_PATH", path, 0);
}

/*
 * Loads libfabric and its providers once, for all processes that are forked
 * later: its verbs provider reads all of /proc/kallsyms, twice, which takes
 * most of the time of a short test. No provider has the requested name, so no
 * provider is opened.
 */
static void load_providers(void)
{
	struct fi_info *hints = fi_allocinfo(), *info = NULL;

	T_TRUE(hints);
	hints->fabric_attr->prov_name = strdup("none");
	fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info);
	fi_freeinfo(hints);
}

void job_run(int size, void (*body)(struct job *j), const struct job_opts *o)
{
	struct start s = { .body = body, .size = size };

	if (o)
		s.opts = *o;
	provider_here();
	load_providers();
	s.all = mmap(NULL, sizeof(*s.all), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	T_TRUE(s.all != MAP_FAILED);
	t_processes(size, process_may_die, &s,
		    s.opts.seconds ? s.opts.seconds : 60);
	munmap(s.all, sizeof(*s.all));
}
