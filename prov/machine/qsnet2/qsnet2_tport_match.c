/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tagged ports, thread part. The thread reads messages from the input queue in
 * order, and matches each with the oldest suitable receive. It stores
 * unexpected messages; a new receive is first matched against these. The data
 * of a match is copied, or fetched by a DMA that the thread posts and the
 * sender's unit runs. While no memory is left for unexpected messages, the
 * input queue is not drained; when it is full, packets are discarded.
 */
#include "prov/machine/qsnet2/qsnet2_tport.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool tport_fits(const struct tport_req *r,
		       const struct tport_envelope *env)
{
	return (r->peer == WEFT_QSNET2_ANY || r->peer == env->sender) &&
	       !((r->tag ^ env->tag) & ~r->ignore);
}

static void tport_req_done(struct tport_req *r, int err)
{
	weft_list_remove(&r->link);
	r->status.err = err;
	r->state = TPORT_DONE;
}

/* ---- matched messages ---- */

static uint64_t tport_truncated_bytes(const struct tport_req *r)
{
	return r->status.bytes < r->room ? r->status.bytes : r->room;
}

/*
 * Returns -EMSGSIZE if the message is longer than the receive buffer, otherwise
 * 0.
 */
static int tport_truncated_err(const struct tport_req *r)
{
	return r->status.bytes > r->room ? -EMSGSIZE : 0;
}

/*
 * Posts the DMA of a long message: the sender's unit runs its descriptor,
 * writes the data here, and sets the events of both sides.
 */
static int tport_fetch(struct weft_qsnet2_tports *t, struct tport_req *r)
{
	const struct weft_qsnet2_dma d = {
		.bytes = (uint32_t)tport_truncated_bytes(r),
		.flags = WEFT_QSNET2_DMA_REMOTE,
		.restarts = QSNET2_FOREVER,
		.back = (uint16_t)t->me,
		.vproc = r->status.sender,
		.src = r->remote_src,
		.dst = r->buf,
		.src_event =
			tport_address(t, &t->elan->req[r->remote_req].event),
		.dst_event = tport_address(t, &r->event),
	};
	uint64_t w[1 + QSNET2_DMA_WORDS];
	struct weft_qsnet2_stream st = { .word = w, .max = WEFT_COUNT_OF(w) };

	weft_qsnet2_run_dma(&st, &d);
	r->event.count = -1;
	return weft_qsnet2_queue_write(t->s, t->q_thread, w, st.count);
}

static void tport_fetch_more(struct weft_qsnet2_tports *t)
{
	while (t->fetches < TPORT_FETCHES && !weft_list_empty(&t->matched)) {
		struct tport_req *r = weft_container_of(t->matched.next,
							struct tport_req, link);
		int err;

		if (!tport_has_route(t, r->status.sender)) {
			tport_req_done(r, -ENOENT);
			continue;
		}
		err = tport_fetch(t, r);
		if (err == -EAGAIN)
			return;
		if (err) {
			tport_req_done(r, err);
			continue;
		}
		weft_list_remove(&r->link);
		r->state = TPORT_FETCHING;
		t->fetches++;
		t->stats.fetched++;
	}
}

static void tport_copy(struct weft_qsnet2_tports *t, struct tport_req *r,
		       const void *data)
{
	uint64_t n = tport_truncated_bytes(r);
	void *to = n ? qsnet2_memory(t->s, t->context, r->buf, n,
				     WEFT_QSNET2_LOCAL_WRITE)
		     : NULL;

	if (n && !to) {
		tport_req_done(r, -EFAULT);
		return;
	}
	if (n)
		memcpy(to, data, n);
	tport_req_done(r, tport_truncated_err(r));
}

static void tport_match(struct weft_qsnet2_tports *t, struct tport_req *r,
			const struct tport_envelope *env, const void *data)
{
	r->status = (struct weft_qsnet2_tports_status){
		.sender = env->sender,
		.tag = env->tag,
		.bytes = env->bytes,
	};
	if (!env->src) {
		tport_copy(t, r, data);
		return;
	}
	r->remote_src = env->src;
	r->remote_req = env->req;
	r->state = TPORT_MATCHED;
	weft_list_remove(&r->link);
	weft_list_push_back(&t->matched, &r->link);
	tport_fetch_more(t);
}

/* ---- messages ---- */

static size_t tport_unexpected_bytes(const struct tport_envelope *env)
{
	return sizeof(struct tport_unexpected) + (env->src ? 0 : env->bytes);
}

/* Keeps an unexpected message. Returns false if out of memory. */
static bool tport_unexpected_add(struct weft_qsnet2_tports *t,
				 const struct tport_envelope *env,
				 const void *data)
{
	size_t bytes = tport_unexpected_bytes(env);
	struct tport_unexpected *e;

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

static void tport_unexpected_free(struct weft_qsnet2_tports *t,
				  struct tport_unexpected *e)
{
	t->stats.elan_bytes -= tport_unexpected_bytes(&e->env);
	weft_list_remove(&e->link);
	free(e);
}

static bool tport_message(struct weft_qsnet2_tports *t,
			  const struct tport_envelope *env, const void *data)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &t->posted) {
		struct tport_req *r =
			weft_container_of(pos, struct tport_req, link);

		if (!tport_fits(r, env))
			continue;
		t->stats.matched++;
		tport_match(t, r, env, data);
		return true;
	}
	return tport_unexpected_add(t, env, data);
}

