/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs of switches from a file: a list of edges, or the part of GraphViz's
 * language that describes an undirected graph.
 *
 *   a b            a link between switches a and b     graph net {
 *   b c 2          two links                             a -- b;
 *   switch a 4     switch a has four nodes               b -- c [links=2];
 *                                                        a [nodes=4]; }
 *
 * A short graph may be in the machine file itself: graph = a -- b -- c.
 * Switches are numbered in the order of their first occurrence. Other
 * attributes of GraphViz are ignored; subgraphs and directed graphs are
 * refused.
 */
#include "prov/net/file/net_file_int.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAME_MAX_LEN = sizeof(((struct file_graph_names *)0)->name[0]),
	TOKEN_MAX = 64
};

struct file_graph {
	const struct file_doc *doc;
	const char *path;
	const char *at; /* next character */
	unsigned line;
	char token[TOKEN_MAX];
	char (*name)[NAME_MAX_LEN];
	unsigned switches, edges;
	uint16_t (*edge)[2];
	int16_t *own; /* number of nodes of each switch; -1: the default */
};

static int graph_fail(const struct file_graph *g, const char *what)
{
	return file_fail(g->doc->why, "%.200s:%u: %s", g->path, g->line, what);
}

/* ---- contents ------------------------------------------------------------ */

/*
 * Returns the number of a switch, adding it if the name is new; -EINVAL: the
 * name is too long, or there are too many switches.
 */
static int switch_of(struct file_graph *g, const char *name)
{
	for (unsigned i = 0; i < g->switches; i++)
		if (!strcmp(g->name[i], name))
			return (int)i;
	if (strlen(name) >= NAME_MAX_LEN)
		return graph_fail(g, "the name of a switch has more than 23 "
				     "letters");
	if (g->switches == NET_GRAPH_SWITCHES)
		return graph_fail(g, "more than 1024 switches");
	strcpy(g->name[g->switches], name);
	g->own[g->switches] = -1;
	return (int)g->switches++;
}

static int edge_add(struct file_graph *g, int a, int b, unsigned links)
{
	if (a < 0 || b < 0)
		return -EINVAL;
	if (a == b)
		return graph_fail(g, "a link from a switch to itself");
	for (; links; links--) {
		if (g->edges == NET_GRAPH_LINKS)
			return graph_fail(g, "more than 4096 links");
		g->edge[g->edges][0] = (uint16_t)a;
		g->edge[g->edges++][1] = (uint16_t)b;
	}
	return 0;
}

static int count_of(const struct file_graph *g, const char *text, unsigned most,
		    unsigned *n_p)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || n > most)
		return graph_fail(g, "expected a number of links (1 to 64) or "
				     "of nodes (0 to 62)");
	*n_p = (unsigned)n;
	return 0;
}

/* ---- lists of edges ------------------------------------------------------ */

static int edge_line(struct file_graph *g, char *line)
{
	char *word[4], *rest = NULL, *next = strtok_r(line, " \t\r,;", &rest);
	unsigned n = 0, links = 1;
	int a;

	for (; next && n < 4; next = strtok_r(NULL, " \t\r,;", &rest))
		word[n++] = next;
	if (!n)
		return 0;
	if (n == 3 && !strcmp(word[0], "switch")) {
		a = switch_of(g, word[1]);
		if (a < 0 || count_of(g, word[2], 62, &links))
			return -EINVAL;
		g->own[a] = (int16_t)links;
		return 0;
	}
	if (n < 2 || n > 3)
		return graph_fail(g, "expected: SWITCH SWITCH [LINKS], or "
				     "switch SWITCH NODES");
	if (n == 3 && count_of(g, word[2], 64, &links))
		return -EINVAL;
	a = switch_of(g, word[0]);
	return edge_add(g, a, a < 0 ? a : switch_of(g, word[1]), links);
}

static int read_edges(struct file_graph *g, char *text)
{
	char *end, *hash;
	int err = 0;

	for (; text && !err; text = end, g->line++) {
		end = strchr(text, '\n');
		if (end)
			*end++ = 0;
		hash = strchr(text, '#');
		if (hash)
			*hash = 0;
		err = edge_line(g, text);
	}
	return err;
}

/* ---- GraphViz ------------------------------------------------------------ */

/* Returns whether the text begins with these two characters. */
static bool begins(const char *text, char first, char second)
{
	return text[0] == first && text[1] == second;
}

/* Skips a C-style comment, including its last slash. */
static void skip_comment(struct file_graph *g)
{
	g->at += 2;
	while (*g->at && !begins(g->at, '*', '/'))
		g->line += *g->at++ == '\n';
	if (*g->at)
		g->at++;
}

