/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface of the Sunway exascale prototype (SWHNI), emulated: two
 * message engines that share two network ports through a crossbar. Link with
 * -lweft-nic.
 *
 *	weft_sunway_open
 *	  weft_sunway_node_set                    address of a node number
 *	  weft_sunway_vi_open                     send, receive, completion
 *queue weft_sunway_mem_open                    registers memory
 *	  weft_sunway_post                        a descriptor for a send queue
 *	  weft_sunway_fsm                         a short one, written on chip
 *	  weft_sunway_coll                        a member's part of a
 *collective weft_sunway_poll                        run the engines
 *	  weft_sunway_cq_read, weft_sunway_rq_peek take events and messages
 *	  weft_sunway_job_exit                    frees all resources of a job
 *	weft_sunway_close
 *
 * Messages are unordered, of one queue or of several; packets of one message
 * may use both ports. Events, answer words and notifications report completion.
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

#define WEFT_SUNWAY_ENGINES   2
#define WEFT_SUNWAY_PORTS     2
#define WEFT_SUNWAY_VIS	      128  /* virtual interfaces of an engine */
#define WEFT_SUNWAY_IN_FLIGHT 256  /* messages of an engine in flight */
#define WEFT_SUNWAY_TLB	      2048 /* entries of the TLB */
#define WEFT_SUNWAY_PACKET    2048 /* payload of one packet */
#define WEFT_SUNWAY_FSM	      128  /* largest fast short message */
#define WEFT_SUNWAY_GATHER    8	   /* buffers gathered into one message */
#define WEFT_SUNWAY_IO	      256  /* words of on-chip IO space */
#define WEFT_SUNWAY_HOPS      8	   /* hops of a source route */
#define WEFT_SUNWAY_ADAPTIVE  0xff /* port: any that is free and healthy */
#define WEFT_SUNWAY_PAGE_MIN  12   /* bits: 4 KB */
#define WEFT_SUNWAY_PAGE_MAX  23   /* bits: 8 MB */
#define WEFT_SUNWAY_CASTS     32   /* multicast groups of the routers */
#define WEFT_SUNWAY_INPUTS    64   /* inputs of a member of a tree */

struct weft_sunway;

/*
 * Node number: supernode in the upper bits, number inside it in the lower 8.
 * 1024 supernodes of 256 make 256 K nodes.
 */
#define WEFT_SUNWAY_GUID(super, inside) ((uint32_t)(super) << 8 | (inside))
#define WEFT_SUNWAY_GUIDS		(UINT32_C(1) << 18)

/* Status of a message. */
enum weft_sunway_status {
	WEFT_SUNWAY_OK,
	WEFT_SUNWAY_NO_NODE,
	WEFT_SUNWAY_NO_VI,   /* the target's interface is not open */
	WEFT_SUNWAY_ADDRESS, /* no such memory, or not for this job */
	WEFT_SUNWAY_GONE,    /* the node is lost */
	WEFT_SUNWAY_COMMAND, /* no such command; or members disagree */
};

struct weft_sunway_attr {
	struct weft_place place;
	uint32_t guid;
	unsigned ports; /* 1 or 2; 0: both */
	/* Callback for a management command mapped to software; from poll. */
	void (*manage)(void *arg, uint32_t from, unsigned command,
		       uint64_t value);
	void *arg;
	/* Monotonic clock in ns, for retransmission; NULL: the system's. */
	uint64_t (*clock)(void);
	uint64_t resend_ns; /* timeout, also for probes; 0: one millisecond */
};

int weft_sunway_open(const struct weft_sunway_attr *attr,
		     struct weft_sunway **n_p);
void weft_sunway_close(struct weft_sunway *n);

/* Addresses of the ports, one each. */
struct weft_sunway_name {
	struct sockaddr_in port[WEFT_SUNWAY_PORTS];
};

void weft_sunway_name(struct weft_sunway *n, struct weft_sunway_name *name);
int weft_sunway_node_set(struct weft_sunway *n, uint32_t guid,
			 const struct weft_sunway_name *name);
/* Sets the node at the end of a source route, for management packets. */
int weft_sunway_route_set(struct weft_sunway *n, const uint8_t *hop,
			  unsigned hops, uint32_t guid);
/* Adaptive messages do not use an unhealthy port. */
int weft_sunway_port_set(struct weft_sunway *n, unsigned port, int healthy);
int weft_sunway_poll(struct weft_sunway *n, int budget);
int weft_sunway_wait(struct weft_sunway *n, uint64_t timeout_ns);

