/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long vectors and messages in device memory: every operation and type that
 * GPUs have kernels for, in place and not, with some ranks' buffers in host
 * memory; messages of many lengths and alignments, truncated, probed, to this
 * rank itself, and many at a time.
 */
#include "device_t.h"

#include <stdbool.h>
#include <string.h>

#define COUNT 70001 /* elements; not a multiple of the number of ranks */
#define ROOM  (COUNT * sizeof(double) * 4)

static int rank, size;
static unsigned char *device[2], *host[2], *want, *got;

/* ---- reductions ---- */

static const MPI_Datatype types[] = { MPI_INT32_T,  MPI_UINT32_T, MPI_INT64_T,
				      MPI_UINT64_T, MPI_FLOAT,	  MPI_DOUBLE,
				      MPI_INT16_T };

/* Fills with small numbers: sums and products are exact in any order. */
static void fill(void *to, MPI_Datatype t, int seed, int n)
{
	for (int i = 0; i < n; i++) {
		int v = (i * 7 + seed * 13 + rank * 5) % 3 + 1;

		if (t == MPI_FLOAT)
			((float *)to)[i] = (float)v;
		else if (t == MPI_DOUBLE)
			((double *)to)[i] = v;
		else if (t == MPI_INT64_T || t == MPI_UINT64_T)
			((int64_t *)to)[i] = v;
		else if (t == MPI_INT16_T)
			((int16_t *)to)[i] = (int16_t)v;
		else
			((int32_t *)to)[i] = v;
	}
}

enum { ALLREDUCE, IN_PLACE, REDUCE, ROOT_IN_PLACE, BLOCK, FORMS };

static void operate(int form, void *s, void *r, int n, MPI_Datatype t,
		    MPI_Op op, int root)
{
	switch (form) {
	case ALLREDUCE:
		MT_OK(MPI_Allreduce(s, r, n, t, op, MPI_COMM_WORLD));
		break;
	case IN_PLACE:
		MT_OK(MPI_Allreduce(MPI_IN_PLACE, r, n, t, op, MPI_COMM_WORLD));
		break;
	case REDUCE:
		MT_OK(MPI_Reduce(s, r, n, t, op, root, MPI_COMM_WORLD));
		break;
	case ROOT_IN_PLACE:
		MT_OK(MPI_Reduce(rank == root ? MPI_IN_PLACE : s, r, n, t, op,
				 root, MPI_COMM_WORLD));
		break;
	default:
		MT_OK(MPI_Reduce_scatter_block(s, r, n / size, t, op,
					       MPI_COMM_WORLD));
	}
}

/* Compares the result in device memory with the one in host memory. */
static void reduction(int form, MPI_Datatype t, MPI_Op op, int mixed)
{
	int n = form == BLOCK ? COUNT / size * size : COUNT, bytes;
	int root = (form + mixed) % size;
	bool mine = !(mixed && rank % 2);

	MPI_Type_size(t, &bytes);
	fill(host[0], t, form, COUNT);
	fill(host[1], t, form + 1, COUNT);
	device_in(device[0], host[0], (size_t)(COUNT * bytes));
	device_in(device[1], host[1], (size_t)(COUNT * bytes));
	memcpy(want, host[1], (size_t)(COUNT * bytes));
	/*
	 * GPUs do not combine derived types: computes the expected result on
	 * the host
	 */
	operate(form, host[0], want, n, t, op, root);
	operate(form, mine ? device[0] : host[0], mine ? device[1] : host[1], n,
		t, op, root);
	device_out(got, device[1], (size_t)(COUNT * bytes));
	MT_TRUE(!memcmp(mine ? got : host[1], want, (size_t)(COUNT * bytes)));
	device_out(got, device[0], (size_t)(COUNT * bytes));
	MT_TRUE(!memcmp(got, host[0], (size_t)(COUNT * bytes)));
}

static void reductions(void)
{
	const MPI_Op ops[] = { MPI_SUM,	 MPI_MAX,  MPI_MIN, MPI_PROD,
			       MPI_BAND, MPI_BXOR, MPI_BOR };

	for (unsigned o = 0; o < sizeof(ops) / sizeof(*ops); o++) {
		for (unsigned t = 0; t < sizeof(types) / sizeof(*types); t++) {
			bool real =
				types[t] == MPI_FLOAT || types[t] == MPI_DOUBLE;

			if (!(o >= 4 && real))
				reduction((int)(o + t) % FORMS, types[t],
					  ops[o], 0);
		}
	}
	for (int form = 0; form < FORMS; form++) {
		reduction(form, MPI_DOUBLE, MPI_SUM, 0);
		reduction(form, MPI_INT64_T, MPI_MIN, 0);
		reduction(form, MPI_DOUBLE, MPI_SUM, 1);
	}
}

/* ---- messages ---- */

static void pattern(unsigned char *to, size_t n, int seed)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (unsigned char)(i * 31 + i / 251 + (size_t)seed);
}

