/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: one pass of the model, run by the rank that blocks last.
 *
 *   drain     messages sent by the ranks that ran enter the network
 *   run       events in order, until a rank is released at time t; then up to
 *             t + L, since no rank can affect another in less than the delay
 *             of a send (L, the lookahead)
 *   free      all ranks released in that window get their time and run together
 *
 * A pass starts when no rank runs, so its input depends on virtual time alone,
 * but neither on which rank runs the pass nor on the order in which ranks have
 * blocked.
 *
 * When nothing is in flight and no wait has a timeout, ranks that poll in a
 * loop are released at their next poll, a bounded number of consecutive times.
 * After that, or if no rank polls, the engine reports a deadlock.
 */
#include "prov/vt/vt.h"
#include "prov/vt/route/vt_route.h"
#include "src/os/alive.h"
#include "src/base/futex.h"
#include "src/base/log.h"
#include "src/base/must.h"
#include "src/os/waiter.h"

#include <string.h>
#include <unistd.h>

/*
 * Limits of the number of consecutive passes that release only polling ranks,
 * and of the total number of polls in these passes. The engine reports a
 * deadlock when both are exceeded: so a single polling rank may poll more
 * often, and a deadlock of many polling ranks is reported soon in real time.
 */
#define IDLE_PASSES 30000u
#define IDLE_POLLS  200000u

/*
 * interval at which a process that waits for the engine checks whether the
 * engine's owner is alive, ns
 */
#define OWNER_CHECK_NS UINT64_C(50000000)

/* ---- ownership of the engine --------------------------------------------- */

/*
 * Returns whether the process of a rank is alive. A rank that has not started
 * yet counts as alive.
 */
bool vt_rank_alive(const struct weft_vt *w, uint32_t rank)
{
	/* A7 pairs with R7 in vt_open(): the start time is written. */
	uint32_t pid = weft_load32(&w->rank_of[rank].pid);

	return !pid || weft_proc_alive(pid, w->rank_of[rank].start);
}

/*
 * Returns whether the owner of the engine is alive. owner: value of the word
 * head.engine, a rank plus one.
 */
bool vt_owner_alive(const struct weft_vt *w, uint32_t owner)
{
	return owner - 1 < w->size && vt_rank_alive(w, owner - 1);
}

/*
 * Waits for the engine and takes ownership of it; the current owner may have
 * died in a pass. Returns false if the model is broken, in which case the owner
 * may never release the engine.
 */
static bool engine_lock(struct vt *v)
{
	struct vt_head *h = v->w->head;
	uint32_t owner = 0;

	/* A0 pairs with R0 and R5: earlier passes are visible. */
	while (!weft_cas32(&h->engine, &owner, v->rank + 1)) {
		/* F1 pairs with F0: one side sees the store of the other. */
		weft_add32(&h->waiters, 1);
		weft_fence_full();
		weft_futex_wait(&h->engine, owner,
				weft_wait_slice(OWNER_CHECK_NS),
				WEFT_FUTEX_PROCESSES);
		weft_add32(&h->waiters, (uint32_t)-1);
		if (weft_load32(&h->engine) == owner &&
		    !vt_owner_alive(v->w, owner)) {
			weft_store32(&h->broken, VT_BROKEN);
			weft_cas32(&h->engine, &owner, 0);
		}
		if (weft_load32(&h->broken))
			return false;
		owner = 0;
	}
	return true;
}

static void engine_unlock(struct vt *v)
{
	struct vt_head *h = v->w->head;

	/* R5 pairs with A0 */
	weft_store32(&h->engine, 0);
	/* F0 pairs with F1 */
	weft_fence_full();
	if (weft_load32(&h->waiters))
		weft_futex_wake(&h->engine, 1, WEFT_FUTEX_PROCESSES);
}

/* ---- state of ranks ------------------------------------------------------ */

static bool is_blocked(const struct vt_rank *r)
{
	/*
	 * relaxed: a blocked rank has decremented head.running before this pass
	 */
	uint32_t s = weft_load32_relaxed(&r->status);

	return s == WEFT_VT_BLOCKED || s == WEFT_VT_POLLING ||
	       s == WEFT_VT_POLL_LOOP;
}

/* ---- callbacks from the network ------------------------------------------ */

/* Leaves the model if another rank has detected that it makes no progress. */
static void up_progress_check(void *arg)
{
	const struct vt_engine_pass *t = arg;

	vt_require(!weft_load32(&t->w->head->broken));
}

/*
 * Handles an arriving packet; the cookie identifies the kind of its message and
 * the buffer or member that the message belongs to.
 */
