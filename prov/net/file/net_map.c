/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes and maps; the interface is described in net_map.h. */
#include "prov/net/file/net_map.h"

#include "src/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Letter of the slot on a node; the slot is the digit after the dimensions. */
#define SLOT_LETTER 'T'
enum { DIGITS_MAX = NET_DIMS_MAX + 1 };

/* Coordinates of a rank as a mixed-radix number, slowest digit first. */
struct order {
	unsigned count;
	unsigned digit[DIGITS_MAX]; /* dimension, or cfg->dims for the slot */
	/* radix of each dimension, indexed by dimension */
	uint32_t radix[DIGITS_MAX];
};

/* ---- shapes -------------------------------------------------------------- */

uint32_t net_shape_nodes(const struct net_config *cfg)
{
	uint64_t nodes = net_router_nodes(cfg);

	for (unsigned d = 0; d < cfg->dims; d++) {
		nodes *= cfg->size[d];
		if (nodes > NET_MAP_NODES_MAX)
			return NET_MAP_NODES_MAX + 1;
	}
	return (uint32_t)nodes;
}

/* Returns the node limit of the machine or, if it has none, of the model. */
static uint32_t most_nodes(const struct net_config *cfg)
{
	struct net_config c = { .dims = cfg->dims,
				.router_nodes = cfg->router_nodes };

	memcpy(c.size, cfg->full, sizeof(c.size));
	return c.size[0] ? net_shape_nodes(&c) : NET_MAP_NODES_MAX;
}

int net_shape_fit(struct net_config *cfg, uint32_t nodes, char why[NET_MAP_WHY])
{
	unsigned d = cfg->dims;

	if (!cfg->dims || nodes > most_nodes(cfg) ||
	    nodes > NET_MAP_NODES_MAX) {
		snprintf(why, NET_MAP_WHY,
			 "%u nodes are needed, and %s has "
			 "at most %u; give a shape after a colon",
			 nodes, cfg->name, most_nodes(cfg));
		return -EINVAL;
	}
	for (unsigned i = 0; i < cfg->dims; i++)
		cfg->size[i] = 1;
	while (net_shape_nodes(cfg) < nodes) {
		uint32_t twice, full;

		d = d ? d - 1 : cfg->dims - 1u;
		twice = 2u * cfg->size[d];
		full = cfg->full[d];
		cfg->size[d] = (uint16_t)(full && full < twice ? full : twice);
	}
	return 0;
}

char *net_shape_text(const struct net_config *cfg, char *text, size_t len)
{
	size_t at = 0;

	text[0] = '\0';
	for (unsigned d = 0; d < cfg->dims && at < len; d++)
		at += (size_t)snprintf(text + at, len - at, "%s%u",
				       d ? "x" : "", cfg->size[d]);
	return text;
}

uint32_t net_node_at(const struct net_config *cfg, const uint16_t *at)
{
	uint32_t node = 0;

	for (unsigned d = 0; d < cfg->dims; d++)
		node = node * cfg->size[d] + at[d];
	return node * net_router_nodes(cfg);
}

void net_node_coords(const struct net_config *cfg, uint32_t node, uint16_t *at)
{
	node /= net_router_nodes(cfg);
	for (unsigned d = cfg->dims; d-- > 0; node /= cfg->size[d])
		at[d] = (uint16_t)(node % cfg->size[d]);
}

/* ---- dimension orders ---------------------------------------------------- */

int net_map_is_order(const char *text)
{
	return text[0] &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "abcdefghijklmnopqrstuvwxyz") == strlen(text);
}

int net_map_read(const char *name, char **text_p, char why[NET_MAP_WHY])
{
	int err = weft_text_read(name, text_p);

	if (err)
		snprintf(why, NET_MAP_WHY, "cannot read map %.80s: %s", name,
			 strerror(-err));
	return err;
}

static int bad_order(const struct net_config *cfg, const char *text,
		     const char *what, char why[NET_MAP_WHY])
{
	snprintf(
		why, NET_MAP_WHY,
		"map \"%.20s\": %s; an order for %s names each of A to %c "
		"and T once, the fastest-varying last; or give a file (./name)",
		text, what, cfg->name, (char)('A' + cfg->dims - 1));
	return -EINVAL;
}

static int order_parse(struct order *o, const struct net_config *cfg,
		       const char *text, char why[NET_MAP_WHY])
{
	unsigned seen = 0;
	char what[32];
	int digit;

	o->count = cfg->dims + 1u;
	for (const char *p = text; *p; p++) {
		int up = toupper((unsigned char)*p);

		if (up == SLOT_LETTER)
			digit = cfg->dims;
		else
			digit = up >= 'A' && up < 'A' + cfg->dims ? up - 'A'
								  : -1;
		if (digit >= 0 && !(seen & 1u << digit)) {
			o->digit[__builtin_popcount(seen)] = (unsigned)digit;
			seen |= 1u << digit;
			continue;
		}
		snprintf(what, sizeof(what),
			 digit < 0 ? "unknown dimension %c" : "%c occurs twice",
			 *p);
		return bad_order(cfg, text, what, why);
	}
	if (seen != (1u << o->count) - 1)
		return bad_order(cfg, text, "a dimension is missing", why);
	return 0;
}

/*
 * Computes node and slot from coordinates; the slots of all nodes of a shared
 * router are numbered consecutively.
 */
static void place_at(const struct net_config *cfg, const uint16_t *at,
		     uint32_t places, struct net_place *p)
{
	uint32_t ppn = places / net_router_nodes(cfg);

	p->node = net_node_at(cfg, at) + p->slot / ppn;
	p->slot %= ppn;
}

