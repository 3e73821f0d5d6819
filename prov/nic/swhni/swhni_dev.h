/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the Sunway interface.
 *
 *  swhni.c         open, close, nodes, poll
 *  swhni_vm.c      virtual machines
 *  swhni_vi.c      virtual interfaces, the end of jobs
 *  swhni_rx.c      the receive unit
 *  swhni_manage.c  management commands, IO space
 *  swhni_tx.c      the send unit: scheduling, packets, timeouts
 *  swhni_post.c    descriptors: into send queues, or written on chip
 *  swhni_window.c  reliable queue messages
 *  swhni_coll.c    collectives
 *  swhni_rq.c      receive queues, raw and virtual
 *  swhni_mem.c     addresses, pages, the TLB
 *  swhni_cq.c      completion queues
 *  swhni_port.c    path of a packet: engine, crossbar, ports
 *  swhni_engine.c  the unit below the message engine (machine sunway)
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

#define SWHNI_MEMS	   4096
#define SWHNI_TLB_WAYS	   4
#define SWHNI_TLB_SETS	   (WEFT_SWHNI_TLB / SWHNI_TLB_WAYS)
#define SWHNI_FSMS	   16 /* fast short messages of an interface on chip */
#define SWHNI_MIDDLE	   (64u * 1024)
#define SWHNI_READ_REPLIES 64 /* reads of peers that are being served */
#define SWHNI_WINDOW	   64 /* messages in flight of a window */
#define SWHNI_LOCALS	   64 /* packets inside the chip */
#define SWHNI_ROUTES	   256
#define SWHNI_VMS	   64
#define SWHNI_GROUPS	   16
#define SWHNI_COMMANDS	   256
#define SWHNI_RDMA_RX_MAX  8192 /* messages being received, at most */
#define SWHNI_NO_VM	   (-1)
#define SWHNI_COLLS	   4 /* outstanding operations of a group */

/* Message classes by length; fast short and marked messages are FAST. */
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
	SWHNI_WAITING, /* all sent; waiting for the target */
};

/* A fast short message in the chip's memory. */
struct swhni_fsm {
	struct weft_swhni_desc d;
	unsigned char data[WEFT_SWHNI_FSM];
};

/* Bitmap of the received packets of a message. */
struct swhni_bits {
	uint64_t few;	/* message of up to 64 packets */
	uint64_t *many; /* longer message */
};

/* A message in flight. */
struct swhni_msg {
	struct weft_list link; /* in a list: free, class or waiting */
	struct weft_swhni_desc d;
	uint32_t gen;
	uint32_t job;
	uint8_t state; /* enum swhni_state */
	uint8_t class;
	uint8_t engine;
	uint8_t vi;
	bool fsm;
	bool back;	  /* R2W: serves a read of a peer */
	bool orphan;	  /* its interface is closed: no event */
	uint32_t back_id; /* message id of that read */
	uint32_t sent;
	uint32_t got;		/* RDMAR: bytes received */
	struct swhni_bits bits; /* RDMAR: packets received */
	struct swhni_window *window;
	bool numbered; /* has a sequence number in its window: sent once */
	uint64_t seq;
	uint64_t sent_at;
	unsigned char data[WEFT_SWHNI_FSM]; /* fsm */
};

/* A buffer posted to a virtual receive queue. */
struct swhni_buffer {
	struct weft_list link;
	uint16_t queue;
	uint32_t bytes;
	void *to;
	uint64_t cookie;
};

/* A received message. */
struct swhni_slot {
	struct weft_list link;
	struct weft_swhni_arrival a;
	uint16_t queue;
	unsigned char data[WEFT_SWHNI_PACKET];
};

/* The part received from one input of a collective. */
struct swhni_part {
	uint8_t status;
	uint8_t bytes;
	unsigned char data[WEFT_SWHNI_FSM];
};

/* State of a collective at one member. */
struct swhni_coll {
	struct weft_list link; /* in the list of outstanding ones */
	struct weft_swhni_coll d;
	uint64_t number; /* sequence number in its group */
	uint64_t came;	 /* received inputs, one bit each */
	uint64_t since;	 /* time of the wait's start or last probe */
	uint32_t job;
	uint32_t cast; /* multicast copies sent */
	uint8_t engine;
	uint8_t vi;
	uint8_t added; /* inputs combined into sum */
	uint8_t status;
	bool used;
	bool posted;
	bool sent; /* the sum was sent to the parent */
	bool told; /* the parent acknowledged the sum */
	bool over;
	unsigned char sum[WEFT_SWHNI_PACKET]; /* partial sum, then the result */
	struct swhni_part part[WEFT_SWHNI_INPUTS];
};

/* A member's operations of a group. */
struct swhni_group_ops {
	uint64_t next; /* number of the next operation */
	struct swhni_coll op[SWHNI_COLLS];
};

/* The nodes of a multicast group. */
struct swhni_cast {
	uint32_t *guid;
	unsigned n;
	bool gone; /* a node of the group is lost */
};

