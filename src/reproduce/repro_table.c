/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of published values: share/weft/reproduce/SYSTEM.tsv, columns
 * id, source, description, x, value, unit, kind, band, with tabs between.
 */
#include "src/reproduce/repro.h"
#include "prov/net/net_file.h"
#include "src/base/attr.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID, SOURCE, TEXT, X, VALUE, UNIT, KIND, BAND, COLUMNS };

static int copy(char *to, size_t room, const char *from)
{
	size_t n = strlen(from);

	if (!n || n >= room)
		return -EINVAL;
	memcpy(to, from, n + 1);
	return 0;
}

static int number(const char *text, double *x_p, char **end_p)
{
	*x_p = strtod(text, end_p);
	return *end_p == text || !(*x_p > 0) ? -EINVAL : 0;
}

static int take(struct repro_row *row, char *const *cell)
{
	char *end;

	if (copy(row->id, sizeof(row->id), cell[ID]) ||
	    copy(row->source, sizeof(row->source), cell[SOURCE]) ||
	    copy(row->text, sizeof(row->text), cell[TEXT]) ||
	    copy(row->x, sizeof(row->x), cell[X]) ||
	    copy(row->unit, sizeof(row->unit), cell[UNIT]))
		return -EINVAL;
	if (number(cell[VALUE], &row->value, &end) || *end)
		return -EINVAL;
	if (number(cell[BAND], &row->band, &end))
		return -EINVAL;
	row->points = !strcmp(end, " points");
	row->predicted = !strcmp(cell[KIND], "predicted");
	if (!row->points && strcmp(end, " %"))
		return -EINVAL;
	return row->predicted || !strcmp(cell[KIND], "calibrated") ? 0
								   : -EINVAL;
}

static int take_line(struct repro *r, char *line)
{
	char *cell[COLUMNS];
	unsigned n = 0;

	line[strcspn(line, "\n")] = 0;
	if (!*line || *line == '#' || !strncmp(line, "id\t", 3))
		return 0;
	while (line && n < COLUMNS)
		cell[n++] = strsep(&line, "\t");
	if (n < COLUMNS || line || r->count == REPRO_ROWS_MAX)
		return -EINVAL;
	return take(&r->row[r->count++], cell);
}

int repro_table_read(struct repro *r)
{
	char what[64], path[4096], line[512];
	unsigned number_of = 0;
	FILE *f = NULL;

	snprintf(what, sizeof(what), "reproduce/%.40s.tsv", r->system);
	if (!net_file_share(what, path, sizeof(path)))
		f = fopen(path, "r");
	if (!f) {
		fprintf(stderr, "weft-reproduce: no published results of %s; "
			"there are: bgq\n", r->system);
		return -ENOENT;
	}
	while (fgets(line, sizeof(line), f)) {
		number_of++;
		if (take_line(r, line)) {
			fprintf(stderr, "weft-reproduce: %s:%u: a row is id, "
				"source, description, x, value, unit, kind, "
				"band\n", path, number_of);
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
	return row->state == REPRO_DONE && fabs(repro_error(row)) <= row->band;
}
