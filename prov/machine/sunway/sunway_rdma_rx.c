/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of received RDMA messages, with replies and probes like those of the
 * machine's message library.
 *
 * For every message slot of a node, the target keeps the last write received
 * from it: which packets have arrived and, at the end, the status. So a
 * duplicate packet is ignored, and an answer word is incremented only once. A
 * source that gets no reply within a timeout sends a probe (STATE). The target
 * repeats the final status; or replies that data is missing (MISSING), and the
 * source retransmits all data; or does not reply, because data is still
 * arriving or a notification waits for space.
 *
 * A read needs no probe: the source requests the data again, and accepts the
 * packets that it does not have.
 */
#include "prov/machine/sunway/sunway_dev.h"

/* ---- packets of a message ---- */

static size_t words_of(uint32_t total)
{
	return ((size_t)total / WEFT_SUNWAY_PACKET + 64) / 64;
}

bool sunway_bits_take(struct sunway_bits *b, uint32_t total, uint32_t offset)
{
	uint32_t k = offset / WEFT_SUNWAY_PACKET;
	uint64_t bit = UINT64_C(1) << k % 64;
	uint64_t *w = &b->few;

	if (words_of(total) > 1) {
		if (!b->many)
			b->many = calloc(words_of(total), sizeof(*b->many));
		if (!b->many)
			return false;
		w = &b->many[k / 64];
	}
	if (*w & bit)
		return false;
	*w |= bit;
	return true;
}

void sunway_bits_fini(struct sunway_bits *b)
{
	if (b->many)
		free(b->many);
	*b = (struct sunway_bits){ 0 };
}

/* ---- received writes ---- */

/*
 * Returns the key of a message: node, engine and slot. The other bits of its id
 * are a generation number.
 */
static uint64_t rdma_rx_key(uint32_t guid, uint32_t id)
{
	return (uint64_t)guid << 9 | (id & 511);
}

static void rdma_rx_state_set(struct weft_sunway *n, struct sunway_rdma_rx *c,
			      enum sunway_rdma_state state)
{
	n->arriving += (unsigned)(state == SUNWAY_RDMA_ARRIVING) -
		       (unsigned)(c->state == SUNWAY_RDMA_ARRIVING);
	c->state = (uint8_t)state;
	if (state != SUNWAY_RDMA_ARRIVING)
		sunway_bits_fini(&c->bits);
}

static struct sunway_rdma_rx *rdma_rx_open(struct weft_sunway *n,
					   const struct sunway_in *in)
{
	struct sunway_rdma_rx *c = calloc(1, sizeof(*c));

	if (!c || weft_hash_set(&n->rdma_rx_by_key,
				rdma_rx_key(in->guid, in->pkt->aux), c)) {
		free(c);
		return NULL;
	}
	c->guid = in->guid;
	weft_list_push_back(&n->rdma_rx, &c->link);
	return c;
}

struct sunway_rdma_rx *sunway_rdma_rx_find(struct weft_sunway *n,
					   const struct sunway_in *in)
{
	struct sunway_rdma_rx *c = weft_hash_get(
		&n->rdma_rx_by_key, rdma_rx_key(in->guid, in->pkt->aux));

	if (c && c->state != SUNWAY_RDMA_UNKNOWN && c->id == in->pkt->aux)
		return c;
	if (c && c->state != SUNWAY_RDMA_UNKNOWN &&
	    (int32_t)(in->pkt->aux - c->id) < 0)
		return NULL; /* packet of an older message */
	if (n->arriving >= SUNWAY_RDMA_RX_MAX)
		return NULL;
	if (!c)
		c = rdma_rx_open(n, in);
	if (!c)
		return NULL;
	rdma_rx_state_set(n, c, SUNWAY_RDMA_UNKNOWN);
	rdma_rx_state_set(n, c, SUNWAY_RDMA_ARRIVING);
	c->id = in->pkt->aux;
	c->got = c->left = 0;
	c->probed_bytes = UINT32_MAX;
	c->status = WEFT_SUNWAY_OK;
	c->aborted = c->sized = false;
	return c;
}

