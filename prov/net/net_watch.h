/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault awareness on the model's links, by the rules of prov/watch: every host
 * and every interface acts once in a period (net_config.watch_ps), at a time
 * of the period that the seed draws; words for neighbours hide in the links'
 * own protocol (net_stuff); reports take watch_service_ps to the master, who
 * looks at them once in a period, too.
 *
 *   net_watch_open -> net_watch_kill* -> net_run with timer and word
 *                  -> net_watch_get -> net_watch_close
 *
 * What has died here has not died for the network: that is a fault plan's.
 */
#ifndef WEFT_NET_WATCH_H
#define WEFT_NET_WATCH_H

#include "prov/net/net.h"
#include "src/base/plan.h"

struct net_watch;

/* What dies of a node. */
enum { NET_WATCH_HOST = 1, NET_WATCH_NIC = 2, NET_WATCH_BOTH = 3 };

/* A death, and when who knew; NET_NEVER: not yet. */
struct net_watch_death {
	uint32_t node;
	uint8_t what;
	uint8_t host, nic;  /* as the master knows, enum weft_watch_state */
	uint64_t at;	    /* it happened */
	uint64_t own_at;    /* the node's other half */
	uint64_t first_at;  /* the first neighbour's register */
	uint64_t last_at;   /* the last one's */
	uint64_t master_at; /* the master */
};

/*
 * Starts watching from now on; no timers after until. 0; -EOPNOTSUPP: this
 * machine does not; -ENOMEM; -EAGAIN: no room in the network's block.
 */
int net_watch_open(struct net_watch **w_p, struct net *net,
		   const struct net_config *cfg, uint64_t seed, uint64_t until);
void net_watch_close(struct net_watch *w);
/* -EINVAL: no such node; -ENOSPC: too many. */
int net_watch_kill(struct net_watch *w, uint64_t at, uint32_t node,
		   unsigned what);
/* The i-th death; NULL: no more. */
const struct net_watch_death *net_watch_get(const struct net_watch *w,
					    unsigned i);
/* The master knows of all of them. */
bool net_watch_done(const struct net_watch *w);
/* Words that went over links so far. */
uint64_t net_watch_words(const struct net_watch *w);

/* For net_up: false, it is none of the watch's. */
bool net_watch_timer(struct net_watch *w, uint64_t at, uint64_t cookie);
void net_watch_word(struct net_watch *w, uint64_t at, uint64_t cookie,
		    uint32_t node, unsigned port);

/*
 * The deaths of nodes in a fault plan, on a network of their own that carries
 * nothing else, until the master knows. Returns how many, at most room; none
 * where the machine does not watch; -EINVAL, -ENOMEM.
 */
int net_watch_plan(const struct net_config *cfg, const char *name,
		   const struct weft_plan *plan, struct net_watch_death *death,
		   unsigned room);
/* One of them as a line for people, times from its death on. */
void net_watch_text(const struct net_config *cfg,
		    const struct net_watch_death *d, char *text, size_t len);

#endif
