/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparison of published results with the model. A table lists the published
 * values; each row names an experiment, which repeats on the model what the
 * authors did and measured. Experiments do not read the published value.
 */
#ifndef WEFT_REPRO_H
#define WEFT_REPRO_H

#include "prov/net/file/net_config.h"
#include "src/tools/page/page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPRO_ROWS_MAX 256

enum repro_state { REPRO_LEFT_OUT, REPRO_DONE, REPRO_FAILED };

/*
 * Kind of a row: a prediction; a bound, which a model satisfies more easily
 * than a value; the calibration of a constant; plain arithmetic; or a
 * comparison of Weft's software with the authors' software, whose details are
 * not published.
 */
enum repro_kind {
	REPRO_PREDICTED,
	REPRO_BOUND,
	REPRO_CALIBRATED,
	REPRO_IDENTITY,
	REPRO_COMPARED,
};
#define REPRO_KINDS 5
/* Whether the paper gives a value or a bound. */
enum repro_bound { REPRO_WITHIN, REPRO_AT_MOST, REPRO_AT_LEAST };

struct repro_row {
	char id[32], source[24], text[80], x[24], unit[8];
	char exp[128]; /* name of the experiment and its arguments */
	/*
	 * reason why the row is out of its band, or empty; a predicted row with
	 * a reason is expected to be out of its band
	 */
	char why[160];
	double value;
	/* band in percent, or in percentage points if the unit is % */
	double band;
	enum repro_bound bound;
	bool points;
	enum repro_kind kind;
	/* result of the experiment, and whether an MPI program measured it */
	enum repro_state state;
	double model;
	bool by_mpi;
};

/*
 * Source of the results: an MPI program in virtual time, or the model of the
 * network without processes. By default an MPI program measures the rows that
 * the authors measured with MPI (by=mpi).
 */
enum repro_by { REPRO_BY_ROW, REPRO_BY_MPI, REPRO_BY_MODEL };

struct repro {
	const char *system;  /* e.g. "bgq" */
	const char *machine; /* machine name or file, without shape */
	enum repro_by by;
	bool quick; /* skip long experiments */
	bool progress;
	struct repro_row row[REPRO_ROWS_MAX];
	unsigned count;
};

/* Quantity that an experiment measures; the row may use another unit for it. */
enum repro_measure { REPRO_PS, REPRO_BYTES_PER_US, REPRO_NUMBER };

/*
 * A kind of experiment, for all machines. A row names the experiment and its
 * arguments: "pingpong hops=3 shape=4x4". run returns 0, or -errno after a
 * message on stderr.
 */
struct repro_exp {
	const char *name;
	enum repro_measure measure;
	int (*run)(const struct repro *r, const struct repro_row *row,
		   double *model_p);
};

/* Returns the experiment that the row names, or NULL (repro_exp.c). */
const struct repro_exp *repro_exp_find(const struct repro_row *row);
/*
 * Computes the model's value of a row, in the row's unit. Returns 0, or -errno
 * and reports on stderr.
 */
int repro_exp_run(const struct repro *r, struct repro_row *row);
/* Return an argument as text or number, or its default (repro_arg.c). */
const char *repro_arg(const struct repro_row *row, const char *key,
		      char buf[64], const char *fallback);
uint64_t repro_arg_number(const struct repro_row *row, const char *key,
			  uint64_t fallback);
/* Returns whether the experiment of the row takes more than a few seconds. */
bool repro_slow(const struct repro_row *row);

/* Reads a table (repro_table.c). Returns 0, or -errno after a message. */
int repro_table_read(struct repro *r);
/* Lists the systems that have a table, sorted by name; returns their number. */
#define REPRO_SYSTEMS 16
unsigned repro_systems(char name[REPRO_SYSTEMS][32]);
extern const char *const repro_kinds[];
/* Returns the error of the model, in percent or percentage points. */
double repro_error(const struct repro_row *row);
bool repro_in_band(const struct repro_row *row);
/*
 * Returns whether the table states that this prediction is out of its band,
 * with the reason.
 */
bool repro_is_explained(const struct repro_row *row);
/*
 * Returns whether the experiment failed, a bound does not hold, or a prediction
 * is inside or outside its band in contradiction to the table.
 */
bool repro_failed(const struct repro_row *row);

/* Functions of the experiments, see the table in repro_exp.c. */
int repro_pingpong(const struct repro *r, const struct repro_row *row,
		   double *model_p);