static void up_packet(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		      uint64_t offset, uint32_t bytes)
{
	struct vt_engine_pass *t = arg;
	uint32_t i = (uint32_t)cookie;

	t->time_ps = at;
	if (cookie & VT_COOKIE_RESULT)
		vt_result_packet(t, cookie, offset, bytes);
	else if (cookie & VT_COOKIE_DMA)
		vt_dma_packet(t, i, bytes);
	else if (cookie & VT_COOKIE_FOLD)
		vt_fold_packet(t, i, bytes);
	else if (cookie & VT_COOKIE_FILE)
		vt_file_packet(t, i, bytes);
	else
		vt_message_packet(t, i, bytes);
}

static void up_acked(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct vt_engine_pass *t = arg;

	if (!(cookie & VT_COOKIE_ACK))
		return;
	t->time_ps = at;
	vt_dma_acked(t, (uint32_t)cookie);
}

/*
 * Handles a timer: of an interface, of a message in the node's memory, of the
 * end of a rank or of the start of ranks.
 */
static void up_timer(void *arg, uint64_t at, uint64_t cookie)
{
	struct vt_engine_pass *t = arg;
	uint32_t i = (uint32_t)cookie;
	uint64_t bytes;

	if (weft_unlikely(cookie & VT_COOKIE_END)) {
		t->time_ps = at;
		if ((cookie & VT_COOKIE_SPAWN) == VT_COOKIE_SPAWN)
			vt_spawn_start(t, i);
		else
			vt_end_known(t, cookie);
		return;
	}
	if (weft_likely(!(cookie & (VT_COOKIE_COPY | VT_COOKIE_COPIED)))) {
		vt_fold_timer(arg, at, cookie);
		return;
	}
	t->time_ps = at;
	if (!vt_memory_copy(t, cookie, &bytes))
		return;
	if (!(cookie & VT_COOKIE_DMA)) {
		vt_message_packet(t, i, (uint32_t)bytes);
		return;
	}
	vt_dma_packet(t, i, bytes);
	if (cookie & VT_COOKIE_ACK)
		vt_dma_acked(t, i);
}

static void up_lost(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct vt_engine_pass *t = arg;
	uint32_t i = (uint32_t)cookie;

	(void)node;
	t->time_ps = at;
	if (cookie & VT_COOKIE_DMA)
		vt_dma_lost(t, i);
	else if (cookie & VT_COOKIE_FILE)
		vt_file_lost(t, i);
	else if (!(cookie & (VT_COOKIE_FOLD | VT_COOKIE_RESULT)))
		/* not called for FOLD or RESULT: their route has failed */
		vt_message_lost(t, i);
}

/*
 * Counts an error event at the rank whose message, transfer or forwarded result
 * contained the bad packet.
 */
static void up_error(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	const struct vt_engine_pass *t = arg;
	uint32_t from = cookie & VT_COOKIE_RESULT
				? vt_result_sender(t->w, cookie)
				: vt_buf(t->w, (uint32_t)cookie)->from;

	(void)at;
	(void)node;
	vt_require(from < t->w->size);
	weft_add32(&vt_rank(t->w, from)->error_events, 1);
}

static const struct net_up net_calls = {
	.packet = up_packet,
	.error = up_error,
	.lost = up_lost,
	.dead = vt_fault_dead,
	.acked = up_acked,
	.timer = up_timer,
	.combine = vt_route_combine,
	.result = vt_route_result,
	.progress_check = up_progress_check,
};

/* ---- draining of posted buffers ------------------------------------------ */

/* Returns the buffers that a rank has read to the ranks that own them. */
static void engine_return(struct vt_engine_pass *t, struct vt_rank *r)
{
	struct weft_vt *w = t->w;
	uint32_t i = weft_swap32(&r->freed, VT_NONE), n = 0;

	while (i != VT_NONE) {
		vt_require(n++ < w->buf_count);
		/*
		 * relaxed: stored before the push, which the swap above has
		 * acquired
		 */
		uint32_t next = weft_load32_relaxed(&vt_buf(w, i)->next);

		vt_buf_return(t, i);
		i = next;
	}
}

/*
 * Takes the buffers that a rank has posted from its stack, and returns them as
 * a list, oldest first.
 */
static uint32_t posted_by(struct weft_vt *w, struct vt_rank *r)
{
	/* A3 pairs with R3 in vt_post(). */
	uint32_t i = weft_swap32(&r->posted, VT_NONE), first = VT_NONE, n = 0;

	while (i != VT_NONE) {
		vt_require(n++ < w->buf_count);
		/*
		 * relaxed: stored before the push, which the swap above has
		 * acquired; the engine owns the buffer now
		 */
		uint32_t below = weft_load32_relaxed(&vt_buf(w, i)->next);

		weft_store32_relaxed(&vt_buf(w, i)->next, first);
		first = i;
		i = below;
	}
	return first;
}

