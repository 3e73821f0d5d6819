/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implementation of coll_prog.h. Every call creates a step on the stack;
 * coll_step_add() either executes the step at once or appends it to the
 * recorded steps.
 */
#include "coll/coll_prog.h"

#include "src/base/attr.h"
#include "src/types/types_pack.h"
#include "src/offload/offload_device.h"
#include "src/msg/msg_req.h"
#include "src/msg/msg_wait.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void prog_fail(struct coll_prog *p, int err)
{
	if (!p->err)
		p->err = err;
}

void coll_comm_set(struct coll_prog *p, struct weft_comm *comm)
{
	p->comm = comm;
	p->rank = comm->rank;
	p->size = comm->peers;
}

void coll_prog_init(struct coll_prog *p, const struct weft_coll_args *a,
		    bool record)
{
	memset(p, 0, offsetof(struct coll_prog, inline_msg));
	coll_comm_set(p, a->comm);
	p->record = record;
	p->tag = weft_comm_next_tag(a->comm);
	p->op = a->op;
	p->op_dt = a->r.dt;
	p->msg = p->inline_msg;
	p->msg_room = COLL_INLINE_MSGS;
}

void coll_prog_steps_set(struct coll_prog *p, struct coll_step *room,
			 unsigned n)
{
	p->initial_steps = p->step = room;
	p->step_room = n;
}

static void step_put(struct coll_step *st)
{
	if (st->dt)
		weft_dt_put(st->dt);
	if (st->to_dt)
		weft_dt_put(st->to_dt);
}

void coll_prog_fini(struct coll_prog *p)
{
	struct coll_tmp *t;
	unsigned i;

	for (i = 0; i < p->nstep; i++)
		step_put(&p->step[i]);
	if (p->step != p->initial_steps)
		free(p->step);
	if (p->msg != p->inline_msg)
		free(p->msg);
	while ((t = p->tmp)) {
		p->tmp = t->next;
		free(t);
	}
}

/* ---- execution of a step ---- */

/* Allocates one more message; NULL: out of memory. */
static struct coll_msg *prog_msg(struct coll_prog *p)
{
	unsigned room = p->msg_room * 2;
	struct coll_msg *msg;

	if (p->nmsg == p->msg_room) {
		msg = malloc(room * sizeof(*msg));
		if (!msg)
			return NULL;
		memcpy(msg, p->msg, p->nmsg * sizeof(*msg));
		if (p->msg != p->inline_msg)
			free(p->msg);
		p->msg = msg;
		p->msg_room = room;
	}
	p->msg[p->nmsg] = (struct coll_msg){ NULL, false, 0 };
	return &p->msg[p->nmsg++];
}

/*
 * Handles the result of posting a message; the request of a completed message
 * is freed.
 */
static void msg_posted(struct coll_prog *p, struct coll_msg *m, int rc)
{
	if (rc)
		prog_fail(p, rc);
	if (rc || m->req == weft_req_null_done())
		m->req = NULL;
}

/* ---- failure notices ---- */

static MPI_Count prog_bytes_of(const struct coll_step *st)
{
	return st->n * st->dt->size;
}

static bool err_is_process_end(int err)
{
	return err == -ECONNRESET || err == -EHOSTUNREACH || err == -ESHUTDOWN;
}

/*
 * Returns the length of the failure notice sent in place of a message of
 * `bytes` bytes.
 */
static MPI_Count failure_notice_bytes(int err, MPI_Count bytes)
{
	bool end = err_is_process_end(err);

	if (bytes)
		return end && bytes > 1;
	return end ? 2 : 1;
}

/*
 * Decodes the length of a received message. Returns 0 for data, or the error of
 * a failure notice.
 */
static int failure_notice_err(MPI_Count want, MPI_Count got)
{
	if (weft_likely(got == want || got > 2))
		return 0;
	return got == (want ? 1 : 2) ? -ECONNRESET : -EREMOTEIO;
}

/* ---- messages ---- */

static int send_data(struct coll_prog *p, struct coll_msg *m,
		     const struct coll_step *st)
{
	const struct weft_p2p_args a = { (void *)(uintptr_t)st->buf,
					 st->n,
					 st->dt,
					 st->peer,
					 p->tag,
					 st->comm,
					 WEFT_P2P_COLL };

	return weft_core_isend(&a, &m->req);
}

