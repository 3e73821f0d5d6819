/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording of messages and requests (record.h). */
#include "src/tools/replay/record.h"

#include <stdlib.h>

/* ---- messages ------------------------------------------------------------ */

struct message {
	enum record_kind kind;
	unsigned flags;
	MPI_Count count;
	MPI_Datatype type;
	int peer, tag;
	MPI_Comm comm;
};

static int64_t peer_of(int peer)
{
	if (peer == MPI_ANY_SOURCE)
		return RECORD_ANY;
	return peer == MPI_PROC_NULL ? RECORD_NO_PROC : peer;
}

static int64_t tag_of(int tag)
{
	return tag == MPI_ANY_TAG ? RECORD_ANY : tag;
}

static void put_message(const struct message *m)
{
	unsigned typed = record_has_gaps(m->count, m->type) ? RECORD_TYPED : 0;

	record_number(m->flags | typed);
	record_number(record_comm(m->comm));
	record_number(record_signed(peer_of(m->peer)));
	record_number(record_signed(tag_of(m->tag)));
	record_number(record_bytes(m->count, m->type));
}

/* Records a blocking message, before it is sent or received. */
static void message(const struct message *m)
{
	record_enter();
	if (record_begin(m->kind, 5))
		put_message(m);
}

static void started(const struct message *m, const MPI_Request *req)
{
	if (!record_begin(m->kind, 6))
		return;
	put_message(m);
	record_number(record_req_add(*req));
}

#define SEND(name, flag)                                                      \
	int MPI_##name(const void *buf, int count, MPI_Datatype type, int to, \
		       int tag, MPI_Comm comm)                                \
	{                                                                     \
		const struct message m = { RECORD_SEND, flag, count, type,    \
					   to,		tag,  comm };         \
		int rc;                                                       \
                                                                              \
		message(&m);                                                  \
		rc = PMPI_##name(buf, count, type, to, tag, comm);            \
		record_leave();                                               \
		return rc;                                                    \
	}

SEND(Send, 0)
SEND(Ssend, RECORD_SYNC)
SEND(Rsend, 0)

/*
 * Records a buffered send as a send whose request is freed, since it completes
 * at once.
 */
static void buffered(const struct message *m)
{
	MPI_Request none = MPI_REQUEST_NULL;
	uint64_t id;

	if (!record_begin(RECORD_ISEND, 6))
		return;
	put_message(m);
	id = record_req_add(none);
	record_req_find(none, true);
	record_number(id);
	if (record_begin(RECORD_REQ_FREE, 1))
		record_number(id);
}

int MPI_Bsend(const void *buf, int count, MPI_Datatype type, int to, int tag,
	      MPI_Comm comm)
{
	const struct message m = {
		RECORD_ISEND, 0, count, type, to, tag, comm
	};
	int rc;

	record_enter();
	rc = PMPI_Bsend(buf, count, type, to, tag, comm);
	buffered(&m);
	record_leave();
	return rc;
}

#define ISEND(name, flag)                                                     \
	int MPI_##name(const void *buf, int count, MPI_Datatype type, int to, \
		       int tag, MPI_Comm comm, MPI_Request *req)              \
	{                                                                     \
		const struct message m = { RECORD_ISEND, flag, count, type,   \
					   to,		 tag,  comm };        \
		int rc;                                                       \
                                                                              \
		record_enter();                                               \
		rc = PMPI_##name(buf, count, type, to, tag, comm, req);       \
		started(&m, req);                                             \
		record_leave();                                               \
		return rc;                                                    \
	}

ISEND(Isend, 0)
ISEND(Issend, RECORD_SYNC)
ISEND(Irsend, 0)

int MPI_Ibsend(const void *buf, int count, MPI_Datatype type, int to, int tag,
	       MPI_Comm comm, MPI_Request *req)
{
	const struct message m = {
		RECORD_ISEND, 0, count, type, to, tag, comm
	};
	int rc;

	record_enter();
	rc = PMPI_Ibsend(buf, count, type, to, tag, comm, req);
	buffered(&m);
	record_leave();
	return rc;
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int from, int tag,
	     MPI_Comm comm, MPI_Status *status)
{
	const struct message m = {
		RECORD_RECV, 0, count, type, from, tag, comm
	};
	int rc;

	message(&m);
	rc = PMPI_Recv(buf, count, type, from, tag, comm, status);
	record_leave();
	return rc;
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int from, int tag,
	      MPI_Comm comm, MPI_Request *req)
{
	const struct message m = {
		RECORD_IRECV, 0, count, type, from, tag, comm
	};
	int rc;

	record_enter();
	rc = PMPI_Irecv(buf, count, type, from, tag, comm, req);
	started(&m, req);
	record_leave();
	return rc;
}

