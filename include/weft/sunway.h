/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface of the Sunway exascale prototype (SWHNI), emulated: two
 * message engines that share two network ports through a crossbar. Link with
 * -lweft-nic.
 *
 *	weft_sunway_open
 *	  weft_sunway_node_set   address of a node number
 *	  weft_sunway_vi_open    send, receive and completion queue
 *	  weft_sunway_mem_open   register memory
 *	  weft_sunway_post       post a descriptor to a send queue
 *	  weft_sunway_fsm        fast short message, written on chip
 *	  weft_sunway_coll       contribute to a collective
 *	  weft_sunway_poll       run the engines
 *	  weft_sunway_cq_read    read events
 *	  weft_sunway_rq_peek    read messages
 *	  weft_sunway_job_exit   free all resources of a job
 *	weft_sunway_close
 *
 * Messages are unordered, even those of one queue; packets of one message may
 * use both ports. Events, answer words and notifications report completion.
 *
 * No function blocks, except weft_sunway_wait. Functions return 0 or a negative
 * errno; -EAGAIN means that nothing happened and the call may be repeated (a
 * queue is full). One thread at a time per unit.
 */
#ifndef WEFT_SUNWAY_H
#define WEFT_SUNWAY_H

#include <stdint.h>
#include <sys/uio.h>
#include <weft/place.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_SUNWAY_ENGINES    2
#define WEFT_SUNWAY_PORTS      2
/* number of virtual interfaces of an engine */
#define WEFT_SUNWAY_VIS	       128
/* maximum number of messages of an engine in flight */
#define WEFT_SUNWAY_IN_FLIGHT  256
#define WEFT_SUNWAY_TLB	       2048 /* number of TLB entries */
/* maximum payload of one packet, bytes */
#define WEFT_SUNWAY_PACKET     2048
#define WEFT_SUNWAY_FSM	       128 /* largest fast short message, bytes */
/* maximum number of buffers gathered into one message */
#define WEFT_SUNWAY_GATHER     8
#define WEFT_SUNWAY_IO	       256 /* size of the on-chip IO space, words */
/* maximum number of hops of a source route */
#define WEFT_SUNWAY_HOPS       8
#define WEFT_SUNWAY_ADAPTIVE   0xff /* port: any that is free and healthy */
#define WEFT_SUNWAY_PAGE_MIN   12   /* log2 of the smallest page size, 4 KB */
#define WEFT_SUNWAY_PAGE_MAX   23   /* log2 of the largest page size, 8 MB */
/* number of multicast groups of the routers */
#define WEFT_SUNWAY_MULTICASTS 32
/* maximum number of children of a tree member */
#define WEFT_SUNWAY_INPUTS     64

struct weft_sunway;

/*
 * Node number: supernode in the upper bits, number inside the supernode in the
 * lower 8. 1024 supernodes of 256 make 256 K nodes.
 */
#define WEFT_SUNWAY_GUID(super, inside) ((uint32_t)(super) << 8 | (inside))
#define WEFT_SUNWAY_GUIDS		(UINT32_C(1) << 18)

/* Status of a message. */
enum weft_sunway_status {
	WEFT_SUNWAY_OK,
	WEFT_SUNWAY_NO_NODE,
	WEFT_SUNWAY_NO_VI, /* the target's interface is not open */
	/* no such memory, or the job has no access right */
	WEFT_SUNWAY_ADDRESS,
	WEFT_SUNWAY_GONE, /* the node is lost */
	/* no such command, or members posted different collectives */
	WEFT_SUNWAY_COMMAND,
};

struct weft_sunway_attr {
	struct weft_place place;
	uint32_t guid;
	unsigned ports; /* number of ports, 1 or 2; 0: 2 */
	/* Called from poll for a management command mapped to software. */
	void (*manage)(void *arg, uint32_t from, unsigned command,
		       uint64_t value);
	void *arg;
	/* Monotonic clock, ns, for retransmission; NULL: the system's. */
	uint64_t (*clock)(void);
	/* timeout of retransmissions and probes; 0: one millisecond */
	uint64_t resend_ns;
};

int weft_sunway_open(const struct weft_sunway_attr *attr,
		     struct weft_sunway **n_p);
void weft_sunway_close(struct weft_sunway *n);

/* Addresses of a node, one per port. */
struct weft_sunway_name {
	struct sockaddr_in port[WEFT_SUNWAY_PORTS];
};

void weft_sunway_name(struct weft_sunway *n, struct weft_sunway_name *name);
int weft_sunway_node_set(struct weft_sunway *n, uint32_t guid,
			 const struct weft_sunway_name *name);
