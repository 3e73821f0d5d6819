/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the Message Unit: the contents of its control SRAMs,
 * and the functions that the files of this folder share.
 *
 *  bgq.c            open, close, nodes, registers, errors, interrupts
 *  bgq_desc.c       building and checking of descriptors
 *  bgq_mem.c        range registers, base address table, atomics
 *  bgq_fifo.c       index arithmetic of the two kinds of ring
 *  bgq_tx.c         arbitration; descriptor -> packets
 *  bgq_rx.c         packet -> memory, counters, FIFOs
 *  bgq_route.c      class routes: barrier unit, broadcasts
 *  bgq_upc.c        performance counters
 *  bgq_bulk.c       direct puts and remote gets of the message engine, live
 *  bgq_transport.c  the unit below the message engine (machine bgq)
 */
#ifndef WEFT_BGQ_DEV_H
#define WEFT_BGQ_DEV_H

#include "prov/machine/bgq/bgq_layout.h"
#include "prov/machine/machine_order.h"
#include "prov/machine/machine_port.h"
#include "src/base/rng.h"

struct weft_regs;

#define BGQ_CLASSES 3 /* priority classes: normal, user high, system */
#define BGQ_WORDS   ((WEFT_BGQ_INJ_FIFOS + 63) / 64)

#ifndef BGQ_RMES
#define BGQ_RMES 16 /* number of reception engines; a test uses fewer */
#endif

enum bgq_inj_state {
	BGQ_CLOSED,
	BGQ_OPEN,
	BGQ_ERROR,
};

/* State of one injection memory FIFO; on the machine in ICSRAM and MCSRAM. */
struct bgq_inj {
	struct bgq_desc *ring;
	uint32_t slots; /* slots of the ring, a power of two */
	/* free slots above which an interrupt is raised; UINT32_MAX: never */
	uint32_t threshold;
	uint8_t state; /* enum bgq_inj_state */
	uint8_t cls;   /* priority class, 0..BGQ_CLASSES-1 */
	uint8_t flags; /* flags given at open */
	uint8_t error; /* enum weft_bgq_error */
	bool fetched;  /* cur holds the descriptor at head */
	bool loaded;   /* word holds the result of an atomic load */
	/*
	 * value of weft_bgq.range_changes when the whole ring was last checked
	 * and found to be allowed
	 */
	uint32_t checked;
	uint64_t word;
	uint64_t sent;	  /* bytes of cur already sent */
	uint64_t count;	  /* completed descriptors */
	uint64_t fetches; /* fetched descriptors */
	struct bgq_desc cur;
	/* cache line written by the producer */
	alignas(64) weft_au64 tail;
	uint64_t head_seen;
	weft_au64 posts; /* stores to the tail by all users of the FIFO */
	/* cache line written by the unit */
	alignas(64) weft_au64 head;
};

/*
 * State of one reception memory FIFO; on the machine in RCSRAM. shadow and tail
 * have a sequence number in their upper 16 bits and a position in chunks below.
 * A reservation moves shadow; a commit moves tail, in sequence.
 */
struct bgq_rec {
	unsigned char *base;
	uint64_t chunks; /* size in chunks, a power of two; 0: closed */
	uint64_t threshold;
	uint8_t flags;
	/*
	 * value of range_changes when the ring was last checked, as in bgq_inj
	 */
	uint32_t checked;
	alignas(64) weft_au64 shadow;
	weft_au64 tail;
	/* done words of complete packets, see bgq_rec_commit() */
	weft_au64 done[BGQ_RMES];
	alignas(64) weft_au64 head; /* head in chunks, written by software */
};

/* The reserved chunks of one packet between reserve and commit. */
struct bgq_reservation {
	uint64_t first; /* first chunk */
	uint64_t end;	/* chunk after the last one */
	unsigned seq;
};

struct bgq_range {
	uint64_t base;
	uint64_t bytes; /* size; 0: disabled */
	uint32_t flags;
	/*
	 * includes addresses that may be unmapped (bgq_bulk.c): bytes are
	 * stored there by a system call, and no atomics are performed
	 */
	bool gaps;
};

/* A class route: this node's position in a tree, and its barrier registers. */
struct bgq_route {
	bool open;
	bool system;
	uint32_t parent; /* node, or WEFT_BGQ_NO_NODE at the root */
	unsigned children;
	uint32_t child[WEFT_BGQ_ROUTE_CHILDREN];
	/* barrier unit: three bits each */
	uint8_t control;
	uint8_t status;
	uint8_t sent; /* value that the parent has received */
	uint8_t input[WEFT_BGQ_ROUTE_CHILDREN];
	/* bit mask of the children that have not received the status */
	unsigned down;
	/*
	 * broadcast in progress. left: bit 0: this node; other bits: children
	 * without a copy yet. source: source of the packet
	 */
	unsigned left;
	uint32_t source;
};

