/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the Elan4 interface.
 *
 *  qsnet2.c              open, close, routes, filter
 *  qsnet2_mmu.c          mappings, pages, TLBs
 *  qsnet2_fault.c        demand paging: translations that a driver may add
 *  qsnet2_queue.c        command queues: writes in and out of order, states
 *  qsnet2_tx.c           the command processor and the short transaction engine
 *  qsnet2_dma.c          the DMA engine
 *  qsnet2_event.c        events that count, fire and chain
 *  qsnet2_chain.c        trees of chained events
 *  qsnet2_broadcast.c         broadcasts: copies, merged acknowledgements
 *  qsnet2_thread.c       the thread processor
 *  qsnet2_rx.c           the input processor: transactions, acknowledgements
 *  qsnet2_time.c         timeouts: missing acknowledgements, incomplete packets
 *  qsnet2_rails.c        several units as one
 *  qsnet2_tport.c        tagged ports: the host's part
 *  qsnet2_tport_match.c  tagged ports: the thread's part
 *  qsnet2_transport.c    the unit below the message engine (machine qsnet2)
 */
#ifndef WEFT_QSNET2_DEV_H
#define WEFT_QSNET2_DEV_H

#include "prov/machine/machine_response.h"
#include "prov/machine/machine_order.h"
#include "prov/machine/machine_port.h"
#include "prov/machine/qsnet2/qsnet2_layout.h"
#include "src/base/attr.h"
#include "src/base/list.h"

struct weft_regs;

#define QSNET2_MAPS	    1024
#define QSNET2_DMAS	    256
#define QSNET2_BULKS	    32 /* outstanding transfers of the message engine */
#define QSNET2_PAGE	    4096
#define QSNET2_TLB_LINES    16
#define QSNET2_TLB_WAYS	    4
/* number of hash chains for each page size */
#define QSNET2_CHAINS	    1024
/* maximum number of translations in hash chains */
#define QSNET2_PAGES	    0x10000
#define QSNET2_FAULTS	    16
#define QSNET2_DEFERRED_MAX 256 /* maximum number of deferred broadcasts */
#define QSNET2_ASSEMBLERS   2	/* maximum number of DMA packets in flight */

enum qsnet2_channel_state {
	QSNET2_IDLE,
	QSNET2_SENT,  /* in flight, not acknowledged */
	QSNET2_RETRY, /* discarded, to be retransmitted */
	QSNET2_DONE,
	QSNET2_BULK, /* DMA of qsnet2_bulk.c */
};

/* One of the two outstanding packets of a queue. */
struct qsnet2_channel {
	uint8_t state;
	uint8_t ack;  /* last acknowledgement */
	uint8_t left; /* remaining restarts */
	uint16_t gen;
	struct weft_peer *peer;
	uint64_t start; /* index of the packet's open command */
	uint64_t end;	/* index of the command after the packet */
	uint64_t sent_at;
};

/* Word indices are free-running: index i is ring[i & (words - 1)]. */
struct qsnet2_queue {
	uint64_t *ring;
	uint64_t *late; /* bit mask of words that were written out of order */
	uint32_t words;
	uint32_t number;
	uint16_t context;
	uint8_t perm;
	uint8_t flags;
	uint8_t trap;
	bool skip; /* a guard has failed; the next command is skipped */
	uint64_t address;
	uint64_t head; /* next command */
	uint64_t tail; /* end of the words before the first gap */
	uint64_t restarts;
	/* end of an incomplete packet that a timeout has closed */
	uint64_t closed;
	struct weft_list run; /* link in a list while the queue may have work */
	struct qsnet2_channel ch[WEFT_QSNET2_CHANNELS];
};

struct qsnet2_route {
	struct weft_peer *peer;
	unsigned context;
	/* broadcast route (peer is NULL): first and last destination process */
	uint32_t low;
	uint32_t high;
	uint64_t cookie; /* number of identified packets sent by tagged ports */
};

/* The driver's record of one mapping in a context. */
struct qsnet2_map {
	uint64_t base;
	uint64_t bytes;
	uint64_t host; /* process address of base */
	uint16_t context;
	uint16_t perm;
	bool used; /* pages of the mapping were created */
};

/*
 * A translation. Memory of a process need not start and end at page boundaries:
 * from and end delimit the valid part of the page, and a page may have several
 * translations.
 */
struct qsnet2_page {
	uint64_t page; /* address >> shift */
	uint64_t from;
	uint64_t end;	/* end of the valid part; 0: no translation */
	uint64_t shift; /* process address minus context address */
	uint16_t context;
	uint16_t perm;
	uint32_t next; /* next page in the hash chain; 0: none */
};

