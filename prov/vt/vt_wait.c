/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking in virtual time. A rank that blocks stores the time at which it must
 * run again, decrements the count of running ranks, and blocks on its status
 * word until the engine sets it to RUN. The last rank to do so runs the model.
 *
 * A poll without result costs poll_ps; otherwise a polling loop would never
 * end. The first two consecutive polls are free: they are part of sending and
 * of waiting. After JUMP_POLLS consecutive polls without result, one poll
 * replaces several: the n-th poll takes n / JUMP_POLLS steps of poll_ps, but at
 * most JUMP_STEPS, and returns earlier, at the first step with a result. So a
 * loop that waits for a message ends at the same step as with single polls, a
 * loop with a fixed number of polls ends, and n polls cover a time that grows
 * with n * n, so that a long wait needs few hand-overs.
 *
 * A loop that also reads the clock is expected to end at some time: in such a
 * loop, a poll takes a CLOCK_PART-th of the time since the first poll of the
 * series, but at least one step. None of this depends on real time.
 */
#include "prov/vt/vt.h"
#include "src/base/futex.h"
#include "src/base/must.h"
#include "src/os/waiter.h"

#include <time.h>

#define JUMP_POLLS 16u
#define JUMP_STEPS 1024u
#define CLOCK_PART 4096u
#define POLLS_MAX  (UINT32_MAX / 2)
/* interval between checks for dead ranks, ms; 1 ms per rank is added */
#define SLICE_MS   100u
/*
 * ranks that check for dead ranks: the first WATCHERS, and every WATCHERS-th of
 * the others
 */
#define WATCHERS   8u
#define PS_PER_NS  1000u
#define NS_PER_MS  UINT64_C(1000000)

/* ---- blocking a rank ----------------------------------------------------- */

/*
 * Returns the time for which a rank blocks before it checks for dead ranks;
 * UINT64_MAX: the rank does not check. A timer costs a tenth of a hand-over,
 * and it is enough that a few ranks check as long as no rank has left.
 */
static uint64_t slice_ns(const struct vt *v)
{
	const struct vt_head *h = v->w->head;

	if (v->rank >= WATCHERS && v->rank % WATCHERS && !v->threads &&
	    !weft_load32(&h->left))
		return UINT64_MAX;
	return weft_wait_slice((SLICE_MS + v->w->size) * NS_PER_MS);
}

static void block_until_released(struct vt *v, uint32_t as)
{
	struct vt_rank *me = v->me;
	uint64_t ns = slice_ns(v);
	uint32_t state;

	v->stats.sleeps++;
	for (;;) {
		/* A1 pairs with R1 in engine_free_all(). */
		state = weft_load32(&me->status);
		if (state != as)
			return;
		weft_futex_wait(&me->status, as, ns, WEFT_FUTEX_PROCESSES);
		if (weft_load32(&me->status) != as)
			return;
		vt_engine_watch(v);
		if (weft_load32(&v->w->head->broken)) {
			vt_result_broken(v);
			weft_store32(&me->status, WEFT_VT_RUN);
			/* relaxed: only this rank writes its verdict here */
			weft_store32_relaxed(&me->verdict, EOWNERDEAD);
			return;
		}
		/*
		 * with several threads a wake-up may have been lost, so it is
		 * repeated
		 */
		if (v->threads)
			vt_wake(&v->base);
	}
}

/*
 * If all ranks have started, lets this rank use all processors of the job, and
 * seals the world. Usually all have started when a rank is released, but a
 * thread may release its own rank earlier.
 */
static void all_started(struct vt *v)
{
	struct weft_vt *w = v->w;

	for (uint32_t i = 0; i < w->size; i++)
		if (!weft_load32(&w->rank_of[i].pid) &&
		    weft_load32(&w->rank_of[i].status) != WEFT_VT_VACANT)
			return;
	v->shares = true;
	vt_cpus_share(w->head);
	/*
	 * seal the world against writable mappings by other processes, unless
	 * ranks can be spawned; only the creator of the world has the
	 * descriptor
	 */
	if (w->region.fd >= 0 && w->initial == w->size)
		weft_region_seal(&w->region);
}

