/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduce-scatter by recursive halving, largest distance first: two ranks
 * exchange the halves of the vector that belong to each other's half of the
 * ranks. Ranks beyond a power of two fold into their neighbours, which compute
 * both blocks.
 *
 * Restrictions: commutative operations; intracommunicators.
 * Cost: log2 p alpha + (m - 1) / m n (beta + gamma) with m the largest power
 * of two in p; n beta + n gamma more if p is not m.
 *
 *   p = 3, blocks abc     rank  0      1      2
 *   fold                       x0 ->  x01    x2
 *   distance 1                        ab     c
 *   unfold                     a  <-  b      c
 */
#include "coll/coll_select.h"
#include "coll/coll_tree.h"

struct halving {
	struct coll_fold fold;
	const MPI_Count *off;
	char *vec;
	char *in;
};

/*
 * Returns the offset of the first block that belongs to folded rank `number`
 * (two blocks if number < extra, else one).
 */
static MPI_Count first_offset(const struct coll_prog *p,
			      const struct halving *h, int number)
{
	if (number < h->fold.extra)
		return h->off[2 * number];
	return number == h->fold.m ? h->off[p->size]
				   : h->off[number + h->fold.extra];
}

/*
 * Executes one step: folded ranks [lo, lo + 2 bit) have the same window, of
 * which this rank keeps its half.
 */
static void halve(struct coll_prog *p, struct halving *h, int bit)
{
	int lo = h->fold.me & ~(2 * bit - 1);
	int peer = coll_fold_rank(&h->fold, h->fold.me ^ bit);
	bool upper = h->fold.me & bit;
	MPI_Count first = first_offset(p, h, lo);
	MPI_Count mid = first_offset(p, h, lo + bit);
	MPI_Count last = first_offset(p, h, lo + 2 * bit);
	MPI_Count keep = upper ? mid : first, give = upper ? first : mid;
	MPI_Count keep_n = upper ? last - mid : mid - first;
	MPI_Count give_n = upper ? mid - first : last - mid;
	struct weft_dt *dt = p->op_dt;

	coll_recv(p, coll_at(h->in, keep, dt), keep_n, dt, peer);
	coll_send(p, coll_at(h->vec, give, dt), give_n, dt, peer);
	coll_wait_all(p);
	coll_reduce(p, coll_at(h->in, keep, dt), coll_at(h->vec, keep, dt),
		    keep_n);
}

/*
 * Executes the steps of a rank that is folded into its neighbour: sends its
 * vector and receives its block.
 */
static void folded_rank(struct coll_prog *p, const struct weft_coll_args *a,
			const struct halving *h)
{
	MPI_Count n = h->off[p->size];
	MPI_Count mine = h->off[p->rank + 1] - h->off[p->rank];

	coll_send(p, coll_input(a), n, p->op_dt, p->rank + 1);
	coll_wait_all(p);
	coll_recv(p, a->r.buf, mine, p->op_dt, p->rank + 1);
}

static void active_rank(struct coll_prog *p, const struct weft_coll_args *a,
			struct halving *h)
{
	MPI_Count n = h->off[p->size], lo = h->off[p->rank];
	MPI_Count mine = h->off[p->rank + 1] - lo;
	struct weft_dt *dt = p->op_dt;
	bool two = p->rank < 2 * h->fold.extra;
	int bit;

	coll_copy(p, coll_input(a), n, dt, h->vec, n, dt);
	if (two) {
		coll_recv_wait(p, h->in, n, dt, p->rank - 1);
		coll_reduce(p, h->in, h->vec, n);
	}
	for (bit = h->fold.m >> 1; bit; bit >>= 1)
		halve(p, h, bit);
	if (two)
		coll_send(p, coll_at(h->vec, h->off[p->rank - 1], dt),
			  lo - h->off[p->rank - 1], dt, p->rank - 1);
	coll_copy(p, coll_at(h->vec, lo, dt), mine, dt, a->r.buf, mine, dt);
}

void coll_redscat_halving(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct halving h;

	h.off = coll_offsets(p, &a->r, p->size);
	if (!h.off)
		return;
	coll_fold_init(&h.fold, p->size, p->rank);
	if (h.fold.me < 0) {
		folded_rank(p, a, &h);
		return;
	}
	h.vec = coll_elems(p, h.off[p->size], a->r.dt);
	h.in = coll_elems(p, h.off[p->size], a->r.dt);
	if (!p->err)
		active_rank(p, a, &h);
}
