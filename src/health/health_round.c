/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One round of a rank: it increments its heartbeat, and checks its neighbours'
 * registers. If a neighbour has missed a heartbeat, the rank checks whether the
 * neighbour's process exists: a rank whose process has exited is reported
 * broken immediately; a rank whose process exists is reported sick after MISSES
 * checks without a heartbeat. The last heartbeat is at most one round older
 * than the last check that saw it, so detection takes at most MISSES + 1
 * rounds: two periods.
 */
#include "src/os/alive.h"
#include "src/health/health.h"

enum { MISSES = 2 * WEFT_HEALTH_ROUNDS - 1 };

static void beat(struct health_register *r, uint64_t now_ns, uint32_t warns)
{
	weft_store32(&r->warns, warns);
	weft_store64(&r->beat_ns, now_ns);
	/*
	 * R1 pairs with A1 in check_rank(): beat_ns is at least as new as the
	 * heartbeat. relaxed load: this thread is the only writer
	 */
	weft_store64(&r->beats, weft_load64_relaxed(&r->beats) + 1);
}

static uint8_t check_rank(const struct weft_health *h,
			  struct weft_watch_monitor *monitor,
			  const struct health_slot *s)
{
	/* A1 pairs with R1 in beat() */
	struct weft_watch_register r = { .beats = weft_load64(&s->host.beats),
					 .sensors =
						 weft_load32(&s->host.warns) };
	enum weft_watch_state seen = weft_watch_check(monitor, &r, MISSES);

	/* a pid of another namespace cannot be checked and counts as alive */
	if (monitor->missed && h->ns && weft_load32(&s->ns) == h->ns &&
	    !weft_proc_alive(weft_load32(&s->pid), weft_load64(&s->start)))
		return WEFT_WATCH_BROKEN;
	return seen == WEFT_WATCH_BROKEN ? WEFT_WATCH_SICK : (uint8_t)seen;
}

/*
 * Returns the state of a rank's interface. A missing heartbeat of an interface
 * is not an error: an interface makes progress only inside MPI calls.
 */
static uint8_t check_nic(const struct health_slot *s)
{
	if (!weft_load64(&s->nic.beats))
		return WEFT_WATCH_UNKNOWN;
	return weft_load32(&s->nic.warns) ? WEFT_WATCH_SICK : WEFT_WATCH_NORMAL;
}

/*
 * Stores a changed state; the state is stored last, so that since_ns is never
 * older than the state.
 */
static void store_state(struct health_neighbour *n,
			const struct weft_watch_monitor *monitor, uint8_t host,
			uint8_t nic, uint64_t now_ns)
{
	/* relaxed: this thread is the only writer */
	uint32_t old = weft_load32_relaxed(&n->states);

	if (health_host(old) == host && health_nic(old) == nic)
		return;
	weft_store64(&n->since_ns, now_ns);
	/* R2 pairs with A2 in health_view.c */
	weft_store32(&n->states, health_states(monitor->missed, host, nic));
}

static void check_neighbour(struct weft_health *h, unsigned port,
			    uint64_t now_ns)
{
	struct health_neighbour *n = &h->slot[h->me].neighbour[port];
	const struct health_slot *s = &h->slot[h->neighbour[port]];
	struct weft_watch_monitor *monitor = &h->monitor[port];
	uint8_t host;

	/* A0 pairs with R0 in weft_health_join() */
	if (weft_load32(&s->state) != HEALTH_JOINED) {
		*monitor = (struct weft_watch_monitor){ 0 };
		store_state(n, monitor, WEFT_WATCH_UNKNOWN, WEFT_WATCH_UNKNOWN,
			    now_ns);
		return;
	}
	host = check_rank(h, monitor, s);
	weft_store64(&n->beat_ns, weft_load64(&s->host.beat_ns));
	store_state(n, monitor, host,
		    host == WEFT_WATCH_BROKEN ? WEFT_WATCH_BROKEN
					      : check_nic(s),
		    now_ns);
}

void weft_health_round(struct weft_health *h, uint64_t now_ns)
{
	/* relaxed: the sensor bits order no other data */
	beat(&h->slot[h->me].host, now_ns,
	     weft_load32_relaxed(&h->head->warns));
	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++)
		if (h->neighbour[p] != HEALTH_NO_SLOT)
			check_neighbour(h, p, now_ns);
}

void weft_health_nic(struct weft_health *h, uint64_t now_ns, uint32_t warns)
{
	beat(&h->slot[h->me].nic, now_ns, warns);
}