/*
 * Returns the maximum value of head.running. A rank that is woken both by a
 * thread of its own and by the engine is temporarily counted twice.
 */
static uint32_t max_running(const struct weft_vt *w)
{
	return w->head->threads ? 2 * w->size : w->size;
}

/* Blocks until the engine releases the rank or its interface. */
WEFT_HOT static void block_once(struct vt *v, enum weft_vt_state as,
				uint64_t due)
{
	struct weft_vt *w = v->w;
	struct vt_rank *me = v->me;
	uint32_t before;

	WEFT_ASSERT(!v->out &&
		    (as == WEFT_VT_BLOCKED || as == WEFT_VT_POLLING ||
		     as == WEFT_VT_POLL_LOOP));
	vt_run_end(v);
	weft_store32_relaxed(&me->verdict, 0);
	/* relaxed: published by R2 and R0 */
	weft_store32_relaxed(&me->waits_for, weft_load32(&v->full));
	/*
	 * if VT_NEVER is stored already, skip the store, which saves a cache
	 * miss
	 */
	if (due != v->due || due != VT_NEVER)
		vt_due_set(w, v->rank, due);
	v->due = due;
	/* R2 pairs with A2 in vt_wake(): publishes all earlier stores. */
	weft_store32(&me->status, as);
	/* R0 pairs with A0: the engine sees all stores of this rank. */
	before = weft_add32(&w->head->running, (uint32_t)-1);
	if (weft_unlikely(w->park != NULL)) {
		w->park(w->park_arg);
		return;
	}
	if (before == 1)
		vt_engine_try(v);
	else if (weft_unlikely(before - 1 >= max_running(w)))
		vt_mark_broken(v); /* the count of running ranks is wrong */
	block_until_released(v, as);
	/* the state is RUN, unless the world was overwritten */
	if (weft_unlikely(weft_load32(&me->status) != WEFT_VT_RUN))
		vt_mark_broken(v);
	if (weft_unlikely(!v->shares))
		all_started(v);
	vt_run_begin(v);
}

/*
 * Ends this rank as the fault plan requires. Waits until the model has reached
 * the time of the end, since transfers before that time need the memory of this
 * process. The clock of the rank may be later, after a computation.
 */
static WEFT_COLD int end_here(struct vt *v)
{
	vt_now_set(v->me, v->end_ps);
	while (vt_reached(v->w) < v->end_ps && !v->threads &&
	       !weft_load32(&v->w->head->broken))
		block_once(v, WEFT_VT_BLOCKED, v->end_ps);
	/* relaxed: only this rank writes its verdict while it runs */
	weft_store32_relaxed(&v->me->verdict, EHOSTDOWN);
	v->w->cold_of[v->rank].ended = 1;
	return -EHOSTDOWN;
}

/*
 * Blocks until the time `due` or until an event. Returns 0 or the result of
 * vt_verdict().
 */
WEFT_HOT static int block(struct vt *v, enum weft_vt_state as, uint64_t due)
{
	struct vt_rank *me = v->me;

	/*
	 * relaxed: written by this rank, or published by the release; other
	 * threads of this rank may read it, too
	 */
	if (weft_unlikely(weft_load32_relaxed(&me->verdict) == EHOSTDOWN))
		return -EHOSTDOWN;
	if (weft_unlikely(vt_has_ended(v)))
		return end_here(v);
	due = due < v->end_ps ? due : v->end_ps;
	do {
		block_once(v, as, vt_interface_block(v, due));
		if (weft_unlikely(weft_load32_relaxed(&me->verdict)))
			return vt_verdict(&v->base);
	} while (weft_unlikely(vt_interface_release(v, as, &due)));
	return weft_unlikely(vt_has_ended(v)) ? end_here(v) : 0;
}

int vt_block_until(struct vt *v, bool (*done)(const struct vt *v))
{
	int ret = 0;

	while (!ret && !done(v))
		ret = block(v, WEFT_VT_BLOCKED, VT_NEVER);
	vt_idle_polls_set(v, 0);
	return ret;
}

