/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures by gnuplot, through a pipe. */
#ifndef WEFT_SIM_PLOT_H
#define WEFT_SIM_PLOT_H

#include <stdio.h>

/*
 * Whether a picture can be drawn into file: its name ends in .png or .svg, and
 * gnuplot is there. 0, or -1 and the reason on stderr, with the program's name.
 */
int sim_plot_check(const char *program, const char *file);

/* A pipe that takes gnuplot's commands, its output set; NULL: errno. */
FILE *sim_plot_open(const char *file, unsigned width, unsigned height);
/* 0, or -EIO: gnuplot failed, and said why. */
int sim_plot_close(FILE *f);

#endif
