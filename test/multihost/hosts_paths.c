/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths of messages: each rank sends to the ranks of its host, then to all
 * others, and prints how many packets were sent as datagrams in each case.
 * Exits with 1 if the numbers do not match the names of the hosts. With an
 * argument (memory or datagrams), all messages must use this path.
 */
#include "hosts_datagrams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MESSAGES 50
#define NAME	 64

/*
 * Sends messages of all sizes to the ranks with same_host[rank] == want.
 * Returns the number of packets sent as datagrams.
 */
static unsigned long long send_all_sizes(int rank, int size,
					 const char *same_host, int want)
{
	static char out[MESSAGES][4096], in[4096];
	unsigned long long before = datagrams_sent();
	MPI_Request req[MESSAGES];

	for (int d = 1; d < size; d++) {
		int to = (rank + d) % size, from = (rank + size - d) % size;

		if (same_host[to] == want)
			for (int i = 0; i < MESSAGES; i++)
				MPI_Isend(out[i], i * 80, MPI_BYTE, to, i,
					  MPI_COMM_WORLD, &req[i]);
		if (same_host[from] == want)
			for (int i = 0; i < MESSAGES; i++)
				MPI_Recv(in, sizeof(in), MPI_BYTE, from, i,
					 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (same_host[to] == want)
			MPI_Waitall(MESSAGES, req, MPI_STATUSES_IGNORE);
	}
	return datagrams_sent() - before;
}

int main(int argc, char **argv)
{
	unsigned long long local_datagrams, remote_datagrams;
	int rank, size, local_ranks = 0, bad;
	char own[NAME] = "", (*host)[NAME], *same_host;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	datagrams_open();
	host = calloc((size_t)size, NAME);
	same_host = calloc((size_t)size, 1);
	gethostname(own, NAME - 1);
	MPI_Allgather(own, NAME, MPI_CHAR, host, NAME, MPI_CHAR,
		      MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		local_ranks += same_host[i] = !strcmp(host[i], own);
	MPI_Barrier(MPI_COMM_WORLD);
	local_datagrams = send_all_sizes(rank, size, same_host, 1);
	remote_datagrams = send_all_sizes(rank, size, same_host, 0);
	if (argc > 1 && !strcmp(argv[1], "memory"))
		bad = local_datagrams || remote_datagrams;
	else if (argc > 1)
		bad = local_datagrams <
		      (unsigned)MESSAGES * (unsigned)(local_ranks - 1);
	else
		bad = local_datagrams ||
		      remote_datagrams < (unsigned)MESSAGES *
						 (unsigned)(size - local_ranks);
	printf("rank %d on %s: %llu datagrams to %d ranks of this host, "
	       "%llu to %d others: %s\n",
	       rank, own, local_datagrams, local_ranks - 1, remote_datagrams,
	       size - local_ranks, bad ? "BAD" : "good");
	MPI_Finalize();
	return bad;
}
