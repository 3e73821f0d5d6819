/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects operations that cannot complete. Members that called different
 * operations, or whose shared words were damaged, would hang. A check that is
 * cheap enough for every operation cannot distinguish such an error from a
 * member that is outside MPI. So a member that has waited for a long time
 * notifies member 0, which queries the progress of all members. Queries go down
 * the tree by messages, notices and responses go up, so that each member
 * communicates with its neighbours in the tree only. Three conditions then
 * prove an error, however slow a member is:
 *
 *   packets and long vectors were posted in different orders: of any two
 *   members, one must have posted everything that the other has posted
 *
 *   a member waits for something that all members have done: in one round
 *   all members report that they have done it, and in the next round a
 *   member reports that it waits for it
 *
 *   all members have sent their packets on the tree of chained events, and the
 *   sum differs from the number of packets that all members wait for: no member
 *   was the root, or two were
 *
 * Then all operations fail with -EPROTO at all members, as they do when a
 * packet shows that members differ. Otherwise the members continue to wait;
 * members outside MPI respond when they poll.
 */
#include "prov/group/grp_int.h"
#include "prov/nic/nic_int.h"
#include "src/base/clock.h"
#include "src/base/log.h"

#include <stdlib.h>

#define CHECK_FIRST_NS UINT64_C(500000000)
#define CHECK_MAX_NS   UINT64_C(16000000000)
#define CHECK_POLLS    8 /* polls between two readings of the clock */

/* Progress of a member. */
struct coll_progress {
	uint64_t round; /* number of the query */
	struct weft_cunit_state hw;
	struct weft_cunit_state bar;
	uint64_t longs;	 /* long vectors posted */
	uint64_t points; /* synchronisation points arrived at */
	/* synchronisation point that the member waits at, or 0 */
	uint64_t point;
	struct nic_chain_state chain;
};

static void check_send(struct weft_nic_group *c, int member, unsigned what,
		       uint64_t round, const struct coll_progress *w)
{
	const struct weft_cunit_msg m = { .what = (uint8_t)what,
					  .seq = round,
					  .bytes = w ? sizeof(*w) : 0 };

	if (member != c->me && !c->member[member]->lost)
		grp_msg_send(c, member, &m, w);
}

static void check_send_up(struct weft_nic_group *c, unsigned what,
			  uint64_t round, const struct coll_progress *w)
{
	check_send(c, coll_parent(c, c->me), what, round, w);
}

static void query_children(struct weft_nic_group *c, uint64_t round)
{
	const struct weft_tree *t = &c->msg_tree;

	for (int i = t->first[c->me]; i < t->first[c->me + 1]; i++)
		check_send(c, t->input[i], COLL_CHECK_QUERY, round, NULL);
}

static struct coll_progress progress_of(const struct weft_nic_group *c,
					uint64_t round)
{
	struct coll_progress w = { .round = round,
				   .longs = c->long_posts,
				   .points = c->points,
				   .point = nic_long_syncpoint(c) };

	weft_cunit_state(c->hw, &w.hw);
	if (c->bar)
		weft_cunit_state(c->bar, &w.bar);
	if (c->chain)
		nic_chain_state(c->chain, &w.chain);
	return w;
}

/* ---- evaluation ---------------------------------------------------------- */

void nic_check_fail(struct weft_nic_group *c)
{
	grp_fail(c, -EPROTO);
}

static uint64_t posts(const struct coll_progress *w)
{
	return w->hw.posted + w->bar.posted + w->longs + w->chain.posted +
	       w->chain.barriers;
}

static int by_posts(const void *a, const void *b)
{
	uint64_t x = posts(a), y = posts(b);

	return x < y ? -1 : x > y;
}

/*
 * Sorts the members; returns whether each member has posted everything that
 * members with fewer posts have posted.
 */
static bool posts_ordered(struct coll_progress *w, int n)
{
	qsort(w, (size_t)n, sizeof(*w), by_posts);
	for (int i = 1; i < n; i++) {
		if (w[i].hw.posted < w[i - 1].hw.posted ||
		    w[i].bar.posted < w[i - 1].bar.posted ||
		    w[i].chain.posted < w[i - 1].chain.posted ||
		    w[i].chain.barriers < w[i - 1].chain.barriers ||
		    w[i].longs < w[i - 1].longs)
			return false;
	}
	return true;
}

static uint64_t lower_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns the progress that all members have reached. */
static struct coll_progress done_by_all(const struct coll_progress *w, int n)
{
	struct coll_progress all = w[0];

	for (int i = 1; i < n; i++) {
		all.hw.sent = lower_of(all.hw.sent, w[i].hw.sent);
		all.hw.read = lower_of(all.hw.read, w[i].hw.read);
		all.bar.sent = lower_of(all.bar.sent, w[i].bar.sent);
		all.bar.read = lower_of(all.bar.read, w[i].bar.read);
		all.points = lower_of(all.points, w[i].points);
		all.chain.posted =
			lower_of(all.chain.posted, w[i].chain.posted);
		all.chain.due += w[i].chain.due;
		all.chain.broadcast += w[i].chain.broadcast;
	}
	return all;
}

/*
 * Returns whether all members have posted the same number of packets and sent
 * all of theirs, but a different number of packets was broadcast: the members
 * disagree about the root.
 */
static bool broadcast_roots_mismatch(const struct coll_progress *w, int n,
				     const struct coll_progress *all)
{
	for (int i = 0; i < n; i++) {
		if (w[i].chain.posted != all->chain.posted)
			return false;
	}
	return !all->chain.due && all->chain.broadcast != all->chain.posted;
}

