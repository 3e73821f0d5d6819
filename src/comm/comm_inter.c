/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation of intercommunicators. The leaders exchange the lists of both
 * groups, then all members agree on two context ids: one for the
 * intercommunicator, and one that each side uses for its local
 * intracommunicator.
 */
#include "src/comm/comm_inter.h"

#include "src/boot/boot_foreign.h"
#include "src/comm/comm_agree.h"
#include "src/comm/comm_context.h"
#include "src/comm/comm_make.h"
#include "src/msg/msg_p2p.h"
#include "src/comm/comm_split.h"
#include "src/msg/msg_tag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int *weft_inter_members(const struct weft_group *a, const struct weft_group *b,
			struct weft_comm *scratch, uint64_t ctx)
{
	int n = a->size + b->size;
	int *proc = malloc((size_t)n * sizeof(*proc));
	int rank = a->rank;

	if (!proc)
		return NULL;
	if (weft_foreign_before(b->proc[0], a->proc[0])) {
		const struct weft_group *t = a;

		a = b;
		b = t;
		rank += a->size;
	}
	memcpy(proc, a->proc, (size_t)a->size * sizeof(*proc));
	memcpy(proc + a->size, b->proc, (size_t)b->size * sizeof(*proc));
	weft_channel_scratch(scratch, ctx, proc, n, rank);
	return proc;
}

int weft_inter_create(struct weft_comm *parent, struct weft_group *group,
		      struct weft_group *remote, const unsigned *ids,
		      struct weft_comm **comm_p)
{
	struct weft_comm *c, *local;
	int rc;

	rc = weft_comm_create(parent, weft_group_get(group), NULL, ids[1],
			      &local);
	if (rc) {
		weft_group_put(group);
		weft_group_put(remote);
		return rc;
	}
	rc = weft_comm_create(parent, group, remote, ids[0], &c);
	if (rc) {
		weft_comm_put(local);
		return rc;
	}
	c->local = local;
	*comm_p = c;
	return 0;
}

/*
 * Lets both groups agree on ids in the context of m, then creates the
 * communicator. Takes over the references on the groups.
 */
static int agree_and_create(struct weft_comm *parent, struct weft_group *group,
			    struct weft_group *remote, struct weft_channel m,
			    struct weft_comm **comm_p)
{
	struct weft_comm scratch;
	int *both = weft_inter_members(group, remote, &scratch, m.comm->ctx);
	unsigned ids[2];
	int rc = -ENOMEM;

	m.comm = &scratch;
	if (both)
		rc = weft_agree_wait(&m, 2, ids);
	free(both);
	if (!rc)
		return weft_inter_create(parent, group, remote, ids, comm_p);
	weft_group_put(group);
	weft_group_put(remote);
	return rc;
}

/* ---- from two groups whose leaders can communicate ----------------------- */

struct hello {
	int size;
	/* hash of the local context, part of the agreement's tag */
	uint32_t context_hash;
	uint64_t job;	  /* number of the leader's job */
	uint32_t foreign; /* 1: the group has processes of other jobs */
	uint32_t pad;
};

static uint32_t context_hash(const struct weft_make_inter *i)
{
	return (uint32_t)(i->local->comm->ctx >> WEFT_TAG_CTX_SHIFT) *
	       2654435761u;
}

/*
 * Lets the leaders exchange data: this side's leader sends n bytes and receives
 * m bytes. Each leader then broadcasts the received bytes to its group.
 */
static int exchange(const struct weft_make_inter *i, const void *mine, size_t n,
		    void *theirs, size_t m)
{
	struct weft_channel leaders = { i->peer, i->flags, i->tag };
	int rc = 0;

	if (i->group->rank == i->leader)
		rc = weft_channel_swap(&leaders, i->remote, mine, n, theirs, m);
	return rc ? rc : weft_channel_bcast(i->local, i->leader, theirs, m);
}

/*
 * Exchanges the identities of the processes of both groups, which belong to
 * several jobs.
 */
static int exchange_identities(const struct weft_make_inter *i,
			       struct weft_group *theirs)
{
	size_t n = (size_t)i->group->size, m = (size_t)theirs->size;
	struct weft_identity *ids = calloc(n + m, sizeof(*ids));
	bool leads = i->group->rank == i->leader;
	int rc = ids ? 0 : -ENOMEM;

