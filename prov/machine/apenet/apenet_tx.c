/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DMA engines. An engine requests the next 4 KB from memory, waits for
 * the data, and sends it as a packet. Memory replies one step later, and the
 * bus carries the data of one engine at a time:
 *
 * 	step          1     2      3          4          5
 * 	one engine    req   data   send, req  data       send, req
 * 	two           req   data   send, req  data       send, req
 * 	              req   wait   data       send, req  data
 *
 * (req: request to memory; data: transfer on the bus). So two engines fill
 * the bus, which one engine leaves idle half of the time. The board
 * prefetches commands, so the engines start the next command without a
 * pause. Packets are sent in the order of their requests.
 *
 * On a board without other commands, a put of one packet takes the first three
 * steps of the table; apenet_single.h executes them at once.
 */
#include "prov/machine/apenet/apenet_dev.h"

/* ---- messages ---- */

/* Ends a message. A get that has been sent continues until its data arrives. */
static void msg_end(struct weft_apenet *a, struct apenet_msg *m,
		    unsigned status)
{
	struct apenet_get *g = NULL;

	if (m->op == APENET_PUT)
		apenet_cmd_end(a, &m->c, WEFT_APENET_SENT, status);
	else if (m->op == APENET_GET && status)
		g = apenet_get_of(a, m->c.node, m->number);
	if (g)
		apenet_get_end(a, g, status);
	for (unsigned i = 0; i < a->dmas; i++) {
		if (a->dma[i].state != APENET_IDLE && a->dma[i].m == m)
			a->dma[i].state = APENET_IDLE;
	}
	weft_list_remove(&m->link);
	a->held--;
	free(m->stage);
	free(m);
}

static uint64_t msg_bytes(const struct apenet_msg *m)
{
	return m->op == APENET_PUT || m->op == APENET_REPLY ? m->c.bytes : 0;
}

static bool msg_all_requested(const struct apenet_msg *m)
{
	return m->started && m->requested == msg_bytes(m);
}

/* Copies a staged message to host memory. Returns false if out of memory. */
static bool msg_stage(struct weft_apenet *a, struct apenet_msg *m)
{
	const struct apenet_buf *b =
		apenet_buf_of(a, m->c.local, m->c.bytes, 0);

	if (!msg_bytes(m) || !(m->c.flags & WEFT_APENET_STAGED) || m->stage ||
	    !b || b->kind == a->host)
		return true;
	m->stage = malloc(m->c.bytes);
	if (!m->stage)
		return false;
	a->stats.copies++;
	m->cut |= b->kind->out(m->stage, apenet_buf_at(b, m->c.local),
			       m->c.bytes) != 0;
	return true;
}

static void fetch(struct weft_apenet *a)
{
	while (a->held < APENET_PREFETCH) {
		bool busy = !weft_list_empty(&a->work);
		struct apenet_msg *m = apenet_cmd_next(a);

		if (!m)
			return;
		weft_list_push_back(&a->work, &m->link);
		a->held++;
		a->stats.prefetched += busy;
	}
}

/* ---- one packet ---- */

static unsigned tx_flags(const struct apenet_dma *d)
{
	const struct weft_apenet_cmd *c = &d->m->c;

	return (d->first ? APENET_FIRST : 0) | (d->last ? APENET_LAST : 0) |
	       (c->flags & WEFT_APENET_STAGED ? APENET_STAGED : 0) |
	       (c->flags & WEFT_APENET_RECEIVE ? APENET_RECEIVE : 0);
}

/* Reads the data of one packet; -EFAULT: the memory was unregistered. */
static int tx_read(struct weft_apenet *a, struct apenet_dma *d,
		   unsigned char *to)
{
	uint64_t at = d->m->c.local + d->offset;
	const struct apenet_buf *b;

	if (d->m->stage) {
		memcpy(to, d->m->stage + d->offset, d->bytes);
		return 0;
	}
	b = apenet_buf_of(a, at, d->bytes, 0);
	if (!b || b->kind->out(to, apenet_buf_at(b, at), d->bytes))
		return -EFAULT;
	d->peer = b->kind != a->host;
	return 0;
}

