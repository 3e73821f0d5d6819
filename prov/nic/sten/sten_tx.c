/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command processor: executes a queue's words, command by command, and
 * stops only that queue at an error. An open-packet command and the
 * transactions after it become one packet of the short transaction engine. A
 * discarded packet sets its queue back to the open command; the commands after
 * it are executed again, except packets that were acknowledged or are in
 * flight.
 */
#include "prov/nic/sten/sten_dev.h"
#include "prov/nic/sten/sten_swap.h"

#include "prov/carrier/carrier_vt.h"
#include "src/base/attr.h"

#include <errno.h>
#include <string.h>

/* Result of a command. */
enum cmd_result {
	CMD_STALL, /* not now: words, an ack or carrier room missing */
	CMD_NEXT,
	CMD_TRAP,
};

static uint64_t cq_word(const struct sten_queue *q, uint64_t i)
{
	return q->ring[i & (q->words - 1)];
}

static enum cmd_result cmd_trap(struct sten_queue *q, enum weft_sten_trap t,
				uint64_t address)
{
	sten_queue_trap(q, t, address);
	return CMD_TRAP;
}

/* ---- packets ---- */

int sten_packet_add(struct sten_packet *p, unsigned type, uint64_t address,
		    const void *data, unsigned bytes)
{
	struct sten_trans t = {
		.type = (uint16_t)type,
		.bytes = (uint16_t)bytes,
		.address = address,
	};
	unsigned padded = sten_words(bytes) * 8;

	if (p->bytes + sizeof(t) + padded > STEN_WIRE_MAX)
		return -EMSGSIZE;
	memcpy(p->data + p->bytes, &t, sizeof(t));
	p->bytes += sizeof(t);
	if (bytes)
		memcpy(p->data + p->bytes, data, bytes);
	memset(p->data + p->bytes + bytes, 0, padded - bytes);
	p->bytes += padded;
	return 0;
}

/* Data bytes of a packet: its writes, which is what the machine counts. */
static uint32_t packet_data(const struct sten_packet *p)
{
	struct sten_trans t;
	uint32_t data = 0;

	for (unsigned at = 0; at < p->bytes; at += sten_words(t.bytes) * 8) {
		memcpy(&t, p->data + at, sizeof(t));
		at += (unsigned)sizeof(t);
		data += t.bytes;
	}
	return data;
}

/*
 * Path of the packet in virtual time: the engine that sends it. The header of a
 * message does not count as data: the machine's times include its own header.
 */
#define FIFO_STEN    1
#define FIFO_DMA     2
#define HEADER_BYTES ((uint32_t)sizeof(struct weft_pkt))

static void packet_path_set(struct weft_carrier *c, uint32_t id,
			    const struct sten_packet *p)
{
	bool dma = id & STEN_ID_DMA;
	uint32_t data = packet_data(p);
	const struct weft_vt_pkt_attr way = {
		.path = (uint8_t)c->virt->path(c, dma ? "dma" : "sten"),
		.ack = true,
		.full = dma && data == WEFT_STEN_PACKET,
		.fifo = dma ? FIFO_DMA : FIFO_STEN,
		.bytes =
			1 + (data < HEADER_BYTES + 8 ? 8 : data - HEADER_BYTES),
	};

	c->virt->way(c, &way);
}

static inline int send_to(struct weft_sten *s, const struct sten_route *to,
			  uint32_t id, const struct sten_packet *p,
			  unsigned kind)
{
	struct weft_carrier *c = s->port.carrier;
	struct iovec iov = {
		.iov_base = (void *)(uintptr_t)p->data,
		.iov_len = p->bytes,
	};
	struct weft_pkt pkt = {
		.type = STEN_PKT,
		.flags = (uint8_t)kind,
		.len = (uint16_t)p->bytes,
		.unit = to->context,
		.aux = id,
	};

	if (weft_unlikely(c->virt != NULL))
		packet_path_set(c, id, p);
	return c->ops->send(c, to->peer, &pkt, &iov, 1);
}

int sten_send_as(struct weft_sten *s, const struct sten_route *to, uint32_t id,
		 const struct sten_packet *p, unsigned kind)
{
	return send_to(s, to, id, p, kind);
}

int sten_send(struct weft_sten *s, const struct sten_route *to, uint32_t id,
	      const struct sten_packet *p)
{
	int err = to->peer ? send_to(s, to, id, p, STEN_PACKET)
			   : sten_cast_start(s, to, id, p);

	if (!err)
		s->stats.packets++;
	return err;
}

static uint32_t channel_id(unsigned q, unsigned channel, uint16_t gen)
{
	return (uint32_t)gen << 16 | (channel ? STEN_ID_CHANNEL : 0) | q;
}