/* Returns the arguments of a signal or failure notice. */
static struct weft_p2p_args word_args(struct coll_prog *p,
				      const struct coll_step *st, MPI_Count n)
{
	return (struct weft_p2p_args){ p->word,	     n,	     coll_byte(),
				       st->peer,     p->tag, st->comm,
				       WEFT_P2P_COLL };
}

static int send_word(struct coll_prog *p, struct coll_msg *m,
		     const struct coll_step *st)
{
	const struct weft_p2p_args a = word_args(
		p, st, failure_notice_bytes(p->err, prog_bytes_of(st)));

	/*
	 * after a revocation, which interrupts the other members, no notice is
	 * needed
	 */
	if (p->err == -ESTALE)
		return 0;
	return weft_core_isend(&a, &m->req);
}

static void post_send(struct coll_prog *p, const struct coll_step *st)
{
	struct coll_msg *m = prog_msg(p);

	if (!m)
		prog_fail(p, -ENOMEM);
	else
		msg_posted(p, m,
			   weft_unlikely(p->err) ? send_word(p, m, st)
						 : send_data(p, m, st));
}

static int recv_data(struct coll_prog *p, struct coll_msg *m,
		     const struct coll_step *st)
{
	const struct weft_p2p_args a = { st->to,       st->n,  st->dt,
					 st->peer,     p->tag, st->comm,
					 WEFT_P2P_COLL };

	return weft_core_irecv(&a, &m->req);
}

/*
 * Receives a signal or a failure notice into p->word. A failed program may have
 * no buffers, so it receives all messages in p->word, truncated.
 */
static int failure_notice_recv(struct coll_prog *p, struct coll_msg *m,
			       const struct coll_step *st)
{
	const struct weft_p2p_args a = word_args(p, st, sizeof(p->word));

	return weft_core_irecv(&a, &m->req);
}

static void post_recv(struct coll_prog *p, const struct coll_step *st)
{
	struct coll_msg *m = prog_msg(p);

	if (!m) {
		prog_fail(p, -ENOMEM);
		return;
	}
	m->in = !p->err;
	m->want = prog_bytes_of(st);
	msg_posted(p, m,
		   m->in && m->want ? recv_data(p, m, st)
				    : failure_notice_recv(p, m, st));
}

/*
 * Posts an operation to the collective unit. Returns 1, or 0 if the join is not
 * complete yet or earlier operations must be posted first.
 */
static int post_unit(struct coll_prog *p, const struct coll_step *st)
{
	struct weft_route *route = st->route;
	struct coll_msg *m;

	if (!weft_route_may_post(route, &p->ticket))
		return 0;
	m = prog_msg(p);
	if (!m)
		prog_fail(p, -ENOMEM);
	else if (weft_route_state(route) == WEFT_ROUTE_FAILED)
		prog_fail(p, -EIO);
	else
		msg_posted(p, m, weft_route_post(route, &st->call, &m->req));
	weft_route_posted(route, &p->ticket);
	return 1;
}

/* Returns whether message id is complete, and if so frees its request. */
static bool msg_ended(struct coll_prog *p, unsigned id)
{
	struct coll_msg *m = &p->msg[id];
	int rc, word;

	if (!m->req)
		return true;
	if (!p->record)
		weft_req_wait(m->req);
	else if (!weft_req_is_done(m->req))
		return false;
	word = m->in ? failure_notice_err(m->want, m->req->bytes) : 0;
	rc = weft_req_collect(&m->req, MPI_STATUS_IGNORE);
	m->req = NULL;
	if (weft_unlikely(rc || word))
		prog_fail(p, rc ? rc : word);
	return true;
}

static int step_wait_all(struct coll_prog *p)
{
	for (; p->waited < p->nmsg; p->waited++)
		if (!msg_ended(p, p->waited))
			return 0;
	/*
	 * No message is outstanding. In immediate mode message numbers restart
	 * at 0, which keeps the array of messages short.
	 */
	if (!p->record)
		p->nmsg = p->waited = 0;
	return 1;
}

