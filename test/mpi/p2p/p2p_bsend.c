/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered sends: buffer space is reused, and a full buffer is an error. */
#include "mpi_t.h"

static int next, prev;

static void fill_and_drain(int len, int count)
{
	char *in = malloc((size_t)len), *out = malloc((size_t)len);
	int i;

	for (i = 0; i < count; i++) {
		mt_fill(out, (size_t)len, (uint64_t)(mt_rank + i));
		MT_OK(MPI_Bsend(out, len, MPI_BYTE, next, 1, MPI_COMM_WORLD));
	}
	for (i = 0; i < count; i++) {
		MT_OK(MPI_Recv(in, len, MPI_BYTE, prev, 1, MPI_COMM_WORLD,
			       MPI_STATUS_IGNORE));
		MT_TRUE(mt_same(in, (size_t)len, (uint64_t)(prev + i)));
	}
	free(in);
	free(out);
}

static void process_buffer(void)
{
	int size = 4 * (20000 + MPI_BSEND_OVERHEAD);
	char *buf = malloc((size_t)size);
	void *p;
	int n, i;

	MT_OK(MPI_Buffer_attach(buf, size));
	MT_TRUE(MPI_Buffer_attach(buf, size) != MPI_SUCCESS);
	for (i = 0; i < 30; i++) {
		fill_and_drain(20000, 4);
		MT_OK(MPI_Buffer_flush());
	}
	MT_OK(MPI_Buffer_detach(&p, &n));
	MT_TRUE(p == buf && n == size);
	free(buf);
}

static void buffer_full(void)
{
	char buf[1000 + MPI_BSEND_OVERHEAD], out[3000] = { 0 };
	void *p;
	int n, err;

	err = MPI_Bsend(out, 10, MPI_BYTE, next, 1, MPI_COMM_WORLD);
	MT_IS(mt_class(err), MPI_ERR_BUFFER);
	MT_OK(MPI_Buffer_attach(buf, sizeof(buf)));
	err = MPI_Bsend(out, 3000, MPI_BYTE, next, 1, MPI_COMM_WORLD);
	MT_IS(mt_class(err), MPI_ERR_BUFFER);
	fill_and_drain(1000, 1);
	MT_OK(MPI_Buffer_detach(&p, &n));
}

static void comm_buffers(void)
{
	MPI_Comm c;
	MPI_Request r;
	void *p;
	MPI_Count n;
	int x = mt_rank, y;

	MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	MT_OK(MPI_Comm_attach_buffer_c(c, MPI_BUFFER_AUTOMATIC, 0));
	MT_OK(MPI_Ibsend(&x, 1, MPI_INT, next, 1, c, &r));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_OK(MPI_Recv(&y, 1, MPI_INT, prev, 1, c, MPI_STATUS_IGNORE));
	MT_IS(y, prev);
	MT_OK(MPI_Comm_iflush_buffer(c, &r));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_OK(MPI_Comm_detach_buffer_c(c, &p, &n));
	MT_TRUE(p == MPI_BUFFER_AUTOMATIC);
	MT_OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	next = (mt_rank + 1) % mt_size;
	prev = (mt_rank + mt_size - 1) % mt_size;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	process_buffer();
	buffer_full();
	comm_buffers();
	return mt_end();
}
