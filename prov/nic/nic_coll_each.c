/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a large group whose tree is broken: a member died, or closed its
 * endpoint before the members below it had left, so that leave notices are not
 * forwarded any more. Then each member sends a last notice to each of the
 * others, with the members it knows to be gone; a group ends when every member
 * has sent its last notice or is gone.
 *
 *   broken -> [a member that has left joins another group] -> last notices
 *
 * The exchange is started by a member that joins again, since at the end of a
 * job all groups are broken, which does no harm. A member that has ended a
 * group regularly, by the tree, responds for it as long as it remembers the
 * group's key.
 */
#include "prov/nic/nic_coll_int.h"
#include "prov/nic/nic_int.h"

#include <errno.h>
#include <stdlib.h>

enum {
	EACH_SPOKE = 1, /* its last notice has arrived */
	EACH_GONE = 2,	/* it is dead, or its endpoint is closed */
};

struct coll_each {
	bool said;
	int count;	    /* members with a last notice or gone */
	unsigned char is[]; /* state of each member */
};

/* Of the last notice: a response needs no response. */
enum { EACH_ASKS, EACH_ANSWERS };

static void each_mark(struct weft_nic_group *c, int member, unsigned char how)
{
	struct coll_each *e = c->each;

	e->count += !e->is[member];
	e->is[member] |= how;
}

/* False: out of memory; the route stays taken until the next attempt. */
static bool each_begin(struct weft_nic_group *c)
{
	if (c->each)
		return true;
	c->each = calloc(1, sizeof(*c->each) + (size_t)c->n);
	for (int i = 0; c->each && i < c->n; i++) {
		if (i != c->me && c->member[i]->lost)
			each_mark(c, i, EACH_GONE);
	}
	return c->each;
}

static void each_tell(struct weft_nic_group *c, enum coll_note what,
		      uint32_t aux)
{
	for (int i = 0; i < c->n; i++) {
		if (!(c->each->is[i] & EACH_GONE))
			nic_coll_tell(c, i, what, aux);
	}
}

/* Sends the last notice, preceded by the members known to be gone. */
static void each_say(struct weft_nic_group *c)
{
	if (!c->gone[c->me] || c->each->said)
		return;
	c->each->said = true;
	for (int i = 0; i < c->n; i++) {
		if (i != c->me && c->member[i]->lost)
			each_tell(c, COLL_GONE, (uint32_t)i);
	}
	each_tell(c, COLL_LEFT_EACH, EACH_ASKS);
	each_mark(c, c->me, EACH_SPOKE);
}

/* Continues after a change; may free the group. */
static void each_go_on(struct weft_nic_group *c)
{
	each_say(c);
	if (c->each->count == c->n)
		nic_coll_free(c);
}

bool nic_each_take(struct weft_nic_group *c, int from,
		   const struct weft_pkt *pkt)
{
	bool gone = pkt->flags == COLL_GONE;

	if (c->n <= COLL_FEW || (gone && (pkt->aux >= (uint32_t)c->n ||
					  pkt->aux == (uint32_t)c->me)))
		return false;
	if (!each_begin(c))
		return true;
	if (gone)
		each_mark(c, (int)pkt->aux, EACH_GONE);
	else
		each_mark(c, from, EACH_SPOKE);
	each_go_on(c);
	return true;
}

/* Does this member wait for a notice from that member, or through it? */
static bool each_misses(const struct weft_nic_group *c, int member)
{
	if (coll_is_below(c, member))
		return !(c->below >> c->talk.ordinal[member] & 1);
	return member == coll_parent(c, c->me);
}

void nic_each_lost(struct weft_nic_group *c, int member)
{
	if (!c->each) {
		c->torn = c->torn || each_misses(c, member);
		return;
	}
	each_mark(c, member, EACH_GONE);
	if (c->each->said)
		each_tell(c, COLL_GONE, (uint32_t)member);
	each_go_on(c);
}

void nic_each_left(struct weft_nic_group *c)
{
	each_go_on(c);
}

void nic_each_reclaim(struct weft_nic *nic)
{
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, &nic->coll->groups)
	{
		struct weft_nic_group *c =
			weft_container_of(n, struct weft_nic_group, link);

		if (c->torn && c->n > COLL_FEW && c->gone[c->me] &&
		    each_begin(c))
			each_go_on(c);
	}
}

void nic_each_ended(struct weft_nic_group *c)
{
	struct nic_coll *nc = c->nic->coll;

	free(c->each);
	if (c->n > COLL_FEW)
		nc->ended[nc->ended_count++ % COLL_ENDED] = c->key;
}

bool nic_each_answer(struct weft_nic *nic, struct weft_peer *src,
		     const struct weft_pkt *pkt)
{
	const struct nic_coll *nc = nic->coll;
	unsigned i = 0;

	while (i < COLL_ENDED && i < nc->ended_count &&
	       nc->ended[i] != pkt->tag)
		i++;
	if (i == COLL_ENDED || i == nc->ended_count)
		return false;
	if (!pkt->len && pkt->flags == COLL_LEFT_EACH && pkt->aux == EACH_ASKS)
		nic_coll_note_to(nic, src, pkt->tag, COLL_LEFT_EACH,
				 EACH_ANSWERS);
	return true;
}
