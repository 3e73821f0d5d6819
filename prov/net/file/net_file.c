/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of machine files: splits lines into key, value and comment, then sets
 * each key of the table. Error messages name the file, the line and the
 * expected value.
 */
#include "prov/net/file/net_file_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- splitting of lines -------------------------------------------------- */

static char *trim(char *s)
{
	char *end;

	s += strspn(s, " \t\r");
	end = s + strlen(s);
	while (end > s && strchr(" \t\r", end[-1]))
		*--end = 0;
	return s;
}

static int unknown_key(struct file_doc *doc, unsigned line, const char *key)
{
	const struct file_key *nearest = file_key_nearest(key);

	if (nearest)
		return file_fail_at(doc, line,
				    "unknown key \"%.40s\"; "
				    "nearest is %s: %s",
				    key, nearest->name, nearest->help);
	return file_fail_at(doc, line, "unknown key \"%.40s\"", key);
}

/* Starts a section: the line "[name]" names a variant. */
static int split_section(struct file_doc *doc, unsigned line, char *s)
{
	size_t n = strlen(s);

	if (n < 3 || s[n - 1] != ']')
		return file_fail_at(doc, line,
				    "%.40s: a variant section is [NAME]", s);
	s[n - 1] = 0;
	doc->section = trim(s + 1);
	return 0;
}

static const struct file_key *key_of(const struct file_line *item)
{
	const struct file_key *key;

	if (!item->part)
		return file_key_find(item->key, 0);
	key = file_key_find(item->key, FILE_OF_PATH);
	return key ? key : file_key_find(item->key, FILE_OF_BUS);
}

static int line_store(struct file_doc *doc, const struct file_line *item)
{
	const struct file_line *before =
		file_line_in(doc, item->part, item->key, item->variant);

	if (before)
		return file_fail_at(doc, item->line,
				    "%s is already set in line %u", item->key,
				    before->line);
	if (doc->count == FILE_LINES_MAX)
		return file_fail_at(doc, item->line, "more than %d lines",
				    FILE_LINES_MAX);
	doc->item[doc->count++] = *item;
	return 0;
}

/* Splits "key = value # comment"; skips empty lines and comments. */
static int split_line(struct file_doc *doc, unsigned line, char *s)
{
	struct file_line item = { .line = line,
				  .comment = s + strlen(s),
				  .variant = doc->section };
	char *hash = strchr(s, '#'), *equal, *point;

	if (hash) {
		*hash = 0;
		item.comment = trim(hash + 1);
	}
	s = trim(s);
	if (!*s)
		return 0;
	if (*s == '[')
		return split_section(doc, line, s);
	equal = strchr(s, '=');
	if (!equal)
		return file_fail_at(doc, line,
				    "\"%.40s\": expected key = value # source",
				    s);
	*equal = 0;
	item.key = trim(s);
	item.value = trim(equal + 1);
	point = strchr(item.key, '.');
	if (point) {
		*point = 0;
		item.part = item.key;
		item.key = point + 1;
	}
	item.def = key_of(&item);
	if (!item.def)
		return unknown_key(doc, line, item.key);
	if (!*item.value)
		return file_fail_at(doc, line, "%s has no value; expected: %s",
				    item.key, item.def->help);
	return line_store(doc, &item);
}

static int split_text(struct file_doc *doc, char *text, size_t len)
{
	unsigned line = 1;
	char *end;
	int err;

	if (memchr(text, 0, len))
		return file_fail(doc->why, "%.200s: not a text file",
				 doc->name);
	for (; text && *text; text = end, line++) {
		end = strchr(text, '\n');
		if (end)
			*end++ = 0;
		err = split_line(doc, line, text);
		if (err)
			return err;
	}
	return 0;
}

/* ---- setting of values --------------------------------------------------- */

static bool needed(const struct file_key *key, const struct net_config *cfg)
{
	/* a file without a unit probably describes a generic machine */
	if (file_is_generic(cfg) || !*cfg->unit)
		return file_generic_requires(key->name, cfg);
	if (key->flags & FILE_OPTIONAL)
		return false;
	if (key->flags & FILE_CUT_THROUGH)
		return !cfg->wormhole;
	return !(key->flags & FILE_TORUS_ONLY) || cfg->topology == NET_TORUS;
}

