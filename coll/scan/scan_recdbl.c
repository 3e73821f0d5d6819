/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scan and exscan by recursive doubling: ranks at distance 1, 2, 4 ... exchange
 * the sums of their groups; sums from the left are also combined into the
 * result.
 *
 * Restrictions: none.
 * Cost: ceil(log2 p) (alpha + n beta + 2 n gamma).
 *
 *   p = 5        rank  0    1    2     3     4
 *   distance 1        01   01   23    23    4      sum of the group
 *   distance 2        0123 0123 0123  0123  4
 *   distance 4        all  .    .     .     all
 *   result             0   01   012   0123  01234
 */
#include "coll/coll_select.h"

struct scan {
	char *group; /* partial sum of this rank's group */
	char *in;
	char *result;
	bool has; /* whether result has a value */
	MPI_Count n;
};

/*
 * Combines the received sum of lower ranks, as left operand, with the result.
 */
static void combine_left(struct coll_prog *p, struct scan *s)
{
	struct weft_dt *dt = p->op_dt;

	if (s->has)
		coll_reduce(p, s->in, s->result, s->n);
	else
		coll_copy(p, s->in, s->n, dt, s->result, s->n, dt);
	s->has = true;
}

static void scan_step(struct coll_prog *p, struct scan *s, int peer)
{
	char *t;

	coll_send(p, s->group, s->n, p->op_dt, peer);
	coll_recv_wait(p, s->in, s->n, p->op_dt, peer);
	coll_wait_all(p);
	if (peer < p->rank) {
		combine_left(p, s);
		coll_reduce(p, s->in, s->group, s->n);
		return;
	}
	coll_reduce(p, s->group, s->in, s->n);
	t = s->in;
	s->in = s->group;
	s->group = t;
}

static void scan_run(struct coll_prog *p, const struct weft_coll_args *a,
		     bool inclusive)
{
	struct weft_dt *dt = a->r.dt;
	struct scan s = { .n = a->r.count, .has = inclusive };
	int bit;

	s.group = coll_elems(p, s.n, dt);
	s.in = coll_elems(p, s.n, dt);
	s.result = a->r.buf;
	if (p->err)
		return;
	coll_copy(p, coll_input(a), s.n, dt, s.group, s.n, dt);
	if (inclusive)
		coll_copy(p, coll_input(a), s.n, dt, s.result, s.n, dt);
	for (bit = 1; bit < p->size; bit <<= 1)
		if ((p->rank ^ bit) < p->size)
			scan_step(p, &s, p->rank ^ bit);
}

void coll_scan_recdbl(struct coll_prog *p, const struct weft_coll_args *a)
{
	scan_run(p, a, true);
}

void coll_exscan_recdbl(struct coll_prog *p, const struct weft_coll_args *a)
{
	scan_run(p, a, false);
}
