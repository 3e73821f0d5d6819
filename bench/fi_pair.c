/* SPDX-License-Identifier: BSD-3-Clause */
/* Two endpoints in two processes, for the benchmarks of libfabric providers. */
#include "bench/fi_pair.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static void must(const char *prov, long ret, const char *what)
{
	if (!ret)
		return;
	fprintf(stderr, "%s: %s: %s\n", prov, what, fi_strerror((int)-ret));
	exit(1);
}

uint64_t pair_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void pair_barrier(struct pair *p)
{
	uint32_t round = atomic_load(&p->all->round);

	if (atomic_fetch_add(&p->all->arrived, 1) == 1) {
		atomic_store(&p->all->arrived, 0);
		atomic_fetch_add(&p->all->round, 1);
		return;
	}
	while (atomic_load(&p->all->round) == round)
		continue;
}

/* ---- opening the endpoints ----------------------------------------------- */

static void end_info(struct pair_end *e)
{
	struct fi_info *hints = fi_allocinfo();

	hints->fabric_attr->prov_name = strdup(e->prov);
	hints->ep_attr->type = FI_EP_RDM;
	hints->caps = FI_TAGGED;
	hints->mode = FI_CONTEXT;
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	hints->domain_attr->mr_mode = FI_MR_BASIC;
	hints->domain_attr->av_type = FI_AV_TABLE;
	must(e->prov,
	     fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &e->info),
	     "fi_getinfo");
	fi_freeinfo(hints);
}

static void end_open(struct pair_end *e)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED, .size = 1024 };
	struct fi_av_attr av = { .type = FI_AV_TABLE };

	end_info(e);
	must(e->prov, fi_fabric(e->info->fabric_attr, &e->fabric, NULL), "1");
	must(e->prov, fi_domain(e->fabric, e->info, &e->domain, NULL), "2");
	must(e->prov, fi_cq_open(e->domain, &cq, &e->cq, NULL), "cq");
	must(e->prov, fi_av_open(e->domain, &av, &e->av, NULL), "av");
	must(e->prov, fi_endpoint(e->domain, e->info, &e->ep, NULL), "ep");
	must(e->prov, fi_ep_bind(e->ep, &e->av->fid, 0), "bind");
	must(e->prov, fi_ep_bind(e->ep, &e->cq->fid, FI_TRANSMIT | FI_RECV),
	     "bind");
	must(e->prov, fi_enable(e->ep), "enable");
}

static void end_connect(struct pair *p, int i)
{
	struct pair_end *e = &p->end[i];
	size_t *len = p->all->name_len[i];
	int other = !p->rank;

	len[p->rank] = sizeof(p->all->name[0][0]);
	must(e->prov,
	     fi_getname(&e->ep->fid, p->all->name[i][p->rank], &len[p->rank]),
	     "getname");
	atomic_store(&p->all->named[i][p->rank], 1);
	while (!atomic_load(&p->all->named[i][other]))
		sched_yield();
	if (fi_av_insert(e->av, p->all->name[i][other], 1, &e->peer, 0, NULL) !=
	    1)
		must(e->prov, -FI_EINVAL, "av_insert");
}

static void pin(int rank)
{
	cpu_set_t set;
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	CPU_ZERO(&set);
	CPU_SET((size_t)(rank % n), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

void pair_open(struct pair *p, int argc, char **argv)
{
	int c, i;

	memset(p, 0, sizeof(*p));
	p->rounds = 21;
	while ((c = getopt(argc, argv, "r:b")) != -1) {
		if (c == 'r')
			p->rounds = atoi(optarg);
		if (c == 'b')
			p->best = 1;
	}
	if (p->rounds > PAIR_ROUNDS)
		p->rounds = PAIR_ROUNDS;
	for (i = optind; i < argc && p->provs < PAIR_PROVS; i++)
		p->end[p->provs++].prov = argv[i];
	if (!p->provs) {
		p->end[p->provs++].prov = "weft";
		p->end[p->provs++].prov = "shm";
	}
	p->all = mmap(NULL, sizeof(*p->all), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	p->rank = fork() == 0;
	if (p->rank)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(p->rank);
	for (i = 0; i < p->provs; i++) {
		end_open(&p->end[i]);
		end_connect(p, i);
	}
	pair_barrier(p);
}

void pair_close(struct pair *p)
{
	int i;

	pair_barrier(p);
	for (i = 0; i < p->provs; i++) {
		fi_close(&p->end[i].ep->fid);
		fi_close(&p->end[i].cq->fid);
		fi_close(&p->end[i].av->fid);
		fi_close(&p->end[i].domain->fid);
		fi_close(&p->end[i].fabric->fid);
	}
	if (p->rank)
		_exit(0);
	wait(NULL);
}

/* ---- messages ------------------------------------------------------------ */

void pair_wait(struct pair_end *e, int count)
{
	struct fi_cq_tagged_entry entry[16];
	ssize_t n;

	while (count > 0) {
		n = fi_cq_read(e->cq, entry, count < 16 ? (size_t)count : 16);
		if (n > 0)
			count -= (int)n;
		else if (n != -FI_EAGAIN)
			must(e->prov, n, "fi_cq_read");
	}
}

void pair_send(struct pair_end *e, const void *buf, size_t len)
{
	ssize_t ret;

	if (len <= e->info->tx_attr->inject_size) {
		while ((ret = fi_tinject(e->ep, buf, len, e->peer, 1)) ==
		       -FI_EAGAIN)
			fi_cq_read(e->cq, NULL, 0);
		must(e->prov, ret, "fi_tinject");
		return;
	}
	while ((ret = fi_tsend(e->ep, buf, len, NULL, e->peer, 1, NULL)) ==
	       -FI_EAGAIN)
		fi_cq_read(e->cq, NULL, 0);
	must(e->prov, ret, "fi_tsend");
	pair_wait(e, 1);
}

void pair_recv(struct pair_end *e, void *buf, size_t len)
{
	must(e->prov, fi_trecv(e->ep, buf, len, NULL, e->peer, 1, 0, NULL),
	     "fi_trecv");
}

/* ---- limit of the host --------------------------------------------------- */

double pair_raw(struct pair *p, int n)
{
	_Atomic uint64_t *mine = p->all->line[p->rank];
	_Atomic uint64_t *other = p->all->line[!p->rank];
	uint64_t base, t0;
	int i;

	pair_barrier(p);
	base = atomic_load(mine);
	pair_barrier(p);
	t0 = pair_now_ns();
	for (i = 1; i <= n; i++) {
		if (p->rank == 0)
			atomic_store_explicit(other, base + (uint64_t)i,
					      memory_order_release);
		while (atomic_load_explicit(mine, memory_order_acquire) !=
		       base + (uint64_t)i)
			continue;
		if (p->rank == 1)
			atomic_store_explicit(other, base + (uint64_t)i,
					      memory_order_release);
	}
	return (double)(pair_now_ns() - t0) / n / 2;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double pair_median(struct pair *p, int row)
{
	double v[PAIR_ROUNDS];

	memcpy(v, p->all->ns[row], sizeof(v));
	qsort(v, (size_t)p->rounds, sizeof(*v), by_value);
	return v[p->best ? 0 : p->rounds / 2];
}
