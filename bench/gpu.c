/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages and reductions in memory of an NVIDIA GPU, by two or more ranks of a
 * host, compared with an application that copies through pinned host memory,
 * and with the GPU's own copies. The program runs with any MPI library that
 * accepts such memory. Without a GPU it prints a line and ends.
 *
 *   mpiexec -n 2 bench/mpi/gpu
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef unsigned long long addr;

static int (*init)(unsigned), (*retain)(void **, int), (*use)(void *);
static int (*alloc)(addr *, size_t), (*host_alloc)(void **, size_t, unsigned);
static int (*copy)(addr, addr, size_t, void *), (*wait)(void *);
static int (*stream_create)(void **, unsigned);

static int rank, size;
static addr a, b;
static char *pinned;
static void *stream;

#define MOST   ((size_t)64 << 20)
#define WINDOW 16

static int driver_open(void)
{
	static const struct {
		const char *name;
		void *to;
	} f[] = {
		{ "cuInit", &init },
		{ "cuDevicePrimaryCtxRetain", &retain },
		{ "cuCtxSetCurrent", &use },
		{ "cuMemAlloc_v2", &alloc },
		{ "cuMemHostAlloc", &host_alloc },
		{ "cuMemcpyAsync", &copy },
		{ "cuStreamSynchronize", &wait },
		{ "cuStreamCreate", &stream_create },
	};
	const char *path = getenv("FI_WEFT_CUDA");
	void *lib = dlopen(path && strchr(path, '/') ? path : "libcuda.so.1",
			   RTLD_NOW);
	void *context = NULL, *p;

	for (unsigned i = 0; lib && i < sizeof(f) / sizeof(*f); i++) {
		p = dlsym(lib, f[i].name);
		if (!p && strcmp(f[i].name, "cuCtxSetCurrent"))
			return 1;
		memcpy(f[i].to, &p, sizeof(p));
	}
	return !lib || init(0) || retain(&context, 0) ||
	       (use && use(context)) || alloc(&a, MOST) || alloc(&b, MOST) ||
	       host_alloc((void **)&pinned, MOST, 1) ||
	       stream_create(&stream, 1);
}

/* Copies n bytes and waits for the copy. */
static void move(addr to, addr from, size_t n)
{
	copy(to, from, n, stream);
	wait(stream);
}

static void *at(addr p)
{
	return (void *)(unsigned long)p;
}

static double rounds(size_t n)
{
	return n >= 1 << 20 ? 20 : n >= 65536 ? 200 : 1000;
}

static int by_compare(const void *x, const void *y)
{
	const double p = *(const double *)x, q = *(const double *)y;

	return (p > q) - (p < q);
}

/* Returns the median time of five series of calls, in us. */
static double timed(void (*f)(size_t), size_t n)
{
	const int calls = (int)rounds(n);
	double t[5];

	for (int i = 0; i < calls / 10 + 2; i++)
		f(n);
	for (int k = 0; k < 5; k++) {
		MPI_Barrier(MPI_COMM_WORLD);
		t[k] = MPI_Wtime();
		for (int i = 0; i < calls; i++)
			f(n);
		t[k] = (MPI_Wtime() - t[k]) / calls * 1e6;
	}
	qsort(t, 5, sizeof(*t), by_compare);
	return t[2];
}

/* ---- the GPU alone ---- */

static void plain_out(size_t n)
{
	move((addr)(unsigned long)pinned, a, n);
}

static void plain_window(size_t n)
{
	if (rank == 0) {
		for (int i = 0; i < WINDOW; i++)
			copy(b, a, n, stream);
		wait(stream);
	}
}

/* ---- messages ---- */

