/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes: creation, release, and the three basic constructors on which all
 * others are built: equal blocks (vector), a list of blocks, and the same data
 * with other bounds. Bounds follow the MPI standard: bound marks set by resized
 * have precedence over the data; without them the extent is rounded up to the
 * alignment.
 */
#include "src/types/types_dt.h"

#include "src/types/types_dt_env.h"
#include "src/types/types_dt_map.h"
#include "src/types/types_dt_node.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* ---- open and close ---- */

struct weft_dt_map *weft_dt_map_open(enum weft_dt_map_kind kind, MPI_Count olds)
{
	struct weft_dt_map *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->kind = kind;
	m->old = calloc((size_t)olds + 1, sizeof(m->old[0]));
	if (!m->old) {
		free(m);
		return NULL;
	}
	return m;
}

void weft_dt_map_close(struct weft_dt_map *m)
{
	if (!m)
		return;
	for (MPI_Count i = 0; i < m->olds; i++)
		weft_dt_put(m->old[i]);
	free(m->old);
	free(m->len);
	free(m->node);
	free(m->part);
	free(m->seq);
	free(m);
}

static void map_add(struct weft_dt_map *m, struct weft_dt *old)
{
	m->old[m->olds++] = weft_dt_get(old);
}

/* Creates a type, which owns map. On failure map is freed. */
static struct weft_dt *dt_open(struct weft_dt_map *map)
{
	struct weft_dt *dt = calloc(1, sizeof(*dt));

	if (!dt) {
		weft_dt_map_close(map);
		return NULL;
	}
	weft_obj_init(&dt->obj, WEFT_KIND_DT);
	dt->map = map;
	dt->basic = WEFT_NUM_NONE;
	dt->align = 1;
	return dt;
}

void weft_dt_put(struct weft_dt *dt)
{
	if (dt->obj.predefined || !weft_obj_put(&dt->obj))
		return;
	dt->obj.kind = WEFT_KIND_FREE;
	weft_dt_env_close(dt->env);
	weft_dt_map_close(dt->map);
	free(dt->set_name);
	free(dt);
}

void weft_dt_commit(struct weft_dt *dt)
{
	/* Other threads may use the type: write the flag only once. */
	if (!(dt->flags & WEFT_DT_COMMITTED))
		dt->flags |= WEFT_DT_COMMITTED;
}

/* ---- overflow checks ---- */

/* Returns whether n steps of size step exceed the range of offsets. */
static bool too_far(MPI_Count n, MPI_Count step)
{
	MPI_Count r;

	return __builtin_mul_overflow(n, step, &r) || r > INT64_MAX / 4 ||
	       r < INT64_MIN / 4;
}

static bool row_too_far(MPI_Count n, const struct weft_dt *old)
{
	return too_far(n, old->size) || too_far(n, old->extent) ||
	       too_far(n, old->true_extent);
}

bool weft_dt_count_valid(const struct weft_dt *dt, MPI_Count count)
{
	return !row_too_far(count, dt);
}

/* ---- bounds ---- */

struct bounds {
	bool any;
	MPI_Count lo;
	MPI_Count hi;
};

static void bounds_add(struct bounds *b, MPI_Count lo, MPI_Count hi)
{
	if (!b->any || lo < b->lo)
		b->lo = lo;
	if (!b->any || hi > b->hi)
		b->hi = hi;
	b->any = true;
}

/*
 * Adds the bounds `one` of an element twice: for an element at off, and for an
 * element at off + last.
 */
static void bounds_add_row(struct bounds *b, MPI_Count off, MPI_Count last,
			   const struct bounds *one)
{
	bounds_add(b, off + one->lo, off + one->hi);
	bounds_add(b, off + last + one->lo, off + last + one->hi);
}

/* The bounds from which a type's bounds are computed. */
struct frame {
	/* bounds of those elements that have a lower bound mark */
	struct bounds lb;
	struct bounds ub;
	struct bounds data;
};

/*
 * Adds the bounds of two blocks of n adjacent elements of old, at off and at
 * off + last.
 */
