/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of weft-sim: one table row each; an error message names the wrong
 * value.
 */
#include "config.h"
#include "src/tools/sim/sim_new.h"
#include "src/tools/sim/sim_opts.h"
#include "src/tools/sim/sim_plot.h"
#include "prov/net/file/net_file.h"
#include "prov/net/file/net_map.h"
#include "src/tools/args.h"
#include "src/job/job_cfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char before[] =
	"Usage: weft-sim [OPTION]...\n"
	"Synthetic traffic on the packet-level model of a machine's network.\n";

static const char after[] = "Results go to stdout and depend on the arguments "
			    "alone; the speed of the\n"
			    "simulation goes to stderr. Exit status: 0, 1 the "
			    "network has a deadlock or an\n"
			    "internal check failed, 2 wrong arguments.\n";

/* ---- values -------------------------------------------------------------- */

/* A row of the table: an option, and the offset of its value. */
struct row {
	struct weft_arg arg;
	/*
	 * sets the value; returns 0, 1: nothing to run, negative: wrong value,
	 * reported on stderr
	 */
	int (*set)(struct weft_args *a, struct sim_opts *o);
	size_t offset; /* offset in struct sim_opts */
	uint64_t min, max;
};

static void *opts_place(const struct weft_args *a, struct sim_opts *o)
{
	return (char *)o + ((const struct row *)a->row)->offset;
}

static int set_flag(struct weft_args *a, struct sim_opts *o)
{
	*(bool *)opts_place(a, o) = true;
	return 0;
}

static int set_text(struct weft_args *a, struct sim_opts *o)
{
	*(const char **)opts_place(a, o) = a->value[0];
	return 0;
}

static int set_u64(struct weft_args *a, struct sim_opts *o)
{
	const struct row *r = a->row;

	return weft_args_number(a, a->value[0], r->min, r->max,
				opts_place(a, o));
}

static int set_u32(struct weft_args *a, struct sim_opts *o)
{
	const struct row *r = a->row;
	uint64_t v = 0;
	int err = weft_args_number(a, a->value[0], r->min, r->max, &v);

	if (!err)
		*(uint32_t *)opts_place(a, o) = (uint32_t)v;
	return err;
}

/*
 * Parses a time with its unit. strtod() is safe, since no program of Weft sets
 * a locale.
 */
static int set_time(struct weft_args *a, struct sim_opts *o)
{
	static const struct {
		const char *name;
		double ps;
	} units[] = { { "ns", 1e3 }, { "us", 1e6 }, { "ms", 1e9 } };
	const char *text = a->value[0];
	char *end;
	double x = strtod(text, &end);

	for (unsigned i = 0; i < WEFT_COUNT_OF(units) && end != text; i++)
		if (!strcmp(end, units[i].name) && x >= 0 &&
		    x * units[i].ps < 1e13) {
			*(uint64_t *)opts_place(a, o) =
				(uint64_t)(x * units[i].ps + 0.5);
			return 0;
		}
	return weft_args_error(a,
			       "%s %s: expected a time, such as 500ns or "
			       "100us (10 s at most)",
			       a->spelled, text);
}

static int set_hot(struct weft_args *a, struct sim_opts *o)
{
	const char *text = a->value[0];
	char *end;
	double x = strtod(text, &end);

	if (end == text || *end || !(x > 0 && x <= 1))
		return weft_args_error(a,
				       "--hot %s: expected a fraction above 0 "
				       "and at most 1, such as 0.05",
				       text);
	o->spec.hot_part = x;
	return 0;
}

static int add_load(struct weft_args *a, struct sim_opts *o, double x)
{
	if (!(x > 0 && x <= 100))
		return weft_args_error(a,
				       "--load: %g is not above 0 and at "
				       "most 100",
				       x);
	if (o->loads == SIM_LOADS_MAX)
		return weft_args_error(a, "--load: more than %d values",
				       SIM_LOADS_MAX);
	o->load[o->loads++] = x;
	return 0;
}

/* Parses one load, or FROM:TO:STEP; *end_p: the first character after it. */
static int one_load(struct weft_args *a, struct sim_opts *o, const char *text,
		    char **end_p)
{
	double from = strtod(text, end_p), to = from, step = 1;

	if (*end_p == text)
		return weft_args_error(a, "--load %s: expected a number", text);
	if (**end_p == ':') {
		text = *end_p + 1;
		to = strtod(text, end_p);
		if (*end_p == text || **end_p != ':')
			return weft_args_error(a,
					       "--load: a range is "
					       "FROM:TO:STEP, as 0.1:0.9:0.1");
		text = *end_p + 1;
		step = strtod(text, end_p);
		if (*end_p == text || !(step > 0) || !(to >= from))
			return weft_args_error(a, "--load: a range goes up "
						  "from FROM to TO by STEP");
	}
	for (unsigned i = 0; from + i * step <= to * (1 + 1e-9); i++)
		if (add_load(a, o, from + i * step))
			return -1;
	return 0;
}

