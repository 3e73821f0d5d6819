/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The carrier of a job on several hosts: shared memory for peers with which it
 * is possible, datagrams for the others. The endpoint has one name, and owns a
 * shm and a sock carrier.
 *
 *   hybrid_ops.c   open, close, the table: each call goes to the carrier of
 *                  its peer
 *   hybrid_peer.c  peer records; the choice of the carrier at first contact
 *   hybrid_wait.c  waiting for two sources: a thread blocks on the socket
 *
 * Packets from A to B always use the same carrier; packets from B to A may use
 * the other carrier, if the two processes have different access rights. A peer
 * that is lost on one carrier is lost on both.
 */
#ifndef WEFT_HYBRID_H
#define WEFT_HYBRID_H

#include "prov/carrier/carrier.h"
#include "src/base/hash.h"
#include "src/base/list.h"
#include "src/os/wait_policy.h"

#include <pthread.h>

struct hybrid_peer {
	struct weft_peer base;
	union weft_name name;
	/* the peer's carrier; NULL: not connected yet */
	struct weft_carrier *carrier;
	struct weft_peer *carrier_peer; /* the peer's record in `carrier` */
	/* node in hybrid.ending, the list of peers to be reported lost */
	struct weft_list end_node;
};

struct hybrid {
	struct weft_carrier base;
	struct weft_carrier *shm;
	struct weft_carrier *sock;
	union weft_name name;
	const struct weft_carrier_up *up;
	void *up_arg;
	struct hybrid_peer **peer;
	uint32_t peer_count;
	uint32_t peer_room;
	struct weft_hash by_name;
	struct weft_list ending;
	/* bounce buffer: payload packed by weft_fill for the socket */
	uint8_t *bounce;
	/* polls to skip before the socket is polled again */
	weft_au32 skip_polls;
	/* time of the socket's next poll if all peers are remote, ns; 0: now */
	weft_au64 next_poll_ns;
	/* State of waits, shared by threads that poll and wait. */
	weft_au64 moved;     /* packets delivered */
	uint64_t moved_seen; /* value of moved at the last wait */
	/* time of the last change of moved, ns; used by wait only */
	uint64_t moved_ns;
	uint64_t spin_ns;
	/* consecutive waits that returned at once */
	uint32_t immediate_returns;
	/* wait policy if all peers are remote */
	struct weft_wait_policy policy;
	/* yields left to do instead of spins, after a long yield */
	uint32_t busy_yields;
	uint32_t cpus;
	/* number of local peers, excluding this process */
	weft_au32 local_peers;
	weft_au32 oversubscribed; /* more peers than processors */
	/* Thread that waits on the socket (hybrid_wait.c). */
	pthread_t watcher;
	bool watches;
	int watch_epoll;
	int watch_end; /* eventfd that ends the thread */
	int epoll;     /* descriptor of wait_fd; -1: not requested */
};

static inline struct hybrid *hybrid_of(struct weft_carrier *c)
{
	return (struct hybrid *)c;
}

static inline struct hybrid_peer *hybrid_peer_of(struct weft_peer *p)
{
	return (struct hybrid_peer *)p;
}

/* hybrid_peer.c */
int hybrid_peer(struct weft_carrier *c, const union weft_name *name,
		struct weft_peer **peer_p);
/*
 * Chooses the carrier of p. Returns 0; -EAGAIN: the endpoint of p does not
 * exist yet; -ECONNRESET.
 */
int hybrid_peer_connect(struct hybrid *b, struct hybrid_peer *p);
/* Callbacks passed to the shm and the sock carrier. */
extern const struct weft_carrier_up hybrid_peer_up;
void hybrid_peer_report(struct hybrid *b);
void hybrid_peers_free(struct hybrid *b);

/* hybrid_wait.c */
void hybrid_wait_open(struct hybrid *b, const struct weft_carrier_attr *attr);
void hybrid_wait_close(struct hybrid *b);
int hybrid_wait(struct weft_carrier *c, uint64_t timeout_ns);
int hybrid_wait_fd(struct weft_carrier *c);
int hybrid_arm(struct weft_carrier *c);

#endif
