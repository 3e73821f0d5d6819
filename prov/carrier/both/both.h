/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The carrier of a job on several hosts: memory where it is shared, datagrams
 * elsewhere, by peer, behind one name. It owns a shm and a sock carrier.
 *
 *   both_ops.c    open, close, the table: each call goes the peer's way
 *   both_peer.c   records, and the choice of the way at first contact
 *   both_wait.c   waiting for two things: a thread looks at the socket
 *
 * Packets from A to B go one way all their life; what B sends to A may go the
 * other one, where one of them sees more than the other. A peer that is lost on
 * one way is lost.
 */
#ifndef WEFT_CARRIER_BOTH_H
#define WEFT_CARRIER_BOTH_H

#include "prov/carrier/carrier.h"
#include "src/base/hash.h"
#include "src/base/list.h"
#include "src/base/patience.h"

#include <pthread.h>

struct both_peer {
	struct weft_peer base;
	struct weft_carrier *way;  /* NULL: not met yet */
	struct weft_peer *there;   /* its record on that way */
	struct weft_list end_node; /* in both.ending: to be reported lost */
};

struct both {
	struct weft_carrier base;
	struct weft_carrier *shm;
	struct weft_carrier *sock;
	struct sockaddr_in name;
	const struct weft_carrier_up *up;
	void *up_arg;
	struct both_peer **peer;
	uint32_t peer_count;
	uint32_t peer_room;
	struct weft_hash by_name;
	struct weft_list ending;
	uint8_t *bounce;   /* a payload that is filled in, for the socket */
	weft_au32 rests;   /* polls until the socket is looked at again ... */
	weft_au64 look_ns; /* ... or this time, if all peers are far; 0: now */
	/* waiting; shared by the threads that poll and wait */
	weft_au64 moved;     /* packets delivered */
	uint64_t moved_seen; /* when the last wait began; wait's own */
	uint64_t moved_ns;   /* since when there are no more; wait's own */
	uint64_t spin_ns;
	uint32_t vain; /* waits in a row that were over at once */
	struct weft_patience patience; /* if all peers are far */
	uint32_t taken; /* yields until nobody seems to want the processor */
	uint32_t cpus;
	weft_au32 near;	   /* peers but oneself that are met through memory */
	weft_au32 crowded; /* more peers than processors */
	/* the thread that looks at the socket */
	pthread_t watcher;
	bool watches;
	int watch_epoll;
	int watch_end; /* eventfd */
	int epoll;     /* of wait_fd; -1: not asked for */
};

static inline struct both *both_of(struct weft_carrier *c)
{
	return (struct both *)c;
}

static inline struct both_peer *both_peer_of(struct weft_peer *p)
{
	return (struct both_peer *)p;
}

/* both_peer.c */
int both_peer(struct weft_carrier *c, const struct sockaddr_in *name,
	      struct weft_peer **peer_p);
/* Chooses the way to p. 0, -EAGAIN: it is not there yet, -ECONNRESET. */
int both_peer_meet(struct both *b, struct both_peer *p);
/* What the two carriers call. */
extern const struct weft_carrier_up both_peer_up;
void both_peer_report(struct both *b);
void both_peers_free(struct both *b);

/* both_wait.c */
void both_wait_open(struct both *b, const struct weft_carrier_attr *attr);
void both_wait_close(struct both *b);
int both_wait(struct weft_carrier *c, uint64_t timeout_ns);
int both_wait_fd(struct weft_carrier *c);
int both_arm(struct weft_carrier *c);

#endif
