/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs an experiment, from setup to result; see sim_run.h. */
#include "src/tools/sim/sim_int.h"
#include "prov/net/file/net_map.h"
#include "prov/net/file/net_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Number of slices of a run, after each of which progress is checked. */
#define SLICES 256u

static uint32_t packets_of(const struct net_config *cfg, uint64_t bytes)
{
	return bytes ? (uint32_t)((bytes + cfg->payload_bytes - 1) /
				  cfg->payload_bytes)
		     : 1;
}

double sim_link_rate(const struct net_config *cfg, uint64_t bytes)
{
	uint32_t packets = packets_of(cfg, bytes), chunks, last;
	uint64_t rate = cfg->link_ps_per_byte_x1000, ticks;

	chunks = cfg->payload_bytes / cfg->chunk_bytes;
	last = (uint32_t)(bytes - (packets - 1ull) * cfg->payload_bytes);
	last = (last + cfg->chunk_bytes - 1) / cfg->chunk_bytes;
	ticks = (packets - 1ull) *
			net_wire_ticks(cfg, net_wire_bytes(cfg, chunks), rate) +
		net_wire_ticks(cfg, net_wire_bytes(cfg, last), rate) +
		(uint64_t)packets * cfg->protocol_ticks;
	return (double)bytes * 1e6 / (double)(ticks * cfg->tick_ps);
}

/* Returns the number of ports of all nodes and switches. */
static uint64_t link_ends(const struct net_config *cfg)
{
	struct net_group g;
	uint64_t n = 0;

	for (unsigned i = 0; i < net_groups(cfg); i++) {
		net_group(cfg, i, &g);
		n += (uint64_t)g.count * g.ports;
	}
	return n;
}

/* Returns how many packets the buffers and FIFOs of all nodes can hold. */
static uint32_t packets_max(const struct sim *s)
{
	const struct net_config *c = &s->spec->cfg;
	uint64_t each = net_is_switched(c)
				? (uint64_t)c->vcs * c->tokens[NET_VC_DET]
				: c->tokens[0] / 4ull;
	uint64_t buffers = link_ends(c) * (each + 8);
	uint64_t fifos =
		s->fifos * ((uint64_t)c->inject_depth + SIM_FIFO_DEPTH + 4);
	uint64_t all =
		buffers + fifos * net_shape_nodes(c) * net_partitions(c) + 4096;

	return all < (1u << 26) ? (uint32_t)all : 1u << 26;
}

static int open_net(struct sim *s)
{
	uint32_t room = packets_max(s);
	struct weft_fault_plan_why why;
	int err;

	s->net_bytes = net_bytes(&s->spec->cfg, room);
	s->net = mmap(NULL, s->net_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->net == MAP_FAILED) {
		s->net = NULL;
		return -ENOMEM;
	}
	madvise(s->net, s->net_bytes, MADV_HUGEPAGE);
	err = net_open(s->net, s->net_bytes, &s->spec->cfg, room);
	if (err || !s->spec->plan)
		return err;
	err = net_fault_load(s->net, s->spec->plan_name, s->spec->plan, &why);
	if (err)
		fprintf(stderr, "weft-sim: --faults: %s\n", why.text);
	return err;
}