/* Pages of one size: TLB lines and heads of hash chains. */
struct qsnet2_tlb {
	unsigned bits; /* address bits inside a page */
	uint8_t next_way[QSNET2_TLB_LINES];
	struct qsnet2_page line[QSNET2_TLB_LINES][QSNET2_TLB_WAYS];
	uint32_t chain[QSNET2_CHAINS];
};

struct qsnet2_mmu {
	struct qsnet2_tlb tlb[2];
	struct qsnet2_page *page; /* all pages in chains; index 0 is unused */
	uint32_t pages;
	uint32_t room;
	uint32_t free; /* list of unused pages; 0: none */
};

/* A missing translation that a packet needs. */
struct qsnet2_fault {
	uint64_t address;
	uint64_t bytes;
	uint16_t context;
	uint16_t perm;
	bool refused; /* refused by the driver; the next packet gets an error */
};

struct qsnet2_dma {
	struct weft_list link; /* link in the run queue or the free list */
	uint16_t context;
	uint16_t gen;
	uint8_t remote; /* permissions that a peer's descriptor needs */
	uint8_t state;	/* enum qsnet2_channel_state */
	uint8_t left;
	uint32_t sent;	    /* bytes acknowledged */
	uint32_t in_flight; /* bytes of the packet in flight */
	uint64_t sent_at;
	struct qsnet2_route to;
	struct weft_qsnet2_dma d;
};

/* A packet being built. */
struct qsnet2_packet {
	unsigned bytes;
	alignas(8) unsigned char data[QSNET2_WIRE_MAX];
};

/* Ring of the threads of one priority that are ready to run. */
struct qsnet2_threads {
	struct weft_qsnet2_thread
		/* WEFT_QSNET2_THREADS entries; NULL: not allocated yet */
		*ring;
	uint64_t head;
	uint64_t tail;
};

struct weft_qsnet2 {
	struct weft_port port;
	struct weft_responses responses;
	void (*interrupt)(void *, unsigned, uint64_t);
	void (*thread)(void *, unsigned, const uint64_t *);
	void *arg;
	/*
	 * Set by qsnet2_transport.c: the input queue, a callback for a filled
	 * slot, and a callback that returns whether to refuse a packet.
	 */
	struct weft_qsnet2_input *input;
	void (*commit)(struct weft_qsnet2 *s, uint64_t slot,
		       struct weft_peer *src);
	bool (*refuse)(struct weft_qsnet2 *s, struct weft_peer *src);
	void *engine;
	unsigned assemblers; /* maximum number of DMA packets in flight */
	unsigned in_flight;  /* number of DMA packets in flight */
	/* there may be threads, broadcasts, faults or timeouts to poll */
	bool rare;
	struct weft_list run[2]; /* queues: normal, high priority */
	struct weft_list dma_run;
	struct weft_list dma_free;
	struct weft_hash routes;  /* vproc + 1 -> struct qsnet2_route */
	struct weft_hash filters; /* context + 1 -> mode + 1 */
	struct weft_hash cookies; /* peer and context -> struct qsnet2_cookie */
	struct weft_hash programs; /* context and pc -> struct qsnet2_program */
	struct qsnet2_threads threads[2]; /* normal, high priority */
	struct weft_qsnet2_stats stats;
	uint64_t chained; /* number of events that wrote to a command queue */
	/* qsnet2_time.c */
	uint64_t (*clock)(void);
	uint64_t ack_timeout_ns; /* acknowledgement timeout, ns; 0: none */
	/*
	 * timeout of an incomplete packet, ns; 0: incomplete packets do not
	 * block other queues
	 */
	uint64_t packet_timeout_ns;
	/* queue whose incomplete packet blocks the link */
	struct qsnet2_queue *holder;
	uint64_t held_at;
	struct weft_list broadcasts; /* outstanding broadcasts of this unit */
	unsigned qsnet2_deferred_count;
	/* received broadcasts that wait for an end packet */
	struct weft_list deferred;
	struct weft_list tports; /* tagged ports: struct weft_qsnet2_tports */
	unsigned queues;	 /* highest queue number in use + 1 */
	struct weft_hash pagers; /* context + 1 -> struct qsnet2_pager */
	unsigned maps;		 /* number of entries of `map` in use */
	struct qsnet2_map map[QSNET2_MAPS];
	struct qsnet2_dma dma[QSNET2_DMAS];
	struct qsnet2_bulk *bulk; /* QSNET2_BULKS transfers */
	uint16_t bulk_context;
	/* mappings of bulk_context that peers read, live; or NULL */
	struct weft_regs *bulk_maps;
	/* owner's records of the mappings in bulk_maps */
	struct qsnet2_map *bulk_map;
	struct qsnet2_queue *queue[WEFT_QSNET2_QUEUES];
	struct qsnet2_mmu mmu;
	unsigned faults; /* number of entries of `fault` in use */
	struct qsnet2_fault fault[QSNET2_FAULTS];
};

