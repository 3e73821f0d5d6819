/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the Gemini interface.
 *
 *  gemini.c            open, close, nodes, handles
 *  gemini_cq.c         completion queues
 *  gemini_tx.c         windows: stores, gets, AMOs; buffers and transactions
 *  gemini_rx.c         received requests and responses
 *  gemini_amo.c        atomic operations and their cache
 *  gemini_bte.c        block transfers
 *  gemini_link.c       links, on which packets may be reordered
 *  gemini_bulk.c       block transfers of the message engine
 *  gemini_handles.c    memory handles of the message engine, live
 *  gemini_scrub.c      timeouts of requests without response
 *  gemini_smsg.c       mailboxes
 *  gemini_msgq.c       one queue of mailboxes for all senders
 *  gemini_transport.c  the unit below the message engine (machine gemini)
 */
#ifndef WEFT_GEMINI_DEV_H
#define WEFT_GEMINI_DEV_H

#include "prov/machine/gemini/gemini_layout.h"
#include "prov/machine/machine_response.h"
#include "prov/machine/machine_order.h"
#include "prov/machine/machine_port.h"
#include "src/base/list.h"
#include "src/base/rng.h"

struct weft_regs;

/* maximum bytes of stores in one carrier packet */
#define GEMINI_BURST	 1024
#define GEMINI_BTE_BURST 4096
#define GEMINI_AMO_LINES 64
#define GEMINI_IOV	 8 /* maximum number of segments of one request */

struct gemini_cq {
	uint64_t *ring; /* ring of entries; NULL: closed */
	uint32_t mask;
	uint64_t head;
	uint64_t tail;
	bool overrun; /* an event has been lost since the last entry */
};

struct gemini_mdd {
	uint64_t base;
	uint64_t bytes;
	uint16_t cq;
	uint8_t ptag;
	uint8_t flags;
	bool valid;
};

/* A transaction (SSID): requests that complete together. */
struct gemini_txn {
	bool used;
	bool closed;	/* no more requests can be added */
	uint8_t status; /* first error status */
	uint16_t cq;
	uint32_t pending; /* number of requests without response */
	uint64_t data;
	/* counter that is decremented at completion; NULL: no fence */
	uint32_t *fence;
};

/* An outstanding request buffer. */
struct gemini_orb {
	bool used;
	bool stale;	/* outstanding at the last scrubber pass */
	uint8_t weight; /* number of network packets */
	uint16_t gen;
	uint16_t ssid;
	uint32_t bytes; /* bytes expected in the response */
	/* local address to which the response's data is written */
	uint64_t local;
	struct weft_peer *peer;
};

struct gemini_window {
	struct weft_gemini_window w;
	bool set;
	uint8_t ptag;
	int ssid; /* open transaction, -1: none */
};

struct gemini_bte_desc {
	struct weft_gemini_bte cmd;
	uint32_t sent;
	int ssid;		  /* transaction; -1: not started */
	struct gemini_bulk *bulk; /* transfer of the message engine, or NULL */
};

struct gemini_rx_desc {
	struct weft_gemini_local to;
	uint32_t bytes;
	uint16_t cq;
	uint64_t data;
};

/* Receiver's record of a partly received send. */
struct gemini_rmt {
	struct weft_list link;
	struct weft_peer *peer;
	unsigned ssid;
	uint32_t got;
	uint32_t total;
	/* address of the buffer; 0: the send is refused */
	uint64_t addr;
	uint64_t last_packet_ns;
	uint16_t cq;
	uint64_t data;
};

struct gemini_channel {
	struct gemini_bte_desc *tx; /* ring of WEFT_GEMINI_TX_DESCS + 1 */
	uint32_t tx_head;
	uint32_t tx_tail;
	uint32_t in_flight; /* number of transfers started and not complete */
	struct gemini_rx_desc *rx;
	uint32_t rx_head;
	uint32_t rx_tail;
	struct weft_list rmt;
};

