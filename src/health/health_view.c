/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of a rank, from the reports of its neighbours. Only reports of
 * neighbours that have heartbeats themselves count, and the worst reported
 * state is used. Without such a report the reader checks the rank itself. The
 * region is untrusted: everything read here is validated.
 */
#include "src/os/alive.h"
#include "src/health/health.h"

#include <stdio.h>

enum {
	FRESH = 3,
	STALE = 2
}; /* maximum heartbeat age in periods, of a reporter and of the rank itself */

static uint64_t ago(uint64_t now_ns, uint64_t then_ns)
{
	return then_ns < now_ns ? now_ns - then_ns : 0;
}

static bool is_fresh(const struct weft_health *h, const struct health_slot *s,
		     uint64_t now_ns, uint32_t periods)
{
	return ago(now_ns, weft_load64(&s->host.beat_ns)) / periods <=
	       h->what.period_ns;
}

/* Returns whether the reporter has heartbeats. */
static bool is_valid_reporter(const struct weft_health *h, uint32_t reporter,
			      uint64_t now_ns)
{
	const struct health_slot *t = &h->slot[reporter];

	/* A0 pairs with R0 in weft_health_join() */
	return weft_load32(&t->state) == HEALTH_JOINED &&
	       is_fresh(h, t, now_ns, FRESH);
}

/*
 * Merges the report at one port of a reporter into v, if it concerns this slot
 * and its state is worse.
 */
static void merge_report(const struct health_slot *t, unsigned port,
			 uint32_t slot, uint64_t now_ns,
			 struct weft_health_view *v)
{
	const struct health_neighbour *n = &t->neighbour[port];
	/*
	 * A2 pairs with R2 in health_round.c: since_ns is at least as new as
	 * this state
	 */
	uint32_t states = weft_load32(&n->states);
	uint8_t host = health_host(states), nic = health_nic(states);

	if (weft_load32(&n->slot) != slot || host == WEFT_WATCH_UNKNOWN)
		return;
	if (nic > v->nic)
		v->nic = nic;
	if (host <= v->host)
		return;
	v->host = host;
	v->by = weft_load32(&t->rank);
	v->checks = health_state_checks(states);
	v->known_ns = ago(now_ns, weft_load64(&n->since_ns));
}

static void check_directly(const struct weft_health *h,
			   const struct health_slot *s, uint64_t now_ns,
			   struct weft_health_view *v)
{
	if (!weft_load64(&s->host.beats))
		v->host = WEFT_WATCH_UNKNOWN;
	else if (!is_fresh(h, s, now_ns, STALE) || weft_load32(&s->host.warns))
		v->host = WEFT_WATCH_SICK;
	else
		v->host = WEFT_WATCH_NORMAL;
	if (weft_load64(&s->nic.beats))
		v->nic = weft_load32(&s->nic.warns) ? WEFT_WATCH_SICK
						    : WEFT_WATCH_NORMAL;
}

bool weft_health_view_get(const struct weft_health *h, uint32_t slot,
			  uint64_t now_ns, struct weft_health_view *v)
{
	const struct health_slot *s;
	uint32_t reporter;

	*v = (struct weft_health_view){ .by = HEALTH_NO_SLOT };
	if (slot >= h->what.slots)
		return false;
	s = &h->slot[slot];
	/* A0 pairs with R0 in weft_health_join() */
	v->state = weft_load32(&s->state);
	v->rank = weft_load32(&s->rank);
	v->pid = weft_load32(&s->pid);
	v->beat_ns = ago(now_ns, weft_load64(&s->host.beat_ns));
	if (v->state != HEALTH_JOINED)
		return true;
	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++) {
		reporter = weft_health_neighbour(h->what.shape, slot, p);
		if (reporter >= h->what.slots ||
		    !is_valid_reporter(h, reporter, now_ns))
			continue;
		for (unsigned q = 0; q < WEFT_WATCH_PORTS; q++)
			merge_report(&h->slot[reporter], q, slot, now_ns, v);
	}
	/* a pid of another namespace cannot be checked and counts as alive */
	if (v->host != WEFT_WATCH_BROKEN && h->ns &&
	    weft_load32(&s->ns) == h->ns &&
	    !weft_proc_alive(weft_load32(&s->pid), weft_load64(&s->start))) {
		/* the reader detects the exit before any neighbour */
		v->host = v->nic = WEFT_WATCH_BROKEN;
		v->by = HEALTH_NO_SLOT;
		v->checks = 0;
		v->known_ns = 0;
	} else if (v->by == HEALTH_NO_SLOT) {
		check_directly(h, s, now_ns, v);
	}
	return true;
}

uint32_t weft_health_find_rank(const struct weft_health *h, uint32_t rank)
{
	for (uint32_t i = 0; i < h->what.slots; i++)
		if (weft_load32(&h->slot[i].state) != HEALTH_FREE &&
		    weft_load32(&h->slot[i].rank) == rank)
			return i;
	return HEALTH_NO_SLOT;
}

static double seconds(uint64_t ns)
{
	return (double)ns * 1e-9;
}

void weft_health_view_format(const struct weft_health_view *v, char *text,
			     size_t len)
{
	int n;

	if (v->state != HEALTH_JOINED) {
		snprintf(text, len, "%s",
			 v->state == HEALTH_LEFT ? "has left the job"
						 : "unknown");
		return;
	}
	n = snprintf(text, len, "%s, last heartbeat %.2f s ago",
		     weft_watch_name(v->host), seconds(v->beat_ns));
	if (v->by != HEALTH_NO_SLOT && n > 0 && (size_t)n < len)
		snprintf(text + n, len - (size_t)n,
			 ", detected by rank %u %.2f s ago", v->by,
			 seconds(v->known_ns));
}
