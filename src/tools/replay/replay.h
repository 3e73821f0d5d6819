/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replay of recorded calls on the model of a machine, without the application:
 * weft-sim --replay and --calls.
 */
#ifndef WEFT_REPLAY_H
#define WEFT_REPLAY_H

#include <stdbool.h>

/* Returns whether the words of a command line request a replay. */
bool replay_requested(char *const *word);
/* Runs the program with these words. Returns its exit status. */
int replay_main(char **argv);

#endif
