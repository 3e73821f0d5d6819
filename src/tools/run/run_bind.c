/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Placement of ranks on processors. Slots are the usable cores (or hardware
 * threads), in the order of the topology. --map-by selects the first slot of a
 * rank, PE=n the number of its slots, --bind-to the width of the binding around
 * them.
 *
 *   2 packages of 3 cores, 4 ranks        slot   0 1 2 | 3 4 5
 *     --map-by core                       rank   0 1 2   3
 *     --map-by package                    rank   0 2     1 3
 *     --map-by ppr:3:package              rank   0 1 2   3
 *     --map-by core:PE=2                  rank   0 0 1   1 2 2   (3 wraps)
 */
#include "src/tools/run/run_bind.h"
#include "src/tools/run/run_message.h"

#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <unistd.h>

struct run_bind {
	hwloc_topology_t topo;
	hwloc_bitmap_t allowed;
	hwloc_obj_t *slot; /* usable cores or hardware threads */
	int nslots;
	/* processors of each rank; NULL: no rank is bound */
	struct run_cpuset *rank;
	int nranks;
};

static hwloc_obj_type_t type_of(enum run_unit u)
{
	switch (u) {
	case RUN_UNIT_HWTHREAD:
		return HWLOC_OBJ_PU;
	case RUN_UNIT_L1:
		return HWLOC_OBJ_L1CACHE;
	case RUN_UNIT_L2:
		return HWLOC_OBJ_L2CACHE;
	case RUN_UNIT_L3:
		return HWLOC_OBJ_L3CACHE;
	case RUN_UNIT_NUMA:
		return HWLOC_OBJ_NUMANODE;
	case RUN_UNIT_PACKAGE:
		return HWLOC_OBJ_PACKAGE;
	case RUN_UNIT_NODE:
		return HWLOC_OBJ_MACHINE;
	default:
		return HWLOC_OBJ_CORE;
	}
}

/*
 * Loads the topology without hwloc's plugins (displays, accelerators): they are
 * not needed and take longer than the rest of the launch.
 */
static int bind_load(struct run_bind *b, const char *synthetic)
{
	const char *old = getenv("HWLOC_PLUGINS_PATH");
	int err = 0;

	if (!old)
		setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1);
	if (hwloc_topology_init(&b->topo) < 0)
		err = -ENOMEM;
	if (!err && synthetic &&
	    hwloc_topology_set_synthetic(b->topo, synthetic) < 0)
		err = -EINVAL;
	if (!err && hwloc_topology_load(b->topo) < 0)
		err = -EIO;
	if (!old)
		unsetenv("HWLOC_PLUGINS_PATH");
	if (err)
		run_message("hwloc cannot load the topology: %s",
			    strerror(-err));
	return err;
}

/* Returns whether `text` is a list of processors: "0-3,8" or "4-". */
static bool is_cpu_list(const char *text)
{
	while (isdigit((unsigned char)*text)) {
		text += strspn(text, "0123456789");
		if (*text == '-')
			text += 1 + strspn(text + 1, "0123456789");
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
	return false;
}

static int find_allowed(struct run_bind *b, const struct run_place *p)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	b->allowed =
		hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(b->topo));
	if (!set || !b->allowed)
		return -ENOMEM;
	if (hwloc_topology_is_thissystem(b->topo) &&
	    !hwloc_get_cpubind(b->topo, set, HWLOC_CPUBIND_PROCESS))
		hwloc_bitmap_and(b->allowed, b->allowed, set);
	if (p->cpu_set && (!is_cpu_list(p->cpu_set) ||
			   hwloc_bitmap_list_sscanf(set, p->cpu_set))) {
		run_message(
			"--cpu-set %s: a list of processors such as 0-3,8 is "
			"needed",
			p->cpu_set);
		hwloc_bitmap_free(set);
		return -EINVAL;
	}
	if (p->cpu_set)
		hwloc_bitmap_and(b->allowed, b->allowed, set);
	hwloc_bitmap_free(set);
	if (!hwloc_bitmap_iszero(b->allowed))
		return 0;
	run_message("--cpu-set %s: none of these processors may be used",
		    p->cpu_set ? p->cpu_set : "");
	return -EINVAL;
}

