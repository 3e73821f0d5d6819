/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of weft-sim: text for people, CSV and JSON for programs. */
#ifndef WEFT_SIM_OUT_H
#define WEFT_SIM_OUT_H

#include "src/tools/sim/sim_opts.h"

/* A writer: called before all points, for each point, and after all points. */
struct sim_writer {
	void (*begin)(const struct sim_opts *o, const struct sim_result *r);
	void (*point)(const struct sim_opts *o, const struct sim_result *r,
		      unsigned i);
	void (*end)(const struct sim_opts *o, const struct sim_result *r);
};

/*
 * Returns the writer of a format. begin is called with the first result, end
 * with the last result.
 */
const struct sim_writer *sim_writer(enum sim_format format);

/* Plot the results; r: one result per load. Return 0 or -errno. */
int sim_draw(const struct sim_opts *o, const struct sim_result *r);
int sim_draw_heat(const struct sim_opts *o, const struct sim_result *r);
/* Writes the results as an HTML page. Returns 0 or -errno. */
int sim_page(const struct sim_opts *o, const struct sim_result *r);

#endif
