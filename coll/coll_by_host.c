/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives over several hosts. First the ranks of each host combine their
 * data, with the collective unit in a blocking operation, otherwise with
 * messages through shared memory. Then one message in each direction is sent
 * over each edge of a tree of hosts. The ranks of a host get the result in the
 * same way.
 *
 * Restrictions: communicators on several hosts; commutative reductions.
 * Cost for h hosts: barrier, allreduce: 2 ceil(log2 h) (alpha + n beta), half
 * of it for two hosts; bcast, reduce: ceil(log2 h) (alpha + n beta). In
 * addition the cost within a host, twice for barrier and allreduce.
 *
 *   a: 0 1 2   b: 3 4       1->0 2->0  4->3   up, by unit or memory
 *                           0->3  3->0        one message each way
 *                           0->1 0->2  3->4   down
 */
#include "coll/coll_hosts.h"
#include "coll/coll_select.h"
#include "src/core/core_state.h"

/* smallest piece of a long broadcast, bytes; largest number of pieces */
#define BCAST_PIECE  (128 << 10)
#define BCAST_PIECES 16

/*
 * Returns whether the host's collective unit executes the part of the operation
 * within the host; the result is the same on all ranks of the host. The unit
 * has no failure notices: after an error between hosts it would report success
 * to the other ranks of this host, so it is not used in jobs that survive
 * failures.
 */
static bool by_unit(const struct coll_prog *p, const struct coll_hosts *h,
		    const struct weft_coll_args *a)
{
	return h->route && !p->record && !weft_core.survives &&
	       coll_unit_fits(a) && coll_volume(a) <= COLL_UNIT_BYTES;
}

/* ---- barrier ---- */

static void signals_up(struct coll_prog *p, const struct coll_tree *t)
{
	for (int i = 0; i < t->nchild; i++)
		coll_expect(p, t->child[i]);
	if (t->parent >= 0)
		coll_signal(p, t->parent);
}

static void signals_down(struct coll_prog *p, const struct coll_tree *t)
{
	if (t->parent >= 0)
		coll_expect(p, t->parent);
	for (int i = t->nchild - 1; i >= 0; i--)
		coll_signal(p, t->child[i]);
}

/*
 * For two hosts only: returns the leader of the other host, which sends at the
 * same time as this leader.
 */
static int other_leader(const struct coll_hosts_plan *plan)
{
	return plan->leader_tree.parent >= 0 ? plan->leader_tree.parent
					     : plan->leader_tree.child[0];
}

static void leaders_barrier(struct coll_prog *p,
			    const struct coll_hosts_plan *plan)
{
	if (plan->h->count == 2) {
		coll_signal(p, other_leader(plan));
		coll_expect(p, other_leader(plan));
		return;
	}
	signals_up(p, &plan->leader_tree);
	signals_down(p, &plan->leader_tree);
}

void coll_barrier_hosts(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct coll_hosts *h = coll_hosts(a->comm);
	const struct weft_coll_call all = { .kind = WEFT_COLL_BARRIER };
	struct coll_hosts_plan plan;
	bool unit = by_unit(p, h, a);

	coll_hosts_plan(&plan, h, p->rank, 0);
	if (unit)
		coll_unit(p, h->route, &all);
	else
		signals_up(p, &plan.local_tree);
	if (plan.is_leader)
		leaders_barrier(p, &plan);
	if (unit)
		coll_unit(p, h->route, &all);
	else
		signals_down(p, &plan.local_tree);
}

/* ---- bcast ---- */

static void flat_down(struct coll_prog *p, const struct coll_tree *t,
		      const struct coll_flat *f)
{
	if (t->parent >= 0)
		coll_recv_wait(p, f->bytes, f->len, coll_byte(), t->parent);
	for (int i = t->nchild - 1; i >= 0; i--)
		coll_send(p, f->bytes, f->len, coll_byte(), t->child[i]);
}

/* Broadcasts from the leader to the other ranks of its host. */
static void host_bcast(struct coll_prog *p, const struct coll_hosts_plan *plan,
		       const struct coll_flat *f, bool unit)
{
	struct weft_coll_call call = { .kind = WEFT_COLL_BCAST,
				       .root = plan->place,
				       .out = f->bytes,
				       .count = (size_t)f->len,
				       .type = WEFT_NUM_U8 };

	if (unit)
		coll_unit(p, plan->h->route, &call);
	else
		flat_down(p, &plan->local_tree, f);
}

/*
 * Returns the number of pieces of a message: one if there are only two ranks,
 * since neither of them forwards.
 */
static int bcast_pieces(const struct coll_prog *p, MPI_Count len)
{
	MPI_Count n = len / BCAST_PIECE;

	if (p->size == 2 || n < 1)
		return 1;
	return n < BCAST_PIECES ? (int)n : BCAST_PIECES;
}

