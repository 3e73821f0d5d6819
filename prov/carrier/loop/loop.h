/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the loop carrier: endpoints of one process, for tests.
 *
 *   loop.c        open, close, wait, the table
 *   loop_raw.c    the raw layer: registry, inboxes, faults
 *   loop_pair.c   order and retransmission over the raw layer, per peer
 *                 (prov/arq)
 *
 * Time is counted in polls of the endpoint, not in seconds, so that faults and
 * retransmissions are deterministic.
 */
#ifndef WEFT_CARRIER_LOOP_H
#define WEFT_CARRIER_LOOP_H

#include "prov/arq/arq.h"
#include "prov/carrier/carrier.h"
#include "prov/carrier/carrier_faults.h"
#include "src/base/atomic.h"
#include "src/base/list.h"
#include "src/os/event_word.h"

#include <pthread.h>

#define LOOP_WINDOW 64 /* packets in flight, one bit each in ack_bits */

enum loop_kind {
	LOOP_DATA,
	LOOP_ACK,
	/* the sender closes; seq: its last sequence number plus one */
	LOOP_FIN,
};

/* A packet of the raw layer. */
struct loop_packet {
	struct weft_list node;
	enum loop_kind kind;
	uint64_t from; /* generation of the sender */
	union weft_name name;
	/* first poll of the receiver that may deliver the packet */
	uint64_t due;
	uint32_t seq;
	uint32_t ack;
	uint64_t ack_bits;
	struct weft_pkt pkt;
	uint8_t payload[];
};

struct loop_flight {
	struct loop_packet *packet; /* packet in flight; NULL: acknowledged */
	/* retransmission timer; times in polls of this endpoint */
	struct weft_arq_timer timer;
};

/* Memory that peers map; freed when the last reference is dropped. */
struct loop_share {
	/* number of references, protected by the registry's lock */
	unsigned refs;
	size_t bytes;
	/* size of the windows, which follow the shared area */
	size_t window_bytes;
	uint8_t *area;
};

struct loop_peer {
	struct weft_peer base;
	union weft_name name;
	/* generation of the endpoint with this name; 0: not connected */
	uint64_t gen;
	struct weft_arq_tx tx;
	struct weft_arq_win rx;
	struct loop_flight flight[LOOP_WINDOW];
	struct loop_packet *reorder[LOOP_WINDOW];
	/* raw mode: packets that the receiver refused */
	struct weft_list raw;
	/* the peer's shared area; NULL until requested */
	struct loop_share *share;
	bool ack_due;
	bool fin;	  /* the peer has closed */
	uint32_t fin_seq; /* sequence number after the peer's last packet */
};

struct loop {
	struct weft_carrier base;
	struct weft_list node; /* entry in the registry */
	uint64_t gen;
	union weft_name name;
	const struct weft_carrier_up *up;
	void *up_arg;
	struct carrier_faults faults;
	uint32_t window;
	bool no_dma;
	bool dead; /* stopped by the fault plan */
	/* polls so far, the clock of this endpoint; read by senders */
	weft_au64 now;
	struct loop_peer **peer;
	uint32_t peer_count;
	uint32_t peer_room;
	struct loop_share *share; /* this endpoint's shared area; NULL: none */
	weft_au64 watching;	  /* a store in a shared area is expected */
	weft_au32 full;		  /* a send was refused since the last wait */
	struct weft_carrier_stats stats;
	/* Protected by the registry's lock: */
	struct weft_list inbox;
	unsigned inbox_count;
	/* event word on which a waiting thread blocks */
	struct weft_event arrived;
	bool woken;
	int event; /* descriptor for wait_fd, or -1 */
	bool armed;
};

static inline struct loop *loop_of(struct weft_carrier *c)
{
	return (struct loop *)c;
}

static inline struct loop_peer *loop_peer_of(struct weft_peer *p)
{
	return (struct loop_peer *)p;
}

/* loop.c: stops the endpoint without notice, as the end of its process would */
void loop_die(struct loop *l);

/* loop_raw.c; one lock per process protects its state */
int loop_raw_join(struct loop *l, const union weft_name *want);
void loop_raw_leave(struct loop *l);
struct loop_packet *loop_packet_new(struct loop *l, enum loop_kind kind,
				    size_t len);
struct loop_packet *loop_packet_copy(const struct loop_packet *g);
/*
 * Sends packet g and takes ownership of it. Returns -EAGAIN if the peer's
 * endpoint does not exist or its inbox is full.
 */
int loop_raw_send(struct loop *l, struct loop_peer *p, struct loop_packet *g,
		  bool faults);
/* Returns the next deliverable packet, which the caller frees, or NULL. */
struct loop_packet *loop_raw_receive(struct loop *l);
bool loop_raw_is_alive(uint64_t gen);
uint64_t loop_raw_find(const union weft_name *name);
int loop_raw_wait(struct loop *l, uint64_t timeout_ns);
void loop_raw_wake(struct loop *l);
int loop_raw_arm(struct loop *l);
struct loop_share *loop_share_get(uint64_t gen);
void loop_share_put(struct loop_share *sh);
bool loop_raw_empty(struct loop *l);

/* loop_pair.c */
int loop_peer_get(struct loop *l, const union weft_name *name,
		  struct loop_peer **p_p);
void loop_peer_free(struct loop_peer *p);
int loop_pair_connect(struct loop *l, struct loop_peer *p);
int loop_pair_send(struct loop *l, struct loop_peer *p,
		   const struct weft_pkt *pkt, const struct iovec *iov,
		   int count);
int loop_pair_poll(struct loop *l, int budget);
void loop_pair_finish(struct loop *l, struct loop_peer *p);

#endif