static int find_slots(struct run_bind *b, hwloc_obj_type_t type)
{
	int depth = hwloc_get_type_or_below_depth(b->topo, type);
	unsigned i, n = hwloc_get_nbobjs_by_depth(b->topo, depth);
	hwloc_obj_t o;

	free(b->slot);
	b->nslots = 0;
	b->slot = calloc(n ? n : 1, sizeof(*b->slot));
	if (!b->slot)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		o = hwloc_get_obj_by_depth(b->topo, depth, i);
		if (hwloc_bitmap_intersects(o->cpuset, b->allowed))
			b->slot[b->nslots++] = o;
	}
	return b->nslots ? 0 : -ENODEV;
}

/*
 * Adds the usable processors of the object of this type that contains `slot`.
 */
static void add_width(struct run_bind *b, hwloc_obj_t slot,
		      hwloc_obj_type_t type, hwloc_bitmap_t out)
{
	hwloc_obj_t o = NULL;

	if (type == HWLOC_OBJ_NUMANODE) {
		while ((o = hwloc_get_next_obj_by_type(b->topo, type, o)))
			if (hwloc_bitmap_isincluded(slot->cpuset, o->cpuset))
				break;
	} else {
		for (o = slot; o && o->type != type;)
			o = o->parent;
	}
	hwloc_bitmap_or(out, out, o ? o->cpuset : slot->cpuset);
	/* the host has no level of this type: bind to all usable processors */
	if (!o && type != HWLOC_OBJ_CORE && type != HWLOC_OBJ_PU)
		hwloc_bitmap_copy(out, b->allowed);
	hwloc_bitmap_and(out, out, b->allowed);
}

/* Stores the slots within the k-th object of a type; returns their number. */
static int slots_within(struct run_bind *b, hwloc_obj_type_t type, int k,
			int *slots)
{
	hwloc_obj_t o = hwloc_get_obj_by_type(b->topo, type, (unsigned)k);
	int i, n = 0;

	for (i = 0; i < b->nslots; i++)
		if (!o ||
		    hwloc_bitmap_intersects(b->slot[i]->cpuset, o->cpuset))
			slots[n++] = i;
	return n;
}

/* Returns the first slot of a rank; skips objects without usable slots. */
static int first_slot(struct run_bind *b, const struct run_place *p, int rank,
		      int pe)
{
	hwloc_obj_type_t type = type_of(p->map);
	int objs = hwloc_get_nbobjs_by_type(b->topo, type);
	int n, k, index, at = 0, *slots;

	if (p->map == RUN_UNIT_DEFAULT || p->map == RUN_UNIT_NODE ||
	    p->map == RUN_UNIT_CORE || p->map == RUN_UNIT_HWTHREAD || objs < 1)
		return (int)((long)rank * pe % b->nslots);
	slots = calloc((size_t)b->nslots, sizeof(*slots));
	if (!slots)
		return 0;
	k = p->ppr ? rank / p->ppr % objs : rank % objs;
	index = p->ppr ? rank % p->ppr : rank / objs;
	for (n = 0; n == 0; k = (k + 1) % objs)
		n = slots_within(b, type, k, slots);
	at = slots[(long)index * pe % n];
	free(slots);
	return at;
}

static int place_rank(struct run_bind *b, const struct run_place *p, int rank,
		      enum run_unit unit)
{
	int pe = p->pe > 0 ? p->pe : p->bind_count > 0 ? p->bind_count : 1;
	int at = first_slot(b, p, rank, pe), i, cpus;
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	struct run_cpuset *c = &b->rank[rank];

	if (!set)
		return -ENOMEM;
	for (i = 0; i < pe && i < b->nslots; i++)
		add_width(b, b->slot[(at + i) % b->nslots], type_of(unit), set);
	cpus = hwloc_bitmap_last(set) + 1;
	c->set = CPU_ALLOC(cpus);
	c->size = CPU_ALLOC_SIZE(cpus);
	if (c->set)
		hwloc_cpuset_to_glibc_sched_affinity(b->topo, set, c->set,
						     c->size);
	hwloc_bitmap_free(set);
	return c->set ? 0 : -ENOMEM;
}

/*
 * Selects the default binding for n ranks: to cores, else to hardware threads,
 * else none.
 */
