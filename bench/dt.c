/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ping-pong of derived datatypes between ranks 0 and 1: one-way time. "Size" is
 * the number of bytes sent; both sides have the same layout.
 *
 *   vector    64 bytes of every 128
 *   indexed   blocks of 16 to 112 bytes at uneven offsets
 *   struct    9 int at 0, 3 char at 64, consecutive
 *   subarray  the middle half of every dimension but the first, of doubles
 */
#include "bench.h"

#define BLOCKS	  1024
/* maximum number of bytes sent in one direction per size */
#define MAX_BYTES ((size_t)256 << 20)
#define ITERS_MIN 4

enum { VECTOR, INDEXED, STRUCT, SUBARRAY, LAYOUTS };

struct layout {
	MPI_Datatype type; /* datatype of one unit */
	MPI_Aint span;
	int bytes;
};

static MPI_Datatype vector(void)
{
	MPI_Datatype t, r;

	MPI_Type_vector(BLOCKS, 8, 16, MPI_DOUBLE, &t);
	MPI_Type_create_resized(t, 0, BLOCKS * 128, &r);
	MPI_Type_free(&t);
	return r;
}

static MPI_Datatype indexed(void)
{
	static int len[BLOCKS], at[BLOCKS];
	MPI_Datatype t;
	int next = 0;

	for (int i = 0; i < BLOCKS; i++) {
		len[i] = 4 + i * 7 % 25;
		at[i] = next + i * 5 % 11;
		next = at[i] + len[i] + 1;
	}
	MPI_Type_indexed(BLOCKS, len, at, MPI_INT, &t);
	return t;
}

static MPI_Datatype nine_and_three(void)
{
	int len[] = { 9, 3 };
	MPI_Aint at[] = { 0, 64 };
	MPI_Datatype of[] = { MPI_INT, MPI_CHAR }, t, r;

	MPI_Type_create_struct(2, len, at, of, &t);
	MPI_Type_create_resized(t, 0, 68, &r);
	MPI_Type_free(&t);
	return r;
}

static MPI_Datatype subarray(void)
{
	int all[] = { 4, 64, 64 }, part[] = { 4, 32, 32 }, at[] = { 0, 16, 16 };
	MPI_Datatype t;

	MPI_Type_create_subarray(3, all, part, at, MPI_ORDER_C, MPI_DOUBLE, &t);
	return t;
}

static void layout_open(struct layout *l, MPI_Datatype type)
{
	MPI_Aint lb;

	l->type = type;
	MPI_Type_commit(&l->type);
	MPI_Type_size(l->type, &l->bytes);
	MPI_Type_get_extent(l->type, &lb, &l->span);
}

static void round_trip(const struct bench *b, const struct layout *l, char *mem,
		       int count)
{
	int peer = 1 - b->rank;

	if (b->rank == 0)
		MPI_Send(mem, count, l->type, peer, 1, MPI_COMM_WORLD);
	MPI_Recv(mem, count, l->type, peer, 1, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	if (b->rank == 1)
		MPI_Send(mem, count, l->type, peer, 1, MPI_COMM_WORLD);
}

/*
 * Checks that the bytes of rank 0 return from rank 1 and that gaps are
 * unchanged.
 */
static void check(struct bench *b, const struct layout *l, char *mem, int count)
{
	size_t all = (size_t)l->span * (size_t)count;
	size_t data = (size_t)l->bytes * (size_t)count;
	char *want = bench_buffer(data), *got = bench_buffer(data);
	int pos = 0;
	bool ok;

	bench_fill(mem, all, 0);
	MPI_Pack(mem, count, l->type, want, (int)data, &pos, MPI_COMM_SELF);
	if (b->rank)
		memset(mem, 0, all);
	round_trip(b, l, mem, count);
	pos = 0;
	MPI_Pack(mem, count, l->type, got, (int)data, &pos, MPI_COMM_SELF);
	ok = !memcmp(want, got, data) &&
	     (b->rank || bench_data_equal(mem, all, 0));
	free(want);
	free(got);
	bench_check_all(b, data, ok);
}

static int iterations(const struct bench *b, size_t bytes)
{
	size_t n = MAX_BYTES / bytes;

	if (b->iters_large != b->iters / 10) /* set by option -i */
		return b->iters;
	return n < ITERS_MIN ? ITERS_MIN : n > 1000 ? 1000 : (int)n;
}

/* Returns the one-way time in microseconds. */
static double measure(struct bench *b, const struct layout *l, size_t bytes)
{
	int count = (int)(bytes / (size_t)l->bytes);
	int iters = iterations(b, bytes);
	char *mem = bench_buffer((size_t)l->span * (size_t)(count + 1));
	double start = 0, t;

	count = count ? count : 1;
	if (b->check)
		check(b, l, mem, count);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = -1 - iters / 10; i < iters; i++) {
		if (i == 0)
			start = MPI_Wtime();
		round_trip(b, l, mem, count);
	}
	t = MPI_Wtime() - start;
	free(mem);
	/* scale to the requested number of bytes */
	return t * 1e6 / (2.0 * iters) * (double)bytes /
	       ((double)l->bytes * count);
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Derived Datatype Latency Test",
			   .min = 65536,
			   .max = 64 << 20,
			   .column = { "Vector (us)", "Indexed (us)",
				       "Struct (us)", "Subarray (us)" },
			   .columns = LAYOUTS };
	MPI_Datatype (*const make[])(void) = { vector, indexed, nine_and_three,
					       subarray };
	struct layout l[LAYOUTS];

	bench_begin(&b, argc, argv);
	bench_require(&b, b.size == 2, "2 ranks");
	for (int i = 0; i < LAYOUTS; i++)
		layout_open(&l[i], make[i]());
	for (size_t n = b.min; n <= b.max; n *= 4) {
		double v[LAYOUTS];

		for (int i = 0; i < LAYOUTS; i++)
			v[i] = measure(&b, &l[i], n);
		bench_row(&b, n, v);
	}
	for (int i = 0; i < LAYOUTS; i++)
		MPI_Type_free(&l[i].type);
	return bench_end(&b);
}
