/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation of intracommunicators, and copying of communicators of both kinds.
 * Code that concerns only intercommunicators is in comm_inter.c.
 */
#include "src/comm/comm_make.h"

#include "src/comm/comm_agree.h"
#include "src/comm/comm_context.h"
#include "src/comm/comm_inter.h"
#include "src/msg/msg_p2p.h"
#include "src/msg/msg_progress.h"
#include "src/comm/comm_split.h"
#include "src/msg/msg_tag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Creates the communicator over g with the id on which the members have agreed.
 * *comm_p is NULL if this process is not in g.
 */
static int create_on_group(struct weft_comm *parent, struct weft_group *g,
			   unsigned id, struct weft_comm **comm_p)
{
	*comm_p = NULL;
	if (g->rank != MPI_UNDEFINED)
		return weft_comm_create(parent, weft_group_get(g), NULL, id,
					comm_p);
	weft_ctx_free(id);
	return 0;
}

/* ---- copies -------------------------------------------------------------- */

/*
 * State of a copy operation: the agreement on one id (for an intercommunicator,
 * two), and the list of members, which the agreement uses.
 */
struct clone {
	struct weft_agree agree;
	struct weft_comm *of;
	struct weft_comm scratch;
	/* members of both sides of an intercommunicator; otherwise NULL */
	int *both;
	void (*ready)(void *arg, struct weft_comm *made);
	void *arg;
};

static int clone_begin(struct clone *k, struct weft_comm *c)
{
	struct weft_channel *m = &k->agree.m;

	*m = weft_channel_of(c);
	k->of = c;
	k->both = NULL;
	k->agree.id_count = 1;
	if (!c->inter)
		return 0;
	k->both = weft_inter_members(c->group, c->remote, &k->scratch, c->ctx);
	if (!k->both)
		return -ENOMEM;
	m->comm = &k->scratch;
	k->agree.id_count = 2;
	return 0;
}

static int clone_end(struct clone *k, struct weft_comm **comm_p)
{
	struct weft_comm *c = k->of;

	free(k->both);
	if (c->inter)
		return weft_inter_create(c, weft_group_get(c->group),
					 weft_group_get(c->remote), k->agree.id,
					 comm_p);
	return create_on_group(c, c->group, k->agree.id[0], comm_p);
}

int weft_comm_clone(struct weft_comm *c, struct weft_comm **comm_p)
{
	struct clone k;
	int rc = clone_begin(&k, c);

	if (!rc)
		rc = weft_agree_wait(&k.agree.m, k.agree.id_count, k.agree.id);
	return rc ? rc : clone_end(&k, comm_p);
}

int weft_comm_clone_two(struct weft_comm *c, struct weft_comm *made[2])
{
	struct weft_channel m = weft_channel_of(c);
	unsigned id[2];
	int rc = weft_agree_wait(&m, 2, id);

	if (!rc)
		rc = create_on_group(c, c->group, id[0], &made[0]);
	if (rc)
		return rc;
	rc = create_on_group(c, c->group, id[1], &made[1]);
	if (rc)
		weft_comm_put(made[0]);
	return rc;
}

static int clone_step(struct weft_req *r)
{
	struct clone *k = weft_container_of(r, struct clone, agree.req);
	struct weft_comm *made;
	int rc = weft_agree_step(&k->agree);

	if (rc != 1)
		return rc;
	rc = clone_end(k, &made);
	if (rc)
		return rc;
	k->ready(k->arg, made);
	return 1;
}

static void clone_free(struct weft_req *r)
{
	struct clone *k = weft_container_of(r, struct clone, agree.req);

	weft_comm_put(k->of);
	r->obj.kind = WEFT_KIND_FREE;
	free(k);
}

static const struct weft_req_ops clone_ops = {
	.name = "communicator duplicate",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = clone_step,
	.query = weft_req_no_query,
	.free = clone_free,
};

