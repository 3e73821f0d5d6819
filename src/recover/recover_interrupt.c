/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupted messages (recover_interrupt.h). */
#include "src/recover/recover_interrupt.h"

#include "src/core/core_state.h"
#include "src/diag/diag_peer_failure.h"
#include "src/msg/msg.h"
#include "src/msg/msg_active.h"
#include "src/recover/recover.h"
#include "src/recover/recover_failed.h"

#include <errno.h>

bool weft_interrupt_revoked(const struct weft_comm *c)
{
	const struct weft_comm *real;

	if (c->revoked)
		return true;
	/*
	 * a scratch communicator of a collective step (comm_channel.h) is
	 * revoked if the communicator with its context is revoked
	 */
	real = c->group ? NULL : weft_comm_list_find(c->ctx);
	return real && real->revoked;
}

int weft_interrupt_receive(const struct weft_comm *c, int peer)
{
	if (peer >= 0)
		return weft_failed_is(c->proc[peer]) &&
				       weft_failed_is_silent(c->proc[peer])
			       ? -ECONNRESET
			       : 0;
	for (int i = c->acked;
	     peer == MPI_ANY_SOURCE && i < weft_failed_count(); i++) {
		int proc = weft_failed_proc(i);

		if (weft_failed_is_member(c, proc) &&
		    weft_failed_is_silent(proc))
			return -EOWNERDEAD;
	}
	return 0;
}

static bool is_collective(const struct weft_p2p *p)
{
	unsigned kind = weft_p2p_kind(p->mode);

	return kind == WEFT_CTX_COLL || kind == WEFT_CTX_GROUP;
}

static int refusal(const struct weft_p2p *p)
{
	const struct weft_comm *c = p->req.comm;

	if (weft_interrupt_revoked(c))
		return -ESTALE;
	return is_collective(p) && weft_failed_in(c, 0) ? -ECONNRESET : 0;
}

/*
 * Returns whether the operation is a send to a process that has failed. If this
 * process has not sent to it before, the provider would detect the failure only
 * by the silence of its host.
 */
static bool is_send_to_failed(const struct weft_p2p *p)
{
	return p->req.flags & WEFT_REQ_SEND &&
	       weft_failed_is((int)(p->pend.lane - weft_core.proc));
}

int weft_recover_refuses(const struct weft_p2p *p)
{
	int rc = refusal(p);

	return !rc && is_send_to_failed(p) ? -ECONNRESET : rc;
}

static int error_of(const struct weft_p2p *p)
{
	int rc = refusal(p);

	/*
	 * a send to a failed process needs no check here: the provider reports
	 * the death of the target
	 */
	if (rc || p->req.flags & WEFT_REQ_SEND)
		return rc;
	rc = weft_interrupt_receive(p->req.comm, p->peer);
	/* a blocking receive from any source does not stay pending */
	return rc && p->req.flags & WEFT_REQ_BLOCKING ? -ECONNRESET : rc;
}

static void interrupt(struct weft_p2p *p)
{
	int rc = error_of(p);

	if (rc)
		weft_p2p_interrupt(p, rc);
}

void weft_interrupt_all(void)
{
	weft_p2p_active_each(interrupt);
}
