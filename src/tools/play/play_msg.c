/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the recorded calls that send, receive, wait or probe. */
#include "src/tools/play/play.h"

#include <limits.h>
#include <stdlib.h>

/* ---- open requests ------------------------------------------------------- */

static struct open {
	uint64_t id;
	MPI_Request req;
	void *arrays;
} * opens;
static size_t count, room;

static struct open *find(uint64_t id)
{
	for (size_t i = count; i-- > 0;)
		if (opens[i].id == id)
			return &opens[i];
	return NULL;
}

void play_open(uint64_t id, MPI_Request req, void *arrays)
{
	if (find(id))
		play_fail("request %llu is in use", (unsigned long long)id);
	if (count == room) {
		room = room ? 2 * room : 16;
		opens = realloc(opens, room * sizeof(*opens));
		if (!opens)
			play_fail("out of memory");
	}
	opens[count++] = (struct open){ id, req, arrays };
}

static struct open *get(uint64_t id)
{
	struct open *o = find(id);

	if (!o)
		play_fail("no request %llu", (unsigned long long)id);
	return o;
}

static void drop(struct open *o)
{
	free(o->arrays);
	*o = opens[--count];
}

static void wait_one(uint64_t id)
{
	struct open *o = get(id);

	play_check(MPI_Wait(&o->req, MPI_STATUS_IGNORE));
	drop(o);
}

static void wait_all(const struct replay_call *c)
{
	MPI_Request *req = calloc(c->count, sizeof(*req));

	if (!req)
		play_fail("out of memory");
	for (uint64_t i = 0; i < c->count; i++) {
		struct open *o = get(c->reqs[i]);

		req[i] = o->req;
		/* so that a file may name a request twice */
		o->req = MPI_REQUEST_NULL;
	}
	play_check(MPI_Waitall((int)c->count, req, MPI_STATUSES_IGNORE));
	free(req);
	for (uint64_t i = 0; i < c->count; i++)
		if (find(c->reqs[i]))
			drop(find(c->reqs[i]));
}

static void release(uint64_t id)
{
	struct open *o = find(id);

	if (!o)
		return;
	if (o->req != MPI_REQUEST_NULL)
		play_check(MPI_Request_free(&o->req));
	drop(o);
}

/* ---- polls --------------------------------------------------------------- */

static MPI_Request never = MPI_REQUEST_NULL;

static int query(void *arg, MPI_Status *status)
{
	(void)arg;
	MPI_Status_set_elements(status, MPI_BYTE, 0);
	return MPI_SUCCESS;
}

static int end(void *arg)
{
	(void)arg;
	return MPI_SUCCESS;
}

static int cancel(void *arg, int complete)
{
	(void)arg;
	(void)complete;
	return MPI_SUCCESS;
}

/* Polls n times, by testing a request that never completes. */
void play_poll(uint64_t n)
{
	int flag;

	if (never == MPI_REQUEST_NULL)
		play_check(
			MPI_Grequest_start(query, end, cancel, NULL, &never));
	while (n--)
		play_check(MPI_Test(&never, &flag, MPI_STATUS_IGNORE));
}

void play_poll_close(void)
{
	if (never == MPI_REQUEST_NULL)
		return;
	play_check(MPI_Grequest_complete(never));
	play_check(MPI_Wait(&never, MPI_STATUS_IGNORE));
}

/* ---- messages ------------------------------------------------------------ */

/* One side of a message. */
struct side {
	void *buf;
	int n; /* elements of the type */
	MPI_Datatype type;
	int peer, tag;
};

/*
 * Describes contiguous data, with a derived type if there are more than INT_MAX
 * bytes.
 */
static void choose_type(struct side *s, uint64_t bytes)
{
	if (bytes <= INT_MAX) {
		s->n = (int)bytes;
		s->type = MPI_BYTE;
		return;
	}
	s->n = 1;
	play_check(MPI_Type_contiguous_c((MPI_Count)bytes, MPI_BYTE, &s->type));
	play_check(MPI_Type_commit(&s->type));
}

