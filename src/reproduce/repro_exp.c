/* SPDX-License-Identifier: BSD-3-Clause */
/* Which experiment answers which rows: first match. */
#include "src/reproduce/repro.h"
#include "src/base/attr.h"

#include <string.h>

const struct repro_exp repro_exps[] = {
	{ "BGQ-T1-HW-", false, "Table 1: latency, ns", "hops",
	  repro_pingpong },
	{ "BGQ-T1-SW-", false, "Table 1: with software, ns", "hops",
	  repro_pingpong_soft },
	{ "BGQ-T2-TP-", false, "Table 2: ten links, GB/s", "bytes",
	  repro_neighbour },
	{ "BGQ-T3-LAT-", false, "Table 3: allreduce of 8 B, ns", "nodes",
	  repro_allreduce },
	{ "BGQ-T4-TP-", false, "Table 4: long allreduce, GB/s", "bytes",
	  repro_allreduce_long },
	{ "BGQ-X-A2A4K", false, "All-to-all and zones, % of peak", NULL,
	  repro_alltoall },
	{ "BGQ-X-A2A", true, "All-to-all and zones, % of peak", NULL,
	  repro_alltoall },
	{ "BGQ-X-ZONE", true, "All-to-all and zones, % of peak", NULL,
	  repro_zones },
	{ "BGQ-X-WC", false, "Whole machine, us", NULL, repro_farthest },
	{ "BGQ-X-ARWC", false, "Whole machine, us", NULL,
	  repro_allreduce_all },
	{ "BGQ-X-BARWC", false, "Whole machine, us", NULL, repro_barrier_all },
};
const unsigned repro_exp_count = WEFT_COUNT_OF(repro_exps);

const struct repro_exp *repro_exp_find(const char *id)
{
	for (unsigned i = 0; i < repro_exp_count; i++)
		if (!strncmp(id, repro_exps[i].prefix,
			     strlen(repro_exps[i].prefix)))
			return &repro_exps[i];
	return NULL;
}
