/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Throughput to the neighbours on Blue Gene/Q (Chen et al., SC11, Table 2): one
 * node with looped-back links, so that packets sent on A+ arrive on A-. The
 * software posts a descriptor for each of the ten directions, one after
 * another, each to its own injection FIFO, and processes the ten arrivals. The
 * rate includes sent and received bytes.
 */
#include "src/tools/reproduce/repro_bench.h"

#include <stdlib.h>

struct loop {
	struct repro_bench bench;
	uint64_t free_ps; /* end of the software's current work, ps */
};

static void neighbour_arrived(void *arg, uint64_t at, uint64_t cookie,
			      uint32_t node)
{
	struct loop *l = arg;

	if (l->free_ps < at)
		l->free_ps = at;
	l->free_ps += l->bench.cfg.recv_ps + l->bench.cfg.match_ps;
}

/*
 * Posts the ten messages; a message longer than a packet has an additional
 * start-up time.
 */
static int post_all(struct loop *l, uint64_t bytes)
{
	const struct net_config *cfg = &l->bench.cfg;
	struct net_msg msg = { .bytes = bytes, .routing = NET_DETERMINISTIC };
	uint64_t at = 0;
	int err = 0;

	for (unsigned i = 0; i < 2u * cfg->dims && !err; i++) {
		at += cfg->send_ps;
		if (bytes > cfg->payload_bytes)
			at += cfg->message_ps;
		msg.fifo = i;
		msg.hint[i / 2] = i % 2 ? 1 : -1;
		err = net_send(l->bench.net, at, &msg);
		msg.hint[i / 2] = 0;
	}
	return err;
}

int repro_neighbour(const struct repro *r, const struct repro_row *row,
		    double *model_p)
{
	static const struct net_up up = { .arrived = neighbour_arrived };
	uint64_t bytes = repro_arg_number(row, "bytes", 8);
	struct loop l = { .free_ps = 0 };
	int err = repro_bench_open(&l.bench, r, row, 4096);

	if (!err)
		err = post_all(&l, bytes);
	if (!err)
		err = repro_bench_run(&l.bench, &up, &l);
	*model_p = err ? 0
		       : 4.0 * l.bench.cfg.dims * (double)bytes * 1e6 /
				   (double)l.free_ps;
	repro_bench_close(&l.bench);
	return err;
}
