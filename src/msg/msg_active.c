/* SPDX-License-Identifier: BSD-3-Clause */
/* Active messages (msg_active.h). */
#include "src/msg/msg_active.h"

#include <errno.h>

static struct weft_list active = { &active, &active };
static struct weft_list suspended = { &suspended, &suspended };

void weft_p2p_active_add(struct weft_p2p *p)
{
	p->req.flags |= WEFT_REQ_LISTED;
	p->req.flags &= ~(uint32_t)WEFT_REQ_INTERRUPTED;
	weft_list_push_back(&active, &p->active);
}

void weft_p2p_active_remove(struct weft_p2p *p, int error)
{
	p->req.flags &= ~(uint32_t)WEFT_REQ_LISTED;
	weft_list_remove(&p->active);
	if (error != -EOWNERDEAD)
		return;
	p->req.flags |= WEFT_REQ_SUSPENDED;
	weft_list_push_back(&suspended, &p->active);
}

int weft_p2p_resume(struct weft_p2p *p)
{
	int rc;

	if (!(p->req.flags & WEFT_REQ_SUSPENDED))
		return 0;
	p->req.flags &= ~(uint32_t)WEFT_REQ_SUSPENDED;
	weft_list_remove(&p->active);
	p->req.error = 0;
	/* relaxed: no other thread waits for the request */
	weft_store32_relaxed(&p->req.done, 0);
	rc = p->start(p);
	if (rc)
		weft_req_complete(&p->req, rc);
	return rc;
}

void weft_p2p_resume_all(const struct weft_comm *c)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &suspended) {
		struct weft_p2p *p =
			weft_container_of(pos, struct weft_p2p, active);

		if (p->req.comm == c && !weft_threads)
			weft_p2p_resume(p);
	}
}

void weft_p2p_active_each(void (*visit)(struct weft_p2p *p))
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &active) {
		struct weft_p2p *p =
			weft_container_of(pos, struct weft_p2p, active);

		if (!(p->req.flags & WEFT_REQ_INTERRUPTED))
			visit(p);
	}
}
