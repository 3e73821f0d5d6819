/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The send unit. Messages in flight share the ports packet by packet: class
 * FAST first, then short, middle and long messages. Every eighth round has the
 * reverse order, so that a long message progresses while there are many short
 * ones.
 */
#include "prov/machine/sunway/sunway_dev.h"

#define TX_REVERSE_ROUND 8

/* ---- one packet ---- */

static unsigned tx_cmd(const struct sunway_msg *m)
{
	static const uint8_t cmd[] = {
		[WEFT_SUNWAY_RDMAW] = SUNWAY_WRITE,
		[WEFT_SUNWAY_RDMAR] = SUNWAY_READ,
		[WEFT_SUNWAY_QUEUE] = SUNWAY_QUEUE,
		[WEFT_SUNWAY_IO_WRITE] = SUNWAY_IO_WRITE,
		[WEFT_SUNWAY_IO_READ] = SUNWAY_IO_READ,
		[WEFT_SUNWAY_MANAGE] = SUNWAY_MANAGE,
		[SUNWAY_OP_GATHER] = SUNWAY_GATHER,
	};

	return m->serves_read ? SUNWAY_WRITTEN : cmd[m->d.op];
}

static uint64_t tx_data(const struct sunway_msg *m)
{
	if (m->d.op == WEFT_SUNWAY_QUEUE || m->d.op == SUNWAY_OP_GATHER)
		return m->seq;
	return m->d.flags & WEFT_SUNWAY_ANSWER ? m->d.answer : m->d.data;
}

static void tx_head(const struct weft_sunway *n, const struct sunway_msg *m,
		    struct sunway_out *o)
{
	const struct weft_sunway_desc *d = &m->d;

	*o = (struct sunway_out){
		.guid = d->guid,
		.port = d->port,
		.pkt = { .flags = (uint8_t)tx_cmd(m),
			 .unit = sunway_unit(sunway_end(d->engine, d->vi),
					     sunway_end(m->engine, m->vi),
					     d->flags, d->command),
			 .aux = m->serves_read ? m->read_id
					       : sunway_msg_id(n, m),
			 .tag = d->op == WEFT_SUNWAY_QUEUE ? d->queue
							   : d->remote,
			 .data = tx_data(m) },
		.slice = { .job = m->job,
			   .total = d->bytes,
			   .offset = m->sent,
			   .window = m->window ? m->window->number : 0 },
	};
}

/* Returns the data bytes of the next packet; 0 for commands without data. */
static uint32_t tx_bytes(const struct sunway_msg *m)
{
	uint32_t left = m->d.bytes - m->sent;

	if (m->d.op == WEFT_SUNWAY_MANAGE || m->d.op == WEFT_SUNWAY_IO_READ ||
	    (m->d.op == WEFT_SUNWAY_RDMAR && !m->serves_read))
		return 0;
	return left < WEFT_SUNWAY_PACKET ? left : WEFT_SUNWAY_PACKET;
}

/*
 * Sets the data of a packet: data on chip, or data read from memory into buf.
 */
static unsigned tx_fetch(struct weft_sunway *n, struct sunway_msg *m,
			 struct sunway_out *o, void *buf)
{
	const struct sunway_range r = {
		.job = m->job,
		.rights = m->serves_read ? WEFT_SUNWAY_MAY_READ : 0,
		.address = m->d.local + m->sent,
		.bytes = o->bytes,
	};

	o->data = m->fsm ? m->data + m->sent : buf;
	if (m->fsm || !o->bytes)
		return WEFT_SUNWAY_OK;
	return sunway_mem_copy(n, &r, buf, SUNWAY_FROM_MEMORY);
}

/* Aborts a message whose memory was removed, also at the target. */
static void tx_abort(struct weft_sunway *n, struct sunway_msg *m)
{
	struct sunway_out o;

	if (!m->sent && !m->serves_read)
		return;
	tx_head(n, m, &o);
	if (m->serves_read) {
		o.pkt.flags = SUNWAY_DONE;
		o.pkt.tag = WEFT_SUNWAY_ADDRESS;
	} else {
		o.pkt.flags = SUNWAY_ABORT;
	}
	sunway_reply_send(n, &o);
}

/* Called when all packets of a message are sent. */
static void tx_message_sent(struct weft_sunway *n, struct sunway_msg *m)
{
	bool queue = m->d.op == WEFT_SUNWAY_QUEUE;

	if (queue && m->sent_at == 0)
		n->stats.queued++;
	if (m->serves_read) {
		sunway_msg_free(n, m);
		return;
	}
	if (queue && !m->window) {
		sunway_msg_end(n, m, WEFT_SUNWAY_OK, 0);
		return;
	}
	m->state = SUNWAY_WAITING;
	m->sent_at = n->clock();
	weft_list_remove(&m->link);
	weft_list_push_back(&n->me[m->engine].waiting, &m->link);
}

static void tx_packet_sent(struct weft_sunway *n, struct sunway_msg *m,
			   const struct sunway_out *o)
{
	if (m->window && !m->numbered) {
		m->numbered = true;
		m->window->next++;
	}
	n->stats.fetches += !m->fsm && !m->sent && o->bytes;
	m->sent += o->bytes;
	if (m->sent == m->d.bytes || !o->bytes)
		tx_message_sent(n, m);
}

