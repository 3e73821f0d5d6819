/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking collectives of long data between ranks of one host, through memory
 * that all of them map (coll_shared.h). Every rank copies its data to the
 * memory once, and its result from there once, without a system call.
 *
 *   allreduce      fill, combine own slice, take all slices
 *   reduce         all but the root fill and combine their slices; the root
 *                  combines the results with its own operand, while the other
 *                  ranks work on the next part
 *   reduce_scatter fill, combine own block in the receive buffer
 *   bcast          the root fills, all others take
 *   allgather      fill own block, take the blocks of all others
 *
 * Restrictions: blocking calls, intracommunicators on one host, machine native;
 * reductions: commutative operations, contiguous elements. The slice of rank r
 * combines the operands of ranks r, r - 1, r - 2 ... in this order, as in
 * coll_slices.h; in a reduce the root's operand is the last one.
 * Cost of an allreduce: 2 n beta + (p - 1) / p n gamma, and 3 (p - 1) reads of
 * counters per slot of data; of a reduce: n beta + n gamma.
 */
#include "coll/coll_select.h"
#include "coll/coll_shared.h"
#include "src/offload/offload_device.h"

#include <string.h>

/*
 * minimum size of a part of a bcast and of a reduce, bytes; parts are pipelined
 */
#define BCAST_PART   ((size_t)16 << 10)
#define REDUCE_PART  ((size_t)32 << 10)
/*
 * number of parts, unless the parts would exceed a slot or be shorter than the
 * minimum
 */
#define BCAST_PARTS  8
#define REDUCE_PARTS 4

static void fail(struct coll_prog *p, int err)
{
	if (!p->err)
		p->err = err;
}

static void finish(struct coll_prog *p, const struct coll_shared *s)
{
	fail(p, s->err);
}

/*
 * Returns the length of the parts if n is divided evenly into parts of at most
 * `most`.
 */
