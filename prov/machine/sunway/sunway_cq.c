/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion queues. Posting an operation reserves an entry for its event, so
 * no event is lost.
 */
#include "prov/machine/sunway/sunway_dev.h"

bool sunway_cq_space(const struct sunway_vi *v)
{
	return v->cq_tail - v->cq_head + v->reserved < v->events;
}

WEFT_HOT void sunway_cq_write(struct sunway_vi *v,
			      const struct weft_sunway_event *ev)
{
	v->cq[v->cq_tail++ & (v->events - 1)] = *ev;
}

WEFT_HOT WEFT_EXPORT int weft_sunway_cq_read(struct weft_sunway *n,
					     unsigned engine, unsigned vi,
					     struct weft_sunway_event *ev)
{
	struct sunway_vi *v = sunway_vi(n, engine, vi);

	if (!v)
		return -EINVAL;
	if (v->cq_head == v->cq_tail)
		return -EAGAIN;
	*ev = v->cq[v->cq_head++ & (v->events - 1)];
	n->stats.events++;
	return 0;
}
