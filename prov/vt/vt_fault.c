/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Effects of a fault plan on ranks. When the death of a node is detected, the
 * waits of its ranks return an error and the ranks exit; the other ranks see
 * them as processes that died. A dead link on a machine without detours ends
 * the job.
 */
#include "prov/vt/vt.h"
#include "prov/net/fault/net_fault.h"
#include "prov/net/file/net_name.h"
#include "src/base/log.h"

#include <stdio.h>

/* Makes every wait report that the network is down. */
static void end_all(struct vt_engine_pass *t)
{
	weft_store32(&t->w->head->net_down, 1);
	weft_store32(&t->w->head->broken, VT_BROKEN_NOTIFIED);
	for (uint32_t i = 0; i < t->w->size; i++) {
		if (weft_load32(&t->w->rank_of[i].status) >= WEFT_VT_DONE)
			continue;
		/* relaxed: published by the release of the rank */
		weft_store32_relaxed(&t->w->rank_of[i].verdict, ENETDOWN);
		vt_rank_release(t, i, t->time_ps);
	}
}

void vt_fault_dead(void *arg, uint64_t at, uint32_t node)
{
	struct vt_engine_pass *t = arg;
	uint64_t detect_ps = t->w->cfg.care.detect_ps;
	char name[32];

	t->time_ps = at;
	net_node_name(&t->w->cfg, node & ~NET_DEAD_LINK, name, sizeof(name));
	if (node & NET_DEAD_LINK) {
		weft_log(WEFT_LOG_ERROR,
			 "virtual time: a link of %s is dead, and %s has no "
			 "detour",
			 name, t->w->cfg.name);
		end_all(t);
		return;
	}
	weft_log(WEFT_LOG_INFO, "virtual time: %s is dead", name);
	for (uint32_t i = 0; i < t->w->size; i++)
		if (t->w->rank_of[i].node == node)
			vt_rank_failed(t, i,
				       at > detect_ps ? at - detect_ps : 0);
}

/* ---- counters of the fault plan ------------------------------------------ */

const char *weft_vt_fault(struct weft_carrier *c, unsigned i, uint64_t *value_p)
{
	struct net_fault_count n;

	if (!net_fault_count_get(vt_of(c)->w->net, &n))
		return NULL;
	return net_fault_item(&n, i, value_p);
}

int weft_vt_why(struct weft_carrier *c, uint32_t rank, char *text, size_t len)
{
	const struct weft_vt *w = vt_of(c)->w;
	char name[32];

	if (rank >= w->size ||
	    weft_load32(&w->rank_of[rank].status) == WEFT_VT_VACANT)
		return -ENOENT;
	if (w->cold_of[rank].ended) {
		snprintf(text, len, "has failed at %.3f us",
			 (double)w->cold_of[rank].end_ps * 1e-6);
		return 0;
	}
	if (!net_fault_node_dead(w->net, w->rank_of[rank].node))
		return -ENOENT;
	net_node_name(&w->cfg, w->rank_of[rank].node, name, sizeof(name));
	snprintf(text, len, "%s%s has failed, as set by the fault plan",
		 *name == '(' ? "node " : "", name);
	return 0;
}
