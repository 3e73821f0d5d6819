/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes on two processors with one endpoint per provider each, for the
 * benchmarks of libfabric providers. Each round measures every provider and the
 * raw exchange of a cache line, so that all are measured under the same load;
 * medians are printed.
 */
#ifndef WEFT_BENCH_FI_PAIR_H
#define WEFT_BENCH_FI_PAIR_H

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include <stdatomic.h>
#include <stdint.h>

#define PAIR_PROVS  4
#define PAIR_ROUNDS 101

/* One provider's endpoint in this process. */
struct pair_end {
	const char *prov;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	fi_addr_t peer;
};

/* Memory shared by both processes. */
struct pair_shared {
	/* cache lines of the raw exchange */
	_Alignas(128) _Atomic uint64_t line[2][16];
	_Alignas(128) _Atomic uint32_t arrived;
	_Atomic uint32_t round;
	_Atomic uint32_t named[PAIR_PROVS][2];
	unsigned char name[PAIR_PROVS][2][256];
	size_t name_len[PAIR_PROVS][2];
	/* times in ns by provider and round; last row: raw exchange */
	double ns[PAIR_PROVS + 1][PAIR_ROUNDS];
};

struct pair {
	int rank; /* rank of this process; rank 0 measures */
	int provs;
	int rounds;
	int best; /* whether the best round is reported instead of the median */
	struct pair_shared *all;
	struct pair_end end[PAIR_PROVS];
};

/*
 * Forks a second process; both open the providers named in argv (default: weft
 * and shm) and connect. Options: -r rounds; -b: report the best round, for a
 * shared host.
 */
void pair_open(struct pair *p, int argc, char **argv);
/* Closes the providers; the second process exits here. */
void pair_close(struct pair *p);

uint64_t pair_now_ns(void);
void pair_barrier(struct pair *p);
/* Sends or receives len bytes, tag 1, and waits for the completion. */
void pair_send(struct pair_end *e, const void *buf, size_t len);
void pair_recv(struct pair_end *e, void *buf, size_t len);
/* Waits for count completions. */
void pair_wait(struct pair_end *e, int count);
/*
 * Returns the one-way time in ns of n exchanges of a cache line: R, the limit
 * of the host.
 */
double pair_raw(struct pair *p, int n);
/* Returns the median, or with -b the best, of a row of p->all->ns. */
double pair_median(struct pair *p, int row);

#endif
