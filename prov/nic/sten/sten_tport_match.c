/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tagged ports, the thread's part: it takes messages from the input queue in
 * order, searches the oldest receive that matches, and keeps unexpected
 * messages; a receive searches these first. Data of a match is copied, or
 * fetched by a DMA that the thread posts and the sender's unit runs. While Elan
 * memory for unexpected messages is exhausted, the input queue is not drained,
 * and when it is full packets are discarded.
 */
#include "prov/nic/sten/sten_tport.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool tp_fits(const struct tp_req *r, const struct tp_envelope *env)
{
	return (r->peer == WEFT_STEN_ANY || r->peer == env->sender) &&
	       !((r->tag ^ env->tag) & ~r->ignore);
}

static void tp_over(struct tp_req *r, int err)
{
	weft_list_remove(&r->link);
	r->status.err = err;
	r->state = TP_DONE;
}

/* ---- matched messages ---- */

static uint64_t tp_cut(const struct tp_req *r)
{
	return r->status.bytes < r->room ? r->status.bytes : r->room;
}

/* 0, or the receiver's error for a truncated message. */
static int tp_cut_err(const struct tp_req *r)
{
	return r->status.bytes > r->room ? -EMSGSIZE : 0;
}

/* The descriptor runs at the sender, writes here, and sets events of both. */
static int tp_fetch(struct weft_sten_tports *t, struct tp_req *r)
{
	const struct weft_sten_dma d = {
		.bytes = (uint32_t)tp_cut(r),
		.flags = WEFT_STEN_DMA_REMOTE,
		.restarts = STEN_FOREVER,
		.back = (uint16_t)t->me,
		.vproc = r->status.sender,
		.src = r->far_src,
		.dst = r->buf,
		.src_event = tp_address(t, &t->elan->req[r->far_req].event),
		.dst_event = tp_address(t, &r->event),
	};
	uint64_t w[1 + STEN_DMA_WORDS];
	struct weft_sten_stream st = { .word = w, .max = WEFT_COUNT_OF(w) };

	weft_sten_run_dma(&st, &d);
	r->event.count = -1;
	return weft_sten_queue_write(t->s, t->q_thread, w, st.count);
}

static void tp_fetch_more(struct weft_sten_tports *t)
{
	while (t->fetches < TP_FETCHES && !weft_list_empty(&t->matched)) {
		struct tp_req *r =
			weft_container_of(t->matched.next, struct tp_req, link);
		int err;

		if (!tp_reaches(t, r->status.sender)) {
			tp_over(r, -ENOENT);
			continue;
		}
		err = tp_fetch(t, r);
		if (err == -EAGAIN)
			return;
		if (err) {
			tp_over(r, err);
			continue;
		}
		weft_list_remove(&r->link);
		r->state = TP_FETCHES_NOW;
		t->fetches++;
		t->stats.fetched++;
	}
}

static void tp_copy(struct weft_sten_tports *t, struct tp_req *r,
		    const void *data)
{
	uint64_t n = tp_cut(r);
	void *to = n ? sten_memory(t->s, t->context, r->buf, n,
				   WEFT_STEN_LOCAL_WRITE)
		     : NULL;

	if (n && !to) {
		tp_over(r, -EFAULT);
		return;
	}
	if (n)
		memcpy(to, data, n);
	tp_over(r, tp_cut_err(r));
}

static void tp_met(struct weft_sten_tports *t, struct tp_req *r,
		   const struct tp_envelope *env, const void *data)
{
	r->status = (struct weft_sten_tports_status){
		.sender = env->sender,
		.tag = env->tag,
		.bytes = env->bytes,
	};
	if (!env->src) {
		tp_copy(t, r, data);
		return;
	}
	r->far_src = env->src;
	r->far_req = env->req;
	r->state = TP_MATCHED;
	weft_list_remove(&r->link);
	weft_list_push_back(&t->matched, &r->link);
	tp_fetch_more(t);
}

/* ---- messages ---- */

static size_t tp_kept_bytes(const struct tp_envelope *env)
{
	return sizeof(struct tp_early) + (env->src ? 0 : env->bytes);
}

/* Keeps an unexpected message. False: no memory now. */
static bool tp_keep(struct weft_sten_tports *t, const struct tp_envelope *env,
		    const void *data)
{
	size_t bytes = tp_kept_bytes(env);
	struct tp_early *e;

	if (t->stats.elan_bytes + bytes > t->elan_room)
		return false;
	e = malloc(bytes);
	if (!e)
		return false;
	e->env = *env;
	memcpy(e->data, data, bytes - sizeof(*e));
	weft_list_push_back(&t->early, &e->link);
	t->stats.elan_bytes += bytes;
	t->stats.unexpected++;
	return true;
}

static void tp_forget(struct weft_sten_tports *t, struct tp_early *e)
{
	t->stats.elan_bytes -= tp_kept_bytes(&e->env);
	weft_list_remove(&e->link);
	free(e);
}

static bool tp_message(struct weft_sten_tports *t,
		       const struct tp_envelope *env, const void *data)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &t->posted)
	{
		struct tp_req *r = weft_container_of(pos, struct tp_req, link);

		if (!tp_fits(r, env))
			continue;
		t->stats.matched++;
		tp_met(t, r, env, data);
		return true;
	}
	return tp_keep(t, env, data);
}

