/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation of intercommunicators. The leaders exchange the lists of both
 * groups, then all members agree on two context ids: one for the
 * intercommunicator, and one that each side uses for its local
 * intracommunicator.
 */
#include "src/comm/comm_inter.h"

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
	if (b->proc[0] < a->proc[0]) {
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
 * Agrees on ids over both groups in the context of m, then creates the
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
};

static uint32_t context_hash(const struct weft_make_inter *i)
{
	return (uint32_t)(i->local->comm->ctx >> WEFT_TAG_CTX_SHIFT) *
	       2654435761u;
}

/*
 * Exchanges the lists of both groups: the leaders swap them, each leader
 * broadcasts the other list to its group.
 */
static int exchange_groups(const struct weft_make_inter *i,
			   struct weft_group **remote_p, uint32_t *hash_p)
{
	struct weft_channel leaders = { i->peer, i->flags, i->tag };
	struct hello mine = { i->group->size, context_hash(i) };
	struct hello theirs = { 0, 0 };
	bool leads = i->group->rank == i->leader;
	struct weft_group *g;
	int rc = 0;

	if (leads)
		rc = weft_channel_swap(&leaders, i->remote, &mine, sizeof(mine),
				       &theirs, sizeof(theirs));
	if (!rc)
		rc = weft_channel_bcast(i->local, i->leader, &theirs,
					sizeof(theirs));
	if (rc)
		return rc;
	g = weft_group_new(theirs.size);
	if (!g)
		return -ENOMEM;
	if (leads)
		rc = weft_channel_swap(&leaders, i->remote, i->group->proc,
				       (size_t)mine.size * sizeof(int), g->proc,
				       (size_t)theirs.size * sizeof(int));
	if (!rc)
		rc = weft_channel_bcast(i->local, i->leader, g->proc,
					(size_t)theirs.size * sizeof(int));
	*hash_p = mine.context_hash + theirs.context_hash;
	*remote_p = g;
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
 * Exchanges data between the two sides: the leaders exchange it over c, then
 * broadcast it to their side.
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
 * Creates an intercommunicator of the chosen parts of both sides; all other
 * members of c take part in the agreement. Takes over the groups.
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
	rc = swap_sides(c, g->proc, (size_t)g->size * sizeof(int), theirs->proc,
			(size_t)n * sizeof(int));
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
		*mine_p = weft_split_group(a, (int)here, color);
		*theirs_p = weft_split_group(b, (int)there, color);
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
 * Creates one intracommunicator of both sides. The side with high set gets the
 * higher ranks.
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
	    (high == theirs && c->remote->proc[0] < c->group->proc[0])) {
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
