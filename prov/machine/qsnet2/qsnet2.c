/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Elan4 interface: open and close, routes to virtual processes, context
 * filter. Programs use it through weft/qsnet2.h; qsnet2_transport.c opens an
 * interface for the message engine.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"

#include "src/base/attr.h"
#include "src/base/clock.h"

#include <errno.h>
#include <stdlib.h>

void qsnet2_trap(struct weft_qsnet2 *s, enum weft_qsnet2_trap trap,
		 uint64_t address)
{
	s->stats.trap = (uint8_t)trap;
	s->stats.trap_address = address;
}

/* Ends all packets to a lost peer with an error. */
void qsnet2_lost(struct weft_qsnet2 *s, struct weft_peer *peer)
{
	qsnet2_tx_lost(s, peer);
	qsnet2_dma_lost(s, peer);
	qsnet2_broadcast_lost(s, peer);
	qsnet2_rx_lost(s, peer);
	qsnet2_tports_lost(s, peer);
}

static void up_lost(void *arg, struct weft_peer *peer, int err)
{
	qsnet2_lost(arg, peer);
}

static const struct weft_carrier_up qsnet2_up = {
	.deliver = qsnet2_rx_deliver,
	.lost = up_lost,
};

static void qsnet2_init(struct weft_qsnet2 *s)
{
	const struct weft_pkt ack = {
		.type = QSNET2_PKT,
		.flags = QSNET2_ACK,
		.unit = WEFT_QSNET2_ACK_OK,
	};

	weft_responses_init(&s->responses, &ack);
	weft_list_init(&s->run[0]);
	weft_list_init(&s->run[1]);
	weft_list_init(&s->tports);
	weft_list_init(&s->broadcasts);
	weft_list_init(&s->deferred);
	weft_hash_init(&s->routes);
	weft_hash_init(&s->filters);
	weft_hash_init(&s->cookies);
	weft_hash_init(&s->programs);
	qsnet2_mmu_init(s);
	s->assemblers = QSNET2_ASSEMBLERS;
	s->clock = weft_now_ns;
	qsnet2_dma_init(s);
}

int qsnet2_create(const struct weft_carrier_ops *ops,
		  const struct weft_carrier_attr *attr,
		  struct weft_qsnet2 **s_p)
{
	struct weft_qsnet2 *s = calloc(1, sizeof(*s));
	struct weft_carrier_attr a = *attr;
	int err;

	if (!s)
		return -ENOMEM;
	qsnet2_init(s);
	if (!a.up) {
		a.up = &qsnet2_up;
		a.up_arg = s;
	}
	err = weft_port_init(&s->port, ops, &a);
	if (!err && s->port.carrier->mtu < QSNET2_WIRE_MAX)
		err = -EMSGSIZE;
	if (err) {
		weft_qsnet2_close(s);
		return err;
	}
	s->responses.carrier = s->port.carrier;
	*s_p = s;
	return 0;
}

WEFT_EXPORT int weft_qsnet2_open(const struct weft_qsnet2_attr *attr,
				 struct weft_qsnet2 **s_p)
{
	const struct weft_carrier_ops *ops;
	struct weft_carrier_attr a;
	int err = weft_port_place(&attr->place, &ops, &a);