static void exchange(void *s, void *r, size_t n)
{
	if (rank == 0) {
		MPI_Send(s, (int)n, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(r, (int)n, MPI_BYTE, 1, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(r, (int)n, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Send(s, (int)n, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	}
}

static void pingpong(size_t n)
{
	exchange(at(a), at(b), n);
}

static void pingpong_host(size_t n)
{
	exchange(pinned, pinned + MOST / 2, n);
}

static void staged_half(size_t n, int send)
{
	if (send) {
		move((addr)(unsigned long)pinned, a, n);
		MPI_Send(pinned, (int)n, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(pinned, (int)n, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		move(b, (addr)(unsigned long)pinned, n);
	}
}

static void pingpong_staged(size_t n)
{
	if (rank > 1)
		return;
	staged_half(n, rank == 0);
	staged_half(n, rank == 1);
}

static void window_of(size_t n, int both)
{
	MPI_Request q[2 * WINDOW];
	int k = 0;

	if (rank > 1)
		return;
	for (int i = 0; i < WINDOW; i++) {
		if (rank == 1 || both)
			MPI_Irecv(at(b), (int)n, MPI_BYTE, 1 - rank, 1,
				  MPI_COMM_WORLD, &q[k++]);
		if (rank == 0 || both)
			MPI_Isend(at(a), (int)n, MPI_BYTE, 1 - rank, 1,
				  MPI_COMM_WORLD, &q[k++]);
	}
	MPI_Waitall(k, q, MPI_STATUSES_IGNORE);
	if (both)
		return;
	if (rank == 1)
		MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
	else
		MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
}

static void window(size_t n)
{
	window_of(n, 0);
}

static void window_both(size_t n)
{
	window_of(n, 1);
}

/* ---- reductions ---- */

static void allreduce(size_t n)
{
	MPI_Allreduce(at(a), at(b), (int)(n / 4), MPI_FLOAT, MPI_SUM,
		      MPI_COMM_WORLD);
}

static void allreduce_staged(size_t n)
{
	move((addr)(unsigned long)pinned, a, n);
	MPI_Allreduce(MPI_IN_PLACE, pinned, (int)(n / 4), MPI_FLOAT, MPI_SUM,
		      MPI_COMM_WORLD);
	move(b, (addr)(unsigned long)pinned, n);
}

/* ---- host memory in a program that uses the GPU ---- */

static char *mapped;
static char heap[64];

static void pingpong_heap(size_t n)
{
	exchange(heap, heap + 32, n);
}

static void pingpong_mapped(size_t n)
{
	exchange(mapped, mapped + 4096, n);
}

static void row(const char *name, size_t n, double us, double bytes)
{
	if (rank)
		return;
	printf("%-42s %9zu %12.2f", name, n, us);
	if (bytes > 0)
		printf(" %10.1f", bytes / us / 1e3);
	printf("\n");
	fflush(stdout);
}

static void messages(void)
{
	static const size_t sizes[] = { 8, 1024, 65536, 1 << 20, MOST };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t n = sizes[i];

		row("device to device, one way", n, timed(pingpong, n) / 2, 0);
		row("  staged by the application", n,
		    timed(pingpong_staged, n) / 2, 0);
		if (n < MOST)
			row("  pinned host memory", n,
			    timed(pingpong_host, n) / 2, 0);
	}
	for (unsigned i = 2; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t n = sizes[i];
		double all = (double)n * WINDOW;

		row("16 messages, GB/s", n, timed(window, n), all);
		row("  copies of the GPU alone", n, timed(plain_window, n),
		    all);
		row("  both directions", n, timed(window_both, n), 2 * all);
	}
}

int main(int argc, char **argv)
{
	int no;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	no = driver_open();
	if (no || size < 2) {
		if (!rank)
			printf("no GPU, or fewer than two ranks\n");
		MPI_Finalize();
		return 0;
	}
	mapped = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!rank)
		printf("%-42s %9s %12s %10s\n", "", "bytes", "us", "GB/s");
	row("copy to pinned memory, and its completion", 8, timed(plain_out, 8),
	    0);
	row("host memory, one way: program data", 8,
	    timed(pingpong_heap, 8) / 2, 0);
	row("host memory, one way: other mappings", 8,
	    timed(pingpong_mapped, 8) / 2, 0);
	messages();
	for (size_t n = 1 << 20; n <= MOST; n *= 64) {
		row("allreduce, floats", n, timed(allreduce, n), 0);
		row("  staged by the application", n,
		    timed(allreduce_staged, n), 0);
	}
	MPI_Finalize();
	return 0;
}
