/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wait policy: how long a wait spins, when it yields its processor, and when it
 * blocks. The choice depends on which other thread needs the processor:
 *
 *   spin   No other thread: the peer has its own processor, and responds
 *          sooner than blocking and waking take.
 *   yield  Another rank of the job, if cores are oversubscribed. That rank
 *          runs briefly, waits and yields as well: all ranks make progress,
 *          and none has to be woken.
 *   block  A process that computes to the end of its time slice. Linux
 *          treats a yield as a slice used up (EEVDF moves the deadline by
 *          one slice, CFS runs the next thread in the queue), so each yield
 *          to a computing process costs milliseconds and a share of the
 *          processor. A blocked thread keeps its share and is scheduled
 *          first when it is woken; spinning keeps the share as well, but
 *          wastes it if the peer is not running either.
 *
 * The kernel does not report which process got the processor, but the duration
 * of sched_yield() shows it. If the call returns immediately, no other thread
 * needs the processor. If it takes some microseconds per other rank, these
 * ranks have run. If it takes longer, an unrelated process has run, or a rank
 * that computes, which has the same effect. In this case yields are suspended
 * for some time (yield backoff). The backoff is doubled each time and shortened
 * by yields that return in time. If every rank has a processor, only unrelated
 * processes take it, and one yield per second is enough to detect them; with
 * oversubscribed cores other ranks return soon, so the backoff is short.
 *
 * A struct weft_wait_policy holds the estimates of a wait; the constants are in
 * one table below.
 */
#ifndef WEFT_WAIT_POLICY_H
#define WEFT_WAIT_POLICY_H

#include "src/base/atomic.h"
#include "src/base/attr.h"

/* Whether every rank on the host has its own processor. */
enum weft_core_share {
	WEFT_OWN_CORE,
	WEFT_OVERSUBSCRIBED,
};

struct weft_wait_policy_spins {
	uint32_t polls; /* polls of one word before anything else is polled */
	/* rounds of `polls` polls before blocking is considered */
	uint32_t rounds;
	/* polls of all sources before blocking is considered */
	uint32_t passes;
	uint32_t tests; /* failed tests (MPI_Test) per yield; 0: no yields */
};

struct weft_wait_policy_yields {
	/*
	 * number of yields before blocking, in waits whose polls are cheap
	 * (collectives, probe)
	 */
	uint32_t count;
	/* duration of a yield after which a computing process is assumed */
	uint64_t long_yield_ns;
	/*
	 * time added to long_yield_ns for each other rank that may run during
	 * the yield
	 */
	uint64_t rank_yield_ns;
	uint64_t backoff_min_ns; /* backoff after the first late yield */
	uint64_t backoff_max_ns;
};

struct weft_wait_policy_rule {
	struct weft_wait_policy_spins spin;
	struct weft_wait_policy_yields yield;
};

#define WEFT_US UINT64_C(1000)
#define WEFT_MS UINT64_C(1000000)

/*
 * All constants of waiting. Spinning takes some tens of microseconds to a
 * quarter of a millisecond in all: as much as being woken on a busy host, and
 * far less than a time slice, which is 0.7 ms at least and 1.4 to 4 ms on most
 * hosts.
 */
static const struct weft_wait_policy_rule weft_wait_policy_rule[] = {
	[WEFT_OWN_CORE] = {
		.spin = { .polls = 1500, .rounds = 100, .passes = 4000,
			  .tests = 0 },
		.yield = { .count = 64,
			   .long_yield_ns = 1 * WEFT_MS,
			   .rank_yield_ns = 5 * WEFT_US,
			   .backoff_min_ns = 32 * WEFT_MS,
			   .backoff_max_ns = 1024 * WEFT_MS },
	},
	/* With oversubscribed cores a spinning rank delays its peer. */
	[WEFT_OVERSUBSCRIBED] = {
		.spin = { .polls = 2, .rounds = 0, .passes = 20,
			  .tests = 32 },
		.yield = { .count = 64,
			   .long_yield_ns = 1 * WEFT_MS,
			   .rank_yield_ns = 5 * WEFT_US,
			   .backoff_min_ns = 2 * WEFT_MS,
			   .backoff_max_ns = 64 * WEFT_MS },
	},
};

