/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receive unit. Packets of a message may arrive in any order: each is
 * stored at its offset, bytes are counted, and the message is complete when all
 * bytes have arrived (sunway_rdma_rx.c). A packet for a closed interface, or
 * for an interface of a different job, is dropped: it is counted and gets a
 * reply, but does not access memory.
 */
#include "prov/machine/sunway/sunway_dev.h"

/*
 * Returns the interface that a packet addresses, if it is open and belongs to
 * the packet's job.
 */
static struct sunway_vi *rx_vi(struct weft_sunway *n,
			       const struct sunway_in *in)
{
	uint32_t to = sunway_in_to(in);
	struct sunway_vi *v =
		sunway_vi(n, sunway_end_engine(to), sunway_end_vi(to));

	if (v && v->job == in->slice.job)
		return v;
	n->stats.absorbed++;
	return NULL;
}

/* ---- writes ---- */

static void rx_defer(struct weft_list *list, const struct sunway_in *in)
{
	struct sunway_deferred *l = malloc(sizeof(*l));

	if (!l)
		return;
	l->guid = in->guid;
	l->pkt = *in->pkt;
	l->slice = in->slice;
	weft_list_push_back(list, &l->link);
}

/*
 * Completes a write when all data has arrived: answer word, notification, reply
 * to the sender.
 */
static void write_complete(struct weft_sunway *n, const struct sunway_in *in,
			   unsigned status)
{
	unsigned flags = sunway_in_flags(in);
	const struct sunway_range word = {
		.job = in->slice.job,
		.rights = WEFT_SUNWAY_MAY_WRITE,
		.address = in->pkt->data,
		.bytes = sizeof(uint64_t),
	};
	struct sunway_vi *v;

	if (!status && flags & WEFT_SUNWAY_ANSWER)
		status = sunway_mem_increment(n, &word);
	if (!status && flags & WEFT_SUNWAY_NOTIFY) {
		v = rx_vi(n, in);
		if (v && !sunway_rq_put(v, in, true)) {
			rx_defer(&n->notifications, in);
			return;
		}
		status = v ? WEFT_SUNWAY_OK : WEFT_SUNWAY_NO_VI;
	}
	sunway_rdma_rx_end(n, in, status);
}

static unsigned write_bytes(struct weft_sunway *n, const struct sunway_in *in)
{
	const struct sunway_range r = {
		.job = in->slice.job,
		.rights = WEFT_SUNWAY_MAY_WRITE,
		.address = in->pkt->tag + in->slice.offset,
		.bytes = in->bytes,
	};

	if (!rx_vi(n, in))
		return WEFT_SUNWAY_NO_VI;
	return sunway_mem_copy(n, &r, (void *)(uintptr_t)in->data,
			       SUNWAY_TO_MEMORY);
}

static void rx_write(struct weft_sunway *n, const struct sunway_in *in)
{
	struct sunway_rdma_rx *c = sunway_rdma_rx_find(n, in);
	unsigned status;

	if (!c || in->slice.offset % WEFT_SUNWAY_PACKET) {
		n->stats.refused++;
		return;
	}
	if (!sunway_rdma_rx_packet(n, c, in))
		return;
	status = write_bytes(n, in);
	if (status && !c->status)
		c->status = (uint8_t)status;
	c->got += in->bytes;
	if (sunway_rdma_rx_complete(n, c, in->slice.total))
		write_complete(n, in, c->status);
}

/* Handles an abort. Packets sent before the abort may arrive after it. */
static void rx_abort(struct weft_sunway *n, const struct sunway_in *in)
{
	struct sunway_rdma_rx *c = sunway_rdma_rx_find(n, in);

	n->stats.absorbed++;
	if (!c || c->state != SUNWAY_RDMA_ARRIVING)
		return;
	c->aborted = true;
	c->left = in->slice.offset;
	sunway_rdma_rx_complete(n, c, in->slice.total);
}

/* ---- reads: turned into writes ---- */

/* Executes a read as a write. Returns false if no message slot is free. */
static bool read_to_write(struct weft_sunway *n, const struct sunway_in *in)
{
	uint32_t to = sunway_in_to(in);
	uint32_t from = sunway_in_from(in);
	struct sunway_msg *m = sunway_msg_take_reply(n, sunway_end_engine(to));

	if (!m)
		return false;
	m->read_id = in->pkt->aux;
	m->job = in->slice.job;
	m->vi = (uint8_t)sunway_end_vi(to);
	m->d = (struct weft_sunway_desc){
		.op = WEFT_SUNWAY_RDMAR,
		.flags = sunway_in_flags(in) & WEFT_SUNWAY_FAST,
		.port = WEFT_SUNWAY_ADAPTIVE,
		.engine = (uint8_t)sunway_end_engine(from),
		.vi = (uint8_t)sunway_end_vi(from),
		.guid = in->guid,
		.bytes = in->slice.total,
		.local = in->pkt->tag,
	};
	n->stats.reads++;
	sunway_msg_run(n, m);
	return true;
}

