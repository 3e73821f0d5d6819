/* SPDX-License-Identifier: BSD-3-Clause */
/* Life cycle of a route, from join to close. */
#include "src/offload/offload_route.h"

#include "src/core/core_fi.h"
#include "src/comm/comm_exchange.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_req.h"
#include "src/offload/offload_route_call.h"
#include "src/core/core_state.h"
#include "src/diag/diag_trace.h"
#include "src/boot/boot_wire_up.h"

#include <errno.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>
#include <stdlib.h>

/* timeout of a wait while a route is being joined, in ms */
#define JOIN_WAIT_MS 20

static struct weft_list routes = { &routes, &routes };
/* event queue of joins; NULL: the provider has no collective unit */
static struct fid_eq *join_eq;

int weft_routes_open(void)
{
	struct weft_core *c = &weft_core;
	struct fi_eq_attr attr = { .wait_obj = FI_WAIT_NONE };
	int rc;

	if (!(c->info->caps & FI_COLLECTIVE))
		return 0;
	weft_route_calls_open();
	rc = fi_eq_open(c->fabric, &attr, &join_eq, NULL);
	return rc ? rc : fi_ep_bind(c->ep, &join_eq->fid, 0);
}

void weft_routes_close(void)
{
	if (!join_eq)
		return;
	fi_close(&join_eq->fid);
	join_eq = NULL;
	weft_route_calls_close();
}

/* ---- joining ------------------------------------------------------------- */

bool weft_routes_exist(void)
{
	return join_eq;
}

int weft_route_resolve(const struct weft_comm *comm)
{
	int rc = 0;

	for (int i = 0; !rc && i < comm->size; i++)
		rc = weft_wire_resolve(comm->proc[i]);
	return rc;
}

static int route_set(struct weft_route *r, uint64_t salt)
{
	struct weft_comm *comm = r->comm;
	/*
	 * the key contains the context, since several threads may join equal
	 * groups in any order
	 */
	const uint64_t key[2] = { comm->ctx, salt };
	struct fi_av_set_attr attr = { .start_addr = FI_ADDR_NOTAVAIL,
				       .end_addr = FI_ADDR_NOTAVAIL,
				       .comm_key = (uint8_t *)&key,
				       .comm_key_size = sizeof(key) };
	int rc = weft_route_resolve(comm);

	if (!rc)
		rc = fi_av_set(weft_core.av, &attr, &r->set, NULL);
	for (int i = 0; !rc && i < comm->size; i++)
		rc = fi_av_set_insert(r->set,
				      weft_core.proc[comm->proc[i]].real);
	return rc;
}

/*
 * Reads one event and records the completed join. Returns false if no event is
 * left.
 */
static bool route_event(void)
{
	struct fi_eq_err_entry err = { 0 };
	struct weft_route *r;
	struct fi_eq_entry e;
	uint32_t event;
	ssize_t n = fi_eq_read(join_eq, &event, &e, sizeof(e), 0);

	if (n == sizeof(e) && event == FI_JOIN_COMPLETE) {
		r = e.context;
		weft_store32(&r->joined, 1);
	} else if (n == -FI_EAVAIL && fi_eq_readerr(join_eq, &err, 0) > 0) {
		r = err.context;
		weft_store32(&r->joined, 2);
	} else {
		return false;
	}
	return true;
}

/*
 * Reads all events, including those for joins of other threads: the event of
 * one join may follow those of others, and no further event would end a wait
 * for it.
 */
static void route_events(void)
{
	weft_lock();
	while (route_event())
		;
	weft_unlock();
}

static void route_free(struct weft_route *r)
{
	weft_list_remove(&r->link);
	if (r->mc)
		fi_close(&r->mc->fid);
	if (r->set)
		fi_close(&r->set->fid);
	free(r);
}

int weft_route_open(struct weft_comm *comm, uint64_t salt,
		    struct weft_route **r_p)
{
	struct weft_route *r;
	fi_addr_t addr;
	int rc;

	if (!join_eq || comm->inter || comm->size < 2)
		return -EOPNOTSUPP;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->comm = comm;
	weft_lock();
	weft_list_push_back(&routes, &r->link);
	rc = route_set(r, salt);
	if (!rc)
		rc = fi_av_set_addr(r->set, &addr);
	if (!rc)
		rc = fi_join_collective(weft_core.ep, addr, r->set, 0, &r->mc,
					r);
	if (rc)
		route_free(r);
	else if (!weft_core.joining++)
		weft_progress_recheck();
	weft_unlock();
	if (!rc)
		*r_p = r;
	return rc ? weft_fi_errno(rc) : 0;
}

/* ---- providers with collectives, but without the extension --------------- */

static int no_route(struct fid *fid, struct fi_weft_route *route)
{
	return -FI_ENOSYS;
}

