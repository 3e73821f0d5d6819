/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface of the Sunway exascale prototype (SWHNI), emulated:
 * two message engines that share two network ports through a crossbar. Link
 * with -lweft-nic.
 *
 *	weft_swhni_open
 *	  weft_swhni_node_set                    who stands behind a number
 *	  weft_swhni_vi_open                     send, receive, completion queue
 *	  weft_swhni_mem_open                    memory, as an address
 *	  weft_swhni_post                        a descriptor for a send queue
 *	  weft_swhni_fsm                         a short one, written on chip
 *	  weft_swhni_coll                        a member's part of a collective
 *	  weft_swhni_poll                        run the engines
 *	  weft_swhni_cq_read, weft_swhni_rq_look take what came
 *	  weft_swhni_job_exit                    all that a job had is gone
 *	weft_swhni_close
 *
 * There is no order between messages, of one queue or of several; packets of
 * one message may go by both ports. What has to be known is told by events,
 * answer words and notifications.
 *
 * Nothing blocks. Functions return 0 or a negative errno; -EAGAIN means that
 * nothing happened and the call may be repeated (a queue is full). One thread
 * at a time per unit.
 */
#ifndef WEFT_SWHNI_H
#define WEFT_SWHNI_H

#include <stdint.h>
#include <sys/uio.h>
#include <weft/place.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_SWHNI_ENGINES  2
#define WEFT_SWHNI_PORTS    2
#define WEFT_SWHNI_VIS	    128	 /* virtual interfaces of an engine */
#define WEFT_SWHNI_FLYING   256	 /* messages of an engine on their way */
#define WEFT_SWHNI_TLB	    2048 /* translations at hand */
#define WEFT_SWHNI_PACKET   2048 /* payload of one packet */
#define WEFT_SWHNI_FSM	    128	 /* largest fast short message */
#define WEFT_SWHNI_GATHER   8	 /* buffers gathered into one */
#define WEFT_SWHNI_IO	    256	 /* words of on-chip IO space */
#define WEFT_SWHNI_HOPS	    8	 /* of a source route */
#define WEFT_SWHNI_ADAPTIVE 0xff /* port: whichever is free and healthy */
#define WEFT_SWHNI_PAGE_MIN 12	 /* bits: 4 KB */
#define WEFT_SWHNI_PAGE_MAX 23	 /* bits: 8 MB */
#define WEFT_SWHNI_CASTS    32	 /* groups that routers copy to */
#define WEFT_SWHNI_INPUTS   64	 /* of a member of a tree */

struct weft_swhni;

/*
 * A node: supernode number above, number inside below. 1024 supernodes of 256
 * make 256 K nodes.
 */
#define WEFT_SWHNI_GUID(super, inside) ((uint32_t)(super) << 8 | (inside))
#define WEFT_SWHNI_GUIDS	       (UINT32_C(1) << 18)

/* How a message ended. */
enum weft_swhni_status {
	WEFT_SWHNI_OK,
	WEFT_SWHNI_NO_NODE,
	WEFT_SWHNI_NO_VI,   /* the target's interface is not open */
	WEFT_SWHNI_ADDRESS, /* no such memory, or not for this job */
	WEFT_SWHNI_GONE,    /* the node has left */
	WEFT_SWHNI_COMMAND, /* management: no such command; collectives:
			       members do not agree */
};

struct weft_swhni_attr {
	struct weft_place place;
	uint32_t guid;
	unsigned ports; /* 1 or 2; 0: both */
	/* A management command that is mapped to software; from poll. */
	void (*manage)(void *arg, uint32_t from, unsigned command,
		       uint64_t value);
	void *arg;
	/* Nanoseconds that only grow, for what is sent again; NULL: the
	 * system's */
	uint64_t (*clock)(void);
	uint64_t resend_ns; /* and for probes; 0: a millisecond */
};

int weft_swhni_open(const struct weft_swhni_attr *attr,
		    struct weft_swhni **n_p);
void weft_swhni_close(struct weft_swhni *n);

/* Where the ports are, one name each. */
struct weft_swhni_name {
	struct sockaddr_in port[WEFT_SWHNI_PORTS];
};

