/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the Sunway interface.
 *
 *  sunway.c            open, close, nodes, poll
 *  sunway_vm.c         virtual machines
 *  sunway_vi.c         virtual interfaces, the end of jobs
 *  sunway_rx.c         the receive unit
 *  sunway_manage.c     management commands, IO space
 *  sunway_tx.c         the send unit: scheduling, packets, timeouts
 *  sunway_post.c       descriptors: into send queues, or written on chip
 *  sunway_window.c     reliable queue messages
 *  sunway_coll.c       collectives
 *  sunway_rq.c         receive queues, raw and virtual
 *  sunway_mem.c        addresses, pages, the TLB
 *  sunway_cq.c         completion queues
 *  sunway_port.c       path of a packet: engine, crossbar, ports
 *  sunway_transport.c  the unit below the message engine (machine sunway)
 *  sunway_qp.c         its queue pairs: sending, windows
 *  sunway_qp_rx.c      its queue pairs: receiving, order
 *  sunway_bulk.c       its RDMA
 */
#ifndef WEFT_SUNWAY_DEV_H
#define WEFT_SUNWAY_DEV_H

#include "prov/arq/arq.h"
#include "prov/machine/machine_order.h"
#include "prov/machine/machine_port.h"
#include "prov/machine/sunway/sunway_layout.h"
#include "src/base/attr.h"
#include "src/base/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SUNWAY_MEMS	     4096
#define SUNWAY_TLB_WAYS	     4
#define SUNWAY_TLB_SETS	     (WEFT_SUNWAY_TLB / SUNWAY_TLB_WAYS)
#define SUNWAY_FSMS	     16 /* fast short messages queued on chip */
#define SUNWAY_MIDDLE	     (64u * 1024)
#define SUNWAY_READ_REPLIES  64 /* reads of peers that are being served */
#define SUNWAY_WINDOW	     64 /* messages in flight per window */
#define SUNWAY_LOCALS	     64 /* packets in flight inside the chip */
#define SUNWAY_ROUTES	     256
#define SUNWAY_VMS	     64
#define SUNWAY_GROUPS	     16
#define SUNWAY_COMMANDS	     256
/* maximum number of messages being received */
#define SUNWAY_RDMA_RX_MAX   8192
#define SUNWAY_NO_VM	     (-1)
/* maximum number of outstanding operations of a group */
#define SUNWAY_COLLS	     4
/* job of the message engine */
#define SUNWAY_TRANSPORT_JOB WEFT_SUNWAY_SYSTEM_JOBS

/*
 * Message classes by length; fast short messages and messages with the flag
 * WEFT_SUNWAY_FAST are in class FAST.
 */
enum sunway_class {
	SUNWAY_CLASS_FAST,
	SUNWAY_CLASS_SHORT,  /* messages of one packet */
	SUNWAY_CLASS_MIDDLE, /* messages of up to 64 KB */
	SUNWAY_CLASS_LONG,
	SUNWAY_CLASSES,
};

enum sunway_state {
	SUNWAY_FREE,
	SUNWAY_SENDING,
	SUNWAY_WAITING, /* all packets are sent; waiting for the target */
};

/* A fast short message in the chip's memory. */
struct sunway_fsm {
	struct weft_sunway_desc d;
	unsigned char data[WEFT_SUNWAY_FSM];
};

/* Bitmap of the received packets of a message. */
struct sunway_bits {
	uint64_t few;	/* bits of a message of up to 64 packets */
	uint64_t *many; /* bits of a longer message */
};

/* A message in flight. */
struct sunway_msg {
	struct weft_list link; /* link in a list: free, class or waiting */
	struct weft_sunway_desc d;
	uint32_t gen;
	uint32_t job;
	uint8_t state; /* enum sunway_state */
	uint8_t class;
	uint8_t engine;
	uint8_t vi;
	bool fsm;
	bool serves_read; /* R2W: serves a read of a peer */
	/* the interface is closed: no event is written for this message */
	bool orphan;
	uint32_t read_id; /* message id of the read that is served */
	uint32_t sent;
	uint32_t got;		 /* RDMAR: bytes received so far */
	struct sunway_bits bits; /* RDMAR: packets received */
	struct sunway_window *window;
	/* true: seq is set; this happens when the message is first sent */
	bool numbered;
	uint32_t seq;
	uint64_t sent_at;
	unsigned char data[WEFT_SUNWAY_FSM]; /* data of a fast short message */
};

/* A buffer posted to a virtual receive queue. */
struct sunway_buffer {
	struct weft_list link;
	uint16_t queue;
	uint32_t bytes;
	void *to;
	uint64_t cookie;
};

