/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution of the calls of a rank. Every value of a call is checked: a trace
 * is input, and may be wrong.
 */
#include "src/tools/replay/replay_int.h"

#include "coll/coll.h"
#include "src/msg/msg_tag.h"
#include "src/tools/replay/replay_call.h"
#include "src/types/types_dt.h"

#include <errno.h>
#include <stdlib.h>

static void bad_call(const char *what, long long value)
{
	struct replay_rank *r = replay_me;
	char at[128] = "";

	r->program->source->where(r->program->source, r->local, at, sizeof(at));
	replay_fail("rank %u, call %llu (%s)%s: %s %lld", r->local,
		    (unsigned long long)r->call_number, r->call, at, what,
		    value);
}

/* ---- requests of the trace ----------------------------------------------- */

static struct replay_open *find_open(uint64_t id)
{
	struct replay_rank *r = replay_me;

	for (unsigned i = r->opens; i-- > 0;)
		if (r->open[i].id == id)
			return &r->open[i];
	return NULL;
}

static void add_open(uint64_t id, struct weft_req *req)
{
	struct replay_rank *r = replay_me;

	if (find_open(id))
		bad_call("request is in use:", (long long)id);
	if (r->opens == r->open_room) {
		r->open_room = r->open_room ? 2 * r->open_room : 8;
		r->open = realloc(r->open, r->open_room * sizeof(*r->open));
		if (!r->open)
			replay_fail("out of memory");
	}
	r->open[r->opens++] = (struct replay_open){ id, req };
}

static void end_open(struct replay_open *o)
{
	struct replay_rank *r = replay_me;

	if (o->req != weft_req_null_done())
		weft_req_collect(&o->req, MPI_STATUS_IGNORE);
	*o = r->open[--r->opens];
}

static bool all_done(void *arg)
{
	const struct replay_call *c = arg;

	for (uint64_t i = 0; i < c->count; i++) {
		const struct replay_open *o = find_open(c->reqs[i]);

		if (o && !weft_req_is_done(o->req))
			return false;
	}
	return true;
}

static void exec_wait(const struct replay_call *c)
{
	for (uint64_t i = 0; i < c->count; i++)
		if (!find_open(c->reqs[i]))
			bad_call("no request", (long long)c->reqs[i]);
	replay_wait_until(all_done, (void *)(uintptr_t)c);
	for (uint64_t i = 0; i < c->count; i++) {
		struct replay_open *o = find_open(c->reqs[i]);

		if (o)
			end_open(o);
	}
}

static void exec_wait_one(const struct replay_call *c)
{
	struct replay_call one = { .count = 1, .reqs = &c->reqs[c->which] };

	exec_wait(&one);
}

/* ---- messages ------------------------------------------------------------ */

struct side {
	int64_t peer, tag;
	uint64_t bytes;
	bool in;
};

static struct weft_p2p_args args_of(const struct replay_call *c,
				    const struct side *s)
{
	struct weft_comm *comm = replay_comm_of(c->comm);
	struct weft_p2p_args a = { replay_job.scratch,
				   (MPI_Count)s->bytes,
				   weft_dt_of(MPI_BYTE),
				   (int)s->peer,
				   (int)s->tag,
				   comm,
				   c->flags & RECORD_SYNC ? WEFT_P2P_SYNC : 0 };

	if (!comm)
		bad_call("no communicator", (long long)c->comm);
	if (s->bytes > replay_job.scratch_bytes)
		bad_call("message too long:", (long long)s->bytes);
	if (s->peer == RECORD_NO_PROC)
		a.peer = MPI_PROC_NULL;
	else if (s->peer == RECORD_ANY && s->in)
		a.peer = MPI_ANY_SOURCE;
	else if (s->peer < 0 || s->peer >= comm->size)
		bad_call("no rank", (long long)s->peer);
	if (s->tag == RECORD_ANY && s->in)
		a.tag = MPI_ANY_TAG;
	else if (s->tag < 0 || s->tag > WEFT_TAG_LAST)
		bad_call("no tag", (long long)s->tag);
	replay_me->call_peer = a.peer;
	replay_me->call_tag = a.tag;
	return a;
}

static struct weft_req *start(const struct replay_call *c, bool in, bool second)
{
	const struct side s =
		second ? (struct side){ c->peer_in, c->tag_in, c->bytes_in, in }
		       : (struct side){ c->peer, c->tag, c->bytes, in };
	struct weft_p2p_args a = args_of(c, &s);
	bool typed = c->flags & (second ? RECORD_TYPED_IN : RECORD_TYPED);

	if (second)
		a.mode = 0;
	return in ? replay_irecv(&a, typed) : replay_isend(&a, typed);
}

static void finish(struct weft_req *r)
{
	if (r == weft_req_null_done())
		return;
	weft_req_wait(r);
	if (r->error && r->error != -EMSGSIZE)
		bad_call("message failed:", -r->error);
	weft_req_collect(&r, MPI_STATUS_IGNORE);
}

static void exec_sendrecv(const struct replay_call *c)
{
	struct weft_req *in = start(c, true, true);

	finish(start(c, false, false));
	finish(in);
}

static void exec_probe(const struct replay_call *c)
{
	const struct side s = { c->peer, c->tag, 0, true };
	const struct weft_p2p_args a = args_of(c, &s);

	if (a.peer == MPI_PROC_NULL)
		return;
	do
		replay_progress();
	while (!replay_peek(&a));
}