void weft_swhni_name(struct weft_swhni *n, struct weft_swhni_name *name);
int weft_swhni_node_set(struct weft_swhni *n, uint32_t guid,
			const struct weft_swhni_name *name);
/* The node at the end of a source route, for management packets. */
int weft_swhni_route_set(struct weft_swhni *n, const uint8_t *hop,
			 unsigned hops, uint32_t guid);
/* A port that is not healthy takes no packets of adaptive messages. */
int weft_swhni_port_set(struct weft_swhni *n, unsigned port, int healthy);
int weft_swhni_poll(struct weft_swhni *n, int budget);
int weft_swhni_wait(struct weft_swhni *n, uint64_t timeout_ns);

/* ---- virtual interfaces ---- */

struct weft_swhni_vi {
	unsigned engine;
	uint32_t job;	/* process it belongs to; never 0 */
	uint32_t sends; /* entries of its queues, powers of two */
	uint32_t receives;
	uint32_t events;
};

/* vi_p: its number, in its engine's. -ENOSPC: all are taken. */
int weft_swhni_vi_open(struct weft_swhni *n, const struct weft_swhni_vi *attr,
		       unsigned *vi_p);
int weft_swhni_vi_close(struct weft_swhni *n, unsigned engine, unsigned vi);
/* Everything of a job: what is left of it, here or on its way, is absorbed. */
int weft_swhni_job_exit(struct weft_swhni *n, uint32_t job);

/* ---- memory ---- */

enum weft_swhni_kind {
	WEFT_SWHNI_PHYSICAL, /* as it is; for the system's jobs alone */
	WEFT_SWHNI_PAGED,
	WEFT_SWHNI_SEGMENTED,
};

#define WEFT_SWHNI_MAY_READ  1u
#define WEFT_SWHNI_MAY_WRITE 2u

struct weft_swhni_mem {
	void *base;
	uint64_t bytes;
	uint32_t job;
	uint8_t kind;	   /* enum weft_swhni_kind */
	uint8_t rights;	   /* of the job's processes on other nodes */
	uint8_t page_bits; /* of paged memory: 12 to 23 */
};

/* address_p: of its first byte, for descriptors here and elsewhere. */
int weft_swhni_mem_open(struct weft_swhni *n, const struct weft_swhni_mem *attr,
			uint64_t *address_p);
int weft_swhni_mem_close(struct weft_swhni *n, uint64_t address);
/* From now on a page of paged memory lies elsewhere in the process. */
int weft_swhni_page_set(struct weft_swhni *n, uint64_t address, void *page);
/* Jobs below this may use physical addresses: the host's own. */
#define WEFT_SWHNI_SYSTEM_JOBS 16

/* ---- messages ---- */

enum weft_swhni_op {
	WEFT_SWHNI_RDMAW = 1, /* local memory to remote memory */
	WEFT_SWHNI_RDMAR,     /* remote to local: written back by the target */
	WEFT_SWHNI_QUEUE,     /* into the target's receive queue */
	WEFT_SWHNI_IO_WRITE,  /* fsm: a word of the target's IO space */
	WEFT_SWHNI_IO_READ,
	WEFT_SWHNI_MANAGE,
	WEFT_SWHNI_COLL, /* in events: weft_swhni_coll */
};

#define WEFT_SWHNI_EVENT    0x01u /* an event here when it is complete */
#define WEFT_SWHNI_ANSWER   0x02u /* RDMA: answer + 1 at the target of bytes */
#define WEFT_SWHNI_NOTIFY   0x04u /* RDMAW: then data into the receive queue */
#define WEFT_SWHNI_RELIABLE 0x08u /* queue: sent again until it is there */
#define WEFT_SWHNI_FAST	    0x10u /* before others, whatever its length */
#define WEFT_SWHNI_SOURCE   0x20u /* management: routed by source */

