/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of weft-sim: one row each; a wrong one is told with its value. */
#include "config.h"
#include "src/sim/sim_opts.h"
#include "src/sim/sim_plot.h"
#include "prov/net/net_file.h"
#include "prov/net/net_map.h"
#include "src/base/attr.h"
#include "src/base/cfg.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
"Usage: weft-sim [OPTION]...\n"
"Synthetic traffic on the packet-level model of a machine's network.\n"
"\n"
"  -m, --machine NAME[:DIMS]|FILE[:DIMS]  default bgq; 8t, 8m: torus, mesh\n"
"  -p, --pattern NAME   uniform, neighbour, all-to-all, complement, hotspot,\n"
"                       permutation (default uniform)\n"
"  -l, --load LIST      open loop: parts of the pattern's peak, as 0.5,\n"
"                       0.1,0.5,0.9 or 0.1:0.9:0.1 (default 0.5)\n"
"  -c, --closed N       closed loop: N messages under way for each node\n"
"  -x, --exchange[=N]   each node sends N messages once (default: to all)\n"
"  -b, --bytes SIZE     of a message (default: a full packet)\n"
"  -w, --way NAME       dynamic, deterministic, high, system\n"
"  -z, --zone N         zone set of dynamic packets, 0 to 3 (default 0)\n"
"      --fifos N        injection FIFOs in memory that a node fills in turn\n"
"                       (default: one for each engine)\n"
"      --hot PART       hotspot: part of the messages to one node (0.05)\n"
"      --warm TIME      before counting, as 50us (default)\n"
"      --time TIME      while counting, as 100us (default)\n"
"  -s, --seed N         of all that is drawn by lot (default 1)\n"
"      --csv, --json    instead of text\n"
"      --histogram      latencies as a table\n"
"      --links N        busiest links to list (default 5)\n"
"      --plot FILE      draw the result: FILE.png or FILE.svg, by gnuplot\n"
"      --heat FILE      draw the use of every link\n"
"      --progress       a line on stderr while it runs (on a terminal always)\n"
"      --help, --version\n"
"\n"
"Results go to stdout and depend on the arguments alone; the speed of the\n"
"simulation goes to stderr. Exit status: 0, 1 the network is stuck or broke a\n"
"promise, 2 wrong arguments.\n";

enum { OPT_FIFOS = 256, OPT_HOT, OPT_WARM, OPT_TIME, OPT_CSV, OPT_JSON,
       OPT_HIST, OPT_LINKS, OPT_PLOT, OPT_HEAT, OPT_PROGRESS, OPT_HELP,
       OPT_VERSION };

static const struct option options[] = {
	{ "machine", required_argument, NULL, 'm' },
	{ "pattern", required_argument, NULL, 'p' },
	{ "load", required_argument, NULL, 'l' },
	{ "closed", required_argument, NULL, 'c' },
	{ "exchange", optional_argument, NULL, 'x' },
	{ "bytes", required_argument, NULL, 'b' },
	{ "way", required_argument, NULL, 'w' },
	{ "zone", required_argument, NULL, 'z' },
	{ "fifos", required_argument, NULL, OPT_FIFOS },
	{ "hot", required_argument, NULL, OPT_HOT },
	{ "warm", required_argument, NULL, OPT_WARM },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "seed", required_argument, NULL, 's' },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "histogram", no_argument, NULL, OPT_HIST },
	{ "links", required_argument, NULL, OPT_LINKS },
	{ "plot", required_argument, NULL, OPT_PLOT },
	{ "heat", required_argument, NULL, OPT_HEAT },
	{ "progress", no_argument, NULL, OPT_PROGRESS },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int wrong(const char *fmt, ...) WEFT_PRINTF(1, 2);