static int step_copy(const struct coll_step *st)
{
	struct weft_typed from = { st->dt, (void *)(uintptr_t)st->buf, st->n };
	struct weft_typed to = { st->to_dt, st->to, st->to_n };

	if (weft_device_used())
		return weft_device_copy(&to, &from);
	weft_pack_copy(&to, &from);
	return 0;
}

int coll_step_do(struct coll_prog *p, const struct coll_step *st)
{
	switch (st->kind) {
	case COLL_SEND:
		post_send(p, st);
		return 1;
	case COLL_RECV:
		post_recv(p, st);
		return 1;
	case COLL_WAIT:
		return msg_ended(p, (unsigned)st->peer);
	case COLL_WAIT_ALL:
		return step_wait_all(p);
	case COLL_REDUCE:
		if (weft_likely(!p->err))
			weft_op_apply(p->op, st->buf, st->to, st->n, st->dt);
		return 1;
	case COLL_COPY:
		if (weft_likely(!p->err))
			prog_fail(p, step_copy(st));
		return 1;
	case COLL_UNIT:
		return post_unit(p, st);
	}
	return 1;
}

/* ---- recording a step ---- */

static int prog_grow(struct coll_prog *p)
{
	unsigned room = p->step_room ? p->step_room * 2 : 32;
	struct coll_step *step = malloc(room * sizeof(*step));

	if (!step)
		return -ENOMEM;
	if (p->nstep)
		memcpy(step, p->step, p->nstep * sizeof(*step));
	if (p->step != p->initial_steps)
		free(p->step);
	p->step = step;
	p->step_room = room;
	return 0;
}

/*
 * Appends a step. The program holds references on the types, since the user may
 * free them before the program completes.
 */
static void prog_append(struct coll_prog *p, const struct coll_step *st)
{
	if (p->nstep == p->step_room && prog_grow(p)) {
		prog_fail(p, -ENOMEM);
		return;
	}
	if (st->dt)
		weft_dt_get(st->dt);
	if (st->to_dt)
		weft_dt_get(st->to_dt);
	p->step[p->nstep++] = *st;
}

static void coll_step_add(struct coll_prog *p, const struct coll_step *st)
{
	if (!p->record)
		coll_step_do(p, st);
	else if (!p->err) /* no step is recorded after an error */
		prog_append(p, st);
}

/* ---- functions called by algorithms ---- */

static unsigned msg_step_add(struct coll_prog *p, struct coll_step *st)
{
	unsigned id = p->nmsg;

	st->comm = p->comm;
	coll_step_add(p, st);
	if (p->record)
		p->nmsg++;
	return id;
}

unsigned coll_send(struct coll_prog *p, const void *buf, MPI_Count n,
		   struct weft_dt *dt, int to)
{
	struct coll_step st = {
		.kind = COLL_SEND,
		.peer = to,
		.buf = buf,
		.n = n,
		.dt = dt,
	};

	if (n * dt->size == 0)
		return COLL_NO_MSG;
	return msg_step_add(p, &st);
}

unsigned coll_recv(struct coll_prog *p, void *buf, MPI_Count n,
		   struct weft_dt *dt, int from)
{
	struct coll_step st = {
		.kind = COLL_RECV,
		.peer = from,
		.to = buf,
		.n = n,
		.dt = dt,
	};

	if (n * dt->size == 0)
		return COLL_NO_MSG;
	return msg_step_add(p, &st);
}

/* Receives n elements (may be 0) and waits for the message. */
static void recv_wait(struct coll_prog *p, void *buf, MPI_Count n,
		      struct weft_dt *dt, int from)
{
	struct coll_step st = {
		.kind = COLL_RECV,
		.peer = from,
		.to = buf,
		.n = n,
		.dt = dt,
	};
	struct weft_p2p_args a = { buf,	   n,	    dt,		  from,
				   p->tag, p->comm, WEFT_P2P_COLL };
	MPI_Count want = prog_bytes_of(&st);
	MPI_Status status;
	int rc;

