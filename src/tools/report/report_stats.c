/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics of a run as tables, for mpiexec --stats PREFIX:
 *
 *   PREFIX-links.csv     a link of the model per line
 *   PREFIX-nodes.csv     a node: the sums of the links that leave it
 *   PREFIX-messages.csv  a message: ranks, bytes, times
 *   PREFIX.jsonl         the same as JSON, an object per line
 *
 * Energies are products of the machine file's numbers: bytes on a link times
 * link_energy, and the run's duration times link_power and node_power.
 */
#include "src/tools/outfile.h"
#include "src/tools/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stats {
	const struct report *s;
	FILE *csv, *json;
	double seconds; /* duration of the run */
	struct node {
		char name[32];
		uint64_t links, packets, bytes, busy_ps, queued_ps;
		double joules; /* energy of the node's links, joules */
	} * node;
	size_t nodes, room;
	int err;
};

static double us(uint64_t ps)
{
	return (double)ps / 1e6;
}

/* ---- files --------------------------------------------------------------- */

static FILE *create(struct stats *t, const char *prefix, const char *suffix)
{
	char name[PATH_MAX];
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", prefix, suffix);
	f = fopen(name, "we");
	if (!f && !t->err)
		t->err = -errno;
	return f;
}

static void finish(struct stats *t, FILE *f)
{
	bool bad = ferror(f);

	if ((fclose(f) || bad) && !t->err)
		t->err = -EIO;
}

/* ---- links and nodes ----------------------------------------------------- */

static double link_joules(const struct stats *t, const struct trace_link *l)
{
	const struct report_job *job = t->s->job;

	return (double)l->bytes * job->link_byte_pj * 1e-12 +
	       job->link_mw * 1e-3 * t->seconds;
}

static struct node *node_of(struct stats *t, const char *name)
{
	struct node *n;

	/* search from the last node, since the links of a node are adjacent */
	for (size_t i = t->nodes; i-- > 0;)
		if (!strncmp(t->node[i].name, name, sizeof(n->name) - 1))
			return &t->node[i];
	if (t->nodes == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		n = realloc(t->node, t->room * sizeof(*n));
		if (!n) {
			t->err = -ENOMEM;
			return NULL;
		}
		t->node = n;
	}
	n = &t->node[t->nodes++];
	memset(n, 0, sizeof(*n));
	memcpy(n->name, name, strnlen(name, sizeof(n->name) - 1));
	return n;
}

static void add_to_node(struct stats *t, const struct trace_link *l,
			const char *node)
{
	struct node *n = node_of(t, node);

	if (!n)
		return;
	n->links++;
	n->packets += l->packets;
	n->bytes += l->bytes;
	n->busy_ps += l->busy_ps;
	n->queued_ps += l->queued_ps;
	n->joules += link_joules(t, l);
}

static void put_link(struct stats *t, const struct trace_link *l)
{
	char name[sizeof(l->name) + 1] = "", node[sizeof(l->node) + 1] = "";
	double j = link_joules(t, l);

	memcpy(name, l->name, sizeof(l->name));
	memcpy(node, l->node, sizeof(l->node));
	fprintf(t->csv, "\"%s\",%s,%" PRIu64 ",%" PRIu64 ",%.6f,%.6f,%.9g\n",
		node, name, l->packets, l->bytes, us(l->busy_ps),
		us(l->queued_ps), j);
	fprintf(t->json,
		"{\"type\":\"link\",\"node\":\"%s\",\"link\":\"%s\","
		"\"packets\":%" PRIu64 ",\"bytes\":%" PRIu64
		",\"busy_us\":%.6f,\"queued_us\":%.6f,\"joules\":%.9g}\n",
		node, name, l->packets, l->bytes, us(l->busy_ps),
		us(l->queued_ps), j);
	add_to_node(t, l, node);
}