/*
 * Returns whether the network acknowledges packets: a packet then counts as
 * acknowledged when it has been sent, and no packet is discarded.
 */
static inline bool qsnet2_network_acks(const struct weft_qsnet2 *s)
{
	return weft_unlikely(s->port.carrier->ops->backend->acks);
}

/* qsnet2.c */
int qsnet2_create(const struct weft_carrier_ops *ops,
		  const struct weft_carrier_attr *attr,
		  struct weft_qsnet2 **s_p);
struct qsnet2_route *qsnet2_route(struct weft_qsnet2 *s, uint32_t vproc);
int qsnet2_route_bind(struct weft_qsnet2 *s, uint32_t vproc,
		      struct weft_peer *peer, unsigned context);
void qsnet2_trap(struct weft_qsnet2 *s, enum weft_qsnet2_trap trap,
		 uint64_t address);
void qsnet2_lost(struct weft_qsnet2 *s, struct weft_peer *peer);

/*
 * qsnet2_mmu.c: returns the process memory at an address if the context has the
 * permission, or NULL; a driver may map it first. flags_p: flags of the
 * mapping.
 */
void *qsnet2_memory_translate(struct weft_qsnet2 *s, unsigned context,
			      uint64_t address, uint64_t bytes, unsigned perm,
			      unsigned *flags_p);
/* Like qsnet2_memory_translate(), without calling the driver. */
void *qsnet2_memory_mapped(struct weft_qsnet2 *s, unsigned context,
			   uint64_t address, uint64_t bytes, unsigned perm,
			   unsigned *flags_p);
/*
 * Returns false if an access would fail; checks only the mappings, not the
 * pages.
 */
bool qsnet2_memory_possible(struct weft_qsnet2 *s, unsigned context,
			    uint64_t address, uint64_t bytes, unsigned perm);
/* Removes a mapping that equals *m. */
void qsnet2_map_remove(struct weft_qsnet2 *s, const struct qsnet2_map *m);
void qsnet2_mmu_init(struct weft_qsnet2 *s);
void qsnet2_mmu_fini(struct weft_qsnet2 *s);

static inline void *qsnet2_memory(struct weft_qsnet2 *s, unsigned context,
				  uint64_t address, uint64_t bytes,
				  unsigned perm)
{
	unsigned flags;

	return qsnet2_memory_translate(s, context, address, bytes, perm,
				       &flags);
}

/* qsnet2_fault.c: returns whether the context has a driver that does paging. */
bool qsnet2_fault_has_pager(struct weft_qsnet2 *s, unsigned context);
/* Calls the driver. Returns whether to retry the translation. */
bool qsnet2_fault_map(struct weft_qsnet2 *s, const struct qsnet2_fault *f);
/* Returns Discard if a translation of the packet is missing, otherwise OK. */
unsigned qsnet2_fault_packet(struct weft_qsnet2 *s, unsigned context,
			     const void *payload, unsigned len);
void qsnet2_fault_run(struct weft_qsnet2 *s);
void qsnet2_fault_fini(struct weft_qsnet2 *s);

/* qsnet2_queue.c */
struct qsnet2_queue *qsnet2_queue(struct weft_qsnet2 *s, unsigned q);
/* Opens queue number i, which must be free. */
int qsnet2_queue_open_at(struct weft_qsnet2 *s, unsigned context,
			 uint32_t depth, unsigned perm, unsigned flags,
			 unsigned i);
void qsnet2_queue_wake(struct weft_qsnet2 *s, struct qsnet2_queue *q);
void qsnet2_queue_trap(struct qsnet2_queue *q, enum weft_qsnet2_trap trap,
		       uint64_t address);
/* Returns the oldest word that a restart may need. */
uint64_t qsnet2_queue_oldest(const struct qsnet2_queue *q);
void qsnet2_queue_fini(struct weft_qsnet2 *s);

/* qsnet2_tx.c */
int qsnet2_tx_run(struct weft_qsnet2 *s, int budget);
int qsnet2_tx_queue(struct weft_qsnet2 *s, struct qsnet2_queue *q);
bool qsnet2_channel_free(const struct qsnet2_queue *q, unsigned channel);
void qsnet2_tx_ack(struct weft_qsnet2 *s, struct weft_peer *src, uint32_t id,
		   unsigned ack);
void qsnet2_tx_lost(struct weft_qsnet2 *s, struct weft_peer *peer);
/*
 * Number of a channel's packet. qsnet2_channel_restart retransmits that packet
 * after a Discard or timeout, or traps the queue.
 */
uint32_t qsnet2_channel_id(const struct qsnet2_queue *q,
			   const struct qsnet2_channel *c);
void qsnet2_channel_restart(struct weft_qsnet2 *s, struct qsnet2_queue *q,
			    struct qsnet2_channel *c);
