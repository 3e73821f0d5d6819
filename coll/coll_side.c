/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access to the buffers of an operation as blocks, for all forms of arguments.
 */
#include "coll/coll_select.h"
#include "src/offload/offload_device.h"

void *coll_block_addr(const struct weft_coll_side *s, int i)
{
	if (s->types)
		return (char *)s->buf + weft_coll_num(&s->displs, i);
	if (s->counts.at)
		return coll_at(s->buf, weft_coll_num(&s->displs, i), s->dt);
	return coll_at(s->buf, i * s->count, s->dt);
}

MPI_Count *coll_offsets(struct coll_prog *p, const struct weft_coll_side *s,
			int n)
{
	MPI_Count *off = coll_bytes(p, (n + 1) * (MPI_Count)sizeof(*off));
	int i;

	if (!off)
		return NULL;
	off[0] = 0;
	for (i = 0; i < n; i++)
		off[i + 1] = off[i] + coll_count(s, i);
	return off;
}

void coll_send_block(struct coll_prog *p, const struct weft_coll_side *s, int i,
		     int to)
{
	coll_send(p, coll_block_addr(s, i), coll_count(s, i), coll_type(s, i),
		  to);
}

unsigned coll_recv_block(struct coll_prog *p, const struct weft_coll_side *s,
			 int i, int from)
{
	return coll_recv(p, coll_block_addr(s, i), coll_count(s, i),
			 coll_type(s, i), from);
}

void coll_copy_block(struct coll_prog *p, const struct weft_coll_side *s, int i,
		     const struct weft_coll_side *r, int j)
{
	coll_copy(p, coll_block_addr(s, i), coll_count(s, i), coll_type(s, i),
		  coll_block_addr(r, j), coll_count(r, j), coll_type(r, j));
}

void coll_flat_open(struct coll_prog *p, const struct weft_coll_side *side,
		    struct coll_flat *f)
{
	f->side = side;
	f->len = side->count * side->dt->size;
	f->copied = !weft_dt_is_run(side->dt, side->count) ||
		    weft_device_owns((char *)side->buf + side->dt->true_lb);
	if (f->copied)
		f->bytes = coll_bytes(p, f->len);
	else
		f->bytes = (char *)side->buf + side->dt->true_lb;
}

void coll_flat_pack(struct coll_prog *p, struct coll_flat *f)
{
	if (f->copied)
		coll_copy(p, f->side->buf, f->side->count, f->side->dt,
			  f->bytes, f->len, coll_byte());
}

void coll_flat_unpack(struct coll_prog *p, struct coll_flat *f)
{
	if (f->copied)
		coll_copy(p, f->bytes, f->len, coll_byte(), f->side->buf,
			  f->side->count, f->side->dt);
}

void coll_own_block(struct coll_prog *p, const struct weft_coll_args *a)
{
	if (!coll_in_place(&a->s))
		coll_copy(p, a->s.buf, a->s.count, a->s.dt,
			  coll_block_addr(&a->r, p->rank),
			  coll_count(&a->r, p->rank), a->r.dt);
}

/* ---- properties of a call ---- */

static uint64_t side_bytes(const struct weft_coll_side *s)
{
	return (uint64_t)(s->count * s->dt->size);
}

static uint64_t sum_bytes(const struct weft_coll_args *a)
{
	MPI_Count sum = 0;
	int i;

	if (!a->uneven)
		return side_bytes(&a->r) * (uint64_t)a->comm->size;
	for (i = 0; i < a->comm->size; i++)
		sum += coll_count(&a->r, i);
	return (uint64_t)(sum * a->r.dt->size);
}

uint64_t coll_volume(const struct weft_coll_args *a)
{
	bool at_root = a->comm->rank == a->root;

	if (a->comm->inter)
		return 0;
	switch (a->kind) {
	case WEFT_COLL_BCAST:
	case WEFT_COLL_REDUCE:
	case WEFT_COLL_ALLREDUCE:
	case WEFT_COLL_SCAN:
	case WEFT_COLL_EXSCAN:
		return side_bytes(&a->r);
	case WEFT_COLL_GATHER:
		return a->uneven ? 0 : side_bytes(at_root ? &a->r : &a->s);
	case WEFT_COLL_SCATTER:
		return a->uneven ? 0 : side_bytes(at_root ? &a->s : &a->r);
	case WEFT_COLL_ALLTOALL:
		return a->uneven ? 0 : side_bytes(&a->r);
	case WEFT_COLL_ALLGATHER:
	case WEFT_COLL_REDUCE_SCATTER:
		return sum_bytes(a);
	default:
		return 0;
	}
}

bool coll_unit_fits(const struct weft_coll_args *a)
{
	switch (a->kind) {
	case WEFT_COLL_REDUCE:
	case WEFT_COLL_ALLREDUCE:
	case WEFT_COLL_REDUCE_SCATTER:
		return weft_route_supports(a->op, a->r.dt);
	default:
		return true;
	}
}
