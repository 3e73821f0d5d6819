/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accumulate family. The path depends only on the window (README), so
 * that changes of an element by different members are mutually atomic:
 *
 *   mapped       the origin changes the target's memory by atomic
 *                instructions, or under the lock in the target's record for
 *                other elements
 *   page         the origin reads and writes by fi_*, always under the
 *                lock in the target's record
 *   otherwise    the target changes its memory: by fi_atomic if that
 *                supports the type, else when the target processes a message
 *
 * Calls of one origin on the same elements keep their order: each path
 * executes calls in order, and type and location alone select the path.
 */
#include "src/core/core_lock.h"
#include "src/win/win_amo.h"
#include "src/win/win_attach.h"
#include "src/win/win_fabric.h"
#include "src/win/win_rwlock.h"
#include "src/win/win_lock.h"
#include "src/win/win_mapped.h"

#include <errno.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 65536 /* maximum number of bytes changed under one lock */
#define FEW   64    /* size of buffers on the stack, bytes */

/* ---- changes in mapped memory, by the origin ----------------------------- */

static int acc_lock(struct weft_win *w, int target)
{
	if (w->page)
		return win_rwlock_acquire(&win_record(w->page, target)->acc,
					  true, w->comm);
	weft_lock(); /* excludes the service of messages (win_serve.c) */
	return 0;
}

static void acc_unlock(struct weft_win *w, int target)
{
	if (w->page)
		win_rwlock_release(&win_record(w->page, target)->acc, true);
	else
		weft_unlock();
}

/* Returns whether a change of an element at this address needs a lock. */
static bool needs_lock(const struct win_call *c, const char *at)
{
	return (c->w->page && !c->w->words) ||
	       !win_elem_is_atomic(&c->e, (uintptr_t)at);
}

/*
 * Returns whether only the caller can change the target's memory, because it
 * holds the exclusive lock. False for MPI_Win_allocate_shared, whose memory
 * programs also change by C atomics.
 */
static bool is_exclusive(const struct win_call *c)
{
	const struct weft_win *w = c->w;

	return w->page && !weft_threads && w->flavor != MPI_WIN_FLAVOR_SHARED &&
	       weft_load32(&w->peer[c->target].lock) == WIN_EXCLUSIVE;
}

/* Returns the maximum number of elements that are changed under one lock. */
static size_t elements_per_lock(const struct win_call *c)
{
	size_t granule = c->w->granule, n;

	n = (granule && granule < CHUNK ? granule : CHUNK) / c->e.step;
	return n ? n : 1;
}

/* Returns the operand and result arrays of a run from element `from` on. */
static struct win_elem_arrays
arrays_from(const struct win_call *c, const struct win_run *run, size_t from)
{
	size_t off = from * c->e.step;

	return (struct win_elem_arrays){
		run->r.in ? run->r.in + off : NULL,
		run->r.compare ? run->r.compare + off : NULL,
		run->r.old ? run->r.old + off : NULL,
	};
}

static int locked_run(struct win_call *c, const struct win_run *run, char *at)
{
	size_t most = elements_per_lock(c), n;

	for (size_t from = 0; from < run->n; from += n) {
		struct win_elem_arrays r = arrays_from(c, run, from);
		int rc = acc_lock(c->w, c->target);

		if (rc)
			return rc;
		n = run->n - from < most ? run->n - from : most;
		win_elem_apply(&c->e, at + from * c->e.step, &r, n, true);
		acc_unlock(c->w, c->target);
	}
	return 0;
}

static uint64_t acc_bytes_of(const struct win_call *c,
			     const struct win_run *run)
{
	return (run->n - 1) * c->e.step + c->e.bytes;
}

static int run_by_origin(struct win_call *c, struct win_run *run)
{
	struct weft_win *w = c->w;
	uint64_t len = acc_bytes_of(c, run);
	char *base = w->dynamic ? NULL : w->peer[c->target].direct;
	char *at = base + (uintptr_t)run->location;

	if (w->dynamic && !win_attach_has(w, (uintptr_t)at, len))
		return -ERANGE;
	if (needs_lock(c, at))
		return locked_run(c, run, at);
	win_elem_apply(&c->e, at, &run->r, run->n, is_exclusive(c));
	return 0;
}

