/* SPDX-License-Identifier: BSD-3-Clause */
/* Combining trees: every member occurs once, subtrees are ranges. */
#include "src/tree/tree_shape.h"

#include "test/t.h"

/*
 * Checks that the subtree of a member is a range of members. Returns the end of
 * the range.
 */
static uint32_t check_subtree(const struct weft_tree_shape *f, uint32_t member,
			      uint32_t *seen)
{
	uint32_t end = member + 1;
	unsigned nth;

	(*seen)++;
	for (unsigned i = 0; i < weft_tree_shape_inputs(f, member); i++) {
		uint32_t child = weft_tree_shape_child(f, member, i);

		T_TRUE(child < f->n);
		T_IS(weft_tree_shape_parent(f, child, &nth), member);
		T_IS(nth, i);
		/* the range of each child follows the previous range */
		T_IS(child, end);
		end = check_subtree(f, child, seen);
	}
	return end;
}

static void every_member_is_combined_once_in_order(void **state)
{
	struct weft_tree_shape f;

	for (uint32_t n = 1; n <= 2100; n += n < 300 ? 1 : 97)
		for (unsigned levels = 0; levels <= 3; levels++) {
			uint32_t seen = 0;

			weft_tree_shape_init(&f, n, levels);
			T_IS(check_subtree(&f, 0, &seen), n);
			T_IS(seen, n);
		}
}

static void wide_trees_are_balanced(void **state)
{
	static const uint32_t want[][3] = {
		{ 256, 16, 16 }, { 512, 23, 23 }, { 1024, 32, 32 }, { 6, 3, 2 }
	};
	struct weft_tree_shape f;

	for (unsigned i = 0; i < 4; i++) {
		weft_tree_shape_init(&f, want[i][0], 2);
		T_IS(f.levels, 2);
		T_IS(f.fan[0], want[i][1]);
		T_IS(f.fan[1], want[i][2]);
	}
	T_IS(weft_tree_shape_inputs(&f, 0), 2 + 1);
	weft_tree_shape_init(&f, 4096, 2);
	T_IS(f.levels, 3);
	T_TRUE(weft_tree_shape_inputs(&f, 0) <= WEFT_SHAPE_INPUTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(every_member_is_combined_once_in_order),
		T_CASE(wide_trees_are_balanced),
	};
	return T_RUN(tests);
}
