/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups as lists of processes. */
#include "src/comm/comm_group.h"

#include "src/comm/comm_session.h"
#include "src/core/core_state.h"

#include <stdlib.h>

static struct weft_group empty = {
	.obj = { .kind = WEFT_KIND_GROUP,
		 .refs = 1,
		 .predefined = (uint32_t)0x109 },
	.rank = MPI_UNDEFINED,
};

struct weft_group *weft_group_of(MPI_Group handle)
{
	if (handle == MPI_GROUP_EMPTY)
		return &empty;
	return weft_obj_of(handle, WEFT_KIND_GROUP);
}

struct weft_group *weft_group_new(int size)
{
	struct weft_group *g;

	if (size == 0)
		return weft_group_get(&empty);
	g = malloc(sizeof(*g) + (size_t)size * sizeof(g->proc[0]));
	if (!g)
		return NULL;
	weft_obj_init(&g->obj, WEFT_KIND_GROUP);
	g->session = NULL;
	g->size = size;
	g->rank = MPI_UNDEFINED;
	return g;
}

void weft_group_set_session(struct weft_group *g, struct weft_session *s)
{
	if (!g || g->session == s || g->obj.predefined)
		return;
	weft_session_put(g->session);
	g->session = weft_session_get(s);
}

bool weft_group_is_mixed(const struct weft_group *a, const struct weft_group *b)
{
	return a->session != b->session && a != &empty && b != &empty;
}

int weft_group_rank_of(const struct weft_group *g, int proc)
{
	int i;

	/* most groups are a contiguous range of the job: check that first */
	if (g->size && proc >= g->proc[0] && proc - g->proc[0] < g->size &&
	    g->proc[proc - g->proc[0]] == proc)
		return proc - g->proc[0];
	for (i = 0; i < g->size; i++)
		if (g->proc[i] == proc)
			return i;
	return MPI_UNDEFINED;
}

void weft_group_ready(struct weft_group *g)
{
	if (g->size)
		g->rank = weft_group_rank_of(g, weft_core.job.rank);
}

void weft_group_put(struct weft_group *g)
{
	if (!g || !weft_obj_put(&g->obj) || g->obj.predefined)
		return;
	weft_session_put(g->session);
	g->obj.kind = WEFT_KIND_FREE;
	free(g);
}
