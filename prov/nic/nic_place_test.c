/* SPDX-License-Identifier: BSD-3-Clause */
/* Places on synthetic hosts, and the trees built from them. */
#include "prov/nic/nic_place.h"
#include "test/t.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static hwloc_topology_t host(const char *text)
{
	hwloc_topology_t t;

	T_OK(hwloc_topology_init(&t));
	T_OK(hwloc_topology_set_synthetic(t, text));
	T_OK(hwloc_topology_load(t));
	return t;
}

/* Returns the place of processors first .. last. */
static weft_tree_place place(hwloc_topology_t t, unsigned first, unsigned last)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	weft_tree_place p;

	hwloc_bitmap_set_range(set, first, (int)last);
	p = nic_place_of(t, set);
	hwloc_bitmap_free(set);
	return p;
}

static void place_is(weft_tree_place p, const int *want)
{
	for (int l = 0; l < WEFT_TREE_LEVELS; l++)
		T_IS(weft_tree_place_at(p, l),
		     want[l] < 0 ? WEFT_TREE_LEVEL_MAX : (unsigned)want[l]);
}

/*
 * The host has two packages, two L3 caches in each, two cores per L3, two
 * threads per core.
 */
static void a_place_is_the_path_from_the_root(void **state)
{
	hwloc_topology_t t = host("pack:2 l3:2 l2:1 core:2 pu:2");

	place_is(place(t, 0, 0), (int[]){ 0, 0, 0, 0, -1, -1 });
	place_is(place(t, 15, 15), (int[]){ 1, 1, 1, 1, -1, -1 });
	/* processors of one core, of one L3, of one package */
	place_is(place(t, 10, 11), (int[]){ 1, 0, 1, -1, -1, -1 });
	place_is(place(t, 4, 7), (int[]){ 0, 1, -1, -1, -1, -1 });
	place_is(place(t, 2, 5), (int[]){ 0, -1, -1, -1, -1, -1 });
	hwloc_topology_destroy(t);
}

static void an_unbound_process_has_no_place(void **state)
{
	hwloc_topology_t t = host("pack:2 core:4 pu:1"), one = host("pu:1");

	T_TRUE(place(t, 0, 7) == WEFT_TREE_NOWHERE);
	T_TRUE(place(t, 3, 4) == WEFT_TREE_NOWHERE);
	T_TRUE(place(t, 500, 500) == WEFT_TREE_NOWHERE);
	T_TRUE(place(one, 0, 0) == WEFT_TREE_NOWHERE);
	hwloc_topology_destroy(t);
	hwloc_topology_destroy(one);
}

/*
 * A place cannot hold all levels or siblings of these hosts: the rest is
 * truncated.
 */
static void places_on_deep_or_wide_hosts_are_truncated(void **state)
{
	hwloc_topology_t deep, wide;

	deep = host("group:2 pack:2 numa:2 l3:2 l2:2 l1:2 core:2 pu:2");
	T_TRUE(place(deep, 0, 0) == place(deep, 3, 3));
	T_TRUE(place(deep, 0, 0) != place(deep, 4, 4));
	wide = host("pack:2 core:1500 pu:1");
	place_is(place(wide, 1499, 1499), (int[]){ 0, -1, -1, -1, -1, -1 });
	place_is(place(wide, 1501, 1501), (int[]){ 1, 1, -1, -1, -1, -1 });
	hwloc_topology_destroy(deep);
	hwloc_topology_destroy(wide);
}

/* ---- trees --------------------------------------------------------------- */

/*
 * Counts edges of the tree between members whose places differ above a level.
 */
static int crossings(const struct weft_tree *t, const weft_tree_place *p,
		     int levels)
{
	int n = 0;

	for (int i = 0; i < t->n; i++) {
		bool differ = false;

		for (int l = 0; t->parent[i] >= 0 && l < levels; l++)
			differ |= weft_tree_place_at(p[i], l) !=
				  weft_tree_place_at(p[t->parent[i]], l);
		n += differ;
	}
	return n;
}

/* Counts different places, truncated at a level. */
static int domains(const weft_tree_place *p, int n, int levels)
{
	uint64_t mask = (UINT64_C(1) << levels * WEFT_TREE_LEVEL_BITS) - 1;
	int found = 0;

	for (int i = 0; i < n; i++) {
		int k = 0;

		while (k < i && (p[k] & mask) != (p[i] & mask))
			k++;
		found += k == i;
	}
	return found;
}

static void tree_is_complete(const struct weft_tree *t, int k)
{
	int inputs = 0;

	T_IS(t->root, 0);
	for (int i = 0; i < t->n; i++) {
		T_TRUE(weft_tree_inputs(t, i) <= k);
		inputs += weft_tree_inputs(t, i);
	}
	T_IS(inputs, t->n - 1);
}

