/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that all parts of an engine pass use: release of ranks, arrival and
 * completion of packets, messages to the model. Also the measurement of a
 * rank's runs.
 */
#include "prov/vt/vt.h"
#include "prov/net/fault/net_fault.h"
#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/base/log.h"
#include "src/base/must.h"
#include "src/base/permute.h"

#include <string.h>
#include <time.h>

/* ---- CPU time of the program --------------------------------------------- */

/*
 * Duration above which a run is long, ns. CPU time of a long run counts as
 * computation; a run that is long in wall time starts the measurement of CPU
 * time.
 */
#define LONG_NS 1000000u

/*
 * Measures the CPU time of the program between calls, for a message at the end
 * of the job. Reading the CPU time is a system call, so it is read only in the
 * first runs of a rank and after runs that were long in wall time.
 */
WEFT_HOT void vt_run_begin(struct vt *v)
{
	v->run_ns = weft_now_ns();
	if (weft_unlikely(v->watched))
		vt_cpu_begin(&v->run_cpu);
}

WEFT_HOT void vt_run_end(struct vt *v)
{
	uint64_t used;

	if (weft_unlikely(v->watched)) {
		used = vt_cpu_since(&v->run_cpu);
		v->watched--;
		if (used > LONG_NS)
			v->computed_ns += used;
	}
	if (weft_now_ns() - v->run_ns > LONG_NS)
		v->watched = VT_MEASURED_RUNS;
}

uint64_t vt_cost(const struct vt *v, uint64_t ps)
{
	if (weft_likely(!v->w->cfg.faults))
		return ps;
	return ps * net_fault_node_slowdown(v->w->net, v->me->node) / 1000;
}

/* ---- release of ranks ---------------------------------------------------- */

static bool freed(const struct vt_engine_pass *t, const struct vt_rank *r)
{
	return r->released_pass == t->w->head->passes;
}

/*
 * Returns the virtual time before which the released rank, or its interface,
 * cannot affect another rank. For an interface the time of a send call is not
 * included.
 */
static uint64_t release_end(struct weft_vt *w, uint32_t rank, uint64_t at)
{
	uint64_t now = vt_now(vt_rank(w, rank));

	if (weft_likely(!w->cfg.match_unit))
		return now + w->ahead_ps;
	return (vt_interface_runs(w, rank, at) ? at : now) + w->ahead_unit_ps;
}

void vt_rank_release(struct vt_engine_pass *t, uint32_t rank, uint64_t at)
{
	struct weft_vt *w = t->w;
	struct vt_rank *r = vt_rank(w, rank);
	uint64_t end;

	/* a timeout before the event ends the wait first */
	if (vt_due(w, rank) < at)
		at = vt_due(w, rank);
	vt_due_set(w, rank, VT_NEVER);
	/*
	 * release a rank once per pass, even if another of its threads has set
	 * a due time since
	 */
	if (freed(t, r))
		return;
	vt_require(w->wake_count < w->size);
	if (weft_unlikely(vt_interface_runs(w, rank, at)))
		vt_interface_of(w, rank)->run_ps = at;
	else if (vt_now(r) < at)
		vt_now_set(r, at);
	WEFT_GUARD_ASSERT(vt_now(r) >= at);
	w->wake[w->wake_count++] = rank;
	end = release_end(w, rank, at);
	if (end < t->horizon) {
		t->horizon = end;
		t->stop = true;
	}
	r->released_pass = w->head->passes;
}

void vt_rank_notify(struct vt_engine_pass *t, uint32_t rank, uint64_t at)
{
	struct weft_vt *w = t->w;
	struct vt_rank *r = vt_rank(w, rank);
	uint64_t step = w->cfg.poll_ps;
	uint64_t n;

	if (freed(t, r))
		return;
	switch (weft_load32(&r->status)) {
	case WEFT_VT_BLOCKED:
		vt_rank_release(t, rank, at);
		return;
	case WEFT_VT_POLLING:
	case WEFT_VT_POLL_LOOP:
		if (weft_unlikely(vt_interface_runs(w, rank, at))) {
			vt_rank_release(t, rank, at);
			return;
		}
		/*
		 * continue at the first poll that finds the event, if it is
		 * before the due time
		 */
		n = at > vt_now(r) ? (at - vt_now(r) + step - 1) / step : 1;
		if (vt_now(r) + n * step >= vt_due(w, rank))
			return;
		vt_due_set(w, rank, vt_now(r) + n * step);
		t->stop = true;
		return;
	default:
		return;
	}
}