struct bgq_bat {
	uint64_t base;
	bool valid;
	bool system;
};

struct weft_bgq {
	struct weft_port port;
	/* allocated block, for free(); this struct is aligned in it */
	void *raw;
	struct weft_rng rng;
	void (*interrupt)(void *, enum weft_bgq_irq, unsigned);
	void *interrupt_arg;
	/*
	 * Set below the message engine: performs the direct put or remote get
	 * of a descriptor by DMA at once. Returns 0, -errno, or 1: send
	 * packets.
	 */
	int (*dma)(struct weft_bgq *mu, const struct bgq_desc *d);
	void *engine;
	/*
	 * Copies of the range registers and of the base address table that
	 * peers read; set by bgq_bulk.c, else NULL.
	 */
	struct weft_regs *range_regs;
	struct weft_regs *bat_regs;
	/* masks of the FIFOs with work */
	weft_au64 active[BGQ_CLASSES][BGQ_WORDS];
	struct bgq_range range[WEFT_BGQ_RANGES];
	/* number of changes of range registers, starting at 1 */
	uint32_t range_changes;
	struct bgq_bat bat[WEFT_BGQ_BAT_ENTRIES];
	uint64_t irq_pending;
	uint64_t irq_mask;
	uint8_t irq_group[WEFT_BGQ_IRQS]; /* enum weft_bgq_group */
	/* halted parts: mask of enum weft_bgq_part */
	unsigned halted;
	uint64_t err_code;
	uint64_t err_id;
	uint64_t err_address;
	uint64_t err_count;
	uint64_t net_sent[WEFT_BGQ_NET_FIFOS];
	uint64_t net_received;
	/*
	 * counters, by enum weft_bgq_upc; WEFT_BGQ_UPC_SLAVE_WRITES does not
	 * include bgq_inj.posts
	 */
	uint64_t upc[WEFT_BGQ_UPCS];
	struct bgq_route route[WEFT_BGQ_ROUTES];
	unsigned net_next; /* next entry of the FIFO map, round-robin */
	struct bgq_inj inj[WEFT_BGQ_INJ_FIFOS];
	struct bgq_rec rec[WEFT_BGQ_REC_FIFOS];
};

/* bgq.c */
int bgq_create(const struct weft_carrier_ops *ops,
	       const struct weft_carrier_attr *attr, uint64_t seed,
	       struct weft_bgq **bgq_p);
static inline bool bgq_halted(const struct weft_bgq *mu,
			      enum weft_bgq_part part)
{
	return mu->halted >> part & 1;
}
void bgq_irq(struct weft_bgq *mu, enum weft_bgq_irq irq, unsigned id);
/* Records an error in the error registers and raises the error interrupt. */
void bgq_error(struct weft_bgq *mu, enum weft_bgq_error code, unsigned id,
	       uint64_t address);

/* bgq_desc.c: returns WEFT_BGQ_OK or the reason to refuse the descriptor. */
enum weft_bgq_error bgq_desc_check(const struct bgq_desc *d, bool system);

/* bgq_mem.c */
enum bgq_use {
	BGQ_READ = 0,
	BGQ_STORE = 1,
	BGQ_ATOMIC = 2,
};

/* Returns whether a range register allows this use of the bytes. */
bool bgq_range_ok(const struct weft_bgq *mu, uint64_t addr, uint64_t bytes,
		  enum bgq_use use, bool system);
/*
 * Returns whether the range registers allow an access to `bytes` of the ring
 * of a FIFO; the part beyond the end of the ring continues at its start. Rings
 * are set by the system, so all registers apply to them.
 */
bool bgq_inj_ring_ok(const struct weft_bgq *mu, struct bgq_inj *f, uint64_t pos,
		     unsigned slots, enum bgq_use use);
bool bgq_rec_ring_ok(const struct weft_bgq *mu, struct bgq_rec *r, uint64_t pos,
		     unsigned chunks);
/*
 * Stores bytes in memory that a range register allows. Returns false if there
 * is no memory at the address.
 */
bool bgq_store(const struct weft_bgq *mu, uint64_t to, const void *from,
	       unsigned bytes);
enum weft_bgq_error bgq_bat_address(const struct weft_bgq *mu, uint64_t sel,
				    bool system, uint64_t *addr_p);