/* Broadcasts the bytes [from, to) of f. */
static void bcast_piece(struct coll_prog *p, const struct coll_hosts_plan *plan,
			const struct coll_flat *f, MPI_Count from, MPI_Count to,
			bool unit)
{
	struct coll_flat piece = { .bytes = f->bytes + from, .len = to - from };

	if (plan->is_leader)
		flat_down(p, &plan->leader_tree, &piece);
	host_bcast(p, plan, &piece, unit);
}

/*
 * A long message is sent in pieces, so that a leader forwards a piece while it
 * receives the next one.
 */
void coll_bcast_hosts(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct coll_hosts *h = coll_hosts(a->comm);
	struct coll_hosts_plan plan;
	struct coll_flat f;
	int pieces;

	coll_flat_open(p, &a->r, &f);
	if (!f.len)
		return;
	if (p->rank == a->root)
		coll_flat_pack(p, &f);
	coll_hosts_plan(&plan, h, p->rank, a->root);
	pieces = bcast_pieces(p, f.len);
	for (int i = 0; i < pieces; i++)
		bcast_piece(p, &plan, &f, coll_part_first(f.len, pieces, i),
			    coll_part_first(f.len, pieces, i + 1),
			    by_unit(p, h, a));
	/* all bytes have arrived: flat_down() waits for its receive */
	if (p->rank != a->root)
		coll_flat_unpack(p, &f);
}

/* ---- reductions ---- */

/* Combines the vectors of this host's ranks into `sum` at the leader. */
static void host_reduce(struct coll_prog *p, const struct weft_coll_args *a,
			const struct coll_hosts_plan *plan, const void *own,
			void *sum)
{
	struct weft_coll_call call = { .kind = WEFT_COLL_REDUCE,
				       .root = plan->place,
				       .in = own,
				       .out = sum,
				       .count = (size_t)a->r.count };

	if (!by_unit(p, plan->h, a)) {
		coll_reduce_tree(p, a, &plan->local_tree, own, sum);
		coll_wait_all(p);
		return;
	}
	weft_route_reduction(&call, a->op, a->r.dt);
	coll_unit(p, plan->h->route, &call);
}

/*
 * For two hosts: exchanges the hosts' vectors between the leaders, which
 * combine them in host order. The leader of the first host receives into the
 * result buffer if its vector is stored elsewhere, which avoids a copy.
 */
static void by_host_exchange(struct coll_prog *p,
			     const struct weft_coll_args *a,
			     const struct coll_hosts_plan *plan,
			     const void *own, void *sum)
{
	int other = other_leader(plan);
	MPI_Count n = a->r.count;
	bool direct = !plan->h->my_host && own != sum;
	void *in = direct ? sum : coll_elems(p, n, a->r.dt);

	coll_recv(p, in, n, a->r.dt, other);
	coll_send(p, own, n, a->r.dt, other);
	if (plan->h->my_host)
		coll_copy(p, own, n, a->r.dt, sum, n, a->r.dt);
	coll_wait_all(p);
	if (plan->h->my_host) {
		coll_reduce(p, in, sum, n);
		return;
	}
	coll_reduce(p, own, in, n);
	coll_copy(p, in, n, a->r.dt, sum, n, a->r.dt);
}

void coll_reduce_hosts(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool at_root = p->rank == a->root;
	const void *own = at_root ? coll_input(a) : a->s.buf;
	struct coll_hosts_plan plan;
	void *sum = NULL;

	if (!a->r.count)
		return;
	coll_hosts_plan(&plan, coll_hosts(a->comm), p->rank, a->root);
	if (plan.is_leader)
		sum = at_root ? a->r.buf : coll_elems(p, a->r.count, a->r.dt);
	host_reduce(p, a, &plan, own, sum);
	if (plan.is_leader)
		coll_reduce_tree(p, a, &plan.leader_tree, sum, sum);
}

void coll_allreduce_hosts(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct coll_hosts *h = coll_hosts(a->comm);
	struct coll_hosts_plan plan;
	const void *own = a->r.buf;
	struct coll_flat f;

	if (!a->r.count)
		return;
	coll_hosts_plan(&plan, h, p->rank, 0);
	if (h->count == 2 && h->local_size == 1)
		own = coll_input(a);
	else
		host_reduce(p, a, &plan, coll_input(a),
			    plan.is_leader ? a->r.buf : NULL);
	coll_flat_open(p, &a->r, &f);
	if (plan.is_leader && h->count == 2)
		by_host_exchange(p, a, &plan, own, a->r.buf);
	else if (plan.is_leader)
		coll_reduce_tree(p, a, &plan.leader_tree, a->r.buf, a->r.buf);
	coll_wait_all(p);
	if (p->rank == 0 || (plan.is_leader && h->count == 2))
		coll_flat_pack(p, &f);
	if (plan.is_leader && h->count > 2)
		flat_down(p, &plan.leader_tree, &f);
	host_bcast(p, &plan, &f, by_unit(p, h, a));
	if (p->rank != 0)
		coll_flat_unpack(p, &f);
}
