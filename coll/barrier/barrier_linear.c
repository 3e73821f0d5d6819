/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barrier by messages from every rank to every other, in one round.
 *
 * Restrictions: intracommunicators; used only where a machine file or the user
 * selects it.
 * Cost: alpha, and p - 1 sends and receives.
 *
 *   p = 3      0->1 0->2      1->2 1->0      2->0 2->1
 */
#include "coll/coll_select.h"

void coll_barrier_linear(struct coll_prog *p, const struct weft_coll_args *a)
{
	for (int i = 1; i < p->size; i++)
		coll_signal(p, (p->rank + i) % p->size);
	for (int i = 1; i < p->size; i++)
		coll_expect(p, (p->rank - i + p->size) % p->size);
}
