/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned communication (msg_partitioned.h). */
#include "src/msg/msg_partitioned.h"

#include "src/offload/offload_device.h"
#include "src/core/core_lock.h"
#include "src/msg/msg.h"
#include "src/msg/msg_progress.h"
#include "src/comm/comm_channel.h"
#include "src/msg/msg_wait.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct hello {
	int64_t partitions;
	int64_t bytes; /* size of each partition in bytes */
	int32_t id; /* tag of the welcome, the receiver's answer to the hello */
	int32_t proc;
};

/*
 * Receive of a hello. It outlives a request that is freed before the hello has
 * arrived, so that no later request gets this hello.
 */
struct hello_recv {
	struct weft_list link;
	struct weft_req *req;
	struct hello hello;
};

struct part {
	struct weft_req req;
	struct weft_p2p_args a;
	int fault;	/* first error of a partition, in the receiver */
	int partitions; /* number of partitions of this side */
	/*
	 * number of the sender's messages; one empty message if there are no
	 * partitions
	 */
	int pieces;
	bool sends;
	/* the hello (receiver) or welcome (sender) has arrived */
	bool known;
	struct hello hello; /* the sender's hello */
	/* receive of the hello, in the receiver until it has arrived */
	struct hello_recv *hello_recv;
	int32_t base; /* tag of partition 0 */
	/* receive of the welcome, in the sender */
	struct weft_req *welcome_recv;
	struct weft_req *handshake_send; /* send of the hello or welcome */
	/* state of each partition in the sender: 1 ready, 2 sent */
	weft_au32 *ready;
	weft_au32 marked; /* number of partitions declared ready */
	uint32_t sent;
	int unsent;    /* all partitions before this index are sent */
	int completed; /* all partitions before this index are complete */
	struct weft_req **reqs; /* requests, one per partition of the sender */
	/* packed data in the receiver, if the type is not contiguous */
	char *copy;
	/* the receives of this start are posted, in the receiver */
	bool posted;
	struct weft_persist persist;
};

/*
 * Lock between the thread that steps the request and a thread in MPI_Parrived;
 * taken before the core's lock.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Returns a communicator of all processes, in the library's context. Another
 * job may number these processes differently, but the receiver chooses the
 * tags, so messages are not confused.
 */
static struct weft_comm *library_comm(void)
{
	static struct weft_comm lib;
	static int *all; /* all processes, in order; never freed */

	weft_lock();
	if (!all)
		all = malloc((size_t)weft_core.proc_room * sizeof(*all));
	if (all && !lib.proc) {
		for (int i = 0; i < weft_core.proc_room; i++)
			all[i] = i;
		weft_channel_scratch(&lib, 0, all, weft_core.proc_room,
				     weft_core.job.rank);
	}
	weft_unlock();
	return &lib;
}

/* Returns the first of n new tags that are not in use in this process. */
static int32_t new_tags(int n)
{
	static int32_t next;
	int32_t tag;

	weft_lock();
	if (next > INT32_MAX - n)
		next = 0;
	tag = next;
	next += n;
	weft_unlock();
	return tag;
}

static struct weft_dt *byte_type(void)
{
	return weft_dt_of(MPI_BYTE);
}

/* ---- the sender ---------------------------------------------------------- */

static int send_hello(struct part *p)
{
	struct weft_p2p_args welcome = {
		.buf = &p->base,
		.count = sizeof(p->base),
		.dt = byte_type(),
		.peer = MPI_ANY_SOURCE,
		.comm = library_comm(),
		.mode = WEFT_P2P_COLL,
	};
	const struct weft_p2p_args hello = { &p->hello,	   sizeof(p->hello),
					     byte_type(),  p->a.peer,
					     p->a.tag,	   p->a.comm,
					     WEFT_P2P_CTRL };
	int rc;

	p->hello.partitions = p->pieces;
	p->hello.bytes = p->a.count * p->a.dt->size;
	p->hello.id = new_tags(1);
	p->hello.proc = weft_core.job.rank;
	welcome.tag = p->hello.id;
	rc = weft_core_irecv(&welcome, &p->welcome_recv);
	return rc ? rc : weft_core_isend(&hello, &p->handshake_send);
}

static int send_one(struct part *p, int i)
{
	const struct weft_p2p_args a = {
		(char *)p->a.buf + i * p->a.count * p->a.dt->extent,
		p->a.count,
		p->a.dt,
		p->a.comm->proc[p->a.peer],
		p->base + i,
		library_comm(),
		WEFT_P2P_GROUP
	};

	return weft_core_isend(&a, &p->reqs[i]);
}