static void post_deaths(struct vt_engine_pass *t)
{
	for (uint32_t i = 0; i < t->w->size; i++)
		if (weft_load32(&t->w->rank_of[i].status) == WEFT_VT_DEAD)
			vt_end_of_process(t, i);
}

static void engine_drain(struct vt_engine_pass *t, uint32_t rank)
{
	struct vt_rank *r = vt_rank(t->w, rank);
	uint32_t i, next, n = 0;

	engine_return(t, r);
	vt_interface_drain(t, rank);
	for (i = posted_by(t->w, r); i != VT_NONE; i = next) {
		unsigned kind = vt_buf(t->w, i)->kind;

		vt_require(n++ < t->w->buf_count);
		if (kind == VT_PACKET)
			i = vt_message_post(t, rank, i);
		next = vt_after(t->w, i);
		if (kind == VT_DMA) {
			vt_dma_post(t, i);
		} else if (kind == VT_FILE) {
			vt_file_post(t, i);
		} else if (kind == VT_SPAWN) {
			vt_spawn_post(t, i);
		} else if (kind == VT_LEAVE) {
			vt_rank_leaves(t, rank);
		} else if (kind != VT_PACKET) {
			vt_route_post(t, i);
		}
	}
}

static void engine_drain_all(struct vt_engine_pass *t)
{
	struct weft_vt *w = t->w;
	bool all = weft_swap32(&w->head->late_run, 0) || w->head->threads;
	uint32_t n = all ? w->size : w->head->batch_count;

	vt_require(n <= w->size);
	for (uint32_t k = 0; k < n; k++)
		engine_drain(t, all ? k : w->batch[k]);
	if (weft_unlikely(weft_swap32(&w->head->died, 0)))
		post_deaths(t);
}

/* ---- running the model --------------------------------------------------- */

static uint64_t next_due(const struct weft_vt *w)
{
	uint64_t min = VT_NEVER;

	for (uint32_t i = 0; i < w->size; i++)
		min = vt_due(w, i) < min ? vt_due(w, i) : min;
	return min;
}

/*
 * Runs the model up to and including time `until`; sets head.now to the time
 * reached.
 */
static void engine_step(struct vt_engine_pass *t, uint64_t until)
{
	struct vt_head *h = t->w->head;
	uint64_t reached;

	t->stop = false;
	reached = net_run(t->w->net, until, &net_calls, t, &t->stop);
	if (!t->stop)
		reached = until;
	if (reached == VT_NEVER) {
		struct net_count c;

		net_count_get(t->w->net, &c);
		reached = c.now;
	}
	WEFT_GUARD_ASSERT(reached != VT_NEVER);
	if (reached > vt_reached(t->w))
		weft_store64_relaxed(&h->now, reached);
}

/*
 * Checks that nothing is in flight when no event is left; otherwise a packet
 * would have been lost.
 */
static void check_nothing_in_flight(const struct weft_vt *w)
{
	struct net_count n;

	net_count_get(w->net, &n);
	vt_require(n.injected == n.delivered);
	for (uint32_t i = 0; i < w->size; i++)
		vt_require(!w->rank_of[i].in_flight &&
			   weft_load32(&w->rank_of[i].status) <=
				   WEFT_VT_VACANT);
}

/* Reports a deadlock: all ranks wait and no event is left. */
static void engine_deadlock(struct vt_engine_pass *t)
{
	struct weft_vt *w = t->w;
	uint32_t n = 0;

	if (w->head->threads)
		return;
	check_nothing_in_flight(w);
	for (uint32_t i = 0; i < w->size; i++) {
		if (!is_blocked(&w->rank_of[i]))
			continue;
		/* relaxed: published by the release of the rank */
		weft_store32_relaxed(&w->rank_of[i].verdict, EDEADLK);
		vt_rank_release(t, i, vt_now(&w->rank_of[i]));
		n++;
	}
	weft_store32(&w->head->unreported, n);
	weft_store32(&w->head->deadlock, n ? VT_DEADLOCK : VT_DEADLOCK_NOT);
}

/*
 * Returns whether only polls can release a rank: neither a packet nor a timeout
 * is pending.
 */
static bool engine_only_polls(const struct vt_engine_pass *t)
{
	struct weft_vt *w = t->w;

	if (t->horizon != VT_NEVER || net_next(w->net) != NET_NEVER)
		return false;
	for (uint32_t i = 0; i < w->size; i++)
		if (vt_due(w, i) != VT_NEVER &&
		    weft_load32(&w->rank_of[i].status) != WEFT_VT_POLL_LOOP)
			return false;
	return true;
}

