/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Poll sets: several queues and counters polled together. Also fi_trywait,
 * which reports whether a thread may block on their descriptors.
 */
#include "prov/ofi/queue/weft_poll.h"
#include "prov/ofi/queue/weft_cntr.h"
#include "prov/ofi/queue/weft_cq.h"
#include "prov/ofi/queue/weft_eq.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/weft_nosys.h"
#include "prov/ofi/ep/weft_progress.h"

#include <stdlib.h>

struct weft_poll {
	struct fid_poll fid;
	struct weft_domain *domain;
	struct weft_list members;
};

struct member {
	struct weft_list link;
	struct fid *fid;
	uint64_t seen; /* last reported counter value */
};

static struct weft_poll *to_poll(struct fid_poll *fid)
{
	return weft_container_of(fid, struct weft_poll, fid);
}

static struct weft_cq *cq_of(struct fid *fid)
{
	return weft_container_of(fid, struct weft_cq, fid.fid);
}

static struct weft_cntr *cntr_of(struct fid *fid)
{
	return weft_container_of(fid, struct weft_cntr, fid.fid);
}

/*
 * Returns the reference count of an object; NULL: objects of this class cannot
 * be in a poll set.
 */
static weft_au32 *ref_of(struct fid *fid)
{
	switch (fid->fclass) {
	case FI_CLASS_CQ:
		return &cq_of(fid)->ref;
	case FI_CLASS_CNTR:
		return &cntr_of(fid)->ref;
	default:
		return NULL;
	}
}

static bool member_ready(struct member *m)
{
	uint64_t now;

	if (m->fid->fclass == FI_CLASS_CQ)
		return cq_of(m->fid)->head != cq_of(m->fid)->tail;
	now = weft_load64(&cntr_of(m->fid)->value) +
	      weft_load64(&cntr_of(m->fid)->errors);
	if (now == m->seen)
		return false;
	m->seen = now;
	return true;
}

static int weft_poll_poll(struct fid_poll *fid, void **context, int count)
{
	struct weft_poll *p = to_poll(fid);
	struct weft_list *pos, *tmp;
	int n = 0;

	weft_enter(p->domain);
	weft_domain_progress(p->domain);
	weft_list_each(pos, tmp, &p->members) {
		struct member *m = weft_container_of(pos, struct member, link);

		if (n < count && member_ready(m))
			context[n++] = m->fid->context;
	}
	weft_leave(p->domain);
	return n;
}

static struct member *member_find(struct weft_poll *p, struct fid *fid)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &p->members) {
		struct member *m = weft_container_of(pos, struct member, link);

		if (m->fid == fid)
			return m;
	}
	return NULL;
}

static int weft_poll_add(struct fid_poll *fid, struct fid *event_fid,
			 uint64_t flags)
{
	struct weft_poll *p = to_poll(fid);
	struct member *m;
	weft_au32 *ref = ref_of(event_fid);

	if (!ref)
		return -FI_EINVAL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -FI_ENOMEM;
	m->fid = event_fid;
	weft_enter(p->domain);
	weft_list_push_back(&p->members, &m->link);
	weft_leave(p->domain);
	weft_ref_get(ref);
	return 0;
}

static void member_drop(struct member *m)
{
	weft_list_remove(&m->link);
	weft_ref_put(ref_of(m->fid));
	free(m);
}

static int weft_poll_del(struct fid_poll *fid, struct fid *event_fid,
			 uint64_t flags)
{
	struct weft_poll *p = to_poll(fid);
	struct member *m;

	weft_enter(p->domain);
	m = member_find(p, event_fid);
	if (m)
		member_drop(m);
	weft_leave(p->domain);
	return m ? 0 : -FI_EINVAL;
}

static int weft_poll_close(struct fid *fid)
{
	struct weft_poll *p = weft_container_of(fid, struct weft_poll, fid.fid);
	struct weft_list *pos, *tmp;

	weft_enter(p->domain);
	weft_list_each(pos, tmp, &p->members)
		member_drop(weft_container_of(pos, struct member, link));
	weft_leave(p->domain);
	weft_ref_put(&p->domain->ref);
	free(p);
	return 0;
}

static struct fi_ops fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_poll_close,
	.bind = weft_nosys_bind,
	.control = weft_nosys_control,
	.ops_open = weft_nosys_ops_open,
	.tostr = weft_nosys_tostr,
	.ops_set = weft_nosys_ops_set,
};

static struct fi_ops_poll poll_ops = {
	.size = sizeof(struct fi_ops_poll),
	.poll = weft_poll_poll,
	.poll_add = weft_poll_add,
	.poll_del = weft_poll_del,
};

int weft_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		   struct fid_poll **poll_p)
{
	struct weft_poll *p;

	if (attr && attr->flags)
		return -FI_EBADFLAGS;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -FI_ENOMEM;
	p->fid.fid.fclass = FI_CLASS_POLL;
	p->fid.fid.ops = &fid_ops;
	p->fid.ops = &poll_ops;
	p->domain = weft_container_of(domain, struct weft_domain, fid);
	weft_list_init(&p->members);
	weft_ref_get(&p->domain->ref);
	*poll_p = &p->fid;
	return 0;
}

static int trywait_one(struct fid *fid)
{
	switch (fid->fclass) {
	case FI_CLASS_CQ:
		return weft_cq_trywait(cq_of(fid));
	case FI_CLASS_CNTR:
		return weft_cntr_trywait(cntr_of(fid));
	case FI_CLASS_EQ:
		return weft_eq_trywait(weft_eq_of(fid));
	default:
		return -EINVAL;
	}
}

int weft_trywait(struct fid_fabric *fabric, struct fid **fids, int count)
{
	for (int i = 0; i < count; i++) {
		int err = trywait_one(fids[i]);

		if (err)
			return (int)weft_ofi_err(err);
	}
	return 0;
}
