/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of the calibration: residuals, machine file and plot. */
#include "src/tools/calibrate/cal.h"
#include "src/tools/sim/sim_plot.h"

#include "src/base/attr.h"

#include <errno.h>
#include <string.h>

static const char *const kind_names[CAL_KINDS] = {
	[CAL_LATENCY] = "ping-pong",
	[CAL_BANDWIDTH] = "bandwidth",
	[CAL_ALLREDUCE] = "allreduce",
};

/* Allreduces up to this length are compared with the formula. */
#define ALLREDUCE_MOST 2048

static bool is_shown(const struct cal_machine *m, const struct cal_point *p)
{
	return p->kind != CAL_ALLREDUCE ||
	       (m->ranks > 1 && p->bytes <= ALLREDUCE_MOST);
}

void cal_print(FILE *out, const struct cal_table *t,
	       const struct cal_machine *m, const struct cal_fit *f)
{
	const struct cal_point *p;
	double us;

	fprintf(out, "%-10s %10s %14s %14s %9s\n", "test", "bytes",
		"measured us", "machine us", "error %");
	for (unsigned i = 0; i < t->count; i++) {
		p = &t->point[i];
		if (!is_shown(m, p))
			continue;
		us = cal_model(m, f, p);
		fprintf(out, "%-10s %10.0f %14.3f %14.3f %+9.1f\n",
			kind_names[p->kind], p->bytes, p->us, us,
			100 * (us / p->us - 1));
	}
	fprintf(out,
		"mean error %.1f %%, worst %.1f %% (ping-pong and bandwidth; "
		"allreduce is not fitted)\n",
		100 * f->mean_error, 100 * f->worst_error);
}

/* ---- machine file -------------------------------------------------------- */

struct value {
	const char *key;
	char text[48];
	const char *source;
	bool written;
};

enum { VALUES = 6 };

/* Returns the digits after the point with which a number has four digits. */
static int digits(double x)
{
	int n = 3;

	for (; x >= 10 && n > 0; x /= 10)
		n--;
	for (; x < 1 && n < 9; x *= 10)
		n++;
	return n;
}

static void values_of(const struct cal_machine *m, const struct cal_fit *f,
		      struct value v[VALUES])
{
	const char *by_gap =
		f->overhead_assumed ? "assumed: part of the shortest time"
				    : "calibrated: time between short messages";
	double eager = f->eager < 1048576 ? f->eager : 1048576;

	v[0] = (struct value){ .key = "link",
			       .source = "calibrated: time per byte" };
	/* numbers in machine files have no exponents */
	if (f->byte < 1e-3)
		snprintf(v[0].text, sizeof(v[0].text), "%.*f GB/s",
			 digits(1e-3 / f->byte), 1e-3 / f->byte);
	else
		snprintf(v[0].text, sizeof(v[0].text), "%.*f MB/s",
			 digits(1 / f->byte), 1 / f->byte);
	v[1] = (struct value){ .key = "latency",
			       .source = "calibrated: ping-pong, less the "
					 "links" };
	snprintf(v[1].text, sizeof(v[1].text), "%.1f ns",
		 1e3 * (f->time - m->hops * m->hop_us));
	v[2] = (struct value){ .key = "o_send", .source = by_gap };
	v[3] = (struct value){ .key = "o_recv", .source = by_gap };
	snprintf(v[2].text, sizeof(v[2].text), "%.1f ns", 500 * f->overhead);
	snprintf(v[3].text, sizeof(v[3].text), "%.1f ns", 500 * f->overhead);
	v[4] = (struct value){ .key = "gap",
			       .source = "calibrated: bandwidth" };
	snprintf(v[4].text, sizeof(v[4].text), "%.1f ns", 1e3 * f->gap);
	/* otherwise the line of the base file is kept */
	v[4].written = f->gap <= 0;
	v[5] = (struct value){ .key = "eager",
			       .source = "calibrated: best of the measured "
					 "sizes" };
	snprintf(v[5].text, sizeof(v[5].text), "%.0f B", eager);
	v[5].written = !f->eager_known;
}

/* Returns whether a line sets this key. */
static bool sets(const char *line, size_t len, const char *key)
{
	size_t n = strlen(key);

	while (len && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	return len > n && !strncmp(line, key, n) && strchr(" \t=", line[n]);
}

static void write_value(FILE *out, struct value *v)
{
	fprintf(out, "%-14s = %-12s # %s\n", v->key, v->text, v->source);
	v->written = true;
}

/* Writes the values that have no line in the base. */
static void write_rest(FILE *out, struct value v[VALUES])
{
	for (int i = 0; i < VALUES; i++)
		if (!v[i].written)
			write_value(out, &v[i]);
}

void cal_write(FILE *out, const char *base, const struct cal_machine *m,
	       const struct cal_fit *f)
{
	struct value v[VALUES];
	const char *end;
	size_t len;
	unsigned i;

	values_of(m, f, v);
	for (; *base; base = end + (*end == '\n')) {
		end = strchr(base, '\n');
		if (!end)
			end = base + strlen(base);
		len = (size_t)(end - base);
		/*
		 * sections of variants follow the lines of the machine, so the
		 * missing values are written here
		 */
		if (base[strspn(base, " \t")] == '[')
			write_rest(out, v);
		for (i = 0; i < VALUES; i++)
			if (!v[i].written && sets(base, len, v[i].key))
				break;
		if (i < VALUES)
			write_value(out, &v[i]);
		else if (!sets(base, len, "G")) /* the rate of the link */
			fprintf(out, "%.*s\n", (int)len, base);
	}
	write_rest(out, v);
}

/* ---- plot ---------------------------------------------------------------- */

static void plot_points(FILE *g, const struct cal_table *t,
			const struct cal_machine *m, const struct cal_fit *f,
			enum cal_kind kind, bool fitted)
{
	const struct cal_point *p;

	for (unsigned i = 0; i < t->count; i++) {
		p = &t->point[i];
		if (p->kind == kind && is_shown(m, p))
			fprintf(g, "%g %g\n", p->bytes > 0 ? p->bytes : 1,
				fitted ? cal_model(m, f, p) : p->us);
	}
	fprintf(g, "e\n");
}

static bool has_kind(const struct cal_table *t, const struct cal_machine *m,
		     enum cal_kind kind)
{
	for (unsigned i = 0; i < t->count; i++)
		if (t->point[i].kind == kind && is_shown(m, &t->point[i]))
			return true;
	return false;
}

int cal_plot(const char *file, const struct cal_table *t,
	     const struct cal_machine *m, const struct cal_fit *f)
{
	FILE *g = sim_plot_open(file, 800, 500);
	const char *comma = "";

	if (!g)
		return -EIO;
	fprintf(g, "set logscale xy\nset xlabel 'message, bytes'\n"
		   "set ylabel 'us per message'\nset key left top\nplot ");
	for (int k = 0; k < CAL_KINDS; k++) {
		if (!has_kind(t, m, (enum cal_kind)k))
			continue;
		fprintf(g,
			"%s'-' with points title '%s, measured', '-' with "
			"lines title '%s, machine'",
			comma, kind_names[k], kind_names[k]);
		comma = ", ";
	}
	fprintf(g, "\n");
	for (int k = 0; k < CAL_KINDS; k++)
		if (has_kind(t, m, (enum cal_kind)k)) {
			plot_points(g, t, m, f, (enum cal_kind)k, false);
			plot_points(g, t, m, f, (enum cal_kind)k, true);
		}
	return sim_plot_close(g);
}
