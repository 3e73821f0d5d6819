/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of a machine file: a decimal number and a unit, converted to the
 * integer that the model stores. strtod() is not used: it depends on the locale
 * of the program that loaded the provider.
 */
#include "prov/net/file/net_file_int.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT_TEXT = 32 };

enum unit_kind { UNIT_TIME, UNIT_CYCLE, UNIT_BYTE, UNIT_RATE, UNIT_COUNT };

static const struct unit {
	const char *name;
	enum unit_kind kind;
	double factor; /* factor to ps, cycles, bytes or bytes per second */
} units[] = {
	{ "ps", UNIT_TIME, 1 },		{ "ns", UNIT_TIME, 1e3 },
	{ "us", UNIT_TIME, 1e6 },	{ "ms", UNIT_TIME, 1e9 },
	{ "cycles", UNIT_CYCLE, 1 },	{ "cycle", UNIT_CYCLE, 1 },
	{ "B", UNIT_BYTE, 1 },		{ "KiB", UNIT_BYTE, 1024 },
	{ "MiB", UNIT_BYTE, 1048576 },	{ "GiB", UNIT_BYTE, 1073741824 },
	{ "MB/s", UNIT_RATE, 1e6 },	{ "GB/s", UNIT_RATE, 1e9 },
	{ "Gbit/s", UNIT_RATE, 125e6 }, { "chunks", UNIT_COUNT, 1 },
	{ "packets", UNIT_COUNT, 1 },	{ "", UNIT_COUNT, 1 },
};

/* Units that a type accepts, and their names for error messages. */
static const struct {
	unsigned kinds;
	const char *names;
} takes[] = {
	[FILE_TIME] = { 1u << UNIT_TIME | 1u << UNIT_CYCLE,
			"ps, ns, us, ms or cycles" },
	[FILE_CYCLES] = { 1u << UNIT_CYCLE, "cycles" },
	[FILE_BYTES] = { 1u << UNIT_BYTE, "B, KiB, MiB or GiB" },
	[FILE_RATE_INV] = { 1u << UNIT_RATE, "MB/s, GB/s or Gbit/s" },
	[FILE_RATE_US] = { 1u << UNIT_RATE, "MB/s, GB/s or Gbit/s" },
	[FILE_BYTE_TIME] = { 1u << UNIT_TIME, "ps or ns (per byte)" },
	[FILE_COUNT] = { 1u << UNIT_COUNT, "none, chunks or packets" },
	[FILE_ZONE] = { 0, "" },
};

static const struct unit *unit_find(const char *name)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(units); i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

/* Parses at most fifteen digits, with an optional decimal point. */
static const char *file_value_number(const char *s, double *x_p)
{
	double x = 0, scale = 1;
	unsigned digits = 0;
	bool point = false;

	for (; isdigit((unsigned char)*s) || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		x = x * 10 + (*s - '0');
		scale *= point ? 10 : 1;
		if (++digits > 15)
			return NULL;
	}
	*x_p = x / scale;
	return digits ? s : NULL;
}

static void store(const struct file_key *key, uint64_t v, void *base)
{
	char *at = (char *)base + key->offset;
	uint32_t narrow = (uint32_t)v;
	uint8_t byte = (uint8_t)v;

	if (key->bytes == 8)
		memcpy(at, &v, 8);
	else if (key->bytes == 4)
		memcpy(at, &narrow, 4);
	else
		memcpy(at, &byte, 1);
}

/* Converts a number to the unit that the model stores, without rounding. */
static double to_model_unit(const struct file_key *key, double x)
{
	switch (key->type) {
	case FILE_RATE_INV:
		return x > 0 ? 1e15 / x : 0;
	case FILE_RATE_US:
		return x / 1e6;
	case FILE_BYTE_TIME:
		return x * 1e3;
	default:
		return x;
	}
}

/* Writes a time or a rate with a unit for which the number is short. */
static void scaled_text(double x, const char *const *unit, unsigned n,
			char text[LIMIT_TEXT])
{
	unsigned i = 0;

	for (; i + 1 < n && x >= 1000; i++)
		x /= 1000;
	snprintf(text, LIMIT_TEXT, "%.7g %s", x, unit[i]);
}