static int setup(struct sim *s)
{
	const struct sim_spec *spec = s->spec;
	uint32_t nodes =
		net_shape_nodes(&spec->cfg) * net_partitions(&spec->cfg);
	int err;

	s->fifos = spec->fifos ? spec->fifos : spec->cfg.inject_fifos;
	s->message_free = UINT32_MAX;
	s->source = calloc(nodes, sizeof(*s->source));
	s->busy = calloc((size_t)nodes * s->fifos, 1);
	err = s->source && s->busy ? open_net(s) : -ENOMEM;
	if (!err)
		err = spec->slow_times
			      ? net_link_rate(s->net, spec->slow_node,
					      spec->slow_port,
					      spec->cfg.link_ps_per_byte_x1000 *
						      spec->slow_times)
			      : 0;
	if (!err)
		err = sim_traffic_open(&s->traffic, &spec->cfg, spec->pattern,
				       spec->hot_part, spec->seed);
	if (err)
		return err;
	s->exchange_messages =
		spec->messages ? spec->messages : s->traffic.nodes - 1;
	s->r->nodes = nodes;
	s->r->ports = net_ports(s->net);
	s->r->places = net_nodes(s->net);
	s->r->peak = sim_link_rate(&spec->cfg, spec->bytes) /
		     sim_traffic_load(&s->traffic);
	s->r->link =
		calloc((size_t)s->r->places * s->r->ports, sizeof(*s->r->link));
	sim_hist_clear(&s->r->latency);
	return s->r->link ? 0 : -ENOMEM;
}

static void run_begin(struct sim *s)
{
	if (s->spec->mode == SIM_OPEN) {
		s->r->offered = s->spec->load * s->r->peak;
		s->gap_ps = (double)s->spec->bytes * 1e6 / s->r->offered;
		for (uint32_t n = 0; n < s->r->nodes; n++) {
			weft_rng_init(&s->source[n].rng, s->spec->seed ^ 0x5eed,
				      n);
			sim_set_timer(s, n);
		}
	} else if (s->spec->mode == SIM_EXCHANGE) {
		for (uint32_t n = 0; n < s->r->nodes; n++) {
			s->source[n].left = s->exchange_messages;
			sim_begin_exchange(s, n);
		}
	} else {
		for (uint32_t w = 0; w < s->spec->window; w++)
			for (uint32_t n = 0; n < s->r->nodes; n++)
				sim_create_message(s, 0, n);
	}
}

/*
 * Stores the counters of all ports at the start of counting; subtracts the
 * stored values at the end.
 */
static void read_links(struct sim *s, bool end)
{
	struct net_port_count c, *keep;

	for (uint32_t n = 0; n < s->r->places; n++)
		for (uint32_t p = 0; p < s->r->ports; p++) {
			struct sim_link *l =
				&s->r->link[(size_t)n * s->r->ports + p];

			net_port_get(s->net, n, p, &c);
			keep = &l->count;
			l->node = n;
			l->port = p;
			l->there = net_neighbour(s->net, n, p) >= 0;
			net_fault_port_get(s->net, n, p, &l->fault);
			if (end) {
				c.packets -= keep->packets;
				c.chunks -= keep->chunks;
				/*
				 * Packets are counted on arrival and
				 * acknowledgements on departure, so the counter
				 * can decrease by up to the time of one packet.
				 */
				c.busy_ps = c.busy_ps > keep->busy_ps
						    ? c.busy_ps - keep->busy_ps
						    : 0;
				c.received -= keep->received;
				c.queued_ps -= keep->queued_ps;
			}
			*keep = c;
		}
}

/* Sets counter i of all ports to count the chunks of channel i, from now on. */
static void channels_begin(struct sim *s)
{
	for (uint32_t n = 0; n < s->r->places && s->spec->channels; n++)
		for (uint32_t p = 0; p < s->r->ports; p++)
			for (unsigned i = 0; i < SIM_CHANNELS; i++)
				net_counter_set(s->net, n, p, i, 1u << i);
}

static void channels_end(struct sim *s)
{
	for (uint32_t n = 0; n < s->r->places && s->spec->channels; n++)
		for (uint32_t p = 0; p < s->r->ports; p++)
			for (unsigned i = 0; i < SIM_CHANNELS; i++)
				s->r->channel[i] +=
					net_counter_get(s->net, n, p, i);
}

/* Returns whether packets are in flight but none moved in a slice. */
static bool is_stalled(struct sim *s, const struct net_count *before)
{
	struct net_count c;

	net_count_get(s->net, &c);
	return c.hops == before->hops && c.delivered == before->delivered &&
	       c.injected > c.delivered && net_deadlock_check(s->net);
}

