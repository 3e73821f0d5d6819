/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fault plan: what goes wrong in a run, as text. One seed and a list of
 * faults, in a file one to a line, on a command line parted by semicolons:
 *
 *   seed = 7
 *   errors optical = 1e-9            # bits of each link of this class; * all
 *   burst optical = 20               # bits that go wrong together
 *   lanes 17.A+ = 2 at 10 us         # left of the link's lanes
 *   dead-link 17.A+ at 10 us for 1 ms
 *   slow-node 3 = 1.5                # times slower
 *   loss = 0.01
 *   delay = 0.05 by 200 us
 *   partition 10.0.0.1|10.0.0.2 at 1 s for 100 ms
 *
 *   KIND [WHOM] [= VALUE] [by TIME] [at TIME] [for TIME]
 *
 * Without "at" a fault is there from the beginning, without "for" it stays.
 * Times are in ps, ns, us, ms or s. WHOM is a word that only the machine can
 * explain; here it is kept as written. Everything else is checked here, and an
 * error names file and line. No clock, no environment, no locale is asked: the
 * same text is the same plan on every host.
 */
#ifndef WEFT_BASE_PLAN_H
#define WEFT_BASE_PLAN_H

#include <stddef.h>
#include <stdint.h>

enum weft_plan_kind {
	WEFT_PLAN_ERRORS, /* wrong bits, probability of each */
	WEFT_PLAN_BURST,  /* bits that go wrong together */
	WEFT_PLAN_LANES,  /* of a link, that are left */
	WEFT_PLAN_DEAD_LINK,
	WEFT_PLAN_DEAD_NODE,
	WEFT_PLAN_DEAD_SWITCH,
	WEFT_PLAN_DEAD_RAIL,
	WEFT_PLAN_SLOW_LINK, /* so many times slower */
	WEFT_PLAN_SLOW_NODE,
	WEFT_PLAN_MEMORY, /* wrong words, probability of each read */
	WEFT_PLAN_LOSS,	  /* of carriers, probability of each packet */
	WEFT_PLAN_DUPLICATE,
	WEFT_PLAN_REORDER,
	WEFT_PLAN_CORRUPT,
	WEFT_PLAN_DELAY,     /* by by_ps */
	WEFT_PLAN_PARTITION, /* whom|whom do not hear each other */
	WEFT_PLAN_RAW,	     /* for tests: carriers do not repair faults */
	WEFT_PLAN_DIE,	     /* for tests: the end after so many sends */
	WEFT_PLAN_KINDS,
};

#define WEFT_PLAN_WHOM	  40
#define WEFT_PLAN_FOREVER UINT64_MAX

struct weft_plan_fault {
	enum weft_plan_kind kind;
	unsigned line;
	char whom[WEFT_PLAN_WHOM]; /* "" where the kind has none */
	double value;
	uint64_t by_ps;
	uint64_t at_ps;
	uint64_t for_ps; /* WEFT_PLAN_FOREVER: it stays */
};

struct weft_plan {
	uint64_t seed; /* 0 if none is given */
	struct weft_plan_fault *fault;
	size_t count;
};

/* What is wrong, in a sentence for people, with file and line. */
struct weft_plan_why {
	char text[256];
};

/*
 * 0: the plan is the caller's, until weft_plan_fini. -EINVAL (why says what),
 * -ENOMEM: the plan is empty. name stands in the errors.
 */
int weft_plan_parse(const char *name, const char *text, struct weft_plan *plan,
		    struct weft_plan_why *why);

/*
 * What a user gave: text if it has a blank, "=" or ";" and no such file is
 * there, otherwise a file's name. Also -errno of a file that cannot be read.
 */
int weft_plan_load(const char *given, struct weft_plan *plan,
		   struct weft_plan_why *why);

void weft_plan_fini(struct weft_plan *plan);

#endif
