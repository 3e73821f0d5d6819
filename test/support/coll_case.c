/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers and their expected images; see coll_case.h. */
#include "test/t.h"

#include "test/support/coll_case.h"

#include <stdlib.h>
#include <string.h>

enum { EDGE = 64, BLANK = 0xa5 };

/* ---- buffers ---- */

static void mem_lay_out(struct case_mem *m, struct weft_rng *rng)
{
	MPI_Count at = 0, unit = m->form == CASE_W ? m->el->dt->extent : 1;
	int i, b, reverse = (int)weft_rng_below(rng, 2);

	for (i = 0; i < m->blocks; i++) {
		b = reverse && m->form != CASE_EVEN ? m->blocks - 1 - i : i;
		m->displ[b] = at * unit;
		m->narrow_displ[b] = (int)m->displ[b];
		m->narrow_count[b] = (int)m->count[b];
		m->types[b] = weft_dt_handle(m->el->dt);
		at += m->count[b];
		if (m->form != CASE_EVEN)
			at += (MPI_Count)weft_rng_below(rng, 2);
	}
	m->len = (size_t)weft_dt_span(m->el->dt, at) + 2 * EDGE;
}

/* Allocates a buffer; m->count must be filled in. */
static void mem_open(struct case_mem *m, struct weft_rng *rng)
{
	struct weft_coll_side *s = &m->side;

	mem_lay_out(m, rng);
	m->wide = weft_rng_below(rng, 2);
	m->mem = malloc(m->len);
	m->image = malloc(m->len);
	T_NOT_NULL(m->mem);
	T_NOT_NULL(m->image);
	memset(m->mem, BLANK, m->len);
	memset(m->image, BLANK, m->len);
	s->buf = m->mem + EDGE - m->el->dt->true_lb;
	s->dt = m->el->dt;
	s->count = m->blocks ? m->count[0] : 0;
	if (m->form == CASE_EVEN)
		return;
	s->counts.at = m->wide ? (void *)m->count : (void *)m->narrow_count;
	s->displs.at = m->wide ? (void *)m->displ : (void *)m->narrow_displ;
	s->counts.wide = s->displs.wide = m->wide;
	if (m->form == CASE_W) {
		s->types = m->types;
		s->dt = NULL;
	}
}

static char *mem_elem(const struct case_mem *m, char *in, int b, MPI_Count e)
{
	MPI_Count d = m->form == CASE_W ? m->displ[b]
					: m->displ[b] * m->el->dt->extent;

	return in + EDGE - m->el->dt->true_lb + d + e * m->el->dt->extent;
}

static void elem_set(const struct case_elem *el, char *at, const int *v)
{
	int k;

	for (k = 0; k < el->ints; k++)
		memcpy(at + el->off[k], &v[k], sizeof(int));
}

/* Computes the value of process q in block b at element e. */
static void value(int q, int b, MPI_Count e, int *v)
{
	unsigned x = (unsigned)q * 2654435761u + (unsigned)b * 40503u +
		     (unsigned)e * 977u;

	v[0] = (int)(x >> 7) | 1;
	v[1] = (int)((x ^ 0x5bd1e995u) >> 5);
}

static void set_block(const struct case_mem *m, char *in, int b, int q, int qb)
{
	MPI_Count e;
	int v[2];

	for (e = 0; e < m->count[b]; e++) {
		value(q, qb, e, v);
		elem_set(m->el, mem_elem(m, in, b, e), v);
	}
}

/*
 * Fills block b of m with the sum of the vectors of processes lo .. hi - 1,
 * from element `first` of the vectors on.
 */
static void set_sum(const struct case_job *j, const struct case_mem *m, int b,
		    MPI_Count first, int lo, int hi)
{
	int acc[2], v[2], q;
	MPI_Count e;

	for (e = 0; e < m->count[b]; e++) {
		value(hi - 1, 0, first + e, acc);
		for (q = hi - 2; q >= lo; q--) {
			value(q, 0, first + e, v);
			j->w.fold(v, acc);
		}
		elem_set(m->el, mem_elem(m, m->image, b, e), acc);
	}
}

/* ---- the groups of the job ---- */

static bool is_left(const struct case_job *j, int i)
{
	return i < j->mock->p;
}