/* A received message. */
struct sunway_slot {
	struct weft_list link;
	struct weft_sunway_arrival a;
	uint16_t queue;
	/*
	 * aligned so that the payload of an engine packet starts at a multiple
	 * of 8
	 */
	_Alignas(16) unsigned char data[WEFT_SUNWAY_PACKET];
};

/* The contribution received from one child in a collective. */
struct sunway_part {
	uint8_t status;
	uint8_t bytes;
	unsigned char data[WEFT_SUNWAY_FSM];
};

/* State of a collective at one member. */
struct sunway_coll {
	struct weft_list link; /* link in the list of outstanding operations */
	struct weft_sunway_coll d;
	uint64_t number;   /* sequence number in its group */
	uint64_t received; /* mask of the inputs received */
	/* time at which the wait started, or of the last probe */
	uint64_t since;
	uint32_t job;
	uint32_t copies_sent; /* number of multicast copies sent */
	uint8_t engine;
	uint8_t vi;
	uint8_t added; /* number of inputs in sum */
	uint8_t status;
	bool used;
	bool posted;
	bool sent;  /* the sum was sent to the parent */
	bool acked; /* the parent acknowledged the sum */
	bool complete;
	unsigned char
		sum[WEFT_SUNWAY_PACKET]; /* partial sum, then the result */
	struct sunway_part part[WEFT_SUNWAY_INPUTS];
};

/* A member's operations of a group. */
struct sunway_group_ops {
	uint64_t next; /* number of the next operation */
	struct sunway_coll op[SUNWAY_COLLS];
};

/* The nodes of a multicast group. */
struct sunway_multicast {
	uint32_t *guid;
	unsigned n;
	bool gone; /* a node of the group is lost */
};

/* Indices are free-running: index i is ring[i & (entries - 1)]. */
struct sunway_vi {
	bool open;
	uint32_t job;
	int vm; /* virtual machine, or SUNWAY_NO_VM */
	/* link in a list while the interface has descriptors to send */
	struct weft_list ready;
	struct weft_sunway_desc *sq;
	uint32_t sends;
	uint64_t sq_head;
	uint64_t sq_tail;
	struct sunway_fsm *fsm; /* SUNWAY_FSMS fast short messages */
	uint64_t fsm_head;
	uint64_t fsm_tail;
	struct weft_sunway_event *cq;
	uint32_t events;
	uint64_t cq_head;
	uint64_t cq_tail;
	/* number of entries reserved for outstanding operations */
	uint64_t reserved;
	struct sunway_slot *slot;
	struct weft_list slots;	  /* free receive slots */
	struct weft_list arrived; /* received messages in order of arrival */
	struct weft_list buffers; /* posted buffers: struct sunway_buffer */
	struct weft_list windows; /* windows as sender: struct sunway_window */
	struct sunway_group_ops *group_ops[WEFT_SUNWAY_MULTICASTS];
};

/* A message engine. */
struct sunway_me {
	struct weft_list ready; /* interfaces to serve, round-robin */
	struct weft_list run[SUNWAY_CLASSES];
	struct weft_list waiting; /* messages that wait for their targets */
	struct weft_list free;
	struct weft_list reply_slots; /* free slots for replies to reads */
	unsigned in_flight;
	unsigned round;
	uint64_t io[WEFT_SUNWAY_IO];
	struct sunway_vi vi[WEFT_SUNWAY_VIS];
	struct sunway_msg msg[WEFT_SUNWAY_IN_FLIGHT + SUNWAY_READ_REPLIES];
};

/* Registered memory. */
struct sunway_mem {
	bool used;
	struct weft_sunway_mem m;
	uint64_t *page; /* paged: address of each page */
	uint64_t pages;
};

struct sunway_entry {
	uint64_t address; /* address of the page */
	uint64_t page;
	uint16_t mem; /* index of the memory + 1; 0: empty */
};

/*
 * Window of reliable messages between two interfaces, at the sender or at the
 * receiver.
 */
struct sunway_window {
	struct weft_list link;
	uint32_t number;
	uint32_t guid;
	/* sender: target interface; receiver: source and target interface */
	uint32_t to;
	uint32_t next; /* sender: sequence number of the next message */
	/* sequence numbers acknowledged (sender) or received (receiver) */
	struct weft_arq_win taken;
};

enum sunway_rdma_state {
	SUNWAY_RDMA_UNKNOWN, /* state not known */
	SUNWAY_RDMA_ARRIVING,
	/* complete, but the notification waits for space */
	SUNWAY_RDMA_NOTIFY_WAIT,
	SUNWAY_RDMA_DONE,
};

