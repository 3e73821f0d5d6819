/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allreduce by recursive doubling: ranks at distance 1, 2, 4 ... exchange their
 * partial sums. All ranks compute the same expression with operands in rank
 * order, so all get the same bits.
 *
 * Restrictions: intracommunicators only.
 * Cost: ceil(log2 p) (alpha + n beta + n gamma); if p is not a power of two,
 * 2 alpha + 2 n beta + n gamma more.
 *
 *   p = 6        rank  0   1   2   3   4   5
 *   fold              0-> 01  2-> 23   4   5
 *   distance 1            0123    0123 45  45
 *   distance 2            all     all  all all
 *   unfold            <--     <--
 */
#include "coll/coll_select.h"
#include "coll/coll_tree.h"

/*
 * Exchanges vectors with `peer` and combines the two. Returns the address of
 * the sum: `acc`, or `other` if this rank's vector is the left operand.
 */
static char *recdbl_exchange(struct coll_prog *p, char *acc, char *other,
			     MPI_Count n, int peer)
{
	struct weft_dt *dt = p->op_dt;

	coll_send(p, acc, n, dt, peer);
	coll_recv_wait(p, other, n, dt, peer);
	coll_wait_all(p);
	if (peer < p->rank) {
		coll_reduce(p, other, acc, n);
		return acc;
	}
	coll_reduce(p, acc, other, n);
	return other;
}

void coll_allreduce_buffers(struct coll_prog *p, char *vec, char *other,
			    MPI_Count n)
{
	struct weft_dt *dt = p->op_dt;
	char *acc = vec, *sum;
	struct coll_fold f;
	int bit, peer;

	coll_fold_init(&f, p->size, p->rank);
	if (f.me < 0) {
		coll_send(p, vec, n, dt, p->rank + 1);
		coll_wait_all(p);
		coll_recv_wait(p, vec, n, dt, p->rank + 1);
		return;
	}
	if (p->rank < 2 * f.extra) {
		coll_recv_wait(p, other, n, dt, p->rank - 1);
		coll_reduce(p, other, vec, n);
	}
	for (bit = 1; bit < f.m; bit <<= 1) {
		peer = coll_fold_rank(&f, f.me ^ bit);
		sum = recdbl_exchange(p, acc, other, n, peer);
		other = sum == other ? acc : other;
		acc = sum;
	}
	if (p->rank < 2 * f.extra)
		coll_send(p, acc, n, dt, p->rank - 1);
	coll_copy(p, acc, n, dt, vec, n, dt);
}

void coll_allreduce_recdbl(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count n = a->r.count;
	struct weft_dt *dt = a->r.dt;

	coll_copy(p, coll_input(a), n, dt, a->r.buf, n, dt);
	if (p->size > 1)
		coll_allreduce_buffers(p, a->r.buf, coll_elems(p, n, dt), n);
}
