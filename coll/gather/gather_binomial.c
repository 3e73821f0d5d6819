/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gather up a binomial tree, and scatter down the same tree: a node has the
 * packed blocks of its subtree, its own first, and exchanges them with its
 * parent as one message. At the root the blocks are in the user's buffer; a
 * range of ranks that wraps around the last rank is two messages to or from the
 * root.
 *
 * Restrictions: blocks of equal size; intracommunicators.
 * Cost: ceil(log2 p) alpha + (p - 1) / p n beta; n: bytes at the root.
 *
 *   p = 5, root 0     gather     1->0 3->2      blocks 1; 3
 *                                2->0           2 3
 *                                4->0           4
 *                     scatter    the same arrows reversed, last one first
 */
#include "coll/coll_select.h"
#include "coll/coll_tree.h"

struct walk {
	bool up; /* true: gather, false: scatter */
	/*
	 * all: the root's receive (gather) or send side (scatter); own: this
	 * rank's side
	 */
	const struct weft_coll_side *all, *own;
	struct coll_tree t;
};

/* Sends n elements to a neighbour of the tree, or receives them. */
static void send_or_recv(struct coll_prog *p, bool send, void *buf, MPI_Count n,
			 struct weft_dt *dt, int peer)
{
	if (send)
		coll_send(p, buf, n, dt, peer);
	else
		coll_recv(p, buf, n, dt, peer);
}

/*
 * Returns the index of the i-th child in message order: in a scatter the
 * largest subtree is first.
 */
static int child_at(const struct walk *w, int i)
{
	return w->up ? i : w->t.nchild - 1 - i;
}

/* Copies this rank's block between its own buffer and the subtree's buffer. */
static void copy_own_block(struct coll_prog *p, const struct walk *w, void *at,
			   MPI_Count n, struct weft_dt *dt)
{
	const struct weft_coll_side *own = w->own;

	if (w->up)
		coll_copy(p, own->buf, own->count, own->dt, at, n, dt);
	else
		coll_copy(p, at, n, dt, own->buf, own->count, own->dt);
}

static void walk_root(struct coll_prog *p, const struct walk *w)
{
	const struct weft_coll_side *all = w->all;

	for (int k = 0; k < w->t.nchild; k++) {
		int i = child_at(w, k), child = w->t.child[i];
		int n = coll_tree_run(p->size, child, w->t.child_span[i]);
		int rest = w->t.child_span[i] - n;

		send_or_recv(p, !w->up, coll_block_addr(all, child),
			     n * all->count, all->dt, child);
		send_or_recv(p, !w->up, all->buf, rest * all->count, all->dt,
			     child);
	}
	if (!coll_in_place(w->own))
		copy_own_block(p, w, coll_block_addr(all, p->rank), all->count,
			       all->dt);
}

/* Sends the blocks of the subtree to the parent, or receives them from it. */
static void walk_parent(struct coll_prog *p, const struct walk *w, int root,
			char *bytes, MPI_Count len)
{
	int span = w->t.span, n = span;

	if (w->t.parent == root)
		n = coll_tree_run(p->size, p->rank, span);
	send_or_recv(p, w->up, bytes, n * len, coll_byte(), w->t.parent);
	send_or_recv(p, w->up, bytes + n * len, (span - n) * len, coll_byte(),
		     w->t.parent);
}

static void walk_children(struct coll_prog *p, const struct walk *w,
			  char *bytes, MPI_Count len)
{
	for (int k = 0; k < w->t.nchild; k++) {
		int i = child_at(w, k);

		send_or_recv(p, !w->up, bytes + w->t.child_dist[i] * len,
			     w->t.child_span[i] * len, coll_byte(),
			     w->t.child[i]);
	}
}

static void walk_node(struct coll_prog *p, const struct walk *w, int root)
{
	const struct weft_coll_side *own = w->own;
	MPI_Count len = own->count * (own->dt ? own->dt->size : 0);
	char *bytes = coll_bytes(p, w->t.span * len);

	if (w->up) {
		copy_own_block(p, w, bytes, len, coll_byte());
		walk_children(p, w, bytes, len);
		coll_wait_all(p);
		walk_parent(p, w, root, bytes, len);
	} else {
		walk_parent(p, w, root, bytes, len);
		coll_wait_all(p);
		walk_children(p, w, bytes, len);
		copy_own_block(p, w, bytes, len, coll_byte());
	}
}

static void walk(struct coll_prog *p, int root, struct walk *w)
{
	const struct weft_coll_side *own = w->own;

	coll_tree_binomial(p->size, root, p->rank, &w->t);
	if (w->t.v == 0)
		walk_root(p, w);
	else if (w->t.span > 1)
		walk_node(p, w, root);
	else if (w->up)
		coll_send(p, own->buf, own->count, own->dt, w->t.parent);
	else
		coll_recv_wait(p, own->buf, own->count, own->dt, w->t.parent);
}

void coll_gather_binomial(struct coll_prog *p, const struct weft_coll_args *a)
{
	walk(p, a->root,
	     &(struct walk){ .up = true, .all = &a->r, .own = &a->s });
}

void coll_scatter_binomial(struct coll_prog *p, const struct weft_coll_args *a)
{
	walk(p, a->root,
	     &(struct walk){ .up = false, .all = &a->s, .own = &a->r });
}