static int set_loads(struct weft_args *a, struct sim_opts *o)
{
	const char *text = a->value[0];
	char *end;

	o->loads = 0;
	o->loads_given = true;
	for (;;) {
		if (one_load(a, o, text, &end))
			return -1;
		if (!*end)
			return 0;
		if (*end != ',')
			return weft_args_error(a,
					       "--load %s: expected numbers "
					       "separated by commas",
					       text);
		text = end + 1;
	}
}

static const struct {
	const char *name;
	uint8_t routing, spread;
} routings[] = {
	{ "dynamic", NET_DYNAMIC, 0 },
	{ "deterministic", NET_DETERMINISTIC, 0 },
	{ "high", NET_HIGH, 0 },
	{ "system", NET_SYSTEM, 0 },
	{ "hashed", NET_DETERMINISTIC, 1 },
};

const char *sim_routing_name(const struct sim_spec *s)
{
	unsigned i = 0;

	while (routings[i].routing != s->routing ||
	       routings[i].spread != s->spread)
		i++;
	return routings[i].name;
}

static int set_routing(struct weft_args *a, struct sim_opts *o)
{
	const char *text = a->value[0];

	for (uint8_t i = 0; i < WEFT_COUNT_OF(routings); i++)
		if (!strcmp(routings[i].name, text)) {
			o->spec.routing = routings[i].routing;
			o->spec.spread = routings[i].spread;
			return 0;
		}
	return weft_args_error(
		a,
		"--routing %s: dynamic, deterministic, hashed, high "
		"or system",
		text);
}

static int set_ack(struct weft_args *a, struct sim_opts *o)
{
	o->spec.ack = 1;
	return 0;
}

static int set_channels(struct weft_args *a, struct sim_opts *o)
{
	o->spec.channels = true;
	return 0;
}

static int set_slow(struct weft_args *a, struct sim_opts *o)
{
	struct sim_spec *s = &o->spec;
	char end;

	if (sscanf(a->value[0], "%u.%u:%u%c", &s->slow_node, &s->slow_port,
		   &s->slow_times, &end) != 3 ||
	    !s->slow_times)
		return weft_args_error(a,
				       "--slow %s: expected NODE.PORT:TIMES, "
				       "such as 1024.20:3",
				       a->value[0]);
	return 0;
}

static int set_pattern(struct weft_args *a, struct sim_opts *o)
{
	const char *text = a->value[0];
	int found = sim_pattern_find(text);
	unsigned least = 99, d, best = 0;

	if (found >= 0) {
		o->spec.pattern = (enum sim_pattern)found;
		return 0;
	}
	for (unsigned i = 0; i < SIM_PATTERNS; i++) {
		d = weft_cfg_distance(sim_pattern_name(i), text);
		if (d < least) {
			least = d;
			best = i;
		}
	}
	return weft_args_error(a,
			       "--pattern %s: no such pattern; nearest is "
			       "%s",
			       text, sim_pattern_name(best));
}

static int set_mode(struct weft_args *a, struct sim_opts *o, enum sim_mode mode)
{
	if (o->spec.mode != SIM_OPEN)
		return weft_args_error(a, "--closed and --exchange exclude "
					  "each other; use one of them");
	o->spec.mode = mode;
	return 0;
}

static int set_closed(struct weft_args *a, struct sim_opts *o)
{
	int err = set_mode(a, o, SIM_CLOSED);

	return err ? err : set_u32(a, o);
}

static int set_exchange(struct weft_args *a, struct sim_opts *o)
{
	int err = set_mode(a, o, SIM_EXCHANGE);

	return err || !a->value[0] ? err : set_u32(a, o);
}

static int set_zone(struct weft_args *a, struct sim_opts *o)
{
	uint64_t zone;

	if (weft_args_number(a, a->value[0], 0, NET_ZONES - 1, &zone))
		return -1;
	o->spec.zone = (uint8_t)zone;
	return 0;
}

static int set_format(struct weft_args *a, struct sim_opts *o)
{
	o->format = ((const struct row *)a->row)->min;
	return 0;
}

static int set_picture(struct weft_args *a, struct sim_opts *o)
{
	set_text(a, o);
	return sim_plot_check("weft-sim", a->value[0]) ? -1 : 0;
}

static int set_new(struct weft_args *a, struct sim_opts *o)
{
	char why[SIM_NEW_WHY];

	if (sim_new(stdout, a->value[0], a->value[1], why))
		return weft_args_error(a, "--new %s", why);
	return 1;
}

