/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command processor executes the words of a queue, command by command; an
 * error stops only that queue. An open-packet command and the transactions
 * after it are one packet of the short transaction engine (STEN). A discarded
 * packet sets its queue back to the open command. The commands after it are
 * executed again, except packets that are acknowledged or in flight.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"
#include "prov/machine/qsnet2/qsnet2_swap.h"

#include "prov/backend/backend.h"
#include "src/base/attr.h"

#include <errno.h>
#include <string.h>

/* Result of a command. */
enum cmd_result {
	/* retry later: missing words, acknowledgement or carrier space */
	CMD_STALL,
	CMD_NEXT,
	CMD_TRAP,
};

static uint64_t cq_word(const struct qsnet2_queue *q, uint64_t i)
{
	return q->ring[i & (q->words - 1)];
}

static enum cmd_result cmd_trap(struct qsnet2_queue *q, enum weft_qsnet2_trap t,
				uint64_t address)
{
	qsnet2_queue_trap(q, t, address);
	return CMD_TRAP;
}

/* ---- packets ---- */

int qsnet2_packet_add(struct qsnet2_packet *p, unsigned type, uint64_t address,
		      const void *data, unsigned bytes)
{
	struct qsnet2_trans t = {
		.type = (uint16_t)type,
		.bytes = (uint16_t)bytes,
		.address = address,
	};
	unsigned padded = qsnet2_words(bytes) * 8;

	if (p->bytes + sizeof(t) + padded > QSNET2_WIRE_MAX)
		return -EMSGSIZE;
	memcpy(p->data + p->bytes, &t, sizeof(t));
	p->bytes += sizeof(t);
	if (bytes)
		memcpy(p->data + p->bytes, data, bytes);
	memset(p->data + p->bytes + bytes, 0, padded - bytes);
	p->bytes += padded;
	return 0;
}

/* Returns the data bytes of all writes of a packet. */
static uint32_t packet_data(const struct qsnet2_packet *p)
{
	struct qsnet2_trans t;
	uint32_t data = 0;

	for (unsigned at = 0; at < p->bytes; at += qsnet2_words(t.bytes) * 8) {
		memcpy(&t, p->data + at, sizeof(t));
		at += (unsigned)sizeof(t);
		data += t.bytes;
	}
	return data;
}

/*
 * Path of a packet in virtual time. The header of an engine packet does not
 * count as data: the machine's times already include the machine's own header.
 */
#define FIFO_STEN    1
#define FIFO_DMA     2
#define HEADER_BYTES ((uint32_t)sizeof(struct weft_pkt))

static void packet_path_set(struct weft_carrier *c, uint32_t id,
			    const struct qsnet2_packet *p)
{
	bool dma = id & QSNET2_ID_DMA;
	uint32_t data = packet_data(p);
	const struct weft_pkt_attr path = {
		.path = (uint8_t)c->ops->backend->path(c, dma ? "dma" : "sten"),
		.ack = true,
		.full = dma && data == WEFT_QSNET2_PACKET,
		.fifo = dma ? FIFO_DMA : FIFO_STEN,
		.bytes =
			1 + (data < HEADER_BYTES + 8 ? 8 : data - HEADER_BYTES),
	};

	c->ops->backend->routing(c, &path);
}

static inline int send_to(struct weft_qsnet2 *s, const struct qsnet2_route *to,
			  uint32_t id, const struct qsnet2_packet *p,
			  unsigned kind)
{
	struct weft_carrier *c = s->port.carrier;
	struct iovec iov = {
		.iov_base = (void *)(uintptr_t)p->data,
		.iov_len = p->bytes,
	};
	struct weft_pkt pkt = {
		.type = QSNET2_PKT,
		.flags = (uint8_t)kind,
		.len = (uint16_t)p->bytes,
		.unit = to->context,
		.aux = id,
	};

	if (weft_unlikely(c->ops->backend->paths))
		packet_path_set(c, id, p);
	return c->ops->send(c, to->peer, &pkt, &iov, 1);
}

