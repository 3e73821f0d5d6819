/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message longer than the buffer is an error of the receive only; bytes after
 * the buffer are unchanged.
 */
#include "mpi_t.h"

static int next, prev;

static void too_long(int sent, int room, int early)
{
	char *out = calloc(1, (size_t)sent), *in = malloc((size_t)sent);
	MPI_Request r, s;
	MPI_Status st;
	int err;

	memset(in, 0x55, (size_t)sent);
	if (early)
		MT_OK(MPI_Irecv(in, room, MPI_BYTE, prev, 1, MPI_COMM_WORLD,
				&r));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_Isend(out, sent, MPI_BYTE, next, 1, MPI_COMM_WORLD, &s));
	if (early)
		err = MPI_Wait(&r, &st);
	else
		err = MPI_Recv(in, room, MPI_BYTE, prev, 1, MPI_COMM_WORLD,
			       &st);
	MT_IS(mt_class(err), MPI_ERR_TRUNCATE);
	MT_IS(st.MPI_SOURCE, prev);
	MT_IS(st.MPI_TAG, 1);
	MT_IS(in[room], 0x55);
	MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
	free(out);
	free(in);
}

static void in_waitall(void)
{
	int a[4] = { 0 }, b[4] = { 0 }, c[4] = { 1, 2, 3, 4 };
	MPI_Request r[4];
	MPI_Status st[4];
	int err;

	MT_OK(MPI_Irecv(a, 1, MPI_INT, prev, 1, MPI_COMM_WORLD, &r[0]));
	MT_OK(MPI_Irecv(b, 4, MPI_INT, prev, 2, MPI_COMM_WORLD, &r[1]));
	MT_OK(MPI_Isend(c, 4, MPI_INT, next, 1, MPI_COMM_WORLD, &r[2]));
	MT_OK(MPI_Isend(c, 4, MPI_INT, next, 2, MPI_COMM_WORLD, &r[3]));
	err = MPI_Waitall(4, r, st);
	MT_IS(mt_class(err), MPI_ERR_IN_STATUS);
	MT_IS(mt_class(st[0].MPI_ERROR), MPI_ERR_TRUNCATE);
	MT_IS(st[1].MPI_ERROR, MPI_SUCCESS);
	MT_IS(st[2].MPI_ERROR, MPI_SUCCESS);
	MT_IS(b[3], 4);
	MT_IS(a[1], 0);
}

/*
 * Messages to self arrive immediately: one call completes all of them, failed
 * and successful.
 */
enum { MANY = 6 };

static int room[MANY][4], full[4] = { 1, 2, 3, 4 };
static MPI_Request many[MANY];

static void send_many(int bad)
{
	int i, self = mt_rank;

	for (i = 0; i < MANY; i++)
		MT_OK(MPI_Irecv(room[i], (bad >> i) & 1 ? 1 : 4, MPI_INT, self,
				i, MPI_COMM_WORLD, &many[i]));
	for (i = 0; i < MANY; i++)
		MT_OK(MPI_Send(full, 4, MPI_INT, self, i, MPI_COMM_WORLD));
}

static void check_status(int bad, int i, const MPI_Status *st)
{
	MT_IS(mt_class(st->MPI_ERROR),
	      (bad >> i) & 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
	MT_IS(st->MPI_TAG, i);
}

static void one_call_completes_all(int bad)
{
	MPI_Status st[MANY];
	int i, n, k, flag, at[MANY], left = MANY;

	send_many(bad);
	MT_IS(mt_class(MPI_Testall(MANY, many, &flag, st)), MPI_ERR_IN_STATUS);
	MT_IS(flag, 1);
	for (i = 0; i < MANY; i++)
		check_status(bad, i, &st[i]);
	send_many(bad);
	MT_IS(mt_class(MPI_Waitsome(MANY, many, &n, at, st)),
	      MPI_ERR_IN_STATUS);
	MT_IS(n, MANY);
	for (i = 0; i < MANY; i++)
		check_status(bad, at[i], &st[i]);
	send_many(bad);
	MT_IS(mt_class(MPI_Testsome(MANY, many, &n, at, st)),
	      MPI_ERR_IN_STATUS);
	MT_IS(n, MANY);
	send_many(bad);
	while (left--) {
		n = mt_class(MPI_Testany(MANY, many, &k, &flag, st));
		MT_IS(flag, 1);
		MT_IS(n, (bad >> k) & 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
	}
}

/*
 * Returns whether the clock is live: in virtual time a message to self also
 * takes time.
 */
static int is_live(void)
{
	int *global, flag;

	MT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global,
				&flag));
	return !flag || !*global;
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	next = (mt_rank + 1) % mt_size;
	prev = (mt_rank + mt_size - 1) % mt_size;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	too_long(10, 4, 1);
	too_long(10, 4, 0);
	too_long(5000, 4999, 1);
	too_long(5000, 0, 0);
	too_long(300000, 100000, 1);
	too_long(300000, 100, 0);
	in_waitall();
	if (!is_live())
		return mt_end();
	one_call_completes_all(1 << 2);
	one_call_completes_all(1 << 5);
	one_call_completes_all(1);
	one_call_completes_all(1 << 1 | 1 << 4);
	one_call_completes_all((1 << MANY) - 1);
	return mt_end();
}
