/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-sim: synthetic traffic on the model of a machine's network. */
#include "src/tools/outfile.h"
#include "src/tools/replay/replay.h"
#include "src/tools/sim/sim_out.h"
#include "src/tools/sim/sim_progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *error_text(int err)
{
	switch (err) {
	case -EDEADLK:
		return "deadlock of the network";
	case -EPROTO:
		return "an internal check of the model failed; please "
		       "report this";
	case -EAGAIN:
		return "more packets in flight than the model has memory "
		       "for";
	default:
		return strerror(-err);
	}
}

/* Prints the simulation's speed to stderr, not into the results. */
static void print_speed(const struct sim_result *r, unsigned count)
{
	double events = 0, hops = 0, s = 0;

	for (unsigned i = 0; i < count; i++) {
		events += (double)r[i].count.events;
		hops += (double)r[i].count.hops;
		s += (double)r[i].cpu_ns / 1e9;
	}
	fprintf(stderr,
		"weft-sim: %.2f s of CPU time, %.2f M events/s, "
		"%.2f M packet-hops/s\n",
		s, events / s / 1e6, hops / s / 1e6);
}

static int run_all(struct sim_opts *o, struct sim_result *r)
{
	const struct sim_writer *w = sim_writer(o->format);
	char label[64];
	int err;

	for (unsigned i = 0; i < o->loads; i++) {
		snprintf(label, sizeof(label), "load %g", o->load[i]);
		o->spec.load = o->load[i];
		o->spec.label =
			sim_progress_wanted(o->progress)
				? o->spec.mode == SIM_OPEN ? label : "running"
				: NULL;
		err = sim_run(&o->spec, &r[i]);
		if (err)
			return err;
		if (!i)
			w->begin(o, r);
		w->point(o, &r[i], i);
		fflush(stdout);
	}
	w->end(o, &r[o->loads - 1]);
	return 0;
}

int main(int argc, char **argv)
{
	static struct sim_opts o;
	char why[WEFT_OUTFILE_WHY];
	struct sim_result *r;
	int err;

	if (replay_requested(argv + 1))
		return replay_main(argv);
	err = sim_opts_parse(argv, &o);
	if (err)
		return err < 0 ? 2 : 0;
	if (o.html && weft_outfile_check(o.html, WEFT_OUTFILE_PAGE, why)) {
		fprintf(stderr, "weft-sim: --html %s: %s\n", o.html, why);
		return 2;
	}
	/* sim_plot_close() reports a failure of gnuplot */
	signal(SIGPIPE, SIG_IGN);
	if (o.spec.mode != SIM_OPEN)
		o.loads = 1;
	r = calloc(o.loads, sizeof(*r));
	err = r ? run_all(&o, r) : -ENOMEM;
	if (err == -EINVAL)
		return 2; /* the error was already printed */
	if (err)
		fprintf(stderr, "weft-sim: %s\n", error_text(err));
	else
		print_speed(r, o.loads);
	if (!err && o.plot)
		err = sim_draw(&o, r);
	if (!err && o.heat)
		err = sim_draw_heat(&o, &r[o.loads - 1]);
	if (!err && o.html)
		err = sim_page(&o, r);
	for (unsigned i = 0; i < o.loads && r; i++)
		sim_result_close(&r[i]);
	free(r);
	return err || fflush(stdout) ? 1 : 0;
}