static void free_type(struct side *s)
{
	if (s->type != MPI_BYTE)
		play_check(MPI_Type_free(&s->type));
}

static int peer_of(int64_t peer)
{
	if (peer == RECORD_ANY)
		return MPI_ANY_SOURCE;
	return peer == RECORD_NO_PROC ? MPI_PROC_NULL
				      : play_int((uint64_t)peer);
}

static int tag_of(int64_t tag)
{
	return tag == RECORD_ANY ? MPI_ANY_TAG : play_int((uint64_t)tag);
}

static struct side sent(const struct replay_call *c)
{
	struct side s = { .buf = play_out(c->bytes),
			  .peer = peer_of(c->peer),
			  .tag = tag_of(c->tag) };

	choose_type(&s, c->bytes);
	return s;
}

static struct side received(const struct replay_call *c)
{
	bool second = c->kind == RECORD_SENDRECV;
	uint64_t bytes = second ? c->bytes_in : c->bytes;
	struct side s = { .buf = play_in(bytes),
			  .peer = peer_of(second ? c->peer_in : c->peer),
			  .tag = tag_of(second ? c->tag_in : c->tag) };

	choose_type(&s, bytes);
	return s;
}

static void send(const struct replay_call *c, MPI_Comm comm)
{
	struct side s = sent(c);
	MPI_Request req = MPI_REQUEST_NULL;

	if (c->kind == RECORD_SEND && c->flags & RECORD_SYNC)
		play_check(MPI_Ssend(s.buf, s.n, s.type, s.peer, s.tag, comm));
	else if (c->kind == RECORD_SEND)
		play_check(MPI_Send(s.buf, s.n, s.type, s.peer, s.tag, comm));
	else if (c->flags & RECORD_SYNC)
		play_check(MPI_Issend(s.buf, s.n, s.type, s.peer, s.tag, comm,
				      &req));
	else
		play_check(MPI_Isend(s.buf, s.n, s.type, s.peer, s.tag, comm,
				     &req));
	if (c->kind == RECORD_ISEND)
		play_open(c->req, req, NULL);
	free_type(&s);
}

static void receive(const struct replay_call *c, MPI_Comm comm)
{
	struct side s = received(c);
	MPI_Request req = MPI_REQUEST_NULL;

	if (c->kind == RECORD_IRECV) {
		play_check(MPI_Irecv(s.buf, s.n, s.type, s.peer, s.tag, comm,
				     &req));
		play_open(c->req, req, NULL);
	} else {
		play_check(MPI_Recv(s.buf, s.n, s.type, s.peer, s.tag, comm,
				    MPI_STATUS_IGNORE));
	}
	free_type(&s);
}

static void send_receive(const struct replay_call *c, MPI_Comm comm)
{
	struct side a = sent(c), b = received(c);

	play_check(MPI_Sendrecv(a.buf, a.n, a.type, a.peer, a.tag, b.buf, b.n,
				b.type, b.peer, b.tag, comm,
				MPI_STATUS_IGNORE));
	free_type(&a);
	free_type(&b);
}

void play_message(const struct replay_call *c)
{
	switch (c->kind) {
	case RECORD_SEND:
	case RECORD_ISEND:
		send(c, play_comm(c->comm));
		break;
	case RECORD_RECV:
	case RECORD_IRECV:
		receive(c, play_comm(c->comm));
		break;
	case RECORD_SENDRECV:
		send_receive(c, play_comm(c->comm));
		break;
	case RECORD_PROBE:
		play_check(MPI_Probe(peer_of(c->peer), tag_of(c->tag),
				     play_comm(c->comm), MPI_STATUS_IGNORE));
		break;
	case RECORD_WAIT:
		if (c->count == 1)
			wait_one(c->reqs[0]);
		else if (c->count)
			wait_all(c);
		break;
	case RECORD_WAIT_ONE:
		wait_one(c->reqs[c->which]);
		break;
	default:
		release(c->req);
		break;
	}
}
