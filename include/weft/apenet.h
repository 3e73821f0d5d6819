/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface of APEnet+, emulated: RDMA between registered buffers
 * of host and device memory. Link with -lweft-nic.
 *
 *	weft_apenet_open
 *	  weft_apenet_node_set               address of a node number
 *	  weft_apenet_buf_open               a buffer that the board may use
 *	  weft_apenet_put, weft_apenet_get   a command into the queue
 *	  weft_apenet_poll                   run the board
 *	  weft_apenet_event                  take an event
 *	weft_apenet_close
 *
 * A put addresses memory of both ends by their virtual addresses. The kind of
 * memory, host or device (weft/mem.h), is determined when the buffer is
 * registered; all four combinations work without an intermediate copy. Puts to
 * one node become visible there in the order in which they were posted.
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

#define WEFT_APENET_PACKET   4096 /* payload of one packet, at most */
#define WEFT_APENET_TLB	     512  /* entries of the TLB */
#define WEFT_APENET_DMAS     2	  /* engines that read memory */
#define WEFT_APENET_COMMANDS 256  /* commands in the queue */
#define WEFT_APENET_NODES    (UINT32_C(1) << 24)

struct weft_apenet;

/* Status of a message. */
enum weft_apenet_status {
	WEFT_APENET_OK,
	WEFT_APENET_ADDRESS, /* no translation, or no right to it */
	WEFT_APENET_CUT,     /* packets of the message are missing */
	WEFT_APENET_CRC,     /* a packet was damaged in transit */
	WEFT_APENET_CLOSED,  /* the source buffer was unregistered */
	WEFT_APENET_GONE,    /* the node is lost */
};

/* The older board had one engine and no TLB. */
struct weft_apenet_attr {
	struct weft_place place;
	uint32_t node;
	unsigned dmas;	 /* 1 or 2; 0: two */
	int tlb;	 /* entries; 0: 512, -1: none */
	uint32_t events; /* entries of its queue, a power of two; 0: 1024 */
};

int weft_apenet_open(const struct weft_apenet_attr *attr,
		     struct weft_apenet **a_p);
void weft_apenet_close(struct weft_apenet *a);
void weft_apenet_name(struct weft_apenet *a, struct sockaddr_in *name);
int weft_apenet_node_set(struct weft_apenet *a, uint32_t node,
			 const struct sockaddr_in *name);
/* Runs the board for up to budget steps of its engines. */
int weft_apenet_poll(struct weft_apenet *a, int budget);
int weft_apenet_wait(struct weft_apenet *a, uint64_t timeout_ns);

/* ---- buffers ---- */

#define WEFT_APENET_MAY_READ  1u /* gets of peers */
#define WEFT_APENET_MAY_WRITE 2u /* puts of peers */

/*
 * Registers memory, of the host or of the device; buffers may overlap. -EINVAL:
 * no bytes, or bytes of both kinds. -ENOSPC: too many buffers. The memory must
 * stay mapped until the buffer is closed.
 */
int weft_apenet_buf_open(struct weft_apenet *a, void *base, uint64_t bytes,
			 unsigned rights, unsigned *buf_p);
/* Outgoing messages that still read the buffer are cut off. */
int weft_apenet_buf_close(struct weft_apenet *a, unsigned buf);

/* ---- commands ---- */

#define WEFT_APENET_EVENT   1u /* write an event here at completion */
#define WEFT_APENET_RECEIVE 2u /* put: write an event at the target, too */
#define WEFT_APENET_STAGED  4u /* device memory by copies through the host */

struct weft_apenet_cmd {
	uint32_t node;
	uint32_t flags;
	uint64_t local;	 /* address at this node */
	uint64_t remote; /* address at the other node */
	uint64_t bytes;
	uint64_t cookie; /* returned in the event here */
	uint64_t data;	 /* put: passed on in the event at the target */
};

/*
 * -EAGAIN: the queue is full, or no event entry could be reserved. -EFAULT:
 * local is in no buffer. -EHOSTUNREACH: no such node. -ECONNRESET: the node is
 * lost.
 */
int weft_apenet_put(struct weft_apenet *a, const struct weft_apenet_cmd *cmd);
/* Sends a request to the node, whose board puts the data back. */
int weft_apenet_get(struct weft_apenet *a, const struct weft_apenet_cmd *cmd);

/* ---- events ---- */

enum weft_apenet_what {
	WEFT_APENET_SENT = 1, /* own put: its memory may be reused */
	WEFT_APENET_RECEIVED, /* a peer's put is in local memory */
	WEFT_APENET_GOT,      /* own get is complete */
	WEFT_APENET_ERROR,    /* a peer's packets were dropped here */
};

struct weft_apenet_event {
	uint8_t what;	/* enum weft_apenet_what */
	uint8_t status; /* enum weft_apenet_status */
	uint16_t pad;
	uint32_t node;
	uint64_t cookie;
	uint64_t address; /* first local byte, or address without translation */
	uint64_t bytes;
	uint64_t data;
};

/* -EAGAIN: none. */
int weft_apenet_event(struct weft_apenet *a, struct weft_apenet_event *ev);

/* ---- statistics ---- */

struct weft_apenet_stats {
	uint64_t puts;
	uint64_t gets;
	uint64_t served; /* gets of peers */
	uint64_t packets_out;
	uint64_t packets_in;
	uint64_t turns;	     /* steps of the engines with work */
	uint64_t overlapped; /* steps with two outstanding requests */
	uint64_t prefetched; /* commands fetched while others were processed */
	uint64_t tlb_hits;
	uint64_t tlb_misses;
	uint64_t tlb_evicted;
	uint64_t walks;	      /* packets processed by the embedded processor */
	uint64_t walk_ns;     /* its time for them on the machine */
	uint64_t peer_reads;  /* packets read from device memory */
	uint64_t peer_writes; /* packets written to device memory */
	uint64_t copies;      /* copies of staged messages */
	uint64_t dropped;     /* packets without translation */
	uint64_t crc_errors;
	uint64_t refused; /* malformed packets */
};

void weft_apenet_stats(struct weft_apenet *a, struct weft_apenet_stats *s);

#ifdef __cplusplus
}
#endif
#endif
