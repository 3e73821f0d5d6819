/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The naive model of datatypes: all lists are copied, without simplification.
 */
#include "test/support/types_dt_model.h"

#include "test/t.h"

#include <stdlib.h>

static struct model *model_open(void)
{
	return calloc(1, sizeof(struct model));
}

static void model_add(struct model *m, long off, int size, int align)
{
	m->item = realloc(m->item, (size_t)(m->n + 1) * sizeof(*m->item));
	m->item[m->n++] = (struct model_item){ off, size, align };
}

/* Adds the items and explicit bounds of one element of `old` at disp. */
static void model_place(struct model *m, const struct model *old, long disp)
{
	for (int i = 0; i < old->n; i++)
		model_add(m, old->item[i].off + disp, old->item[i].size,
			  old->item[i].align);
	if (!old->marked)
		return;
	if (!m->marked || old->lb + disp < m->lb)
		m->lb = old->lb + disp;
	if (!m->marked || old->ub + disp > m->ub)
		m->ub = old->ub + disp;
	m->marked = true;
}

long model_size(const struct model *m)
{
	long sum = 0;

	for (int i = 0; i < m->n; i++)
		sum += m->item[i].size;
	return sum;
}

long model_true_lb(const struct model *m)
{
	long lo = m->n ? m->item[0].off : 0;

	for (int i = 1; i < m->n; i++)
		if (m->item[i].off < lo)
			lo = m->item[i].off;
	return lo;
}

long model_true_ub(const struct model *m)
{
	long hi = m->n ? m->item[0].off + m->item[0].size : 0;

	for (int i = 1; i < m->n; i++)
		if (m->item[i].off + m->item[i].size > hi)
			hi = m->item[i].off + m->item[i].size;
	return hi;
}

long model_lb(const struct model *m)
{
	return m->marked ? m->lb : model_true_lb(m);
}

long model_extent(const struct model *m)
{
	long extent = model_true_ub(m) - model_true_lb(m);
	int align = 1;

	if (m->marked)
		return m->ub - m->lb;
	for (int i = 0; i < m->n; i++)
		if (m->item[i].align > align)
			align = m->item[i].align;
	return (extent + align - 1) / align * align;
}

long model_byte(const struct model *m, long pos)
{
	long size = model_size(m);
	long base = pos / size * model_extent(m);
	int i = 0;

	for (pos %= size; pos >= m->item[i].size; i++)
		pos -= m->item[i].size;
	return base + m->item[i].off + pos;
}

void twin_close(struct twin *t)
{
	weft_dt_put(t->dt);
	free(t->m->item);
	free(t->m);
}

struct twin twin_basic(MPI_Datatype h)
{
	struct twin t = { weft_dt_of(h), model_open() };

	if (h == MPI_SHORT_INT) {
		model_add(t.m, 0, 2, 2);
		model_add(t.m, 4, 4, 4);
	} else if (h == MPI_DOUBLE_INT) {
		model_add(t.m, 0, 8, 8);
		model_add(t.m, 8, 4, 4);
	} else {
		model_add(t.m, 0, (int)t.dt->size, t.dt->align);
	}
	return t;
}

struct twin twin_blocks(int n, const MPI_Count *len, const MPI_Count *disp,
			struct twin *old, bool same)
{
	struct weft_dt *dts[64];
	struct weft_dt_blocks b = {
		.n = n, .blocklen = len, .disp = disp, .old = dts, .same = same
	};
	struct twin t = { NULL, model_open() };

	assert_true(n <= 64);
	for (int i = 0; i < (same ? 1 : n); i++)
		dts[i] = old[i].dt;
	T_OK(weft_dt_blocks(&b, &t.dt));
	for (int i = 0; i < n; i++) {
		struct model *m = old[same ? 0 : i].m;

		for (int k = 0; k < len[i]; k++)
			model_place(t.m, m, disp[i] + k * model_extent(m));
	}
	return t;
}

struct twin twin_vector(int count, int len, long stride, struct twin *old)
{
	struct twin t = { NULL, model_open() };

	T_OK(weft_dt_vector(count, len, stride, old->dt, &t.dt));
	for (int i = 0; i < count; i++)
		for (int k = 0; k < len; k++)
			model_place(t.m, old->m,
				    i * stride + k * model_extent(old->m));
	return t;
}

struct twin twin_resized(struct twin *old, long lb, long extent)
{
	struct twin t = { NULL, model_open() };

	T_OK(weft_dt_resized(old->dt, lb, extent, &t.dt));
	model_place(t.m, old->m, 0);
	t.m->marked = true;
	t.m->lb = lb;
	t.m->ub = lb + extent;
	return t;
}

/*
 * Advances an index vector to the next element in memory order. Returns false
 * after the last.
 */
static bool index_next(int *at, const MPI_Count *sizes, int ndims, int order)
{
	for (int k = 0; k < ndims; k++) {
		int d = order == MPI_ORDER_C ? ndims - 1 - k : k;

		if (++at[d] < sizes[d])
			return true;
		at[d] = 0;
	}
	return false;
}

static void model_whole(struct model *m, long elements, long extent)
{
	m->marked = true;
	m->lb = 0;
	m->ub = elements * extent;
}