/* Resets the count of idle passes, because polling ranks may find a packet. */
static void engine_busy(struct vt_engine_pass *t)
{
	/* relaxed: no rank runs */
	weft_store64_relaxed(&t->w->head->idle_passes, 0);
}

/* ---- arrival and completion ---------------------------------------------- */

void vt_arrive(struct vt_engine_pass *t, uint32_t rank, uint32_t i, bool quiet)
{
	struct vt_rank *r = vt_rank(t->w, rank);
	struct vt_buf *b = vt_buf(t->w, i);

	WEFT_GUARD_ASSERT(t->time_ps != VT_NEVER && r->in_tail != i);
	/* a rank that has ended reads nothing */
	if (weft_unlikely(r->leave_err) && t->w->cold_of[rank].ended) {
		vt_buf_return(t, i);
		return;
	}
	b->stamp = vt_interface_stamp(t, rank, b);
	/* relaxed: R4 publishes it */
	weft_store32_relaxed(&b->next, VT_NONE);
	/* R4 pairs with A4 in first_unread() */
	weft_store32(&vt_buf(t->w, r->in_tail)->next, i);
	r->in_tail = i;
	engine_busy(t);
	if (!quiet)
		vt_rank_notify(t, rank, b->stamp);
}

void vt_memory_changed(struct vt_engine_pass *t, uint32_t rank)
{
	/* a rank that blocks, without polling, waits for packets only */
	if (weft_load32(&vt_rank(t->w, rank)->status) != WEFT_VT_BLOCKED)
		vt_rank_notify(t, rank, t->time_ps);
	engine_busy(t);
}

void vt_rank_left(struct vt_engine_pass *t, uint32_t rank)
{
	struct vt_rank *r = &t->w->rank_of[rank];

	weft_store32(&r->exit_err, r->leave_err);
	weft_add32(&t->w->head->left, 1);
	/* some ranks may wait for the rank that has left */
	for (uint32_t i = 0; i < t->w->size; i++)
		vt_rank_notify(t, i, t->time_ps);
}

void vt_flight_done(struct vt_engine_pass *t, uint32_t rank)
{
	struct vt_rank *r = vt_rank(t->w, rank);

	WEFT_GUARD_ASSERT(r->in_flight);
	r->in_flight--;
	if (weft_unlikely(r->leave_err) && !r->in_flight)
		vt_rank_left(t, rank);
}

void vt_buf_return(struct vt_engine_pass *t, uint32_t i)
{
	struct weft_vt *w = t->w;
	uint32_t owner = vt_buf_owner(w, i);

	vt_push(w, &w->rank_of[owner].returned, i);
	/* relaxed: see vt_due() */
	if (weft_load32_relaxed(&w->rank_of[owner].waits_for) & VT_ROOM_BUFS)
		vt_rank_notify(t, owner, t->time_ps);
}

/* ---- messages to the model ----------------------------------------------- */

/*
 * Returns the virtual time, `at` or later, at which the network can accept a
 * message. The time is later than `at` only if a thread sends while another
 * thread of its rank is blocked.
 */
uint64_t vt_send_time(const struct weft_vt *w, uint64_t at)
{
	uint64_t first = vt_reached(w) - w->ahead_unit_ps;

	return at > first || first > vt_reached(w) ? at : first;
}

static const uint8_t net_routing_mode[] = {
	[WEFT_VC_ORDERED] = NET_DETERMINISTIC,
	[WEFT_VC_DYNAMIC] = NET_DYNAMIC,
	[WEFT_VC_HIGH] = NET_HIGH,
	[WEFT_VC_SYSTEM] = NET_SYSTEM,
};

/*
 * Returns the distance between consecutive FIFO numbers. If interfaces have
 * engines, the FIFO number modulo this distance selects the engine.
 */
static uint32_t vt_fifo_step(const struct weft_vt *w)
{
	return w->cfg.engines ? w->cfg.inject_fifos : 1;
}

