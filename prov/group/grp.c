/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups: their messages, progress and end. grp_join.c joins groups, grp_op.c
 * has the operations, and grp_check.c checks operations that wait for a long
 * time.
 *
 * A route becomes free only when every member has left, because a late member
 * may still increment the arrival counter in this member's segment; so a group
 * is kept until all members have reported that they left. In a small group each
 * member notifies all others. In a large group the notice goes up the tree by
 * which they joined: each member sends it when all members below it have left,
 * and the root then sends it down. If a member dies, or closes its endpoint
 * before those below it have left, the group ends as described in grp_last.c.
 *
 * A member detects the death of peers with which it communicates, at least its
 * neighbours in that tree, and then notifies its own neighbours.
 */
#include "prov/group/grp.h"
#include "prov/group/grp_hook.h"
#include "prov/group/grp_int.h"
#include "prov/group/grp_net.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_send.h"
#include "src/base/hash.h"

#include <stdlib.h>

/* ---- messages ------------------------------------------------------------ */

static void coll_send(struct weft_nic_group *c, int member,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct weft_peer *peer = c->member[member];

	if (weft_likely(nic_peer_of(c->nic, peer) != NULL)) {
		nic_ctrl(c->nic, peer, pkt, payload);
		return;
	}
	c->check.starved = true;
	c->nic->coll->checks = true;
	c->nic->coll_active = true;
}

void grp_msg_send(void *arg, int member, const struct weft_cunit_msg *msg,
		  const void *payload)
{
	struct weft_nic_group *c = arg;
	unsigned char buf[sizeof(*msg) + COLL_MSG_BYTES];
	struct weft_pkt pkt = {
		.type = NIC_COLL,
		.tag = c->key,
		.len = (uint16_t)(sizeof(*msg) + msg->bytes),
	};

	memcpy(buf, msg, sizeof(*msg));
	if (msg->bytes)
		memcpy(buf + sizeof(*msg), payload, msg->bytes);
	coll_send(c, member, &pkt, buf);
}

static struct weft_pkt notice_of(uint64_t key, enum coll_notice what,
				 uint32_t aux)
{
	return (struct weft_pkt){
		.type = NIC_COLL, .tag = key, .flags = (uint8_t)what, .aux = aux
	};
}

void grp_notify_peer(struct weft_nic *nic, struct weft_peer *peer, uint64_t key,
		     enum coll_notice what, uint32_t aux)
{
	const struct weft_pkt pkt = notice_of(key, what, aux);

	nic_ctrl(nic, peer, &pkt, NULL);
}

void grp_notify(struct weft_nic_group *c, int member, enum coll_notice what,
		uint32_t aux)
{
	const struct weft_pkt pkt = notice_of(c->key, what, aux);

	if (member != c->me && !c->member[member]->lost)
		coll_send(c, member, &pkt, NULL);
}

static void coll_notify(struct weft_nic_group *c, int member,
			enum coll_notice what, int err)
{
	grp_notify(c, member, what, (uint32_t)-err);
}

static void coll_notify_children(struct weft_nic_group *c,
				 enum coll_notice what, int err)
{
	const struct weft_tree *t = &c->msg_tree;

	for (int i = t->first[c->me]; i < t->first[c->me + 1]; i++)
		coll_notify(c, t->input[i], what, err);
}

static void coll_notify_parent(struct weft_nic_group *c, enum coll_notice what,
			       int err)
{
	if (c->me)
		coll_notify(c, coll_parent(c, c->me), what, err);
}

static struct weft_nic_group *coll_find(struct weft_nic *nic, uint64_t key)
{
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, &nic->coll->groups) {
		struct weft_nic_group *c =
			weft_container_of(n, struct weft_nic_group, link);

		if (c->key == key)
			return c;
	}
	return NULL;
}

/* ---- the end of a group -------------------------------------------------- */

/*
 * Clears the watched words, which may be in unmapped segments now. The next
 * poll sets them again, unless no group is left.
 */
