/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What our own provider does by itself and others do not: to tell when a send
 * was met by a receive, and to call it back.
 *
 * A synchronous send carries an id as remote CQ data; the receiver returns an
 * empty message with that id. A send that is cancelled asks its receiver, who
 * looks for it among the messages that no receive has met:
 *
 *     it is the oldest of its word    taken out, thrown away: cancelled
 *     it is not there                 it was met: it completes
 *     an older one of its word waits  looked for again, when that is gone
 *
 * libfabric shows the oldest message of a word only, hence the third line: of
 * several sends with one tag the oldest is called back first.
 *
 * Called with the core's lock held, except open.
 */
#ifndef WEFT_CORE_CTRL_H
#define WEFT_CORE_CTRL_H

#include "src/core/core_comm.h"

struct weft_p2p;

/* Begins to listen for those who call their sends back; 0 or -errno. */
int weft_ctrl_open(void);

/* A name for a send. */
uint32_t weft_ctrl_id(void);
/* Expects the acknowledgement of p, once; -EAGAIN. */
int weft_ctrl_expect(struct weft_p2p *p);
void weft_ctrl_unexpect(struct weft_p2p *p);
/* A receive has met a message that carried data. */
void weft_ctrl_met(const struct weft_comm *comm, int source, uint64_t data);
/* Calls p back, once. */
int weft_ctrl_recall(struct weft_p2p *p);

#endif
