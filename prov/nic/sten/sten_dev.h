/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the Elan4 interface.
 *
 *  sten.c         open, close, routes, filter
 *  sten_mmu.c     mappings, pages, TLBs
 *  sten_fault.c   demand paging: missing translations that a driver may add
 *  sten_queue.c   command queues: writes in and out of order, states
 *  sten_tx.c      the command processor and the short transaction engine
 *  sten_dma.c     the DMA engine
 *  sten_event.c   events that count, fire and chain
 *  sten_chain.c   trees of chained events
 *  sten_cast.c    broadcasts: copies, merged acknowledgements
 *  sten_thread.c  the thread processor
 *  sten_rx.c      the input processor: transactions, acknowledgements
 *  sten_time.c    timeouts: missing acknowledgements, incomplete packets
 *  sten_rails.c   several units as one
 *  sten_tport.c   tagged ports: the host's part
 *  sten_tport_match.c  tagged ports: the thread's part
 *  sten_engine.c  the unit below the message engine (machine qsnet2)
 */
#ifndef WEFT_PROV_STEN_DEV_H
#define WEFT_PROV_STEN_DEV_H

#include "prov/nic/nic_answer.h"
#include "prov/nic/nic_order.h"
#include "prov/nic/nic_port.h"
#include "prov/nic/sten/sten_layout.h"
#include "src/base/attr.h"
#include "src/base/list.h"

#define STEN_MAPS	1024
#define STEN_DMAS	256
#define STEN_BULKS	32 /* transfers of the message engine */
#define STEN_PAGE	4096
#define STEN_TLB_LINES	16
#define STEN_TLB_WAYS	4
#define STEN_CHAINS	1024	/* of each page size */
#define STEN_PAGES	0x10000 /* translations in chains */
#define STEN_FAULTS	16
#define STEN_HELD	256 /* held broadcasts waiting for their end packet */
#define STEN_ASSEMBLERS 2   /* DMA packets in flight */

enum sten_channel_state {
	STEN_IDLE,
	STEN_SENT,  /* in flight, not acknowledged */
	STEN_RETRY, /* discarded: to be retransmitted */
	STEN_DONE,
	STEN_BULK, /* DMA of sten_bulk.c, which ends it */
};

/* One of the two outstanding packets of a queue. */
struct sten_channel {
	uint8_t state;
	uint8_t ack;  /* last acknowledgement */
	uint8_t left; /* restarts left */
	uint16_t gen;
	struct weft_peer *peer;
	uint64_t start; /* index of its open command */
	uint64_t end;	/* index of the command after it */
	uint64_t sent_at;
};

/* Word indices run free; the word of index i is ring[i & (words - 1)]. */
struct sten_queue {
	uint64_t *ring;
	uint64_t *late; /* bits: words written beyond a gap */
	uint32_t words;
	uint32_t number;
	uint16_t context;
	uint8_t perm;
	uint8_t flags;
	uint8_t trap;
	bool skip; /* a guard failed: skip the next command */
	uint64_t address;
	uint64_t head; /* next command */
	uint64_t tail; /* end of the words without a gap */
	uint64_t restarts;
	uint64_t closed; /* incomplete up to this word: closed by timeout */
	struct weft_list run; /* linked while it may have work */
	struct sten_channel ch[WEFT_STEN_CHANNELS];
};

struct sten_route {
	struct weft_peer *peer;
	unsigned context;
	uint32_t low; /* broadcast: peer is NULL */
	uint32_t high;
	uint64_t cookie; /* identified packets sent to it by tagged ports */
};

/* The driver's record of a mapping of a context. */
struct sten_map {
	uint64_t base;
	uint64_t bytes;
	uint64_t host; /* address of base in the process */
	uint16_t context;
	uint16_t perm;
};

/*
 * A translation. Memory of a process need not begin and end at page boundaries:
 * from and end bound the valid part of the page, and a page may have several
 * translations.
 */
