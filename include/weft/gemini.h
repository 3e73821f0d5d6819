/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface of Cray Gemini, emulated: fast memory access (FMA),
 * block transfer engine (BTE), completion queues, short-message mailboxes
 * (SMSG) and a shared message queue (MSGQ). Link with -lweft-nic.
 *
 *	weft_gemini_open
 *	  weft_gemini_cq_open               completion queue
 *	  weft_gemini_mem_open              memory handle
 *	  weft_gemini_node_set              address of a PE number
 *	  weft_gemini_window_set            program an FMA descriptor
 *	  weft_gemini_store / _get / _amo   requests through a window
 *	  weft_gemini_sync                  event at their completion
 *	  weft_gemini_bte_post              blocks of any size
 *	  weft_gemini_poll                  run the engines
 *	  weft_gemini_cq_read               read events
 *	weft_gemini_close
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
/* windows 64 and above are for the operating system */
#define WEFT_GEMINI_WINDOWS	 68
#define WEFT_GEMINI_STORE	 64 /* largest store and get, bytes */
#define WEFT_GEMINI_CQS		 1024
#define WEFT_GEMINI_MDDS	 4096
#define WEFT_GEMINI_NTT		 8192
/* maximum number of outstanding request buffers */
#define WEFT_GEMINI_ORB		 1024
/* maximum number of open transactions */
#define WEFT_GEMINI_SSIDS	 255
/* channels of the block transfer engine */
#define WEFT_GEMINI_CHANNELS	 4
/* transmit descriptors of one channel */
#define WEFT_GEMINI_TX_DESCS	 1023
#define WEFT_GEMINI_RX_DESCS	 1024
#define WEFT_GEMINI_PE_BITS	 18
#define WEFT_GEMINI_OFFSET_BITS	 40
#define WEFT_GEMINI_DATAGRAM	 128
/* largest message of the shared queue, bytes */
#define WEFT_GEMINI_MSGQ_BYTES	 128
/* maximum number of links to a neighbour */
#define WEFT_GEMINI_LINKS	 8
#define WEFT_GEMINI_LINKS_Y	 4   /* links to a neighbour in y */
#define WEFT_GEMINI_VMDHS	 256 /* number of virtual memory handles */
/* log2 of the PEs per NTT entry; at least 5 */
#define WEFT_GEMINI_NTT_GRAIN	 6
/* timeout period of the hardware */
#define WEFT_GEMINI_SCRUB_NS	 1000000000u

struct weft_gemini;

/* Status of a request. */
enum weft_gemini_status {
	WEFT_GEMINI_OK,
	WEFT_GEMINI_UNCORRECTABLE,
	WEFT_GEMINI_INVALID_COMMAND,
	WEFT_GEMINI_TRANSLATION, /* no such PE */
	WEFT_GEMINI_VMDH_INVALID,
	WEFT_GEMINI_MDD_INVALID,
	/* wrong protection tag, or no write permission */
	WEFT_GEMINI_PROTECTION,
	WEFT_GEMINI_BOUNDS,
	/* a send found no posted buffer at the target */
	WEFT_GEMINI_SEQ_TERMINATE,
	WEFT_GEMINI_TIMEOUT, /* no response from the target */
	WEFT_GEMINI_HT_DATA,
};

enum weft_gemini_source {
	WEFT_GEMINI_LOCAL = 1,	/* the source buffer may be reused */
	WEFT_GEMINI_GLOBAL = 2, /* the data is in the target's memory */
	WEFT_GEMINI_REMOTE = 4, /* event at the target: data has arrived */
};

