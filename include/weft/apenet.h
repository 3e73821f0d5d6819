/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface of APEnet+, emulated: RDMA between registered buffers
 * of host and device memory. Link with -lweft-nic.
 *
 *	weft_apenet_open
 *	  weft_apenet_node_set               address of a node number
 *	  weft_apenet_buf_open               a buffer that the board may use
 *	  weft_apenet_put, weft_apenet_get   queue a command
 *	  weft_apenet_poll                   run the board
 *	  weft_apenet_event                  read an event
 *	weft_apenet_close
 *
 * A put uses virtual addresses on both sides. The kind of memory, host or
 * device (weft/mem.h), is determined when the buffer is registered; all four
 * combinations work without an intermediate copy. Puts to one node become
 * visible there in the order in which they were posted.
 *
 * No function blocks, except weft_apenet_wait. Functions return 0 or a negative
 * errno; -EAGAIN means that nothing happened and the call may be repeated. One
 * thread at a time per board.
 */
#ifndef WEFT_APENET_H
#define WEFT_APENET_H

#include <stdint.h>
#include <weft/place.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_APENET_PACKET   4096 /* maximum payload of one packet, bytes */
#define WEFT_APENET_TLB	     512  /* number of TLB entries */
#define WEFT_APENET_DMAS     2	  /* number of DMA engines that read memory */
#define WEFT_APENET_COMMANDS 256  /* size of the command queue, commands */
#define WEFT_APENET_NODES    (UINT32_C(1) << 24)

struct weft_apenet;

/* Status of a message. */
enum weft_apenet_status {
	WEFT_APENET_OK,
	WEFT_APENET_ADDRESS, /* no translation, or access right missing */
	WEFT_APENET_CUT,     /* packets of the message are missing */
	WEFT_APENET_CRC,     /* CRC error: a packet was corrupted in transit */
	WEFT_APENET_CLOSED,  /* the source buffer was unregistered */
	WEFT_APENET_GONE,    /* the node is lost */
};

/* Attributes of a board. The older board had one engine and no TLB. */
struct weft_apenet_attr {
	struct weft_place place;
	uint32_t node;
	unsigned dmas;	 /* number of DMA engines, 1 or 2; 0: two */
	int tlb;	 /* number of TLB entries; 0: 512, -1: no TLB */
	uint32_t events; /* size of the event queue, a power of two; 0: 1024 */
};

int weft_apenet_open(const struct weft_apenet_attr *attr,
		     struct weft_apenet **a_p);
void weft_apenet_close(struct weft_apenet *a);
void weft_apenet_name(struct weft_apenet *a, struct sockaddr_in *name);
int weft_apenet_node_set(struct weft_apenet *a, uint32_t node,
			 const struct sockaddr_in *name);
/* Runs the board for at most `budget` engine steps. */
int weft_apenet_poll(struct weft_apenet *a, int budget);
int weft_apenet_wait(struct weft_apenet *a, uint64_t timeout_ns);

/* ---- buffers ---- */

#define WEFT_APENET_MAY_READ  1u /* peers may get from the buffer */
#define WEFT_APENET_MAY_WRITE 2u /* peers may put to the buffer */

/*
 * Registers host or device memory; buffers may overlap. -EINVAL: bytes is 0, or
 * the range has both kinds of memory. -ENOSPC: too many buffers. The memory
 * must stay mapped until the buffer is closed.
 */
int weft_apenet_buf_open(struct weft_apenet *a, void *base, uint64_t bytes,
			 unsigned rights, unsigned *buf_p);
/*
 * Unregisters a buffer. Outgoing messages that still read it are truncated
 * (WEFT_APENET_CLOSED).
 */
int weft_apenet_buf_close(struct weft_apenet *a, unsigned buf);

/* ---- commands ---- */

#define WEFT_APENET_EVENT   1u /* write an event at this node at completion */
#define WEFT_APENET_RECEIVE 2u /* put: write an event at the target, too */
/* device memory is copied through host memory */
#define WEFT_APENET_STAGED  4u

struct weft_apenet_cmd {
	uint32_t node;
	uint32_t flags;
	uint64_t local;	 /* address at this node */
	uint64_t remote; /* address at the other node */
	uint64_t bytes;
	uint64_t cookie; /* returned in the event at this node */
	uint64_t data;	 /* put: returned in the event at the target */
};

/*
 * Queues a put. -EAGAIN: the queue is full, or no event entry could be
 * reserved. -EFAULT: the local address is not in a registered buffer.
 * -EHOSTUNREACH: no such node. -ECONNRESET: the node is lost.
 */
int weft_apenet_put(struct weft_apenet *a, const struct weft_apenet_cmd *cmd);
/*
 * Queues a get: sends a request to the node, whose board puts the data at the
 * address `local`.
 */
int weft_apenet_get(struct weft_apenet *a, const struct weft_apenet_cmd *cmd);

/* ---- events ---- */

enum weft_apenet_what {
	/* a put of this node was sent: its source buffer may be reused */
	WEFT_APENET_SENT = 1,
	WEFT_APENET_RECEIVED, /* a peer's put is in local memory */
	WEFT_APENET_GOT,      /* a get of this node is complete */
	WEFT_APENET_ERROR,    /* packets of a peer were dropped at this node */
};

struct weft_apenet_event {
	uint8_t what;	/* enum weft_apenet_what */
	uint8_t status; /* enum weft_apenet_status */
	uint16_t pad;
	uint32_t node;
	uint64_t cookie;
	/* first local address, or the address that has no translation */
	uint64_t address;
	uint64_t bytes;
	uint64_t data;
};

/* Reads the next event. -EAGAIN: there is none. */
int weft_apenet_event(struct weft_apenet *a, struct weft_apenet_event *ev);

/* ---- statistics ---- */

struct weft_apenet_stats {
	uint64_t puts;
	uint64_t gets;
	uint64_t served; /* gets of peers that this board executed */
	uint64_t packets_out;
	uint64_t packets_in;
	uint64_t active_steps; /* steps in which an engine had work */
	uint64_t overlapped;   /* steps with two outstanding requests */
	uint64_t prefetched; /* commands fetched while others were processed */
	uint64_t tlb_hits;
	uint64_t tlb_misses;
	uint64_t tlb_evicted;
	/* packets whose page the embedded processor looked up */
	uint64_t walks;
	/* time that the machine's embedded processor needs for the walks, ns */
	uint64_t walk_ns;
	uint64_t peer_reads;  /* packets read from device memory */
	uint64_t peer_writes; /* packets written to device memory */
	uint64_t copies;  /* copies through host memory for staged messages */
	uint64_t dropped; /* packets dropped because they had no translation */
	uint64_t crc_errors;
	uint64_t refused; /* malformed packets */
};

void weft_apenet_stats(struct weft_apenet *a, struct weft_apenet_stats *s);

#ifdef __cplusplus
}
#endif
#endif