static void coll_unwatch(struct weft_nic *nic)
{
	const struct weft_carrier_watch w = { .want = nic->coll_groups > 0 };
	struct weft_carrier *ca = nic->unit->carrier;

	nic->coll_active = true;
	if (nic->coll->watching)
		ca->ops->watch(ca, &w);
	if (!w.want)
		nic->coll->watching = 0;
}

void grp_route_release(struct weft_nic_group *c)
{
	coll_unwatch(c->nic);
	nic_long_close(c);
	nic_chain_close(c->chain);
	c->chain = NULL;
	if (c->hw)
		weft_cunit_group_close(c->hw);
	if (c->bar)
		weft_cunit_group_close(c->bar);
	c->hw = c->bar = c->unordered = NULL;
	if (c->barrier >= 0)
		c->nic->coll->barriers |= UINT64_C(1) << c->barrier;
	c->barrier = -1;
	nic_net_close(c->net);
	c->net = NULL;
	grp_segments_close(c);
	weft_tree_fini(&c->tree);
	weft_tree_fini(&c->wide);
	if (c->route >= 0)
		c->nic->coll->routes |= UINT64_C(1) << c->route;
	c->route = -1;
}

void grp_free(struct weft_nic_group *c)
{
	grp_route_release(c);
	if (c->by_msg)
		weft_cunit_group_close(c->by_msg);
	weft_list_remove(&c->link);
	c->nic->coll_groups--;
	coll_unwatch(c->nic);
	nic_last_ended(c);
	weft_tree_fini(&c->msg_tree);
	free(c->check.response);
	free(c->word);
	free(c->gone);
	free(c->member);
	free(c);
}

/* Records that member i is gone: it has left, or it is dead. */
static void coll_member_gone(struct weft_nic_group *c, int i)
{
	if (c->gone[i])
		return;
	c->gone[i] = true;
	if (++c->gone_count == c->n)
		grp_free(c);
}

/*
 * Large groups: called when all members have left, so that none accesses this
 * member's segment any more.
 */
static void coll_all_left(struct weft_nic_group *c)
{
	coll_notify_children(c, COLL_LEFT_ALL, 0);
	grp_free(c);
}

/* Returns whether all members below this one have left. */
static bool coll_below_left(const struct weft_nic_group *c)
{
	return c->below == (1u << weft_tree_inputs(&c->msg_tree, c->me)) - 1;
}

/* Large groups: notifies the parent if this member and all below have left. */
static void coll_left_below(struct weft_nic_group *c)
{
	if (!c->gone[c->me] || !coll_below_left(c))
		return;
	if (c->me)
		coll_notify_parent(c, COLL_LEFT_BELOW, 0);
	else
		coll_all_left(c);
}

/*
 * Notifies the members of a small group; in a large one, the parent if all
 * members below have left.
 */
static void coll_notify_left(struct weft_nic_group *c)
{
	for (int i = 0; c->n <= COLL_SMALL_MAX && i < c->n; i++)
		coll_notify(c, i, COLL_LEFT, 0);
	if (c->n <= COLL_SMALL_MAX)
		return;
	coll_notify_children(c, COLL_LEFT, 0);
	if (!coll_below_left(c))
		coll_notify_parent(c, COLL_LEFT, 0);
}

void weft_nic_leave(struct weft_nic_group *c)
{
	c->joined = NULL;
	/*
	 * Without messages, no member needs this member's tree node; the model
	 * counts the members that have left.
	 */
	if (c->net && !c->msg_used) {
		grp_free(c);
		return;
	}
	coll_notify_left(c);
	if (c->n <= COLL_SMALL_MAX) {
		coll_member_gone(c, c->me);
		return;
	}
	c->gone[c->me] = true;
	if (c->each)
		nic_last_left(c);
	else
		coll_left_below(c);
}

/* ---- received packets ---------------------------------------------------- */

static int coll_index(const struct weft_nic_group *c,
		      const struct weft_peer *src)
{
	for (int i = 0; i < c->n; i++) {
		if (i != c->me && c->member[i] == src)
			return i;
	}
	return -1;
}