static void frame_add(struct frame *f, const struct weft_dt *old, MPI_Count off,
		      MPI_Count n, MPI_Count last)
{
	struct bounds mark = { true, old->lb, old->lb + old->extent };
	struct bounds data = { true, old->true_lb,
			       old->true_lb + old->true_extent };
	MPI_Count row = (n - 1) * old->extent;

	if (old->flags & WEFT_DT_LB) {
		bounds_add_row(&f->lb, off, row, &mark);
		bounds_add_row(&f->lb, off + last, row, &mark);
	}
	if (old->flags & WEFT_DT_UB) {
		bounds_add_row(&f->ub, off, row, &mark);
		bounds_add_row(&f->ub, off + last, row, &mark);
	}
	if (old->size) {
		bounds_add_row(&f->data, off, row, &data);
		bounds_add_row(&f->data, off + last, row, &data);
	}
}

/*
 * Computes the bounds of a type. Without an upper bound mark the extent is
 * rounded up once, for the whole type: the standard defines it by the type map,
 * which has no padding inside.
 */
static void frame_apply(const struct frame *f, struct weft_dt *dt)
{
	MPI_Count rest;

	dt->true_lb = f->data.lo;
	dt->true_extent = f->data.hi - f->data.lo;
	dt->flags |= f->lb.any ? WEFT_DT_LB : 0;
	dt->flags |= f->ub.any ? WEFT_DT_UB : 0;
	dt->lb = f->lb.any ? f->lb.lo : dt->true_lb;
	if (f->ub.any) {
		dt->extent = f->ub.hi - dt->lb;
		return;
	}
	dt->extent = f->data.hi - dt->lb;
	rest = dt->extent % dt->align;
	if (rest)
		dt->extent += rest < 0 ? -rest : dt->align - rest;
}

/* Sets all fields that are computed from the root and the bounds. */
static void dt_finish(struct weft_dt *dt)
{
	dt->size = dt->root.size;
	if (row_too_far(INT_MAX, dt))
		dt->flags |= WEFT_DT_HUGE;
	if (dt->size == 0)
		dt->flags |= WEFT_DT_CONTIG;
	if (dt->root.kind == WEFT_DTN_RUN && dt->extent == dt->size)
		dt->flags |= WEFT_DT_CONTIG;
}

/* Adds n elements of old to the number of basic elements. */
static void dt_count(struct weft_dt *dt, const struct weft_dt *old, MPI_Count n)
{
	if (dt->units == 0)
		dt->unit = old->unit;
	else if (old->units && dt->unit != old->unit)
		dt->unit = NULL;
	dt->units += n * old->units;
	if (old->align > dt->align)
		dt->align = old->align;
}

/* ---- equal blocks ---- */

static int vector_root(struct weft_dt *dt, MPI_Count stride)
{
	struct weft_dt_map *m = dt->map;
	const struct weft_dt *old = m->old[0];
	struct weft_dtn block;

	weft_dtn_repeat(&block, &old->root, m->blocklen, old->extent);
	if (m->count == 1 || block.kind == WEFT_DTN_RUN || m->blocklen == 1) {
		weft_dtn_repeat(&dt->root,
				m->blocklen == 1 ? &old->root : &block,
				m->count, stride);
		return 0;
	}
	m->node = malloc(sizeof(*m->node));
	if (!m->node)
		return -ENOMEM;
	*m->node = block;
	weft_dtn_repeat(&dt->root, m->node, m->count, stride);
	return 0;
}

int weft_dt_vector(MPI_Count count, MPI_Count blocklen, MPI_Count stride,
		   struct weft_dt *old, struct weft_dt **dt_p)
{
	struct weft_dt_map *m;
	struct weft_dt *dt;
	struct frame f = { .data.any = false };
	MPI_Count n;
	int rc;

	if (__builtin_mul_overflow(count, blocklen, &n) ||
	    row_too_far(n, old) || too_far(count, stride))
		return -EOVERFLOW;
	m = weft_dt_map_open(WEFT_MAP_VECTOR, 1);
	if (!m)
		return -ENOMEM;
	map_add(m, old);
	m->same = true;
	m->count = count;
	m->blocklen = blocklen;
	dt = dt_open(m);
	if (!dt)
		return -ENOMEM;
	weft_dtn_empty(&dt->root);
	if (n) {
		dt_count(dt, old, n);
		frame_add(&f, old, 0, blocklen, (count - 1) * stride);
	}
	rc = n && old->size ? vector_root(dt, stride) : 0;
	if (rc) {
		weft_dt_put(dt);
		return rc;
	}
	frame_apply(&f, dt);
	dt_finish(dt);
	*dt_p = dt;
	return 0;
}