int qsnet2_send_as(struct weft_qsnet2 *s, const struct qsnet2_route *to,
		   uint32_t id, const struct qsnet2_packet *p, unsigned kind)
{
	return send_to(s, to, id, p, kind);
}

int qsnet2_send(struct weft_qsnet2 *s, const struct qsnet2_route *to,
		uint32_t id, const struct qsnet2_packet *p)
{
	int err = to->peer ? send_to(s, to, id, p, QSNET2_PACKET)
			   : qsnet2_broadcast_start(s, to, id, p);

	if (!err)
		s->stats.packets++;
	return err;
}

static uint32_t channel_id(unsigned q, unsigned channel, uint16_t gen)
{
	return (uint32_t)gen << 16 | (channel ? QSNET2_ID_CHANNEL : 0) | q;
}

uint32_t qsnet2_channel_id(const struct qsnet2_queue *q,
			   const struct qsnet2_channel *c)
{
	return channel_id(q->number, c != q->ch, c->gen);
}

/*
 * Collects the transactions of a packet from word i on. CMD_STALL: the packet
 * is incomplete. CMD_NEXT: *end_p is the index of the word after the packet.
 */
static enum cmd_result packet_collect(struct qsnet2_queue *q, uint64_t i,
				      struct qsnet2_packet *p, uint64_t *end_p)
{
	uint64_t data[WEFT_QSNET2_WRITE / 8];
	unsigned type;
	uint32_t bytes;
	uint64_t w;

	p->bytes = 0;
	do {
		if (i + 2 > q->tail)
			return CMD_STALL;
		w = cq_word(q, i);
		type = qsnet2_cmd_type(w);
		bytes = qsnet2_cmd_high(w);
		if (qsnet2_cmd(w) != WEFT_QSNET2_TRANSACTION ||
		    bytes > sizeof(data))
			return cmd_trap(q, WEFT_QSNET2_TRAP_TRANSACTION, w);
		if (i + 2 + qsnet2_words(bytes) > q->tail)
			return CMD_STALL;
		for (uint32_t k = 0; k < qsnet2_words(bytes); k++)
			data[k] = cq_word(q, i + 2 + k);
		if (qsnet2_packet_add(p, type & ~WEFT_QSNET2_T_LAST,
				      cq_word(q, i + 1), data, bytes))
			return cmd_trap(q, WEFT_QSNET2_TRAP_TRANSACTION, w);
		i += 2 + qsnet2_words(bytes);
	} while (!(type & WEFT_QSNET2_T_LAST));
	*end_p = i;
	return CMD_NEXT;
}

/*
 * Returns whether a new packet may be opened on channel n: it has no packet in
 * flight, and the other channel has no older outstanding packet.
 */
bool qsnet2_channel_free(const struct qsnet2_queue *q, unsigned n)
{
	const struct qsnet2_channel *c = &q->ch[n];
	const struct qsnet2_channel *o = &q->ch[!n];

	if (c->state == QSNET2_SENT)
		return false;
	return !((o->state == QSNET2_SENT || o->state == QSNET2_RETRY) &&
		 c->state == QSNET2_DONE && o->start < c->start);
}

static enum cmd_result packet_send(struct weft_qsnet2 *s,
				   struct qsnet2_queue *q, unsigned channel,
				   const struct qsnet2_route *r,
				   const struct qsnet2_packet *p)
{
	struct qsnet2_channel *c = &q->ch[channel];
	uint16_t gen = (uint16_t)(c->gen + 1);
	int err = qsnet2_send(s, r, channel_id(q->number, channel, gen), p);

	if (err == -EAGAIN)
		return CMD_STALL;
	if (err)
		return cmd_trap(q, WEFT_QSNET2_TRAP_ACK_ERROR, q->head);
	c->gen = gen;
	c->peer = r->peer;
	c->state = QSNET2_SENT;
	c->sent_at = qsnet2_time(s);
	return CMD_NEXT;
}

