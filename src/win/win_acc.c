/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accumulate calls. The path depends only on the window (README), so that
 * updates of an element by different members are mutually atomic:
 *
 *   mapped       the origin changes the target's memory: few elements by atomic
 *                instructions (one element by the machine's interface, which
 *                uses the same instructions), many elements, and elements
 *                without such instructions, by loops under the target's
 *                accumulate lock (win_acc_lock.h)
 *   page         the origin reads and writes by fi_*, always under the
 *                target's accumulate lock
 *   otherwise    the target changes its memory: by fi_atomic if that
 *                supports the type, else when the target processes a message
 *
 *   device       the target changes its device memory when it processes a
 *                message (win_device.h), also in a dynamic window with a page
 *
 * Calls of one origin on the same elements keep their order: each path
 * executes calls in order, and type and location alone select the path.
 */
#include "src/core/core_lock.h"
#include "src/win/win_amo.h"
#include "src/win/win_attach.h"
#include "src/win/win_device.h"
#include "src/win/win_fabric.h"
#include "src/win/win_lock.h"
#include "src/win/win_mapped.h"
#include "src/win/win_unit.h"
#include "src/win/win_word.h"

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
	struct win_acc_members m;

	if (!w->page) {
		/* prevents concurrent processing of messages (win_serve.c) */
		weft_lock();
		return 0;
	}
	m = (struct win_acc_members){ &win_record(w->page, 0)->busy,
				      sizeof(struct win_record),
				      w->busy ? w->size : 0, w->comm };
	return win_acc_lock_acquire(&win_record(w->page, target)->acc, target,
				    &m);
}

static void acc_unlock(struct weft_win *w, int target)
{
	if (w->page)
		win_acc_lock_release(&win_record(w->page, target)->acc);
	else
		weft_unlock();
}

/*
 * Returns whether only the caller can change the target's memory, because it
 * holds the exclusive lock. False for MPI_Win_allocate_shared, whose memory
 * programs may also change by C atomics.
 */
static bool is_exclusive(const struct weft_win *w, int target)
{
	return w->page && !weft_threads && w->flavor != MPI_WIN_FLAVOR_SHARED &&
	       weft_load32(&w->peer[target].lock) == WIN_EXCLUSIVE;
}

/* Returns the maximum number of elements that are changed under one lock. */
static size_t elements_per_lock(const struct weft_win *w,
				const struct win_elem *e)
{
	size_t granule = w->granule, n;

	n = (granule && granule < CHUNK ? granule : CHUNK) / e->step;
	return n ? n : 1;
}

/* Returns the operand and result arrays, starting at element `from`. */
static struct win_elem_arrays arrays_from(const struct win_elem *e,
					  const struct win_elem_arrays *r,
					  size_t from)
{
	size_t off = from * e->step;

	return (struct win_elem_arrays){
		r->in ? r->in + off : NULL,
		r->compare ? r->compare + off : NULL,
		r->old ? r->old + off : NULL,
	};
}

/*
 * Consecutive elements in mapped memory of a target, and the update to apply.
 */
struct change {
	struct weft_win *w;
	int target;
	const struct weft_dt *unit;
	const struct weft_op *op;
	const struct win_elem *e;
	/* offset in the window; dynamic windows: address in the target */
	const char *location;
	char *at;
	const struct win_elem_arrays *r;
	size_t n;
};

/*
 * Updates one element by the machine's interface. Returns 0, -errno, or 1: the
 * processor must update the element.
 */
static int change_by_unit(const struct change *c)
{
	const struct win_unit_call u = { c->target,   c->unit, c->op,
					 c->location, *c->r,   c->at };

	return win_unit_change(c->w, &u);
}

/*
 * Updates the elements by plain loads and stores; the caller has excluded
 * concurrent updates.
 */
static int change_apply(const struct change *c, bool plain)
{
	int rc = c->w->amo && c->n == 1 ? change_by_unit(c) : 1;

	if (rc <= 0)
		return rc;
	win_elem_apply(c->e, c->at, c->r, c->n, plain);
	return 0;
}

