/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a large group whose tree is torn: somebody died, or closed his
 * endpoint before those below him had left, and word of the others' leaving
 * gets no further. Then members say their last word to each of the others, and
 * whom they miss; a group ends when all have spoken or are no more.
 *
 *   torn -> [a member that has left joins another group] -> last words of all
 *
 * It is begun by who joins again, since at the end of a job all groups are torn
 * and nobody minds. Who has ended a group in good order, by the tree, answers
 * for it as long as he remembers its key.
 */
#include "prov/nic/nic_coll_int.h"
#include "prov/nic/nic_int.h"

#include <errno.h>
#include <stdlib.h>

enum {
	EACH_SPOKE = 1, /* his last word is here */
	EACH_GONE = 2,	/* he is dead, or his endpoint is closed */
};

struct coll_each {
	bool said;
	int count;	    /* members that spoke or are gone */
	unsigned char is[]; /* of each member */
};

/* Of the last word: who answers wants no answer. */
enum { EACH_ASKS, EACH_ANSWERS };

static void each_mark(struct weft_nic_group *c, int member, unsigned char how)
{
	struct coll_each *e = c->each;

	e->count += !e->is[member];
	e->is[member] |= how;
}

/* False: no memory, and the route stays taken until it is tried again. */
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

/* The last word, and before it of whom the others may not have heard. */
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

/* Something has changed; the group may be no more afterwards. */
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

/* Does this member wait for word of him, or through him? */
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
