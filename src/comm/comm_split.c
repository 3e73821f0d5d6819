/* SPDX-License-Identifier: BSD-3-Clause */
/* Computing the groups of MPI_Comm_split (comm_split.h). */
#include "src/comm/comm_split.h"

#include "src/comm/comm_channel.h"

#include <errno.h>
#include <stdlib.h>

static int by_key(const void *a, const void *b)
{
	const struct weft_split *x = a;
	const struct weft_split *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->rank < y->rank ? -1 : 1;
}

struct weft_group *weft_split_group(const struct weft_split *all,
				    const struct weft_group *of, int color)
{
	int n = of->size;
	struct weft_split *mine = malloc((size_t)n * sizeof(*mine));
	struct weft_group *g = NULL;
	int i, count = 0;

	if (!mine)
		return NULL;
	for (i = 0; i < n; i++)
		if (all[i].color == color)
			mine[count++] = all[i];
	qsort(mine, (size_t)count, sizeof(*mine), by_key);
	g = weft_group_new(count);
	for (i = 0; g && i < count; i++)
		g->proc[i] = of->proc[mine[i].rank];
	free(mine);
	if (g)
		weft_group_ready(g);
	return g;
}

int weft_split_gather(struct weft_comm *c, int color, int key,
		      struct weft_split *all)
{
	struct weft_channel m = weft_channel_of(c);

	all[c->rank] = (struct weft_split){ color, key, c->rank };
	return weft_channel_allgather(&m, all, sizeof(*all));
}
