/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronisation points of a group with shared areas: an arrival counter, and
 * words in every segment.
 */
#include "prov/group/cunit/cunit_group.h"

int weft_cunit_syncpoint_map(struct weft_cunit_group *g)
{
	return cunit_segments_map(g, 0, g->n);
}

void weft_cunit_syncpoint_write(struct weft_cunit_group *g,
				const uint64_t *words)
{
	for (int i = 0; i < CUNIT_SYNCPOINT_WORDS; i++)
		/* relaxed: RA5 publishes the words */
		weft_store64_relaxed(&g->segment[g->me]->word[i], words[i]);
}

void weft_cunit_syncpoint_read(const struct weft_cunit_group *g, int member,
			       uint64_t *words)
{
	for (int i = 0; i < CUNIT_SYNCPOINT_WORDS; i++)
		/* relaxed: read after A5 */
		words[i] = weft_load64_relaxed(&g->segment[member]->word[i]);
}

void weft_cunit_syncpoint_arrive(struct weft_cunit_group *g, unsigned points)
{
	uint64_t n = (uint64_t)g->n;
	/*
	 * RA5 pairs with A5 in weft_cunit_syncpoint_reached(): the words are
	 * written before the arrival.
	 */
	uint64_t before = weft_add64(&g->segment[g->tree.root]->met, points);

	/* the last member to arrive at a point wakes the waiters */
	if (before / n != (before + points) / n)
		cunit_notify(g, CUNIT_EVENT_SYNCPOINT);
}

bool weft_cunit_syncpoint_reached(const struct weft_cunit_group *g,
				  uint64_t point, struct weft_cunit_watch *w)
{
	w->word = &g->segment[g->tree.root]->met;
	w->want = point * (uint64_t)g->n;
	w->event_word = cunit_event_word(g, CUNIT_EVENT_SYNCPOINT);
	/* A5 pairs with RA5 in weft_cunit_syncpoint_arrive(). */
	return weft_load64(w->word) >= w->want;
}
