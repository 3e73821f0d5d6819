/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Sunway interface from inside.
 *
 *	swhni.c         open, close, nodes, poll
 *	swhni_vm.c      virtual machines
 *	swhni_vi.c      virtual interfaces, the end of jobs
 *	swhni_rx.c      the receive unit: what arrives
 *	swhni_manage.c  management commands, IO space
 *	swhni_tx.c      the send unit: whose turn it is, packets, time-outs
 *	swhni_post.c    descriptors: into send queues, or written on chip
 *	swhni_window.c  reliable queue messages
 *	swhni_coll.c    collectives
 *	swhni_rq.c      receive queues, raw and virtual
 *	swhni_mem.c     addresses, pages, the TLB
 *	swhni_cq.c      completion queues
 *	swhni_port.c    which way a packet goes: engine, crossbar, ports
 *	swhni_engine.c  the unit below the message engine (machine sunway)
 */
#ifndef WEFT_PROV_SWHNI_DEV_H
#define WEFT_PROV_SWHNI_DEV_H

#include "prov/nic/nic_order.h"
#include "prov/nic/nic_port.h"
#include "prov/nic/swhni/swhni_layout.h"
#include "src/base/attr.h"
#include "src/base/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SWHNI_MEMS     4096
#define SWHNI_TLB_WAYS 4
#define SWHNI_TLB_SETS (WEFT_SWHNI_TLB / SWHNI_TLB_WAYS)
#define SWHNI_FSMS     16 /* fast short messages of an interface on chip */
#define SWHNI_MIDDLE   (64u * 1024)
#define SWHNI_BACKS    64 /* reads of others that are being answered */
#define SWHNI_WINDOW   64 /* messages of a window on their way */
#define SWHNI_LOCALS   64 /* packets inside the chip */
#define SWHNI_ROUTES   256
#define SWHNI_VMS      64
#define SWHNI_GROUPS   16
#define SWHNI_COMMANDS 256
#define SWHNI_COMINGS  8192 /* messages that are arriving, at most */
#define SWHNI_NO_VM    (-1)
#define SWHNI_COLLS    4 /* operations of a group under way */

/* Messages by length, and those that are marked. */
enum swhni_class {
	SWHNI_CLASS_FAST,
	SWHNI_CLASS_SHORT,  /* one packet */
	SWHNI_CLASS_MIDDLE, /* up to 64 KB */
	SWHNI_CLASS_LONG,
	SWHNI_CLASSES,
};

enum swhni_state {
	SWHNI_FREE,
	SWHNI_SENDING,
	SWHNI_WAITING, /* all is sent; the target has the next word */
};

/* A fast short message in the chip's memory. */
struct swhni_fsm {
	struct weft_swhni_desc d;
	unsigned char data[WEFT_SWHNI_FSM];
};

/* Packets of a message that have come, a bit each. */
struct swhni_bits {
	uint64_t few;	/* of a message of up to 64 */
	uint64_t *many; /* of a longer one */
};

/* A message on its way. */
struct swhni_msg {
	struct weft_list link; /* free, its class, or those that wait */
	struct weft_swhni_desc d;
	uint32_t gen;
	uint32_t job;
	uint8_t state; /* enum swhni_state */
	uint8_t class;
	uint8_t engine;
	uint8_t vi;
	bool fsm;
	bool back;	  /* R2W: answers a read of somebody else's */
	bool orphan;	  /* its interface is closed: nobody hears of it */
	uint32_t back_id; /* of that read */
	uint32_t sent;
	uint32_t got;		/* RDMAR: bytes that came */
	struct swhni_bits bits; /* likewise, packets */
	struct swhni_window *window;
	bool numbered; /* in its window: it has been sent once */
	uint64_t seq;
	uint64_t sent_at;
	unsigned char data[WEFT_SWHNI_FSM]; /* fsm */
};

/* A buffer that a virtual receive queue waits with. */
struct swhni_buffer {
	struct weft_list link;
	uint16_t queue;
	uint32_t bytes;
	void *to;
	uint64_t cookie;
};

/* A message that came. */
struct swhni_slot {
	struct weft_list link;
	struct weft_swhni_arrival a;
	uint16_t queue;
	unsigned char data[WEFT_SWHNI_PACKET];
};

/* What an input of a collective sent. */
struct swhni_part {
	uint8_t status;
	uint8_t bytes;
	unsigned char data[WEFT_SWHNI_FSM];
};

