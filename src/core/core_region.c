/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of regions (core_region.h). The table that mpiexec passes is read once.
 */
#include "src/core/core_region.h"

#include "src/core/core_lock.h"
#include "src/core/core_opts.h"
#include "src/core/core_state.h"
#include "src/core/core_time.h"
#include "src/base/log.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REGIONS_MAX 4096
#define NAME_BYTES  64
/* longest computation that weft_core_region_time() accepts, s */
#define SECONDS_MAX 1e6

static struct region {
	char name[NAME_BYTES];
	bool fixed; /* the table has a time for the region */
	/* time from the table, or sum of the measured samples, ps */
	double ps;
	int samples;   /* executions measured */
	uint64_t from; /* CPU time at the beginning of the region, ns */
	bool measures; /* the current execution is measured */
} * regions;
static size_t count;
static bool was_read;

static struct region *find(const char *name, bool add)
{
	struct region *more;

	for (size_t i = 0; i < count; i++)
		if (!strncmp(regions[i].name, name, NAME_BYTES - 1))
			return &regions[i];
	if (!add || count == REGIONS_MAX)
		return NULL;
	more = realloc(regions, (count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	regions = more;
	memset(&regions[count], 0, sizeof(*regions));
	snprintf(regions[count].name, NAME_BYTES, "%s", name);
	return &regions[count++];
}

/* ---- the table ----------------------------------------------------------- */

static bool unit_ps(const char *unit, double *ps)
{
	static const struct {
		const char *name;
		double ps;
	} units[] = { { "ps", 1 },
		      { "ns", 1e3 },
		      { "us", 1e6 },
		      { "ms", 1e9 },
		      { "s", 1e12 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name)) {
			*ps = units[i].ps;
			return true;
		}
	return false;
}

/*
 * Reads a line "NAME TIME UNIT", in which # begins a comment. Returns false if
 * the line is invalid.
 */
static bool read_line(char *line)
{
	char name[NAME_BYTES], unit[4], rest;
	struct region *r;
	double t, scale;
	int n;

	line[strcspn(line, "#\n")] = 0;
	n = sscanf(line, "%63s %lf %3s %c", name, &t, unit, &rest);
	if (n <= 0)
		return true;
	if (n != 3 || !(t >= 0 && t < 1e18) || !unit_ps(unit, &scale))
		return false;
	r = find(name, true);
	if (!r)
		return false;
	r->fixed = true;
	r->ps = t * scale;
	return true;
}

static void read_table(void)
{
	const char *name = weft_cfg_get(&weft_core_opts[WEFT_OPT_REGIONS]).text;
	FILE *f = *name ? fopen(name, "re") : NULL;
	char line[256];

	was_read = true;
	if (*name && !f)
		weft_log(WEFT_LOG_ERROR, "regions: %s: %s", name,
			 strerror(errno));
	for (unsigned n = 1; f && fgets(line, sizeof(line), f); n++)
		if (!read_line(line))
			weft_log(WEFT_LOG_ERROR,
				 "regions: %s:%u: expected NAME TIME UNIT, "
				 "such as \"solve 12.5 us\"",
				 name, n);
	if (f)
		fclose(f);
}

/* ---- begin and end ------------------------------------------------------- */

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void take(double ps)
{
	weft_core.backend->compute((uint64_t)(ps + 0.5));
}

static double time_of(const struct region *r)
{
	return r->fixed || !r->samples ? r->ps : r->ps / r->samples;
}

static bool applies(void)
{
	return weft_running() && weft_core.backend->compute && !weft_threads;
}

bool weft_core_region_begin(const char *name, int samples, bool skips)
{
	struct region *r;

	if (!name || !applies())
		return true;
	if (!was_read)
		read_table();
	r = find(name, true);
	if (!r)
		return true;
	/*
	 * reading the clock accounts for the computation before the region, if
	 * computation advances the clock
	 */
	weft_core_clock_peek_ps();
	r->measures = !r->fixed && r->samples < (samples > 0 ? samples : 1);
	if (skips && !r->measures) {
		take(time_of(r));
		return false;
	}
	r->from = cpu_ns();
	return true;
}

void weft_core_region_end(const char *name)
{
	struct region *r = name && applies() ? find(name, false) : NULL;
	double ps;

	if (!r)
		return;
	ps = (double)(cpu_ns() - r->from) * 1e3 * weft_core.backend->factor();
	if (r->measures) {
		r->ps += ps;
		r->samples++;
		r->measures = false;
		take(ps);
	} else {
		take(time_of(r));
	}
}

void weft_core_region_time(double seconds)
{
	if (!(seconds > 0 && seconds < SECONDS_MAX) || !applies())
		return;
	/*
	 * accounts for the computation before this one, if computation advances
	 * the clock
	 */
	weft_core_clock_peek_ps();
	take(seconds * 1e12);
}
