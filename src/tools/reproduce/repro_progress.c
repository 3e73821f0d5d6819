/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress line of weft-reproduce on standard error: rows done, time spent,
 * and an estimate of the remaining time from the mean time of the completed
 * rows. Long rows are estimated separately; until one is complete, they are
 * only counted.
 */
#include "src/tools/reproduce/repro.h"
#include "src/base/clock.h"
#include "src/tools/sim/sim_progress.h"

#include <stdio.h>

static bool is_skipped(const struct repro *r, const struct repro_row *row)
{
	return r->quick && repro_slow(row);
}

void repro_progress_begin(struct repro_progress *p, const struct repro *r)
{
	*p = (struct repro_progress){ .on = sim_progress_wanted(r->progress),
				      .began_ns = weft_now_ns() };
	for (unsigned i = 0; i < r->count; i++)
		if (!is_skipped(r, &r->row[i]))
			p->kind[repro_slow(&r->row[i])].rows++;
}

/*
 * Returns the estimated remaining time in seconds. Short or long rows of which
 * none is complete are not included.
 */
static double remaining_s(const struct repro_progress *p)
{
	double s = 0;

	for (int i = 0; i < 2; i++)
		if (p->kind[i].done)
			s += p->kind[i].spent_s / p->kind[i].done *
			     (p->kind[i].rows - p->kind[i].done);
	return s;
}

void repro_progress_row(struct repro_progress *p, const struct repro *r,
			const struct repro_row *row)
{
	unsigned all = p->kind[0].rows + p->kind[1].rows;
	unsigned done = p->kind[0].done + p->kind[1].done;
	unsigned unknown = p->kind[1].done ? 0 : p->kind[1].rows;

	p->row_ns = weft_now_ns();
	if (!p->on || is_skipped(r, row))
		return;
	fprintf(stderr, "\r\033[K%s: %u of %u rows, %.0f s", r->system, done,
		all, (double)(p->row_ns - p->began_ns) / 1e9);
	if (done)
		fprintf(stderr, ", about %.0f s left", remaining_s(p));
	if (unknown)
		fprintf(stderr, "%s %u long row%s", done ? " and" : ",",
			unknown, unknown > 1 ? "s" : "");
	fprintf(stderr, "; %s ", row->id);
	fflush(stderr);
}

void repro_progress_done(struct repro_progress *p, const struct repro *r,
			 const struct repro_row *row)
{
	struct repro_pace *k = &p->kind[repro_slow(row)];

	if (is_skipped(r, row))
		return;
	k->done++;
	k->spent_s += (double)(weft_now_ns() - p->row_ns) / 1e9;
	if (p->on)
		fputs("\r\033[K", stderr);
}
