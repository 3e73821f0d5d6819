/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Background jobs: several jobs may share a world, and some of them only
 * produce traffic for the others. A program of such a background job need not
 * end by itself. When the last rank of the other jobs has left, the engine
 * stops: it no longer releases ranks, so ranks of background jobs stay blocked
 * until the launcher ends their processes. The engine stops at the start of a
 * pass, when no rank runs, so the state of the model at the end does not depend
 * on real time.
 */
#include "prov/vt/vt.h"

void weft_vt_set_background(struct weft_vt *w)
{
	/* published by R0/A0, since this rank runs until it blocks */
	w->cold_of[w->rank].background = 1;
	weft_add32(&w->head->backgrounds, 1);
}

static bool all_others_left(const struct weft_vt *w)
{
	for (uint32_t i = 0; i < w->size; i++)
		if (!w->cold_of[i].background &&
		    weft_load32(&w->rank_of[i].status) < WEFT_VT_DONE)
			return false;
	return true;
}

bool vt_background_is_over(struct weft_vt *w)
{
	if (!weft_load32(&w->head->backgrounds) || !all_others_left(w))
		return false;
	/* R9 pairs with A9 in vt_background_has_ended() */
	weft_store32(&w->head->over, 1);
	return true;
}

bool vt_background_has_ended(const struct weft_vt *w, uint32_t rank)
{
	/* A9 pairs with R9 in vt_background_is_over() */
	return weft_load32(&w->head->over) && w->cold_of[rank].background;
}
