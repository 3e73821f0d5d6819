/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An operation of a single packet, in a small group or on a board, executed
 * synchronously when no other operation is outstanding. After a number of polls
 * without result the operation is passed to cunit_group.c as a posted operation
 * whose packet is sent.
 */
#include "prov/group/cunit/cunit_fold.h"
#include "prov/group/cunit/cunit_group.h"
#include "src/os/wait_policy.h"
#include "src/base/must.h"

#include <errno.h>
#include <string.h>

static bool is_idle(struct weft_cunit_group *g)
{
	return (g->flat_shared || g->board) && !g->head && !g->err &&
	       cunit_credit_has(g, g->sent);
}

static bool single_fits(struct weft_cunit_group *g,
			const struct weft_coll_call *op)
{
	if (!is_idle(g))
		return false;
	if (op->kind == WEFT_COLL_BARRIER)
		return g->form != WEFT_CUNIT_EVENTS;
	return op->kind == WEFT_COLL_ALLREDUCE &&
	       (g->flat_shared ? op->bytes <= g->geo.packet_bytes
			       : cunit_uses_board(g, op));
}

/* ---- small group: all publish, all read ---- */

/*
 * Waits for the packets of all members; returns false if some are missing after
 * `polls` polls. A loop that only loads lets the cache misses of several
 * members overlap; combining between the loads made 8 members 11 % slower.
 */
static bool flat_wait(const struct weft_cunit_group *g, uint64_t seq,
		      unsigned polls)
{
	for (int i = 0; i < g->n; i++) {
		const weft_au64 *word = &cunit_slot(g, i, seq)->seq;

		/* A0 pairs with R0 in cunit_publish(). */
		while (weft_load64(word) != seq + 1) {
			if (!polls--)
				return false;
		}
	}
	return true;
}

/* Combines the packets of all members in the order of the tree. */
static void flat_read(struct weft_cunit_group *g, struct weft_coll_call *op,
		      uint64_t seq)
{
	struct weft_cunit_fold fold = {
		.op = op->op,
		.type = op->type,
		.bytes = op->bytes,
		.count = op->count,
		.out = op->out,
		.scratch = g->scratch,
		.stride = g->geo.packet_bytes,
	};

	for (int i = 0; i < g->n; i++) {
		int member = g->tree.visit[i];
		const struct cunit_packet *p = cunit_slot(g, member, seq);

		if (weft_unlikely(p->sig != cunit_sig(op, seq)))
			op->err = -EPROTO;
		fold.flags |= p->flags;
		cunit_read_count_update(g, member, seq, p->lag);
		if (op->bytes)
			weft_cunit_fold_part(&fold, p->payload,
					     g->tree.merge[i]);
	}
	op->flags = fold.flags;
}

/* ---- board: all read its result ---- */

/*
 * Waits for the result on the board. With more members than processors each
 * poll yields the processor, which the other members need.
 */
static bool board_wait(const struct weft_cunit_group *g, uint64_t seq,
		       unsigned polls)
{
	const weft_au64 *word = &cunit_board_out(g, seq)->seq;

	/* A0 pairs with R0 in board_publish(). */
	while (weft_load64(word) != seq + 1) {
		if (!polls--)
			return false;
		if (g->oversubscribed)
			weft_wait_policy_release_cpu();
	}
	return true;
}

static void board_result_read(struct weft_cunit_group *g,
			      struct weft_coll_call *op, uint64_t seq)
{
	const struct cunit_packet *p = cunit_board_out(g, seq);

	if (weft_unlikely(p->sig != cunit_sig(op, seq)))
		op->err = -EPROTO;
	op->flags = p->flags;
	if (op->bytes == 8)
		memcpy(op->out, p->payload, 8);
	else if (op->bytes)
		memcpy(op->out, p->payload, op->bytes);
}

/* ---- single packets: small group or board ---- */

/*
 * Passes op to cunit_group.c as a posted operation whose only packet, seq, has
 * been sent.
 */
