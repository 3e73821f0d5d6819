/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of trees and folds: parents and children agree, spans add up. */
#include "test/t.h"

#include "coll/coll_tree.h"
#include "src/tree/tree_shape.h"

static void children_and_parents_agree(void **state)
{
	struct coll_tree t, c;
	int p, root, r, i;

	for (p = 1; p <= 40; p++)
		for (root = 0; root < p; root++)
			for (r = 0; r < p; r++) {
				coll_tree_binomial(p, root, r, &t);
				T_IS(t.parent < 0, r == root);
				for (i = 0; i < t.nchild; i++) {
					coll_tree_binomial(p, root, t.child[i],
							   &c);
					T_IS(c.parent, r);
					T_IS(c.v, t.v + t.child_dist[i]);
					T_IS(c.span, t.child_span[i]);
				}
			}
}

static void spans_cover_the_subtree_in_order(void **state)
{
	struct coll_tree t;
	int p, r, i, next;

	for (p = 1; p <= 70; p++)
		for (r = 0; r < p; r++) {
			coll_tree_binomial(p, 0, r, &t);
			next = t.v + 1;
			for (i = 0; i < t.nchild; i++) {
				T_IS(t.v + t.child_dist[i], next);
				next += t.child_span[i];
			}
			T_IS(next, t.v + t.span);
		}
}

static void a_large_tree_does_not_overflow(void **state)
{
	struct coll_tree t;
	int p = 2000000000;

	coll_tree_binomial(p, 1999999999, 1999999999, &t);
	T_IS(t.v, 0);
	T_IS(t.nchild, 31);
	T_IS(t.child[0], 0);
	T_IS(t.span, p);
	coll_tree_binomial(p, 1999999999, 1999999998, &t);
	T_IS(t.v, p - 1);
	T_IS(t.nchild, 0);
}

static void folding_keeps_the_order_of_ranks(void **state)
{
	struct coll_fold f;
	int p, r, last, working;

	for (p = 1; p <= 70; p++) {
		last = -1;
		working = 0;
		for (r = 0; r < p; r++) {
			coll_fold_init(&f, p, r);
			T_TRUE(f.m <= p && 2 * f.m > p);
			if (f.me < 0) {
				T_TRUE(r % 2 == 0 && r < 2 * f.extra);
				continue;
			}
			T_IS(f.me, last + 1);
			T_IS(coll_fold_rank(&f, f.me), r);
			last = f.me;
			working++;
		}
		T_IS(working, (int)weft_pow2_below((unsigned)p));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(children_and_parents_agree),
		T_CASE(spans_cover_the_subtree_in_order),
		T_CASE(a_large_tree_does_not_overflow),
		T_CASE(folding_keeps_the_order_of_ranks),
	};

	return T_RUN(tests);
}
