/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees as described by a Sunway descriptor: a number of levels, each with its
 * fan-out. Members are numbers whose digits are their positions in these
 * levels; the parent of a member is found by setting its lowest non-zero digit
 * to zero.
 *
 *   10 members, two levels of four and three
 *
 *   0 <- 1 2 3     4 <- 5 6 7     8 <- 9
 *   0 <- 4 8
 */
#include "prov/group/cunit/cunit_tree.h"

#include <errno.h>

#define LEVELS_MAX 32
#define INPUTS_MAX 64

/* Returns the smallest fan-out with which `levels` levels reach n members. */
static int least_fan(int n, unsigned levels)
{
	int64_t all = 0;
	int fan = 0;

	while (all < n) {
		fan++;
		all = 1;
		for (unsigned l = 0; l < levels && all < n; l++)
			all *= fan;
	}
	return fan;
}

/*
 * Makes the fan-outs as equal as possible, larger ones first; returns the
 * number of the root's children.
 */
static int fans_of(int n, unsigned levels, int *fan)
{
	int inputs = 0;

	for (unsigned l = 0; l < levels; l++) {
		fan[l] = least_fan(n, levels - l);
		n = (n + fan[l] - 1) / fan[l];
		inputs += fan[l] - 1;
	}
	return inputs;
}

static int parent_of(int member, const int *fan)
{
	int step = 1;

	while (member / step % *fan == 0)
		step *= *fan++;
	return member - member / step % *fan * step;
}

int weft_cunit_tree_levels(struct weft_cunit_tree *t, int n, unsigned levels)
{
	int fan[LEVELS_MAX];
	int ret;

	if (n < 1 || !levels || levels > LEVELS_MAX)
		return -EINVAL;
	/* terminates: a binary tree of 31 levels is enough for any int n */
	while (fans_of(n, levels, fan) > INPUTS_MAX)
		levels++;
	ret = cunit_tree_alloc(t, n);
	if (ret)
		return ret;
	t->parent[0] = -1;
	for (int i = 1; i < n; i++)
		t->parent[i] = parent_of(i, fan);
	cunit_tree_finish(t);
	return 0;
}
