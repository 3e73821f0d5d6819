/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The experiment: see sim_run.h. A message is a record in a table; its number
 * is the cookie that the network hands back. Sources are bounded by FIFO: two
 * messages each, the rest waits in a queue of birth times at the node.
 */
#include "src/sim/sim_run.h"
#include "src/sim/sim_progress.h"
#include "prov/net/net_map.h"
#include "src/base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIFO_DEPTH 2u
#define SLICES	   256u

struct message {
	uint64_t born;
	uint32_t src;
	uint32_t next; /* free record */
	uint16_t fifo;
};

/* Birth times of messages that wait at a node, a ring that grows. */
struct backlog {
	uint64_t *born;
	uint32_t head, count, room;
};

struct source {
	struct backlog backlog;
	struct weft_rng rng; /* of its times */
	uint64_t next_at;    /* open loop: in 1/1024 ps */
	uint32_t turn;	     /* FIFO that is looked at first */
	uint32_t left;	     /* exchange: messages not yet drawn */
};

struct sim {
	const struct sim_spec *spec;
	struct sim_result *r;
	struct net *net;
	size_t net_bytes;
	struct sim_traffic traffic;
	struct source *source;
	uint8_t *busy; /* messages in each FIFO of each node */
	struct message *message;
	uint32_t message_room, message_free;
	uint32_t fifos;
	uint64_t under_way;
	uint64_t bytes_in; /* delivered while counting */
	double gap_ps;	   /* open loop: mean between messages of a node */
	uint64_t count_from, count_to, last_at;
	bool stop;
	int err;
	struct sim_progress progress;
};

/* ---- sending ------------------------------------------------------------- */

static uint32_t message_take(struct sim *s)
{
	uint32_t at = s->message_free, room;
	struct message *grown;

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

static void message_give(struct sim *s, uint32_t at)
{
	s->message[at].next = s->message_free;
	s->message_free = at;
}

/* A FIFO with room, in turn; -1: none. */
static int fifo_find(struct sim *s, uint32_t node)
{
	struct source *src = &s->source[node];
	uint8_t *busy = s->busy + (size_t)node * s->fifos;

	for (uint32_t i = 0; i < s->fifos; i++) {
		uint32_t f = (src->turn + i) % s->fifos;

		if (busy[f] < FIFO_DEPTH) {
			src->turn = f + 1;
			return (int)f;
		}
	}
	return -1;
}

static void fail(struct sim *s, int err)
{
	if (!s->err)
		s->err = err;
	s->stop = true;
}

static void post(struct sim *s, uint64_t at, uint64_t born, uint32_t node,
		 uint32_t fifo)
{
	uint32_t id = message_take(s);
	struct net_msg msg = { .src = node, .bytes = s->spec->bytes,
			       .cookie = id, .fifo = fifo,
			       .way = s->spec->way, .zone = s->spec->zone };
	int err;

	if (id == UINT32_MAX) {
		fail(s, -ENOMEM);
		return;
	}
	s->message[id] = (struct message){ .born = born, .src = node,
					   .fifo = (uint16_t)fifo };
	msg.dst = sim_traffic_next(&s->traffic, node);
	err = net_send(s->net, at, &msg);
	if (err) {
		fail(s, err);
		return;
	}
	s->busy[(size_t)node * s->fifos + fifo]++;
	s->under_way++;
}

static void backlog_push(struct sim *s, struct backlog *b, uint64_t born)
{
	uint32_t room = b->room ? 2 * b->room : 16;
	uint64_t *grown;

	if (b->count == b->room) {
		grown = malloc(room * sizeof(*grown));
		if (!grown) {
			fail(s, -ENOMEM);
			return;
		}
		for (uint32_t i = 0; i < b->count; i++)
			grown[i] = b->born[(b->head + i) & (b->room - 1)];
		free(b->born);
		b->born = grown;
		b->head = 0;
		b->room = room;
	}
	b->born[(b->head + b->count++) & (b->room - 1)] = born;
}

/* Something to send: into a FIFO if one has room. */
static void offer(struct sim *s, uint64_t at, uint32_t node)
{
	int fifo = fifo_find(s, node);

	if (fifo >= 0)
		post(s, at, at, node, (uint32_t)fifo);
	else
		backlog_push(s, &s->source[node].backlog, at);
}

/* ---- calls up ------------------------------------------------------------ */

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
	struct source *src = &s->source[node];
	struct backlog *b = &src->backlog;

	s->busy[(size_t)node * s->fifos + fifo]--;
	if (src->left) {
		src->left--;
		post(s, at, at, node, fifo);
	} else if (b->count) {
		post(s, at, b->born[b->head & (b->room - 1)], node, fifo);
		b->head = (b->head + 1) & (b->room - 1);
		b->count--;
	}
}