/* Handles a child's report, sent once, that all members below it have left. */
static void coll_child_left(struct weft_nic_group *c, int from)
{
	if (c->n <= COLL_SMALL_MAX || !coll_is_below(c, from))
		return;
	c->gone[from] = true;
	c->below |= 1u << c->msg_tree.ordinal[from];
	coll_left_below(c);
}

static void coll_notice_handle(struct weft_nic_group *c, int from,
			       const struct weft_pkt *pkt)
{
	bool many = c->n > COLL_SMALL_MAX;

	if (pkt->flags == COLL_LEFT && !many)
		coll_member_gone(c, from);
	else if (pkt->flags == COLL_LEFT)
		c->gone[from] = true;
	else if (pkt->flags == COLL_LEFT_BELOW)
		coll_child_left(c, from);
	else if (pkt->flags == COLL_LEFT_ALL && many && c->gone[c->me] &&
		 from == coll_parent(c, c->me))
		coll_all_left(c);
	else if (pkt->flags == COLL_LOST && pkt->aux && pkt->aux < 4096)
		grp_fail(c, -(int)pkt->aux);
	else if ((pkt->flags != COLL_LEFT_LAST && pkt->flags != COLL_GONE) ||
		 !nic_last_notice(c, from, pkt))
		c->nic->garbage++;
}

static void coll_packet_handle(struct weft_nic_group *c, int from,
			       const struct weft_pkt *pkt, const void *payload)
{
	struct weft_cunit_msg m;

	if (!pkt->len) {
		coll_notice_handle(c, from, pkt);
		return;
	}
	memcpy(&m, payload, sizeof(m));
	payload = (const char *)payload + sizeof(m);
	if (m.what >= COLL_CHECK_LONG) {
		if (!nic_check_receive(c, from, &m, payload))
			c->nic->garbage++;
		return;
	}
	/* late credits of a completed join are ignored */
	if (c->by_msg && !weft_cunit_receive(c->by_msg, &m, payload))
		c->nic->garbage++;
}

/* Keeps a packet of a group that this process has not joined yet. */
static int coll_unclaimed_add(struct weft_nic *nic, struct weft_peer *src,
			      const struct weft_pkt *pkt, const void *payload)
{
	struct coll_unclaimed *e;

	if (nic->coll->unclaimed_count >= COLL_UNCLAIMED_MAX)
		return -EPROTO;
	e = malloc(sizeof(*e) + pkt->len);
	if (!e)
		return -EAGAIN;
	e->src = src;
	e->pkt = *pkt;
	memcpy(e->payload, payload, pkt->len);
	weft_list_push_back(&nic->coll->unclaimed, &e->link);
	nic->coll->unclaimed_count++;
	return 0;
}

int nic_got_coll(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload)
{
	unsigned char buf[sizeof(struct weft_cunit_msg) + COLL_MSG_BYTES];
	struct weft_cunit_msg m;
	struct weft_nic_group *c;
	int from;

	if (pkt->len > sizeof(buf) || (pkt->len && pkt->len < sizeof(m)))
		return -EPROTO;
	nic->coll_active = true;
	/* the sender may change the payload: use a copy only */
	memcpy(buf, payload, pkt->len);
	memcpy(&m, buf, sizeof(m));
	if (pkt->len && pkt->len - sizeof(m) != m.bytes)
		return -EPROTO;
	c = coll_find(nic, pkt->tag);
	if (!c)
		return nic_last_respond(nic, src, pkt)
			       ? 0
			       : coll_unclaimed_add(nic, src, pkt, buf);
	from = coll_index(c, src);
	if (from < 0)
		return -EPROTO;
	coll_packet_handle(c, from, pkt, buf);
	return 0;
}

/* Delivers packets that arrived before their group was joined. */
void grp_replay(struct weft_nic_group *c)
{
	struct grp *nc = c->nic->coll;
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, &nc->unclaimed) {
		struct coll_unclaimed *e =
			weft_container_of(n, struct coll_unclaimed, link);
		int from;

		if (e->pkt.tag != c->key)
			continue;
		weft_list_remove(n);
		nc->unclaimed_count--;
		from = coll_index(c, e->src);
		if (from >= 0)
			coll_packet_handle(c, from, &e->pkt, e->payload);
		free(e);
	}
}