WEFT_HOT int vt_verdict(struct weft_carrier *c)
{
	const struct vt_head *h = vt_of(c)->w->head;
	uint32_t deadlock = weft_load32(&h->deadlock);

	if (weft_unlikely(weft_load32(&h->broken)))
		return weft_load32(&h->net_down) ? -ENETDOWN : -EOWNERDEAD;
	/* relaxed: see block() */
	if (weft_unlikely(weft_load32_relaxed(&vt_of(c)->me->verdict) ==
			  EHOSTDOWN))
		return -EHOSTDOWN;
	if (weft_likely(deadlock == VT_DEADLOCK_NOT))
		return 0;
	return deadlock == VT_DEADLOCK ? -EDEADLK : -EOWNERDEAD;
}

static uint64_t wait_deadline(uint64_t now, uint64_t timeout_ns)
{
	uint64_t ps = timeout_ns * PS_PER_NS;

	if (timeout_ns > UINT64_MAX / PS_PER_NS || now + ps < now)
		return VT_NEVER;
	return now + ps;
}

static int wait_blocked(struct vt *v, uint64_t timeout_ns)
{
	uint64_t end = wait_deadline(vt_now(v->me), timeout_ns);
	uint64_t next = vt_next(v);
	bool full = weft_load32(&v->full);
	int ret;

	if (next <= vt_now(v->me) || weft_swap32(&v->woken, 0))
		return 0;
	/* buffers were returned during the preceding poll */
	if (vt_has_room(v)) {
		weft_store32(&v->full, 0);
		return -EAGAIN;
	}
	ret = block(v, WEFT_VT_BLOCKED, next < end ? next : end);
	vt_idle_polls_set(v, 0);
	weft_store32(&v->woken, 0);
	weft_store32(&v->full, 0);
	if (ret)
		return ret;
	if (vt_now(v->me) >= end)
		return -ETIMEDOUT;
	return full ? -EAGAIN : 0;
}

WEFT_HOT int vt_wait(struct weft_carrier *c, uint64_t timeout_ns)
{
	struct vt *v = vt_of(c);
	uint32_t idle = 0;
	int ret = vt_verdict(c);

	if (ret || v->out)
		return ret;
	vt_enter(v);
	/* if another thread is blocked, it is in a poll and will return soon */
	if (weft_cas32(&v->blocked, &idle, 1)) {
		ret = wait_blocked(v, timeout_ns);
		weft_store32(&v->blocked, 0);
	}
	vt_exit(v);
	return ret;
}

/*
 * Releases the rank as the engine would. May be called by any thread or signal
 * handler of this process. If several threads try to release the rank, the one
 * that changes the status has released it.
 */
void vt_wake(struct weft_carrier *c)
{
	struct vt *v = vt_of(c);
	uint32_t as = WEFT_VT_BLOCKED;

	weft_store32(&v->woken, 1);
	/* A2 pairs with R2 in block_once(). */
	if (weft_load32(&v->me->status) != WEFT_VT_BLOCKED)
		return;
	weft_add32(&v->w->head->running, 1);
	if (!weft_cas32(&v->me->status, &as, WEFT_VT_RUN)) {
		if (weft_add32(&v->w->head->running, (uint32_t)-1) == 1)
			vt_engine_try(v);
		return;
	}
	weft_store32(&v->w->head->late_run, 1);
	weft_futex_wake(&v->me->status, WEFT_FUTEX_ALL, WEFT_FUTEX_PROCESSES);
}

/* ---- cost of polling ----------------------------------------------------- */

/*
 * Returns the time of the first poll that is not before `when`; polls are whole
 * steps of poll_ps from now.
 */
static uint64_t poll_time(const struct vt *v, uint64_t when)
{
	uint64_t step = v->w->cfg.poll_ps;
	uint64_t now = vt_now(v->me);
	uint64_t n = when > now ? (when - now + step - 1) / step : 1;

	return now + n * step;
}

