/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The times of a generic machine as formulas, and the numbers with which they
 * are closest to the measured times: least squares of the relative errors.
 *
 * Ping-pong times contain only the sum of overheads and latency. The overheads
 * are taken from the time between short messages of the bandwidth test; without
 * bandwidths, they are assumed to be 30 % of the shortest time.
 */
#include "src/tools/calibrate/cal.h"

#include <errno.h>
#include <math.h>

#define ASSUMED_PART  0.3
/* Number of messages in a window of osu_bw (its default). */
#define WINDOW	      64
/* Largest part of the shortest time that overheads may take. */
#define OVERHEAD_MOST 0.8

double cal_wire(const struct cal_machine *m, double bytes)
{
	double packets = ceil(bytes / m->payload);
	double chunks = ceil(bytes / m->chunk);

	return (packets ? packets : 1) * m->header +
	       (chunks ? chunks : 1) * m->chunk;
}

static unsigned steps_of(unsigned ranks)
{
	unsigned n = 0;

	while (1u << n < ranks && n < 31)
		n++;
	return n;
}

double cal_model(const struct cal_machine *m, const struct cal_fit *f,
		 const struct cal_point *p)
{
	double wire = cal_wire(m, p->bytes) * f->byte;
	bool is_long = p->bytes > f->eager;

	if (p->kind == CAL_BANDWIDTH)
		return f->response + fmax(f->message, f->gap + wire);
	if (p->kind == CAL_ALLREDUCE)
		return steps_of(m->ranks) * (f->overhead + f->time + wire);
	return f->overhead * (is_long ? 2 : 1) + f->time * (is_long ? 3 : 1) +
	       wire;
}

/* Sums of a least squares fit of y = a x1 + b x2. */
struct sums {
	double a11, a12, a22, b1, b2;
	unsigned count;
};

/* Adds an equation; us: the measured time, relative to which errors count. */
static void sums_add(struct sums *s, double x1, double x2, double y, double us)
{
	double w = 1 / (us * us);

	s->a11 += w * x1 * x1;
	s->a12 += w * x1 * x2;
	s->a22 += w * x2 * x2;
	s->b1 += w * x1 * y;
	s->b2 += w * x2 * y;
	s->count++;
}

/*
 * Computes a and b of the fit. Returns false if the points do not determine
 * both numbers.
 */
static bool sums_solve(const struct sums *s, double *a_p, double *b_p)
{
	double det = s->a11 * s->a22 - s->a12 * s->a12;

	if (s->count < 2 || !(det > 1e-9 * s->a11 * s->a22))
		return false;
	*a_p = (s->b1 * s->a22 - s->b2 * s->a12) / det;
	*b_p = (s->b2 * s->a11 - s->b1 * s->a12) / det;
	return true;
}

static double square(double x)
{
	return x * x;
}

/* Returns the sum of the squared relative errors of one kind of points. */
static double error_of(const struct cal_table *t, const struct cal_machine *m,
		       const struct cal_fit *f, enum cal_kind kind)
{
	double sum = 0;

	for (unsigned i = 0; i < t->count; i++)
		if (t->point[i].kind == kind)
			sum += square(cal_model(m, f, &t->point[i]) /
					      t->point[i].us -
				      1);
	return sum;
}

/*
 * Fits the time of the processor to the bandwidths of messages up to `most`
 * bytes, gap and time per byte to those of longer messages.
 */
static bool fit_split(const struct cal_table *t, const struct cal_machine *m,
		      double most, struct cal_fit *f)
{
	struct sums by_byte = { 0 }, by_message = { 0 };
	const struct cal_point *p;

	for (unsigned i = 0; i < t->count; i++) {
		p = &t->point[i];
		if (p->kind == CAL_BANDWIDTH)
			sums_add(p->bytes <= most ? &by_message : &by_byte, 1,
				 cal_wire(m, p->bytes), p->us - f->response,
				 p->us);
	}
	f->message = by_message.a11 > 0 ? by_message.b1 / by_message.a11 : 0;
	if (!sums_solve(&by_byte, &f->gap, &f->byte))
		return false;
	if (f->gap < 0) {
		f->gap = 0;
		f->byte = by_byte.b2 / by_byte.a22;
	}
	return f->byte > 0;
}

/*
 * Tries every size as the last one whose bandwidth the processor limits.
 * Returns false if there are too few sizes.
 */
static bool fit_bandwidth(const struct cal_table *t,
			  const struct cal_machine *m, struct cal_fit *f)
{
	struct cal_fit best = *f, one = *f;
	double least = INFINITY, error;

	for (unsigned i = 0; i <= t->count; i++) {
		if (i < t->count && t->point[i].kind != CAL_BANDWIDTH)
			continue;
		if (!fit_split(t, m, i < t->count ? t->point[i].bytes : -1,
			       &one))
			continue;
		error = error_of(t, m, &one, CAL_BANDWIDTH);
		if (error < least) {
			least = error;
			best = one;
		}
	}
	*f = best;
	return least < INFINITY;
}

