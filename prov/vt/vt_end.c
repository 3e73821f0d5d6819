/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks killed by a fault plan, and detection of their end by other ranks.
 *
 *   failed_ps   dead-rank, dead-processor: the rank runs up to this time
 *               (vt_wait.c). Messages sent before this time arrive; later ones
 *               are dropped. dead-node: its links are dead (prov/net/fault), so
 *               the rank may run until the failure is detected
 *   known_ps    detection: the machine's detect_exit or detect later, at the
 *               same time on all ranks. Blocked ranks are released
 *
 * All times are in the plan and in the machine file, so all runs are identical.
 */
#include "prov/net/fault/net_fault.h"
#include "prov/vt/vt.h"
#include "src/base/log.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the plan ------------------------------------------------------------ */

static bool is_end(const struct weft_fault_entry *f)
{
	return f->kind == WEFT_FAULT_DEAD_RANK ||
	       f->kind == WEFT_FAULT_DEAD_PROCESSOR;
}

/*
 * Returns the time between the end of a rank and its detection by the other
 * ranks, ps.
 */
static uint64_t detection_ps(const struct weft_vt *w,
			     const struct weft_fault_plan *plan)
{
	uint64_t ps = w->cfg.care.detect_exit_ps;

	for (size_t i = 0; i < plan->count; i++)
		if (plan->fault[i].kind == WEFT_FAULT_DETECT)
			ps = plan->fault[i].by_ps;
	return ps ? ps : NET_DETECT_EXIT_PS;
}

/*
 * Sets *number_p to the rank or the node that a line of the fault plan names.
 * Returns an error message or NULL.
 */
static const char *target_parse(const struct weft_vt *w,
				const struct weft_fault_entry *f,
				uint32_t *number_p)
{
	unsigned long n;
	char *end;

	if (f->for_ps != WEFT_FAULT_FOREVER)
		return "a process that has ended does not return (for)";
	if (f->kind == WEFT_FAULT_DEAD_PROCESSOR)
		return net_fault_node_parse(w->net, f->target, number_p);
	n = strtoul(f->target, &end, 10);
	*number_p = (uint32_t)n;
	return *end || end == f->target || n >= w->size ? "no such rank" : NULL;
}

static void end_set(struct weft_vt *w, uint32_t rank, uint64_t at)
{
	if (at < w->cold_of[rank].end_ps)
		w->cold_of[rank].end_ps = at;
}

static const char *line_load(struct weft_vt *w,
			     const struct weft_fault_entry *f)
{
	uint32_t number = 0;
	const char *wrong = target_parse(w, f, &number);

	for (uint32_t i = 0; i < w->size && !wrong; i++)
		if (f->kind == WEFT_FAULT_DEAD_RANK
			    ? i == number
			    : w->rank_of[i].node == number)
			end_set(w, i, f->at_ps);
	return wrong;
}

bool vt_ends_load(struct weft_vt *w, const char *name,
		  const struct weft_fault_plan *plan,
		  struct weft_fault_plan_why *why)
{
	uint64_t later = detection_ps(w, plan);

	w->head->detect_exit_ps = later;
	for (size_t i = 0; i < plan->count; i++) {
		const struct weft_fault_entry *f = &plan->fault[i];
		const char *wrong = is_end(f) ? line_load(w, f) : NULL;

		if (!wrong)
			continue;
		snprintf(why->text, sizeof(why->text), "%.80s:%u: %s: %s", name,
			 f->line, f->target, wrong);
		return false;
	}
	for (uint32_t i = 0; i < w->size; i++) {
		if (w->cold_of[i].end_ps == VT_NEVER)
			continue;
		w->head->ends_planned = 1;
		if (net_timer(w->net, w->cold_of[i].end_ps + later,
			      VT_COOKIE_END | i))
			return false;
	}
	return true;
}

/* ---- detection --------------------------------------------------------- */

void vt_end_of_process(struct vt_engine_pass *t, uint32_t rank)
{
	struct vt_rank_cold *c = &t->w->cold_of[rank];
	uint64_t now = vt_now(vt_rank(t->w, rank)), at;

	if (c->ended)
		return;
	c->ended = 1;
	c->end_ps = now;
	at = (now > t->time_ps ? now : t->time_ps) + t->w->head->detect_exit_ps;
	vt_require(!net_timer(t->w->net, at, VT_COOKIE_END | rank));
}

/* Adds a rank to the list of ended ranks, and notifies all ranks. */
static void end_add(struct vt_engine_pass *t, uint32_t rank, uint64_t failed_ps)
{
	struct weft_vt *w = t->w;
	struct vt_rank_cold *c = &w->cold_of[rank];
	uint32_t n = weft_load32(&w->head->failures);

	vt_require(n < w->size);
	c->failed_ps = failed_ps;
	c->known_ps = t->time_ps;
	w->cold_of[n].failure = rank;
	weft_store32(&w->head->failures, n + 1);
	for (uint32_t i = 0; i < w->size; i++)
		vt_rank_notify(t, i, t->time_ps);
}

/*
 * Returns to their senders the packets in the arrival list of a rank that will
 * read no more packets; the last packet becomes the head of the list.
 */
static void arrivals_return(struct vt_engine_pass *t, struct vt_rank *r)
{
	uint32_t i = weft_load32(&r->in_head);

	for (uint32_t n = 0, next; i != r->in_tail; i = next) {
		vt_require(n++ < t->w->buf_count);
		next = weft_load32(&vt_buf(t->w, i)->next);
		vt_buf_return(t, i);
	}
	weft_store32(&r->in_head, i);
}

void vt_rank_failed(struct vt_engine_pass *t, uint32_t rank, uint64_t failed_ps)
{
	struct vt_rank *r = vt_rank(t->w, rank);
	bool ended = t->w->cold_of[rank].ended;

	t->w->head->node_dead = 1;
	if (r->leave_err || (weft_load32(&r->status) >= WEFT_VT_DONE && !ended))
		return;
	r->leave_err = ECONNRESET;
	end_add(t, rank, failed_ps);
	if (ended)
		arrivals_return(t, r);
	if (!r->in_flight)
		vt_rank_left(t, rank);
	if (ended)
		return;
	/* relaxed: published by the release of the rank */
	weft_store32_relaxed(&r->verdict, EHOSTDOWN);
	vt_rank_release(t, rank, t->time_ps);
}

void vt_end_known(struct vt_engine_pass *t, uint64_t cookie)
{
	uint32_t rank = (uint32_t)cookie;

	vt_require(rank < t->w->size);
	vt_rank_failed(t, rank, t->w->cold_of[rank].end_ps);
}

void vt_rank_leaves(struct vt_engine_pass *t, uint32_t rank)
{
	struct vt_rank *r = vt_rank(t->w, rank);

	r->leave_err = t->w->head->node_dead ? ECONNRESET : ESHUTDOWN;
	t->w->cold_of[rank].has_left = 1;
	if (t->w->head->node_dead || t->w->head->ends_planned)
		end_add(t, rank, t->time_ps);
	if (!r->in_flight)
		vt_rank_left(t, rank);
}
