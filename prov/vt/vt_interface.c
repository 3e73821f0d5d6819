/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interfaces that match messages (match_unit in a machine file): the processor
 * of the interface runs the receive side of the rank's message engine, at the
 * times of the packets, also while the rank computes. The rank's process
 * executes it: a rank whose clock is ahead of the model is blocked, and the
 * engine releases its process for the interface at the time of a packet.
 *
 *      rank       |---- computes, clock 1000 us ---------------| polls
 *      interface        | 5 us: match, post a DMA   | 290 us: complete
 *
 * The processor of an interface is shared by the ranks of the node: a message
 * reaches the rank's list when it has been matched. The entries that a search
 * compares are known only after it, so their time delays the reaction of the
 * interface, and the next messages of the node.
 *
 * Packets that the interface sends have the time of the interface. That time is
 * not before the last release of the process, so the lookahead of the engine
 * holds. An interface does not run while sends of its rank wait for resources,
 * because queued packets of the program would be sent too; nor while its rank
 * has refused a packet, since only a call by the program can make the rank
 * accept it.
 *
 * This file is called by the rank; vt_interface_time.c by the engine.
 */
#include "prov/vt/vt.h"
#include "src/base/must.h"

/* maximum number of polls of one run, if the unit requests further polls */
#define RUNS_MAX 16

void vt_interface_init(struct vt *v, const struct weft_carrier_attr *attr)
{
	struct vt_interface *f = vt_interface_of(v->w, v->rank);

	v->interface.matches = v->w->cfg.match_unit && !attr->host_match &&
			       !attr->threads && attr->up &&
			       attr->up->interface;
	f->matches = v->interface.matches;
	f->run_ps = VT_NEVER;
}

bool vt_interface_matches(struct weft_carrier *c)
{
	return vt_of(c)->interface.matches;
}

void vt_interface_searched(struct weft_carrier *c, uint64_t entries,
			   uint64_t posted_ps)
{
	struct vt *v = vt_of(c);
	uint64_t ps =
		entries > 1 ? (entries - 1) * v->w->cfg.match_entry_ps : 0;

	vt_interface_of(v->w, v->rank)->searched_ps += ps;
	if (!v->interface.running)
		return;
	if (v->interface.now_ps < posted_ps)
		v->interface.now_ps = posted_ps;
	v->interface.now_ps += ps;
}

/*
 * Lets the interface process the next packet, at the time of its arrival or of
 * the last release, whichever is later. Returns the number of packets, 0 or 1.
 */
static int run_once(struct vt *v)
{
	uint64_t before = v->stats.received, at = vt_next(v);
	int runs = 0;

	v->interface.now_ps =
		at > v->interface.released_ps ? at : v->interface.released_ps;
	v->interface.running = true;
	do {
		weft_store32(&v->woken, 0);
		v->up->interface(v->up_arg);
	} while (weft_load32(&v->woken) && ++runs < RUNS_MAX &&
		 v->stats.received == before);
	v->interface.running = false;
	if (v->interface.done_ps < v->interface.now_ps)
		v->interface.done_ps = v->interface.now_ps;
	v->interface.refused = v->stats.received == before;
	return (int)(v->stats.received - before);
}

int vt_interface_receive(struct vt *v, int budget)
{
	int n = v->interface.packets, k;

	v->interface.packets = 0;
	while (n < budget && vt_next(v) <= vt_now(v->me)) {
		k = run_once(v);
		if (!k)
			break;
		n += k;
	}
	if (v->interface.owed_ps && v->interface.done_ps > vt_now(v->me))
		vt_now_set(v->me, v->interface.done_ps);
	vt_clock_advance(v->me, v->interface.owed_ps);
	v->interface.owed_ps = 0;
	return n;
}

uint64_t vt_interface_block(struct vt *v, uint64_t due)
{
	struct vt_interface *f = vt_interface_of(v->w, v->rank);
	uint64_t next;

	if (weft_likely(!v->interface.matches))
		return due;
	f->run_ps = VT_NEVER;
	f->may_run = !weft_load32(&v->full) && !v->interface.refused;
	if (!f->may_run)
		return due;
	next = vt_next(v);
	return next < due ? next : due;
}

bool vt_interface_release(struct vt *v, enum weft_vt_state as, uint64_t *due_p)
{
	uint64_t at, soon = vt_now(v->me);
	int n = 0;

	if (weft_likely(!v->interface.matches))
		return false;
	at = vt_interface_of(v->w, v->rank)->run_ps;
	v->interface.released_ps = at == VT_NEVER ? soon : at;
	if (at == VT_NEVER)
		return false;
	while (vt_next(v) <= at && run_once(v))
		n++;
	v->interface.packets += n;
	/*
	 * the rank reads what the interface has processed when the rank runs
	 * next
	 */
	if (as != WEFT_VT_BLOCKED)
		soon += v->w->cfg.poll_ps;
	if (*due_p > soon || *due_p < vt_now(v->me))
		*due_p = soon;
	return true;
}