/* Sends n bytes from offset `from` to offset `to` of the next rank. */
static void message(size_t n, size_t from, size_t to, bool device_in_use,
		    bool device_at_end)
{
	int next = (rank + 1) % size, last = (rank + size - 1) % size;
	unsigned char *s = (device_in_use ? device : host)[0] + from;
	unsigned char *r = (device_at_end ? device : host)[1] + to;
	MPI_Request req;

	pattern(want, n, rank);
	if (device_in_use)
		device_in(s, want, n);
	else
		memcpy(s, want, n);
	MT_OK(MPI_Isend(s, (int)n, MPI_BYTE, next, 3, MPI_COMM_WORLD, &req));
	MT_OK(MPI_Recv(r, (int)n, MPI_BYTE, last, 3, MPI_COMM_WORLD,
		       MPI_STATUS_IGNORE));
	MT_OK(MPI_Wait(&req, MPI_STATUS_IGNORE));
	if (device_at_end)
		device_out(got, r, n);
	pattern(want, n, last);
	MT_TRUE(!memcmp(device_at_end ? got : r, want, n));
}

static void messages(void)
{
	static const size_t bytes[] = { 1,     8,     100,    4096,
					65536, 65537, 300001, 1500000 };

	for (unsigned i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
		for (int kinds = 0; kinds < 4; kinds++) {
			message(bytes[i], 0, 0, kinds & 1, kinds & 2);
			message(bytes[i], 5, 16, kinds & 1, kinds & 2);
		}
	}
}

/* The receiver is late and probes, and its buffer is too short. */
static void unexpected(void)
{
	int next = (rank + 1) % size, last = (rank + size - 1) % size, n, rc;
	MPI_Request req;
	MPI_Message m;
	MPI_Status st;

	pattern(want, 200000, rank);
	device_in(device[0], want, 200000);
	for (int way = 0; way < 2; way++) {
		MT_OK(MPI_Isend(device[0], 200000, MPI_BYTE, next, 4,
				MPI_COMM_WORLD, &req));
		MT_OK(MPI_Mprobe(last, 4, MPI_COMM_WORLD, &m, &st));
		MT_OK(MPI_Get_count(&st, MPI_BYTE, &n));
		MT_IS(n, 200000);
		rc = MPI_Mrecv(device[1], way ? 200000 : 1000, MPI_BYTE, &m,
			       &st);
		MPI_Error_class(rc, &n);
		MT_IS(n, way ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
		MT_OK(MPI_Wait(&req, MPI_STATUS_IGNORE));
		device_out(got, device[1], way ? 200000 : 1000);
		pattern(want, 200000, last);
		MT_TRUE(!memcmp(got, want, way ? 200000 : 1000));
	}
}

static void many(void)
{
	enum { N = 40, BYTES = 20000 };
	MPI_Request req[2 * N];
	int next = (rank + 1) % size, last = (rank + size - 1) % size;

	pattern(want, N * BYTES, rank);
	device_in(device[0], want, N * BYTES);
	for (int i = 0; i < N; i++) {
		MT_OK(MPI_Irecv(device[1] + i * BYTES, BYTES, MPI_BYTE, last, i,
				MPI_COMM_WORLD, &req[i]));
		MT_OK(MPI_Isend(device[0] + i * BYTES, BYTES, MPI_BYTE, next, i,
				MPI_COMM_WORLD, &req[N + i]));
	}
	MT_OK(MPI_Waitall(2 * N, req, MPI_STATUSES_IGNORE));
	device_out(got, device[1], N * BYTES);
	pattern(want, N * BYTES, last);
	MT_TRUE(!memcmp(got, want, N * BYTES));
}

/* A type with many blocks is packed and unpacked on the device. */
static void blocks(void)
{
	int next = (rank + 1) % size, last = (rank + size - 1) % size;
	MPI_Datatype t;

	MT_OK(MPI_Type_vector(5000, 3, 7, MPI_INT, &t));
	MT_OK(MPI_Type_commit(&t));
	pattern(want, 140000, rank);
	device_in(device[0], want, 140000);
	memset(want, 0, 140000);
	device_in(device[1], want, 140000);
	MT_OK(MPI_Sendrecv(device[0], 1, t, next, 5, device[1], 1, t, last, 5,
			   MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	device_out(got, device[1], 140000);
	pattern(host[0], 140000, last);
	for (size_t i = 0; i < 139976; i++) {
		if (i % 28 < 12)
			MT_IS(got[i], host[0][i]);
		else
			MT_IS(got[i], 0);
	}
	MT_OK(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
	MT_OK(MPI_Init(&argc, &argv));
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	for (int i = 0; i < 2; i++) {
		device[i] = device_alloc(ROOM);
		host[i] = malloc(ROOM);
	}
	want = malloc(ROOM);
	got = malloc(ROOM);
	messages();
	unexpected();
	many();
	blocks();
	reductions();
	for (int i = 0; i < 2; i++) {
		MT_OK(MPI_Free_mem(device[i]));
		free(host[i]);
	}
	free(want);
	free(got);
	MT_OK(MPI_Finalize());
	return 0;
}
