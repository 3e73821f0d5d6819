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
static uint64_t coming_key(uint32_t guid, uint32_t id)
{
	return (uint64_t)guid << 9 | (id & 511);
}

static void coming_is(struct weft_swhni *n, struct swhni_coming *c,
		      enum swhni_come state)
{
	n->arriving += (unsigned)(state == SWHNI_COMES) -
		       (unsigned)(c->state == SWHNI_COMES);
	c->state = (uint8_t)state;
	if (state != SWHNI_COMES)
		swhni_bits_fini(&c->bits);
}

static struct swhni_coming *coming_make(struct weft_swhni *n,
					const struct swhni_in *in)
{
	struct swhni_coming *c = calloc(1, sizeof(*c));

	if (!c ||
	    weft_hash_set(&n->comings, coming_key(in->guid, in->pkt->aux), c)) {
		free(c);
		return NULL;
	}
	c->guid = in->guid;
	weft_list_push_back(&n->coming, &c->link);
	return c;
}

struct swhni_coming *swhni_coming_of(struct weft_swhni *n,
				     const struct swhni_in *in)
{
	struct swhni_coming *c =
		weft_hash_get(&n->comings, coming_key(in->guid, in->pkt->aux));

	if (c && c->state != SWHNI_NEVER && c->id == in->pkt->aux)
		return c;
	if (c && c->state != SWHNI_NEVER && (int32_t)(in->pkt->aux - c->id) < 0)
		return NULL; /* packet of an older message */
	if (n->arriving >= SWHNI_COMINGS)
		return NULL;
	if (!c)
		c = coming_make(n, in);
	if (!c)
		return NULL;
	coming_is(n, c, SWHNI_NEVER);
	coming_is(n, c, SWHNI_COMES);
	c->id = in->pkt->aux;
	c->got = c->left = 0;
	c->asked = UINT32_MAX;
	c->status = WEFT_SWHNI_OK;
	c->aborted = false;
	return c;
}

bool swhni_coming_new(struct weft_swhni *n, struct swhni_coming *c,
		      const struct swhni_in *in)
{
	if (c->state == SWHNI_COMES &&
	    swhni_bits_take(&c->bits, in->slice.total, in->slice.offset))
		return true;
	n->stats.doubles++;
	if (c->state == SWHNI_OVER)
		swhni_done(n, in, c->status, 0);
	return false;
}

bool swhni_coming_all(struct weft_swhni *n, struct swhni_coming *c,
		      uint32_t total)
{
	if (c->got < (c->aborted ? c->left : total))
		return false;
	coming_is(n, c, c->aborted ? SWHNI_OVER : SWHNI_WAITS);
	return !c->aborted;
}

void swhni_coming_end(struct weft_swhni *n, const struct swhni_in *in,
		      unsigned status)
{
	struct swhni_coming *c =
		weft_hash_get(&n->comings, coming_key(in->guid, in->pkt->aux));

	if (c && c->id == in->pkt->aux) {
		c->status = (uint8_t)status;
		coming_is(n, c, SWHNI_OVER);
	}
	swhni_done(n, in, status, 0);
}

void swhni_coming_drop(struct weft_swhni *n, uint32_t guid, bool all)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &n->coming)
	{
		struct swhni_coming *c =
			weft_container_of(pos, struct swhni_coming, link);

		if (!all && c->guid != guid)
			continue;
		coming_is(n, c, SWHNI_NEVER);
		weft_hash_del(&n->comings, coming_key(c->guid, c->id));
		weft_list_remove(&c->link);
		free(c);
	}
}

/* ---- probes ---- */

static void send_word(struct weft_swhni *n, const struct swhni_out *o)
{
	struct swhni_out copy = *o;

	swhni_answer(n, &copy);
}

void swhni_coming_ask(struct weft_swhni *n, const struct swhni_msg *m)
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
static bool coming_stands(struct swhni_coming *c)
{
	bool stands = c->asked == c->got;

	c->asked = c->got;
	return stands;
}

void swhni_coming_state(struct weft_swhni *n, const struct swhni_in *in)
{
	struct swhni_coming *c = swhni_coming_of(n, in);

	if (!c) {
		n->stats.absorbed++;
		return;
	}
	if (c->state == SWHNI_OVER)
		swhni_done(n, in, c->status, 0);
	if (c->state != SWHNI_COMES || (c->got && !coming_stands(c)))
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

void swhni_coming_missing(struct weft_swhni *n, const struct swhni_in *in)
{
	struct swhni_msg *m = swhni_msg_find(n, in->guid, in->pkt->aux);

	if (!m || m->d.op != WEFT_SWHNI_RDMAW || m->state != SWHNI_WAITING) {
		n->stats.absorbed++;
		return;
	}
	weft_list_remove(&m->link);
	m->sent = 0;
	n->stats.rdma_again++;
	swhni_msg_run(n, m);
}
