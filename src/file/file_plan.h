/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan of a collective access in two phases. The accessed part of the file is
 * divided into one domain for each aggregator, a domain into windows of the
 * size of the aggregator's buffer. In round r, aggregator a moves window r of
 * its domain. Every rank computes the same plan from the ranges and layouts of
 * all members.
 *
 *   file    |---- domain 0 ----|---- domain 1 ----|---- domain 2 --|
 *   window   0     1     2      0     1     2      0     1     2
 */
#ifndef WEFT_FILE_PLAN_H
#define WEFT_FILE_PLAN_H

#include "src/file/file.h"

/*
 * The range of the stream that a member accesses; all members exchange these
 * structures.
 */
struct file_member {
	int64_t pos;
	int64_t bytes;
	int64_t error; /* error of the member: 0 or -errno */
};

struct file_plan {
	const struct weft_file *f;
	/* ranges of the members, indexed by rank */
	const struct file_member *member;
	bool two_phase;	 /* false: every member accesses the file itself */
	MPI_Offset base; /* start of domain 0 */
	MPI_Offset end;
	MPI_Offset domain; /* size of a domain, bytes */
	MPI_Offset window; /* size of a window, bytes */
	int rounds;
};

/*
 * Decides from the views of all members, separately for reads and writes,
 * whether every member accesses the file itself.
 */
void file_plan_view_set(struct weft_file *f);
/*
 * Returns whether every member accesses the file itself, regardless of the
 * ranges; then no ranges are exchanged.
 */
bool file_plan_is_direct(const struct weft_file *f, bool write);

/* Computes the plan. Returns 0, or the first error of a member. */
int file_plan_make(struct file_plan *p, const struct weft_file *f,
		   const struct file_member *member, bool write);

/* Window of an aggregator in a round; empty at the end of the file. */
struct file_window {
	MPI_Offset offset;
	MPI_Offset end;
};
struct file_window file_plan_window(const struct file_plan *p, int aggregator,
				    int round);

/* The data of a member in a window. */
struct file_part {
	size_t pos; /* position in the member's stream */
	size_t bytes;
	MPI_Offset offset; /* offset of the first byte in the file */
	MPI_Offset end;	   /* offset after the last byte */
};
struct file_part file_plan_part(const struct file_plan *p, int rank,
				struct file_window w);

/* Returns whether the part is contiguous in the file. */
static inline bool file_part_is_run(const struct file_part *p)
{
	return p->end - p->offset == (MPI_Offset)p->bytes;
}

#endif
