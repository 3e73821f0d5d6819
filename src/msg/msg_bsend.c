/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffered sends (msg_bsend.h). One lock protects all buffers; it is taken
 * before the core's lock.
 */
#include "src/msg/msg_bsend.h"

#include "src/comm/comm_session.h"
#include "src/offload/offload_device.h"
#include "src/core/core_lock.h"
#include "src/msg/msg.h"
#include "src/msg/msg_progress.h"

#include <errno.h>
#include <stdlib.h>

#define ALIGN 16

/*
 * Header of one message, followed by the message's data. Lists are ordered by
 * address.
 */
struct seg {
	struct weft_list link;
	size_t bytes; /* size in bytes with the header, rounded up to ALIGN */
	struct weft_req *req;
};

struct weft_bsend {
	char *base; /* start of the buffer; NULL: each segment is allocated */
	size_t size;
	struct weft_list segs;
	void *given; /* buffer as the application passed it */
	MPI_Count given_size;
};

static_assert(sizeof(struct seg) + ALIGN <= MPI_BSEND_OVERHEAD,
	      "MPI_BSEND_OVERHEAD covers header and alignment");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_bsend *process;

struct weft_bsend **weft_bsend_process(void)
{
	return &process;
}

int weft_bsend_attach(struct weft_bsend **where, void *base, MPI_Count size)
{
	struct weft_bsend *b;
	uintptr_t up = (uintptr_t)base + (ALIGN - 1);

	if (*where)
		return -EBUSY;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->given = base;
	b->given_size = size;
	weft_list_init(&b->segs);
	up -= up % ALIGN;
	if (base != MPI_BUFFER_AUTOMATIC) {
		b->base = (char *)up;
		if (up - (uintptr_t)base < (size_t)size)
			b->size = (size_t)size - (up - (uintptr_t)base);
	}
	*where = b;
	return 0;
}

/* Frees the space of messages that have been sent. Requires the lock. */
static void reap(struct weft_bsend *b)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &b->segs) {
		struct seg *s = weft_container_of(pos, struct seg, link);

		if (!weft_req_is_done(s->req))
			continue;
		weft_req_collect(&s->req, MPI_STATUS_IGNORE);
		weft_list_remove(&s->link);
		if (!b->base)
			free(s);
	}
}

static bool is_empty(struct weft_bsend *b)
{
	bool empty;

	pthread_mutex_lock(&lock);
	reap(b);
	empty = weft_list_empty(&b->segs);
	pthread_mutex_unlock(&lock);
	return empty;
}

/* Returns an outstanding request, for the deadlock report. */
static struct weft_req *const *first_of(const struct weft_bsend *b)
{
	return &weft_container_of(b->segs.next, struct seg, link)->req;
}

void weft_bsend_flush(struct weft_bsend **where)
{
	struct weft_idle w = weft_idle_begin(NULL, 0, false);

	while (*where && !is_empty(*where)) {
		w.req = first_of(*where);
		w.nreq = weft_core.traits.reports_waits;
		weft_idle_pass(&w);
	}
}

void weft_bsend_reap(struct weft_bsend **where)
{
	if (*where)
		is_empty(*where);
}

void weft_bsend_detach(struct weft_bsend **where, void **base_p,
		       MPI_Count *size_p)
{
	struct weft_bsend *b = *where;

	*base_p = NULL;
	*size_p = 0;
	if (!b)
		return;
	weft_bsend_flush(where);
	*base_p = b->given;
	*size_p = b->given_size;
	*where = NULL;
	free(b);
}

/* Allocates a segment in the first gap that is large enough. */
static struct seg *alloc_seg(struct weft_bsend *b, size_t bytes)
{
	struct weft_list *pos, *tmp;
	struct weft_list *after = &b->segs;
	char *gap = b->base;
	struct seg *s;

	if (!b->base) {
		s = malloc(bytes);
		after = b->segs.prev;
	} else {
		weft_list_each(pos, tmp, &b->segs) {
			if ((size_t)((char *)pos - gap) >= bytes)
				break;
			s = weft_container_of(pos, struct seg, link);
			gap = (char *)s + s->bytes;
			after = pos;
		}
		if (gap + bytes > b->base + b->size && after == b->segs.prev)
			return NULL;
		s = (struct seg *)(void *)gap;
	}
	if (!s)
		return NULL;
	s->bytes = bytes;
	weft_list_insert_after(after, &s->link);
	return s;
}