/* Writes a limit of a key, from the unit that the model stores. */
static void limit_text(const struct file_key *key, uint64_t limit,
		       char text[LIMIT_TEXT])
{
	static const char *const times[] = { "ps", "ns", "us", "ms" };
	static const char *const rates[] = { "MB/s", "GB/s" };
	double v = (double)limit;

	if (key->type == FILE_TIME)
		scaled_text(v, times, WEFT_COUNT_OF(times), text);
	else if (key->type == FILE_BYTE_TIME)
		scaled_text(v / 1e3, times, 2, text);
	else if (key->type == FILE_RATE_INV)
		scaled_text(1e9 / v, rates, WEFT_COUNT_OF(rates), text);
	else if (key->type == FILE_RATE_US)
		scaled_text(v, rates, WEFT_COUNT_OF(rates), text);
	else
		snprintf(text, LIMIT_TEXT, "%.0f%s", v,
			 key->type == FILE_BYTES    ? " B"
			 : key->type == FILE_CYCLES ? " cycles"
						    : "");
}

static int out_of_range(const struct file_doc *doc,
			const struct file_line *item)
{
	const struct file_key *key = item->def;
	bool inverse = key->type == FILE_RATE_INV;
	char low[LIMIT_TEXT], high[LIMIT_TEXT];

	limit_text(key, inverse ? key->max : key->min, low);
	limit_text(key, inverse ? key->min : key->max, high);
	return file_fail_at(doc, item->line,
			    "%s = %s: out of range, the limits are %s and %s "
			    "(%s)",
			    key->name, item->value, low, high, key->help);
}

static int value_quantity(const struct file_doc *doc,
			  const struct file_line *item, uint64_t cycle_ps,
			  void *base)
{
	const struct file_key *key = item->def;
	const struct unit *unit;
	const char *rest;
	double x, v, whole;

	rest = file_value_number(item->value, &x);
	if (!rest)
		return file_fail_at(doc, item->line,
				    "%s = %s: expected a number: %s", key->name,
				    item->value, key->help);
	while (*rest == ' ' || *rest == '\t')
		rest++;
	unit = unit_find(rest);
	if (!unit || !(takes[key->type].kinds >> unit->kind & 1))
		return file_fail_at(
			doc, item->line,
			"%s = %s: unit \"%s\" is not valid here; use %s (%s)",
			key->name, item->value, rest, takes[key->type].names,
			key->help);
	x *= unit->factor;
	if (unit->kind == UNIT_CYCLE && key->type == FILE_TIME)
		x *= (double)cycle_ps;
	v = to_model_unit(key, x);
	whole = (double)(uint64_t)(v < 9e18 ? v + 0.5 : 0);
	/* only times and rates are rounded; other values must be integers */
	if ((key->type == FILE_COUNT || key->type == FILE_BYTES ||
	     key->type == FILE_CYCLES) &&
	    (v - whole > 1e-6 || whole - v > 1e-6))
		return file_fail_at(doc, item->line,
				    "%s = %s: expected an integer", key->name,
				    item->value);
	if (whole < (double)key->min || whole > (double)key->max)
		return out_of_range(doc, item);
	store(key, (uint64_t)whole, base);
	return 0;
}

static int name(const struct file_doc *doc, const struct file_line *item,
		void *base)
{
	size_t len = strlen(item->value);

	if (len >= item->def->bytes || strpbrk(item->value, " \t/:@"))
		return file_fail_at(
			doc, item->line,
			"%s = %s: expected one word of at most %u letters",
			item->key, item->value, item->def->bytes - 1);
	memcpy((char *)base + item->def->offset, item->value, len + 1);
	return 0;
}

/* Sets the topology. A mesh is a torus whose dimensions are not rings. */
static int topology(const struct file_doc *doc, const struct file_line *item,
		    struct net_config *cfg)
{
	static const char *const names[] = {
		[NET_TORUS] = "torus",
		[NET_FAT_TREE] = "fat-tree",
		[NET_GEN_FAT_TREE] = "gen-fat-tree",
		[NET_DRAGONFLY] = "dragonfly",
		[NET_DRAGONFLY_PLUS] = "dragonfly+",
		[NET_HYPERX] = "hyperx",
		[NET_GRAPH] = "graph",
	};

	cfg->closed = file_is_generic(cfg) && !strcmp(item->value, "torus");
	if (!strcmp(item->value, "mesh")) {
		cfg->topology = NET_TORUS;
		return 0;
	}
	for (uint8_t i = 0; i < WEFT_COUNT_OF(names); i++)
		if (!strcmp(item->value, names[i])) {
			cfg->topology = i;
			return 0;
		}
	return file_fail_at(doc, item->line, "topology = %s: expected %s",
			    item->value, item->def->help);
}

