/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface of Cray Gemini, emulated: fast memory access (FMA),
 * block transfer engine (BTE), completion queues, short-message mailboxes
 * (SMSG) and a shared message queue (MSGQ). Link with -lweft-nic.
 *
 *	weft_gemini_open
 *	  weft_gemini_cq_open, weft_gemini_mem_open    queues and memory handles
 *	  weft_gemini_node_set                      address of a PE number
 *	  weft_gemini_window_set                    program an FMA descriptor
 *	  weft_gemini_store / _get / _amo           through its window
 *	  weft_gemini_sync                          event when these are
 *complete weft_gemini_bte_post                      blocks of any size
 *	  weft_gemini_poll, weft_gemini_cq_read        run the engines, take
 *events weft_gemini_close
 *
 * No function blocks, except weft_gemini_wait. Functions return 0 or a negative
 * errno; -EAGAIN means that nothing happened and the call may be repeated (no
 * outstanding-request buffer, no transaction id, carrier full). One thread at a
 * time per unit.
 */
#ifndef WEFT_GEMINI_H
#define WEFT_GEMINI_H

#include <stdint.h>
#include <weft/place.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_GEMINI_USER_WINDOWS 64
#define WEFT_GEMINI_WINDOWS	 68 /* from 64 on: operating system only */
#define WEFT_GEMINI_STORE	 64 /* largest store and get */
#define WEFT_GEMINI_CQS		 1024
#define WEFT_GEMINI_MDDS	 4096
#define WEFT_GEMINI_NTT		 8192
#define WEFT_GEMINI_ORB		 1024 /* outstanding requests */
#define WEFT_GEMINI_SSIDS	 255  /* open transactions */
#define WEFT_GEMINI_CHANNELS	 4    /* of the block transfer engine */
#define WEFT_GEMINI_TX_DESCS	 1023 /* of one channel */
#define WEFT_GEMINI_RX_DESCS	 1024
#define WEFT_GEMINI_PE_BITS	 18
#define WEFT_GEMINI_OFFSET_BITS	 40
#define WEFT_GEMINI_DATAGRAM	 128
#define WEFT_GEMINI_MSGQ_BYTES	 128 /* largest message of the shared queue */
#define WEFT_GEMINI_LINKS	 8   /* links to a neighbour, at most */
#define WEFT_GEMINI_LINKS_Y	 4   /* links to a neighbour in y */
#define WEFT_GEMINI_VMDHS	 256 /* virtual memory handles */
#define WEFT_GEMINI_NTT_GRAIN	 6   /* PEs of an entry, in bits; 5 at least */
#define WEFT_GEMINI_SCRUB_NS	 1000000000u /* value of the machine */

struct weft_gemini;

/* Status of a request. */
enum weft_gemini_status {
	WEFT_GEMINI_OK,
	WEFT_GEMINI_UNCORRECTABLE,
	WEFT_GEMINI_INVALID_COMMAND,
	WEFT_GEMINI_TRANSLATION, /* no such PE */
	WEFT_GEMINI_VMDH_INVALID,
	WEFT_GEMINI_MDD_INVALID,
	WEFT_GEMINI_PROTECTION, /* protection tag or write permission */
	WEFT_GEMINI_BOUNDS,
	WEFT_GEMINI_SEQ_TERMINATE, /* send without a posted buffer */
	WEFT_GEMINI_TIMEOUT,	   /* no response from the target */
	WEFT_GEMINI_HT_DATA,
};

enum weft_gemini_source {
	WEFT_GEMINI_LOCAL = 1,	/* the source buffer may be reused */
	WEFT_GEMINI_GLOBAL = 2, /* the data is in the target's memory */
	WEFT_GEMINI_REMOTE = 4, /* at the target: data arrived */
};

