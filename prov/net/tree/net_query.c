/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queries to all nodes of a class route. A query goes to the root and is
 * copied down like a broadcast; every node answers, the switches merge the
 * answers going up (a failure overrides OK), and the root sends one
 * answer down to the querying node.
 *
 *       root        1. query: up, then to all
 *      / | \        2. answers: up, merged at every switch, then back by the
 *     /  |  \          links to the querying node
 *    source others  3. if all answers are OK: the second packet, to all
 *
 * A barrier on a machine without barrier classes queries whether all nodes have
 * arrived. The first member sends the query when it has arrived at the barrier
 * itself, and repeats it after each failure. While a node is missing, every
 * query would fail: the model skips these queries and continues with the first
 * query after the last arrival. So a barrier that never completes generates no
 * events.
 */
#include "prov/net/tree/net_tree_int.h"
#include "prov/net/net_wheel.h"

/*
 * A barrier has three entries in the combine table: two for arrivals, which
 * have these bits in their keys, and one for the answers.
 */
/* entry that counts the ranks of one node that have arrived */
#define KEY_NODE (1ull << 62)
/* entry that counts, at the query source, the nodes that have arrived */
#define KEY_ALL	 (1ull << 63)

enum { QUERY_BYTES = 8 };

static struct net_tree_rec *rec_of(const struct net *net, uint32_t mi)
{
	return (struct net_tree_rec *)net_at(net, net->off_route) +
	       net_member(net, mi)->route - 1;
}

/* Reuses a packet record as a query or answer. */
static void part_init(const struct net *net, struct net_packet *p, uint8_t kind,
		      uint32_t bytes)
{
	p->kind = kind;
	p->bytes = (uint16_t)bytes;
	p->chunks = (uint8_t)net_chunks(net, bytes);
	p->in = NET_INPUT_LOCAL;
	p->zone = 0;
	p->flags = 0;
	p->next = 0;
}

/* ---- barriers: arrivals -------------------------------------------------- */

/*
 * Counts the arrival p in the combine table entry of its key. The entry is one
 * record, with the time of the last arrival and the lowest cookie, regardless
 * of the order of arrival. If p is the last of `count` arrivals, removes the
 * entry and returns its record; otherwise returns 0.
 */
static uint32_t count_arrival(const struct net_step *s, uint32_t pi,
			      uint32_t count)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi), *q;
	uint32_t *t = net_combine_table(net), cell = net_combine_find(net, p);
	uint32_t qi = t[cell];

	if (!qi) {
		t[cell] = qi = pi;
		p->count = 0;
		p->holder = 0;
	}
	q = net_packet(net, qi);
	if (q->since != (uint32_t)s->now || q->frac < p->frac)
		q->frac = p->frac;
	if (q->cookie > p->cookie)
		q->cookie = p->cookie;
	q->since = (uint32_t)s->now;
	if (qi != pi)
		net_part_put(net, pi);
	if (++q->count < count)
		return 0;
	net_combine_delete(net, cell);
	return qi;
}

static void query_schedule(struct net_step *s, uint32_t pi, uint64_t ps)
{
	net_packet(s->net, pi)->want = ps;
	net_part_schedule(s, ps, pi);
}

/* Repeats a failed query; called when the last node has arrived. */
static void query_repeat(struct net_step *s, uint32_t pi)
{
	const struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	uint64_t now = s->now * net->cfg.tick_ps, period = p->next;
	uint64_t ps = p->want + period;

	if (ps < now)
		ps += (now - ps + period - 1) / period * period;
	p->next = 0;
	query_schedule(s, pi, ps);
}

/* Counts a node that has arrived, at the querying node. */
static void node_arrived(struct net_step *s, uint32_t pi)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	const struct net_tree_rec *rec = rec_of(net, p->msg);
	uint32_t last;

	p->msg = rec->query_source;
	p->seq |= KEY_ALL;
	last = count_arrival(s, pi, rec->contributors);
	if (!last)
		return;
	if (net_packet(net, last)->holder)
		query_repeat(s, net_packet(net, last)->holder);
	net_part_put(net, last);
}

/* Sends the query of a barrier; called when the query source has arrived. */
static void query_start(struct net_step *s, const struct net_packet *p,
			uint32_t qi)
{
	struct net *net = s->net;
	struct net_packet *q = net_packet(net, qi);

	*q = *p;
	part_init(net, q, NET_KIND_ARRIVED, QUERY_BYTES);
	q->dst = s->id;
	q->want = s->now * net->cfg.tick_ps + q->frac;
	net_part_queue(s, qi);
}