static int change_locked(const struct change *c)
{
	size_t most = elements_per_lock(c->w, c->e), n;

	for (size_t from = 0; from < c->n; from += n) {
		struct win_elem_arrays r = arrays_from(c->e, c->r, from);
		struct change part = *c;
		int rc = acc_lock(c->w, c->target);

		if (rc)
			return rc;
		n = c->n - from < most ? c->n - from : most;
		part.location += from * c->e->step;
		part.at += from * c->e->step;
		part.r = &r;
		part.n = n;
		rc = change_apply(&part, true);
		acc_unlock(c->w, c->target);
		if (rc)
			return rc;
	}
	return 0;
}

/*
 * Returns whether atomic instructions take less time than the lock. The lock
 * takes two atomic instructions, and for each member a load, which takes an
 * eighth of the time of an atomic instruction.
 */
static bool is_short(const struct change *c)
{
	return c->n * c->e->bytes <= 8 + (size_t)c->w->size;
}

/* Updates mapped memory by the method that its type and location require. */
static int change_mapped(const struct change *c)
{
	struct weft_win *w = c->w;
	int rc;

	if ((w->page && !w->words) ||
	    !win_elem_is_atomic(c->e, (uintptr_t)c->at))
		return change_locked(c);
	if (!w->busy || is_exclusive(w, c->target))
		return change_apply(c, is_exclusive(w, c->target));
	if (!is_short(c) || !weft_win_words_begin(w, c->target))
		return change_locked(c);
	rc = change_apply(c, false);
	weft_win_words_end(w);
	return rc;
}

static uint64_t acc_bytes_of(const struct win_call *c,
			     const struct win_run *run)
{
	return (run->n - 1) * c->e.step + c->e.bytes;
}

/* Returns whether the run includes attached device memory of the target. */
static bool is_on_device(const struct win_call *c, const struct win_run *run)
{
	return c->w->dynamic &&
	       win_attach_on_device(c->w, c->target, (uintptr_t)run->location,
				    acc_bytes_of(c, run));
}

