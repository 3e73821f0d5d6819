/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of weft-reproduce: a table for people, CSV, or JSON. */
#include "src/tools/reproduce/repro_sensitivity.h"
#include "src/base/attr.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *kind(const struct repro_row *row)
{
	return repro_kinds[row->kind];
}

static const char *by(const struct repro_row *row)
{
	return row->by_mpi ? "mpi" : "model";
}

const char *repro_verdict(const struct repro_row *row)
{
	if (row->state == REPRO_LEFT_OUT)
		return "left out";
	if (row->state == REPRO_FAILED)
		return "failed";
	if (repro_is_explained(row))
		return repro_in_band(row) ? "IN BAND, STATED AS OUTSIDE"
					  : "outside, explained";
	return repro_in_band(row) ? "in band" : "OUT OF BAND";
}

/* Calls `each` for every entry of the machine file. */
static void each_constant(const struct repro *r,
			  void (*each)(void *arg,
				       const struct net_file_entry *e),
			  void *arg)
{
	struct net_error_text why;

	if (net_file_each(r->machine, each, arg, &why))
		fprintf(stderr, "weft-reproduce: %s\n", why.text);
}

struct tally {
	/* number of rows of each kind: run, and within their bands */
	unsigned run[REPRO_KINDS], in_band[REPRO_KINDS];
	unsigned explained, left_out, failed, by_mpi;
};

static struct tally tally(const struct repro *r)
{
	struct tally t = { 0 };

	for (unsigned i = 0; i < r->count; i++) {
		const struct repro_row *row = &r->row[i];

		t.left_out += row->state == REPRO_LEFT_OUT;
		t.failed += row->state == REPRO_FAILED;
		t.by_mpi += row->state == REPRO_DONE && row->by_mpi;
		t.run[row->kind] += row->state == REPRO_DONE;
		t.in_band[row->kind] += repro_in_band(row);
		t.explained += row->state == REPRO_DONE &&
			       repro_is_explained(row) && !repro_in_band(row);
	}
	return t;
}

void repro_out_count(const struct repro *r, unsigned *predictions_p,
		     unsigned *held_p)
{
	struct tally t = tally(r);

	*predictions_p += t.run[REPRO_PREDICTED];
	*held_p += t.in_band[REPRO_PREDICTED];
}

const char *repro_band_text(const struct repro_row *row, char *text, size_t len)
{
	if (row->bound == REPRO_AT_MOST)
		return "at most";
	if (row->bound == REPRO_AT_LEAST)
		return "at least";
	snprintf(text, len, "%g %s", row->band, row->points ? "points" : "%");
	return text;
}

/* ---- text ---------------------------------------------------------------- */

static void text_row(const struct repro_row *row)
{
	char band[24];

	printf("%-18s %14s %9.6g ", row->id, row->x, row->value);
	if (row->state == REPRO_DONE)
		printf("%9.5g %-5s %+8.2f", row->model, row->unit,
		       repro_error(row));
	else
		printf("%9s %-5s %8s", "-", row->unit, "-");
	printf("  %-8s %-10s  %s%s\n", repro_band_text(row, band, sizeof(band)),
	       kind(row), row->by_mpi ? "MPI, " : "", repro_verdict(row));
	if (*row->why && row->state == REPRO_DONE && !repro_in_band(row))
		printf("%18s %s\n", "reason", row->why);
	fflush(stdout);
}

static void text_constant(void *arg, const struct net_file_entry *e)
{
	unsigned *n = arg;

	if (e->kind == NET_CALIBRATED)
		printf("  %u. %s%s%s%s%-12s = %-12s %s\n", ++*n,
		       e->variant ? e->variant : "", e->variant ? ": " : "",
		       e->part ? e->part : "", e->part ? "." : "", e->key,
		       e->value, e->source);
}

/* Appends text to a line of at most `len` characters. */
static void append(char *text, size_t len, const char *fmt, ...)
	WEFT_PRINTF(3, 4);

static void append(char *text, size_t len, const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + n, len - n, fmt, args);
	va_end(args);
}

void repro_out_sum(const struct repro *r, const struct repro_sensitivity *s,
		   char *text, size_t len)
{
	struct repro_sensitivity_sum sum;
	struct tally t = tally(r);

	snprintf(text, len, "%u of %u predictions in band",
		 t.in_band[REPRO_PREDICTED], t.run[REPRO_PREDICTED]);
	if (t.explained)
		append(text, len, ", %u outside (explained in doc/model.md)",
		       t.explained);
	if (t.run[REPRO_BOUND])
		append(text, len, "; %u of %u bounds hold",
		       t.in_band[REPRO_BOUND], t.run[REPRO_BOUND]);
	append(text, len, "; %u calibrated rows, which are no evidence",
	       t.run[REPRO_CALIBRATED]);
	if (t.run[REPRO_IDENTITY])
		append(text, len, "; %u of arithmetic", t.run[REPRO_IDENTITY]);
	if (t.run[REPRO_COMPARED])
		append(text, len, "; %u compared", t.run[REPRO_COMPARED]);
	if (t.by_mpi)
		append(text, len, "; %u rows by MPI", t.by_mpi);
	if (t.left_out)
		append(text, len, "; %u rows left out%s", t.left_out,
		       r->quick ? " (--quick)" : "");
	if (t.failed)
		append(text, len, "; %u experiments failed", t.failed);
	if (!s)
		return;
	sum = repro_sensitivity_sum(s, r);
	append(text, len,
	       "; %u predictions could have failed, %u of them held; %u of %u "
	       "numbers unchecked",
	       sum.could_fail, sum.held, sum.unchecked, s->count);
}

