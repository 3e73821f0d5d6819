/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packing speed: MPI_Pack and MPI_Unpack of usual layouts, each compared with a
 * memcpy of the same number of bytes in the same run (medians of interleaved
 * rounds). Runs in one process, with any MPI:
 *
 *   mpicc -O2 -o pack pack.c && ./pack [KiB of data]
 *
 * A layout with gaps touches more cache lines than it has bytes, so a second
 * column compares with the simplest C loop over the same layout, where there is
 * one (strided blocks): 1.00 is as fast as a loop written by hand.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 15

struct layout {
	const char *name;
	MPI_Datatype type;
	int count;
	/* length of the strided blocks in bytes; 0: no loop to compare with */
	size_t block;
	size_t stride;
};

static size_t data_bytes = 256 * 1024;
static size_t mem_bytes;
static char *mem, *flat, *other;

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v)
{
	qsort(v, ROUNDS, sizeof(*v), compare);
	return v[ROUNDS / 2];
}

static void loop_pack(const struct layout *l, size_t bytes)
{
	const char *from = mem;
	char *to = flat;

	for (size_t n = bytes / l->block; n > 0; n--) {
		memcpy(to, from, l->block);
		to += l->block;
		from += l->stride;
	}
}

enum { COPY, LOOP, PACK, UNPACK, KINDS };

static double once(const struct layout *l, int kind, int size)
{
	double t = MPI_Wtime();
	int pos = 0;

	switch (kind) {
	case COPY:
		memcpy(flat, other, (size_t)size);
		break;
	case LOOP:
		if (l->block)
			loop_pack(l, (size_t)size);
		break;
	case PACK:
		MPI_Pack(mem, l->count, l->type, flat, size, &pos,
			 MPI_COMM_SELF);
		break;
	default:
		MPI_Unpack(flat, size, &pos, mem, l->count, l->type,
			   MPI_COMM_SELF);
	}
	return MPI_Wtime() - t;
}

static void measure(const struct layout *l)
{
	double t[KINDS][ROUNDS], mid[KINDS];
	int size, each;

	MPI_Type_size(l->type, &each);
	size = each * l->count;
	for (int kind = 0; kind < KINDS; kind++)
		once(l, kind, size);
	for (int r = 0; r < ROUNDS; r++)
		for (int kind = 0; kind < KINDS; kind++)
			t[kind][r] = once(l, kind, size);
	for (int kind = 0; kind < KINDS; kind++)
		mid[kind] = median(t[kind]);
	printf("%-28s %9d %9.2f %9.2f %9.2f %9.2f", l->name, size / 1024,
	       size / mid[PACK] / 1e9, size / mid[UNPACK] / 1e9,
	       mid[PACK] / mid[COPY], mid[UNPACK] / mid[COPY]);
	if (l->block)
		printf(" %9.2f\n", mid[PACK] / mid[LOOP]);
	else
		printf(" %9s\n", "-");
}

static void run(const char *name, MPI_Datatype type, size_t block,
		size_t stride)
{
	struct layout l = { name, type, 1, block, stride };
	int size;

	MPI_Type_commit(&type);
	MPI_Type_size(type, &size);
	l.count = (int)(data_bytes / (size_t)size);
	if (l.count == 0)
		l.count = 1;
	measure(&l);
	MPI_Type_free(&type);
}

/* Measures blocks of `block` bytes with gaps of the same length. */
static void strided(const char *name, int block)
{
	MPI_Datatype t;

	MPI_Type_create_hvector((int)(data_bytes / (size_t)block), block,
				2 * block, MPI_BYTE, &t);
	run(name, t, (size_t)block, 2 * (size_t)block);
}

/*
 * Measures an array of struct { double d; int i; char c; }, with its padding.
 */
static void structs(void)
{
	int len[3] = { 1, 1, 1 };
	MPI_Aint at[3] = { 0, 8, 12 };
	MPI_Datatype of[3] = { MPI_DOUBLE, MPI_INT, MPI_CHAR }, t;

	MPI_Type_create_struct(3, len, at, of, &t);
	run("struct {double,int,char}", t, 13, 16);
}

/*
 * Measures a struct with padding in the middle: struct { char c; double d; }.
 */
static void holes(void)
{
	int len[2] = { 1, 1 };
	MPI_Aint at[2] = { 0, 8 };
	MPI_Datatype of[2] = { MPI_CHAR, MPI_DOUBLE }, t;

	MPI_Type_create_struct(2, len, at, of, &t);
	run("struct {char,double}", t, 0, 0);
}

static void indexed(void)
{
	enum { BLOCKS = 4096 };
	static int len[BLOCKS], disp[BLOCKS];
	MPI_Datatype t;

	for (int i = 0, at = 0; i < BLOCKS; i++) {
		len[i] = 1 + i * 7 % 5;
		disp[i] = at;
		at += len[i] + 1 + i % 3;
	}
	MPI_Type_indexed(BLOCKS, len, disp, MPI_DOUBLE, &t);
	run("indexed, 1 to 5 doubles", t, 0, 0);
}

/*
 * Returns the edge of a cube of doubles whose faces have an eighth of the data,
 * or of the largest cube that fits in memory.
 */
static int edge(void)
{
	size_t n = 8;

	while (n * n * sizeof(double) < data_bytes / 8 &&
	       8 * n * n * n * sizeof(double) <= mem_bytes)
		n *= 2;
	return (int)n;
}

/* Measures the three kinds of faces of the cube. */
static void faces(void)
{
	static const char *const name[3] = { "face of a cube, whole planes",
					     "face of a cube, rows",
					     "face of a cube, columns" };
	int n = edge(), sizes[3], sub[3], start[3] = { 0, 0, 0 };
	MPI_Datatype t;

	for (int face = 0; face < 3; face++) {
		for (int d = 0; d < 3; d++) {
			sizes[d] = n;
			sub[d] = d == face ? 1 : n;
		}
		MPI_Type_create_subarray(3, sizes, sub, start, MPI_ORDER_C,
					 MPI_DOUBLE, &t);
		data_bytes = (size_t)n * (size_t)n * sizeof(double);
		run(name[face], t, 0, 0);
	}
}

int main(int argc, char **argv)
{
	MPI_Datatype t;
	size_t requested;

	MPI_Init(&argc, &argv);
	if (argc > 1)
		data_bytes = (size_t)atol(argv[1]) * 1024;
	requested = data_bytes;
	mem_bytes = 16 * data_bytes + (64 << 20);
	mem = calloc(1, mem_bytes);
	flat = calloc(1, data_bytes + 65536);
	other = calloc(1, data_bytes + 65536);
	if (!mem || !flat || !other)
		MPI_Abort(MPI_COMM_WORLD, 1);
	printf("# packing %zu KiB; times relative to memcpy and to a C loop\n",
	       data_bytes / 1024);
	printf("%-28s %9s %9s %9s %9s %9s %9s\n", "# layout", "KiB",
	       "pack GB/s", "unpk GB/s", "pack/cpy", "unpk/cpy", "pack/loop");
	MPI_Type_contiguous((int)(data_bytes / 8), MPI_DOUBLE, &t);
	run("contiguous", t, data_bytes, data_bytes);
	strided("vector of 4-byte blocks", 4);
	strided("vector of 8-byte blocks", 8);
	strided("vector of 16-byte blocks", 16);
	strided("vector of 64-byte blocks", 64);
	strided("vector of 1-KiB blocks", 1024);
	structs();
	holes();
	indexed();
	faces();
	data_bytes = requested;
	free(mem);
	free(flat);
	free(other);
	MPI_Finalize();
	return 0;
}
