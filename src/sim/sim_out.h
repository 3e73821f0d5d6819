/* SPDX-License-Identifier: BSD-3-Clause */
/* What weft-sim prints: text for people, CSV and JSON for programs. */
#ifndef WEFT_SIM_OUT_H
#define WEFT_SIM_OUT_H

#include "src/sim/sim_opts.h"

/* One row of three: before all points, for each, after all. */
struct sim_writer {
	void (*begin)(const struct sim_opts *o, const struct sim_result *r);
	void (*point)(const struct sim_opts *o, const struct sim_result *r,
		      unsigned i);
	void (*end)(const struct sim_opts *o, const struct sim_result *r);
};

/* begin and end may look at the first and the last result. */
const struct sim_writer *sim_writer(enum sim_format format);

/* Pictures: r has one result for each load. 0 or -errno. */
int sim_draw(const struct sim_opts *o, const struct sim_result *r);
int sim_draw_heat(const struct sim_opts *o, const struct sim_result *r);
/* The same as a page. */
int sim_page(const struct sim_opts *o, const struct sim_result *r);

#endif