static void order_place(const struct order *o, const struct net_config *cfg,
			uint32_t rank, struct net_place *p)
{
	uint16_t at[NET_DIMS_MAX];

	for (unsigned i = o->count; i-- > 0;) {
		unsigned d = o->digit[i];
		uint32_t v = rank % o->radix[d];

		rank /= o->radix[d];
		if (d == cfg->dims)
			p->slot = v;
		else
			at[d] = (uint16_t)v;
	}
	place_at(cfg, at, o->radix[cfg->dims], p);
}

static int fill_by_order(const struct net_map_args *a, uint32_t ppn,
			 struct net_place *place, char why[NET_MAP_WHY])
{
	struct order o;
	int err;

	o.count = a->cfg->dims + 1u;
	for (unsigned i = 0; i < o.count; i++)
		o.digit[i] = i;
	err = a->order ? order_parse(&o, a->cfg, a->order, why) : 0;
	if (err)
		return err;
	for (unsigned d = 0; d < a->cfg->dims; d++)
		o.radix[d] = a->cfg->size[d];
	o.radix[a->cfg->dims] = ppn * net_router_nodes(a->cfg);
	for (uint32_t r = 0; r < a->ranks; r++)
		order_place(&o, a->cfg, r, &place[r]);
	return 0;
}

/* ---- map tables ---------------------------------------------------------- */

struct table {
	const char *text; /* remaining text */
	unsigned line;	  /* current line number */
	char *why;
};

static int bad_entry(struct table *t, const char *what)
{
	snprintf(t->why, NET_MAP_WHY, "map, line %u: %s", t->line, what);
	return -EINVAL;
}

/* Advances to the next line that is not empty. Returns false at the end. */
static bool table_next(struct table *t)
{
	while (*t->text) {
		t->line++;
		t->text += strspn(t->text, " \t\r");
		if (*t->text && *t->text != '\n' && *t->text != '#')
			return true;
		t->text += strcspn(t->text, "\n");
		t->text += *t->text == '\n';
	}
	return false;
}

static int table_number(struct table *t, uint32_t below, uint32_t *n_p)
{
	unsigned long n;
	char text[96], *end;

	t->text += strspn(t->text, " \t,");
	if (!isdigit((unsigned char)*t->text))
		return bad_entry(t, "expected a coordinate for each dimension "
				    "and a slot on the node (T)");
	n = strtoul(t->text, &end, 10);
	if (n >= below) {
		snprintf(text, sizeof(text), "%lu is out of range, 0 to %u", n,
			 below - 1);
		return bad_entry(t, text);
	}
	t->text = end;
	*n_p = (uint32_t)n;
	return 0;
}

static int table_entry(struct table *t, const struct net_map_args *a,
		       uint32_t ppn, struct net_place *p)
{
	uint16_t at[NET_DIMS_MAX];
	uint32_t v = 0;
	int err = 0;

	for (unsigned d = 0; d < a->cfg->dims && !err; d++) {
		err = table_number(t, a->cfg->size[d], &v);
		at[d] = (uint16_t)v;
	}
	if (!err)
		err = table_number(t, ppn * net_router_nodes(a->cfg), &p->slot);
	if (err)
		return err;
	t->text += strspn(t->text, " \t\r");
	if (*t->text && *t->text != '\n' && *t->text != '#')
		return bad_entry(t, "more numbers than dimensions and T");
	t->text += strcspn(t->text, "\n");
	t->text += *t->text == '\n';
	place_at(a->cfg, at, ppn * net_router_nodes(a->cfg), p);
	return 0;
}

static int fill_by_table(const struct net_map_args *a, uint32_t ppn,
			 struct net_place *place, char why[NET_MAP_WHY])
{
	struct table t = { a->table, 0, why };
	size_t i;
	char *taken = calloc((size_t)net_shape_nodes(a->cfg), ppn);
	uint32_t r = 0;
	int err = taken ? 0 : -ENOMEM;

	for (; r < a->ranks && !err && table_next(&t); r++) {
		err = table_entry(&t, a, ppn, &place[r]);
		if (err)
			break;
		i = (size_t)place[r].node * ppn + place[r].slot;
		if (taken[i])
			err = bad_entry(&t,
					"another rank has this node and slot");
		taken[i] = 1;
	}
	free(taken);
	if (!err && r < a->ranks) {
		snprintf(why, NET_MAP_WHY, "the map has %u lines for %u ranks",
			 r, a->ranks);
		err = -EINVAL;
	}
	return err;
}

int net_map_fill(const struct net_map_args *a, struct net_place *place,
		 char why[NET_MAP_WHY])
{
	uint32_t ppn = a->ppn ? a->ppn : a->cfg->ranks_per_node;
	uint32_t nodes = net_shape_nodes(a->cfg);
	char shape[64];

	ppn = ppn ? ppn : 1;
	if ((uint64_t)nodes * ppn < a->ranks) {
		snprintf(why, NET_MAP_WHY,
			 "%u ranks do not fit on %s:%s: %u nodes with %u ranks "
			 "each; use a larger shape or --ppn",
			 a->ranks, a->cfg->name,
			 net_shape_text(a->cfg, shape, sizeof(shape)), nodes,
			 ppn);
		return -EINVAL;
	}
	return a->table ? fill_by_table(a, ppn, place, why)
			: fill_by_order(a, ppn, place, why);
}
