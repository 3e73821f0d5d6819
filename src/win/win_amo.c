/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of elements as fi_atomic operations; see win_amo.h. */
#include "src/win/win_amo.h"

#include "src/core/core_fi.h"
#include "src/core/core_lock.h"
#include "src/core/core_state.h"
#include "src/win/win_attach.h"
#include "src/win/win_fabric.h"
#include "src/win/win_wait.h"

static bool has_type(const struct weft_win *w, const struct weft_dt *unit)
{
	return w->rma && (w->fabric->types >> unit->basic & 1);
}

bool win_amo_supports(const struct win_call *c, const struct win_run *run)
{
	struct weft_win *w = c->w;
	uint64_t at = w->peer[c->target].base + (uintptr_t)run->location;
	struct win_attach_place p;

	if (!has_type(w, c->unit) || !win_elem_is_atomic(&c->e, at))
		return false;
	/*
	 * A run is within one attachment (win_call_run()), but one element may
	 * span two.
	 */
	return !w->dynamic || (!win_attach_find(w, c->target, at, &p) &&
			       p.bytes >= c->e.bytes && !p.device);
}

static int await_earlier(const struct win_call *c)
{
	struct weft_win_peer *p = &c->w->peer[c->target];
	unsigned effects =
		WIN_READS | (c->e.what == WIN_ELEM_KEEP ? 0 : WIN_WRITES);
	bool waits;
	int rc = 0;

	weft_lock();
	if (!weft_load32(&p->pending))
		p->effects = 0;
	waits = !win_fabric_orders(p->effects, effects, c->n * c->e.step);
	weft_unlock();
	if (waits)
		rc = win_drain(c->w, &p->pending);
	weft_lock();
	p->effects |= effects;
	weft_unlock();
	return rc;
}

int win_amo_prepare(struct win_call *c)
{
	int rc = 0;

	if (c->w->fabric->ours || !has_type(c->w, c->unit))
		return 0;
	if (!c->w->unordered)
		rc = await_earlier(c);
	return rc || c->r.old ? rc : win_call_fetch(c);
}

static int select_kind(const struct win_call *c, struct win_fi *f,
		       size_t *most_p)
{
	struct fid_ep *ep = weft_core.ep;
	int rc;

	f->type = win_fabric_type(c->unit);
	f->op = c->r.compare ? FI_CSWAP : (enum fi_op)c->op->num;
	if (c->r.compare) {
		f->kind = WIN_FI_COMPARE;
		rc = fi_compare_atomicvalid(ep, f->type, f->op, most_p);
	} else if (c->r.old) {
		f->kind = WIN_FI_FETCH;
		rc = fi_fetch_atomicvalid(ep, f->type, f->op, most_p);
	} else {
		f->kind = WIN_FI_ATOMIC;
		rc = fi_atomicvalid(ep, f->type, f->op, most_p);
	}
	return weft_fi_errno(rc);
}

int win_amo_run(struct win_call *c, struct win_op *op,
		const struct win_run *run)
{
	struct win_fi f = { 0 };
	size_t most, from;
	int rc = select_kind(c, &f, &most);

	for (from = 0; !rc && from < run->n; from += f.len) {
		size_t off = from * c->e.step;

		f.len = run->n - from < most ? run->n - from : most;
		rc = win_fi_find(c->w, c->target, run->location + off, &f);
		f.local = run->r.in ? (void *)(uintptr_t)(run->r.in + off)
				    : run->r.old + off;
		f.compare = run->r.compare ? run->r.compare + off : NULL;
		f.result = run->r.old ? run->r.old + off : NULL;
		if (!rc)
			rc = win_fi_post(op, &f);
	}
	return rc;
}
