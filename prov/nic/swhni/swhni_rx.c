/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receive unit. Packets of a message may arrive in any order: each is
 * stored at its offset, bytes are counted, and the message is complete with the
 * last of them (swhni_coming.c). A packet for an interface that is closed, or
 * belongs to another job, is absorbed: counted, with a reply, but without a
 * memory access.
 */
#include "prov/nic/swhni/swhni_dev.h"

/* The open interface that a packet is for, if their jobs agree. */
static struct swhni_vi *rx_vi(struct weft_swhni *n, const struct swhni_in *in)
{
	uint32_t to = swhni_in_to(in);
	struct swhni_vi *v =
		swhni_vi(n, swhni_end_engine(to), swhni_end_vi(to));

	if (v && v->job == in->slice.job)
		return v;
	n->stats.absorbed++;
	return NULL;
}

/* ---- writes ---- */

static void rx_defer(struct weft_list *list, const struct swhni_in *in)
{
	struct swhni_deferred *l = malloc(sizeof(*l));

	if (!l)
		return;
	l->guid = in->guid;
	l->pkt = *in->pkt;
	l->slice = in->slice;
	weft_list_push_back(list, &l->link);
}

/* All data has arrived: answer word, notification, reply to the sender. */
static void write_complete(struct weft_swhni *n, const struct swhni_in *in,
			   unsigned status)
{
	unsigned flags = swhni_in_flags(in);
	const struct swhni_range word = {
		.job = in->slice.job,
		.rights = WEFT_SWHNI_MAY_WRITE,
		.address = in->pkt->data,
		.bytes = sizeof(uint64_t),
	};
	struct swhni_vi *v;

	if (!status && flags & WEFT_SWHNI_ANSWER)
		status = swhni_mem_increment(n, &word);
	if (!status && flags & WEFT_SWHNI_NOTIFY) {
		v = rx_vi(n, in);
		if (v && !swhni_rq_put(v, in, true)) {
			rx_defer(&n->notes, in);
			return;
		}
		status = v ? WEFT_SWHNI_OK : WEFT_SWHNI_NO_VI;
	}
	swhni_rdma_rx_end(n, in, status);
}

static unsigned write_bytes(struct weft_swhni *n, const struct swhni_in *in)
{
	const struct swhni_range r = {
		.job = in->slice.job,
		.rights = WEFT_SWHNI_MAY_WRITE,
		.address = in->pkt->tag + in->slice.offset,
		.bytes = in->bytes,
	};

	if (!rx_vi(n, in))
		return WEFT_SWHNI_NO_VI;
	return swhni_mem_copy(n, &r, (void *)(uintptr_t)in->data,
			      SWHNI_TO_MEMORY);
}

static void rx_write(struct weft_swhni *n, const struct swhni_in *in)
{
	struct swhni_coming *c = swhni_rdma_rx_find(n, in);
	unsigned status;

	if (!c || in->slice.offset % WEFT_SWHNI_PACKET) {
		n->stats.refused++;
		return;
	}
	if (!swhni_rdma_rx_packet(n, c, in))
		return;
	status = write_bytes(n, in);
	if (status && !c->status)
		c->status = (uint8_t)status;
	c->got += in->bytes;
	if (swhni_rdma_rx_complete(n, c, in->slice.total))
		write_complete(n, in, c->status);
}

/* Packets sent before the abort may arrive after it. */
static void rx_abort(struct weft_swhni *n, const struct swhni_in *in)
{
	struct swhni_coming *c = swhni_rdma_rx_find(n, in);

	n->stats.absorbed++;
	if (!c || c->state != SWHNI_RDMA_ARRIVING)
		return;
	c->aborted = true;
	c->left = in->slice.offset;
	swhni_rdma_rx_complete(n, c, in->slice.total);
}

/* ---- reads: turned into writes ---- */

/* false: no free message slot. */
static bool read_to_write(struct weft_swhni *n, const struct swhni_in *in)
{
	uint32_t to = swhni_in_to(in);
	uint32_t from = swhni_in_from(in);
	struct swhni_msg *m = swhni_msg_take_reply(n, swhni_end_engine(to));

	if (!m)
		return false;
	m->back_id = in->pkt->aux;
	m->job = in->slice.job;
	m->vi = (uint8_t)swhni_end_vi(to);
	m->d = (struct weft_swhni_desc){
		.op = WEFT_SWHNI_RDMAR,
		.flags = swhni_in_flags(in) & WEFT_SWHNI_FAST,
		.port = WEFT_SWHNI_ADAPTIVE,
		.engine = (uint8_t)swhni_end_engine(from),
		.vi = (uint8_t)swhni_end_vi(from),
		.guid = in->guid,
		.bytes = in->slice.total,
		.local = in->pkt->tag,
	};
	n->stats.reads++;
	swhni_msg_run(n, m);
	return true;
}