/* The last write received from a message slot of a node. */
struct sunway_rdma_rx {
	struct weft_list link;
	struct sunway_bits bits;
	uint32_t guid;
	uint32_t id;
	uint32_t total; /* bytes of the message, in all its packets */
	uint32_t got;
	/* after an abort: number of bytes that the source had sent */
	uint32_t left;
	uint32_t probed_bytes; /* bytes received at the last probe */
	uint8_t state;	       /* enum sunway_rdma_state */
	uint8_t status;	       /* first error */
	bool sized;	       /* total is known */
	bool aborted;
};

/* A packet that waits for space in a port, or is inside the chip. */
struct sunway_queued {
	struct weft_list link;
	uint32_t guid;
	struct weft_pkt pkt;
	unsigned char payload[];
};

/* A read that waits for a free slot, or a notification that waits for space. */
struct sunway_deferred {
	struct weft_list link;
	uint32_t guid;
	struct weft_pkt pkt;
	struct sunway_slice slice;
};

struct sunway_port {
	struct weft_port port;
	struct weft_sunway *n;
	bool healthy;
};

struct weft_sunway {
	uint32_t guid;
	unsigned ports;
	bool one_carrier; /* all ports use the carrier of port 0 */
	/*
	 * Copies the data of an RDMA between the processes; NULL: the unit
	 * sends packets. The message ends with sunway_msg_end().
	 */
	void (*copy)(struct weft_sunway *n, struct sunway_msg *m);
	void *transport;
	unsigned port_next;
	struct sunway_port port[WEFT_SUNWAY_PORTS];
	void (*manage)(void *, uint32_t, unsigned, uint64_t);
	void *arg;
	uint64_t (*clock)(void);
	uint64_t resend_ns;
	struct sunway_me me[WEFT_SUNWAY_ENGINES];
	/* packets inside the chip: struct sunway_queued */
	struct weft_list local;
	unsigned locals;
	struct weft_list replies; /* replies to send: struct sunway_queued */
	struct weft_list reads;	  /* reads to serve: struct sunway_deferred */
	/* notifications to write: struct sunway_deferred */
	struct weft_list notifications;
	struct weft_list rdma_rx; /* incoming messages: struct sunway_rdma_rx */
	/* incoming RDMA messages, by node and slot */
	struct weft_hash rdma_rx_by_key;
	unsigned arriving; /* incoming messages in state SUNWAY_RDMA_ARRIVING */
	/* windows of this receiver, by node and number */
	struct weft_hash windows;
	struct weft_list
		window; /* list of all entries of the table `windows` */
	uint32_t window_next;
	struct weft_list colls; /* outstanding struct sunway_coll */
	struct sunway_multicast multicast[WEFT_SUNWAY_MULTICASTS];
	struct sunway_mem mem[SUNWAY_MEMS];
	struct sunway_entry tlb[SUNWAY_TLB_SETS][SUNWAY_TLB_WAYS];
	uint8_t tlb_victim[SUNWAY_TLB_SETS];
	uint8_t group[SUNWAY_COMMANDS];
	uint8_t action[SUNWAY_GROUPS];
	struct {
		uint8_t hop[WEFT_SUNWAY_HOPS];
		uint32_t guid;
	} route[SUNWAY_ROUTES];
	unsigned routes;
	struct {
		bool open;
		unsigned limit;
		unsigned used;
	} vm[SUNWAY_VMS];
	struct weft_sunway_stats stats;
};

/* A received packet with decoded fields. */
struct sunway_in {
	uint32_t guid;
	const struct weft_pkt *pkt;
	struct sunway_slice slice;
	const unsigned char *data;
	uint32_t bytes;
};

/* A packet to be sent. */
struct sunway_out {
	uint32_t guid;
	uint8_t port;
	struct weft_pkt pkt;
	struct sunway_slice slice;
	const void *data;
	uint32_t bytes;
};

/* sunway.c: opens a unit whose ports share a carrier, for the transport. */
int sunway_create(const struct weft_carrier_ops *ops,
		  const struct weft_carrier_attr *attr,
		  struct weft_sunway **n_p);

/* Sends an engine packet through any healthy port to a peer of port 0. */
int sunway_emit_peer(struct weft_sunway *n, struct weft_peer *peer,
		     const struct weft_pkt *pkt, const struct iovec *iov,
		     int count);
/* Counts the packets of a copied RDMA. Returns false if no port is healthy. */
bool sunway_port_count(struct weft_sunway *n, uint64_t bytes);
/*
 * sunway_port.c: sends a packet. Returns 0, -EAGAIN, -EHOSTUNREACH or
 * -ECONNRESET.
 */