/* A collective, as one member sees it. */
struct swhni_coll {
	struct weft_list link; /* those under way */
	struct weft_swhni_coll d;
	uint64_t number; /* in its group */
	uint64_t came;	 /* inputs, a bit each */
	uint64_t since;	 /* waits for its result, or was probed for it */
	uint32_t job;
	uint32_t cast; /* copies that have left */
	uint8_t engine;
	uint8_t vi;
	uint8_t added; /* inputs that are in the sum */
	uint8_t status;
	bool used;
	bool posted;
	bool sent; /* the sum, upwards */
	bool told; /* the parent has it */
	bool over;
	unsigned char sum[WEFT_SWHNI_PACKET]; /* so far; the result */
	struct swhni_part part[WEFT_SWHNI_INPUTS];
};

/* A member's operations of a group. */
struct swhni_circle {
	uint64_t next; /* number */
	struct swhni_coll op[SWHNI_COLLS];
};

/* The nodes that multicasts of a group reach. */
struct swhni_cast {
	uint32_t *guid;
	unsigned n;
	bool gone; /* one of them is */
};

/* Indices run free; the entry of index i is ring[i & (entries - 1)]. */
struct swhni_vi {
	bool open;
	uint32_t job;
	int vm;			/* or SWHNI_NO_VM */
	struct weft_list ready; /* linked while it has something to send */
	struct weft_swhni_desc *sq;
	uint32_t sends;
	uint64_t sq_head;
	uint64_t sq_tail;
	struct swhni_fsm *fsm; /* SWHNI_FSMS */
	uint64_t fsm_head;
	uint64_t fsm_tail;
	struct weft_swhni_event *cq;
	uint32_t events;
	uint64_t cq_head;
	uint64_t cq_tail;
	uint64_t owed; /* entries that messages on their way will need */
	struct swhni_slot *slot;
	struct weft_list slots;	  /* free */
	struct weft_list arrived; /* in order of their coming */
	struct weft_list buffers; /* struct swhni_buffer */
	struct weft_list windows; /* struct swhni_window, as sender */
	struct swhni_circle *circle[WEFT_SWHNI_CASTS];
};

/* A message engine. */
struct swhni_me {
	struct weft_list ready; /* interfaces, taken in turn */
	struct weft_list run[SWHNI_CLASSES];
	struct weft_list waiting; /* messages that are with their targets */
	struct weft_list free;
	struct weft_list backs; /* free places of answers to reads */
	unsigned flying;
	unsigned turn;
	uint64_t io[WEFT_SWHNI_IO];
	struct swhni_vi vi[WEFT_SWHNI_VIS];
	struct swhni_msg msg[WEFT_SWHNI_FLYING + SWHNI_BACKS];
};

/* Registered memory. */
struct swhni_mem {
	bool used;
	struct weft_swhni_mem m;
	uint64_t *page; /* paged: where each is */
	uint64_t pages;
};

struct swhni_entry {
	uint64_t at; /* where the page is */
	uint64_t page;
	uint16_t mem; /* plus one; 0: empty */
};

/* Reliable messages from one interface to another; at both ends. */
struct swhni_window {
	struct weft_list link;
	uint32_t number;
	uint32_t guid;
	uint32_t to;	/* interface; at the receiver both interfaces */
	uint64_t next;	/* sender: number of the next message */
	uint64_t base;	/* all below have been taken */
	uint64_t taken; /* bits: from base on */
};

enum swhni_come {
	SWHNI_NEVER, /* nothing is known of it */
	SWHNI_COMES,
	SWHNI_WAITS, /* all is there, its notification finds no room */
	SWHNI_OVER,
};

/* The last write from one of the places of a node's messages. */
struct swhni_coming {
	struct weft_list link;
	struct swhni_bits bits;
	uint32_t guid;
	uint32_t id;
	uint32_t got;
	uint32_t left;	/* aborted: so many bytes were sent */
	uint32_t asked; /* what was there at the last probe */
	uint8_t state;	/* enum swhni_come */
	uint8_t status; /* the first bad one */
	bool aborted;
};

/* A packet that waits for room on its way out, or is inside the chip. */
struct swhni_kept {
	struct weft_list link;
	uint32_t guid;
	struct weft_pkt pkt;
	unsigned char payload[];
};

/* A read that waits for a free place, a notification that waits for room. */
struct swhni_later {
	struct weft_list link;
	uint32_t guid;
	struct weft_pkt pkt;
	struct swhni_slice slice;
};

struct swhni_port {
	struct weft_port port;
	struct weft_swhni *n;
	bool healthy;
};

