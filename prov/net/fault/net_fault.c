/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault plans in the model: memory layout, loading of a plan, activation of its
 * faults, counters. A fault that starts at time 0 is also detected at time 0;
 * net_fault_time.c schedules events for all other faults.
 */
#include "prov/net/fault/net_fault_int.h"

#include <errno.h>
#include <stdio.h>

/* ---- memory layout ------------------------------------------------------- */

static uint64_t reserve(uint64_t *off, uint64_t bytes)
{
	uint64_t at = *off;

	*off = (at + bytes + 63) & ~63ull;
	return at;
}

uint64_t net_fault_layout(struct net *net, const struct net_config *cfg,
			  uint64_t off)
{
	uint64_t links = (uint64_t)net->nodes * net->ports;

	net->off_fault = reserve(&off, sizeof(struct net_faults));
	net->off_fault_line =
		reserve(&off, cfg->faults * sizeof(struct net_fault_line));
	net->off_fault_link =
		reserve(&off, links * sizeof(struct net_fault_link));
	net->off_fault_node =
		reserve(&off, net->nodes * sizeof(struct net_fault_node));
	net->off_fault_hold =
		reserve(&off, (net->packets_max + 1ull) *
				      sizeof(struct net_fault_hold));
	return off;
}

static void init_codes(struct net *net)
{
	struct net_faults *f = net_faults(net);
	const struct net_reliability *care = &net->cfg.care;

	if (care->code == NET_CODE_CRC16 || care->code == NET_CODE_CRC32)
		weft_code_crc_init_tables(&f->crc, care->code == NET_CODE_CRC16
							   ? WEFT_CODE_CRC16
							   : WEFT_CODE_CRC32);
	weft_code_crc_init_tables(&f->link_crc, WEFT_CODE_CRC32);
	if (care->code == NET_CODE_RS1 || care->code == NET_CODE_RS5)
		weft_code_rs_init(&f->rs, care->code == NET_CODE_RS1 ? 1 : 5);
	if (care->fec)
		weft_code_rs_init(&f->fec, 14);
	if (care->end_code)
		weft_code_rs_init(&f->end_rs,
				  care->end_code == NET_CODE_RS1 ? 1 : 5);
}

void net_fault_init(struct net *net)
{
	uint64_t last = (uint64_t)net->nodes * net->ports;
	struct net_fault_link *l;
	uint32_t n, port, link;

	memset(net_faults(net), 0, sizeof(struct net_faults));
	memset(net_fault_link(net, 0, 0), 0, last * sizeof(*l));
	memset(net_fault_node(net, 0), 0,
	       net->nodes * sizeof(struct net_fault_node));
	memset(net_fault_hold(net, net->first_packet), 0,
	       (net->packets_max + 1ull) * sizeof(struct net_fault_hold));
	init_codes(net);
	for (n = 0; n < net->nodes; n++)
		for (port = 0; port < net->ports; port++) {
			link = net_links(net, n)[port];
			l = net_fault_link(net, n, port);
			l->burst = 1;
			l->spare = net->cfg.care.spare_bytes &&
				   net_fault_is_optical(net, n, port);
			if (link != NET_LINK_NONE)
				l->rate = net->rate[net_link_hop(net, link)
							    ->rate];
		}
}

/* ---- faults of the fault plan -------------------------------------------- */

/*
 * Applies a failure that exists from time 0, and which all nodes have detected.
 */
static void line_fail_at_start(struct net *net,
			       const struct net_fault_line *line)
{
	uint32_t n;
	unsigned port;

	for (n = 0; n < net->nodes; n++) {
		for (port = 0; port < net->ports; port++)
			if (net_fault_line_affects(net, line, n, port) &&
			    !net_fault_is_dead(net, n, port))
				net_fault_link_fail(net, n, port);
		net_fault_node_update(net, n);
	}
}

/*
 * Returns the inverse rate of a link that has lost lanes or is slowed down. A
 * link whose spare fibre replaces a lane keeps its rate.
 */
static uint64_t rate_of(const struct net *net,
			const struct net_fault_line *line, uint64_t rate)
{
	if (line->kind == WEFT_FAULT_LANES)
		return net->cfg.care.spare_bytes
			       ? rate
			       : rate * net->cfg.care.lanes / line->value;
	return rate * line->value / 1000;
}

/*
 * Computes the link's word (see net_link()) with and without the fault. A link
 * can have only one temporary fault (-EEXIST).
 */
static int link_prepare(struct net *net, const struct net_fault_line *line,
			uint32_t node, unsigned port)
{
	struct net_fault_link *l = net_fault_link(net, node, port);
	const uint32_t *word = &net_links(net, node)[port];
	int ret;

	if (l->word[1])
		return -EEXIST;
	l->word[0] = *word;
	ret = net_link_rate(net, node, port, rate_of(net, line, l->rate));
	l->word[1] = *word;
	if (!ret)
		ret = net_link_rate(net, node, port, l->rate);
	return ret;
}

