/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generic machines (unit = generic): few keys are required, in the terms of
 * LogGP; the others have the default values of this table.
 */
#include "prov/net/file/net_file_int.h"
#include "prov/net/routing/net_topo.h"

#include <string.h>

/* Required keys, besides name, unit and topology. */
static const char *const required[] = {
	"shape", "link", "hop", "o_send", "o_recv", "latency",
};

/* Default values, all assumed. */
static const struct {
	const char *key, *value;
} defaults[] = {
	{ "cycle", "1 ns" },
	/* MTU of InfiniBand and Slingshot; header: InfiniBand, local routing */
	{ "payload", "4096 B" },
	{ "chunk", "32 B" },
	{ "header", "26 B" },
	{ "trailer", "0 B" },
	{ "token", "20 ns" },
	{ "buffer", "16 packets" },
	{ "bubble", "2" },
	{ "inject_fifos", "1" },
	{ "inject_depth", "4 packets" },
	{ "local", "100 ns" },
	{ "eager", "8 KiB" },
	/* payload, less the header of a message */
	{ "message_packet", "4064 B" },
	{ "atomic", "50 ns" },
	{ "poll", "25 ns" },
	{ "wtime", "20 ns" },
	{ "ranks_per_node", "1" },
	/* pairwise exchanges would wait for one rendezvous after the other */
	{ "choose_alltoall", "4- 32K- random" },
	{ "order", "longest" },
	{ "zone0", "longest" },
	{ "zone1", "any" },
	{ "zone2", "order" },
	{ "zone3", "order" },
};

/* Keys that set others, and the keys that must then be absent. */
static const struct {
	const char *key, *other;
} pairs[] = {
	{ "o_send", "send" },
	{ "o_recv", "recv" },
	{ "latency", "inject" },
	{ "latency", "receive" },
	{ "G", "injection" },
	{ "G", "reception" },
	{ "buffer", "tokens_deterministic" },
};

bool file_generic_requires(const char *key, const struct net_config *cfg)
{
	if (cfg->topology == NET_GRAPH && !strcmp(key, "shape"))
		return false;
	if (cfg->topology == NET_GRAPH && !strcmp(key, "graph"))
		return true;
	if (cfg->topology == NET_DRAGONFLY_PLUS && !strcmp(key, "spines"))
		return true;
	if (!strcmp(key, "name") || !strcmp(key, "unit") ||
	    !strcmp(key, "topology"))
		return true;
	for (unsigned i = 0; i < WEFT_COUNT_OF(required); i++)
		if (!strcmp(key, required[i]))
			return true;
	return false;
}

const char *file_generic_default(const char *key)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(defaults); i++)
		if (!strcmp(key, defaults[i].key))
			return defaults[i].value;
	return NULL;
}

/* Keys that have a meaning only for some topologies. */
static const struct {
	const char *key;
	unsigned topologies; /* bits of the topologies that have the key */
	const char *names;
} owned[] = {
	{ "parents", 1u << NET_GEN_FAT_TREE, "topology = gen-fat-tree" },
	{ "global_links", 1u << NET_DRAGONFLY | 1u << NET_DRAGONFLY_PLUS,
	  "topology = dragonfly and dragonfly+" },
	{ "spines", 1u << NET_DRAGONFLY_PLUS, "topology = dragonfly+" },
	{ "graph", 1u << NET_GRAPH, "topology = graph" },
	{ "shape", ~(1u << NET_GRAPH), "other topologies than graph" },
};

static int check_owned(const struct file_doc *doc, unsigned topology)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(owned); i++) {
		const struct file_line *l = file_doc_get(doc, owned[i].key);

		if (l && !(owned[i].topologies >> topology & 1))
			return file_fail_at(doc, l->line,
					    "%s is for %s; remove "
					    "the line",
					    owned[i].key, owned[i].names);
	}
	return 0;
}

/*
 * Refuses keys of levels above the last length of shape, because they would
 * have no effect.
 */
static int check_levels(const struct file_doc *doc)
{
	const struct file_line *parents = file_doc_get(doc, "parents");
	const struct file_line *shape = file_doc_get(doc, "shape");
	unsigned above = 1, levels = 1;

	if (!parents || !shape)
		return 0;
	for (const char *s = parents->value; *s; s++)
		above += *s == 'x';
	for (const char *s = shape->value; *s; s++)
		levels += *s == 'x';
	if (above <= levels)
		return 0;
	return file_fail_at(doc, parents->line,
			    "parents = %s has %u levels, shape = %s has %u",
			    parents->value, above, shape->value, levels);
}

int file_generic_topology(const struct file_doc *doc,
			  const struct net_config *cfg)
{
	int err = check_owned(doc, cfg->topology);

	return err ? err : check_levels(doc);
}

int file_generic_pairs(const struct file_doc *doc)
{
	const struct file_line *a, *b;

	for (unsigned i = 0; i < WEFT_COUNT_OF(pairs); i++) {
		a = file_doc_get(doc, pairs[i].key);
		b = file_doc_get(doc, pairs[i].other);
		if (a && b)
			return file_fail_at(doc, b->line,
					    "%s and %s (line %u) set the same "
					    "value; remove one of them",
					    pairs[i].other, pairs[i].key,
					    a->line);
	}
	return 0;
}

/*
 * Returns the number of queues of the dynamic channel: a power of two, at most
 * four, such that the ports of a switch have at most 112 queues in total.
 */
static uint32_t queues_of(const struct net_config *cfg)
{
	uint32_t ports = net_topo_ports(cfg), n = 4;

	if (net_is_switched(cfg) || cfg->topology == NET_TORUS)
		return 1;
	while (n > 1 && ports * n > FILE_QUEUES_MAX)
		n /= 2;
	return n;
}

static void set_buffers(struct net_config *cfg)
{
	uint32_t wire, packet;

	if (!cfg->chunk_bytes)
		return;
	wire = net_wire_bytes(cfg, cfg->payload_bytes / cfg->chunk_bytes);
	packet = net_wire_tokens(cfg, wire);
	for (unsigned vc = NET_VC_DET; vc < NET_VC_COLL0; vc++)
		if (!cfg->tokens[vc])
			cfg->tokens[vc] = cfg->buffer_packets;
	if (!cfg->tokens[NET_VC_DYN]) {
		cfg->tokens[NET_VC_DYN] = packet * cfg->buffer_packets;
		/*
		 * the token counter of the dynamic channel has a maximum of
		 * 4095
		 */
		if (cfg->tokens[NET_VC_DYN] > 4095)
			cfg->tokens[NET_VC_DYN] = 4095 / packet * packet;
	}
	if (!cfg->dyn_queues)
		cfg->dyn_queues = queues_of(cfg);
}

void file_generic_set(struct net_config *cfg)
{
	struct net_path *path = &cfg->path[0];
	uint64_t byte = cfg->byte_ps_x1000;

	if (cfg->latency_ps) {
		path->inject_ps = cfg->latency_ps / 2;
		path->receive_ps = cfg->latency_ps - path->inject_ps;
	}
	if (!byte)
		byte = cfg->link_end_ps_x1000 ? cfg->link_end_ps_x1000
					      : cfg->link_ps_per_byte_x1000;
	if (!path->injection_ps_per_byte_x1000)
		path->injection_ps_per_byte_x1000 = byte;
	if (!path->reception_ps_per_byte_x1000)
		path->reception_ps_per_byte_x1000 = byte;
	path->cut_through = 1;
	set_buffers(cfg);
}
