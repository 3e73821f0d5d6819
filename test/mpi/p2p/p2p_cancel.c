/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Cancel of sends: MPI_Wait returns in every case. An unmatched send is
 * cancelled, as if it had not been sent; a matched send completes; for a short
 * message in flight either result is possible, but not both.
 */
#include "mpi_t.h"

#include <stdbool.h>
#include <stdlib.h>

#define BIG (1 << 20)

static int next, prev;
static char *out, *in;

static void fill(int len, int seed)
{
	for (int i = 0; i < len; i++)
		out[i] = (char)(i * 7 + seed);
}

static void arrived(int len, int seed)
{
	for (int i = 0; i < len; i++)
		MT_IS(in[i], (char)(i * 7 + seed));
}

static void begin(int sync, int len, int tag, MPI_Request *q)
{
	if (sync)
		MT_OK(MPI_Issend(out, len, MPI_CHAR, next, tag, MPI_COMM_WORLD,
				 q));
	else
		MT_OK(MPI_Isend(out, len, MPI_CHAR, next, tag, MPI_COMM_WORLD,
				q));
}

static int cancelled(MPI_Request *q)
{
	MPI_Status st;
	int flag;

	MT_OK(MPI_Wait(q, &st));
	MT_IS(*q, MPI_REQUEST_NULL);
	MT_OK(MPI_Test_cancelled(&st, &flag));
	return flag;
}

static void no_message_left(int tag)
{
	int flag;

	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < 100; i++) {
		MT_OK(MPI_Iprobe(prev, tag, MPI_COMM_WORLD, &flag,
				 MPI_STATUS_IGNORE));
		MT_IS(flag, 0);
	}
}

/*
 * Without a matching receive the send is cancelled, and the next send with the
 * same tag arrives.
 */
static void unmatched(int sync, int len, int tag)
{
	MPI_Request q;

	fill(len, 1);
	begin(sync, len, tag, &q);
	MT_OK(MPI_Cancel(&q));
	MT_OK(MPI_Cancel(&q));
	MT_IS(cancelled(&q), 1);
	no_message_left(tag);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	fill(len, 2);
	begin(sync, len, tag, &q);
	MT_OK(MPI_Recv(in, BIG, MPI_CHAR, prev, tag, MPI_COMM_WORLD,
		       MPI_STATUS_IGNORE));
	MT_IS(cancelled(&q), 0);
	arrived(len, 2);
}

/*
 * Returns whether the sender reports that its message to this rank was
 * cancelled.
 */
