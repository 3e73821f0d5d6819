/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generic machines and networks of switches in machine files: defaults, graphs,
 * refused files with their messages.
 */
#include "prov/net/file/net_file_int.h"
#include "prov/net/file/net_map.h"
#include "prov/net/routing/net_switches.h"
#include "test/support/net_fixture.h"
#include "test/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct net_config cfg;
static struct net_error_text why;

#define COMMON                                          \
	"name = n\nunit = generic\nlink = 100 Gbit/s\n" \
	"hop = 100 ns\no_send = 200 ns\n"               \
	"o_recv = 300 ns\nlatency = 600 ns\n"

#define TREE	  "topology = gen-fat-tree\nshape = 4x4\nparents = 1x2\n"
#define DRAGONFLY "topology = dragonfly\nshape = 9x4\nrouter_nodes = 2\n"

static int parse_at(const char *lines, const char *dims, uint32_t nodes)
{
	const struct net_spec want = { .dims = dims, .nodes = nodes };
	char text[4096];

	snprintf(text, sizeof(text), "%s", lines);
	return net_file_parse("m", text, strlen(text), &want, &cfg, &why);
}

static int parse(const char *lines)
{
	return parse_at(lines, NULL, 0);
}

/* Parses a file that must be refused with a message that contains `expected`.
 */
static void refuse(const char *lines, const char *expected)
{
	T_IS(parse(lines), -EINVAL);
	if (!strstr(why.text, expected))
		print_error("%s: expected %s\n", why.text, expected);
	T_NOT_NULL(strstr(why.text, expected));
	T_TRUE(!strncmp(why.text, "m:", 2));
}

/* ---- values -------------------------------------------------------------- */

static void loggp_values_set_the_interface(void **state)
{
	T_OK(parse(COMMON TREE
		   "gap = 20 ns\nG = 0.1 ns\nbuffer = 8 packets\n"));
	T_IS(cfg.send_ps, 200000);
	T_IS(cfg.recv_ps, 300000);
	T_IS(cfg.path[0].inject_ps, 300000);
	T_IS(cfg.path[0].receive_ps, 300000);
	T_IS(cfg.path[0].gap_ps, 20000);
	T_IS(cfg.path[0].injection_ps_per_byte_x1000, 100000);
	T_IS(cfg.path[0].reception_ps_per_byte_x1000, 100000);
	T_IS(cfg.path[0].cut_through, 1);
	T_IS(cfg.tokens[NET_VC_DET], 8);
	/* 4096 + 26 bytes are 129 chunks */
	T_IS(cfg.tokens[NET_VC_DYN], 8 * 129);
	T_IS(cfg.dyn_queues, 4);
	T_OK(net_config_check(&cfg));
}

static void without_g_the_interface_has_the_rate_of_its_link(void **state)
{
	T_OK(parse(COMMON TREE));
	T_IS(cfg.path[0].injection_ps_per_byte_x1000, 80000);
	T_OK(parse(COMMON DRAGONFLY "link_end = 200 Gbit/s\n"));
	T_IS(cfg.path[0].injection_ps_per_byte_x1000, 40000);
}

static void every_topology_has_working_defaults(void **state)
{
	static const char *const lines[] = {
		TREE,
		DRAGONFLY,
		"topology = fat-tree\nshape = 4x4x4\n",
		("topology = dragonfly+\nshape = 5x4\nspines = 2\n"
		 "router_nodes = 4\n"),
		"topology = hyperx\nshape = 4x4x2\nrouter_nodes = 2\n",
		"topology = torus\nshape = 4x4x4\n",
		"topology = mesh\nshape = 8x8\n",
		"topology = graph\ngraph = a -- b -- c -- a\n",
	};
	static const unsigned nodes[] = { 16, 72, 64, 80, 64, 64, 64, 3 };
	char text[2048];
	struct net_fixture e;

	for (unsigned i = 0; i < WEFT_COUNT_OF(lines); i++) {
		snprintf(text, sizeof(text), "%s%s", COMMON, lines[i]);
		T_OK(parse(text));
		net_fixture_open(&e, &cfg, 0);
		T_OK(net_fixture_send(&e, 0, 0, nodes[i] - 1, 100000));
		net_fixture_drain(&e);
		T_IS(e.arrived, 1);
		T_OK(net_check(e.net));
		net_fixture_close(&e);
	}
	T_OK(parse(COMMON "topology = torus\nshape = 4x4x4\n"));
	T_IS(cfg.wrap[2], 1);
	T_OK(parse(COMMON "topology = mesh\nshape = 4x4x4\n"));
	T_IS(cfg.wrap[2], 0);
}

