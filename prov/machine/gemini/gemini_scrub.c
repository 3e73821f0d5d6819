/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scrubber runs once per period. It times out requests that were already
 * outstanding at its previous run, so a timeout takes one to two periods; a
 * partly received send times out after half a period. A late response is
 * ignored, because the generation of its request buffer has changed.
 */
#include "prov/machine/gemini/gemini_dev.h"

#include "prov/backend/backend.h"
#include "src/base/clock.h"

uint64_t gemini_now_ns(const struct weft_gemini *f)
{
	struct weft_carrier *c = f->port.carrier;

	if (f->clock)
		return f->clock();
	return c->ops->backend->now_ps(c, false) / 1000;
}

void gemini_scrub(struct weft_gemini *f)
{
	uint64_t now = gemini_now_ns(f);

	gemini_bte_scrub(f, now);
	if (now - f->scrubbed_ns < f->scrub_ns)
		return;
	f->scrubbed_ns = now;
	gemini_orb_scrub(f);
}