int sunway_emit(struct weft_sunway *n, struct sunway_out *o);
/* Sends a reply like sunway_emit(); queues it if there is no space. */
void sunway_reply_send(struct weft_sunway *n, struct sunway_out *o);
/* Reports the end of the packet's message to its sender. */
void sunway_done_send(struct weft_sunway *n, const struct sunway_in *in,
		      unsigned status, uint64_t value);
int sunway_port_run(struct weft_sunway *n);
void sunway_port_fini(struct weft_sunway *n);

/*
 * sunway_cq.c: returns whether the queue has space for one more event, beyond
 * the reserved entries.
 */
bool sunway_cq_space(const struct sunway_vi *v);
void sunway_cq_write(struct sunway_vi *v, const struct weft_sunway_event *ev);

/* sunway_mem.c */
enum sunway_dir { SUNWAY_FROM_MEMORY, SUNWAY_TO_MEMORY };

/* A memory access of a job. rights 0: the job accesses its own memory. */
struct sunway_range {
	uint32_t job;
	unsigned rights;
	uint64_t address;
	uint64_t bytes;
};

/* The next functions return enum weft_sunway_status. */
unsigned sunway_mem_copy(struct weft_sunway *n, const struct sunway_range *r,
			 void *buf, enum sunway_dir dir);
/*
 * Translates a range to at most `max` segments of process addresses, joining
 * adjacent pages. Returns their number, or -1.
 */
int sunway_mem_iov(struct weft_sunway *n, const struct sunway_range *r,
		   struct iovec *iov, int max);
/* Registers the whole address space, for the job itself only. */
void sunway_mem_whole(struct weft_sunway *n, uint32_t job);
unsigned sunway_mem_check(struct weft_sunway *n, const struct sunway_range *r);
/* Increments an answer word. */
unsigned sunway_mem_increment(struct weft_sunway *n,
			      const struct sunway_range *r);
void sunway_mem_free_job(struct weft_sunway *n, uint32_t job);
void sunway_mem_fini(struct weft_sunway *n);

/*
 * sunway_rq.c: stores a message in the receive queue. Returns false if the
 * queue is full.
 */
bool sunway_rq_put(struct sunway_vi *v, const struct sunway_in *in,
		   bool notify);
/*
 * Stores an engine packet in the next slot; the program must read it before
 * another message arrives. Returns NULL if the queue is full.
 */
struct sunway_slot *sunway_rq_store(struct sunway_vi *v,
				    const struct weft_pkt *pkt,
				    const void *payload);
int sunway_rq_init(struct sunway_vi *v, uint32_t entries);
void sunway_rq_fini(struct sunway_vi *v);

/* sunway_window.c */
int sunway_window_join(struct weft_sunway *n, struct sunway_msg *m);
/* Returns whether the message fits into its window now. */
bool sunway_window_open(const struct sunway_msg *m);
void sunway_window_acked(struct sunway_msg *m);
/*
 * Handles a message of a window. v NULL: the interface is closed, so the
 * message is not delivered.
 */
void sunway_window_arrive(struct weft_sunway *n, struct sunway_vi *v,
			  const struct sunway_in *in);
void sunway_window_close(struct sunway_vi *v);
void sunway_window_lost(struct weft_sunway *n, uint32_t guid);
void sunway_window_fini(struct weft_sunway *n);

/* sunway_post.c */
void sunway_msg_init(struct sunway_me *e, unsigned engine);
/*
 * Returns a free message slot, or NULL. Replies to reads have separate slots;
 * otherwise two chips that read from each other could deadlock.
 */
struct sunway_msg *sunway_msg_take(struct weft_sunway *n, unsigned engine);
struct sunway_msg *sunway_msg_take_reply(struct weft_sunway *n,
					 unsigned engine);
void sunway_msg_free(struct weft_sunway *n, struct sunway_msg *m);
/* Appends a message to the list of its class. */
void sunway_msg_run(struct weft_sunway *n, struct sunway_msg *m);
/* Ends a message; writes the event or reply that its descriptor requests. */
void sunway_msg_end(struct weft_sunway *n, struct sunway_msg *m,
		    unsigned status, uint64_t value);
/* Ends a message without an event. */
void sunway_msg_drop(struct weft_sunway *n, struct sunway_msg *m);
uint32_t sunway_msg_id(const struct weft_sunway *n, const struct sunway_msg *m);
/* Returns the message with this id, or NULL if it has ended. */
struct sunway_msg *sunway_msg_find(struct weft_sunway *n, uint32_t guid,
				   uint32_t id);