/* Returns the range [lo, hi) of processes from which i receives. */
static void senders_of(const struct case_job *j, int i, int *lo, int *hi)
{
	bool from_left = !j->mock->q || !is_left(j, i);

	*lo = from_left ? 0 : j->mock->p;
	*hi = from_left ? j->mock->p : j->n;
}

/* Returns the range [lo, hi) of processes in i's own group. */
static void group_of(const struct case_job *j, int i, int *lo, int *hi)
{
	*lo = is_left(j, i) ? 0 : j->mock->p;
	*hi = is_left(j, i) ? j->mock->p : j->n;
}

static bool same_group(const struct case_job *j, int a, int b)
{
	return is_left(j, a) == is_left(j, b);
}

/* Returns the root argument of process i. */
static int root_arg(const struct case_job *j, int i)
{
	int root = j->w.root;

	if (!j->mock->q)
		return root;
	if (i == root)
		return MPI_ROOT;
	if (same_group(j, i, root))
		return MPI_PROC_NULL;
	return is_left(j, root) ? root : root - j->mock->p;
}

/*
 * Returns whether process i exchanges data with the root. In an
 * intracommunicator all processes do, including the root.
 */
static bool is_non_root(const struct case_job *j, int i)
{
	return !j->mock->q || !same_group(j, i, j->w.root);
}

/* Returns the number of elements of the block from process a to process b. */
static int pair_count(const struct case_job *j, int a, int b)
{
	if (j->w.form == CASE_EVEN)
		return j->w.count;
	return (a * 7 + b * 3 + j->w.count) % 5;
}

/* Returns pair_count(); in place it is symmetric, as MPI_IN_PLACE requires. */
static int swap_count(const struct case_job *j, int a, int b)
{
	return j->w.in_place ? pair_count(j, a < b ? a : b, a < b ? b : a)
			     : pair_count(j, a, b);
}

/* ---- buffers of each operation ---- */

static void one_block(const struct case_job *j, struct case_mem *m, int count,
		      struct weft_rng *rng)
{
	m->el = j->w.el;
	m->blocks = 1;
	m->form = CASE_EVEN;
	m->count[0] = count;
	mem_open(m, rng);
}

static void open_bcast(struct case_job *j, int i, struct weft_rng *rng)
{
	struct case_proc *c = &j->proc[i];

	one_block(j, &c->r, j->w.count, rng);
	if (i == j->w.root)
		set_block(&c->r, c->r.mem, 0, i, 0);
	if (i == j->w.root || is_non_root(j, i))
		set_block(&c->r, c->r.image, 0, j->w.root, 0);
}

/*
 * Allocates the buffer for the blocks of all ranks: for the root of gather and
 * scatter, and for allgather.
 */
static void root_blocks(struct case_job *j, int i, struct case_mem *m,
			struct weft_rng *rng)
{
	int lo, hi, b;

	senders_of(j, i, &lo, &hi);
	m->el = j->w.el;
	m->form = j->w.form;
	m->blocks = hi - lo;
	for (b = 0; b < m->blocks; b++)
		m->count[b] = pair_count(j, lo + b, 0);
	mem_open(m, rng);
}

static void open_gather(struct case_job *j, int i, struct weft_rng *rng)
{
	struct case_proc *c = &j->proc[i];
	int lo, hi, b;

	if (is_non_root(j, i)) {
		one_block(j, &c->s, pair_count(j, i, 0), rng);
		set_block(&c->s, c->s.mem, 0, i, 0);
	}
	if (i != j->w.root)
		return;
	root_blocks(j, i, &c->r, rng);
	senders_of(j, i, &lo, &hi);
	for (b = 0; b < c->r.blocks; b++)
		set_block(&c->r, c->r.image, b, lo + b, 0);
	if (j->w.in_place) {
		set_block(&c->r, c->r.mem, i - lo, i, 0);
		c->s.side.buf = MPI_IN_PLACE;
	}
}

static void open_scatter(struct case_job *j, int i, struct weft_rng *rng)
{
	struct case_proc *c = &j->proc[i];
	int lo, hi, b;

	if (is_non_root(j, i)) {
		one_block(j, &c->r, pair_count(j, i, 0), rng);
		if (i != j->w.root || !j->w.in_place)
			set_block(&c->r, c->r.image, 0, j->w.root, i);
	}
	if (i != j->w.root)
		return;
	root_blocks(j, i, &c->s, rng);
	senders_of(j, i, &lo, &hi);
	for (b = 0; b < c->s.blocks; b++)
		set_block(&c->s, c->s.mem, b, i, lo + b);
	if (j->w.in_place)
		c->r.side.buf = MPI_IN_PLACE;
}

