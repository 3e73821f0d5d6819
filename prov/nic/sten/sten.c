/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Elan4 interface: open and close, routes to virtual processes, the
 * context filter. Users call it through weft/sten.h; sten_engine.c opens
 * one for the message engine.
 */
#include "prov/nic/sten/sten_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>

void sten_trap(struct weft_sten *s, enum weft_sten_trap trap, uint64_t address)
{
	s->stats.trap = (uint8_t)trap;
	s->stats.trap_address = address;
}

/* Ends packets to a lost peer with an error. */
void sten_lost(struct weft_sten *s, struct weft_peer *peer)
{
	sten_tx_lost(s, peer);
	sten_dma_lost(s, peer);
	sten_cast_lost(s, peer);
	sten_rx_lost(s, peer);
	sten_tports_lost(s, peer);
}

static void up_lost(void *arg, struct weft_peer *peer, int err)
{
	sten_lost(arg, peer);
}

static const struct weft_carrier_up sten_up = {
	.deliver = sten_rx_deliver,
	.lost = up_lost,
};

static void sten_init(struct weft_sten *s)
{
	const struct weft_pkt ack = {
		.type = STEN_PKT,
		.flags = STEN_ANSWER,
		.unit = WEFT_STEN_ACK_OK,
	};

	weft_responses_init(&s->answers, &ack);
	weft_list_init(&s->run[0]);
	weft_list_init(&s->run[1]);
	weft_list_init(&s->tports);
	weft_list_init(&s->casts);
	weft_list_init(&s->held);
	weft_hash_init(&s->routes);
	weft_hash_init(&s->filters);
	weft_hash_init(&s->cookies);
	weft_hash_init(&s->programs);
	sten_mmu_init(s);
	s->assemblers = STEN_ASSEMBLERS;
	s->clock = sten_clock;
	sten_dma_init(s);
}

int sten_create(const struct weft_carrier_ops *ops,
		const struct weft_carrier_attr *attr, struct weft_sten **s_p)
{
	struct weft_sten *s = calloc(1, sizeof(*s));
	struct weft_carrier_attr a = *attr;
	int err;

	if (!s)
		return -ENOMEM;
	sten_init(s);
	if (!a.up) {
		a.up = &sten_up;
		a.up_arg = s;
	}
	err = weft_port_init(&s->port, ops, &a);
	if (!err && s->port.carrier->mtu < STEN_WIRE_MAX)
		err = -EMSGSIZE;
	if (err) {
		weft_sten_close(s);
		return err;
	}
	s->answers.carrier = s->port.carrier;
	*s_p = s;
	return 0;
}

WEFT_EXPORT int weft_sten_open(const struct weft_sten_attr *attr,
			       struct weft_sten **s_p)
{
	const struct weft_carrier_ops *ops;
	struct weft_carrier_attr a;
	int err = weft_port_place(&attr->place, &ops, &a);

	if (!err)
		err = sten_create(ops, &a, s_p);
	if (err)
		return err;
	(*s_p)->interrupt = attr->interrupt;
	(*s_p)->thread = attr->thread;
	(*s_p)->arg = attr->arg;
	return 0;
}

static void route_free(void *arg, uint64_t key, void *val)
{
	free(val);
}

WEFT_EXPORT void weft_sten_close(struct weft_sten *s)
{
	if (!s)
		return;
	if (s->answers.carrier)
		weft_responses_flush(&s->answers, true);
	weft_port_fini(&s->port);
	weft_responses_fini(&s->answers);
	sten_queue_fini(s);
	sten_cast_fini(s);
	sten_thread_fini(s);
	sten_mmu_fini(s);
	sten_rx_fini(s);
	weft_hash_each(&s->routes, route_free, NULL);
	weft_hash_fini(&s->routes);
	weft_hash_fini(&s->filters);
	free(s);
}

