/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Failure detection by blocked ranks. A rank that is marked as running but
 * whose process has exited is declared dead. If no rank runs although some are
 * counted as running, or if the model runs without progress, the world has been
 * overwritten and no rank would ever be released; so the world is marked as
 * broken for all ranks.
 */
#include "prov/vt/vt.h"
#include "src/os/alive.h"
#include "src/base/clock.h"
#include "src/base/log.h"

#include <unistd.h>

/*
 * Real time without progress after which the world is declared broken, ns. A
 * rank that waits for a processor counts as running.
 */
#define STILL_NS    UINT64_C(20000000000)
/* CPU time that the model may use without any hop of a packet, s */
#define STILL_CPU_S 10u

/* ---- dead ranks ---------------------------------------------------------- */

static bool rank_declare_dead(struct vt *v, uint32_t rank)
{
	struct vt_rank *r = &v->w->rank_of[rank];
	uint32_t run = WEFT_VT_RUN;

	if (!weft_cas32(&r->status, &run, WEFT_VT_DEAD))
		return false;
	weft_log(WEFT_LOG_INFO, "vt: rank %u (pid %u) died", rank,
		 weft_load32(&r->pid));
	weft_store32(&v->w->head->late_run, 1);
	weft_store32(&v->w->head->died, 1);
	return weft_add32(&v->w->head->running, (uint32_t)-1) == 1;
}

/*
 * Checks whether the processes of running ranks are alive; only a few ranks per
 * call, since several blocked ranks make these calls. Returns whether the last
 * rank that was counted as running was dead.
 */
static bool check_dead(struct vt *v)
{
	struct weft_vt *w = v->w;
	bool last = false;

	for (uint32_t k = 0, checked = 0; k < w->size && checked < 4; k++) {
		uint32_t i = v->check_next++ % w->size;

		if (weft_load32(&w->rank_of[i].status) != WEFT_VT_RUN ||
		    !weft_load32(&w->rank_of[i].pid))
			continue;
		checked++;
		if (!vt_rank_alive(w, i))
			last |= rank_declare_dead(v, i);
	}
	return last;
}

/* ---- lack of progress ---------------------------------------------------- */

static bool any_rank_runs(const struct weft_vt *w)
{
	for (uint32_t i = 0; i < w->size; i++)
		if (weft_load32(&w->rank_of[i].status) == WEFT_VT_RUN)
			return true;
	return false;
}

/*
 * Returns whether there was progress since the last call; if so, updates the
 * record v->still.
 */
static bool has_progressed(struct vt *v, uint32_t owner)
{
	struct vt_progress *s = &v->still;
	struct net_count n;
	uint64_t steps;

	/* the engine's owner writes these counters; any value is acceptable */
	net_count_get(v->w->net, &n);
	steps = n.hops + n.delivered + n.injected;
	if (s->since_ns && s->passes == v->w->head->passes &&
	    s->owner == owner && s->steps == steps)
		return false;
	*s = (struct vt_progress){ .passes = v->w->head->passes,
				   .steps = steps,
				   .since_ns = weft_now_ns(),
				   .owner = owner };
	if (owner)
		s->cpu_ticks = weft_proc_cpu_ticks(
			weft_load32(&v->w->rank_of[owner - 1].pid));
	return true;
}

static bool engine_without_progress(const struct vt *v, uint32_t owner)
{
	uint64_t ticks =
		weft_proc_cpu_ticks(weft_load32(&v->w->rank_of[owner - 1].pid));

	return ticks - v->still.cpu_ticks >
	       STILL_CPU_S * (uint64_t)sysconf(_SC_CLK_TCK);
}

/*
 * Returns whether the world makes no progress, so that no rank will ever be
 * released.
 */
static bool without_progress(struct vt *v, uint32_t owner)
{
	uint32_t running = weft_load32(&v->w->head->running);

	if (running > v->w->size)
		return true;
	/*
	 * with several threads no check, because another thread of this process
	 * may run the engine
	 */
	if (v->threads || owner > v->w->size || has_progressed(v, owner))
		return false;
	if (owner)
		return engine_without_progress(v, owner);
	if (!running || any_rank_runs(v->w)) {
		v->still.since_ns = 0;
		return false;
	}
	return weft_now_ns() - v->still.since_ns > STILL_NS;
}

/* ---- periodic check ------------------------------------------------------ */

void vt_engine_watch(struct vt *v)
{
	struct weft_vt *w = v->w;
	uint32_t owner = weft_load32(&w->head->engine);

	if (weft_load32(&w->head->broken))
		return;
	if (owner && !vt_owner_alive(w, owner) &&
	    weft_load32(&w->head->engine) == owner) {
		weft_store32(&w->head->broken, VT_BROKEN);
		weft_cas32(&w->head->engine, &owner, 0);
	}
	if (check_dead(v))
		vt_engine_try(v);
	if (without_progress(v, owner)) {
		weft_log(WEFT_LOG_ERROR,
			 "vt: no rank can continue: the shared world "
			 "segment was overwritten");
		vt_mark_broken(v);
	}
}
