/* SPDX-License-Identifier: BSD-3-Clause */
/* Support for tests of the provider: collective groups of a job's processes. */
#ifndef WEFT_TEST_PROV_GROUP_H
#define WEFT_TEST_PROV_GROUP_H

#include "test/prov/prov_job.h"

#include <rdma/fi_collective.h>
#include <rdma/fi_ext_weft.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the machine implements collectives by messages only. */
static inline bool group_no_routes(void)
{
	const char *machine = getenv("FI_WEFT_MACHINE");

	return machine && !strcmp(machine, "apenet");
}

struct group {
	struct fid_av_set *set;
	struct fid_mc *mc;
	fi_addr_t addr;
	int n, me;
	int first, step; /* member i has rank first + i * step */
};

/*
 * Starts to join every step-th rank from first to last; the caller must be one
 * of them.
 */
static inline void group_start(struct job *j, struct group *g, int first,
			       int last, int step)
{
	struct fi_av_set_attr attr = { .start_addr = FI_ADDR_NOTAVAIL,
				       .end_addr = FI_ADDR_NOTAVAIL };
	fi_addr_t coll;
	int ret;

	ret = fi_av_set(j->av, &attr, &g->set, NULL);
	job_check(j, !ret, "fi_av_set", ret);
	g->n = 0;
	g->me = -1;
	g->first = first;
	g->step = step;
	for (int r = first; r <= last; r += step) {
		if (r == j->rank)
			g->me = g->n;
		g->n++;
		ret = fi_av_set_insert(g->set, j->addr[r]);
		job_check(j, !ret, "fi_av_set_insert", ret);
	}
	job_check(j, g->me >= 0, "not a member", j->rank);
	fi_av_set_addr(g->set, &coll);
	ret = fi_join_collective(j->ep, coll, g->set, 0, &g->mc, g);
	job_check(j, !ret, "fi_join_collective", ret);
}

static inline void group_joined(struct job *j, struct group *g)
{
	struct t_limit limit = { 0 };
	struct fi_eq_entry e;
	uint32_t event;
	ssize_t n;

	do {
		fi_cq_read(j->cq, NULL, 0);
		n = fi_eq_read(j->eq, &event, &e, sizeof(e), 0);
		if (n == -FI_EAGAIN)
			job_backoff(j, &limit);
	} while (n == -FI_EAGAIN);
	job_check(j, n == sizeof(e) && event == FI_JOIN_COMPLETE, "join",
		  (long)n);
	job_check(j, e.fid == &g->mc->fid && e.context == g, "join's fid", 0);
	g->addr = fi_mc_addr(g->mc);
}

static inline void group_open(struct job *j, struct group *g, int first,
			      int last, int step)
{
	group_start(j, g, first, last, step);
	group_joined(j, g);
}

static inline void group_close(struct job *j, struct group *g)
{
	int ret = fi_close(&g->mc->fid);

	job_check(j, !ret, "close mc", ret);
	ret = fi_close(&g->set->fid);
	job_check(j, !ret, "close set", ret);
}

static inline struct fi_weft_route group_route(struct job *j, struct group *g)
{
	struct fi_weft_routes *ops;
	struct fi_weft_route r;
	int ret = fi_open_ops(&g->mc->fid, FI_WEFT_ROUTES, 0, (void **)&ops,
			      NULL);

	job_check(j, !ret && !ops->route(&g->mc->fid, &r), "routes", ret);
	job_check(j, r.members == g->n, "members", r.members);
	return r;
}

static inline struct fi_weft_stats_data job_counters(struct job *j)
{
	struct fi_weft_stats_data d = { 0 };
	struct fi_weft_stats *ops;
	int ret =
		fi_open_ops(&j->ep->fid, FI_WEFT_STATS, 0, (void **)&ops, NULL);

	job_check(j, !ret, "stats", ret);
	ops->read(&j->ep->fid, &d, sizeof(d));
	return d;
}

static inline void finish(struct job *j, ssize_t ret, const char *what)
{
	job_check(j, !ret, what, ret);
	job_wait(j, &j->entry);
	job_check(j, j->entry.flags == FI_COLLECTIVE, "entry flags",
		  (long)j->entry.flags);
}

#endif