static int set_version(struct weft_args *a, struct sim_opts *o)
{
	puts("weft-sim (Weft) " PACKAGE_VERSION);
	return 1;
}

#define AT(field) offsetof(struct sim_opts, field)

static const struct row rows[] = {
	{ { "machine|m", 1, "NAME[:DIMS]|FILE[:DIMS]",
	    "machine (default bgq); 8t, 8m: torus, mesh of 8; "
	    "qsnet2:4x4x4: a tree, level by level",
	    0 },
	  set_text,
	  AT(machine),
	  0,
	  0 },
	{ { "new", 2, "KIND RATE",
	    "print the machine file of a new machine: fattree, dragonfly, "
	    "dragonfly+, hyperx, torus, mesh or graph, with links of RATE, as "
	    "100Gb",
	    0 },
	  set_new,
	  0,
	  0,
	  0 },
	{ { "pattern|p", 1, "NAME",
	    "uniform (default), neighbour, all-to-all, complement, hotspot, "
	    "permutation, transpose, io, group",
	    0 },
	  set_pattern,
	  0,
	  0,
	  0 },
	{ { "load|l", 1, "LIST",
	    "open loop: fractions of the pattern's peak, as 0.5 (default), "
	    "0.1,0.5,0.9 or 0.1:0.9:0.1",
	    0 },
	  set_loads,
	  0,
	  0,
	  0 },
	{ { "closed|c", 1, "N", "closed loop: N messages in flight per node",
	    0 },
	  set_closed,
	  AT(spec.window),
	  1,
	  100000 },
	{ { "exchange|x", WEFT_ARGS_MAYBE, "N",
	    "each node sends N messages (default: one to each node)", 0 },
	  set_exchange,
	  AT(spec.messages),
	  1,
	  100000000 },
	{ { "bytes|b", 1, "SIZE", "size of a message (default: a full packet)",
	    0 },
	  set_u64,
	  AT(spec.bytes),
	  1,
	  1ull << 32 },
	{ { "routing|r", 1, "NAME",
	    "dynamic, deterministic, hashed, high, system", 0 },
	  set_routing,
	  0,
	  0,
	  0 },
	{ { "channels", 0, "", "count the chunks of each virtual channel", 0 },
	  set_channels,
	  0,
	  0,
	  0 },
	{ { "ack", 0, "", "every packet is answered by a response packet", 0 },
	  set_ack,
	  0,
	  0,
	  0 },
	{ { "slow", 1, "NODE.PORT:TIMES",
	    "one link is slower by the factor TIMES", 0 },
	  set_slow,
	  0,
	  0,
	  0 },
	{ { "zone|z", 1, "N", "zone set of dynamic packets, 0 to 3 (default 0)",
	    0 },
	  set_zone,
	  0,
	  0,
	  0 },
	{ { "path", 1, "NAME",
	    "injection path of the machine, such as dma (default: the first)",
	    0 },
	  set_text,
	  AT(path),
	  0,
	  0 },
	{ { "fifos", 1, "N",
	    "injection FIFOs in memory that a node uses round robin (default: "
	    "one for each engine)",
	    0 },
	  set_u32,
	  AT(spec.fifos),
	  1,
	  4096 },
	{ { "hot", 1, "PART",
	    "hotspot: fraction of messages to one node (0.05)", 0 },
	  set_hot,
	  0,
	  0,
	  0 },
	{ { "warm", 1, "TIME", "warm-up before the measurement (default 50us)",
	    0 },
	  set_time,
	  AT(spec.warm_ps),
	  0,
	  0 },
	{ { "time", 1, "TIME", "duration of the measurement (default 100us)",
	    0 },
	  set_time,
	  AT(spec.time_ps),
	  0,
	  0 },
	{ { "faults", 1, "FILE|TEXT",
	    "fault plan, such as \"seed = 1; errors * = 1e-6\"", 0 },
	  set_text,
	  AT(faults),
	  0,
	  0 },
	{ { "seed|s", 1, "N", "seed of all random numbers (default 1)", 0 },
	  set_u64,
	  AT(spec.seed),
	  0,
	  UINT64_MAX },
	{ { "csv", 0, "", "print CSV instead of text", 0 },
	  set_format,
	  0,
	  SIM_CSV,
	  0 },
	{ { "json", 0, "", "print JSON instead of text", 0 },
	  set_format,
	  0,
	  SIM_JSON,
	  0 },
	{ { "histogram", 0, "", "print the latencies as a table", 0 },
	  set_flag,
	  AT(histogram),
	  0,
	  0 },
	{ { "links", 1, "N", "busiest links to list (default 5)", 0 },
	  set_u32,
	  AT(busiest),
	  0,
	  1000 },
	{ { "plot", 1, "FILE",
	    "draw the result: FILE.png or FILE.svg, by gnuplot", 0 },
	  set_picture,
	  AT(plot),
	  0,
	  0 },
	{ { "heat", 1, "FILE", "draw the utilisation of every link", 0 },
	  set_picture,
	  AT(heat),
	  0,
	  0 },
	{ { "html", 1, "FILE", "all results as an HTML page", 0 },
	  set_text,
	  AT(html),
	  0,
	  0 },
	{ { "progress", 0, "",
	    "progress line on stderr (default on a terminal)", 0 },
	  set_flag,
	  AT(progress),
	  0,
	  0 },
	{ { "version", 0, "", "version", 0 }, set_version, 0, 0, 0 },
};

