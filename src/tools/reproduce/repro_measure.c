/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-reproduce-mpi: measurements of weft-reproduce that are made by an MPI
 * program in virtual time. Each argument is OPERATION:BYTES:DETAIL; a line
 * "ARGUMENT PICOSECONDS" is printed for each.
 *
 *   barrier, allreduce, bcast, alltoall
 *               mean time of a call on the slowest rank, with a barrier before
 *               each call, as IMB measures it; the root of a broadcast changes
 *               with each call. A reduction adds integers, since Weft adds
 *               floating-point numbers in the order of a binomial tree, which
 *               need not be the tree of the machine. DETAIL: algorithm, or
 *               "auto"
 *   pingpong    half of the round trip of ranks 0 and DETAIL
 *   get, put    MPI_Get or MPI_Put, and MPI_Win_flush, by rank 0 on rank DETAIL
 *   puts        the first DETAIL ranks put to the last DETAIL ranks, and flush
 *               after 256 puts: time per put of all of them
 *   atomics     all other ranks add to random words of the DETAIL words of rank
 *               0: time per addition of all of them
 *   pairs       the lower half of the ranks sends to the upper half, windows of
 *               16 messages: time per message of all pairs
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARM_UP 3
#define CALLS	8
#define WINDOW	16
#define PUTS	256
#define ATOMICS 200

static char *from, *to;
static int rank, ranks;

struct measurement {
	char operation[16], detail[32];
	int bytes;
};

/* ---- collectives --------------------------------------------------------- */

static void call_collective(const struct measurement *m, MPI_Comm comm, int i)
{
	int n = m->bytes;

	if (!strcmp(m->operation, "barrier"))
		MPI_Barrier(comm);
	else if (!strcmp(m->operation, "bcast"))
		MPI_Bcast(from, n, MPI_BYTE, i % ranks, comm);
	else if (!strcmp(m->operation, "allreduce"))
		MPI_Allreduce(from, to, n / 4, MPI_INT, MPI_SUM, comm);
	else
		MPI_Alltoall(from, n, MPI_BYTE, to, n, MPI_BYTE, comm);
}

/*
 * Opens a communicator that uses the given algorithm; "auto": the algorithm
 * chosen for the machine.
 */
static MPI_Comm open_comm(const struct measurement *m)
{
	MPI_Comm comm;
	MPI_Info info;
	char key[48];

	snprintf(key, sizeof(key), "weft_coll_%s", m->operation);
	MPI_Info_create(&info);
	if (strcmp(m->detail, "auto"))
		MPI_Info_set(info, key, m->detail);
	MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
	MPI_Info_free(&info);
	return comm;
}

static double time_collective(const struct measurement *m)
{
	MPI_Comm comm = open_comm(m);
	double start, sum = 0;

	for (int i = 0; i < WARM_UP + CALLS; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		start = MPI_Wtime();
		call_collective(m, comm, i);
		if (i >= WARM_UP)
			sum += MPI_Wtime() - start;
	}
	MPI_Comm_free(&comm);
	return sum / CALLS;
}

/* ---- point to point ------------------------------------------------------ */