static int wrong(const char *fmt, ...)
{
	va_list ap;

	fputs("weft-sim: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("\nTry weft-sim --help.\n", stderr);
	return -1;
}

/* ---- values -------------------------------------------------------------- */

static int get_number(const char *what, const char *text, uint64_t min,
		      uint64_t max, uint64_t *value_p)
{
	const struct weft_cfg_opt opt = { .type = WEFT_CFG_SIZE };
	union weft_cfg_value v;

	if (weft_cfg_parse(&opt, text, &v) || v.size < min || v.size > max)
		return wrong("--%s %s: a whole number of %llu to %llu is "
			     "wanted", what, text, (unsigned long long)min,
			     (unsigned long long)max);
	*value_p = v.size;
	return 0;
}

static int get_u32(const char *what, const char *text, uint32_t min,
		   uint32_t max, uint32_t *value_p)
{
	uint64_t v = 0;

	if (get_number(what, text, min, max, &v))
		return -1;
	*value_p = (uint32_t)v;
	return 0;
}

/* A time with its unit; no program of ours sets a locale. */
static int get_time(const char *what, const char *text, uint64_t *ps_p)
{
	static const struct {
		const char *name;
		double ps;
	} units[] = { { "ns", 1e3 }, { "us", 1e6 }, { "ms", 1e9 } };
	char *end;
	double x = strtod(text, &end);

	for (unsigned i = 0; i < WEFT_COUNT_OF(units) && end != text; i++)
		if (!strcmp(end, units[i].name) && x >= 0 &&
		    x * units[i].ps < 1e13) {
			*ps_p = (uint64_t)(x * units[i].ps + 0.5);
			return 0;
		}
	return wrong("--%s %s: a time is wanted, as 500ns or 100us (10 s at "
		     "most)", what, text);
}

static int get_part(const char *what, const char *text, double *part_p)
{
	char *end;
	double x = strtod(text, &end);

	if (end == text || *end || !(x > 0 && x <= 1))
		return wrong("--%s %s: a part of 1 is wanted, as 0.05", what,
			     text);
	*part_p = x;
	return 0;
}

static int add_load(struct sim_opts *o, double x)
{
	if (!(x > 0 && x <= 100))
		return wrong("--load: %g is not above 0 and at most 100", x);
	if (o->loads == SIM_LOADS_MAX)
		return wrong("--load: more than %d of them", SIM_LOADS_MAX);
	o->load[o->loads++] = x;
	return 0;
}

/* One load, or FROM:TO:STEP; what follows it in *end_p. */
static int one_load(struct sim_opts *o, const char *text, char **end_p)
{
	double from = strtod(text, end_p), to = from, step = 1;

	if (*end_p == text)
		return wrong("--load %s: a number is wanted", text);
	if (**end_p == ':') {
		text = *end_p + 1;
		to = strtod(text, end_p);
		if (*end_p == text || **end_p != ':')
			return wrong("--load: a range is FROM:TO:STEP, as "
				     "0.1:0.9:0.1");
		text = *end_p + 1;
		step = strtod(text, end_p);
		if (*end_p == text || !(step > 0) || !(to >= from))
			return wrong("--load: a range goes up from FROM to TO "
				     "by STEP");
	}
	for (unsigned i = 0; from + i * step <= to * (1 + 1e-9); i++)
		if (add_load(o, from + i * step))
			return -1;
	return 0;
}

static int get_loads(struct sim_opts *o, const char *text)
{
	char *end;

	o->loads = 0;
	for (;;) {
		if (one_load(o, text, &end))
			return -1;
		if (!*end)
			return 0;
		if (*end != ',')
			return wrong("--load %s: numbers with commas between",
				     text);
		text = end + 1;
	}
}

static const char *const ways[] = { "dynamic", "deterministic", "high",
				    "system" };

const char *sim_way_name(unsigned way)
{
	return ways[way];
}

static int get_way(const char *text, uint8_t *way_p)
{
	for (uint8_t i = 0; i < WEFT_COUNT_OF(ways); i++)
		if (!strcmp(ways[i], text)) {
			*way_p = i;
			return 0;
		}
	return wrong("--way %s: dynamic, deterministic, high or system", text);
}

static int get_pattern(const char *text, enum sim_pattern *pattern_p)
{
	int p = sim_pattern_find(text);
	unsigned least = 99, d, near = 0;

	if (p >= 0) {
		*pattern_p = (enum sim_pattern)p;
		return 0;
	}
	for (unsigned i = 0; i < SIM_PATTERNS; i++) {
		d = weft_cfg_distance(sim_pattern_name(i), text);
		if (d < least) {
			least = d;
			near = i;
		}
	}
	return wrong("--pattern %s: no such pattern; nearest is %s", text,
		     sim_pattern_name(near));
}

/* ---- all of them --------------------------------------------------------- */

static int take_mode(struct sim_opts *o, int c)
{
	struct sim_spec *s = &o->spec;

	if (s->mode != SIM_OPEN)
		return wrong("--closed and --exchange are two ways to send; "
			     "take one");
	if (c == 'c') {
		s->mode = SIM_CLOSED;
		return get_u32("closed", optarg, 1, 100000, &s->window);
	}
	s->mode = SIM_EXCHANGE;
	return optarg ? get_u32("exchange", optarg, 1, 100000000, &s->turns)
		      : 0;
}

static int take_output(struct sim_opts *o, int c)
{
	switch (c) {
	case OPT_CSV:
		o->format = SIM_CSV;
		return 0;
	case OPT_JSON:
		o->format = SIM_JSON;
		return 0;
	case OPT_HIST:
		o->histogram = true;
		return 0;
	case OPT_LINKS:
		return get_u32("links", optarg, 0, 1000, &o->busiest);
	case OPT_PLOT:
		o->plot = optarg;
		return sim_plot_check("weft-sim", optarg) ? -1 : 0;
	case OPT_HEAT:
		o->heat = optarg;
		return sim_plot_check("weft-sim", optarg) ? -1 : 0;
	case OPT_PROGRESS:
		o->progress = true;
		return 0;
	case OPT_HELP:
		fputs(help, stdout);
		return 1;
	case OPT_VERSION:
		puts("weft-sim (Weft) " PACKAGE_VERSION);
		return 1;
	default:
		fputs("Try weft-sim --help.\n", stderr);
		return -1; /* getopt has said it */
	}
}

static int take(struct sim_opts *o, int c)
{
	struct sim_spec *s = &o->spec;
	uint32_t zone;

	switch (c) {
	case 'm':
		o->machine = optarg;
		return 0;
	case 'p':
		return get_pattern(optarg, &s->pattern);
	case 'l':
		return get_loads(o, optarg);
	case 'c':
	case 'x':
		return take_mode(o, c);
	case 'b':
		return get_number("bytes", optarg, 1, 1ull << 32, &s->bytes);
	case 'w':
		return get_way(optarg, &s->way);
	case 'z':
		if (get_u32("zone", optarg, 0, NET_ZONES - 1, &zone))
			return -1;
		s->zone = (uint8_t)zone;
		return 0;
	case 's':
		return get_number("seed", optarg, 0, UINT64_MAX, &s->seed);
	case OPT_FIFOS:
		return get_u32("fifos", optarg, 1, 4096, &s->fifos);
	case OPT_HOT:
		return get_part("hot", optarg, &s->hot_part);
	case OPT_WARM:
		return get_time("warm", optarg, &s->warm_ps);
	case OPT_TIME:
		return get_time("time", optarg, &s->time_ps);
	default:
		return take_output(o, c);
	}
}

/* What the machine decides, and what does not go together. */
static int finish(struct sim_opts *o, bool loads_given)
{
	struct sim_spec *s = &o->spec;
	struct net_why why;

	if (net_file_load(o->machine, 0, &s->cfg, &why))
		return wrong("%s", why.text);
	if (net_shape_nodes(&s->cfg) < 2)
		return wrong("--machine %s: traffic needs two nodes",
			     o->machine);
	if (s->cfg.topology != NET_TORUS)
		return wrong("--machine %s: the patterns are those of a torus",
			     o->machine);
	if (loads_given && s->mode != SIM_OPEN)
		return wrong("--load belongs to the open loop, not to "
			     "--closed or --exchange");
	if (!s->time_ps && s->mode != SIM_EXCHANGE)
		return wrong("--time 0: nothing would be counted");
	if (!s->bytes)
		s->bytes = s->cfg.payload_bytes;
	return 0;
}

int sim_opts_parse(int argc, char **argv, struct sim_opts *o)
{
	bool loads_given = false;
	int c, err;

	*o = (struct sim_opts){
		.machine = "bgq", .busiest = 5, .loads = 1, .load = { 0.5 },
		.spec = { .hot_part = 0.05, .seed = 1, .warm_ps = 50000000,
			  .time_ps = 100000000 },
	};
	while ((c = getopt_long(argc, argv, "m:p:l:c:x::b:w:z:s:", options,
				NULL)) != -1) {
		err = take(o, c);
		if (err)
			return err;
		loads_given |= c == 'l';
	}
	if (optind < argc)
		return wrong("%s: every argument is an option", argv[optind]);
	return finish(o, loads_given);
}
