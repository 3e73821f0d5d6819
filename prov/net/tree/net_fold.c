/* SPDX-License-Identifier: BSD-3-Clause */
/* Combining trees over the members of a group, described in net_fold.h. */
#include "prov/net/tree/net_fold.h"

#include <string.h>

/* ---- binomial trees ------------------------------------------------------ */

static uint32_t item_of(const struct net_fold *f, uint32_t member)
{
	return member < f->paired ? member / 2 : member - f->paired / 2;
}

static uint32_t leader_of(const struct net_fold *f, uint32_t item)
{
	return item < f->paired / 2 ? 2 * item : item + f->paired / 2;
}

/* Returns whether the member is the second one of a pair. */
static bool follows(const struct net_fold *f, uint32_t member)
{
	return member < f->paired && member % 2;
}

static unsigned pairs_inputs(const struct net_fold *f, uint32_t member)
{
	uint32_t item = item_of(f, member);
	unsigned n = member < f->paired;

	if (follows(f, member))
		return 0;
	for (uint32_t bit = 1; bit < f->items && !(item & bit); bit *= 2)
		n++;
	return n;
}

static uint32_t pairs_parent(const struct net_fold *f, uint32_t member,
			     unsigned *nth)
{
	uint32_t item = item_of(f, member), up;

	if (follows(f, member)) {
		*nth = 0;
		return member - 1;
	}
	up = leader_of(f, item & (item - 1));
	*nth = (unsigned)__builtin_ctz(item) + (up < f->paired);
	return up;
}

static uint32_t pairs_child(const struct net_fold *f, uint32_t member,
			    unsigned nth)
{
	if (member < f->paired && !nth--)
		return member + 1;
	return leader_of(f, item_of(f, member) + (1u << nth));
}

/* ---- wide trees ---------------------------------------------------------- */

static unsigned wide_inputs(const struct net_fold *f, uint32_t member)
{
	uint32_t step = 1;
	unsigned n = 0;

	for (unsigned l = 0; l < f->levels && !(member / step % f->fan[l]);
	     l++) {
		uint32_t there = (f->n - 1 - member) / step;

		n += there < f->fan[l] - 1 ? there : f->fan[l] - 1;
		step *= f->fan[l];
	}
	return n;
}

static uint32_t wide_parent(const struct net_fold *f, uint32_t member,
			    unsigned *nth)
{
	uint32_t step = 1, digit, up;
	unsigned l = 0;

	while (!(digit = member / step % f->fan[l]))
		step *= f->fan[l++];
	up = member - digit * step;
	*nth = digit - 1;
	while (l-- > 0)
		*nth += f->fan[l] - 1;
	return up;
}

static uint32_t wide_child(const struct net_fold *f, uint32_t member,
			   unsigned nth)
{
	uint32_t step = 1;
	unsigned l = 0;

	/* if a member has inputs in a level, all its lower levels are full */
	for (; nth >= f->fan[l] - 1; nth -= f->fan[l++] - 1)
		step *= f->fan[l];
	return member + (nth + 1) * step;
}

/* Returns the smallest fan-in for n members with this number of levels. */
static uint32_t least_fan(uint32_t n, unsigned levels)
{
	uint64_t all = 0;
	uint32_t fan;

	for (fan = 1; all < n; fan++) {
		all = 1;
		for (unsigned l = 0; l < levels; l++)
			all *= fan;
	}
	return fan - 1;
}

/*
 * Computes fan-ins that are as equal as possible, which minimizes the inputs of
 * the root. Returns the number of inputs of the root.
 */
static unsigned wide_fans(struct net_fold *f, unsigned levels)
{
	uint32_t left = f->n;
	unsigned sum = 0;

	for (unsigned l = 0; l < levels; l++) {
		f->fan[l] = least_fan(left, levels - l);
		left = (left + f->fan[l] - 1) / f->fan[l];
		sum += f->fan[l] - 1;
	}
	f->levels = levels;
	return sum;
}

/* ---- interface of both kinds of trees ------------------------------------ */

void net_fold_init(struct net_fold *f, uint32_t n, unsigned levels)
{
	uint32_t half = 1;

	memset(f, 0, sizeof(*f));
	f->n = n;
	while (2 * half <= n)
		half *= 2;
	f->paired = 2 * (n - half);
	f->items = half;
	while (levels && wide_fans(f, levels) > NET_FOLD_INPUTS)
		levels++;
}

unsigned net_fold_inputs(const struct net_fold *f, uint32_t member)
{
	return f->levels ? wide_inputs(f, member) : pairs_inputs(f, member);
}

uint32_t net_fold_parent(const struct net_fold *f, uint32_t member,
			 unsigned *nth)
{
	return f->levels ? wide_parent(f, member, nth)
			 : pairs_parent(f, member, nth);
}

uint32_t net_fold_child(const struct net_fold *f, uint32_t member, unsigned nth)
{
	return f->levels ? wide_child(f, member, nth)
			 : pairs_child(f, member, nth);
}