/*
 * Sends partitions that are ready; stops after the last one that was declared
 * ready.
 */
static int send_ready(struct part *p)
{
	uint32_t marked = weft_load32(&p->marked);
	int i, rc = 0;

	for (i = p->unsent; i < p->pieces && p->sent < marked && !rc; i++) {
		/* A4 pairs with R4 in weft_partitioned_ready() */
		if (weft_load32(&p->ready[i]) != 1)
			continue;
		rc = send_one(p, i);
		/* relaxed: only the stepping thread uses the value 2 */
		weft_store32_relaxed(&p->ready[i], 2);
		p->sent++;
	}
	while (p->unsent < p->pieces && weft_load32(&p->ready[p->unsent]) == 2)
		p->unsent++;
	return rc;
}

static int send_step(struct part *p)
{
	int i, rc = 0;

	if (!p->known) {
		if (!weft_req_is_done(p->welcome_recv))
			return 0;
		rc = weft_req_collect(&p->welcome_recv, MPI_STATUS_IGNORE);
		p->known = true;
	}
	if (!rc)
		rc = send_ready(p);
	while (!rc && p->completed < p->unsent &&
	       weft_req_is_done(p->reqs[p->completed]))
		p->completed++;
	if (rc || p->completed < p->pieces)
		return rc;
	for (i = 0; i < p->pieces; i++) {
		int e = weft_req_collect(&p->reqs[i], MPI_STATUS_IGNORE);

		rc = rc ? rc : e;
	}
	return rc ? rc : 1;
}

/* ---- the receiver -------------------------------------------------------- */

static int expect_hello(struct part *p)
{
	struct hello_recv *l = calloc(1, sizeof(*l));
	struct weft_p2p_args a = p->a;
	int rc;

	if (!l)
		return -ENOMEM;
	a.buf = &l->hello;
	a.count = sizeof(l->hello);
	a.dt = byte_type();
	a.mode = WEFT_P2P_CTRL;
	rc = weft_core_irecv(&a, &l->req);
	if (rc)
		free(l);
	else
		p->hello_recv = l;
	return rc;
}

/*
 * Receives for the hello messages of requests that were freed before the
 * message arrived.
 */
static struct weft_list orphan_hellos = { &orphan_hellos, &orphan_hellos };

static void defer_hello_recv(struct hello_recv *l)
{
	pthread_mutex_lock(&lock);
	weft_list_push_back(&orphan_hellos, &l->link);
	pthread_mutex_unlock(&lock);
	weft_partitioned_reap();
}

void weft_partitioned_reap(void)
{
	struct weft_list *pos, *tmp;

	pthread_mutex_lock(&lock);
	weft_list_each(pos, tmp, &orphan_hellos) {
		struct hello_recv *l =
			weft_container_of(pos, struct hello_recv, link);

		if (!weft_req_is_done(l->req))
			continue;
		weft_req_collect(&l->req, MPI_STATUS_IGNORE);
		weft_list_remove(&l->link);
		free(l);
	}
	pthread_mutex_unlock(&lock);
}

/*
 * Called when the hello has arrived: checks that the sizes agree, and sends the
 * welcome with the tags.
 */
static int send_welcome(struct part *p)
{
	MPI_Count total = p->partitions * p->a.count * p->a.dt->size;
	struct weft_p2p_args welcome;
	int rc = weft_req_collect(&p->hello_recv->req, MPI_STATUS_IGNORE);

	p->hello = p->hello_recv->hello;
	free(p->hello_recv);
	p->hello_recv = NULL;
	p->known = true;
	if (rc)
		return rc;
	if (p->hello.partitions < 1 || p->hello.partitions > INT32_MAX ||
	    p->hello.bytes * p->hello.partitions > total)
		return -EMSGSIZE;
	p->reqs = calloc((size_t)p->hello.partitions, sizeof(*p->reqs));
	if (!p->reqs)
		return -ENOMEM;
	if (!weft_dt_is_contig(p->a.dt)) {
		p->copy = malloc((size_t)total + 1);
		if (!p->copy)
			return -ENOMEM;
	}
	p->base = new_tags((int)p->hello.partitions);
	welcome = (struct weft_p2p_args){
		&p->base,     sizeof(p->base),
		byte_type(),  p->a.comm->proc[p->a.peer],
		p->hello.id,  library_comm(),
		WEFT_P2P_COLL
	};
	return weft_core_isend(&welcome, &p->handshake_send);
}

