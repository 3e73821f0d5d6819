/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Report of the machine's model (diag_report.h); called by rank 0 when all
 * ranks have left virtual time.
 */
#include "src/diag/diag_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 16, PORTS = 64, TOP = 5 };

/* minimum compute time for a warning at the end of the job, s */
#define COMPUTED_S 0.5

/*
 * Sums over all links of a class, which have the same name: that of a dimension
 * and direction, or of a level.
 */
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

/* The links with the highest values of a measure, such as load or errors. */
struct top_links {
	struct fi_weft_link link[TOP];
	unsigned count;
};

struct loads {
	struct class class[CLASSES];
	unsigned classes;
	struct top_links busy;
	/* links with the most errors injected by the fault plan */
	struct top_links bad;
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/*
 * Returns the class of a link, which is added if it is new; NULL: the table is
 * full.
 */
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

static uint64_t load_of(const struct fi_weft_link *l)
{
	return l->packets ? l->busy_ps : 0;
}

static uint64_t errors_of(const struct fi_weft_link *l)
{
	return l->bad + l->detours + l->dead;
}

/*
 * Adds a link if its value is among the highest; of links with equal values,
 * those of the lowest nodes are kept.
 */
static void add_top_link(struct top_links *f, const struct fi_weft_link *l,
			 uint64_t (*of)(const struct fi_weft_link *l))
{
	unsigned i = f->count;

	if (!of(l))
		return;
	while (i && of(&f->link[i - 1]) < of(l))
		i--;
	if (i == TOP)
		return;
	if (f->count < TOP)
		f->count++;
	memmove(&f->link[i + 1], &f->link[i],
		(f->count - 1 - i) * sizeof(f->link[0]));
	f->link[i] = *l;
}

/*
 * Compares two classes for sorting; the order is A-, A+, B-, ... for
 * dimensions, or 0+, 1-, 1+, ... for levels.
 */
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
			add_top_link(&s->busy, &l, load_of);
			add_top_link(&s->bad, &l, errors_of);
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

/*
 * Prints the time at which the other ranks have detected the failure of a rank.
 */
static void print_known(FILE *f, const struct fi_weft_world *world,
			struct fid *domain, uint32_t rank)
{
	struct fi_weft_failure x;

	for (uint32_t i = 0; !world->failure(domain, i, &x); i++)
		if (x.rank == rank) {
			fprintf(f, ", known at %.3f us\n",
				(double)x.known_ps * 1e-6);
			return;
		}
	fprintf(f, ", not known yet\n");
}

/* Lists the ranks that have failed because of the fault plan. */
static void print_dead(FILE *f, const struct fi_weft_world *world,
		       struct fid *domain)
{
	struct fi_weft_note n;
	unsigned count = 0;
	char why[96];

	for (uint32_t r = 0; !world->read(domain, r, &n); r++) {
		if (world->why(domain, r, why, sizeof(why)))
			continue;
		if (count++ >= TOP)
			continue;
		fprintf(f, "    rank %" PRIu32 ": %s", r, why);
		print_known(f, world, domain, r);
	}
	if (count > TOP)
		fprintf(f, "    and %u other ranks\n", count - TOP);
}

/* Prints the error counters, and the links with the most errors. */
static void print_faults(FILE *f, const struct fi_weft_world *world,
			 struct fid *domain, const struct top_links *bad)
{
	const char *name;
	uint64_t value;

	if (!world->fault || !world->fault(domain, 0, &value))
		return;
	fprintf(f, "faults:\n");
	for (unsigned i = 0; (name = world->fault(domain, i, &value)); i++)
		if (value)
			fprintf(f, "  %-34s %12" PRIu64 "\n", name, value);
	for (unsigned i = 0; i < bad->count; i++)
		fprintf(f,
			"    %s %s%s: %" PRIu64 " bad packets, %" PRIu64
			" detours, %.3f us of retries\n",
			bad->link[i].node, bad->link[i].name,
			bad->link[i].dead ? " (dead)" : "", bad->link[i].bad,
			bad->link[i].detours,
			(double)bad->link[i].retry_ps * 1e-6);
	print_dead(f, world, domain);
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
	fprintf(f,
		"  %" PRIu32 " of %" PRIu32
		" nodes used; computing between MPI calls %s\n",
		n.nodes_used, n.nodes,
		n.compute_free ? "takes no time (--compute FACTOR counts it)"
			       : "counts (--compute)");
	print_classes(f, &s, n.now_ps);
	if (s.busy.count)
		fprintf(f, "  busiest links:\n");
	for (unsigned i = 0; i < s.busy.count; i++)
		fprintf(f,
			"    %s %s: %" PRIu64 " packets, %" PRIu64
			" bytes, busy %.3f us\n",
			s.busy.link[i].node, s.busy.link[i].name,
			s.busy.link[i].packets, s.busy.link[i].bytes,
			(double)s.busy.link[i].busy_ps * 1e-6);
	fprintf(f,
		"  class routes: %" PRIu64 " opened, %" PRIu64
		" packets sent on them, %" PRIu64 " bytes\n",
		n.routes, n.route_parts, n.route_bytes);
	if (n.route_atomics)
		fprintf(f,
			"  no hardware for class routes: %" PRIu64
			" atomics count arrivals, puts notify the members\n",
			n.route_atomics);
	print_faults(f, world, domain, &s.bad);
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

bool weft_report_free_compute(const struct fi_weft_count *n, char *text,
			      size_t len)
{
	double computed = (double)n->computed_ns * 1e-9;
	double now = (double)n->now_ps * 1e-12;

	if (!n->compute_free || computed < COMPUTED_S || computed < now / 10)
		return false;
	snprintf(text, len,
		 "computing takes no virtual time: rank 0 computed for %.1f s "
		 "of this host's time, of which none is in the job's %.6f s; "
		 "rates that the program prints are too high. --compute FACTOR "
		 "counts it",
		 computed, now);
	return true;
}
