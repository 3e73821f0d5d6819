/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the benchmarks of pairs of ranks: selection of the peer, the two
 * patterns, and the timing loop of a pattern. Ranks without a peer use
 * MPI_PROC_NULL, to which nothing is sent.
 */
#ifndef WEFT_BENCH_P2P_H
#define WEFT_BENCH_P2P_H

#include "bench.h"

#define WINDOW 64

struct pair {
	bool first;
	int peer;
	char *send, *recv; /* send and receive buffer; may be equal */
	MPI_Request req[2 * WINDOW];
	MPI_Status *statuses; /* statuses of a window, or MPI_STATUSES_IGNORE */
};

/* Sets up `pairs` pairs; rank i is the peer of rank i + pairs. */
static inline void pair_open(struct pair *p, const struct bench *b, int pairs,
			     bool one_buffer)
{
	p->first = b->rank < pairs;
	p->peer = p->first ? b->rank + pairs : b->rank - pairs;
	if (b->rank >= 2 * pairs)
		p->peer = MPI_PROC_NULL;
	p->statuses = MPI_STATUSES_IGNORE;
	p->send = bench_buffer(b->max);
	p->recv = one_buffer ? p->send : bench_buffer(b->max);
}

static inline int pair_close(struct pair *p, struct bench *b)
{
	if (p->recv != p->send)
		free(p->recv);
	free(p->send);
	return bench_end(b);
}

/* Sends a message in each direction. */
static inline void pair_ping_pong(struct pair *p, int n)
{
	if (p->first)
		MPI_Send(p->send, n, MPI_CHAR, p->peer, 1, MPI_COMM_WORLD);
	MPI_Recv(p->recv, n, MPI_CHAR, p->peer, 1, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	if (!p->first)
		MPI_Send(p->send, n, MPI_CHAR, p->peer, 1, MPI_COMM_WORLD);
}

/* Sends a window of messages in one direction, and a reply. */
static inline void pair_window(struct pair *p, int n)
{
	char ack = 0;

	for (int i = 0; i < WINDOW; i++) {
		if (p->first)
			MPI_Isend(p->send, n, MPI_CHAR, p->peer, 100,
				  MPI_COMM_WORLD, &p->req[i]);
		else
			MPI_Irecv(p->recv, n, MPI_CHAR, p->peer, 100,
				  MPI_COMM_WORLD, &p->req[i]);
	}
	MPI_Waitall(WINDOW, p->req, p->statuses);
	if (p->first)
		MPI_Recv(&ack, 1, MPI_CHAR, p->peer, 101, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	else
		MPI_Send(&ack, 1, MPI_CHAR, p->peer, 101, MPI_COMM_WORLD);
}

/* Runs one round of a pattern and checks the data. */
static inline void pair_check(struct pair *p, struct bench *b, size_t n,
			      void (*pattern)(struct pair *p, int n))
{
	/* with one buffer, both ranks have the first rank's bytes at the end */
	int from = p->send == p->recv && p->first ? b->rank : p->peer;

	if (!b->check)
		return;
	memset(p->recv, 0, n);
	bench_fill(p->send, n, (unsigned)b->rank);
	pattern(p, (int)n);
	bench_check_all(b, n,
			p->peer == MPI_PROC_NULL ||
				bench_data_equal(p->recv, n, (unsigned)from));
}

/* Returns the time of all rounds of one size, in seconds. */
static inline double pair_time(struct pair *p, struct bench *b, size_t n,
			       void (*pattern)(struct pair *p, int n))
{
	int iters = bench_iters(b, n);
	double start = 0, end;

	pair_check(p, b, n, pattern);
	MPI_Barrier(MPI_COMM_WORLD);
	bench_realtime(true);
	for (int i = -bench_warmup(b, n); i < iters; i++) {
		if (i == 0)
			start = MPI_Wtime();
		pattern(p, (int)n);
	}
	end = MPI_Wtime();
	bench_realtime(false);
	return end - start;
}

#endif
