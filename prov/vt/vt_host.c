/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A world whose ranks are all in one process, as fibers of a simulator
 * (src/tools/replay), without a process for each rank. The simulator runs the
 * engine when every fiber is parked; so the engine never runs on a fiber's
 * stack, and no rank is woken by a system call. Everything else works as with
 * processes, so virtual times are the same.
 */
#include "prov/vt/vt.h"

void weft_vt_host(struct weft_vt *w, void (*park)(void *arg), void *arg)
{
	w->park = park;
	w->park_arg = arg;
}

void weft_vt_host_rank(struct weft_vt *w, uint32_t rank)
{
	w->rank = rank;
}

int weft_vt_host_pass(struct weft_vt *w, const uint32_t **ranks_p)
{
	if (!w->hosted)
		return -EINVAL;
	vt_engine_try(w->hosted);
	*ranks_p = w->wake;
	if (weft_load32(&w->head->broken))
		return -EIO;
	return (int)w->wake_count;
}
