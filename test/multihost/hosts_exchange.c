/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that communicate all the time, for test/multihost/hosts_death.sh: in
 * each round every rank gets a block from every other rank, so that no rank
 * continues without all others.
 *
 *   hosts_exchange FILE ["listen" | "any_source" | "probe"]
 *
 * listen: the last rank sends to all ranks but the last two for some rounds,
 * and no rank sends to it; then the even ranks wait for more messages of the
 * last rank, and the odd ranks for messages of the last but one, which has
 * never sent. any_source: the same, but then all ranks wait with
 * MPI_ANY_SOURCE. probe: as listen, but the ranks only probe for a message,
 * rank 0 with MPI_ANY_SOURCE.
 *
 * Rank 0 writes the number of completed rounds to FILE periodically; when
 * FILE.end exists, the ranks stop. A rank that gets an error writes it to
 * FILE.RANK, waits for FILE.end, so that no launcher ends other ranks before
 * they have got the error as well, and exits with 3.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 5000, RANKS = 64 };

static int rank, size;
static char host[MPI_MAX_PROCESSOR_NAME];
static const char *name;
static char end_name[4096];

/* Replaces the file atomically: a reader finds the old or the new content. */
static void write_file(const char *file, const char *text)
{
	char fresh[sizeof(end_name) + 8];
	FILE *f;

	snprintf(fresh, sizeof(fresh), "%s.new", file);
	f = fopen(fresh, "w");
	if (!f)
		return;
	fputs(text, f);
	fclose(f);
	rename(fresh, file);
}

static void await_end(void)
{
	for (int i = 0; access(end_name, F_OK) && i < 1200; i++)
		usleep(100000);
}

static void check(int code, const char *call)
{
	char text[MPI_MAX_ERROR_STRING], line[sizeof(text) + 1024];
	char file[sizeof(end_name)];
	int len;

	if (code == MPI_SUCCESS)
		return;
	MPI_Error_string(code, text, &len);
	snprintf(line, sizeof(line), "rank %d on %s: %s: %s\n", rank, host,
		 call, text);
	snprintf(file, sizeof(file), "%s.%d", name, rank);
	write_file(file, line);
	await_end();
	_exit(3);
}

static int word(long k, int from, int i)
{
	return (int)k * 7 + from * 100003 + i;
}

static void verify(const int *block, long k, int from)
{
	for (int i = 1; i < BLOCK; i++)
		if (block[i] != word(k, from, i))
			check(MPI_ERR_OTHER, "wrong content");
}

/*
 * Completes requests in any order: waiting in a fixed order could hang on a
 * survivor that got the error one round earlier.
 */
static void await(MPI_Request *req, int n)
{
	for (int i = 0, done; i < n; i++)
		check(MPI_Waitany(n, req, &done, MPI_STATUS_IGNORE),
		      "MPI_Waitany");
}

/*
 * Runs round k. Returns whether rank 0 has found FILE.end, which it reports in
 * the first word of its block.
 */
static int round_of(long k)
{
	static int out[BLOCK], in[RANKS][BLOCK];
	MPI_Request req[2 * RANKS];

	for (int i = 0; i < BLOCK; i++)
		out[i] = word(k, rank, i);
	out[0] = !rank && !access(end_name, F_OK);
	for (int r = 0; r < size; r++) {
		check(MPI_Irecv(in[r], BLOCK, MPI_INT, r, 0, MPI_COMM_WORLD,
				&req[r]),
		      "MPI_Irecv");
		check(MPI_Isend(out, BLOCK, MPI_INT, r, 0, MPI_COMM_WORLD,
				&req[size + r]),
		      "MPI_Isend");
	}
	await(req, 2 * size);
	for (int r = 0; r < size; r++)
		verify(in[r], k, r);
	return in[0][0];
}

static void write_progress(long k)
{
	char text[32];

	if (rank || k % 10)
		return;
	snprintf(text, sizeof(text), "%ld\n", k);
	write_file(name, text);
}

static void send_round(long k)
{
	int v = (int)k;

	for (int r = 0; r < size - 2; r++)
		check(MPI_Send(&v, 1, MPI_INT, r, 0, MPI_COMM_WORLD),
		      "MPI_Send");
}

static void recv_round(int from, long k)
{
	int v = 0;

	check(MPI_Recv(&v, 1, MPI_INT, from, 0, MPI_COMM_WORLD,
		       MPI_STATUS_IGNORE),
	      "MPI_Recv");
	if (v != k)
		check(MPI_ERR_OTHER, "wrong content");
	write_progress(k);
}

/* Probes for any message, once with MPI_Probe and once with MPI_Mprobe. */
static void probe_both(int from)
{
	MPI_Message m;

	if (rank % 2)
		check(MPI_Mprobe(from, 0, MPI_COMM_WORLD, &m,
				 MPI_STATUS_IGNORE),
		      "MPI_Mprobe");
	else
		check(MPI_Probe(from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
		      "MPI_Probe");
	check(MPI_ERR_OTHER, "an unexpected message");
}

static void listen_only(const char *how)
{
	const int rounds = 30;
	bool any_source = !strcmp(how, "any_source");
	int peer = rank % 2 ? size - 2 : size - 1;

	for (long k = 1; k <= rounds; k++) {
		if (rank == size - 1)
			send_round(k);
		else if (rank < size - 2)
			recv_round(size - 1, k);
	}
	if (rank >= size - 2)
		await_end();
	else if (!strcmp(how, "probe"))
		probe_both(!rank ? MPI_ANY_SOURCE : peer);
	else
		recv_round(any_source ? MPI_ANY_SOURCE : peer, 0);
}

int main(int argc, char **argv)
{
	long k = 1;
	int len;

	if (argc < 2)
		return 2;
	name = argv[1];
	snprintf(end_name, sizeof(end_name), "%s.end", name);
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Get_processor_name(host, &len);
	if (size > RANKS)
		MPI_Abort(MPI_COMM_WORLD, 2);
	if (argc > 2)
		listen_only(argv[2]);
	else
		for (; !round_of(k); k++)
			write_progress(k);
	printf("rank %d of %d: good\n", rank, size);
	MPI_Finalize();
	return 0;
}