/* Takes descriptors from the interfaces round-robin while slots are free. */
void sunway_fetch(struct weft_sunway *n, unsigned engine);

/* sunway_tx.c */
int sunway_tx_run(struct weft_sunway *n, unsigned engine, int budget);
/* Ends the messages of an interface that is being closed. */
void sunway_tx_close(struct weft_sunway *n, unsigned engine, unsigned vi);
void sunway_tx_lost(struct weft_sunway *n, uint32_t guid);

/* sunway_manage.c */
void sunway_manage_io(struct weft_sunway *n, const struct sunway_in *in);
void sunway_manage_rx(struct weft_sunway *n, const struct sunway_in *in);
/*
 * Sets *guid_p to the node at the end of a route. Returns false if the node is
 * unknown.
 */
bool sunway_route(const struct weft_sunway *n, const uint8_t *hop,
		  uint32_t *guid_p);

/*
 * sunway_coll.c: stores a child's contribution. Returns false if there is no
 * space for it.
 */
bool sunway_coll_part(struct weft_sunway *n, struct sunway_vi *v,
		      const struct sunway_in *in);
void sunway_coll_multicast(struct weft_sunway *n, const struct sunway_in *in);
void sunway_coll_probed(struct weft_sunway *n, const struct sunway_in *in);
/* Called when the message that carried a sum has ended. */
void sunway_coll_sent(struct weft_sunway *n, const struct sunway_msg *m,
		      unsigned status);
void sunway_coll_run(struct weft_sunway *n);
void sunway_coll_lost(struct weft_sunway *n, uint32_t guid);
void sunway_coll_close(struct sunway_vi *v);
void sunway_coll_fini(struct weft_sunway *n);

/* sunway_rdma_rx.c */
/*
 * Records that a packet was received. Returns false if it is a duplicate or
 * memory is exhausted (the packet will be retransmitted).
 */
bool sunway_bits_take(struct sunway_bits *b, uint32_t total, uint32_t offset);
void sunway_bits_fini(struct sunway_bits *b);
/*
 * Returns the message of a packet; NULL if the packet belongs to an older
 * message, or there are too many messages.
 */
struct sunway_rdma_rx *sunway_rdma_rx_find(struct weft_sunway *n,
					   const struct sunway_in *in);
/* Records a packet of a message. Returns false if it is a duplicate. */
bool sunway_rdma_rx_packet(struct weft_sunway *n, struct sunway_rdma_rx *c,
			   const struct sunway_in *in);
/* Returns whether all data has been received and the sender did not abort. */
bool sunway_rdma_rx_complete(struct weft_sunway *n, struct sunway_rdma_rx *c,
			     uint32_t total);
/*
 * Completes a message: reports its status to the source now, and again in reply
 * to every probe.
 */
void sunway_rdma_rx_end(struct weft_sunway *n, const struct sunway_in *in,
			unsigned status);
void sunway_rdma_rx_drop(struct weft_sunway *n, uint32_t guid, bool all);
void sunway_rdma_probe_send(struct weft_sunway *n, const struct sunway_msg *m);
void sunway_rdma_probe_reply(struct weft_sunway *n, const struct sunway_in *in);
void sunway_rdma_retransmit(struct weft_sunway *n, const struct sunway_in *in);

/* sunway_rx.c */
int sunway_rx_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload);
int sunway_rx_run(struct weft_sunway *n);
void sunway_rx_lost(struct weft_sunway *n, uint32_t guid);
void sunway_rx_fini(struct weft_sunway *n);

/* sunway_vi.c */
int sunway_vi_take(struct weft_sunway *n, const struct weft_sunway_vi *attr,
		   int vm, unsigned *vi_p);
void sunway_vi_fini(struct weft_sunway *n);

/* Returns an open interface, or NULL. */
static inline struct sunway_vi *sunway_vi(struct weft_sunway *n,
					  unsigned engine, unsigned vi)
{
	if (engine >= WEFT_SUNWAY_ENGINES || vi >= WEFT_SUNWAY_VIS)
		return NULL;
	return n->me[engine].vi[vi].open ? &n->me[engine].vi[vi] : NULL;
}

/* Returns the flags in a packet's unit word. */
static inline unsigned sunway_in_flags(const struct sunway_in *in)
{
	return in->pkt->unit >> 16 & 0xff;
}

static inline uint32_t sunway_in_to(const struct sunway_in *in)
{
	return in->pkt->unit & 0xff;
}

static inline uint32_t sunway_in_from(const struct sunway_in *in)
{
	return in->pkt->unit >> 8 & 0xff;
}

#endif