static enum cmd_result cmd_open(struct weft_qsnet2 *s, struct qsnet2_queue *q,
				uint64_t w)
{
	unsigned channel = qsnet2_cmd_channel(w);
	struct qsnet2_route *r = qsnet2_route(s, qsnet2_cmd_high(w));
	struct qsnet2_channel *c;
	struct qsnet2_packet p;
	enum cmd_result res;
	bool again;
	uint64_t end;

	if (channel >= WEFT_QSNET2_CHANNELS)
		return cmd_trap(q, WEFT_QSNET2_TRAP_CHANNEL, channel);
	if (!r)
		return cmd_trap(q, WEFT_QSNET2_TRAP_ROUTE, qsnet2_cmd_high(w));
	c = &q->ch[channel];
	again = c->state != QSNET2_IDLE && c->start == q->head;
	if (again && c->state != QSNET2_RETRY) {
		q->head = c->end;
		return CMD_NEXT;
	}
	if (!again && !qsnet2_channel_free(q, channel))
		return CMD_STALL;
	if (s->holder && s->holder != q)
		return CMD_STALL;
	res = packet_collect(q, q->head + 1, &p, &end);
	if (res == CMD_STALL)
		qsnet2_time_hold(s, q);
	else if (s->holder == q)
		s->holder = NULL;
	if (res == CMD_NEXT)
		res = packet_send(s, q, channel, r, &p);
	if (res != CMD_NEXT)
		return res;
	if (!again)
		c->left = (uint8_t)qsnet2_cmd_arg(w);
	c->start = q->head;
	c->end = end;
	q->head = end;
	if (qsnet2_network_acks(s)) {
		c->ack = WEFT_QSNET2_ACK_OK;
		c->state = QSNET2_DONE;
	}
	return CMD_NEXT;
}

static enum cmd_result cmd_guard(struct qsnet2_queue *q, uint64_t w)
{
	unsigned channel = qsnet2_cmd_channel(w);
	const struct qsnet2_channel *c;

	if (channel >= WEFT_QSNET2_CHANNELS)
		return cmd_trap(q, WEFT_QSNET2_TRAP_CHANNEL, channel);
	c = &q->ch[channel];
	if (c->state == QSNET2_SENT || c->state == QSNET2_RETRY)
		return CMD_STALL;
	q->skip = c->state == QSNET2_DONE && !(c->ack & qsnet2_cmd_arg(w));
	q->head++;
	return CMD_NEXT;
}

/* ---- commands on this process's memory ---- */

static enum weft_qsnet2_trap do_modify(struct weft_qsnet2 *s, unsigned ctx,
				       unsigned cmd, uint64_t address,
				       uint64_t value)
{
	unsigned like;
	weft_au64 *p;
	bool big;

	if (address % 8)
		return WEFT_QSNET2_TRAP_ALIGNMENT;
	p = qsnet2_memory_translate(s, ctx, address, 8, WEFT_QSNET2_LOCAL_WRITE,
				    &like);
	if (!p)
		return WEFT_QSNET2_TRAP_MEMORY;
	big = like & WEFT_QSNET2_BIG_ENDIAN;
	if (cmd == WEFT_QSNET2_ADD_WORD)
		qsnet2_word_add(p, value, big);
	else
		nic_event_post(p, qsnet2_word_as(value, big));
	return WEFT_QSNET2_TRAP_NONE;
}

static enum weft_qsnet2_trap do_command(struct weft_qsnet2 *s,
					const struct qsnet2_queue *q,
					const uint64_t *w)
{
	unsigned ctx = q->context;
	void *src, *dst;

	switch (qsnet2_cmd(w[0])) {
	case WEFT_QSNET2_WRITE_WORD:
	case WEFT_QSNET2_ADD_WORD:
		return do_modify(s, ctx, qsnet2_cmd(w[0]), w[1], w[2]);
	case WEFT_QSNET2_COPY64:
		src = qsnet2_memory(s, ctx, w[1], 64, WEFT_QSNET2_LOCAL_READ);
		dst = qsnet2_memory(s, ctx, w[2], 64, WEFT_QSNET2_LOCAL_WRITE);
		if (w[1] % 64 || w[2] % 64)
			return WEFT_QSNET2_TRAP_ALIGNMENT;
		if (!src || !dst)
			return WEFT_QSNET2_TRAP_MEMORY;
		memmove(dst, src, 64);
		return WEFT_QSNET2_TRAP_NONE;
	case WEFT_QSNET2_SET_EVENT:
		return qsnet2_event_set(s, ctx, w[1], qsnet2_cmd_high(w[0]),
					WEFT_QSNET2_LOCAL_WRITE);
	case WEFT_QSNET2_WAIT_EVENT:
		return qsnet2_event_wait(s, ctx, w);
	case WEFT_QSNET2_RUN_DMA:
		return qsnet2_dma_start(s, ctx, w + 1);
	case WEFT_QSNET2_RUN_THREAD:
		return qsnet2_thread_start(s, ctx, q->flags, w);
	case WEFT_QSNET2_INTERRUPT:
		if (s->interrupt)
			s->interrupt(s->arg, ctx, w[1]);
		return WEFT_QSNET2_TRAP_NONE;
	default:
		return WEFT_QSNET2_TRAP_NONE;
	}
}

