/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * K-ary trees that follow the host's topology. Members are attached to a parent
 * level by level of the topology: at the coarsest level where members differ,
 * those of another domain (package, cache) form a subtree of their own, so that
 * one contribution crosses the border; the other members of the parent's domain
 * use the parent's remaining inputs, one level further down.
 *
 *   members 0..6, k = 3, on two packages (0 2 4 6 | 1 3 5)
 *
 *            0                in the order of members (1 2 3 under 0, 4 5 6
 *          / | \              under 1) four of the six edges would cross
 *         1  2  4             from one package to the other; here it is one
 *        / \     \
 *       3   5     6
 *
 * Depth: at most one more per level of the topology, plus the base-k logarithm
 * of the number of members of a domain.
 */
#include "src/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct host_tree {
	struct weft_tree *t;
	const weft_tree_place *place;
	int k;
	int *sort_buf; /* sort buffer, as long as the list of members */
};

static unsigned domain_of(const struct host_tree *w, int member, int level)
{
	return weft_tree_place_at(w->place[member], level);
}

static bool all_in_domain(const struct host_tree *w, int parent, const int *m,
			  int n, int level)
{
	for (int i = 0; i < n; i++) {
		if (domain_of(w, m[i], level) != domain_of(w, parent, level))
			return false;
	}
	return true;
}

/*
 * Moves the members of m[0]'s domain to the front, in order; returns their
 * number.
 */
static int domain_to_front(struct host_tree *w, int *m, int n, unsigned domain,
			   int level)
{
	int in = 0, out = 0;

	for (int i = 0; i < n; i++) {
		if (domain_of(w, m[i], level) == domain)
			m[in++] = m[i];
		else
			w->sort_buf[out++] = m[i];
	}
	memcpy(m + in, w->sort_buf, (size_t)out * sizeof(*m));
	return in;
}

/*
 * Groups the members by domain, in the order of the domains' first members;
 * returns the number of domains.
 */
static int sort_by_domain(struct host_tree *w, int *m, int n, int level)
{
	int domains = 0;

	for (int i = 0; i < n; domains++)
		i += domain_to_front(w, m + i, n - i, domain_of(w, m[i], level),
				     level);
	return domains;
}

/*
 * Returns the number of members in the first `domains` domains of a sorted
 * list.
 */
static int first_domains(const struct host_tree *w, const int *m, int n,
			 int domains, int level)
{
	int i = 0;

	while (i < n && domains--) {
		unsigned here = domain_of(w, m[i], level);

		while (i < n && domain_of(w, m[i], level) == here)
			i++;
	}
	return i;
}

static void attach(struct host_tree *w, int parent, int *m, int n, int level,
		   int inputs);

/*
 * Makes the first member of the list a child of parent, and attaches the others
 * below it.
 */
static void attach_one(struct host_tree *w, int parent, int *m, int n,
		       int level)
{
	w->t->parent[m[0]] = parent;
	attach(w, m[0], m + 1, n - 1, level, w->k);
}

/* Attaches members that no level distinguishes, in equal parts and in order. */
static void attach_equals(struct host_tree *w, int parent, int *m, int n,
			  int inputs)
{
	int parts = n < inputs ? n : inputs;

	for (int i = 0; i < parts; i++) {
		int from = n * i / parts, to = n * (i + 1) / parts;

		attach_one(w, parent, m + from, to - from, WEFT_TREE_LEVELS);
	}
}

/*
 * Attaches other domains: one domain per input, or several if there are more
 * domains than inputs.
 */
static void attach_domains(struct host_tree *w, int parent, int *m, int n,
			   int level, int inputs)
{
	int left = sort_by_domain(w, m, n, level);

	for (; inputs && n; inputs--) {
		int share = (left + inputs - 1) / inputs;
		int count = first_domains(w, m, n, share, level);

		attach_one(w, parent, m, count, level);
		m += count;
		n -= count;
		left -= share;
	}
}

/*
 * Attaches all members under one input: the member nearest to the parent
 * becomes the child.
 */
static void attach_all(struct host_tree *w, int parent, int *m, int n,
		       int level)
{
	int mates = n;

	for (int l = level; mates && l < WEFT_TREE_LEVELS; l++)
		mates = domain_to_front(w, m, mates, domain_of(w, parent, l),
					l);
	attach_one(w, parent, m, n, level);
}

static void attach(struct host_tree *w, int parent, int *m, int n, int level,
		   int inputs)
{
	int own, others;

	while (level < WEFT_TREE_LEVELS &&
	       all_in_domain(w, parent, m, n, level))
		level++;
	if (level == WEFT_TREE_LEVELS) {
		attach_equals(w, parent, m, n, inputs);
		return;
	}
	own = domain_to_front(w, m, n, domain_of(w, parent, level), level);
	if (own && inputs == 1) {
		attach_all(w, parent, m, n, level);
		return;
	}
	others = sort_by_domain(w, m + own, n - own, level);
	if (others > inputs - (own > 0))
		others = inputs - (own > 0);
	attach_domains(w, parent, m + own, n - own, level, others);
	if (own)
		attach(w, parent, m, own, level + 1, inputs - others);
}

int weft_tree_host(struct weft_tree *t, int n, int k,
		   const weft_tree_place *place)
{
	struct host_tree w = { .t = t, .place = place, .k = k };
	int *m, ret;

	for (int i = 0; i < n; i++) {
		if (place[i] == WEFT_TREE_NOWHERE)
			return weft_tree_kary(t, n, k);
	}
	if (n < 1 || k < 1)
		return -EINVAL;
	m = malloc(2 * (size_t)n * sizeof(*m));
	if (!m)
		return -ENOMEM;
	w.sort_buf = m + n;
	ret = weft_tree_alloc(t, n);
	if (!ret) {
		for (int i = 0; i < n; i++)
			m[i] = i;
		t->parent[0] = -1;
		attach(&w, 0, m + 1, n - 1, 0, k);
		weft_tree_finish(t);
	}
	free(m);
	return ret;
}
