/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many outstanding collectives: nonblocking operations of all kinds on one
 * communicator and on a duplicate, completed in a different order than they
 * were started; blocking operations between them; persistent operations started
 * repeatedly; types, operations and communicators freed while operations are in
 * flight.
 */
#include "coll_t.h"

enum { FLIGHT = 48, N = 37, ROUNDS = 6 };

struct slot {
	MPI_Request req;
	int kind;
	int root;
	int *in;
	int *out;
};

static int rank, size;

static void slot_start(struct slot *s, int kind, int root, MPI_Comm comm)
{
	int i, n = N * size;

	s->kind = kind;
	s->root = root;
	s->in = coll_malloc(sizeof(int) * (size_t)n);
	s->out = coll_malloc(sizeof(int) * (size_t)n);
	for (i = 0; i < n; i++) {
		s->in[i] = coll_val(rank, kind, i);
		s->out[i] = -1;
	}
	switch (kind) {
	case 0:
		MPI_Ibarrier(comm, &s->req);
		break;
	case 1:
		if (rank == root)
			memcpy(s->out, s->in, sizeof(int) * N);
		MPI_Ibcast(s->out, N, MPI_INT, root, comm, &s->req);
		break;
	case 2:
		MPI_Iallreduce(s->in, s->out, N, MPI_INT, MPI_SUM, comm,
			       &s->req);
		break;
	case 3:
		MPI_Ireduce(s->in, s->out, N, MPI_INT, MPI_MAX, root, comm,
			    &s->req);
		break;
	case 4:
		MPI_Iallgather(s->in, N, MPI_INT, s->out, N, MPI_INT, comm,
			       &s->req);
		break;
	case 5:
		MPI_Ialltoall(s->in, N, MPI_INT, s->out, N, MPI_INT, comm,
			      &s->req);
		break;
	case 6:
		MPI_Igather(s->in, N, MPI_INT, s->out, N, MPI_INT, root, comm,
			    &s->req);
		break;
	case 7:
		MPI_Iscatter(s->in, N, MPI_INT, s->out, N, MPI_INT, root, comm,
			     &s->req);
		break;
	case 8:
		MPI_Ireduce_scatter_block(s->in, s->out, N, MPI_INT, MPI_SUM,
					  comm, &s->req);
		break;
	default:
		MPI_Iscan(s->in, s->out, N, MPI_INT, MPI_SUM, comm, &s->req);
		break;
	}
}

static int sum_to(int hi, int kind, int i)
{
	int q, sum = 0;

	for (q = 0; q < hi; q++)
		sum += coll_val(q, kind, i);
	return sum;
}

static void slot_check(const struct slot *s)
{
	int i, q, k = s->kind;

	for (i = 0; i < N; i++) {
		if (k == 1)
			CHECK(s->out[i] == coll_val(s->root, k, i));
		if (k == 2)
			CHECK(s->out[i] == sum_to(size, k, i));
		if (k == 3 && rank == s->root)
			CHECK(s->out[i] == coll_val(size - 1, k, i));
		if (k == 7)
			CHECK(s->out[i] == coll_val(s->root, k, rank * N + i));
		if (k == 8)
			CHECK(s->out[i] == sum_to(size, k, rank * N + i));
		if (k == 9)
			CHECK(s->out[i] == sum_to(rank + 1, k, i));
	}
	for (q = 0; q < size; q++)
		for (i = 0; i < N; i++) {
			if (k == 4 || (k == 6 && rank == s->root))
				CHECK(s->out[q * N + i] == coll_val(q, k, i));
			if (k == 5)
				CHECK(s->out[q * N + i] ==
				      coll_val(q, k, rank * N + i));
		}
}

static void test_mix(MPI_Comm a, MPI_Comm b)
{
	unsigned draw = 7, late = 3;
	struct slot s[FLIGHT];
	int i, x, sum, done;

	for (i = 0; i < FLIGHT; i++) {
		slot_start(&s[i], (int)(coll_rand(&draw) % 10),
			   (int)(coll_rand(&draw) % (unsigned)size),
			   i % 3 ? a : b);
		coll_skew(&late, rank);
		if (i % 11 == 5) {
			x = rank;
			MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, a);
			CHECK(sum == size * (size - 1) / 2);
		}
	}
	/*
	 * complete some with MPI_Test, others with MPI_Wait, in reverse order
	 */
	for (i = FLIGHT - 1; i >= 0; i--) {
		for (done = i % 2; !done;)
			MPI_Test(&s[i].req, &done, MPI_STATUS_IGNORE);
		MPI_Wait(&s[i].req, MPI_STATUS_IGNORE);
		slot_check(&s[i]);
		free(s[i].in);
		free(s[i].out);
	}
}

/* Objects that an operation uses may be freed while it is in flight. */
static void test_freed(void)
{
	MPI_Comm comm;
	MPI_Datatype two;
	MPI_Request req[2];
	int v[6] = { 0, 1, 2, 3, 4, 5 }, w[2] = { rank, 1 }, sum[2], i;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Type_vector(2, 1, 2, MPI_INT, &two);
	MPI_Type_commit(&two);
	for (i = 0; i < 6 && rank; i++)
		v[i] = -1;
	MPI_Ibcast(v, 1, two, 0, comm, &req[0]);
	MPI_Iallreduce(w, sum, 2, MPI_INT, MPI_SUM, comm, &req[1]);
	MPI_Type_free(&two);
	MPI_Comm_free(&comm);
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	CHECK(v[0] == 0 && v[2] == 2);
	CHECK(rank == 0 || (v[1] == -1 && v[3] == -1));
	CHECK(sum[0] == size * (size - 1) / 2 && sum[1] == size);
}

static void test_persistent(MPI_Comm comm)
{
	MPI_Request req[4];
	int in[N] = { 0 }, sum[N], all[N * 64], bc[N], i, round, q;

	MPI_Allreduce_init(in, sum, N, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
			   &req[0]);
	MPI_Allgather_init(in, N, MPI_INT, all, N, MPI_INT, comm, MPI_INFO_NULL,
			   &req[1]);
	MPI_Bcast_init(bc, N, MPI_INT, size - 1, comm, MPI_INFO_NULL, &req[2]);
	MPI_Barrier_init(comm, MPI_INFO_NULL, &req[3]);
	for (round = 0; round < ROUNDS * 5; round++) {
		for (i = 0; i < N; i++) {
			in[i] = coll_val(rank, round, i);
			bc[i] = rank == size - 1 ? round + i : -1;
		}
		/* start in different orders on different ranks */
		if (rank % 2)
			MPI_Startall(4, req);
		else
			for (i = 3; i >= 0; i--)
				MPI_Start(&req[i]);
		MPI_Waitall(4, req, MPI_STATUSES_IGNORE);
		for (i = 0; i < N; i++) {
			CHECK(sum[i] == sum_to(size, round, i));
			CHECK(bc[i] == round + i);
			for (q = 0; q < size; q++)
				CHECK(all[q * N + i] == coll_val(q, round, i));
		}
	}
	for (i = 0; i < 4; i++)
		MPI_Request_free(&req[i]);
}

int main(int argc, char **argv)
{
	MPI_Comm a, b;
	int i;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	MPI_Comm_dup(MPI_COMM_WORLD, &b);
	for (i = 0; i < ROUNDS; i++)
		test_mix(a, b);
	test_freed();
	if (size <= 64)
		test_persistent(a);
	MPI_Comm_free(&a);
	MPI_Comm_free(&b);
	MPI_Finalize();
	if (!rank)
		printf("coll_outstanding: all operations in flight are "
		       "correct\n");
	return 0;
}
