/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a large group whose tree is broken: a member died, or closed its
 * endpoint before the members below it had left, so that leave notices are not
 * forwarded any more. Then each member sends a last notice to each of the
 * others, together with a list of the members that it knows to be gone; a group
 * ends when every member has sent its last notice or is gone.
 *
 *   broken -> [a member that has left joins another group] -> last notices
 *
 * The exchange is started only by a member that joins again: at the end of a
 * job all groups are broken, which does not matter. A member whose group ended
 * regularly, by the tree, responds for it as long as it remembers the group's
 * key.
 */
#include "prov/group/grp_int.h"
#include "prov/nic/nic_int.h"

#include <errno.h>
#include <stdlib.h>

enum {
	LAST_RECEIVED = 1, /* the member's last notice was received */
	LAST_GONE = 2,	   /* the member is dead, or its endpoint is closed */
};

struct coll_last {
	bool notice_sent;
	/* number of members that are gone or whose last notice was received */
	int count;
	unsigned char state[]; /* state of each member */
};

/* Kinds of last notices; a response is not answered. */
enum { LAST_QUERY, LAST_RESPONSE };

static void last_state_add(struct weft_nic_group *c, int member,
			   unsigned char how)
{
	struct coll_last *e = c->each;

	e->count += !e->state[member];
	e->state[member] |= how;
}

/*
 * Allocates the state for last notices. Returns false if out of memory: the
 * route then stays in use until the next attempt.
 */
static bool last_begin(struct weft_nic_group *c)
{
	if (c->each)
		return true;
	c->each = calloc(1, sizeof(*c->each) + (size_t)c->n);
	for (int i = 0; c->each && i < c->n; i++) {
		if (i != c->me && c->member[i]->lost)
			last_state_add(c, i, LAST_GONE);
	}
	return c->each;
}

static void last_send_to(struct weft_nic_group *c, enum coll_notice what,
			 uint32_t aux)
{
	for (int i = 0; i < c->n; i++) {
		if (!(c->each->state[i] & LAST_GONE))
			grp_notify(c, i, what, aux);
	}
}

/*
 * Sends the last notice, after one notice for each other member known to be
 * gone.
 */
static void last_send(struct weft_nic_group *c)
{
	if (!c->gone[c->me] || c->each->notice_sent)
		return;
	c->each->notice_sent = true;
	for (int i = 0; i < c->n; i++) {
		if (i != c->me && c->member[i]->lost)
			last_send_to(c, COLL_GONE, (uint32_t)i);
	}
	last_send_to(c, COLL_LEFT_LAST, LAST_QUERY);
	last_state_add(c, c->me, LAST_RECEIVED);
}

/*
 * Continues the exchange of last notices after the state of a member has
 * changed; may free the group.
 */
static void last_continue(struct weft_nic_group *c)
{
	last_send(c);
	if (c->each->count == c->n)
		grp_free(c);
}

bool nic_last_notice(struct weft_nic_group *c, int from,
		     const struct weft_pkt *pkt)
{
	bool gone = pkt->flags == COLL_GONE;

	if (c->n <= COLL_SMALL_MAX || (gone && (pkt->aux >= (uint32_t)c->n ||
						pkt->aux == (uint32_t)c->me)))
		return false;
	if (!last_begin(c))
		return true;
	if (gone)
		last_state_add(c, (int)pkt->aux, LAST_GONE);
	else
		last_state_add(c, from, LAST_RECEIVED);
	last_continue(c);
	return true;
}

/*
 * Returns whether this member waits for a notice that `member` sends or
 * forwards.
 */
static bool last_waits_for(const struct weft_nic_group *c, int member)
{
	if (coll_is_below(c, member))
		return !(c->below >> c->msg_tree.ordinal[member] & 1);
	return member == coll_parent(c, c->me);
}

void nic_last_lost(struct weft_nic_group *c, int member)
{
	if (!c->each) {
		c->tree_broken = c->tree_broken || last_waits_for(c, member);
		return;
	}
	last_state_add(c, member, LAST_GONE);
	if (c->each->notice_sent)
		last_send_to(c, COLL_GONE, (uint32_t)member);
	last_continue(c);
}

void nic_last_left(struct weft_nic_group *c)
{
	last_continue(c);
}

void nic_last_reclaim(struct weft_nic *nic)
{
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, &nic->coll->groups) {
		struct weft_nic_group *c =
			weft_container_of(n, struct weft_nic_group, link);

		if (c->tree_broken && c->n > COLL_SMALL_MAX && c->gone[c->me] &&
		    last_begin(c))
			last_continue(c);
	}
}

void nic_last_ended(struct weft_nic_group *c)
{
	struct grp *nc = c->nic->coll;

	free(c->each);
	if (c->n > COLL_SMALL_MAX)
		nc->ended[nc->ended_count++ % COLL_ENDED] = c->key;
}

bool nic_last_respond(struct weft_nic *nic, struct weft_peer *src,
		      const struct weft_pkt *pkt)
{
	const struct grp *nc = nic->coll;
	unsigned i = 0;

	while (i < COLL_ENDED && i < nc->ended_count &&
	       nc->ended[i] != pkt->tag)
		i++;
	if (i == COLL_ENDED || i == nc->ended_count)
		return false;
	if (!pkt->len && pkt->flags == COLL_LEFT_LAST && pkt->aux == LAST_QUERY)
		grp_notify_peer(nic, src, pkt->tag, COLL_LEFT_LAST,
				LAST_RESPONSE);
	return true;
}
