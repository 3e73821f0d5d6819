/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scrubber runs once per period. It times out requests that were
 * outstanding at its previous run, so that a timeout takes one to two periods;
 * a partly received send times out after half a period. A late response finds
 * that its request buffer's generation has changed and is ignored.
 */
#include "prov/nic/fma/fma_dev.h"

#include "prov/carrier/carrier_vt.h"
#include "src/base/clock.h"

uint64_t fma_now_ns(const struct weft_fma *f)
{
	struct weft_carrier *c = f->port.carrier;

	if (f->clock)
		return f->clock();
	return c->virt ? c->virt->now_ps(c, false) / 1000 : weft_now_ns();
}

void fma_scrub(struct weft_fma *f)
{
	uint64_t now = fma_now_ns(f);

	fma_bte_scrub(f, now);
	if (now - f->scrubbed_ns < f->scrub_ns)
		return;
	f->scrubbed_ns = now;
	fma_orb_scrub(f);
}
