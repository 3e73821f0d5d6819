/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Short reductions of a group that has more members than processors. In such a
 * group each member costs a context switch, and its cache lines are cold when
 * it runs again. So a member accesses two lines, its cell and the arrival
 * counter, and the last member does the work of all nodes, in the tree's order.
 * The result is bit-identical to that of the tree. A barrier uses the counter
 * only.
 */
#include "prov/group/cunit/cunit_fold.h"
#include "prov/group/cunit/cunit_group.h"
#include "src/base/must.h"

/*
 * A member arrives by adding BOARD_ONE to the arrival counter. For a barrier,
 * which has no cell, it also adds BOARD_BARRIER and its signature: members
 * agree if the sum is n times the value that each of them added.
 */
#define BOARD_ONE     UINT64_C(1)
#define BOARD_COUNT   0xffffu
#define BOARD_BARRIER (UINT64_C(1) << 16)
#define BOARD_SIG     32

static struct cunit_packet *cell_of(const struct weft_cunit_group *g,
				    int member, uint64_t seq)
{
	WEFT_ASSERT(member >= 0 && member < CUNIT_BOARD_MAX);
	return &g->board->cell[member][seq % CUNIT_SLOTS];
}

/* Combines the cells in the tree's order, in the scratch buffer. */
static void board_fold(struct cunit_climb *f)
{
	const struct weft_tree *t = &f->g->tree;
	struct weft_cunit_fold fold = {
		.op = f->op->op,
		.type = f->op->type,
		.bytes = f->bytes,
		.count = f->bytes / weft_cunit_bytes(f->op->type),
		.out = f->g->scratch,
		.scratch = f->g->scratch + CUNIT_BOARD_BYTES,
		.stride = CUNIT_BOARD_BYTES,
	};

	for (int i = 0; i < t->n; i++) {
		const struct cunit_packet *p =
			cell_of(f->g, t->visit[i], f->seq);

		f->mixed |= p->sig != f->sig;
		if (f->bytes)
			weft_cunit_fold_part(&fold, p->payload, t->merge[i]);
	}
	f->flags |= fold.flags;
}

/*
 * Adds `mine` to the arrival counter. Returns whether this member is the last;
 * *mixed_p: members added different values.
 */
static bool board_arrive(struct weft_cunit_group *g, uint64_t seq,
			 uint64_t mine, bool *mixed_p)
{
	/*
	 * RA6 pairs with itself: all members write their cells before the last
	 * member arrives.
	 */
	uint64_t all =
		mine + weft_add64(&cunit_board_slot(g, seq)->arrived, mine);

	g->atomics++;
	*mixed_p = all != mine * (unsigned)g->n;
	return weft_unlikely((all & BOARD_COUNT) == (unsigned)g->n);
}

/* Publishes the result to all members. */
static void board_publish(struct weft_cunit_group *g, uint64_t seq,
			  struct cunit_packet *out)
{
	/*
	 * relaxed: a member arrives at this slot again only after it has read
	 * this result and a credit
	 */
	weft_store64_relaxed(&cunit_board_slot(g, seq)->arrived, 0);
	/*
	 * R0 pairs with A0 in cunit_packet_available(): the packet is written
	 * before its number.
	 */
	weft_store64(&out->seq, seq + 1);
	cunit_notify(g, CUNIT_EVENT_OUT);
}

WEFT_HOT void cunit_board_barrier(struct weft_cunit_group *g, uint32_t sig,
				  uint64_t seq)
{
	struct cunit_packet *out = cunit_board_out(g, seq);
	uint64_t mine = BOARD_ONE | BOARD_BARRIER | (uint64_t)sig << BOARD_SIG;
	bool mixed;

	if (!board_arrive(g, seq, mine, &mixed))
		return;
	out->sig = (mixed ? ~sig : sig) ^ (uint32_t)seq;
	out->flags = 0;
	board_publish(g, seq, out);
}

WEFT_HOT void cunit_board_arrive(struct weft_cunit_group *g,
				 const struct weft_coll_call *op, uint64_t seq,
				 const void *data, size_t bytes)
{
	struct cunit_packet *mine = cell_of(g, g->me, seq);
	struct cunit_packet *out = cunit_board_out(g, seq);
	struct cunit_climb all;
	bool mixed;

	if (op->kind == WEFT_COLL_BARRIER) {
		cunit_board_barrier(g, op->sig, seq);
		return;
	}
	cunit_packet_fill(mine, cunit_sig(op, seq), data, bytes);
	if (!board_arrive(g, seq, BOARD_ONE, &mixed))
		return;
	all = (struct cunit_climb){ .g = g,
				    .op = op,
				    .seq = seq,
				    .bytes = bytes,
				    .sig = cunit_sig(op, seq),
				    .mixed = mixed };
	board_fold(&all);
	cunit_climb_store(&all, out, g->scratch);
	board_publish(g, seq, out);
}

WEFT_HOT void cunit_board_credit(struct weft_cunit_group *g, uint64_t epoch)
{
	struct cunit_head *root = g->segment[g->tree.root];
	/* RA2 pairs with itself: the last arrival sees all others. */
	uint64_t before = weft_add64(&root->credit_in[epoch & 1], 1);

	if ((before + 1) % (unsigned)g->n)
		return;
	/*
	 * R3 pairs with A3 in credit_limit(): all members have read the packets
	 * before their slots are reused.
	 */
	weft_store64(&root->credit_done, epoch);
	cunit_notify(g, CUNIT_EVENT_CREDIT);
}