/* Indices run free; the entry of index i is ring[i & (entries - 1)]. */
struct swhni_vi {
	bool open;
	uint32_t job;
	int vm;			/* or SWHNI_NO_VM */
	struct weft_list ready; /* linked while it has descriptors to send */
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
	uint64_t owed; /* entries reserved for outstanding operations */
	struct swhni_slot *slot;
	struct weft_list slots;	  /* free list */
	struct weft_list arrived; /* in order of arrival */
	struct weft_list buffers; /* struct swhni_buffer */
	struct weft_list windows; /* struct swhni_window, as sender */
	struct swhni_group_ops *circle[WEFT_SWHNI_CASTS];
};

/* A message engine. */
struct swhni_me {
	struct weft_list ready; /* interfaces to serve, round-robin */
	struct weft_list run[SWHNI_CLASSES];
	struct weft_list waiting; /* messages waiting for their targets */
	struct weft_list free;
	struct weft_list backs; /* free slots for serving reads */
	unsigned flying;
	unsigned turn;
	uint64_t io[WEFT_SWHNI_IO];
	struct swhni_vi vi[WEFT_SWHNI_VIS];
	struct swhni_msg msg[WEFT_SWHNI_IN_FLIGHT + SWHNI_READ_REPLIES];
};

/* Registered memory. */
struct swhni_mem {
	bool used;
	struct weft_swhni_mem m;
	uint64_t *page; /* paged: address of each page */
	uint64_t pages;
};

struct swhni_entry {
	uint64_t at; /* address of the page */
	uint64_t page;
	uint16_t mem; /* index + 1; 0: empty */
};

/* Reliable messages from one interface to another; used at both ends. */
struct swhni_window {
	struct weft_list link;
	uint32_t number;
	uint32_t guid;
	uint32_t to;	/* interface; at the receiver both interfaces */
	uint64_t next;	/* sender: sequence number of the next message */
	uint64_t base;	/* all lower numbers have been taken */
	uint64_t taken; /* bitmap of taken numbers from base on */
};

enum swhni_rdma_state {
	SWHNI_RDMA_UNKNOWN, /* unknown */
	SWHNI_RDMA_ARRIVING,
	SWHNI_RDMA_NOTIFY_WAIT, /* complete, its notification waits for room */
	SWHNI_RDMA_DONE,
};

/* The last write received from one message slot of a node. */
struct swhni_coming {
	struct weft_list link;
	struct swhni_bits bits;
	uint32_t guid;
	uint32_t id;
	uint32_t got;
	uint32_t left;	/* aborted: number of bytes sent */
	uint32_t asked; /* bytes received at the last probe */
	uint8_t state;	/* enum swhni_rdma_state */
	uint8_t status; /* first error */
	bool aborted;
};

/* A packet that waits for room in a port, or is inside the chip. */
struct swhni_queued {
	struct weft_list link;
	uint32_t guid;
	struct weft_pkt pkt;
	unsigned char payload[];
};

