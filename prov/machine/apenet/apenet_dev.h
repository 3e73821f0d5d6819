/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the APEnet+ board.
 *
 *  apenet.c            open, close, nodes, poll
 *  apenet_rx.c         reception
 *  apenet_get.c        gets of this node and of peers
 *  apenet_tx.c         the DMA engines: memory to packets
 *  apenet_single.h     puts of one packet, executed at once
 *  apenet_cmd.c        the command queue and the event queue
 *  apenet_buf.c        registered buffers, translation
 *  apenet_tlb.c        the TLB
 *  apenet_ring.c       packets of the message engine in rings of slots
 *  apenet_bulk.c       bulk data of the message engine
 *  apenet_transport.c  the unit below the message engine (machine apenet)
 */
#ifndef WEFT_APENET_DEV_H
#define WEFT_APENET_DEV_H

#include "prov/code/code_crc.h"
#include "prov/mem/mem.h"
#include "prov/machine/apenet/apenet_layout.h"
#include "prov/machine/apenet/apenet_tlb.h"
#include "prov/machine/machine_port.h"
#include "src/base/attr.h"
#include "src/base/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define APENET_BUFS	 1024 /* maximum number of buffers of a program */
/*
 * maximum number of buffers below the message engine, which has up to two per
 * peer
 */
#define APENET_BUFS_MAX	 (1u << 20)
#define APENET_PREFETCH	 4   /* number of commands that the board prefetches */
#define APENET_GETS	 256 /* outstanding gets of this node */
/* processor time of a page walk, ns (share/machines/apenet) */
#define APENET_WALK_NS	 1100
/* maximum number of events that one packet may cause */
#define APENET_RX_EVENTS 2

struct apenet_buf {
	bool used;
	unsigned rights;
	uint64_t base; /* board address, by which peers access the buffer */
	uint64_t bytes;
	char *mem; /* address of the memory in this process */
	/*
	 * node that may access the buffer (host memory); WEFT_PORT_NO_NODE: all
	 * nodes
	 */
	uint32_t only;
	const struct weft_mem_kind *kind;
};

/* An outgoing message: a command, or the reply to a get. */
struct apenet_msg {
	struct weft_list link;
	struct weft_apenet_cmd c;
	uint8_t op;   /* enum apenet_op */
	bool started; /* the first read request has been sent */
	bool cut; /* the source buffer was closed before all data was read */
	uint32_t message;
	uint32_t number; /* number of the get */
	uint64_t requested;
	unsigned char *stage; /* staged data in host memory */
};

enum apenet_dma_state {
	APENET_IDLE,
	APENET_REQUESTED, /* read request sent to memory */
	APENET_ARRIVING,  /* data is arriving; one engine at a time */
};

struct apenet_dma {
	uint8_t state; /* enum apenet_dma_state */
	bool first;
	bool last;
	bool peer; /* the engine reads device memory */
	struct apenet_msg *m;
	uint64_t offset;
	uint64_t bytes;
	uint64_t order; /* sequence number of the read request */
};

/* A message being received; one per node at a time. */
struct apenet_in {
	bool open;
	/* the message is kept in host memory until it is complete */
	bool staged;
	uint8_t op;
	uint8_t flags;
	uint8_t status;
	uint32_t message;
	uint64_t start;
	uint64_t bytes;
	/* number of the local get that this message answers */
	uint64_t number;
	uint64_t bad;	      /* address without translation */
	unsigned char *stage; /* data of a staged message, `bytes` long */
	struct weft_list late;
	struct weft_apenet_event lost; /* event to write when there is space */
};

/* An outstanding get of this node. */
struct apenet_get {
	bool used;
	uint16_t gen;
	struct weft_apenet_cmd c;
};

struct weft_apenet {
	struct weft_port port;
	uint32_t node;
	uint32_t message; /* number of the next message */
	struct weft_code_crc crc;
	/* test hook: damages a packet on the link */
	void (*noise)(struct weft_pkt *pkt, unsigned char *data);

	const struct weft_mem_kind *host;
	unsigned host_bits; /* log2 of the size of a host page */
	struct apenet_buf *buf;
	unsigned bufs;	   /* entries of buf */
	unsigned bufs_max; /* maximum number of entries */
	unsigned buf_free; /* lowest entry that may be free */
	struct apenet_tlb tlb;

	/* Free-running indices: index i is entry i & (size - 1). */
	struct apenet_msg *queue[WEFT_APENET_COMMANDS];
	uint64_t queue_head;
	uint64_t queue_tail;
	/* gets of peers that the processor has to answer */
	struct weft_list get_replies;
	bool reply_is_next;
	struct weft_list work; /* fetched commands, being processed */
	unsigned held;
	struct apenet_dma dma[WEFT_APENET_DMAS];
	unsigned dmas;
	uint64_t orders;

	struct weft_apenet_event *event;
	uint32_t events;
	uint64_t event_head;
	uint64_t event_tail;
	uint64_t reserved; /* events reserved for outstanding commands */