static void up_arrived(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct sim *s = arg;
	struct message *m = &s->message[cookie];

	if (at >= s->count_from && at < s->count_to) {
		sim_hist_add(&s->r->latency, at - m->born);
		s->r->messages++;
	}
	s->last_at = at;
	s->under_way--;
	node = m->src;
	message_give(s, (uint32_t)cookie);
	if (s->spec->mode == SIM_CLOSED)
		offer(s, at, node);
}

/*
 * Natural logarithm by the series of artanh: plain arithmetic, so that every
 * host draws the same times.
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

/* Draws the node's next birth; kept in 1/1024 ps so that no load is lost. */
static void set_timer(struct sim *s, uint32_t node)
{
	struct source *src = &s->source[node];
	double gap = -ln(1 - weft_rng_unit(&src->rng)) * s->gap_ps;
	int err;

	src->next_at += (uint64_t)(gap * 1024);
	err = net_timer(s->net, src->next_at >> 10, node);
	if (err)
		fail(s, err);
}

static void up_timer(void *arg, uint64_t at, uint64_t cookie)
{
	struct sim *s = arg;

	offer(s, at, (uint32_t)cookie);
	set_timer(s, (uint32_t)cookie);
}

static const struct net_up up = {
	.packet = up_packet,
	.arrived = up_arrived,
	.sent = up_sent,
	.timer = up_timer,
};

/* ---- the run ------------------------------------------------------------- */

static uint32_t packets_of(const struct net_config *cfg, uint64_t bytes)
{
	return bytes ? (uint32_t)((bytes + cfg->payload_bytes - 1) /
				  cfg->payload_bytes) : 1;
}

double sim_link_rate(const struct net_config *cfg, uint64_t bytes)
{
	uint64_t full = bytes / cfg->payload_bytes, rest, wire, ticks;
	uint32_t packets = packets_of(cfg, bytes);

	rest = bytes % cfg->payload_bytes;
	rest = (rest + cfg->chunk_bytes - 1) / cfg->chunk_bytes *
	       cfg->chunk_bytes;
	wire = full * cfg->payload_bytes + rest +
	       packets * (uint64_t)(cfg->header_bytes + cfg->trailer_bytes);
	ticks = (wire + cfg->link_bytes_per_tick - 1) /
			cfg->link_bytes_per_tick +
		(uint64_t)packets * cfg->protocol_ticks;
	return (double)bytes * 1e6 / (double)(ticks * cfg->tick_ps);
}

/* Room for what the buffers and FIFOs of all nodes can hold at once. */
static uint32_t packets_max(const struct sim *s)
{
	const struct net_config *c = &s->spec->cfg;
	uint64_t buffers = 2ull * c->dims * (c->tokens[0] / 4 + 8);
	uint64_t fifos = s->fifos * ((uint64_t)c->inject_depth +
		FIFO_DEPTH + 4);
	uint64_t all = (buffers + fifos) * net_shape_nodes(c) + 4096;

	return all < (1u << 26) ? (uint32_t)all : 1u << 26;
}