/* Applies a fault to its links now, or prepares it if it starts later. */
static int set_links(struct net *net, const struct net_fault_line *line)
{
	struct net_fault_link *l;
	uint32_t n;
	unsigned port;
	int ret = 0;

	for (n = 0; n < net->nodes && !ret; n++)
		for (port = 0; port < net->ports && !ret; port++) {
			if (!net_fault_line_affects(net, line, n, port))
				continue;
			l = net_fault_link(net, n, port);
			if (!line->at_ps)
				net_fault_spare_use(net, line, l, true);
			if (line->at_ps || line->for_ps != WEFT_FAULT_FOREVER) {
				ret = link_prepare(net, line, n, port);
				if (!ret && !line->at_ps)
					net_links(net, n)[port] = l->word[1];
				continue;
			}
			l->rate = rate_of(net, line, l->rate);
			ret = net_link_rate(net, n, port, l->rate);
		}
	return ret;
}

/* ---- loading a fault plan ------------------------------------------------ */

static bool for_model(const struct weft_fault_entry *f)
{
	return f->kind < WEFT_FAULT_DEAD_PROCESSOR;
}

void net_fault_reserve(struct net_config *cfg,
		       const struct weft_fault_plan *plan)
{
	cfg->faults = 0;
	for (size_t i = 0; i < plan->count; i++)
		cfg->faults += net_is_switched(cfg)
				       ? for_model(&plan->fault[i])
				       : plan->fault[i].kind < WEFT_FAULT_LOSS;
}

static int line_error(struct weft_fault_plan_why *why, const char *name,
		      const struct weft_fault_entry *f, const char *what)
{
	snprintf(why->text, sizeof(why->text), "%.80s:%u: %.40s: %s", name,
		 f->line, f->target, what);
	return -EINVAL;
}

int net_fault_check(const struct net_config *cfg, const char *name,
		    const struct weft_fault_plan *plan,
		    struct weft_fault_plan_why *why)
{
	for (size_t i = 0; i < plan->count && net_is_switched(cfg); i++)
		if (for_model(&plan->fault[i]))
			return line_error(
				why, name, &plan->fault[i],
				"this network has no faults of links, nodes "
				"and memory; use dead-processor or "
				"dead-rank");
	return 0;
}

static uint64_t value_of(const struct weft_fault_entry *f)
{
	switch (f->kind) {
	case WEFT_FAULT_ERRORS:
	case WEFT_FAULT_MEMORY:
		return f->value >= 1 ? UINT64_MAX
				     : (uint64_t)(f->value * 0x1p64);
	case WEFT_FAULT_SLOW_LINK:
	case WEFT_FAULT_SLOW_NODE:
		return (uint64_t)(f->value * 1000 + 0.5);
	default:
		return (uint64_t)f->value;
	}
}

/* Schedules the start, detection and end of a fault at one node. */
static void schedule_node(struct net *net, uint32_t node, uint32_t i)
{
	const struct net_fault_line *line = &net_fault_lines(net)[i];
	uint64_t detect = net->cfg.care.detect_ps;

	if (line->at_ps)
		net_fault_phase_schedule(net, node, line->at_ps,
					 NET_FAULT_BEGINS, i);
	if (line->at_ps && net_fault_is_failure(line->kind) &&
	    detect < line->for_ps)
		net_fault_phase_schedule(net, node, line->at_ps + detect,
					 NET_FAULT_DETECTED, i);
	if (line->for_ps != WEFT_FAULT_FOREVER)
		net_fault_phase_schedule(net, node, line->at_ps + line->for_ps,
					 NET_FAULT_ENDS, i);
}

static void schedule_line(struct net *net, uint32_t i)
{
	const struct net_fault_line *line = &net_fault_lines(net)[i];
	bool links = net_fault_is_failure(line->kind) ||
		     line->target == NET_FAULT_ON_LINK;
	uint32_t n;
	unsigned port;

	if (!links) {
		schedule_node(net, 0, i);
		return;
	}
	for (n = 0; n < net->nodes; n++)
		for (port = 0; port < net->ports; port++)
			if (net_fault_line_affects(net, line, n, port)) {
				schedule_node(net, n, i);
				break;
			}
}

/*
 * Returns an error message if the links of the fault cannot work with this
 * number of lanes, otherwise NULL.
 */
static const char *lanes_error(const struct net *net,
			       const struct net_fault_line *line)
{
	const struct net_reliability *care = &net->cfg.care;
	uint32_t n;
	unsigned port;

	if (care->lanes < 2 || line->value > care->lanes)
		return "links of this machine have fewer lanes";
	if (!care->spare_bytes)
		return NULL;
	if (line->value + 1 != care->lanes)
		return "a link has one spare fibre, for one lane";
	for (n = 0; n < net->nodes; n++)
		for (port = 0; port < net->ports; port++)
			if (net_fault_line_applies(net, line, n, port) &&
			    !net_fault_is_optical(net, n, port))
				return "only links between midplanes have a "
				       "spare fibre";
	return NULL;
}

static int load_line(struct net *net, const char *name,
		     const struct weft_fault_entry *f,
		     struct weft_fault_plan_why *why)
{
	struct net_faults *all = net_faults(net);
	struct net_fault_line *line = &net_fault_lines(net)[all->count];
	const char *wrong;
	int ret = 0;

