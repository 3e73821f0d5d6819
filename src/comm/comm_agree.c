/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreement on context ids; see comm_agree.h. */
#include "src/comm/comm_agree.h"

#include "src/types/types_dt.h"
#include "src/msg/msg_p2p.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_tag.h"
#include "src/msg/msg_wait.h"

#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_list agreements = { &agreements, &agreements };
/*
 * The agreements of this process that currently offer ids: at most one in its
 * first try, and at most one in a later try. They offer disjoint sets of ids.
 */
static struct weft_agree *first_try, *deferred_retry;
#define FIRST_TRY_IDS UINT64_C(0x5555555555555555)

/*
 * Returns whether no agreement with a lower key is beyond its first try.
 * Requires the lock.
 */
static bool is_first(const struct weft_agree *a)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &agreements) {
		const struct weft_agree *b =
			weft_container_of(pos, struct weft_agree, link);

		if (!b->first && b->key < a->key)
			return false;
	}
	return true;
}

/*
 * Returns a mask of the ids that agreement a may offer now; the mask applies to
 * every word of ids. Requires the lock.
 */
static uint64_t may_offer(struct weft_agree *a)
{
	struct weft_agree **slot = a->first ? &first_try : &deferred_retry;

	if (*slot || (a->first ? deferred_retry != NULL : !is_first(a)))
		return 0;
	*slot = a;
	if (a->first)
		return FIRST_TRY_IDS;
	return first_try ? ~FIRST_TRY_IDS : ~UINT64_C(0);
}

static void try_begin(struct weft_agree *a)
{
	uint64_t mask;
	int i;

	pthread_mutex_lock(&lock);
	mask = may_offer(a);
	weft_ctx_unused(a->window, a->mine);
	for (i = 0; i < WEFT_CTX_WINDOW; i++)
		a->mine[i] &= mask;
	a->offers = mask;
	a->mine[WEFT_CTX_WINDOW] = mask && !a->first;
	pthread_mutex_unlock(&lock);
	a->dist = 1;
}

/*
 * Reserves the lowest ids that all members have offered. Returns false if there
 * are too few.
 */
static bool reserve_ids(struct weft_agree *a)
{
	int i, n = 0;

	for (i = 0; i < WEFT_CTX_WINDOW && n < a->id_count; i++) {
		uint64_t left = a->mine[i];

		for (; left && n < a->id_count; left &= left - 1)
			a->id[n++] = (a->window + (unsigned)i) * 64 +
				     (unsigned)__builtin_ctzll(left);
	}
	if (n < a->id_count)
		return false;
	while (n--)
		weft_ctx_use(a->id[n]);
	return true;
}

/*
 * Ends a try. Returns 1 if the members have agreed, 0 if a retry is needed, or
 * -ENOSPC if all windows of ids were tried.
 */
static int try_end(struct weft_agree *a)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (reserve_ids(a)) {
		rc = 1;
	} else if (a->mine[WEFT_CTX_WINDOW]) {
		/* all members offered ids, but too few of them were common */
		a->window += WEFT_CTX_WINDOW;
		if (a->window >= weft_ctx_words())
			rc = -ENOSPC;
	}
	if (a->offers)
		*(a->first ? &first_try : &deferred_retry) = NULL;
	a->first = false;
	if (rc)
		weft_list_remove(&a->link);
	pthread_mutex_unlock(&lock);
	return rc;
}

/*
 * Ends an agreement that has failed, so that other agreements continue. Returns
 * rc.
 */
static int abandon(struct weft_agree *a, int rc)
{
	pthread_mutex_lock(&lock);
	if (a->offers)
		*(a->first ? &first_try : &deferred_retry) = NULL;
	weft_list_remove(&a->link);
	pthread_mutex_unlock(&lock);
	return rc;
}

/* Starts the exchange with the ranks at distance dist. Returns 0 or -errno. */
static int agree_post(struct weft_agree *a)
{
	struct weft_comm *c = a->m.comm;
	int n = c->size;
	struct weft_p2p_args in = weft_channel_args(
		&a->m, a->in, sizeof(a->in), (c->rank - a->dist % n + n) % n);
	struct weft_p2p_args out = weft_channel_args(
		&a->m, a->mine, sizeof(a->mine), (c->rank + a->dist) % n);
	int rc = weft_core_irecv(&in, &a->recv);

	if (rc)
		return rc;
	/*
	 * the receive is outstanding, so the error is returned only after the
	 * receive has ended
	 */
	a->error = weft_core_isend(&out, &a->send);
	if (a->error)
		a->send = weft_req_null_done();
	return 0;
}

/*
 * Combines the ids after an exchange. Returns 1 if the exchange is complete, 0
 * if it is not, or -errno.
 */
static int agree_combine(struct weft_agree *a)
{
	size_t i;
	int rc, rc2;

	if (!weft_req_is_done(a->send) || !weft_req_is_done(a->recv))
		return 0;
	rc = weft_req_collect(&a->send, MPI_STATUS_IGNORE);
	rc2 = weft_req_collect(&a->recv, MPI_STATUS_IGNORE);
	if (!rc)
		rc = rc2 ? rc2 : a->error;
	a->recv = NULL;
	for (i = 0; i < WEFT_COUNT_OF(a->mine); i++)
		a->mine[i] &= a->in[i];
	return rc ? rc : 1;
}

int weft_agree_step(struct weft_agree *a)
{
	int rc;

	for (;;) {
		if (a->recv) {
			rc = agree_combine(a);
			if (rc <= 0)
				return rc ? abandon(a, rc) : 0;
			a->dist <<= 1;
		}
		if (a->dist < a->m.comm->size) {
			rc = agree_post(a);
			if (rc)
				return abandon(a, rc);
			continue;
		}
		rc = try_end(a);
		if (rc)
			return rc;
		try_begin(a);
		/*
		 * with a single member there is no message to wait for, so
		 * return, to let other agreements progress
		 */
		if (a->m.comm->size == 1 && !a->offers)
			return 0;
	}
}

void weft_agree_start(struct weft_agree *a)
{
	a->key =
		weft_tag_word(a->m.comm->ctx, a->m.flags >> 2 & 3, 0, a->m.tag);
	a->window = 0;
	a->first = true;
	a->send = NULL;
	a->recv = NULL;
	pthread_mutex_lock(&lock);
	weft_list_push_back(&agreements, &a->link);
	pthread_mutex_unlock(&lock);
	try_begin(a);
	weft_progress_add(&a->req);
}

static int agree_step(struct weft_req *r)
{
	return weft_agree_step(weft_container_of(r, struct weft_agree, req));
}

static void agree_free(struct weft_req *r)
{
}

static const struct weft_req_ops agree_ops = {
	.name = "context agreement",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = agree_step,
	.query = weft_req_no_query,
	.free = agree_free,
};

int weft_agree_wait(const struct weft_channel *m, int id_count, unsigned *ids_p)
{
	struct weft_agree a;
	int rc;

	weft_req_init(&a.req, &agree_ops, m->comm, WEFT_REQ_ACTIVE);
	a.m = *m;
	a.id_count = id_count;
	weft_agree_start(&a);
	rc = weft_req_finish(&a.req);
	while (!rc && id_count--)
		ids_p[id_count] = a.id[id_count];
	return rc;
}
