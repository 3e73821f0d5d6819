/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the model of the machine did, for --report and --verbose: loads of
 * links by class, the busiest ones, class routes, and the hash of the event
 * stream. The times of MPI calls are mpiexec's part (run_report.c).
 */
#ifndef WEFT_CORE_REPORT_H
#define WEFT_CORE_REPORT_H

#include <rdma/fi_ext_weft.h>
#include <stdbool.h>
#include <stdio.h>

/* Loads of links and class routes; nobody runs any more. */
void weft_report_links(FILE *f, const struct fi_weft_world *world,
		       struct fid *domain);
/* One line: time, events, packets, hash. */
void weft_report_count(FILE *f, const struct fi_weft_world *world,
		       struct fid *domain);
/*
 * Whether the program computed so much for free that its own figures mislead,
 * and a sentence that says so.
 */
bool weft_report_free_compute(const struct fi_weft_count *n, char *text,
			      size_t len);

#endif
