/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of weft-sim. */
#ifndef WEFT_SIM_OPTS_H
#define WEFT_SIM_OPTS_H

#include "src/tools/sim/sim_run.h"

#include <stdbool.h>

#define SIM_LOADS_MAX 100

enum sim_format { SIM_TEXT, SIM_CSV, SIM_JSON };

struct sim_opts {
	struct sim_spec spec;
	const char *machine;
	const char *path; /* injection path of the machine; NULL: the first */
	double load[SIM_LOADS_MAX];
	unsigned loads;
	bool loads_given;
	enum sim_format format;
	unsigned busiest; /* number of links to list */
	bool histogram;
	bool progress;
	const char *plot; /* file name of the plot, or NULL */
	const char *heat;
	const char *html;
	const char *faults; /* fault plan as text, or the name of a file */
	struct weft_fault_plan plan;
};

/*
 * Parses the options. Returns 0 if there is something to run, 1 if help or
 * version was printed, or a negative value after an error message.
 */
int sim_opts_parse(char **argv, struct sim_opts *o);

const char *sim_routing_name(const struct sim_spec *s);

#endif
