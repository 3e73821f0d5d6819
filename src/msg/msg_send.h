/* SPDX-License-Identifier: BSD-3-Clause */
/* Send requests: initialization and lookup. */
#ifndef WEFT_MSG_SEND_H
#define WEFT_MSG_SEND_H

#include "src/msg/msg.h"

/* Initializes p as a send, after weft_req_init(). */
void weft_p2p_init_send(struct weft_p2p *p, const struct weft_p2p_args *a);

/* Returns the send that an operation belongs to; NULL: not a send. */
const struct weft_p2p *weft_p2p_sent(const struct weft_io *io);

#endif