static int open_net(struct sim *s)
{
	uint32_t room = packets_max(s);

	s->net_bytes = net_bytes(&s->spec->cfg, room);
	s->net = mmap(NULL, s->net_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->net == MAP_FAILED) {
		s->net = NULL;
		return -ENOMEM;
	}
	madvise(s->net, s->net_bytes, MADV_HUGEPAGE);
	return net_open(s->net, s->net_bytes, &s->spec->cfg, room);
}

static int setup(struct sim *s)
{
	const struct sim_spec *spec = s->spec;
	uint32_t nodes = net_shape_nodes(&spec->cfg);
	int err;

	s->fifos = spec->fifos ? spec->fifos : spec->cfg.inject_fifos;
	s->message_free = UINT32_MAX;
	s->source = calloc(nodes, sizeof(*s->source));
	s->busy = calloc((size_t)nodes * s->fifos, 1);
	err = s->source && s->busy ? open_net(s) : -ENOMEM;
	if (!err)
		err = sim_traffic_open(&s->traffic, &spec->cfg, spec->pattern,
				       spec->hot_part, spec->seed);
	if (err)
		return err;
	s->r->nodes = nodes;
	s->r->ports = net_ports(s->net);
	s->r->peak = sim_link_rate(&spec->cfg, spec->bytes) /
		     sim_traffic_load(&s->traffic);
	s->r->link = calloc((size_t)nodes * s->r->ports, sizeof(*s->r->link));
	sim_hist_clear(&s->r->latency);
	return s->r->link ? 0 : -ENOMEM;
}

static void begin_open(struct sim *s)
{
	s->r->offered = s->spec->load * s->r->peak;
	s->gap_ps = (double)s->spec->bytes * 1e6 / s->r->offered;
	for (uint32_t n = 0; n < s->r->nodes; n++) {
		weft_rng_init(&s->source[n].rng, s->spec->seed ^ 0x5eed, n);
		set_timer(s, n);
	}
}

/* All at once: as many as the FIFOs take, the rest when they are read. */
static void begin_exchange(struct sim *s)
{
	uint32_t turns = s->spec->turns ? s->spec->turns : s->r->nodes - 1;
	int fifo;

	for (uint32_t n = 0; n < s->r->nodes; n++) {
		s->source[n].left = turns;
		while (s->source[n].left && (fifo = fifo_find(s, n)) >= 0) {
			s->source[n].left--;
			post(s, 0, 0, n, (uint32_t)fifo);
		}
	}
}

static void begin(struct sim *s)
{
	if (s->spec->mode == SIM_OPEN) {
		begin_open(s);
	} else if (s->spec->mode == SIM_EXCHANGE) {
		begin_exchange(s);
	} else {
		for (uint32_t w = 0; w < s->spec->window; w++)
			for (uint32_t n = 0; n < s->r->nodes; n++)
				offer(s, 0, n);
	}
}

/* Counters of all ports: taken at the beginning, subtracted at the end. */
static void read_links(struct sim *s, bool end)
{
	struct net_port_count c, *keep;

	for (uint32_t n = 0; n < s->r->nodes; n++)
		for (uint32_t p = 0; p < s->r->ports; p++) {
			struct sim_link *l =
				&s->r->link[(size_t)n * s->r->ports + p];

			net_port_get(s->net, n, p, &c);
			keep = &l->count;
			l->node = n;
			l->port = p;
			if (end) {
				c.packets -= keep->packets;
				c.chunks -= keep->chunks;
				c.busy_ps -= keep->busy_ps;
				c.received -= keep->received;
				c.queued_ps -= keep->queued_ps;
			}
			*keep = c;
		}
}

/* Nothing moved in a slice although packets are under way. */
static bool stands_still(struct sim *s, const struct net_count *before)
{
	struct net_count c;

	net_count_get(s->net, &c);
	return c.hops == before->hops && c.delivered == before->delivered &&
	       c.injected > c.delivered && net_stuck(s->net);
}

