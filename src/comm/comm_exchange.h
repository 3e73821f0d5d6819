/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchange of addresses among the members of a communicator. */
#ifndef WEFT_COMM_EXCHANGE_H
#define WEFT_COMM_EXCHANGE_H

struct weft_comm;

/*
 * Makes the addresses of all members known with log2(size) requests to the
 * launcher instead of size: the members exchange them. Collective; once is
 * enough.
 */
int weft_comm_exchange_addresses(struct weft_comm *c);

#endif