/* ---- changes by fi_read and fi_write ------------------------------------- */

/*
 * Returns whether the result must be written back. For up to FEW bytes a
 * comparison costs less than a write.
 */
static bool has_changed(const struct win_call *c, const char *mem,
			const char *was, size_t len)
{
	if (c->e.what == WIN_ELEM_KEEP)
		return false;
	return len > FEW || memcmp(mem, was, len);
}

/* Changes elements [from, from + n) of the run; the target's lock is held. */
static int change_by_fabric(struct win_call *c, const struct win_run *run,
			    size_t from, size_t n, char *mem)
{
	size_t off = from * c->e.step, len = (n - 1) * c->e.step + c->e.bytes;
	struct win_fi f = { .kind = WIN_FI_READ, .local = mem, .len = len };
	struct win_elem_arrays r = arrays_from(c, run, from);
	char was[FEW];
	int rc = win_fi_wait(c->w, c->target, run->location + off, f);

	if (rc)
		return rc;
	if (len <= FEW)
		memcpy(was, mem, len);
	win_elem_apply(&c->e, mem, &r, n, true);
	if (!has_changed(c, mem, was, len))
		return 0;
	f.kind = WIN_FI_WRITE;
	return win_fi_wait(c->w, c->target, run->location + off, f);
}

static int run_by_fabric(struct win_call *c, struct win_run *run)
{
	size_t most = elements_per_lock(c), from, n;
	size_t room = (run->n < most ? run->n : most) * c->e.step;
	alignas(max_align_t) char few[FEW];
	char *mem = win_mapped_find(c->w, c->target, (uintptr_t)run->location,
				    acc_bytes_of(c, run));
	int rc;

	if (mem)
		return locked_run(c, run, mem);
	mem = room <= sizeof(few) ? few : malloc(room);
	rc = mem ? 0 : -ENOMEM;
	for (from = 0; !rc && from < run->n; from += n) {
		n = run->n - from < most ? run->n - from : most;
		rc = acc_lock(c->w, c->target);
		if (rc)
			break;
		rc = change_by_fabric(c, run, from, n, mem);
		acc_unlock(c->w, c->target);
	}
	if (mem != few)
		free(mem);
	return rc;
}

/* Executes and completes all runs, one after the other. */
static int acc_runs(struct win_call *c,
		    int (*do_run)(struct win_call *c, struct win_run *run))
{
	size_t at = 0;
	int rc = 0;

	while (!rc && at < c->n) {
		struct win_run run = win_call_run(c, at);

		at += run.n;
		rc = do_run(c, &run);
	}
	return rc;
}

/* ---- changes by the target ----------------------------------------------- */

static bool by_message(const struct win_call *c, const struct win_run *run)
{
	return !win_amo_supports(c, run);
}

static int fabric_runs(struct win_call *c, struct win_op *op)
{
	size_t at = 0;
	int rc = 0;

	while (!rc && at < c->n) {
		struct win_run run = win_call_run(c, at);

		at += run.n;
		if (win_amo_supports(c, &run))
			rc = win_amo_run(c, op, &run);
		else if (c->target == c->w->rank)
			rc = run_by_origin(c, &run);
	}
	return rc;
}

static int acc_at_target(struct win_call *c, struct weft_req **req_p)
{
	int rc = win_amo_prepare(c);
	struct win_op *op = rc ? NULL : win_op_open(c->w, c->target, req_p);

	if (!op) {
		win_call_end(c);
		return rc ? rc : -ENOMEM;
	}
	op->what = "accumulate to memory";
	win_call_hand_over(c, op);
	rc = fabric_runs(c, op);
	if (!rc && c->target != c->w->rank)
		rc = win_call_send(c, op, by_message);
	return win_op_start(op, rc, req_p);
}

/* ---- entry point --------------------------------------------------------- */

/*
 * Returns whether the access is one element of a predefined type, with the same
 * type on both sides.
 */