struct sten_page {
	uint64_t page; /* address >> shift */
	uint64_t from;
	uint64_t end;	/* 0: no translation */
	uint64_t shift; /* process address minus context address */
	uint16_t context;
	uint16_t perm;
	uint32_t next; /* next of its chain; 0: last */
};

/* The pages of one size: TLB lines, and the heads of hash chains. */
struct sten_tlb {
	unsigned bits; /* address bits inside a page */
	uint8_t turn[STEN_TLB_LINES];
	struct sten_page line[STEN_TLB_LINES][STEN_TLB_WAYS];
	uint32_t chain[STEN_CHAINS];
};

struct sten_mmu {
	struct sten_tlb tlb[2];
	struct sten_page *page; /* all pages in chains; index 0 is unused */
	uint32_t pages;
	uint32_t room;
	uint32_t free; /* list of unused pages; 0: none */
};

/* A missing translation that a packet needs. */
struct sten_fault {
	uint64_t address;
	uint64_t bytes;
	uint16_t context;
	uint16_t perm;
	bool refused; /* refused by the driver: the next packet gets an error */
};

struct sten_dma {
	struct weft_list link; /* in the run queue or the free list */
	uint16_t context;
	uint16_t gen;
	uint8_t remote; /* permissions required of a descriptor from a peer */
	uint8_t state;	/* enum sten_channel_state */
	uint8_t left;
	uint32_t sent;	 /* bytes acknowledged */
	uint32_t flying; /* bytes of the packet in flight */
	uint64_t sent_at;
	struct sten_route to;
	struct weft_sten_dma d;
};

/* A packet being built. */
struct sten_packet {
	unsigned bytes;
	alignas(8) unsigned char data[STEN_WIRE_MAX];
};

/* Ring of the threads of one priority that wait for the processor. */
struct sten_threads {
	struct weft_sten_thread *ring; /* WEFT_STEN_THREADS; NULL: none yet */
	uint64_t head;
	uint64_t tail;
};

struct weft_sten {
	struct weft_port port;
	struct weft_responses answers;
	void (*interrupt)(void *, unsigned, uint64_t);
	void (*thread)(void *, unsigned, const uint64_t *);
	void *arg;
	/* Set by sten_engine.c: the input queue; callback for a filled slot. */
	struct weft_sten_input *input;
	void (*commit)(struct weft_sten *s, uint64_t slot,
		       struct weft_peer *src);
	bool (*refuse)(struct weft_sten *s, struct weft_peer *src);
	void *engine;
	unsigned assemblers; /* limit of DMA packets in flight */
	unsigned flying;     /* DMA packets in flight */
	bool rare; /* threads, broadcasts, faults or timeouts pending */
	struct weft_list run[2]; /* queues: normal, high priority */
	struct weft_list dma_run;
	struct weft_list dma_free;
	struct weft_hash routes;   /* vproc + 1 -> struct sten_route */
	struct weft_hash filters;  /* context + 1 -> mode + 1 */
	struct weft_hash cookies;  /* peer and context -> struct sten_cookie */
	struct weft_hash programs; /* context and pc -> struct sten_program */
	struct sten_threads threads[2]; /* normal, high priority */
	struct weft_sten_stats stats;
	uint64_t chained; /* events that wrote into a command queue */
	/* sten_time.c */
	uint64_t (*clock)(void);
	uint64_t ack_timeout_ns; /* 0: no timeout for acknowledgements */
	uint64_t
		packet_timeout_ns; /* 0: an incomplete packet blocks no queue */
	struct sten_queue *holder; /* holds the link: packet incomplete */
	uint64_t held_at;
	struct weft_list casts; /* sten_cast.c: own, outstanding */
	unsigned sten_held_count;
	struct weft_list held;	 /* sten_rx.c: wait for an end packet */
	struct weft_list tports; /* struct weft_sten_tports */
	unsigned queues;	 /* highest queue number in use + 1 */
	struct weft_hash pagers; /* context + 1 -> struct sten_pager */
	unsigned maps;		 /* entries in use */
	struct sten_map map[STEN_MAPS];
	struct sten_dma dma[STEN_DMAS];
	struct sten_bulk *bulk; /* STEN_BULKS transfers */
	uint16_t bulk_context;
	struct sten_queue *queue[WEFT_STEN_QUEUES];
	struct sten_mmu mmu;
	unsigned faults; /* entries in use */
	struct sten_fault fault[STEN_FAULTS];
};

