/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All-to-all and zone routing of Blue Gene/Q (Chen et al., SC11, sections V.C
 * and II.B). The peak is computed as the authors do: links of 1.8 GB/s of
 * payload, 90 % of the raw rate (II.A), with the busiest dimension saturated.
 * For measured machines the complete exchange is run. The large machines that
 * the authors simulated are run in the steady state: every node sends to all
 * others in a random order per node, with more than the peak load, and
 * deliveries are counted after a warm-up.
 */
#include "src/tools/reproduce/repro_bench.h"
#include "src/tools/sim/sim_progress.h"
#include "src/tools/sim/sim_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * SC11 III.A: injection FIFOs in memory, enough for each of 511 messages to
 * have its own. The order of the authors' program is not published; engines
 * serve their FIFOs round robin, packet by packet, which mixes the
 * destinations.
 */
#define MEMORY_FIFOS 544

/* SC11 II.A: largest part of the raw rate that is available to user data. */
#define PAYLOAD_PART 0.9

/* Returns the peak rate of a node by the authors' formula, in bytes per us. */
static double peak_rate(const struct net_config *cfg)
{
	struct sim_traffic t;
	double raw = 1e9 / (double)cfg->link_ps_per_byte_x1000;
	double load = 1;

	if (!sim_traffic_open(&t, cfg, SIM_ALLTOALL, 0, 1))
		load = sim_traffic_load(&t);
	sim_traffic_close(&t);
	return PAYLOAD_PART * raw / load;
}

static int alltoall_run(const struct repro *r, const struct repro_row *row,
			struct sim_spec *s, double *model_p)
{
	struct sim_result *res = calloc(1, sizeof(*res));
	int err;

	s->pattern = SIM_ALLTOALL;
	s->seed = 1;
	s->label = sim_progress_wanted(r->progress) ? row->id : NULL;
	err = sim_run(s, res);
	*model_p = 100 * res->accepted / peak_rate(&s->cfg);
	if (err)
		fprintf(stderr, "weft-reproduce: %s: %s\n", row->id,
			strerror(-err));
	sim_result_close(res);
	free(res);
	return err;
}

int repro_alltoall(const struct repro *r, const struct repro_row *row,
		   double *model_p)
{
	struct sim_spec s = { .mode = SIM_EXCHANGE,
			      .fifos = MEMORY_FIFOS,
			      .bytes = repro_arg_number(row, "bytes", 8) };
	int err = repro_bench_config(r, row, &s.cfg);

	return err ? err : alltoall_run(r, row, &s, model_p);
}

/* Runs steady traffic above the peak, with one of the machine's zone sets. */
int repro_zones(const struct repro *r, const struct repro_row *row,
		double *model_p)
{
	struct sim_spec s = { .mode = SIM_OPEN,
			      .load = 1.2,
			      .bytes = 512,
			      .warm_ps = 60000000,
			      .time_ps = 40000000 };
	int err = repro_bench_config(r, row, &s.cfg);

	s.zone = (unsigned)repro_arg_number(row, "zone", 0);
	return err ? err : alltoall_run(r, row, &s, model_p);
}