uint32_t sten_channel_id(const struct sten_queue *q,
			 const struct sten_channel *c)
{
	return channel_id(q->number, c != q->ch, c->gen);
}

/*
 * Collects the transactions from word i on. CMD_STALL: the packet is
 * incomplete. On CMD_NEXT *end_p is the index of the word after the packet.
 */
static enum cmd_result packet_collect(struct sten_queue *q, uint64_t i,
				      struct sten_packet *p, uint64_t *end_p)
{
	uint64_t data[WEFT_STEN_WRITE / 8];
	unsigned type;
	uint32_t bytes;
	uint64_t w;

	p->bytes = 0;
	do {
		if (i + 2 > q->tail)
			return CMD_STALL;
		w = cq_word(q, i);
		type = sten_cmd_type(w);
		bytes = sten_cmd_high(w);
		if (sten_cmd(w) != WEFT_STEN_TRANSACTION ||
		    bytes > sizeof(data))
			return cmd_trap(q, WEFT_STEN_TRAP_TRANSACTION, w);
		if (i + 2 + sten_words(bytes) > q->tail)
			return CMD_STALL;
		for (uint32_t k = 0; k < sten_words(bytes); k++)
			data[k] = cq_word(q, i + 2 + k);
		if (sten_packet_add(p, type & ~WEFT_STEN_T_LAST,
				    cq_word(q, i + 1), data, bytes))
			return cmd_trap(q, WEFT_STEN_TRAP_TRANSACTION, w);
		i += 2 + sten_words(bytes);
	} while (!(type & WEFT_STEN_T_LAST));
	*end_p = i;
	return CMD_NEXT;
}

/* True if a new packet may open on this channel: at most two, oldest first. */
bool sten_channel_free(const struct sten_queue *q, unsigned n)
{
	const struct sten_channel *c = &q->ch[n];
	const struct sten_channel *o = &q->ch[!n];

	if (c->state == STEN_SENT)
		return false;
	return !((o->state == STEN_SENT || o->state == STEN_RETRY) &&
		 c->state == STEN_DONE && o->start < c->start);
}

static enum cmd_result packet_send(struct weft_sten *s, struct sten_queue *q,
				   unsigned channel, const struct sten_route *r,
				   const struct sten_packet *p)
{
	struct sten_channel *c = &q->ch[channel];
	uint16_t gen = (uint16_t)(c->gen + 1);
	int err = sten_send(s, r, channel_id(q->number, channel, gen), p);

	if (err == -EAGAIN)
		return CMD_STALL;
	if (err)
		return cmd_trap(q, WEFT_STEN_TRAP_ACK_ERROR, q->head);
	c->gen = gen;
	c->peer = r->peer;
	c->state = STEN_SENT;
	c->sent_at = sten_time(s);
	return CMD_NEXT;
}

static enum cmd_result cmd_open(struct weft_sten *s, struct sten_queue *q,
				uint64_t w)
{
	unsigned channel = sten_cmd_channel(w);
	struct sten_route *r = sten_route(s, sten_cmd_high(w));
	struct sten_channel *c;
	struct sten_packet p;
	enum cmd_result res;
	bool again;
	uint64_t end;

	if (channel >= WEFT_STEN_CHANNELS)
		return cmd_trap(q, WEFT_STEN_TRAP_CHANNEL, channel);
	if (!r)
		return cmd_trap(q, WEFT_STEN_TRAP_ROUTE, sten_cmd_high(w));
	c = &q->ch[channel];
	again = c->state != STEN_IDLE && c->start == q->head;
	if (again && c->state != STEN_RETRY) {
		q->head = c->end;
		return CMD_NEXT;
	}
	if (!again && !sten_channel_free(q, channel))
		return CMD_STALL;
	if (s->holder && s->holder != q)
		return CMD_STALL;
	res = packet_collect(q, q->head + 1, &p, &end);
	if (res == CMD_STALL)
		sten_time_hold(s, q);
	else if (s->holder == q)
		s->holder = NULL;
	if (res == CMD_NEXT)
		res = packet_send(s, q, channel, r, &p);
	if (res != CMD_NEXT)
		return res;
	if (!again)
		c->left = (uint8_t)sten_cmd_arg(w);
	c->start = q->head;
	c->end = end;
	q->head = end;
	if (sten_modelled(s)) {
		c->ack = WEFT_STEN_ACK_OK;
		c->state = STEN_DONE;
	}
	return CMD_NEXT;
}

static enum cmd_result cmd_guard(struct sten_queue *q, uint64_t w)
{
	unsigned channel = sten_cmd_channel(w);
	const struct sten_channel *c;

	if (channel >= WEFT_STEN_CHANNELS)
		return cmd_trap(q, WEFT_STEN_TRAP_CHANNEL, channel);
	c = &q->ch[channel];
	if (c->state == STEN_SENT || c->state == STEN_RETRY)
		return CMD_STALL;
	q->skip = c->state == STEN_DONE && !(c->ack & sten_cmd_arg(w));
	q->head++;
	return CMD_NEXT;
}