/* Zero-load time of 64 bytes from leaf to leaf in a tree, computed by hand. */
static void a_tree_takes_the_time_by_hand(void **state)
{
	struct net_fixture e;

	T_OK(parse(COMMON TREE));
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 0, 15, 64));
	net_fixture_drain(&e);
	/*
	 * 300 ns to the engine; header and first chunk, 58 bytes, in 4.64 ns;
	 * four links of 100 ns; 90 bytes on the wire, 7.2 ns, in 8 cycles; 300
	 * ns to memory. The head may leave 8 ns, the time on the link, before
	 * the tail is built (7.2 ns), so it leaves with the first chunk.
	 */
	T_IS(e.last_at, 300000 + 4640 + 400000 + 8000 + 300000);
	net_fixture_close(&e);
}

static void a_user_machine_keeps_its_shape(void **state)
{
	T_OK(parse_at(COMMON TREE, NULL, 4));
	T_IS(cfg.dims, 2);
	T_OK(parse_at(COMMON DRAGONFLY, NULL, 72));
	T_IS(parse_at(COMMON DRAGONFLY, NULL, 73), -EINVAL);
	T_NOT_NULL(strstr(why.text, "73 nodes are needed, n has 72"));
	T_OK(parse_at(COMMON DRAGONFLY, "5x4", 0));
	T_IS(net_switches_nodes(&cfg), 40);
	T_OK(parse_at(COMMON "topology = graph\ngraph = a -- b\n", "2", 2));
	T_IS(parse_at(COMMON "topology = graph\ngraph = a -- b\n", "3", 0),
	     -EINVAL);
}

static void the_installed_file_is_valid(void **state)
{
	T_OK(net_file_load("generic", 0, &cfg, &why));
	T_OK(net_config_check(&cfg));
	T_IS(net_switches(&(struct net_config){
		     .topology = NET_HYPERX, .dims = 2, .size = { 3, 5 } }),
	     15);
}

/* ---- influence of each number -------------------------------------------- */

