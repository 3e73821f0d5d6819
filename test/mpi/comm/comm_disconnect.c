/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Comm_disconnect waits for pending communication, not for inactive
 * requests: persistent, partitioned and collective requests before their first
 * start and after their last completion, and buffered sends whose messages have
 * been received. The requests may be freed afterwards, or never.
 */
#include "mpi_t.h"

enum { LONG = 1 << 18, TAG = 3, KINDS = 12 };

static char in[LONG], out[LONG];
static int to, from;

/* ---- inactive requests --------------------------------------------------- */

static MPI_Request open_message(int kind, int bytes, MPI_Comm c)
{
	MPI_Request r = MPI_REQUEST_NULL;

	switch (kind) {
	case 0:
		MT_OK(MPI_Send_init(out, bytes, MPI_BYTE, to, TAG, c, &r));
		break;
	case 1:
		MT_OK(MPI_Ssend_init(out, bytes, MPI_BYTE, to, TAG, c, &r));
		break;
	case 2:
		MT_OK(MPI_Rsend_init(out, bytes, MPI_BYTE, to, TAG, c, &r));
		break;
	case 3:
		MT_OK(MPI_Bsend_init(out, bytes, MPI_BYTE, to, TAG, c, &r));
		break;
	case 4:
		MT_OK(MPI_Recv_init(in, bytes, MPI_BYTE, from, TAG, c, &r));
		break;
	case 5:
		MT_OK(MPI_Psend_init(out, 2, bytes / 2, MPI_BYTE, to, TAG, c,
				     MPI_INFO_NULL, &r));
		break;
	default:
		MT_OK(MPI_Precv_init(in, 2, bytes / 2, MPI_BYTE, from, TAG, c,
				     MPI_INFO_NULL, &r));
	}
	return r;
}

static MPI_Request open_collective(int kind, int bytes, MPI_Comm c)
{
	const MPI_Info none = MPI_INFO_NULL;
	MPI_Request r = MPI_REQUEST_NULL;
	int n = bytes / (int)sizeof(int);

	switch (kind) {
	case 7:
		MT_OK(MPI_Barrier_init(c, none, &r));
		break;
	case 8:
		MT_OK(MPI_Bcast_init(in, bytes, MPI_BYTE, 0, c, none, &r));
		break;
	case 9:
		MT_OK(MPI_Allreduce_init(out, in, n, MPI_INT, MPI_SUM, c, none,
					 &r));
		break;
	case 10:
		MT_OK(MPI_Gather_init(out, bytes / mt_size, MPI_BYTE, in,
				      bytes / mt_size, MPI_BYTE, 0, c, none,
				      &r));
		break;
	default:
		MT_OK(MPI_Alltoall_init(out, bytes / mt_size, MPI_BYTE, in,
					bytes / mt_size, MPI_BYTE, c, none,
					&r));
	}
	return r;
}

static MPI_Request open_one(int kind, int bytes, MPI_Comm c)
{
	return kind < 7 ? open_message(kind, bytes, c)
			: open_collective(kind, bytes, c);
}

/*
 * Returns the kind of request that the peer must use to match this kind; kinds
 * of message requests form pairs.
 */
static int peer_kind(int kind)
{
	return kind < 4 ? 4 : kind == 5 ? 6 : -1;
}

static void start_both(MPI_Request r[2])
{
	if (r[1] != MPI_REQUEST_NULL)
		MT_OK(MPI_Start(&r[1]));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD)); /* all receives are posted */
	MT_OK(MPI_Start(&r[0]));
}

static void run_once(MPI_Request r[2], int kind)
{
	start_both(r);
	if (kind == 5)
		MT_OK(MPI_Pready_range(0, 1, r[0]));
	MT_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
}

/*
 * Disconnects a communicator that has inactive requests. runs: number of times
 * that the requests have been started and completed.
 */
static void disconnect_with_requests(int kind, int bytes, int runs,
				     int (*end)(MPI_Comm *))
{
	MPI_Request r[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	MPI_Comm c;

	MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	r[0] = open_one(kind, bytes, c);
	if (peer_kind(kind) >= 0)
		r[1] = open_one(peer_kind(kind), bytes, c);
	for (int k = 0; k < runs; k++)
		run_once(r, kind);
	MT_OK(end(&c));
	MT_TRUE(c == MPI_COMM_NULL);
	for (int k = 0; k < 2; k++)
		if (r[k] != MPI_REQUEST_NULL)
			MT_OK(MPI_Request_free(&r[k]));
}

/* ---- pending communication ----------------------------------------------- */

/* The attached buffer keeps a received message until its space is needed. */
static void disconnect_with_bsend(int bytes)
{
	MPI_Comm c;

	MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	MT_OK(MPI_Bsend(out, bytes, MPI_BYTE, to, TAG, c));
	MT_OK(MPI_Recv(in, bytes, MPI_BYTE, from, TAG, c, MPI_STATUS_IGNORE));
	MT_OK(MPI_Comm_disconnect(&c));
}

/*
 * Disconnect waits for a freed request: the application may change the data
 * afterwards.
 */
static void disconnect_with_freed_request(int bytes)
{
	MPI_Request r;
	MPI_Comm c;

	MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	mt_fill(out, (size_t)bytes, (uint64_t)mt_rank);
	MT_OK(MPI_Isend(out, bytes, MPI_BYTE, to, TAG, c, &r));
	MT_OK(MPI_Request_free(&r));
	if (to != mt_rank && mt_rank % 2) {
		MT_OK(MPI_Recv(in, bytes, MPI_BYTE, from, TAG, c,
			       MPI_STATUS_IGNORE));
		MT_OK(MPI_Comm_disconnect(&c));
	} else {
		MT_OK(MPI_Irecv(in, bytes, MPI_BYTE, from, TAG, c, &r));
		MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		MT_OK(MPI_Comm_disconnect(&c));
	}
	memset(out, 0, (size_t)bytes);
	MT_TRUE(mt_same(in, (size_t)bytes, (uint64_t)from));
}

/* ---- MPI_Finalize -------------------------------------------------------- */

/* Requests that are never freed, on the world and on a freed communicator. */
static void keep_requests(void)
{
	MPI_Comm c;

	MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	for (int kind = 0; kind < KINDS; kind++) {
		open_one(kind, 16 * mt_size, MPI_COMM_WORLD);
		open_one(kind, 16 * mt_size, c);
	}
	MT_OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	static char buffer[8 * LONG];
	int small, n;
	void *p;

	mt_begin(&argc, &argv);
	to = (mt_rank + 1) % mt_size;
	from = (mt_rank + mt_size - 1) % mt_size;
	small = 16 * mt_size;
	MT_OK(MPI_Buffer_attach(buffer, sizeof(buffer)));
	for (int kind = 0; kind < KINDS; kind++) {
		for (int runs = 0; runs < 3; runs++) {
			if (kind == 4 || kind == 6)
				continue;
			disconnect_with_requests(kind, small, runs,
						 MPI_Comm_disconnect);
			disconnect_with_requests(kind, LONG, runs,
						 MPI_Comm_disconnect);
			disconnect_with_requests(kind, small, runs,
						 MPI_Comm_free);
		}
	}
	disconnect_with_bsend(small);
	disconnect_with_bsend(LONG);
	disconnect_with_freed_request(small);
	disconnect_with_freed_request(LONG);
	MT_OK(MPI_Buffer_detach(&p, &n));
	keep_requests();
	return mt_end();
}