/* ---- virtual interfaces ---- */

struct weft_sunway_vi {
	unsigned engine;
	uint32_t job;	/* job it belongs to; never 0 */
	uint32_t sends; /* entries of its queues, powers of two */
	uint32_t receives;
	uint32_t events;
};

/* vi_p receives its number in the engine. -ENOSPC: none is free. */
int weft_sunway_vi_open(struct weft_sunway *n,
			const struct weft_sunway_vi *attr, unsigned *vi_p);
int weft_sunway_vi_close(struct weft_sunway *n, unsigned engine, unsigned vi);
/*
 * Frees all of a job's resources; its messages, also in flight, are absorbed.
 */
int weft_sunway_job_exit(struct weft_sunway *n, uint32_t job);

/* ---- memory ---- */

enum weft_sunway_kind {
	WEFT_SUNWAY_PHYSICAL, /* process address; for system jobs only */
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
	uint8_t page_bits; /* of paged memory: 12 to 23 */
};

/* address_p: its first byte, for descriptors here and at peers. */
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
	WEFT_SUNWAY_RDMAR,     /* remote to local: written back by the target */
	WEFT_SUNWAY_QUEUE,     /* into the target's receive queue */
	WEFT_SUNWAY_IO_WRITE,  /* fsm: a word of the target's IO space */
	WEFT_SUNWAY_IO_READ,
	WEFT_SUNWAY_MANAGE,
	WEFT_SUNWAY_COLL, /* in events: weft_sunway_coll */
};

#define WEFT_SUNWAY_EVENT    0x01u /* write an event here at completion */
#define WEFT_SUNWAY_ANSWER   0x02u /* RDMA: answer + 1 where the data goes */
#define WEFT_SUNWAY_NOTIFY   0x04u /* RDMAW: then data into the receive queue */
#define WEFT_SUNWAY_RELIABLE 0x08u /* queue: retransmitted until received */
#define WEFT_SUNWAY_FAST     0x10u /* before others of any length */
#define WEFT_SUNWAY_SOURCE   0x20u /* management: routed by source */

struct weft_sunway_desc {
	uint8_t op; /* enum weft_sunway_op */
	uint8_t flags;
	uint8_t port;	 /* 0, 1 or WEFT_SUNWAY_ADAPTIVE */
	uint8_t engine;	 /* of the target */
	uint8_t vi;	 /* of the target */
	uint8_t command; /* management */
	uint16_t queue;	 /* virtual receive queue; 0: the raw queue */
	uint32_t guid;
	uint32_t bytes;
	uint64_t local;
	uint64_t remote; /* remote address, or IO word number */
	uint64_t answer; /* address of a word */
	uint64_t data;	 /* of a notification; value of a command */
	uint64_t cookie; /* returned in the event */
	uint8_t hop[WEFT_SUNWAY_HOPS]; /* source route; unused: 0xff */
};

/*
 * Posts to a send queue. -EAGAIN: it is full, or no completion entry could be
 * reserved. -EINVAL: invalid descriptor. -EPERM: management is for system jobs.
 */
int weft_sunway_post(struct weft_sunway *n, unsigned engine, unsigned vi,
		     const struct weft_sunway_desc *d);
/*
 * A fast short message: the processor writes descriptor and gathered data on
 * chip, nothing is fetched from memory. RDMAW, RDMAR (local: destination of the
 * data), QUEUE, IO_WRITE and IO_READ (local: as RDMAR). -EMSGSIZE: more than
 * 128 bytes.
 */
int weft_sunway_fsm(struct weft_sunway *n, unsigned engine, unsigned vi,
		    const struct weft_sunway_desc *d, const struct iovec *iov,
		    int count);

struct weft_sunway_event {
	uint64_t cookie;
	uint32_t bytes;
	uint8_t op;
	uint8_t status; /* enum weft_sunway_status */
	uint16_t queue; /* of a receive: its virtual queue */
	uint64_t data;	/* reply of a management command */
};

/* -EAGAIN: none. */
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
	WEFT_SUNWAY_AND, /* integers only, as the next two */
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
 * A member's part, and its position in the tree, which software chooses. A
 * member combines its inputs with its own part one by one, in their order: a
 * sum has the order of its tree.
 */
