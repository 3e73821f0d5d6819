/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time of computation between calls: none; the thread's CPU time times a
 * factor; or the instructions that it has executed in user mode, or the basic
 * blocks of its instrumented code, at a constant rate. The relative speed of
 * the machine's processor scales both. Seeded noise interrupts computation, the
 * same in every run.
 */
#include "prov/vt/vt.h"
#include "src/base/log.h"
#include "src/os/instructions.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PS_PER_NS 1000u

/* ---- noise --------------------------------------------------------------- */

/*
 * Returns an exponentially distributed number with mean 1, by comparisons of
 * uniform numbers (von Neumann 1951). It uses no logarithm, so that results are
 * bit-identical on all hosts.
 */
static double exponential(struct weft_rng *rng)
{
	for (double whole = 0;; whole++) {
		double first = weft_rng_unit(rng), last = first;
		unsigned n = 1;

		for (;;) {
			double u = weft_rng_unit(rng);

			if (u >= last)
				break;
			last = u;
			n++;
		}
		if (n % 2)
			return whole + first;
	}
}

/* Returns the duration of a computation with its interruptions. */
static uint64_t with_noise(struct vt *v, uint64_t ps)
{
	const struct weft_noise *n = &v->w->noise;
	struct vt_computing *c = &v->computing;
	uint64_t left = ps;

	if (weft_likely(!n->gap_ps))
		return ps;
	while (left >= c->quiet_ps) {
		left -= c->quiet_ps;
		ps += (uint64_t)(n->length_ps *
				 (n->fixed ? 1 : exponential(&c->rng)));
		c->quiet_ps = (uint64_t)(n->gap_ps * exponential(&c->rng)) + 1;
	}
	c->quiet_ps -= left;
	return ps;
}

void vt_computed(struct vt *v, uint64_t ps)
{
	vt_clock_advance(v->me, with_noise(v, ps));
}

/* ---- measurement --------------------------------------------------------- */

uint64_t vt_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t instructions(const struct vt *v)
{
	uint64_t n = 0;

	if (v->computing.blocks)
		return v->computing.blocks();
	if (read(v->computing.counter, &n, sizeof(n)) != (ssize_t)sizeof(n))
		return v->computing.counted;
	return n;
}

/* Returns the picoseconds since the last call, on the machine's processor. */
static double since_exit_ps(const struct vt *v)
{
	double speed = v->w->cfg.processor_speed
			       ? v->w->cfg.processor_speed / 100.0
			       : 1;

	if (v->w->instructions > 0)
		return (double)(instructions(v) - v->computing.counted) /
		       v->w->instructions * 1e12 / speed;
	return (double)(vt_cpu_ns() - v->cpu_ns) * v->w->compute * PS_PER_NS /
	       speed;
}

static bool counts(const struct vt *v)
{
	return weft_unlikely(v->w->compute > 0 || v->w->instructions > 0);
}

WEFT_HOT void vt_enter(struct vt *v)
{
	if (weft_likely(!counts(v)) || v->out || v->interface.running)
		return;
	vt_computed(v, (uint64_t)since_exit_ps(v));
}

WEFT_HOT void vt_exit(struct vt *v)
{
	if (weft_likely(!counts(v)) || v->interface.running)
		return;
	if (v->w->instructions > 0)
		v->computing.counted = instructions(v);
	else
		v->cpu_ns = vt_cpu_ns();
}

/* ---- open and close ------------------------------------------------------ */

static int counter_open(struct vt *v)
{
	int fd = weft_instructions_open();

	v->computing.counter = fd < 0 ? -1 : fd;
	if (fd >= 0)
		return 0;
	weft_log(WEFT_LOG_ERROR,
		 "virtual time: instructions cannot be counted on this host "
		 "(perf_event_open: %s; " WEFT_INSTRUCTIONS_NEEDS,
		 strerror(-fd));
	return -EOPNOTSUPP;
}

/* Finds the counter of basic blocks, which the program is linked with. */
static int blocks_open(struct vt *v)
{
	union {
		void *found;
		uint64_t (*call)(void);
	} count = { .found = dlsym(RTLD_DEFAULT, "weft_blocks_executed") };

	v->computing.blocks = count.call;
	if (count.found)
		return 0;
	weft_log(WEFT_LOG_ERROR,
		 "virtual time: the program does not count basic blocks; "
		 "compile it with -fsanitize-coverage=trace-pc and link it "
		 "with -lweft-blocks");
	return -EOPNOTSUPP;
}

int vt_compute_open(struct vt *v)
{
	const struct weft_noise *n = &v->w->noise;

	v->computing.counter = -1;
	if (n->gap_ps) {
		weft_rng_init(&v->computing.rng, n->seed, v->rank);
		v->computing.quiet_ps =
			(uint64_t)(n->gap_ps * exponential(&v->computing.rng)) +
			1;
	}
	if (v->w->blocks)
		return blocks_open(v);
	return v->w->instructions > 0 ? counter_open(v) : 0;
}

void vt_compute_close(struct vt *v)
{
	if (v->computing.counter >= 0)
		close(v->computing.counter);
}