uint64_t bgq_atomic_load(uint64_t addr, unsigned op);
/* Performs an atomic store; returns the value after the operation. */
uint64_t bgq_atomic_store(uint64_t addr, unsigned op, uint64_t value);
/*
 * Returns 1 if op also accesses the word after its address, -1 for the word
 * before, 0 for neither.
 */
int bgq_load_neighbour(unsigned op);

/* bgq_fifo.c */
int bgq_inj_push(struct bgq_inj *f, const struct bgq_desc *d, unsigned n);
uint64_t bgq_inj_free(struct bgq_inj *f);
bool bgq_inj_empty(struct bgq_inj *f);
/*
 * Reserves chunks. -EAGAIN: the FIFO is full, or BGQ_RMES packets are being
 * stored.
 */
int bgq_rec_reserve(struct bgq_rec *r, unsigned chunks,
		    struct bgq_reservation *p);
void bgq_rec_commit(struct bgq_rec *r, const struct bgq_reservation *p);
void bgq_rec_copy_in(struct bgq_rec *r, uint64_t first, const void *src,
		     size_t bytes);
void bgq_rec_copy_out(struct bgq_rec *r, uint64_t first, void *dst,
		      size_t bytes);
uint64_t bgq_rec_free(struct bgq_rec *r);
uint64_t bgq_rec_tail(struct bgq_rec *r);
/* Returns the first chunk that is not reserved. */
uint64_t bgq_rec_shadow(struct bgq_rec *r);

/* bgq_tx.c */
void bgq_tx_doorbell(struct weft_bgq *mu, unsigned id);
/*
 * Sends one packet of a FIFO. Returns 1: sent; 0: the FIFO is empty; -EAGAIN:
 * blocked.
 */
int bgq_tx_step(struct weft_bgq *mu, unsigned id);
int bgq_tx_run(struct weft_bgq *mu, int budget);

/* bgq_route.c */
/* Sends values of the barrier unit that the carrier refused earlier. */
void bgq_route_run(struct weft_bgq *mu);
int bgq_gi_store(struct weft_bgq *mu, unsigned class, uint64_t bits,
		 bool system);
uint64_t bgq_gi_load(const struct weft_bgq *mu, unsigned class, bool status);
int bgq_gi_deliver(struct weft_bgq *mu, uint32_t source,
		   const struct weft_pkt *pkt);
int bgq_bcast_send(struct weft_bgq *mu, const struct bgq_hdr *h,
		   const void *payload, bool system);
int bgq_bcast_deliver(struct weft_bgq *mu, uint32_t source,
		      const struct bgq_hdr *h, const void *payload);

/* bgq_upc.c */
/* Count the requests of a master port for these bytes of memory. */
void bgq_upc_read(struct weft_bgq *mu, uint64_t addr, uint64_t bytes);
void bgq_upc_write(struct weft_bgq *mu, uint64_t addr, uint64_t bytes);
/* Counts one descriptor that is fetched from a FIFO. */
void bgq_upc_fetch(struct weft_bgq *mu, struct bgq_inj *f);
/* Counts a sent packet, whose payload was read from addr. */
void bgq_upc_packet(struct weft_bgq *mu, uint64_t addr, unsigned bytes,
		    bool last);
/*
 * Count all packets of a message whose data is moved by one copy: payload read
 * from addr, or stored by a direct put to addr with its counter.
 */
void bgq_upc_sent(struct weft_bgq *mu, uint64_t addr, uint64_t bytes);
void bgq_upc_stored(struct weft_bgq *mu, uint64_t addr, uint64_t bytes);
/* Counts a processor's store to the tail of a FIFO. */
void bgq_upc_post(struct bgq_inj *f);
uint64_t bgq_upc_load(const struct weft_bgq *mu, unsigned id);
int bgq_upc_store(struct weft_bgq *mu, unsigned id, uint64_t value);

/*
 * bgq_rx.c: handles a received packet. 0: the packet was accepted or refused;
 * -EAGAIN: no space now.
 */
int bgq_rx_packet(struct weft_bgq *mu, uint32_t source, const struct bgq_hdr *h,
		  const void *payload);
/*
 * Checks a direct put of `bytes`: base addresses, range registers, atomic
 * operation. Sets the addresses of its target and its counter.
 */
enum weft_bgq_error bgq_put_check(const struct weft_bgq *mu,
				  const struct bgq_hdr *h, uint64_t bytes,
				  uint64_t *to_p, uint64_t *ctr_p);
int bgq_rx_deliver(void *arg, struct weft_peer *src, const struct weft_pkt *pkt,
		   const void *payload);

#endif
