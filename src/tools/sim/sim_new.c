/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine files of a user's own machine: the lines that differ between
 * topologies are in a table, the other lines are the same for every generic
 * machine.
 */
#include "src/tools/sim/sim_new.h"
#include "src/base/attr.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A kind of network: its title, and the lines of its topology. */
static const struct kind {
	const char *name, *title;
	const char *lines;
} kinds[] = {
	{ "fattree", "a fat tree of two levels, 128 nodes",
	  "topology       = gen-fat-tree\n"
	  "shape          = 16x8         # 16 nodes per leaf switch, 8 leaf "
	  "switches\n"
	  "parents        = 1x16         # 16 spine switches: full bisection; "
	  "1x8 halves the links upwards\n" },
	{ "dragonfly", "a dragonfly, 72 nodes",
	  "topology       = dragonfly\n"
	  "shape          = 9x4          # 9 groups of 4 switches\n"
	  "router_nodes   = 2            # nodes of a switch\n"
	  "global_links   = 2            # links of a switch to other groups\n"
	  "routing        = ugal         # or minimal, valiant\n" },
	{ "dragonfly+", "a dragonfly whose groups are trees, 160 nodes",
	  "topology       = dragonfly+\n"
	  "shape          = 5x8          # 5 groups of 8 leaf switches\n"
	  "spines         = 4            # switches of a group without nodes\n"
	  "router_nodes   = 4            # nodes of a leaf switch\n"
	  "global_links   = 4            # links of a spine to other groups\n"
	  "routing        = ugal         # or minimal, valiant\n" },
	{ "hyperx", "a HyperX of two dimensions, 128 nodes",
	  "topology       = hyperx\n"
	  "shape          = 8x4          # switches: all of a row, and all of "
	  "a column, are connected\n"
	  "router_nodes   = 4            # nodes of a switch\n"
	  "routing        = ugal         # or minimal, valiant\n" },
	{ "torus", "a torus of three dimensions, 64 nodes",
	  "topology       = torus\n"
	  "shape          = 4x4x4\n" },
	{ "mesh", "a mesh of two dimensions, 64 nodes",
	  "topology       = mesh\n"
	  "shape          = 8x8\n" },
	{ "graph", "four switches in a ring with a diagonal, 16 nodes",
	  "topology       = graph\n"
	  "graph          = a -- b -- c -- d -- a; a -- c   # or a file beside "
	  "this one\n"
	  "router_nodes   = 4            # nodes of a switch\n"
	  "routing        = up-down      # or minimal, valiant, ugal\n" },
};

/* Lines that all kinds of networks have; %s is the rate of a link. */
static const char common[] =
	"link           = %-12s # rate of a link, in one direction\n"
	"hop            = 150 ns       # assumed: switch and cable\n"
	"buffer         = 16 packets   # assumed: per virtual channel of a "
	"receiver\n"
	"latency        = 600 ns       # assumed: in both interfaces together\n"
	"o_send         = 200 ns       # assumed: processor, per message sent\n"
	"o_recv         = 200 ns       # assumed: processor, per message "
	"received\n"
	"gap            = 20 ns        # assumed: interface, between two "
	"messages\n"
	"eager          = 8 KiB        # assumed: longer messages are read by "
	"the receiver\n"
	"ranks_per_node = 1\n";

/* Writes a rate as in machine files. Returns whether it is valid. */
static bool rate_text(const char *rate, char *text, size_t len)
{
	static const struct {
		const char *suffix, *unit;
	} units[] = { { "Gb", "Gbit/s" },   { "Gb/s", "Gbit/s" },
		      { "Gbit", "Gbit/s" }, { "Gbit/s", "Gbit/s" },
		      { "GB", "GB/s" },	    { "GB/s", "GB/s" },
		      { "MB/s", "MB/s" } };
	char *end;
	double x = strtod(rate, &end);

	if (end == rate || !(x >= 1e-3 && x < 1e6))
		return false;
	while (*end == ' ')
		end++;
	for (unsigned i = 0; i < WEFT_COUNT_OF(units); i++)
		if (!strcmp(end, units[i].suffix)) {
			snprintf(text, len, "%g %s", x, units[i].unit);
			return true;
		}
	return false;
}

int sim_new(FILE *out, const char *kind, const char *rate,
	    char why[SIM_NEW_WHY])
{
	char text[32];
	size_t n;

	if (!rate_text(rate, text, sizeof(text))) {
		snprintf(why, SIM_NEW_WHY,
			 "%.40s: expected the rate of a link, such as 100Gb or "
			 "12.5GB/s",
			 rate);
		return -EINVAL;
	}
	for (unsigned i = 0; i < WEFT_COUNT_OF(kinds); i++) {
		if (strcmp(kinds[i].name, kind))
			continue;
		fprintf(out, "# %s; doc/your-machine.md explains the keys.\n",
			kinds[i].title);
		fprintf(out, "name           = %s\n", kind);
		fprintf(out, "unit           = generic      # RDMA interface "
			     "with the costs of LogGP\n");
		fputs(kinds[i].lines, out);
		fprintf(out, common, text);
		return 0;
	}
	n = (size_t)snprintf(why, SIM_NEW_WHY, "%.40s: expected one of", kind);
	for (unsigned i = 0; i < WEFT_COUNT_OF(kinds) && n < SIM_NEW_WHY; i++)
		n += (size_t)snprintf(why + n, SIM_NEW_WHY - n, " %s",
				      kinds[i].name);
	return -EINVAL;
}
