/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Node and slot that --place has chosen for each rank: a file in memory, which
 * the ranks read as the map of their machine.
 */
#ifndef WEFT_RUN_TABLE_H
#define WEFT_RUN_TABLE_H

#include "src/tools/run/run_env.h"

/* Creates the file if --place has chosen nodes. Returns 0 or -errno. */
int run_table_open(struct run_job *job);
void run_table_close(struct run_job *job);
/* Sets the variable that names the map file. Returns 0 or -ENOMEM. */
int run_table_env(struct run_env *e, const struct run_job *job);

#endif
