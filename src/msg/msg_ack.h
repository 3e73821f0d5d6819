/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two functions that Weft's provider has and other providers lack: reporting
 * when a receive matched a send, and cancelling a send.
 *
 * A synchronous send carries an id as remote CQ data; the receiver returns an
 * empty message with that id. To cancel a send, the sender sends a request to
 * the receiver, which searches its unexpected messages for the message:
 *
 *   oldest with its tag word      received and dropped: cancelled
 *   not found                     was matched: the send completes
 *   older message, same tag word  searched again later
 *
 * libfabric reports only the oldest message with a tag word, hence the third
 * case: if several sends have one tag, the oldest is cancelled first.
 *
 * All functions except weft_ctrl_open() require the core's lock.
 */
#ifndef WEFT_MSG_ACK_H
#define WEFT_MSG_ACK_H

#include "src/comm/comm.h"

struct weft_p2p;

/* Posts the receive for cancel requests. Returns 0 or -errno. */
int weft_ctrl_open(void);

uint32_t weft_ctrl_id(void);
/*
 * Posts the receive for the acknowledgement of p, if it is not posted yet.
 * Returns 0 or an error; -EAGAIN: retry later.
 */
int weft_ctrl_expect(struct weft_p2p *p);
void weft_ctrl_cancel_expected(struct weft_p2p *p);
/*
 * Called when a receive has matched a message with remote CQ data: sends the
 * acknowledgement if it was requested.
 */
void weft_ctrl_matched(const struct weft_comm *comm, int source, uint64_t data);
/* Sends a cancel request for p, unless one was sent. Returns 0 or -errno. */
int weft_ctrl_cancel(struct weft_p2p *p);

#endif