	if (!err)
		err = qsnet2_create(ops, &a, s_p);
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

WEFT_EXPORT void weft_qsnet2_close(struct weft_qsnet2 *s)
{
	if (!s)
		return;
	if (s->responses.carrier)
		weft_responses_flush(&s->responses, true);
	weft_port_fini(&s->port);
	weft_responses_fini(&s->responses);
	qsnet2_queue_fini(s);
	qsnet2_broadcast_fini(s);
	qsnet2_thread_fini(s);
	qsnet2_mmu_fini(s);
	qsnet2_rx_fini(s);
	weft_hash_each(&s->routes, route_free, NULL);
	weft_hash_fini(&s->routes);
	weft_hash_fini(&s->filters);
	free(s);
}

WEFT_EXPORT void weft_qsnet2_name(struct weft_qsnet2 *s,
				  struct sockaddr_in *name)
{
	weft_port_name(&s->port, name);
}

/* Polls for work that few units have (s->rare). */
static WEFT_COLD int poll_rare(struct weft_qsnet2 *s, int budget)
{
	int n = qsnet2_thread_run(s, budget);

	n += qsnet2_broadcast_run(s);
	qsnet2_fault_run(s);
	qsnet2_time_run(s);
	s->rare = qsnet2_thread_waits(s) || !weft_list_empty(&s->broadcasts) ||
		  s->faults || s->ack_timeout_ns || s->packet_timeout_ns;
	return n;
}

WEFT_EXPORT int weft_qsnet2_poll(struct weft_qsnet2 *s, int budget)
{
	struct weft_carrier *c = s->port.carrier;
	int n = qsnet2_tx_run(s, budget);

	n += qsnet2_dma_run(s, budget);
	n += c->ops->poll(c, budget);
	if (weft_unlikely(s->rare))
		n += poll_rare(s, budget);
	if (weft_responses_pending(&s->responses))
		weft_responses_flush(&s->responses, n == 0);
	return n;
}

WEFT_EXPORT int weft_qsnet2_wait(struct weft_qsnet2 *s, uint64_t timeout_ns)
{
	struct weft_carrier *c = s->port.carrier;

	weft_responses_flush(&s->responses, true);
	return c->ops->wait(c, qsnet2_time_sleep(s, timeout_ns));
}

struct qsnet2_route *qsnet2_route(struct weft_qsnet2 *s, uint32_t vproc)
{
	return weft_hash_get(&s->routes, (uint64_t)vproc + 1);
}

int qsnet2_route_bind(struct weft_qsnet2 *s, uint32_t vproc,
		      struct weft_peer *peer, unsigned context)
{
	struct qsnet2_route *r = qsnet2_route(s, vproc);
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

WEFT_EXPORT int weft_qsnet2_range_set(struct weft_qsnet2 *s, uint32_t vproc,
				      uint32_t low, uint32_t high)
{
	struct qsnet2_route *r;
	int err;

	if (vproc >= WEFT_QSNET2_VPROCS || low > high ||
	    high >= WEFT_QSNET2_VPROCS || (vproc >= low && vproc <= high))
		return -EINVAL;
	for (uint32_t i = low; i <= high; i++) {
		r = qsnet2_route(s, i);
		if (!r || !r->peer)
			return -EINVAL;
	}
	err = qsnet2_route_bind(s, vproc, NULL, 0);
	if (err)
		return err;
	r = qsnet2_route(s, vproc);
	r->low = low;
	r->high = high;
	return 0;
}

WEFT_EXPORT int weft_qsnet2_route_set(struct weft_qsnet2 *s, uint32_t vproc,
				      const struct sockaddr_in *name,
				      unsigned context)
{
	const union weft_name n = { .in = *name };
	struct weft_carrier *c = s->port.carrier;
	struct weft_peer *peer;
	int err;

	if (vproc >= WEFT_QSNET2_VPROCS || context >= WEFT_QSNET2_CONTEXTS)
		return -EINVAL;
	err = c->ops->peer(c, &n, &peer);
	return err ? err : qsnet2_route_bind(s, vproc, peer, context);
}

WEFT_EXPORT int weft_qsnet2_filter(struct weft_qsnet2 *s, unsigned context,
				   enum weft_qsnet2_filter mode)
{
	if (context >= WEFT_QSNET2_CONTEXTS || mode > WEFT_QSNET2_ACK_ALL)
		return -EINVAL;
	return weft_hash_set(&s->filters, (uint64_t)context + 1,
			     (void *)((uintptr_t)mode + 1));
}

WEFT_EXPORT void weft_qsnet2_stats(struct weft_qsnet2 *s,
				   struct weft_qsnet2_stats *st)
{
	*st = s->stats;
}
