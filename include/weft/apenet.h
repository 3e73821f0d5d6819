/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface of APEnet+, emulated: RDMA between registered buffers
 * of host and device memory. Link with -lweft-nic.
 *
 *	weft_apenet_open
 *	  weft_apenet_node_set               who stands behind a number
 *	  weft_apenet_buf_open               a buffer that the board may use
 *	  weft_apenet_put, weft_apenet_get   a command into the queue
 *	  weft_apenet_poll                   run the board
 *	  weft_apenet_event                  take what it tells
 *	weft_apenet_close
 *
 * A put names memory of both ends by their own virtual addresses. Whether it
 * is the host's or the device's (weft/mem.h) is found when the buffer is
 * registered; all four combinations go without a copy in between. Puts to one
 * node are seen there in the order in which they were posted.
 *
 * Nothing blocks. Functions return 0 or a negative errno; -EAGAIN means that
 * nothing happened and the call may be repeated. One thread at a time per
 * board.
 */
#ifndef WEFT_APENET_H
#define WEFT_APENET_H

#include <stdint.h>
#include <weft/place.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_APENET_PACKET   4096 /* payload of one packet, at most */
#define WEFT_APENET_TLB	     512  /* translations at hand */
#define WEFT_APENET_DMAS     2	  /* engines that read memory */
#define WEFT_APENET_COMMANDS 256  /* that wait in the queue */
#define WEFT_APENET_NODES    (UINT32_C(1) << 24)

struct weft_apenet;

/* How something ended. */
enum weft_apenet_status {
	WEFT_APENET_OK,
	WEFT_APENET_ADDRESS, /* no translation, or no right to it */
	WEFT_APENET_CUT,     /* packets of it are missing */
	WEFT_APENET_CRC,     /* a packet that was damaged on its way */
	WEFT_APENET_CLOSED,  /* the buffer it was read from is gone */
	WEFT_APENET_GONE,    /* the node has left */
};

/* The old board had one engine, and no translations at hand. */
struct weft_apenet_attr {
	struct weft_place place;
	uint32_t node;
	unsigned dmas;	 /* 1 or 2; 0: two */
	int tlb;	 /* entries; 0: 512, -1: none */
	uint32_t events; /* of its queue, a power of two; 0: 1024 */
};

int weft_apenet_open(const struct weft_apenet_attr *attr,
		     struct weft_apenet **a_p);
void weft_apenet_close(struct weft_apenet *a);
void weft_apenet_name(struct weft_apenet *a, struct sockaddr_in *name);
int weft_apenet_node_set(struct weft_apenet *a, uint32_t node,
			 const struct sockaddr_in *name);
/* Runs the board for up to budget turns of its engines. */
int weft_apenet_poll(struct weft_apenet *a, int budget);
int weft_apenet_wait(struct weft_apenet *a, uint64_t timeout_ns);

/* ---- buffers ---- */

#define WEFT_APENET_MAY_READ  1u /* gets of others */
#define WEFT_APENET_MAY_WRITE 2u /* puts of others */

/*
 * Registers memory, of the host or of the device; buffers may overlap. -EINVAL:
 * no bytes, or bytes of both kinds. -ENOSPC: too many. The memory stays where
 * it is until it is closed.
 */
int weft_apenet_buf_open(struct weft_apenet *a, void *base, uint64_t bytes,
			 unsigned rights, unsigned *buf_p);
/* What is on its way from there is cut off. */
int weft_apenet_buf_close(struct weft_apenet *a, unsigned buf);

/* ---- commands ---- */

#define WEFT_APENET_EVENT   1u /* an event here when it is complete */
#define WEFT_APENET_RECEIVE 2u /* put: an event at the target, too */
#define WEFT_APENET_STAGED  4u /* device memory by copies of the host's */

struct weft_apenet_cmd {
	uint32_t node;
	uint32_t flags;
	uint64_t local;	 /* address of ours */
	uint64_t remote; /* of the node's */
	uint64_t bytes;
	uint64_t cookie; /* comes back in the event here */
	uint64_t data;	 /* put: comes along in the event there */
};

/*
 * -EAGAIN: the queue is full, or no event could be kept for it. -EFAULT: local
 * is in no buffer. -EHOSTUNREACH: no such node. -ECONNRESET: it has left.
 */
int weft_apenet_put(struct weft_apenet *a, const struct weft_apenet_cmd *cmd);
/* Asks the node, whose board puts the bytes back. */
int weft_apenet_get(struct weft_apenet *a, const struct weft_apenet_cmd *cmd);

/* ---- events ---- */

enum weft_apenet_what {
	WEFT_APENET_SENT = 1, /* a put of ours: its memory may be used again */
	WEFT_APENET_RECEIVED, /* a put of another's is in our memory */
	WEFT_APENET_GOT,      /* a get of ours */
	WEFT_APENET_ERROR,    /* something of another's was dropped here */
};

struct weft_apenet_event {
	uint8_t what;	/* enum weft_apenet_what */
	uint8_t status; /* enum weft_apenet_status */
	uint16_t pad;
	uint32_t node;
	uint64_t cookie;
	uint64_t address; /* here: of its first byte, or the one not found */
	uint64_t bytes;
	uint64_t data;
};

/* -EAGAIN: none. */
int weft_apenet_event(struct weft_apenet *a, struct weft_apenet_event *ev);

/* ---- what went through ---- */

struct weft_apenet_stats {
	uint64_t puts;
	uint64_t gets;
	uint64_t served; /* gets of others */
	uint64_t packets_out;
	uint64_t packets_in;
	uint64_t turns;	     /* of the engines, while there was work */
	uint64_t overlapped; /* turns with two requests under way */
	uint64_t prefetched; /* commands fetched while others were worked on */
	uint64_t tlb_hits;
	uint64_t tlb_misses;
	uint64_t tlb_evicted;
	uint64_t walks;	     /* packets that the embedded processor worked on */
	uint64_t walk_ns;    /* and what it took on the machine */
	uint64_t peer_reads; /* packets read from device memory */
	uint64_t peer_writes; /* and written to it */
	uint64_t copies;      /* of staged ones */
	uint64_t dropped;     /* packets without translation */
	uint64_t crc_errors;
	uint64_t refused; /* what made no sense */
};

void weft_apenet_stats(struct weft_apenet *a, struct weft_apenet_stats *s);

#ifdef __cplusplus
}
#endif
#endif
