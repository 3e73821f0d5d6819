/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Path of a packet, chosen by hardware from its target: to the same chip inside
 * the engine or through the crossbar to the other engine, to another chip by a
 * port. A message may fix the port; otherwise each packet takes a port that is
 * healthy and free.
 */
#include "prov/nic/swhni/swhni_dev.h"

static struct swhni_queued *queued_open(const struct swhni_out *o)
{
	struct swhni_queued *k = malloc(sizeof(*k) + o->pkt.len);

	if (!k)
		return NULL;
	k->guid = o->guid;
	k->pkt = o->pkt;
	memcpy(k->payload, &o->slice, SWHNI_SLICE);
	if (o->bytes)
		memcpy(k->payload + SWHNI_SLICE, o->data, o->bytes);
	return k;
}

/* Sends inside the chip. */
static int emit_local(struct weft_swhni *n, const struct swhni_out *o)
{
	bool same = !((o->pkt.unit >> 7 ^ o->pkt.unit >> 15) & 1);
	struct swhni_queued *k;

	if (n->locals >= SWHNI_LOCALS)
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

static int emit_port(struct weft_swhni *n, unsigned i,
		     const struct swhni_out *o)
{
	struct swhni_port *p = &n->port[i];
	struct weft_carrier *c = p->port.carrier;
	struct weft_peer *peer = weft_port_peer(&p->port, o->guid);
	struct iovec iov[2] = {
		{ (void *)(uintptr_t)&o->slice, SWHNI_SLICE },
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

static int emit_any(struct weft_swhni *n, const struct swhni_out *o)
{
	int err = -EAGAIN;

	for (unsigned i = 0; i < n->ports && err == -EAGAIN; i++) {
		unsigned port = n->port_next++ % n->ports;

		err = emit_port(n, port, o);
	}
	return err;
}

int swhni_emit(struct weft_swhni *n, struct swhni_out *o)
{
	o->pkt.type = SWHNI_PKT;
	o->pkt.len = (uint16_t)(SWHNI_SLICE + o->bytes);
	if (o->guid == n->guid)
		return emit_local(n, o);
	if (o->port < n->ports)
		return emit_port(n, o->port, o);
	return emit_any(n, o);
}

void swhni_reply_send(struct weft_swhni *n, struct swhni_out *o)
{
	struct swhni_queued *k;

	o->port = WEFT_SWHNI_ADAPTIVE;
	if (weft_list_empty(&n->answers) && swhni_emit(n, o) != -EAGAIN)
		return;
	o->pkt.type = SWHNI_PKT;
	o->pkt.len = (uint16_t)(SWHNI_SLICE + o->bytes);
	k = queued_open(o);
	if (k)
		weft_list_push_back(&n->answers, &k->link);
}

void swhni_done_send(struct weft_swhni *n, const struct swhni_in *in,
		     unsigned status, uint64_t value)
{
	struct swhni_out o = {
		.guid = in->guid,
		.pkt = { .flags = SWHNI_DONE,
			 .aux = in->pkt->aux,
			 .unit = swhni_unit(swhni_in_from(in), swhni_in_to(in),
					    0, 0),
			 .tag = status,
			 .data = value },
	};

	swhni_reply_send(n, &o);
}

/* Sends queued replies unchanged. */
int swhni_port_run(struct weft_swhni *n)
{
	struct swhni_out o = { .port = WEFT_SWHNI_ADAPTIVE };
	int done = 0;

	while (!weft_list_empty(&n->answers)) {
		struct swhni_queued *k = weft_container_of(
			n->answers.next, struct swhni_queued, link);

		o.guid = k->guid;
		o.pkt = k->pkt;
		memcpy(&o.slice, k->payload, SWHNI_SLICE);
		o.data = k->payload + SWHNI_SLICE;
		o.bytes = k->pkt.len - SWHNI_SLICE;
		if (swhni_emit(n, &o) == -EAGAIN)
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
		free(weft_container_of(pos, struct swhni_queued, link));
}

void swhni_port_fini(struct weft_swhni *n)
{
	queued_free(&n->local);
	queued_free(&n->answers);
}