	for (size_t k = 0; !rc && leads && k < n; k++)
		rc = weft_foreign_identify(i->group->proc[k], &ids[k]);
	/* after an error, send invalid identities to the other leader */
	if (rc && leads && ids)
		memset(ids, 0, n * sizeof(*ids));
	if (ids) {
		int err = exchange(i, ids, n * sizeof(*ids), ids + n,
				   m * sizeof(*ids));

		rc = rc ? rc : err;
	}
	for (size_t k = 0; !rc && k < m; k++) {
		theirs->proc[k] = weft_foreign_find(&ids[n + k]);
		rc = theirs->proc[k] < 0 ? theirs->proc[k] : 0;
	}
	free(ids);
	return rc;
}

/* Exchanges the member lists of both groups. */
static int exchange_groups(const struct weft_make_inter *i,
			   struct weft_group **remote_p, uint32_t *hash_p)
{
	struct hello mine = { .size = i->group->size,
			      .context_hash = context_hash(i),
			      .job = weft_foreign_job(),
			      .foreign = weft_comm_has_foreign(i->group) };
	struct hello theirs = { 0 };
	struct weft_group *g;
	int rc = exchange(i, &mine, sizeof(mine), &theirs, sizeof(theirs));

	if (rc)
		return rc;
	g = weft_group_new(theirs.size);
	if (!g)
		return -ENOMEM;
	if (mine.job != theirs.job || mine.foreign || theirs.foreign)
		rc = exchange_identities(i, g);
	else
		rc = exchange(i, i->group->proc,
			      (size_t)mine.size * sizeof(int), g->proc,
			      (size_t)theirs.size * sizeof(int));
	*hash_p = mine.context_hash + theirs.context_hash;
	*remote_p = g;
	if (rc)
		weft_group_put(g);
	return rc;
}

int weft_make_inter(const struct weft_make_inter *i, struct weft_comm *parent,
		    struct weft_comm **comm_p)
{
	struct weft_comm no_comm = { .ctx = (uint64_t)WEFT_CTX_NO_COMM
					    << WEFT_TAG_CTX_SHIFT };
	struct weft_channel m = { &no_comm, WEFT_P2P_GROUP, 0 };
	struct weft_group *remote;
	uint32_t hash;
	int rc = exchange_groups(i, &remote, &hash);

	if (rc)
		return rc;
	m.tag = (int)((hash + (uint32_t)i->tag) & WEFT_TAG_MASK);
	return agree_and_create(parent, weft_group_get(i->group), remote, m,
				comm_p);
}

/* ---- from an intercommunicator ------------------------------------------- */

/*
 * Exchanges data between the two sides of c: the leaders exchange it over c,
 * then broadcast the received data to their side.
 */
static int swap_sides(struct weft_comm *c, const void *mine, size_t mine_bytes,
		      void *theirs, size_t their_bytes)
{
	struct weft_channel leaders = weft_channel_of(c);
	struct weft_channel side = weft_channel_of(c->local);
	int rc = 0;

	if (c->rank == 0)
		rc = weft_channel_swap(&leaders, 0, mine, mine_bytes, theirs,
				       their_bytes);
	return rc ? rc : weft_channel_bcast(&side, 0, theirs, their_bytes);
}

/*
 * Creates an intercommunicator from the chosen subsets of both sides; the other
 * members of c also take part in the agreement. Takes over the references to
 * the groups.
 */
static int create_between(struct weft_comm *c, struct weft_group *mine,
			  struct weft_group *theirs, struct weft_comm **comm_p)
{
	struct weft_comm scratch;
	struct weft_channel m = weft_channel_of(c);
	int *both = weft_inter_members(c->group, c->remote, &scratch, c->ctx);
	unsigned ids[2];
	int rc = -ENOMEM;

	*comm_p = NULL;
	m.comm = &scratch;
	if (both)
		rc = weft_agree_wait(&m, 2, ids);
	free(both);
	if (!rc && mine->rank != MPI_UNDEFINED && theirs->size)
		return weft_inter_create(c, mine, theirs, ids, comm_p);
	if (!rc) {
		weft_ctx_free(ids[0]);
		weft_ctx_free(ids[1]);
	}
	weft_group_put(mine);
	weft_group_put(theirs);
	return rc;
}

