/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchange of addresses among the members of a communicator. */
#ifndef WEFT_COMM_EXCHANGE_H
#define WEFT_COMM_EXCHANGE_H

struct weft_comm;

/*
 * Exchanges the addresses of all members of c among them, with log2(size)
 * requests to the launcher instead of `size` requests. Collective; only the
 * first call has an effect. Returns 0 or -errno.
 */
int weft_comm_exchange_addresses(struct weft_comm *c);

#endif