/* ---- commands on own memory ---- */

static enum weft_sten_trap do_modify(struct weft_sten *s, unsigned ctx,
				     unsigned cmd, uint64_t address,
				     uint64_t value)
{
	unsigned like;
	weft_au64 *p;
	bool big;

	if (address % 8)
		return WEFT_STEN_TRAP_ALIGNMENT;
	p = sten_memory_translate(s, ctx, address, 8, WEFT_STEN_LOCAL_WRITE,
				  &like);
	if (!p)
		return WEFT_STEN_TRAP_MEMORY;
	big = like & WEFT_STEN_BIG_ENDIAN;
	if (cmd == WEFT_STEN_ADD_WORD)
		sten_word_add(p, value, big);
	else
		nic_event_post(p, sten_word_as(value, big));
	return WEFT_STEN_TRAP_NONE;
}

static enum weft_sten_trap do_copy(struct weft_sten *s, unsigned ctx,
				   uint64_t from, uint64_t to)
{
	void *src = sten_memory(s, ctx, from, 64, WEFT_STEN_LOCAL_READ);
	void *dst = sten_memory(s, ctx, to, 64, WEFT_STEN_LOCAL_WRITE);

	if (from % 64 || to % 64)
		return WEFT_STEN_TRAP_ALIGNMENT;
	if (!src || !dst)
		return WEFT_STEN_TRAP_MEMORY;
	memmove(dst, src, 64);
	return WEFT_STEN_TRAP_NONE;
}

static enum weft_sten_trap
do_command(struct weft_sten *s, const struct sten_queue *q, const uint64_t *w)
{
	unsigned ctx = q->context;

	switch (sten_cmd(w[0])) {
	case WEFT_STEN_WRITE_WORD:
	case WEFT_STEN_ADD_WORD:
		return do_modify(s, ctx, sten_cmd(w[0]), w[1], w[2]);
	case WEFT_STEN_COPY64:
		return do_copy(s, ctx, w[1], w[2]);
	case WEFT_STEN_SET_EVENT:
		return sten_event_set(s, ctx, w[1], sten_cmd_high(w[0]),
				      WEFT_STEN_LOCAL_WRITE);
	case WEFT_STEN_WAIT_EVENT:
		return sten_event_wait(s, ctx, w);
	case WEFT_STEN_RUN_DMA:
		return sten_dma_start(s, ctx, w + 1);
	case WEFT_STEN_RUN_THREAD:
		return sten_thread_start(s, ctx, q->flags, w);
	case WEFT_STEN_INTERRUPT:
		if (s->interrupt)
			s->interrupt(s->arg, ctx, w[1]);
		return WEFT_STEN_TRAP_NONE;
	default:
		return WEFT_STEN_TRAP_NONE;
	}
}

/* Words and permission of each command; 0 words: no such command. */
static const struct {
	uint8_t words;
	uint8_t perm;
} commands[] = {
	[WEFT_STEN_NOP] = { 1, 0 },
	[WEFT_STEN_OPEN_PACKET] = { 1, WEFT_STEN_MAY_STEN },
	[WEFT_STEN_WRITE_WORD] = { 3, WEFT_STEN_MAY_WRITE },
	[WEFT_STEN_ADD_WORD] = { 3, WEFT_STEN_MAY_MODIFY },
	[WEFT_STEN_COPY64] = { 3, WEFT_STEN_MAY_MODIFY },
	[WEFT_STEN_GUARD] = { 1, WEFT_STEN_MAY_STEN },
	[WEFT_STEN_SET_EVENT] = { 2, WEFT_STEN_MAY_EVENT },
	[WEFT_STEN_WAIT_EVENT] = { 5, WEFT_STEN_MAY_WAIT },
	[WEFT_STEN_RUN_DMA] = { 8, WEFT_STEN_MAY_DMA },
	[WEFT_STEN_RUN_THREAD] = { 7, WEFT_STEN_MAY_THREAD },
	[WEFT_STEN_INTERRUPT] = { 2, WEFT_STEN_MAY_INTR },
};

/* A guard failed: skips the next command. */
static enum cmd_result cmd_skip(struct sten_queue *q, unsigned cmd)
{
	struct sten_packet p;
	enum cmd_result res;
	uint64_t end = q->head + commands[cmd].words;

	if (cmd == WEFT_STEN_OPEN_PACKET) {
		res = packet_collect(q, q->head + 1, &p, &end);
		if (res != CMD_NEXT)
			return res;
	}
	q->skip = false;
	q->head = end;
	return CMD_NEXT;
}