static void put_links(struct stats *t)
{
	const struct trace_link *l;
	uint64_t at = 0;
	size_t bytes;

	fprintf(t->csv, "node,link,packets,bytes,busy_us,queued_us,joules\n");
	while ((l = weft_trace_next(&t->s->file, TRACE_LINKS, TRACE_ALL_WRITERS,
				    &at, &bytes)))
		for (size_t i = 0; i < bytes / sizeof(*l); i++)
			put_link(t, &l[i]);
}

static void put_nodes(struct stats *t)
{
	double own = t->s->job->node_mw * 1e-3 * t->seconds;

	fprintf(t->csv,
		"node,links,packets,bytes,busy_us,queued_us,link_joules,"
		"joules\n");
	for (size_t i = 0; i < t->nodes; i++) {
		const struct node *n = &t->node[i];

		fprintf(t->csv,
			"\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%.6f,%.6f,%.9g,%.9g\n",
			n->name, n->links, n->packets, n->bytes, us(n->busy_ps),
			us(n->queued_ps), n->joules, n->joules + own);
		fprintf(t->json,
			"{\"type\":\"node\",\"node\":\"%s\",\"links\":%" PRIu64
			",\"packets\":%" PRIu64 ",\"bytes\":%" PRIu64
			",\"busy_us\":%.6f,\"queued_us\":%.6f,"
			"\"link_joules\":%.9g,\"joules\":%.9g}\n",
			n->name, n->links, n->packets, n->bytes, us(n->busy_ps),
			us(n->queued_ps), n->joules, n->joules + own);
	}
}

/* ---- messages ------------------------------------------------------------ */

static void put_message(struct stats *t, const struct report_message *m)
{
	bool coll = TRACE_WORD_KIND(m->word) == TRACE_WORD_COLL;

	fprintf(t->csv, "%u,%u,%" PRIu64 ",%u,%d,%.6f,%.6f,%.6f,%.6f\n",
		m->from, m->to, m->bytes, TRACE_WORD_TAG(m->word), coll,
		us(m->sent), us(m->got), us(m->posted), us(m->got - m->sent));
	fprintf(t->json,
		"{\"type\":\"message\",\"from\":%u,\"to\":%u,\"bytes\":%" PRIu64
		",\"tag\":%u,\"collective\":%s,\"sent_us\":%.6f,"
		"\"received_us\":%.6f,\"posted_us\":%.6f,\"us\":%.6f}\n",
		m->from, m->to, m->bytes, TRACE_WORD_TAG(m->word),
		coll ? "true" : "false", us(m->sent), us(m->got), us(m->posted),
		us(m->got - m->sent));
}

static void put_messages(struct stats *t)
{
	struct report_matched m;
	int err = report_match(t->s, &m);

	fprintf(t->csv, "from,to,bytes,tag,collective,sent_us,received_us,"
			"posted_us,us\n");
	if (err) {
		t->err = err;
		return;
	}
	for (uint64_t i = 0; m.all && i < m.messages; i++)
		put_message(t, &m.message[i]);
	if (!m.all)
		t->err = -EOVERFLOW;
	report_match_free(&m);
}

/* ---- all ----------------------------------------------------------------- */

static void table(struct stats *t, const char *prefix, const char *suffix,
		  void (*put)(struct stats *t))
{
	t->csv = t->err ? NULL : create(t, prefix, suffix);
	if (!t->csv)
		return;
	put(t);
	finish(t, t->csv);
}

int report_stats(const struct report *s, const char *prefix)
{
	struct stats t = { .s = s,
			   .seconds = (double)(s->end - s->begin) * 1e-12 };

	t.json = create(&t, prefix, ".jsonl");
	if (!t.json)
		return t.err;
	table(&t, prefix, "-links.csv", put_links);
	table(&t, prefix, "-nodes.csv", put_nodes);
	table(&t, prefix, "-messages.csv", put_messages);
	finish(&t, t.json);
	free(t.node);
	return t.err;
}
