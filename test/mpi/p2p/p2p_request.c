/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The any, some and all forms of completion; MPI_Request_get_status, cancel,
 * free.
 */
#include "mpi_t.h"

#define N 12

static int next, prev;
static int val[N], got[N];
static MPI_Request s[N], r[N];

static void post(void)
{
	int i;

	for (i = 0; i < N; i++) {
		val[i] = mt_rank * 100 + i;
		got[i] = -1;
		MT_OK(MPI_Irecv(&got[i], 1, MPI_INT, prev, i, MPI_COMM_WORLD,
				&r[i]));
	}
	for (i = N - 1; i >= 0; i--)
		MT_OK(MPI_Isend(&val[i], 1, MPI_INT, next, i, MPI_COMM_WORLD,
				&s[i]));
}

static void all_null(void)
{
	int i;

	MT_OK(MPI_Waitall(N, s, MPI_STATUSES_IGNORE));
	for (i = 0; i < N; i++) {
		MT_IS(got[i], prev * 100 + i);
		MT_IS(r[i], MPI_REQUEST_NULL);
	}
}

static void any(void)
{
	int i, k, flag, seen[N] = { 0 };
	MPI_Status st;

	post();
	for (i = 0; i < N; i++) {
		if (i % 2) {
			MT_OK(MPI_Waitany(N, r, &k, &st));
		} else {
			do
				MT_OK(MPI_Testany(N, r, &k, &flag, &st));
			while (!flag);
		}
		MT_TRUE(k >= 0 && k < N && !seen[k]++);
		MT_IS(st.MPI_TAG, k);
	}
	MT_OK(MPI_Waitany(N, r, &k, &st));
	MT_IS(k, MPI_UNDEFINED);
	MT_OK(MPI_Testany(N, r, &k, &flag, &st));
	MT_TRUE(flag && k == MPI_UNDEFINED);
	all_null();
}

static void some(void)
{
	int i, n, left = N, round = 0, at[N];
	MPI_Status st[N];

	post();
	while (left) {
		if (round++ % 2)
			MT_OK(MPI_Waitsome(N, r, &n, at, st));
		else
			MT_OK(MPI_Testsome(N, r, &n, at, st));
		MT_TRUE(n != MPI_UNDEFINED);
		for (i = 0; i < n; i++)
			MT_IS(st[i].MPI_TAG, at[i]);
		left -= n;
	}
	MT_OK(MPI_Waitsome(N, r, &n, at, st));
	MT_IS(n, MPI_UNDEFINED);
	all_null();
}

static void all(void)
{
	int i, flag = 0;
	MPI_Status st[N];

	post();
	while (!flag)
		MT_OK(MPI_Testall(N, r, &flag, st));
	for (i = 0; i < N; i++)
		MT_IS(st[i].MPI_TAG, i);
	all_null();
}

static void get_status(void)
{
	int n, k, flag = 0, at[N];
	MPI_Status st[N];

	post();
	while (!flag)
		MT_OK(MPI_Request_get_status_all(N, r, &flag, st));
	MT_IS(st[3].MPI_TAG, 3);
	MT_OK(MPI_Request_get_status(r[4], &flag, &st[0]));
	MT_TRUE(flag && st[0].MPI_TAG == 4);
	MT_OK(MPI_Request_get_status_any(N, r, &k, &flag, &st[0]));
	MT_TRUE(flag && st[0].MPI_TAG == k);
	MT_OK(MPI_Request_get_status_some(N, r, &n, at, st));
	MT_IS(n, N);
	MT_OK(MPI_Waitall(N, r, st));
	all_null();
}

static void garbage(MPI_Status st[], int n)
{
	for (int i = 0; i < n; i++) {
		st[i].MPI_SOURCE = -77;
		st[i].MPI_TAG = -77;
		st[i].MPI_ERROR = -77;
	}
}

/*
 * Sends that complete immediately, long sends, receives, null requests and
 * MPI_PROC_NULL in one call: every handle and every status is written.
 */