void net_query_arrive(struct net_step *s, uint32_t pi)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	struct net_member *m = net_member(net, p->msg);
	bool is_source = p->msg == rec_of(net, p->msg)->query_source;
	uint32_t qi = is_source ? net_part_get(net) : 0;

	if (is_source && !qi) {
		net_wheel_push(net, s->now + NET_RETRY_TICKS,
			       net_part_word(net, NET_EV_PART, pi));
		return;
	}
	p->seq |= KEY_NODE;
	pi = count_arrival(s, pi, m->share);
	if (!pi) {
		if (is_source)
			net_part_put(net, qi);
		return;
	}
	p = net_packet(net, pi);
	p->seq &= ~KEY_NODE;
	/* threads of a rank may arrive at two barriers in any order */
	if (m->flag <= p->seq)
		m->flag = p->seq + 1;
	if (is_source)
		query_start(s, p, qi);
	node_arrived(s, pi);
}

/*
 * Handles a query that failed because a node had not arrived. If all nodes have
 * arrived meanwhile (the combine table has no entry), the query is repeated
 * query_ps after its answer; otherwise it is repeated when the last node has
 * arrived.
 */
static void query_failed(struct net_step *s, const struct net_call *c,
			 uint32_t pi)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	uint64_t period = c->time_ps + net->cfg.query_ps - p->want;
	uint32_t cell, *t = net_combine_table(net);

	part_init(net, p, NET_KIND_ARRIVED, QUERY_BYTES);
	p->seq |= KEY_ALL;
	cell = net_combine_find(net, p);
	p->seq &= ~KEY_ALL;
	if (!t[cell]) {
		query_schedule(s, pi, p->want + period);
		return;
	}
	p->next = (uint32_t)period;
	net_packet(net, t[cell])->holder = pi;
}

/* ---- queries and answers ------------------------------------------------- */

static struct net_query_info query_info(const struct net *net,
					const struct net_call *c,
					const struct net_packet *p)
{
	return (struct net_query_info){
		.route = net_member(net, p->msg)->route - 1,
		.node = net_word_node(c->word),
		.seq = p->seq,
		.cookie = p->cookie,
		.answer = p->answer,
	};
}

static uint8_t answer_of(struct net_step *s, const struct net_call *c,
			 const struct net_packet *p)
{
	struct net_query_info q = query_info(s->net, c, p);

	if (p->kind == NET_KIND_ARRIVED)
		return net_member(s->net, p->msg)->flag > p->seq
			       ? NET_OK
			       : NET_TEST_FAIL;
	return s->up->ask ? s->up->ask(s->arg, c->time_ps, &q) : NET_OK;
}

void net_query_receive(struct net_step *s, const struct net_call *c,
		       uint32_t pi)
{
	const struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	uint8_t answer = answer_of(s, c, p);

	p->query_kind = p->kind;
	p->answer = answer;
	part_init(net, p, NET_KIND_ANSWER, net->cfg.ack_bytes);
	net_part_schedule(s, c->time_ps + net->cfg.ack_ps, pi);
}

uint32_t net_query_child(const struct net *net, const struct net_packet *p)
{
	uint32_t route = net_member(net, p->msg)->route - 1;
	uint32_t m = net_member_find(net, route, p->dst), steps = 0, below = 0;

	while (m != p->msg) {
		net_walk_check(m && steps++ < net->members_max);
		below = m;
		m = net_member(net, m)->parent;
	}
	return below;
}

void net_query_answered(struct net_step *s, const struct net_call *c,
			uint32_t pi)
{
	const struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	struct net_query_info q = query_info(net, c, p);
	bool barrier = p->query_kind == NET_KIND_ARRIVED;
	bool sets = barrier || p->query_kind == NET_QUERY;

	if (barrier && q.answer != NET_OK) {
		query_failed(s, c, pi);
		return;
	}
	if (sets && q.answer == NET_OK) {
		part_init(net, p, WEFT_COLL_BCAST, QUERY_BYTES);
		net_part_schedule(s, c->time_ps + net->cfg.query_ps, pi);
	} else {
		net_part_put(s->net, pi);
	}
	if (!barrier && s->up->answer)
		s->up->answer(s->arg, c->time_ps, &q);
}
