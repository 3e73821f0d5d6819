/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages with many gaps that are packed on their way, a packet at a time, and
 * unpacked likewise: no memory is needed for the message as a whole, and both
 * sides work at the same time. Where the provider has no such messages they are
 * packed into a buffer (core_send.c, core_recv.c).
 */
#ifndef WEFT_CORE_TYPED_H
#define WEFT_CORE_TYPED_H

#include "src/core/core_msg.h"

/* Asks the provider; called once, when the endpoint is there. */
void weft_typed_open(void);

/* Long enough for it, and the provider can? Then p is made ready. */
bool weft_typed_take(struct weft_p2p *p);

/* Did weft_typed_take() accept the message? */
static inline bool weft_typed_is(const struct weft_p2p *p)
{
	return weft_unlikely(p->packetwise);
}

/* Post it; 0 or what the provider says. flags: those of the fi_t*msg calls. */
int weft_typed_send(struct weft_p2p *p, fi_addr_t to, uint64_t flags);
int weft_typed_recv(struct weft_p2p *p, uint64_t flags);

#endif
