/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several jobs on one machine (--job), and the nodes of each (--place). The
 * ranks of all jobs are started, numbered and supervised together; each job has
 * a world communicator of its own.
 */
#ifndef WEFT_RUN_PARTS_H
#define WEFT_RUN_PARTS_H

#include "src/tools/run/opts/run_opts.h"

/*
 * Fills o->part from the contexts, whose ranks have already been numbered.
 * Returns 0, or -EINVAL after a message.
 */
int run_parts_open(struct run_opts *o);

/*
 * Chooses the nodes of all ranks and writes them to o->model.table, if there
 * are several jobs or a --place. Returns 0, or -EINVAL after a message; an
 * invalid machine is left to run_model_check().
 */
int run_parts_place(struct run_opts *o);

/* Returns the job of a context; NULL: there is only one job. */
const struct run_part *run_part_of_app(const struct run_opts *o, int app);

/* Writes "64 ranks (0-63) on 32 nodes (random=3), background". */
enum { RUN_PART_TEXT = 160 };
void run_part_text(const struct run_part *p, char text[RUN_PART_TEXT]);

#endif