/* ---- CSV ----------------------------------------------------------------- */

static void csv_row(const struct repro_row *row)
{
	char band[24];

	printf("%s,%s,\"%s\",%s,%g,", row->id, row->source, row->text, row->x,
	       row->value);
	if (row->state == REPRO_DONE)
		printf("%.6g,%s,%.4f", row->model, row->unit, repro_error(row));
	else
		printf(",%s,", row->unit);
	printf(",%s,%s,%s,%s\n", repro_band_text(row, band, sizeof(band)),
	       kind(row), repro_verdict(row), by(row));
}

/* ---- JSON ---------------------------------------------------------------- */

/* Prints any text of a machine file as a JSON string. */
static void print_quoted(const char *s)
{
	struct json j;

	json_begin(&j, stdout);
	json_text(&j, NULL, s);
}

static void json_row(const struct repro_row *row, bool last)
{
	char band[24];

	printf("    { \"id\": \"%s\", \"source\": \"%s\", \"x\": \"%s\", "
	       "\"paper\": %g, \"unit\": \"%s\", ",
	       row->id, row->source, row->x, row->value, row->unit);
	if (row->state == REPRO_DONE)
		printf("\"model\": %.6g, \"error\": %.4f, ", row->model,
		       repro_error(row));
	printf("\"band\": \"%s\", \"kind\": \"%s\", "
	       "\"verdict\": \"%s\", \"by\": \"%s\" }%s\n",
	       repro_band_text(row, band, sizeof(band)), kind(row),
	       repro_verdict(row), by(row), last ? "" : ",");
}

static void json_constant(void *arg, const struct net_file_entry *e)
{
	unsigned *n = arg;

	if (e->kind != NET_CALIBRATED)
		return;
	printf("%s\n    { \"key\": \"%s\", \"value\": ", (*n)++ ? "," : "",
	       e->key);
	print_quoted(e->value);
	printf(", \"source\": ");
	print_quoted(e->source);
	printf(" }");
}

static void json_sensitivity(const struct repro *r,
			     const struct repro_sensitivity *s)
{
	struct json j;

	if (!s)
		return;
	printf("  \"sensitivity\": ");
	json_begin(&j, stdout);
	repro_sensitivity_json(s, r, &j, NULL);
	printf(",\n");
}

static void json_all(const struct repro *r, const struct repro_sensitivity *s)
{
	struct tally t = tally(r);
	unsigned n = 0;

	printf("{\n  \"system\": \"%s\",\n  \"machine\": ", r->system);
	print_quoted(r->machine);
	printf(",\n  \"rows\": [\n");
	for (unsigned i = 0; i < r->count; i++)
		json_row(&r->row[i], i + 1 == r->count);
	printf("  ],\n  \"constants\": [");
	each_constant(r, json_constant, &n);
	printf("\n  ],\n");
	json_sensitivity(r, s);
	printf("  \"predicted\": %u,\n  \"in_band\": %u,\n"
	       "  \"explained\": %u,\n  \"bounds\": %u,\n  \"bounds_hold\": "
	       "%u,\n"
	       "  \"calibrated\": %u,\n  \"left_out\": %u,\n"
	       "  \"failed\": %u\n}\n",
	       t.run[REPRO_PREDICTED], t.in_band[REPRO_PREDICTED], t.explained,
	       t.run[REPRO_BOUND], t.in_band[REPRO_BOUND],
	       t.run[REPRO_CALIBRATED], t.left_out, t.failed);
}

/* ---- selection of the format --------------------------------------------- */

void repro_out_begin(const struct repro *r, enum repro_format f)
{
	if (f == REPRO_TEXT)
		printf("%-18s %14s %9s %9s %-5s %8s  %-8s %-10s\n", "id", "x",
		       "paper", "model", "unit", "error", "band", "kind");
}

void repro_out_row(const struct repro *r, enum repro_format f, unsigned i)
{
	if (f == REPRO_TEXT)
		text_row(&r->row[i]);
}

static void text_end(const struct repro *r, const struct repro_sensitivity *s)
{
	char sum[REPRO_SUM];
	unsigned n = 0;

	printf("\nCalibrated constants of machine %s:\n", r->machine);
	each_constant(r, text_constant, &n);
	if (s)
		repro_sensitivity_print(s, r);
	repro_out_sum(r, s, sum, sizeof(sum));
	printf("\n%s\n", sum);
}

void repro_out_end(const struct repro *r, const struct repro_sensitivity *s,
		   enum repro_format f)
{
	if (f == REPRO_TEXT) {
		text_end(r, s);
	} else if (f == REPRO_CSV) {
		printf("id,source,description,x,paper,model,unit,error,band,"
		       "kind,verdict,by\n");
		for (unsigned i = 0; i < r->count; i++)
			csv_row(&r->row[i]);
	} else {
		json_all(r, s);
	}
}