/* A read that waits for a free slot, or a notification that waits for room. */
struct swhni_deferred {
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
	unsigned port_next;
	struct swhni_port port[WEFT_SWHNI_PORTS];
	void (*manage)(void *, uint32_t, unsigned, uint64_t);
	void *arg;
	uint64_t (*clock)(void);
	uint64_t resend_ns;
	struct swhni_me me[WEFT_SWHNI_ENGINES];
	struct weft_list local; /* struct swhni_queued: inside the chip */
	unsigned locals;
	struct weft_list answers;	 /* struct swhni_queued */
	struct weft_list reads;		 /* struct swhni_deferred */
	struct weft_list notes;		 /* struct swhni_deferred */
	struct weft_list coming;	 /* struct swhni_coming */
	struct weft_hash rdma_rx_by_key; /* coming, by node and slot */
	unsigned arriving; /* number of these in state SWHNI_RDMA_ARRIVING */
	struct weft_hash windows; /* as receiver: by node and number */
	struct weft_list window;  /* all entries of windows */
	uint32_t window_next;
	struct weft_list colls; /* outstanding struct swhni_coll */
	struct swhni_cast cast[WEFT_SWHNI_CASTS];
	struct swhni_mem mem[SWHNI_MEMS];
	struct swhni_entry tlb[SWHNI_TLB_SETS][SWHNI_TLB_WAYS];
	uint8_t tlb_victim[SWHNI_TLB_SETS];
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

/* A received packet with decoded fields. */
struct swhni_in {
	uint32_t guid;
	const struct weft_pkt *pkt;
	struct swhni_slice slice;
	const unsigned char *data;
	uint32_t bytes;
};

/* A packet to be sent. */
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
/* As swhni_emit() for a reply, which is queued while there is no room. */
void swhni_reply_send(struct weft_swhni *n, struct swhni_out *o);
/* Sends the end of a packet's message to its sender. */
void swhni_done_send(struct weft_swhni *n, const struct swhni_in *in,
		     unsigned status, uint64_t value);
int swhni_port_run(struct weft_swhni *n);
void swhni_port_fini(struct weft_swhni *n);

/* swhni_cq.c: true if there is room for an event beyond the reserved ones. */
bool swhni_cq_room(const struct swhni_vi *v);
void swhni_cq_write(struct swhni_vi *v, const struct weft_swhni_event *ev);

/* swhni_mem.c */
enum swhni_dir { SWHNI_FROM_MEMORY, SWHNI_TO_MEMORY };

/* A memory access of a job; rights 0: the job's own memory. */
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
/* Increments an answer word. */
unsigned swhni_mem_increment(struct weft_swhni *n, const struct swhni_range *r);
void swhni_mem_job(struct weft_swhni *n, uint32_t job);
void swhni_mem_fini(struct weft_swhni *n);

/* swhni_rq.c. false: there is no room. */
bool swhni_rq_put(struct swhni_vi *v, const struct swhni_in *in, bool notify);
int swhni_rq_init(struct swhni_vi *v, uint32_t entries);
void swhni_rq_fini(struct swhni_vi *v);

/* swhni_window.c */
int swhni_window_join(struct weft_swhni *n, struct swhni_msg *m);
/* True if the message fits into its window now. */
bool swhni_window_open(const struct swhni_msg *m);
void swhni_window_acked(struct swhni_msg *m);
/* v NULL: the interface is closed, the message is not delivered. */
void swhni_window_arrive(struct weft_swhni *n, struct swhni_vi *v,
			 const struct swhni_in *in);
void swhni_window_close(struct swhni_vi *v);
void swhni_window_lost(struct weft_swhni *n, uint32_t guid);
void swhni_window_fini(struct weft_swhni *n);

/* swhni_post.c */
void swhni_msg_init(struct swhni_me *e, unsigned engine);
/*
 * A free message slot, or NULL. Replies to reads have slots of their own:
 * otherwise two chips that read from each other could deadlock.
 */
struct swhni_msg *swhni_msg_take(struct weft_swhni *n, unsigned engine);
struct swhni_msg *swhni_msg_take_reply(struct weft_swhni *n, unsigned engine);
void swhni_msg_free(struct weft_swhni *n, struct swhni_msg *m);
/* Puts a message into the list of its class. */
void swhni_msg_run(struct weft_swhni *n, struct swhni_msg *m);
/* Ends a message: writes the event or reply that its descriptor requests. */
void swhni_msg_end(struct weft_swhni *n, struct swhni_msg *m, unsigned status,
		   uint64_t value);
uint32_t swhni_msg_id(const struct weft_swhni *n, const struct swhni_msg *m);
/* NULL: the message has ended. */
struct swhni_msg *swhni_msg_find(struct weft_swhni *n, uint32_t guid,
				 uint32_t id);
/* Takes descriptors from the interfaces round-robin while slots are free. */
void swhni_fetch(struct weft_swhni *n, unsigned engine);

/* swhni_tx.c */
int swhni_tx_run(struct weft_swhni *n, unsigned engine, int budget);
/* Ends the messages of an interface that is being closed. */
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
/* Handles the end of the message that carried a sum. */
void swhni_coll_sent(struct weft_swhni *n, const struct swhni_msg *m,
		     unsigned status);
void swhni_coll_run(struct weft_swhni *n);
void swhni_coll_lost(struct weft_swhni *n, uint32_t guid);
void swhni_coll_close(struct swhni_vi *v);
void swhni_coll_fini(struct weft_swhni *n);

/* swhni_coming.c */
/* false: duplicate, or out of memory (the packet will be retransmitted). */
bool swhni_bits_take(struct swhni_bits *b, uint32_t total, uint32_t offset);
void swhni_bits_fini(struct swhni_bits *b);
/* NULL: packet of an older message, or too many messages. */
struct swhni_coming *swhni_rdma_rx_find(struct weft_swhni *n,
					const struct swhni_in *in);
/* false: duplicate packet. */
bool swhni_rdma_rx_packet(struct weft_swhni *n, struct swhni_coming *c,
			  const struct swhni_in *in);
/* true: all data has been received and the sender did not abort. */
bool swhni_rdma_rx_complete(struct weft_swhni *n, struct swhni_coming *c,
			    uint32_t total);
/* Reports the end to the source, now and at every probe. */
void swhni_rdma_rx_end(struct weft_swhni *n, const struct swhni_in *in,
		       unsigned status);
void swhni_rdma_rx_drop(struct weft_swhni *n, uint32_t guid, bool all);
void swhni_rdma_probe_send(struct weft_swhni *n, const struct swhni_msg *m);
void swhni_rdma_probe_reply(struct weft_swhni *n, const struct swhni_in *in);
void swhni_rdma_retransmit(struct weft_swhni *n, const struct swhni_in *in);

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

/* Flags in a packet's unit word. */
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
