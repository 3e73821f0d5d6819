/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of a replay: text on stdout, speed on stderr. */
#ifndef WEFT_REPLAY_REPORT_H
#define WEFT_REPLAY_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct replay_report {
	bool ranks, links;
	uint64_t opened_ns, ran_ns; /* real time of the start and of the run */
};

/* Prints the results. Returns the exit status: 35 after a deadlock. */
int replay_report(const struct replay_report *p);

#endif
