/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between host and device memory: sizes of every protocol, all four
 * combinations, all modes, and types with few and with many gaps. Bytes that
 * must not be written are checked as well.
 */
#include "device_t.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST (1u << 20)

static const size_t sizes[] = { 0,     1,     8,     100,    4000, 4097,
				12000, 32768, 40000, 300001, MOST };
#define SIZES (sizeof(sizes) / sizeof(*sizes))

static unsigned char *host, *device, *check;
static int tag;

static void fill(void *at, size_t n, uint64_t seed)
{
	mt_fill(check, n, seed);
	device_in(at, check, n);
}

static void expect(const void *at, size_t n, uint64_t seed)
{
	device_out(check, at, n);
	MT_TRUE(mt_same(check, n, seed));
}

static void clear(void *at, size_t n)
{
	memset(check, 0, n);
	device_in(at, check, n);
}

static void one_message(void *from, void *to, size_t n, int mode)
{
	int dest = (mt_rank + 1) % mt_size;
	int source = (mt_rank + mt_size - 1) % mt_size;
	MPI_Request r[2];
	MPI_Message m;
	MPI_Status st;
	int count;

	tag++;
	fill(from, n, (uint64_t)(100 * mt_rank + tag));
	if (from != to)
		clear(to, n);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mode != 2)
		MT_OK(MPI_Irecv(to, MOST, MPI_BYTE, source, tag, MPI_COMM_WORLD,
				&r[0]));
	if (mode == 0)
		MT_OK(MPI_Isend(from, (int)n, MPI_BYTE, dest, tag,
				MPI_COMM_WORLD, &r[1]));
	else if (mode == 1)
		MT_OK(MPI_Issend(from, (int)n, MPI_BYTE, dest, tag,
				 MPI_COMM_WORLD, &r[1]));
	else
		MT_OK(MPI_Ibsend(from, (int)n, MPI_BYTE, dest, tag,
				 MPI_COMM_WORLD, &r[1]));
	if (mode == 2) {
		MT_OK(MPI_Mprobe(source, tag, MPI_COMM_WORLD, &m, &st));
		MT_OK(MPI_Imrecv(to, MOST, MPI_BYTE, &m, &r[0]));
	}
	MT_OK(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
	MT_OK(MPI_Wait(&r[0], &st));
	MT_OK(MPI_Get_count(&st, MPI_BYTE, &count));
	MT_IS(count, (int)n);
	expect(to, n, (uint64_t)(100 * source + tag));
}

/* Blocking calls have separate code paths. */
static void blocking(void *from, void *to, size_t n)
{
	int other = mt_rank ^ 1;

	tag++;
	if (other >= mt_size)
		return;
	fill(from, n, (uint64_t)(100 * mt_rank + tag));
	if (mt_rank & 1) {
		MT_OK(MPI_Recv(to, MOST, MPI_BYTE, other, tag, MPI_COMM_WORLD,
			       MPI_STATUS_IGNORE));
		expect(to, n, (uint64_t)(100 * other + tag));
		MT_OK(MPI_Send(to, (int)n, MPI_BYTE, other, tag,
			       MPI_COMM_WORLD));
	} else {
		MT_OK(MPI_Send(from, (int)n, MPI_BYTE, other, tag,
			       MPI_COMM_WORLD));
		MT_OK(MPI_Recv(to, MOST, MPI_BYTE, other, tag, MPI_COMM_WORLD,
			       MPI_STATUS_IGNORE));
		expect(to, n, (uint64_t)(100 * mt_rank + tag));
	}
}

