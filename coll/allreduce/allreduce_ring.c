/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allreduce on a ring: block b starts at rank b and is combined with one
 * operand per hop; after p - 1 hops it is complete and is passed round the ring
 * once more. The vector is not copied: received blocks are combined with the
 * send buffer.
 *
 * Restrictions: commutative operations (each block has a different order of
 * operands, which is deterministic); intracommunicators.
 * Cost: 2 (p - 1) alpha + 2 (p - 1) / p n beta + (p - 1) / p n gamma.
 *
 *   p = 3, blocks abc     rank  0        1        2
 *   hop 1                  c2 -> c20   a0 -> a01  b1 -> b12
 *   hop 2                  b12 -> b120 c20 -> c201 a01 -> a012
 *   second round           all ranks get a, b, c
 */
#include "coll/coll_select.h"

struct ring {
	const char *in; /* vector of this rank */
	char *out;
	char *tmp; /* temporary block if MPI_IN_PLACE */
	MPI_Count n;
	int left;
	int right;
};

static MPI_Count block_n(struct coll_prog *p, const struct ring *r, int b)
{
	return coll_part_first(r->n, p->size, b + 1) -
	       coll_part_first(r->n, p->size, b);
}

static char *block_at(struct coll_prog *p, const void *vec,
		      const struct ring *r, int b)
{
	return coll_at(vec, coll_part_first(r->n, p->size, b), p->op_dt);
}

/*
 * Sends block b + 1, receives block b and combines it with this rank's block b.
 */
static void combine_hop(struct coll_prog *p, const struct ring *r, int b,
			bool first)
{
	int sent = (b + 1) % p->size;
	char *mine = block_at(p, r->in, r, b);
	char *dst = block_at(p, r->out, r, b);
	char *to = r->tmp ? r->tmp : dst;

	coll_recv(p, to, block_n(p, r, b), p->op_dt, r->left);
	coll_send(p, block_at(p, first ? r->in : r->out, r, sent),
		  block_n(p, r, sent), p->op_dt, r->right);
	coll_wait_all(p);
	if (r->tmp)
		coll_reduce(p, r->tmp, dst, block_n(p, r, b));
	else
		coll_reduce(p, mine, dst, block_n(p, r, b));
}

static void collect_hop(struct coll_prog *p, const struct ring *r, int b)
{
	int sent = (b + 1) % p->size;

	coll_recv(p, block_at(p, r->out, r, b), block_n(p, r, b), p->op_dt,
		  r->left);
	coll_send(p, block_at(p, r->out, r, sent), block_n(p, r, sent),
		  p->op_dt, r->right);
	coll_wait_all(p);
}

void coll_allreduce_ring(struct coll_prog *p, const struct weft_coll_args *a)
{
	int size = p->size, s;
	struct ring r = {
		.in = coll_input(a),
		.out = a->r.buf,
		.n = a->r.count,
		.left = (p->rank - 1 + size) % size,
		.right = (p->rank + 1) % size,
	};

	if (coll_in_place(&a->s))
		r.tmp = coll_elems(p, r.n / size + 1, a->r.dt);
	else if (size == 1)
		coll_copy(p, r.in, r.n, a->r.dt, r.out, r.n, a->r.dt);
	for (s = 1; s < size; s++)
		combine_hop(p, &r, (p->rank - s + size) % size, s == 1);
	for (s = 0; s < size - 1; s++)
		collect_hop(p, &r, (p->rank - s + size) % size);
}
