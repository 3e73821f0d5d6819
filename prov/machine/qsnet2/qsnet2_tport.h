/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the tagged ports. Host and thread share the requests
 * and the lists of the thread; both run inside one poll or call, never
 * concurrently.
 *
 * 	tx      host: packet into the receiver's input queue
 * 	        ---> input queue, event -> TPORT_PC_ARRIVED
 * 	rx      host: TPORT_PC_POST with the request's number
 * 	match   thread: copy and complete, or DMA that the sender runs
 * 	        ---> event of the request -> TPORT_PC_FETCHED
 *
 * Input queue and requests are in Elan memory, which the context maps at the
 * same address in all processes.
 */
#ifndef WEFT_QSNET2_TPORT_H
#define WEFT_QSNET2_TPORT_H

#include "prov/machine/qsnet2/qsnet2_dev.h"

#define TPORT_ADDRESS	  (UINT64_C(3) << 61)
#define TPORT_SLOT	  2048
#define TPORT_FETCHES	  32 /* outstanding DMAs started by the thread */
#define TPORT_START_WORDS 7  /* words of a start command */

static_assert(TPORT_SLOT - sizeof(uint64_t[6]) == WEFT_QSNET2_TPORTS_MAX,
	      "a short message fills its slot");

/* Programs of the thread processor. */
enum tport_program {
	TPORT_PC_ARRIVED = 0x7001, /* the input queue is not empty */
	/* a receive was posted; register 0: the receive */
	TPORT_PC_POST,
	/* the DMA of a receive is complete; register 0: the receive */
	TPORT_PC_FETCHED,
};

/* Header of a slot; in a short message, the data follows. */
struct tport_envelope {
	uint32_t sender;
	uint32_t req; /* long message: request number at the sender */
	uint64_t tag;
	uint64_t bytes;
	uint64_t src; /* address at the sender; 0: data follows */
	uint64_t reserved[2];
};

static_assert(sizeof(struct tport_envelope) == 48, "shared format");

enum tport_state {
	TPORT_FREE,
	TPORT_WAITING, /* rx: waits for a message; tx: waits for the DMA */
	TPORT_MATCHED, /* rx: long message, DMA not posted yet */
	TPORT_FETCHING,
	TPORT_DONE,
};

struct tport_req {
	struct weft_qsnet2_event
		event; /* must be the first field: peers use its address */
	uint64_t start[TPORT_START_WORDS +
		       /* command that starts the thread; copied by the event */
		       1];
	/* link in the list `posted`, `matched` or `free` */
	struct weft_list link;
	uint8_t state;
	bool tx;
	uint32_t peer;	     /* rx: requested sender; tx: destination */
	uint32_t remote_req; /* rx: request number at the sender */
	uint64_t tag;
	uint64_t ignore;
	uint64_t buf;
	uint64_t room;
	uint64_t remote_src;
	struct weft_qsnet2_tports_status status;
};

/* An unexpected message. */
struct tport_unexpected {
	struct weft_list link;
	struct tport_envelope env;
	unsigned char data[];
};

/* Memory at TPORT_ADDRESS, which peers access. */
struct tport_elan {
	alignas(64) struct weft_qsnet2_input input;
	struct weft_qsnet2_event arrived;
	uint64_t start[TPORT_START_WORDS + 1];
	alignas(64) struct tport_req req[WEFT_QSNET2_TPORTS_REQS];
	alignas(64) unsigned char slot[];
};

struct tport_dest {
	unsigned q;
	unsigned next_channel; /* channel of the next packet */
};

struct weft_qsnet2_tports {
	struct weft_list link; /* link in the unit's list */
	struct weft_qsnet2 *s;
	struct tport_elan *elan;
	unsigned context;
	uint32_t me;
	uint32_t eager_bytes;
	uint64_t elan_room;
	unsigned q_post;       /* queue for receives, written by the host */
	unsigned q_event;      /* queue for thread starts, written by events */
	unsigned q_thread;     /* queue for DMAs, written by the thread */
	struct weft_hash dest; /* vproc + 1 -> struct tport_dest */
	struct weft_list free;
	/* lists of the thread: posted receives, unexpected messages */
	struct weft_list posted;
	struct weft_list early;
	struct weft_list matched; /* receives that wait for a DMA */
	unsigned fetches;
	struct weft_qsnet2_tports_stats stats;
};

/* Returns the address of an object in Elan memory, equal in all processes. */
static inline uint64_t tport_address(const struct weft_qsnet2_tports *t,
				     const void *p)
{
	return TPORT_ADDRESS +
	       (uint64_t)((const char *)p - (const char *)t->elan);
}

/* Returns whether vproc is a single process, not a range, and has a route. */
static inline bool tport_has_route(struct weft_qsnet2_tports *t, uint32_t vproc)
{
	const struct qsnet2_route *r = qsnet2_route(t->s, vproc);

	return r && r->peer;
}

/* qsnet2_tport_match.c */
int tport_programs_set(struct weft_qsnet2_tports *t, bool on);
void tport_match_fini(struct weft_qsnet2_tports *t);

#endif