	*line = (struct net_fault_line){ .at_ps = f->at_ps,
					 .for_ps = f->for_ps,
					 .value = value_of(f),
					 .kind = (uint8_t)f->kind };
	wrong = net_fault_object_parse(net, f, line);
	if (!wrong && f->kind == WEFT_FAULT_LANES)
		wrong = lanes_error(net, line);
	if (wrong)
		return line_error(why, name, f, wrong);
	if (!f->at_ps) {
		if (net_fault_is_failure(line->kind))
			line_fail_at_start(net, line);
		else if (line->target == NET_FAULT_ON_CLASS)
			net_fault_set_class(net, line, true);
		else if (line->target == NET_FAULT_ON_NODE)
			net_fault_set_node(net, line, true);
	}
	if (line->kind == WEFT_FAULT_LANES ||
	    line->kind == WEFT_FAULT_SLOW_LINK)
		ret = set_links(net, line);
	if (ret)
		return line_error(
			why, name, f,
			ret == -EEXIST ? "another temporary line of the plan "
					 "changes this link; use one per link"
				       : "more than 8 different link rates");
	schedule_line(net, all->count++);
	return 0;
}

int net_fault_load(struct net *net, const char *name,
		   const struct weft_fault_plan *plan,
		   struct weft_fault_plan_why *why)
{
	int ret = 0;

	why->text[0] = 0;
	if (!net->off_fault)
		return 0;
	net_faults(net)->seed = plan->seed;
	for (size_t i = 0; i < plan->count && !ret; i++)
		if (for_model(&plan->fault[i]))
			ret = load_line(net, name, &plan->fault[i], why);
	return ret;
}

/* ---- counters ------------------------------------------------------------ */

bool net_fault_count_get(const struct net *net, struct net_fault_count *c)
{
	const struct net_fault_link *l;
	uint32_t n, port;

	memset(c, 0, sizeof(*c));
	if (!net->off_fault)
		return false;
	*c = net_faults(net)->sum;
	for (n = 0; n < net->nodes; n++) {
		c->corrected += net_fault_node(net, n)->corrected;
		for (port = 0; port < net->ports; port++) {
			l = net_fault_link(net, n, port);
			c->packets += l->tries;
			c->crc_mismatches += l->crc[0][0] != l->crc[0][1];
			c->crc_mismatches_system +=
				l->crc[1][0] != l->crc[1][1];
			c->retry_ps += l->retry_ticks * net->cfg.tick_ps;
		}
	}
	return true;
}

const char *net_fault_item(const struct net_fault_count *c, unsigned i,
			   uint64_t *value_p)
{
#define ITEM(name, field)                                     \
	{                                                     \
		name, offsetof(struct net_fault_count, field) \
	}
	static const struct {
		const char *name;
		size_t at;
	} item[] = {
		ITEM("packets on links with errors", packets),
		ITEM("bad packets detected", bad),
		ITEM("bad headers detected", header),
		ITEM("symbols corrected", symbols_corrected),
		ITEM("bits corrected by spare fibres", bits_corrected),
		ITEM("packets with undetected errors", escaped),
		ITEM("link retries", retries),
		ITEM("link retry time ps", retry_ps),
		ITEM("link retrainings", retrains),
		ITEM("packets discarded at target", discarded),
		ITEM("error responses received", error_events),
		ITEM("acknowledgement timeouts", timeouts),
		ITEM("network error messages", neterrs),
		ITEM("packets retransmitted by units", resends),
		ITEM("memory words corrected", corrected),
		ITEM("packets poisoned", poisoned),
		ITEM("units halted", halted),
		ITEM("detours", detours),
		ITEM("quiesce periods", quiesced),
		ITEM("alarms", alarms),
		ITEM("dead links", dead_links),
		ITEM("dead nodes", dead_nodes),
		ITEM("links with CRC mismatch", crc_mismatches),
		ITEM("links with CRC mismatch of system packets",
		     crc_mismatches_system),
		ITEM("lost messages", lost),
	};
#undef ITEM

	if (i >= WEFT_COUNT_OF(item))
		return NULL;
	memcpy(value_p, (const char *)c + item[i].at, sizeof(*value_p));
	return item[i].name;
}

void net_fault_port_get(const struct net *net, uint32_t node, unsigned port,
			struct net_fault_port *p)
{
	const struct net_fault_link *l;

	*p = (struct net_fault_port){ 0 };
	if (!net->off_fault)
		return;
	l = net_fault_link(net, node, port);
	p->packets = l->tries;
	p->bad = l->bad;
	p->escaped = l->escaped;
	p->detours = l->detours;
	p->retry_ps = l->retry_ticks * net->cfg.tick_ps;
	p->dead = l->state != NET_LINK_UP;
}

bool net_fault_node_dead(const struct net *net, uint32_t node)
{
	return net->off_fault && net_fault_node(net, node)->dead;
}

uint32_t net_fault_node_slowdown(const struct net *net, uint32_t node)
{
	uint32_t slow = net->off_fault ? net_fault_node(net, node)->slow : 0;

	return slow ? slow : 1000;
}
