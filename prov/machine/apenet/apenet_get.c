/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gets. The board has no get operation. A request is sent to the target node,
 * whose embedded processor looks up the buffer and starts a put in the opposite
 * direction, which carries the number of the get. This put may write only the
 * memory of that get.
 */
#include "prov/machine/apenet/apenet_dev.h"

struct apenet_get *apenet_get_of(struct weft_apenet *a, uint32_t node,
				 uint64_t number)
{
	struct apenet_get *g = &a->get[number & (APENET_GETS - 1)];

	if (number >> 32 || (number & 0xffff) >= APENET_GETS || !g->used ||
	    g->gen != number >> 16 || g->c.node != node)
		return NULL;
	return g;
}

void apenet_get_end(struct weft_apenet *a, struct apenet_get *g,
		    unsigned status)
{
	apenet_cmd_end(a, &g->c, WEFT_APENET_GOT, status);
	g->used = false;
	g->gen++;
}

int apenet_get_serve(struct weft_apenet *a, uint32_t node,
		     const struct apenet_get_request *req)
{
	const struct weft_apenet_cmd c = {
		.node = node,
		.flags = req->flags & WEFT_APENET_STAGED,
		.local = req->from,
		.remote = req->to,
		.bytes = req->bytes,
	};
	bool good = req->bytes && apenet_buf_of(a, req->from, req->bytes,
						WEFT_APENET_MAY_READ);
	struct apenet_msg *m =
		apenet_msg_new(a, &c, good ? APENET_REPLY : APENET_REFUSE);

	if (!m)
		return -EAGAIN;
	m->number = req->number;
	weft_list_push_back(&a->get_replies, &m->link);
	a->stats.walks++;
	a->stats.walk_ns += APENET_WALK_NS;
	a->stats.served += good;
	if (!good) {
		const struct weft_apenet_event ev = {
			.what = WEFT_APENET_ERROR,
			.status = WEFT_APENET_ADDRESS,
			.node = node,
			.address = req->from,
			.bytes = req->bytes,
		};

		a->stats.dropped++;
		apenet_event_write(a, &ev);
	}
	return 0;
}

void apenet_get_lost(struct weft_apenet *a, uint32_t node)
{
	for (unsigned i = 0; i < APENET_GETS; i++) {
		if (a->get[i].used && a->get[i].c.node == node)
			apenet_get_end(a, &a->get[i], WEFT_APENET_GONE);
	}
}
