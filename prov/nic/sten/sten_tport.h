/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the tagged ports. Host and thread share the requests and
 * the thread's lists; both run inside one poll or call, never concurrently.
 *
 *	tx      host: packet into the receiver's input queue
 *	        ---> input queue, event -> TPC_ARRIVED
 *	rx      host: TPC_POST with the request's number
 *	match   thread: copy and done, or DMA that the sender runs
 *	        ---> event of the request -> TPC_FETCHED
 *
 * Input queue and requests have the same address in all processes, in Elan
 * memory that the context maps there.
 */
#ifndef WEFT_PROV_STEN_TPORT_H
#define WEFT_PROV_STEN_TPORT_H

#include "prov/nic/sten/sten_dev.h"

#define TP_ADDRESS (UINT64_C(3) << 61)
#define TP_SLOT	   2048
#define TP_FETCHES 32 /* outstanding DMAs of the thread */
#define TP_STARTS  7  /* words of a start command */

static_assert(TP_SLOT - sizeof(uint64_t[6]) == WEFT_STEN_TPORTS_MAX,
	      "a short message fills its slot");

/* Programs of the thread. */
enum tp_program {
	TPC_ARRIVED = 0x7001, /* the input queue is not empty */
	TPC_POST,	      /* register 0: a receive */
	TPC_FETCHED,	      /* register 0: a receive whose DMA completed */
};

/* Header of a slot; the data of a short message follows. */
struct tp_envelope {
	uint32_t sender;
	uint32_t req; /* sender's request, for a long message */
	uint64_t tag;
	uint64_t bytes;
	uint64_t src; /* address at the sender; 0: the data follows */
	uint64_t reserved[2];
};

static_assert(sizeof(struct tp_envelope) == 48, "shared format");

enum tp_state {
	TP_FREE,
	TP_WAITS,   /* rx: waits for a message; tx: waits for the DMA */
	TP_MATCHED, /* rx: long message, DMA not posted yet */
	TP_FETCHES_NOW,
	TP_DONE,
};

struct tp_req {
	struct weft_sten_event event;  /* first: peers use its address */
	uint64_t start[TP_STARTS + 1]; /* copied by event: thread start */
	struct weft_list link;	       /* in posted, matched or free */
	uint8_t state;
	bool tx;
	uint32_t peer;	  /* rx: wanted sender; tx: destination */
	uint32_t far_req; /* rx: request of the sender */
	uint64_t tag;
	uint64_t ignore;
	uint64_t buf;
	uint64_t room;
	uint64_t far_src;
	struct weft_sten_tports_status status;
};

/* An unexpected message. */
struct tp_early {
	struct weft_list link;
	struct tp_envelope env;
	unsigned char data[];
};

/* Memory that peers access, at TP_ADDRESS. */
struct tp_elan {
	alignas(64) struct weft_sten_input input;
	struct weft_sten_event arrived;
	uint64_t start[TP_STARTS + 1];
	alignas(64) struct tp_req req[WEFT_STEN_TPORTS_REQS];
	alignas(64) unsigned char slot[];
};

/* State of one destination. */
struct tp_dest {
	unsigned q;
	unsigned turn; /* next channel */
};

struct weft_sten_tports {
	struct weft_list link; /* in the unit's list */
	struct weft_sten *s;
	struct tp_elan *elan;
	unsigned context;
	uint32_t me;
	uint32_t eager_bytes;
	uint64_t elan_room;
	unsigned q_post;       /* host: receives */
	unsigned q_event;      /* events: starts of the thread */
	unsigned q_thread;     /* thread: DMAs */
	struct weft_hash dest; /* vproc + 1 -> struct tp_dest */
	struct weft_list free;
	/* lists of the thread */
	struct weft_list posted;
	struct weft_list early;
	struct weft_list matched; /* waiting for a DMA */
	unsigned fetches;
	struct weft_sten_tports_stats stats;
};

/* Address of an object in Elan memory, equal in every process. */
static inline uint64_t tp_address(const struct weft_sten_tports *t,
				  const void *p)
{
	return TP_ADDRESS + (uint64_t)((const char *)p - (const char *)t->elan);
}

/* True if the number is one process (not a range) with a route. */
static inline bool tp_reaches(struct weft_sten_tports *t, uint32_t vproc)
{
	const struct sten_route *r = sten_route(t->s, vproc);

	return r && r->peer;
}

/* sten_tport_match.c */
int tp_programs_set(struct weft_sten_tports *t, bool on);
void tp_match_fini(struct weft_sten_tports *t);

#endif
