/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bandwidth of tagged messages per size: windows of messages, with one reply
 * per window.
 */
#include "bench/fi_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 16

static double stream(struct pair *p, int i, char *buf, size_t len)
{
	struct pair_end *e = &p->end[i];
	int windows = len >= 1 << 20 ? 2 : 10, w, k;
	uint64_t t0;

	pair_barrier(p);
	t0 = pair_now_ns();
	for (w = 0; w < windows; w++) {
		if (p->rank == 0) {
			pair_recv(e, buf, 8);
			for (k = 0; k < WINDOW; k++) {
				while (fi_tsend(e->ep, buf, len, NULL, e->peer,
						1, NULL) == -FI_EAGAIN)
					fi_cq_read(e->cq, NULL, 0);
			}
			pair_wait(e, WINDOW + 1);
			continue;
		}
		for (k = 0; k < WINDOW; k++)
			pair_recv(e, buf, len);
		pair_wait(e, WINDOW);
		pair_send(e, buf, 8);
	}
	return (double)(pair_now_ns() - t0) / windows / WINDOW;
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
		printf(" %10.0f %7.2f", (double)len * 1000 / pair_median(p, i),
		       pair_median(p, i) / pair_median(p, 0));
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct pair p;
	size_t len;
	char *buf;
	int i;

	pair_open(&p, argc, argv);
	buf = malloc(8 << 20);
	memset(buf, 1, 8 << 20);
	if (!p.rank) {
		printf("MB/s; ratio of the first provider to the others\n%8s",
		       "bytes");
		for (i = 0; i < p.provs; i++)
			printf(" %10s %7s", p.end[i].prov, "times");
		printf("\n");
	}
	for (len = 64; len <= 8 << 20; len *= 4)
		size_row(&p, buf, len);
	size_row(&p, buf, 8 << 20);
	free(buf);
	pair_close(&p);
	return 0;
}