/* ---- progress ------------------------------------------------------------ */

/*
 * Polls the message tree, which also forwards messages of other members. A
 * group with a class route needs this tree only to join, and closes it
 * afterwards, since its state per member is large.
 */
static void coll_advance_msgs(struct weft_nic_group *c)
{
	if (!c->by_msg)
		return;
	weft_cunit_poll(c->by_msg);
	if (c->state != COLL_READY || !c->hw)
		return;
	weft_cunit_group_close(c->by_msg);
	c->by_msg = NULL;
}

/*
 * Polls the chained events: a member that has left a broadcast must still
 * report when the broadcast's packets have arrived here.
 */
static WEFT_COLD void coll_advance_chain(struct weft_nic_group *c)
{
	if (nic_chain_poll(c->chain) || c->lost)
		return;
	c->check.broken = true;
	c->nic->coll->checks = true;
}

/*
 * Returns whether there is nothing to progress until the next call or packet.
 */
static bool coll_is_idle(const struct weft_nic_group *c)
{
	return c->state != COLL_OPENING && !c->pending && !c->by_msg &&
	       !c->chain && weft_list_empty(&c->longs);
}

static void coll_advance(struct weft_nic_group *c)
{
	if (c->state == COLL_OPENING)
		grp_join_step(c);
	if (c->pending && c->hw)
		weft_cunit_poll(c->hw);
	if (c->pending && c->bar)
		weft_cunit_poll(c->bar);
	if (c->pending && c->net)
		nic_net_poll(c->net);
	if (!weft_list_empty(&c->longs))
		nic_long_move(c);
	coll_advance_msgs(c);
	if (weft_unlikely(c->chain != NULL))
		coll_advance_chain(c);
}

/* Sets the words that a wait watches for one group; returns their number. */
static int coll_watch_words(struct weft_nic_group *c,
			    struct weft_carrier_watch *w)
{
	struct weft_cunit_watch at[3] = { { 0 } };
	int n = 0;

	if (c->state == COLL_OPENING)
		return 2;
	if (!c->pending || !c->hw)
		return 0;
	if (weft_cunit_ready(c->hw, &at[0]) ||
	    (c->bar && weft_cunit_ready(c->bar, &at[1])) ||
	    (!weft_list_empty(&c->longs) && nic_long_ready(c, &at[2])))
		return 2;
	for (int i = 0; i < 3; i++) {
		if (!at[i].word)
			continue;
		*w = (struct weft_carrier_watch){ .word = at[i].word,
						  .want = at[i].want,
						  .event_word =
							  at[i].event_word,
						  .oversubscribed =
							  c->oversubscribed };
		n++;
	}
	return n;
}

/* Sets the words that a wait watches besides packets. */
static void coll_watch(struct weft_nic *nic)
{
	struct weft_carrier *ca = nic->unit->carrier;
	struct weft_carrier_watch w = { 0 };
	struct weft_list *n, *tmp;
	int waits = 0;

	weft_list_each(n, tmp, &nic->coll->groups)
		waits += coll_watch_words(
			weft_container_of(n, struct weft_nic_group, link), &w);
	if (waits > 1)
		w = (struct weft_carrier_watch){ .want = 1 };
	ca->ops->watch(ca, &w);
	nic->coll->watching = waits;
}

/*
 * Progresses all groups. Idle groups are skipped, since programs with many
 * communicators also wait for messages.
 */
WEFT_HOT void grp_poll(struct weft_nic *nic)
{
	struct grp *nc = nic->coll;
	struct weft_list *n, *tmp;
	bool rest = true;

	nic->coll_active = false;
	weft_list_each(n, tmp, &nc->groups) {
		struct weft_nic_group *c =
			weft_container_of(n, struct weft_nic_group, link);

		coll_advance(c);
		rest = rest && coll_is_idle(c);
	}
	if (nc->pending || nc->checks)
		nic_check_poll(nic);
	if (nc->pending || nc->watching)
		coll_watch(nic);
	if (!rest || nc->pending || nc->checks || nc->watching)
		nic->coll_active = true;
}