struct weft_swhni {
	uint32_t guid;
	unsigned ports;
	unsigned port_turn;
	struct swhni_port port[WEFT_SWHNI_PORTS];
	void (*manage)(void *, uint32_t, unsigned, uint64_t);
	void *arg;
	uint64_t (*clock)(void);
	uint64_t resend_ns;
	struct swhni_me me[WEFT_SWHNI_ENGINES];
	struct weft_list local; /* struct swhni_kept: inside the chip */
	unsigned locals;
	struct weft_list answers; /* struct swhni_kept */
	struct weft_list reads;	  /* struct swhni_later */
	struct weft_list notes;	  /* struct swhni_later */
	struct weft_list coming;  /* struct swhni_coming */
	struct weft_hash comings; /* the same, by node and place */
	unsigned arriving;	  /* of them SWHNI_COMES */
	struct weft_hash windows; /* as receiver: by node and number */
	struct weft_list window;  /* the same, all of them */
	uint32_t window_next;
	struct weft_list colls; /* struct swhni_coll: under way */
	struct swhni_cast cast[WEFT_SWHNI_CASTS];
	struct swhni_mem mem[SWHNI_MEMS];
	struct swhni_entry tlb[SWHNI_TLB_SETS][SWHNI_TLB_WAYS];
	uint8_t tlb_turn[SWHNI_TLB_SETS];
	uint8_t group[SWHNI_COMMANDS];
	uint8_t action[SWHNI_GROUPS];
	struct {
		uint8_t hop[WEFT_SWHNI_HOPS];
		uint32_t guid;
	} route[SWHNI_ROUTES];
	unsigned routes;
	struct {
		bool open;
		unsigned limit;
		unsigned used;
	} vm[SWHNI_VMS];
	struct weft_swhni_stats stats;
};

/* What arrived, as the receive unit sees it. */
struct swhni_in {
	uint32_t guid;
	const struct weft_pkt *pkt;
	struct swhni_slice slice;
	const unsigned char *data;
	uint32_t bytes;
};

/* What is to leave. */
struct swhni_out {
	uint32_t guid;
	uint8_t port;
	struct weft_pkt pkt;
	struct swhni_slice slice;
	const void *data;
	uint32_t bytes;
};

/* swhni_port.c: 0, -EAGAIN, -EHOSTUNREACH, -ECONNRESET. */
int swhni_emit(struct weft_swhni *n, struct swhni_out *o);
/* The same for an answer, which is kept while there is no room. */
void swhni_answer(struct weft_swhni *n, struct swhni_out *o);
/* The end of the message that a packet is of, to its sender. */
void swhni_done(struct weft_swhni *n, const struct swhni_in *in,
		unsigned status, uint64_t value);
int swhni_port_run(struct weft_swhni *n);
void swhni_port_fini(struct weft_swhni *n);

/* swhni_cq.c: is there room for one more event than is promised? */
bool swhni_cq_room(const struct swhni_vi *v);
void swhni_cq_write(struct swhni_vi *v, const struct weft_swhni_event *ev);

/* swhni_mem.c */
enum swhni_dir { SWHNI_FROM_MEMORY, SWHNI_TO_MEMORY };

/* What a job wants of memory; rights 0: it is its own. */
struct swhni_range {
	uint32_t job;
	unsigned rights;
	uint64_t address;
	uint64_t bytes;
};

/* All of these return an enum weft_swhni_status. */
unsigned swhni_mem_copy(struct weft_swhni *n, const struct swhni_range *r,
			void *buf, enum swhni_dir dir);
unsigned swhni_mem_check(struct weft_swhni *n, const struct swhni_range *r);
/* Counts up a word. */
unsigned swhni_mem_answer(struct weft_swhni *n, const struct swhni_range *r);
void swhni_mem_job(struct weft_swhni *n, uint32_t job);
void swhni_mem_fini(struct weft_swhni *n);

/* swhni_rq.c: false: there is no room. */
bool swhni_rq_put(struct swhni_vi *v, const struct swhni_in *in, bool notify);
int swhni_rq_init(struct swhni_vi *v, uint32_t entries);
void swhni_rq_fini(struct swhni_vi *v);

/* swhni_window.c */
int swhni_window_join(struct weft_swhni *n, struct swhni_msg *m);
/* May it leave now? */
bool swhni_window_open(const struct swhni_msg *m);
void swhni_window_acked(struct swhni_msg *m);
/* v NULL: its interface is closed, and nobody gets it. */
void swhni_window_arrive(struct weft_swhni *n, struct swhni_vi *v,
			 const struct swhni_in *in);
void swhni_window_close(struct swhni_vi *v);
void swhni_window_lost(struct weft_swhni *n, uint32_t guid);
void swhni_window_fini(struct weft_swhni *n);

/* swhni_post.c */
void swhni_msg_init(struct swhni_me *e, unsigned engine);
/*
 * A free place among the messages on their way, or NULL. Answers to reads have
 * places of their own: two chips that read from each other would else wait for
 * each other.
 */