struct gemini_line {
	uint64_t addr; /* address of the cached word; 0: empty */
	uint64_t value;
	bool dirty;
};

#define GEMINI_DIRECTIONS 6 /* +x, -x, +y, -y, +z, -z */

/* One of the links to a neighbour. */
struct gemini_link {
	struct weft_list queue; /* waiting packets: struct link_packet */
	unsigned count;
};

struct weft_gemini {
	struct weft_port port;
	uint8_t ptag;
	bool lazy_amo;
	bool ntt_on;
	unsigned links; /* links per direction; 0: packets are sent at once */
	unsigned directions; /* directions with links: 6 in a torus, else 1 */
	uint16_t torus[3];
	uint32_t pe;
	struct gemini_link link[GEMINI_DIRECTIONS * WEFT_GEMINI_LINKS];
	unsigned link_next;
	struct weft_rng link_rng; /* selects the link that sends next */
	uint64_t scrub_ns;	  /* timeout period; 0: no timeouts */
	uint64_t scrubbed_ns;
	/* clock, ns; NULL: clock of the carrier or the host */
	uint64_t (*clock)(void);
	struct weft_gemini_msgq *msgq;
	void (*datagram)(void *, uint32_t, const void *, unsigned);
	void *datagram_arg;
	/*
	 * Set by gemini_transport.c. mailbox: returns the memory descriptor of
	 * a peer's mailbox, or NULL. arrived: called when a message has been
	 * stored in it.
	 */
	struct gemini_mdd *(*mailbox)(struct weft_gemini *f,
				      struct weft_peer *src);
	void (*arrived)(struct weft_gemini *f, struct weft_peer *src);
	void *engine;
	struct gemini_bulk
		*bulk; /* GEMINI_BULKS transfers of the message engine */
	unsigned bulk_cq;
	/* number of descriptors in the rings of all channels */
	uint32_t bte_queued;
	struct weft_regs *handles; /* handles of the engine, live; or NULL */
	uint32_t orb_used;
	uint32_t orb_next;
	struct weft_responses responses;
	struct weft_gemini_stats stats;
	struct gemini_window window[WEFT_GEMINI_WINDOWS];
	struct gemini_channel channel[WEFT_GEMINI_CHANNELS];
	struct gemini_txn txn[WEFT_GEMINI_SSIDS];
	struct gemini_orb orb[WEFT_GEMINI_ORB];
	struct gemini_cq cq[WEFT_GEMINI_CQS];
	struct gemini_mdd mdd[WEFT_GEMINI_MDDS];
	struct gemini_line amo[GEMINI_AMO_LINES];
	/* number of low bits of a PE number that are not translated */
	unsigned ntt_bits;
	uint16_t ntt[WEFT_GEMINI_NTT];
	uint16_t vmdh[WEFT_GEMINI_VMDHS]; /* handle plus one; 0: none */
};

/* A request being sent. */
struct gemini_request {
	struct weft_peer *peer;
	uint32_t pe; /* physical PE */
	enum gemini_cmd cmd;
	unsigned mdh;
	unsigned ptag;
	unsigned flags;
	uint64_t offset;
	unsigned extra;
	uint64_t data;
	struct iovec iov[GEMINI_IOV];
	int iov_count;
	uint64_t bytes; /* bytes on the network, for packet and phit counts */
	unsigned ssid;
	unsigned delivery; /* enum weft_gemini_delivery */
	/* local address to which the response's data is written */
	uint64_t local;
	uint32_t expect; /* data bytes of the response */
};

/* gemini.c */
int gemini_create(const struct weft_carrier_ops *ops,
		  const struct weft_carrier_attr *attr, uint8_t ptag,
		  struct weft_gemini **f_p);
