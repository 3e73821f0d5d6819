/* SPDX-License-Identifier: BSD-3-Clause */
/* --report: writes the report to standard error or a file. */
#include "src/tools/run/job/run_report.h"
#include "prov/net/file/net_file.h"
#include "prov/net/health/net_watch.h"
#include "src/job/job_page_print.h"
#include "src/tools/run/opts/run_calls.h"
#include "src/tools/run/opts/run_model.h"
#include "src/tools/run/opts/run_parts.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEATHS_MAX = 64, PART_TEXT = RUN_PART_TEXT + 256 };

/*
 * Computes which nodes the fault plan kills, and when other nodes would be
 * notified; returns the number of killed nodes.
 */
static unsigned planned_deaths(const struct run_model *m,
			       struct net_config *cfg,
			       struct net_watch_failure *death)
{
	struct weft_fault_plan_why bad;
	struct weft_fault_plan plan;
	struct net_error_text why;
	int n = 0;

	if (!m->faults || !run_model_virtual(m) ||
	    net_file_load(m->spec, 0, cfg, &why) ||
	    weft_fault_plan_load(m->faults, &plan, &bad))
		return 0;
	n = net_watch_plan(cfg, m->faults, &plan, death, DEATHS_MAX);
	weft_fault_plan_fini(&plan);
	return n < 0 ? 0 : (unsigned)n;
}

/* Closes a file other than standard error. Returns 0 or -errno. */
static int report_finish(FILE *f)
{
	int err = fflush(f) || ferror(f) ? -(errno ? errno : EIO) : 0;

	if (f != stderr && fclose(f) && !err)
		err = -errno;
	return err;
}

static int report_error(const char *name, int err)
{
	run_message("cannot write %s: %s", *name ? name : "the report",
		    strerror(-err));
	return err;
}

char **run_report_jobs(const struct run_opts *o)
{
	size_t n = (size_t)o->nparts, head = (n + 1) * sizeof(char *);
	char **text = o->nparts > 1 ? calloc(1, head + n * PART_TEXT) : NULL;

	for (size_t i = 0; text && i < n; i++) {
		const struct run_part *p = &o->part[i];
		char where[RUN_PART_TEXT];

		text[i] = (char *)text + head + i * PART_TEXT;
		run_part_text(p, where);
		snprintf(text[i], PART_TEXT, "%s: %s", where,
			 run_calls_name(&o->app[p->app]));
	}
	return text;
}

/* Prints the report of several jobs. */
static void print_parts(const struct run_job *job, const char *machine, FILE *f)
{
	const struct run_opts *o = job->opts;
	size_t n = (size_t)o->nparts;
	struct weft_job_page_part *part = calloc(n, sizeof(*part));
	char **text = run_report_jobs(o);

	for (size_t i = 0; part && text && i < n; i++) {
		const struct run_part *p = &o->part[i];

		part[i] = (struct weft_job_page_part){
			.first = (uint32_t)p->first,
			.members = (uint32_t)p->n,
			.text = text[i],
			.background = p->background
		};
	}
	if (part && text)
		weft_job_page_print_parts(&job->job_page, part, (unsigned)n,
					  machine, f);
	free(text);
	free(part);
}

void run_report_print(const struct run_job *job, FILE *f)
{
	const struct run_model *m = &job->opts->model;
	bool virtual = run_model_virtual(m);
	char machine[RUN_MODEL_TEXT];

	if (virtual)
		run_model_text(m, machine);
	if (job->opts->nparts > 1) {
		print_parts(job, machine, f);
		return;
	}
	weft_job_page_print(&job->job_page, virtual ? "virtual time" : "time",
			    virtual ? machine : NULL, f);
}

int run_report(const struct run_job *job)
{
	const char *name = job->opts->model.report;
	bool counted = job->job_page.head && job->job_page.counted;
	struct net_watch_failure death[DEATHS_MAX];
	struct net_config cfg;
	unsigned dead =
		name ? planned_deaths(&job->opts->model, &cfg, death) : 0;
	FILE *f;
	int err;

	if (!name)
		return 0;
	if (!counted && !dead)
		return report_error(name, -ENODATA);
	errno = 0;
	f = *name ? fopen(name, "we") : stderr;
	if (!f)
		return report_error(name, -errno);
	if (counted)
		run_report_print(job, f);
	if (dead) {
		char line[256];

		fprintf(f, "fault awareness, period %.3f ms\n",
			(double)cfg.watch_ps / 1e9);
		for (unsigned i = 0; i < dead; i++) {
			net_watch_text(&cfg, &death[i], line, sizeof(line));
			fprintf(f, "  %s\n", line);
		}
	}
	err = report_finish(f);
	return err ? report_error(name, err) : 0;
}
