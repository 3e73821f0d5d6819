/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation and freeing of communicators, including MPI_COMM_WORLD and
 * MPI_COMM_SELF.
 */
#include "src/comm/comm.h"

#include "src/comm/comm_coll_table.h"
#include "src/comm/comm_context.h"
#include "src/diag/diag_call.h"
#include "src/diag/diag_peer_failure.h"
#include "src/diag/diag_err.h"
#include "src/types/types_info.h"
#include "src/core/core_state.h"
#include "src/msg/msg_tag.h"
#include "src/recover/recover.h"
#include "src/types/types_topo.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WEFT_HOT_DATA struct weft_comm *weft_comm_predef[4];

static void set_name(struct weft_comm *c, const char *name)
{
	snprintf(c->name, sizeof(c->name), "%s", name);
}

bool weft_comm_has_foreign(const struct weft_group *g)
{
	for (int i = 0; i < g->size; i++)
		if (g->proc[i] >= weft_core.job.size)
			return true;
	return false;
}

/*
 * Counts the communicators with processes of other jobs, and records for
 * mpiexec when the last one is freed: this process is then not affected by
 * failures of other jobs. In virtual time all jobs end together.
 */
static void count_foreign(int change)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int count;

	if (weft_core.backend->world)
		return;
	pthread_mutex_lock(&lock);
	count += change;
	weft_call_set_apart(!count);
	pthread_mutex_unlock(&lock);
}

int weft_comm_create(struct weft_comm *parent, struct weft_group *group,
		     struct weft_group *remote, unsigned ctx_id,
		     struct weft_comm **comm_p)
{
	struct weft_comm *c = calloc(1, sizeof(*c));
	struct weft_group *peers = remote ? remote : group;
	int rc = -ENOMEM;

	if (!c)
		goto err_groups;
	weft_obj_init(&c->obj, WEFT_KIND_COMM);
	c->ctx = (uint64_t)ctx_id << WEFT_TAG_CTX_SHIFT;
	if (parent)
		weft_group_set_session(group, parent->group->session);
	weft_group_set_session(remote, group->session);
	c->group = group;
	c->remote = remote;
	c->inter = remote != NULL;
	c->foreign = weft_comm_has_foreign(group) ||
		     (remote && weft_comm_has_foreign(remote));
	c->rank = group->rank;
	c->size = group->size;
	c->peers = peers->size;
	c->reach = (unsigned)peers->size;
	c->proc = peers->proc;
	c->errh = parent ? weft_errh_get(parent->errh)
			 : weft_errh_get(weft_errh_of(MPI_ERRORS_ARE_FATAL));
	rc = weft_core_coll_get()->attach(c);
	if (rc)
		goto err_comm;
	weft_comm_list_add(c);
	if (weft_unlikely(c->foreign))
		count_foreign(1);
	if (weft_unlikely(weft_core.survives))
		weft_recover_comm_opened(c);
	*comm_p = c;
	return 0;
err_comm:
	weft_errh_put(c->errh);
	free(c);
err_groups:
	weft_group_put(group);
	weft_group_put(remote);
	return rc;
}

void weft_comm_put(struct weft_comm *c)
{
	if (!weft_obj_put(&c->obj))
		return;
	weft_comm_list_remove(c);
	/*
	 * freeing a communicator in MPI_Finalize does not count as a disconnect
	 */
	if (weft_unlikely(c->foreign) && weft_running())
		count_foreign(-1);
	weft_core_coll_get()->detach(c);
	if (!weft_core.survives || !weft_recover_comm_closed(c))
		weft_ctx_free((unsigned)(c->ctx >> WEFT_TAG_CTX_SHIFT));
	if (c->topo)
		weft_topo_close(c->topo);
	if (c->info)
		weft_info_close(c->info);
	if (c->local)
		weft_comm_put(c->local);
	weft_errh_put(c->errh);
	weft_group_put(c->group);
	weft_group_put(c->remote);
	c->obj.kind = WEFT_KIND_FREE;
	free(c);
}

/* ---- world and self ------------------------------------------------------ */

static int open_predefined(int first, int size, unsigned ctx_id,
			   const char *name, struct weft_comm **comm_p)
{
	struct weft_group *g = weft_group_new(size);
	int i, rc;

	if (!g)
		return -ENOMEM;
	for (i = 0; i < size; i++)
		g->proc[i] = first + i;
	weft_group_ready(g);
	rc = weft_comm_create(NULL, g, NULL, ctx_id, comm_p);
	if (!rc)
		set_name(*comm_p, name);
	return rc;
}

int weft_comm_open_predefined(void)
{
	int rc;

	rc = open_predefined(0, weft_core.job.size, WEFT_CTX_WORLD,
			     "MPI_COMM_WORLD", &weft_core.world);
	if (!rc)
		rc = open_predefined(weft_core.job.rank, 1, WEFT_CTX_SELF,
				     "MPI_COMM_SELF", &weft_core.self);
	if (rc)
		return rc;
	weft_core.world->obj.predefined = (uint32_t)(uintptr_t)MPI_COMM_WORLD;
	weft_core.self->obj.predefined = (uint32_t)(uintptr_t)MPI_COMM_SELF;
	weft_comm_predef[(uintptr_t)MPI_COMM_WORLD & 3] = weft_core.world;
	weft_comm_predef[(uintptr_t)MPI_COMM_SELF & 3] = weft_core.self;
	return 0;
}

void weft_comm_close_predefined(void)
{
	weft_comm_put(weft_core.world);
	weft_comm_put(weft_core.self);
	weft_core.world = NULL;
	weft_core.self = NULL;
	memset(weft_comm_predef, 0, sizeof(weft_comm_predef));
}

void weft_comm_close_all(void)
{
	/*
	 * The endpoint cannot be closed, and cannot notify its peers, while
	 * routes are open. So communicators that the application has not freed
	 * are detached as well.
	 */
	weft_comm_list_each(weft_core_coll_get()->detach);
}
