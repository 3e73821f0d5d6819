/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots with gnuplot, through a pipe. Used by weft-sim and weft-reproduce. */
#ifndef WEFT_SIM_PLOT_H
#define WEFT_SIM_PLOT_H

#include <stdio.h>

/*
 * Checks whether a plot can be written to file: its name ends in .png or .svg,
 * and gnuplot is installed. Returns 0, or -1 with the reason on stderr, after
 * the program's name.
 */
int sim_plot_check(const char *program, const char *file);

/*
 * Returns a pipe for gnuplot commands, with the output file set; NULL with
 * errno set on failure.
 */
FILE *sim_plot_open(const char *file, unsigned width, unsigned height);
/* Returns 0, or -EIO: gnuplot failed and reported why. */
int sim_plot_close(FILE *f);

#endif