static size_t even_part(size_t n, size_t most)
{
	size_t parts = (n + most - 1) / most;

	return parts ? (n + parts - 1) / parts : 1;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int peer_before(const struct coll_prog *p, int steps)
{
	return (p->rank - steps + p->size) % p->size;
}

/* ---- reductions ---------------------------------------------------------- */

/* Arguments of a reduction of vectors. */
struct reduction {
	struct coll_prog *p;
	struct coll_shared *s;
	const struct weft_coll_args *a;
	const char *in; /* input: first byte of element 0 */
	char *out;
	size_t elem; /* bytes of an element */
	size_t n;    /* elements of the result (reduce_scatter: of a block) */
};

/*
 * Reduces n elements starting at `first`; in a reduce_scatter, n elements of
 * every block.
 */
typedef void round_fn(const struct reduction *r, size_t first, size_t n);

static struct reduction reduction_of(struct coll_prog *p,
				     const struct weft_coll_args *a)
{
	MPI_Aint lb = a->r.dt->true_lb;
	const void *in = a->kind == WEFT_COLL_REDUCE && p->rank != a->root
				 ? a->s.buf
				 : coll_input(a);

	return (struct reduction){ p,
				   a->comm->shared,
				   a,
				   (const char *)in + lb,
				   (char *)a->r.buf + lb,
				   (size_t)a->r.dt->size,
				   (size_t)a->r.count };
}

static void run_rounds(const struct reduction *r, size_t part, round_fn *round)
{
	for (size_t first = 0; first < r->n && !r->s->err; first += part)
		round(r, first, min_size(part, r->n - first));
	finish(r->p, r->s);
}

/* Computes `to` = `from` op `to` for n elements. */
static void apply(const struct reduction *r, const char *from, char *to,
		  size_t n)
{
	MPI_Aint lb = r->a->r.dt->true_lb;

	weft_op_apply(r->a->op, from - lb, to - lb, (MPI_Count)n, r->a->r.dt);
}

/*
 * Returns the number of ranks that combine a slice: all ranks, or in a reduce
 * all except the root. Their positions are consecutive; in a reduce position 0
 * is the rank after the root.
 */
static int combiners(const struct reduction *r)
{
	return r->p->size - (r->a->kind == WEFT_COLL_REDUCE);
}

static int first_combiner(const struct reduction *r)
{
	return r->a->kind == WEFT_COLL_REDUCE ? r->a->root + 1 : 0;
}

static int rank_at(const struct reduction *r, int position)
{
	return (first_combiner(r) + position) % r->p->size;
}

static int position_of(const struct reduction *r, int rank)
{
	return (rank - first_combiner(r) + r->p->size) % r->p->size;
}

/* Offset and length of the slice that one rank combines, in bytes. */
struct slice {
	size_t at;
	size_t bytes;
};

static struct slice slice_of(const struct reduction *r, size_t n, int position)
{
	int m = combiners(r);
	size_t first = (size_t)coll_part_first((MPI_Count)n, m, position);
	size_t next = (size_t)coll_part_first((MPI_Count)n, m, position + 1);

	return (struct slice){ first * r->elem, (next - first) * r->elem };
}

/* Combines this rank's slice of the n elements in this rank's slot. */
static void combine_slice(const struct reduction *r, size_t n)
{
	int m = combiners(r), me = position_of(r, r->p->rank);
	struct slice mine = slice_of(r, n, me);
	char *to = coll_shared_slot(r->s, r->p->rank) + mine.at;

	for (int i = 1; mine.bytes && i < m; i++) {
		int peer = rank_at(r, (me - i + m) % m);

		coll_shared_wait(r->s, peer, COLL_SHARED_FILLED);
		apply(r, coll_shared_slot(r->s, peer) + mine.at, to,
		      mine.bytes / r->elem);
	}
	coll_shared_reach(r->s, COLL_SHARED_COMBINED);
}

/* Fills this rank's slot with n elements and combines its slice of them. */
static void fill_and_combine(const struct reduction *r, size_t first, size_t n)
{
	coll_shared_begin(r->s);
	memcpy(coll_shared_slot(r->s, r->p->rank), r->in + first * r->elem,
	       n * r->elem);
	coll_shared_reach(r->s, COLL_SHARED_FILLED);
	combine_slice(r, n);
}

/*
 * Waits for the combined slice at a position; returns it, or NULL if it is
 * empty.
 */
static const char *combined_slice(const struct reduction *r, int position,
				  const struct slice *of)
{
	int peer = rank_at(r, position);

	if (!of->bytes)
		return NULL;
	coll_shared_wait(r->s, peer, COLL_SHARED_COMBINED);
	return coll_shared_slot(r->s, peer) + of->at;
}

static void allreduce_round(const struct reduction *r, size_t first, size_t n)
{
	int me = r->p->rank, size = r->p->size;
	char *to = r->out + first * r->elem;

	fill_and_combine(r, first, n);
	for (int i = 0; i < size; i++) {
		int position = (me + i) % size;
		struct slice of = slice_of(r, n, position);
		const char *from = combined_slice(r, position, &of);

		if (from)
			memcpy(to + of.at, from, of.bytes);
	}
	coll_shared_reach(r->s, COLL_SHARED_LEFT);
}

void coll_allreduce_shared(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct reduction r = reduction_of(p, a);

	run_rounds(&r, even_part(r.n, r.s->slot_bytes / r.elem),
		   allreduce_round);
}

/*
 * Executes one round of a reduce at the root, whose operand is not copied to
 * the shared memory.
 */
static void reduce_round_root(const struct reduction *r, size_t first, size_t n)
{
	char *to = r->out + first * r->elem;

	coll_shared_begin_reader(r->s);
	for (int i = 0; i < combiners(r); i++) {
		struct slice of = slice_of(r, n, i);
		const char *from = combined_slice(r, i, &of);

		if (!from)
			continue;
		if (r->in != r->out)
			memcpy(to + of.at, r->in + first * r->elem + of.at,
			       of.bytes);
		apply(r, from, to + of.at, of.bytes / r->elem);
	}
	coll_shared_reach(r->s, COLL_SHARED_LEFT);
}

static void reduce_round(const struct reduction *r, size_t first, size_t n)
{
	if (r->p->rank == r->a->root) {
		reduce_round_root(r, first, n);
	} else {
		fill_and_combine(r, first, n);
		coll_shared_reach(r->s, COLL_SHARED_LEFT);
	}
}

/* Returns the number of elements in each part of a reduce. */
static size_t reduce_part(const struct reduction *r)
{
	size_t bytes = r->n * r->elem / REDUCE_PARTS;

	if (bytes < REDUCE_PART)
		bytes = REDUCE_PART;
	return even_part(r->n, min_size(bytes, r->s->slot_bytes) / r->elem);
}

void coll_reduce_shared(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct reduction r = reduction_of(p, a);

	run_rounds(&r, reduce_part(&r), reduce_round);
}

static void redscat_round(const struct reduction *r, size_t first, size_t n)
{
	char *slot, *to = r->out + first * r->elem;
	size_t bytes = n * r->elem;
	int me = r->p->rank;

	coll_shared_begin(r->s);
	slot = coll_shared_slot(r->s, me);
	for (int i = 0; i < r->p->size; i++)
		memcpy(slot + (size_t)i * bytes,
		       r->in + ((size_t)i * r->n + first) * r->elem, bytes);
	coll_shared_reach(r->s, COLL_SHARED_FILLED);
	memcpy(to, slot + (size_t)me * bytes, bytes);
	for (int i = 1; i < r->p->size; i++) {
		int peer = peer_before(r->p, i);

		coll_shared_wait(r->s, peer, COLL_SHARED_FILLED);
		apply(r, coll_shared_slot(r->s, peer) + (size_t)me * bytes, to,
		      n);
	}
	coll_shared_reach(r->s, COLL_SHARED_LEFT);
}

void coll_redscat_shared(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct reduction r = reduction_of(p, a);
	size_t slot = r.s->slot_bytes / (size_t)p->size;

	run_rounds(&r, even_part(r.n, slot / r.elem), redscat_round);
}

/* ---- copies -------------------------------------------------------------- */

static struct weft_typed block_of(const struct weft_coll_side *side, int i)
{
	return (struct weft_typed){ coll_type(side, i),
				    coll_block_addr(side, i),
				    coll_count(side, i) };
}

static size_t bcast_part(const struct coll_shared *s, size_t bytes)
{
	size_t part = bytes / BCAST_PARTS;

	if (part < BCAST_PART)
		part = BCAST_PART;
	return even_part(bytes, min_size(part, s->slot_bytes));
}

void coll_bcast_shared(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct coll_shared *s = a->comm->shared;
	const struct weft_typed t = { a->r.dt, a->r.buf, a->r.count };
	size_t bytes = weft_typed_bytes(&t), part, at;

	part = bcast_part(s, bytes);
	for (at = 0; at < bytes && !s->err; at += part) {
		if (p->rank == a->root) {
			coll_shared_begin(s);
			fail(p, weft_core_pack(&t, at,
					       coll_shared_slot(s, a->root),
					       part));
			coll_shared_reach(s, COLL_SHARED_FILLED);
		} else {
			coll_shared_begin_reader(s);
			coll_shared_wait(s, a->root, COLL_SHARED_FILLED);
			fail(p, weft_core_unpack(&t, at,
						 coll_shared_slot(s, a->root),
						 min_size(part, bytes - at)));
		}
		coll_shared_reach(s, COLL_SHARED_LEFT);
	}
	finish(p, s);
}

/*
 * Executes one round of an allgather: `bytes` bytes of each block, starting at
 * `at`.
 */
static void allgather_round(struct coll_prog *p, struct coll_shared *s,
			    const struct weft_coll_args *a, size_t at,
			    size_t bytes)
{
	struct weft_typed own = block_of(&a->r, p->rank);

	coll_shared_begin(s);
	fail(p, weft_core_pack(&own, at, coll_shared_slot(s, p->rank), bytes));
	coll_shared_reach(s, COLL_SHARED_FILLED);
	for (int i = 1; i < p->size; i++) {
		int peer = peer_before(p, i);
		struct weft_typed to = block_of(&a->r, peer);

		coll_shared_wait(s, peer, COLL_SHARED_FILLED);
		fail(p, weft_core_unpack(&to, at, coll_shared_slot(s, peer),
					 bytes));
	}
	coll_shared_reach(s, COLL_SHARED_LEFT);
}

void coll_allgather_shared(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct coll_shared *s = a->comm->shared;
	size_t bytes = (size_t)coll_block_bytes(&a->r, 0), part, at;

	coll_own_block(p, a);
	part = even_part(bytes, s->slot_bytes);
	for (at = 0; at < bytes && !s->err; at += part)
		allgather_round(p, s, a, at, min_size(part, bytes - at));
	finish(p, s);
}
