/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mapping of ranks to hosts, and the two trees of an operation.
 *
 *   hosts    a: 0 1 2    b: 3 4    c: 5 6 7        root 4
 *   leaders  0, 4, 5
 *   remote   4 - 5, 4 - 0          binomial tree of leaders, root 4
 *   local    0: 1 2   4: 3   5: 6 7
 */
#include "coll/coll_hosts.h"

#include "src/boot/boot_hosts.h"
#include "src/core/core_lock.h"
#include "src/core/core_state.h"

#include <stdlib.h>
#include <string.h>

/* salt of host routes, different from those of other routes */
#define HOSTS_SALT UINT64_MAX

static void hosts_free(struct coll_hosts *h)
{
	if (!h)
		return;
	free(h->host_of);
	free(h->first);
	free(h->local_rank);
	free(h->by_host);
	free(h->start);
	free(h->local);
	free(h);
}

static struct coll_hosts *hosts_new(int size)
{
	struct coll_hosts *h = calloc(1, sizeof(*h));
	size_t n = (size_t)size;

	if (!h)
		return NULL;
	h->host_of = malloc(n * sizeof(int));
	h->first = malloc(n * sizeof(int));
	h->local_rank = malloc(n * sizeof(int));
	h->by_host = malloc(n * sizeof(int));
	h->start = calloc(n + 1, sizeof(int));
	if (h->host_of && h->first && h->local_rank && h->by_host && h->start)
		return h;
	hosts_free(h);
	return NULL;
}

/*
 * Returns the number of the host with this id. A host that is not in the list
 * yet is added, with `rank` as its first rank.
 */
static int hosts_number(struct coll_hosts *h, const struct weft_comm *comm,
			int id, int rank)
{
	int i = 0;

	while (i < h->count && weft_hosts_of(comm->proc[h->first[i]]) != id)
		i++;
	if (i == h->count)
		h->first[h->count++] = rank;
	return i;
}

/* Sorts the ranks by host; host_of has an entry for each rank. */
static void hosts_order(struct coll_hosts *h, int size)
{
	for (int r = 0; r < size; r++)
		h->start[h->host_of[r] + 1]++;
	h->least = size;
	for (int i = 0; i < h->count; i++) {
		if (h->start[i + 1] < h->least)
			h->least = h->start[i + 1];
		h->start[i + 1] += h->start[i];
	}
	/* start[i] counts up to the end of host i, and is then shifted back */
	for (int r = 0; r < size; r++)
		h->by_host[h->start[h->host_of[r]]++] = r;
	memmove(h->start + 1, h->start, (size_t)h->count * sizeof(int));
	h->start[0] = 0;
}

/*
 * Fills the mapping; requires the core lock. Returns false if a rank's host is
 * unknown.
 */
static bool hosts_fill(struct coll_hosts *h, const struct weft_comm *comm)
{
	for (int r = 0; r < comm->size; r++) {
		int id = weft_hosts_of(comm->proc[r]);

		if (id < 0)
			return false;
		h->host_of[r] = hosts_number(h, comm, id, r);
	}
	h->my_host = h->host_of[comm->rank];
	for (int r = 0; r < comm->size; r++) {
		if (r == comm->rank)
			h->me = h->local_size;
		if (h->host_of[r] == h->my_host)
			h->local_rank[h->local_size++] = r;
	}
	hosts_order(h, comm->size);
	return true;
}

struct coll_hosts *coll_hosts(struct weft_comm *comm)
{
	struct coll_hosts *h = comm->hosts;

	/*
	 * not with foreign members: a job knows only the hosts of its own
	 * processes
	 */
	if (!h && !comm->inter && !comm->foreign && comm->size > 1 &&
	    weft_hosts_several()) {
		h = hosts_new(comm->size);
		weft_lock();
		if (h && (weft_route_resolve(comm) || !hosts_fill(h, comm)))
			h->count = 1;
		weft_unlock();
		comm->hosts = h;
	}
	return h && h->count > 1 ? h : NULL;
}

/*
 * Returns a communicator of this host's ranks, with only the fields that a
 * route uses.
 */
static struct weft_comm *hosts_local(const struct coll_hosts *h,
				     const struct weft_comm *comm)
{
	struct weft_comm *l =
		malloc(sizeof(*l) + (size_t)h->local_size * sizeof(int));
	int *proc = l ? (int *)(l + 1) : NULL;

	if (!l)
		return NULL;
	memcpy(l, comm, sizeof(*l));
	/* so many references that requests never drop the last one */
	atomic_init(&l->obj.refs, UINT32_MAX / 2);
	for (int i = 0; i < h->local_size; i++)
		proc[i] = comm->proc[h->local_rank[i]];
	l->proc = proc;
	l->rank = h->me;
	l->size = l->peers = h->local_size;
	l->hosts = NULL;
	l->route = l->joining = l->exact_route = NULL;
	return l;
}

void coll_hosts_join(struct coll_hosts *h, struct weft_comm *comm)
{
	struct weft_route *r;

	if (h->join_tried)
		return;
	h->join_tried = true;
	h->local = h->local_size > 1 ? hosts_local(h, comm) : NULL;
	if (!h->local || weft_route_open(h->local, HOSTS_SALT, &r))
		return;
	if (weft_route_wait(r) == WEFT_ROUTE_CLASS)
		h->route = r;
	else
		weft_route_close(r);
}

void coll_hosts_leave(struct weft_comm *comm)
{
	struct coll_hosts *h = comm->hosts;

	if (h)
		weft_route_close(h->route);
	hosts_free(h);
	comm->hosts = NULL;
}

/*
 * Builds the binomial tree of this host's ranks; the root is the rank with
 * index `place`.
 */
static void plan_host_tree(const struct coll_hosts *h, int place,
			   struct coll_tree *t)
{
	coll_tree_binomial(h->local_size, place, h->me, t);
	if (t->parent >= 0)
		t->parent = h->local_rank[t->parent];
	for (int i = 0; i < t->nchild; i++)
		t->child[i] = h->local_rank[t->child[i]];
}

static int plan_leader(const struct coll_hosts *h, int host, int root)
{
	return h->host_of[root] == host ? root : h->first[host];
}

static void plan_leader_tree(const struct coll_hosts *h, int root,
			     struct coll_tree *t)
{
	coll_tree_binomial(h->count, h->host_of[root], h->my_host, t);
	if (t->parent >= 0)
		t->parent = plan_leader(h, t->parent, root);
	for (int i = 0; i < t->nchild; i++)
		t->child[i] = plan_leader(h, t->child[i], root);
}

void coll_hosts_plan(struct coll_hosts_plan *plan, const struct coll_hosts *h,
		     int rank, int root)
{
	int leader = plan_leader(h, h->my_host, root);

	plan->h = h;
	plan->is_leader = rank == leader;
	plan->place = 0;
	while (h->local_rank[plan->place] != leader)
		plan->place++;
	plan_host_tree(h, plan->place, &plan->local_tree);
	if (plan->is_leader)
		plan_leader_tree(h, root, &plan->leader_tree);
}
