/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Probes report the next message; a matched message is invisible to other
 * receives.
 */
#include "mpi_t.h"

static int next, prev;

static void probe_then_receive(int len)
{
	char *out = malloc((size_t)len + 1), *in = malloc((size_t)len + 1);
	MPI_Request s;
	MPI_Status st;
	int n, flag = 0;

	mt_fill(out, (size_t)len, (uint64_t)mt_rank);
	MT_OK(MPI_Isend(out, len, MPI_BYTE, next, 4, MPI_COMM_WORLD, &s));
	MT_OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st));
	MT_IS(st.MPI_SOURCE, prev);
	MT_IS(st.MPI_TAG, 4);
	MT_OK(MPI_Get_count(&st, MPI_BYTE, &n));
	MT_IS(n, len);
	MT_OK(MPI_Iprobe(prev, 4, MPI_COMM_WORLD, &flag, &st));
	MT_IS(flag, 1);
	MT_OK(MPI_Iprobe(prev, 5, MPI_COMM_WORLD, &flag, &st));
	MT_IS(flag, 0);
	MT_OK(MPI_Recv(in, n, MPI_BYTE, st.MPI_SOURCE, 4, MPI_COMM_WORLD,
		       MPI_STATUS_IGNORE));
	MT_TRUE(mt_same(in, (size_t)len, (uint64_t)prev));
	MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	free(out);
	free(in);
}

/*
 * Two messages with one tag: MPI_Mprobe matches the first; an ordinary receive
 * gets the second before the first is received.
 */
static void matched(int len, int sync)
{
	char *a = malloc((size_t)len + 1), *b = malloc((size_t)len + 1);
	char *in = malloc((size_t)len + 1);
	MPI_Request s[2], r;
	MPI_Message m;
	MPI_Status st;
	int n, flag = 0;

	mt_fill(a, (size_t)len, 1);
	mt_fill(b, (size_t)len, 2);
	if (sync)
		MT_OK(MPI_Issend(a, len, MPI_BYTE, next, 6, MPI_COMM_WORLD,
				 &s[0]));
	else
		MT_OK(MPI_Isend(a, len, MPI_BYTE, next, 6, MPI_COMM_WORLD,
				&s[0]));
	MT_OK(MPI_Isend(b, len, MPI_BYTE, next, 6, MPI_COMM_WORLD, &s[1]));
	if (sync) {
		MT_OK(MPI_Mprobe(prev, 6, MPI_COMM_WORLD, &m, &st));
	} else {
		while (!flag)
			MT_OK(MPI_Improbe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD,
					  &flag, &m, &st));
	}
	MT_OK(MPI_Get_count(&st, MPI_BYTE, &n));
	MT_IS(n, len);
	MT_OK(MPI_Recv(in, len, MPI_BYTE, prev, 6, MPI_COMM_WORLD, &st));
	MT_TRUE(mt_same(in, (size_t)len, 2));
	if (sync) {
		MT_OK(MPI_Mrecv(in, len, MPI_BYTE, &m, &st));
	} else {
		MT_OK(MPI_Imrecv(in, len, MPI_BYTE, &m, &r));
		MT_OK(MPI_Wait(&r, &st));
	}
	MT_IS(m, MPI_MESSAGE_NULL);
	MT_TRUE(mt_same(in, (size_t)len, 1));
	MT_IS(st.MPI_SOURCE, prev);
	MT_IS(st.MPI_TAG, 6);
	MT_OK(MPI_Waitall(2, s, MPI_STATUSES_IGNORE));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	free(a);
	free(b);
	free(in);
}

static void proc_null(void)
{
	MPI_Message m;
	MPI_Status st;
	int flag, x = 3;

	MT_OK(MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &st));
	MT_IS(flag, 1);
	MT_IS(st.MPI_SOURCE, MPI_PROC_NULL);
	MT_OK(MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &m, &st));
	MT_IS(m, MPI_MESSAGE_NO_PROC);
	MT_OK(MPI_Mrecv(&x, 1, MPI_INT, &m, &st));
	MT_IS(m, MPI_MESSAGE_NULL);
	MT_IS(st.MPI_SOURCE, MPI_PROC_NULL);
	MT_IS(x, 3);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	next = (mt_rank + 1) % mt_size;
	prev = (mt_rank + mt_size - 1) % mt_size;
	probe_then_receive(0);
	probe_then_receive(10);
	probe_then_receive(9000);
	probe_then_receive(300000);
	matched(16, 0);
	matched(5000, 1);
	matched(400000, 0);
	proc_null();
	return mt_end();
}