/* Reads or generates the data of a packet. Returns its length. */
static uint32_t tx_data(struct weft_apenet *a, struct apenet_dma *d,
			unsigned char *to, uint8_t *op_p)
{
	const struct apenet_msg *m = d->m;

	if (m->op == APENET_GET) {
		const struct apenet_get_request req = {
			.from = m->c.remote,
			.to = m->c.local,
			.bytes = m->c.bytes,
			.number = m->number,
			.flags = m->c.flags & WEFT_APENET_STAGED,
		};

		memcpy(to, &req, sizeof(req));
		return sizeof(req);
	}
	if (!d->bytes)
		return 0;
	if (!m->cut && !tx_read(a, d, to))
		return (uint32_t)d->bytes;
	*op_p = m->op == APENET_REPLY ? APENET_REFUSE : APENET_CUT;
	return 0;
}

uint32_t apenet_crc(const struct weft_apenet *a, const struct weft_pkt *pkt,
		    const void *data)
{
	const struct apenet_header h = {
		.address = pkt->tag,
		.bytes = pkt->len,
		.op = (uint8_t)(pkt->type - APENET_PKT),
		.flags = pkt->flags,
		.message = pkt->aux,
	};
	const struct apenet_footer f = { .extra = pkt->data };
	uint32_t crc = weft_code_crc(&a->crc, 0, &h, sizeof(h));

	crc = weft_code_crc(&a->crc, crc, data, pkt->len);
	return weft_code_crc(&a->crc, crc, &f,
			     offsetof(struct apenet_footer, crc));
}

/* Reads the data of a packet and fills the packet's header. */
static bool tx_build(struct weft_apenet *a, struct apenet_dma *d,
		     struct weft_pkt *pkt, unsigned char *data)
{
	const struct apenet_msg *m = d->m;
	uint8_t op = m->op;

	*pkt = (struct weft_pkt){
		.flags = (uint8_t)tx_flags(d),
		.aux = m->message,
		.tag = m->c.remote + d->offset,
		.data = m->op == APENET_PUT ? m->c.data : m->number,
	};
	pkt->len = (uint16_t)tx_data(a, d, data, &op);
	pkt->type = (uint8_t)(APENET_PKT + op);
	pkt->unit = apenet_crc(a, pkt, data);
	return op != m->op;
}

static int tx_emit(struct weft_apenet *a, uint32_t node, struct weft_pkt *pkt,
		   unsigned char *data)
{
	struct weft_carrier *c = a->port.carrier;
	struct weft_peer *peer = weft_port_peer(&a->port, node);
	struct iovec iov = { data, pkt->len };

	if (a->noise)
		a->noise(pkt, data);
	if (node == a->node)
		return apenet_rx_packet(a, node, true, pkt, data);
	if (!peer || peer->lost)
		return -ECONNRESET;
	return c->ops->send(c, peer, pkt, &iov, 1);
}

/* ---- one packet at once ---- */

int apenet_tx_linked(struct weft_apenet *a, struct weft_peer *peer,
		     struct weft_pkt *pkt, const void *data)
{
	struct weft_carrier *c = a->port.carrier;
	unsigned char copy[APENET_PAYLOAD];
	struct iovec iov = { copy, pkt->len };

	memcpy(copy, data, pkt->len);
	pkt->unit = apenet_crc(a, pkt, copy);
	if (a->noise)
		a->noise(pkt, copy);
	return c->ops->send(c, peer, pkt, &iov, 1);
}

/* ---- the engines ---- */