/* Skips white space and comments. */
static void skip_space(struct file_graph *g)
{
	for (; *g->at; g->at++) {
		if (begins(g->at, '/', '*')) {
			skip_comment(g);
			continue;
		}
		if (*g->at == '#' || begins(g->at, '/', '/'))
			g->at += strcspn(g->at, "\n");
		if (!isspace((unsigned char)*g->at))
			return;
		g->line += *g->at == '\n';
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':';
}

/*
 * Reads the next token: a name, a quoted text, "--" or one other character; "":
 * the end.
 */
static int next_token(struct file_graph *g)
{
	size_t n = 0;

	skip_space(g);
	if (*g->at == '"') {
		for (g->at++; *g->at && *g->at != '"' && n < TOKEN_MAX - 1;)
			g->token[n++] = *g->at++;
		if (*g->at++ != '"')
			return graph_fail(g, "a text without closing quote, or "
					     "longer than 63 letters");
	} else if (!strncmp(g->at, "--", 2) || !strncmp(g->at, "->", 2)) {
		while (n < 2)
			g->token[n++] = *g->at++;
	} else if (is_word(*g->at)) {
		while (is_word(*g->at) && n < TOKEN_MAX - 1)
			g->token[n++] = *g->at++;
	} else if (*g->at) {
		g->token[n++] = *g->at++;
	}
	g->token[n] = 0;
	return 0;
}

static bool is_token(const struct file_graph *g, const char *text)
{
	return !strcmp(g->token, text);
}

/* Reads [a=1, b=2]; the current token is "[". */
static int read_attributes(struct file_graph *g, unsigned *links_p, int *own_p)
{
	char key[TOKEN_MAX];
	unsigned n;
	int err;

	for (err = next_token(g); !err && !is_token(g, "]");
	     err = next_token(g)) {
		if (!*g->token)
			return graph_fail(g, "[ without ]");
		if (is_token(g, ",") || is_token(g, ";"))
			continue;
		strcpy(key, g->token);
		if (next_token(g) || !is_token(g, "=") || next_token(g))
			return graph_fail(g, "an attribute is NAME=VALUE");
		if (strcmp(key, "links") && strcmp(key, "nodes"))
			continue;
		if (count_of(g, g->token, !strcmp(key, "links") ? 64 : 62, &n))
			return -EINVAL;
		if (!strcmp(key, "links"))
			*links_p = n;
		else
			*own_p = (int)n;
	}
	return err ? err : next_token(g);
}

/* Reads a -- b -- c [attributes]; the current token is the first name. */
static int read_statement(struct file_graph *g)
{
	int chain[64], count = 0, own = -1, err = 0;
	unsigned links = 1;

	for (;;) {
		chain[count] = switch_of(g, g->token);
		if (chain[count++] < 0 || next_token(g))
			return -EINVAL;
		if (is_token(g, "->"))
			return graph_fail(g, "links have no direction: use --");
		if (!is_token(g, "--"))
			break;
		if (count == 64)
			return graph_fail(g, "more than 64 switches in a "
					     "statement");
		if (next_token(g) || !is_word(*g->token))
			return graph_fail(g, "-- without the name of a switch");
	}
	if (is_token(g, "["))
		err = read_attributes(g, &links, &own);
	if (!err && count == 1 && own >= 0)
		g->own[chain[0]] = (int16_t)own;
	for (int i = 0; i + 1 < count && !err; i++)
		err = edge_add(g, chain[i], chain[i + 1], links);
	return err;
}

/*
 * Reads "node [..]", "edge [..]", "graph [..]" or "name=value", which have no
 * effect.
 */
static int skip_default(struct file_graph *g, bool *done_p)
{
	bool word = is_token(g, "node") || is_token(g, "edge") ||
		    is_token(g, "graph");
	unsigned links = 0;
	int own = 0;
	const char *at = g->at;

	*done_p = word;
	if (word)
		return next_token(g) || !is_token(g, "[")
			       ? graph_fail(g, "expected [ after node, edge "
					       "or graph")
			       : read_attributes(g, &links, &own);
	at += strspn(at, " \t");
	if (*at != '=')
		return 0;
	*done_p = true;
	return next_token(g) || next_token(g) || next_token(g);
}

static int read_dot(struct file_graph *g, const char *text)
{
	bool done;
	int err;

	g->at = text;
	err = next_token(g);
	if (!err && is_token(g, "strict"))
		err = next_token(g);
	if (!err && !is_token(g, "graph"))
		return graph_fail(g, "expected an undirected graph: graph "
				     "NAME { a -- b; }");
	err = err ? err : next_token(g);
	if (!err && !is_token(g, "{"))
		err = next_token(g);
	if (err || !is_token(g, "{"))
		return err ? err : graph_fail(g, "expected {");
	err = next_token(g);
	while (!err && !is_token(g, "}")) {
		if (!*g->token)
			return graph_fail(g, "{ without }");
		if (is_token(g, ";")) {
			err = next_token(g);
			continue;
		}
		if (!is_word(*g->token) || is_token(g, "subgraph"))
			return graph_fail(g, "expected the name of a switch");
		err = skip_default(g, &done);
		if (!err && !done)
			err = read_statement(g);
	}
	return err;
}

/* ---- the tables of the configuration ------------------------------------- */

static int store_nodes(const struct file_graph *g, struct net_config *cfg)
{
	struct net_graph *out = &cfg->graph;
	unsigned all = 0, usual = net_router_nodes(cfg);

	out->switches = (uint16_t)g->switches;
	for (unsigned s = 0; s < g->switches; s++) {
		out->first_node[s] = (uint16_t)all;
		all += g->own[s] < 0 ? usual : (unsigned)g->own[s];
		if (all > UINT16_MAX)
			return file_fail(g->doc->why,
					 "%.200s: more than 65535 nodes",
					 g->path);
	}
	out->first_node[g->switches] = (uint16_t)all;
	if (all < 2)
		return file_fail(g->doc->why,
				 "%.200s: %u nodes; a network has two or more",
				 g->path, all);
	/* nodes have one coordinate, their number */
	cfg->dims = 1;
	cfg->size[0] = (uint16_t)all;
	cfg->router_nodes = 1;
	return 0;
}

static int store_links(const struct file_graph *g, struct net_config *cfg)
{
	struct net_graph *out = &cfg->graph;
	uint16_t used[NET_GRAPH_SWITCHES] = { 0 };

	memset(out->first_link, 0, sizeof(out->first_link));
	for (unsigned i = 0; i < 2 * g->edges; i++)
		out->first_link[g->edge[i / 2][i % 2] + 1]++;
	for (unsigned s = 0; s < g->switches; s++) {
		if (out->first_link[s + 1] > 63)
			return file_fail(g->doc->why,
					 "%.200s: switch %s has %u links; the "
					 "limit is 64 ports of nodes and links",
					 g->path, g->name[s],
					 out->first_link[s + 1]);
		out->first_link[s + 1] =
			(uint16_t)(out->first_link[s + 1] + out->first_link[s]);
	}
	for (unsigned i = 0; i < g->edges; i++) {
		unsigned a = g->edge[i][0], b = g->edge[i][1];
		unsigned at = out->first_link[a] + used[a];
		unsigned there = out->first_link[b] + used[b];

		out->peer[at] = (uint16_t)b;
		out->peer_link[at] = (uint8_t)used[b]++;
		out->peer[there] = (uint16_t)a;
		out->peer_link[there] = (uint8_t)used[a]++;
	}
	return 0;
}

static bool is_dot(const char *text)
{
	text += strspn(text, " \t\r\n");
	return strchr(text, '{') &&
	       (!strncmp(text, "graph", 5) || !strncmp(text, "strict", 6) ||
		!strncmp(text, "digraph", 7) || *text == '/');
}

/* Sets path to the graph's file, relative to the folder of the machine file. */
static void graph_path(const struct file_doc *doc, const char *value,
		       char *path, size_t len)
{
	const char *slash = strrchr(doc->name, '/');
	int n = slash && *value != '/' ? (int)(slash - doc->name) + 1 : 0;

	snprintf(path, len, "%.*s%s", n, doc->name, value);
}

int file_graph_text(const struct file_doc *doc, const char *path, char *text,
		    unsigned line, struct net_config *cfg,
		    struct file_graph_names *names)
{
	struct file_graph g = { .doc = doc, .path = path, .line = line };
	int err = -ENOMEM;

	g.name = names->name;
	g.edge = calloc(NET_GRAPH_LINKS, sizeof(*g.edge));
	g.own = calloc(NET_GRAPH_SWITCHES, sizeof(*g.own));
	if (g.edge && g.own)
		err = is_dot(text) ? read_dot(&g, text) : read_edges(&g, text);
	else
		file_fail(doc->why, "%.200s: no memory", path);
	if (!err)
		err = store_nodes(&g, cfg);
	if (!err)
		err = store_links(&g, cfg);
	free(g.edge);
	free(g.own);
	return err ? -EINVAL : 0;
}

int file_graph(const struct file_doc *doc, const struct file_line *item,
	       struct net_config *cfg, struct file_graph_names *names)
{
	struct net_error_text why;
	char path[4096], *text;
	size_t len;
	int err;

	if (strstr(item->value, "--")) {
		if (asprintf(&text, "graph {%s}", item->value) < 0)
			return file_fail(doc->why, "%.200s: no memory",
					 doc->name);
		err = file_graph_text(doc, doc->name, text, item->line, cfg,
				      names);
		free(text);
		return err;
	}
	graph_path(doc, item->value, path, sizeof(path));
	err = file_read(path, &text, &len, doc->why);
	if (err) {
		why = *doc->why;
		return file_fail_at(doc, item->line, "graph = %s: %.200s",
				    item->value, why.text);
	}
	err = file_graph_text(doc, path, text, 1, cfg, names);
	free(text);
	return err;
}