/* Sets a key for which a generic machine has a default value. */
static int take_default(const struct file_doc *doc, const struct file_key *key,
			uint64_t cycle_ps, struct net_config *cfg)
{
	const char *value = file_generic_default(key->name);
	char text[32];
	struct file_line item = { .def = key, .key = text, .value = text };

	if (!value || !file_is_generic(cfg))
		return 0;
	snprintf(text, sizeof(text), "%s", value);
	return file_value(doc, &item, cycle_ps, cfg, cfg);
}

/* Sets a key. A missing key is added to the message of missing keys. */
static int file_take(struct file_doc *doc, const char *name, uint64_t cycle_ps,
		     struct net_config *cfg)
{
	const struct file_line *item = file_line_get(doc, NULL, name);
	const struct file_key *key = file_key_find(name, 0);
	size_t size = sizeof(doc->missing);

	if (item)
		return file_value(doc, item, cycle_ps, cfg, cfg);
	if (!needed(key, cfg))
		return take_default(doc, key, cycle_ps, cfg);
	if (!doc->missing_count)
		doc->missing_key = key;
	if (doc->missing_len < size)
		doc->missing_len +=
			(size_t)snprintf(doc->missing + doc->missing_len,
					 size - doc->missing_len,
					 "\n  %-14s %s", key->name, key->help);
	doc->missing_count++;
	return 0;
}

/* Reports all missing keys in one message. */
static int check_missing(const struct file_doc *doc,
			 const struct net_config *cfg)
{
	const struct file_key *key = doc->missing_key;
	bool generic = file_is_generic(cfg) || !*cfg->unit;

	if (!doc->missing_count)
		return 0;
	if (doc->missing_count == 1)
		return file_fail(doc->why, "%.200s: no line for %s: %s",
				 doc->name, key->name, key->help);
	if (generic)
		return file_fail(doc->why, "%.200s: no lines for %u keys:%s",
				 doc->name, doc->missing_count, doc->missing);
	return file_fail(doc->why,
			 "%.200s: no lines for %u keys of unit %s (with unit = "
			 "generic most of them have default values):%s",
			 doc->name, doc->missing_count, cfg->unit,
			 doc->missing);
}

/* Sets the orders of dimensions, which depend on the lengths. */
static int set_orders(const struct file_doc *doc, struct net_config *cfg)
{
	const struct file_line *item;
	const struct file_key *key;
	const char *value;
	int err = 0;

	if (cfg->topology != NET_TORUS)
		return 0;
	for (unsigned i = 0; i < file_key_count; i++) {
		key = &file_keys[i];
		item = file_line_get(doc, NULL, key->name);
		value = item		       ? item->value
			: file_is_generic(cfg) ? file_generic_default(key->name)
					       : NULL;
		if (value && key->type == FILE_ORDER)
			err = file_order(value, cfg);
		else if (value && key->type == FILE_ZONE)
			err = file_zone(value, cfg,
					(unsigned)(key->name[4] - '0'));
		if (err)
			return file_fail_at(doc, item ? item->line : 0,
					    "%s = %s: %s", key->name, value,
					    key->help);
	}
	return 0;
}

/*
 * Sets the values that follow from wormhole switching: a token is a channel.
 * -EINVAL: keys are missing, or have no effect.
 */
static int set_channels(const struct file_doc *doc, struct net_config *c)
{
	static const char *const unused[] = {
		"tokens_dynamic", "tokens_deterministic", "tokens_high",
		"tokens_system",  "tokens_shared",	  "credit",
		"dyn_queues",	  "credit_words",	  "look_ahead",
	};

	if (!c->wormhole)
		return 0;
	for (unsigned i = 0; i < WEFT_COUNT_OF(unused); i++) {
		const struct file_line *item = file_doc_get(doc, unused[i]);

		if (item)
			return file_fail_at(doc, item->line,
					    "%s has no effect with switching = "
					    "wormhole; remove the line",
					    unused[i]);
	}
	if (!c->channels || !c->fifo_bytes)
		return file_fail(doc->why,
				 "%.200s: switching = wormhole needs lines for "
				 "channels and fifo",
				 doc->name);
	net_config_channels(c);
	return 0;
}

