/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Published results against the model. A table names the rows; each belongs to
 * an experiment, a program over the model that does what the authors did and
 * measures what they measured. No experiment sees the published value.
 */
#ifndef WEFT_REPRO_H
#define WEFT_REPRO_H

#include "prov/net/net_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPRO_ROWS_MAX 256

enum repro_state { REPRO_LEFT_OUT, REPRO_DONE, REPRO_FAILED };

struct repro_row {
	char id[32], source[16], text[80], x[24], unit[8];
	double value;
	double band;	/* percent, or points when the unit is % */
	bool points;
	bool predicted; /* else calibrated */
	/* what came out */
	enum repro_state state;
	double model;
};

struct repro {
	const char *system;  /* bgq */
	const char *machine; /* name or file, without shape */
	bool quick;	     /* leave out what takes long */
	bool progress;
	struct repro_row row[REPRO_ROWS_MAX];
	unsigned count;
};

/* One experiment: the model's value of a row, in the row's unit. */
struct repro_exp {
	const char *prefix; /* of the ids that it answers */
	bool slow;
	const char *title; /* of its picture */
	const char *x;	   /* label; NULL: rows are told apart by name */
	/* 0 or -errno, said on stderr */
	int (*run)(const struct repro *r, const struct repro_row *row,
		   double *model_p);
};

/* repro_exp.c */
extern const struct repro_exp repro_exps[];
extern const unsigned repro_exp_count;
const struct repro_exp *repro_exp_find(const char *id);

/* repro_table.c: 0, or -errno and the reason on stderr. */
int repro_table_read(struct repro *r);
double repro_error(const struct repro_row *row); /* percent, or points */
bool repro_in_band(const struct repro_row *row);

/* The experiments. */
int repro_pingpong(const struct repro *r, const struct repro_row *row,
		   double *model_p);
int repro_pingpong_soft(const struct repro *r, const struct repro_row *row,
			double *model_p);
int repro_farthest(const struct repro *r, const struct repro_row *row,
		   double *model_p);
int repro_neighbour(const struct repro *r, const struct repro_row *row,
		    double *model_p);
int repro_allreduce(const struct repro *r, const struct repro_row *row,
		    double *model_p);
int repro_allreduce_long(const struct repro *r, const struct repro_row *row,
			 double *model_p);
int repro_allreduce_all(const struct repro *r, const struct repro_row *row,
			double *model_p);
int repro_barrier_all(const struct repro *r, const struct repro_row *row,
		      double *model_p);
int repro_alltoall(const struct repro *r, const struct repro_row *row,
		   double *model_p);
int repro_zones(const struct repro *r, const struct repro_row *row,
		double *model_p);

/* repro_out.c */
enum repro_format { REPRO_TEXT, REPRO_CSV, REPRO_JSON };
/* Text appears as rows come; CSV and JSON at the end. */
void repro_out_begin(const struct repro *r, enum repro_format f);
void repro_out_row(const struct repro *r, enum repro_format f, unsigned i);
void repro_out_end(const struct repro *r, enum repro_format f);

/* repro_draw.c: paper against model. 0 or -errno. */
int repro_draw(const struct repro *r, const char *file);

#endif
