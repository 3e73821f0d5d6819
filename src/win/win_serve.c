/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes received messages at a member: grants the lock of its memory in the
 * order of requests, and executes accesses immediately and responds. Values
 * received from other processes are checked before use.
 */
#include "src/win/win_serve.h"

#include "src/boot/boot_abort.h"
#include "src/msg/msg_progress.h"
#include "src/win/win_attach.h"
#include "src/win/win_device.h"
#include "src/win/win_elem.h"
#include "src/win/win_lock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sends a response that must not be dropped. If there is no memory for the
 * response, the origin would hang, so the job is aborted. Dead ranks get no
 * response.
 */
static void respond(struct weft_win *w, int rank, const struct win_am *head,
		    const struct iovec *row)
{
	if (win_am_send(w, rank, head, row, row && row->iov_len ? 1 : 0,
			NULL) == -ENOMEM)
		weft_core_abort(1,
				"no memory for the response to rank %d's "
				"access to a window",
				w->comm->proc[rank]);
}

/* ---- the lock of this rank's memory -------------------------------------- */

static void grant(struct weft_win *w, int rank)
{
	struct win_am head = { .type = WIN_AM_GRANT };

	if (rank == w->rank) {
		weft_store32(&w->peer[rank].granted, 1);
		weft_progress_notify();
		return;
	}
	respond(w, rank, &head, NULL);
}

/* Grants the lock to requests at the front of the queue, as far as possible. */
static void grant_next(struct weft_win *w)
{
	while (!w->exclusive && !weft_list_empty(&w->lock_waiters)) {
		struct weft_win_peer *p = weft_container_of(
			w->lock_waiters.next, struct weft_win_peer, waiter);

		if (p->requested == WIN_EXCLUSIVE && w->shared)
			return;
		p->holds = p->requested;
		p->requested = WIN_UNLOCKED;
		w->exclusive = p->holds == WIN_EXCLUSIVE;
		w->shared += !w->exclusive;
		weft_list_remove(&p->waiter);
		grant(w, (int)(p - w->peer));
	}
}

void win_serve_lock(struct weft_win *w, int rank, uint32_t flags)
{
	struct weft_win_peer *p = &w->peer[rank];

	/* a second request of the same member has no effect */
	if (p->requested || p->holds)
		return;
	p->requested = flags & WIN_AM_EXCLUSIVE ? WIN_EXCLUSIVE : WIN_SHARED;
	if (p->requested == WIN_SHARED && flags & WIN_AM_FURTHER)
		weft_list_push_front(&w->lock_waiters, &p->waiter);
	else
		weft_list_push_back(&w->lock_waiters, &p->waiter);
	grant_next(w);
}

void win_serve_unlock(struct weft_win *w, int rank)
{
	struct weft_win_peer *p = &w->peer[rank];

	/* a member that does not hold the lock cannot release it */
	if (!p->holds)
		return;
	if (rank != w->rank)
		w->unlocks++;
	if (p->holds == WIN_EXCLUSIVE)
		w->exclusive = false;
	else
		w->shared--;
	p->holds = WIN_UNLOCKED;
	grant_next(w);
	weft_progress_notify();
}

/* ---- accesses ------------------------------------------------------------ */

struct access {
	struct weft_win *w;
	const struct win_am *head;
	const struct win_am_run *run;
	struct win_elem e;
	struct win_elem_arrays r;
	size_t row; /* size of one array, bytes */
};

/*
 * Finds the type and the operation of a request. Handles that are not
 * predefined are refused: they are addresses in the origin's process.
 */
static const struct weft_dt *access_unit(const struct win_am *h,
					 const struct weft_op **op_p)
{
	if (h->unit > WEFT_HANDLE_MAX || h->op > WEFT_HANDLE_MAX)
		return NULL;
	*op_p = weft_op_of((MPI_Op)(uintptr_t)h->op);
	return weft_dt_of((MPI_Datatype)(uintptr_t)h->unit);
}

