/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between ranks of one node, through the node's memory instead of the
 * network interface (memory_latency in a machine file). A message is visible
 * to its receiver after the latency; then the receiver's processor copies the
 * bytes, one message after the other. All copies in one memory share its rate:
 *
 *   sent ---latency---> |-- copy, bytes / memory_copy --------| delivered
 *   of another rank       |-- bytes / memory_total --|
 *
 * Transfers (get, put) are copied by the rank that posted them. Copies do not
 * advance the program's clock: a rank that computes meanwhile is not delayed.
 */
#include "prov/vt/vt.h"

bool vt_memory_shared(const struct weft_vt *w, uint32_t from, uint32_t to)
{
	return w->cfg.memory.latency_ps && from != to &&
	       w->cold_of[from].memory == w->cold_of[to].memory;
}

void vt_memory_send(struct weft_vt *w, uint64_t at, const struct net_msg *m)
{
	vt_require(!net_timer(w->net, at + w->cfg.memory.latency_ps,
			      m->cookie | VT_COOKIE_COPY));
}

static uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

bool vt_memory_copy(struct vt_engine_pass *t, uint64_t cookie,
		    uint64_t *bytes_p)
{
	struct weft_vt *w = t->w;
	const struct vt_buf *b = vt_buf(w, (uint32_t)cookie);
	bool dma = cookie & VT_COOKIE_DMA;
	const struct vt_dma *d = (const void *)b->payload;
	uint64_t bytes = dma ? d->awaited : b->end, total, copy, at;
	struct vt_rank_cold *memory, *copier;

	vt_require(b->from < w->size && b->to < w->size);
	copier = &w->cold_of[dma ? b->from : b->to];
	vt_require(copier->memory < w->size);
	memory = &w->cold_of[copier->memory];
	*bytes_p = bytes;
	if (!(cookie & VT_COOKIE_COPY) || !bytes)
		return true;
	at = max64(t->time_ps, max64(memory->memory_ps, copier->copy_ps));
	total = bytes * w->cfg.memory.total_ps_x1000 / 1000;
	copy = bytes * w->cfg.memory.copy_ps_x1000 / 1000;
	memory->memory_ps = at + total;
	copier->copy_ps = at + max64(copy, total);
	vt_require(!net_timer(w->net, copier->copy_ps,
			      (cookie & ~VT_COOKIE_COPY) | VT_COOKIE_COPIED));
	return false;
}