/*
 * Number of words and required permission of each command; 0 words: no such
 * command.
 */
static const struct {
	uint8_t words;
	uint8_t perm;
} commands[] = {
	[WEFT_QSNET2_NOP] = { 1, 0 },
	[WEFT_QSNET2_OPEN_PACKET] = { 1, WEFT_QSNET2_MAY_STEN },
	[WEFT_QSNET2_WRITE_WORD] = { 3, WEFT_QSNET2_MAY_WRITE },
	[WEFT_QSNET2_ADD_WORD] = { 3, WEFT_QSNET2_MAY_MODIFY },
	[WEFT_QSNET2_COPY64] = { 3, WEFT_QSNET2_MAY_MODIFY },
	[WEFT_QSNET2_GUARD] = { 1, WEFT_QSNET2_MAY_STEN },
	[WEFT_QSNET2_SET_EVENT] = { 2, WEFT_QSNET2_MAY_EVENT },
	[WEFT_QSNET2_WAIT_EVENT] = { 5, WEFT_QSNET2_MAY_WAIT },
	[WEFT_QSNET2_RUN_DMA] = { 8, WEFT_QSNET2_MAY_DMA },
	[WEFT_QSNET2_RUN_THREAD] = { 7, WEFT_QSNET2_MAY_THREAD },
	[WEFT_QSNET2_INTERRUPT] = { 2, WEFT_QSNET2_MAY_INTR },
};

/* Skips the next command after a failed guard. */
static enum cmd_result cmd_skip(struct qsnet2_queue *q, unsigned cmd)
{
	struct qsnet2_packet p;
	enum cmd_result res;
	uint64_t end = q->head + commands[cmd].words;

	if (cmd == WEFT_QSNET2_OPEN_PACKET) {
		res = packet_collect(q, q->head + 1, &p, &end);
		if (res != CMD_NEXT)
			return res;
	}
	q->skip = false;
	q->head = end;
	return CMD_NEXT;
}

static enum cmd_result cmd_step(struct weft_qsnet2 *s, struct qsnet2_queue *q)
{
	uint64_t w[8];
	enum weft_qsnet2_trap t;
	unsigned cmd;

	if (q->head == q->tail)
		return CMD_STALL;
	w[0] = cq_word(q, q->head);
	cmd = qsnet2_cmd(w[0]);
	if (cmd >= WEFT_COUNT_OF(commands) || !commands[cmd].words)
		return cmd_trap(q, WEFT_QSNET2_TRAP_COMMAND, w[0]);
	if ((q->perm & commands[cmd].perm) != commands[cmd].perm)
		return cmd_trap(q, WEFT_QSNET2_TRAP_PERMISSION, w[0]);
	if (q->tail - q->head < commands[cmd].words)
		return CMD_STALL;
	if (q->skip)
		return cmd_skip(q, cmd);
	if (cmd == WEFT_QSNET2_OPEN_PACKET)
		return cmd_open(s, q, w[0]);
	if (cmd == WEFT_QSNET2_GUARD)
		return cmd_guard(q, w[0]);
	/* below the message engine, wait: no driver would run the DMA later */
	if (cmd == WEFT_QSNET2_RUN_DMA && s->engine &&
	    weft_list_empty(&s->dma_free))
		return CMD_STALL;
	for (unsigned i = 1; i < commands[cmd].words; i++)
		w[i] = cq_word(q, q->head + i);
	q->head += commands[cmd].words;
	t = do_command(s, q, w);
	return t ? cmd_trap(q, t, w[1]) : CMD_NEXT;
}