static int post_all(struct part *p)
{
	char *to = p->copy ? p->copy : weft_p2p_start(p->a.buf, p->a.dt);
	struct weft_p2p_args a = {
		to,	 p->hello.bytes, byte_type(),	p->hello.proc,
		p->base, library_comm(), WEFT_P2P_GROUP
	};
	int i, rc = 0;

	for (i = 0; i < p->hello.partitions && !rc; i++) {
		a.buf = to + i * p->hello.bytes;
		a.tag = p->base + i;
		rc = weft_core_irecv(&a, &p->reqs[i]);
	}
	p->posted = true;
	return rc;
}

/* Returns whether the sender's partition i has arrived; frees its request. */
static bool has_arrived(struct part *p, MPI_Count i)
{
	struct weft_typed t = { p->a.dt, p->a.buf, p->a.count * p->partitions };
	int rc;

	if (!p->reqs[i])
		return true;
	if (!weft_req_is_done(p->reqs[i]))
		return false;
	rc = weft_req_collect(&p->reqs[i], MPI_STATUS_IGNORE);
	p->fault = p->fault ? p->fault : rc;
	p->reqs[i] = NULL;
	if (p->copy)
		rc = weft_core_unpack(&t, (size_t)(i * p->hello.bytes),
				      p->copy + i * p->hello.bytes,
				      (size_t)p->hello.bytes);
	p->fault = p->fault ? p->fault : rc;
	return true;
}

static int recv_step(struct part *p)
{
	int rc = 0;

	if (!p->known) {
		if (!weft_req_is_done(p->hello_recv->req))
			return 0;
		rc = send_welcome(p);
	}
	if (!rc && !p->posted)
		rc = post_all(p);
	while (!rc && p->completed < p->hello.partitions &&
	       has_arrived(p, p->completed))
		p->completed++;
	if (rc || p->completed < p->hello.partitions)
		return rc;
	p->req.source = p->a.peer;
	p->req.tag = p->a.tag;
	p->req.bytes = p->hello.bytes * p->hello.partitions;
	return p->fault ? p->fault : 1;
}

/* ---- the request --------------------------------------------------------- */

static int part_step(struct weft_req *r)
{
	struct part *p = weft_container_of(r, struct part, req);
	int rc;

	pthread_mutex_lock(&lock);
	rc = p->sends ? send_step(p) : recv_step(p);
	pthread_mutex_unlock(&lock);
	return rc;
}

static int part_start(struct weft_req *r)
{
	struct part *p = weft_container_of(r, struct part, req);
	int i;

	r->error = 0;
	/* relaxed: the request is inactive, so no thread waits for it */
	weft_store32_relaxed(&r->done, 0);
	r->flags |= WEFT_REQ_ACTIVE;
	p->posted = false;
	/* relaxed here and below: no other thread sees this request yet */
	weft_store32_relaxed(&p->marked, 0);
	p->sent = 0;
	p->unsent = p->completed = 0;
	p->fault = 0;
	for (i = 0; p->sends && i < p->pieces; i++)
		weft_store32_relaxed(&p->ready[i], 0);
	if (p->sends && !p->partitions) {
		weft_store32_relaxed(&p->ready[0], 1);
		weft_store32_relaxed(&p->marked, 1);
	}
	if (p->a.peer == MPI_PROC_NULL) {
		r->source = MPI_PROC_NULL;
		weft_lock();
		weft_req_complete(r, 0);
		weft_unlock();
		return 0;
	}
	weft_progress_add(r);
	return 0;
}

static void part_free(struct weft_req *r)
{
	struct part *p = weft_container_of(r, struct part, req);

	if (p->hello_recv)
		defer_hello_recv(p->hello_recv);
	if (p->welcome_recv && !p->known) {
		p->welcome_recv->ops->cancel(p->welcome_recv);
		weft_req_finish(p->welcome_recv);
	}
	if (p->handshake_send)
		weft_req_finish(p->handshake_send);
	weft_persist_remove(&p->persist);
	weft_comm_put(p->a.comm);
	weft_dt_put(p->a.dt);
	r->obj.kind = WEFT_KIND_FREE;
	free(p->ready);
	free(p->reqs);
	free(p->copy);
	free(p);
}

static const struct weft_req_ops part_ops = {
	.name = "partitioned",
	.start = part_start,
	.cancel = weft_req_no_cancel,
	.step = part_step,
	.query = weft_req_no_query,
	.free = part_free,
};