/*
 * Virtual time: a packet counts as acknowledged when sent; none is discarded.
 */
static inline bool sten_modelled(const struct weft_sten *s)
{
	return weft_unlikely(s->port.carrier->virt != NULL);
}

/* sten.c */
int sten_create(const struct weft_carrier_ops *ops,
		const struct weft_carrier_attr *attr, struct weft_sten **s_p);
struct sten_route *sten_route(struct weft_sten *s, uint32_t vproc);
int sten_route_bind(struct weft_sten *s, uint32_t vproc, struct weft_peer *peer,
		    unsigned context);
void sten_trap(struct weft_sten *s, enum weft_sten_trap trap, uint64_t address);
void sten_lost(struct weft_sten *s, struct weft_peer *peer);

/*
 * sten_mmu.c: own memory at address, if context has the permission; a driver
 * may map it first. NULL: not accessible. flags_p: flags of the mapping.
 */
void *sten_memory_translate(struct weft_sten *s, unsigned context,
			    uint64_t address, uint64_t bytes, unsigned perm,
			    unsigned *flags_p);
/* As sten_memory_translate(), but does not call the driver. */
void *sten_memory_mapped(struct weft_sten *s, unsigned context,
			 uint64_t address, uint64_t bytes, unsigned perm,
			 unsigned *flags_p);
/* False if an access would certainly fail. Checks mappings instead of pages. */
bool sten_memory_possible(struct weft_sten *s, unsigned context,
			  uint64_t address, uint64_t bytes, unsigned perm);
void sten_mmu_init(struct weft_sten *s);
void sten_mmu_fini(struct weft_sten *s);

static inline void *sten_memory(struct weft_sten *s, unsigned context,
				uint64_t address, uint64_t bytes, unsigned perm)
{
	unsigned flags;

	return sten_memory_translate(s, context, address, bytes, perm, &flags);
}

/* sten_fault.c: true if the context has a driver that pages. */
bool sten_fault_has_pager(struct weft_sten *s, unsigned context);
/* Calls the driver at once; true: retry the translation. */
bool sten_fault_map(struct weft_sten *s, const struct sten_fault *f);
/* Discard if a translation of the packet is missing, else OK. */
unsigned sten_fault_packet(struct weft_sten *s, unsigned context,
			   const void *payload, unsigned len);
void sten_fault_run(struct weft_sten *s);
void sten_fault_fini(struct weft_sten *s);

/* sten_queue.c */
struct sten_queue *sten_queue(struct weft_sten *s, unsigned q);
/* Opens a queue with a given free number. */
int sten_queue_open_at(struct weft_sten *s, unsigned context, uint32_t depth,
		       unsigned perm, unsigned flags, unsigned i);
void sten_queue_wake(struct weft_sten *s, struct sten_queue *q);
void sten_queue_trap(struct sten_queue *q, enum weft_sten_trap trap,
		     uint64_t address);
/* Oldest word that a restart may need. */
uint64_t sten_queue_oldest(const struct sten_queue *q);
void sten_queue_fini(struct weft_sten *s);

/* sten_tx.c */
int sten_tx_run(struct weft_sten *s, int budget);
int sten_tx_queue(struct weft_sten *s, struct sten_queue *q);
bool sten_channel_free(const struct sten_queue *q, unsigned channel);
/* Handles the acknowledgement of the packet on a channel. */
void sten_tx_ack(struct weft_sten *s, struct weft_peer *src, uint32_t id,
		 unsigned ack);
void sten_tx_lost(struct weft_sten *s, struct weft_peer *peer);
/* After a Discard or a timeout: retransmits the packet, or traps the queue. */
uint32_t sten_channel_id(const struct sten_queue *q,
			 const struct sten_channel *c);
void sten_channel_restart(struct weft_sten *s, struct sten_queue *q,
			  struct sten_channel *c);