/* Checks a header written by a peer. */
static bool tp_sane(const struct tp_envelope *env)
{
	if (env->src)
		return env->req < WEFT_STEN_TPORTS_REQS &&
		       env->bytes <= INT32_MAX;
	return env->bytes <= WEFT_STEN_TPORTS_MAX;
}

/* Takes messages until the input queue is empty or memory is exhausted. */
static void tp_drain(struct weft_sten_tports *t)
{
	struct weft_sten_input *q = &t->elan->input;
	struct tp_envelope env;

	while (nic_event_look((weft_au64 *)(void *)&q->back) != q->front) {
		const unsigned char *slot =
			t->elan->slot + (q->front & (q->slots - 1u)) * TP_SLOT;

		memcpy(&env, slot, sizeof(env));
		if (!tp_sane(&env))
			t->s->stats.refused++;
		else if (!tp_message(t, &env, slot + sizeof(env)))
			return;
		weft_sten_input_next(q);
	}
}

static int tp_arrived(struct weft_sten_thread *th)
{
	struct weft_sten_tports *t = th->arg;

	t->elan->arrived.count = -1;
	tp_drain(t);
	return 0;
}

/* ---- receives ---- */

static bool tp_among_early(struct weft_sten_tports *t, struct tp_req *r)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &t->early)
	{
		struct tp_early *e =
			weft_container_of(pos, struct tp_early, link);

		if (!tp_fits(r, &e->env))
			continue;
		tp_met(t, r, &e->env, e->data);
		tp_forget(t, e);
		return true;
	}
	return false;
}

static struct tp_req *tp_req_of(struct weft_sten_tports *t, uint64_t n)
{
	return n < WEFT_STEN_TPORTS_REQS ? &t->elan->req[n] : NULL;
}

/* Memory may have become free, so the input queue is drained, too. */
static int tp_post(struct weft_sten_thread *th)
{
	struct weft_sten_tports *t = th->arg;
	struct tp_req *r = tp_req_of(t, th->regs[0]);

	if (!r || r->tx || r->state != TP_WAITS)
		return 0;
	if (!tp_among_early(t, r))
		weft_list_push_back(&t->posted, &r->link);
	tp_drain(t);
	return 0;
}

static int tp_fetched(struct weft_sten_thread *th)
{
	struct weft_sten_tports *t = th->arg;
	struct tp_req *r = tp_req_of(t, th->regs[0]);

	if (!r || r->tx || r->state != TP_FETCHES_NOW || r->event.count)
		return 0;
	t->fetches--;
	tp_over(r, tp_cut_err(r));
	tp_fetch_more(t);
	return 0;
}

/* ---- open and close ---- */

static const struct {
	enum tp_program pc;
	weft_sten_program fn;
} programs[] = {
	{ TPC_ARRIVED, tp_arrived },
	{ TPC_POST, tp_post },
	{ TPC_FETCHED, tp_fetched },
};

int tp_programs_set(struct weft_sten_tports *t, bool on)
{
	int err = 0;

	for (unsigned i = 0; i < WEFT_COUNT_OF(programs) && !err; i++)
		err = weft_sten_program_set(t->s, t->context, programs[i].pc,
					    on ? programs[i].fn : NULL, t);
	return err;
}

void tp_match_fini(struct weft_sten_tports *t)
{
	while (!weft_list_empty(&t->early))
		tp_forget(t, weft_container_of(t->early.next, struct tp_early,
					       link));
}

/* ---- lost peers ---- */

static bool tp_is(struct weft_sten_tports *t, uint32_t vproc,
		  const struct weft_peer *peer)
{
	const struct sten_route *r = sten_route(t->s, vproc);

	return r && r->peer == peer;
}

/* True if only that peer can complete the request. */
static bool tp_waits_for(struct weft_sten_tports *t, const struct tp_req *r,
			 const struct weft_peer *peer)
{
	if (r->state == TP_WAITS)
		return r->peer != WEFT_STEN_ANY && tp_is(t, r->peer, peer);
	if (r->state == TP_MATCHED || r->state == TP_FETCHES_NOW)
		return tp_is(t, r->status.sender, peer);
	return false;
}

static void tports_lost(struct weft_sten_tports *t,
			const struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	tp_drain(t);
	for (unsigned i = 0; i < WEFT_STEN_TPORTS_REQS; i++) {
		struct tp_req *r = &t->elan->req[i];

		if (!tp_waits_for(t, r, peer))
			continue;
		t->fetches -= r->state == TP_FETCHES_NOW;
		tp_over(r, -ECONNRESET);
	}
	weft_list_each(pos, tmp, &t->early)
	{
		struct tp_early *e =
			weft_container_of(pos, struct tp_early, link);

		if (e->env.src && tp_is(t, e->env.sender, peer))
			tp_forget(t, e);
	}
	tp_fetch_more(t);
}

void sten_tports_lost(struct weft_sten *s, const struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->tports) tports_lost(
		weft_container_of(pos, struct weft_sten_tports, link), peer);
}