	struct apenet_get get[APENET_GETS];
	/* messages being received: node + 1 -> struct apenet_in */
	struct weft_hash in;
	/* errors of lost nodes, for which the event queue had no space */
	struct weft_list late;
	struct weft_apenet_stats stats;
	/* puts of apenet_single.h, which stats does not include */
	uint64_t singles_out;
	uint64_t singles_in;
};

/* apenet.c */
struct apenet_attr {
	uint32_t node;
	unsigned dmas;
	unsigned tlb; /* number of TLB entries; 0: no TLB */
	uint32_t events;
	unsigned bufs;
};

/* Opens a board on a carrier that it creates with attr. */
int apenet_create(const struct weft_carrier_ops *ops,
		  const struct weft_carrier_attr *attr,
		  const struct apenet_attr *board, struct weft_apenet **a_p);

/* apenet_buf.c */

/*
 * Adds a buffer whose rights and range the caller has checked. Returns 0,
 * -ENOSPC or -ENOMEM.
 */
int apenet_buf_add(struct weft_apenet *a, const struct apenet_buf *b,
		   unsigned *buf_p);
/* Returns the buffer that contains all bytes and has these rights, or NULL. */
const struct apenet_buf *apenet_buf_of(const struct weft_apenet *a,
				       uint64_t address, uint64_t bytes,
				       unsigned rights);

static inline bool apenet_buf_holds(const struct apenet_buf *b,
				    uint64_t address, uint64_t bytes,
				    unsigned rights)
{
	uint64_t at = address - b->base;

	return b->used && at < b->bytes && bytes <= b->bytes - at &&
	       !(rights & ~b->rights);
}

static inline char *apenet_buf_at(const struct apenet_buf *b, uint64_t address)
{
	return b->mem + (address - b->base);
}

/* Target address and required rights of a packet's data. */
struct apenet_target {
	uint64_t address;
	uint64_t bytes;
	unsigned rights;
	uint32_t node; /* node that stores the data */
	uint64_t bad;  /* out: address without translation */
};

/*
 * Translates the address and stores the data; if data is NULL, only translates.
 * Returns enum weft_apenet_status.
 */
unsigned apenet_buf_store(struct weft_apenet *a, struct apenet_target *p,
			  const unsigned char *data);

/* apenet_cmd.c */
static inline bool apenet_event_space(const struct weft_apenet *a, unsigned n)
{
	return a->event_tail - a->event_head + a->reserved + n <= a->events;
}

/* Returns the next entry of the event queue, to be filled. */
static inline struct weft_apenet_event *apenet_event_next(struct weft_apenet *a)
{
	return &a->event[a->event_tail++ & (a->events - 1)];
}

void apenet_event_write(struct weft_apenet *a,
			const struct weft_apenet_event *ev);
/* Ends a command; writes its event if one was requested. */
void apenet_cmd_end(struct weft_apenet *a, const struct weft_apenet_cmd *c,
		    unsigned what, unsigned status);
struct apenet_msg *apenet_msg_new(struct weft_apenet *a,
				  const struct weft_apenet_cmd *c, unsigned op);
struct apenet_msg *apenet_cmd_next(struct weft_apenet *a);
void apenet_cmd_lost(struct weft_apenet *a, uint32_t node, bool all);

/* apenet_tx.c */
int apenet_tx_run(struct weft_apenet *a, int budget);
/* Sends the packet of a put over a link, with its CRC. */
int apenet_tx_linked(struct weft_apenet *a, struct weft_peer *peer,
		     struct weft_pkt *pkt, const void *data);
/* Returns the CRC of a packet as sent on a link. */
uint32_t apenet_crc(const struct weft_apenet *a, const struct weft_pkt *pkt,
		    const void *data);
void apenet_tx_lost(struct weft_apenet *a, uint32_t node, bool all);
/* Marks the messages that read from a buffer that is being closed. */
void apenet_tx_buf_closed(struct weft_apenet *a);

/* apenet_rx.c */
int apenet_rx_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload);
/*
 * Processes one packet from a node, which may modify the data meanwhile;
 * -EAGAIN: no space for the events of the packet. links: packets from this node
 * cross a link.
 */
int apenet_rx_packet(struct weft_apenet *a, uint32_t node, bool links,
		     const struct weft_pkt *pkt, const void *data);
void apenet_rx_lost(struct weft_apenet *a, uint32_t node);
void apenet_rx_fini(struct weft_apenet *a);

/* apenet_get.c */

/* Returns the outstanding get from that node with this number, or NULL. */
struct apenet_get *apenet_get_of(struct weft_apenet *a, uint32_t node,
				 uint64_t number);
void apenet_get_end(struct weft_apenet *a, struct apenet_get *g,
		    unsigned status);
/* Starts the reply to a peer's get; -EAGAIN: out of memory. */
int apenet_get_serve(struct weft_apenet *a, uint32_t node,
		     const struct apenet_get_request *req);
void apenet_get_lost(struct weft_apenet *a, uint32_t node);

#endif