/* Returns the event stream of messages from every node to three others. */
static uint64_t crowd(const char *lines)
{
	struct net_fixture e;
	uint32_t nodes;
	uint64_t log;

	T_OK(parse(lines));
	nodes = net_switches_nodes(&cfg);
	net_fixture_open(&e, &cfg, 1 << 14);
	for (uint32_t i = 0; i < 12 * nodes; i++) {
		struct net_msg msg = { .src = i % nodes,
				       .dst = (i % nodes * 7 + i / nodes + 1) %
					      nodes,
				       .bytes = 9000,
				       .fifo = i / nodes };

		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_OK(net_check(e.net));
	log = e.log;
	net_fixture_close(&e);
	return log;
}

static const char *const other_lines[] = {
	"link = 99 Gbit/s",  "hop = 101 ns",	  "latency = 602 ns",
	"gap = 21 ns",	     "G = 0.09 ns",	  "buffer = 3 packets",
	"routing = minimal", "routing = valiant", "global_links = 3",
	"shape = 9x5",	     "router_nodes = 3",  "link_end = 90 Gbit/s",
	"token = 200 ns",    "payload = 2048 B",  "header = 90 B",
	"trailer = 64 B",    "chunk = 64 B",	  "inject_depth = 1",
	"cable = 2x5",	     "metre = 6 ns",	  "cycle = 2 ns",
	"inject_fifos = 2",  "tokens_end = 2",	  "hop_end = 90 ns",
};
static const char *const base_lines[] = {
	"name = n",	    "unit = generic",	  "topology = dragonfly",
	"shape = 9x4",	    "router_nodes = 2",	  "global_links = 2",
	"routing = ugal",   "link = 100 Gbit/s",  "link_end = 100 Gbit/s",
	"hop = 100 ns",	    "hop_end = 100 ns",	  "latency = 600 ns",
	"o_send = 1 ns",    "o_recv = 1 ns",	  "gap = 20 ns",
	"G = 0.08 ns",	    "buffer = 2 packets", "token = 20 ns",
	"payload = 4096 B", "header = 26 B",	  "trailer = 0 B",
	"chunk = 32 B",	    "inject_depth = 4",	  "cable = 1x4",
	"metre = 5 ns",	    "cycle = 1 ns",	  "inject_fifos = 1",
	"tokens_end = 1",
};

/* Each number in the file of a network of switches changes a result. */
static void every_number_changes_a_result(void **state)
{
	uint64_t first = 0, log;
	char text[2048];

	for (unsigned i = 0; i <= WEFT_COUNT_OF(other_lines); i++) {
		const char *new = i ? other_lines[i - 1] : "";
		size_t key = strcspn(new, "=");

		*text = 0;
		for (unsigned k = 0; k < WEFT_COUNT_OF(base_lines); k++) {
			bool same = key && !strncmp(base_lines[k], new, key);

			strcat(text, same ? new : base_lines[k]);
			strcat(text, "\n");
		}
		log = crowd(text);
		if (!i)
			first = log;
		else if (log == first)
			print_error("%s changes nothing\n", new);
		T_TRUE(!i || log != first);
	}
}

/* ---- networks of switches ------------------------------------------------ */

static void channels_are_as_many_as_the_routing_needs(void **state)
{
	static const struct {
		const char *lines;
		unsigned vcs;
	} row[] = {
		{ COMMON DRAGONFLY, 2 },
		{ COMMON DRAGONFLY "routing = valiant\n", 3 },
		{ COMMON DRAGONFLY "routing = ugal\n", 3 },
		{ COMMON "topology = hyperx\nshape = 4x4\n", 1 },
		{ COMMON "topology = hyperx\nshape = 4x4\nrouting = ugal\n",
		  2 },
		{ COMMON "topology = graph\ngraph = a -- b -- c -- d\n", 3 },
		{ COMMON "topology = graph\nrouting = up-down\n"
			 "graph = a -- b -- c -- d -- a\n",
		  1 },
		/* a tree of links has no cycle, so one channel suffices */
		{ COMMON "topology = graph\nvcs = 1\n"
			 "graph = a -- b -- c -- d\n",
		  1 },
	};

	for (unsigned i = 0; i < WEFT_COUNT_OF(row); i++) {
		T_OK(parse(row[i].lines));
		T_IS(cfg.vcs, row[i].vcs);
		T_OK(net_config_check(&cfg));
	}
}

static void links_between_groups_have_a_default(void **state)
{
	T_OK(parse(COMMON DRAGONFLY));
	T_IS(cfg.global_links, 2);
	T_OK(parse(COMMON "topology = dragonfly+\nshape = 5x4\nspines = 3\n"));
	T_IS(cfg.global_links, 2);
}

static void a_cycle_of_channels_is_shown(void **state)
{
	refuse(COMMON "topology = graph\nvcs = 1\n"
		      "graph = x -- y -- z -- w -- v -- x\n",
	       "vcs = 1 gives a cycle of 5 channels:");
	T_NOT_NULL(strstr(why.text, "switch x to switch y, virtual channel 0"));
	T_NOT_NULL(strstr(why.text, "with vcs = 2 there is none"));
	T_NOT_NULL(strstr(why.text, "routing = up-down needs one"));
	refuse(COMMON DRAGONFLY "routing = ugal\nvcs = 2\n",
	       "vcs = 2 gives a cycle");
}

/* ---- graphs -------------------------------------------------------------- */

static int graph(const char *text)
{
	const struct file_doc doc = { .name = "m", .why = &why };
	static struct file_graph_names names;
	char copy[1024];

	memset(&cfg, 0, sizeof(cfg));
	cfg.topology = NET_GRAPH;
	cfg.router_nodes = 2;
	snprintf(copy, sizeof(copy), "%s", text);
	return file_graph_text(&doc, "g", copy, 1, &cfg, &names);
}

static void both_formats_give_the_same_graph(void **state)
{
	struct net_graph first;

	T_OK(graph("# links\na b\nb c 2\n\nswitch a 4   # nodes\n"));
	first = cfg.graph;
	T_OK(graph("a b\nb c\nswitch b 0\n"));
	T_IS(cfg.graph.first_node[2], 2);
	T_IS(first.switches, 3);
	T_IS(first.first_node[1], 4);
	T_IS(first.first_node[3], 8);
	T_IS(first.first_link[3], 6);
	T_OK(graph("graph net {\n  node [shape=box]; rankdir=LR;\n"
		   "  a -- b; // a link\n  b -- c [links=2, color=\"red\"]\n"
		   "  /* nodes */ a [nodes=4];\n}\n"));
	T_MEM(&first, &cfg.graph, sizeof(first));
}

static void a_bad_graph_is_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "a b\nb\n", "g:2: expected: SWITCH SWITCH" },
		{ "a a\n", "g:1: a link from a switch to itself" },
		{ "a b x\n", "expected a number of links" },
		{ "switch a 63\n", "expected a number of links" },
		{ "switch a 1\n", "1 nodes; a network has two or more" },
		{ "digraph { a -> b }", "expected an undirected graph" },
		{ "graph { a -> b }", "links have no direction" },
		{ "graph { a -- }", "without the name of a switch" },
		{ "graph { a -- b", "{ without }" },
		{ "graph { subgraph x { a -- b } }", "name of a switch" },
		{ "graph { a -- b [links }", "an attribute is" },
		{ "graph { \"a -- b }", "closing quote" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaa b\n", "more than 23 letters" },
	};

	for (unsigned i = 0; i < WEFT_COUNT_OF(bad); i++) {
		T_IS(graph(bad[i].text), -EINVAL);
		if (!strstr(why.text, bad[i].message))
			print_error("%s\n", why.text);
		T_NOT_NULL(strstr(why.text, bad[i].message));
	}
}

