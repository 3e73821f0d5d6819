/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases for tests of algorithms: the filled buffers of every rank of one
 * operation, and images of their expected contents, gaps included.
 */
#ifndef WEFT_COLL_CASE_H
#define WEFT_COLL_CASE_H

#include "test/support/coll_mock.h"
#include "src/base/rng.h"

enum { CASE_PROCS = 40 };

/* Element type, and the offsets of the ints in an element. */
struct case_elem {
	struct weft_dt *dt;
	int ints;
	int off[2];
};

/*
 * Makes two element types: an int, and two ints at -4 and 8 in 24 bytes from -8
 * on.
 */
void case_elems(struct case_elem *plain, struct case_elem *gappy);

enum case_form { CASE_EVEN, CASE_V, CASE_W };

/* One buffer of one rank. */
struct case_mem {
	const struct case_elem *el;
	char *mem;
	char *image;
	size_t len;
	int blocks;
	enum case_form form;
	bool wide;
	MPI_Count count[CASE_PROCS];
	MPI_Count displ[CASE_PROCS];
	int narrow_count[CASE_PROCS];
	int narrow_displ[CASE_PROCS];
	MPI_Datatype types[CASE_PROCS];
	struct weft_coll_side side;
};

struct case_proc {
	struct weft_coll_args a;
	struct case_mem s;
	struct case_mem r;
};

/* Parameters of a case. */
struct case_what {
	enum weft_coll_kind kind;
	const struct case_elem *el;
	struct weft_op *op;
	void (*fold)(const int *left, int *right); /* right = left op right */
	enum case_form form;
	bool in_place;
	int count;
	int root; /* process number of the root */
};

struct case_job {
	struct mock *mock;
	struct case_what w;
	int n; /* number of processes */
	struct case_proc proc[CASE_PROCS];
};

void case_open(struct case_job *j, struct mock *m, const struct case_what *w,
	       struct weft_rng *rng);
/* Compare the buffers of all ranks, or of one rank, with their images. */
void case_check(const struct case_job *j);
void case_check_rank(const struct case_job *j, int i);
/* Resets the receive buffers for another run. */
void case_reset(struct case_job *j);
void case_close(struct case_job *j);

#endif
