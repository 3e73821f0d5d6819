/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The carrier interface of the virtual-time runtime: connects a rank to the
 * world of its job. This file contains open and close, peers, notes, and the
 * tables; vt.h lists the other files.
 */
#include "prov/vt/vt.h"
#include "prov/vt/route/vt_route.h"
#include "prov/net/fault/net_fault.h"
#include "prov/net/file/net_name.h"
#include "prov/net/file/net_map.h"
#include "src/os/alive.h"
#include "src/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- open and close ------------------------------------------------------ */

static void vt_free(struct vt *v)
{
	for (uint32_t i = 0; i < v->contacted_count; i++)
		free(v->contacted[i]);
	free(v->route);
	weft_hash_fini(&v->peers);
	vt_compute_close(v);
	free(v->contacted);
	free(v);
}

static int vt_init(struct vt *v, const struct weft_carrier_attr *attr)
{
	struct weft_vt *w = attr->world;

	v->base.ops = &weft_carrier_vt;
	v->base.mtu = w->packet_bytes;
	v->base.short_bytes = v->base.mtu;
	v->w = w;
	v->rank = w->rank;
	v->me = &w->rank_of[w->rank];
	v->up = attr->up;
	v->up_arg = attr->up_arg;
	v->combine = attr->combine;
	v->change = attr->change;
	v->threads = attr->threads;
	v->no_dma = attr->no_dma;
	vt_interface_init(v, attr);
	if (!w->park)
		vt_cpus_add(w->head);
	v->last_to = VT_NONE;
	v->end_ps = w->cold_of[w->rank].end_ps;
	v->watched = w->park ? 0 : VT_MEASURED_RUNS;
	v->shares = w->park;
	v->check_next = w->rank + 1;
	weft_hash_init(&v->peers);
	v->route = calloc(WEFT_BACKEND_ROUTES, sizeof(*v->route));
	return v->route ? 0 : -ENOMEM;
}

static int init_all(struct vt *v, const struct weft_carrier_attr *attr)
{
	int ret = vt_init(v, attr);

	return ret ? ret : vt_compute_open(v);
}

static int vt_open(const struct weft_carrier_attr *attr,
		   struct weft_carrier **c_p)
{
	struct vt *v;
	int ret;

