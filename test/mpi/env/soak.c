/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mixed traffic between all ranks, repeated for a number of rounds (argument
 * 1): messages of all lengths, many of them unexpected, collectives on the
 * world and on communicators that are created and freed. Every byte is checked.
 * The memory of the ranks, private and shared, must level off: the last third
 * of the rounds adds less than argument 2 (in KiB) to the total of all ranks.
 */
#include "mpi_t.h"

#define MOST (256 << 10)

static uint64_t state;

/* Returns a random number, the same on all ranks after the same calls. */
static uint64_t random_next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/*
 * Draws a length for one of the protocols: short, eager, in cells, fetched by
 * the receiver.
 */
static int length(void)
{
	static const int most[] = { 64, 600, 8000, 60000, MOST };

	return (int)(random_next() % (uint64_t)most[random_next() % 5]);
}

static unsigned char pattern(int from, int to, int round)
{
	return (unsigned char)(from * 31 + to * 7 + round);
}

static void check(const unsigned char *b, int n, unsigned char want)
{
	for (int i = 0; i < n; i += 97)
		MT_IS(b[i], want);
	if (n)
		MT_IS(b[n - 1], want);
}

#define BURST 20

/*
 * A burst of messages from all ranks to one rank, which receives them in
 * reverse order.
 */
static void burst(int round, unsigned char *out, unsigned char *in)
{
	int to = (int)(random_next() % (uint64_t)mt_size), n = length() % 9000;
	int count = (int)(random_next() % BURST);
	MPI_Request req[BURST];

	if (mt_rank != to) {
		memset(out, pattern(mt_rank, to, round), (size_t)n);
		for (int k = 0; k < count; k++)
			MT_OK(MPI_Isend(out, n, MPI_BYTE, to, k, MPI_COMM_WORLD,
					&req[k]));
		MT_OK(MPI_Waitall(count, req, MPI_STATUSES_IGNORE));
		return;
	}
	for (int from = mt_size - 1; from >= 0; from--) {
		for (int k = count - 1; from != to && k >= 0; k--) {
			MT_OK(MPI_Recv(in, MOST, MPI_BYTE, from, k,
				       MPI_COMM_WORLD, MPI_STATUS_IGNORE));
			check(in, n, pattern(from, to, round));
		}
	}
}

static void ring(int round, unsigned char *out, unsigned char *in)
{
	int step = (int)(random_next() % (uint64_t)mt_size);
	int to = (mt_rank + step) % mt_size;
	int from = (mt_rank + mt_size - step) % mt_size, n = length();

	memset(out, pattern(mt_rank, to, round), (size_t)n);
	MT_OK(MPI_Sendrecv(out, n, MPI_BYTE, to, 1, in, MOST, MPI_BYTE, from, 1,
			   MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	check(in, n, pattern(from, mt_rank, round));
}

static void collect(MPI_Comm comm, unsigned char *out, unsigned char *in)
{
	int size, rank, n = length(), root;
	long one = 1, sum;

	MPI_Comm_size(comm, &size);
	MPI_Comm_rank(comm, &rank);
	root = (int)(random_next() % (uint64_t)size);
	MT_OK(MPI_Allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, comm));
	MT_IS(sum, size);
	memset(out, rank == root ? 9 : 1, (size_t)n);
	MT_OK(MPI_Bcast(out, n, MPI_BYTE, root, comm));
	check(out, n, 9);
	memset(out, 1, (size_t)n);
	MT_OK(MPI_Allreduce(out, in, n, MPI_UNSIGNED_CHAR, MPI_SUM, comm));
	check(in, n, (unsigned char)size);
}

/* Runs collectives on a temporary communicator of half of the ranks. */
static void collectives_on_half(unsigned char *out, unsigned char *in)
{
	MPI_Comm comm;
	uint64_t before;

	MT_OK(MPI_Comm_split(MPI_COMM_WORLD, mt_rank % 2, 0, &comm));
	before = state;
	for (int i = 0; i < 3; i++)
		collect(comm, out, in);
	/*
	 * make the random state equal on all ranks: the halves may differ in
	 * size
	 */
	state = before;
	random_next();
	MT_OK(MPI_Comm_free(&comm));
}

/*
 * Returns the memory of this rank in KiB: private memory, and its share of
 * shared memory.
 */
static long pss_kib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	long kib = 0;

	MT_TRUE(f != NULL);
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Pss: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	MT_TRUE(kib > 0);
	return kib;
}

static long used_by_all(void)
{
	long mine = pss_kib(), all = 0;

	MT_OK(MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
	return all;
}

int main(int argc, char **argv)
{
	unsigned char *out = malloc(MOST), *in = malloc(MOST);
	int third, limit;
	long at[4];

	mt_begin(&argc, &argv);
	third = argc > 1 ? (atoi(argv[1]) + 2) / 3 : 1000;
	limit = argc > 2 ? atoi(argv[2]) : 2048;
	state = 88172645463325252u;
	at[0] = used_by_all();
	for (int r = 0; r < 3 * third; r++) {
		int what = (int)(random_next() % 8);

		if (what < 3)
			ring(r, out, in);
		else if (what < 5)
			burst(r, out, in);
		else if (what < 7)
			collect(MPI_COMM_WORLD, out, in);
		else
			collectives_on_half(out, in);
		if ((r + 1) % third == 0)
			at[(r + 1) / third] = used_by_all();
	}
	if (mt_rank == 0)
		printf("%d ranks, %d rounds: %ld, %ld, %ld, %ld KiB\n", mt_size,
		       3 * third, at[0], at[1], at[2], at[3]);
	MT_TRUE(at[3] - at[2] < limit);
	free(out);
	free(in);
	return mt_end();
}