struct weft_peer *gemini_peer(struct weft_gemini *f, uint32_t pe);
/* Returns the physical PE of a virtual PE. */
uint32_t gemini_physical(const struct weft_gemini *f, uint32_t pe);
/* Translates handle and offset to a local address, and checks the access. */
enum weft_gemini_status gemini_translate(const struct gemini_mdd *m,
					 uint64_t offset, uint64_t bytes,
					 bool write, uint64_t *addr);

/* gemini_cq.c */
void gemini_cq_write(struct weft_gemini *f, unsigned cq, uint8_t source,
		     uint8_t status, uint64_t data);

/* gemini_tx.c */
int gemini_txn_open(struct weft_gemini *f, unsigned cq);
void gemini_txn_close(struct weft_gemini *f, unsigned ssid, uint64_t data);
/*
 * Sends a request. Returns 0, -EAGAIN or -ECONNRESET (the transaction has
 * recorded the error).
 */
int gemini_request(struct weft_gemini *f, const struct gemini_request *r);
/* Sends a request without a buffer, transaction or response (REQ_QUIET). */
int gemini_request_quiet(struct weft_gemini *f, const struct gemini_request *r);
/* Returns the outstanding request to this peer with this id, or NULL. */
struct gemini_orb *gemini_orb_find(struct weft_gemini *f,
				   struct weft_peer *peer, uint32_t id);
void gemini_orb_end(struct weft_gemini *f, struct gemini_orb *o,
		    uint8_t status);
void gemini_orb_lost(struct weft_gemini *f, struct weft_peer *peer);
/* Times out requests that were outstanding at the previous call. */
void gemini_orb_scrub(struct weft_gemini *f);

/* gemini_link.c */
void gemini_link_init(struct weft_gemini *f,
		      const struct weft_gemini_attr *attr);
void gemini_link_fini(struct weft_gemini *f);
/* Queues a request's packet on a link. Returns 0, -EAGAIN or -ECONNRESET. */
int gemini_link_send(struct weft_gemini *f, const struct gemini_request *r,
		     const struct weft_pkt *pkt);
/* Sends packets that wait on links. Returns the number of packets sent. */
int gemini_link_run(struct weft_gemini *f, int budget);

/* gemini_scrub.c */
uint64_t gemini_now_ns(const struct weft_gemini *f);
void gemini_scrub(struct weft_gemini *f);

/* gemini_msgq.c: receives the address of a peer's mailbox. */
void gemini_msgq_arrive(struct weft_gemini_msgq *q, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload);

/* gemini_rx.c */
int gemini_rx_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload);

/* gemini_amo.c. gemini_amo_run() returns the old value. */
bool gemini_amo_valid(unsigned op);
uint64_t gemini_amo_run(struct weft_gemini *f, uint64_t addr, unsigned op,
			uint64_t a, uint64_t b);

/* gemini_bulk.c */
#define GEMINI_BULKS 32
/* Runs the descriptor at the head of the transfer's channel. */
void gemini_bulk_run(struct gemini_bulk *b, const struct weft_gemini_bte *cmd,
		     int ssid);
/* Reports completed transfers to the message engine. */
void gemini_bulk_events(struct weft_gemini *f);

/* gemini_bte.c */
/* Posts and starts a descriptor. -EAGAIN: the channel is busy. */
int gemini_bte_bulk(struct weft_gemini *f, unsigned channel,
		    const struct weft_gemini_bte *cmd, struct gemini_bulk *b);
void gemini_bte_init(struct weft_gemini *f);
void gemini_bte_fini(struct weft_gemini *f);
int gemini_bte_run(struct weft_gemini *f, int budget);
enum weft_gemini_status gemini_bte_arrive(struct weft_gemini *f,
					  struct weft_peer *src,
					  const struct weft_pkt *pkt,
					  const void *payload);
void gemini_bte_lost(struct weft_gemini *f, struct weft_peer *peer);
/* Refuses sends of which no packet has arrived for half a timeout period. */
void gemini_bte_scrub(struct weft_gemini *f, uint64_t now_ns);

#endif
