/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pack, MPI_Unpack, MPI_PACKED in messages, external32. */
#include "mpi_t.h"

static void packed_data_round_trip(void)
{
	int next = (mt_rank + 1) % mt_size;
	int prev = (mt_rank + mt_size - 1) % mt_size;
	double d[6] = { 0, 1, 2, 3, 4, 5 }, e[6] = { 0 };
	int i = 77 + mt_rank, j = 0, pos = 0, size, n;
	char buf[256];
	MPI_Datatype v;
	MPI_Request req;
	MPI_Status st;

	MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &v);
	MPI_Type_commit(&v);
	MT_OK(MPI_Pack_size(1, v, MPI_COMM_WORLD, &size));
	MT_TRUE(size >= 24);
	MT_OK(MPI_Pack(&i, 1, MPI_INT, buf, 256, &pos, MPI_COMM_WORLD));
	MT_OK(MPI_Pack(d, 1, v, buf, 256, &pos, MPI_COMM_WORLD));
	MT_OK(MPI_Isend(buf, pos, MPI_PACKED, next, 0, MPI_COMM_WORLD, &req));
	MT_OK(MPI_Recv(buf + 128, 128, MPI_PACKED, prev, 0, MPI_COMM_WORLD,
		       &st));
	MT_OK(MPI_Wait(&req, MPI_STATUS_IGNORE));
	MPI_Get_count(&st, MPI_PACKED, &n);
	MT_IS(n, pos);
	pos = 0;
	MT_OK(MPI_Unpack(buf + 128, n, &pos, &j, 1, MPI_INT, MPI_COMM_WORLD));
	MT_OK(MPI_Unpack(buf + 128, n, &pos, e, 1, v, MPI_COMM_WORLD));
	MT_TRUE(j == 77 + prev && pos == n);
	MT_TRUE(e[0] == 0 && e[2] == 2 && e[4] == 4 && e[1] == 0);
	/* packed data is received with the datatype that it was packed from */
	pos = 0;
	MPI_Pack(d, 1, v, buf, 256, &pos, MPI_COMM_WORLD);
	MPI_Isend(buf, pos, MPI_PACKED, next, 1, MPI_COMM_WORLD, &req);
	memset(e, 0, sizeof(e));
	MT_OK(MPI_Recv(e, 3, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &st));
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MT_TRUE(e[0] == 0 && e[1] == 2 && e[2] == 4);
	MPI_Type_free(&v);
}

static void external32(void)
{
	int in[3] = { 1, -2, 0x01020304 }, out[3] = { 0 };
	MPI_Count cpos = 0;
	MPI_Aint pos = 0, size;
	unsigned char buf[64];

	MT_OK(MPI_Pack_external_size("external32", 3, MPI_INT, &size));
	MT_IS(size, 12);
	MT_OK(MPI_Pack_external("external32", in, 3, MPI_INT, buf, 64, &pos));
	MT_IS(pos, 12);
	MT_TRUE(buf[3] == 1 && buf[4] == 0xff && buf[7] == 0xfe && buf[8] == 1);
	MT_OK(MPI_Unpack_external_c("external32", buf, 64, &cpos, out, 3,
				    MPI_INT));
	MT_TRUE(!memcmp(in, out, sizeof(in)) && cpos == 12);
	MT_OK(MPI_Pack_external_size("external32", 2, MPI_LONG, &size));
	MT_IS(size, 8);
}

/* Both parts of a complex number are binary128, big-endian in external32. */
static void external32_of_16_bytes(void)
{
	/* 1 and -2 in the byte order of memory */
	const unsigned char in[32] = { [14] = 0xff, [15] = 0x3f, [31] = 0xc0 };
	const unsigned char big[32] = { 0x3f, 0xff, [16] = 0xc0 };
	const long double one = 1;
	unsigned char buf[64], out[32];
	MPI_Aint pos = 0;
	int size;

	MT_OK(MPI_Pack_external("external32", &one, 1, MPI_LONG_DOUBLE, buf, 64,
				&pos));
	MT_TRUE(pos == 16 && !memcmp(buf, big, 16));
	MPI_Type_size(MPI_COMPLEX32, &size);
	if (size == MPI_UNDEFINED)
		return;
	pos = 0;
	MT_OK(MPI_Pack_external("external32", in, 1, MPI_COMPLEX32, buf, 64,
				&pos));
	MT_TRUE(pos == 32 && !memcmp(buf, big, 32));
	pos = 0;
	MT_OK(MPI_Unpack_external("external32", buf, 64, &pos, out, 1,
				  MPI_COMPLEX32));
	MT_TRUE(!memcmp(in, out, 32));
}

static void errors(void)
{
	int i = 0, pos = 0;
	char buf[2];

	MT_IS(mt_class(MPI_Pack(&i, 1, MPI_INT, buf, 2, &pos, MPI_COMM_WORLD)),
	      MPI_ERR_TRUNCATE);
	MT_IS(pos, 0);
	pos = 5;
	MT_IS(mt_class(MPI_Pack(&i, 1, MPI_INT, buf, 2, &pos, MPI_COMM_WORLD)),
	      MPI_ERR_ARG);
	MT_IS(mt_class(MPI_Pack_size(1, MPI_INT, MPI_COMM_NULL, &pos)),
	      MPI_ERR_COMM);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	packed_data_round_trip();
	external32();
	external32_of_16_bytes();
	errors();
	return mt_end();
}
