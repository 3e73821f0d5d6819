/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Path of a packet, which hardware selects by the target: on the same chip,
 * within the engine or through the crossbar to the other engine; otherwise
 * through a port. A message may specify the port; if not, each packet uses a
 * port that is healthy and free.
 */
#include "prov/machine/sunway/sunway_dev.h"

static struct sunway_queued *queued_open(const struct sunway_out *o)
{
	struct sunway_queued *k = malloc(sizeof(*k) + o->pkt.len);

	if (!k)
		return NULL;
	k->guid = o->guid;
	k->pkt = o->pkt;
	memcpy(k->payload, &o->slice, SUNWAY_SLICE);
	if (o->bytes)
		memcpy(k->payload + SUNWAY_SLICE, o->data, o->bytes);
	return k;
}

/* Sends a packet to an interface on the same chip. */
static int emit_local(struct weft_sunway *n, const struct sunway_out *o)
{
	bool same = !((o->pkt.unit >> 7 ^ o->pkt.unit >> 15) & 1);
	struct sunway_queued *k;

	if (n->locals >= SUNWAY_LOCALS)
		return -EAGAIN;
	k = queued_open(o);
	if (!k)
		return -EAGAIN;
	weft_list_push_back(&n->local, &k->link);
	n->locals++;
	if (same)
		n->stats.inside++;
	else
		n->stats.crossed++;
	return 0;
}

static int emit_port(struct weft_sunway *n, unsigned i,
		     const struct sunway_out *o)
{
	struct sunway_port *p = &n->port[i];
	struct weft_carrier *c = p->port.carrier;
	struct weft_peer *peer = weft_port_peer(&p->port, o->guid);
	struct iovec iov[2] = {
		{ (void *)(uintptr_t)&o->slice, SUNWAY_SLICE },
		{ (void *)(uintptr_t)o->data, o->bytes },
	};
	int err;

	if (!peer)
		return -EHOSTUNREACH;
	if (peer->lost)
		return -ECONNRESET;
	if (!p->healthy)
		return -EAGAIN;
	err = c->ops->send(c, peer, &o->pkt, iov, o->bytes ? 2 : 1);
	if (!err)
		n->stats.port[i]++;
	return err;
}

static int emit_any(struct weft_sunway *n, const struct sunway_out *o)
{
	int err = -EAGAIN;

	for (unsigned i = 0; i < n->ports && err == -EAGAIN; i++) {
		unsigned port = n->port_next++ % n->ports;

		err = emit_port(n, port, o);
	}
	return err;
}

WEFT_HOT int sunway_emit_peer(struct weft_sunway *n, struct weft_peer *peer,
			      const struct weft_pkt *pkt,
			      const struct iovec *iov, int count)
{
	struct weft_carrier *c = n->port[0].port.carrier;
	unsigned port = n->port_next++ % n->ports;
	int err;

	if (weft_unlikely(!n->port[port].healthy))
		port = n->port_next++ % n->ports;
	if (weft_unlikely(!n->port[port].healthy))
		return -EAGAIN;
	err = c->ops->send(c, peer, pkt, iov, count);
	n->stats.port[port] += !err;
	return err;
}

WEFT_HOT bool sunway_port_count(struct weft_sunway *n, uint64_t bytes)
{
	uint64_t packets =
		(bytes + WEFT_SUNWAY_PACKET - 1) / WEFT_SUNWAY_PACKET;
	unsigned healthy = 0;

	for (unsigned i = 0; i < n->ports; i++)
		healthy += n->port[i].healthy;
	for (unsigned i = 0, left = healthy; i < n->ports; i++) {
		uint64_t share;

		if (!n->port[i].healthy)
			continue;
		share = packets / left--;
		n->stats.port[i] += share;
		packets -= share;
	}
	return healthy;
}

int sunway_emit(struct weft_sunway *n, struct sunway_out *o)
{
	o->pkt.type = SUNWAY_PKT;
	o->pkt.len = (uint16_t)(SUNWAY_SLICE + o->bytes);
	if (o->guid == n->guid)
		return emit_local(n, o);
	if (o->port < n->ports)
		return emit_port(n, o->port, o);
	return emit_any(n, o);
}

void sunway_reply_send(struct weft_sunway *n, struct sunway_out *o)
{
	struct sunway_queued *k;

	o->port = WEFT_SUNWAY_ADAPTIVE;
	if (weft_list_empty(&n->replies) && sunway_emit(n, o) != -EAGAIN)
		return;
	o->pkt.type = SUNWAY_PKT;
	o->pkt.len = (uint16_t)(SUNWAY_SLICE + o->bytes);
	k = queued_open(o);
	if (k)
		weft_list_push_back(&n->replies, &k->link);
}

void sunway_done_send(struct weft_sunway *n, const struct sunway_in *in,
		      unsigned status, uint64_t value)
{
	struct sunway_out o = {
		.guid = in->guid,
		.pkt = { .flags = SUNWAY_DONE,
			 .aux = in->pkt->aux,
			 .unit = sunway_unit(sunway_in_from(in),
					     sunway_in_to(in), 0, 0),
			 .tag = status,
			 .data = value },
	};

	sunway_reply_send(n, &o);
}

/* Sends queued replies without modification. Returns their number. */
int sunway_port_run(struct weft_sunway *n)
{
	struct sunway_out o = { .port = WEFT_SUNWAY_ADAPTIVE };
	int done = 0;

	while (!weft_list_empty(&n->replies)) {
		struct sunway_queued *k = weft_container_of(
			n->replies.next, struct sunway_queued, link);

		o.guid = k->guid;
		o.pkt = k->pkt;
		memcpy(&o.slice, k->payload, SUNWAY_SLICE);
		o.data = k->payload + SUNWAY_SLICE;
		o.bytes = k->pkt.len - SUNWAY_SLICE;
		if (sunway_emit(n, &o) == -EAGAIN)
			break;
		weft_list_remove(&k->link);
		free(k);
		done++;
	}
	return done;
}

static void queued_free(struct weft_list *list)
{
	struct weft_list *pos;

	while ((pos = weft_list_pop_front(list)))
		free(weft_container_of(pos, struct sunway_queued, link));
}

void sunway_port_fini(struct weft_sunway *n)
{
	queued_free(&n->local);
	queued_free(&n->replies);
}
