/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Credits, which show when a slot may be reused (see the comment at the top of
 * cunit_layout.h).
 */
#include "prov/group/cunit/cunit_group.h"
#include "src/base/must.h"

static uint64_t epoch_before(uint64_t seq)
{
	uint64_t epoch = seq / CUNIT_WINDOW;

	return epoch < 2 ? 0 : epoch - 1;
}

/* Returns the member of a small group with the lowest known read count. */
static int slowest(const struct weft_cunit_group *g)
{
	int least = 0;

	for (int i = 1; i < g->n; i++) {
		if (g->read_by[i] < g->read_by[least])
			least = i;
	}
	return least;
}

/* Loads the read counts that the members of a small group publish. */
static void credit_poll_members(struct weft_cunit_group *g)
{
	for (int i = 0; i < g->n; i++) {
		/* A3 pairs with R3 in cunit_credit_return(). */
		uint64_t read = weft_load64(&g->segment[i]->credit_done);

		/* the count may be ahead of this member's sends, or forged */
		if (read > g->sent)
			read = g->sent;
		if (read > g->read_by[i])
			g->read_by[i] = read;
		WEFT_ASSERT(g->read_by[i] <= g->sent);
	}
}

/*
 * Returns the number below which packets may be sent, by the completed epochs.
 */
static uint64_t credit_limit(const struct weft_cunit_group *g)
{
	/* A3 pairs with R3 in cunit_node_credit_at() and cunit_board_credit().
	 */
	uint64_t done = weft_load64(&g->segment[g->tree.root]->credit_done);

	WEFT_ASSERT(g->credits == g->consumed / CUNIT_WINDOW);
	/* no epoch completes without this member: a higher value is forged */
	return ((done < g->credits ? done : g->credits) + 2) * CUNIT_WINDOW;
}

bool cunit_credit_poll(struct weft_cunit_group *g, uint64_t seq)
{
	if (!g->flat_shared) {
		g->clear = credit_limit(g);
		return seq < g->clear;
	}
	g->read_by[g->me] = g->consumed;
	g->clear = g->read_by[slowest(g)] + CUNIT_SLOTS;
	if (seq < g->clear)
		return true;
	credit_poll_members(g);
	g->clear = g->read_by[slowest(g)] + CUNIT_SLOTS;
	return seq < g->clear;
}

weft_au64 *cunit_credit_word(const struct weft_cunit_group *g, uint64_t seq,
			     uint64_t *want_p)
{
	if (!g->flat_shared) {
		*want_p = epoch_before(seq);
		return &g->segment[g->tree.root]->credit_done;
	}
	WEFT_ASSERT(seq + 1 >= CUNIT_SLOTS);
	*want_p = seq + 1 - CUNIT_SLOTS;
	return &g->segment[slowest(g)]->credit_done;
}

/*
 * Returns the read count that all members must reach before packet seq is sent.
 * Read counts are published every CUNIT_WINDOW packets only.
 */
uint64_t cunit_credit_needs(const struct weft_cunit_group *g, uint64_t seq)
{
	uint64_t all = seq + 1 - CUNIT_SLOTS;

	if (!g->flat_shared)
		return epoch_before(seq) * CUNIT_WINDOW;
	return (all + CUNIT_WINDOW - 1) / CUNIT_WINDOW * CUNIT_WINDOW;
}

void cunit_credit_return(struct weft_cunit_group *g)
{
	if (!g->flat_shared) {
		cunit_node_credit(g);
		return;
	}
	/*
	 * R3 pairs with A3 in credit_poll_members(): this member reads the
	 * packets before a sender reuses their slots.
	 */
	weft_store64(&g->segment[g->me]->credit_done, g->consumed);
	cunit_notify(g, CUNIT_EVENT_CREDIT);
}