static void mixed(void)
{
	enum { LONG = 100000, ALL = 6 };
	static char out[LONG], in[LONG];
	MPI_Request q[ALL];
	MPI_Status st[ALL];
	int i, count, one = mt_rank, other = -1;

	memset(out, 'a' + mt_rank % 26, sizeof(out));
	memset(in, 0, sizeof(in));
	MT_OK(MPI_Isend(&one, 1, MPI_INT, next, 50, MPI_COMM_WORLD, &q[0]));
	MT_OK(MPI_Irecv(in, LONG, MPI_CHAR, prev, 51, MPI_COMM_WORLD, &q[1]));
	q[2] = MPI_REQUEST_NULL;
	MT_OK(MPI_Isend(out, LONG, MPI_CHAR, next, 51, MPI_COMM_WORLD, &q[3]));
	MT_OK(MPI_Irecv(&other, 1, MPI_INT, prev, 50, MPI_COMM_WORLD, &q[4]));
	MT_OK(MPI_Irecv(&other, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD,
			&q[5]));
	garbage(st, ALL);
	MT_OK(MPI_Waitall(ALL, q, st));
	MT_TRUE(in[0] == 'a' + prev % 26 && in[LONG - 1] == in[0]);
	MT_IS(other, prev);
	MT_IS(st[1].MPI_SOURCE, prev);
	MT_IS(st[1].MPI_TAG, 51);
	MT_IS(st[2].MPI_SOURCE, MPI_ANY_SOURCE);
	MT_IS(st[4].MPI_SOURCE, prev);
	MT_IS(st[4].MPI_TAG, 50);
	MT_IS(st[5].MPI_SOURCE, MPI_PROC_NULL);
	MT_OK(MPI_Get_count(&st[1], MPI_CHAR, &count));
	MT_IS(count, LONG);
	for (i = 0; i < ALL; i++) {
		int no;

		MT_IS(q[i], MPI_REQUEST_NULL);
		MT_IS(st[i].MPI_ERROR, MPI_SUCCESS);
		MT_OK(MPI_Test_cancelled(&st[i], &no));
		MT_IS(no, 0);
	}
}

static void cancelled(void)
{
	MPI_Request q;
	MPI_Status st;
	int flag, x = 0;

	MT_OK(MPI_Irecv(&x, 1, MPI_INT, prev, 99, MPI_COMM_WORLD, &q));
	MT_OK(MPI_Cancel(&q));
	MT_OK(MPI_Wait(&q, &st));
	MT_OK(MPI_Test_cancelled(&st, &flag));
	MT_IS(flag, 1);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	/* the message matches the next receive, not the cancelled one */
	MT_OK(MPI_Isend(&mt_rank, 1, MPI_INT, next, 99, MPI_COMM_WORLD, &q));
	MT_OK(MPI_Recv(&x, 1, MPI_INT, prev, 99, MPI_COMM_WORLD, &st));
	MT_IS(x, prev);
	MT_OK(MPI_Wait(&q, &st));
	MT_OK(MPI_Test_cancelled(&st, &flag));
	MT_IS(flag, 0);
}

/* A freed request still completes. */
static void freed(void)
{
	static int big[50000], in[50000];
	MPI_Request q;

	big[49999] = mt_rank + 1;
	MT_OK(MPI_Isend(big, 50000, MPI_INT, next, 98, MPI_COMM_WORLD, &q));
	MT_OK(MPI_Request_free(&q));
	MT_IS(q, MPI_REQUEST_NULL);
	MT_OK(MPI_Recv(in, 50000, MPI_INT, prev, 98, MPI_COMM_WORLD,
		       MPI_STATUS_IGNORE));
	MT_IS(in[49999], prev + 1);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	next = (mt_rank + 1) % mt_size;
	prev = (mt_rank + mt_size - 1) % mt_size;
	any();
	some();
	all();
	get_status();
	mixed();
	cancelled();
	freed();
	return mt_end();
}
