/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start of further ranks in virtual time, the engine's part. A world may have
 * records for more ranks than the job starts with (weft_vt_conf.universe); each
 * of them has its place on the machine from the beginning. A request of a rank
 * takes effect one lookahead after the call, like a message, so the result does
 * not depend on the order in which ranks block:
 *
 *   rank        posts VT_SPAWN at time s
 *   engine      timer at s + lookahead: finds consecutive records that are
 *               vacant, on living nodes; they run from that time on
 *   rank        has the first of them, and lets the launcher start the
 *               processes; virtual time does not advance before these block
 *
 * The record of a rank that has left is not used again.
 */
#include "prov/vt/vt.h"
#include "prov/net/fault/net_fault.h"

void vt_spawn_post(struct vt_engine_pass *t, uint32_t i)
{
	uint64_t at = vt_buf(t->w, i)->stamp + t->w->ahead_ps;

	/* the request can be late only if its rank has several threads */
	if (at < vt_reached(t->w))
		at = vt_reached(t->w);
	vt_require(!net_timer(t->w->net, at, VT_COOKIE_SPAWN | i));
}

/* Returns whether a rank can start now. */
static bool is_free(struct vt_engine_pass *t, uint32_t rank)
{
	const struct vt_rank *r = vt_rank(t->w, rank);

	return weft_load32(&r->status) == WEFT_VT_VACANT &&
	       t->w->cold_of[rank].end_ps > t->time_ps &&
	       !net_fault_node_dead(t->w->net, r->node);
}

/* Returns the first of `count` consecutive free ranks, or VT_NONE. */
static uint32_t find_free(struct vt_engine_pass *t, uint32_t count)
{
	uint32_t run = 0;

	for (uint32_t i = t->w->initial; i < t->w->size; i++) {
		run = is_free(t, i) ? run + 1 : 0;
		if (run == count)
			return i - count + 1;
	}
	return VT_NONE;
}

void vt_spawn_start(struct vt_engine_pass *t, uint32_t i)
{
	struct vt_buf *b = vt_buf(t->w, i);
	uint32_t count = b->to, first;
	struct vt_spawn *s;

	vt_require(b->kind == VT_SPAWN && b->from < t->w->size && count &&
		   count <= t->w->size);
	first = find_free(t, count);
	for (uint32_t k = 0; first != VT_NONE && k < count; k++)
		vt_rank_release(t, first + k, t->time_ps);
	s = &t->w->cold_of[b->from].spawn;
	s->first = first;
	weft_store32(&s->state, VT_SPAWN_STARTED);
	vt_rank_notify(t, b->from, t->time_ps);
	vt_buf_return(t, i);
}