/* Sets the node at the end of a source route, for management packets. */
int weft_sunway_route_set(struct weft_sunway *n, const uint8_t *hop,
			  unsigned hops, uint32_t guid);
/* Sets whether a port is healthy; adaptive messages use healthy ports only. */
int weft_sunway_port_set(struct weft_sunway *n, unsigned port, int healthy);
int weft_sunway_poll(struct weft_sunway *n, int budget);
int weft_sunway_wait(struct weft_sunway *n, uint64_t timeout_ns);

/* ---- virtual interfaces ---- */

struct weft_sunway_vi {
	unsigned engine;
	uint32_t job; /* job that owns the interface; never 0 */
	/* sizes of the send, receive and completion queue, powers of two */
	uint32_t sends;
	uint32_t receives;
	uint32_t events;
};

/* Opens a virtual interface. *vi_p: its number. -ENOSPC: none is free. */
int weft_sunway_vi_open(struct weft_sunway *n,
			const struct weft_sunway_vi *attr, unsigned *vi_p);
int weft_sunway_vi_close(struct weft_sunway *n, unsigned engine, unsigned vi);
/* Frees all resources of a job, and drops its messages, also in flight. */
int weft_sunway_job_exit(struct weft_sunway *n, uint32_t job);

/* ---- memory ---- */

enum weft_sunway_kind {
	WEFT_SUNWAY_PHYSICAL, /* address of the process; for system jobs only */
	WEFT_SUNWAY_PAGED,
	WEFT_SUNWAY_SEGMENTED,
};

#define WEFT_SUNWAY_MAY_READ  1u
#define WEFT_SUNWAY_MAY_WRITE 2u

struct weft_sunway_mem {
	void *base;
	uint64_t bytes;
	uint32_t job;
	uint8_t kind;	   /* enum weft_sunway_kind */
	uint8_t rights;	   /* rights of the job's processes on other nodes */
	uint8_t page_bits; /* paged memory: log2 of the page size, 12 to 23 */
};

/*
 * Registers memory. *address_p: address of its first byte, for descriptors at
 * this node and at peers.
 */
int weft_sunway_mem_open(struct weft_sunway *n,
			 const struct weft_sunway_mem *attr,
			 uint64_t *address_p);
int weft_sunway_mem_close(struct weft_sunway *n, uint64_t address);
/* Moves a page of paged memory to another process address. */
int weft_sunway_page_set(struct weft_sunway *n, uint64_t address, void *page);
/* Jobs below this number are system jobs and may use physical addresses. */
#define WEFT_SUNWAY_SYSTEM_JOBS 16

/* ---- messages ---- */

enum weft_sunway_op {
	WEFT_SUNWAY_RDMAW = 1, /* local memory to remote memory */
	/* remote memory to local memory: the target writes the data back */
	WEFT_SUNWAY_RDMAR,
	WEFT_SUNWAY_QUEUE,    /* message to the target's receive queue */
	WEFT_SUNWAY_IO_WRITE, /* fsm only: a word of the target's IO space */
	WEFT_SUNWAY_IO_READ,
	WEFT_SUNWAY_MANAGE,
	WEFT_SUNWAY_COLL, /* only in events of weft_sunway_coll() */
};

#define WEFT_SUNWAY_EVENT    0x01u /* event at this node at completion */
/* RDMA: increment the answer word at the node that stores the data */
#define WEFT_SUNWAY_ANSWER   0x02u
/* RDMAW: after the write, append `data` to the target's receive queue */
#define WEFT_SUNWAY_NOTIFY   0x04u
#define WEFT_SUNWAY_RELIABLE 0x08u /* QUEUE: retransmitted until received */
/* sent before messages without this flag */
#define WEFT_SUNWAY_FAST     0x10u
#define WEFT_SUNWAY_SOURCE   0x20u /* MANAGE: source route in hop */

struct weft_sunway_desc {
	uint8_t op; /* enum weft_sunway_op */
	uint8_t flags;
	uint8_t port;	 /* port of the message: 0, 1 or WEFT_SUNWAY_ADAPTIVE */
	uint8_t engine;	 /* engine of the target */
	uint8_t vi;	 /* virtual interface of the target */
	uint8_t command; /* management command */
	uint16_t queue;	 /* virtual receive queue; 0: raw queue */
	uint32_t guid;
	uint32_t bytes;
	uint64_t local;
	uint64_t remote; /* remote address, or IO word number */
	uint64_t answer; /* address of the answer word */
	uint64_t data;	 /* data of a notification, or value of a command */
	uint64_t cookie; /* returned in the event */
	/* source route; unused entries are 0xff */
	uint8_t hop[WEFT_SUNWAY_HOPS];
};