static double time_pingpong(const struct measurement *m)
{
	int peer = atoi(m->detail), n = m->bytes;
	double start = 0;

	for (int i = 0; i < WARM_UP + CALLS; i++) {
		if (i == WARM_UP)
			start = MPI_Wtime();
		if (rank == 0) {
			MPI_Send(from, n, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
			MPI_Recv(to, n, MPI_BYTE, peer, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		} else if (rank == peer) {
			MPI_Recv(to, n, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
			MPI_Send(from, n, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
		}
	}
	return rank == 0 ? (MPI_Wtime() - start) / CALLS / 2 : 0;
}

/* ---- one-sided ----------------------------------------------------------- */

static MPI_Win open_window(size_t bytes)
{
	MPI_Win win;
	char *base;

	MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
			 &base, &win);
	memset(base, 0, bytes);
	MPI_Win_lock_all(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	return win;
}

static void close_window(MPI_Win *win)
{
	MPI_Win_unlock_all(*win);
	MPI_Win_free(win);
}

static double time_access(const struct measurement *m)
{
	int peer = atoi(m->detail), n = m->bytes;
	MPI_Win win = open_window((size_t)n);
	double start = 0;

	for (int i = 0; rank == 0 && i < WARM_UP + CALLS; i++) {
		if (i == WARM_UP)
			start = MPI_Wtime();
		if (!strcmp(m->operation, "get"))
			MPI_Get(to, n, MPI_BYTE, peer, 0, n, MPI_BYTE, win);
		else
			MPI_Put(from, n, MPI_BYTE, peer, 0, n, MPI_BYTE, win);
		MPI_Win_flush(peer, win);
	}
	start = rank == 0 ? (MPI_Wtime() - start) / CALLS : 0;
	close_window(&win);
	return start;
}

static double time_puts(const struct measurement *m)
{
	int senders = atoi(m->detail), peer = rank + ranks - senders;
	MPI_Win win = open_window((size_t)m->bytes);
	double start = 0;

	for (int i = 0; i < WARM_UP + CALLS; i++) {
		if (i == WARM_UP) {
			MPI_Barrier(MPI_COMM_WORLD);
			start = MPI_Wtime();
		}
		if (rank >= senders)
			continue;
		for (int k = 0; k < PUTS; k++)
			MPI_Put(from, m->bytes, MPI_BYTE, peer, 0, m->bytes,
				MPI_BYTE, win);
		MPI_Win_flush(peer, win);
	}
	start = rank < senders ? MPI_Wtime() - start : 0;
	close_window(&win);
	return start / CALLS / PUTS / senders;
}

static double time_atomics(const struct measurement *m)
{
	unsigned words = (unsigned)atoi(m->detail), x = (unsigned)rank;
	MPI_Win win = open_window((size_t)words * 8);
	int64_t one = 1;
	double start = 0;

	for (int i = 0; i < WARM_UP + CALLS; i++) {
		if (i == WARM_UP) {
			MPI_Barrier(MPI_COMM_WORLD);
			start = MPI_Wtime();
		}
		for (int k = 0; rank && k < ATOMICS; k++) {
			x = x * 1664525 + 1013904223;
			MPI_Accumulate(&one, 1, MPI_INT64_T, 0,
				       (MPI_Aint)(x >> 8) % words * 8, 1,
				       MPI_INT64_T, MPI_SUM, win);
		}
		MPI_Win_flush(0, win);
	}
	start = MPI_Wtime() - start;
	close_window(&win);
	return start / CALLS / ATOMICS / (ranks - 1);
}

static double time_pairs(const struct measurement *m)
{
	int half = ranks / 2, last;
	MPI_Request r[WINDOW];
	double start = 0;

	for (int i = 0; i < WARM_UP + CALLS; i++) {
		if (i == WARM_UP) {
			MPI_Barrier(MPI_COMM_WORLD);
			start = MPI_Wtime();
		}
		for (int k = 0; k < WINDOW; k++)
			if (rank < half)
				MPI_Isend(from, m->bytes, MPI_BYTE, rank + half,
					  0, MPI_COMM_WORLD, &r[k]);
			else
				MPI_Irecv(to, m->bytes, MPI_BYTE, rank - half,
					  0, MPI_COMM_WORLD, &r[k]);
		MPI_Waitall(WINDOW, r, MPI_STATUSES_IGNORE);
	}
	last = rank < half ? rank + half : rank - half;
	MPI_Sendrecv(from, 0, MPI_BYTE, last, 1, to, 0, MPI_BYTE, last, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return (MPI_Wtime() - start) / CALLS / WINDOW / half;
}

/* ---- arguments ----------------------------------------------------------- */

/* What DETAIL is: a text, a rank, a number of ranks, a number of words. */
enum detail { DETAIL_TEXT, DETAIL_PEER, DETAIL_SENDERS, DETAIL_WORDS };

static const struct operation {
	const char *name;
	double (*time)(const struct measurement *m);
	enum detail detail;
} operations[] = {
	{ "barrier", time_collective, DETAIL_TEXT },
	{ "bcast", time_collective, DETAIL_TEXT },
	{ "allreduce", time_collective, DETAIL_TEXT },
	{ "alltoall", time_collective, DETAIL_TEXT },
	{ "pingpong", time_pingpong, DETAIL_PEER },
	{ "get", time_access, DETAIL_PEER },
	{ "put", time_access, DETAIL_PEER },
	{ "puts", time_puts, DETAIL_SENDERS },
	{ "atomics", time_atomics, DETAIL_WORDS },
	{ "pairs", time_pairs, DETAIL_TEXT },
};

static const struct operation *operation_of(const struct measurement *m)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (!strcmp(m->operation, operations[i].name))
			return &operations[i];
	return NULL;
}

static int parse(const char *word, struct measurement *m)
{
	int most[] = { 0, ranks - 1, ranks / 2, 1 << 20 };
	const struct operation *o;
	int n;

	if (sscanf(word, "%15[a-z]:%d:%31[a-z0-9_]", m->operation, &m->bytes,
		   m->detail) != 3 ||
	    m->bytes < 0)
		return -1;
	o = operation_of(m);
	n = atoi(m->detail);
	if (!o || (o->detail && (n < 1 || n > most[o->detail])))
		return -1;
	return 0;
}

static double measure(const struct measurement *m)
{
	double mine, slowest;

	MPI_Barrier(MPI_COMM_WORLD);
	mine = operation_of(m)->time(m);
	MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return slowest;
}

static int buffers_open(size_t bytes)
{
	from = calloc(1, bytes);
	to = calloc(1, bytes);
	return from && to ? 0 : -1;
}

static int run(int count, char **word)
{
	struct measurement m;
	double seconds;

	for (int i = 0; i < count; i++) {
		if (parse(word[i], &m) ||
		    buffers_open(((size_t)m.bytes + 8) * (size_t)ranks)) {
			fprintf(stderr,
				"weft-reproduce-mpi: %s: expected "
				"OPERATION:BYTES:DETAIL; DETAIL of %d ranks "
				"is a peer, a number of senders or of words, "
				"or an algorithm\n",
				word[i], ranks);
			return 2;
		}
		seconds = measure(&m);
		if (rank == 0)
			printf("%s %.0f\n", word[i], seconds * 1e12);
		free(from);
		free(to);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int err;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	err = run(argc - 1, argv + 1);
	if (err)
		MPI_Abort(MPI_COMM_WORLD, err);
	MPI_Finalize();
	return err;
}