/* Sets missing values whose default is the value of another key. */
static void set_defaults(const struct file_doc *doc, struct net_config *cfg)
{
	if (!file_line_get(doc, NULL, "eager_message"))
		cfg->eager_message_ps = cfg->message_ps;
	if (!file_line_get(doc, NULL, "coll_send"))
		cfg->coll_send_ps = cfg->send_ps;
	if (!file_line_get(doc, NULL, "coll_recv"))
		cfg->coll_recv_ps = cfg->recv_ps;
}

/* Checks the requested variant; the error message lists all variants. */
static int check_variant(const struct file_doc *doc)
{
	const char *last = "";
	char all[200] = "";
	size_t at = 0;

	if (!doc->variant)
		return 0;
	for (unsigned i = 0; i < doc->count; i++) {
		if (file_same_text(doc->item[i].variant, doc->variant))
			return 0;
		if (doc->item[i].variant &&
		    !file_same_text(doc->item[i].variant, last) &&
		    at < sizeof(all)) {
			last = doc->item[i].variant;
			at += (size_t)snprintf(all + at, sizeof(all) - at,
					       " %s", last);
		}
	}
	return file_fail(doc->why, "%.200s: no variant %.40s; there %s%s",
			 doc->name, doc->variant, *all ? "are:" : "are none",
			 all);
}

/*
 * Sets the values of paths and buses. A path inherits the values of path 0,
 * except those that have a line for the path.
 */
static int take_parts(const struct file_doc *doc, struct net_config *cfg)
{
	const struct file_line *l;
	char name[sizeof(cfg->path[0].name)];
	void *part;
	int err = 0;

	for (unsigned i = 1; i < cfg->paths; i++) {
		memcpy(name, cfg->path[i].name, sizeof(name));
		cfg->path[i] = cfg->path[0];
		memcpy(cfg->path[i].name, name, sizeof(name));
	}
	for (unsigned i = 0; i < doc->count && !err; i++) {
		l = &doc->item[i];
		if (!l->part || file_line_get(doc, l->part, l->key) != l)
			continue;
		part = file_part(l->part, l->def->flags, cfg);
		if (!part)
			return file_fail_at(doc, l->line,
					    "%s.%s: no such path or bus; "
					    "declare it in paths or buses",
					    l->part, l->key);
		err = file_value(doc, l, cfg->tick_ps, cfg, part);
	}
	return err;
}

/* Sets the keys of the machine, except topology, unit and cycle. */
static int take_keys(struct file_doc *doc, struct net_config *cfg)
{
	int err = file_take(doc, "unit", 0, cfg);

	if (!err)
		err = file_take(doc, "topology", 0, cfg);
	if (!err)
		err = file_take(doc, "cycle", 1000, cfg);
	doc->missing_len = doc->missing_count = 0;
	for (unsigned i = 0; i < file_key_count && !err; i++)
		if (!(file_keys[i].flags & (FILE_OF_PATH | FILE_OF_BUS)))
			err = file_take(doc, file_keys[i].name, cfg->tick_ps,
					cfg);
	return err ? err : check_missing(doc, cfg);
}

/* Sets the shape, and the values that depend on it. */
static int set_shape(const struct file_doc *doc, const char *dims,
		     uint32_t nodes, struct net_config *cfg)
{
	const struct file_line *item = file_line_get(doc, NULL, "graph");
	struct file_graph_names *names = NULL;
	int err = 0;

	if (cfg->topology == NET_GRAPH && item) {
		names = calloc(1, sizeof(*names));
		err = names ? file_graph(doc, item, cfg, names)
			    : file_fail(doc->why, "%.200s: no memory",
					doc->name);
	}
	if (!err)
		err = file_shape(doc, cfg, dims, nodes);
	if (!err && net_is_switched(cfg))
		err = file_switches(doc, cfg, names);
	if (!err && file_is_generic(cfg))
		file_generic_set(cfg);
	free(names);
	return err;
}

static int config_build(struct file_doc *doc, const char *dims, uint32_t nodes,
			struct net_config *cfg)
{
	int err;