/* ---- all options --------------------------------------------------------- */

/* Sets the injection path by its name; without a name, the first path. */
static int find_path(struct weft_args *a, struct sim_opts *o)
{
	const struct net_config *cfg = &o->spec.cfg;
	char all[128] = "";
	size_t n = 0;

	if (!o->path)
		return 0;
	for (uint8_t i = 0; i < cfg->paths; i++) {
		if (!strcmp(cfg->path[i].name, o->path)) {
			o->spec.path = i;
			return 0;
		}
		n += (size_t)snprintf(all + n, sizeof(all) - n, " %s",
				      cfg->path[i].name);
	}
	return weft_args_error(a, "--path %s: %s has%s", o->path, cfg->name,
			       *all ? all : " one path, without a name");
}

/* Loads the fault plan, which remains loaded until the program exits. */
static int load_plan(struct weft_args *a, struct sim_opts *o)
{
	struct weft_fault_plan_why why;

	if (!o->faults)
		return 0;
	if (weft_fault_plan_load(o->faults, &o->plan, &why))
		return weft_args_error(a, "--faults: %s", why.text);
	o->spec.plan_name = strpbrk(o->faults, " =;") ? "plan" : o->faults;
	if (net_fault_check(&o->spec.cfg, o->spec.plan_name, &o->plan, &why))
		return weft_args_error(a, "--faults: %s", why.text);
	net_fault_reserve(&o->spec.cfg, &o->plan);
	o->spec.plan = &o->plan;
	return 0;
}

/* Sets the defaults of the machine, and checks for conflicting options. */
static int opts_finish(struct weft_args *a, struct sim_opts *o)
{
	struct sim_spec *s = &o->spec;
	const char *missing;
	struct net_error_text why;

	if (net_file_load(o->machine, 0, &s->cfg, &why))
		return weft_args_error(a, "%s", why.text);
	if (net_shape_nodes(&s->cfg) < 2)
		return weft_args_error(a,
				       "--machine %s: traffic needs two "
				       "nodes",
				       o->machine);
	missing = sim_pattern_missing(s->pattern, &s->cfg);
	if (missing)
		return weft_args_error(a, "--machine %s: %s needs %s",
				       o->machine, sim_pattern_name(s->pattern),
				       missing);
	if (s->channels && net_is_switched(&s->cfg))
		return weft_args_error(a,
				       "--channels: %s has no counters of "
				       "channels",
				       o->machine);
	s->cfg.counters |= s->channels;
	if (find_path(a, o) || load_plan(a, o))
		return -1;
	if (o->loads_given && s->mode != SIM_OPEN)
		return weft_args_error(a, "--load belongs to the open loop, "
					  "not to --closed or --exchange");
	if (!s->time_ps && s->mode != SIM_EXCHANGE)
		return weft_args_error(a, "--time 0: the time of counting must "
					  "be above 0");
	if (!s->bytes)
		s->bytes = s->cfg.payload_bytes;
	return 0;
}

int sim_opts_parse(char **argv, struct sim_opts *o)
{
	struct weft_args a = { .program = "weft-sim",
			       WEFT_ARGS_TABLE(rows),
			       .before = before,
			       .after = after,
			       .attached = true,
			       .word = argv + 1 };
	enum weft_args_found found;
	int err;

	*o = (struct sim_opts){
		.machine = "bgq",
		.busiest = 5,
		.loads = 1,
		.load = { 0.5 },
		.spec = { .hot_part = 0.05,
			  .seed = 1,
			  .warm_ps = 50000000,
			  .time_ps = 100000000 },
	};
	while ((found = weft_args_next(&a)) == WEFT_ARGS_OPTION) {
		err = ((const struct row *)a.row)->set(&a, o);
		if (err)
			return err;
	}
	if (found == WEFT_ARGS_WORD)
		return weft_args_error(
			&a,
			"%s: unexpected argument; all arguments are options",
			a.word[0]);
	if (found != WEFT_ARGS_END)
		return found == WEFT_ARGS_HELP ? 1 : -1;
	return opts_finish(&a, o);
}
