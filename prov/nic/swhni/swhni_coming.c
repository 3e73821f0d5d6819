/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of received RDMA messages, as in the machine's message library: a reply
 * protocol and a probe of the target interface's state.
 *
 * For every message slot of a node the target keeps the last write received
 * from it: which of its packets arrived, and at the end its status. So a
 * duplicate packet is ignored, and an answer word is incremented once. A source
 * that gets no reply within a timeout sends a probe (STATE). The target repeats
 * the final status, replies that data is missing (MISSING), upon which the
 * source retransmits all data, or does not reply: data is still arriving, or a
 * notification waits for room.
 *
 * A read is its own probe: the source requests the data again, and takes the
 * packets that it does not have.
 */
#include "prov/nic/swhni/swhni_dev.h"

/* ---- packets of a message ---- */

static size_t words_of(uint32_t total)
{
	return ((size_t)total / WEFT_SWHNI_PACKET + 64) / 64;
}

bool swhni_bits_take(struct swhni_bits *b, uint32_t total, uint32_t offset)
{
	uint32_t k = offset / WEFT_SWHNI_PACKET;
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

void swhni_bits_fini(struct swhni_bits *b)
{
	free(b->many);
	*b = (struct swhni_bits){ 0 };
}

/* ---- received writes ---- */

/* Key: node, engine and slot; the rest of a message id increases. */
static uint64_t rdma_rx_key(uint32_t guid, uint32_t id)
{
	return (uint64_t)guid << 9 | (id & 511);
}

static void rdma_rx_state_set(struct weft_swhni *n, struct swhni_coming *c,
			      enum swhni_rdma_state state)
{
	n->arriving += (unsigned)(state == SWHNI_RDMA_ARRIVING) -
		       (unsigned)(c->state == SWHNI_RDMA_ARRIVING);
	c->state = (uint8_t)state;
	if (state != SWHNI_RDMA_ARRIVING)
		swhni_bits_fini(&c->bits);
}

static struct swhni_coming *rdma_rx_open(struct weft_swhni *n,
					 const struct swhni_in *in)
{
	struct swhni_coming *c = calloc(1, sizeof(*c));

	if (!c || weft_hash_set(&n->rdma_rx_by_key,
				rdma_rx_key(in->guid, in->pkt->aux), c)) {
		free(c);
		return NULL;
	}
	c->guid = in->guid;
	weft_list_push_back(&n->coming, &c->link);
	return c;
}

struct swhni_coming *swhni_rdma_rx_find(struct weft_swhni *n,
					const struct swhni_in *in)
{
	struct swhni_coming *c = weft_hash_get(
		&n->rdma_rx_by_key, rdma_rx_key(in->guid, in->pkt->aux));

	if (c && c->state != SWHNI_RDMA_UNKNOWN && c->id == in->pkt->aux)
		return c;
	if (c && c->state != SWHNI_RDMA_UNKNOWN &&
	    (int32_t)(in->pkt->aux - c->id) < 0)
		return NULL; /* packet of an older message */
	if (n->arriving >= SWHNI_RDMA_RX_MAX)
		return NULL;
	if (!c)
		c = rdma_rx_open(n, in);
	if (!c)
		return NULL;
	rdma_rx_state_set(n, c, SWHNI_RDMA_UNKNOWN);
	rdma_rx_state_set(n, c, SWHNI_RDMA_ARRIVING);
	c->id = in->pkt->aux;
	c->got = c->left = 0;
	c->asked = UINT32_MAX;
	c->status = WEFT_SWHNI_OK;
	c->aborted = false;
	return c;
}

bool swhni_rdma_rx_packet(struct weft_swhni *n, struct swhni_coming *c,
			  const struct swhni_in *in)
{
	if (c->state == SWHNI_RDMA_ARRIVING &&
	    swhni_bits_take(&c->bits, in->slice.total, in->slice.offset))
		return true;
	n->stats.doubles++;
	if (c->state == SWHNI_RDMA_DONE)
		swhni_done_send(n, in, c->status, 0);
	return false;
}

bool swhni_rdma_rx_complete(struct weft_swhni *n, struct swhni_coming *c,
			    uint32_t total)
{
	if (c->got < (c->aborted ? c->left : total))
		return false;
	rdma_rx_state_set(
		n, c, c->aborted ? SWHNI_RDMA_DONE : SWHNI_RDMA_NOTIFY_WAIT);
	return !c->aborted;
}

void swhni_rdma_rx_end(struct weft_swhni *n, const struct swhni_in *in,
		       unsigned status)
{
	struct swhni_coming *c = weft_hash_get(
		&n->rdma_rx_by_key, rdma_rx_key(in->guid, in->pkt->aux));

	if (c && c->id == in->pkt->aux) {
		c->status = (uint8_t)status;
		rdma_rx_state_set(n, c, SWHNI_RDMA_DONE);
	}
	swhni_done_send(n, in, status, 0);
}

void swhni_rdma_rx_drop(struct weft_swhni *n, uint32_t guid, bool all)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &n->coming)
	{
		struct swhni_coming *c =
			weft_container_of(pos, struct swhni_coming, link);

		if (!all && c->guid != guid)
			continue;
		rdma_rx_state_set(n, c, SWHNI_RDMA_UNKNOWN);
		weft_hash_del(&n->rdma_rx_by_key, rdma_rx_key(c->guid, c->id));
		weft_list_remove(&c->link);
		free(c);
	}
}