/* Runs to a time, with an eye on progress. span: of all, for the line. */
static void run_to(struct sim *s, uint64_t to, uint64_t whole)
{
	uint64_t now = 0, slice = whole / SLICES + 1;
	uint64_t wall = weft_now_ns();
	struct net_count before, after;

	net_count_get(s->net, &after);
	now = after.now;
	while (!s->err && now < to) {
		before = after;
		now = net_run(s->net, now + slice < to ? now + slice : to, &up,
			      s, &s->stop);
		net_count_get(s->net, &after);
		if (stands_still(s, &before))
			fail(s, -EDEADLK);
		sim_progress_show(&s->progress, (double)now / (double)whole,
				  (double)after.hops * 1e9 /
				  (double)(weft_now_ns() - wall + 1));
	}
}

/* All of an exchange; its length is not known before. */
static void run_out(struct sim *s)
{
	double all = (double)(s->spec->turns ? s->spec->turns
			      : s->r->nodes - 1) * s->r->nodes;
	uint64_t wall = weft_now_ns(), next;
	struct net_count before, after;

	net_count_get(s->net, &after);
	while (!s->err && s->under_way) {
		before = after;
		next = net_next(s->net);
		if (next == NET_NEVER) {
			fail(s, -EDEADLK);
			break;
		}
		net_run(s->net, next + 10000000, &up, s, &s->stop);
		net_count_get(s->net, &after);
		if (stands_still(s, &before))
			fail(s, -EDEADLK);
		sim_progress_show(&s->progress,
				  (double)s->r->messages / all,
				  (double)after.hops * 1e9 /
				  (double)(weft_now_ns() - wall + 1));
	}
}

static void measure(struct sim *s)
{
	const struct sim_spec *spec = s->spec;
	uint64_t whole = spec->warm_ps + spec->time_ps;

	if (spec->mode == SIM_EXCHANGE) {
		s->count_to = NET_NEVER;
		begin(s);
		run_out(s);
		s->r->time_ps = s->last_at;
	} else {
		s->count_from = spec->warm_ps;
		s->count_to = whole;
		begin(s);
		run_to(s, spec->warm_ps, whole);
		read_links(s, false);
		run_to(s, whole, whole);
		s->r->time_ps = spec->time_ps;
	}
	read_links(s, spec->mode != SIM_EXCHANGE);
}

static void conclude(struct sim *s)
{
	struct sim_result *r = s->r;

	net_count_get(s->net, &r->count);
	r->accepted = r->time_ps ? (double)s->bytes_in * 1e6 /
			(double)r->time_ps / r->nodes : 0;
	if (s->spec->mode != SIM_OPEN)
		r->offered = r->accepted;
	r->hops = r->count.delivered ? (double)r->count.hops /
			(double)r->count.delivered : 0;
	for (uint32_t n = 0; n < r->nodes; n++)
		r->waiting += s->source[n].backlog.count;
	if (!s->err)
		s->err = net_check(s->net);
}

static void teardown(struct sim *s)
{
	for (uint32_t n = 0; n < s->r->nodes && s->source; n++)
		free(s->source[n].backlog.born);
	free(s->source);
	free(s->busy);
	free(s->message);
	sim_traffic_close(&s->traffic);
	if (s->net)
		munmap(s->net, s->net_bytes);
}

int sim_run(const struct sim_spec *spec, struct sim_result *r)
{
	struct sim s = { .spec = spec, .r = r };
	uint64_t wall;

	memset(r, 0, sizeof(*r));
	s.err = setup(&s);
	if (!s.err) {
		wall = weft_now_ns();
		sim_progress_begin(&s.progress, spec->label);
		measure(&s);
		sim_progress_end(&s.progress);
		r->wall_ns = weft_now_ns() - wall;
		conclude(&s);
	}
	teardown(&s);
	return s.err;
}

void sim_result_close(struct sim_result *r)
{
	free(r->link);
	r->link = NULL;
}