/* Sends the data that has arrived, after which the engine is idle. */
static int dma_send(struct weft_apenet *a, struct apenet_dma *d)
{
	unsigned char data[APENET_PAYLOAD];
	struct apenet_msg *m = d->m;
	struct weft_pkt pkt;
	bool cut;
	int err;

	cut = tx_build(a, d, &pkt, data);
	err = tx_emit(a, m->c.node, &pkt, data);
	if (err == -EAGAIN)
		return 0;
	if (err) {
		msg_end(a, m, WEFT_APENET_GONE);
		return 1;
	}
	a->stats.packets_out++;
	a->stats.peer_reads += d->peer;
	d->state = APENET_IDLE;
	if (cut)
		msg_end(a, m, WEFT_APENET_CLOSED);
	else if (d->last)
		msg_end(a, m, WEFT_APENET_OK);
	return 1;
}

/* Returns the first message with data that has not been requested. */
static struct apenet_msg *dma_next(struct weft_apenet *a)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &a->work) {
		struct apenet_msg *m =
			weft_container_of(pos, struct apenet_msg, link);

		if (!msg_all_requested(m))
			return msg_stage(a, m) ? m : NULL;
	}
	return NULL;
}

static void dma_request(struct weft_apenet *a, struct apenet_dma *d)
{
	struct apenet_msg *m = dma_next(a);
	uint64_t left;

	if (!m)
		return;
	left = msg_bytes(m) - m->requested;
	*d = (struct apenet_dma){
		.state = APENET_REQUESTED,
		.first = !m->started,
		.m = m,
		.offset = m->requested,
		.bytes = left < APENET_PAYLOAD ? left : APENET_PAYLOAD,
		.order = a->orders++,
	};
	m->started = true;
	m->requested += d->bytes;
	d->last = msg_all_requested(m);
}

/* Returns the engine in this state with the oldest request, or NULL. */
static struct apenet_dma *dma_oldest(struct weft_apenet *a, unsigned state)
{
	struct apenet_dma *d = NULL;

	for (unsigned i = 0; i < a->dmas; i++) {
		if (a->dma[i].state == state &&
		    (!d || a->dma[i].order < d->order))
			d = &a->dma[i];
	}
	return d;
}

/* Runs one step of the board. Returns the number of packets sent. */
static int board_step(struct weft_apenet *a)
{
	struct apenet_dma *arriving = dma_oldest(a, APENET_ARRIVING);
	struct apenet_dma *requested;
	int done = arriving ? dma_send(a, arriving) : 0;

	requested = dma_oldest(a, APENET_REQUESTED);
	if (requested && !dma_oldest(a, APENET_ARRIVING))
		requested->state = APENET_ARRIVING;
	for (unsigned i = 0; i < a->dmas; i++) {
		if (a->dma[i].state == APENET_IDLE)
			dma_request(a, &a->dma[i]);
	}
	a->stats.active_steps++;
	a->stats.overlapped += dma_oldest(a, APENET_ARRIVING) &&
			       dma_oldest(a, APENET_REQUESTED);
	return done;
}

int apenet_tx_run(struct weft_apenet *a, int budget)
{
	int done = 0;

	for (int i = 0; i < budget; i++) {
		fetch(a);
		if (weft_list_empty(&a->work))
			break;
		done += board_step(a);
	}
	return done;
}

/* ---- lost nodes, close ---- */

void apenet_tx_lost(struct weft_apenet *a, uint32_t node, bool all)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &a->work) {
		struct apenet_msg *m =
			weft_container_of(pos, struct apenet_msg, link);

		if (all || m->c.node == node)
			msg_end(a, m, WEFT_APENET_GONE);
	}
}

/*
 * Marks messages whose data is not staged and whose buffer is no longer
 * registered.
 */
void apenet_tx_buf_closed(struct weft_apenet *a)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &a->work) {
		struct apenet_msg *m =
			weft_container_of(pos, struct apenet_msg, link);

		m->cut |= msg_bytes(m) && !m->stage &&
			  !apenet_buf_of(a, m->c.local, m->c.bytes, 0);
	}
}
