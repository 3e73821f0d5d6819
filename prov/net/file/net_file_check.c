/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constraints between several values of a machine file. A message names the
 * file, the keys, their values and the limit.
 */
#include "prov/net/file/net_file_int.h"
#include "prov/net/routing/net_topo.h"

#include <errno.h>

static double ns(uint64_t ps)
{
	return (double)ps / 1000;
}

static int check_packets(const struct file_doc *doc, const struct net_config *c)
{
	uint32_t chunks = c->payload_bytes / c->chunk_bytes, ticks;

	if (c->payload_bytes % c->chunk_bytes)
		return file_fail(doc->why,
				 "%.200s: payload is not a multiple of chunk: "
				 "payload = %u B, chunk = %u B",
				 doc->name, c->payload_bytes, c->chunk_bytes);
	if (chunks > 128)
		return file_fail(doc->why,
				 "%.200s: payload is more than 128 chunks: "
				 "payload = %u B is %u chunks of %u B; use "
				 "chunk = %u B or more",
				 doc->name, c->payload_bytes, chunks,
				 c->chunk_bytes,
				 (c->payload_bytes + 127) / 128);
	ticks = net_wire_ticks(c, net_wire_bytes(c, chunks),
			       c->link_ps_per_byte_x1000);
	if (ticks > UINT16_MAX)
		return file_fail(doc->why,
				 "%.200s: a full packet (payload = %u B) "
				 "occupies a link for %u cycles; the limit is "
				 "65535: use a longer cycle than %g ns",
				 doc->name, c->payload_bytes, ticks,
				 ns(c->tick_ps));
	return 0;
}

/* Checks the buffers of the channels. */
static int check_buffers(const struct file_doc *doc, const struct net_config *c)
{
	uint32_t wire = net_wire_bytes(c, c->payload_bytes / c->chunk_bytes);
	uint32_t packet = net_wire_tokens(c, wire), least = 2 * packet;
	uint32_t have = c->tokens[NET_VC_DYN] + c->tokens_shared;

	if (have < least)
		return file_fail(doc->why,
				 "%.200s: tokens_dynamic is less than two "
				 "packets: %u tokens, and a packet of %u B on "
				 "the wire (payload, header, trailer) needs "
				 "%u; use %u or more",
				 doc->name, have, wire, packet, least);
	if (have < packet + c->inject_room)
		return file_fail(doc->why,
				 "%.200s: inject_room leaves no tokens to "
				 "inject a packet: tokens_dynamic = %u, "
				 "inject_room = %u, and a packet needs %u",
				 doc->name, have, c->inject_room, packet);
	for (unsigned v = NET_VC_DET; v < NET_VC_COLL0 && !c->wormhole; v++)
		if (c->tokens[v] < c->bubble)
			return file_fail(doc->why,
					 "%.200s: a channel has fewer tokens "
					 "than bubble: no packet could enter a "
					 "ring: %u packets, bubble = %u; use a "
					 "larger buffer or tokens_%s",
					 doc->name, c->tokens[v], c->bubble,
					 v == NET_VC_DET    ? "deterministic"
					 : v == NET_VC_HIGH ? "high"
							    : "system");
	return 0;
}

/* Checks the number of queues of all ports. */
static int check_queues(const struct file_doc *doc, const struct net_config *c)
{
	uint32_t ports = net_topo_ports(c), queues = 1, most;

	if (ports > 64)
		return file_fail(doc->why,
				 "%.200s: a switch or router has %u ports by "
				 "shape%s; the limit is 64",
				 doc->name, ports,
				 c->topology == NET_TORUS ? ", links and "
							    "router_nodes"
							  : " and parents");
	if (net_is_switched(c))
		return 0;
	while (queues < c->dyn_queues + net_topo_rings(c))
		queues *= 2;
	if (ports * queues <= FILE_QUEUES_MAX)
		return 0;
	for (most = queues; most > 1 && ports * most > FILE_QUEUES_MAX;)
		most /= 2;
	if (most <= net_topo_rings(c))
		return file_fail(doc->why,
				 "%.200s: a router of a torus with %u ports "
				 "needs %u queues; the limit is %u",
				 doc->name, ports, ports * 2, FILE_QUEUES_MAX);
	return file_fail(
		doc->why,
		"%.200s: %u ports with %u queues each are too many "
		"(%u; the limit is %u): use dyn_queues = %u instead "
		"of %u%s",
		doc->name, ports, queues, ports * queues, FILE_QUEUES_MAX,
		most - net_topo_rings(c), c->dyn_queues,
		net_topo_rings(c) ? " (a torus has one more queue)" : "");
}

/* Checks the tokens of the links between a node and its router. */
static int check_end_tokens(const struct file_doc *doc,
			    const struct net_config *c)
{
	static const char *const keys[NET_VC_MAX] = {
		[NET_VC_DET] = "tokens_deterministic",
		[NET_VC_HIGH] = "tokens_high",
		[NET_VC_SYS] = "tokens_system",
		[NET_VC_COLL0] = "tokens_coll0",
		[NET_VC_COLL1] = "tokens_coll1",
	};
	const struct file_line *item;

	for (unsigned vc = NET_VC_DET; vc < NET_VC_MAX; vc++) {
		item = file_doc_get(doc, keys[vc]);
		if (item && c->tokens[vc] * c->tokens_end > 255)
			return file_fail_at(
				doc, item->line,
				"%s = %u with tokens_end = %u is %u packets "
				"between a node and its router; the limit is "
				"255",
				keys[vc], c->tokens[vc], c->tokens_end,
				c->tokens[vc] * c->tokens_end);
	}
	return 0;
}