/* Times of the waits of one user (enum weft_wait_user). */
struct weft_wait_times {
	uint64_t spin_ns;  /* spins before the first yield */
	uint64_t yield_ns; /* yields before blocking */
	/*
	 * longest block before conditions are checked that no notification
	 * reports
	 */
	uint64_t slice_ns;
	/* yields after a refused send, before blocking for WEFT_WAIT_ROOM_NS */
	uint32_t room_yields;
};

enum weft_wait_user {
	WEFT_WAIT_SHM,
	WEFT_WAIT_SOCK,	  /* each check is a system call */
	WEFT_WAIT_LOCAL,  /* hybrid carrier; times since the last packet */
	WEFT_WAIT_REMOTE, /* hybrid carrier if all peers are remote */
	WEFT_WAIT_LOOP,
	WEFT_WAIT_WINDOW, /* locks and counters in shared memory */
};

static const struct weft_wait_times weft_wait_times[] = {
	[WEFT_WAIT_SHM] = { 5 * WEFT_US, 10 * WEFT_MS, 100 * WEFT_MS, 1000 },
	[WEFT_WAIT_SOCK] = { 0, 20 * WEFT_US, 100 * WEFT_MS, 100 },
	[WEFT_WAIT_LOCAL] = { 20 * WEFT_US, 500 * WEFT_US, 0, 0 },
	[WEFT_WAIT_REMOTE] = { 20 * WEFT_US, 100 * WEFT_US, 0, 0 },
	[WEFT_WAIT_LOOP] = { 0, 0, 100 * WEFT_MS, 0 },
	[WEFT_WAIT_WINDOW] = { 0, 0, 1 * WEFT_MS, 0 },
};

/* number of checks between two reads of the clock in a spin */
#define WEFT_WAIT_SPIN_CHECKS	16
/* shortest spin; an unsuccessful spin of this length is the last one */
#define WEFT_WAIT_SPIN_MIN_NS	UINT64_C(300)
/* longest duration of a yield without a context switch */
#define WEFT_WAIT_IDLE_YIELD_NS UINT64_C(1500)
/* block of this length or more without an event: the next wait blocks at once
 */
#define WEFT_WAIT_IDLE_NS	(10 * WEFT_MS)
/* longest block after a refused send */
#define WEFT_WAIT_ROOM_NS	(1 * WEFT_MS)

/*
 * State of the policy. Accesses are relaxed: the values are only estimates, and
 * one thread at a time updates them.
 */
struct weft_wait_policy {
	weft_au64 until_ns;	    /* end of the backoff; 0: none */
	weft_au64 yield_backoff_ns; /* duration of the last backoff; 0: none */
	weft_au32 core_share;	    /* enum weft_core_share */
	/* number of other ranks that may run when this process yields */
	weft_au32 other_ranks;
};

static inline const struct weft_wait_policy_rule *
weft_wait_policy_choose(const struct weft_wait_policy *p)
{
	/* relaxed: an estimate */
	return &weft_wait_policy_rule[weft_load32_relaxed(&p->core_share)];
}

void weft_wait_policy_init(struct weft_wait_policy *p,
			   enum weft_core_share core_share);

/*
 * Sets whether cores are oversubscribed, and the number of other ranks that
 * share the processors with this process.
 */
void weft_wait_policy_set_ranks(struct weft_wait_policy *p,
				enum weft_core_share core_share,
				uint32_t other_ranks);

/* Returns whether yields are suspended because an earlier one took too long. */
bool weft_wait_policy_backs_off_now(struct weft_wait_policy *p) WEFT_COLD;

static inline bool weft_wait_policy_backs_off(struct weft_wait_policy *p)
{
	/* relaxed: an estimate */
	return weft_unlikely(weft_load64_relaxed(&p->until_ns)) &&
	       weft_wait_policy_backs_off_now(p);
}

/*
 * Yields once. now_ns: the current time. Returns the time after the yield, or
 * 0: the backoff suspends yields; spin or block instead.
 */
uint64_t weft_wait_policy_yield(struct weft_wait_policy *p, uint64_t now_ns);

/* Adjusts the backoff after a yield that lasted from then_ns to now_ns. */
void weft_wait_policy_record_yield(struct weft_wait_policy *p, uint64_t then_ns,
				   uint64_t now_ns);

/* Yields unconditionally, for threads that cannot block. */
void weft_wait_policy_release_cpu(void);

#endif