/* ---- lists of blocks ---- */

static MPI_Count block_len(const struct weft_dt_blocks *b, MPI_Count i)
{
	return b->blocklen ? b->blocklen[i] : b->len;
}

static struct weft_dt *block_old(const struct weft_dt_blocks *b, MPI_Count i)
{
	return b->old[b->same ? 0 : i];
}

/* Returns whether every block is empty or a single run. */
static bool all_rows(const struct weft_dt_blocks *b)
{
	if (b->same && weft_dt_is_contig(b->old[0]))
		return true;
	for (MPI_Count i = 0; i < b->n; i++)
		if (block_len(b, i) &&
		    !weft_dt_is_run(block_old(b, i), block_len(b, i)))
			return false;
	return true;
}

/* Builds a list of runs, in which adjacent runs are merged. */
static int blocks_runs(struct weft_dt *dt, const struct weft_dt_blocks *b)
{
	struct weft_dtn_part *part;
	MPI_Count n = 0, pos = 0;

	part = malloc(((size_t)b->n + 1) * sizeof(*part));
	if (!part)
		return -ENOMEM;
	for (MPI_Count i = 0; i < b->n; i++) {
		const struct weft_dt *old = block_old(b, i);
		MPI_Count len = block_len(b, i) * old->size;
		MPI_Count off = b->disp[i] + old->root.off;

		if (len == 0)
			continue;
		if (n == 0 || part[n - 1].off + pos - part[n - 1].pos != off)
			part[n++] = (struct weft_dtn_part){ off, pos };
		pos += len;
	}
	part[n] = (struct weft_dtn_part){ 0, pos };
	if (weft_dtn_runs(&dt->root, part, n))
		dt->map->part = part;
	else
		free(part);
	return 0;
}

/*
 * Builds a loop instead of a list if all blocks have the same shape and are at
 * equal distances. Returns false otherwise.
 */
static bool blocks_loop(struct weft_dt *dt, const struct weft_dt_blocks *b)
{
	struct weft_dtn *node = dt->map->node;
	MPI_Count step = b->n > 1 ? b->disp[1] - b->disp[0] : 0;

	if (!b->same)
		return false;
	for (MPI_Count i = 1; i < b->n; i++)
		if (b->disp[i] - b->disp[i - 1] != step ||
		    block_len(b, i) != block_len(b, 0))
			return false;
	weft_dtn_repeat(node, &b->old[0]->root, block_len(b, 0),
			b->old[0]->extent);
	weft_dtn_repeat(&dt->root, node, b->n, step);
	dt->root.off += b->disp[0];
	return true;
}

static int blocks_seq(struct weft_dt *dt, const struct weft_dt_blocks *b)
{
	struct weft_dt_map *m = dt->map;
	MPI_Count n = 0, pos = 0;

	m->node = malloc(((size_t)b->n + 1) * sizeof(*m->node));
	if (!m->node)
		return -ENOMEM;
	if (blocks_loop(dt, b))
		return 0;
	m->part = malloc(((size_t)b->n + 1) * sizeof(*m->part));
	m->seq = malloc(((size_t)b->n + 1) * sizeof(*m->seq));
	if (!m->part || !m->seq)
		return -ENOMEM;
	for (MPI_Count i = 0; i < b->n; i++) {
		const struct weft_dt *old = block_old(b, i);
		MPI_Count len = block_len(b, i);

		if (len * old->size == 0)
			continue;
		weft_dtn_repeat(&m->node[n], &old->root, len, old->extent);
		m->part[n] = (struct weft_dtn_part){ b->disp[i], pos };
		m->seq[n] = &m->node[n];
		pos += m->node[n++].size;
	}
	m->part[n] = (struct weft_dtn_part){ 0, pos };
	dt->root = (struct weft_dtn){ .kind = WEFT_DTN_SEQ,
				      .size = pos,
				      .count = n,
				      .part = m->part,
				      .seq = m->seq };
	return 0;
}

