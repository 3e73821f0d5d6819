/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-page CSV FILE: writes the results of bench/compare as a page; --check
 * FILE only checks whether the page can be written there. The CSV has the
 * columns benchmark, ranks, mpi, round, size, metric, value; a curve consists
 * of the median of each size, with minimum and maximum.
 */
#include "src/tools/outfile.h"
#include "src/tools/page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1 << 20, WORD = 48 };

struct row {
	char bench[WORD], mpi[WORD], metric[WORD];
	int ranks;
	double size, value;
	unsigned line; /* line number in the file */
};

static int read_row(const char *line, struct row *r)
{
	return sscanf(line, "%47[^,],%d,%47[^,],%*d,%lf,%47[^,],%lf", r->bench,
		      &r->ranks, r->mpi, &r->size, r->metric, &r->value) == 6 &&
	       strcmp(r->metric, "failed");
}

static struct row *read_all(FILE *f, unsigned *count)
{
	struct row *row = malloc(ROWS * sizeof(*row));
	char line[512];

	*count = 0;
	while (row && *count < ROWS && fgets(line, sizeof(line), f)) {
		row[*count].line = *count;
		*count += read_row(line, &row[*count]) ? 1 : 0;
	}
	return row;
}

/* Sorts by plot, curve, point and value. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int c = strcmp(x->bench, y->bench);

	if (!c)
		c = x->ranks - y->ranks;
	if (!c)
		c = strcmp(x->metric, y->metric);
	if (!c)
		c = strcmp(x->mpi, y->mpi);
	if (!c)
		c = (x->size > y->size) - (x->size < y->size);
	if (!c)
		c = (x->value > y->value) - (x->value < y->value);
	return c ? c : (x->line > y->line) - (x->line < y->line);
}

static bool same_plot(const struct row *x, const struct row *y)
{
	return x->ranks == y->ranks && !strcmp(x->bench, y->bench) &&
	       !strcmp(x->metric, y->metric);
}

static bool same_curve(const struct row *x, const struct row *y)
{
	return same_plot(x, y) && !strcmp(x->mpi, y->mpi);
}

static double median(const struct row *r, unsigned n)
{
	return n % 2 ? r[n / 2].value
		     : (r[n / 2 - 1].value + r[n / 2].value) / 2;
}

/* Writes a curve; returns the number of its rows. */
static unsigned put_curve(struct json *j, const struct row *r, unsigned left)
{
	unsigned at = 0, n;

	json_object(j, NULL);
	json_text(j, "mpi", r->mpi);
	json_array(j, "points");
	for (; at < left && same_curve(r, &r[at]); at += n) {
		for (n = 1; at + n < left && same_curve(r, &r[at + n]) &&
			    r[at + n].size <= r[at].size;)
			n++;
		json_array(j, NULL);
		json_number(j, NULL, r[at].size);
		json_number(j, NULL, median(&r[at], n));
		json_number(j, NULL, r[at].value);
		json_number(j, NULL, r[at + n - 1].value);
		json_close(j);
	}
	json_close(j);
	json_close(j);
	return at;
}

static unsigned put_plot(struct json *j, const struct row *r, unsigned left)
{
	bool higher = strstr(r->metric, "MB/s") ||
		      strstr(r->metric, "Messages") ||
		      strstr(r->metric, "Overlap");
	unsigned at = 0;

	json_object(j, NULL);
	json_text(j, "name", r->bench);
	json_text(j, "unit", r->metric);
	json_int(j, "ranks", r->ranks);
	json_bool(j, "higher", higher);
	json_array(j, "curves");
	while (at < left && same_plot(r, &r[at]))
		at += put_curve(j, &r[at], left - at);
	json_close(j);
	json_close(j);
	return at;
}

static int write_page(FILE *csv, const char *file)
{
	unsigned count, at = 0;
	struct row *row = read_all(csv, &count);
	struct page p;
	int err = row ? page_open(&p, file, "compare", "Comparison of MPIs")
		      : -ENOMEM;

	if (!err) {
		qsort(row, count, sizeof(*row), compare_rows);
		json_array(&p.data, "benchmarks");
		while (at < count)
			at += put_plot(&p.data, &row[at], count - at);
		err = page_close(&p);
	}
	free(row);
	return err;
}

int main(int argc, char **argv)
{
	char why[WEFT_OUTFILE_WHY];
	FILE *csv;
	int err;

	if (argc != 3) {
		fprintf(stderr, "usage: weft-page CSV FILE, or --check FILE\n");
		return 2;
	}
	if (weft_outfile_check(argv[2], WEFT_OUTFILE_PAGE, why)) {
		fprintf(stderr, "weft-page: %s: %s\n", argv[2], why);
		return 1;
	}
	if (!strcmp(argv[1], "--check"))
		return 0;
	csv = fopen(argv[1], "r");
	err = csv ? write_page(csv, argv[2]) : -errno;
	if (err)
		fprintf(stderr, "weft-page: %s: %s\n", csv ? argv[2] : argv[1],
			strerror(-err));
	if (csv)
		fclose(csv);
	return err ? 1 : 0;
}