int qsnet2_send(struct weft_qsnet2 *s, const struct qsnet2_route *to,
		uint32_t id, const struct qsnet2_packet *p);
/* Sends a packet of the given enum qsnet2_kind to one peer. */
int qsnet2_send_as(struct weft_qsnet2 *s, const struct qsnet2_route *to,
		   uint32_t id, const struct qsnet2_packet *p, unsigned kind);
/* Adds a transaction to a packet; -EMSGSIZE: no space in the packet. */
int qsnet2_packet_add(struct qsnet2_packet *p, unsigned type, uint64_t address,
		      const void *data, unsigned bytes);

/* qsnet2_dma.c */
void qsnet2_dma_init(struct weft_qsnet2 *s);
enum weft_qsnet2_trap qsnet2_dma_start(struct weft_qsnet2 *s, unsigned context,
				       const uint64_t *words);
/* Starts a DMA for a peer, with the permissions for remote accesses. */
enum weft_qsnet2_trap qsnet2_dma_start_remote(struct weft_qsnet2 *s,
					      unsigned context,
					      const uint64_t *words);
/* Sends a DMA's next packet. Returns 0, -EAGAIN, or the error that ended it. */
int qsnet2_dma_step(struct weft_qsnet2 *s, struct qsnet2_dma *d);
void qsnet2_dma_end(struct weft_qsnet2 *s, struct qsnet2_dma *d);
int qsnet2_dma_run(struct weft_qsnet2 *s, int budget);
void qsnet2_dma_ack(struct weft_qsnet2 *s, struct weft_peer *src, uint32_t id,
		    unsigned ack);
void qsnet2_dma_lost(struct weft_qsnet2 *s, struct weft_peer *peer);
/* Handles a DMA packet whose acknowledgement timed out. */
void qsnet2_dma_timeout(struct weft_qsnet2 *s, struct qsnet2_dma *d);

/*
 * qsnet2_event.c: sets an event; perm: permission that access to the event's
 * memory requires
 */
enum weft_qsnet2_trap qsnet2_event_set(struct weft_qsnet2 *s, unsigned context,
				       uint64_t address, uint32_t count,
				       unsigned perm);
enum weft_qsnet2_trap qsnet2_event_wait(struct weft_qsnet2 *s, unsigned context,
					const uint64_t *w);

/* qsnet2_broadcast.c */
int qsnet2_broadcast_start(struct weft_qsnet2 *s, const struct qsnet2_route *to,
			   uint32_t id, const struct qsnet2_packet *p);
/* Returns whether id is a broadcast copy; if so, handles its ack. */
bool qsnet2_broadcast_ack(struct weft_qsnet2 *s, struct weft_peer *src,
			  uint32_t id, unsigned ack);
int qsnet2_broadcast_run(struct weft_qsnet2 *s);
/* Cancels a broadcast packet; its retransmission has a different number. */
void qsnet2_broadcast_cancel(struct weft_qsnet2 *s, uint32_t id);
void qsnet2_broadcast_lost(struct weft_qsnet2 *s, const struct weft_peer *peer);
void qsnet2_broadcast_fini(struct weft_qsnet2 *s);

/* qsnet2_thread.c: starts a thread; w: the command with the register values. */
enum weft_qsnet2_trap qsnet2_thread_start(struct weft_qsnet2 *s,
					  unsigned context, unsigned flags,
					  const uint64_t *w);
int qsnet2_thread_run(struct weft_qsnet2 *s, int budget);
bool qsnet2_thread_waits(const struct weft_qsnet2 *s);
void qsnet2_thread_fini(struct weft_qsnet2 *s);

/* qsnet2_time.c */
/* Handles acknowledgement timeouts, and closes incomplete packets. */
void qsnet2_time_run(struct weft_qsnet2 *s);
/*
 * Makes queue q, which has an incomplete packet, block the link until the
 * timeout.
 */
void qsnet2_time_hold(struct weft_qsnet2 *s, struct qsnet2_queue *q);
/* Returns how long to block: ns, or less if a timeout expires earlier. */
uint64_t qsnet2_time_sleep(const struct weft_qsnet2 *s, uint64_t ns);
/* Returns the timestamp of a packet sent now; 0 without timeouts. */
static inline uint64_t qsnet2_time(const struct weft_qsnet2 *s)
{
	return s->ack_timeout_ns ? s->clock() : 0;
}

/* qsnet2_tport_match.c */
void qsnet2_tports_lost(struct weft_qsnet2 *s, const struct weft_peer *peer);

/* qsnet2_rx.c */
int qsnet2_rx_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload);
void qsnet2_rx_lost(struct weft_qsnet2 *s, const struct weft_peer *src);
void qsnet2_rx_fini(struct weft_qsnet2 *s);

#endif