int repro_hop(const struct repro *r, const struct repro_row *row,
	      double *model_p);
int repro_get(const struct repro *r, const struct repro_row *row,
	      double *model_p);
int repro_more(const struct repro *r, const struct repro_row *row,
	       double *model_p);
int repro_crossover(const struct repro *r, const struct repro_row *row,
		    double *model_p);
int repro_stream(const struct repro *r, const struct repro_row *row,
		 double *model_p);
int repro_puts(const struct repro *r, const struct repro_row *row,
	       double *model_p);
int repro_ease(const struct repro *r, const struct repro_row *row,
	       double *model_p);
int repro_rate(const struct repro *r, const struct repro_row *row,
	       double *model_p);
int repro_words(const struct repro *r, const struct repro_row *row,
		double *model_p);
int repro_complement(const struct repro *r, const struct repro_row *row,
		     double *model_p);
int repro_neighbour(const struct repro *r, const struct repro_row *row,
		    double *model_p);
int repro_coll(const struct repro *r, const struct repro_row *row,
	       double *model_p);
int repro_conditional(const struct repro *r, const struct repro_row *row,
		      double *model_p);
int repro_gather(const struct repro *r, const struct repro_row *row,
		 double *model_p);
int repro_software(const struct repro *r, const struct repro_row *row,
		   double *model_p);
int repro_added(const struct repro *r, const struct repro_row *row,
		double *model_p);
int repro_loss(const struct repro *r, const struct repro_row *row,
	       double *model_p);
int repro_gain(const struct repro *r, const struct repro_row *row,
	       double *model_p);
int repro_aware(const struct repro *r, const struct repro_row *row,
		double *model_p);
int repro_hidden(const struct repro *r, const struct repro_row *row,
		 double *model_p);
int repro_alltoall(const struct repro *r, const struct repro_row *row,
		   double *model_p);
int repro_zones(const struct repro *r, const struct repro_row *row,
		double *model_p);

/* Output of results (repro_out.c). */
enum repro_format { REPRO_TEXT, REPRO_CSV, REPRO_JSON };
/*
 * Begin the output, and write a row. Text is printed row by row; CSV and JSON
 * are printed after the last row.
 */
void repro_out_begin(const struct repro *r, enum repro_format f);
void repro_out_row(const struct repro *r, enum repro_format f, unsigned i);
/* s: results of --sensitivity, or NULL. */
struct repro_sensitivity;
void repro_out_end(const struct repro *r, const struct repro_sensitivity *s,
		   enum repro_format f);
/*
 * Adds the number of predictions that were run to *predictions_p, and the
 * number of those within their bands to *held_p.
 */
void repro_out_count(const struct repro *r, unsigned *predictions_p,
		     unsigned *held_p);
/* Writes the last line of the text output: the summary. */
#define REPRO_SUM 320
void repro_out_sum(const struct repro *r, const struct repro_sensitivity *s,
		   char *text, size_t len);
/* Texts of a row: its band ("2 %", "at most"), and its result ("in band"). */
const char *repro_band_text(const struct repro_row *row, char *text,
			    size_t len);
const char *repro_verdict(const struct repro_row *row);

/*
 * Open a page with a section for each system, and add a system (repro_page.c).
 * repro_page_open() returns 0 or -errno.
 */
int repro_page_open(struct page *p, const char *file, const char *system);
void repro_page_add(struct page *p, const struct repro *r,
		    const struct repro_sensitivity *s);

/* Draws plots of paper and model (repro_draw.c). Returns 0 or -errno. */
int repro_draw(const struct repro *r, const char *file);

/* ---- the progress line (repro_progress.c) -------------------------------- */

struct repro_pace {
	unsigned rows, done;
	double spent_s; /* time spent on the completed rows, s */
};

struct repro_progress {
	bool on;
	uint64_t began_ns, row_ns;
	struct repro_pace kind[2]; /* short rows and long rows */
};

/* Initialises the progress line, for a terminal or --progress. */
void repro_progress_begin(struct repro_progress *p, const struct repro *r);
/*
 * repro_progress_row() is called before a row is run and prints the progress
 * line; repro_progress_done() is called after it and erases the line.
 */
void repro_progress_row(struct repro_progress *p, const struct repro *r,
			const struct repro_row *row);
void repro_progress_done(struct repro_progress *p, const struct repro *r,
			 const struct repro_row *row);

#endif
