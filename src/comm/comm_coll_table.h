/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of coll/ that lower layers call. They are called through a table
 * that src/mpi sets before the first communicator is created.
 */
#ifndef WEFT_COMM_COLL_TABLE_H
#define WEFT_COMM_COLL_TABLE_H

struct weft_comm;

struct weft_core_coll_ops {
	/*
	 * attach: sets comm->coll for a new communicator, whose groups and
	 * context are already set. Returns 0 or -errno (the communicator is not
	 * created). The call is not collective, and must neither communicate
	 * nor block.
	 */
	int (*attach)(struct weft_comm *comm);
	/* detach: frees comm->coll and its routes; called when comm is freed */
	void (*detach)(struct weft_comm *comm);
};

void weft_core_coll_set(const struct weft_core_coll_ops *ops);
/*
 * Returns the table that was set or, if none has been set yet, a table of
 * functions that do nothing.
 */
const struct weft_core_coll_ops *weft_core_coll_get(void);

#endif