/*
 * Executes the commands of a queue until it is empty or stalls. Returns the
 * number of commands executed.
 */
int qsnet2_tx_queue(struct weft_qsnet2 *s, struct qsnet2_queue *q)
{
	int count = 0;

	while (!q->trap && cmd_step(s, q) == CMD_NEXT)
		count++;
	return count;
}

/*
 * Executes the commands of all queues with work, high priority first; a stalled
 * queue stays in the list.
 */
int qsnet2_tx_run(struct weft_qsnet2 *s, int budget)
{
	struct weft_list todo;
	struct weft_list *pos;
	int count = 0;

	for (int prio = 1; prio >= 0; prio--) {
		weft_list_init(&todo);
		weft_list_splice_back(&todo, &s->run[prio]);
		while ((pos = weft_list_pop_front(&todo))) {
			struct qsnet2_queue *q = weft_container_of(
				pos, struct qsnet2_queue, run);

			if (count < budget)
				count += qsnet2_tx_queue(s, q);
			if (q->head != q->tail)
				qsnet2_queue_wake(s, q);
		}
	}
	return count;
}

/* ---- acknowledgements ---- */

void qsnet2_channel_restart(struct weft_qsnet2 *s, struct qsnet2_queue *q,
			    struct qsnet2_channel *c)
{
	if (!c->left) {
		qsnet2_queue_trap(q, WEFT_QSNET2_TRAP_FAIL_COUNT, c->start);
		return;
	}
	if (c->left != QSNET2_FOREVER)
		c->left--;
	q->restarts++;
	s->stats.restarts++;
	c->state = QSNET2_RETRY;
	if (c->start < q->head) {
		q->head = c->start;
		q->skip = false;
	}
}

static void channel_ack(struct weft_qsnet2 *s, struct qsnet2_queue *q,
			struct qsnet2_channel *c, unsigned ack)
{
	c->ack = (uint8_t)ack;
	c->state = QSNET2_DONE;
	if (ack == WEFT_QSNET2_ACK_DISCARD)
		qsnet2_channel_restart(s, q, c);
	else if (ack == WEFT_QSNET2_ACK_ERROR && !s->engine)
		qsnet2_queue_trap(q, WEFT_QSNET2_TRAP_ACK_ERROR, c->start);
	if (q->head != q->tail)
		qsnet2_queue_wake(s, q);
}

void qsnet2_tx_ack(struct weft_qsnet2 *s, struct weft_peer *src, uint32_t id,
		   unsigned ack)
{
	struct qsnet2_queue *q = qsnet2_queue(s, id & QSNET2_ID_INDEX);
	struct qsnet2_channel *c;

	if (q) {
		c = &q->ch[id & QSNET2_ID_CHANNEL ? 1 : 0];
		if (c->state == QSNET2_SENT && c->gen == id >> 16 &&
		    c->peer == src) {
			channel_ack(s, q, c, ack);
			return;
		}
	}
	s->stats.refused++;
}

static void queue_lost(struct weft_qsnet2 *s, struct qsnet2_queue *q,
		       struct weft_peer *peer)
{
	for (unsigned i = 0; i < WEFT_QSNET2_CHANNELS; i++) {
		if ((q->ch[i].state == QSNET2_SENT ||
		     q->ch[i].state == QSNET2_RETRY) &&
		    q->ch[i].peer == peer)
			channel_ack(s, q, &q->ch[i], WEFT_QSNET2_ACK_ERROR);
	}
}

void qsnet2_tx_lost(struct weft_qsnet2 *s, struct weft_peer *peer)
{
	for (unsigned n = 0; n < s->queues; n++) {
		if (s->queue[n])
			queue_lost(s, s->queue[n], peer);
	}
}