static int sender_cancelled(int cancelled_at_sender, int tag)
{
	int cancelled_there;

	MT_OK(MPI_Sendrecv(&cancelled_at_sender, 1, MPI_INT, next, tag + 1000,
			   &cancelled_there, 1, MPI_INT, prev, tag + 1000,
			   MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	return cancelled_there;
}

/*
 * The receive is posted before the message is sent: the message arrives, unless
 * back-pressure kept it at the sender; in that case the receive is still
 * pending.
 */
static void matched(int sync, int len, int tag)
{
	MPI_Request q, r;

	MT_OK(MPI_Irecv(in, BIG, MPI_CHAR, prev, tag, MPI_COMM_WORLD, &r));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	fill(len, 3);
	begin(sync, len, tag, &q);
	MT_OK(MPI_Cancel(&q));
	if (sender_cancelled(cancelled(&q), tag)) {
		MT_OK(MPI_Cancel(&r));
		MT_IS(cancelled(&r), 1);
		return;
	}
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	arrived(len, 3);
}

/* A short message may have been sent already; then it arrives. */
static void cancel_in_flight(int tag)
{
	MPI_Request q;

	fill(8, 4);
	begin(0, 8, tag, &q);
	MT_OK(MPI_Cancel(&q));
	if (!sender_cancelled(cancelled(&q), tag)) {
		MT_OK(MPI_Recv(in, 8, MPI_CHAR, prev, tag, MPI_COMM_WORLD,
			       MPI_STATUS_IGNORE));
		arrived(8, 4);
	}
	no_message_left(tag);
}

static void persistent(int tag)
{
	MPI_Request q;
	MPI_Status st;
	int flag;

	MT_OK(MPI_Ssend_init(out, 100, MPI_CHAR, next, tag, MPI_COMM_WORLD,
			     &q));
	for (int i = 0; i < 4; i++) {
		fill(100, i);
		MT_OK(MPI_Start(&q));
		if (i % 2 == 0)
			MT_OK(MPI_Cancel(&q));
		else
			MT_OK(MPI_Recv(in, 100, MPI_CHAR, prev, tag,
				       MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		MT_OK(MPI_Wait(&q, &st));
		MT_OK(MPI_Test_cancelled(&st, &flag));
		MT_IS(flag, i % 2 == 0);
		if (i % 2)
			arrived(100, i);
		else
			no_message_left(tag);
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	MT_OK(MPI_Request_free(&q));
}

/* Several messages with one tag; the oldest is cancelled first. */
static void cancel_oldest_first(int tag)
{
	MPI_Request q[5];
	MPI_Status st[5];
	int flag;

	for (int i = 0; i < 5; i++)
		begin(1, i * 1000, tag, &q[i]);
	for (int i = 0; i < 5; i++)
		MT_OK(MPI_Cancel(&q[i]));
	MT_OK(MPI_Waitall(5, q, st));
	for (int i = 0; i < 5; i++) {
		MT_OK(MPI_Test_cancelled(&st[i], &flag));
		MT_IS(flag, 1);
	}
	no_message_left(tag);
}

static void receive(int len, int tag)
{
	MPI_Status st;
	int n;

	MT_OK(MPI_Recv(in, BIG, MPI_CHAR, prev, tag, MPI_COMM_WORLD, &st));
	MT_OK(MPI_Get_count(&st, MPI_CHAR, &n));
	MT_IS(n, len);
}

/*
 * Cancels the middle one of three sends: over Weft's provider this completes
 * immediately, over other providers when the previous message has been
 * received.
 */
static void cancel_middle_send(int tag)
{
	bool own = !getenv("FI_PROVIDER");
	MPI_Request q[3];

	for (int i = 0; i < 3; i++)
		begin(1, 10 + i, tag, &q[i]);
	MT_OK(MPI_Cancel(&q[1]));
	if (own)
		MT_IS(cancelled(&q[1]), 1);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	receive(10, tag);
	MT_IS(cancelled(&q[0]), 0);
	if (!own)
		MT_IS(cancelled(&q[1]), 1);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	receive(12, tag);
	MT_IS(cancelled(&q[2]), 0);
	no_message_left(tag);
}

/* A message matched by MPI_Mprobe counts as received. */
static void cancel_after_mprobe(int len, int tag)
{
	MPI_Request q;
	MPI_Message m;

	fill(len, 6);
	begin(1, len, tag, &q);
	MT_OK(MPI_Mprobe(prev, tag, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_Cancel(&q));
	MT_OK(MPI_Mrecv(in, BIG, MPI_CHAR, &m, MPI_STATUS_IGNORE));
	MT_IS(cancelled(&q), 0);
	arrived(len, 6);
}

/* Noncontiguous data; the request is freed instead of waited for. */
static void freed(int tag)
{
	MPI_Datatype gaps;
	MPI_Request q;

	MT_OK(MPI_Type_vector(1000, 1, 2, MPI_CHAR, &gaps));
	MT_OK(MPI_Type_commit(&gaps));
	MT_OK(MPI_Issend(out, 1, gaps, next, tag, MPI_COMM_WORLD, &q));
	MT_OK(MPI_Cancel(&q));
	MT_OK(MPI_Request_free(&q));
	MT_OK(MPI_Type_free(&gaps));
	/*
	 * replies to cancel requests arrive in order: when this cancel has
	 * completed, the first one has completed as well
	 */
	MT_OK(MPI_Issend(out, 1, MPI_CHAR, next, tag + 1, MPI_COMM_WORLD, &q));
	MT_OK(MPI_Cancel(&q));
	MT_IS(cancelled(&q), 1);
	no_message_left(tag);
}

int main(int argc, char **argv)
{
	static const int len[] = { 0, 8, 3000, 30000, BIG };

	mt_begin(&argc, &argv);
	next = (mt_rank + 1) % mt_size;
	prev = (mt_rank + mt_size - 1) % mt_size;
	out = malloc(BIG);
	in = malloc(BIG);
	for (int i = 0; i < 5; i++) {
		unmatched(1, len[i], i);
		matched(1, len[i], 10 + i);
		matched(0, len[i], 20 + i);
		cancel_after_mprobe(len[i], 30 + i);
	}
	unmatched(0, BIG, 40);
	cancel_in_flight(50);
	persistent(60);
	cancel_oldest_first(70);
	cancel_middle_send(80);
	freed(90);
	free(out);
	free(in);
	return mt_end();
}