static double shortest(const struct cal_table *t)
{
	double least = INFINITY;

	for (unsigned i = 0; i < t->count; i++)
		if (t->point[i].kind == CAL_LATENCY && t->point[i].us < least)
			least = t->point[i].us;
	return least;
}

/*
 * Fits the latency, and the time per byte unless bandwidths gave it, for the
 * eager limit of f. Returns false if there is no valid result.
 */
static bool fit_latency(const struct cal_table *t, const struct cal_machine *m,
			bool has_byte, struct cal_fit *f)
{
	struct sums s = { 0 };
	const struct cal_point *p;
	double wire, rest;

	for (unsigned i = 0; i < t->count; i++) {
		p = &t->point[i];
		if (p->kind != CAL_LATENCY)
			continue;
		wire = cal_wire(m, p->bytes);
		rest = p->us - f->overhead * (p->bytes > f->eager ? 2 : 1);
		if (has_byte)
			rest -= wire * f->byte;
		sums_add(&s, p->bytes > f->eager ? 3 : 1, has_byte ? 0 : wire,
			 rest, p->us);
	}
	if (has_byte) {
		f->time = s.a11 > 0 ? s.b1 / s.a11 : -1;
		return f->time > 0;
	}
	return sums_solve(&s, &f->time, &f->byte) && f->time > 0 && f->byte > 0;
}

/* Tries every measured size as the eager limit. */
static bool fit_eager(const struct cal_table *t, const struct cal_machine *m,
		      bool has_byte, struct cal_fit *f)
{
	struct cal_fit best = *f, one;
	double least = INFINITY, error;

	for (unsigned i = 0; i < t->count; i++) {
		one = *f;
		one.eager = t->point[i].bytes;
		if (t->point[i].kind != CAL_LATENCY || one.eager < 1 ||
		    !fit_latency(t, m, has_byte, &one))
			continue;
		error = error_of(t, m, &one, CAL_LATENCY);
		if (error < least) {
			least = error;
			best = one;
		}
	}
	*f = best;
	return least < INFINITY;
}

static void count_errors(const struct cal_table *t, const struct cal_machine *m,
			 struct cal_fit *f)
{
	unsigned count = 0;
	double e;

	f->mean_error = f->worst_error = 0;
	for (unsigned i = 0; i < t->count; i++) {
		if (t->point[i].kind == CAL_ALLREDUCE)
			continue;
		e = fabs(cal_model(m, f, &t->point[i]) / t->point[i].us - 1);
		f->mean_error += e;
		f->worst_error = e > f->worst_error ? e : f->worst_error;
		count++;
	}
	f->mean_error /= count ? count : 1;
}

int cal_fit(const struct cal_table *t, const struct cal_machine *m,
	    struct cal_fit *f, char why[CAL_WHY])
{
	double least = shortest(t);
	bool has_byte;

	*f = (struct cal_fit){ 0 };
	if (!(least < INFINITY)) {
		snprintf(why, CAL_WHY,
			 "no latencies: a table of osu_latency is needed");
		return -EINVAL;
	}
	f->response = 2 * least / WINDOW;
	has_byte = fit_bandwidth(t, m, f);
	f->overhead = 2 * (f->message > 0 ? f->message : f->gap);
	f->overhead_assumed = f->overhead <= 0;
	if (f->overhead_assumed)
		f->overhead = ASSUMED_PART * least;
	if (f->overhead > OVERHEAD_MOST * least) {
		f->overhead = OVERHEAD_MOST * least;
		f->overhead_assumed = true;
	}
	if (!fit_eager(t, m, has_byte, f)) {
		snprintf(why, CAL_WHY,
			 "no latency and rate above 0 fit the times: a table "
			 "of osu_latency needs two sizes, and long messages "
			 "must take longer than short ones");
		return -EINVAL;
	}
	if (f->time <= m->hops * m->hop_us) {
		snprintf(why, CAL_WHY,
			 "%u links of %g ns (key hop) take longer than the "
			 "latency that remains for interfaces and network, %g "
			 "ns: use a machine file with a shorter hop",
			 m->hops, 1e3 * m->hop_us, 1e3 * f->time);
		return -EINVAL;
	}
	for (unsigned i = 0; i < t->count; i++)
		f->eager_known |= t->point[i].kind == CAL_LATENCY &&
				  t->point[i].bytes > f->eager;
	count_errors(t, m, f);
	return 0;
}
