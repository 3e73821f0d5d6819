/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees as formulas, described in tree_shape.h. */
#include "src/tree/tree_shape.h"

/* ---- trees of pairs ------------------------------------------------------ */

static uint32_t item_of(const struct weft_tree_shape *s, uint32_t member)
{
	return member < s->paired ? member / 2 : member - s->paired / 2;
}

static uint32_t leader_of(const struct weft_tree_shape *s, uint32_t item)
{
	return item < s->paired / 2 ? 2 * item : item + s->paired / 2;
}

/* Returns whether the member is the second one of a pair. */
static bool follows(const struct weft_tree_shape *s, uint32_t member)
{
	return member < s->paired && member % 2;
}

static unsigned pairs_inputs(const struct weft_tree_shape *s, uint32_t member)
{
	if (follows(s, member))
		return 0;
	return (member < s->paired) +
	       weft_binomial_inputs(s->items, item_of(s, member));
}

static uint32_t pairs_parent(const struct weft_tree_shape *s, uint32_t member,
			     unsigned *nth)
{
	uint32_t item = item_of(s, member), up;

	if (follows(s, member)) {
		*nth = 0;
		return member - 1;
	}
	up = leader_of(s, weft_binomial_parent(item));
	*nth = (unsigned)__builtin_ctz(item) + (up < s->paired);
	return up;
}

static uint32_t pairs_child(const struct weft_tree_shape *s, uint32_t member,
			    unsigned nth)
{
	if (member < s->paired && !nth--)
		return member + 1;
	return leader_of(s, item_of(s, member) + (1u << nth));
}

/* ---- wide trees ---------------------------------------------------------- */

static unsigned wide_inputs(const struct weft_tree_shape *s, uint32_t member)
{
	uint32_t step = 1;
	unsigned n = 0;

	for (unsigned l = 0; l < s->levels && !(member / step % s->fan[l]);
	     l++) {
		uint32_t there = (s->n - 1 - member) / step;

		n += there < s->fan[l] - 1 ? there : s->fan[l] - 1;
		step *= s->fan[l];
	}
	return n;
}

static uint32_t wide_parent(const struct weft_tree_shape *s, uint32_t member,
			    unsigned *nth)
{
	uint32_t step = 1, digit, up;
	unsigned l = 0;

	while (!(digit = member / step % s->fan[l]))
		step *= s->fan[l++];
	up = member - digit * step;
	*nth = digit - 1;
	while (l-- > 0)
		*nth += s->fan[l] - 1;
	return up;
}

static uint32_t wide_child(const struct weft_tree_shape *s, uint32_t member,
			   unsigned nth)
{
	uint32_t step = 1;
	unsigned l = 0;

	/* if a member has inputs in a level, all its lower levels are full */
	for (; nth >= s->fan[l] - 1; nth -= s->fan[l++] - 1)
		step *= s->fan[l];
	return member + (nth + 1) * step;
}

/*
 * Returns the smallest fan-in with which this number of levels covers n
 * members.
 */
static uint32_t least_fan(uint32_t n, unsigned levels)
{
	uint64_t all = 0;
	uint32_t fan = 0;

	while (all < n) {
		fan++;
		all = 1;
		for (unsigned l = 0; l < levels && all < n; l++)
			all *= fan;
	}
	return fan;
}

/*
 * Computes fan-ins that are as equal as possible, which minimizes the inputs of
 * the root. Returns the number of inputs of the root.
 */
static unsigned wide_fans(struct weft_tree_shape *s, unsigned levels)
{
	uint32_t left = s->n;
	unsigned sum = 0;

	for (unsigned l = 0; l < levels; l++) {
		s->fan[l] = least_fan(left, levels - l);
		left = (left + s->fan[l] - 1) / s->fan[l];
		sum += s->fan[l] - 1;
	}
	s->levels = levels;
	return sum;
}

/* ---- interface of both kinds of trees ------------------------------------ */

void weft_tree_shape_init(struct weft_tree_shape *s, uint32_t n,
			  unsigned levels)
{
	s->n = n;
	s->levels = 0;
	s->items = weft_pow2_below(n);
	s->paired = 2 * (n - s->items);
	/* terminates: a binary tree of 32 levels holds any n */
	while (levels && wide_fans(s, levels) > WEFT_SHAPE_INPUTS)
		levels++;
}

unsigned weft_tree_shape_inputs(const struct weft_tree_shape *s,
				uint32_t member)
{
	return s->levels ? wide_inputs(s, member) : pairs_inputs(s, member);
}

uint32_t weft_tree_shape_parent(const struct weft_tree_shape *s,
				uint32_t member, unsigned *nth)
{
	return s->levels ? wide_parent(s, member, nth)
			 : pairs_parent(s, member, nth);
}

uint32_t weft_tree_shape_child(const struct weft_tree_shape *s, uint32_t member,
			       unsigned nth)
{
	return s->levels ? wide_child(s, member, nth)
			 : pairs_child(s, member, nth);
}
