/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Search for a cycle of channels (Dally and Seitz). A channel is a virtual
 * channel of a link. An edge leads from each channel to every channel that a
 * packet may request while it holds the former. Every path of the routing is
 * followed, target by target: first the paths to intermediate switches, then
 * the paths to final switches, which begin at the sources and at the
 * intermediate switches.
 */
#include "prov/net/net_layout.h"
#include "prov/net/routing/net_switches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Colours of the depth-first search. */
enum { NEW, OPEN, CLOSED };

struct search {
	const struct net_paths *p;
	/*
	 * per channel: bit mask of the ports by which a packet may continue,
	 * and the class of the virtual channel that it uses there
	 */
	uint64_t *edge;
	uint8_t *next_class;
	uint8_t *colour;
	/*
	 * nonzero for each (switch, class) in which packets have reached an
	 * intermediate switch
	 */
	uint8_t *start;
	/*
	 * nonzero for each (switch, class, phase) already visited for the
	 * current target
	 */
	uint8_t *seen;
	uint32_t *stack;
};

/*
 * A packet at a switch: switch, target, class of its virtual channel, up-down
 * phase.
 */
struct state {
	uint32_t sw, target;
	unsigned class, phase;
	bool last; /* false: the target is an intermediate switch */
};

static uint64_t channel_of(const struct search *s, uint32_t sw, unsigned port,
			   unsigned class)
{
	return ((uint64_t)sw * s->p->ports + port) * NET_CLASSES_OF_LINK +
	       class;
}

/*
 * Returns the class of a packet after it has passed a link, by the rule of the
 * topology.
 */
static unsigned class_after(const struct net_paths *p, uint32_t sw,
			    unsigned port, unsigned class)
{
	enum net_class_rule rule = net_switches_rule(p->cfg);

	if (rule == NET_CLASS_GLOBAL)
		class += p->global[sw] >> port & 1;
	else if (rule == NET_CLASS_HOP && p->cfg->path_rule != NET_UP_DOWN)
		class += 1;
	return class < p->cfg->vcs ? class : p->cfg->vcs - 1u;
}

static uint8_t *seen_of(struct search *s, const struct state *at)
{
	return &s->seen[((uint64_t)at->sw * NET_CLASSES_OF_LINK + at->class) *
				2 +
			at->phase];
}

/*
 * Returns whether a packet's path ends, or its target changes, at this switch.
 */
static bool is_end(const struct search *s, const struct state *at)
{
	return at->last ? at->sw == at->target
			: net_paths_reached(s->p, at->sw, at->target);
}

/*
 * Adds the edges of a packet that has reached its intermediate switch by
 * channel `c` and continues from there to any switch. In a HyperX it continues
 * on channels of the second phase. No packet returns from them to a channel of
 * the first phase, so these edges are in no cycle and are left out.
 */
static void end_phase(struct search *s, uint64_t c, const struct state *at)
{
	bool phase = net_switches_rule(s->p->cfg) == NET_CLASS_PHASE;
	unsigned class = phase ? 1 : at->class;

	if (at->last)
		return;
	s->start[at->sw * NET_CLASSES_OF_LINK + class] = 1;
	if (phase)
		return;
	s->next_class[c] = (uint8_t) class;
	for (uint32_t i = 0; i < s->p->count; i++)
		s->edge[c] |= net_paths_next(s->p, 0, at->sw, i);
}

static void follow(struct search *s, const struct state *at);

/* Adds the edges of channel `c`, by which the packet has reached `to`. */
static void follow_edges(struct search *s, uint64_t c, const struct state *to)
{
	if (is_end(s, to)) {
		end_phase(s, c, to);
		return;
	}
	s->next_class[c] = (uint8_t)to->class;
	s->edge[c] |= net_paths_next(s->p, to->phase, to->sw, to->target);
	follow(s, to);
}

/* Follows all paths of a packet; visits each state once per target. */
static void follow(struct search *s, const struct state *at)
{
	const struct net_paths *p = s->p;
	uint64_t left = net_paths_next(p, at->phase, at->sw, at->target);
	struct state to = *at;
	unsigned port;

	if (*seen_of(s, at))
		return;
	*seen_of(s, at) = 1;
	for (; left; left &= left - 1) {
		port = (unsigned)__builtin_ctzll(left);
		to.sw = (uint32_t)net_paths_peer(p, at->sw, port);
		to.class = class_after(p, at->sw, port, at->class);
		to.phase = at->phase | (p->phases > 1 &&
					net_paths_is_down(p, at->sw, port));
		follow_edges(s, channel_of(s, at->sw, port, at->class), &to);
	}
}

