/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-calibrate: a machine file from measured times of a cluster. */
#include "config.h"
#include "prov/net/file/net_file.h"
#include "src/base/text.h"
#include "src/tools/args.h"
#include "src/tools/calibrate/cal.h"
#include "src/tools/sim/sim_plot.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct opts {
	const char *base, *out, *plot;
	uint64_t hops, ranks;
};

struct row {
	struct weft_arg arg;
	int (*set)(struct weft_args *a, struct opts *o);
};

static int set_base(struct weft_args *a, struct opts *o)
{
	o->base = a->value[0];
	return 0;
}

static int set_out(struct weft_args *a, struct opts *o)
{
	o->out = a->value[0];
	return 0;
}

static int set_plot(struct weft_args *a, struct opts *o)
{
	o->plot = a->value[0];
	return sim_plot_check("weft-calibrate", a->value[0]) ? -1 : 0;
}

static int set_hops(struct weft_args *a, struct opts *o)
{
	return weft_args_number(a, a->value[0], 1, 64, &o->hops);
}

static int set_ranks(struct weft_args *a, struct opts *o)
{
	return weft_args_number(a, a->value[0], 2, 1 << 20, &o->ranks);
}

static int set_version(struct weft_args *a, struct opts *o)
{
	puts("weft-calibrate (Weft) " PACKAGE_VERSION);
	return 1;
}

static const struct row rows[] = {
	{ { "machine|m", 1, "FILE",
	    "generic machine file with the topology (default: generic)", 0 },
	  set_base },
	{ { "output|o", 1, "FILE",
	    "write the machine file with the fitted numbers", 0 },
	  set_out },
	{ { "plot", 1, "FILE",
	    "draw measured and fitted times: FILE.png or FILE.svg, by gnuplot",
	    0 },
	  set_plot },
	{ { "hops", 1, "N",
	    "links between the two nodes of the ping-pong (default 2: nodes "
	    "of one switch)",
	    0 },
	  set_hops },
	{ { "ranks", 1, "N", "ranks of the allreduce", 0 }, set_ranks },
	{ { "version", 0, "", "version", 0 }, set_version },
};

static const char before[] =
	"Usage: weft-calibrate [OPTION]... TABLE...\n"
	"Fits the numbers of a generic machine to tables of osu_latency, "
	"osu_bw and\nosu_allreduce.\n";

/* Reads the base's text and the values that the fit needs. */
static int read_base(struct weft_args *a, const struct opts *o, char **text_p,
		     struct cal_machine *m)
{
	struct net_error_text why;
	struct net_config cfg;
	char path[4096];

	if (net_file_load(o->base, 0, &cfg, &why) ||
	    net_file_find(o->base, path, sizeof(path), &why))
		return weft_args_error(a, "%s", why.text);
	if (strcmp(cfg.unit, "generic"))
		return weft_args_error(a,
				       "--machine %s: unit = %s; a generic "
				       "machine is needed (weft-sim --new)",
				       o->base, cfg.unit);
	if (weft_text_read(path, text_p))
		return weft_args_error(a, "%s: cannot be read", path);
	*m = (struct cal_machine){ .payload = cfg.payload_bytes,
				   .header =
					   cfg.header_bytes + cfg.trailer_bytes,
				   .chunk = cfg.chunk_bytes,
				   .hop_us = (double)cfg.hop_ps / 1e6,
				   .hops = (unsigned)o->hops,
				   .ranks = (unsigned)o->ranks };
	return 0;
}

/* Returns the text of the fitted machine; NULL: no memory. */
static char *machine_text(const char *base, const struct cal_machine *m,
			  const struct cal_fit *f)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	cal_write(out, base, m, f);
	fclose(out);
	return text;
}

/* Checks that the text is a machine file; name: its file. */
static int check_machine(struct weft_args *a, const char *name,
			 const char *text)
{
	static const struct net_spec any;
	struct net_error_text why = { "no memory" };
	struct net_config cfg;
	char *copy = strdup(text);
	int err = -1;

	if (copy)
		err = net_file_parse(name, copy, strlen(copy), &any, &cfg,
				     &why);
	free(copy);
	return err ? weft_args_error(a, "the fitted machine is not valid: %s",
				     why.text)
		   : 0;
}

static int write_file(struct weft_args *a, const struct opts *o,
		      const char *text)
{
	FILE *out = fopen(o->out, "w");

	if (out && fputs(text, out) >= 0 && !fclose(out))
		return 0;
	return weft_args_error(a, "--output %s: %s", o->out, strerror(errno));
}

/* Prints the fitted numbers, and writes the machine file. */
static int write_machine(struct weft_args *a, const struct opts *o,
			 const char *base, const struct cal_machine *m,
			 const struct cal_fit *f)
{
	char *text = machine_text(base, m, f);
	int err = text ? 0 : weft_args_error(a, "no memory");

	if (!err)
		err = check_machine(a, o->out ? o->out : o->base, text);
	if (!err) {
		printf("\n");
		cal_write(stdout, "", m, f);
	}
	if (!err && o->out)
		err = write_file(a, o, text);
	free(text);
	return err;
}

static int calibrate(struct weft_args *a, const struct opts *o,
		     const struct cal_table *t)
{
	struct cal_machine m;
	struct cal_fit fit;
	char why[CAL_WHY], *base = NULL;
	int err = read_base(a, o, &base, &m);

	if (!err && cal_fit(t, &m, &fit, why))
		err = weft_args_error(a, "%s", why);
	if (!err) {
		cal_print(stdout, t, &m, &fit);
		err = write_machine(a, o, base, &m, &fit);
	}
	if (!err && o->plot)
		err = cal_plot(o->plot, t, &m, &fit);
	free(base);
	return err;
}

int main(int argc, char **argv)
{
	struct weft_args a = { .program = "weft-calibrate",
			       WEFT_ARGS_TABLE(rows),
			       .before = before,
			       .after = "Exit status: 0, 2 wrong arguments or "
					"tables.\n",
			       .word = argv + 1 };
	struct opts o = { .base = "generic", .hops = 2 };
	struct cal_table t = { 0 };
	enum weft_args_found found;
	const char *file = NULL;
	char why[CAL_WHY];
	int err = 0;

	signal(SIGPIPE, SIG_IGN);
	while (!err && (found = weft_args_next(&a)) != WEFT_ARGS_END) {
		if (found == WEFT_ARGS_HELP)
			return 0;
		if (found == WEFT_ARGS_WRONG)
			return 2;
		if (found == WEFT_ARGS_OPTION) {
			err = ((const struct row *)a.row)->set(&a, &o);
			continue;
		}
		file = *a.word++;
		if (cal_read(&t, file, why))
			err = weft_args_error(&a, "%s", why);
	}
	if (!err && file && !t.count)
		err = weft_args_error(&a, "%s: no values", file);
	if (!err && !t.count)
		err = weft_args_error(&a, "no table; weft-calibrate --help");
	if (!err)
		err = calibrate(&a, &o, &t);
	free(t.point);
	return err > 0 ? 0 : err ? 2 : fflush(stdout) ? 1 : 0;
}