struct weft_swhni_desc {
	uint8_t op; /* enum weft_swhni_op */
	uint8_t flags;
	uint8_t port;	 /* 0, 1 or WEFT_SWHNI_ADAPTIVE */
	uint8_t engine;	 /* of the target */
	uint8_t vi;	 /* of the target */
	uint8_t command; /* management */
	uint16_t queue;	 /* virtual receive queue; 0: the raw one */
	uint32_t guid;
	uint32_t bytes;
	uint64_t local;
	uint64_t remote; /* or IO word number */
	uint64_t answer; /* address of a word */
	uint64_t data;	 /* of a notification; value of a command */
	uint64_t cookie; /* comes back in the event */
	uint8_t hop[WEFT_SWHNI_HOPS]; /* source route; unused: 0xff */
};

/*
 * Into a send queue. -EAGAIN: it is full, or the completion queue could not
 * take its event. -EINVAL: it makes no sense. -EPERM: management is for the
 * system's jobs.
 */
int weft_swhni_post(struct weft_swhni *n, unsigned engine, unsigned vi,
		    const struct weft_swhni_desc *d);
/*
 * A fast short message: descriptor and the gathered bytes are written on chip
 * by the processor, nothing is fetched from memory. RDMAW, RDMAR (local is
 * where bytes come back to), QUEUE, IO_WRITE and IO_READ (local likewise).
 * -EMSGSIZE: more than 128 bytes.
 */
int weft_swhni_fsm(struct weft_swhni *n, unsigned engine, unsigned vi,
		   const struct weft_swhni_desc *d, const struct iovec *iov,
		   int count);

struct weft_swhni_event {
	uint64_t cookie;
	uint32_t bytes;
	uint8_t op;
	uint8_t status; /* enum weft_swhni_status */
	uint16_t queue; /* of a receive: which virtual queue */
	uint64_t data;	/* answer of a management command */
};

/* -EAGAIN: none. */
int weft_swhni_cq_read(struct weft_swhni *n, unsigned engine, unsigned vi,
		       struct weft_swhni_event *ev);

/* ---- collectives ---- */

enum weft_swhni_coll_kind {
	WEFT_SWHNI_BARRIER,
	WEFT_SWHNI_BCAST,  /* up to 2048 bytes */
	WEFT_SWHNI_REDUCE, /* up to 128 bytes */
	WEFT_SWHNI_ALLREDUCE,
};

enum weft_swhni_sum {
	WEFT_SWHNI_SUM,
	WEFT_SWHNI_MAX,
	WEFT_SWHNI_MIN,
	WEFT_SWHNI_AND, /* of integers, as the next two */
	WEFT_SWHNI_OR,
	WEFT_SWHNI_XOR,
};

enum weft_swhni_type {
	WEFT_SWHNI_INT32,
	WEFT_SWHNI_INT64,
	WEFT_SWHNI_FLOAT,
	WEFT_SWHNI_DOUBLE,
};

#define WEFT_SWHNI_ROOT UINT32_MAX

/*
 * A member's part, and its place in the tree, which software draws as it
 * likes. A member adds its inputs to its own part one by one, in their order:
 * a sum has the order of its tree.
 */
struct weft_swhni_coll {
	uint8_t kind; /* enum weft_swhni_coll_kind */
	uint8_t sum;  /* enum weft_swhni_sum */
	uint8_t type; /* enum weft_swhni_type */
	uint8_t group;
	uint8_t inputs; /* members that send to this one */
	uint8_t nth;	/* which input of its parent it is */
	uint8_t engine; /* the parent's interface */
	uint8_t vi;
	uint32_t parent; /* its node, or WEFT_SWHNI_ROOT: there is none */
	uint32_t bytes;
	uint64_t local;	 /* its part; of a broadcast, the root's bytes */
	uint64_t result; /* may be the same; of a reduction, at the root */
	uint64_t cookie; /* of the event when it is over */
};

/*
 * The nodes that multicasts of a group reach, in the routers' tables; set where
 * the roots are. They may be more than have members: an interface drops what is
 * for no process of its own.
 */
int weft_swhni_cast_set(struct weft_swhni *n, unsigned group,
			const uint32_t *guid, unsigned count);
/*
 * All members of a group post the same operations in the same order. -EAGAIN:
 * four are under way. -EINVAL: it makes no sense, or the root's group has no
 * nodes. -EFAULT: its part is not in memory.
 */
int weft_swhni_coll(struct weft_swhni *n, unsigned engine, unsigned vi,
		    const struct weft_swhni_coll *d);