/* Returns whether a header written by a peer is valid. */
static bool tport_envelope_valid(const struct tport_envelope *env)
{
	if (env->src)
		return env->req < WEFT_QSNET2_TPORTS_REQS &&
		       env->bytes <= INT32_MAX;
	return env->bytes <= WEFT_QSNET2_TPORTS_MAX;
}

/* Processes messages until the input queue is empty or memory is exhausted. */
static void tport_drain(struct weft_qsnet2_tports *t)
{
	struct weft_qsnet2_input *q = &t->elan->input;
	struct tport_envelope env;

	while (nic_event_read((weft_au64 *)(void *)&q->back) != q->front) {
		const unsigned char *slot =
			t->elan->slot +
			(q->front & (q->slots - 1u)) * TPORT_SLOT;

		memcpy(&env, slot, sizeof(env));
		if (!tport_envelope_valid(&env))
			t->s->stats.refused++;
		else if (!tport_message(t, &env, slot + sizeof(env)))
			return;
		weft_qsnet2_input_release(q);
	}
}

static int tport_arrived(struct weft_qsnet2_thread *th)
{
	struct weft_qsnet2_tports *t = th->arg;

	t->elan->arrived.count = -1;
	tport_drain(t);
	return 0;
}

/* ---- receives ---- */

static bool tport_unexpected_find(struct weft_qsnet2_tports *t,
				  struct tport_req *r)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &t->early) {
		struct tport_unexpected *e =
			weft_container_of(pos, struct tport_unexpected, link);

		if (!tport_fits(r, &e->env))
			continue;
		tport_match(t, r, &e->env, e->data);
		tport_unexpected_free(t, e);
		return true;
	}
	return false;
}

static struct tport_req *tport_req_of(struct weft_qsnet2_tports *t, uint64_t n)
{
	return n < WEFT_QSNET2_TPORTS_REQS ? &t->elan->req[n] : NULL;
}

/*
 * Handles a posted receive, then drains the input queue, because memory may
 * have become free.
 */
static int tport_post(struct weft_qsnet2_thread *th)
{
	struct weft_qsnet2_tports *t = th->arg;
	struct tport_req *r = tport_req_of(t, th->regs[0]);

	if (!r || r->tx || r->state != TPORT_WAITING)
		return 0;
	if (!tport_unexpected_find(t, r))
		weft_list_push_back(&t->posted, &r->link);
	tport_drain(t);
	return 0;
}

static int tport_fetched(struct weft_qsnet2_thread *th)
{
	struct weft_qsnet2_tports *t = th->arg;
	struct tport_req *r = tport_req_of(t, th->regs[0]);

	if (!r || r->tx || r->state != TPORT_FETCHING || r->event.count)
		return 0;
	t->fetches--;
	tport_req_done(r, tport_truncated_err(r));
	tport_fetch_more(t);
	return 0;
}

/* ---- open and close ---- */

static const struct {
	enum tport_program pc;
	weft_qsnet2_program fn;
} programs[] = {
	{ TPORT_PC_ARRIVED, tport_arrived },
	{ TPORT_PC_POST, tport_post },
	{ TPORT_PC_FETCHED, tport_fetched },
};

int tport_programs_set(struct weft_qsnet2_tports *t, bool on)
{
	int err = 0;

	for (unsigned i = 0; i < WEFT_COUNT_OF(programs) && !err; i++)
		err = weft_qsnet2_program_set(t->s, t->context, programs[i].pc,
					      on ? programs[i].fn : NULL, t);
	return err;
}

void tport_match_fini(struct weft_qsnet2_tports *t)
{
	while (!weft_list_empty(&t->early))
		tport_unexpected_free(
			t, weft_container_of(t->early.next,
					     struct tport_unexpected, link));
}

/* ---- lost peers ---- */

static bool tport_is_peer(struct weft_qsnet2_tports *t, uint32_t vproc,
			  const struct weft_peer *peer)
{
	const struct qsnet2_route *r = qsnet2_route(t->s, vproc);

	return r && r->peer == peer;
}

/* Returns whether only this peer can complete the request. */
static bool tport_waits_for(struct weft_qsnet2_tports *t,
			    const struct tport_req *r,
			    const struct weft_peer *peer)
{
	if (r->state == TPORT_WAITING)
		return r->peer != WEFT_QSNET2_ANY &&
		       tport_is_peer(t, r->peer, peer);
	if (r->state == TPORT_MATCHED || r->state == TPORT_FETCHING)
		return tport_is_peer(t, r->status.sender, peer);
	return false;
}

static void tports_lost(struct weft_qsnet2_tports *t,
			const struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	tport_drain(t);
	for (unsigned i = 0; i < WEFT_QSNET2_TPORTS_REQS; i++) {
		struct tport_req *r = &t->elan->req[i];

		if (!tport_waits_for(t, r, peer))
			continue;
		t->fetches -= r->state == TPORT_FETCHING;
		tport_req_done(r, -ECONNRESET);
	}
	weft_list_each(pos, tmp, &t->early) {
		struct tport_unexpected *e =
			weft_container_of(pos, struct tport_unexpected, link);

		if (e->env.src && tport_is_peer(t, e->env.sender, peer))
			tport_unexpected_free(t, e);
	}
	tport_fetch_more(t);
}

void qsnet2_tports_lost(struct weft_qsnet2 *s, const struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->tports)
		tports_lost(
			weft_container_of(pos, struct weft_qsnet2_tports, link),
			peer);
}
