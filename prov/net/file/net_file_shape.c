/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shape of a machine: lengths, torus or mesh, and the dimension orders that
 * depend on the lengths.
 */
#include "prov/net/file/net_file_int.h"
#include "prov/net/file/net_map.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the model, equal to those in net_config_check(). */
#define LENGTH_MAX   128
#define SWITCHES_MAX 1024
#define NODES_MAX    (1 << 19)

/* Parses a length and an optional letter t or m. Returns NULL if invalid. */
static const char *length(const char *s, unsigned most, uint16_t *size_p,
			  char *wrap_p)
{
	unsigned n = 0;

	if (!isdigit((unsigned char)*s))
		return NULL;
	for (; isdigit((unsigned char)*s); s++)
		if ((n = n * 10 + (unsigned)(*s - '0')) > most)
			return NULL;
	*wrap_p = 0;
	if (*s == 't' || *s == 'm')
		*wrap_p = *s++;
	*size_p = (uint16_t)n;
	return n ? s : NULL;
}

unsigned file_length_max(const struct net_config *cfg)
{
	return net_is_switched(cfg) ? SWITCHES_MAX : LENGTH_MAX;
}

int file_dims(const char *text, unsigned most, uint16_t *size, char *wrap,
	      unsigned *count_p)
{
	unsigned d = 0;

	for (unsigned i = 0; i < NET_DIMS_MAX; i++) {
		size[i] = 1;
		wrap[i] = 0;
	}
	for (;;) {
		text = length(text, most, &size[d], &wrap[d]);
		if (!text)
			return -EINVAL;
		d++;
		if (!*text)
			break;
		if (*text++ != 'x' || d == NET_DIMS_MAX)
			return -EINVAL;
	}
	*count_p = d;
	return 0;
}

static int shape_smallest(struct net_config *c, uint32_t nodes,
			  struct net_error_text *why)
{
	char error[NET_MAP_WHY];

	/* the shape of a user's machine is given by its file */
	if (net_is_switched(c) || file_is_generic(c))
		return nodes <= net_shape_nodes(c)
			       ? 0
			       : file_fail(why,
					   "%u nodes are needed, %s has %u; "
					   "give a larger shape",
					   nodes, c->name, net_shape_nodes(c));
	if (c->topology == NET_TORUS) {
		memset(c->wrap, 0, sizeof(c->wrap));
		if (!net_shape_fit(c, nodes, error))
			return 0;
		return file_fail(why, "%s", error);
	}
	for (c->dims = 1; net_shape_nodes(c) < nodes; c->dims++)
		if (c->dims == NET_DIMS_MAX)
			return file_fail(why,
					 "%u nodes are needed, %s has at "
					 "most %u",
					 nodes, c->name, net_shape_nodes(c));
	return 0;
}

static int shape_given(struct net_config *c, const char *dims, uint32_t nodes,
		       struct net_error_text *why)
{
	char wrap[NET_DIMS_MAX];
	unsigned count;

	if (c->topology == NET_GRAPH) {
		/* for graphs, DIMS may only repeat the number of nodes */
		if (strtoul(dims, NULL, 10) == c->size[0])
			return shape_smallest(c, nodes, why);
		return file_fail(why,
				 "shape %s: the graph of %s has %u nodes; "
				 "omit the shape",
				 dims, c->name, c->size[0]);
	}
	if (file_dims(dims, file_length_max(c), c->size, wrap, &count))
		return file_fail(why,
				 "shape %s: expected at most %d lengths of 1 "
				 "to %u separated by x, e.g. 4x4x4x4x2",
				 dims, NET_DIMS_MAX, file_length_max(c));
	if (c->topology != NET_TORUS)
		c->dims = (uint8_t)count;
	if (count > c->dims)
		return file_fail(why, "shape %s: %s has %u dimensions", dims,
				 c->name, c->dims);
	for (unsigned d = 0; d < NET_DIMS_MAX; d++)
		c->wrap[d] = (uint8_t)wrap[d];
	if (net_shape_nodes(c) > NODES_MAX)
		return file_fail(why,
				 "shape %s has more than %d nodes, the limit",
				 dims, NODES_MAX);
	if (net_shape_nodes(c) < nodes)
		return file_fail(why, "shape %s has %u nodes, %u are needed",
				 dims, net_shape_nodes(c), nodes);
	return 0;
}

/* Returns whether a dimension without the letter t or m is a torus. */
static bool is_ring_default(const struct net_config *c, unsigned d)
{
	return c->size[d] > 1 && (c->closed || c->size[d] == c->midplane[d] ||
				  c->size[d] == c->full[d]);
}

