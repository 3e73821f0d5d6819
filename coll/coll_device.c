/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of vectors in device memory. CPUs and collective units combine
 * vectors in host memory, so the input is copied to host memory at the start
 * and the result is copied back at the end; in between the operation is the
 * same as on ranks with host buffers. Operations that only move data are not
 * staged: messages and copies accept device buffers.
 */
#include "coll/coll_device.h"

#include "coll/coll_prog.h"
#include "src/comm/comm.h"
#include "src/offload/offload_device.h"
#include "src/msg/msg_persist.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_req.h"

#include <errno.h>
#include <stdlib.h>

struct staged {
	struct weft_req req;
	struct weft_req *inner;
	struct weft_coll_args user; /* the user's arguments */
	struct weft_coll_args host;
	MPI_Count in, out; /* number of elements of input and output */
	void *s_block, *r_block;
	struct weft_persist persist;
};

/*
 * Allocates host memory for a vector. Returns the block, or NULL if there is no
 * memory; *first_p: address of the first element.
 */
static void *host_buffer_alloc(MPI_Count n, const struct weft_dt *dt,
			       void **first_p)
{
	char *block = calloc(1, (size_t)weft_dt_span(dt, n) + 1);

	*first_p = block ? coll_first_elem(block, n, dt) : NULL;
	return block;
}

static int copy(void *to, const void *from, MPI_Count n, struct weft_dt *dt)
{
	struct weft_typed t = { dt, to, n };
	struct weft_typed f = { dt, (void *)(uintptr_t)from, n };

	return weft_device_copy(&t, &f);
}

static bool is_device(const struct weft_coll_args *a, const void *buf)
{
	return buf && buf != MPI_IN_PLACE &&
	       weft_device_owns((const char *)buf + a->r.dt->true_lb);
}

/* Returns whether the receive buffer is significant on this rank. */
static bool gets_result(const struct weft_coll_args *a)
{
	if (a->kind != WEFT_COLL_REDUCE)
		return true;
	return a->comm->inter ? a->root == MPI_ROOT : a->root == a->comm->rank;
}

bool coll_on_device(const struct weft_coll_args *a)
{
	return a->op && (is_device(a, a->s.buf) ||
			 (gets_result(a) && is_device(a, a->r.buf)));
}

static void lengths_set(struct staged *s)
{
	const struct weft_coll_args *a = &s->user;

	s->in = s->out = a->r.count;
	if (a->kind != WEFT_COLL_REDUCE_SCATTER)
		return;
	if (!a->r.counts.at) {
		s->in = a->r.count * a->comm->size;
		return;
	}
	s->in = 0;
	for (int i = 0; i < a->comm->size; i++)
		s->in += weft_coll_num(&a->r.counts, i);
	s->out = weft_coll_num(&a->r.counts, a->comm->rank);
}

static int staged_init(struct staged *s, const struct weft_coll_args *a)
{
	s->user = s->host = *a;
	s->inner = NULL;
	s->s_block = s->r_block = NULL;
	lengths_set(s);
	if (is_device(a, a->s.buf)) {
		s->s_block = host_buffer_alloc(s->in, a->r.dt, &s->host.s.buf);
		if (!s->s_block)
			return -ENOMEM;
	}
	if (gets_result(a) && is_device(a, a->r.buf)) {
		s->r_block = host_buffer_alloc(s->in > s->out ? s->in : s->out,
					       a->r.dt, &s->host.r.buf);
		if (!s->r_block)
			return -ENOMEM;
	}
	return 0;
}

static void staged_fini(struct staged *s)
{
	free(s->s_block);
	free(s->r_block);
}

/*
 * Copies the input to host memory. For an exclusive scan, also copies the
 * receive buffer, because on rank 0 it must keep its contents.
 */
static int staged_in(struct staged *s)
{
	const struct weft_coll_args *a = &s->user;
	bool in_place = a->s.buf == MPI_IN_PLACE;
	int rc = 0;

	if (s->s_block)
		rc = copy(s->host.s.buf, a->s.buf, s->in, a->r.dt);
	if (!rc && s->r_block && (in_place || a->kind == WEFT_COLL_EXSCAN))
		rc = copy(s->host.r.buf, a->r.buf, in_place ? s->in : s->out,
			  a->r.dt);
	return rc;
}

