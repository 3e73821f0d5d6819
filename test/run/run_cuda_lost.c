// SPDX-License-Identifier: BSD-3-Clause
/*
 * Calls after the GPU has failed, with two ranks: each call that needs the data
 * in device memory returns an error, host memory can still be sent, and
 * MPI_Finalize ends. The library in place of the driver refuses all work from
 * the moment at which FAKE_CUDA_REFUSE is set. Prints one line for each call
 * that did not return as expected.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES (1 << 20)

static int rank, wrong;
static char *device[2], host_block[100];
static MPI_Win created, dynamic;
static MPI_Aint attached[2];

static void failed(const char *what, int rc)
{
	if (rc)
		return;
	printf("%d: %s returns no error\n", rank, what);
	wrong = 1;
}

static void good(const char *what, int rc)
{
	int class;

	if (!rc)
		return;
	MPI_Error_class(rc, &class);
	printf("%d: %s returns class %d\n", rank, what, class);
	wrong = 1;
}

static void *device_alloc(void)
{
	MPI_Info info;
	void *at = NULL;

	MPI_Info_create(&info);
	MPI_Info_set(info, "weft_memory_alloc_kind", "cuda:device");
	good("MPI_Alloc_mem", MPI_Alloc_mem(BYTES, info, &at));
	MPI_Info_free(&info);
	return at;
}

static void windows_open(void)
{
	MPI_Win_create(device[0], BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
		       &created);
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
	MPI_Win_set_errhandler(created, MPI_ERRORS_RETURN);
	MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
	good("MPI_Win_attach", MPI_Win_attach(dynamic, device[1], BYTES));
	good("MPI_Win_attach",
	     MPI_Win_attach(dynamic, host_block, sizeof(host_block)));
	MPI_Get_address(device[1], &attached[rank]);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_AINT, attached, 1, MPI_AINT,
		      MPI_COMM_WORLD);
}

/*
 * Gets a byte of the other rank under a lock. Returns the error of the get or
 * of the unlock.
 */
static int get(MPI_Win w, MPI_Aint at)
{
	char byte;
	int rc, rc2;

	MPI_Win_lock(MPI_LOCK_SHARED, !rank, 0, w);
	rc = MPI_Get(&byte, 1, MPI_BYTE, !rank, at, 1, MPI_BYTE, w);
	rc2 = MPI_Win_unlock(!rank, w);
	return rc ? rc : rc2;
}

/*
 * Uses a new tag for each exchange, because a rank may leave the previous
 * exchange late.
 */
static int exchange(void *from, void *to, int n)
{
	static int tag = 10;

	tag++;
	return MPI_Sendrecv(from, n, MPI_BYTE, !rank, tag, to, n, MPI_BYTE,
			    !rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void accesses(void)
{
	int old, one = 1;
	MPI_Aint host;

	failed("get, created window", get(created, 0));
	failed("get, dynamic window", get(dynamic, attached[!rank]));
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, dynamic);
	failed("own fetch and add",
	       MPI_Fetch_and_op(&one, &old, MPI_INT, rank, attached[rank],
				MPI_SUM, dynamic));
	MPI_Get_address(host_block, &host);
	failed("put from device memory", MPI_Put(device[0], 100, MPI_BYTE, rank,
						 host, 100, MPI_BYTE, dynamic));
	failed("accumulate from device memory",
	       MPI_Accumulate(device[0], 10, MPI_INT, rank, host, 10, MPI_INT,
			      MPI_SUM, dynamic));
	MPI_Win_unlock(rank, dynamic);
}

/*
 * The GPU of rank 0 fails in the middle of a long message, which is copied in
 * chunks: the receiver has no GPU, but gets the error, too.
 */
static void sender_fails(void)
{
	char *host = malloc(BYTES);

	if (rank == 0) {
		setenv("FAKE_CUDA_REFUSE", "cuMemcpyAsync:3", 1);
		failed("send", MPI_Send(device[0], BYTES, MPI_BYTE, 1, 2,
					MPI_COMM_WORLD));
		unsetenv("FAKE_CUDA_REFUSE");
	} else {
		failed("receive", MPI_Recv(host, BYTES, MPI_BYTE, 0, 2,
					   MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	}
	free(host);
}

static void local_calls(void)
{
	char out[100];
	int pos = 0;

	failed("MPI_Pack", MPI_Pack(device[0], 100, MPI_BYTE, out, 100, &pos,
				    MPI_COMM_WORLD));
	failed("MPI_Unpack", MPI_Unpack(out, 100, &pos, device[0], 100,
					MPI_BYTE, MPI_COMM_WORLD));
	failed("MPI_Reduce_local",
	       MPI_Reduce_local(device[0], device[1], 10, MPI_INT, MPI_SUM));
	failed("MPI_Sendrecv_replace",
	       MPI_Sendrecv_replace(device[0], 100, MPI_BYTE, rank, 1, rank, 1,
				    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
	int size, host[2] = { 5, 0 }, sum[10];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	device[0] = device_alloc();
	device[1] = device_alloc();
	windows_open();
	good("message", exchange(device[0], device[1], BYTES));
	good("get", get(dynamic, attached[!rank]));
	MPI_Barrier(MPI_COMM_WORLD);
	if (getenv("FAKE_CUDA_NO_IPC"))
		sender_fails();
	MPI_Barrier(MPI_COMM_WORLD);
	setenv("FAKE_CUDA_REFUSE",
	       "cuMemcpyAsync,cuLaunchKernel,cuStreamQuery,cuStreamSynchronize",
	       1);
	MPI_Barrier(MPI_COMM_WORLD);
	failed("short message", exchange(device[0], device[1], 100));
	failed("long message", exchange(device[0], device[1], BYTES));
	failed("message to host memory", exchange(device[0], host, 8));
	MPI_Barrier(MPI_COMM_WORLD);
	accesses();
	MPI_Barrier(MPI_COMM_WORLD);
	local_calls();
	failed("MPI_Allreduce",
	       MPI_Allreduce(device[0], device[1], BYTES / 4, MPI_INT, MPI_SUM,
			     MPI_COMM_WORLD));
	failed("short MPI_Allreduce", MPI_Allreduce(device[0], sum, 10, MPI_INT,
						    MPI_SUM, MPI_COMM_WORLD));
	host[0] = 5;
	good("host memory", exchange(&host[0], &host[1], sizeof(int)));
	good("contents", host[1] != 5);
	MPI_Win_free(&created);
	MPI_Win_free(&dynamic);
	MPI_Finalize();
	return wrong;
}
