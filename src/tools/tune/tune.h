/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-tune: measures the algorithms of the collectives on a machine and prints
 * the algorithm choices for its machine file. The program is an MPI program; it
 * selects algorithms by the info keys of communicators.
 */
#ifndef WEFT_TUNE_H
#define WEFT_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* maximum number of rank counts, and of sizes, in a grid */
#define TUNE_GRID_MAX	16
#define TUNE_ALGORITHMS 12
#define TUNE_NAME	20
/* accepted time, as a multiple of the fastest time */
#define TUNE_TOLERANCE	1.1

enum tune_op {
	TUNE_BARRIER,
	TUNE_BCAST,
	TUNE_REDUCE,
	TUNE_ALLREDUCE,
	TUNE_GATHER,
	TUNE_SCATTER,
	TUNE_ALLGATHER,
	TUNE_ALLTOALL,
	TUNE_REDUCE_SCATTER,
	TUNE_SCAN,
	TUNE_OPS
};
/* Names of the operations, as in machine files: choose_NAME. */
extern const char *const tune_op_names[TUNE_OPS];

/* ---- measurement (tune_measure.c); all ranks call these functions -------- */

/* Allocates buffers for vectors of this many bytes. Returns 0 or -1. */
int tune_buffers_open(size_t bytes);
void tune_buffers_close(void);
/*
 * Lists the algorithms of an operation that weft-tune compares; returns their
 * number.
 */
unsigned tune_algorithms(enum tune_op op,
			 char name[TUNE_ALGORITHMS][TUNE_NAME]);
/*
 * Returns the time of an operation on the first `ranks` ranks, in microseconds:
 * the time of the slowest rank. The result is the same on all ranks. bytes: the
 * vector or, for operations with a block for each rank, one block. algorithm
 * NULL: selected by the library.
 */
double tune_measure(enum tune_op op, int ranks, size_t bytes,
		    const char *algorithm);

/* ---- choices (tune_choice.c) --------------------------------------------- */

/*
 * Fastest algorithms of an operation; empty name: the library's selection is
 * kept.
 */
struct tune_grid {
	unsigned rank_count, size_count;
	uint64_t ranks[TUNE_GRID_MAX], sizes[TUNE_GRID_MAX];
	char best[TUNE_GRID_MAX][TUNE_GRID_MAX][TUNE_NAME]; /* ranks, sizes */
};

/*
 * Prints the line of a machine file with the choices of a grid, or nothing if
 * there are none. A choice applies from its number of ranks and bytes up to the
 * next numbers of the grid.
 */
void tune_print_choices(FILE *out, enum tune_op op, const struct tune_grid *g);
/*
 * Returns the number of bytes by which the library selects an algorithm: the
 * size of all blocks together for allgather and reduce_scatter.
 */
uint64_t tune_volume(enum tune_op op, uint64_t ranks, uint64_t bytes);

#endif
