/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress line, see sim_progress.h. */
#include "src/tools/sim/sim_progress.h"
#include "src/base/clock.h"

#include <stdio.h>
#include <unistd.h>

int sim_progress_wanted(int requested)
{
	return requested || isatty(STDERR_FILENO);
}

void sim_progress_begin(struct sim_progress *p, const char *label)
{
	p->label = label;
	p->began_ns = weft_now_ns();
	p->shown_ns = p->began_ns;
}

void sim_progress_show(struct sim_progress *p, double part, uint64_t hops)
{
	uint64_t now = weft_now_ns();
	double spent = (double)(now - p->began_ns) / 1e9;

	if (!p->label || now - p->shown_ns < 200000000u)
		return;
	fprintf(stderr, "\r%s: %3.0f %%, %.1f M packet-hops/s, %.0f s left  ",
		p->label, 100 * part, (double)hops / spent / 1e6,
		part > 0 ? spent * (1 - part) / part : 0);
	fflush(stderr);
	p->shown_ns = now;
}

void sim_progress_end(struct sim_progress *p)
{
	if (p->label && p->shown_ns != p->began_ns)
		fputs("\r\033[K", stderr);
}