	if (weft_unlikely(p->record || p->err)) {
		coll_wait(p, msg_step_add(p, &st));
		return;
	}
	if (!want) {
		a.buf = p->word;
		a.count = sizeof(p->word);
	}
	rc = weft_core_recv(&a, &status);
	if (weft_likely(!rc))
		rc = failure_notice_err(want, weft_status_bytes(&status));
	if (weft_unlikely(rc))
		prog_fail(p, rc);
}

void coll_recv_wait(struct coll_prog *p, void *buf, MPI_Count n,
		    struct weft_dt *dt, int from)
{
	if (n * dt->size != 0)
		recv_wait(p, buf, n, dt, from);
}

void coll_unit(struct coll_prog *p, struct weft_route *route,
	       const struct weft_coll_call *call)
{
	int rc;

	if (p->record) {
		struct coll_step st = { .kind = COLL_UNIT,
					.route = route,
					.call = *call };

		msg_step_add(p, &st);
		return;
	}
	if (weft_unlikely(p->err == -ENOMEM))
		return; /* an allocation failed */
	rc = weft_route_run(route, call);
	if (weft_unlikely(rc))
		prog_fail(p, rc);
}

void coll_signal(struct coll_prog *p, int to)
{
	struct coll_step st = {
		.kind = COLL_SEND,
		.peer = to,
		.dt = coll_byte(),
		.buf = p->word,
	};

	msg_step_add(p, &st);
}

void coll_expect(struct coll_prog *p, int from)
{
	recv_wait(p, p->word, 0, coll_byte(), from);
}

void coll_wait(struct coll_prog *p, unsigned id)
{
	struct coll_step st = { .kind = COLL_WAIT, .peer = (int)id };

	if (id != COLL_NO_MSG)
		coll_step_add(p, &st);
}

void coll_wait_all(struct coll_prog *p)
{
	struct coll_step st = { .kind = COLL_WAIT_ALL };

	coll_step_add(p, &st);
}

void coll_reduce(struct coll_prog *p, const void *in, void *inout, MPI_Count n)
{
	struct coll_step st = {
		.kind = COLL_REDUCE,
		.buf = in,
		.to = inout,
		.n = n,
		.dt = p->op_dt,
	};

	if (n)
		coll_step_add(p, &st);
}

/*
 * Returns whether source and destination are the same elements. Equal addresses
 * are not enough: with absolute types both are MPI_BOTTOM.
 */
static bool same_place(const struct coll_step *st)
{
	return st->buf == st->to && st->dt == st->to_dt && st->n == st->to_n;
}

void coll_copy(struct coll_prog *p, const void *from, MPI_Count n,
	       struct weft_dt *dt, void *to, MPI_Count to_n,
	       struct weft_dt *to_dt)
{
	struct coll_step st = {
		.kind = COLL_COPY,
		.buf = from,
		.n = n,
		.dt = dt,
		.to = to,
		.to_n = to_n,
		.to_dt = to_dt,
	};

	if (!same_place(&st) && n * dt->size != 0)
		coll_step_add(p, &st);
}

/* ---- temporary buffers ---- */

void *coll_bytes(struct coll_prog *p, MPI_Count bytes)
{
	size_t need = ((size_t)bytes + 15) & ~(size_t)15;
	size_t head = (sizeof(struct coll_tmp) + 15) & ~(size_t)15;
	struct coll_tmp *t;

	if (need <= sizeof(p->inline_bytes) - p->inline_used) {
		p->inline_used += need;
		return p->inline_bytes + p->inline_used - need;
	}
	t = malloc(head + need);
	if (!t) {
		prog_fail(p, -ENOMEM);
		return NULL;
	}
	t->next = p->tmp;
	p->tmp = t;
	return (char *)t + head;
}

void *coll_first_elem(char *block, MPI_Count n, const struct weft_dt *dt)
{
	if (dt->extent < 0 && n > 0)
		block -= (n - 1) * dt->extent;
	return block - dt->true_lb;
}

void *coll_elems(struct coll_prog *p, MPI_Count n, const struct weft_dt *dt)
{
	char *tmp = coll_bytes(p, weft_dt_span(dt, n));

	return tmp ? coll_first_elem(tmp, n, dt) : NULL;
}
