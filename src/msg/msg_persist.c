/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests of a communicator (msg_persist.h). */
#include "src/msg/msg_persist.h"

#include "src/comm/comm.h"
#include "src/core/core_lock.h"
#include "src/msg/msg_req.h"

void weft_persist_add(struct weft_persist *p, const struct weft_req *r,
		      unsigned (*holds)(const struct weft_req *r))
{
	struct weft_list *all = &r->comm->persistent;

	p->req = r;
	p->holds = holds;
	weft_lock();
	if (!all->next)
		weft_list_init(all);
	weft_list_push_back(all, &p->link);
	weft_unlock();
}

void weft_persist_remove(struct weft_persist *p)
{
	weft_lock();
	weft_list_remove(&p->link);
	weft_unlock();
}

/*
 * Returns the number of references of p that do not belong to pending
 * communication.
 */
static unsigned idle_refs(const struct weft_persist *p)
{
	if (p->req->flags & WEFT_REQ_ACTIVE && !weft_req_is_done(p->req))
		return 0;
	return p->holds ? p->holds(p->req) : 1;
}

bool weft_persist_is_pending(struct weft_comm *c)
{
	struct weft_list *all = &c->persistent;
	unsigned idle = 1; /* the application's reference */
	struct weft_list *n;

	weft_lock();
	for (n = all->next; n && n != all; n = n->next)
		idle += idle_refs(
			weft_container_of(n, struct weft_persist, link));
	weft_unlock();
	return weft_load32(&c->obj.refs) > idle;
}