/*
 * Sends the ranks of the members of g in this side to the other side, and
 * receives the other side's ranks. theirs->size is the number of ranks that the
 * other side sends.
 */
static int swap_ranks(struct weft_comm *c, const struct weft_group *g,
		      struct weft_group *theirs)
{
	int *ranks = malloc((size_t)(g->size + 1) * sizeof(*ranks));
	int rc;

	if (!ranks)
		return -ENOMEM;
	for (int i = 0; i < g->size; i++)
		ranks[i] = weft_group_rank_of(c->group, g->proc[i]);
	rc = swap_sides(c, ranks, (size_t)g->size * sizeof(int), theirs->proc,
			(size_t)theirs->size * sizeof(int));
	free(ranks);
	for (int i = 0; !rc && i < theirs->size; i++) {
		if ((unsigned)theirs->proc[i] >= (unsigned)c->remote->size)
			return -EPROTO;
		theirs->proc[i] = c->remote->proc[theirs->proc[i]];
	}
	return rc;
}

int weft_inter_subset(struct weft_comm *c, struct weft_group *g,
		      struct weft_comm **comm_p)
{
	struct weft_group *theirs;
	int n, rc;

	rc = swap_sides(c, &g->size, sizeof(g->size), &n, sizeof(n));
	if (rc)
		return rc;
	theirs = weft_group_new(n);
	if (!theirs)
		return -ENOMEM;
	rc = swap_ranks(c, g, theirs);
	if (!rc)
		return create_between(c, weft_group_get(g), theirs, comm_p);
	weft_group_put(theirs);
	return rc;
}

static int split_groups(struct weft_comm *c, int color, int key,
			struct weft_group **mine_p,
			struct weft_group **theirs_p)
{
	size_t here = (size_t)c->size;
	size_t there = (size_t)c->peers;
	struct weft_split *a = malloc((here + there) * sizeof(*a));
	struct weft_split *b = a + here;
	int rc = a ? weft_split_gather(c->local, color, key, a) : -ENOMEM;

	if (!rc)
		rc = swap_sides(c, a, here * sizeof(*a), b, there * sizeof(*b));
	if (!rc && color == MPI_UNDEFINED) {
		*mine_p = weft_group_new(0);
		*theirs_p = weft_group_new(0);
	} else if (!rc) {
		*mine_p = weft_split_group(a, c->group, color);
		*theirs_p = weft_split_group(b, c->remote, color);
		if (!*mine_p || !*theirs_p)
			rc = -ENOMEM;
	}
	free(a);
	return rc;
}

int weft_inter_split(struct weft_comm *c, int color, int key,
		     struct weft_comm **comm_p)
{
	struct weft_group *mine, *theirs;
	int rc = split_groups(c, color, key, &mine, &theirs);

	return rc ? rc : create_between(c, mine, theirs, comm_p);
}

/*
 * Creates one intracommunicator from both sides. The side that calls with
 * `high` set gets the higher ranks.
 */
int weft_make_merge(struct weft_comm *c, int high, struct weft_comm **comm_p)
{
	struct weft_group *first = c->group, *last = c->remote;
	struct weft_comm scratch;
	struct weft_channel m;
	struct weft_group *g;
	int theirs, rc;
	unsigned id;

	high = high != 0;
	rc = swap_sides(c, &high, sizeof(high), &theirs, sizeof(theirs));
	if (rc)
		return rc;
	if (high > theirs ||
	    (high == theirs &&
	     weft_foreign_before(c->remote->proc[0], c->group->proc[0]))) {
		first = c->remote;
		last = c->group;
	}
	g = weft_group_new(first->size + last->size);
	if (!g)
		return -ENOMEM;
	memcpy(g->proc, first->proc, (size_t)first->size * sizeof(int));
	memcpy(g->proc + first->size, last->proc,
	       (size_t)last->size * sizeof(int));
	weft_group_ready(g);
	m = weft_channel_of(c);
	weft_channel_scratch(&scratch, c->ctx, g->proc, g->size, g->rank);
	m.comm = &scratch;
	rc = weft_agree_wait(&m, 1, &id);
	if (!rc)
		return weft_comm_create(c, g, NULL, id, comm_p);
	weft_group_put(g);
	return rc;
}
