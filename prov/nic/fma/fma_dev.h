/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the Gemini interface.
 *
 *  fma.c         open, close, nodes, handles
 *  fma_cq.c      completion queues
 *  fma_tx.c      windows: stores, gets, AMOs; buffers and transactions
 *  fma_rx.c      received requests and responses
 *  fma_amo.c     atomic operations and their cache
 *  fma_bte.c     block transfers
 *  fma_link.c    links, on which packets may be reordered
 *  fma_scrub.c   timeouts of requests without response
 *  fma_smsg.c    mailboxes; fma_msgq.c one queue of them for all senders
 *  fma_engine.c  the unit below the message engine (machine gemini)
 */
#ifndef WEFT_PROV_FMA_DEV_H
#define WEFT_PROV_FMA_DEV_H

#include "prov/nic/fma/fma_layout.h"
#include "prov/nic/nic_answer.h"
#include "prov/nic/nic_order.h"
#include "prov/nic/nic_port.h"
#include "src/base/list.h"
#include "src/base/rng.h"

#define FMA_BURST     1024 /* bytes of stores in one carrier packet */
#define FMA_BTE_BURST 4096
#define FMA_AMO_LINES 64
#define FMA_IOV	      8 /* segments of one request */

struct fma_cq {
	uint64_t *ring; /* NULL: closed */
	uint32_t mask;
	uint64_t head;
	uint64_t tail;
	bool overrun; /* an event was lost since the last one written */
};

struct fma_mdd {
	uint64_t base;
	uint64_t bytes;
	uint16_t cq;
	uint8_t ptag;
	uint8_t flags;
	bool valid;
};

/* A transaction (SSID): requests that complete together. */
struct fma_txn {
	bool used;
	bool closed;	/* no more requests may join */
	uint8_t status; /* first error status */
	uint16_t cq;
	uint32_t pending; /* requests without response */
	uint64_t data;
	uint32_t *fence; /* decremented at completion; NULL: no fence */
};

/* Outstanding request buffer. */
struct fma_orb {
	bool used;
	bool stale;	/* outstanding at the last scrubber pass */
	uint8_t weight; /* network packets this entry counts for */
	uint16_t gen;
	uint16_t ssid;
	uint32_t bytes; /* bytes expected in the response */
	uint64_t local; /* address for the bytes of the response */
	struct weft_peer *peer;
};

struct fma_window {
	struct weft_fma_window w;
	bool set;
	uint8_t ptag;
	int ssid; /* open transaction, -1: none */
};

struct fma_bte_desc {
	struct weft_fma_bte b;
	uint32_t sent;
	int ssid;	       /* -1: not started */
	struct fma_bulk *bulk; /* transfer of the message engine, or NULL */
};

struct fma_rx_desc {
	struct weft_fma_local to;
	uint32_t bytes;
	uint16_t cq;
	uint64_t data;
};

/* Receiver's record of a partly received send. */
struct fma_rmt {
	struct weft_list link;
	struct weft_peer *peer;
	unsigned ssid;
	uint32_t got;
	uint32_t total;
	uint64_t addr; /* 0: refused, further packets are refused too */
	uint64_t heard_ns;
	uint16_t cq;
	uint64_t data;
};

struct fma_channel {
	struct fma_bte_desc *tx; /* ring of WEFT_FMA_TX_DESCS + 1 */
	uint32_t tx_head;
	uint32_t tx_tail;
	uint32_t in_flight; /* started and incomplete transfers */
	struct fma_rx_desc *rx;
	uint32_t rx_head;
	uint32_t rx_tail;
	struct weft_list rmt;
};

struct fma_line {
	uint64_t addr; /* 0: empty */
	uint64_t value;
	bool dirty;
};

#define FMA_DIRECTIONS 6 /* directions: neighbours in +x, -x, +y, -y, +z, -z \
			  */

/* One of the links to a neighbour. */
struct fma_link {
	struct weft_list queue; /* struct link_packet */
	unsigned count;
};

struct weft_fma {
	struct weft_port port;
	uint8_t ptag;
	bool lazy_amo;
	bool ntt_on;
	unsigned links; /* links per direction; 0: packets are sent at once */
	unsigned roads; /* directions with links: 6 in a torus, else 1 */
	uint16_t torus[3];
	uint32_t pe;
	struct fma_link link[FMA_DIRECTIONS * WEFT_FMA_LINKS];
	unsigned link_next;
	struct weft_rng link_rng; /* chooses the link that sends next */
	uint64_t scrub_ns;	  /* timeout period; 0: no timeouts */
	uint64_t scrubbed_ns;
	uint64_t (*clock)(void); /* NULL: the carrier's or the host's */
	struct weft_fma_msgq *msgq;
	void (*datagram)(void *, uint32_t, const void *, unsigned);
	void *datagram_arg;
	/*
	 * Set by fma_engine.c: returns the mailbox of a peer as memory
	 * descriptor, or NULL; and the callback for a message stored in it.
	 */
	struct fma_mdd *(*mailbox)(struct weft_fma *f, struct weft_peer *src);
	void (*arrived)(struct weft_fma *f, struct weft_peer *src);
	void *engine;
	struct fma_bulk *bulk; /* FMA_BULKS transfers of the message engine */
	unsigned bulk_cq;
	uint32_t orb_used;
	uint32_t orb_next;
	struct weft_responses answers;
	struct weft_fma_stats stats;
	struct fma_window window[WEFT_FMA_WINDOWS];
	struct fma_channel channel[WEFT_FMA_CHANNELS];
	struct fma_txn txn[WEFT_FMA_SSIDS];
	struct fma_orb orb[WEFT_FMA_ORB];
	struct fma_cq cq[WEFT_FMA_CQS];
	struct fma_mdd mdd[WEFT_FMA_MDDS];
	struct fma_line amo[FMA_AMO_LINES];
	unsigned ntt_bits; /* low bits of a PE that are not translated */
	uint16_t ntt[WEFT_FMA_NTT];
	uint16_t vmdh[WEFT_FMA_VMDHS]; /* handle plus one; 0: none */
};