/* Returns whether a retransmitted read is already being served. */
static bool read_is_served(const struct weft_sunway *n,
			   const struct sunway_in *in)
{
	const struct sunway_me *e = &n->me[sunway_end_engine(sunway_in_to(in))];
	struct weft_list *pos;

	for (unsigned i = WEFT_SUNWAY_IN_FLIGHT; i < WEFT_COUNT_OF(e->msg);
	     i++) {
		const struct sunway_msg *m = &e->msg[i];

		if (m->state != SUNWAY_FREE && m->d.guid == in->guid &&
		    m->read_id == in->pkt->aux)
			return true;
	}
	for (pos = n->reads.next; pos != &n->reads; pos = pos->next) {
		const struct sunway_deferred *l =
			weft_container_of(pos, struct sunway_deferred, link);

		if (l->guid == in->guid && l->pkt.aux == in->pkt->aux &&
		    &l->pkt != in->pkt)
			return true;
	}
	return false;
}

static void rx_read(struct weft_sunway *n, const struct sunway_in *in)
{
	const struct sunway_range r = {
		.job = in->slice.job,
		.rights = WEFT_SUNWAY_MAY_READ,
		.address = in->pkt->tag,
		.bytes = in->slice.total,
	};
	unsigned status =
		rx_vi(n, in) ? sunway_mem_check(n, &r) : WEFT_SUNWAY_NO_VI;

	if (status)
		sunway_done_send(n, in, status, 0);
	else if (read_is_served(n, in))
		n->stats.doubles++;
	else if (!read_to_write(n, in))
		rx_defer(&n->reads, in);
}

/* Stores data that this node has read from a peer. */
static void rx_written(struct weft_sunway *n, const struct sunway_in *in)
{
	struct sunway_msg *m = sunway_msg_find(n, in->guid, in->pkt->aux);
	struct sunway_range r = { .bytes = in->bytes };
	struct sunway_range word = { .bytes = sizeof(uint64_t) };
	unsigned status;

	if (!m || m->d.op != WEFT_SUNWAY_RDMAR ||
	    in->slice.offset > m->d.bytes ||
	    in->slice.offset % WEFT_SUNWAY_PACKET ||
	    in->bytes > m->d.bytes - in->slice.offset) {
		n->stats.absorbed++;
		return;
	}
	if (!sunway_bits_take(&m->bits, m->d.bytes, in->slice.offset)) {
		n->stats.doubles++;
		return;
	}
	r.job = word.job = m->job;
	r.address = m->d.local + in->slice.offset;
	word.address = m->d.answer;
	status = sunway_mem_copy(n, &r, (void *)(uintptr_t)in->data,
				 SUNWAY_TO_MEMORY);
	m->got += in->bytes;
	if (!status && m->got < m->d.bytes)
		return;
	if (!status && m->d.flags & WEFT_SUNWAY_ANSWER)
		status = sunway_mem_increment(n, &word);
	sunway_msg_end(n, m, status, 0);
}

/* ---- queue messages and replies ---- */

static void rx_queue(struct weft_sunway *n, const struct sunway_in *in)
{
	bool reliable = sunway_in_flags(in) & WEFT_SUNWAY_RELIABLE;
	struct sunway_vi *v = rx_vi(n, in);

	if (reliable)
		sunway_window_arrive(n, v, in);
	else if (v && !sunway_rq_put(v, in, false))
		n->stats.dropped++;
}

/* Stores the word that a read from IO space returned. */
static unsigned done_word(struct weft_sunway *n, const struct sunway_msg *m,
			  uint64_t value)
{
	const struct sunway_range r = {
		.job = m->job,
		.address = m->d.local,
		.bytes = sizeof(value),
	};

	return sunway_mem_copy(n, &r, &value, SUNWAY_TO_MEMORY);
}

static void rx_done(struct weft_sunway *n, const struct sunway_in *in)
{
	struct sunway_msg *m = sunway_msg_find(n, in->guid, in->pkt->aux);
	unsigned status = in->pkt->tag & 0xff;

	if (!m) {
		n->stats.absorbed++;
		return;
	}
	if (m->window)
		sunway_window_acked(m);
	if (!status && m->d.op == WEFT_SUNWAY_IO_READ && m->d.local)
		status = done_word(n, m, in->pkt->data);
	sunway_msg_end(n, m, status, in->pkt->data);
}

static void rx_ack(struct weft_sunway *n, const struct sunway_in *in)
{
	struct sunway_msg *m = sunway_msg_find(n, in->guid, in->pkt->aux);

	if (!m || !m->window || m->seq != in->pkt->data) {
		n->stats.absorbed++;
		return;
	}
	sunway_window_acked(m);
	sunway_msg_end(n, m, WEFT_SUNWAY_OK, 0);
}

/* ---- dispatch ---- */

