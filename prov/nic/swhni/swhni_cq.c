/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion queues. Posting an operation that will end with an event reserves
 * an entry for it, so that no event is lost.
 */
#include "prov/nic/swhni/swhni_dev.h"

bool swhni_cq_room(const struct swhni_vi *v)
{
	return v->cq_tail - v->cq_head + v->owed < v->events;
}

void swhni_cq_write(struct swhni_vi *v, const struct weft_swhni_event *ev)
{
	v->cq[v->cq_tail++ & (v->events - 1)] = *ev;
}

WEFT_EXPORT int weft_swhni_cq_read(struct weft_swhni *n, unsigned engine,
				   unsigned vi, struct weft_swhni_event *ev)
{
	struct swhni_vi *v = swhni_vi(n, engine, vi);

	if (!v)
		return -EINVAL;
	if (v->cq_head == v->cq_tail)
		return -EAGAIN;
	*ev = v->cq[v->cq_head++ & (v->events - 1)];
	return 0;
}