/* True if a retransmitted read is being served already. */
static bool read_is_served(const struct weft_swhni *n,
			   const struct swhni_in *in)
{
	const struct swhni_me *e = &n->me[swhni_end_engine(swhni_in_to(in))];
	struct weft_list *pos;

	for (unsigned i = WEFT_SWHNI_IN_FLIGHT; i < WEFT_COUNT_OF(e->msg);
	     i++) {
		const struct swhni_msg *m = &e->msg[i];

		if (m->state != SWHNI_FREE && m->d.guid == in->guid &&
		    m->back_id == in->pkt->aux)
			return true;
	}
	for (pos = n->reads.next; pos != &n->reads; pos = pos->next) {
		const struct swhni_deferred *l =
			weft_container_of(pos, struct swhni_deferred, link);

		if (l->guid == in->guid && l->pkt.aux == in->pkt->aux &&
		    &l->pkt != in->pkt)
			return true;
	}
	return false;
}

static void rx_read(struct weft_swhni *n, const struct swhni_in *in)
{
	const struct swhni_range r = {
		.job = in->slice.job,
		.rights = WEFT_SWHNI_MAY_READ,
		.address = in->pkt->tag,
		.bytes = in->slice.total,
	};
	unsigned status =
		rx_vi(n, in) ? swhni_mem_check(n, &r) : WEFT_SWHNI_NO_VI;

	if (status)
		swhni_done_send(n, in, status, 0);
	else if (read_is_served(n, in))
		n->stats.doubles++;
	else if (!read_to_write(n, in))
		rx_defer(&n->reads, in);
}

/* Data of a read of this node. */
static void rx_written(struct weft_swhni *n, const struct swhni_in *in)
{
	struct swhni_msg *m = swhni_msg_find(n, in->guid, in->pkt->aux);
	struct swhni_range r = { .bytes = in->bytes };
	struct swhni_range word = { .bytes = sizeof(uint64_t) };
	unsigned status;

	if (!m || m->d.op != WEFT_SWHNI_RDMAR ||
	    in->slice.offset > m->d.bytes ||
	    in->slice.offset % WEFT_SWHNI_PACKET ||
	    in->bytes > m->d.bytes - in->slice.offset) {
		n->stats.absorbed++;
		return;
	}
	if (!swhni_bits_take(&m->bits, m->d.bytes, in->slice.offset)) {
		n->stats.doubles++;
		return;
	}
	r.job = word.job = m->job;
	r.address = m->d.local + in->slice.offset;
	word.address = m->d.answer;
	status = swhni_mem_copy(n, &r, (void *)(uintptr_t)in->data,
				SWHNI_TO_MEMORY);
	m->got += in->bytes;
	if (!status && m->got < m->d.bytes)
		return;
	if (!status && m->d.flags & WEFT_SWHNI_ANSWER)
		status = swhni_mem_increment(n, &word);
	swhni_msg_end(n, m, status, 0);
}

/* ---- queue messages and replies ---- */

static void rx_queue(struct weft_swhni *n, const struct swhni_in *in)
{
	bool reliable = swhni_in_flags(in) & WEFT_SWHNI_RELIABLE;
	struct swhni_vi *v = rx_vi(n, in);

	if (reliable)
		swhni_window_arrive(n, v, in);
	else if (v && !swhni_rq_put(v, in, false))
		n->stats.dropped++;
}

/* Stores the word of an IO space read. */
static unsigned done_word(struct weft_swhni *n, const struct swhni_msg *m,
			  uint64_t value)
{
	const struct swhni_range r = {
		.job = m->job,
		.address = m->d.local,
		.bytes = sizeof(value),
	};

	return swhni_mem_copy(n, &r, &value, SWHNI_TO_MEMORY);
}

static void rx_done(struct weft_swhni *n, const struct swhni_in *in)
{
	struct swhni_msg *m = swhni_msg_find(n, in->guid, in->pkt->aux);
	unsigned status = in->pkt->tag & 0xff;

	if (!m) {
		n->stats.absorbed++;
		return;
	}
	if (m->window)
		swhni_window_acked(m);
	if (!status && m->d.op == WEFT_SWHNI_IO_READ && m->d.local)
		status = done_word(n, m, in->pkt->data);
	swhni_msg_end(n, m, status, in->pkt->data);
}

static void rx_ack(struct weft_swhni *n, const struct swhni_in *in)
{
	struct swhni_msg *m = swhni_msg_find(n, in->guid, in->pkt->aux);

	if (!m || !m->window || m->seq != in->pkt->data) {
		n->stats.absorbed++;
		return;
	}
	swhni_window_acked(m);
	swhni_msg_end(n, m, WEFT_SWHNI_OK, 0);
}

/* ---- dispatch ---- */

