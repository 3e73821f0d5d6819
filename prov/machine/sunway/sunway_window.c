/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reliable queue messages, as in the machine's message library: many light
 * sliding windows, one for each pair of interfaces that communicate. The sender
 * numbers its messages, keeps up to 64 in flight, and retransmits messages that
 * are not acknowledged in time (sunway_tx.c). The receiver accepts each number
 * once, in any order. There is no handshake, no credit and no reorder buffer: a
 * message for a full receive queue is dropped and retransmitted.
 */
#include "prov/machine/sunway/sunway_dev.h"

/* ---- the sender ---- */

static struct sunway_window *window_make(struct weft_sunway *n,
					 struct sunway_vi *v,
					 const struct weft_sunway_desc *d)
{
	struct sunway_window *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->guid = d->guid;
	w->to = sunway_end(d->engine, d->vi);
	w->number = n->window_next++;
	weft_list_push_back(&v->windows, &w->link);
	return w;
}

int sunway_window_join(struct weft_sunway *n, struct sunway_msg *m)
{
	struct sunway_vi *v = &n->me[m->engine].vi[m->vi];
	uint32_t to = sunway_end(m->d.engine, m->d.vi);
	struct sunway_window *w = NULL;
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &v->windows) {
		w = weft_container_of(pos, struct sunway_window, link);
		if (w->guid == m->d.guid && w->to == to)
			break;
		w = NULL;
	}
	if (!w)
		w = window_make(n, v, &m->d);
	if (!w)
		return -ENOMEM;
	m->window = w;
	return 0;
}

bool sunway_window_open(const struct sunway_msg *m)
{
	const struct sunway_window *w = m->window;

	return (m->numbered ? m->seq : w->next) - w->taken.next < SUNWAY_WINDOW;
}

void sunway_window_acked(struct sunway_msg *m)
{
	struct weft_arq_win *w = &m->window->taken;

	if (weft_arq_win_check(w, m->seq, SUNWAY_WINDOW) == WEFT_ARQ_NEW)
		weft_arq_win_take(w, m->seq);
}

void sunway_window_close(struct sunway_vi *v)
{
	struct weft_list *pos;

	while ((pos = weft_list_pop_front(&v->windows)))
		free(weft_container_of(pos, struct sunway_window, link));
}

/* ---- the receiver ---- */

/*
 * Returns the key of a window. There is one window between two interfaces, the
 * one opened last.
 */
static uint64_t window_key(uint32_t guid, uint32_t ends)
{
	return (uint64_t)guid << 16 | ends;
}

static struct sunway_window *window_of(struct weft_sunway *n,
				       const struct sunway_in *in)
{
	uint32_t ends = in->pkt->unit & 0xffff;
	struct sunway_window *w =
		weft_hash_get(&n->windows, window_key(in->guid, ends));

	if (w)
		return w;
	w = calloc(1, sizeof(*w));
	if (!w || weft_hash_set(&n->windows, window_key(in->guid, ends), w)) {
		free(w);
		return NULL;
	}
	w->guid = in->guid;
	w->to = ends;
	w->number = in->slice.window;
	weft_list_push_back(&n->window, &w->link);
	return w;
}

/*
 * Returns whether the message belongs to the current window. A higher window
 * number resets the window.
 */
static bool window_fits(struct sunway_window *w, uint32_t number)
{
	if ((int32_t)(number - w->number) > 0) {
		w->number = number;
		weft_arq_win_init(&w->taken, 0);
	}
	return w->number == number;
}

static void window_ack(struct weft_sunway *n, const struct sunway_in *in)
{
	struct sunway_out o = {
		.guid = in->guid,
		.pkt = { .flags = SUNWAY_ACK,
			 .aux = in->pkt->aux,
			 .unit = sunway_unit(sunway_in_from(in),
					     sunway_in_to(in), 0, 0),
			 .data = in->pkt->data },
	};

	sunway_reply_send(n, &o);
}

/*
 * Delivers a message to the receive queue, or to a collective. Returns false if
 * there is no space.
 */
static bool window_put(struct weft_sunway *n, struct sunway_vi *v,
		       const struct sunway_in *in)
{
	return in->pkt->flags == SUNWAY_GATHER ? sunway_coll_part(n, v, in)
					       : sunway_rq_put(v, in, false);
}

void sunway_window_arrive(struct weft_sunway *n, struct sunway_vi *v,
			  const struct sunway_in *in)
{
	struct sunway_window *w = window_of(n, in);
	uint32_t seq = (uint32_t)in->pkt->data;

	if (!w)
		return; /* the sender retransmits */
	if (!window_fits(w, in->slice.window)) {
		n->stats.absorbed++;
		return;
	}
	switch (weft_arq_win_check(&w->taken, seq, SUNWAY_WINDOW)) {
	case WEFT_ARQ_OLD:
		n->stats.doubles++;
		window_ack(n, in);
		return;
	case WEFT_ARQ_OUTSIDE:
		n->stats.refused++;
		return;
	case WEFT_ARQ_NEW:
		break;
	}
	if (v && !window_put(n, v, in)) {
		n->stats.dropped++;
		return;
	}
	weft_arq_win_take(&w->taken, seq);
	if (v)
		window_ack(n, in);
	else
		sunway_done_send(n, in, WEFT_SUNWAY_NO_VI, 0);
}

static void window_end(struct weft_sunway *n, struct sunway_window *w)
{
	weft_hash_del(&n->windows, window_key(w->guid, w->to));
	weft_list_remove(&w->link);
	free(w);
}

void sunway_window_lost(struct weft_sunway *n, uint32_t guid)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &n->window) {
		struct sunway_window *w =
			weft_container_of(pos, struct sunway_window, link);

		if (w->guid == guid)
			window_end(n, w);
	}
}

void sunway_window_fini(struct weft_sunway *n)
{
	while (!weft_list_empty(&n->window))
		window_end(n, weft_container_of(n->window.next,
						struct sunway_window, link));
	weft_hash_fini(&n->windows);
}