static void replace(size_t n)
{
	int dest = (mt_rank + 1) % mt_size;
	int source = (mt_rank + mt_size - 1) % mt_size;

	fill(device, n, (uint64_t)mt_rank);
	MT_OK(MPI_Sendrecv_replace(device, (int)n, MPI_BYTE, dest, 1, source, 1,
				   MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	expect(device, n, (uint64_t)source);
}

/*
 * Receives two columns of a matrix concurrently: neither receive changes bytes
 * of the other column or between the columns.
 */
static void columns(int rows)
{
	int dest = (mt_rank + 1) % mt_size;
	int source = (mt_rank + mt_size - 1) % mt_size;
	MPI_Request r[4];
	MPI_Datatype column;

	MT_OK(MPI_Type_vector(rows, 2, 8, MPI_INT, &column));
	MT_OK(MPI_Type_commit(&column));
	fill(device, (size_t)rows * 32, (uint64_t)mt_rank);
	clear(device + MOST, (size_t)rows * 32);
	MT_OK(MPI_Irecv(device + MOST, 1, column, source, 2, MPI_COMM_WORLD,
			&r[0]));
	MT_OK(MPI_Irecv(device + MOST + 16, 1, column, source, 3,
			MPI_COMM_WORLD, &r[1]));
	MT_OK(MPI_Isend(device + 16, 1, column, dest, 3, MPI_COMM_WORLD,
			&r[2]));
	MT_OK(MPI_Isend(device, 1, column, dest, 2, MPI_COMM_WORLD, &r[3]));
	MT_OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
	device_out(check, device + MOST, (size_t)rows * 32);
	for (int i = 0; i < rows * 32; i++)
		MT_IS(check[i],
		      i % 16 < 8 ? mt_byte((uint64_t)source, (size_t)i) : 0);
	MT_OK(MPI_Type_free(&column));
}

static void persistent(size_t n)
{
	int dest = (mt_rank + 1) % mt_size;
	int source = (mt_rank + mt_size - 1) % mt_size;
	MPI_Request r[2];

	MT_OK(MPI_Recv_init(device + MOST, (int)n, MPI_BYTE, source, 9,
			    MPI_COMM_WORLD, &r[0]));
	MT_OK(MPI_Send_init(device, (int)n, MPI_BYTE, dest, 9, MPI_COMM_WORLD,
			    &r[1]));
	for (uint64_t i = 0; i < 3; i++) {
		fill(device, n, 10 * i + (uint64_t)mt_rank);
		MT_OK(MPI_Startall(2, r));
		MT_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
		expect(device + MOST, n, 10 * i + (uint64_t)source);
	}
	MT_OK(MPI_Request_free(&r[0]));
	MT_OK(MPI_Request_free(&r[1]));
}

/*
 * A processor access to memory of the emulated device must fault; otherwise the
 * device tests would not find direct accesses.
 */
static void processor_access_faults(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		_exit(*(volatile unsigned char *)device);
	}
	MT_IS(waitpid(pid, &status, 0), pid);
	MT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

/* Partitions of device memory, which become ready in reverse order. */
static void partitioned(int n)
{
	enum { PARTS = 5 };
	int dest = (mt_rank + 1) % mt_size;
	int source = (mt_rank + mt_size - 1) % mt_size;
	MPI_Request r[2];

	MT_OK(MPI_Psend_init(device, PARTS, n, MPI_BYTE, dest, 3,
			     MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
	MT_OK(MPI_Precv_init(device + MOST, 1, PARTS * n, MPI_BYTE, source, 3,
			     MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
	for (int round = 0; round < 2; round++) {
		fill(device, (size_t)(PARTS * n),
		     (uint64_t)(10 * mt_rank + round));
		clear(device + MOST, (size_t)(PARTS * n));
		MT_OK(MPI_Startall(2, r));
		for (int i = PARTS - 1; i >= 0; i--)
			MT_OK(MPI_Pready(i, r[0]));
		MT_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
		expect(device + MOST, (size_t)(PARTS * n),
		       (uint64_t)(10 * source + round));
	}
	for (int i = 0; i < 2; i++)
		MT_OK(MPI_Request_free(&r[i]));
}

static void kinds_are_reported(void)
{
	char kinds[MPI_MAX_INFO_VAL] = "";
	int len = sizeof(kinds), flag, rc, class;
	MPI_Info info;
	void *at;

	MT_OK(MPI_Comm_get_info(MPI_COMM_WORLD, &info));
	MT_OK(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &len, kinds,
				  &flag));
	MT_TRUE(flag && strstr(kinds, "system") && strstr(kinds, "mpi") &&
		strstr(kinds, DEVICE_KIND));
	MT_OK(MPI_Info_set(info, "weft_memory_alloc_kind", "no:kind"));
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	rc = MPI_Alloc_mem(100, info, &at);
	MPI_Error_class(rc, &class);
	MT_IS(class, MPI_ERR_INFO_VALUE);
	MT_OK(MPI_Info_set(info, "weft_memory_alloc_kind", "mpi"));
	MT_OK(MPI_Alloc_mem(100, info, &at));
	memset(at, 1, 100);
	MT_OK(MPI_Free_mem(at));
	MT_OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
	void *room;

	mt_begin(&argc, &argv);
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	kinds_are_reported();
	/* exchange messages before the first use of a device */
	host = malloc(2 * MOST);
	check = malloc(2 * MOST);
	room = malloc(MOST + 2 * MPI_BSEND_OVERHEAD);
	MT_OK(MPI_Buffer_attach(room, MOST + 2 * MPI_BSEND_OVERHEAD));
	one_message(host, host + MOST, 100, 0);
	device = device_alloc(2 * MOST);
	processor_access_faults();
	for (unsigned s = 0; s < SIZES; s++) {
		for (int i = 0; i < 4; i++) {
			unsigned char *from = i & 1 ? device : host;
			unsigned char *to = i & 2 ? device : host;

			for (int mode = 0; mode < 3; mode++)
				one_message(from, to + MOST, sizes[s], mode);
			blocking(from, to + MOST, sizes[s]);
		}
		replace(sizes[s]);
	}
	columns(2);
	columns(3000);
	columns(20000);
	persistent(100);
	persistent(300001);
	partitioned(30);
	partitioned(150001);
	MT_OK(MPI_Buffer_detach(&room, &tag));
	MT_OK(MPI_Free_mem(device));
	free(room);
	free(host);
	free(check);
	return mt_end();
}