/*
 * Completes operations that were finished before members called different
 * operations.
 */
static void coll_complete_done(struct weft_nic_group *c)
{
	if (c->hw && c->state == COLL_READY)
		weft_cunit_poll(c->hw);
	if (c->bar && c->state == COLL_READY)
		weft_cunit_poll(c->bar);
}

/*
 * Fails all pending and later operations at this member, and notifies the
 * neighbours once.
 */
void grp_fail(struct weft_nic_group *c, int err)
{
	if (c->lost)
		return;
	c->lost = true;
	coll_complete_done(c);
	c->err = err;
	c->tree_broken =
		c->tree_broken || err == -ECONNRESET || err == -ESHUTDOWN;
	coll_notify_parent(c, COLL_LOST, err);
	coll_notify_children(c, COLL_LOST, err);
	nic_long_fail(c, err);
	if (c->chain)
		nic_chain_fail(c->chain, err);
	if (c->hw)
		weft_cunit_group_fail(c->hw, err);
	if (c->bar)
		weft_cunit_group_fail(c->bar, err);
	if (c->net)
		nic_net_fail(c->net, err);
	if (c->by_msg)
		weft_cunit_group_fail(c->by_msg, err);
	if (c->state == COLL_OPENING)
		grp_join_fail(c, err);
	else if (c->state != COLL_READY)
		c->state = COLL_FAILED;
}

void weft_nic_group_fail(struct weft_nic_group *c, int err)
{
	c->nic->coll_active = true;
	grp_fail(c, err);
}

void grp_lost(struct weft_nic *nic, struct weft_peer *peer, int err)
{
	struct weft_list *n, *tmp;

	nic->coll_active = true;
	weft_list_each(n, tmp, &nic->coll->groups) {
		struct weft_nic_group *c =
			weft_container_of(n, struct weft_nic_group, link);
		int i = coll_index(c, peer);

		if (i < 0)
			continue;
		/* not an error if the member has left: its process may exit */
		if (!c->gone[i])
			grp_fail(c, err);
		if (c->n <= COLL_SMALL_MAX)
			coll_member_gone(c, i);
		else
			nic_last_lost(c, i);
	}
}

/* ---- open and close ------------------------------------------------------ */

int grp_open(struct weft_nic *nic, const struct weft_nic_attr *attr)
{
	struct grp *nc = calloc(1, sizeof(*nc));
	size_t room = nic->packet_bytes - sizeof(struct weft_cunit_msg);

	if (!nc)
		return -ENOMEM;
	nc->geo = &nic->machine->cu;
	nc->msg_geo = (struct weft_cunit_geo){
		.routes = 1,
		.packet_bytes = room < COLL_MSG_BYTES ? room : COLL_MSG_BYTES,
	};
	nc->routes = nic->machine->routes;
	nc->barriers = nic->machine->barriers;
	nc->node = attr->node;
	nc->arity = attr->arity;
	if (nc->arity > COLL_ARITY_MAX)
		nc->arity = COLL_ARITY_MAX;
	weft_list_init(&nc->groups);
	weft_list_init(&nc->unclaimed);
	weft_hash_init(&nc->joins);
	weft_pool_init(&nc->ops, grp_op_bytes);
	nic->coll = nc;
	return 0;
}

void grp_close(struct weft_nic *nic)
{
	struct grp *nc = nic->coll;
	struct weft_list *n;

	while (!weft_list_empty(&nc->groups))
		grp_free(weft_container_of(nc->groups.next,
					   struct weft_nic_group, link));
	while ((n = weft_list_pop_front(&nc->unclaimed)))
		free(weft_container_of(n, struct coll_unclaimed, link));
	weft_hash_fini(&nc->joins);
	weft_pool_fini(&nc->ops);
	free(nc);
	nic->coll = NULL;
}
