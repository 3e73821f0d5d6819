/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine of a job. For virtual time the machine file is read, the shape is
 * decided and the map is checked here, so that errors are reported once and
 * before the start; the ranks compute the same placement from the result.
 */
#include "src/tools/run/opts/run_model.h"
#include "prov/net/file/net_file.h"
#include "prov/net/file/net_map.h"
#include "src/base/attr.h"
#include "src/job/job_cfg.h"
#include "src/job/fault_plan.h"
#include "src/os/instructions.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Machines of the provider and their units (network interfaces). */
static const struct {
	const char *name;
	/* emulated interface; NULL: native, the machine is this host */
	const char *unit;
} machines[] = {
	{ "native", NULL },	  { "bgq", "mu" },	 { "gemini", "fma" },
	{ "qsnet2", "sten" },	  { "sunway", "swhni" }, { "apenet", "apenet" },
	{ "generic", "generic" },
};

/* Returns the table index of NAME[@VARIANT][:DIMS], or -1. */
static int machine_find(const char *name)
{
	size_t len = strcspn(name, "@:"), i;

	for (i = 0; i < WEFT_COUNT_OF(machines); i++)
		if (strlen(machines[i].name) == len &&
		    !strncmp(machines[i].name, name, len))
			return (int)i;
	return -1;
}

static void report_unknown(const char *what, const char *name)
{
	size_t i, closest = 0;
	unsigned d, best = UINT_MAX;

	for (i = 0; i < WEFT_COUNT_OF(machines); i++) {
		d = weft_cfg_distance(machines[i].name, name);
		if (d < best) {
			best = d;
			closest = i;
		}
	}
	run_message("%s%s: no such machine; nearest is %s, weft-info lists all",
		    what, name, machines[closest].name);
}

int run_model_known(const char *name)
{
	/* a name with a slash is a machine file, which the ranks check */
	if (strchr(name, '/') || machine_find(name) >= 0)
		return 0;
	report_unknown("FI_WEFT_MACHINE=", name);
	return -EINVAL;
}

bool run_model_virtual(const struct run_model *m)
{
	return m->machine && (!m->clock || strcmp(m->clock, "live"));
}

static int report_live_only(const char *name)
{
	int i = machine_find(name);
	char path[PATH_MAX];
	struct net_error_text why;

	if (i < 0 || (machines[i].unit && !net_file_find(machines[i].name, path,
							 sizeof(path), &why)))
		return 0;
	run_message("--machine %s %s: there is no virtual clock; --clock live "
		    "runs it in real time",
		    machines[i].name,
		    machines[i].unit ? "has no model of its network yet"
				     : "is this host and has no model");
	return -EINVAL;
}

/* Checks that the unit exists: a user's machine file may contain any name. */
static int check_unit(const struct run_model *m, const struct net_config *cfg)
{
	for (size_t i = 0; i < WEFT_COUNT_OF(machines); i++)
		if (machines[i].unit && !strcmp(machines[i].unit, cfg->unit))
			return 0;
	run_message(
		"--machine %s: unit = %s: no such network interface; there are "
		"generic, mu, fma, sten, swhni and apenet",
		m->machine, cfg->unit);
	return -EINVAL;
}

/*
 * Checks --machine for a live run: there is no shape, and only the name is
 * passed to the provider.
 */
static int check_live(struct run_model *m)
{
	if (machine_find(m->machine) < 0) {
		report_unknown("--machine ", m->machine);
		return -EINVAL;
	}
	m->spec = strndup(m->machine, strcspn(m->machine, "@:"));
	return m->spec ? 0 : -ENOMEM;
}

static int model_load(struct run_model *m, int ranks, struct net_config *cfg)
{
	struct net_error_text why = { "" };
	uint32_t nodes;
	int err = net_file_load(m->machine, 0, cfg, &why);

	if (!err) {
		if (!m->ppn)
			m->ppn = cfg->ranks_per_node ? (int)cfg->ranks_per_node
						     : 1;
		nodes = ((uint32_t)ranks + (uint32_t)m->ppn - 1) /
			(uint32_t)m->ppn;
		if (nodes < m->nodes_least)
			nodes = m->nodes_least;
		err = net_file_load(m->machine, nodes, cfg, &why);
	}
	if (err)
		run_message("--machine %s, %d ranks, %d on a node: %s",
			    m->machine, ranks, m->ppn ? m->ppn : 1, why.text);
	return err;
}

