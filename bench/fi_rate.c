/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages per second in one direction: windows of 64 receives posted before
 * the 64 matching sends, then a short reply.
 */
#include "bench/fi_pair.h"

#include <stdio.h>
#include <stdlib.h>

#define WINDOW	64
#define WINDOWS 400

static double stream(struct pair *p, int i, char *buf, size_t len)
{
	struct pair_end *e = &p->end[i];
	uint64_t t0;
	int w, k;

	if (p->rank == 1)
		for (k = 0; k < WINDOW; k++)
			pair_recv(e, buf, len);
	pair_barrier(p);
	t0 = pair_now_ns();
	for (w = 0; w < WINDOWS; w++) {
		if (p->rank == 0) {
			pair_recv(e, buf + len, 8);
			for (k = 0; k < WINDOW; k++)
				pair_send(e, buf, len);
			pair_wait(e, 1);
			continue;
		}
		pair_wait(e, WINDOW);
		for (k = 0; k < WINDOW && w + 1 < WINDOWS; k++)
			pair_recv(e, buf, len);
		pair_send(e, buf + len, 8);
	}
	return (double)(pair_now_ns() - t0) / WINDOWS / WINDOW;
}

static void size_row(struct pair *p, char *buf, size_t len)
{
	int r, i;

	for (r = 0; r < p->rounds; r++) {
		for (i = 0; i < p->provs; i++)
			p->all->ns[i][r] = stream(p, i, buf, len);
	}
	if (p->rank)
		return;
	printf("%8zu", len);
	for (i = 0; i < p->provs; i++)
		printf(" %10.2f %7.2f", 1000 / pair_median(p, i),
		       pair_median(p, i) / pair_median(p, 0));
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = { 0, 8, 64, 256 };
	struct pair p;
	char *buf;
	size_t s;
	int i;

	pair_open(&p, argc, argv);
	buf = calloc(2, 65536);
	if (!p.rank) {
		printf("million messages per second; ratio of the first "
		       "provider to the others\n%8s",
		       "bytes");
		for (i = 0; i < p.provs; i++)
			printf(" %10s %7s", p.end[i].prov, "times");
		printf("\n");
	}
	for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		size_row(&p, buf, sizes[s]);
	free(buf);
	pair_close(&p);
	return 0;
}
