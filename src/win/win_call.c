/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion of MPI arguments to arrays of elements, and to messages. */
#include "src/win/win_call.h"

#include "src/diag/diag_count.h"
#include "src/core/core_lock.h"
#include "src/win/win_am.h"
#include "src/win/win_attach.h"
#include "src/win/win_serve.h"

#include <errno.h>
#include <stdlib.h>

/* ---- arrays of elements -------------------------------------------------- */

/* Returns whether typed data can be used in place as an array of elements. */
static bool is_array(const struct weft_dt *unit, MPI_Count count,
		     const struct weft_dt *dt)
{
	return unit->size == unit->extent && weft_dt_is_run(dt, count);
}

static struct weft_typed array_of(const struct win_call *c, void *mem)
{
	return (struct weft_typed){ c->unit, mem, (MPI_Count)c->n };
}

static void *array_new(const struct win_call *c)
{
	return malloc(c->n * (size_t)c->unit->extent + 1);
}

static int make_in(struct win_call *c, const struct weft_win_xfer *x)
{
	struct weft_typed from = { x->dt, x->buf, x->count }, to;

	if (is_array(c->unit, x->count, x->dt)) {
		c->r.in = (char *)x->buf + x->dt->true_lb;
		return 0;
	}
	c->own_in = array_new(c);
	if (!c->own_in)
		return -ENOMEM;
	to = array_of(c, c->own_in);
	weft_pack_copy(&to, &from);
	c->r.in = c->own_in;
	return 0;
}

static int make_old(struct win_call *c, const struct weft_win_xfer *x)
{
	if (is_array(c->unit, x->rcount, x->rdt)) {
		c->r.old = (char *)x->result + x->rdt->true_lb;
		return 0;
	}
	c->own_old = array_new(c);
	if (!c->own_old)
		return -ENOMEM;
	c->r.old = c->own_old;
	c->result = (struct weft_typed){ x->rdt, x->result, x->rcount };
	return 0;
}

int win_call_make(struct win_call *c, struct weft_win *w,
		  const struct weft_win_xfer *x, const struct weft_dt *unit)
{
	const struct weft_win_peer *p = &w->peer[x->target];
	uint64_t unit_bytes = w->dynamic ? 1 : p->unit;
	MPI_Count bytes = x->tcount * x->tdt->size;
	int rc = 0;

	*c = (struct win_call){ .w = w, .target = x->target, .unit = unit };
	c->op = x->op;
	c->e = win_elem_of(unit, x->op, x->compare);
	if (c->e.what != WIN_ELEM_KEEP && x->count * x->dt->size < bytes)
		bytes = x->count * x->dt->size;
	c->n = (size_t)(bytes / unit->size);
	c->place.dt = x->tdt;
	c->place.count = x->tcount;
	c->place.buf = (void *)(uintptr_t)((uint64_t)x->disp * unit_bytes);
	c->r.compare = x->compare;
	if (c->e.what != WIN_ELEM_KEEP)
		rc = make_in(c, x);
	if (!rc && x->result)
		rc = make_old(c, x);
	if (rc)
		win_call_end(c);
	return rc;
}

int win_call_fetch(struct win_call *c)
{
	c->own_old = array_new(c);
	c->r.old = c->own_old;
	return c->own_old ? 0 : -ENOMEM;
}

void win_call_end(struct win_call *c)
{
	struct weft_typed row;

	if (c->result.dt && c->own_old) {
		row = array_of(c, c->own_old);
		weft_pack_copy(&c->result, &row);
	}
	free(c->own_in);
	free(c->own_old);
}

void win_call_hand_over(struct win_call *c, struct win_op *op)
{
	op->in = c->own_in;
	op->old = c->own_old;
	op->result = c->result;
	/* the caller may free the type before the response arrives */
	if (c->result.dt)
		weft_dt_get((struct weft_dt *)(uintptr_t)c->result.dt);
	op->unit = c->unit;
}

/* ---- runs ---------------------------------------------------------------- */

/*
 * Returns how many of `bytes` bytes of the target's memory, from `at` on, are
 * accessed by the same path.
 */
static uint64_t bytes_of_path(const struct win_call *c, uint64_t at,
			      uint64_t bytes)
{
	struct weft_win *w = c->w;
	struct win_attach_place p;
	bool device;

	if (!w->dynamic)
		return bytes;
	if (c->target == w->rank)
		return win_attach_part(w, at, bytes, &device);
	if (w->page && !win_attach_on_device(w, c->target, at, bytes))
		return bytes;
	return win_attach_find(w, c->target, at, &p) ? bytes : p.bytes;
}