struct weft_gemini_attr {
	struct weft_place place;
	uint8_t ptag; /* protection tag of all objects of this unit */
	int lazy_amo; /* cached AMOs reach memory on eviction only */
	/*
	 * Links to a neighbour, up to 8: packets on different links may be
	 * reordered, and the delivery mode determines the link of a packet. 0:
	 * packets arrive in the order of the requests.
	 */
	unsigned links;
	/*
	 * With links: router chips in x, y and z. PEs 2 i and 2 i + 1 are on
	 * chip i, x first, and communicate inside it without a link; eight
	 * links lead to neighbours in x and z, four in y, in the first
	 * dimension in which the chips differ. pe is this unit's own. 0: all
	 * other PEs are neighbours.
	 */
	uint16_t torus[3];
	uint32_t pe;
	/*
	 * Requests without response end with WEFT_GEMINI_TIMEOUT after one to
	 * two periods, partly received sends after half a period. 0: no
	 * timeouts. On the machine WEFT_GEMINI_SCRUB_NS; here a unit responds
	 * only when its program polls.
	 */
	uint64_t scrub_ns;
	/* A datagram of up to 128 bytes arrived; from poll. NULL: ignored. */
	void (*datagram)(void *arg, uint32_t pe, const void *buf,
			 unsigned bytes);
	void *arg;
};

int weft_gemini_open(const struct weft_gemini_attr *attr,
		     struct weft_gemini **f_p);
void weft_gemini_close(struct weft_gemini *f);
void weft_gemini_name(struct weft_gemini *f, struct sockaddr_in *name);
/* Sets the address of physical processing element pe (18 bits). */
int weft_gemini_node_set(struct weft_gemini *f, uint32_t pe,
			 const struct sockaddr_in *name);
/*
 * Network translation: the upper 12 bits i of a virtual PE are replaced by
 * value. Without any entry virtual and physical PE are equal.
 */
int weft_gemini_ntt_set(struct weft_gemini *f, unsigned i, unsigned value);
/*
 * Sets the number of low bits of a PE that are not translated, initially 6;
 * with 5 all 8192 entries are used. Removes all entries. -EINVAL: not 5 to 17.
 */
int weft_gemini_ntt_grain(struct weft_gemini *f, unsigned bits);
int weft_gemini_poll(struct weft_gemini *f, int budget);
int weft_gemini_wait(struct weft_gemini *f, uint64_t timeout_ns);
int weft_gemini_datagram_send(struct weft_gemini *f, uint32_t pe,
			      const void *buf, unsigned bytes);

/* ---- completion queues ---- */

struct weft_gemini_event {
	uint64_t data;	 /* 56 bits of user data */
	uint8_t source;	 /* enum weft_gemini_source */
	uint8_t status;	 /* enum weft_gemini_status */
	uint8_t overrun; /* events before this one were lost */
};

/* entries: a power of two. cq_p receives the number of the queue. */
int weft_gemini_cq_open(struct weft_gemini *f, uint32_t entries,
			unsigned *cq_p);
int weft_gemini_cq_close(struct weft_gemini *f, unsigned cq);
/* -EAGAIN: no event. */
int weft_gemini_cq_read(struct weft_gemini *f, unsigned cq,
			struct weft_gemini_event *ev);

/* ---- memory ---- */

#define WEFT_GEMINI_NO_CQ    0xffffu
#define WEFT_GEMINI_WRITABLE 1u

/*
 * Registers memory; mdh_p receives the handle (12 bits) that peers use.
 * Arrivals with a remote event are reported to cq.
 */
int weft_gemini_mem_open(struct weft_gemini *f, void *base, uint64_t bytes,
			 unsigned flags, unsigned cq, unsigned *mdh_p);
int weft_gemini_mem_close(struct weft_gemini *f, unsigned mdh);
/*
 * Maps a virtual handle, below WEFT_GEMINI_VMDHS, to mdh, so that all units of
 * a job may use one number: peers use WEFT_GEMINI_VMDH | v. Requests with an
 * unmapped virtual handle end with WEFT_GEMINI_VMDH_INVALID.
 */
#define WEFT_GEMINI_VMDH 0x1000u
int weft_gemini_vmdh_set(struct weft_gemini *f, unsigned v, unsigned mdh);
int weft_gemini_vmdh_clear(struct weft_gemini *f, unsigned v);

/* ---- fast memory access ---- */

/*
 * Choice of a packet's link. PERFORMANCE: adaptive, the link with the least
 * load. NO_ADAPT: by a hash of source, target and cache line, so that packets
 * to one line keep their order. IN_ORDER: without the line in the hash, so that
 * all packets to one PE keep their order.
 */