static void open_allgather(struct case_job *j, int i, struct weft_rng *rng)
{
	struct case_proc *c = &j->proc[i];
	int lo, hi, b;

	senders_of(j, i, &lo, &hi);
	one_block(j, &c->s, pair_count(j, i, 0), rng);
	set_block(&c->s, c->s.mem, 0, i, 0);
	root_blocks(j, i, &c->r, rng);
	for (b = 0; b < c->r.blocks; b++)
		set_block(&c->r, c->r.image, b, lo + b, 0);
	if (j->w.in_place) {
		set_block(&c->r, c->r.mem, i - lo, i, 0);
		c->s.side.buf = MPI_IN_PLACE;
	}
}

static void open_alltoall(struct case_job *j, int i, struct weft_rng *rng)
{
	struct case_proc *c = &j->proc[i];
	int lo, hi, b;

	senders_of(j, i, &lo, &hi);
	c->s.el = c->r.el = j->w.el;
	c->s.form = c->r.form = j->w.form;
	c->s.blocks = c->r.blocks = hi - lo;
	for (b = 0; b < hi - lo; b++) {
		c->s.count[b] = swap_count(j, i, lo + b);
		c->r.count[b] = swap_count(j, lo + b, i);
	}
	mem_open(&c->s, rng);
	mem_open(&c->r, rng);
	for (b = 0; b < hi - lo; b++) {
		set_block(&c->s, c->s.mem, b, i, lo + b);
		set_block(&c->r, c->r.image, b, lo + b, i);
		if (j->w.in_place)
			set_block(&c->r, c->r.mem, b, i, lo + b);
	}
	if (j->w.in_place)
		c->s.side.buf = MPI_IN_PLACE;
}

/* Opens vectors of one length: reduce, allreduce, scan, exscan. */
static void open_combine(struct case_job *j, int i, struct weft_rng *rng)
{
	struct case_proc *c = &j->proc[i];
	bool rooted = j->w.kind == WEFT_COLL_REDUCE;
	int lo, hi;

	senders_of(j, i, &lo, &hi);
	one_block(j, &c->s, j->w.count, rng);
	one_block(j, &c->r, j->w.count, rng);
	set_block(&c->s, c->s.mem, 0, i, 0);
	if (j->w.in_place && (!rooted || i == j->w.root)) {
		set_block(&c->r, c->r.mem, 0, i, 0);
		c->s.side.buf = MPI_IN_PLACE;
	}
	memcpy(c->r.image, c->r.mem, c->r.len);
	if (j->w.kind == WEFT_COLL_SCAN)
		hi = i + 1;
	if (j->w.kind == WEFT_COLL_EXSCAN)
		hi = i;
	if (hi > lo && (!rooted || i == j->w.root))
		set_sum(j, &c->r, 0, 0, lo, hi);
}

/*
 * Returns the number of elements of the vector that process i receives in a
 * reduce-scatter.
 */
static int redscat_count(const struct case_job *j, int i, int lo, int hi)
{
	int total = j->w.count * (j->mock->q ? j->mock->p * j->mock->q : 1);

	if (!j->mock->q)
		return pair_count(j, i, 0);
	/* the vectors of both groups have the same total length */
	if (j->w.form == CASE_EVEN)
		return total / (hi - lo);
	return i == lo ? total - (hi - lo - 1) * (j->w.count / 2)
		       : j->w.count / 2;
}