static void sendrecv(const struct message *out, const struct message *in)
{
	struct message m = *out;

	record_enter();
	if (!record_begin(RECORD_SENDRECV, 8))
		return;
	if (record_has_gaps(in->count, in->type))
		m.flags |= RECORD_TYPED_IN;
	put_message(&m);
	record_number(record_signed(peer_of(in->peer)));
	record_number(record_signed(tag_of(in->tag)));
	record_number(record_bytes(in->count, in->type));
}

int MPI_Sendrecv(const void *sbuf, int scount, MPI_Datatype stype, int to,
		 int stag, void *rbuf, int rcount, MPI_Datatype rtype, int from,
		 int rtag, MPI_Comm comm, MPI_Status *status)
{
	const struct message out = {
		RECORD_SENDRECV, 0, scount, stype, to, stag, comm
	};
	const struct message in = {
		RECORD_SENDRECV, 0, rcount, rtype, from, rtag, comm
	};
	int rc;

	sendrecv(&out, &in);
	rc = PMPI_Sendrecv(sbuf, scount, stype, to, stag, rbuf, rcount, rtype,
			   from, rtag, comm, status);
	record_leave();
	return rc;
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int to,
			 int stag, int from, int rtag, MPI_Comm comm,
			 MPI_Status *status)
{
	const struct message out = {
		RECORD_SENDRECV, 0, count, type, to, stag, comm
	};
	const struct message in = {
		RECORD_SENDRECV, 0, count, type, from, rtag, comm
	};
	int rc;

	sendrecv(&out, &in);
	rc = PMPI_Sendrecv_replace(buf, count, type, to, stag, from, rtag, comm,
				   status);
	record_leave();
	return rc;
}

/* ---- persistent messages ------------------------------------------------- */

static struct persistent {
	MPI_Request handle;
	struct message m;
} * persistent;
static size_t persistents, persistent_room;

static void persistent_add(MPI_Request handle, const struct message *m)
{
	if (persistents == persistent_room) {
		persistent_room = persistent_room ? 2 * persistent_room : 16;
		persistent = record_realloc(
			persistent, persistent_room * sizeof(*persistent));
	}
	persistent[persistents++] = (struct persistent){ handle, *m };
}

static struct persistent *persistent_of(MPI_Request handle)
{
	for (size_t i = 0; i < persistents; i++)
		if (persistent[i].handle == handle)
			return &persistent[i];
	return NULL;
}

#define SEND_INIT(name, flag)                                                 \
	int MPI_##name(const void *buf, int count, MPI_Datatype type, int to, \
		       int tag, MPI_Comm comm, MPI_Request *req)              \
	{                                                                     \
		const struct message m = { RECORD_ISEND, flag, count, type,   \
					   to,		 tag,  comm };        \
		int rc = PMPI_##name(buf, count, type, to, tag, comm, req);   \
                                                                              \
		persistent_add(*req, &m);                                     \
		return rc;                                                    \
	}

SEND_INIT(Send_init, 0)
SEND_INIT(Ssend_init, RECORD_SYNC)
SEND_INIT(Rsend_init, 0)
SEND_INIT(Bsend_init, 0)

int MPI_Recv_init(void *buf, int count, MPI_Datatype type, int from, int tag,
		  MPI_Comm comm, MPI_Request *req)
{
	const struct message m = {
		RECORD_IRECV, 0, count, type, from, tag, comm
	};
	int rc = PMPI_Recv_init(buf, count, type, from, tag, comm, req);

	persistent_add(*req, &m);
	return rc;
}

static void start_record(MPI_Request handle)
{
	const struct persistent *p = persistent_of(handle);

	if (p)
		started(&p->m, &handle);
	else
		record_other("MPI_Start of a persistent collective");
}

int MPI_Start(MPI_Request *req)
{
	int rc;

	record_enter();
	rc = PMPI_Start(req);
	start_record(*req);
	record_leave();
	return rc;
}

int MPI_Startall(int count, MPI_Request req[])
{
	int rc;

	record_enter();
	rc = PMPI_Startall(count, req);
	for (int i = 0; i < count; i++)
		start_record(req[i]);
	record_leave();
	return rc;
}

int MPI_Request_free(MPI_Request *req)
{
	struct persistent *p = persistent_of(*req);
	uint64_t id = record_req_find(*req, true);

	record_enter();
	if (id && record_begin(RECORD_REQ_FREE, 1))
		record_number(id);
	if (p)
		*p = persistent[--persistents];
	return PMPI_Request_free(req);
}

/* ---- waits --------------------------------------------------------------- */

/* Numbers of the requests of a call, before the call changes the handles. */
struct reqs {
	int count;
	uint64_t *id, one[8];
	MPI_Request *handle, first[8];
};

