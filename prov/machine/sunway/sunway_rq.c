/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive queues. An interface has one ring, which all senders fill. A message
 * stays in the ring until the program takes it (raw queue) or it can be moved
 * to a buffer posted for its virtual queue.
 */
#include "prov/machine/sunway/sunway_dev.h"

#include "src/base/copy.h"

int sunway_rq_init(struct sunway_vi *v, uint32_t entries)
{
	weft_list_init(&v->slots);
	weft_list_init(&v->arrived);
	weft_list_init(&v->buffers);
	v->slot = calloc(entries, sizeof(*v->slot));
	if (!v->slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < entries; i++)
		weft_list_push_back(&v->slots, &v->slot[i].link);
	return 0;
}

void sunway_rq_fini(struct sunway_vi *v)
{
	struct weft_list *pos;

	while ((pos = weft_list_pop_front(&v->buffers)))
		free(weft_container_of(pos, struct sunway_buffer, link));
	free(v->slot);
	v->slot = NULL;
}

static struct sunway_slot *slot_of(struct sunway_vi *v, uint16_t queue)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &v->arrived) {
		struct sunway_slot *s =
			weft_container_of(pos, struct sunway_slot, link);

		if (s->queue == queue)
			return s;
	}
	return NULL;
}

static struct sunway_buffer *buffer_of(struct sunway_vi *v, uint16_t queue)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &v->buffers) {
		struct sunway_buffer *b =
			weft_container_of(pos, struct sunway_buffer, link);

		if (b->queue == queue)
			return b;
	}
	return NULL;
}

static void slot_free(struct sunway_vi *v, struct sunway_slot *s)
{
	weft_list_remove(&s->link);
	/* the slot that was used last is still in the cache */
	weft_list_push_front(&v->slots, &s->link);
}

/* Copies a message to the buffer that matches it. */
static void buffer_fill(struct sunway_vi *v, struct sunway_buffer *b,
			struct sunway_slot *s)
{
	struct weft_sunway_event ev = {
		.cookie = b->cookie,
		.op = WEFT_SUNWAY_QUEUE,
		.queue = b->queue,
		.bytes = s->a.len < b->bytes ? s->a.len : b->bytes,
	};

	memcpy(b->to, s->data, ev.bytes);
	v->reserved--;
	sunway_cq_write(v, &ev);
	weft_list_remove(&b->link);
	free(b);
	slot_free(v, s);
}

static void slot_fill(struct sunway_slot *s, const struct sunway_in *in,
		      bool notify)
{
	uint32_t from = sunway_in_from(in);

	s->queue = notify ? 0 : (uint16_t)in->pkt->tag;
	s->a = (struct weft_sunway_arrival){
		.bytes = s->data,
		.len = notify ? sizeof(in->pkt->data) : in->bytes,
		.guid = in->guid,
		.engine = (uint8_t)sunway_end_engine(from),
		.vi = (uint8_t)sunway_end_vi(from),
		.notify = notify,
	};
	if (s->a.len)
		memcpy(s->data,
		       notify ? (const void *)&in->pkt->data : in->data,
		       s->a.len);
}

bool sunway_rq_put(struct sunway_vi *v, const struct sunway_in *in, bool notify)
{
	struct weft_list *pos = weft_list_pop_front(&v->slots);
	struct sunway_buffer *b;
	struct sunway_slot *s;

	if (!pos)
		return false;
	s = weft_container_of(pos, struct sunway_slot, link);
	slot_fill(s, in, notify);
	weft_list_push_back(&v->arrived, &s->link);
	b = s->queue ? buffer_of(v, s->queue) : NULL;
	if (b)
		buffer_fill(v, b, slot_of(v, s->queue));
	return true;
}

WEFT_HOT struct sunway_slot *sunway_rq_store(struct sunway_vi *v,
					     const struct weft_pkt *pkt,
					     const void *payload)
{
	struct sunway_slot *s =
		weft_container_of(v->slots.next, struct sunway_slot, link);

	if (weft_unlikely(weft_list_empty(&v->slots)))
		return NULL;
	memcpy(s->data, pkt, sizeof(*pkt));
	if (weft_likely(pkt->len <= WEFT_SUNWAY_FSM))
		weft_copy((char *)s->data + sizeof(*pkt), payload, pkt->len);
	else
		memcpy(s->data + sizeof(*pkt), payload, pkt->len);
	return s;
}

WEFT_EXPORT int weft_sunway_rq_peek(struct weft_sunway *n, unsigned engine,
				    unsigned vi, struct weft_sunway_arrival *a)
{
	struct sunway_vi *v = sunway_vi(n, engine, vi);
	struct sunway_slot *s = v ? slot_of(v, 0) : NULL;

	if (!v)
		return -EINVAL;
	if (!s)
		return -EAGAIN;
	*a = s->a;
	return 0;
}

WEFT_EXPORT void weft_sunway_rq_release(struct weft_sunway *n, unsigned engine,
					unsigned vi)
{
	struct sunway_vi *v = sunway_vi(n, engine, vi);
	struct sunway_slot *s = v ? slot_of(v, 0) : NULL;

	if (s)
		slot_free(v, s);
}

WEFT_EXPORT int weft_sunway_rq_post(struct weft_sunway *n, unsigned engine,
				    unsigned vi, uint16_t queue,
				    const struct weft_sunway_buffer *buf)
{
	struct sunway_vi *v = sunway_vi(n, engine, vi);
	struct sunway_buffer *b;
	struct sunway_slot *s;

	if (!v || !queue)
		return -EINVAL;
	if (!sunway_cq_space(v))
		return -EAGAIN;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->queue = queue;
	b->to = buf->to;
	b->bytes = buf->bytes;
	b->cookie = buf->cookie;
	v->reserved++;
	weft_list_push_back(&v->buffers, &b->link);
	s = slot_of(v, queue);
	if (s)
		buffer_fill(v, b, s);
	return 0;
}
