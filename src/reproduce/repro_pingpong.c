/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Latency of a direct put of 8 bytes between two nodes that answer each other
 * (SC11 V.A, Table 1): from the descriptor's injection to the arrival. The
 * ping node is the origin of a 512-node mesh; the pong node's coordinates grow
 * in the order A, B, C, D, E. The worst case (II.A) is the same between the
 * farthest nodes of the largest machine.
 */
#include "src/reproduce/repro_bench.h"
#include "prov/net/net_map.h"

#include <errno.h>
#include <stdlib.h>

#define ROUNDS 8u

struct pingpong {
	struct repro_bench bench;
	uint32_t node[2];
	unsigned sends;
	uint64_t began, ended;
	uint64_t soft_ps; /* from arrival to the answer's injection */
	int err;
};

static void serve(struct pingpong *p, uint64_t at, unsigned from)
{
	struct net_msg msg = { .src = p->node[from], .dst = p->node[!from],
			       .bytes = 8, .cookie = !from,
			       .way = NET_DETERMINISTIC };
	int err = net_send(p->bench.net, at, &msg);

	if (err)
		p->err = err;
	p->sends++;
}

static void arrived(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct pingpong *p = arg;

	p->ended = at + p->soft_ps;
	if (p->sends < 2 * ROUNDS)
		serve(p, at + p->soft_ps, (unsigned)cookie);
}

/* Mean of the one-way times, in ps. */
static int run(struct pingpong *p, double *ps_p)
{
	static const struct net_up up = { .arrived = arrived };
	int err;

	serve(p, 0, 0);
	err = p->err ? p->err : repro_bench_run(&p->bench, &up, p);
	*ps_p = (double)(p->ended - p->began) / (2 * ROUNDS);
	return err ? err : p->err;
}

/* hops from the origin, A first. */
static int by_hops(const struct repro *r, unsigned hops, bool soft,
		   double *ps_p)
{
	struct pingpong p = { .err = 0 };
	uint16_t at[NET_DIMS_MAX] = { 0 };
	int err = repro_bench_open(&p.bench, r, "4mx4mx4mx4mx2m", 4096);

	for (unsigned d = 0; d < p.bench.cfg.dims && !err; d++) {
		unsigned far = p.bench.cfg.size[d] - 1u;

		at[d] = (uint16_t)(hops < far ? hops : far);
		hops -= at[d];
	}
	p.node[1] = net_node_at(&p.bench.cfg, at);
	if (soft)
		p.soft_ps = p.bench.cfg.send_ps + p.bench.cfg.recv_ps;
	if (!err)
		err = run(&p, ps_p);
	repro_bench_close(&p.bench);
	return err;
}

int repro_pingpong(const struct repro *r, const struct repro_row *row,
		   double *model_p)
{
	double ps = 0;
	int err = by_hops(r, (unsigned)atoi(row->x), false, &ps);

	*model_p = ps / 1e3;
	return err;
}

int repro_pingpong_soft(const struct repro *r, const struct repro_row *row,
			double *model_p)
{
	double ps = 0;
	int err = by_hops(r, (unsigned)atoi(row->x), true, &ps);

	*model_p = ps / 1e3;
	return err;
}

int repro_farthest(const struct repro *r, const struct repro_row *row,
		   double *model_p)
{
	struct pingpong p = { .err = 0 };
	uint16_t at[NET_DIMS_MAX] = { 0 };
	double ps = 0;
	int err = repro_bench_open(&p.bench, r, row->x, 4096);

	for (unsigned d = 0; d < p.bench.cfg.dims && !err; d++)
		at[d] = p.bench.cfg.size[d] / 2;
	p.node[1] = net_node_at(&p.bench.cfg, at);
	if (!err)
		err = run(&p, &ps);
	*model_p = ps / 1e6;
	repro_bench_close(&p.bench);
	return err;
}