/* ---- messages ------------------------------------------------------------ */

static void all_missing_keys_are_reported_at_once(void **state)
{
	static const char *const key[] = {
		"\n  name ",   "\n  shape ",   "\n  spines ",
		"\n  link ",   "\n  hop ",     "\n  o_send ",
		"\n  o_recv ", "\n  latency ", "e.g. 200 ns",
	};

	T_IS(parse("unit = generic\ntopology = dragonfly+\n"), -EINVAL);
	for (unsigned i = 0; i < WEFT_COUNT_OF(key); i++)
		T_NOT_NULL(strstr(why.text, key[i]));
	T_NOT_NULL(strstr(why.text, "m: no lines for 8 keys:"));
	refuse("name = n\nunit = generic\nlink = 100 Gbit/s\nhop = 100 ns\n"
	       "o_send = 1 ns\nlatency = 600 ns\n" TREE,
	       "no line for o_recv: LogGP o:");
}

static void messages_have_the_limit_and_the_key(void **state)
{
	refuse(COMMON TREE "send = 1 ns\n", "send and o_send (line 5)");
	refuse(COMMON TREE "routing = ugal\n", "routing is for dragonfly");
	refuse(COMMON DRAGONFLY "routing = up-down\n", "for topology = graph");
	refuse(COMMON "topology = dragonfly\nshape = 9\n",
	       "shape has 1 lengths; a dragonfly has two");
	refuse(COMMON "topology = dragonfly\nshape = 9x4\nglobal_links = 1\n",
	       "shape has 9 groups, but the 4 switches of a group have 4 links "
	       "to other groups (global_links = 1); 8 are needed");
	refuse(COMMON "topology = hyperx\nshape = 33x33\nrouter_nodes = 8\n",
	       "a switch has 72 ports, 8 of them for nodes (router_nodes); the "
	       "limit is 64");
	refuse(COMMON "topology = hyperx\nshape = 30x30x5\n",
	       "4500 switches by shape; the limit is 4096");
	refuse(COMMON "topology = gen-fat-tree\nshape = 18x18\nparents = 1x18\n"
		      "dyn_queues = 7\n",
	       "36 ports with 8 queues each are too many (288; the limit is "
	       "112): use dyn_queues = 2 instead of 7");
	refuse(COMMON
	       "topology = gen-fat-tree\nshape = 40x40\nparents = 1x40\n",
	       "80 ports by shape and parents; the limit is 64");
	refuse(COMMON TREE "tokens_dynamic = 200\n",
	       "200 tokens, and a packet of 4122 B on the wire (payload, "
	       "header, trailer) needs 129; use 258 or more");
	refuse(COMMON TREE "chunk = 16 B\n",
	       "payload = 4096 B is 256 chunks of 16 B; use chunk = 32 B");
	refuse(COMMON TREE "cable = 1x100\nmetre = 5 ns\n",
	       "use a longer cycle");
	refuse(COMMON TREE "routes = 3\nvcs = 7\n", "vcs = 7: out of range");
	refuse(COMMON DRAGONFLY "routes = 3\ncoll_inject = 1 us\n",
	       "no class routes");
	refuse(COMMON TREE "routes = 3\n",
	       "the generic interface has no class routes");
	refuse(COMMON TREE "routes = 3\ncoll_inject = 1 us\n",
	       "the generic interface has no class routes");
	refuse(COMMON "topology = graph\ngraph = a -- b; c -- d\n",
	       "no path from switch a to switch c");
	T_IS(parse(COMMON "topology = graph\ngraph = nothing.txt\n"), -EINVAL);
	T_STR(why.text, "m:9: graph = nothing.txt: nothing.txt: No such file "
			"or directory");
}