/* Returns whether the message has the length that its header describes. */
static bool access_parse(struct access *a, const char *body, size_t bytes)
{
	const struct win_am *h = a->head;
	const struct weft_op *op = NULL;
	const struct weft_dt *unit = access_unit(h, &op);
	size_t runs = h->runs * sizeof(struct win_am_run), rows = 0;

	if (!unit || unit->size <= 0 || h->runs > WIN_AM_RUNS ||
	    h->count > WIN_AM_ARRAY ||
	    (!(h->flags & WIN_AM_COMPARE) && (!op || !op->row)))
		return false;
	a->e = win_elem_of(unit, op, h->flags & WIN_AM_COMPARE);
	if (a->e.what <= WIN_ELEM_SUM64 && !a->e.fn)
		return false;
	a->row = h->count * a->e.step;
	if (h->flags & WIN_AM_INPUT)
		rows++;
	if (h->flags & WIN_AM_COMPARE)
		rows++;
	if (a->row > WIN_AM_ARRAY || bytes != runs + rows * a->row)
		return false;
	a->run = (const struct win_am_run *)(const void *)body;
	a->r.in = h->flags & WIN_AM_INPUT ? body + runs : NULL;
	a->r.compare = h->flags & WIN_AM_COMPARE ? body + runs + a->row : NULL;
	return a->r.in || a->e.what == WIN_ELEM_KEEP;
}

/*
 * Returns the address of a run in this rank's memory; NULL: the run is not
 * within this memory.
 */
static char *access_place(const struct access *a, const struct win_am_run *run)
{
	struct weft_win *w = a->w;
	uint64_t len;

	if (run->count > WIN_AM_ARRAY || !run->count)
		return NULL;
	len = (run->count - 1) * a->e.step + a->e.bytes;
	if (w->dynamic)
		return win_attach_has(w, run->location, len)
			       ? (char *)(uintptr_t)run->location
			       : NULL;
	if (run->location > (uint64_t)w->bytes ||
	    len > (uint64_t)w->bytes - run->location)
		return NULL;
	return (char *)w->base + run->location;
}

/*
 * Returns how many of n elements at address `at` are in memory of one kind; 0:
 * the first one is in several kinds. *device_p: they are in device memory.
 */
static size_t access_part(const struct access *a, const char *at, size_t n,
			  bool *device_p)
{
	uint64_t len = (n - 1) * a->e.step + a->e.bytes;

	*device_p = a->w->device;
	/* relaxed: an access is ordered after the attachment */
	if (!weft_load32_relaxed(&a->w->devices))
		return n;
	len = win_attach_part(a->w, (uintptr_t)at, len, device_p);
	return len < a->e.bytes ? 0 : (len - a->e.bytes) / a->e.step + 1;
}

/* Executes one run, and advances the arrays. Returns 0 or -errno. */
static int access_run(const struct access *a, char *at, size_t n,
		      struct win_elem_arrays *r)
{
	size_t part, step;
	int rc = 0;

	for (; !rc && n; n -= part, at += step) {
		bool device;

		part = access_part(a, at, n, &device);
		if (!part)
			return -ERANGE;
		if (device)
			rc = win_device_apply(&a->e, at, r, part);
		else
			win_elem_apply(&a->e, at, r, part,
				       a->head->flags & WIN_AM_PLAIN);
		step = part * a->e.step;
		r->in = r->in ? r->in + step : NULL;
		r->compare = r->compare ? r->compare + step : NULL;
		r->old = r->old ? r->old + step : NULL;
	}
	return rc;
}

/* Executes all runs. Returns 0 or -errno. */
static int access_do(const struct access *a)
{
	struct win_elem_arrays r = a->r;
	size_t left = a->head->count;

	for (uint32_t i = 0; i < a->head->runs; i++) {
		size_t n = a->run[i].count;
		char *at = access_place(a, &a->run[i]);
		int rc = at && n <= left ? access_run(a, at, n, &r) : -ERANGE;

		if (rc)
			return rc;
		left -= n;
	}
	/*
	 * otherwise a fetch would return elements that no run has stored in
	 * `old`
	 */
	return left ? -EBADMSG : 0;
}