struct weft_gemini_attr {
	struct weft_place place;
	uint8_t ptag; /* protection tag of all objects of this unit */
	/* 1: results of cached AMOs are written to memory only on eviction */
	int lazy_amo;
	/*
	 * Number of links to a neighbour, up to 8. Packets on different links
	 * may be reordered; the delivery mode determines the link of a packet.
	 * 0: packets arrive in the order of the requests.
	 */
	unsigned links;
	/*
	 * With links: number of router chips in x, y and z; 0: all other PEs
	 * are neighbours. Chips are numbered along x first. PEs 2 i and 2 i + 1
	 * are on chip i and communicate inside the chip, without a link. A chip
	 * has eight links to a neighbour in x and z, four in y; packets use the
	 * first dimension in which the chips differ. pe: number of this unit.
	 */
	uint16_t torus[3];
	uint32_t pe;
	/*
	 * Requests without a response end with WEFT_GEMINI_TIMEOUT after one to
	 * two periods, partly received sends after half a period. 0: no
	 * timeouts. The hardware's period is WEFT_GEMINI_SCRUB_NS; an emulated
	 * unit responds only when its program polls, so use a longer period.
	 */
	uint64_t scrub_ns;
	/*
	 * Called from poll when a datagram of up to 128 bytes has arrived.
	 * NULL: datagrams are ignored.
	 */
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
 * Sets an entry of the network translation table (NTT): the upper 12 bits i of
 * a virtual PE are replaced by value. Without any entry, virtual and physical
 * PE numbers are equal.
 */
int weft_gemini_ntt_set(struct weft_gemini *f, unsigned i, unsigned value);
/*
 * Sets the number of low bits of a PE that are not translated, initially 6;
 * with 5, the table has its maximum of 8192 entries. Removes all entries.
 * -EINVAL: not 5 to 17.
 */
int weft_gemini_ntt_grain(struct weft_gemini *f, unsigned bits);
int weft_gemini_poll(struct weft_gemini *f, int budget);
int weft_gemini_wait(struct weft_gemini *f, uint64_t timeout_ns);
int weft_gemini_datagram_send(struct weft_gemini *f, uint32_t pe,
			      const void *buf, unsigned bytes);

/* ---- completion queues ---- */

struct weft_gemini_event {
	uint64_t data;	 /* user data, 56 bits */
	uint8_t source;	 /* enum weft_gemini_source */
	uint8_t status;	 /* enum weft_gemini_status */
	uint8_t overrun; /* 1: events before this one were lost */
};

/* Opens a completion queue. entries: a power of two. *cq_p: its number. */
int weft_gemini_cq_open(struct weft_gemini *f, uint32_t entries,
			unsigned *cq_p);
int weft_gemini_cq_close(struct weft_gemini *f, unsigned cq);
/* Reads the next event. -EAGAIN: there is none. */
int weft_gemini_cq_read(struct weft_gemini *f, unsigned cq,
			struct weft_gemini_event *ev);

/* ---- memory ---- */

#define WEFT_GEMINI_NO_CQ    0xffffu
#define WEFT_GEMINI_WRITABLE 1u

/*
 * Registers memory. *mdh_p: handle (12 bits) for peers. Remote events of
 * arriving data are written to cq.
 */
int weft_gemini_mem_open(struct weft_gemini *f, void *base, uint64_t bytes,
			 unsigned flags, unsigned cq, unsigned *mdh_p);
int weft_gemini_mem_close(struct weft_gemini *f, unsigned mdh);
/*
 * Maps a virtual handle v, below WEFT_GEMINI_VMDHS, to mdh, so that all units
 * of a job can use one number: peers use WEFT_GEMINI_VMDH | v. Requests with an
 * unmapped virtual handle end with WEFT_GEMINI_VMDH_INVALID.
 */
#define WEFT_GEMINI_VMDH 0x1000u
int weft_gemini_vmdh_set(struct weft_gemini *f, unsigned v, unsigned mdh);
int weft_gemini_vmdh_clear(struct weft_gemini *f, unsigned v);

/* ---- fast memory access ---- */

/*
 * Selection of a packet's link. PERFORMANCE: adaptive, the link with the least
 * load. NO_ADAPT: by a hash of source, target and cache line, so that packets
 * to one line keep their order. IN_ORDER: by a hash without the line, so that
 * all packets to one PE keep their order.
 */
enum weft_gemini_delivery {
	WEFT_GEMINI_PERFORMANCE = 0,
	WEFT_GEMINI_NO_ADAPT = 1,
	WEFT_GEMINI_NO_HASH = 2, /* the hash does not include the cache line */
	WEFT_GEMINI_IN_ORDER = WEFT_GEMINI_NO_ADAPT | WEFT_GEMINI_NO_HASH,
};

/*
 * Target of a window. A store at window offset w writes to offset base + (w mod
 * 2^addr_bits) of handle mdh on PE pe + (w >> addr_bits).
 */
struct weft_gemini_window {
	uint32_t pe;
	uint16_t mdh;
	/* number of address bits in a window offset; 0: all */
	uint8_t addr_bits;
	uint8_t delivery; /* enum weft_gemini_delivery */
	uint64_t base;
	uint16_t cq; /* completion queue for local and global events */
};

/*
 * Sets a window. The ptag of windows WEFT_GEMINI_USER_WINDOWS and above may
 * differ from the ptag of the unit.
 */
int weft_gemini_window_set(struct weft_gemini *f, unsigned w,
			   const struct weft_gemini_window *win);
int weft_gemini_window_ptag(struct weft_gemini *f, unsigned w, uint8_t ptag);

/* Stores 0..64 bytes; the source may be reused at once. */
int weft_gemini_store(struct weft_gemini *f, unsigned w, uint64_t offset,
		      const void *src, unsigned bytes);
/*
 * Writes up to 1024 bytes by several stores. Either all stores are issued, or
 * none (-EAGAIN).
 */
int weft_gemini_put(struct weft_gemini *f, unsigned w, uint64_t offset,
		    const void *src, uint64_t bytes);
/*
 * Writes up to 1024 bytes of data, then an 8-byte flag. If the memory handle
 * has a completion queue, also writes a remote event that contains the flag.
 * Used for mailboxes.
 */
int weft_gemini_put_flag(struct weft_gemini *f, unsigned w, uint64_t offset,
			 const void *src, unsigned bytes, uint64_t flag_offset,
			 uint64_t flag);

/* Local destination of a get's or fetching AMO's response. */
struct weft_gemini_local {
	uint16_t mdh;
	uint64_t offset;
};

/* Reads 4..64 bytes; offset, length, local address are multiples of 4. */
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
#define WEFT_GEMINI_FETCH    0x10u /* flag: return the old value */
/* flag: operate on memory, not on the AMO cache */
#define WEFT_GEMINI_UNCACHED 0x20u

/*
 * Executes an atomic operation on 8 aligned bytes; `to` may be NULL without
 * WEFT_GEMINI_FETCH.
 */
int weft_gemini_amo(struct weft_gemini *f, unsigned w, uint64_t offset,
		    unsigned op, uint64_t a, uint64_t b,
		    const struct weft_gemini_local *to);
/* Writes cached AMO results to memory and empties the cache. */
void weft_gemini_amo_flush(struct weft_gemini *f);

/*
 * Ends the transaction of all requests through window w since the last sync.
 * When all requests are acknowledged, an event is written to the window's
 * queue, with this data, source WEFT_GEMINI_GLOBAL and the first error status.
 * -ENOENT: there was no request.
 */
int weft_gemini_sync(struct weft_gemini *f, unsigned w, uint64_t data);

/* ---- block transfer engine ---- */

enum weft_gemini_bte_type {
	WEFT_GEMINI_BTE_PUT,
	WEFT_GEMINI_BTE_GET,
	WEFT_GEMINI_BTE_SEND,
};
/* execute after all earlier transfers of the channel */
#define WEFT_GEMINI_BTE_FENCE  1u
#define WEFT_GEMINI_BTE_NOTIFY 2u /* also write a remote event with data */
/* write an event when the source may be reused */
#define WEFT_GEMINI_BTE_LOCAL  4u

struct weft_gemini_bte {
	uint8_t type;
	uint8_t flags;
	/* queue of local and global events; WEFT_GEMINI_NO_CQ: none */
	uint16_t cq;
	uint32_t pe;
	uint8_t delivery; /* enum weft_gemini_delivery */
	struct weft_gemini_local local;
	struct weft_gemini_local remote; /* send: not used */
	uint32_t bytes; /* length; a multiple of 4, like the offsets */
	uint64_t data;
};

int weft_gemini_bte_post(struct weft_gemini *f, unsigned channel,
			 const struct weft_gemini_bte *bte);
/*
 * Posts a buffer for the next send received on this channel. The event of that
 * send has source WEFT_GEMINI_REMOTE.
 */
int weft_gemini_bte_recv(struct weft_gemini *f, unsigned channel,
			 const struct weft_gemini_local *to, uint32_t bytes,
			 unsigned cq, uint64_t data);

/* ---- short-message mailboxes ---- */

struct weft_gemini_smsg;

/* Address of a mailbox, which the two sides exchange by other means. */
struct weft_gemini_smsg_name {
	uint32_t pe;
	uint16_t mdh;
	uint16_t slots;
	uint32_t slot_bytes;
};

/*
 * Opens a mailbox. slots: number of credits, a power of two; bytes: size of the
 * largest message, <= 65535.
 */
int weft_gemini_smsg_open(struct weft_gemini *f, uint16_t slots, uint32_t bytes,
			  struct weft_gemini_smsg **s_p);
void weft_gemini_smsg_close(struct weft_gemini_smsg *s);
/* Fills in all fields of `name` except pe, which the caller sets. */
void weft_gemini_smsg_name(const struct weft_gemini_smsg *s,
			   struct weft_gemini_smsg_name *name);
/*
 * Connects a mailbox, which then uses window w. Both sides must have the same
 * number of slots and the same message size.
 */
int weft_gemini_smsg_connect(struct weft_gemini_smsg *s, unsigned w,
			     const struct weft_gemini_smsg_name *remote);
/* Sends a message. -EAGAIN: no credit. -EMSGSIZE: the message is too long. */
int weft_gemini_smsg_send(struct weft_gemini_smsg *s, const void *buf,
			  uint32_t bytes);
/*
 * Returns the next message, valid until weft_gemini_smsg_release(). -EAGAIN:
 * there is none.
 */
int weft_gemini_smsg_next(struct weft_gemini_smsg *s, const void **buf_p,
			  uint32_t *bytes_p);
void weft_gemini_smsg_release(struct weft_gemini_smsg *s);

/* ---- shared message queue ---- */

/*
 * One queue for the short messages of all other units. Mailboxes are not opened
 * explicitly: the first message between two units creates the mailbox of the
 * pair. A unit has at most one such queue.
 */
struct weft_gemini_msgq;

struct weft_gemini_msgq_attr {
	unsigned w;	/* window, set and used by the queue */
	uint16_t slots; /* credits of a pair, a power of two */
	/* Called from progress for a message; buf is valid during the call. */
	void (*message)(void *arg, uint32_t pe, const void *buf,
			uint32_t bytes);
	void *arg;
};

int weft_gemini_msgq_open(struct weft_gemini *f,
			  const struct weft_gemini_msgq_attr *attr,
			  struct weft_gemini_msgq **q_p);
void weft_gemini_msgq_close(struct weft_gemini_msgq *q);
/*
 * Sends up to WEFT_GEMINI_MSGQ_BYTES bytes. -EAGAIN: no credit, or the peer has
 * not replied to the first message: call poll and progress, then repeat.
 * -EMSGSIZE: the message is too long.
 */
int weft_gemini_msgq_send(struct weft_gemini_msgq *q, uint32_t pe,
			  const void *buf, uint32_t bytes);
/* Delivers up to budget messages, round-robin. Returns their number. */
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
	uint64_t outstanding; /* outstanding-request buffers in use now */
	uint64_t link[WEFT_GEMINI_LINKS]; /* carrier packets on each link */
	uint64_t inside; /* packets to the other unit of the same chip */
};

void weft_gemini_stats(struct weft_gemini *f, struct weft_gemini_stats *s);

#ifdef __cplusplus
}
#endif
#endif
