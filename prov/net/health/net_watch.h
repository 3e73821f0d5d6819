/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault awareness on the model's links, by the rules of prov/watch: every host
 * and every interface checks the other once per period (net_config.watch_ps),
 * at a phase derived from the seed. The protocol of the links carries status
 * words to neighbours (net_control_send). A report reaches the master after
 * watch_service_ps; the master evaluates the reports once per period.
 *
 *   net_watch_open -> net_watch_fail* -> net_run with timer and word
 *                  -> net_watch_get -> net_watch_close
 *
 * These failures do not affect packets; the faults of a fault plan do.
 */
#ifndef WEFT_NET_WATCH_H
#define WEFT_NET_WATCH_H

#include "prov/net/net.h"
#include "src/job/fault_plan.h"

struct net_watch;

/* The part of a node that fails. */
enum { NET_WATCH_HOST = 1, NET_WATCH_NIC = 2, NET_WATCH_BOTH = 3 };

/* A failure, and the times of its detection; NET_NEVER: not detected. */
struct net_watch_failure {
	uint32_t node;
	uint8_t what;
	uint8_t host,
		nic; /* states known to the master, enum weft_watch_state */
	uint64_t at; /* time of the failure */
	/* time of detection by the node's host or interface that still works */
	uint64_t own_at;
	/* time when the failure is visible to the first neighbour */
	uint64_t first_at;
	/* time when the failure is visible to the last neighbour */
	uint64_t last_at;
	uint64_t master_at; /* time of detection by the master */
};

/*
 * Starts fault awareness now; no timer expires after `until`. Returns 0;
 * -EOPNOTSUPP: the machine has no fault awareness; -ENOMEM; -EAGAIN: no free
 * record in the network's block.
 */
int net_watch_open(struct net_watch **w_p, struct net *net,
		   const struct net_config *cfg, uint64_t seed, uint64_t until);
void net_watch_close(struct net_watch *w);
/* Schedules a failure. -EINVAL: no such node; -ENOSPC: too many failures. */
int net_watch_fail(struct net_watch *w, uint64_t at, uint32_t node,
		   unsigned what);
/* Returns the i-th failure; NULL: no more failures. */
const struct net_watch_failure *net_watch_get(const struct net_watch *w,
					      unsigned i);
/* Returns whether the master has detected all failures. */
bool net_watch_done(const struct net_watch *w);
/* Returns the number of status words sent on links so far. */
uint64_t net_watch_words(const struct net_watch *w);

/* Callbacks for net_up. net_watch_timer returns false for other timers. */
bool net_watch_timer(struct net_watch *w, uint64_t at, uint64_t cookie);
void net_watch_word(struct net_watch *w, uint64_t at, uint64_t cookie,
		    uint32_t node, unsigned port);

/*
 * Simulates the node failures of a fault plan on a separate network without
 * other traffic, until the master has detected them. Returns the number of
 * failures, at most `room`; 0 if the machine has no fault awareness; -EINVAL,
 * -ENOMEM.
 */
int net_watch_plan(const struct net_config *cfg, const char *name,
		   const struct weft_fault_plan *plan,
		   struct net_watch_failure *death, unsigned room);
/* Writes one failure as a line of text, with times relative to the failure. */
void net_watch_text(const struct net_config *cfg,
		    const struct net_watch_failure *d, char *text, size_t len);

#endif