/*
 * Posts a descriptor to a send queue. -EAGAIN: the queue is full, or no
 * completion entry could be reserved. -EINVAL: invalid descriptor. -EPERM: only
 * system jobs may send management commands.
 */
int weft_sunway_post(struct weft_sunway *n, unsigned engine, unsigned vi,
		     const struct weft_sunway_desc *d);
/*
 * Sends a fast short message: the processor writes descriptor and gathered data
 * to the chip, so that the engine fetches nothing from memory. Operations:
 * RDMAW, RDMAR (local: destination of the data), QUEUE, IO_WRITE and IO_READ
 * (local: as for RDMAR). -EMSGSIZE: more than 128 bytes.
 */
int weft_sunway_fsm(struct weft_sunway *n, unsigned engine, unsigned vi,
		    const struct weft_sunway_desc *d, const struct iovec *iov,
		    int count);

struct weft_sunway_event {
	uint64_t cookie;
	uint32_t bytes;
	uint8_t op;
	uint8_t status; /* enum weft_sunway_status */
	uint16_t queue; /* virtual queue of a receive */
	uint64_t data;	/* reply of a management command */
};

/* Reads the next event. -EAGAIN: there is none. */
int weft_sunway_cq_read(struct weft_sunway *n, unsigned engine, unsigned vi,
			struct weft_sunway_event *ev);

/* ---- collectives ---- */

enum weft_sunway_coll_kind {
	WEFT_SUNWAY_BARRIER,
	WEFT_SUNWAY_BCAST,  /* up to 2048 bytes */
	WEFT_SUNWAY_REDUCE, /* up to 128 bytes */
	WEFT_SUNWAY_ALLREDUCE,
};

enum weft_sunway_sum {
	WEFT_SUNWAY_SUM,
	WEFT_SUNWAY_MAX,
	WEFT_SUNWAY_MIN,
	WEFT_SUNWAY_AND, /* AND, OR and XOR: integers only */
	WEFT_SUNWAY_OR,
	WEFT_SUNWAY_XOR,
};

enum weft_sunway_type {
	WEFT_SUNWAY_INT32,
	WEFT_SUNWAY_INT64,
	WEFT_SUNWAY_FLOAT,
	WEFT_SUNWAY_DOUBLE,
};

#define WEFT_SUNWAY_ROOT UINT32_MAX

/*
 * A member's contribution to a collective, and its position in the tree, which
 * software chooses. A member combines its inputs, in the order of their
 * indices, with its own contribution, so the tree determines the order of a
 * sum.
 */
struct weft_sunway_coll {
	uint8_t kind; /* enum weft_sunway_coll_kind */
	uint8_t sum;  /* enum weft_sunway_sum */
	uint8_t type; /* enum weft_sunway_type */
	uint8_t group;
	uint8_t inputs; /* number of members that send to this one */
	uint8_t nth;	/* index of this member among its parent's inputs */
	uint8_t engine; /* engine and virtual interface (vi) of the parent */
	uint8_t vi;
	uint32_t parent; /* node of the parent, or WEFT_SUNWAY_ROOT: none */
	uint32_t bytes;
	/* this member's contribution; for a broadcast, the root's data */
	uint64_t local;
	/* result buffer, may equal local; reduction: used at the root only */
	uint64_t result;
	uint64_t cookie; /* cookie of the completion event */
};

/*
 * Sets the nodes of a multicast group in the routers' tables; called at the
 * roots. The group may include nodes without members, whose interfaces drop
 * their copies.
 */
int weft_sunway_multicast_set(struct weft_sunway *n, unsigned group,
			      const uint32_t *guid, unsigned count);
/*
 * Posts a member's contribution. All members of a group post the same
 * operations in the same order. -EAGAIN: four operations are outstanding.
 * -EINVAL: invalid descriptor, or the root's group has no nodes. -EFAULT: the
 * contribution is not in registered memory.
 */
int weft_sunway_coll(struct weft_sunway *n, unsigned engine, unsigned vi,
		     const struct weft_sunway_coll *d);

/* ---- receiving ---- */

/* A message in the raw receive queue. */
struct weft_sunway_arrival {
	const void *bytes;
	uint32_t len;
	uint32_t guid; /* sending node */
	uint8_t engine;
	uint8_t vi;
	/* 1: notification of an RDMAW, whose data is in bytes */
	uint8_t notify;
};