/* Returns the latency of the longest cable, in ps. */
static uint64_t cable_ps(const struct net_config *c)
{
	uint64_t most = 0;

	for (unsigned d = 0; d < c->dims; d++)
		if (c->cable[d] > most)
			most = c->cable[d];
	return most * c->metre_ps;
}

/* Returns whether this machine may have class routes; see check_features(). */
static bool may_have_routes(const struct net_config *c)
{
	return c->routes && !net_is_switched(c) && strcmp(c->unit, "generic");
}

/* Checks the times of a node; least: two cycles, in ps. */
static int check_interface(const struct file_doc *doc,
			   const struct net_config *c, uint64_t least)
{
	const struct net_path *path = &c->path[0];
	bool is_short = path->inject_ps < least || path->receive_ps < least;

	if (is_short && c->latency_ps)
		return file_fail(doc->why,
				 "%.200s: latency = %g ns is less than four "
				 "cycles, %g ns (cycle = %g ns)",
				 doc->name, ns(c->latency_ps), ns(2 * least),
				 ns(c->tick_ps));
	if (is_short || (may_have_routes(c) && c->coll_inject_ps < least))
		return file_fail(doc->why,
				 "%.200s: inject = %g ns, receive = %g ns and "
				 "coll_inject = %g ns must be at least two "
				 "cycles, %g ns",
				 doc->name, ns(path->inject_ps),
				 ns(path->receive_ps), ns(c->coll_inject_ps),
				 ns(least));
	if (!c->memory.latency_ps)
		return 0;
	if (!c->memory.copy_ps_x1000 || !c->memory.total_ps_x1000)
		return file_fail(doc->why,
				 "%.200s: memory_latency needs lines for "
				 "memory_copy and memory_total",
				 doc->name);
	if (c->memory.latency_ps < least)
		return file_fail(doc->why,
				 "%.200s: memory_latency = %g ns is less than "
				 "two cycles, %g ns",
				 doc->name, ns(c->memory.latency_ps),
				 ns(least));
	return 0;
}

static int check_times(const struct file_doc *doc, const struct net_config *c)
{
	uint64_t least = 2 * (uint64_t)c->tick_ps;
	uint64_t back = c->token_ps + c->crossing_ps + cable_ps(c);

	if (c->hop_ps < c->tick_ps)
		return file_fail(doc->why,
				 "%.200s: hop must be at least one cycle: hop "
				 "= %g ns, cycle = %g ns",
				 doc->name, ns(c->hop_ps), ns(c->tick_ps));
	if (c->token_ps < c->tick_ps || back / c->tick_ps > 250)
		return file_fail(doc->why,
				 "%.200s: token + crossing must be 1 to 250 "
				 "cycles, with the longest cable: %g ns, and a "
				 "cycle is %g ns; use a longer cycle",
				 doc->name, ns(back), ns(c->tick_ps));
	return check_interface(doc, c, least);
}

static int check_features(const struct file_doc *doc,
			  const struct net_config *c)
{
	const struct {
		bool bad;
		const char *what;
	} rule[] = {
		{ c->credit_words &&
			  (!c->block_bytes || !c->block_header_bytes),
		  "credit_words is set, but block or block_header is missing" },
		{ c->barriers && !c->barrier_bytes,
		  "barriers is set, but barrier (bytes of a barrier packet) is "
		  "missing" },
		{ c->torus_fifos && (c->torus_fifos + 6 > c->inject_fifos ||
				     c->engines || c->ack_bytes),
		  "torus_fifos must be at most inject_fifos - 6, without "
		  "engines and acknowledgements" },
		{ c->router_nodes > 1 && !net_is_switched(c) &&
			  c->topology != NET_TORUS,
		  "router_nodes is not for fat trees: the first length of "
		  "shape is the number of nodes of a leaf switch" },
		{ c->routes_system > c->routes,
		  "routes_system is more than routes" },
		{ net_is_switched(c) && c->routes,
		  "routes: networks of switches have no class routes" },
		{ c->routes && !strcmp(c->unit, "generic"),
		  "routes: the generic interface has no class routes; its "
		  "collectives are messages (unit = mu has class routes)" },
		{ !net_is_switched(c) && c->path_rule,
		  "routing is for dragonfly, dragonfly+, hyperx and graph; "
		  "packets of trees and tori are adaptive" },
	};

	for (unsigned i = 0; i < WEFT_COUNT_OF(rule); i++)
		if (rule[i].bad)
			return file_fail(doc->why, "%.200s: %s", doc->name,
					 rule[i].what);
	return 0;
}

/*
 * Checks the limits of the model for which the functions above report no error.
 */
static int check_model(const struct file_doc *doc, const struct net_config *c)
{
	const char *bad = net_config_wrong(c);

	return bad ? file_fail(doc->why, "%.200s: %s", doc->name, bad) : 0;
}

/* Checks the limits of keys that depend on other keys. */
static int check_limits(const struct file_doc *doc, const struct net_config *c)
{
	if (c->topology == NET_TORUS && c->router_nodes > 8)
		return file_fail(doc->why,
				 "%.200s: router_nodes = %u; the limit on a "
				 "torus or mesh is 8",
				 doc->name, c->router_nodes);
	if (c->engines > c->inject_fifos)
		return file_fail(doc->why,
				 "%.200s: engines = %u is more than "
				 "inject_fifos = %u",
				 doc->name, c->engines, c->inject_fifos);
	return 0;
}

int file_check(const struct file_doc *doc, const struct net_config *c)
{
	int err = check_packets(doc, c);

	if (!err)
		err = check_buffers(doc, c);
	if (!err)
		err = check_queues(doc, c);
	if (!err)
		err = check_times(doc, c);
	if (!err)
		err = check_features(doc, c);
	if (!err)
		err = check_limits(doc, c);
	if (!err)
		err = check_end_tokens(doc, c);
	return err ? err : check_model(doc, c);
}
