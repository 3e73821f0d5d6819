/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts for a job and the jobs that it spawns (run_alloc.h). */
#include "src/tools/run/daemon/run_alloc.h"
#include "src/tools/run/daemon/run_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int run_alloc_open(struct run_alloc *a, const struct run_hosts *hosts, int ppn)
{
	int err = 0;

	memset(a, 0, sizeof(*a));
	for (int i = 0; i < hosts->count && !err; i++)
		err = run_hosts_add(&a->hosts, hosts->host[i].name,
				    ppn > 0 ? ppn : hosts->host[i].slots);
	a->used = calloc((size_t)hosts->count + 1, sizeof(*a->used));
	if (!err && a->used)
		return 0;
	run_alloc_close(a);
	return -ENOMEM;
}

void run_alloc_close(struct run_alloc *a)
{
	run_hosts_free(&a->hosts);
	free(a->used);
	a->used = NULL;
}

/* Returns the index of a host; -1: it is not in the list. */
static int find(const struct run_hosts *h, const char *name)
{
	for (int i = 0; i < h->count; i++)
		if (!strcmp(h->host[i].name, name))
			return i;
	for (int i = 0; i < h->count; i++)
		if (run_hosts_same(h->host[i].name, name))
			return i;
	return -1;
}

void run_alloc_use(struct run_alloc *a, const char *host, int n)
{
	int i = find(&a->hosts, host);

	if (i >= 0)
		a->used[i] += n;
}

/* Adds n ranks of a host after those that are placed. */
static int append(struct run_hosts *placed, const char *name, int n)
{
	int last = placed->count - 1;

	for (int i = 0; i < last; i++)
		if (!strcmp(placed->host[i].name, name))
			return -EINVAL;
	/* adds the slots if the host is the last one */
	return run_hosts_add(placed, name, n);
}

/* Places n ranks on these hosts. */
static int place(const struct run_hosts *hosts, int n, struct run_hosts *placed)
{
	struct run_layout l;
	int err = run_layout_make(hosts, 0, n, &l);

	for (int i = 0; i < l.nhosts && !err; i++)
		err = append(placed, l.host[i].name, l.host[i].count);
	run_layout_free(&l);
	return err;
}

/*
 * Returns the number of free slots of a host, without those that the ranks in
 * `placed` take.
 */
static int free_slots(const struct run_alloc *a, int host,
		      const struct run_hosts *placed)
{
	const struct run_host *h = &a->hosts.host[host];
	int left = h->slots - a->used[host];

	for (int i = 0; i < placed->count; i++)
		if (!strcmp(placed->host[i].name, h->name))
			left -= placed->host[i].slots;
	return left > 0 ? left : 0;
}

/* Places n ranks on free slots, in the order of hosts. */
static int place_free(const struct run_alloc *a, int n,
		      struct run_hosts *placed)
{
	int err = 0, some;

	for (int i = 0; i < a->hosts.count && n && !err; i++) {
		some = free_slots(a, i, placed);
		some = some < n ? some : n;
		if (some)
			err = append(placed, a->hosts.host[i].name, some);
		n -= some;
	}
	return err;
}

/* Places n ranks on all hosts, in proportion to their slots. */
static int place_shares(const struct run_alloc *a, int n,
			struct run_hosts *placed)
{
	int64_t all = run_hosts_slots(&a->hosts), seen = 0, end, first = 0;
	int err = 0;

	for (int i = 0; i < a->hosts.count && !err; i++) {
		seen += a->hosts.host[i].slots;
		end = seen * n / all;
		if (end > first)
			err = append(placed, a->hosts.host[i].name,
				     (int)(end - first));
		first = end;
	}
	return err;
}

static int place_anywhere(const struct run_alloc *a, int n,
			  struct run_hosts *placed)
{
	int64_t left = 0;

	for (int i = 0; i < a->hosts.count; i++)
		left += free_slots(a, i, placed);
	return left >= n ? place_free(a, n, placed)
			 : place_shares(a, n, placed);
}

static int place_on(const struct run_alloc *a, const struct run_hosts *hosts,
		    int n, struct run_hosts *placed)
{
	struct run_hosts h = { .count = 0 };
	int err = 0, at;

	for (int i = 0; i < hosts->count && !err; i++) {
		at = find(&a->hosts, hosts->host[i].name);
		err = at < 0 ? -EHOSTUNREACH
			     : run_hosts_add(&h, a->hosts.host[at].name,
					     hosts->host[i].slots);
	}
	if (!err)
		err = place(&h, n, placed);
	run_hosts_free(&h);
	return err;
}

int run_alloc_place(const struct run_alloc *a, const struct run_request *r,
		    struct run_hosts *placed)
{
	bool anywhere = true;
	int err = 0, n = 0;

	memset(placed, 0, sizeof(*placed));
	for (int i = 0; i < r->nparts; i++) {
		anywhere = anywhere && !r->part[i].hosts.count;
		n += r->part[i].n;
	}
	if (anywhere)
		err = place_anywhere(a, n, placed);
	for (int i = 0; i < r->nparts && !anywhere && !err; i++) {
		const struct run_request_part *p = &r->part[i];

		err = p->hosts.count ? place_on(a, &p->hosts, p->n, placed)
				     : place_anywhere(a, p->n, placed);
	}
	if (err)
		run_hosts_free(placed);
	return err == -ERANGE ? -ENOMEM : err;
}