enum weft_gemini_delivery {
	WEFT_GEMINI_PERFORMANCE = 0,
	WEFT_GEMINI_NO_ADAPT = 1,
	WEFT_GEMINI_NO_HASH = 2, /* of the cache line */
	WEFT_GEMINI_IN_ORDER = WEFT_GEMINI_NO_ADAPT | WEFT_GEMINI_NO_HASH,
};

/*
 * Target of a window. A store at window offset w goes to offset base + (w mod
 * 2^addr_bits) of handle mdh on PE pe + (w >> addr_bits).
 */
struct weft_gemini_window {
	uint32_t pe;
	uint16_t mdh;
	uint8_t addr_bits; /* 0: all bits are address bits */
	uint8_t delivery;  /* enum weft_gemini_delivery */
	uint64_t base;
	uint16_t cq; /* for local and global events */
};

/* Windows from WEFT_GEMINI_USER_WINDOWS on may have another ptag than the unit.
 */
int weft_gemini_window_set(struct weft_gemini *f, unsigned w,
			   const struct weft_gemini_window *win);
int weft_gemini_window_ptag(struct weft_gemini *f, unsigned w, uint8_t ptag);

/* Stores 0..64 bytes; the source may be reused at once. */
int weft_gemini_store(struct weft_gemini *f, unsigned w, uint64_t offset,
		      const void *src, unsigned bytes);
/* Up to 1024 bytes as several stores; all of them or -EAGAIN. */
int weft_gemini_put(struct weft_gemini *f, unsigned w, uint64_t offset,
		    const void *src, uint64_t bytes);
/*
 * Up to 1024 bytes of data, then an 8-byte flag that is written after them, and
 * a remote event with the flag if mdh has a queue: as a mailbox needs.
 */
int weft_gemini_put_flag(struct weft_gemini *f, unsigned w, uint64_t offset,
			 const void *src, unsigned bytes, uint64_t flag_offset,
			 uint64_t flag);

/* Local destination of a get's or fetching AMO's response. */
struct weft_gemini_local {
	uint16_t mdh;
	uint64_t offset;
};

/* 4..64 bytes; offset, length and local address must be multiples of 4. */
int weft_gemini_get(struct weft_gemini *f, unsigned w, uint64_t offset,
		    const struct weft_gemini_local *to, unsigned bytes);

enum weft_gemini_amo_op {
	WEFT_GEMINI_ADD,
	WEFT_GEMINI_AND,
	WEFT_GEMINI_OR,
	WEFT_GEMINI_XOR,
	WEFT_GEMINI_AX,	   /* (v & a) ^ b; 16-byte aligned */
	WEFT_GEMINI_CSWAP, /* v == a ? b : v; fetching only */
};
#define WEFT_GEMINI_FETCH    0x10u /* ORed in: returns the old value */
#define WEFT_GEMINI_UNCACHED 0x20u /* ORed in: memory itself, not the cache */

/* 8 aligned bytes; to may be NULL without WEFT_GEMINI_FETCH. */
int weft_gemini_amo(struct weft_gemini *f, unsigned w, uint64_t offset,
		    unsigned op, uint64_t a, uint64_t b,
		    const struct weft_gemini_local *to);
/* Writes cached AMO results to memory and empties the cache. */
void weft_gemini_amo_flush(struct weft_gemini *f);

/*
 * Ends the transaction of all requests through window w since the last sync:
 * when all are acknowledged, an event with data, source WEFT_GEMINI_GLOBAL and
 * the first error status is written to the window's queue. -ENOENT: no request.
 */
int weft_gemini_sync(struct weft_gemini *f, unsigned w, uint64_t data);

/* ---- block transfer engine ---- */

enum weft_gemini_bte_type {
	WEFT_GEMINI_BTE_PUT,
	WEFT_GEMINI_BTE_GET,
	WEFT_GEMINI_BTE_SEND,
};
#define WEFT_GEMINI_BTE_FENCE  1u /* after all earlier ones of the channel */
#define WEFT_GEMINI_BTE_NOTIFY 2u /* remote event with data, too */
#define WEFT_GEMINI_BTE_LOCAL  4u /* event when the source may be reused */

