/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives composed of other collectives that give the same result. On a
 * machine whose hardware executes broadcasts or reductions they can be faster
 * than an algorithm that sends each block to its rank (weft-tune).
 *
 * Restrictions: intracommunicators, blocks of equal size; used only where a
 * machine file or the user selects them.
 *
 *   bcast            scatter, allgather
 *   scatter          broadcast of all blocks
 *   gather           allgather
 *   allgather        gather to rank 0, broadcast
 *   reduce           allreduce
 *   allreduce        reduce to rank 0, broadcast
 *   reduce_scatter   allreduce of the whole vector
 */
#include "coll/coll_select.h"

/*
 * Executes one of the component collectives, with the algorithm that the table
 * selects for it.
 */
static void run_part(struct coll_prog *p, struct weft_coll_args *part)
{
	/* no shared memory: it is prepared for whole calls only */
	part->blocks = false;
	coll_select_part(part)->fn(p, part);
	coll_wait_all(p);
}

static MPI_Count side_len(const struct weft_coll_side *s)
{
	return s->count * s->dt->size;
}

/* Returns a side with len packed bytes per block. */
static struct weft_coll_side packed_side(void *buf, MPI_Count len)
{
	return (struct weft_coll_side){ .buf = buf,
					.count = len,
					.dt = coll_byte() };
}

/*
 * Returns the send side of a component collective: this rank's send side; with
 * MPI_IN_PLACE, its block of the receive side.
 */
static struct weft_coll_side own_side(const struct coll_prog *p,
				      const struct weft_coll_args *a)
{
	struct weft_coll_side s = a->r;

	if (!coll_in_place(&a->s))
		return a->s;
	s.buf = coll_block_addr(&a->r, p->rank);
	return s;
}

static void bcast_part(struct coll_prog *p, const struct weft_coll_args *a,
		       const struct weft_coll_side *data, int root)
{
	struct weft_coll_args part = *a;

	part.kind = WEFT_COLL_BCAST;
	part.root = root;
	part.op = NULL;
	part.s = part.r = *data;
	run_part(p, &part);
}

/* Scatters p blocks of `block` bytes and gathers them on all ranks. */
static void spread_blocks(struct coll_prog *p, const struct weft_coll_args *a,
			  char *bytes, MPI_Count block)
{
	struct weft_coll_args part = *a;

	part.kind = WEFT_COLL_SCATTER;
	part.s = packed_side(bytes, block);
	part.r = packed_side(bytes + block * p->rank, block);
	if (p->rank == a->root)
		part.r.buf = MPI_IN_PLACE;
	run_part(p, &part);
	part.kind = WEFT_COLL_ALLGATHER;
	part.r = part.s;
	part.s.buf = MPI_IN_PLACE;
	run_part(p, &part);
}

void coll_bcast_composed(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_coll_side rest;
	struct coll_flat f;
	MPI_Count block;

	coll_flat_open(p, &a->r, &f);
	if (p->rank == a->root)
		coll_flat_pack(p, &f);
	block = f.len / p->size;
	if (block)
		spread_blocks(p, a, f.bytes, block);
	rest = packed_side(f.bytes + block * p->size, f.len - block * p->size);
	if (rest.count)
		bcast_part(p, a, &rest, a->root);
	if (p->rank != a->root)
		coll_flat_unpack(p, &f);
}

void coll_scatter_composed(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool root = p->rank == a->root;
	MPI_Count len = side_len(root ? &a->s : &a->r);
	char *bytes = coll_bytes(p, len * p->size);
	struct weft_coll_side all = packed_side(bytes, len * p->size);

	if (root)
		coll_copy(p, a->s.buf, a->s.count * p->size, a->s.dt, bytes,
			  len * p->size, coll_byte());
	bcast_part(p, a, &all, a->root);
	if (!coll_in_place(&a->r))
		coll_copy(p, bytes + len * p->rank, len, coll_byte(), a->r.buf,
			  a->r.count, a->r.dt);
}

void coll_gather_composed(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_coll_args part = *a;

	part.kind = WEFT_COLL_ALLGATHER;
	if (p->rank == a->root) {
		part.s = own_side(p, a);
	} else {
		MPI_Count len = side_len(&a->s);

		part.r = packed_side(coll_bytes(p, len * p->size), len);
	}
	run_part(p, &part);
}

void coll_allgather_composed(struct coll_prog *p,
			     const struct weft_coll_args *a)
{
	struct weft_coll_args part = *a;
	struct weft_coll_side all = a->r;

	part.kind = WEFT_COLL_GATHER;
	part.root = 0;
	part.s = own_side(p, a);
	run_part(p, &part);
	all.count *= p->size;
	bcast_part(p, a, &all, 0);
}

void coll_reduce_composed(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_coll_args part = *a;

	part.kind = WEFT_COLL_ALLREDUCE;
	if (p->rank != a->root)
		part.r.buf = coll_elems(p, a->r.count, a->r.dt);
	run_part(p, &part);
}

void coll_allreduce_composed(struct coll_prog *p,
			     const struct weft_coll_args *a)
{
	struct weft_coll_args part = *a;

	part.kind = WEFT_COLL_REDUCE;
	part.root = 0;
	/* only the root may have its input in the receive buffer */
	if (p->rank)
		part.s.buf = (void *)(uintptr_t)coll_input(a);
	run_part(p, &part);
	bcast_part(p, a, &a->r, 0);
}

void coll_redscat_composed(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count n = a->r.count;
	struct weft_coll_args part = *a;

	part.kind = WEFT_COLL_ALLREDUCE;
	part.s.buf = (void *)(uintptr_t)coll_input(a);
	part.r.count = n * p->size;
	part.r.buf = coll_elems(p, part.r.count, a->r.dt);
	run_part(p, &part);
	coll_copy(p, coll_at(part.r.buf, n * p->rank, a->r.dt), n, a->r.dt,
		  a->r.buf, n, a->r.dt);
}