/* ---- receiving ---- */

/* What lies in the raw receive queue. */
struct weft_swhni_arrival {
	const void *bytes;
	uint32_t len;
	uint32_t guid; /* who sent it */
	uint8_t engine;
	uint8_t vi;
	uint8_t notify; /* end of an RDMAW: bytes are its data */
};

/* The oldest message of the raw queue; -EAGAIN. It stays until next. */
int weft_swhni_rq_look(struct weft_swhni *n, unsigned engine, unsigned vi,
		       struct weft_swhni_arrival *a);
void weft_swhni_rq_next(struct weft_swhni *n, unsigned engine, unsigned vi);
struct weft_swhni_buffer {
	void *to;
	uint32_t bytes;
	uint64_t cookie; /* of the event when it is filled */
};

/*
 * A buffer for the next message to a virtual receive queue (1 to 65535); an
 * event comes when it is filled. A longer message is cut off.
 */
int weft_swhni_rq_post(struct weft_swhni *n, unsigned engine, unsigned vi,
		       uint16_t queue, const struct weft_swhni_buffer *buf);

/* ---- management ---- */

/* What a command does at last. */
enum weft_swhni_action {
	WEFT_SWHNI_REFUSE,
	WEFT_SWHNI_REG_READ,  /* IO word `remote` is the answer */
	WEFT_SWHNI_REG_WRITE, /* gets the value */
	WEFT_SWHNI_REG_ADD,
	WEFT_SWHNI_CALL, /* attr.manage */
};

/* Two levels: a command (256) belongs to a group (16), a group acts. */
int weft_swhni_command_map(struct weft_swhni *n, unsigned command,
			   unsigned group);
int weft_swhni_group_map(struct weft_swhni *n, unsigned group,
			 enum weft_swhni_action action);
/* The IO space by its own processor. */
int weft_swhni_io_get(struct weft_swhni *n, unsigned engine, unsigned word,
		      uint64_t *v_p);
int weft_swhni_io_set(struct weft_swhni *n, unsigned engine, unsigned word,
		      uint64_t v);

/* ---- virtual machines ---- */

/*
 * The host gives a virtual machine interfaces out of the common stock, as it
 * asks for them and up to a limit. From then on the guest uses the engine as
 * everybody does: nobody stands in between.
 */
int weft_swhni_vm_open(struct weft_swhni *n, unsigned limit, unsigned *vm_p);
int weft_swhni_vm_vi(struct weft_swhni *n, unsigned vm,
		     const struct weft_swhni_vi *attr, unsigned *vi_p);
/* Ends all its jobs. */
int weft_swhni_vm_close(struct weft_swhni *n, unsigned vm);

/* ---- what went through ---- */

struct weft_swhni_stats {
	uint64_t inside;  /* packets that stayed in their engine */
	uint64_t crossed; /* that took the crossbar to the other one */
	uint64_t port[WEFT_SWHNI_PORTS];
	uint64_t fetches; /* PCIe: descriptors and data read from memory */
	uint64_t fsms;
	uint64_t queued;   /* queue messages */
	uint64_t resent;   /* of them, again */
	uint64_t doubles;  /* came again, and were removed */
	uint64_t dropped;  /* found the receive queue full */
	uint64_t reads;	   /* RDMARs turned into writes here */
	uint64_t answers;  /* answer words counted up here */
	uint64_t absorbed; /* leftovers of jobs that are gone */
	uint64_t refused;  /* what made no sense */
	uint64_t tlb_hits;
	uint64_t tlb_misses;
	uint64_t prefetched;
	uint64_t proxied; /* calls of virtual machines that the host served */
	uint64_t flying_max; /* most messages of an engine on their way */
	uint64_t casts;	     /* copies of results that left here */
	uint64_t filtered;   /* that came, and were for nobody here */
	uint64_t probes;     /* of parents, for results that did not come */
	uint64_t asked;	     /* targets, what has become of an RDMAW */
	uint64_t
		rdma_again; /* RDMAs whose bytes were sent or asked for again */
};

void weft_swhni_stats(struct weft_swhni *n, struct weft_swhni_stats *s);

#ifdef __cplusplus
}
#endif
#endif