int weft_make_iclone(struct weft_comm *c,
		     void (*ready)(void *arg, struct weft_comm *made),
		     void *arg, struct weft_req **req_p)
{
	struct clone *k = malloc(sizeof(*k));
	int rc = k ? clone_begin(k, c) : -ENOMEM;

	if (rc) {
		free(k);
		return rc;
	}
	weft_comm_get(c);
	k->ready = ready;
	k->arg = arg;
	weft_req_init(&k->agree.req, &clone_ops, c,
		      WEFT_REQ_ACTIVE | WEFT_REQ_SEND);
	*req_p = &k->agree.req;
	weft_agree_start(&k->agree);
	return 0;
}

/* ---- subsets ------------------------------------------------------------- */

int weft_make_create(struct weft_comm *c, struct weft_group *g,
		     struct weft_comm **comm_p)
{
	struct weft_channel m;
	unsigned id;
	int rc;

	if (c->inter)
		return weft_inter_subset(c, g, comm_p);
	m = weft_channel_of(c);
	rc = weft_agree_wait(&m, 1, &id);
	return rc ? rc : create_on_group(c, g, id, comm_p);
}

int weft_comm_subset(struct weft_comm *c, const int *ranks, int n,
		     struct weft_comm **comm_p)
{
	struct weft_group *g = weft_group_new(n);
	int i, rc;

	if (!g)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		g->proc[i] = c->group->proc[ranks[i]];
	weft_group_ready(g);
	rc = weft_make_create(c, g, comm_p);
	weft_group_put(g);
	return rc;
}

/*
 * Creates a communicator over g; only the members of g agree on its id, with
 * messages in context ctx.
 */
static int create_among(struct weft_comm *parent, struct weft_group *g,
			uint64_t ctx, int tag, struct weft_comm **comm_p)
{
	struct weft_comm scratch;
	struct weft_channel m = { &scratch, WEFT_P2P_GROUP, tag };
	unsigned id;
	int rc;

	*comm_p = NULL;
	if (g->rank == MPI_UNDEFINED)
		return 0;
	weft_channel_scratch(&scratch, ctx, g->proc, g->size, g->rank);
	rc = weft_agree_wait(&m, 1, &id);
	return rc ? rc : create_on_group(parent, g, id, comm_p);
}

int weft_make_group(struct weft_comm *c, struct weft_group *g, int tag,
		    struct weft_comm **comm_p)
{
	return create_among(c, g, c->ctx, tag, comm_p);
}

int weft_make_tag(const char *text)
{
	uint32_t h = 2166136261u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return (int)(h & WEFT_TAG_MASK);
}

int weft_make_from_group(struct weft_group *g, const char *stringtag,
			 struct weft_comm **comm_p)
{
	return create_among(NULL, g,
			    (uint64_t)WEFT_CTX_NO_COMM << WEFT_TAG_CTX_SHIFT,
			    weft_make_tag(stringtag), comm_p);
}

/* ---- split --------------------------------------------------------------- */

static int split_intra(struct weft_comm *c, int color, int key,
		       struct weft_comm **comm_p)
{
	struct weft_split *all = malloc((size_t)c->size * sizeof(*all));
	struct weft_channel m;
	struct weft_group *g;
	unsigned id;
	int rc = all ? weft_split_gather(c, color, key, all) : -ENOMEM;

	if (!rc) {
		m = weft_channel_of(c);
		rc = weft_agree_wait(&m, 1, &id);
	}
	if (!rc && color == MPI_UNDEFINED) {
		*comm_p = NULL;
		weft_ctx_free(id);
	} else if (!rc) {
		g = weft_split_group(all, c->group, color);
		rc = g ? create_on_group(c, g, id, comm_p) : -ENOMEM;
		weft_group_put(g);
	}
	free(all);
	return rc;
}

int weft_comm_split(struct weft_comm *c, int color, int key,
		    struct weft_comm **comm_p)
{
	return c->inter ? weft_inter_split(c, color, key, comm_p)
			: split_intra(c, color, key, comm_p);
}