/*
 * Returns the number of the injection FIFO for a destination. Engines serve
 * their FIFOs in the order of FIFO numbers. If the destination's number were
 * used, all nodes would send to the same nodes at the same time; so if the
 * machine has many FIFOs, each node uses a different order.
 */
static uint32_t fifo_of(const struct weft_vt *w, uint32_t from, uint32_t to)
{
	struct weft_permute order;

	if (!w->cfg.memory_fifos)
		return to;
	weft_permute_init(&order, from, w->size);
	return (uint32_t)weft_permute(&order, to);
}

void vt_msg_init(struct weft_vt *w, uint32_t from, uint32_t to,
		 const struct weft_pkt_attr *attr, struct net_msg *m)
{
	const struct vt_rank *r = vt_rank(w, from);
	uint32_t fifo = r->slot * 2 * w->fifos +
			(attr->fifo ? attr->fifo - 1u : fifo_of(w, from, to)) %
				w->fifos;

	vt_require(attr->vc < WEFT_COUNT_OF(net_routing_mode));
	*m = (struct net_msg){
		.src = r->node,
		.dst = vt_rank(w, to)->node,
		.fifo = fifo * vt_fifo_step(w),
		.routing = net_routing_mode[attr->vc],
		.path = attr->path,
		.path_in = attr->path_in,
		.zone = attr->zone,
		.stay = attr->stay,
		.spread = attr->spread && attr->vc == WEFT_VC_ORDERED,
		.ack = attr->ack && vt_acks(&w->cfg),
	};
	if (w->cfg.engines)
		m->fifo += (r->slot + (w->cfg.engines_by ? to : 0)) %
			   w->cfg.engines;
	static_assert(sizeof(m->hint) == sizeof(attr->hint), "dimensions");
	memcpy(m->hint, attr->hint, sizeof(m->hint));
}

void vt_msg_init_unit(struct weft_vt *w, uint32_t from, uint32_t to,
		      const struct weft_pkt_attr *attr, struct net_msg *m)
{
	vt_msg_init(w, from, to, attr, m);
	m->fifo += w->fifos * vt_fifo_step(w);
}

void vt_msg_init_sent(struct weft_vt *w, const struct vt_buf *b,
		      struct net_msg *m)
{
	if (weft_unlikely(b->by_interface))
		vt_msg_init_unit(w, b->from, b->to, &b->attr, m);
	else
		vt_msg_init(w, b->from, b->to, &b->attr, m);
}

void vt_model_send(struct weft_vt *w, uint64_t at, const struct net_msg *m)
{
	if (!net_send(w->net, at, m))
		return;
	weft_log(WEFT_LOG_ERROR,
		 "vt: the network model cannot send a message of %llu bytes",
		 (unsigned long long)m->bytes);
	vt_require(false);
}

void vt_rank_send(struct weft_vt *w, uint64_t at, uint32_t from, uint32_t to,
		  const struct net_msg *m)
{
	if (weft_unlikely(vt_memory_shared(w, from, to)))
		vt_memory_send(w, at, m);
	else
		vt_model_send(w, at, m);
}

unsigned vt_path_of(const struct net_config *cfg, const char *name)
{
	for (unsigned i = 0; i < net_config_paths(cfg); i++)
		if (!strcmp(cfg->path[i].name, name))
			return i;
	return 0;
}

/* ---- broken world -------------------------------------------------------- */

/*
 * Handles a broken model: the first process that detects it wakes the ranks
 * that block without a timeout.
 */
void vt_result_broken(struct vt *v)
{
	struct weft_vt *w = v->w;

	if (weft_load32(&w->head->broken) == VT_BROKEN_NOTIFIED ||
	    weft_swap32(&w->head->broken, VT_BROKEN_NOTIFIED) ==
		    VT_BROKEN_NOTIFIED)
		return;
	for (uint32_t i = 0; i < w->size; i++)
		weft_futex_wake(&w->rank_of[i].status, WEFT_FUTEX_ALL,
				WEFT_FUTEX_PROCESSES);
}

void vt_mark_broken(struct vt *v)
{
	weft_store32(&v->w->head->broken, VT_BROKEN);
	vt_result_broken(v);
}
