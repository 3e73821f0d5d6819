/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Partitioned communication. Sender and receiver may partition the same data
 * differently, so they exchange two messages first:
 *
 *   sender   -- hello: its partitions, its id ----->  receiver   (once)
 *   sender   <- welcome: the tag of partition 0 ---  receiver   (once)
 *   sender   == partition i, tag base + i ========>  receiver   (every start)
 *
 * The receiver posts one receive per partition of the sender, in place or, for
 * types that are not contiguous, into a packed copy. The hello is sent on the
 * communicator with the application's tag, the other messages between processes
 * in the library's context.
 */
#ifndef WEFT_MSG_PARTITIONED_H
#define WEFT_MSG_PARTITIONED_H

#include <mpi.h>
#include <stdbool.h>

struct weft_p2p_args;
struct weft_req;

/*
 * Create inactive persistent requests with a->count elements per partition.
 * Return 0 or -errno.
 */
int weft_partitioned_send_init(const struct weft_p2p_args *a, int partitions,
			       struct weft_req **req_p);
int weft_partitioned_recv_init(const struct weft_p2p_args *a, int partitions,
			       struct weft_req **req_p);

/*
 * Frees the receives of hellos whose requests were freed before the hello
 * arrived and that have completed since. The receive of a hello holds a
 * reference on its communicator.
 */
void weft_partitioned_reap(void);

/*
 * Implement MPI_Pready_range and MPI_Parrived. Return 0, or -EINVAL: no active
 * partitioned request of this kind, or no such partition.
 */
int weft_partitioned_ready(struct weft_req *r, int first, int last);
int weft_partitioned_arrived(struct weft_req *r, int partition, int *flag);

#endif
