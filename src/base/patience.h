/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patience: how long a wait looks, when it gives its processor away, and when
 * it sleeps. Each of the three is the answer to who else needs the processor.
 *
 *   look   Nobody: whom we wait for has one of his own, and answers sooner
 *          than a sleep and a wake take.
 *   yield  A brother, where a job has more ranks than processors. He runs for
 *          a moment, waits in his turn and yields, too: everybody gets ahead,
 *          and nobody has to be woken.
 *   sleep  Somebody who computes to the end of his slice. Linux takes a yield
 *          for a slice that was used up (EEVDF moves the deadline by one, CFS
 *          goes to the next in the queue), so whoever yields to him gives him
 *          milliseconds for a moment of his own, again and again, and with
 *          them the share of the processor. Who sleeps keeps his share and is
 *          put first when he is woken; looking on keeps the share as well, but
 *          wastes it when the one we wait for is not running either.
 *
 * Nobody says who is on the processor, but a yield that comes back tells. At
 * once: nobody. In some microseconds for each brother: they. Later: a stranger,
 * or a brother who computes, which is the same to us. Then there are no yields
 * for a while, twice as long the next time, and shorter again with those that
 * come back in time. Where every rank has a processor, only strangers take it,
 * and one yield to them in a second is enough to know that they are there;
 * in a crowd brothers come back soon, so it is tried again soon.
 *
 * What a wait has found out is a struct weft_patience; the numbers are in
 * one table below.
 */
#ifndef WEFT_BASE_PATIENCE_H
#define WEFT_BASE_PATIENCE_H

#include "src/base/atomic.h"
#include "src/base/attr.h"

/* Whether every rank of the host has a processor of its own. */
enum weft_company {
	WEFT_ALONE,
	WEFT_CROWD,
};

/* Numbers: looking. */
struct weft_patience_looks {
	uint32_t turns;	 /* at one word, before anything else is looked at */
	uint32_t rounds; /* of such turns, before sleeping is thought of */
	uint32_t passes; /* over all that may have come, the same */
	uint32_t tests;	 /* in vain by the application, then a yield; 0: none */
	uint32_t spin_ns; /* at a queue's next entry, where nobody looked before
			   */
};

/* Numbers: yielding. */
struct weft_patience_yields {
	uint32_t count;	     /* where a look is cheap, before the general way */
	uint64_t longest_ns; /* all of them together */
	uint64_t late_ns;    /* came back later: went to one who computes */
	uint64_t turn_ns;    /* and so much for every brother before us */
	uint64_t shun_min_ns; /* no yields for so long after the first late one
			       */
	uint64_t shun_max_ns;
};

struct weft_patience_rule {
	struct weft_patience_looks look;
	struct weft_patience_yields yield;
};

#define WEFT_US UINT64_C(1000)
#define WEFT_MS UINT64_C(1000000)

/*
 * All numbers of waiting. Looks take some tens of microseconds to a quarter of
 * a millisecond in all: as much as being woken beside others, and far less than
 * a slice, which is 0.7 ms at least and 1.4 to 4 ms on most hosts.
 */
static const struct weft_patience_rule weft_patience_rule[] = {
	[WEFT_ALONE] = {
		.look = { .turns = 1500, .rounds = 100, .passes = 4000,
			  .tests = 0, .spin_ns = 5000 },
		.yield = { .count = 64, .longest_ns = 10 * WEFT_MS,
			   .late_ns = 1 * WEFT_MS, .turn_ns = 5 * WEFT_US,
			   .shun_min_ns = 32 * WEFT_MS,
			   .shun_max_ns = 1024 * WEFT_MS },
	},
	/* In a crowd nobody comes while we look. */
	[WEFT_CROWD] = {
		.look = { .turns = 2, .rounds = 0, .passes = 20,
			  .tests = 32, .spin_ns = 0 },
		.yield = { .count = 64, .longest_ns = 10 * WEFT_MS,
			   .late_ns = 1 * WEFT_MS, .turn_ns = 5 * WEFT_US,
			   .shun_min_ns = 2 * WEFT_MS,
			   .shun_max_ns = 64 * WEFT_MS },
	},
};

/* Relaxed throughout: estimates of whoever waits, one thread at a time. */
struct weft_patience {
	weft_au64 until_ns; /* no yields before; 0: go ahead */
	weft_au64 shun_ns;  /* how long it was the last time; 0: all is well */
	weft_au32 crowd;    /* enum weft_company */
	weft_au32 brothers; /* who may run before us, if we yield */
};

static inline const struct weft_patience_rule *
weft_patience_of(const struct weft_patience *p)
{
	/* relaxed: as above */
	return &weft_patience_rule[weft_load32_relaxed(&p->crowd)];
}

void weft_patience_init(struct weft_patience *p, enum weft_company crowd);

/* More or fewer of us; brothers share the processors with this process. */
void weft_patience_meet(struct weft_patience *p, enum weft_company crowd,
			uint32_t brothers);

/* Yields have come back late not long ago. */
bool weft_patience_shuns_now(struct weft_patience *p) WEFT_COLD;

static inline bool weft_patience_shuns(struct weft_patience *p)
{
	/* relaxed: as above */
	return weft_unlikely(weft_load64_relaxed(&p->until_ns)) &&
	       weft_patience_shuns_now(p);
}

/*
 * Gives the processor away once. now_ns: the time; the time after it, or 0:
 * not now, look or sleep.
 */
uint64_t weft_patience_yield(struct weft_patience *p, uint64_t now_ns);

/* What a yield of then_ns, over at now_ns, says about the company. */
void weft_patience_learn(struct weft_patience *p, uint64_t then_ns,
			 uint64_t now_ns);

/* For those who cannot sleep: gives the processor away, whoever takes it. */
void weft_patience_give(void);

#endif