static enum cmd_result cmd_step(struct weft_sten *s, struct sten_queue *q)
{
	uint64_t w[8];
	enum weft_sten_trap t;
	unsigned cmd;

	if (q->head == q->tail)
		return CMD_STALL;
	w[0] = cq_word(q, q->head);
	cmd = sten_cmd(w[0]);
	if (cmd >= WEFT_COUNT_OF(commands) || !commands[cmd].words)
		return cmd_trap(q, WEFT_STEN_TRAP_COMMAND, w[0]);
	if ((q->perm & commands[cmd].perm) != commands[cmd].perm)
		return cmd_trap(q, WEFT_STEN_TRAP_PERMISSION, w[0]);
	if (q->tail - q->head < commands[cmd].words)
		return CMD_STALL;
	if (q->skip)
		return cmd_skip(q, cmd);
	if (cmd == WEFT_STEN_OPEN_PACKET)
		return cmd_open(s, q, w[0]);
	if (cmd == WEFT_STEN_GUARD)
		return cmd_guard(q, w[0]);
	/* the message engine has no driver that could run it later */
	if (cmd == WEFT_STEN_RUN_DMA && s->engine &&
	    weft_list_empty(&s->dma_free))
		return CMD_STALL;
	for (unsigned i = 1; i < commands[cmd].words; i++)
		w[i] = cq_word(q, q->head + i);
	q->head += commands[cmd].words;
	t = do_command(s, q, w);
	return t ? cmd_trap(q, t, w[1]) : CMD_NEXT;
}

/* Executes one queue until it is empty or stalls; returns the commands. */
int sten_tx_queue(struct weft_sten *s, struct sten_queue *q)
{
	int count = 0;

	while (!q->trap && cmd_step(s, q) == CMD_NEXT)
		count++;
	return count;
}

/* High priority first; a queue that stalls stays in the run list. */
int sten_tx_run(struct weft_sten *s, int budget)
{
	struct weft_list todo;
	struct weft_list *pos;
	int count = 0;

	for (int prio = 1; prio >= 0; prio--) {
		weft_list_init(&todo);
		weft_list_splice_back(&todo, &s->run[prio]);
		while ((pos = weft_list_pop_front(&todo))) {
			struct sten_queue *q =
				weft_container_of(pos, struct sten_queue, run);

			if (count < budget)
				count += sten_tx_queue(s, q);
			if (q->head != q->tail)
				sten_queue_wake(s, q);
		}
	}
	return count;
}

/* ---- acknowledgements ---- */

void sten_channel_restart(struct weft_sten *s, struct sten_queue *q,
			  struct sten_channel *c)
{
	if (!c->left) {
		sten_queue_trap(q, WEFT_STEN_TRAP_FAIL_COUNT, c->start);
		return;
	}
	if (c->left != STEN_FOREVER)
		c->left--;
	q->restarts++;
	s->stats.restarts++;
	c->state = STEN_RETRY;
	if (c->start < q->head) {
		q->head = c->start;
		q->skip = false;
	}
}

static void channel_ack(struct weft_sten *s, struct sten_queue *q,
			struct sten_channel *c, unsigned ack)
{
	c->ack = (uint8_t)ack;
	c->state = STEN_DONE;
	if (ack == WEFT_STEN_ACK_DISCARD)
		sten_channel_restart(s, q, c);
	else if (ack == WEFT_STEN_ACK_ERROR && !s->engine)
		sten_queue_trap(q, WEFT_STEN_TRAP_ACK_ERROR, c->start);
	if (q->head != q->tail)
		sten_queue_wake(s, q);
}

void sten_tx_ack(struct weft_sten *s, struct weft_peer *src, uint32_t id,
		 unsigned ack)
{
	struct sten_queue *q = sten_queue(s, id & STEN_ID_INDEX);
	struct sten_channel *c;

	if (q) {
		c = &q->ch[id & STEN_ID_CHANNEL ? 1 : 0];
		if (c->state == STEN_SENT && c->gen == id >> 16 &&
		    c->peer == src) {
			channel_ack(s, q, c, ack);
			return;
		}
	}
	s->stats.refused++;
}

static void queue_lost(struct weft_sten *s, struct sten_queue *q,
		       struct weft_peer *peer)
{
	for (unsigned i = 0; i < WEFT_STEN_CHANNELS; i++) {
		if ((q->ch[i].state == STEN_SENT ||
		     q->ch[i].state == STEN_RETRY) &&
		    q->ch[i].peer == peer)
			channel_ack(s, q, &q->ch[i], WEFT_STEN_ACK_ERROR);
	}
}

void sten_tx_lost(struct weft_sten *s, struct weft_peer *peer)
{
	for (unsigned n = 0; n < s->queues; n++) {
		if (s->queue[n])
			queue_lost(s, s->queue[n], peer);
	}
}
