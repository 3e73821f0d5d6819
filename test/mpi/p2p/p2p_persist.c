/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests of all kinds, started many times. */
#include "mpi_t.h"

#define LEN 3000

typedef int init_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm,
		    MPI_Request *);

static void rounds(init_fn *init, int len)
{
	int next = (mt_rank + 1) % mt_size;
	int prev = (mt_rank + mt_size - 1) % mt_size;
	char out[LEN], in[LEN];
	MPI_Request r[2];
	MPI_Status st[2];
	int i, flag;

	MT_OK(MPI_Recv_init(in, LEN, MPI_BYTE, prev, 2, MPI_COMM_WORLD, &r[0]));
	MT_OK(init(out, len, MPI_BYTE, next, 2, MPI_COMM_WORLD, &r[1]));
	/* inactive requests complete immediately, with an empty status */
	MT_OK(MPI_Wait(&r[0], &st[0]));
	MT_IS(st[0].MPI_SOURCE, MPI_ANY_SOURCE);
	MT_OK(MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE));
	MT_IS(flag, 1);
	for (i = 0; i < 20; i++) {
		mt_fill(out, (size_t)len, (uint64_t)(mt_rank + i));
		MT_OK(MPI_Start(&r[0]));
		MT_OK(MPI_Barrier(
			MPI_COMM_WORLD)); /* all receives are posted */
		MT_OK(MPI_Start(&r[1]));
		MT_OK(MPI_Waitall(2, r, st));
		MT_TRUE(r[0] != MPI_REQUEST_NULL && r[1] != MPI_REQUEST_NULL);
		MT_IS(st[0].MPI_SOURCE, prev);
		MT_TRUE(mt_same(in, (size_t)len, (uint64_t)(prev + i)));
	}
	MT_OK(MPI_Startall(2, r));
	MT_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	MT_OK(MPI_Request_free(&r[0]));
	MT_OK(MPI_Request_free(&r[1]));
	MT_IS(r[0], MPI_REQUEST_NULL);
}

/* Tests short noncontiguous messages. */
static void gaps(void)
{
	int next = (mt_rank + 1) % mt_size;
	int prev = (mt_rank + mt_size - 1) % mt_size;
	int out[8], in[8];
	MPI_Datatype every_other;
	MPI_Request r[2];

	MT_OK(MPI_Type_vector(4, 1, 2, MPI_INT, &every_other));
	MT_OK(MPI_Type_commit(&every_other));
	MT_OK(MPI_Recv_init(in, 1, every_other, prev, 3, MPI_COMM_WORLD,
			    &r[0]));
	MT_OK(MPI_Send_init(out, 1, every_other, next, 3, MPI_COMM_WORLD,
			    &r[1]));
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 8; k++) {
			out[k] = 1000 * mt_rank + 10 * i + k;
			in[k] = -1;
		}
		MT_OK(MPI_Startall(2, r));
		MT_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
		for (int k = 0; k < 8; k++)
			MT_IS(in[k], k % 2 ? -1 : 1000 * prev + 10 * i + k);
	}
	MT_OK(MPI_Request_free(&r[0]));
	MT_OK(MPI_Request_free(&r[1]));
	MT_OK(MPI_Type_free(&every_other));
}

/* A synchronous send does not complete before it is matched. */
static void synchronous(void)
{
	int peer = mt_rank ^ 1, x = mt_rank, y = -1, flag = 0;
	MPI_Request r;

	if (peer >= mt_size)
		return;
	MT_OK(MPI_Ssend_init(&x, 1, MPI_INT, peer, 4, MPI_COMM_WORLD, &r));
	for (int i = 0; i < 5; i++) {
		MT_OK(MPI_Start(&r));
		for (int k = 0; k < 20; k++) {
			MT_OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
			MT_IS(flag, 0);
		}
		MT_OK(MPI_Sendrecv(&x, 1, MPI_INT, peer, 5, &y, 1, MPI_INT,
				   peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		MT_OK(MPI_Recv(&y, 1, MPI_INT, peer, 4, MPI_COMM_WORLD,
			       MPI_STATUS_IGNORE));
		MT_IS(y, peer);
		MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	}
	MT_OK(MPI_Request_free(&r));
}

/* Statuses of MPI_Waitall for persistent requests: empty for sends. */
static void statuses(void)
{
	int next = (mt_rank + 1) % mt_size;
	int prev = (mt_rank + mt_size - 1) % mt_size;
	char out[5] = "weft", in[16];
	MPI_Request r[2];
	MPI_Status st[2];
	int n;

	MT_OK(MPI_Send_init(out, 5, MPI_CHAR, next, 6, MPI_COMM_WORLD, &r[0]));
	MT_OK(MPI_Recv_init(in, 16, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG,
			    MPI_COMM_WORLD, &r[1]));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < 3; i++) {
		memset(st, 0x55, sizeof(st));
		MT_OK(MPI_Startall(2, r));
		MT_OK(MPI_Waitall(2, r, st));
		MT_IS(st[0].MPI_SOURCE, MPI_ANY_SOURCE);
		MT_IS(st[0].MPI_TAG, MPI_ANY_TAG);
		MT_IS(st[0].MPI_ERROR, MPI_SUCCESS);
		MT_OK(MPI_Get_count(&st[0], MPI_CHAR, &n));
		MT_IS(n, 0);
		MT_IS(st[1].MPI_SOURCE, prev);
		MT_IS(st[1].MPI_TAG, 6);
		MT_IS(st[1].MPI_ERROR, MPI_SUCCESS);
		MT_OK(MPI_Get_count(&st[1], MPI_CHAR, &n));
		MT_IS(n, 5);
		/* now the requests are inactive */
		MT_OK(MPI_Waitall(2, r, st));
		MT_IS(st[1].MPI_SOURCE, MPI_ANY_SOURCE);
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	MT_OK(MPI_Request_free(&r[0]));
	MT_OK(MPI_Request_free(&r[1]));
}

static void proc_null(void)
{
	MPI_Request r;
	MPI_Status st;
	int x = 1;

	MT_OK(MPI_Recv_init(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
			    &r));
	MT_OK(MPI_Start(&r));
	MT_OK(MPI_Wait(&r, &st));
	MT_IS(st.MPI_SOURCE, MPI_PROC_NULL);
	MT_OK(MPI_Request_free(&r));
}

int main(int argc, char **argv)
{
	static char buffer[LEN * 4 + 8 * MPI_BSEND_OVERHEAD];
	void *p;
	int n;

	mt_begin(&argc, &argv);
	MT_OK(MPI_Buffer_attach(buffer, sizeof(buffer)));
	rounds(MPI_Send_init, 8);
	rounds(MPI_Send_init, LEN);
	rounds(MPI_Ssend_init, 100);
	rounds(MPI_Rsend_init, 100);
	rounds(MPI_Bsend_init, LEN);
	MT_OK(MPI_Buffer_detach(&p, &n));
	MT_TRUE(p == buffer);
	gaps();
	synchronous();
	statuses();
	proc_null();
	return mt_end();
}