static int staged_out(struct staged *s)
{
	return s->r_block ? copy(s->user.r.buf, s->host.r.buf, s->out,
				 s->user.r.dt)
			  : 0;
}

int coll_device_run(const struct weft_coll_args *a)
{
	struct staged s;
	int rc = staged_init(&s, a);

	if (!rc)
		rc = staged_in(&s);
	if (!rc)
		rc = coll_run_host(&s.host);
	if (!rc)
		rc = staged_out(&s);
	staged_fini(&s);
	return rc;
}

/* ---- staged reductions as requests ---- */

static struct staged *staged_of(struct weft_req *r)
{
	return weft_container_of(r, struct staged, req);
}

static int req_start(struct weft_req *r)
{
	struct staged *s = staged_of(r);
	int rc;

	rc = staged_in(s);
	if (!rc)
		rc = s->inner->ops->start(s->inner);
	if (rc)
		return rc;
	r->error = 0;
	/* relaxed: the request is inactive, so no thread waits for it */
	weft_store32_relaxed(&r->done, 0);
	r->flags |= WEFT_REQ_ACTIVE;
	weft_progress_add(r);
	return 0;
}

static int req_step(struct weft_req *r)
{
	struct staged *s = staged_of(r);
	int rc;

	if (!weft_req_is_done(s->inner))
		return 0;
	rc = weft_req_collect(&s->inner, MPI_STATUS_IGNORE);
	if (!rc)
		rc = staged_out(s);
	return rc ? rc : 1;
}

static void req_free(struct weft_req *r)
{
	struct staged *s = staged_of(r);
	struct weft_comm *comm = r->comm;

	if (r->flags & WEFT_REQ_PERSISTENT)
		weft_persist_remove(&s->persist);
	if (s->inner)
		weft_req_release(s->inner);
	weft_dt_put(s->user.r.dt);
	staged_fini(s);
	r->obj.kind = WEFT_KIND_FREE;
	free(s);
	weft_comm_put(comm);
}

static const struct weft_req_ops staged_ops = {
	.name = "collective",
	.start = req_start,
	.cancel = weft_req_no_cancel,
	.step = req_step,
	.query = weft_req_no_query,
	.free = req_free,
};

static int staged_open(const struct weft_coll_args *a, uint32_t flags,
		       struct staged **s_p)
{
	struct staged *s = malloc(sizeof(*s));
	int rc = s ? staged_init(s, a) : -ENOMEM;

	if (rc) {
		if (s)
			staged_fini(s);
		free(s);
		return rc;
	}
	weft_req_init(&s->req, &staged_ops, a->comm, flags | WEFT_REQ_SEND);
	*s_p = s;
	return 0;
}

/*
 * Takes references on the objects of the call, which the application may free
 * before completion.
 */
static void staged_hold(struct staged *s, struct weft_req **req_p)
{
	weft_comm_get(s->user.comm);
	if (s->req.flags & WEFT_REQ_PERSISTENT)
		weft_persist_add(&s->persist, &s->req, NULL);
	weft_dt_get(s->user.r.dt);
	*req_p = &s->req;
}

static void staged_drop(struct staged *s)
{
	staged_fini(s);
	free(s);
}

int coll_device_start(const struct weft_coll_args *a, struct weft_req **req_p)
{
	struct staged *s;
	int rc = staged_open(a, WEFT_REQ_ACTIVE, &s);

	if (rc)
		return rc;
	rc = staged_in(s);
	if (!rc)
		rc = weft_coll_start(&s->host, &s->inner);
	if (rc) {
		staged_drop(s);
		return rc;
	}
	staged_hold(s, req_p);
	weft_progress_add(&s->req);
	return 0;
}

int coll_device_init(const struct weft_coll_args *a, struct weft_req **req_p)
{
	struct staged *s;
	int rc = staged_open(a, WEFT_REQ_PERSISTENT, &s);

	if (rc)
		return rc;
	rc = weft_coll_init(&s->host, &s->inner);
	if (rc)
		staged_drop(s);
	else
		staged_hold(s, req_p);
	return rc;
}
