/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the report: the loads of links are summed by link names. */
#include "src/diag/diag_report.h"

#include "test/t.h"

#include <stdlib.h>
#include <string.h>

/* A tree of four nodes below one switch, and a switch with 60 ports. */
static int tree_link(struct fid *domain, uint32_t node, unsigned port,
		     struct fi_weft_link *l)
{
	if (node > 5 || port > 59)
		return -FI_EINVAL;
	if (node < 4 ? port > 0 : node == 4 && port > 3)
		return -FI_ENOENT;
	*l = (struct fi_weft_link){ .packets = node < 4 ? 10 : 1,
				    .bytes = 100,
				    .busy_ps = 1000 * (node + port) };
	memcpy(l->name, node < 4 ? "0+" : node == 4 ? "1-" : "2-", 3);
	if (node < 4)
		snprintf(l->node, sizeof(l->node), "node %u port 0", node);
	else
		snprintf(l->node, sizeof(l->node), "level %u switch 0 port %u",
			 node - 3, port);
	return 0;
}

static int torus_link(struct fid *domain, uint32_t node, unsigned port,
		      struct fi_weft_link *l)
{
	if (node > 1 || port > 3)
		return -FI_EINVAL;
	*l = (struct fi_weft_link){ .packets = 1, .name = "A-", .node = "(0)" };
	l->name[0] = (char)('A' + port / 2);
	l->name[1] = port % 2 ? '+' : '-';
	return 0;
}

/* Eight links of two classes; link 0 has no packets, link 6 has detours. */
static int equal_link(struct fid *domain, uint32_t node, unsigned port,
		      struct fi_weft_link *l)
{
	unsigned i = 4 * node + port;

	if (node > 1 || port > 3)
		return -FI_EINVAL;
	*l = (struct fi_weft_link){ .packets = i,
				    .busy_ps = i == 1 ? 2000 : 1000,
				    .detours = i == 6 };
	memcpy(l->name, port < 2 ? "A+" : "B+", 3);
	snprintf(l->node, sizeof(l->node), "link %u", i);
	return 0;
}

static const char *fault(struct fid *domain, unsigned i, uint64_t *value_p)
{
	*value_p = 1;
	return i ? NULL : "detours";
}

static int read_note(struct fid *domain, uint32_t rank, struct fi_weft_note *n)
{
	return -FI_EINVAL;
}

static void count(struct fid *domain, struct fi_weft_count *n)
{
	n->now_ps = 1000000;
	n->nodes = 128;
	n->nodes_used = 64;
	n->compute_free = true;
}

static char *report(int (*link)(struct fid *, uint32_t, unsigned,
				struct fi_weft_link *))
{
	struct fi_weft_world world = {
		.count = count, .link = link, .fault = fault, .read = read_note
	};
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	weft_report_links(f, &world, NULL);
	fclose(f);
	return text;
}

/* Checks that text contains both lines, in this order. */
static void expect_order(const char *text, const char *first,
			 const char *second)
{
	const char *found = strstr(text, first);

	if (!found || !strstr(found, second))
		fail_msg("no %s before %s in\n%s", first, second, text);
}

static void links_of_a_tree_are_summed_by_level(void **state)
{
	char *text = report(tree_link);

	expect_order(text, "  0+         4       4           40            400",
		     "  1-         4       4            4            400");
	expect_order(text, "  1- ",
		     "  2-        60      60           60           6000");
	expect_order(text, "  2- ",
		     "  all       68      68          104           6800");
	expect_order(
		text,
		"busiest links:\n    level 2 switch 0 port 59 2-: 1 packets",
		"level 2 switch 0 port 58 2-");
	free(text);
}

static void links_of_a_torus_are_summed_by_dimension_and_direction(void **state)
{
	char *text = report(torus_link);

	expect_order(text, "  A-         2", "  A+         2");
	expect_order(text, "  A+ ", "  B- ");
	expect_order(text, "  B- ", "  B+ ");
	free(text);
}

/* Five links are listed; among equal ones, those of the lowest nodes. */
static void the_busiest_links_are_listed(void **state)
{
	char *text = report(equal_link);

	/* 2000 of 1000000 ps: the most of both classes */
	expect_order(text,
		     "  A+         4       3           10              0"
		     "     0.12     0.20\n",
		     "  all        8       7           28              0"
		     "     0.11     0.20\n");
	expect_order(text,
		     "busiest links:\n    link 1 A+: 1 packets, 0 bytes, "
		     "busy 0.002 us\n    link 2 B+: 2 packets, 0 bytes, "
		     "busy 0.001 us\n    link 3 B+: ",
		     "link 4 A+: 4 packets, 0 bytes, busy 0.001 us\n"
		     "    link 5 A+: 5 packets, 0 bytes, busy 0.001 us\n"
		     "  class routes: ");
	expect_order(text, "faults:\n  detours ",
		     "\n    link 6 B+: 0 bad packets, 1 detours, 0.000 us of "
		     "retries\n");
	free(text);
}

static void header_shows_used_nodes_and_free_compute(void **state)
{
	char *text = report(torus_link);

	expect_order(text, "network: ",
		     "\n  64 of 128 nodes used; computing between MPI "
		     "calls takes no time (--compute FACTOR counts "
		     "it)\n");
	free(text);
}

/* The warning is printed only if the printed rates would be misleading. */
static void free_compute_warning(void **state)
{
	struct fi_weft_count n = { .now_ps = 2000000000000,
				   .computed_ns = 1250000000,
				   .compute_free = true };
	char text[320];

	T_TRUE(weft_report_free_compute(&n, text, sizeof(text)));
	expect_order(text, "rank 0 computed for 1.2 s",
		     "none is in the job's 2.000000 s");
	n.compute_free = false;
	T_FALSE(weft_report_free_compute(&n, text, sizeof(text)));
	n.compute_free = true;
	n.computed_ns = 490000000; /* too short for a warning */
	T_FALSE(weft_report_free_compute(&n, text, sizeof(text)));
	n.computed_ns = 1250000000; /* a small part of the job's time */
	n.now_ps = 12600000000000;
	T_FALSE(weft_report_free_compute(&n, text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(links_of_a_tree_are_summed_by_level),
		T_CASE(links_of_a_torus_are_summed_by_dimension_and_direction),
		T_CASE(the_busiest_links_are_listed),
		T_CASE(header_shows_used_nodes_and_free_compute),
		T_CASE(free_compute_warning),
	};
	return T_RUN(tests);
}