/*
 * Builds the tree of n members, bound round robin to every step-th processor.
 */
static void try_tree(const char *text, int n, int k, int step)
{
	hwloc_topology_t h = host(text);
	int pus = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_PU);
	weft_tree_place *p = malloc((size_t)n * sizeof(*p));
	struct weft_tree t, again;

	for (int i = 0; i < n; i++) {
		unsigned cpu = (unsigned)(i * step % pus);

		p[i] = place(h, cpu, cpu);
	}
	T_OK(weft_tree_host(&t, n, k, p));
	tree_is_complete(&t, k);
	/* no boundary is crossed by more edges than necessary */
	for (int l = 1; l <= WEFT_TREE_LEVELS; l++)
		T_IS(crossings(&t, p, l), domains(p, n, l) - 1);
	T_OK(weft_tree_host(&again, n, k, p));
	T_TRUE(!memcmp(t.parent, again.parent, (size_t)n * sizeof(int)));
	T_TRUE(t.depth <= n - 1);
	weft_tree_fini(&t);
	weft_tree_fini(&again);
	free(p);
	hwloc_topology_destroy(h);
}

static void trees_cross_each_boundary_once(void **state)
{
	static const char *const hosts[] = {
		"pack:2 core:4 pu:1",
		"pack:2 l3:4 core:3 pu:2",
		"numa:4 pack:1 l3:2 l2:2 core:2 pu:2",
		"pack:13 core:2 pu:1",
		"core:64 pu:1",
	};

	for (size_t h = 0; h < sizeof(hosts) / sizeof(hosts[0]); h++) {
		for (int n = 1; n <= 70; n += 3) {
			for (int k = 1; k <= 9; k++) {
				try_tree(hosts[h], n, k, 1);
				try_tree(hosts[h], n, k, 5);
			}
		}
	}
}

/*
 * 64 members on a host with two packages, eight L3 caches in each and four
 * cores per L3.
 */
static void trees_stay_shallow(void **state)
{
	hwloc_topology_t h = host("pack:2 l3:8 core:4 pu:1");
	struct weft_tree t;
	weft_tree_place p[64];

	for (unsigned i = 0; i < 64; i++)
		p[i] = place(h, i * 5 % 64, i * 5 % 64);
	T_OK(weft_tree_host(&t, 64, 8, p));
	T_TRUE(t.depth <= 4);
	weft_tree_fini(&t);
	hwloc_topology_destroy(h);
}

/* One member has no place: the tree joins all members in rank order. */
static void without_places_the_tree_follows_member_order(void **state)
{
	weft_tree_place p[20];
	struct weft_tree t, plain;

	for (int i = 0; i < 20; i++)
		p[i] = (uint64_t)(i % 3) | ~UINT64_C(0) << WEFT_TREE_LEVEL_BITS;
	p[7] = WEFT_TREE_NOWHERE;
	T_OK(weft_tree_host(&t, 20, 3, p));
	T_OK(weft_tree_kary(&plain, 20, 3));
	T_TRUE(!memcmp(t.parent, plain.parent, sizeof(int) * 20));
	weft_tree_fini(&t);
	weft_tree_fini(&plain);
	T_IS(weft_tree_host(&t, 0, 3, p), -EINVAL);
}

/*
 * hwloc may be configured with the topology of another host, which has a
 * processor 0.
 */
static void a_bound_process_has_a_place(void **state)
{
	cpu_set_t old, one;

	setenv("HWLOC_SYNTHETIC", "pack:2 core:512 pu:1", 1);
	unsetenv("HWLOC_PLUGINS_PATH");
	T_OK(sched_getaffinity(0, sizeof(old), &old));
	if (CPU_COUNT(&old) < 2)
		skip();
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &old) || i >= 1000)
			continue;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		T_OK(sched_setaffinity(0, sizeof(one), &one));
		place_is(nic_place_here(),
			 (int[]){ i / 512, i % 512, -1, -1, -1, -1 });
		T_TRUE(!getenv("HWLOC_PLUGINS_PATH"));
	}
	T_OK(sched_setaffinity(0, sizeof(old), &old));
	if (CPU_COUNT(&old) == sysconf(_SC_NPROCESSORS_ONLN))
		T_TRUE(nic_place_here() == WEFT_TREE_NOWHERE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_place_is_the_path_from_the_root),
		T_CASE(an_unbound_process_has_no_place),
		T_CASE(places_on_deep_or_wide_hosts_are_truncated),
		T_CASE(trees_cross_each_boundary_once),
		T_CASE(trees_stay_shallow),
		T_CASE(without_places_the_tree_follows_member_order),
		T_CASE(a_bound_process_has_a_place),
	};

	/* the tests load topologies, too; some plugins fail under sanitizers */
	setenv("HWLOC_PLUGINS_PATH", "/dev/null", 0);
	return T_RUN(tests);
}