WEFT_EXPORT void weft_sten_name(struct weft_sten *s, struct sockaddr_in *name)
{
	s->port.carrier->ops->name_get(s->port.carrier, name);
}

/* Rare work that most units never have; s->rare is set while it is pending. */
static WEFT_COLD int poll_rare(struct weft_sten *s, int budget)
{
	int n = sten_thread_run(s, budget);

	n += sten_cast_run(s);
	sten_fault_run(s);
	sten_time_run(s);
	s->rare = sten_thread_waits(s) || !weft_list_empty(&s->casts) ||
		  s->faults || s->ack_timeout_ns || s->packet_timeout_ns;
	return n;
}

WEFT_EXPORT int weft_sten_poll(struct weft_sten *s, int budget)
{
	struct weft_carrier *c = s->port.carrier;
	int n = sten_tx_run(s, budget);

	n += sten_dma_run(s, budget);
	n += c->ops->poll(c, budget);
	if (weft_unlikely(s->rare))
		n += poll_rare(s, budget);
	if (weft_responses_pending(&s->answers))
		weft_responses_flush(&s->answers, n == 0);
	return n;
}

WEFT_EXPORT int weft_sten_wait(struct weft_sten *s, uint64_t timeout_ns)
{
	struct weft_carrier *c = s->port.carrier;

	weft_responses_flush(&s->answers, true);
	return c->ops->wait(c, sten_time_sleep(s, timeout_ns));
}

struct sten_route *sten_route(struct weft_sten *s, uint32_t vproc)
{
	return weft_hash_get(&s->routes, (uint64_t)vproc + 1);
}

int sten_route_bind(struct weft_sten *s, uint32_t vproc, struct weft_peer *peer,
		    unsigned context)
{
	struct sten_route *r = sten_route(s, vproc);
	int err;

	if (!r) {
		r = calloc(1, sizeof(*r));
		err = r ? weft_hash_set(&s->routes, (uint64_t)vproc + 1, r)
			: -ENOMEM;
		if (err) {
			free(r);
			return err;
		}
	}
	if (r->peer != peer || r->context != context)
		r->cookie = 0;
	r->peer = peer;
	r->context = context;
	return 0;
}

WEFT_EXPORT int weft_sten_range_set(struct weft_sten *s, uint32_t vproc,
				    uint32_t low, uint32_t high)
{
	struct sten_route *r;
	int err;

	if (vproc >= WEFT_STEN_VPROCS || low > high ||
	    high >= WEFT_STEN_VPROCS || (vproc >= low && vproc <= high))
		return -EINVAL;
	for (uint32_t i = low; i <= high; i++) {
		r = sten_route(s, i);
		if (!r || !r->peer)
			return -EINVAL;
	}
	err = sten_route_bind(s, vproc, NULL, 0);
	if (err)
		return err;
	r = sten_route(s, vproc);
	r->low = low;
	r->high = high;
	return 0;
}

WEFT_EXPORT int weft_sten_route_set(struct weft_sten *s, uint32_t vproc,
				    const struct sockaddr_in *name,
				    unsigned context)
{
	struct weft_carrier *c = s->port.carrier;
	struct weft_peer *peer;
	int err;

	if (vproc >= WEFT_STEN_VPROCS || context >= WEFT_STEN_CONTEXTS)
		return -EINVAL;
	err = c->ops->peer(c, name, &peer);
	return err ? err : sten_route_bind(s, vproc, peer, context);
}

WEFT_EXPORT int weft_sten_filter(struct weft_sten *s, unsigned context,
				 enum weft_sten_filter mode)
{
	if (context >= WEFT_STEN_CONTEXTS || mode > WEFT_STEN_ACK_ALL)
		return -EINVAL;
	return weft_hash_set(&s->filters, (uint64_t)context + 1,
			     (void *)((uintptr_t)mode + 1));
}

WEFT_EXPORT void weft_sten_stats(struct weft_sten *s,
				 struct weft_sten_stats *st)
{
	*st = s->stats;
}
