/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barrier by dissemination: in round k every rank sends a signal to the rank at
 * distance 2^k to the right and receives one from the rank at distance 2^k to
 * the left. No rank has a special role.
 *
 * Restrictions: intracommunicators only.
 * Cost: ceil(log2 p) alpha.
 *
 *   p = 5       0 1 2 3 4
 *   k = 0       0->1 1->2 2->3 3->4 4->0     signals of 2 ranks
 *   k = 1       0->2 1->3 2->4 3->0 4->1     of 4 ranks
 *   k = 2       0->4 1->0 2->1 3->2 4->3     of all ranks
 */
#include "coll/coll_select.h"

void coll_barrier_dissem(struct coll_prog *p, const struct weft_coll_args *a)
{
	int k;

	for (k = 1; k < p->size; k <<= 1) {
		coll_signal(p, (p->rank + k) % p->size);
		coll_expect(p, (p->rank - k + p->size) % p->size);
	}
}
