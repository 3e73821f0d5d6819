/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-way latency of tagged messages, per provider and size, and its ratio to
 * the raw exchange of a cache line. The one-way time is from the call of the
 * send to the return of the call that reads the receive completion; the next
 * receive is posted while the message is in flight.
 *
 *   FI_PROVIDER_PATH=build/.libs build/bench/fi_lat [-r rounds] [weft shm]
 */
#include "bench/fi_pair.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUND_TRIPS 2000

static double ping_pong(struct pair *p, int i, char *buf, size_t len)
{
	struct pair_end *e = &p->end[i];
	int n = len > 4096 ? ROUND_TRIPS / 20 : ROUND_TRIPS, k;
	uint64_t t0;

	pair_recv(e, buf, len);
	pair_barrier(p);
	t0 = pair_now_ns();
	for (k = 0; k < n; k++) {
		if (p->rank == 1)
			pair_wait(e, 1);
		pair_send(e, buf + len, len);
		if (k + 1 < n)
			pair_recv(e, buf, len);
		if (p->rank == 0)
			pair_wait(e, 1);
	}
	return (double)(pair_now_ns() - t0) / n / 2;
}

static void size_row(struct pair *p, char *buf, size_t len)
{
	int r, i;

	for (r = 0; r < p->rounds; r++) {
		p->all->ns[p->provs][r] = pair_raw(p, ROUND_TRIPS);
		for (i = 0; i < p->provs; i++)
			p->all->ns[i][r] = ping_pong(p, i, buf, len);
	}
	if (p->rank)
		return;
	printf("%8zu %8.1f", len, pair_median(p, p->provs));
	for (i = 0; i < p->provs; i++)
		printf(" %10.1f %7.2f", pair_median(p, i),
		       pair_median(p, i) / pair_median(p, p->provs));
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = {
		0, 8, 64, 256, 1024, 4096, 16384, 65536
	};
	struct pair p;
	char *buf;
	size_t s;
	int i;

	pair_open(&p, argc, argv);
	buf = calloc(2, 65536);
	if (!p.rank) {
		printf("%8s %8s", "bytes", "raw ns");
		for (i = 0; i < p.provs; i++)
			printf(" %7s ns %7s", p.end[i].prov, "/ raw");
		printf("\n");
	}
	for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		size_row(&p, buf, sizes[s]);
	free(buf);
	pair_close(&p);
	return 0;
}
