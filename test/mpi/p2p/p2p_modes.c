/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every send mode and every form of receive, with sizes from 0 up, to the next
 * rank in a ring; the rank of a one-rank job sends to itself.
 */
#include "mpi_t.h"

#define MAX (1 << 20)

typedef int isend_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm,
		     MPI_Request *);
typedef int send_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm);

static const int sizes[] = {
	0, 1, 8, 63, 64, 200, 1000, 4096, 20000, 70001, MAX
};
static unsigned char *out, *in;
static int next, prev;

static void check_status(const MPI_Status *st, int tag, int len)
{
	int n;

	MT_IS(st->MPI_SOURCE, prev);
	MT_IS(st->MPI_TAG, tag);
	MT_OK(MPI_Get_count(st, MPI_BYTE, &n));
	MT_IS(n, len);
	MT_TRUE(mt_same(in, (size_t)len, (uint64_t)(prev + tag)));
}

/* Nonblocking send with a receive that is posted before or after it. */
static void ring(isend_fn *isend, int len, int tag, int any)
{
	MPI_Request s, r;
	MPI_Status st;
	int from = any ? MPI_ANY_SOURCE : prev;

	mt_fill(out, (size_t)len, (uint64_t)(mt_rank + tag));
	memset(in, 0xee, (size_t)len);
	MT_OK(MPI_Irecv(in, MAX, MPI_BYTE, from, any ? MPI_ANY_TAG : tag,
			MPI_COMM_WORLD, &r));
	MT_OK(isend(out, len, MPI_BYTE, next, tag, MPI_COMM_WORLD, &s));
	MT_OK(MPI_Wait(&r, &st));
	check_status(&st, tag, len);
	MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
	MT_IS(s, MPI_REQUEST_NULL);

	memset(in, 0xee, (size_t)len);
	MT_OK(MPI_Isend(out, len, MPI_BYTE, next, tag, MPI_COMM_WORLD, &s));
	MT_OK(MPI_Recv(in, MAX, MPI_BYTE, from, tag, MPI_COMM_WORLD, &st));
	check_status(&st, tag, len);
	MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
	/* wildcards must not match messages of the next round */
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Even ranks send first. */
static void pairs(send_fn *send, int len, int tag)
{
	int peer = mt_rank ^ 1;
	MPI_Status st;

	if (peer >= mt_size)
		return;
	mt_fill(out, (size_t)len, (uint64_t)(mt_rank + tag));
	if (mt_rank < peer)
		MT_OK(send(out, len, MPI_BYTE, peer, tag, MPI_COMM_WORLD));
	MT_OK(MPI_Recv(in, MAX, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &st));
	MT_TRUE(mt_same(in, (size_t)len, (uint64_t)(peer + tag)));
	if (mt_rank > peer)
		MT_OK(send(out, len, MPI_BYTE, peer, tag, MPI_COMM_WORLD));
}

/* Issend must not complete before the receive is posted. */
static void synchronous_waits(void)
{
	MPI_Request s;
	int flag, i, x = 1;

	MT_OK(MPI_Issend(&x, 1, MPI_INT, next, 77, MPI_COMM_WORLD, &s));
	for (i = 0; i < 50; i++) {
		MT_OK(MPI_Test(&s, &flag, MPI_STATUS_IGNORE));
		MT_IS(flag, 0);
	}
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_Recv(&x, 1, MPI_INT, prev, 77, MPI_COMM_WORLD,
		       MPI_STATUS_IGNORE));
	MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
}

static void proc_null(void)
{
	MPI_Status st;
	MPI_Request r;
	int n, x = 5;

	MT_OK(MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
	MT_OK(MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &st));
	MT_IS(st.MPI_SOURCE, MPI_PROC_NULL);
	MT_IS(st.MPI_TAG, MPI_ANY_TAG);
	MT_OK(MPI_Get_count(&st, MPI_INT, &n));
	MT_IS(n, 0);
	MT_OK(MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r));
	MT_OK(MPI_Wait(&r, &st));
	MT_IS(st.MPI_SOURCE, MPI_PROC_NULL);
	MT_IS(x, 5);
}

static void sendrecv(int len)
{
	MPI_Status st;
	MPI_Request r;

	mt_fill(out, (size_t)len, (uint64_t)(mt_rank + 3));
	MT_OK(MPI_Sendrecv(out, len, MPI_BYTE, next, 3, in, MAX, MPI_BYTE, prev,
			   3, MPI_COMM_WORLD, &st));
	check_status(&st, 3, len);
	memcpy(in, out, (size_t)len);
	MT_OK(MPI_Sendrecv_replace(in, len, MPI_BYTE, next, 3, prev, 3,
				   MPI_COMM_WORLD, &st));
	check_status(&st, 3, len);
	MT_OK(MPI_Isendrecv(out, len, MPI_BYTE, next, 3, in, MAX, MPI_BYTE,
			    prev, 3, MPI_COMM_WORLD, &r));
	MT_OK(MPI_Wait(&r, &st));
	check_status(&st, 3, len);
	memcpy(in, out, (size_t)len);
	MT_OK(MPI_Isendrecv_replace(in, len, MPI_BYTE, next, 3, prev, 3,
				    MPI_COMM_WORLD, &r));
	MT_OK(MPI_Wait(&r, &st));
	check_status(&st, 3, len);
}

static void large_counts(void)
{
	MPI_Count n;
	MPI_Status st;
	MPI_Request s;

	mt_fill(out, 1000, (uint64_t)(mt_rank + 9));
	MT_OK(MPI_Isend_c(out, 1000, MPI_BYTE, next, 9, MPI_COMM_WORLD, &s));
	MT_OK(MPI_Recv_c(in, MAX, MPI_BYTE, prev, 9, MPI_COMM_WORLD, &st));
	MT_OK(MPI_Get_count_c(&st, MPI_BYTE, &n));
	MT_IS(n, 1000);
	check_status(&st, 9, 1000);
	MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
	size_t i;

	mt_begin(&argc, &argv);
	next = (mt_rank + 1) % mt_size;
	prev = (mt_rank + mt_size - 1) % mt_size;
	out = malloc(MAX);
	in = malloc(MAX);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ring(MPI_Isend, sizes[i], 10, 0);
		ring(MPI_Issend, sizes[i], 11, 0);
		ring(MPI_Irsend, sizes[i], 12, 1);
		ring(MPI_Isend, sizes[i], 2147483647, 1);
		pairs(MPI_Send, sizes[i], 20);
		pairs(MPI_Ssend, sizes[i], 21);
		sendrecv(sizes[i]);
	}
	synchronous_waits();
	proc_null();
	large_counts();
	free(out);
	free(in);
	return mt_end();
}