static void single_adopt(struct weft_cunit_group *g, struct weft_coll_call *op,
			 uint64_t seq)
{
	op->first = seq;
	WEFT_ASSERT(g->posted == seq + 1 && g->sent == g->posted && !g->head);
	op->packets = op->sent = 1;
	op->read = 0;
	op->reach = 0;
	op->next = NULL;
	cunit_enqueue(g, op);
}

WEFT_HOT int weft_cunit_single(struct weft_cunit_group *g,
			       struct weft_coll_call *op, unsigned polls)
{
	uint64_t seq = g->posted;
	bool complete;

	if (!single_fits(g, op))
		return -EAGAIN;
	cunit_sign(g, op);
	WEFT_ASSERT(g->posted == seq && g->sent == seq && g->consumed == seq);
	g->posted = g->sent = seq + 1;
	op->err = 0;
	if (g->board) {
		cunit_board_arrive(g, op, seq, op->in, op->bytes);
		complete = board_wait(g, seq, polls);
		if (complete)
			board_result_read(g, op, seq);
	} else {
		cunit_publish(g, cunit_slot(g, g->me, seq), cunit_sig(op, seq),
			      seq, op->in, op->bytes);
		cunit_notify(g, CUNIT_EVENT_OUT);
		complete = flat_wait(g, seq, polls);
		if (complete)
			flat_read(g, op, seq);
	}
	if (weft_unlikely(!complete)) {
		op->flags = 0;
		op->err = 0;
		single_adopt(g, op, seq);
		return -EINPROGRESS;
	}
	cunit_credit_read(g);
	return op->err;
}

/* ---- barriers without a struct weft_coll_call ---- */

static int flat_sync(struct weft_cunit_group *g, uint64_t seq, unsigned polls)
{
	uint32_t sig = cunit_sig_barrier(g) ^ (uint32_t)seq;
	int err = 0;

	cunit_publish(g, cunit_slot(g, g->me, seq), sig, seq, NULL, 0);
	cunit_notify(g, CUNIT_EVENT_OUT);
	for (int i = 0; i < g->n; i++) {
		const struct cunit_packet *p = cunit_slot(g, i, seq);

		if (i == g->me)
			continue;
		/* A0 pairs with R0 in cunit_publish(). */
		while (weft_load64(&p->seq) != seq + 1) {
			if (!polls--)
				return -EINPROGRESS;
		}
		if (weft_unlikely(p->sig != sig))
			err = -EPROTO;
		cunit_read_count_update(g, i, seq, p->lag);
	}
	cunit_credit_read(g);
	return err;
}

static int board_sync(struct weft_cunit_group *g, uint64_t seq, unsigned polls)
{
	int err = 0;

	cunit_board_barrier(g, cunit_sig_barrier(g), seq);
	if (!board_wait(g, seq, polls))
		return -EINPROGRESS;
	if (weft_unlikely(cunit_board_out(g, seq)->sig !=
			  (cunit_sig_barrier(g) ^ (uint32_t)seq)))
		err = -EPROTO;
	cunit_credit_read(g);
	return err;
}

WEFT_HOT int weft_cunit_sync(struct weft_cunit_group *g, unsigned polls)
{
	uint64_t seq = g->posted;

	if (g->form == WEFT_CUNIT_EVENTS || !is_idle(g))
		return -EAGAIN;
	WEFT_ASSERT(g->sent == seq && g->consumed == seq);
	g->posted = g->sent = seq + 1;
	return g->board ? board_sync(g, seq, polls) : flat_sync(g, seq, polls);
}

void weft_cunit_sync_adopt(struct weft_cunit_group *g,
			   struct weft_coll_call *op)
{
	op->kind = WEFT_COLL_BARRIER;
	op->type = WEFT_NUM_U8;
	op->sig = cunit_sig_barrier(g);
	op->root = 0;
	op->count = op->bytes = 0;
	op->in = op->out = NULL;
	op->flags = 0;
	op->err = 0;
	single_adopt(g, op, g->posted - 1);
}