int sten_send(struct weft_sten *s, const struct sten_route *to, uint32_t id,
	      const struct sten_packet *p);
/* Sends a packet of the given enum sten_kind to one peer. */
int sten_send_as(struct weft_sten *s, const struct sten_route *to, uint32_t id,
		 const struct sten_packet *p, unsigned kind);
/* Adds a transaction; -EMSGSIZE. */
int sten_packet_add(struct sten_packet *p, unsigned type, uint64_t address,
		    const void *data, unsigned bytes);

/* sten_dma.c */
void sten_dma_init(struct weft_sten *s);
enum weft_sten_trap sten_dma_start(struct weft_sten *s, unsigned context,
				   const uint64_t *words);
/* Starts a DMA for a peer, with the permissions for remote accesses. */
enum weft_sten_trap sten_dma_start_remote(struct weft_sten *s, unsigned context,
					  const uint64_t *words);
/* Sends the next packet of a DMA; 0, -EAGAIN, or an error that ended it. */
int sten_dma_step(struct weft_sten *s, struct sten_dma *d);
void sten_dma_end(struct weft_sten *s, struct sten_dma *d);
int sten_dma_run(struct weft_sten *s, int budget);
void sten_dma_ack(struct weft_sten *s, struct weft_peer *src, uint32_t id,
		  unsigned ack);
void sten_dma_lost(struct weft_sten *s, struct weft_peer *peer);
/* The acknowledgement of the DMA's packet timed out. */
void sten_dma_timeout(struct weft_sten *s, struct sten_dma *d);

/* sten_event.c: perm is the permission the event's memory must have. */
enum weft_sten_trap sten_event_set(struct weft_sten *s, unsigned context,
				   uint64_t address, uint32_t count,
				   unsigned perm);
enum weft_sten_trap sten_event_wait(struct weft_sten *s, unsigned context,
				    const uint64_t *w);

/* sten_cast.c */
int sten_cast_start(struct weft_sten *s, const struct sten_route *to,
		    uint32_t id, const struct sten_packet *p);
/* True if it acknowledges one of this unit's broadcast copies. */
bool sten_cast_ack(struct weft_sten *s, struct weft_peer *src, uint32_t id,
		   unsigned ack);
int sten_cast_run(struct weft_sten *s);
/* Gives a packet up; a retransmission has another packet number. */
void sten_cast_cancel(struct weft_sten *s, uint32_t id);
void sten_cast_lost(struct weft_sten *s, const struct weft_peer *peer);
void sten_cast_fini(struct weft_sten *s);

/* sten_thread.c: w is the command with its registers. */
enum weft_sten_trap sten_thread_start(struct weft_sten *s, unsigned context,
				      unsigned flags, const uint64_t *w);
int sten_thread_run(struct weft_sten *s, int budget);
bool sten_thread_waits(const struct weft_sten *s);
void sten_thread_fini(struct weft_sten *s);

/* sten_time.c */
uint64_t sten_clock(void);
/* Retransmits after acknowledgement timeouts, closes incomplete packets. */
void sten_time_run(struct weft_sten *s);
/* The queue's packet is incomplete: the queue holds the link until timeout. */
void sten_time_hold(struct weft_sten *s, struct sten_queue *q);
/* Shortens a sleep of ns nanoseconds to the next timeout. */
uint64_t sten_time_sleep(const struct weft_sten *s, uint64_t ns);
/* Timestamp of a packet sent now; 0 without timeouts. */
static inline uint64_t sten_time(const struct weft_sten *s)
{
	return s->ack_timeout_ns ? s->clock() : 0;
}

/* sten_tport_match.c */
void sten_tports_lost(struct weft_sten *s, const struct weft_peer *peer);

/* sten_rx.c */
int sten_rx_deliver(void *arg, struct weft_peer *src,
		    const struct weft_pkt *pkt, const void *payload);
void sten_rx_lost(struct weft_sten *s, const struct weft_peer *src);
void sten_rx_fini(struct weft_sten *s);

#endif