static void (*const rx_cmd[SUNWAY_CMDS])(struct weft_sunway *,
					 const struct sunway_in *) = {
	[SUNWAY_WRITE] = rx_write,
	[SUNWAY_READ] = rx_read,
	[SUNWAY_WRITTEN] = rx_written,
	[SUNWAY_ABORT] = rx_abort,
	[SUNWAY_QUEUE] = rx_queue,
	[SUNWAY_ACK] = rx_ack,
	[SUNWAY_IO_WRITE] = sunway_manage_io,
	[SUNWAY_IO_READ] = sunway_manage_io,
	[SUNWAY_MANAGE] = sunway_manage_rx,
	[SUNWAY_DONE] = rx_done,
	[SUNWAY_GATHER] = rx_queue,
	[SUNWAY_MULTICAST] = sunway_coll_multicast,
	[SUNWAY_PROBE] = sunway_coll_probed,
	[SUNWAY_STATE] = sunway_rdma_probe_reply,
	[SUNWAY_MISSING] = sunway_rdma_retransmit,
};

static void rx_packet(struct weft_sunway *n, uint32_t guid,
		      const struct weft_pkt *pkt, const void *payload)
{
	unsigned char data[WEFT_SUNWAY_PACKET];
	struct sunway_in in = { .guid = guid, .pkt = pkt, .data = data };

	if (pkt->type != SUNWAY_PKT || pkt->flags >= SUNWAY_CMDS ||
	    pkt->len < SUNWAY_SLICE ||
	    pkt->len > SUNWAY_SLICE + WEFT_SUNWAY_PACKET) {
		n->stats.refused++;
		return;
	}
	memcpy(&in.slice, payload, SUNWAY_SLICE);
	in.bytes = pkt->len - SUNWAY_SLICE;
	memcpy(data, (const char *)payload + SUNWAY_SLICE, in.bytes);
	if (in.bytes > in.slice.total ||
	    in.slice.offset > in.slice.total - in.bytes) {
		n->stats.refused++;
		return;
	}
	rx_cmd[pkt->flags](n, &in);
}

int sunway_rx_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct sunway_port *p = arg;
	uint32_t guid = weft_port_node(&p->port, src);

	if (guid == WEFT_PORT_NO_NODE)
		p->n->stats.refused++;
	else
		rx_packet(p->n, guid, pkt, payload);
	return 0;
}

/* ---- deferred packets ---- */

static void deferred_retry(struct weft_sunway *n, struct weft_list *list,
			   bool (*fn)(struct weft_sunway *,
				      const struct sunway_in *))
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, list) {
		struct sunway_deferred *l =
			weft_container_of(pos, struct sunway_deferred, link);
		struct sunway_in in = { .guid = l->guid,
					.pkt = &l->pkt,
					.slice = l->slice };

		if (!fn(n, &in))
			continue;
		weft_list_remove(pos);
		free(l);
	}
}

static bool deferred_read(struct weft_sunway *n, const struct sunway_in *in)
{
	if (weft_list_empty(
		    &n->me[sunway_end_engine(sunway_in_to(in))].reply_slots))
		return false;
	rx_read(n, in);
	return true;
}

static bool deferred_notify(struct weft_sunway *n, const struct sunway_in *in)
{
	struct sunway_vi *v = rx_vi(n, in);

	if (v && !sunway_rq_put(v, in, true))
		return false;
	sunway_rdma_rx_end(n, in, v ? WEFT_SUNWAY_OK : WEFT_SUNWAY_NO_VI);
	return true;
}

int sunway_rx_run(struct weft_sunway *n)
{
	unsigned count = n->locals;
	struct weft_list *pos;

	for (unsigned i = 0; i < count; i++) {
		struct sunway_queued *k;

		pos = weft_list_pop_front(&n->local);
		k = weft_container_of(pos, struct sunway_queued, link);
		n->locals--;
		rx_packet(n, n->guid, &k->pkt, k->payload);
		free(k);
	}
	deferred_retry(n, &n->reads, deferred_read);
	deferred_retry(n, &n->notifications, deferred_notify);
	return (int)count;
}

/* ---- lost nodes, close ---- */

static void deferred_drop(struct weft_list *list, uint32_t guid, bool all)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, list) {
		struct sunway_deferred *l =
			weft_container_of(pos, struct sunway_deferred, link);

		if (!all && l->guid != guid)
			continue;
		weft_list_remove(pos);
		free(l);
	}
}

void sunway_rx_lost(struct weft_sunway *n, uint32_t guid)
{
	deferred_drop(&n->reads, guid, false);
	deferred_drop(&n->notifications, guid, false);
	sunway_rdma_rx_drop(n, guid, false);
}

void sunway_rx_fini(struct weft_sunway *n)
{
	deferred_drop(&n->reads, 0, true);
	deferred_drop(&n->notifications, 0, true);
	sunway_rdma_rx_drop(n, 0, true);
	weft_hash_fini(&n->rdma_rx_by_key);
}