struct swhni_msg *swhni_msg_take(struct weft_swhni *n, unsigned engine);
struct swhni_msg *swhni_msg_back(struct weft_swhni *n, unsigned engine);
void swhni_msg_free(struct weft_swhni *n, struct swhni_msg *m);
/* Puts it where its turn will come. */
void swhni_msg_run(struct weft_swhni *n, struct swhni_msg *m);
/* The end of a message: tells whoever wants to know. */
void swhni_msg_end(struct weft_swhni *n, struct swhni_msg *m, unsigned status,
		   uint64_t value);
uint32_t swhni_msg_id(const struct weft_swhni *n, const struct swhni_msg *m);
/* NULL: there is no such message any more. */
struct swhni_msg *swhni_msg_find(struct weft_swhni *n, uint32_t guid,
				 uint32_t id);
/* Takes descriptors from the interfaces in turn, while there are places. */
void swhni_fetch(struct weft_swhni *n, unsigned engine);

/* swhni_tx.c */
int swhni_tx_run(struct weft_swhni *n, unsigned engine, int budget);
/* The interface of these messages is closed. */
void swhni_tx_close(struct weft_swhni *n, unsigned engine, unsigned vi);
void swhni_tx_lost(struct weft_swhni *n, uint32_t guid);

/* swhni_manage.c */
void swhni_manage_io(struct weft_swhni *n, const struct swhni_in *in);
void swhni_manage_rx(struct weft_swhni *n, const struct swhni_in *in);
/* The node at the end of a route; false: unknown. */
bool swhni_route(const struct weft_swhni *n, const uint8_t *hop,
		 uint32_t *guid_p);

/* swhni_coll.c: false: no room for the part. */
bool swhni_coll_part(struct weft_swhni *n, struct swhni_vi *v,
		     const struct swhni_in *in);
void swhni_coll_cast(struct weft_swhni *n, const struct swhni_in *in);
void swhni_coll_probed(struct weft_swhni *n, const struct swhni_in *in);
/* What became of the message with a sum. */
void swhni_coll_sent(struct weft_swhni *n, const struct swhni_msg *m,
		     unsigned status);
void swhni_coll_run(struct weft_swhni *n);
void swhni_coll_lost(struct weft_swhni *n, uint32_t guid);
void swhni_coll_close(struct swhni_vi *v);
void swhni_coll_fini(struct weft_swhni *n);

/* swhni_coming.c */
/* false: it came before, or there is no memory for it: it comes again. */
bool swhni_bits_take(struct swhni_bits *b, uint32_t total, uint32_t offset);
void swhni_bits_fini(struct swhni_bits *b);
/* NULL: too old, or too many. */
struct swhni_coming *swhni_coming_of(struct weft_swhni *n,
				     const struct swhni_in *in);
/* false: the packet has been taken before. */
bool swhni_coming_new(struct weft_swhni *n, struct swhni_coming *c,
		      const struct swhni_in *in);
/* Is that all? true: it is, and not because its sender gave it up. */
bool swhni_coming_all(struct weft_swhni *n, struct swhni_coming *c,
		      uint32_t total);
/* Tells the source, now and whenever it asks. */
void swhni_coming_end(struct weft_swhni *n, const struct swhni_in *in,
		      unsigned status);
void swhni_coming_drop(struct weft_swhni *n, uint32_t guid, bool all);
void swhni_coming_ask(struct weft_swhni *n, const struct swhni_msg *m);
void swhni_coming_state(struct weft_swhni *n, const struct swhni_in *in);
void swhni_coming_missing(struct weft_swhni *n, const struct swhni_in *in);

/* swhni_rx.c */
int swhni_rx_deliver(void *arg, struct weft_peer *src,
		     const struct weft_pkt *pkt, const void *payload);
int swhni_rx_run(struct weft_swhni *n);
void swhni_rx_lost(struct weft_swhni *n, uint32_t guid);
void swhni_rx_fini(struct weft_swhni *n);

/* swhni_vi.c */
int swhni_vi_take(struct weft_swhni *n, const struct weft_swhni_vi *attr,
		  int vm, unsigned *vi_p);
void swhni_vi_fini(struct weft_swhni *n);

/* An open interface, or NULL. */
static inline struct swhni_vi *swhni_vi(struct weft_swhni *n, unsigned engine,
					unsigned vi)
{
	if (engine >= WEFT_SWHNI_ENGINES || vi >= WEFT_SWHNI_VIS)
		return NULL;
	return n->me[engine].vi[vi].open ? &n->me[engine].vi[vi] : NULL;
}

/* Bits of a packet's unit word. */
static inline unsigned swhni_in_flags(const struct swhni_in *in)
{
	return in->pkt->unit >> 16 & 0xff;
}

static inline uint32_t swhni_in_to(const struct swhni_in *in)
{
	return in->pkt->unit & 0xff;
}

static inline uint32_t swhni_in_from(const struct swhni_in *in)
{
	return in->pkt->unit >> 8 & 0xff;
}

#endif