/* Words that each key accepts; each list ends with NULL. */
static const struct {
	const char *key;
	const char *word[6];
} codes[] = {
	{ "code", { "none", "rs1", "rs5", "crc16", "crc32" } },
	{ "end_code", { "none", "rs1", "rs5" } },
	{ "fec", { "none", "rs14" } },
	{ "header_code", { "none", "hamming" } },
	{ "checked", { "link", "end" } },
	{ "internal", { "poison", "halt" } },
	{ "reroute", { "no", "yes" } },
	{ "neterr", { "no", "yes" } },
	{ "link_crc", { "no", "yes" } },
	{ "coll_chain", { "no", "yes" } },
	{ "engines_by", { "process", "peer" } },
	{ "fifo_order", { "round-robin", "random" } },
	{ "coll_shared", { "no", "yes" } },
	{ "counters", { "no", "yes" } },
	{ "switching", { "cut-through", "wormhole" } },
	{ "cut_through", { "no", "yes" } },
	{ "match_unit", { "no", "yes" } },
	{ "routing", { "minimal", "valiant", "ugal", "up-down" } },
};

static int code(const struct file_doc *doc, const struct file_line *item,
		void *base)
{
	const struct file_key *key = item->def;
	const char *const *word;

	for (unsigned i = 0; i < WEFT_COUNT_OF(codes); i++) {
		if (strcmp(codes[i].key, key->name))
			continue;
		for (word = codes[i].word; *word; word++)
			if (!strcmp(*word, item->value)) {
				store(key, (uint64_t)(word - codes[i].word),
				      base);
				return 0;
			}
	}
	return file_fail_at(doc, item->line, "%s = %s: expected %s", key->name,
			    item->value, key->help);
}

static int dims(const struct file_doc *doc, const struct file_line *item,
		struct net_config *cfg)
{
	const struct file_key *key = item->def;
	uint16_t size[NET_DIMS_MAX];
	char wrap[NET_DIMS_MAX];
	unsigned count;

	if (file_dims(item->value, file_length_max(cfg), size, wrap, &count))
		return file_fail_at(
			doc, item->line,
			"%s = %s: %u lengths at most, 1 to %u each: %s",
			key->name, item->value, NET_DIMS_MAX,
			file_length_max(cfg), key->help);
	memcpy((char *)cfg + key->offset, size, sizeof(size));
	if (!strcmp(key->name, "shape")) {
		cfg->dims = (uint8_t)count;
		for (unsigned d = 0; d < NET_DIMS_MAX; d++)
			cfg->wrap[d] = (uint8_t)wrap[d];
	}
	return 0;
}

int file_value(const struct file_doc *doc, const struct file_line *item,
	       uint64_t cycle_ps, struct net_config *cfg, void *base)
{
	int err;

	switch (item->def->type) {
	case FILE_NAME:
		return name(doc, item, base);
	case FILE_TOPOLOGY:
		return topology(doc, item, cfg);
	case FILE_DIMS:
		return dims(doc, item, cfg);
	case FILE_NODES:
		cfg->coll_range = !strcmp(item->value, "range");
		if (cfg->coll_range || !strcmp(item->value, "any"))
			return 0;
		return file_fail_at(doc, item->line,
				    "%s = %s: expected any or range", item->key,
				    item->value);
	case FILE_CODE:
		return code(doc, item, base);
	case FILE_PATHS:
	case FILE_BUSES:
	case FILE_BUS_MASK:
	case FILE_CHOICES:
		if (item->def->type == FILE_CHOICES)
			err = file_choices(item->def->name + strlen("choose_"),
					   item->value, cfg);
		else if (item->def->type == FILE_PATHS)
			err = file_paths(item->value, cfg);
		else if (item->def->type == FILE_BUSES)
			err = file_buses(item->value, cfg);
		else
			err = file_bus_mask(item->value, cfg,
					    (uint8_t *)base +
						    item->def->offset);
		if (!err)
			return 0;
		return file_fail_at(doc, item->line, "%s = %s: expected %s",
				    item->key, item->value, item->def->help);
	case FILE_ORDER:
	case FILE_ZONE:
	case FILE_GRAPH:
		return 0; /* the value is set when the shape has been read */
	default:
		return value_quantity(doc, item, cycle_ps, base);
	}
}