int file_shape(const struct file_doc *doc, struct net_config *c,
	       const char *dims, uint32_t nodes)
{
	int err = 0;

	/* no link chips in a dimension whose maximum length is one midplane */
	for (unsigned d = 0; d < NET_DIMS_MAX; d++)
		if (c->midplane[d] == c->full[d])
			c->midplane[d] = 0;
	if (c->topology != NET_TORUS && !net_is_switched(c)) {
		/* higher levels have the values of the last level */
		for (unsigned l = c->dims; l < NET_DIMS_MAX; l++) {
			c->size[l] = c->size[c->dims - 1];
			c->cable[l] = c->cable[c->dims - 1];
			c->parents[l] = c->parents[c->dims - 1];
		}
	}
	if (dims)
		err = shape_given(c, dims, nodes, doc->why);
	else if (nodes)
		err = shape_smallest(c, nodes, doc->why);
	if (!err && net_shape_nodes(c) > NODES_MAX)
		err = file_fail(doc->why,
				"%.200s: shape has more than %d nodes, the "
				"limit",
				doc->name, NODES_MAX);
	if (!err && c->topology == NET_TORUS) {
		for (unsigned d = 0; d < NET_DIMS_MAX; d++)
			c->wrap[d] = c->wrap[d] ? c->wrap[d] == 't'
						: is_ring_default(c, d);
	}
	for (unsigned d = c->dims; d < NET_DIMS_MAX; d++)
		c->size[d] = c->midplane[d] = c->full[d] = c->parents[d] = 0;
	return err;
}

void net_file_shape_text(const struct net_config *cfg, char *buf, size_t len)
{
	size_t at = 0;

	for (unsigned d = 0; d < cfg->dims && at < len; d++) {
		const char *mark = "";

		if (cfg->topology == NET_TORUS &&
		    is_ring_default(cfg, d) != !!cfg->wrap[d])
			mark = cfg->wrap[d] ? "t" : "m";
		at += (size_t)snprintf(buf + at, len - at, "%s%u%s",
				       d ? "x" : "", cfg->size[d], mark);
	}
}

/* ---- dimension orders ---------------------------------------------------- */

/* Sorts the dimensions by length, longest first, then by letter. */
static void longest_first(const struct net_config *cfg, uint8_t *order)
{
	for (unsigned d = 0; d < cfg->dims; d++)
		order[d] = (uint8_t)d;
	for (unsigned i = 1; i < cfg->dims; i++)
		for (unsigned k = i;
		     k && cfg->size[order[k]] > cfg->size[order[k - 1]]; k--) {
			uint8_t other = order[k];

			order[k] = order[k - 1];
			order[k - 1] = other;
		}
}

/* Returns the dimension of a letter, or -1. */
static int dim_of_letter(char c, const struct net_config *cfg)
{
	c = (char)toupper((unsigned char)c);
	return c >= 'A' && c < 'A' + cfg->dims ? c - 'A' : -1;
}

int file_order(const char *text, struct net_config *cfg)
{
	unsigned seen = 0, n = 0;
	int d;

	longest_first(cfg, cfg->order);
	if (!strcmp(text, "longest"))
		return 0;
	for (; *text; text++) {
		if (*text == ' ' || *text == ',')
			continue;
		d = dim_of_letter(*text, cfg);
		if (d < 0 || seen >> d & 1)
			return -EINVAL;
		seen |= 1u << d;
		cfg->order[n++] = (uint8_t)d;
	}
	return n == cfg->dims ? 0 : -EINVAL;
}

/* Builds masks of one dimension each, plus the dimensions in `also`. */
static void zone_order(const struct net_config *cfg, uint8_t *mask,
		       uint8_t also)
{
	for (unsigned i = 0; i < cfg->dims; i++)
		mask[i] = (uint8_t)(1u << cfg->order[i] | also);
}

static int zone_masks(const char *text, const struct net_config *cfg,
		      uint8_t *mask)
{
	unsigned n = 0, all = 0;
	int d;

	for (; *text; text++) {
		if (*text == ' ' || *text == ',') {
			n += mask[n] != 0;
			continue;
		}
		d = dim_of_letter(*text, cfg);
		if (d < 0 || n == NET_DIMS_MAX)
			return -EINVAL;
		mask[n] |= (uint8_t)(1u << d);
		all |= 1u << d;
	}
	return all == (1u << cfg->dims) - 1 ? 0 : -EINVAL;
}

int file_zone(const char *text, struct net_config *cfg, unsigned zone)
{
	uint8_t *mask = cfg->zone[zone];
	int d;

	memset(mask, 0, sizeof(cfg->zone[zone]));
	if (!strcmp(text, "longest")) {
		uint8_t order[NET_DIMS_MAX];
		unsigned n = 0;

		/* dimensions of equal length share a mask */
		longest_first(cfg, order);
		for (unsigned i = 0; i < cfg->dims; i++) {
			n += i &&
			     cfg->size[order[i]] != cfg->size[order[i - 1]];
			mask[n] |= (uint8_t)(1u << order[i]);
		}
	} else if (!strcmp(text, "any")) {
		mask[0] = (uint8_t)((1u << cfg->dims) - 1);
	} else if (!strcmp(text, "order")) {
		zone_order(cfg, mask, 0);
	} else if (!strncmp(text, "order+", 6)) {
		d = text[6] && !text[7] ? dim_of_letter(text[6], cfg) : -1;
		if (d < 0)
			return -EINVAL;
		zone_order(cfg, mask, (uint8_t)(1u << d));
	} else {
		return zone_masks(text, cfg, mask);
	}
	return 0;
}