struct weft_gemini_bte {
	uint8_t type;
	uint8_t flags;
	uint16_t cq; /* local and global event; WEFT_GEMINI_NO_CQ: none */
	uint32_t pe;
	uint8_t delivery; /* enum weft_gemini_delivery */
	struct weft_gemini_local local;
	struct weft_gemini_local remote; /* send: not used */
	uint32_t bytes; /* a multiple of 4, as are the offsets */
	uint64_t data;
};

int weft_gemini_bte_post(struct weft_gemini *f, unsigned channel,
			 const struct weft_gemini_bte *bte);
/* Posts a buffer for the next send on channel; event WEFT_GEMINI_REMOTE. */
int weft_gemini_bte_recv(struct weft_gemini *f, unsigned channel,
			 const struct weft_gemini_local *to, uint32_t bytes,
			 unsigned cq, uint64_t data);

/* ---- short-message mailboxes ---- */

struct weft_gemini_smsg;

/* Address of a mailbox for the other side; exchanged by any means. */
struct weft_gemini_smsg_name {
	uint32_t pe;
	uint16_t mdh;
	uint16_t slots;
	uint32_t slot_bytes;
};

/* slots: a power of two (credits); bytes: the largest message, <= 65535. */
int weft_gemini_smsg_open(struct weft_gemini *f, uint16_t slots, uint32_t bytes,
			  struct weft_gemini_smsg **s_p);
void weft_gemini_smsg_close(struct weft_gemini_smsg *s);
/* Fills in name except pe, which the caller sets. */
void weft_gemini_smsg_name(const struct weft_gemini_smsg *s,
			   struct weft_gemini_smsg_name *name);
/* Both sides must have equal slots and sizes; uses window w. */
int weft_gemini_smsg_connect(struct weft_gemini_smsg *s, unsigned w,
			     const struct weft_gemini_smsg_name *remote);
/* -EAGAIN: no credit. -EMSGSIZE. */
int weft_gemini_smsg_send(struct weft_gemini_smsg *s, const void *buf,
			  uint32_t bytes);
/* The next message, in place until release; -EAGAIN: none. */
int weft_gemini_smsg_next(struct weft_gemini_smsg *s, const void **buf_p,
			  uint32_t *bytes_p);
void weft_gemini_smsg_release(struct weft_gemini_smsg *s);

/* ---- shared message queue ---- */

/*
 * One queue for the short messages of all other units: mailboxes are not opened
 * explicitly, a pair's is created with its first message. A unit has at most
 * one.
 */
struct weft_gemini_msgq;

struct weft_gemini_msgq_attr {
	unsigned w;	/* window that the queue sets itself */
	uint16_t slots; /* credits of a pair, a power of two */
	/* A message arrived; from progress. buf is valid during the call. */
	void (*message)(void *arg, uint32_t pe, const void *buf,
			uint32_t bytes);
	void *arg;
};

int weft_gemini_msgq_open(struct weft_gemini *f,
			  const struct weft_gemini_msgq_attr *attr,
			  struct weft_gemini_msgq **q_p);
void weft_gemini_msgq_close(struct weft_gemini_msgq *q);
/*
 * Up to WEFT_GEMINI_MSGQ_BYTES. -EAGAIN: the peer has not replied to the first
 * message yet, or no credit: call poll and progress, then repeat. -EMSGSIZE.
 */
int weft_gemini_msgq_send(struct weft_gemini_msgq *q, uint32_t pe,
			  const void *buf, uint32_t bytes);
/* Delivers up to budget messages, round-robin by pair; returns the number. */
int weft_gemini_msgq_progress(struct weft_gemini_msgq *q, int budget);

/* ---- counters ---- */

struct weft_gemini_stats {
	uint64_t requests; /* network packets of at most 64 bytes */
	uint64_t responses;
	uint64_t phits;	   /* phits sent, of 24 bits */
	uint64_t errors;   /* requests that ended with an error status */
	uint64_t rejected; /* received requests that were refused */
	uint64_t amo_hits;
	uint64_t amo_misses;
	uint64_t outstanding;		  /* buffers in use now */
	uint64_t link[WEFT_GEMINI_LINKS]; /* carrier packets on each link */
	uint64_t inside;		  /* to the other unit of the chip */
};

void weft_gemini_stats(struct weft_gemini *f, struct weft_gemini_stats *s);

#ifdef __cplusplus
}
#endif
#endif
