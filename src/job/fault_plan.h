/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault plan: the faults of a run, as text. A plan is one seed and a list of
 * faults, one per line in a file, separated by semicolons on a command line:
 *
 *   seed = 7
 *   errors optical = 1e-9            # BER of each link of this class; * all
 *   burst optical = 20               # length of an error burst in bits
 *   lanes 17.A+ = 2 at 10 us         # remaining lanes of the link
 *   dead-link 17.A+ at 10 us for 1 ms
 *   dead-processor 17 at 3 ms        # the ranks of the node end
 *   detect by 1 ms                   # the other ranks know it 1 ms later
 *   slow-node 3 = 1.5                # factor
 *   loss = 0.01
 *   delay = 0.05 by 200 us
 *   partition 10.0.0.1|10.0.0.2 at 1 s for 100 ms
 *
 *   KIND [TARGET] [= VALUE] [by TIME] [at TIME] [for TIME]
 *
 * A fault without "at" begins at the start, a fault without "for" is permanent.
 * Times are in ps, ns, us, ms or s. Only the machine can interpret TARGET; the
 * parser stores it as written. The parser checks everything else, and its error
 * messages name file and line. The result does not depend on clock, environment
 * or locale: parsing is deterministic on every host.
 */
#ifndef WEFT_FAULT_PLAN_H
#define WEFT_FAULT_PLAN_H

#include <stddef.h>
#include <stdint.h>

enum weft_fault_plan_kind {
	WEFT_FAULT_ERRORS, /* bit error rate */
	WEFT_FAULT_BURST,  /* length of an error burst in bits */
	WEFT_FAULT_LANES,  /* remaining lanes of a link */
	WEFT_FAULT_DEAD_LINK,
	WEFT_FAULT_DEAD_NODE,
	WEFT_FAULT_DEAD_SWITCH,
	WEFT_FAULT_DEAD_RAIL,
	WEFT_FAULT_SLOW_LINK, /* factor by which the link is slower */
	WEFT_FAULT_SLOW_NODE,
	WEFT_FAULT_MEMORY, /* memory errors, probability per read */
	/* the processors of a node stop; its router continues */
	WEFT_FAULT_DEAD_PROCESSOR,
	WEFT_FAULT_DEAD_RANK, /* the process of a rank ends */
	/* time until the other ranks detect the end of a process: by_ps */
	WEFT_FAULT_DETECT,
	WEFT_FAULT_LOSS, /* packet loss in carriers, probability per packet */
	WEFT_FAULT_DUPLICATE,
	WEFT_FAULT_REORDER,
	WEFT_FAULT_CORRUPT,
	WEFT_FAULT_DELAY,     /* delay of by_ps, probability per packet */
	WEFT_FAULT_PARTITION, /* the targets A|B cannot communicate */
	/* in carriers: a stream breaks after this number of bytes */
	WEFT_FAULT_CUT,
	WEFT_FAULT_RAW, /* for tests: carriers do not repair faults */
	WEFT_FAULT_DIE, /* for tests: failure after this number of sends */
	WEFT_FAULT_KINDS,
};

#define WEFT_FAULT_TARGET  96
#define WEFT_FAULT_FOREVER UINT64_MAX

struct weft_fault_entry {
	enum weft_fault_plan_kind kind;
	unsigned line;
	char target[WEFT_FAULT_TARGET]; /* "" if the kind has no target */
	double value;
	uint64_t by_ps;
	uint64_t at_ps;
	uint64_t for_ps; /* duration; WEFT_FAULT_FOREVER: permanent */
};

struct weft_fault_plan {
	uint64_t seed; /* seed; 0: no seed is given */
	struct weft_fault_entry *fault;
	size_t count;
};

struct weft_fault_plan_why {
	char text[256];
};

/*
 * Parses text. Returns 0 (the caller must call weft_fault_plan_fini), -EINVAL
 * (why has the message) or -ENOMEM; after an error the plan is empty. name is
 * used in error messages.
 */
int weft_fault_plan_parse(const char *name, const char *text,
			  struct weft_fault_plan *plan,
			  struct weft_fault_plan_why *why);

/*
 * Loads a plan from a user's argument: a file, or the text itself if no file
 * has that name and it contains a blank, "=" or ";". Also returns -errno if the
 * file cannot be read.
 */
int weft_fault_plan_load(const char *given, struct weft_fault_plan *plan,
			 struct weft_fault_plan_why *why);

void weft_fault_plan_fini(struct weft_fault_plan *plan);

#endif