/* Returns whether packets begin a path to their target in this state. */
static bool starts(const struct search *s, const struct state *at)
{
	if (!at->class && net_switches_node(s->p->cfg, at->sw, 0) >= 0)
		return true;
	return at->last && s->start[at->sw * NET_CLASSES_OF_LINK + at->class];
}

static void follow_all(struct search *s, bool last)
{
	const struct net_paths *p = s->p;
	struct state at = { .last = last };

	for (at.target = 0; at.target < p->count; at.target++) {
		memset(s->seen, 0, p->count * NET_CLASSES_OF_LINK * 2ul);
		for (at.sw = 0; at.sw < p->count; at.sw++)
			for (at.class = 0; at.class < p->cfg->vcs; at.class ++)
				if (starts(s, &at) && !is_end(s, &at))
					follow(s, &at);
	}
}

static uint64_t edge_target(const struct search *s, uint64_t c, unsigned port)
{
	uint64_t link = c / NET_CLASSES_OF_LINK;
	int64_t peer = net_paths_peer(s->p, (uint32_t)(link / s->p->ports),
				      (unsigned)(link % s->p->ports));

	return channel_of(s, (uint32_t)peer, port, s->next_class[c]);
}

/*
 * Stores and counts the links of the cycle that ends at the top of the stack.
 * Returns their number.
 */
static int cycle_store(const struct search *s, uint32_t depth, uint64_t first,
		       struct net_channel_link *link, int room)
{
	uint32_t from = depth - 1;
	int n = 0;

	while (s->stack[from] != first)
		from--;
	for (uint32_t i = from; i < depth; i++, n++) {
		uint64_t at = s->stack[i] / NET_CLASSES_OF_LINK;

		if (n < room)
			link[n] = (struct net_channel_link){
				.sw = (uint32_t)(at / s->p->ports),
				.port = (unsigned)(at % s->p->ports),
				.class = s->stack[i] % NET_CLASSES_OF_LINK,
			};
	}
	return n;
}

/*
 * Performs a depth-first search from a channel; removes the edges that it has
 * followed.
 */
static int search_from(struct search *s, uint32_t channel,
		       struct net_channel_link *link, int room)
{
	uint32_t depth = 0;
	uint64_t c, to;

	s->stack[depth++] = channel;
	s->colour[channel] = OPEN;
	while (depth) {
		c = s->stack[depth - 1];
		if (!s->edge[c]) {
			s->colour[c] = CLOSED;
			depth--;
			continue;
		}
		to = edge_target(s, c, (unsigned)__builtin_ctzll(s->edge[c]));
		s->edge[c] &= s->edge[c] - 1;
		if (s->colour[to] == OPEN)
			return cycle_store(s, depth, to, link, room);
		if (s->colour[to] == CLOSED)
			continue;
		s->colour[to] = OPEN;
		s->stack[depth++] = (uint32_t)to;
	}
	return 0;
}

static void search_free(struct search *s)
{
	free(s->edge);
	free(s->next_class);
	free(s->colour);
	free(s->start);
	free(s->seen);
	free(s->stack);
}

static bool search_alloc(struct search *s, uint64_t channels)
{
	uint32_t states = s->p->count * NET_CLASSES_OF_LINK;

	s->edge = calloc(channels, sizeof(*s->edge));
	s->next_class = calloc(channels, 1);
	s->colour = calloc(channels, 1);
	s->start = calloc(states, 1);
	s->seen = calloc(states, 2);
	s->stack = calloc(channels, sizeof(*s->stack));
	return s->edge && s->next_class && s->colour && s->start && s->seen &&
	       s->stack;
}

int net_switches_cycle(const struct net_paths *p, struct net_channel_link *link,
		       int room)
{
	struct search s = { .p = p };
	uint64_t channels = (uint64_t)p->count * p->ports * NET_CLASSES_OF_LINK;
	int n = 0;

	if (!search_alloc(&s, channels)) {
		search_free(&s);
		return -ENOMEM;
	}
	if (p->cfg->path_rule == NET_VALIANT || p->cfg->path_rule == NET_UGAL)
		follow_all(&s, false);
	follow_all(&s, true);
	for (uint64_t c = 0; c < channels && !n; c++)
		if (s.colour[c] == NEW && s.edge[c])
			n = search_from(&s, (uint32_t)c, link, room);
	search_free(&s);
	return n;
}