static void open_redscat(struct case_job *j, int i, struct weft_rng *rng)
{
	struct case_proc *c = &j->proc[i];
	int from, to, lo, hi, k, before = 0, total = 0;

	senders_of(j, i, &from, &to);
	group_of(j, i, &lo, &hi);
	for (k = lo; k < hi; k++) {
		before += k < i ? redscat_count(j, k, lo, hi) : 0;
		total += redscat_count(j, k, lo, hi);
	}
	one_block(j, &c->s, total, rng);
	set_block(&c->s, c->s.mem, 0, i, 0);
	one_block(j, &c->r, j->w.in_place ? total : redscat_count(j, i, lo, hi),
		  rng);
	if (j->w.in_place) {
		set_block(&c->r, c->r.mem, 0, i, 0);
		c->s.side.buf = MPI_IN_PLACE;
	}
	memcpy(c->r.image, c->r.mem, c->r.len);
	c->r.count[0] = redscat_count(j, i, lo, hi);
	set_sum(j, &c->r, 0, before, from, to);
	c->r.side.count = c->r.count[0];
	if (j->w.form == CASE_EVEN)
		return;
	for (k = lo; k < hi; k++)
		c->r.narrow_count[k - lo] = redscat_count(j, k, lo, hi);
	c->r.side.counts.at = c->r.narrow_count;
	c->r.side.counts.wide = false;
}

static void open_nothing(struct case_job *j, int i, struct weft_rng *rng)
{
}

typedef void (*open_fn)(struct case_job *j, int i, struct weft_rng *rng);

static const open_fn opens[WEFT_COLL_KINDS] = {
	[WEFT_COLL_BARRIER] = open_nothing,
	[WEFT_COLL_BCAST] = open_bcast,
	[WEFT_COLL_REDUCE] = open_combine,
	[WEFT_COLL_ALLREDUCE] = open_combine,
	[WEFT_COLL_GATHER] = open_gather,
	[WEFT_COLL_SCATTER] = open_scatter,
	[WEFT_COLL_ALLGATHER] = open_allgather,
	[WEFT_COLL_ALLTOALL] = open_alltoall,
	[WEFT_COLL_REDUCE_SCATTER] = open_redscat,
	[WEFT_COLL_SCAN] = open_combine,
	[WEFT_COLL_EXSCAN] = open_combine,
};

/* ---- jobs ---- */

void case_elems(struct case_elem *plain, struct case_elem *gappy)
{
	struct weft_dt *old = weft_dt_of(MPI_INT), *two;
	const MPI_Count disp[2] = { -4, 8 };
	const struct weft_dt_blocks b = {
		.n = 2, .len = 1, .disp = disp, .old = &old, .same = true
	};

	*plain = (struct case_elem){ old, 1, { 0, 0 } };
	*gappy = (struct case_elem){ NULL, 2, { -4, 8 } };
	T_OK(weft_dt_blocks(&b, &two));
	T_OK(weft_dt_resized(two, -8, 24, &gappy->dt));
	weft_dt_commit(gappy->dt);
	weft_dt_put(two);
}

void case_open(struct case_job *j, struct mock *m, const struct case_what *w,
	       struct weft_rng *rng)
{
	struct case_proc *c;
	int i;

	memset(j, 0, sizeof(*j));
	j->mock = m;
	j->w = *w;
	j->n = m->p + m->q;
	for (i = 0; i < j->n; i++) {
		c = &j->proc[i];
		opens[w->kind](j, i, rng);
		c->a = (struct weft_coll_args){
			.kind = w->kind,
			.comm = m->comm[i],
			.uneven = w->form != CASE_EVEN,
			.root = root_arg(j, i),
			.op = w->op,
			.s = c->s.side,
			.r = c->r.side,
		};
		/* the send buffer must not change */
		if (c->s.mem)
			memcpy(c->s.image, c->s.mem, c->s.len);
	}
}

void case_reset(struct case_job *j)
{
	struct case_proc *c;
	int i;

	for (i = 0; i < j->n; i++) {
		c = &j->proc[i];
		if (c->r.mem && c->r.side.buf != MPI_IN_PLACE &&
		    !j->w.in_place && j->w.kind != WEFT_COLL_BCAST)
			memset(c->r.mem, BLANK, c->r.len);
	}
}

static void mem_check(const struct case_mem *m)
{
	if (m->mem)
		T_MEM(m->mem, m->image, m->len);
}

void case_check_rank(const struct case_job *j, int i)
{
	mem_check(&j->proc[i].s);
	mem_check(&j->proc[i].r);
}

void case_check(const struct case_job *j)
{
	for (int i = 0; i < j->n; i++)
		case_check_rank(j, i);
}

void case_close(struct case_job *j)
{
	int i;

	for (i = 0; i < j->n; i++) {
		free(j->proc[i].s.mem);
		free(j->proc[i].s.image);
		free(j->proc[i].r.mem);
		free(j->proc[i].r.image);
	}
}