static void reqs_open(struct reqs *q, int count, const MPI_Request *req)
{
	q->count = count > 0 && req ? count : 0;
	q->id = q->one;
	q->handle = q->first;
	record_enter();
	if (q->count > 8) {
		q->id = record_realloc(NULL, (size_t)count * sizeof(*q->id));
		q->handle = record_realloc(NULL,
					   (size_t)count * sizeof(*q->handle));
	}
	for (int i = 0; i < q->count; i++)
		q->handle[i] = req[i];
}

static void reqs_close(struct reqs *q)
{
	if (q->id != q->one)
		free(q->id);
	if (q->handle != q->first)
		free(q->handle);
	record_leave();
}

/* Takes the numbers of `n` completed requests, given by their indices. */
static void completed(struct reqs *q, int n, const int *index)
{
	int known = 0;

	for (int i = 0; i < n; i++) {
		uint64_t id =
			record_req_find(q->handle[index ? index[i] : i], true);

		if (id)
			q->id[known++] = id;
	}
	if (!known || !record_begin(RECORD_WAIT, (size_t)known + 1))
		return;
	record_number((uint64_t)known);
	for (int i = 0; i < known; i++)
		record_number(q->id[i]);
}

static void polled(bool found, struct reqs *q, int n, const int *index)
{
	if (found)
		completed(q, n, index);
	else if (record_begin(RECORD_POLL, 1))
		record_number(1);
}

int MPI_Wait(MPI_Request *req, MPI_Status *status)
{
	struct reqs q;
	int rc;

	reqs_open(&q, 1, req);
	rc = PMPI_Wait(req, status);
	completed(&q, q.count, NULL);
	reqs_close(&q);
	return rc;
}

int MPI_Waitall(int count, MPI_Request req[], MPI_Status status[])
{
	struct reqs q;
	int rc;

	reqs_open(&q, count, req);
	rc = PMPI_Waitall(count, req, status);
	completed(&q, q.count, NULL);
	reqs_close(&q);
	return rc;
}

int MPI_Waitany(int count, MPI_Request req[], int *index, MPI_Status *status)
{
	struct reqs q;
	int rc;

	reqs_open(&q, count, req);
	rc = PMPI_Waitany(count, req, index, status);
	if (*index != MPI_UNDEFINED)
		completed(&q, 1, index);
	reqs_close(&q);
	return rc;
}

int MPI_Waitsome(int count, MPI_Request req[], int *n, int index[],
		 MPI_Status status[])
{
	struct reqs q;
	int rc;

	reqs_open(&q, count, req);
	rc = PMPI_Waitsome(count, req, n, index, status);
	if (*n != MPI_UNDEFINED)
		completed(&q, *n, index);
	reqs_close(&q);
	return rc;
}

int MPI_Test(MPI_Request *req, int *flag, MPI_Status *status)
{
	struct reqs q;
	int rc;

	reqs_open(&q, 1, req);
	rc = PMPI_Test(req, flag, status);
	polled(*flag, &q, q.count, NULL);
	reqs_close(&q);
	return rc;
}

int MPI_Testall(int count, MPI_Request req[], int *flag, MPI_Status status[])
{
	struct reqs q;
	int rc;

	reqs_open(&q, count, req);
	rc = PMPI_Testall(count, req, flag, status);
	polled(*flag, &q, q.count, NULL);
	reqs_close(&q);
	return rc;
}

int MPI_Testany(int count, MPI_Request req[], int *index, int *flag,
		MPI_Status *status)
{
	struct reqs q;
	int rc;

	reqs_open(&q, count, req);
	rc = PMPI_Testany(count, req, index, flag, status);
	polled(*flag, &q, *index != MPI_UNDEFINED, index);
	reqs_close(&q);
	return rc;
}

int MPI_Testsome(int count, MPI_Request req[], int *n, int index[],
		 MPI_Status status[])
{
	struct reqs q;
	int rc;

	reqs_open(&q, count, req);
	rc = PMPI_Testsome(count, req, n, index, status);
	polled(*n > 0, &q, *n, index);
	reqs_close(&q);
	return rc;
}

/* ---- probes and clock ---------------------------------------------------- */

static void probed(int from, int tag, MPI_Comm comm)
{
	if (!record_begin(RECORD_PROBE, 4))
		return;
	record_number(0);
	record_number(record_comm(comm));
	record_number(record_signed(peer_of(from)));
	record_number(record_signed(tag_of(tag)));
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
	int rc;

	record_enter();
	rc = PMPI_Probe(from, tag, comm, status);
	probed(from, tag, comm);
	record_leave();
	return rc;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	int rc;

	record_enter();
	rc = PMPI_Iprobe(from, tag, comm, flag, status);
	if (*flag)
		probed(from, tag, comm);
	else if (record_begin(RECORD_POLL, 1))
		record_number(1);
	record_leave();
	return rc;
}

double MPI_Wtime(void)
{
	double t;

	record_enter();
	t = PMPI_Wtime();
	if (record_begin(RECORD_WTIME, 1))
		record_number(1);
	record_leave();
	return t;
}
