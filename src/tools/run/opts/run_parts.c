/* SPDX-License-Identifier: BSD-3-Clause */
/* Several jobs on one machine (run_parts.h). */
#include "src/tools/run/opts/run_parts.h"

#include "prov/net/file/net_file.h"
#include "prov/net/file/net_map.h"
#include "src/job/job_place.h"
#include "src/tools/run/opts/run_calls.h"
#include "src/tools/run/opts/run_model.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- from contexts to jobs ----------------------------------------------- */

static int check_context(const struct run_app *a, bool first)
{
	if (a->background && first) {
		run_message("--background: the first job cannot be a "
			    "background; give the option after \": --job\"");
		return -EINVAL;
	}
	if (first || a->starts_job || (!a->background && !a->place))
		return 0;
	run_message("%s applies to a whole job: give it before the job's first "
		    "program, or start a job by --job",
		    a->background ? "--background" : "--place");
	return -EINVAL;
}

static void add_context(struct run_opts *o, int i)
{
	struct run_app *a = &o->app[i];
	struct run_part *p;

	if (!i || a->starts_job)
		o->part[o->nparts++] =
			(struct run_part){ .first = a->first,
					   .app = i,
					   .background = a->background,
					   .place = a->place };
	p = &o->part[o->nparts - 1];
	p->n += a->n;
	a->part = o->nparts - 1;
}

/* Refuses options that apply to one job only. */
static int check_options(const struct run_opts *o)
{
	const struct run_model *m = &o->model;
	const struct {
		const char *flag;
		bool given;
	} row[] = {
		{ "--survive", o->survive },
		{ "--usize", m->universe },
		{ "--record", m->record },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		if (!row[i].given || o->nparts < 2)
			continue;
		run_message("%s: not possible with several jobs (--job)",
			    row[i].flag);
		return -EINVAL;
	}
	return 0;
}

static int check_place(const struct run_opts *o)
{
	const char *flag = o->nparts > 1 ? "--job" : "--place";

	if (!run_model_virtual(&o->model))
		run_message("%s: jobs share a modelled machine; give one by "
			    "--machine, with the virtual clock",
			    flag);
	else if (o->model.map)
		run_message("%s: --map cannot be combined with it; --place "
			    "gives the nodes of a job",
			    flag);
	else if (o->model.universe)
		run_message("%s: --usize cannot be combined with it", flag);
	else
		return 0;
	return -EINVAL;
}

/*
 * Checks that a context with recorded calls or a pattern runs in virtual time.
 */
static int check_calls(const struct run_opts *o, const struct run_app *a)
{
	if (!run_calls_given(a) || run_model_virtual(&o->model))
		return 0;
	run_message("%s: needs a modelled machine; give one by --machine, with "
		    "the virtual clock",
		    a->calls ? "--calls" : "--replay");
	return -EINVAL;
}

int run_parts_open(struct run_opts *o)
{
	int err = 0;

	o->part = calloc((size_t)o->napps, sizeof(*o->part));
	if (!o->part)
		return -ENOMEM;
	for (int i = 0; i < o->napps && !err; i++) {
		err = check_context(&o->app[i], !i);
		if (!err)
			err = check_calls(o, &o->app[i]);
		add_context(o, i);
	}
	if (!err)
		err = check_options(o);
	if (!err && (o->nparts > 1 || o->part[0].place))
		err = check_place(o);
	return err;
}

const struct run_part *run_part_of_app(const struct run_opts *o, int app)
{
	return o->nparts > 1 ? &o->part[o->app[app].part] : NULL;
}

void run_part_text(const struct run_part *p, char text[RUN_PART_TEXT])
{
	snprintf(text, RUN_PART_TEXT, "%d rank%s (%d-%d) on %d node%s (%s)%s",
		 p->n, p->n > 1 ? "s" : "", p->first, p->first + p->n - 1,
		 p->nodes, p->nodes > 1 ? "s" : "",
		 p->place ? p->place : "contiguous",
		 p->background ? ", background" : "");
}

/* ---- places -------------------------------------------------------------- */

/* Writes a rank's line of the map: coordinates of its node, and its slot. */
static void write_line(FILE *f, const struct net_config *cfg, uint32_t node,
		       uint32_t slot, uint32_t ppn)
{
	uint16_t at[NET_DIMS_MAX];
	uint32_t inner = node % net_router_nodes(cfg);

	net_node_coords(cfg, node, at);
	for (unsigned d = 0; d < cfg->dims; d++)
		fprintf(f, "%u ", at[d]);
	fprintf(f, "%u\n", inner * ppn + slot);
}

static int write_table(struct run_opts *o, const struct net_config *cfg,
		       const uint32_t *node_of)
{
	uint32_t ppn = (uint32_t)o->model.ppn;
	size_t bytes;
	FILE *f = open_memstream(&o->model.table, &bytes);

	if (!f)
		return -ENOMEM;
	for (int i = 0; i < o->nparts; i++)
		for (int k = 0; k < o->part[i].n; k++)
			write_line(f, cfg, node_of[o->part[i].first + k],
				   (uint32_t)k % ppn, ppn);
	return fclose(f) ? -ENOMEM : 0;
}

static int place_parts(struct run_opts *o, const struct net_config *cfg,
		       struct weft_place_job *job)
{
	const struct weft_place_machine machine = {
		.nodes = net_shape_nodes(cfg), .ppn = (uint32_t)o->model.ppn
	};
	const struct run_part *last = &o->part[o->nparts - 1];
	uint32_t *node_of =
		calloc((size_t)(last->first + last->n), sizeof(*node_of));
	char why[WEFT_PLACE_WHY] = "out of memory";
	int err = -ENOMEM;

	if (node_of)
		err = weft_place_jobs(&machine, job, (unsigned)o->nparts,
				      node_of, why);
	if (!err)
		err = write_table(o, cfg, node_of);
	if (err)
		run_message("%s", why);
	for (int i = 0; i < o->nparts; i++)
		o->part[i].nodes = (int)job[i].nodes;
	free(node_of);
	return err;
}

/*
 * Loads the machine with enough nodes for all jobs; returns false if this
 * fails.
 */
static bool load_machine(struct run_opts *o, struct weft_place_job *job,
			 struct net_config *cfg)
{
	struct run_model *m = &o->model;
	struct net_error_text why;
	uint32_t nodes = 0;

	if (net_file_load(m->machine, 0, cfg, &why))
		return false;
	if (!m->ppn)
		m->ppn = cfg->ranks_per_node ? (int)cfg->ranks_per_node : 1;
	for (int i = 0; i < o->nparts; i++) {
		job[i] = (struct weft_place_job){
			.name = run_calls_name(&o->app[o->part[i].app]),
			.place = o->part[i].place,
			.ranks = (uint32_t)o->part[i].n
		};
		nodes += weft_place_needed(&job[i], (uint32_t)m->ppn);
	}
	m->nodes_least = nodes;
	return !net_file_load(m->machine, nodes, cfg, &why);
}

int run_parts_place(struct run_opts *o)
{
	struct weft_place_job *job;
	struct net_config cfg;
	int err = 0;

	if (o->nparts < 2 && !o->part[0].place)
		return 0;
	job = calloc((size_t)o->nparts, sizeof(*job));
	if (!job)
		return -ENOMEM;
	if (load_machine(o, job, &cfg))
		err = place_parts(o, &cfg, job);
	free(job);
	return err;
}