	memset(cfg, 0, sizeof(*cfg));
	cfg->through_share = 1;
	cfg->bubble = 1;
	cfg->tokens[NET_VC_COLL0] = cfg->tokens[NET_VC_COLL1] = 1;
	err = check_variant(doc);
	if (!err)
		err = take_keys(doc, cfg);
	if (!err && file_is_generic(cfg))
		err = file_generic_pairs(doc);
	if (!err && file_is_generic(cfg))
		err = file_generic_topology(doc, cfg);
	if (!err)
		err = take_parts(doc, cfg);
	set_defaults(doc, cfg);
	if (!err)
		err = set_channels(doc, cfg);
	if (!err)
		err = set_shape(doc, dims, nodes, cfg);
	if (!err)
		err = set_orders(doc, cfg);
	return err ? err : file_check(doc, cfg);
}

int net_file_parse(const char *name, char *text, size_t len,
		   const struct net_spec *spec, struct net_config *cfg,
		   struct net_error_text *why)
{
	struct file_doc doc = { .name = name,
				.why = why,
				.variant = spec->variant };
	int err = split_text(&doc, text, len);

	return err ? err : config_build(&doc, spec->dims, spec->nodes, cfg);
}

/* ---- reading of files ---------------------------------------------------- */

/* Returns VARIANT of NAME@VARIANT:DIMS. */
static const char *spec_variant(const char *spec, char *buf, size_t len)
{
	const char *at = strrchr(spec, '@');
	size_t n;

	if (!at || strchr(at, '/'))
		return NULL;
	n = strcspn(at + 1, ":");
	if (n >= len)
		n = len - 1;
	memcpy(buf, at + 1, n);
	buf[n] = 0;
	return buf;
}

int net_file_load(const char *spec, uint32_t nodes, struct net_config *cfg,
		  struct net_error_text *why)
{
	struct net_spec want = { .nodes = nodes };
	char path[4096], variant[32], *text;
	size_t len;
	int err;
	const char *colon;

	err = net_file_find(spec, path, sizeof(path), why);
	if (!err)
		err = file_read(path, &text, &len, why);
	if (err)
		return err;
	/* DIMS: the text after the last colon, unless it is part of a path */
	colon = strrchr(spec, ':');
	want.dims = colon && !strchr(colon, '/') ? colon + 1 : NULL;
	want.variant = spec_variant(spec, variant, sizeof(variant));
	err = net_file_parse(path, text, len, &want, cfg, why);
	free(text);
	return err;
}

/* ---- sources of the values ----------------------------------------------- */

/* Splits "calibrated: Table 1" into a kind and a text. */
static enum net_source source(const char *comment, const char **text_p)
{
	static const char *const kinds[] = { "spec", "calibrated", "assumed" };
	size_t n;

	*text_p = comment;
	for (unsigned i = 0; i < WEFT_COUNT_OF(kinds); i++) {
		n = strlen(kinds[i]);
		if (strncmp(comment, kinds[i], n))
			continue;
		if (comment[n] == ':' || !comment[n]) {
			*text_p = comment + n + (comment[n] == ':');
			*text_p += strspn(*text_p, " \t");
			return (enum net_source)i;
		}
	}
	return NET_NO_SOURCE;
}

int net_file_each(const char *spec,
		  void (*each)(void *arg, const struct net_file_entry *entry),
		  void *arg, struct net_error_text *why)
{
	char path[4096], *text;
	struct file_doc doc = { .name = path, .why = why };
	size_t len;
	int err;

	err = net_file_find(spec, path, sizeof(path), why);
	if (!err)
		err = file_read(path, &text, &len, why);
	if (err)
		return err;
	err = split_text(&doc, text, len);
	for (unsigned i = 0; i < doc.count && !err; i++) {
		struct net_file_entry e = { .line = doc.item[i].line,
					    .key = doc.item[i].key,
					    .part = doc.item[i].part,
					    .variant = doc.item[i].variant,
					    .value = doc.item[i].value };

		e.kind = source(doc.item[i].comment, &e.source);
		each(arg, &e);
	}
	free(text);
	return err;
}