static struct weft_dt_map *blocks_map(const struct weft_dt_blocks *b)
{
	MPI_Count olds = b->same ? 1 : b->n;
	struct weft_dt_map *m = weft_dt_map_open(WEFT_MAP_BLOCKS, olds);

	if (!m)
		return NULL;
	for (MPI_Count i = 0; i < olds; i++)
		map_add(m, b->old[i]);
	m->same = b->same;
	m->count = b->n;
	m->blocklen = b->len;
	return m;
}

/*
 * Keeps the block lengths, which are needed only if basic types are mixed, or
 * if the type of an empty block may differ from the others.
 */
static int blocks_keep_len(struct weft_dt *dt, const struct weft_dt_blocks *b)
{
	size_t bytes = (size_t)b->n * sizeof(*b->blocklen);

	if ((dt->unit && b->same) || !b->blocklen || !b->n)
		return 0;
	dt->map->len = malloc(bytes);
	if (!dt->map->len)
		return -ENOMEM;
	memcpy(dt->map->len, b->blocklen, bytes);
	return 0;
}

static bool blocks_too_far(const struct weft_dt_blocks *b)
{
	MPI_Count bytes = 0;

	for (MPI_Count i = 0; i < b->n; i++) {
		const struct weft_dt *old = block_old(b, i);
		MPI_Count len = block_len(b, i);

		if (row_too_far(len, old) || too_far(1, b->disp[i]) ||
		    __builtin_add_overflow(bytes, len * old->size, &bytes))
			return true;
	}
	return false;
}

static void blocks_frame(struct weft_dt *dt, const struct weft_dt_blocks *b)
{
	struct frame f = { .data.any = false };

	for (MPI_Count i = 0; i < b->n; i++) {
		MPI_Count len = block_len(b, i);

		if (len == 0)
			continue;
		dt_count(dt, block_old(b, i), len);
		frame_add(&f, block_old(b, i), b->disp[i], len, 0);
	}
	frame_apply(&f, dt);
}

int weft_dt_blocks(const struct weft_dt_blocks *b, struct weft_dt **dt_p)
{
	struct weft_dt_map *m;
	struct weft_dt *dt;
	int rc;

	if (blocks_too_far(b))
		return -EOVERFLOW;
	m = blocks_map(b);
	dt = m ? dt_open(m) : NULL;
	if (!dt)
		return -ENOMEM;
	blocks_frame(dt, b);
	rc = all_rows(b) ? blocks_runs(dt, b) : blocks_seq(dt, b);
	if (!rc)
		rc = blocks_keep_len(dt, b);
	if (rc) {
		weft_dt_put(dt);
		return rc;
	}
	dt_finish(dt);
	*dt_p = dt;
	return 0;
}

/* ---- types with the data of another type ---- */

static struct weft_dt *alias_open(struct weft_dt *old)
{
	struct weft_dt_map *m = weft_dt_map_open(WEFT_MAP_ALIAS, 1);
	struct weft_dt *dt;

	if (!m)
		return NULL;
	map_add(m, old);
	dt = dt_open(m);
	if (!dt)
		return NULL;
	dt->root = old->root;
	dt->unit = old->unit;
	dt->units = old->units;
	dt->align = old->align;
	dt->lb = old->lb;
	dt->extent = old->extent;
	dt->true_lb = old->true_lb;
	dt->true_extent = old->true_extent;
	return dt;
}

int weft_dt_resized(struct weft_dt *old, MPI_Count lb, MPI_Count extent,
		    struct weft_dt **dt_p)
{
	struct weft_dt *dt = alias_open(old);

	if (!dt)
		return -ENOMEM;
	dt->flags = WEFT_DT_BOUNDS;
	dt->lb = lb;
	dt->extent = extent;
	dt_finish(dt);
	*dt_p = dt;
	return 0;
}

int weft_dt_dup(struct weft_dt *old, struct weft_dt **dt_p)
{
	struct weft_dt *dt = alias_open(old);

	if (!dt)
		return -ENOMEM;
	dt->flags = old->flags;
	dt->basic = old->basic;
	dt->size = old->size;
	*dt_p = dt;
	return 0;
}