/* Returns the number of nodes that have ranks; 0: out of memory. */
static uint32_t nodes_used(const struct net_place *place, int ranks,
			   uint32_t nodes)
{
	bool *used = calloc(nodes, sizeof(*used));
	uint32_t n = 0;

	for (int i = 0; used && i < ranks; i++) {
		if (place[i].node >= nodes || used[place[i].node])
			continue;
		used[place[i].node] = true;
		n++;
	}
	free(used);
	return n;
}

static int try_map(struct run_model *m, int ranks, const struct net_config *cfg)
{
	struct net_map_args a = { .cfg = cfg,
				  .ppn = (uint32_t)m->ppn,
				  .ranks = (uint32_t)ranks };
	struct net_place *place = calloc((size_t)ranks, sizeof(*place));
	char why[NET_MAP_WHY] = "no memory", *table = NULL;
	int err = place ? 0 : -ENOMEM;

	if (!err && m->map && net_map_is_order(m->map))
		a.order = m->map;
	else if (!err && m->map)
		err = net_map_read(m->map, &table, why);
	a.table = m->table ? m->table : table;
	if (!err)
		err = net_map_fill(&a, place, why);
	if (err)
		run_message("%s", why);
	m->nodes = net_shape_nodes(cfg);
	m->nodes_used = err ? 0 : nodes_used(place, ranks, m->nodes);
	free(table);
	free(place);
	return err;
}

/* Returns the absolute path: ranks may run in another directory. */
static char *full_path(const char *file)
{
	char *path = realpath(file, NULL);

	return path ? path : strdup(file);
}

/* Loads the fault plan, so that its errors are reported before the start. */
static int check_faults(struct run_model *m)
{
	struct weft_fault_plan plan;
	struct weft_fault_plan_why why;

	if (!m->faults)
		return 0;
	if (weft_fault_plan_load(m->faults, &plan, &why)) {
		run_message("--faults: %s", why.text);
		return -EINVAL;
	}
	weft_fault_plan_fini(&plan);
	m->faults_spec = strpbrk(m->faults, " =;") ? strdup(m->faults)
						   : full_path(m->faults);
	return m->faults_spec ? 0 : -ENOMEM;
}

/*
 * Returns whether a live job can inject all faults of the plan:
 * prov/carrier/lossy supports only the kinds in `can`.
 */
bool run_model_live_faults(const struct run_model *m)
{
	static const uint32_t can =
		1u << WEFT_FAULT_ERRORS | 1u << WEFT_FAULT_BURST |
		1u << WEFT_FAULT_CORRUPT | 1u << WEFT_FAULT_LOSS |
		1u << WEFT_FAULT_DUPLICATE;
	struct weft_fault_plan plan;
	struct weft_fault_plan_why why;
	bool ok = true;

	if (weft_fault_plan_load(m->faults, &plan, &why))
		return false;
	for (size_t i = 0; i < plan.count; i++) {
		const struct weft_fault_entry *f = &plan.fault[i];

		ok = ok && can >> f->kind & 1 &&
		     (!*f->target || !strcmp(f->target, "*")) &&
		     (f->kind != WEFT_FAULT_ERRORS || f->value <= 1e-3);
	}
	weft_fault_plan_fini(&plan);
	return ok;
}

/*
 * Checks the fault plan of a job that survives failures: on a machine without
 * detours, a dead node also loses messages between other nodes.
 */
int run_model_check_survive(const struct run_model *m)
{
	struct weft_fault_plan plan;
	struct weft_fault_plan_why why;
	int err = 0;

	if (!m->faults || !run_model_virtual(m) || m->detours ||
	    weft_fault_plan_load(m->faults, &plan, &why))
		return 0;
	for (size_t i = 0; i < plan.count && !err; i++) {
		if (plan.fault[i].kind != WEFT_FAULT_DEAD_NODE)
			continue;
		run_message("--survive: %s has no detour around dead-node %s, "
			    "so messages of other nodes would be lost there; "
			    "dead-processor %s stops its processors only",
			    m->machine, plan.fault[i].target,
			    plan.fault[i].target);
		err = -EINVAL;
	}
	weft_fault_plan_fini(&plan);
	return err;
}