static bool group_stuck(const struct weft_cunit_state *s,
			const struct weft_cunit_state *all)
{
	return (s->packet && s->packet <= all->sent) ||
	       (s->credit && s->credit <= all->read);
}

static bool any_stuck(const struct coll_progress *w, int n,
		      const struct coll_progress *all)
{
	for (int i = 0; i < n; i++) {
		if (group_stuck(&w[i].hw, &all->hw) ||
		    group_stuck(&w[i].bar, &all->bar) ||
		    (w[i].point && w[i].point <= all->points))
			return true;
	}
	return broadcast_roots_mismatch(w, n, all);
}

static void evaluate(struct weft_nic_group *c)
{
	struct coll_check *k = &c->check;
	struct coll_progress all = done_by_all(k->response, c->n);
	bool stuck = k->suspect && any_stuck(k->response, c->n, k->done);

	if (stuck || !posts_ordered(k->response, c->n)) {
		weft_log(WEFT_LOG_WARN, "nic: %d members of a group %s", c->n,
			 stuck ? "wait for operations that all members have "
				 "completed"
			       : "called collectives in different orders");
		nic_check_fail(c);
		return;
	}
	k->suspect = any_stuck(k->response, c->n, &all);
	*k->done = all;
	k->requested = k->suspect;
}

/* ---- queries and responses ----------------------------------------------- */

/* Member 0: queries all members, unless responses are outstanding. */
static void query_send(struct weft_nic_group *c)
{
	struct coll_check *k = &c->check;

	k->requested = false;
	if (k->responses)
		return;
	if (!k->response) {
		k->response = calloc((size_t)c->n + 1, sizeof(*k->response));
		if (!k->response)
			return;
		k->done = k->response + c->n;
	}
	k->round++;
	k->response[0] = progress_of(c, k->round);
	k->responses = 1;
	query_children(c, k->round);
}

/* Reports to member 0 that a member has waited for a long time. */
static void long_wait_report(struct weft_nic_group *c)
{
	if (c->me)
		check_send_up(c, COLL_CHECK_LONG, 0, NULL);
	else
		c->check.requested = true;
}

/*
 * Handles the response of one member; each member responds once, in any order.
 */
static void response_handle(struct weft_nic_group *c,
			    const struct coll_progress *w)
{
	struct coll_check *k = &c->check;

	if (!k->responses || w->round != k->round)
		return;
	k->response[k->responses++] = *w;
	if (k->responses < c->n)
		return;
	k->responses = 0;
	evaluate(c);
}

/* Handles a message from a child. Returns false if the message is invalid. */
static bool child_message_handle(struct weft_nic_group *c,
				 const struct weft_cunit_msg *m,
				 const void *payload)
{
	struct coll_progress w;

	if (m->what == COLL_CHECK_LONG && !m->bytes) {
		long_wait_report(c);
		return true;
	}
	if (m->what != COLL_CHECK_PROGRESS || m->bytes != sizeof(w))
		return false;
	memcpy(&w, payload, sizeof(w));
	if (c->me)
		check_send_up(c, COLL_CHECK_PROGRESS, w.round, &w);
	else
		response_handle(c, &w);
	return true;
}

bool nic_check_receive(struct weft_nic_group *c, int from,
		       const struct weft_cunit_msg *m, const void *payload)
{
	if (!c->hw)
		return true; /* response to an earlier query */
	c->nic->coll->checks = true;
	if (coll_is_below(c, from))
		return child_message_handle(c, m, payload);
	if (from != coll_parent(c, c->me) || m->what != COLL_CHECK_QUERY)
		return false;
	c->check.query = m->seq;
	query_children(c, m->seq);
	return true;
}

/* ---- long waits ---------------------------------------------------------- */

static void check_timeout(struct weft_nic_group *c, uint64_t now)
{
	struct coll_check *k = &c->check;
	struct coll_progress w = progress_of(c, 0);
	uint64_t progress = posts(&w) + w.hw.read + w.bar.read + w.points +
			    w.chain.received_count + w.chain.passed;

	if (progress != k->last_progress || !k->since_ns) {
		k->last_progress = progress;
		k->since_ns = now;
		k->long_wait_ns = CHECK_FIRST_NS;
		return;
	}
	if (now - k->since_ns < k->long_wait_ns)
		return;
	k->since_ns = now;
	if (k->long_wait_ns < CHECK_MAX_NS)
		k->long_wait_ns *= 2;
	long_wait_report(c);
}

static void check_group(struct weft_nic_group *c, uint64_t now)
{
	struct coll_check *k = &c->check;

	if (k->starved) {
		k->starved = false;
		grp_fail(c, -ENOMEM);
	}
	if (!c->hw || c->state != COLL_READY)
		return;
	if (k->broken) {
		k->broken = false;
		nic_check_fail(c);
	}
	if (c->pending && now)
		check_timeout(c, now);
	if (k->query) {
		struct coll_progress w = progress_of(c, k->query);

		k->query = 0;
		check_send_up(c, COLL_CHECK_PROGRESS, w.round, &w);
	}
	if (k->requested)
		query_send(c);
}

void nic_check_poll(struct weft_nic *nic)
{
	struct grp *nc = nic->coll;
	uint64_t now = 0;
	struct weft_list *n, *tmp;

	if (nc->pending && ++nc->polls % CHECK_POLLS == 0)
		now = weft_now_ns();
	if (!now && !nc->checks)
		return;
	nc->checks = false;
	weft_list_each(n, tmp, &nc->groups)
		check_group(weft_container_of(n, struct weft_nic_group, link),
			    now);
}
