/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators of the replay. The creation of a communicator takes the
 * messages by which the members of its parent agree on a context id
 * (src/comm/comm_agree.c): in each of ceil(log2 n) rounds one message of
 * AGREE_BYTES in each direction.
 */
#include "src/tools/replay/replay_int.h"

#include "coll/coll.h"
#include "src/comm/comm_channel.h"
#include "src/comm/comm_context.h"
#include "src/msg/msg_tag.h"
#include "src/tools/replay/replay_call.h"
#include "src/types/types_dt.h"

#include <stdlib.h>

#define AGREE_BYTES ((WEFT_CTX_WINDOW + 1) * sizeof(uint64_t))
/* number of bytes that MPI_Comm_split gathers from each rank */
#define SPLIT_BYTES 12
/*
 * number of context ids: the replay uses the communicator numbers of the trace
 * modulo CTX_IDS
 */
#define CTX_IDS	    (WEFT_TAG_CTX_IDS - 8)

/*
 * Releases a reference. Nonblocking collectives keep a reference until they are
 * complete.
 */
void weft_comm_put(struct weft_comm *c)
{
	if (!weft_obj_put(&c->obj))
		return;
	weft_coll_core_ops.detach(c);
	free(c->group);
	free(c);
}

static struct weft_comm *comm_open(struct weft_group *g, int rank, uint64_t id)
{
	struct weft_comm *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	weft_obj_init(&c->obj, WEFT_KIND_COMM);
	c->ctx = (4 + id % CTX_IDS) << WEFT_TAG_CTX_SHIFT;
	c->group = g;
	c->rank = rank;
	c->size = c->peers = g->size;
	c->proc = g->proc;
	return c;
}

struct weft_comm *replay_world_open(const struct replay_rank *r)
{
	return comm_open(r->program->group, (int)r->local, 0);
}

struct weft_comm *replay_comm_of(uint64_t id)
{
	struct replay_rank *r = replay_me;

	if (!id)
		return r->world;
	for (unsigned i = 0; i < r->comms; i++)
		if (r->comm[i].id == id)
			return r->comm[i].comm;
	return NULL;
}

/* ---- creation ------------------------------------------------------------ */

static struct weft_group *group_of(const struct replay_call *c, int *rank_p)
{
	struct weft_group *g =
		calloc(1, sizeof(*g) + c->members * sizeof(g->proc[0]));

	if (!g)
		replay_fail("out of memory");
	g->size = (int)c->members;
	*rank_p = -1;
	for (uint64_t i = 0; i < c->members; i++) {
		g->proc[i] = (int)(replay_me->program->first + c->member[i]);
		if (c->member[i] == replay_me->local)
			*rank_p = (int)i;
	}
	return g;
}

static void comm_add(const struct replay_call *c)
{
	struct replay_rank *r = replay_me;
	struct replay_comm *all =
		realloc(r->comm, (r->comms + 1) * sizeof(*all));
	struct weft_group *g;
	int rank;

	if (!all)
		replay_fail("out of memory");
	r->comm = all;
	g = group_of(c, &rank);
	if (rank < 0)
		replay_fail("rank %u is not a member of its communicator %llu",
			    r->rank, (unsigned long long)c->made);
	all[r->comms++] =
		(struct replay_comm){ c->made, comm_open(g, rank, c->made) };
	if (!all[r->comms - 1].comm)
		replay_fail("out of memory");
}

static void agree(struct weft_comm *comm)
{
	struct weft_channel m = weft_channel_of(comm);
	int n = comm->size, me = comm->rank;

	for (int dist = 1; dist < n; dist <<= 1) {
		struct weft_p2p_args in =
			weft_channel_args(&m, replay_job.scratch, AGREE_BYTES,
					  (me - dist % n + n) % n);
		struct weft_p2p_args out = in;
		struct weft_req *a, *b;

		out.peer = (me + dist) % n;
		a = replay_irecv(&in, false);
		b = replay_isend(&out, false);
		weft_req_wait(b);
		weft_req_wait(a);
		weft_req_collect(&a, MPI_STATUS_IGNORE);
		weft_req_collect(&b, MPI_STATUS_IGNORE);
	}
}

void replay_comm_make(const struct replay_call *c)
{
	struct weft_comm *parent = replay_comm_of(c->comm);
	struct weft_channel m;

	if (!parent)
		replay_fail("rank %u: no communicator %llu", replay_me->rank,
			    (unsigned long long)c->comm);
	if (c->how == RECORD_COMM_SPLIT) {
		void *all = calloc((size_t)parent->size, SPLIT_BYTES);

		m = weft_channel_of(parent);
		if (!all)
			replay_fail("out of memory");
		weft_channel_allgather(&m, all, SPLIT_BYTES);
		free(all);
	}
	agree(parent);
	if (c->made)
		comm_add(c);
}

void replay_comm_free(uint64_t id)
{
	struct replay_rank *r = replay_me;

	for (unsigned i = 0; i < r->comms; i++)
		if (r->comm[i].id == id) {
			weft_comm_put(r->comm[i].comm);
			r->comm[i] = r->comm[--r->comms];
			return;
		}
}

void replay_comm_free_all(void)
{
	struct replay_rank *r = replay_me;

	while (r->comms)
		replay_comm_free(r->comm[r->comms - 1].id);
}

/* Executes the barrier of MPI_Finalize, as boot_backend.c does. */
int replay_finalize(void)
{
	struct weft_channel m = { replay_me->world, WEFT_P2P_COLL,
				  WEFT_TAG_LAST };
	bool stays = false;

	return weft_channel_any(&m, &stays);
}