bool sunway_rdma_rx_packet(struct weft_sunway *n, struct sunway_rdma_rx *c,
			   const struct sunway_in *in)
{
	/*
	 * the first packet determines the length, and thus the size of the
	 * bitmap
	 */
	if (c->sized && c->total != in->slice.total) {
		n->stats.refused++;
		return false;
	}
	c->sized = true;
	c->total = in->slice.total;
	if (c->state == SUNWAY_RDMA_ARRIVING &&
	    sunway_bits_take(&c->bits, in->slice.total, in->slice.offset))
		return true;
	n->stats.doubles++;
	if (c->state == SUNWAY_RDMA_DONE)
		sunway_done_send(n, in, c->status, 0);
	return false;
}

bool sunway_rdma_rx_complete(struct weft_sunway *n, struct sunway_rdma_rx *c,
			     uint32_t total)
{
	if (c->got < (c->aborted ? c->left : total))
		return false;
	rdma_rx_state_set(
		n, c, c->aborted ? SUNWAY_RDMA_DONE : SUNWAY_RDMA_NOTIFY_WAIT);
	return !c->aborted;
}

void sunway_rdma_rx_end(struct weft_sunway *n, const struct sunway_in *in,
			unsigned status)
{
	struct sunway_rdma_rx *c = weft_hash_get(
		&n->rdma_rx_by_key, rdma_rx_key(in->guid, in->pkt->aux));

	if (c && c->id == in->pkt->aux) {
		c->status = (uint8_t)status;
		rdma_rx_state_set(n, c, SUNWAY_RDMA_DONE);
	}
	sunway_done_send(n, in, status, 0);
}

void sunway_rdma_rx_drop(struct weft_sunway *n, uint32_t guid, bool all)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &n->rdma_rx) {
		struct sunway_rdma_rx *c =
			weft_container_of(pos, struct sunway_rdma_rx, link);

		if (!all && c->guid != guid)
			continue;
		rdma_rx_state_set(n, c, SUNWAY_RDMA_UNKNOWN);
		weft_hash_del(&n->rdma_rx_by_key, rdma_rx_key(c->guid, c->id));
		weft_list_remove(&c->link);
		free(c);
	}
}

/* ---- probes ---- */

static void send_word(struct weft_sunway *n, const struct sunway_out *o)
{
	struct sunway_out copy = *o;

	sunway_reply_send(n, &copy);
}

void sunway_rdma_probe_send(struct weft_sunway *n, const struct sunway_msg *m)
{
	const struct weft_sunway_desc *d = &m->d;

	n->stats.asked++;
	send_word(n, &(struct sunway_out){
			     .guid = d->guid,
			     .pkt = { .flags = SUNWAY_STATE,
				      .aux = sunway_msg_id(n, m),
				      .unit = sunway_unit(
					      sunway_end(d->engine, d->vi),
					      sunway_end(m->engine, m->vi), 0,
					      0) },
			     .slice = { .job = m->job, .total = d->bytes },
		     });
}

/* Returns whether no data has arrived since the last probe. */
static bool rdma_rx_stalled(struct sunway_rdma_rx *c)
{
	bool stalled = c->probed_bytes == c->got;

	c->probed_bytes = c->got;
	return stalled;
}

void sunway_rdma_probe_reply(struct weft_sunway *n, const struct sunway_in *in)
{
	struct sunway_rdma_rx *c = sunway_rdma_rx_find(n, in);

	if (!c) {
		n->stats.absorbed++;
		return;
	}
	if (c->state == SUNWAY_RDMA_DONE)
		sunway_done_send(n, in, c->status, 0);
	if (c->state != SUNWAY_RDMA_ARRIVING || (c->got && !rdma_rx_stalled(c)))
		return;
	send_word(n, &(struct sunway_out){
			     .guid = in->guid,
			     .pkt = { .flags = SUNWAY_MISSING,
				      .aux = in->pkt->aux,
				      .unit = sunway_unit(sunway_in_from(in),
							  sunway_in_to(in), 0,
							  0) },
		     });
}

void sunway_rdma_retransmit(struct weft_sunway *n, const struct sunway_in *in)
{
	struct sunway_msg *m = sunway_msg_find(n, in->guid, in->pkt->aux);

	if (!m || m->d.op != WEFT_SUNWAY_RDMAW || m->state != SUNWAY_WAITING) {
		n->stats.absorbed++;
		return;
	}
	weft_list_remove(&m->link);
	m->sent = 0;
	n->stats.rdma_retransmitted++;
	sunway_msg_run(n, m);
}
