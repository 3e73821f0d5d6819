/* SPDX-License-Identifier: BSD-3-Clause */
/* --report-html and --trace: recording events and writing the files. */
#ifndef WEFT_RUN_TRACE_H
#define WEFT_RUN_TRACE_H

#include "src/tools/run/job/run_job.h"

/*
 * Checks before the job starts whether the files of --report-file,
 * --report-html and --trace can be written. Returns 0, or -EINVAL after a
 * message.
 */
int run_trace_check(const struct run_model *m);
/*
 * Creates the memory for events; no effect without these options. Returns 0, or
 * -errno after a message.
 */
int run_trace_open(struct run_job *job);
/*
 * Writes the HTML page and the trace. Called before the report: adds the calls
 * of ranks that recorded events to the job status page. Returns 0, or -errno
 * after a message.
 */
int run_trace_show(const struct run_job *job);
void run_trace_close(struct run_job *job);

/*
 * Returns the folder of Weft's modules. Installed: PREFIX/lib/weft, for
 * PREFIX/bin/mpiexec; in the build tree: .libs.
 */
const char *run_lib_folder(char *dir, size_t room);

#endif
