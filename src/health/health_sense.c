/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sensors of the host. All ranks of the host share them, so one rank reads them
 * for all: the first rank that finds the values outdated. A missing sensor
 * never warns.
 */
#include "src/health/health_sense.h"

#include <stdio.h>
#include <unistd.h>

enum { ZONES = 64 };
#define AGE_NS UINT64_C(1000000000)

/* Reads the first number in a file. Returns false if there is none. */
static bool sense_number(const char *path, double *n_p)
{
	FILE *f = fopen(path, "re");
	bool found = f && fscanf(f, "%lf", n_p) == 1;

	if (f)
		fclose(f);
	return found;
}

static int32_t bounded(double n)
{
	return n > 1e9 ? 1000000000 : n < -1e9 ? -1000000000 : (int32_t)n;
}

/*
 * Returns the temperature of the hottest thermal zone in thousandths of a
 * degree, or INT32_MIN: no sensor.
 */
static int32_t temperature(const char *root)
{
	int32_t hottest = INT32_MIN, t;
	char path[256];
	double mc;

	for (int z = 0; z < ZONES; z++) {
		snprintf(path, sizeof(path),
			 "%s/sys/class/thermal/thermal_zone%d/temp", root, z);
		if (!sense_number(path, &mc))
			break;
		t = bounded(mc);
		hottest = t > hottest ? t : hottest;
	}
	return hottest;
}

static int32_t sense_load(const char *root)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char path[256];
	double tasks;

	snprintf(path, sizeof(path), "%s/proc/loadavg", root);
	if (!sense_number(path, &tasks))
		return INT32_MIN;
	return bounded(100 * tasks / (double)(cpus > 0 ? cpus : 1));
}

void weft_health_sense(struct weft_health *h, uint64_t now_ns,
		       const struct weft_health_bounds *bounds,
		       const char *root)
{
	uint64_t age = h->what.period_ns > AGE_NS ? h->what.period_ns : AGE_NS;
	uint64_t sensed_ns = weft_load64(&h->head->sensed_ns);
	struct weft_watch_sensor s[] = {
		{ .low = INT32_MIN, .high = bounds->temp_mc },
		{ .low = INT32_MIN, .high = bounds->load_cpcpu },
	};

	if (sensed_ns && now_ns < sensed_ns + age)
		return;
	if (!weft_cas64(&h->head->sensed_ns, &sensed_ns, now_ns))
		return;
	s[0].value = temperature(root);
	s[1].value = sense_load(root);
	weft_store32(&h->head->temp_mc, (uint32_t)s[0].value);
	weft_store32(&h->head->load_cpcpu, (uint32_t)s[1].value);
	weft_store32(&h->head->warns, weft_watch_sensors(s, 2));
}