struct twin twin_subarray(const struct weft_dt_subarray *a, struct twin *old)
{
	struct twin t = { NULL, model_open() };
	int at[8] = { 0 };
	long k = 0;
	bool in;

	T_OK(weft_dt_subarray(a, old->dt, &t.dt));
	do {
		in = true;
		for (int d = 0; d < a->ndims; d++)
			in = in && at[d] >= a->starts[d] &&
			     at[d] < a->starts[d] + a->subsizes[d];
		if (in)
			model_place(t.m, old->m, k * model_extent(old->m));
		k++;
	} while (index_next(at, a->sizes, a->ndims, a->order));
	model_whole(t.m, k, model_extent(old->m));
	return t;
}

/* Returns whether index i of dimension d belongs to the process at coord. */
static bool owns(const struct weft_dt_darray *a, int d, int coord, int i)
{
	int p = a->psizes[d], b = a->dargs[d];

	if (a->distribs[d] == MPI_DISTRIBUTE_NONE)
		return true;
	if (b == MPI_DISTRIBUTE_DFLT_DARG)
		b = a->distribs[d] == MPI_DISTRIBUTE_CYCLIC
			    ? 1
			    : (int)((a->gsizes[d] + p - 1) / p);
	return i / b % p == coord;
}

struct twin twin_darray(const struct weft_dt_darray *a, struct twin *old)
{
	struct twin t = { NULL, model_open() };
	int at[8] = { 0 }, coord[8], rank = a->rank;
	long k = 0;
	bool in;

	T_OK(weft_dt_darray(a, old->dt, &t.dt));
	for (int d = a->ndims - 1; d >= 0; d--) {
		coord[d] = rank % a->psizes[d];
		rank /= a->psizes[d];
	}
	do {
		in = true;
		for (int d = 0; d < a->ndims; d++)
			in = in && owns(a, d, coord[d], at[d]);
		if (in)
			model_place(t.m, old->m, k * model_extent(old->m));
		k++;
	} while (index_next(at, a->gsizes, a->ndims, a->order));
	model_whole(t.m, k, model_extent(old->m));
	return t;
}

/* ---- random types ---- */

static int pick(struct weft_rng *r, int from, int to)
{
	return from + (int)weft_rng_below(r, (uint64_t)(to - from + 1));
}

static struct twin random_basic(struct weft_rng *r)
{
	static const MPI_Datatype all[] = { MPI_CHAR,	     MPI_SHORT,
					    MPI_INT,	     MPI_DOUBLE,
					    MPI_LONG_DOUBLE, MPI_SHORT_INT,
					    MPI_DOUBLE_INT };

	return twin_basic(all[pick(r, 0, 6)]);
}

static struct twin random_list(struct weft_rng *r, int depth, int limit,
			       bool same)
{
	MPI_Count len[4], disp[4];
	struct twin old[4], t;
	int n = pick(r, 1, 4);
	long at = pick(r, -40, 40);

	for (int i = 0; i < (same ? 1 : n); i++)
		old[i] = twin_random(r, depth - 1, limit / 12 + 1);
	for (int i = 0; i < n; i++) {
		struct model *m = old[same ? 0 : i].m;

		len[i] = pick(r, 0, 3);
		disp[i] = at - model_true_lb(m);
		if (pick(r, 0, 2))
			at += pick(r, -20, 60);
		at += len[i] * model_extent(m);
	}
	t = twin_blocks(n, len, disp, old, same);
	for (int i = 0; i < (same ? 1 : n); i++)
		twin_close(&old[i]);
	return t;
}

static struct twin random_vector(struct weft_rng *r, struct twin *old)
{
	int count = pick(r, 0, 4), len = pick(r, 0, 3);
	long stride = len * model_extent(old->m);

	if (pick(r, 0, 2))
		stride += pick(r, -30, 60);
	return twin_vector(count, len, stride, old);
}

static struct twin random_subarray(struct weft_rng *r, struct twin *old)
{
	MPI_Count sizes[3], sub[3], start[3];
	struct weft_dt_subarray a = { pick(r, 1, 3), sizes, sub, start,
				      MPI_ORDER_C };

	if (pick(r, 0, 1))
		a.order = MPI_ORDER_FORTRAN;
	for (int d = 0; d < a.ndims; d++) {
		sizes[d] = pick(r, 1, 4);
		sub[d] = pick(r, 1, (int)sizes[d]);
		start[d] = pick(r, 0, (int)(sizes[d] - sub[d]));
	}
	return twin_subarray(&a, old);
}

struct twin twin_random(struct weft_rng *r, int depth, int limit)
{
	struct twin old, t;

	if (depth == 0 || limit < 12)
		return random_basic(r);
	switch (pick(r, 0, 5)) {
	case 0:
		return random_list(r, depth, limit, true);
	case 1:
		return random_list(r, depth, limit, false);
	default:
		break;
	}
	old = twin_random(r, depth - 1, limit / 12 + 1);
	switch (pick(r, 0, 3)) {
	case 0:
		t = twin_resized(&old, pick(r, -16, 16),
				 model_extent(old.m) + pick(r, -8, 24));
		break;
	case 1:
		t = random_subarray(r, &old);
		break;
	default:
		t = random_vector(r, &old);
	}
	twin_close(&old);
	return t;
}
