/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the table of published values, share/weft/reproduce/SYSTEM.tsv: columns
 * id, source, description, x, value, unit, kind, band, experiment, separated by
 * tabs, and an optional reason why a row is out of its band. A band is "3 %",
 * "2 points", or "at most" or "at least" for a value that the paper gives as a
 * bound.
 */
#include "src/tools/reproduce/repro.h"
#include "prov/net/file/net_file.h"
#include "src/base/attr.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID, SOURCE, TEXT, X, VALUE, UNIT, KIND, BAND, EXP, WHY, COLUMNS };

static int copy_cell(char *to, size_t room, const char *from)
{
	size_t n = strlen(from);

	if (!n || n >= room)
		return -EINVAL;
	memcpy(to, from, n + 1);
	return 0;
}

static int repro_table_number(const char *text, double *x_p, char **end_p)
{
	*x_p = strtod(text, end_p);
	return *end_p == text || !(*x_p > 0) ? -EINVAL : 0;
}

static int parse_band(struct repro_row *row, const char *text)
{
	char *end;

	if (!strcmp(text, "at most") || !strcmp(text, "at least")) {
		row->bound = text[3] == 'm' ? REPRO_AT_MOST : REPRO_AT_LEAST;
		return 0;
	}
	if (repro_table_number(text, &row->band, &end))
		return -EINVAL;
	row->points = !strcmp(end, " points");
	return row->points || !strcmp(end, " %") ? 0 : -EINVAL;
}

const char *const repro_kinds[] = { "predicted", "bound", "calibrated",
				    "identity", "compared" };

static int parse_kind(struct repro_row *row, const char *text)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(repro_kinds); i++)
		if (!strcmp(text, repro_kinds[i])) {
			row->kind = (enum repro_kind)i;
			return 0;
		}
	return -EINVAL;
}

static int parse_row(struct repro_row *row, char *const *cell)
{
	char *end;

	if (copy_cell(row->id, sizeof(row->id), cell[ID]) ||
	    copy_cell(row->source, sizeof(row->source), cell[SOURCE]) ||
	    copy_cell(row->text, sizeof(row->text), cell[TEXT]) ||
	    copy_cell(row->x, sizeof(row->x), cell[X]) ||
	    copy_cell(row->unit, sizeof(row->unit), cell[UNIT]) ||
	    copy_cell(row->exp, sizeof(row->exp), cell[EXP]))
		return -EINVAL;
	if (cell[WHY] && copy_cell(row->why, sizeof(row->why), cell[WHY]))
		return -EINVAL;
	if (repro_table_number(cell[VALUE], &row->value, &end) || *end)
		return -EINVAL;
	if (parse_kind(row, cell[KIND]) || parse_band(row, cell[BAND]))
		return -EINVAL;
	/* a prediction has a value; "at most" belongs to a bound */
	return row->kind == REPRO_PREDICTED && row->bound != REPRO_WITHIN
		       ? -EINVAL
		       : 0;
}

static int parse_line(struct repro *r, char *line)
{
	char *cell[COLUMNS] = { NULL };
	unsigned n = 0;

	line[strcspn(line, "\n")] = 0;
	if (!*line || *line == '#' || !strncmp(line, "id\t", 3))
		return 0;
	while (line && n < COLUMNS)
		cell[n++] = strsep(&line, "\t");
	if (n < WHY || line || r->count == REPRO_ROWS_MAX)
		return -EINVAL;
	return parse_row(&r->row[r->count++], cell);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

unsigned repro_systems(char name[REPRO_SYSTEMS][32])
{
	char dir[4096];
	struct dirent *e;
	unsigned n = 0;
	size_t len;
	DIR *d = NULL;

	if (!net_file_share("reproduce", dir, sizeof(dir)))
		d = opendir(dir);
	while (d && n < REPRO_SYSTEMS && (e = readdir(d))) {
		len = strlen(e->d_name);
		if (len < 5 || len > 35 || strcmp(e->d_name + len - 4, ".tsv"))
			continue;
		memcpy(name[n], e->d_name, len - 4);
		name[n++][len - 4] = 0;
	}
	if (d)
		closedir(d);
	qsort(name, n, sizeof(name[0]), by_name);
	return n;
}

static int no_system(const char *system)
{
	char name[REPRO_SYSTEMS][32];
	unsigned n = repro_systems(name);

	fprintf(stderr,
		"weft-reproduce: no published results of %s; there are:",
		system);
	for (unsigned i = 0; i < n; i++)
		fprintf(stderr, " %s", name[i]);
	fprintf(stderr, "\n");
	return -ENOENT;
}

int repro_table_read(struct repro *r)
{
	char what[64], path[4096], line[512];
	unsigned line_number = 0;
	FILE *f = NULL;

	snprintf(what, sizeof(what), "reproduce/%.40s.tsv", r->system);
	if (!net_file_share(what, path, sizeof(path)))
		f = fopen(path, "r");
	if (!f)
		return no_system(r->system);
	while (fgets(line, sizeof(line), f)) {
		line_number++;
		if (parse_line(r, line)) {
			fprintf(stderr,
				"weft-reproduce: %s:%u: a row is id, "
				"source, description, x, value, unit, kind, "
				"band, experiment\n",
				path, line_number);
			fclose(f);
			return -EINVAL;
		}
	}
	fclose(f);
	return 0;
}

double repro_error(const struct repro_row *row)
{
	if (row->points)
		return row->model - row->value;
	return 100 * (row->model / row->value - 1);
}

bool repro_in_band(const struct repro_row *row)
{
	if (row->state != REPRO_DONE)
		return false;
	if (row->bound == REPRO_AT_MOST)
		return row->model <= row->value;
	if (row->bound == REPRO_AT_LEAST)
		return row->model >= row->value;
	return fabs(repro_error(row)) <= row->band;
}

bool repro_is_explained(const struct repro_row *row)
{
	return row->kind == REPRO_PREDICTED && *row->why;
}

bool repro_failed(const struct repro_row *row)
{
	if (row->state != REPRO_DONE)
		return row->state == REPRO_FAILED;
	return (row->kind == REPRO_PREDICTED || row->kind == REPRO_BOUND) &&
	       repro_in_band(row) == repro_is_explained(row);
}