/*
 * Returns the number of references on the communicator: one for the request,
 * and one for the receive of its hello.
 */
static unsigned part_holds(const struct weft_req *r)
{
	const struct part *p = weft_container_of(r, const struct part, req);
	const struct weft_req *hello = p->sends	       ? p->handshake_send
				       : p->hello_recv ? p->hello_recv->req
						       : NULL;

	return hello && !(hello->flags & WEFT_REQ_CONST) ? 2 : 1;
}

static struct part *part_open(const struct weft_p2p_args *a, int partitions,
			      bool sends)
{
	struct part *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	weft_req_init(&p->req, &part_ops, a->comm,
		      WEFT_REQ_PERSISTENT | WEFT_REQ_PARTITIONED |
			      (sends ? WEFT_REQ_SEND : 0));
	p->a = *a;
	p->partitions = partitions;
	p->pieces = partitions ? partitions : 1;
	if (!partitions)
		p->a.count = 0;
	p->sends = sends;
	weft_comm_get(a->comm);
	weft_dt_get(a->dt);
	weft_persist_add(&p->persist, &p->req, part_holds);
	return p;
}

int weft_partitioned_send_init(const struct weft_p2p_args *a, int partitions,
			       struct weft_req **req_p)
{
	struct part *p = part_open(a, partitions, true);
	int rc = 0;

	if (!p)
		return -ENOMEM;
	p->ready = calloc((size_t)partitions + 1, sizeof(*p->ready));
	p->reqs = calloc((size_t)partitions + 1, sizeof(*p->reqs));
	if (!p->ready || !p->reqs)
		rc = -ENOMEM;
	else if (a->peer != MPI_PROC_NULL)
		rc = send_hello(p);
	if (rc)
		part_free(&p->req);
	else
		*req_p = &p->req;
	return rc;
}

int weft_partitioned_recv_init(const struct weft_p2p_args *a, int partitions,
			       struct weft_req **req_p)
{
	struct part *p = part_open(a, partitions, false);
	int rc;

	if (!p)
		return -ENOMEM;
	rc = a->peer == MPI_PROC_NULL ? 0 : expect_hello(p);
	if (rc)
		part_free(&p->req);
	else
		*req_p = &p->req;
	return rc;
}

int weft_partitioned_ready(struct weft_req *r, int first, int last)
{
	struct part *p = weft_container_of(r, struct part, req);
	int i;

	if (!(r->flags & WEFT_REQ_PARTITIONED) || !p->sends ||
	    !(r->flags & WEFT_REQ_ACTIVE) || first < 0 || last < first ||
	    last >= p->partitions)
		return -EINVAL;
	/* relaxed: only to detect partitions declared ready twice */
	for (i = first; i <= last; i++)
		if (weft_load32_relaxed(&p->ready[i]))
			return -EINVAL;
	for (i = first; i <= last; i++)
		/* R4 pairs with A4 in send_ready() */
		weft_store32(&p->ready[i], 1);
	weft_add32(&p->marked, (uint32_t)(last - first + 1));
	weft_progress();
	return 0;
}

/*
 * Returns whether all partitions of the sender that overlap with this partition
 * of the receiver have arrived. The overlap is computed in bytes or, if there
 * is no data, from the numbers of partitions.
 */
static bool partition_arrived(struct part *p, int partition)
{
	MPI_Count mine = p->a.count * p->a.dt->size, theirs = p->hello.bytes;
	MPI_Count i, last;

	if (weft_req_is_done(&p->req))
		return true;
	if (!p->posted)
		return false;
	if (!mine || !theirs) {
		mine = p->hello.partitions;
		theirs = p->partitions;
	}
	last = ((partition + 1) * mine - 1) / theirs;
	for (i = partition * mine / theirs; i <= last; i++)
		if (i < p->hello.partitions && !has_arrived(p, i))
			return false;
	return true;
}

int weft_partitioned_arrived(struct weft_req *r, int partition, int *flag)
{
	struct part *p = weft_container_of(r, struct part, req);

	if (!(r->flags & WEFT_REQ_PARTITIONED) || p->sends || partition < 0 ||
	    partition >= p->partitions)
		return -EINVAL;
	*flag = 1;
	if (!(r->flags & WEFT_REQ_ACTIVE) || p->a.peer == MPI_PROC_NULL)
		return 0;
	weft_progress_poll(&r, 1, false);
	pthread_mutex_lock(&lock);
	*flag = partition_arrived(p, partition);
	pthread_mutex_unlock(&lock);
	return 0;
}