/* A request being sent. */
struct fma_request {
	struct weft_peer *peer;
	uint32_t pe; /* physical */
	enum fma_cmd cmd;
	unsigned mdh;
	unsigned ptag;
	unsigned flags;
	uint64_t offset;
	unsigned extra;
	uint64_t data;
	struct iovec iov[FMA_IOV];
	int iov_count;
	uint64_t bytes; /* network bytes: basis of packet and phit counts */
	unsigned ssid;
	unsigned delivery; /* enum weft_fma_delivery */
	uint64_t local;	   /* address for the response's data */
	uint32_t expect;   /* bytes of the response's data */
};

/* fma.c */
int fma_create(const struct weft_carrier_ops *ops,
	       const struct weft_carrier_attr *attr, uint8_t ptag,
	       struct weft_fma **f_p);
struct weft_peer *fma_peer(struct weft_fma *f, uint32_t pe);
/* Translates a virtual PE to a physical one. */
uint32_t fma_physical(const struct weft_fma *f, uint32_t pe);
/* Translates a handle and offset to a local address; status: why not. */
enum weft_fma_status fma_translate(const struct fma_mdd *m, uint64_t offset,
				   uint64_t bytes, bool write, uint64_t *addr);

/* fma_cq.c */
void fma_cq_write(struct weft_fma *f, unsigned cq, uint8_t source,
		  uint8_t status, uint64_t data);

/* fma_tx.c */
int fma_txn_open(struct weft_fma *f, unsigned cq);
void fma_txn_close(struct weft_fma *f, unsigned ssid, uint64_t data);
/* 0, -EAGAIN, or -ECONNRESET (already counted in the transaction). */
int fma_request(struct weft_fma *f, const struct fma_request *r);
/* A request with FMA_REQ_QUIET: no buffer, no transaction, no response. */
int fma_request_quiet(struct weft_fma *f, const struct fma_request *r);
/*
 * Finds the request of a response: id must name an outstanding request to that
 * peer; else NULL.
 */
struct fma_orb *fma_orb_find(struct weft_fma *f, struct weft_peer *peer,
			     uint32_t id);
void fma_orb_end(struct weft_fma *f, struct fma_orb *o, uint8_t status);
void fma_orb_lost(struct weft_fma *f, struct weft_peer *peer);
/* Times out requests that were outstanding at the previous call. */
void fma_orb_scrub(struct weft_fma *f);

/* fma_link.c */
void fma_link_init(struct weft_fma *f, const struct weft_fma_attr *attr);
void fma_link_fini(struct weft_fma *f);
/* Queues a request's packet on a link. 0; -EAGAIN; -ECONNRESET. */
int fma_link_send(struct weft_fma *f, const struct fma_request *r,
		  const struct weft_pkt *pkt);
/* Sends packets waiting on links; returns their number. */
int fma_link_run(struct weft_fma *f, int budget);

/* fma_scrub.c */
uint64_t fma_now_ns(const struct weft_fma *f);
void fma_scrub(struct weft_fma *f);

/* fma_msgq.c: a peer sent the name of its mailbox. */
void fma_msgq_arrive(struct weft_fma_msgq *q, struct weft_peer *src,
		     const struct weft_pkt *pkt, const void *payload);

/* fma_rx.c */
int fma_rx_deliver(void *arg, struct weft_peer *src, const struct weft_pkt *pkt,
		   const void *payload);

/* fma_amo.c. fma_amo_run() returns the old value. */
bool fma_amo_valid(unsigned op);
uint64_t fma_amo_run(struct weft_fma *f, uint64_t addr, unsigned op, uint64_t a,
		     uint64_t b);

/* fma_bulk.c */
#define FMA_BULKS 32
/* The transfer's descriptor is at the head of its channel: start the copy. */
void fma_bulk_run(struct fma_bulk *b, int ssid);
/* Reports completed transfers to the message engine. */
void fma_bulk_events(struct weft_fma *f);

/* fma_bte.c */
/* Adds a descriptor for a transfer and starts it. -EAGAIN: not possible now. */
int fma_bte_bulk(struct weft_fma *f, unsigned channel, struct fma_bulk *b);
void fma_bte_init(struct weft_fma *f);
void fma_bte_fini(struct weft_fma *f);
int fma_bte_run(struct weft_fma *f, int budget);
enum weft_fma_status fma_bte_arrive(struct weft_fma *f, struct weft_peer *src,
				    const struct weft_pkt *pkt,
				    const void *payload);
void fma_bte_lost(struct weft_fma *f, struct weft_peer *peer);
/* Refuses sends without a packet for half a timeout period. */
void fma_bte_scrub(struct weft_fma *f, uint64_t now_ns);

#endif
