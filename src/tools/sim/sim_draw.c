/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plots of weft-sim: latency and throughput versus offered load, or the
 * histogram of a single point; the utilisation of all links as a heat map.
 */
#include "src/tools/sim/sim_links.h"
#include "src/tools/sim/sim_out.h"
#include "src/tools/sim/sim_plot.h"
#include "prov/net/file/net_file.h"

#include <errno.h>
#include <inttypes.h>

/* Maximum number of rows of a heat map; a row may represent several nodes. */
#define HEAT_ROWS 512u

static void write_title(FILE *f, const struct sim_opts *o)
{
	char shape[64];

	net_file_shape_text(&o->spec.cfg, shape, sizeof(shape));
	fprintf(f, "set title '%s %s, %s, %" PRIu64 " B'\nset grid\n",
		o->spec.cfg.name, shape, sim_pattern_name(o->spec.pattern),
		o->spec.bytes);
}

static void plot_sweep(FILE *f, const struct sim_opts *o,
		       const struct sim_result *r)
{
	fputs("$d << END\n", f);
	for (unsigned i = 0; i < o->loads; i++)
		fprintf(f, "%g %g %g %g %g\n", o->load[i],
			r[i].accepted / r[i].peak,
			sim_hist_mean(&r[i].latency) / 1e3,
			(double)sim_hist_quantile(&r[i].latency, 0.5) / 1e3,
			(double)sim_hist_quantile(&r[i].latency, 0.99) / 1e3);
	fputs("END\nset multiplot layout 2,1\n"
	      "set xlabel 'offered load, part of the peak'\n"
	      "set ylabel 'accepted, part of the peak'\nset key top left\n"
	      "plot $d using 1:2 with linespoints pt 7 title 'accepted', "
	      "x with lines dt 2 lc 'gray' title 'all'\n"
	      "set ylabel 'latency, ns'\nset logscale y\n"
	      "plot $d using 1:3 with linespoints pt 7 title 'mean', "
	      "'' using 1:4 with linespoints pt 6 title 'median', "
	      "'' using 1:5 with linespoints pt 4 title '99 %'\n"
	      "unset multiplot\n",
	      f);
}

int sim_draw(const struct sim_opts *o, const struct sim_result *r)
{
	FILE *f = sim_plot_open(o->plot, 900, o->loads > 1 ? 1000 : 600);

	if (!f)
		return -errno;
	write_title(f, o);
	if (o->loads > 1) {
		plot_sweep(f, o, r);
	} else {
		fputs("$d << END\n", f);
		for (unsigned c = 0; c < SIM_HIST_CELLS; c++)
			if (r->latency.cell[c])
				fprintf(f, "%g %" PRIu64 "\n",
					(double)sim_hist_from(c) / 1e3,
					r->latency.cell[c]);
		fputs("END\nset xlabel 'latency, ns'\nset ylabel 'messages'\n"
		      "set logscale x\nunset key\n"
		      "plot $d using 1:2 with histeps lw 2\n",
		      f);
	}
	return sim_plot_close(f);
}

/* Returns the mean utilisation of a port over one row, in percent. */
static double row_use(const struct sim_result *r, uint32_t from, uint32_t to,
		      unsigned port)
{
	double sum = 0;

	for (uint32_t n = from; n < to; n++)
		sum += (double)r->link[(size_t)n * r->ports + port]
			       .count.busy_ps;
	return 100 * sum / (double)r->time_ps / (to - from);
}

/* Writes the label of a port: its class, and its number if needed. */
static void port_label(const struct net_config *cfg, const struct net_group *g,
		       unsigned port, char *text, size_t len)
{
	char name[NET_CLASS_NAME];

	net_class_name(cfg, net_class_of(cfg, g->first, port), name);
	if (g->ports <= net_classes(cfg) && net_has_coords(cfg))
		snprintf(text, len, "%s", name);
	else
		snprintf(text, len, "%u (%s)", port, name);
}

/*
 * Plots the nodes of one group: one row per node, or one row for several nodes.
 */
static void heat_group(FILE *f, const struct sim_opts *o,
		       const struct sim_result *r, const struct net_group *g)
{
	uint32_t each = (g->count + HEAT_ROWS - 1) / HEAT_ROWS, n, to;
	uint32_t end = g->first + g->count;
	char text[32];

	fputs("$d << END\n", f);
	for (n = g->first; n < end; n += each) {
		to = n + each < end ? n + each : end;
		for (unsigned p = 0; p < g->ports; p++)
			fprintf(f, "%u %u %g\n", p, n - g->first,
				row_use(r, n, to, p));
		fputs("\n", f);
	}
	fputs("END\nset xtics (", f);
	for (unsigned p = 0; p < g->ports; p++) {
		port_label(&o->spec.cfg, g, p, text, sizeof(text));
		fprintf(f, "%s'%s' %u", p ? ", " : "", text, p);
	}
	fprintf(f,
		")\nset xlabel 'link'\n"
		"set cblabel 'busy, %%'\nset cbrange [0:100]\nunset key\n"
		"set xrange [-0.5:%u.5]\nset yrange [-0.5:%u.5]\n"
		"plot $d using 1:2:3 with image\n",
		g->ports - 1, g->count - 1);
}

/*
 * Plots a torus as one heat map, a tree as one heat map per level, top level
 * first.
 */
int sim_draw_heat(const struct sim_opts *o, const struct sim_result *r)
{
	const struct net_config *cfg = &o->spec.cfg;
	unsigned groups = net_groups(cfg), g;
	FILE *f = sim_plot_open(o->heat, 700, groups > 1 ? 350 * groups : 900);
	struct net_group group;

	if (!f)
		return -errno;
	if (groups > 1)
		fprintf(f, "set multiplot layout %u,1\n", groups);
	write_title(f, o);
	for (g = groups; g-- > 0;) {
		net_group(cfg, g, &group);
		fprintf(f, "set ylabel '%s'\n", g ? "switch" : "node");
		if (groups > 1)
			fprintf(f, "set title 'level %u'\n", g);
		heat_group(f, o, r, &group);
	}
	if (groups > 1)
		fputs("unset multiplot\n", f);
	return sim_plot_close(f);
}
