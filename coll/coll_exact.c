/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of doubles that are rounded once: the same bits whatever the number of
 * ranks, the tree, the order and the algorithm. WEFT_EXACT=1 asks for it
 * everywhere, the info key weft_exact on one communicator (it wins); both must
 * be the same on all ranks. MPI_Reduce and MPI_Allreduce have it, with
 * MPI_SUM on 64-bit floating point, in all forms, within one group.
 *
 * The unit does it. A communicator that has not joined a class route, or got
 * none, joins a group for it here; a nonblocking call does not wait for that,
 * its step does.
 */
#include "coll/coll_select.h"

#include "src/base/log.h"
#include "src/core/core_info.h"
#include "src/core/core_opts.h"

#include <errno.h>
#include <string.h>

#define EXACT_SALT 1 /* the communicator's own route has 0 */

static bool is_exact(struct weft_comm *comm)
{
	char text[8];

	if (comm->info && weft_info_get(comm->info, "weft_exact", text,
					sizeof(text)) >= 0)
		return !strcmp(text, "1") || !strcmp(text, "true") ||
		       !strcmp(text, "yes");
	return weft_core_exact;
}

/* Says once that a promise cannot be kept. */
static bool can_be_exact(void)
{
	static bool told;

	if (weft_unit_here() || told)
		return weft_unit_here();
	told = true;
	weft_log(WEFT_LOG_WARN, "exact sums need the weft provider: "
				"WEFT_EXACT has no effect");
	return false;
}

bool coll_exact_wanted(const struct weft_coll_args *a)
{
	if (a->kind != WEFT_COLL_REDUCE && a->kind != WEFT_COLL_ALLREDUCE)
		return false;
	if (!weft_core_exact && !a->comm->info)
		return false;
	return !a->comm->inter && a->comm->size > 1 &&
	       a->r.dt->basic == WEFT_BASIC_F64 &&
	       weft_obj_handle(&a->op->obj) == MPI_SUM &&
	       is_exact(a->comm) && can_be_exact();
}

/* The route such a call takes; a persistent one has its own. */
static struct weft_route *exact_route(const struct weft_coll_args *a)
{
	struct weft_route *own = coll_route(a);

	return own ? own : a->comm->tree;
}

int coll_exact_join(const struct weft_coll_args *a, bool wait)
{
	struct weft_comm *comm = a->comm;
	int rc;

	if (!exact_route(a)) {
		rc = weft_route_open(comm, EXACT_SALT, false, &comm->tree);
		if (rc)
			return rc;
	}
	if (wait && weft_route_wait(exact_route(a)) == WEFT_ROUTE_FAILED)
		return -EIO;
	return 0;
}

void coll_reduction_exact(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct weft_unit_call call = {
		.kind = a->kind == WEFT_COLL_REDUCE ? WEFT_UNIT_REDUCE :
						      WEFT_UNIT_ALLREDUCE,
		.root = a->root, .in = coll_input(a), .out = a->r.buf,
		.count = a->r.count, .dt = a->r.dt, .op = a->op,
		.exact = true, .route = exact_route(a),
	};

	if (call.count)
		coll_unit(p, &call);
}
