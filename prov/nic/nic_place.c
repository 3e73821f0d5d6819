/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors of the host that a rank may use, and how ranks share them. */
#include "prov/nic/nic_place.h"

#include <hwloc/glibc-sched.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Returns whether the object has siblings; an object without siblings does not
 * distinguish places.
 */
static bool is_branch(const struct hwloc_obj *o)
{
	return o->parent && o->parent->arity > 1;
}

static int branches_above(const struct hwloc_obj *o)
{
	int n = 0;

	for (; o->parent; o = o->parent)
		n += is_branch(o);
	return n;
}

weft_tree_place nic_place_of(hwloc_topology_t topo, hwloc_const_cpuset_t set)
{
	const struct hwloc_obj *o = hwloc_get_obj_covering_cpuset(topo, set);
	weft_tree_place place = WEFT_TREE_NOWHERE;
	int level;

	if (!o || hwloc_bitmap_iszero(set))
		return place;
	for (level = branches_above(o); o->parent; o = o->parent) {
		if (!is_branch(o) || --level >= WEFT_TREE_LEVELS)
			continue;
		/*
		 * the path ends at a sibling number that does not fit the bits
		 * of a level
		 */
		if (o->sibling_rank >= WEFT_TREE_LEVEL_MAX)
			place = WEFT_TREE_NOWHERE;
		else
			place &= ~((uint64_t)(WEFT_TREE_LEVEL_MAX ^
					      o->sibling_rank)
				   << level * WEFT_TREE_LEVEL_BITS);
	}
	return place;
}

static hwloc_topology_t topology;

/*
 * Loads the topology without hwloc's plugins (displays, accelerators): a rank
 * does not need them, and they can only be disabled by environment variables.
 * The pointer environ is replaced instead of changing the array: other threads
 * see one of two arrays, and both stay valid.
 */
static void load_without_plugins(void (*load)(void))
{
	static char no_plugins[] = "HWLOC_PLUGINS_PATH=/dev/null";
	static char **plain;
	char **old = environ;
	size_t n = 0;

	while (old && old[n])
		n++;
	if (!getenv("HWLOC_PLUGINS_PATH"))
		plain = calloc(n + 2, sizeof(*plain));
	if (plain) {
		plain[0] = no_plugins;
		if (n)
			memcpy(plain + 1, old, n * sizeof(*plain));
		environ = plain;
	}
	load();
	environ = old;
}

static void load_hwloc(void)
{
	if (hwloc_topology_init(&topology) < 0) {
		topology = NULL;
		return;
	}
	if (hwloc_topology_load(topology) < 0) {
		hwloc_topology_destroy(topology);
		topology = NULL;
	}
}

static void place_load(void)
{
	load_without_plugins(load_hwloc);
}

weft_tree_place nic_place_here(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	weft_tree_place place = WEFT_TREE_NOWHERE;
	hwloc_cpuset_t set;
	cpu_set_t cpus;

	if (sched_getaffinity(getpid(), sizeof(cpus), &cpus) ||
	    CPU_COUNT(&cpus) >= sysconf(_SC_NPROCESSORS_ONLN))
		return place;
	pthread_once(&once, place_load);
	set = topology ? hwloc_bitmap_alloc() : NULL;
	if (!set)
		return place;
	if (!hwloc_cpuset_from_glibc_sched_affinity(topology, set, &cpus,
						    sizeof(cpus)))
		place = nic_place_of(topology, set);
	hwloc_bitmap_free(set);
	return place;
}
