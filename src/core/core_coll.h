/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How collectives hang on communicators. coll/ fills the table, src/mpi hands
 * it over before the first communicator is made, the core calls it and knows
 * nothing else of collectives.
 */
#ifndef WEFT_CORE_COLL_H
#define WEFT_CORE_COLL_H

struct weft_comm;

struct weft_core_coll_ops {
	/* attach: sets comm->coll for a new communicator, whose groups and
	 * context are in place. 0 or -errno (the communicator is not made).
	 * Not collective, must not communicate, must not block. */
	int (*attach)(struct weft_comm *comm);
	/* detach: the communicator goes; frees comm->coll and its routes. */
	void (*detach)(struct weft_comm *comm);
};

/* Called once by MPI_Init. */
void weft_core_coll_set(const struct weft_core_coll_ops *ops);
/* What was set; before that a table that does nothing. */
const struct weft_core_coll_ops *weft_core_coll_get(void);

#endif