static int send_from(struct weft_bsend *b, const struct weft_p2p_args *a)
{
	struct weft_typed t = { a->dt, a->buf, a->count };
	size_t data = weft_typed_bytes(&t);
	size_t bytes = (sizeof(struct seg) + data + ALIGN - 1) / ALIGN * ALIGN;
	struct weft_p2p_args packed = *a;
	struct seg *s;
	int rc;

	reap(b);
	s = alloc_seg(b, bytes);
	if (!s)
		return -ENOBUFS;
	packed.buf = s + 1;
	packed.count = (MPI_Count)data;
	packed.dt = weft_dt_of(MPI_BYTE);
	rc = weft_core_pack(&t, 0, s + 1, data);
	if (!rc)
		rc = weft_core_isend(&packed, &s->req);
	if (rc) {
		weft_list_remove(&s->link);
		if (!b->base)
			free(s);
	}
	return rc;
}

/* Returns the buffer of c, of its session, or of the process; or NULL. */
static struct weft_bsend *buffer_of(const struct weft_comm *c)
{
	const struct weft_session *s = c->group->session;

	if (c->bsend)
		return c->bsend;
	return s && s->bsend ? s->bsend : process;
}

int weft_core_bsend(const struct weft_p2p_args *a)
{
	struct weft_bsend *b = buffer_of(a->comm);
	int rc;

	if (a->peer == MPI_PROC_NULL)
		return 0;
	if (!b)
		return -ENOBUFS;
	pthread_mutex_lock(&lock);
	rc = send_from(b, a);
	pthread_mutex_unlock(&lock);
	if (rc != -ENOBUFS)
		return rc;
	weft_progress(); /* completed sends free buffer space */
	pthread_mutex_lock(&lock);
	rc = send_from(b, a);
	pthread_mutex_unlock(&lock);
	return rc;
}

/* ---- requests ------------------------------------------------------------ */

struct breq {
	struct weft_req req;
	struct weft_p2p_args a;	   /* arguments of a persistent buffered send */
	struct weft_bsend **where; /* buffer of a flush; NULL: not a flush */
	struct weft_persist persist;
};

static int breq_start(struct weft_req *r)
{
	struct breq *q = weft_container_of(r, struct breq, req);
	int rc = weft_core_bsend(&q->a);

	if (rc)
		return rc;
	r->flags |= WEFT_REQ_ACTIVE;
	weft_lock();
	weft_req_complete(r, 0);
	weft_unlock();
	return 0;
}

static int flush_step(struct weft_req *r)
{
	struct breq *q = weft_container_of(r, struct breq, req);

	return !*q->where || is_empty(*q->where);
}

static void breq_free(struct weft_req *r)
{
	struct breq *q = weft_container_of(r, struct breq, req);

	if (q->a.comm) {
		weft_persist_remove(&q->persist);
		weft_comm_put(q->a.comm);
		weft_dt_put(q->a.dt);
	}
	r->obj.kind = WEFT_KIND_FREE;
	free(q);
}

static const struct weft_req_ops breq_ops = {
	.name = "buffered send",
	.start = breq_start,
	.cancel = weft_req_no_cancel,
	.step = flush_step,
	.query = weft_req_no_query,
	.free = breq_free,
};

int weft_core_bsend_init(const struct weft_p2p_args *a, struct weft_req **req_p)
{
	struct breq *q = calloc(1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	weft_req_init(&q->req, &breq_ops, a->comm,
		      WEFT_REQ_PERSISTENT | WEFT_REQ_SEND);
	q->a = *a;
	weft_comm_get(a->comm);
	weft_dt_get(a->dt);
	weft_persist_add(&q->persist, &q->req, NULL);
	*req_p = &q->req;
	return 0;
}

int weft_bsend_iflush(struct weft_bsend **where, struct weft_req **req_p)
{
	struct breq *q = calloc(1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	weft_req_init(&q->req, &breq_ops, NULL,
		      WEFT_REQ_ACTIVE | WEFT_REQ_SEND);
	q->where = where;
	*req_p = &q->req;
	weft_progress_add(&q->req);
	return 0;
}
