/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Determines whether the two buffers of a collective share memory. Only
 * overlaps that are certain are reported: of runs of bytes, or of the same
 * elements of the same type. Data with gaps may be interleaved with other data
 * with gaps, and two buffers that are both MPI_BOTTOM need not overlap.
 */
#include "src/mpi/coll/mpi_coll_args.h"

#include "src/comm/comm.h"
#include "src/types/types_pack.h"
#include "src/types/types_topo.h"

static bool overlap(const struct weft_typed *a, const struct weft_typed *b)
{
	uintptr_t x, y;

	if (!a->count || !b->count || !a->dt->size || !b->dt->size)
		return false;
	if (a->buf == b->buf && a->dt == b->dt)
		return true;
	if (!weft_dt_is_run(a->dt, a->count) ||
	    !weft_dt_is_run(b->dt, b->count))
		return false;
	x = (uintptr_t)a->buf + (uintptr_t)a->dt->true_lb;
	y = (uintptr_t)b->buf + (uintptr_t)b->dt->true_lb;
	if (x < y)
		return y - x < weft_typed_bytes(a);
	return x - y < weft_typed_bytes(b);
}

/*
 * Returns block i of a side; blocks() returns the first n blocks, which must be
 * adjacent.
 */
static struct weft_typed block(const struct weft_coll_side *s, int i)
{
	MPI_Count at = weft_coll_num(&s->displs, i);
	struct weft_typed t = { s->dt, s->buf, weft_coll_num(&s->counts, i) };

	if (s->types)
		t.dt = t.count ? weft_dt_of(s->types[i]) : NULL;
	else
		at *= s->dt->extent;
	t.buf = (void *)((uintptr_t)s->buf + (uintptr_t)at);
	return t;
}

static struct weft_typed blocks(const struct weft_coll_side *s, int n)
{
	return (struct weft_typed){ s->dt, s->buf, s->count * n };
}

/* Returns whether a block overlaps any of n blocks of the other side. */
static bool one_in_many(const struct weft_coll_side *one,
			const struct weft_coll_side *many, int n)
{
	struct weft_typed a = blocks(one, 1), b = blocks(many, n);

	if (!many->counts.at)
		return overlap(&a, &b);
	for (int i = 0; i < n; i++) {
		b = block(many, i);
		if (overlap(&a, &b))
			return true;
	}
	return false;
}

/*
 * Returns whether any blocks of the two sides overlap; lists of blocks are
 * compared pair by pair.
 */
static bool many_in_many(const struct weft_coll_side *s,
			 const struct weft_coll_side *r, int n)
{
	struct weft_typed a, b;

	if (!s->counts.at) {
		a = blocks(s, n);
		b = blocks(r, n);
		return overlap(&a, &b);
	}
	for (int i = 0; i < n; i++) {
		a = block(s, i);
		b = block(r, i);
		if (overlap(&a, &b))
			return true;
	}
	return false;
}

/*
 * Returns whether the operand vector of a reduction overlaps the result, which
 * is a vector or a part of one.
 */
static bool vector_in_result(const struct mpi_coll *m)
{
	const struct weft_coll_side *r = &m->a.r;
	MPI_Count mine = r->counts.at
				 ? weft_coll_num(&r->counts, m->a.comm->rank)
				 : r->count;
	struct weft_typed in = { r->dt, m->a.s.buf, mpi_coll_vector(m) };
	struct weft_typed out = { r->dt, r->buf, mine };

	return overlap(&in, &out);
}

bool mpi_coll_alias(const struct mpi_coll *m)
{
	const struct weft_comm *c = m->a.comm;

	switch (m->a.kind) {
	case WEFT_COLL_GATHER:
	case WEFT_COLL_ALLGATHER:
		return one_in_many(&m->a.s, &m->a.r, c->peers);
	case WEFT_COLL_SCATTER:
		return one_in_many(&m->a.r, &m->a.s, c->peers);
	case WEFT_COLL_ALLTOALL:
		return many_in_many(&m->a.s, &m->a.r, c->peers);
	case WEFT_COLL_NEIGHBOR_ALLGATHER:
		return one_in_many(&m->a.s, &m->a.r, c->topo->nin);
	case WEFT_COLL_NEIGHBOR_ALLTOALL:
		return many_in_many(&m->a.s, &m->a.r,
				    c->topo->nin < c->topo->nout
					    ? c->topo->nin
					    : c->topo->nout);
	default:
		return vector_in_result(m);
	}
}