static void exec_poll(const struct replay_call *c)
{
	for (uint64_t i = 0; i < c->count; i++)
		replay_progress();
}

static void exec_wtime(const struct replay_call *c)
{
	struct weft_carrier *k = replay_me->carrier;

	for (uint64_t i = 0; i < c->count; i++)
		k->ops->backend->now_ps(k, true);
}

static void exec_compute(const struct replay_call *c)
{
	replay_compute((uint64_t)((double)c->ps * replay_job.opt.compute));
}

static void exec_req_free(const struct replay_call *c)
{
	struct replay_open *o = find_open(c->req);

	/* the operation continues, and is freed at the end of the replay */
	if (o)
		*o = replay_me->open[--replay_me->opens];
}

/* ---- calls --------------------------------------------------------------- */

static const char *const names[RECORD_KINDS] = {
	[RECORD_END] = "MPI_Finalize",
	[RECORD_COMPUTE] = "computation",
	[RECORD_SEND] = "MPI_Send",
	[RECORD_RECV] = "MPI_Recv",
	[RECORD_ISEND] = "MPI_Isend",
	[RECORD_IRECV] = "MPI_Irecv",
	[RECORD_SENDRECV] = "MPI_Sendrecv",
	[RECORD_WAIT] = "MPI_Waitall",
	[RECORD_WAIT_ONE] = "MPI_Waitany",
	[RECORD_POLL] = "MPI_Test",
	[RECORD_PROBE] = "MPI_Probe",
	[RECORD_WTIME] = "MPI_Wtime",
	[RECORD_COLL] = "collective",
	[RECORD_COMM] = "creation of a communicator",
	[RECORD_COMM_FREE] = "MPI_Comm_free",
	[RECORD_REQ_FREE] = "MPI_Request_free",
	[RECORD_OTHER] = "other",
};

static void exec_message(const struct replay_call *c)
{
	switch (c->kind) {
	case RECORD_SEND:
		finish(start(c, false, false));
		break;
	case RECORD_RECV:
		finish(start(c, true, false));
		break;
	case RECORD_ISEND:
		add_open(c->req, start(c, false, false));
		break;
	case RECORD_IRECV:
		add_open(c->req, start(c, true, false));
		break;
	case RECORD_SENDRECV:
		exec_sendrecv(c);
		break;
	default:
		exec_probe(c);
		break;
	}
}

static void exec_coll(const struct replay_call *c)
{
	struct weft_req *req = replay_coll_call(c);

	if (c->flags & RECORD_LATER)
		add_open(c->req, req ? req : weft_req_null_done());
}

static void exec_call(const struct replay_call *c)
{
	switch (c->kind) {
	case RECORD_COMPUTE:
		exec_compute(c);
		break;
	case RECORD_WAIT:
		exec_wait(c);
		break;
	case RECORD_WAIT_ONE:
		exec_wait_one(c);
		break;
	case RECORD_POLL:
		exec_poll(c);
		break;
	case RECORD_WTIME:
		exec_wtime(c);
		break;
	case RECORD_COLL:
		exec_coll(c);
		break;
	case RECORD_COMM:
		replay_comm_make(c);
		break;
	case RECORD_COMM_FREE:
		replay_comm_free(c->comm);
		break;
	case RECORD_REQ_FREE:
		exec_req_free(c);
		break;
	case RECORD_OTHER:
		replay_fail("rank %u: %s cannot be replayed", replay_me->local,
			    c->name);
	default:
		exec_message(c);
		break;
	}
}

/*
 * Starts the calls of a background program again. Returns false if a pass took
 * no virtual time: it would be repeated without end.
 */
static bool repeat(struct replay_rank *r)
{
	uint64_t now = replay_clock_ps();

	if (now == r->pass_ps)
		replay_fail("%s: the calls of a background take no time",
			    r->program->name);
	r->pass_ps = now;
	replay_comm_free_all();
	r->program->source->rewind(r->program->source, r->local);
	return true;
}

/* Reads the next call; false: the rank's last call. */
static bool next(struct replay_call *c)
{
	struct replay_rank *r = replay_me;
	struct replay_source *s = r->program->source;
	char at[160] = "";

	if (!s->next(s, r->local, c)) {
		s->where(s, r->local, at, sizeof(at));
		replay_fail("%s", at);
	}
	r->call = names[c->kind];
	r->call_peer = r->call_tag = RECORD_NO_PROC;
	if (c->kind != RECORD_COMPUTE) {
		r->call_number++;
		r->program->calls++;
	}
	return c->kind != RECORD_END;
}

static void run_calls(struct replay_rank *r)
{
	struct replay_call c;

	do
		while (next(&c))
			exec_call(&c);
	while (r->program->background && replay_job.opt.alone < 0 && repeat(r));
}

static bool is_idle(const struct replay_program *p)
{
	int alone = replay_job.opt.alone;

	return alone >= 0 && (unsigned)alone != p->index;
}

static void run_program(struct replay_rank *r)
{
	r->call = "MPI_Init";
	weft_coll_open(r->world);
	run_calls(r);
	if (!replay_job.opt.no_finalize)
		replay_finalize();
}

void replay_run_rank(void)
{
	struct replay_rank *r = replay_me;

	if (!is_idle(r->program))
		run_program(r);
	r->end_ps = replay_clock_ps();
	if (!r->program->background)
		replay_job.left--;
	weft_vt_leave(r->carrier);
}
