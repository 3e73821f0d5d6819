/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions with which the engine determines times of interfaces that match
 * messages (vt_interface.c): when an arriving packet has been matched, and
 * whether an event concerns the interface or its rank.
 */
#include "prov/vt/vt.h"

uint64_t vt_interface_stamp(struct vt_engine_pass *t, uint32_t rank,
			    const struct vt_buf *b)
{
	struct weft_vt *w = t->w;
	struct vt_interface *f;
	uint64_t at = t->time_ps;

	if (weft_likely(!w->cfg.match_unit))
		return at;
	f = vt_interface_of(w, rank);
	if (!f->matches)
		return at;
	if (b->kind == VT_PACKET && !b->more)
		at = net_thread_run(w->net, vt_rank(w, rank)->node, at,
				    w->cfg.match_ps);
	/* keep the list of arrivals in the order of their times */
	if (f->arrived_ps < at)
		f->arrived_ps = at;
	return f->arrived_ps;
}

bool vt_interface_runs(struct weft_vt *w, uint32_t rank, uint64_t at)
{
	const struct vt_interface *f;

	if (weft_likely(!w->cfg.match_unit))
		return false;
	f = vt_interface_of(w, rank);
	return f->matches && f->may_run && at < vt_now(vt_rank(w, rank));
}

void vt_interface_drain(struct vt_engine_pass *t, uint32_t rank)
{
	struct weft_vt *w = t->w;
	struct vt_interface *f;

	if (weft_likely(!w->cfg.match_unit))
		return;
	f = vt_interface_of(w, rank);
	if (f->searched_ps)
		net_thread_run(w->net, vt_rank(w, rank)->node, vt_reached(w),
			       f->searched_ps);
	f->searched_ps = 0;
}
