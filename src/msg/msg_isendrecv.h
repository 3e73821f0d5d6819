/* SPDX-License-Identifier: BSD-3-Clause */
/* A send and a receive combined in one request: MPI_Isendrecv. */
#ifndef WEFT_MSG_ISENDRECV_H
#define WEFT_MSG_ISENDRECV_H

#include "src/msg/msg_p2p.h"

/*
 * Starts a send and a receive. tmp (may be NULL) is freed when both have
 * completed. Returns 0 or -errno.
 */
int weft_core_isendrecv(const struct weft_p2p_args *send,
			const struct weft_p2p_args *recv, void *tmp,
			struct weft_req **req_p);

/*
 * Makes a packed copy, for MPI_Sendrecv_replace; the caller frees *copy_p.
 * Returns 0, -ENOMEM or -EIO.
 */
int weft_core_packed_copy(const void *buf, MPI_Count count, struct weft_dt *dt,
			  void **copy_p);

#endif
