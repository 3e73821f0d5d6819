/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of coll/ that lower layers call, as a table that src/mpi sets
 * before the first communicator is created.
 */
#ifndef WEFT_COMM_COLL_TABLE_H
#define WEFT_COMM_COLL_TABLE_H

struct weft_comm;

struct weft_core_coll_ops {
	/*
	 * attach: sets comm->coll for a new communicator, whose groups and
	 * context are in place. Returns 0 or -errno (the communicator is not
	 * created). Not collective, must not communicate, must not block.
	 */
	int (*attach)(struct weft_comm *comm);
	/* detach: frees comm->coll and its routes; comm is being freed */
	void (*detach)(struct weft_comm *comm);
};

void weft_core_coll_set(const struct weft_core_coll_ops *ops);
/* Returns the table that was set; before that, a table of empty functions. */
const struct weft_core_coll_ops *weft_core_coll_get(void);

#endif