struct weft_sunway_coll {
	uint8_t kind; /* enum weft_sunway_coll_kind */
	uint8_t sum;  /* enum weft_sunway_sum */
	uint8_t type; /* enum weft_sunway_type */
	uint8_t group;
	uint8_t inputs; /* number of members that send to this one */
	uint8_t nth;	/* index of this input at its parent */
	uint8_t engine; /* interface of the parent */
	uint8_t vi;
	uint32_t parent; /* node of the parent, or WEFT_SUNWAY_ROOT: none */
	uint32_t bytes;
	uint64_t local;	 /* own part; of a broadcast, the root's data */
	uint64_t result; /* may equal local; of a reduction, at the root */
	uint64_t cookie; /* of the completion event */
};

/*
 * Sets the nodes of a multicast group in the routers' tables; called where the
 * roots are. The nodes may include nodes without members: an interface drops
 * copies for which it has no process.
 */
int weft_sunway_cast_set(struct weft_sunway *n, unsigned group,
			 const uint32_t *guid, unsigned count);
/*
 * All members of a group post the same operations in the same order. -EAGAIN:
 * four are outstanding. -EINVAL: invalid descriptor, or the root's group has no
 * nodes. -EFAULT: its part is not in registered memory.
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
	uint8_t notify; /* end of an RDMAW: bytes are its data */
};

/* The oldest message of the raw queue; -EAGAIN: none. It stays until next. */
int weft_sunway_rq_peek(struct weft_sunway *n, unsigned engine, unsigned vi,
			struct weft_sunway_arrival *a);
void weft_sunway_rq_release(struct weft_sunway *n, unsigned engine,
			    unsigned vi);
struct weft_sunway_buffer {
	void *to;
	uint32_t bytes;
	uint64_t cookie; /* of the event when it is filled */
};

/*
 * Posts a buffer for the next message to a virtual receive queue (1 to 65535);
 * an event is written when it is filled. A longer message is truncated.
 */
int weft_sunway_rq_post(struct weft_sunway *n, unsigned engine, unsigned vi,
			uint16_t queue, const struct weft_sunway_buffer *buf);

/* ---- management ---- */

/* Action of a command group. */
enum weft_sunway_action {
	WEFT_SUNWAY_REFUSE,
	WEFT_SUNWAY_REG_READ,  /* replies with IO word `remote` */
	WEFT_SUNWAY_REG_WRITE, /* writes the value */
	WEFT_SUNWAY_REG_ADD,
	WEFT_SUNWAY_CALL, /* calls attr.manage */
};

/* Two levels: command (256) to group (16), group to action. */
int weft_sunway_command_map(struct weft_sunway *n, unsigned command,
			    unsigned group);
int weft_sunway_group_map(struct weft_sunway *n, unsigned group,
			  enum weft_sunway_action action);
/* Access to the IO space by the node's own processor. */
int weft_sunway_io_get(struct weft_sunway *n, unsigned engine, unsigned word,
		       uint64_t *v_p);
int weft_sunway_io_set(struct weft_sunway *n, unsigned engine, unsigned word,
		       uint64_t v);

/* ---- virtual machines ---- */

/*
 * The host assigns interfaces of the common pool to a virtual machine on
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
	uint64_t inside;  /* packets that stayed in their engine */
	uint64_t crossed; /* packets through the crossbar to the other engine */
	uint64_t port[WEFT_SUNWAY_PORTS];
	uint64_t fetches; /* PCIe: descriptors and data read from memory */
	uint64_t fsms;
	uint64_t queued;   /* queue messages */
	uint64_t resent;   /* retransmitted queue messages */
	uint64_t doubles;  /* duplicates removed */
	uint64_t dropped;  /* found the receive queue full */
	uint64_t reads;	   /* RDMARs turned into writes here */
	uint64_t answers;  /* answer words incremented here */
	uint64_t absorbed; /* packets for jobs that have exited */
	uint64_t refused;  /* malformed packets and descriptors */
	uint64_t tlb_hits;
	uint64_t tlb_misses;
	uint64_t prefetched;
	uint64_t proxied;	/* virtual machines' calls served by the host */
	uint64_t in_flight_max; /* most messages of an engine in flight */
	uint64_t casts;		/* multicast copies sent */
	uint64_t filtered;	/* copies received without a member here */
	uint64_t probes;	/* probes of parents for missing results */
	uint64_t asked; /* probes of targets for the state of an RDMAW */
	uint64_t rdma_retransmitted; /* RDMAs whose data was sent or requested
					again */
};

void weft_sunway_stats(struct weft_sunway *n, struct weft_sunway_stats *s);

#ifdef __cplusplus
}
#endif
#endif
