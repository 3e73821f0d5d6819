/* SPDX-License-Identifier: BSD-3-Clause */
/* See core_report.h; rank 0 calls it when all have left virtual time. */
#include "src/core/core_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 16, PORTS = 64, TOP = 5 };

/* All links of one name: a dimension and direction, or a level. */
struct class
{
	char name[4];
	uint64_t links;
	uint64_t used;
	uint64_t packets;
	uint64_t bytes;
	uint64_t busy_ps;
	uint64_t busy_max_ps;
};

struct loads {
	struct class class[CLASSES];
	unsigned classes;
	struct fi_weft_link top[TOP]; /* busiest first */
	unsigned tops;
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* The class of that name, a new one if there is none; NULL: no room. */
static struct class *find_class(struct loads *s, const struct fi_weft_link *l)
{
	unsigned i;

	for (i = 0; i < s->classes; i++)
		if (!memcmp(s->class[i].name, l->name, sizeof(l->name)))
			return &s->class[i];
	if (i == CLASSES)
		return NULL;
	memcpy(s->class[i].name, l->name, sizeof(l->name));
	s->classes++;
	return &s->class[i];
}

static void add_class(struct loads *s, const struct fi_weft_link *l)
{
	struct class *c = find_class(s, l);

	if (!c)
		return;
	c->links++;
	c->used += l->packets > 0;
	c->packets += l->packets;
	c->bytes += l->bytes;
	c->busy_ps += l->busy_ps;
	if (l->busy_ps > c->busy_max_ps)
		c->busy_max_ps = l->busy_ps;
}

/* Keeps the busiest; of equal ones those of the lowest nodes. */
static void add_top(struct loads *s, const struct fi_weft_link *l)
{
	unsigned i = s->tops;

	if (!l->packets)
		return;
	while (i && s->top[i - 1].busy_ps < l->busy_ps)
		i--;
	if (i == TOP)
		return;
	if (s->tops < TOP)
		s->tops++;
	memmove(&s->top[i + 1], &s->top[i],
		(s->tops - 1 - i) * sizeof(s->top[0]));
	s->top[i] = *l;
}

/* A-, A+, B-, .. as they were always shown; 0+, 1-, 1+, .. from below. */
static int class_order(const void *a, const void *b)
{
	const struct class *x = a, *y = b;

	if (x->name[0] != y->name[0])
		return x->name[0] - y->name[0];
	return y->name[1] - x->name[1];
}

static void gather(struct loads *s, const struct fi_weft_world *world,
		   struct fid *domain)
{
	struct fi_weft_link l;
	uint32_t node;
	unsigned port;
	int err;

	memset(s, 0, sizeof(*s));
	for (node = 0;; node++) {
		for (port = 0; port < PORTS; port++) {
			err = world->link(domain, node, port, &l);
			if (err == -FI_EINVAL)
				break;
			if (err)
				continue;
			add_class(s, &l);
			add_top(s, &l);
		}
		if (!port)
			break;
	}
	qsort(s->class, s->classes, sizeof(s->class[0]), class_order);
}

static void print_class(FILE *f, const struct class *c, uint64_t now)
{
	fprintf(f,
		"  %-4s %7" PRIu64 " %7" PRIu64 " %12" PRIu64 " %14" PRIu64
		" %8.2f %8.2f\n",
		c->name, c->links, c->used, c->packets, c->bytes,
		c->links ? percent(c->busy_ps / c->links, now) : 0,
		percent(c->busy_max_ps, now));
}

static void print_classes(FILE *f, const struct loads *s, uint64_t now)
{
	struct class all = { .name = "all" };

	fprintf(f, "  link   links    used      packets          bytes "
		   "  busy %%    max %%\n");
	for (unsigned i = 0; i < s->classes; i++) {
		const struct class *c = &s->class[i];

		if (!c->links)
			continue;
		print_class(f, c, now);
		all.links += c->links;
		all.used += c->used;
		all.packets += c->packets;
		all.bytes += c->bytes;
		all.busy_ps += c->busy_ps;
		if (c->busy_max_ps > all.busy_max_ps)
			all.busy_max_ps = c->busy_max_ps;
	}
	print_class(f, &all, now);
}

void weft_report_links(FILE *f, const struct fi_weft_world *world,
		       struct fid *domain)
{
	struct fi_weft_count n = { 0 };
	struct loads s;

	world->count(domain, &n);
	gather(&s, world, domain);
	fprintf(f,
		"network: %.6f us, %" PRIu64 " packets (%" PRIu64
		" on class routes), %" PRIu64 " hops\n",
		(double)n.now_ps * 1e-6, n.packets + n.route_parts,
		n.route_parts, n.hops);
	print_classes(f, &s, n.now_ps);
	if (s.tops)
		fprintf(f, "  busiest links:\n");
	for (unsigned i = 0; i < s.tops; i++)
		fprintf(f,
			"    %s %s: %" PRIu64 " packets, %" PRIu64
			" bytes, busy %.3f us\n",
			s.top[i].node, s.top[i].name, s.top[i].packets,
			s.top[i].bytes, (double)s.top[i].busy_ps * 1e-6);
	fprintf(f,
		"  class routes: %" PRIu64 " opened, %" PRIu64
		" packets sent on them, %" PRIu64 " bytes\n",
		n.routes, n.route_parts, n.route_bytes);
}

void weft_report_count(FILE *f, const struct fi_weft_world *world,
		       struct fid *domain)
{
	struct fi_weft_count n = { 0 };

	world->count(domain, &n);
	fprintf(f,
		"weft: virtual time %.6f us, %" PRIu64 " events, %" PRIu64
		" packets, hash %016" PRIx64 "\n",
		(double)n.now_ps * 1e-6, n.events, n.packets + n.route_parts,
		n.hash);
}