/*
 * Returns the oldest message of the raw queue, which stays valid until release.
 * -EAGAIN: there is none.
 */
int weft_sunway_rq_peek(struct weft_sunway *n, unsigned engine, unsigned vi,
			struct weft_sunway_arrival *a);
void weft_sunway_rq_release(struct weft_sunway *n, unsigned engine,
			    unsigned vi);
struct weft_sunway_buffer {
	void *to;
	uint32_t bytes;
	uint64_t cookie; /* cookie of the event when the buffer is filled */
};

/*
 * Posts a buffer for the next message to a virtual receive queue (1 to 65535);
 * an event is written when the buffer is filled. A longer message is truncated.
 */
int weft_sunway_rq_post(struct weft_sunway *n, unsigned engine, unsigned vi,
			uint16_t queue, const struct weft_sunway_buffer *buf);

/* ---- management ---- */

/* Action of a command group. */
enum weft_sunway_action {
	WEFT_SUNWAY_REFUSE,
	WEFT_SUNWAY_REG_READ,  /* replies with IO word `remote` */
	WEFT_SUNWAY_REG_WRITE, /* writes the value to IO word `remote` */
	WEFT_SUNWAY_REG_ADD,
	WEFT_SUNWAY_CALL, /* calls attr.manage */
};

/* Set the two-level mapping: command (256) to group (16), group to action. */
int weft_sunway_command_map(struct weft_sunway *n, unsigned command,
			    unsigned group);
int weft_sunway_group_map(struct weft_sunway *n, unsigned group,
			  enum weft_sunway_action action);
/* Access the IO space from the node's own processor. */
int weft_sunway_io_get(struct weft_sunway *n, unsigned engine, unsigned word,
		       uint64_t *v_p);
int weft_sunway_io_set(struct weft_sunway *n, unsigned engine, unsigned word,
		       uint64_t v);

/* ---- virtual machines ---- */

/*
 * The host assigns interfaces of the common pool to a virtual machine, on
 * request and up to a limit. Afterwards the guest uses the engine directly,
 * without a proxy.
 */
int weft_sunway_vm_open(struct weft_sunway *n, unsigned limit, unsigned *vm_p);
int weft_sunway_vm_vi(struct weft_sunway *n, unsigned vm,
		      const struct weft_sunway_vi *attr, unsigned *vi_p);
/* Ends all jobs of the virtual machine. */
int weft_sunway_vm_close(struct weft_sunway *n, unsigned vm);

/* ---- statistics ---- */

struct weft_sunway_stats {
	uint64_t inside;  /* packets delivered inside the sending message engine
			   */
	uint64_t crossed; /* packets through the crossbar to the other engine */
	uint64_t port[WEFT_SUNWAY_PORTS];
	uint64_t fetches; /* PCIe reads of descriptors and data from memory */
	uint64_t fsms;
	uint64_t queued;  /* queue messages */
	uint64_t resent;  /* retransmitted queue messages */
	uint64_t doubles; /* duplicates removed */
	/* messages dropped because the receive queue was full */
	uint64_t dropped;
	uint64_t reads; /* RDMARs of peers that this node executed as writes */
	uint64_t answers;  /* answer words incremented at this node */
	uint64_t absorbed; /* packets dropped because their job has exited */
	uint64_t refused;  /* malformed packets and descriptors */
	uint64_t tlb_hits;
	uint64_t tlb_misses;
	uint64_t prefetched;
	uint64_t proxied; /* calls of virtual machines served by the host */
	/* maximum number of messages that an engine had in flight */
	uint64_t in_flight_max;
	uint64_t casts; /* multicast copies sent */
	/* multicast copies dropped because this node has no member */
	uint64_t filtered;
	uint64_t probes; /* probes sent to parents for missing results */
	uint64_t asked;	 /* probes sent to targets for the state of an RDMAW */
	/* RDMAs whose data was retransmitted or requested again */
	uint64_t rdma_retransmitted;
	/* acknowledgements sent for several messages (machine sunway) */
	uint64_t acks;
	uint64_t taken;	 /* messages that the message engine has taken */
	uint64_t rdmas;	 /* RDMAs of the message engine that have completed */
	uint64_t events; /* events read from completion queues */
};

void weft_sunway_stats(struct weft_sunway *n, struct weft_sunway_stats *s);

#ifdef __cplusplus
}
#endif
#endif
