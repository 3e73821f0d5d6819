/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the tallies of a job status page as a table, and its text. */
#ifndef WEFT_JOB_PAGE_PRINT_H
#define WEFT_JOB_PAGE_PRINT_H

#include "src/job/job_page.h"

#include <stdio.h>

/*
 * Prints the report. clock: name of the clock, "virtual time" or "time";
 * machine: the modelled machine and the placement of ranks, or NULL.
 */
void weft_job_page_print(const struct weft_job_page *job_page,
			 const char *clock, const char *machine, FILE *f);

/* One of several jobs: consecutive members of a page. */
struct weft_job_page_part {
	uint32_t first, members;
	const char *text; /* ranks, nodes and program, for the first line */
	/* background job: the ranks need not reach MPI_Finalize */
	bool background;
};

/* Prints the report of several jobs: a table for each, then the page's text. */
void weft_job_page_print_parts(const struct weft_job_page *job_page,
			       const struct weft_job_page_part *part,
			       unsigned parts, const char *machine, FILE *f);

#endif