/* ---- probes ---- */

static void send_word(struct weft_swhni *n, const struct swhni_out *o)
{
	struct swhni_out copy = *o;

	swhni_reply_send(n, &copy);
}

void swhni_rdma_probe_send(struct weft_swhni *n, const struct swhni_msg *m)
{
	const struct weft_swhni_desc *d = &m->d;

	n->stats.asked++;
	send_word(n,
		  &(struct swhni_out){
			  .guid = d->guid,
			  .pkt = { .flags = SWHNI_STATE,
				   .aux = swhni_msg_id(n, m),
				   .unit = swhni_unit(
					   swhni_end(d->engine, d->vi),
					   swhni_end(m->engine, m->vi), 0, 0) },
			  .slice = { .job = m->job, .total = d->bytes },
		  });
}

/* True if no data arrived since the last probe. */
static bool rdma_rx_stalled(struct swhni_coming *c)
{
	bool stands = c->asked == c->got;

	c->asked = c->got;
	return stands;
}

void swhni_rdma_probe_reply(struct weft_swhni *n, const struct swhni_in *in)
{
	struct swhni_coming *c = swhni_rdma_rx_find(n, in);

	if (!c) {
		n->stats.absorbed++;
		return;
	}
	if (c->state == SWHNI_RDMA_DONE)
		swhni_done_send(n, in, c->status, 0);
	if (c->state != SWHNI_RDMA_ARRIVING || (c->got && !rdma_rx_stalled(c)))
		return;
	send_word(n,
		  &(struct swhni_out){
			  .guid = in->guid,
			  .pkt = { .flags = SWHNI_MISSING,
				   .aux = in->pkt->aux,
				   .unit = swhni_unit(swhni_in_from(in),
						      swhni_in_to(in), 0, 0) },
		  });
}

void swhni_rdma_retransmit(struct weft_swhni *n, const struct swhni_in *in)
{
	struct swhni_msg *m = swhni_msg_find(n, in->guid, in->pkt->aux);

	if (!m || m->d.op != WEFT_SWHNI_RDMAW || m->state != SWHNI_WAITING) {
		n->stats.absorbed++;
		return;
	}
	weft_list_remove(&m->link);
	m->sent = 0;
	n->stats.rdma_retransmitted++;
	swhni_msg_run(n, m);
}
