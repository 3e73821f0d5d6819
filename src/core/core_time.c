/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock behind MPI_Wtime: the host's, or the emulated machine's. */
#include "src/base/attr.h"
#include "src/base/clock.h"
#include "src/core/core_state.h"

#include <rdma/fi_ext_weft.h>

static struct fi_weft_clock *below;

void weft_core_clock_open(void)
{
	void *ops = NULL;

	if (fi_open_ops(&weft_core.domain->fid, FI_WEFT_CLOCK, 0, &ops, NULL))
		ops = NULL;
	below = ops;
}

void weft_core_clock_close(void)
{
	below = NULL;
}

uint64_t weft_core_tick_ps(void)
{
	return below ? below->tick_ps(&weft_core.domain->fid) : 1000;
}

uint64_t weft_core_look_ps(void)
{
	bool knows = below && below->size >= sizeof(*below);

	return knows ? below->look_ps(&weft_core.domain->fid)
		     : weft_core_now_ps();
}

uint64_t weft_core_now_ps(void)
{
	if (weft_unlikely(weft_core.virt && below))
		return below->now_ps(&weft_core.domain->fid);
	return weft_now_ns() * 1000;
}
