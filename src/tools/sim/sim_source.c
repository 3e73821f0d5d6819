/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sources: the times at which nodes send, and the callbacks of the network. A
 * message is a record in a table; its index is the cookie of the callbacks.
 * Each FIFO holds two messages; further messages wait at the node in a queue of
 * creation times.
 */
#include "src/tools/sim/sim_int.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t message_alloc(struct sim *s)
{
	uint32_t at = s->message_free, room;
	struct sim_message *grown;

	if (at != UINT32_MAX) {
		s->message_free = s->message[at].next;
		return at;
	}
	room = s->message_room ? 2 * s->message_room : 1024;
	grown = realloc(s->message, room * sizeof(*grown));
	if (!grown)
		return UINT32_MAX;
	s->message = grown;
	for (at = s->message_room; at < room; at++)
		grown[at].next = at + 1 < room ? at + 1 : UINT32_MAX;
	s->message_free = s->message_room + 1;
	at = s->message_room;
	s->message_room = room;
	return at;
}

/* Returns a FIFO with room, round robin; -1: none. */
static int fifo_find(struct sim *s, uint32_t node)
{
	struct sim_source *src = &s->source[node];
	uint8_t *busy = s->busy + (size_t)node * s->fifos;

	for (uint32_t i = 0; i < s->fifos; i++) {
		uint32_t f = (src->next_fifo + i) % s->fifos;

		if (busy[f] < SIM_FIFO_DEPTH) {
			src->next_fifo = f + 1;
			return (int)f;
		}
	}
	return -1;
}

void sim_fail(struct sim *s, int err)
{
	if (!s->err)
		s->err = err;
	s->stop = true;
}

static void source_post(struct sim *s, uint64_t at, uint64_t created,
			uint32_t node, uint32_t fifo)
{
	uint32_t id = message_alloc(s);
	struct net_msg msg = { .src = node,
			       .bytes = s->spec->bytes,
			       .cookie = id,
			       .fifo = fifo,
			       .routing = s->spec->pattern == SIM_IO
						  ? NET_SYSTEM
						  : s->spec->routing,
			       .zone = s->spec->zone,
			       .spread = s->spec->spread,
			       .ack = s->spec->ack,
			       .path = s->spec->path };
	int err;

	if (id == UINT32_MAX) {
		sim_fail(s, -ENOMEM);
		return;
	}
	s->message[id] = (struct sim_message){ .created = created,
					       .src = node,
					       .fifo = (uint16_t)fifo };
	/* each message uses a different address */
	msg.address = s->traffic.drawn[node] * s->spec->bytes;
	msg.dst = sim_traffic_next(&s->traffic, node);
	err = net_send(s->net, at, &msg);
	if (err) {
		sim_fail(s, err);
		return;
	}
	s->busy[(size_t)node * s->fifos + fifo]++;
	s->in_flight++;
}

static void backlog_push(struct sim *s, struct sim_backlog *b, uint64_t created)
{
	uint32_t room = b->room ? 2 * b->room : 16;
	uint64_t *grown;

	if (b->count == b->room) {
		grown = malloc(room * sizeof(*grown));
		if (!grown) {
			sim_fail(s, -ENOMEM);
			return;
		}
		for (uint32_t i = 0; i < b->count; i++)
			grown[i] = b->created[(b->head + i) & (b->room - 1)];
		free(b->created);
		b->created = grown;
		b->head = 0;
		b->room = room;
	}
	b->created[(b->head + b->count++) & (b->room - 1)] = created;
}

void sim_create_message(struct sim *s, uint64_t at, uint32_t node)
{
	int fifo = fifo_find(s, node);

	if (fifo >= 0)
		source_post(s, at, at, node, (uint32_t)fifo);
	else
		backlog_push(s, &s->source[node].backlog, at);
}

/*
 * Posts the first messages of the node; the others are posted as FIFO entries
 * become free.
 */
void sim_begin_exchange(struct sim *s, uint32_t node)
{
	uint32_t *left = &s->source[node].left;
	int fifo;

	while (*left && (fifo = fifo_find(s, node)) >= 0) {
		--*left;
		source_post(s, 0, 0, node, (uint32_t)fifo);
	}
}

/* ---- callbacks of the network -------------------------------------------- */

static void up_packet(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		      uint64_t offset, uint32_t bytes)
{
	struct sim *s = arg;

	if (at >= s->count_from && at < s->count_to)
		s->bytes_in += bytes;
}

static void up_sent(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct sim *s = arg;
	uint32_t fifo = s->message[cookie].fifo;
	struct sim_source *src = &s->source[node];
	struct sim_backlog *b = &src->backlog;

	s->busy[(size_t)node * s->fifos + fifo]--;
	if (src->left) {
		src->left--;
		source_post(s, at, at, node, fifo);
	} else if (b->count) {
		source_post(s, at, b->created[b->head & (b->room - 1)], node,
			    fifo);
		b->head = (b->head + 1) & (b->room - 1);
		b->count--;
	}
}

/*
 * Completes a message that has arrived or is lost; in closed loop its source
 * sends the next message.
 */
static void message_done(struct sim *s, uint64_t at, uint64_t cookie)
{
	uint32_t node = s->message[cookie].src;

	s->last_at = at;
	s->in_flight--;
	s->message[(uint32_t)cookie].next = s->message_free;
	s->message_free = (uint32_t)cookie;
	if (s->spec->mode == SIM_CLOSED)
		sim_create_message(s, at, node);
}

static void up_arrived(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct sim *s = arg;

	if (at >= s->count_from && at < s->count_to) {
		sim_hist_add(&s->r->latency, at - s->message[cookie].created);
		s->r->messages++;
	}
	message_done(s, at, cookie);
}

static void up_lost(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct sim *s = arg;

	s->r->lost++;
	message_done(s, at, cookie);
}

/*
 * Returns the natural logarithm, by the series of artanh: plain arithmetic, so
 * that the result is the same on every host.
 */
static double ln(double x)
{
	double y, y2, term, sum = 0;
	int twos = 0;

	for (; x < 0.75; twos++)
		x *= 2;
	y = (x - 1) / (x + 1);
	y2 = y * y;
	term = y;
	for (int k = 1; k < 24; k += 2, term *= y2)
		sum += term / k;
	return 2 * sum - twos * 0.69314718055994530942;
}

/*
 * The time is stored in units of 1/1024 ps, so that rounding does not reduce
 * the load.
 */
void sim_set_timer(struct sim *s, uint32_t node)
{
	struct sim_source *src = &s->source[node];
	double gap = -ln(1 - weft_rng_unit(&src->rng)) * s->gap_ps;
	int err;

	src->next_at += (uint64_t)(gap * 1024);
	err = net_timer(s->net, src->next_at >> 10, node);
	if (err)
		sim_fail(s, err);
}

static void up_timer(void *arg, uint64_t at, uint64_t cookie)
{
	struct sim *s = arg;

	sim_create_message(s, at, (uint32_t)cookie);
	sim_set_timer(s, (uint32_t)cookie);
}

const struct net_up sim_up = {
	.packet = up_packet,
	.arrived = up_arrived,
	.lost = up_lost,
	.sent = up_sent,
	.timer = up_timer,
};
