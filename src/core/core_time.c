/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock of MPI_Wtime: the host's clock, or the machine's virtual clock. */
#include "src/core/core_time.h"

#include "src/base/attr.h"
#include "src/base/clock.h"
#include "src/diag/diag_call.h"
#include "src/core/core_state.h"

#include <rdma/fi_ext_weft.h>

/* provider's clock for MPI_Wtime; NULL: the host's clock is used */
static struct fi_weft_clock *provider_clock;

/*
 * Returns whether the processor's counter can be used, which is not the case if
 * the firmware has not set its frequency.
 */
static bool has_ticks(void)
{
	return WEFT_HAS_TICKS && weft_ticks_hz() > 1000000;
}

void weft_core_clock_open(void)
{
	void *ops = NULL;

	if (!weft_core.traits.global_clock ||
	    fi_open_ops(&weft_core.domain->fid, FI_WEFT_CLOCK, 0, &ops, NULL))
		ops = NULL;
	provider_clock = ops;
	if (has_ticks() && !provider_clock && !weft_call_report_requested())
		weft_core.tick_s = 1.0 / (double)weft_ticks_hz();
}

void weft_core_clock_close(void)
{
	provider_clock = NULL;
	weft_core.tick_s = 0;
}

static uint64_t host_ns(void)
{
	uint64_t hz = weft_ticks_hz(), ticks;

	if (!has_ticks())
		return weft_now_ns();
	ticks = weft_ticks();
	return ticks / hz * 1000000000u + ticks % hz * 1000000000u / hz;
}

uint64_t weft_core_tick_ps(void)
{
	if (provider_clock)
		return provider_clock->tick_ps(&weft_core.domain->fid);
	return has_ticks() ? 1000000000000u / weft_ticks_hz() : 1000;
}

uint64_t weft_core_clock_peek_ps(void)
{
	if (provider_clock && provider_clock->size >= sizeof(*provider_clock))
		return provider_clock->peek_ps(&weft_core.domain->fid);
	return weft_core_now_ps();
}

WEFT_HOT uint64_t weft_core_now_ps(void)
{
	if (weft_unlikely(provider_clock != NULL))
		return provider_clock->now_ps(&weft_core.domain->fid);
	return host_ns() * 1000;
}