static int no_begin(struct fid *fid, struct fi_weft_work *work, uint64_t flags,
		    void (*done)(struct fi_weft_work *work, int err))
{
	return -FI_ENOSYS;
}

static int no_wait(struct fid *fid, struct fi_weft_work *work, int timeout_ms)
{
	return -FI_ENOSYS;
}

static void no_fail(struct fid *fid, int err)
{
}

static struct fi_weft_routes no_routes = {
	.size = sizeof(no_routes),
	.route = no_route,
	.begin = no_begin,
	.wait = no_wait,
	.fail = no_fail,
};

/* Queries the result of a completed join, once. */
static void route_query(struct weft_route *r)
{
	weft_lock();
	if (!r->ops) {
		weft_core.joining--;
		if (fi_open_ops(&r->mc->fid, FI_WEFT_ROUTES, 0,
				(void **)&r->ops, NULL))
			r->ops = &no_routes;
		if (r->ops->route(&r->mc->fid, &r->info))
			r->info.id = -1;
		weft_trace_route(r->comm, r->info.id);
	}
	weft_unlock();
}

enum weft_route_state weft_route_state(struct weft_route *r)
{
	if (!weft_load32(&r->joined))
		route_events();
	if (!weft_load32(&r->joined))
		return WEFT_ROUTE_JOINING;
	route_query(r);
	if (weft_load32(&r->joined) != 1)
		return WEFT_ROUTE_FAILED;
	return r->info.id >= 0 ? WEFT_ROUTE_CLASS : WEFT_ROUTE_MESSAGES;
}

size_t weft_route_max_bytes(const struct weft_route *r)
{
	return r->info.most;
}

bool weft_route_may_post(struct weft_route *r, uint32_t *number)
{
	bool joining = weft_route_state(r) == WEFT_ROUTE_JOINING;
	bool first;

	weft_lock();
	if (!*number && (joining || r->deferred != r->posted))
		*number = ++r->deferred;
	first = !*number || *number == r->posted + 1;
	weft_unlock();
	return first && !joining;
}

void weft_route_posted(struct weft_route *r, uint32_t *number)
{
	if (!*number)
		return;
	*number = 0;
	weft_lock();
	r->posted++;
	weft_unlock();
}

static bool route_is_busy(struct weft_route *r)
{
	bool deferred;

	weft_lock();
	deferred = r->deferred != r->posted;
	weft_unlock();
	return deferred || weft_route_state(r) == WEFT_ROUTE_JOINING;
}

/*
 * The provider ends a wait for completions when a join completes; the timeout
 * is only a precaution. The timeout is long: a thousand ranks that wake every
 * millisecond would leave no CPU time for the join.
 */
enum weft_route_state weft_route_wait(struct weft_route *r)
{
	struct weft_idle w = weft_idle_begin(NULL, 0, false);

	w.comm = r->comm;
	w.seq = (int)weft_load32(&r->comm->coll_seq);
	weft_idle_register(&w);
	while (route_is_busy(r)) {
		if (!weft_progress())
			weft_progress_block(w.mark, JOIN_WAIT_MS);
		w.mark = weft_load32(&weft_completed);
	}
	weft_idle_unregister(&w);
	return weft_route_state(r);
}

void weft_route_close(struct weft_route *r)
{
	if (!r)
		return;
	weft_route_wait(r);
	weft_lock();
	route_free(r);
	weft_unlock();
}

void weft_route_join(struct weft_comm *comm)
{
	if (join_eq && weft_comm_exchange_addresses(comm))
		return;
	if (weft_route_join_begin(comm))
		return;
	weft_route_join_wait(comm);
	/* a tree of messages is not used: coll/ has better algorithms */
	weft_route_close(comm->joining);
	comm->joining = NULL;
}

int weft_route_join_begin(struct weft_comm *comm)
{
	return weft_route_open(comm, 0, &comm->joining);
}

void weft_route_join_wait(struct weft_comm *comm)
{
	if (weft_route_wait(comm->joining) == WEFT_ROUTE_CLASS) {
		comm->route = comm->joining;
		comm->joining = NULL;
	}
}

void weft_route_leave(struct weft_comm *comm)
{
	if (comm->route)
		route_free(comm->route);
	weft_route_close(comm->joining);
	weft_route_close(comm->exact_route);
	comm->route = comm->joining = comm->exact_route = NULL;
}

bool weft_route_has_bulk(const struct weft_comm *comm)
{
	return comm->route && comm->route->info.bulk;
}

void weft_routes_fail(const struct weft_comm *comm, int err)
{
	struct fi_weft_routes *ops;
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &routes) {
		struct weft_route *r =
			weft_container_of(pos, struct weft_route, link);

		if (r->comm != comm || !r->mc ||
		    fi_open_ops(&r->mc->fid, FI_WEFT_ROUTES, 0, (void **)&ops,
				NULL))
			continue;
		ops->fail(&r->mc->fid, err);
	}
}