/* Returns how many of n elements are in one attachment; at least one. */
static size_t limit_to_attachment(const struct win_call *c, const char *at,
				  size_t n)
{
	size_t most = bytes_of_path(c, (uintptr_t)at, n * c->e.step);

	most /= c->e.step;
	return most > n ? n : most ? most : 1;
}

struct win_run win_call_run(const struct win_call *c, size_t from)
{
	size_t pos = from * (size_t)c->unit->size, off = from * c->e.step;
	struct win_run run;
	struct iovec iov;

	weft_pack_iov(&c->place, &pos, &iov, 1);
	run.location = iov.iov_base;
	/*
	 * an element with gaps may consist of several pieces, so a run contains
	 * one such element only
	 */
	run.n = c->unit->size == c->unit->extent
			? iov.iov_len / (size_t)c->unit->size
			: 1;
	if (run.n > c->n - from)
		run.n = c->n - from;
	run.n = limit_to_attachment(c, run.location, run.n);
	run.r.in = c->r.in ? c->r.in + off : NULL;
	run.r.compare = c->r.compare ? c->r.compare + off : NULL;
	run.r.old = c->r.old ? c->r.old + off : NULL;
	return run;
}

/* ---- messages ------------------------------------------------------------ */

static uint32_t flags_of(const struct win_call *c)
{
	return (c->plain ? WIN_AM_PLAIN : 0) | (c->r.old ? WIN_AM_FETCH : 0) |
	       (c->r.in ? WIN_AM_INPUT : 0) |
	       (c->r.compare ? WIN_AM_COMPARE : 0);
}

static int post_send(struct win_post *p)
{
	struct win_call *c = p->c;
	size_t row = p->count * c->e.step;
	struct win_am head = { .type = WIN_AM_ACCESS,
			       .unit = c->unit->obj.predefined,
			       .op = c->op ? c->op->obj.predefined : 0,
			       .flags = flags_of(c),
			       .runs = p->runs,
			       .count = (uint32_t)p->count };
	struct iovec part[3] = { { p->run, p->runs * sizeof(*p->run) } };
	int n = 1, rc;

	if (!p->runs)
		return 0;
	rc = win_op_throttle(c->w);
	if (rc)
		return rc;
	if (p->r.in)
		part[n++] = (struct iovec){ (void *)(uintptr_t)p->r.in, row };
	if (p->r.compare)
		part[n++] =
			(struct iovec){ (void *)(uintptr_t)p->r.compare, row };
	weft_lock();
	weft_count(WEFT_COUNT_WIN_MESSAGES, 1);
	rc = win_serve_expect(p->op, c->target, p->r.old, row, &head.id);
	if (!rc) {
		rc = win_am_send(c->w, c->target, &head, part, n, p->op);
		if (rc)
			win_serve_cancel(c->w, c->target, head.id, rc);
	}
	weft_unlock();
	p->runs = 0;
	p->count = 0;
	return rc;
}

/* Adds part of a run; returns the number of elements that fit. */
static size_t post_add(struct win_post *p, const struct win_run *run,
		       size_t from)
{
	struct win_call *c = p->c;
	size_t room = WIN_AM_ARRAY / c->e.step - p->count, n = run->n - from;
	size_t off = from * c->e.step;

	if (n > room)
		n = room;
	if (p->runs == WIN_AM_RUNS || !n)
		return 0;
	if (!p->runs) {
		p->r.in = run->r.in ? run->r.in + off : NULL;
		p->r.compare = run->r.compare ? run->r.compare + off : NULL;
		p->r.old = run->r.old ? run->r.old + off : NULL;
	}
	p->run[p->runs++] =
		(struct win_am_run){ (uintptr_t)run->location + off, n };
	p->count += n;
	return n;
}

static int post_run(struct win_post *p, const struct win_run *run)
{
	size_t from = 0;
	int rc = 0;

	while (!rc && from < run->n) {
		size_t n = post_add(p, run, from);

		from += n;
		if (!n)
			rc = post_send(p);
	}
	return rc;
}

int win_call_send(struct win_call *c, struct win_op *op, win_call_want want)
{
	struct win_am_run all[WIN_AM_RUNS];
	struct win_post p = { .c = c, .op = op, .run = all };
	size_t at = 0;
	int rc = win_am_open(c->w); /* posts the receive for the responses */

	while (!rc && at < c->n) {
		struct win_run run = win_call_run(c, at);

		at += run.n;
		if (!want || want(c, &run))
			rc = post_run(&p, &run);
		else /* the operands of gathered runs must be contiguous */
			rc = post_send(&p);
	}
	return rc ? rc : post_send(&p);
}