/* Returns whether the rank has read the clock in its last polls. */
static bool reads_clock(const struct vt *v)
{
	return v->clock_poll && vt_idle_polls(v) - v->clock_poll < JUMP_POLLS;
}

/*
 * Returns the number of steps that the next poll of a long series takes if no
 * packet arrives.
 */
static uint64_t jump_steps(const struct vt *v)
{
	uint64_t n = vt_idle_polls(v) / JUMP_POLLS;

	if (!reads_clock(v))
		return n < JUMP_STEPS ? n : JUMP_STEPS;
	n = (vt_now(v->me) - v->series_ps) / v->w->cfg.poll_ps / CLOCK_PART;
	return n ? n : 1;
}

/*
 * Computes the time at which the next poll returns: the next step or, in a long
 * series of polls, the step that finds a packet already in the list. If there
 * is no such packet, the engine releases the rank earlier when one arrives.
 * Returns WEFT_VT_POLL_LOOP if the loop has no time limit: it then counts as
 * waiting when there are no other events.
 */
static enum weft_vt_state next_poll(struct vt *v, uint64_t *at_p)
{
	uint64_t next;

	*at_p = poll_time(v, 0);
	if (vt_idle_polls(v) <= JUMP_POLLS || v->threads)
		return WEFT_VT_POLLING;
	next = vt_next(v);
	if (next != VT_NEVER) {
		*at_p = poll_time(v, next);
		return WEFT_VT_POLLING;
	}
	*at_p = vt_now(v->me) + jump_steps(v) * v->w->cfg.poll_ps;
	return reads_clock(v) ? WEFT_VT_POLLING : WEFT_VT_POLL_LOOP;
}

WEFT_HOT void vt_poll_unsuccessful(struct vt *v)
{
	uint32_t polls = vt_idle_polls(v);
	enum weft_vt_state as;
	uint32_t idle = 0;
	uint64_t at;
	if (!polls)
		v->series_ps = vt_now(v->me);
	vt_idle_polls_set(v, polls < POLLS_MAX ? polls + 1
					       : POLLS_MAX - JUMP_POLLS);
	if (polls < VT_FREE_POLLS || !v->w->cfg.poll_ps || vt_verdict(&v->base))
		return;
	as = next_poll(v, &at);
	/*
	 * for a longer poll, only the engine can decide whether it ends at its
	 * first step
	 */
	if (as == WEFT_VT_POLLING && at <= vt_reached(v->w) && at < v->end_ps) {
		vt_now_set(v->me, at);
		return;
	}
	if (!weft_cas32(&v->blocked, &idle, 1))
		return;
	block(v, as, at);
	weft_store32(&v->blocked, 0);
}

/*
 * Records that the current series of polls was not just a wait for other ranks.
 */
static void record_activity(struct vt *v)
{
	if (vt_idle_polls(v) > JUMP_POLLS)
		/* relaxed: the engine reads it after this rank has blocked */
		weft_store64_relaxed(&v->w->head->idle_passes, 0);
}

void vt_completed(struct weft_carrier *c)
{
	struct vt *v = vt_of(c);

	record_activity(v);
	if (vt_idle_polls(v) <= VT_FREE_POLLS)
		return;
	v->series_ps = vt_now(v->me);
	v->clock_poll = 0;
	vt_idle_polls_set(v, VT_FREE_POLLS);
}

void vt_clock_read(struct vt *v)
{
	record_activity(v);
	v->clock_poll = vt_idle_polls(v);
}

/* ---- leaving the world --------------------------------------------------- */

void vt_world_leave(struct vt *v)
{
	struct weft_vt *w = v->w;

	if (v->out)
		return;
	v->out = true;
	vt_due_set(w, v->rank, VT_NEVER);
	weft_store32(&v->me->status, WEFT_VT_DONE);
	/* R0 pairs with A0, as in block_once() */
	if (weft_add32(&w->head->running, (uint32_t)-1) == 1 && !w->park)
		vt_engine_try(v);
	/* R8 pairs with A8: the counters of the last pass are written. */
	weft_store32(&v->me->status, WEFT_VT_LEFT);
}
