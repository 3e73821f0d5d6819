/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Report of the machine's model, for --report and --verbose: load of links by
 * class, the busiest links, class routes, and the hash of the event stream.
 * mpiexec reports the times of MPI calls (run_report.c).
 */
#ifndef WEFT_DIAG_REPORT_H
#define WEFT_DIAG_REPORT_H

#include <rdma/fi_ext_weft.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes the load of links and the class routes, after all ranks have left. */
void weft_report_links(FILE *f, const struct fi_weft_world *world,
		       struct fid *domain);
/*
 * Writes one line with virtual time, numbers of events and packets, and hash.
 */
void weft_report_count(FILE *f, const struct fi_weft_world *world,
		       struct fid *domain);
/*
 * Returns whether the program computed so long without advancing virtual time
 * that the rates it prints are misleading; if so, writes a warning to text.
 */
bool weft_report_free_compute(const struct fi_weft_count *n, char *text,
			      size_t len);

#endif