static enum run_unit default_unit(struct run_bind *b, const struct run_place *p,
				  int n, int cpus)
{
	long wanted = (long)n * (p->pe > 0 ? p->pe : 1);

	if (p->bind != RUN_UNIT_DEFAULT)
		return p->bind;
	if (wanted <= b->nslots && wanted <= cpus)
		return RUN_UNIT_CORE;
	if (wanted > cpus || find_slots(b, HWLOC_OBJ_PU) || wanted > b->nslots)
		return RUN_UNIT_NONE;
	return RUN_UNIT_HWTHREAD;
}

static int place_all(struct run_bind *b, const struct run_place *p, int n,
		     int cpus)
{
	enum run_unit unit;
	int i, err;

	err = find_slots(b, p->bind == RUN_UNIT_HWTHREAD ? HWLOC_OBJ_PU
							 : HWLOC_OBJ_CORE);
	if (err)
		return err;
	unit = default_unit(b, p, n, cpus);
	if (unit == RUN_UNIT_NONE)
		return 0;
	b->rank = calloc((size_t)n, sizeof(*b->rank));
	if (!b->rank)
		return -ENOMEM;
	b->nranks = n;
	for (i = 0; i < n && !err; i++)
		err = place_rank(b, p, i, unit);
	return err;
}

int run_bind_open(const struct run_place *p, int n, int cpus,
		  const char *synthetic, struct run_bind **b_p)
{
	struct run_bind *b = calloc(1, sizeof(*b));
	int err;

	if (!b)
		return -ENOMEM;
	err = bind_load(b, synthetic);
	if (!err)
		err = find_allowed(b, p);
	if (!err)
		err = place_all(b, p, n, cpus);
	if (err) {
		run_bind_close(b);
		return err;
	}
	*b_p = b;
	return 0;
}

void run_bind_close(struct run_bind *b)
{
	int i;

	if (!b)
		return;
	for (i = 0; i < b->nranks; i++)
		CPU_FREE(b->rank[i].set);
	free(b->rank);
	free(b->slot);
	hwloc_bitmap_free(b->allowed);
	if (b->topo)
		hwloc_topology_destroy(b->topo);
	free(b);
}

size_t run_bind_cache(const struct run_bind *b)
{
	hwloc_obj_t o = hwloc_get_obj_by_type(b->topo, HWLOC_OBJ_L2CACHE, 0);

	return o ? o->attr->cache.size : 0;
}

const struct run_cpuset *run_bind_of(const struct run_bind *b, int rank)
{
	return b && b->rank ? &b->rank[rank] : NULL;
}

void *run_bind_topology(const struct run_bind *b)
{
	return b ? b->topo : NULL;
}

/*
 * Descriptor number of the file with the topology's XML: above the numbers that
 * scripts use (3 to 9).
 */
enum { XML_FD = 200 };

int run_bind_xml(const struct run_bind *b)
{
	char *xml;
	int len, fd, high;

	if (hwloc_topology_export_xmlbuffer(b->topo, &xml, &len, 0) < 0)
		return -1;
	fd = memfd_create("weft-topology", MFD_CLOEXEC);
	if (fd >= 0 && run_write_all(fd, xml, (size_t)len - 1) < 0) {
		close(fd);
		fd = -1;
	}
	hwloc_free_xmlbuffer(b->topo, xml);
	high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, XML_FD);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

static void print_units(const struct run_bind *b, hwloc_bitmap_t set, FILE *f)
{
	hwloc_obj_t o = NULL;
	hwloc_bitmap_t cores = hwloc_bitmap_alloc();
	char *list = NULL;

	while (cores &&
	       (o = hwloc_get_next_obj_by_type(b->topo, HWLOC_OBJ_CORE, o)))
		if (hwloc_bitmap_intersects(o->cpuset, set))
			hwloc_bitmap_set(cores, o->logical_index);
	if (cores && hwloc_bitmap_list_asprintf(&list, cores) > 0)
		fprintf(f, "core %s, ", list);
	free(list);
	list = NULL;
	if (hwloc_bitmap_list_asprintf(&list, set) > 0)
		fprintf(f, "cpus %s", list);
	free(list);
	hwloc_bitmap_free(cores);
}

char *run_bind_text(const struct run_bind *b, pid_t pid)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f && set && !hwloc_get_proc_cpubind(b->topo, pid, set, 0))
		print_units(b, set, f);
	if (f)
		fclose(f);
	hwloc_bitmap_free(set);
	return text;
}