/* Writes m->spec: NAME[@VARIANT]:SHAPE or /full/path[@VARIANT]:SHAPE. */
static int write_spec(struct run_model *m, const struct net_config *cfg)
{
	const char *variant = strrchr(m->machine, '@');
	char shape[64], *file = NULL;
	size_t len = strcspn(m->machine, ":");
	char *name = strndup(m->machine,
			     variant ? (size_t)(variant - m->machine) : len);
	int n;

	net_file_shape_text(cfg, shape, sizeof(shape));
	if (name && strchr(name, '/'))
		file = full_path(name);
	n = asprintf(&m->spec, "%s%.*s:%s", file ? file : name,
		     variant ? (int)strcspn(variant, ":") : 0,
		     variant ? variant : "", shape);
	free(file);
	free(name);
	return n < 0 ? -ENOMEM : 0;
}

void run_model_text(const struct run_model *m, char text[RUN_MODEL_TEXT])
{
	const char *name = strrchr(m->spec, '/');
	char part[32] = "";

	if (m->nodes_used < m->nodes)
		snprintf(part, sizeof(part), " (%u used)", m->nodes_used);
	snprintf(text, RUN_MODEL_TEXT,
		 "machine %s, %u node%s%s, %d rank%s on a node",
		 name ? name + 1 : m->spec, m->nodes, m->nodes > 1 ? "s" : "",
		 part, m->ppn, m->ppn > 1 ? "s" : "");
}

/* Checks that instructions can be counted, before any rank starts. */
static int check_compute(const struct run_model *m)
{
	int fd;

	if (!m->compute || strncmp(m->compute, "instructions=", 13))
		return 0;
	fd = weft_instructions_open();
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	run_message("--compute %s: instructions cannot be counted on this host "
		    "(%s; " WEFT_INSTRUCTIONS_NEEDS,
		    m->compute, strerror(-fd));
	return -EINVAL;
}

static int check_virtual(struct run_model *m, int started, bool quiet)
{
	/* the machine has places for spawned ranks from the start */
	int ranks = m->universe ? m->universe : started;
	char text[RUN_MODEL_TEXT];
	struct net_config cfg;
	int err = report_live_only(m->machine);

	if (!err)
		err = check_compute(m);
	if (!err)
		err = model_load(m, ranks, &cfg);
	if (!err)
		err = check_unit(m, &cfg);
	if (!err)
		err = try_map(m, ranks, &cfg);
	if (!err && ranks > started)
		err = try_map(m, started, &cfg);
	if (!err)
		err = write_spec(m, &cfg);
	m->link_byte_pj = cfg.link_byte_pj;
	m->link_mw = cfg.link_mw;
	m->node_mw = cfg.node_mw;
	m->detours = !err && cfg.care.reroute;
	if (!err && m->map)
		m->map_spec = net_map_is_order(m->map) ? strdup(m->map)
						       : full_path(m->map);
	/*
	 * a shape that the user typed is printed only if some of its nodes have
	 * no ranks
	 */
	if (!err && !quiet &&
	    (!strchr(m->machine, ':') || m->nodes_used < m->nodes)) {
		run_model_text(m, text);
		run_message("%s", text);
	}
	return err;
}

int run_model_check(struct run_model *m, int ranks, bool quiet)
{
	int err = 0;

	if (!m->machine && m->clock && strcmp(m->clock, "live")) {
		run_message(
			"--clock virtual needs --machine NAME, e.g. bgq, or a "
			"file that describes a machine");
		return -EINVAL;
	}
	if (m->universe && m->universe < ranks) {
		run_message("--usize %d: the job itself has %d ranks",
			    m->universe, ranks);
		return -EINVAL;
	}
	err = check_faults(m);
	if (err)
		return -EINVAL;
	if (run_model_virtual(m))
		err = check_virtual(m, ranks, quiet);
	else if (m->machine)
		err = check_live(m);
	return err ? -EINVAL : 0;
}

void run_model_free(struct run_model *m)
{
	free(m->spec);
	free(m->map_spec);
	free(m->table);
	free(m->faults_spec);
	m->spec = m->map_spec = m->table = m->faults_spec = NULL;
}
