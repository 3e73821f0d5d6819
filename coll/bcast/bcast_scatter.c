/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast of long messages: the root's data is split into p blocks and
 * scattered down a binomial tree; then the blocks are passed round a ring until
 * all ranks have all blocks.
 *
 * Restrictions: intracommunicators only.
 * Cost: (log2 p + p - 1) alpha + 2 (p - 1) / p n beta.
 *
 *   p = 3, root 0     rank 0   1   2
 *   scatter           abc  b   c
 *   ring, step 1      abc  ab  bc
 *   ring, step 2      abc  abc abc
 */
#include "coll/coll_select.h"
#include "coll/coll_tree.h"
#include "src/tree/tree_shape.h"

static void scatter_blocks(struct coll_prog *p, struct coll_flat *f,
			   const struct coll_tree *t)
{
	MPI_Count lo = coll_part_first(f->len, p->size, t->v);
	MPI_Count hi = coll_part_first(f->len, p->size, t->v + t->span);
	int i, v;

	if (t->parent >= 0)
		coll_recv_wait(p, f->bytes + lo, hi - lo, coll_byte(),
			       t->parent);
	for (i = t->nchild - 1; i >= 0; i--) {
		v = t->v + t->child_dist[i];
		lo = coll_part_first(f->len, p->size, v);
		hi = coll_part_first(f->len, p->size, v + t->child_span[i]);
		coll_send(p, f->bytes + lo, hi - lo, coll_byte(), t->child[i]);
	}
}

static void block_send(struct coll_prog *p, struct coll_flat *f, int v, int to)
{
	MPI_Count lo = coll_part_first(f->len, p->size, v);
	MPI_Count hi = coll_part_first(f->len, p->size, v + 1);

	coll_send(p, f->bytes + lo, hi - lo, coll_byte(), to);
}

static unsigned block_recv(struct coll_prog *p, struct coll_flat *f, int v,
			   int from)
{
	MPI_Count lo = coll_part_first(f->len, p->size, v);
	MPI_Count hi = coll_part_first(f->len, p->size, v + 1);

	return coll_recv(p, f->bytes + lo, hi - lo, coll_byte(), from);
}

/*
 * Passes the blocks round the ring. v: rank relative to the root; block v is
 * the block scattered to v. A rank that received span blocks in the scatter
 * already has the data of the last span - 1 steps, so these steps are omitted.
 */
static void ring_blocks(struct coll_prog *p, struct coll_flat *f, int v)
{
	int size = p->size;
	int right = (p->rank + 1) % size;
	int left = (p->rank - 1 + size) % size;
	int span = (int)weft_binomial_span((unsigned)size, (unsigned)v);
	int right_span = (int)weft_binomial_span((unsigned)size,
						 (unsigned)((v + 1) % size));
	unsigned id;
	int s;

	for (s = 1; s < size; s++) {
		id = COLL_NO_MSG;
		if (size - s >= span)
			id = block_recv(p, f, (v - s + size) % size, left);
		if (size - s >= right_span)
			block_send(p, f, (v - s + 1 + size) % size, right);
		coll_wait(p, id);
	}
}

void coll_bcast_scatter(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct coll_flat f;
	struct coll_tree t;

	coll_tree_binomial(p->size, a->root, p->rank, &t);
	coll_flat_open(p, &a->r, &f);
	if (t.v == 0)
		coll_flat_pack(p, &f);
	scatter_blocks(p, &f, &t);
	ring_blocks(p, &f, t.v);
	coll_wait_all(p);
	if (t.v != 0)
		coll_flat_unpack(p, &f);
}