static void messages_have_both_limits(void **state)
{
	refuse(COMMON TREE "gap = 2000 ms\n",
	       "m:11: gap = 2000 ms: out of range, the limits are 0 ps and "
	       "1000 "
	       "ms (LogGP g");
	refuse(COMMON TREE "link_end = 1 MB/s\nG = 1 ps\nbuffer = 256\n",
	       "buffer = 256: out of range, the limits are 2 and 255");
	refuse(COMMON TREE "link_end = 0.5 MB/s\n",
	       "the limits are 1 MB/s and 1000000 GB/s");
	refuse(COMMON TREE "cycle = 2 us\n", "the limits are 1 ps and 1 us ");
	refuse(COMMON TREE "G = 2 ms\n", "the limits are 0.001 ps and 1000 ns");
	refuse(COMMON TREE "payload = 1 MiB\n",
	       "the limits are 1 B and 4096 B");
	refuse(COMMON TREE "protocol = 100001 cycles\n",
	       "the limits are 0 cycles and 100000 cycles");
	refuse(COMMON TREE "cycle = 200 ns\n", "hop = 100 ns, cycle = 200 ns");
	refuse("name = n\nunit = generic\nlink = 100 Gbit/s\nhop = 100 ns\n"
	       "o_send = 1 ns\no_recv = 1 ns\nlatency = 3 ns\n" TREE,
	       "m: latency = 3 ns is less than four cycles, 4 ns (cycle = 1 "
	       "ns)");
	refuse(COMMON TREE "memory_latency = 1 ns\nmemory_copy = 1 GB/s\n"
			   "memory_total = 1 GB/s\n",
	       "memory_latency = 1 ns is less than two cycles, 2 ns");
	refuse(COMMON TREE "memory_latency = 9 ns\n",
	       "memory_latency needs lines for memory_copy and memory_total");
	refuse(COMMON TREE "engines = 3\n",
	       "engines = 3 is more than inject_fifos = 1");
	refuse(COMMON "topology = torus\nshape = 4x4\nrouter_nodes = 9\n",
	       "router_nodes = 9; the limit on a torus or mesh is 8");
	refuse(COMMON "topology = mesh\nshape = 128x128x128\n",
	       "m: shape has more than 524288 nodes, the limit");
}