/*
 * Releases polling ranks while nothing is in flight. A poll of several steps
 * ends at its first step, because nothing can arrive before the rank returns
 * from it.
 */
static void engine_idle(struct vt_engine_pass *t)
{
	struct weft_vt *w = t->w;
	/* relaxed: no rank runs */
	uint64_t passes = weft_load64_relaxed(&w->head->idle_passes) + 1;
	uint32_t polls = 0;

	weft_store64_relaxed(&w->head->idle_passes, passes);
	for (uint32_t i = 0; i < w->size; i++) {
		struct vt_rank *r = &w->rank_of[i];

		if (weft_load32(&r->status) != WEFT_VT_POLL_LOOP)
			continue;
		polls++;
		vt_due_set(w, i, vt_now(r) + w->cfg.poll_ps);
	}
	t->time_ps = vt_reached(w);
	if (!polls || (passes > IDLE_PASSES && passes * polls > IDLE_POLLS))
		engine_deadlock(t);
}

static void engine_run(struct vt_engine_pass *t)
{
	struct weft_vt *w = t->w;
	uint32_t still = 0;

	for (;;) {
		uint64_t until, due;

		if (engine_only_polls(t)) {
			engine_idle(t);
			if (next_due(w) == VT_NEVER)
				return;
		}
		due = next_due(w);
		if (t->horizon == VT_NEVER && due == VT_NEVER)
			until = VT_NEVER;
		else
			until = t->horizon <= due ? t->horizon - 1 : due;
		if (until >= vt_reached(w)) {
			engine_step(t, until);
			still = 0;
		}
		for (uint32_t i = 0; i < w->size; i++)
			if (vt_due(w, i) <= vt_reached(w))
				vt_rank_release(t, i, vt_due(w, i));
		/* a due time in the past is processed only once */
		vt_require(still++ <= w->size);
		if (vt_reached(w) + 1 >= t->horizon)
			return;
	}
}

/*
 * Lets all released ranks run; increments head.running before it sets their
 * status.
 */
static void engine_free_all(struct vt_engine_pass *t)
{
	struct weft_vt *w = t->w;
	uint32_t n = w->wake_count;

	WEFT_ASSERT(n <= w->size);
	w->head->batch_count = n;
	weft_add32(&w->head->running, n);
	for (uint32_t k = 0; k < n; k++) {
		struct vt_rank *r = &w->rank_of[w->wake[k]];
		uint32_t s = weft_load32(&r->status);

		w->batch[k] = w->wake[k];
		weft_store32_relaxed(&r->waits_for,
				     0); /* relaxed: R1 publishes it */
		/* R1 pairs with A1 in block_until_released() */
		while (s != WEFT_VT_RUN && !weft_cas32(&r->status, &s, 0))
			;
		/*
		 * another thread of the rank's process woke the rank, and
		 * counted it as running, at the same time
		 */
		if (s == WEFT_VT_RUN)
			weft_add32(&w->head->running, (uint32_t)-1);
	}
}

static void wake_all(struct vt *v)
{
	struct weft_vt *w = v->w;

	if (w->park)
		return;
	for (uint32_t k = 0; k < w->wake_count; k++) {
		if (w->wake[k] == v->rank)
			continue;
		v->stats.wakes++;
		weft_futex_wake(&w->rank_of[w->wake[k]].status, WEFT_FUTEX_ALL,
				WEFT_FUTEX_PROCESSES);
	}
}

/* Runs one pass under a guard, because the world may have been overwritten. */
static void engine_pass(void *arg)
{
	struct vt_engine_pass *t = arg;

	WEFT_GUARD_ASSERT(weft_load32(&t->w->head->engine) == t->v->rank + 1);
	t->w->head->passes++;
	t->time_ps = vt_reached(t->w);
	engine_drain_all(t);
	if (weft_unlikely(vt_background_is_over(t->w)))
		return;
	engine_run(t);
	engine_free_all(t);
}

void vt_engine_try(struct vt *v)
{
	struct weft_vt *w = v->w;
	struct vt_engine_pass t = { .v = v, .w = w, .horizon = VT_NEVER };

	if (!engine_lock(v))
		return;
	w->wake_count = 0;
	if (!weft_load32(&w->head->running) && !weft_load32(&w->head->broken) &&
	    weft_guard(engine_pass, &t))
		vt_mark_broken(v);
	/*
	 * wake the ranks before the unlock: another thread of this process
	 * would use the same list of ranks
	 */
	if (v->threads)
		wake_all(v);
	engine_unlock(v);
	if (!v->threads)
		wake_all(v);
}