/* Starts the copy of an RDMA's data. */
static int tx_copy(struct weft_sunway *n, struct sunway_msg *m)
{
	weft_list_remove(&m->link);
	m->state = SUNWAY_WAITING;
	n->stats.fetches += m->d.op == WEFT_SUNWAY_RDMAW;
	n->copy(n, m);
	return 0;
}

/* Sends the next packet. Returns 0, or -EAGAIN if the port is full. */
static int tx_packet(struct weft_sunway *n, struct sunway_msg *m)
{
	unsigned char buf[WEFT_SUNWAY_PACKET];
	struct sunway_out o;
	unsigned status;
	int err;

	if (n->copy &&
	    (m->d.op == WEFT_SUNWAY_RDMAW || m->d.op == WEFT_SUNWAY_RDMAR))
		return tx_copy(n, m);
	if (m->window && !sunway_window_open(m))
		return -EAGAIN;
	if (m->window && !m->numbered)
		m->seq = m->window->next;
	tx_head(n, m, &o);
	o.bytes = tx_bytes(m);
	status = tx_fetch(n, m, &o, buf);
	if (status) {
		tx_abort(n, m);
		sunway_msg_end(n, m, status, 0);
		return 0;
	}
	err = sunway_emit(n, &o);
	if (!err)
		tx_packet_sent(n, m, &o);
	else if (err != -EAGAIN)
		sunway_msg_end(n, m,
			       err == -EHOSTUNREACH ? WEFT_SUNWAY_NO_NODE
						    : WEFT_SUNWAY_GONE,
			       0);
	return err == -EAGAIN ? err : 0;
}

/* ---- scheduling ---- */

/*
 * Sends a packet of the first message in the class that can send. Returns false
 * if no message can.
 */
static bool tx_class(struct weft_sunway *n, struct sunway_me *e, unsigned class)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &e->run[class]) {
		struct sunway_msg *m =
			weft_container_of(pos, struct sunway_msg, link);

		if (tx_packet(n, m))
			continue;
		if (m->state == SUNWAY_SENDING) {
			weft_list_remove(&m->link);
			weft_list_push_back(&e->run[class], &m->link);
		}
		return true;
	}
	return false;
}

static bool tx_schedule(struct weft_sunway *n, struct sunway_me *e)
{
	bool reverse = ++e->round % TX_REVERSE_ROUND == 0;

	for (unsigned i = 0; i < SUNWAY_CLASSES; i++) {
		if (tx_class(n, e, reverse ? SUNWAY_CLASSES - 1 - i : i))
			return true;
	}
	return false;
}

/* Handles the timeout of a message without a reply. */
static void msg_timeout(struct weft_sunway *n, struct sunway_msg *m,
			uint64_t now)
{
	weft_list_remove(&m->link);
	if (m->window || m->d.op == WEFT_SUNWAY_RDMAR) {
		m->sent = 0;
		n->stats.resent += !!m->window;
		n->stats.rdma_retransmitted += !m->window;
		sunway_msg_run(n, m);
		return;
	}
	if (m->d.op == WEFT_SUNWAY_RDMAW)
		sunway_rdma_probe_send(n, m);
	m->sent_at = now;
	weft_list_push_back(&n->me[m->engine].waiting, &m->link);
}

static void tx_retransmit(struct weft_sunway *n, struct sunway_me *e)
{
	uint64_t now = n->clock();
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &e->waiting) {
		struct sunway_msg *m =
			weft_container_of(pos, struct sunway_msg, link);

		if (now - m->sent_at < n->resend_ns)
			break; /* the list is ordered by time */
		msg_timeout(n, m, now);
	}
}

WEFT_HOT int sunway_tx_run(struct weft_sunway *n, unsigned engine, int budget)
{
	struct sunway_me *e = &n->me[engine];
	int done = 0;

	if (!weft_list_empty(&e->waiting))
		tx_retransmit(n, e);
	do {
		sunway_fetch(n, engine);
	} while (done < budget && tx_schedule(n, e) && ++done);
	return done;
}

/* ---- lost nodes, close ---- */

static void tx_drop(struct weft_sunway *n, struct sunway_msg *m)
{
	if (m->state == SUNWAY_SENDING)
		tx_abort(n, m);
	m->orphan = true;
	m->window = NULL;
	sunway_msg_free(n, m);
	n->stats.absorbed++;
}

void sunway_tx_close(struct weft_sunway *n, unsigned engine, unsigned vi)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(n->me[0].msg); i++) {
		struct sunway_msg *m = &n->me[engine].msg[i];

		if (m->state != SUNWAY_FREE && m->vi == vi)
			tx_drop(n, m);
	}
}

void sunway_tx_lost(struct weft_sunway *n, uint32_t guid)
{
	for (unsigned k = 0; k < WEFT_SUNWAY_ENGINES; k++) {
		for (unsigned i = 0; i < WEFT_COUNT_OF(n->me[0].msg); i++) {
			struct sunway_msg *m = &n->me[k].msg[i];

			if (m->state != SUNWAY_FREE && m->d.guid == guid)
				sunway_msg_end(n, m, WEFT_SUNWAY_GONE, 0);
		}
	}
}