static void access_serve(struct weft_win *w, int source,
			 const struct win_am *head, const char *body,
			 size_t bytes)
{
	/* old elements of a fetch, protected by the core lock */
	static _Alignas(16) char old[WIN_AM_ARRAY];
	struct access a = { .w = w, .head = head };
	struct win_am answer = { .type = WIN_AM_ANSWER, .id = head->id };
	struct iovec row = { old, 0 };

	if (!access_parse(&a, body, bytes)) {
		answer.error = -EBADMSG;
	} else {
		if (head->flags & WIN_AM_FETCH) {
			a.r.old = old;
			row.iov_len = a.row;
		}
		answer.error = access_do(&a);
	}
	/* `old` may contain data of an earlier access, for another origin */
	if (answer.error)
		row.iov_len = 0;
	respond(w, source, &answer, &row);
}

/* ---- responses ----------------------------------------------------------- */

struct part {
	struct weft_list link;
	struct win_op *op;
	uint32_t id;
	int rank;
	char *old;
	size_t bytes;
};

int win_serve_expect(struct win_op *op, int rank, char *old, size_t bytes,
		     uint32_t *id_p)
{
	struct part *p = malloc(sizeof(*p));

	if (!p)
		return -ENOMEM;
	*p = (struct part){ .op = op,
			    .id = ++op->w->part_ids,
			    .rank = rank,
			    .old = old,
			    .bytes = old ? bytes : 0 };
	weft_list_push_back(&op->w->parts, &p->link);
	op->left++;
	weft_add32(&op->w->pieces, 1);
	*id_p = p->id;
	return 0;
}

static struct part *part_find(struct weft_win *w, int rank, uint32_t id)
{
	struct weft_list *n;

	/* responses of a target arrive in order, so the search is short */
	for (n = w->parts.next; n != &w->parts; n = n->next) {
		struct part *p = weft_container_of(n, struct part, link);

		if (p->id == id && p->rank == rank)
			return p;
	}
	return NULL;
}

static void part_complete(struct part *p, int err)
{
	struct win_op *op = p->op;

	weft_list_remove(&p->link);
	free(p);
	weft_add32(&op->w->pieces, (uint32_t)-1);
	win_op_piece_done(op, err);
}

void win_serve_cancel(struct weft_win *w, int rank, uint32_t id, int err)
{
	part_complete(part_find(w, rank, id), err);
}

static void on_response(struct weft_win *w, int source,
			const struct win_am *head, const char *body,
			size_t bytes)
{
	struct part *p = part_find(w, source, head->id);
	int err = head->error;

	if (!p)
		return;
	if (err > 0 || (!err && bytes != p->bytes))
		err = -EBADMSG;
	if (!err && p->old)
		memcpy(p->old, body, bytes);
	part_complete(p, err);
}

/* ---- entry point --------------------------------------------------------- */

void win_serve(struct weft_win *w, int source, const struct win_am *head,
	       const char *body, size_t bytes)
{
	switch (head->type) {
	case WIN_AM_LOCK:
		win_serve_lock(w, source, head->flags);
		return;
	case WIN_AM_UNLOCK:
		win_serve_unlock(w, source);
		return;
	case WIN_AM_GRANT:
		weft_store32(&w->peer[source].granted, 1);
		break;
	case WIN_AM_POST:
		weft_add32(&w->peer[source].post, 1);
		break;
	case WIN_AM_COMPLETE:
		weft_add32(&w->completes, 1);
		break;
	case WIN_AM_ACCESS:
		access_serve(w, source, head, body, bytes);
		return;
	case WIN_AM_ANSWER:
		on_response(w, source, head, body, bytes);
		return;
	default:
		return;
	}
	weft_progress_notify();
}