	if (!attr->world) {
		weft_log(WEFT_LOG_ERROR,
			 "virtual time: the ranks of the job are not known; "
			 "run under MPI, or set FI_WEFT_JOB=name:rank:size");
		return -EINVAL;
	}
	if (attr->world->in_use && !attr->world->park) {
		weft_log(WEFT_LOG_ERROR,
			 "virtual time: this rank already has an endpoint; "
			 "only one per rank is supported");
		return -EBUSY;
	}
	v = calloc(1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	ret = init_all(v, attr);
	if (ret) {
		vt_free(v);
		return ret;
	}
	weft_guard_init();
	attr->world->in_use = true;
	if (v->threads)
		v->w->head->threads = 1;
	if (!v->w->park)
		v->me->start = weft_proc_start((uint32_t)getpid());
	v->w->hosted = v;
	/* R7 pairs with A7 in vt_rank_alive() */
	weft_store32(&v->me->pid, (uint32_t)getpid());
	vt_exit(v);
	*c_p = &v->base;
	return 0;
}

/*
 * Posts a notice that the rank leaves; in virtual time it takes effect after
 * the rank's last packet.
 */
static void post_leave(struct vt *v)
{
	uint32_t i = v->out ? VT_NONE : vt_buf_get(v);

	if (i != VT_NONE) {
		vt_buf(v->w, i)->kind = VT_LEAVE;
		vt_buf(v->w, i)->more = 0;
		vt_post(v, i);
	}
}

static void vt_close(struct weft_carrier *c)
{
	struct vt *v = vt_of(c);

	post_leave(v);
	vt_world_leave(v);
	vt_free(v);
}

/*
 * Leaves the world. At the end of a job all ranks leave, so a notice is posted
 * only if ranks may fail.
 */
void weft_vt_leave(struct weft_carrier *c)
{
	struct vt *v = vt_of(c);

	if ((v->w->head->node_dead || v->w->head->ends_planned) &&
	    !v->me->leave_err)
		post_leave(v);
	vt_world_leave(v);
}

/* ---- peers --------------------------------------------------------------- */

static void vt_name_get(struct weft_carrier *c, union weft_name *name)
{
	weft_vt_name(vt_of(c)->w, vt_of(c)->rank, name);
}

/* Enlarges the tables for one more contacted rank. */
static int contacted_grow(struct vt *v)
{
	uint32_t room = v->contacted_room ? 2 * v->contacted_room : 8;
	struct vt_peer **more;

	if (v->contacted_count < v->contacted_room)
		return 0;
	more = realloc(v->contacted, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	v->contacted = more;
	v->contacted_room = room;
	return 0;
}

static struct vt_peer *peer_add(struct vt *v, uint32_t rank)
{
	struct vt_peer *p = contacted_grow(v) ? NULL : calloc(1, sizeof(*p));

	if (!p || weft_hash_set(&v->peers, rank, p)) {
		free(p);
		return NULL;
	}
	weft_vt_name(v->w, rank, &p->name);
	p->base.name = &p->name;
	p->base.index = v->contacted_count;
	p->rank = rank;
	v->contacted[v->contacted_count++] = p;
	/* a peer that has already left is reported at the next poll */
	v->left_seen = weft_load32(&v->w->head->left) - 1;
	return p;
}

static int vt_peer(struct weft_carrier *c, const union weft_name *name,
		   struct weft_peer **peer_p)
{
	struct vt *v = vt_of(c);
	struct vt_peer *p;
	uint32_t rank;
	int ret = vt_name_rank(v->w, name, &rank);

	if (ret)
		return ret;
	p = weft_hash_get(&v->peers, rank);
	if (!p)
		p = peer_add(v, rank);
	if (!p)
		return -ENOMEM;
	*peer_p = &p->base;
	return 0;
}

/*
 * Sets *area_p to the shared area of a peer, which is stored in the world, and
 * *bytes_p to its size.
 */
static int vt_share(struct weft_carrier *c, struct weft_peer *peer,
		    void **area_p, size_t *bytes_p)
{
	struct vt *v = vt_of(c);
	uint32_t rank = peer ? ((struct vt_peer *)peer)->rank : v->rank;

	*area_p = v->w->shares + (size_t)rank * VT_SHARE_BYTES;
	*bytes_p = VT_SHARE_BYTES;
	return 0;
}

/* ---- operations that the model does not have ----------------------------- */

static int vt_no_dma(struct weft_carrier *c, struct weft_peer *peer,
		     const struct iovec *local, int count, uint64_t remote)
{
	(void)c;
	(void)peer;
	(void)local;
	(void)count;
	(void)remote;
	return -EOPNOTSUPP;
}

static int vt_no_fd(struct weft_carrier *c)
{
	(void)c;
	return -EOPNOTSUPP;
}

static int vt_no_window(struct weft_carrier *c, struct weft_peer *peer,
			size_t at, size_t bytes, void **area_p)
{
	(void)c;
	(void)peer;
	(void)at;
	(void)bytes;
	(void)area_p;
	return -EOPNOTSUPP;
}

static void vt_no_window_close(struct weft_carrier *c, void *area, size_t bytes)
{
	(void)c;
	(void)area;
	(void)bytes;
}

static void vt_watch(struct weft_carrier *c, const struct weft_carrier_watch *w)
{
	(void)c;
	(void)w;
}

static void vt_nudge(struct weft_carrier *c, struct weft_peer *peer)
{
	(void)c;
	(void)peer;
}

static void vt_stats(struct weft_carrier *c, struct weft_carrier_stats *s)
{
	struct vt *v = vt_of(c);

	*s = v->stats;
	/* relaxed: statistics only */
	s->resent += weft_load32_relaxed(&vt_rank(v->w, v->rank)->error_events);
}

/* ---- clock of the rank --------------------------------------------------- */

static uint64_t vt_now_ps(struct weft_carrier *c, bool pay)
{
	struct vt *v = vt_of(c);
	uint64_t now;

	vt_enter(v);
	now = vt_now(v->me);
	if (pay && !v->out)
		vt_clock_advance(v->me, v->w->cfg.wtime_ps);
	if (pay)
		vt_clock_read(v);
	vt_exit(v);
	return now;
}

static uint64_t vt_tick_ps(struct weft_carrier *c)
{
	(void)c;
	return 1;
}

/*
 * Advances the clock by a computation of duration ps, instead of by the
 * measured computation since the last call.
 */
static void vt_compute(struct weft_carrier *c, uint64_t ps)
{
	struct vt *v = vt_of(c);

	if (!v->out)
		vt_computed(v, ps);
	vt_idle_polls_set(v, 0);
	vt_exit(v);
}

static void vt_device_copied(struct weft_carrier *c, uint64_t bytes)
{
	struct vt *v = vt_of(c);
	const struct net_config *cfg = &v->w->cfg;

	vt_enter(v);
	if (!v->out)
		vt_clock_advance(v->me,
				 cfg->device_copy_ps +
					 bytes * cfg->device_ps_x1000 / 1000);
	vt_idle_polls_set(v, 0);
	vt_exit(v);
}

static void vt_long_message(struct weft_carrier *c)
{
	struct vt *v = vt_of(c);

	v->long_message = true;
	v->long_ps = v->w->cfg.eager_message_ps;
}

/* ---- ranks that have ended ----------------------------------------------- */

int weft_vt_failure(struct weft_carrier *c, uint32_t i,
		    struct weft_vt_failure *f)
{
	struct vt *v = vt_of(c);
	struct weft_vt *w = v->w;
	const struct vt_rank_cold *end;
	const struct vt_peer *p;
	uint32_t rank;

	if (i >= w->size || i >= weft_load32(&w->head->failures))
		return -ENOENT;
	rank = w->cold_of[i].failure;
	if (rank >= w->size || w->cold_of[rank].known_ps > vt_now(v->me))
		return -ENOENT;
	end = &w->cold_of[rank];
	p = weft_hash_get(&v->peers, rank);
	*f = (struct weft_vt_failure){
		.rank = rank,
		.has_left = end->has_left,
		.is_silent = p ? p->base.lost
			       : weft_load32(&w->rank_of[rank].exit_err) &&
					     vt_next(v) == VT_NEVER,
		.failed_ps = end->failed_ps,
		.known_ps = end->known_ps,
	};
	return 0;
}

/* ---- notes and counters -------------------------------------------------- */

int weft_vt_note(struct weft_carrier *c, int64_t peer, const char *text)
{
	struct vt *v = vt_of(c);
	struct weft_vt_note *n = &v->w->cold_of[v->rank].note;
	uint32_t left;

	n->peer = peer;
	n->clock_ps = vt_now(v->me);
	n->state = WEFT_VT_BLOCKED;
	snprintf(n->text, sizeof(n->text), "%s", text);
	/* R6 pairs with A6: the last rank sees the notes of all others. */
	left = weft_add32(&v->w->head->unreported, (uint32_t)-1) - 1;
	return (int)left;
}

int weft_vt_read_note(struct weft_carrier *c, uint32_t rank,
		      struct weft_vt_note *note)
{
	struct vt *v = vt_of(c);
	struct vt_rank *r;
	uint32_t status;

	if (rank >= v->w->size)
		return -EINVAL;
	r = &v->w->rank_of[rank];
	if (weft_load32(&r->status) == WEFT_VT_VACANT)
		return -ENOENT;
	/*
	 * A6 pairs with R6 in vt_note(), for the rank that was the last to
	 * record its wait
	 */
	*note = v->w->cold_of[rank].note;
	note->clock_ps = vt_now(r);
	/* A8 pairs with R8 in vt_world_leave() */
	status = weft_load32(&r->status);
	if (status >= WEFT_VT_DONE)
		note->state = status;
	else if (vt_background_has_ended(v->w, rank))
		note->state = WEFT_VT_LEFT;
	return 0;
}

/* Returns the number of nodes that have a rank; 0: out of memory. */
static uint32_t nodes_used(struct weft_vt *w)
{
	uint32_t nodes = net_shape_nodes(&w->cfg), n = 0;
	bool *used = calloc(nodes, sizeof(*used));

	for (uint32_t i = 0; used && i < w->size; i++) {
		uint32_t node = w->rank_of[i].node;

		if (node >= nodes || used[node] ||
		    weft_load32(&w->rank_of[i].status) == WEFT_VT_VACANT)
			continue;
		used[node] = true;
		n++;
	}
	free(used);
	return n;
}

void weft_vt_count(struct weft_carrier *c, struct weft_vt_count *count)
{
	struct vt *v = vt_of(c);
	struct net_count n;

	net_count_get(v->w->net, &n);
	*count = (struct weft_vt_count){
		.now_ps = vt_reached(v->w),
		.events = n.events,
		.hops = n.hops,
		.packets = n.delivered,
		.hash = n.hash,
		.passes = v->w->head->passes,
		.routes = v->w->head->routes_opened,
		.route_parts = v->w->head->route_parts,
		.route_bytes = v->w->head->route_bytes,
		.route_atomics = v->w->head->route_atomics,
		.discards = v->w->head->discards,
		.nodes = net_shape_nodes(&v->w->cfg),
		.nodes_used = nodes_used(v->w),
		.computed_ns = v->w->compute > 0 ? 0 : v->computed_ns,
		.compute_free = v->w->compute <= 0,
	};
}

int weft_vt_link(struct weft_carrier *c, uint32_t node, unsigned port,
		 struct weft_vt_link *l)
{
	const struct weft_vt *w = vt_of(c)->w;
	const struct net_config *cfg = &w->cfg;
	struct net_port_count n;
	struct net_fault_port f;

	if (node >= net_nodes(w->net) || port >= net_ports(w->net))
		return -EINVAL;
	if (net_neighbour(w->net, node, port) < 0)
		return -ENOENT;
	net_port_get(w->net, node, port, &n);
	static_assert(sizeof(l->name) == NET_CLASS_NAME, "names of links");
	net_class_name(cfg, net_class_of(cfg, node, port), l->name);
	net_link_name(cfg, node, port, l->node, sizeof(l->node));
	l->packets = n.packets;
	l->bytes = n.chunks * cfg->chunk_bytes;
	l->busy_ps = n.busy_ps;
	l->queued_ps = n.queued_ps;
	net_fault_port_get(w->net, node, port, &f);
	l->bad = f.bad;
	l->detours = f.detours;
	l->retry_ps = f.retry_ps;
	l->dead = f.dead;
	return 0;
}

/* ---- operation tables ---------------------------------------------------- */

static const struct weft_backend_routes vt_routes = {
	.open = vt_route_open,
	.close = vt_route_close,
	.can = vt_route_can,
	.chained = vt_route_chained,
	.send = vt_route_send,
	.take = vt_route_take,
};

const struct weft_backend weft_backend_vt = {
	.paths = true,
	.acks = true,
	.any_route = true,
	.transfers_later = true,
	.atomics = true,
	.shares_early = true,
	.blocks_at_once = true,
	.observes_reads = true,
	.has_world = true,
	.now_ps = vt_now_ps,
	.tick_ps = vt_tick_ps,
	.compute = vt_compute,
	.device_copied = vt_device_copied,
	.file = vt_file_access,
	.completed = vt_completed,
	.verdict = vt_verdict,
	.long_message = vt_long_message,
	.routing = vt_path_record,
	.full = vt_full,
	.path = vt_path,
	.matches = vt_interface_matches,
	.searched = vt_interface_searched,
	.get = vt_get,
	.put = vt_put,
	.atomic = vt_atomic,
	.routes = &vt_routes,
};

/* Does nothing, because the model decides when processes end. */
static void vt_ended(struct weft_carrier *c, struct weft_peer *peer)
{
	(void)c;
	(void)peer;
}

const struct weft_carrier_ops weft_carrier_vt = {
	.name = "vt",
	.backend = &weft_backend_vt,
	.open = vt_open,
	.close = vt_close,
	.name_get = vt_name_get,
	.peer = vt_peer,
	.send = vt_send,
	.poll = vt_poll,
	.read = vt_no_dma,
	.write = vt_no_dma,
	.wait = vt_wait,
	.wake = vt_wake,
	.wait_fd = vt_no_fd,
	.arm = vt_no_fd,
	.share = vt_share,
	.window = vt_no_window,
	.window_close = vt_no_window_close,
	.watch = vt_watch,
	.nudge = vt_nudge,
	.ended = vt_ended,
	.stats = vt_stats,
};
