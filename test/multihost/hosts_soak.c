/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ranks that send for a long time over a lossy network: every message has
 * to arrive once, in order and unchanged, and the memory of both ranks must
 * not grow. test/multihost/hosts_soak.sh runs it.
 *
 *   hosts_soak MESSAGES GIB
 *
 * MESSAGES messages of 8 bytes in both directions at once, then GIB GiB in
 * blocks of 1 MiB.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64, DEPTH = 4, WORDS = 1 << 17, STEPS = 20, SLACK_KB = 4096 };

static int rank, peer;

static void fail(const char *what, uint64_t at, uint64_t got, uint64_t want)
{
	fprintf(stderr, "soak: rank %d: %s, number %llu: %llx is not %llx\n",
		rank, what, (unsigned long long)at, (unsigned long long)got,
		(unsigned long long)want);
	MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Returns the expected word i of message k of a rank. */
static uint64_t word(int from, uint64_t k, uint64_t i)
{
	return (k * 0x9e3779b97f4a7c15ull) ^ (i * 0xff51afd7ed558ccdull) ^
	       (uint64_t)from << 63;
}

/* Returns the resident memory of this process, in KiB. */
static long resident_kb(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[128];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmRSS: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/*
 * Progress of a part of the test; memory growth is measured since the first
 * report.
 */
struct part {
	const char *name;
	uint64_t total;
	double bytes_each;
	double start;
	long first_kb;
	int step;
};

static void report_progress(struct part *p, uint64_t done)
{
	double s = MPI_Wtime() - p->start;
	long kb;

	if (done * STEPS < p->total * (uint64_t)(p->step + 1))
		return;
	while (done * STEPS >= p->total * (uint64_t)(p->step + 1))
		p->step++;
	kb = resident_kb();
	if (!p->first_kb)
		p->first_kb = kb;
	if (!rank)
		printf("%s: %3d %%, %8.1f s, %10.0f a second, %8.1f MB/s each "
		       "way, %ld KiB\n",
		       p->name, p->step * 100 / STEPS, s, (double)done / s,
		       (double)done * p->bytes_each / s / 1e6, kb);
	fflush(stdout);
	if (kb > p->first_kb + SLACK_KB)
		fail("memory has grown, KiB", done, (uint64_t)kb,
		     (uint64_t)p->first_kb);
}

/*
 * Sends and receives a window of messages in each direction, all in flight at
 * once.
 */
static void small_window(uint64_t k, int n)
{
	uint64_t out[WINDOW], in[WINDOW];
	MPI_Request req[2 * WINDOW];

	for (int i = 0; i < n; i++) {
		out[i] = word(rank, k + (uint64_t)i, 0);
		MPI_Irecv(&in[i], 1, MPI_UINT64_T, peer, 1, MPI_COMM_WORLD,
			  &req[i]);
	}
	for (int i = 0; i < n; i++)
		MPI_Isend(&out[i], 1, MPI_UINT64_T, peer, 1, MPI_COMM_WORLD,
			  &req[n + i]);
	MPI_Waitall(2 * n, req, MPI_STATUSES_IGNORE);
	for (int i = 0; i < n; i++)
		if (in[i] != word(peer, k + (uint64_t)i, 0))
			fail("message", k + (uint64_t)i, in[i],
			     word(peer, k + (uint64_t)i, 0));
}

static void small(uint64_t total)
{
	struct part p = { .name = "messages", .total = total, .bytes_each = 8 };

	p.start = MPI_Wtime();
	for (uint64_t k = 0; k < total; report_progress(&p, k)) {
		int n = total - k < WINDOW ? (int)(total - k) : WINDOW;

		small_window(k, n);
		k += (uint64_t)n;
	}
}

static void check_block(const uint64_t *in, uint64_t k)
{
	for (uint64_t i = 0; i < WORDS; i++)
		if (in[i] != word(peer, k, i))
			fail("block", k, in[i], word(peer, k, i));
}

static void bulk(uint64_t total)
{
	static uint64_t out[DEPTH][WORDS], in[DEPTH][WORDS];
	struct part p = { .name = "blocks",
			  .total = total,
			  .bytes_each = sizeof(out[0]) };
	MPI_Request req[2 * DEPTH];

	p.start = MPI_Wtime();
	for (uint64_t k = 0; k < total; report_progress(&p, k)) {
		int n = total - k < DEPTH ? (int)(total - k) : DEPTH;

		for (int d = 0; d < n; d++) {
			MPI_Irecv(in[d], WORDS, MPI_UINT64_T, peer, 2,
				  MPI_COMM_WORLD, &req[d]);
			for (uint64_t i = 0; i < WORDS; i++)
				out[d][i] = word(rank, k + (uint64_t)d, i);
			MPI_Isend(out[d], WORDS, MPI_UINT64_T, peer, 2,
				  MPI_COMM_WORLD, &req[n + d]);
		}
		MPI_Waitall(2 * n, req, MPI_STATUSES_IGNORE);
		for (int d = 0; d < n; d++)
			check_block(in[d], k++);
	}
}

/* Checks that no duplicate message is left. */
static void nothing_more(void)
{
	int flag = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 1000 && !flag; i++)
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag,
			   MPI_STATUS_IGNORE);
	if (flag)
		fail("one message too many", 0, 1, 0);
}

int main(int argc, char **argv)
{
	int size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 3 || size != 2) {
		fprintf(stderr, "usage: hosts_soak MESSAGES GIB, 2 ranks\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	peer = 1 - rank;
	small(strtoull(argv[1], NULL, 10));
	bulk((uint64_t)(strtod(argv[2], NULL) * 1024));
	nothing_more();
	if (!rank)
		printf("soak: no message lost, duplicated or wrong\n");
	MPI_Finalize();
	return 0;
}
