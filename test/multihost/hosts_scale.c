/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Job of hosts_scale.sh: checks messages between all ranks and a sample of
 * collectives, and prints what a rank uses: heap and resident memory, sockets
 * and threads, after MPI_Init, after a short message to and from every rank,
 * and after a long one.
 */
#include <dirent.h>
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG_BYTES (128 << 10)

static int rank, size, bad;

static void check(int ok, const char *what)
{
	if (!ok) {
		printf("rank %d: wrong result of %s\n", rank, what);
		bad = 1;
	}
}

/* Resources that one rank uses; the largest values of all ranks are printed. */
struct use {
	double heap, resident, sockets, threads, s;
};

static int count(const char *dir, const char *kind)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char name[512], to[256];
	int n = 0;

	while (d && (e = readdir(d))) {
		ssize_t len;

		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", dir, e->d_name);
		len = kind ? readlink(name, to, sizeof(to) - 1) : 0;
		to[len > 0 ? len : 0] = '\0';
		n += !kind || !strncmp(to, kind, strlen(kind));
	}
	if (d)
		closedir(d);
	return n;
}

static struct use use_now(double start)
{
	struct mallinfo2 m = mallinfo2();
	struct use u = { .heap = (double)(m.uordblks + m.hblkhd),
			 .s = MPI_Wtime() - start };
	long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%ld %ld", &pages, &resident) == 2)
		u.resident = (double)resident * (double)sysconf(_SC_PAGESIZE);
	if (f)
		fclose(f);
	u.sockets = count("/proc/self/fd", "socket:");
	u.threads = count("/proc/self/task", NULL);
	return u;
}

static void print(const char *what, struct use mine)
{
	struct use u;

	MPI_Reduce(&mine, &u, sizeof(u) / sizeof(double), MPI_DOUBLE, MPI_MAX,
		   0, MPI_COMM_WORLD);
	if (!rank)
		printf("%-8s ranks %d heap %.0f KB resident %.0f KB sockets "
		       "%.0f threads %.0f time %.2f s\n",
		       what, size, u.heap / 1024, u.resident / 1024, u.sockets,
		       u.threads, u.s);
}

/* Exchanges a message with every other rank: ranks at distance i in step i. */
static void exchange(size_t bytes)
{
	char *out = malloc(bytes), *in = malloc(bytes);

	for (int i = 1; i < size; i++) {
		int to = (rank + i) % size, from = (rank + size - i) % size;

		memset(out, rank * 31 + i, bytes);
		MPI_Sendrecv(out, (int)bytes, MPI_CHAR, to, 1, in, (int)bytes,
			     MPI_CHAR, from, 1, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		check(in[0] == (char)(from * 31 + i) &&
			      !memcmp(in, in + 1, bytes - 1),
		      "a message");
	}
	free(out);
	free(in);
}

static void collectives(int n)
{
	int *a = malloc(sizeof(int) * (size_t)n * (size_t)size);
	int *b = malloc(sizeof(int) * (size_t)n * (size_t)size);

	for (int i = 0; i < n * size; i++)
		a[i] = rank + i;
	MPI_Allreduce(a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	check(b[n - 1] == size * (size - 1) / 2 + size * (n - 1), "allreduce");
	MPI_Alltoall(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		check(b[i * n + n - 1] == i + rank * n + n - 1, "alltoall");
	MPI_Allgather(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		check(b[i * n + n - 1] == i + n - 1, "allgather");
	MPI_Reduce_scatter_block(a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	check(b[n - 1] == size * (size - 1) / 2 + size * (rank * n + n - 1),
	      "reduce_scatter");
	if (rank == size - 1)
		b[n - 1] = 4711;
	MPI_Bcast(b, n, MPI_INT, size - 1, MPI_COMM_WORLD);
	check(b[n - 1] == 4711, "bcast");
	free(a);
	free(b);
}

int main(int argc, char **argv)
{
	double start;

	MPI_Init(&argc, &argv);
	start = MPI_Wtime();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	print("start", use_now(start));
	start = MPI_Wtime();
	exchange(8);
	print("short", use_now(start));
	start = MPI_Wtime();
	exchange(LONG_BYTES);
	exchange(LONG_BYTES);
	print("long", use_now(start));
	start = MPI_Wtime();
	collectives(10);
	collectives(2000);
	print("coll", use_now(start));
	MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (!rank && !bad)
		printf("%d ranks: good\n", size);
	MPI_Finalize();
	return bad;
}
