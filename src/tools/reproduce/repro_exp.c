/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of experiments. The rows of every machine may use every experiment. */
#include "src/tools/reproduce/repro_mpi.h"
#include "src/base/attr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct repro_exp exps[] = {
	{ "pingpong", REPRO_PS, repro_pingpong },
	{ "hop", REPRO_PS, repro_hop },
	{ "get", REPRO_PS, repro_get },
	{ "crossover", REPRO_NUMBER, repro_crossover },
	{ "stream", REPRO_BYTES_PER_US, repro_stream },
	{ "puts", REPRO_BYTES_PER_US, repro_puts },
	{ "ease", REPRO_NUMBER, repro_ease },
	{ "rate", REPRO_NUMBER, repro_rate },
	{ "words", REPRO_NUMBER, repro_words },
	{ "complement", REPRO_NUMBER, repro_complement },
	{ "neighbour", REPRO_BYTES_PER_US, repro_neighbour },
	{ "coll", REPRO_PS, repro_coll },
	{ "conditional", REPRO_PS, repro_conditional },
	{ "gather", REPRO_PS, repro_gather },
	{ "software", REPRO_PS, repro_software },
	{ "added", REPRO_PS, repro_added },
	{ "loss", REPRO_NUMBER, repro_loss },
	{ "gain", REPRO_NUMBER, repro_gain },
	{ "more", REPRO_NUMBER, repro_more },
	{ "aware", REPRO_PS, repro_aware },
	{ "hidden", REPRO_PS, repro_hidden },
	{ "alltoall", REPRO_NUMBER, repro_alltoall },
	{ "zones", REPRO_NUMBER, repro_zones },
};

const struct repro_exp *repro_exp_find(const struct repro_row *row)
{
	size_t n = strcspn(row->exp, " ");

	for (unsigned i = 0; i < WEFT_COUNT_OF(exps); i++)
		if (strlen(exps[i].name) == n &&
		    !strncmp(row->exp, exps[i].name, n))
			return &exps[i];
	return NULL;
}

/* Units of each measure, with their conversion factors. */
static const struct {
	const char *unit;
	enum repro_measure measure;
	double factor;
} units[] = {
	{ "ns", REPRO_PS, 1e-3 },	   { "us", REPRO_PS, 1e-6 },
	{ "ms", REPRO_PS, 1e-9 },	   { "s", REPRO_PS, 1e-12 },
	{ "MB/s", REPRO_BYTES_PER_US, 1 }, { "GB/s", REPRO_BYTES_PER_US, 1e-3 },
	{ "%", REPRO_NUMBER, 1 },	   { "B", REPRO_NUMBER, 1 },
	{ "M/s", REPRO_NUMBER, 1e-6 },	   { "x", REPRO_NUMBER, 1 },
};

/*
 * Converts a measured value to the row's unit. The time of a message of bytes=
 * can also be given as a rate.
 */
static int convert(const struct repro_row *row, enum repro_measure measure,
		   double *model_p)
{
	uint64_t bytes = repro_arg_number(row, "bytes", 8);

	for (unsigned i = 0; i < WEFT_COUNT_OF(units); i++) {
		if (strcmp(units[i].unit, row->unit))
			continue;
		if (measure == REPRO_PS &&
		    units[i].measure == REPRO_BYTES_PER_US)
			*model_p = (double)bytes * 1e6 / *model_p;
		else if (measure != units[i].measure)
			return -EINVAL;
		*model_p *= units[i].factor;
		return 0;
	}
	return -EINVAL;
}

int repro_exp_run(const struct repro *r, struct repro_row *row)
{
	const struct repro_exp *e = repro_exp_find(row);
	int err = e ? 0 : -EINVAL;

	row->by_mpi = e && repro_by_mpi(r, row);
	if (row->by_mpi)
		err = repro_mpi_run(r, row, e->measure, &row->model);
	else if (e)
		err = e->run(r, row, &row->model);
	if (!err)
		err = convert(row, e->measure, &row->model);
	if (err)
		fprintf(stderr,
			"weft-reproduce: %s: experiment \"%s\" in %s: "
			"%s\n",
			row->id, row->exp, row->unit, strerror(-err));
	return err;
}
