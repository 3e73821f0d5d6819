/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Short reductions of a group that has more members than processors. There
 * every member costs a context switch, and what he touches is cold when he
 * comes back: so he touches two lines, his cell and the count, and the last
 * one does the work of all nodes, in the tree's order. The result is what the
 * tree gives, bit by bit.
 */
#include "prov/nic/cu/cu_group.h"

static struct cu_packet *cell_of(const struct weft_cu_group *g, int member,
				 uint64_t seq)
{
	return &g->board->cell[member][seq % CU_SLOTS];
}

/* Combines what lies below member into his cell, inputs in their order. */
static void fold_at(struct cu_climb *f, int member)
{
	const struct weft_cu_tree *t = &f->g->tree;
	struct cu_packet *sum = cell_of(f->g, member, f->seq);
	size_t count = f->bytes / weft_cu_bytes(f->op->type);

	f->mixed |= sum->sig != f->sig;
	for (int i = t->first[member]; i < t->first[member + 1]; i++) {
		fold_at(f, t->input[i]);
		if (f->bytes)
			f->flags |= weft_cu_combine(
				f->op->op, f->op->type, sum->payload,
				cell_of(f->g, t->input[i], f->seq)->payload,
				count);
	}
}

/* All have arrived: the result for everybody. */
static void board_turn(struct weft_cu_group *g, const struct weft_cu_call *op,
		       uint64_t seq, size_t bytes)
{
	struct cu_climb all = { .g = g, .op = op, .seq = seq, .bytes = bytes,
				.sig = cu_sig(op) };
	struct cu_packet *out = cu_board_out(g, seq);

	fold_at(&all, g->tree.root);
	cu_climb_write(&all, out, cell_of(g, g->tree.root, seq)->payload);
	/* R0 pairs with A0 in cu_packet_there(): written, then numbered. */
	weft_store64(&out->seq, seq + 1);
	cu_tell(g, CU_BELL_OUT);
}

void cu_board_arrive(struct weft_cu_group *g, const struct weft_cu_call *op,
		     uint64_t seq, const void *data, size_t bytes)
{
	struct cu_packet *mine = cell_of(g, g->me, seq);
	uint64_t before;

	mine->sig = cu_sig(op);
	if (bytes == 8)
		memcpy(mine->payload, data, 8);
	else if (bytes)
		memcpy(mine->payload, data, bytes);
	/* RA6: pairs with itself: all cells before the last count. */
	before = weft_add64(&g->board->slot[seq % CU_SLOTS].count.arrived, 1);
	if ((before + 1) % (unsigned)g->n == 0)
		board_turn(g, op, seq, bytes);
}

void cu_board_credit(struct weft_cu_group *g, uint64_t epoch)
{
	struct cu_head *root = g->row[g->tree.root];
	/* RA2: pairs with itself: who counts last has seen all. */
	uint64_t before = weft_add64(&root->credit_in[epoch & 1], 1);

	if ((before + 1) % (unsigned)g->n)
		return;
	/* R3 pairs with A3 in cu_credit_has(): all have read, then reuse. */
	weft_store64(&root->credit_done, epoch);
	cu_tell(g, CU_BELL_CREDIT);
}