static void (*const rx_cmd[SWHNI_CMDS])(struct weft_swhni *,
					const struct swhni_in *) = {
	[SWHNI_WRITE] = rx_write,
	[SWHNI_READ] = rx_read,
	[SWHNI_WRITTEN] = rx_written,
	[SWHNI_ABORT] = rx_abort,
	[SWHNI_QUEUE] = rx_queue,
	[SWHNI_ACK] = rx_ack,
	[SWHNI_IO_WRITE] = swhni_manage_io,
	[SWHNI_IO_READ] = swhni_manage_io,
	[SWHNI_MANAGE] = swhni_manage_rx,
	[SWHNI_DONE] = rx_done,
	[SWHNI_GATHER] = rx_queue,
	[SWHNI_CAST] = swhni_coll_cast,
	[SWHNI_PROBE] = swhni_coll_probed,
	[SWHNI_STATE] = swhni_rdma_probe_reply,
	[SWHNI_MISSING] = swhni_rdma_retransmit,
};

static void rx_packet(struct weft_swhni *n, uint32_t guid,
		      const struct weft_pkt *pkt, const void *payload)
{
	unsigned char data[WEFT_SWHNI_PACKET];
	struct swhni_in in = { .guid = guid, .pkt = pkt, .data = data };

	if (pkt->type != SWHNI_PKT || pkt->flags >= SWHNI_CMDS ||
	    pkt->len < SWHNI_SLICE ||
	    pkt->len > SWHNI_SLICE + WEFT_SWHNI_PACKET) {
		n->stats.refused++;
		return;
	}
	memcpy(&in.slice, payload, SWHNI_SLICE);
	in.bytes = pkt->len - SWHNI_SLICE;
	memcpy(data, (const char *)payload + SWHNI_SLICE, in.bytes);
	if (in.bytes > in.slice.total ||
	    in.slice.offset > in.slice.total - in.bytes) {
		n->stats.refused++;
		return;
	}
	rx_cmd[pkt->flags](n, &in);
}

int swhni_rx_deliver(void *arg, struct weft_peer *src,
		     const struct weft_pkt *pkt, const void *payload)
{
	struct swhni_port *p = arg;
	uint32_t guid = weft_port_node(&p->port, src);

	if (guid == WEFT_PORT_NO_NODE)
		p->n->stats.refused++;
	else
		rx_packet(p->n, guid, pkt, payload);
	return 0;
}

/* ---- deferred packets ---- */

static void deferred_retry(struct weft_swhni *n, struct weft_list *list,
			   bool (*fn)(struct weft_swhni *,
				      const struct swhni_in *))
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, list)
	{
		struct swhni_deferred *l =
			weft_container_of(pos, struct swhni_deferred, link);
		struct swhni_in in = { .guid = l->guid,
				       .pkt = &l->pkt,
				       .slice = l->slice };

		if (!fn(n, &in))
			continue;
		weft_list_remove(pos);
		free(l);
	}
}

static bool deferred_read(struct weft_swhni *n, const struct swhni_in *in)
{
	if (weft_list_empty(&n->me[swhni_end_engine(swhni_in_to(in))].backs))
		return false;
	rx_read(n, in);
	return true;
}

static bool deferred_notify(struct weft_swhni *n, const struct swhni_in *in)
{
	struct swhni_vi *v = rx_vi(n, in);

	if (v && !swhni_rq_put(v, in, true))
		return false;
	swhni_rdma_rx_end(n, in, v ? WEFT_SWHNI_OK : WEFT_SWHNI_NO_VI);
	return true;
}

int swhni_rx_run(struct weft_swhni *n)
{
	unsigned count = n->locals;
	struct weft_list *pos;

	for (unsigned i = 0; i < count; i++) {
		struct swhni_queued *k;

		pos = weft_list_pop_front(&n->local);
		k = weft_container_of(pos, struct swhni_queued, link);
		n->locals--;
		rx_packet(n, n->guid, &k->pkt, k->payload);
		free(k);
	}
	deferred_retry(n, &n->reads, deferred_read);
	deferred_retry(n, &n->notes, deferred_notify);
	return (int)count;
}

/* ---- lost nodes, close ---- */

static void deferred_drop(struct weft_list *list, uint32_t guid, bool all)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, list)
	{
		struct swhni_deferred *l =
			weft_container_of(pos, struct swhni_deferred, link);

		if (!all && l->guid != guid)
			continue;
		weft_list_remove(pos);
		free(l);
	}
}

void swhni_rx_lost(struct weft_swhni *n, uint32_t guid)
{
	deferred_drop(&n->reads, guid, false);
	deferred_drop(&n->notes, guid, false);
	swhni_rdma_rx_drop(n, guid, false);
}

void swhni_rx_fini(struct weft_swhni *n)
{
	deferred_drop(&n->reads, 0, true);
	deferred_drop(&n->notes, 0, true);
	swhni_rdma_rx_drop(n, 0, true);
	weft_hash_fini(&n->rdma_rx_by_key);
}
