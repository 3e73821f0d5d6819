/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages with many gaps that are packed and unpacked packet by packet: no
 * memory is needed for the whole message, and both sides work concurrently. If
 * the provider does not support this, such messages are packed into a buffer
 * (msg_send.c, msg_recv.c).
 */
#ifndef WEFT_MSG_TYPED_H
#define WEFT_MSG_TYPED_H

#include "src/msg/msg.h"

/* Queries the provider; called once, after the endpoint is open. */
void weft_typed_open(void);

/*
 * Returns whether the message is long enough and the provider supports packing
 * packet by packet; if so, prepares p.
 */
bool weft_typed_accept(struct weft_p2p *p);

static inline bool weft_typed_is(const struct weft_p2p *p)
{
	return weft_unlikely(p->packed_by_packet);
}

/*
 * Post the message; flags: as for fi_tsendmsg and fi_trecvmsg. Return the
 * provider's result.
 */
int weft_typed_send(struct weft_p2p *p, fi_addr_t to, uint64_t flags);
int weft_typed_recv(struct weft_p2p *p, uint64_t flags);

#endif