/* Runs until `to` and shows progress. whole: duration of the whole run. */
static void run_to(struct sim *s, uint64_t to, uint64_t whole)
{
	uint64_t now = 0, slice = whole / SLICES + 1;
	struct net_count before, after;

	net_count_get(s->net, &after);
	now = after.now;
	while (!s->err && now < to) {
		before = after;
		now = net_run(s->net, now + slice < to ? now + slice : to,
			      &sim_up, s, &s->stop);
		net_count_get(s->net, &after);
		if (is_stalled(s, &before))
			sim_fail(s, -EDEADLK);
		sim_progress_show(&s->progress, (double)now / (double)whole,
				  after.hops);
	}
}

/* Runs an exchange to its end; its duration is not known in advance. */
static void run_exchange(struct sim *s)
{
	double all = (double)s->exchange_messages * s->r->nodes;
	uint64_t next;
	struct net_count before, after;

	net_count_get(s->net, &after);
	while (!s->err && s->in_flight) {
		before = after;
		next = net_next(s->net);
		if (next == NET_NEVER) {
			sim_fail(s, -EDEADLK);
			break;
		}
		net_run(s->net, next + 10000000, &sim_up, s, &s->stop);
		net_count_get(s->net, &after);
		if (is_stalled(s, &before))
			sim_fail(s, -EDEADLK);
		sim_progress_show(&s->progress, (double)s->r->messages / all,
				  after.hops);
	}
}

static void measure(struct sim *s)
{
	const struct sim_spec *spec = s->spec;
	uint64_t whole = spec->warm_ps + spec->time_ps;

	if (spec->mode == SIM_EXCHANGE) {
		s->count_to = NET_NEVER;
		channels_begin(s);
		run_begin(s);
		run_exchange(s);
		s->r->time_ps = s->last_at;
	} else {
		s->count_from = spec->warm_ps;
		s->count_to = whole;
		run_begin(s);
		run_to(s, spec->warm_ps, whole);
		read_links(s, false);
		channels_begin(s);
		net_count_get(s->net, &s->before);
		run_to(s, whole, whole);
		s->r->time_ps = spec->time_ps;
	}
	read_links(s, spec->mode != SIM_EXCHANGE);
	channels_end(s);
}

static void conclude(struct sim *s)
{
	struct sim_result *r = s->r;
	uint64_t delivered;

	net_count_get(s->net, &r->count);
	r->faults = net_fault_count_get(s->net, &r->fault);
	r->accepted = r->time_ps ? (double)s->bytes_in * 1e6 /
					   (double)r->time_ps / r->nodes
				 : 0;
	if (s->spec->mode != SIM_OPEN)
		r->offered = r->accepted;
	delivered = r->count.delivered - s->before.delivered;
	r->hops = delivered ? (double)(r->count.hops - s->before.hops) /
				      (double)delivered
			    : 0;
	for (uint32_t n = 0; n < r->nodes; n++)
		r->waiting += s->source[n].backlog.count;
	if (!s->err)
		s->err = net_check(s->net);
}

static void teardown(struct sim *s)
{
	for (uint32_t n = 0; n < s->r->nodes && s->source; n++)
		free(s->source[n].backlog.created);
	free(s->source);
	free(s->busy);
	free(s->message);
	sim_traffic_close(&s->traffic);
	if (s->net)
		munmap(s->net, s->net_bytes);
}

/* Returns the CPU time of this thread. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int sim_run(const struct sim_spec *spec, struct sim_result *r)
{
	struct sim s = { .spec = spec, .r = r };
	uint64_t began;

	memset(r, 0, sizeof(*r));
	s.err = setup(&s);
	if (!s.err) {
		began = cpu_ns();
		sim_progress_begin(&s.progress, spec->label);
		measure(&s);
		sim_progress_end(&s.progress);
		r->cpu_ns = cpu_ns() - began;
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