static int run_by_origin(struct win_call *c, struct win_run *run)
{
	struct weft_win *w = c->w;
	uint64_t len = acc_bytes_of(c, run);
	char *base = w->dynamic ? NULL : w->peer[c->target].direct;
	char *at = base + (uintptr_t)run->location;

	if (w->device && c->target == w->rank)
		return win_device_own(&c->e, (char *)w->base + (uintptr_t)at,
				      &run->r, run->n);
	if (w->dynamic && !win_attach_has(w, (uintptr_t)at, len))
		return -ERANGE;
	if (is_on_device(c, run))
		return win_device_own(&c->e, at, &run->r, run->n);
	return change_mapped(&(struct change){ w, c->target, c->unit, c->op,
					       &c->e, run->location, at,
					       &run->r, run->n });
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

/* Updates elements [from, from + n) of the run; requires the target's lock. */
static int change_by_fabric(struct win_call *c, const struct win_run *run,
			    size_t from, size_t n, char *mem)
{
	size_t off = from * c->e.step, len = (n - 1) * c->e.step + c->e.bytes;
	struct win_fi f = { .kind = WIN_FI_READ, .local = mem, .len = len };
	struct win_elem_arrays r = arrays_from(&c->e, &run->r, from);
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

/*
 * Updates one element that is not mapped, by the machine's interface; requires
 * the target's lock. Returns 0, -errno, or 1: another path is needed.
 */
static int fabric_by_unit(struct win_call *c, const struct win_run *run)
{
	return c->w->amo && run->n == 1
		       ? change_by_unit(&(struct change){
				 c->w, c->target, c->unit, c->op, &c->e,
				 run->location, NULL, &run->r, 1 })
		       : 1;
}

static int run_by_fabric(struct win_call *c, struct win_run *run)
{
	size_t most = elements_per_lock(c->w, &c->e), from, n;
	size_t room = (run->n < most ? run->n : most) * c->e.step;
	alignas(max_align_t) char few[FEW];
	char *mem = win_mapped_find(c->w, c->target, (uintptr_t)run->location,
				    acc_bytes_of(c, run));
	int rc;

	if (mem)
		return change_locked(&(struct change){
			c->w, c->target, c->unit, c->op, &c->e, run->location,
			mem, &run->r, run->n });
	mem = room <= sizeof(few) ? few : malloc(room);
	rc = mem ? 0 : -ENOMEM;
	for (from = 0; !rc && from < run->n; from += n) {
		n = run->n - from < most ? run->n - from : most;
		rc = acc_lock(c->w, c->target);
		if (rc)
			break;
		rc = fabric_by_unit(c, run);
		if (rc > 0)
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

static int run_unless_on_device(struct win_call *c, struct win_run *run)
{
	return is_on_device(c, run) ? 0 : run_by_fabric(c, run);
}

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

/*
 * In a dynamic window with a page: changes host memory, and sends messages for
 * device memory.
 */
static int acc_with_device(struct win_call *c, struct weft_req **req_p)
{
	struct win_op *op = win_op_open(c->w, c->target, req_p);
	int rc;

	if (!op) {
		win_call_end(c);
		return -ENOMEM;
	}
	op->what = "accumulate to memory";
	win_call_hand_over(c, op);
	rc = acc_runs(c, run_unless_on_device);
	if (!rc)
		rc = win_call_send(c, op, is_on_device);
	return win_op_start(op, rc, req_p);
}

/* Returns whether the target has attached device memory. */
static bool has_device(const struct weft_win *w, int target)
{
	return w->dynamic && w->page &&
	       weft_load32(&win_record(w->page, target)->devices);
}

/* ---- entry point --------------------------------------------------------- */

/*
 * Returns whether the access is an array of one predefined type on all sides.
 */
static inline bool is_array(const struct weft_win_xfer *x)
{
	return x->tdt->obj.predefined && x->dt == x->tdt &&
	       x->count == x->tcount &&
	       (!x->result || (x->rdt == x->tdt && x->rcount == x->tcount));
}

static inline struct win_elem_arrays arrays_of(const struct weft_win_xfer *x,
					       const struct win_elem *e)
{
	return (struct win_elem_arrays){ e->what == WIN_ELEM_KEEP ? NULL
								  : x->buf,
					 x->compare, x->result };
}

/* Returns the mapped address of the target; NULL: another path is needed. */
static char *mapped_addr(struct weft_win *w, const struct weft_win_xfer *x)
{
	const struct weft_win_peer *p = &w->peer[x->target];

	if (w->words)
		return p->direct + (uint64_t)x->disp * p->unit;
	if (x->target == w->rank)
		return NULL;
	return win_mapped_find(w, x->target, (uint64_t)x->disp,
			       (uint64_t)weft_dt_span(x->tdt, x->tcount));
}

/*
 * Fast path: an array in mapped memory. Returns 0, -errno, or 1: another path
 * is needed.
 */
static inline int acc_array(struct weft_win *w, const struct weft_win_xfer *x)
{
	struct win_elem_arrays r;
	struct win_elem e;
	uint64_t unit;
	char *at;

	if (!w->page || !is_array(x))
		return 1;
	at = mapped_addr(w, x);
	if (!at)
		return 1;
	e = win_elem_of(x->tdt, x->op, x->compare);
	r = arrays_of(x, &e);
	unit = w->dynamic ? 1 : w->peer[x->target].unit;
	return change_mapped(
		&(struct change){ w, x->target, x->tdt, x->op, &e,
				  (char *)((uintptr_t)x->disp * unit), at, &r,
				  (size_t)x->tcount });
}

/*
 * Returns whether the caller updates the target's memory itself. False for this
 * rank's own memory if other members update it with provider atomics, which are
 * possibly not atomic with respect to CPU atomics.
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
	rc = acc_array(w, x);
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
	if (!here && has_device(w, x->target))
		return acc_with_device(&c, req_p);
	rc = acc_runs(&c, here ? run_by_origin : run_by_fabric);
	win_call_end(&c);
	if (req_p)
		*req_p = rc ? NULL : weft_req_null_done();
	return rc;
}