static void keys_without_effect_are_refused(void **state)
{
	refuse(COMMON TREE "router_nodes = 4\n",
	       "router_nodes is not for fat trees");
	refuse(COMMON TREE "spines = 4\n",
	       "m:11: spines is for topology = dragonfly+; remove the line");
	refuse(COMMON DRAGONFLY "parents = 1x4\n",
	       "parents is for topology = gen-fat-tree");
	refuse(COMMON "topology = hyperx\nshape = 4x4\nglobal_links = 1\n",
	       "global_links is for topology = dragonfly and dragonfly+");
	refuse(COMMON "topology = graph\ngraph = a -- b\nshape = 4x4\n",
	       "shape is for other topologies than graph");
	refuse(COMMON TREE "graph = a -- b\n", "graph is for topology = graph");
	refuse(COMMON "topology = gen-fat-tree\nshape = 4x4\n"
		      "parents = 1x2x2\n",
	       "m:10: parents = 1x2x2 has 3 levels, shape = 4x4 has 2");
}

/* A file without a unit is taken for one of a generic machine. */
static void missing_keys_depend_on_the_unit(void **state)
{
	T_IS(parse("# nothing\n"), -EINVAL);
	T_NOT_NULL(strstr(why.text, "m: no lines for 9 keys:"));
	T_NOT_NULL(strstr(why.text, "network interface, e.g. generic"));
	T_IS(parse("name = n\nunit = genric\n" TREE), -EINVAL);
	T_NOT_NULL(strstr(why.text, " keys of unit genric (with unit = generic "
				    "most of them have default values):"));
}

/* Lengths in networks of switches may exceed 128, the limit of a torus. */
static void lengths_of_switches_have_their_own_limit(void **state)
{
	T_OK(parse(COMMON "topology = dragonfly\nshape = 200x20\n"
			  "router_nodes = 2\nglobal_links = 10\n"));
	T_OK(net_config_check(&cfg));
	T_IS(net_shape_nodes(&cfg), 8000);
	refuse(COMMON "topology = torus\nshape = 200x4\n",
	       "6 lengths at most, 1 to 128 each");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(loggp_values_set_the_interface),
		T_CASE(without_g_the_interface_has_the_rate_of_its_link),
		T_CASE(every_topology_has_working_defaults),
		T_CASE(a_tree_takes_the_time_by_hand),
		T_CASE(a_user_machine_keeps_its_shape),
		T_CASE(the_installed_file_is_valid),
		T_CASE(every_number_changes_a_result),
		T_CASE(channels_are_as_many_as_the_routing_needs),
		T_CASE(links_between_groups_have_a_default),
		T_CASE(a_cycle_of_channels_is_shown),
		T_CASE(both_formats_give_the_same_graph),
		T_CASE(a_bad_graph_is_refused),
		T_CASE(all_missing_keys_are_reported_at_once),
		T_CASE(messages_have_the_limit_and_the_key),
		T_CASE(messages_have_both_limits),
		T_CASE(keys_without_effect_are_refused),
		T_CASE(missing_keys_depend_on_the_unit),
		T_CASE(lengths_of_switches_have_their_own_limit),
	};

	return T_RUN(tests);
}