static inline bool is_one_element(const struct weft_win_xfer *x)
{
	return x->tcount == 1 && x->tdt->obj.predefined && x->dt == x->tdt &&
	       (!x->result || x->rdt == x->tdt) && x->count == 1;
}

static inline struct win_elem_arrays
arrays_of_one(const struct weft_win_xfer *x, const struct win_elem *e)
{
	return (struct win_elem_arrays){ e->what == WIN_ELEM_KEEP ? NULL
								  : x->buf,
					 x->compare, x->result };
}

/* Fast path: one element in mapped memory, by an atomic instruction. */
static inline bool acc_fast_path(struct weft_win *w,
				 const struct weft_win_xfer *x)
{
	const struct weft_win_peer *p = &w->peer[x->target];
	struct win_elem_arrays r;
	struct win_elem e;
	char *at;

	if (!w->page || !w->words || !is_one_element(x))
		return false;
	e = win_elem_of(x->tdt, x->op, x->compare);
	at = p->direct + (uint64_t)x->disp * p->unit;
	if (!win_elem_is_atomic(&e, (uintptr_t)at))
		return false;
	r = arrays_of_one(x, &e);
	win_elem_apply(&e, at, &r, 1, false);
	return true;
}

/*
 * Returns the address of mapped memory that is changed under the lock of the
 * target's record; NULL: another path is needed.
 */
static char *locked_addr(struct weft_win *w, const struct weft_win_xfer *x,
			 size_t bytes)
{
	const struct weft_win_peer *p = &w->peer[x->target];

	if (w->coarse && w->mapped)
		return p->direct + (uint64_t)x->disp * p->unit;
	return x->target == w->rank ? NULL
				    : win_mapped_find(w, x->target,
						      (uint64_t)x->disp, bytes);
}

/*
 * Changes one element under the lock of the target's record. Returns 0, -errno,
 * or 1: another path is needed.
 */
static int acc_locked(struct weft_win *w, const struct weft_win_xfer *x)
{
	struct win_elem_arrays r;
	struct win_elem e;
	char *at;
	int rc;

	if (!w->page || w->words || !is_one_element(x))
		return 1;
	e = win_elem_of(x->tdt, x->op, x->compare);
	at = locked_addr(w, x, e.bytes);
	if (!at)
		return 1;
	rc = acc_lock(w, x->target);
	if (rc)
		return rc;
	r = arrays_of_one(x, &e);
	win_elem_apply(&e, at, &r, 1, true);
	acc_unlock(w, x->target);
	return 0;
}

/*
 * Returns whether the caller changes the target's memory itself. False for this
 * rank's own memory if other members change it by provider atomics that may not
 * be processor instructions.
 */
static bool by_origin(const struct weft_win *w, int target)
{
	if (target == w->rank)
		return w->page || !w->rma || w->fabric->by_processor ||
		       !w->fabric->types;
	return w->peer[target].direct;
}

int weft_win_acc(struct weft_win *w, const struct weft_win_xfer *x,
		 struct weft_req **req_p)
{
	bool here = by_origin(w, x->target);
	struct win_call c;
	int rc;

	/* relaxed: see weft_win_order() */
	weft_store32_relaxed(&w->stored, 1);
	if (weft_likely(acc_fast_path(w, x))) {
		if (req_p)
			*req_p = weft_req_null_done();
		return 0;
	}
	rc = acc_locked(w, x);
	if (rc <= 0) {
		if (req_p)
			*req_p = rc ? NULL : weft_req_null_done();
		return rc;
	}
	rc = win_lock_reach(w, x->target);
	if (!rc && !here && w->fabric->types)
		rc = win_attach_update(w, x->target);
	if (!rc)
		rc = win_call_make(&c, w, x, weft_dt_element(x->tdt));
	if (rc)
		return rc;
	if (!here && !w->page)
		return acc_at_target(&c, req_p);
	rc = acc_runs(&c, here ? run_by_origin : run_by_fabric);
	win_call_end(&c);
	if (req_p)
		*req_p = rc ? NULL : weft_req_null_done();
	return rc;
}
