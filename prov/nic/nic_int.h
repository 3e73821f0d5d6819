/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside the message engine: its packets, its objects, and which file does
 * what. Nobody outside prov/nic includes this.
 *
 *   nic.c        open, close, poll, ops, ids, death of a peer
 *   nic_send.c   messages out: one packet, eager, announcement
 *   nic_recv.c   messages in: match, reassemble, unexpected, peek, claim
 *   nic_dma.c    transfers in pieces, alone or with the peer
 *   nic_rndv.c   rendezvous: pull, both sides copy, or paced packets
 *   nic_rma.c    remote memory: one-sided, by request, by packets
 *   nic_at.c     atomics; nic_at_exec.c the arithmetic
 *   nic_share.c  the shared area: cursors, and regions peers look up
 *   nic_coll.c   groups and their collectives, over cu/
 */
#ifndef WEFT_PROV_NIC_INT_H
#define WEFT_PROV_NIC_INT_H

#include "prov/nic/nic.h"
#include "src/base/atomic.h"
#include "src/base/attr.h"
#include "src/base/list.h"
#include "src/base/pool.h"

#include <errno.h>
#include <string.h>

/*
 * Packet types. aux holds an op's id: of the sender where an answer is
 * wanted, of the addressee in an answer. flags are enum weft_op_flag.
 */
enum nic_type {
	NIC_MSG = 1,	/* a whole message; tag, data */
	NIC_FIRST,	/* start of an eager one: u64 total, bytes */
	NIC_NEXT,	/* its continuation */
	NIC_RTS,	/* a large one: struct nic_rts */
	NIC_FIN,	/* answer: aux is done; tag: positive errno */
	NIC_CTS,	/* send bytes of aux up to data, to my op tag */
	NIC_BULK,	/* bytes for aux, at offset tag */
	NIC_HELP,	/* both copy aux: my buffer is in the payload */
	NIC_HELPED,	/* I wrote data bytes for aux */
	NIC_WRITE,	/* struct nic_access, bytes of it */
	NIC_WRITE_PULL, /* struct nic_access, then nic_segs of the source */
	NIC_READ,	/* struct nic_access */
	NIC_READ_PUSH,	/* struct nic_access, nic_segs of the destination */
	NIC_READ_DATA,	/* bytes for aux, at offset tag */
	NIC_EVENT,	/* an access happened: struct nic_access */
	NIC_ATOMIC,	/* struct nic_atomic, operands */
	NIC_RESULT,	/* answer of an atomic: old values for aux */
	NIC_COLL,	/* of group tag: struct weft_cu_msg, or a note */
	NIC_TYPES,
};

#define NIC_WIRE_FLAGS (WEFT_OP_TAGGED | WEFT_OP_DATA | WEFT_OP_ACK)

/* Where bytes lie in the process that sent this: address, length. */
struct nic_segs {
	uint32_t count;
	uint32_t cell; /* cursor in the sender's area + 1, or 0 */
	uint64_t seg[2 * WEFT_IOV_MAX];
};

struct nic_rts {
	uint64_t len;
	struct nic_segs segs;
};

/* What an access is to: all of it, and the part of this packet. */
struct nic_access {
	uint64_t key;
	uint64_t addr;
	uint64_t len;
	uint64_t offset;
};

struct nic_atomic {
	uint64_t key;
	uint64_t addr;
	uint32_t count;
	uint8_t op;
	uint8_t type;
	uint8_t kind;
	uint8_t reserved;
};

static_assert(sizeof(struct nic_segs) == 72 && sizeof(struct nic_rts) == 80 &&
		      sizeof(struct nic_access) == 32 &&
		      sizeof(struct nic_atomic) == 24,
	      "shared format");

/* Largest eager message we reassemble for a peer, whatever it claims. */
#define NIC_EAGER_CAP ((size_t)16 << 20)
/* Bytes that paced packets may run ahead of the receiver's word. */
#define NIC_WINDOW    ((size_t)256 << 10)
/*
 * Bytes of one DMA at most where both sides copy, and from which size on they
 * do: measured, two halves are best up to 256 KiB.
 */
#define NIC_CHUNK     ((size_t)128 << 10)
#define NIC_HELP_MIN  ((size_t)128 << 10)
/* Cursors of an endpoint. */
#define NIC_CELLS     64

/* States of an op that lasts. */
enum nic_state {
	NIC_NEW,
	NIC_SENDING,	  /* packets of it are still to go */
	NIC_PACING,	  /* in bulk: bytes the peer asked for */
	NIC_WAITING,	  /* the peer has the next word */
	NIC_DMA,	  /* the unit has its hands on it */
	NIC_DMA_AGAIN,	  /* the unit had no room for it */
	NIC_WAITING_HELP, /* the peer is writing the rest */
	NIC_PACED,	  /* receiving paced packets */
	NIC_CLOSED,	  /* multi: no longer posted, parts under way */
	NIC_KEPT,	  /* a whole message that found no room */
	NIC_PARTING,	  /* received; its answer waits for room */
};

/* An unexpected message. */
struct nic_msg {
	struct weft_match_msg m;
	struct weft_peer *src;
	uint64_t len;
	uint64_t data;
	uint64_t got;	       /* bytes here; less than len: still arriving */
	void *claim;	       /* context that reserved it */
	struct weft_list link; /* in nic->claimed */
	uint32_t remote_id;
	uint16_t flags;	 /* NIC_WIRE_FLAGS */
	uint8_t rts;	 /* announced only */
	uint8_t dropped; /* nobody wants it */
	uint8_t claimed;
	void *heap; /* bytes beyond bytes[], or NULL */
	union {
		struct nic_segs segs;
		unsigned char bytes[72];
	};
};

/* A packet that found no room. */
struct nic_ctrl {
	struct weft_list link;
	struct weft_op *op; /* a receive that ends when this is out, or NULL */
	struct weft_pkt pkt;
	unsigned char payload[];
};

/* What the engine knows of a peer; hangs on weft_peer.up. */
struct nic_peer {
	struct weft_peer *peer;
	struct weft_list link;	  /* of all */
	struct weft_list busy;	  /* in nic->busy, or alone */
	struct weft_list ctrl;	  /* struct nic_ctrl */
	struct weft_list sending; /* ops, in the order of their posting */
	struct weft_list bulk;	  /* ops whose bytes may overtake */
	struct weft_list waiting; /* ops that need the peer */
	struct weft_list gone;	  /* in nic->gone: left, with messages here */
	uint32_t open_ops;	  /* in sending, bulk and waiting; FI_FENCE */
	uint32_t asks;		  /* accesses the peer has not answered */
	/* the eager message that is arriving: one of the two, or none */
	struct weft_op *rx_op;
	struct nic_msg *rx_msg;
	bool met;		 /* a message found its way */
	bool dma_works;		 /* seen once */
	bool dma_refused;	 /* likewise */
	struct nic_share *share; /* its shared area, once seen */
};

struct weft_nic {
	struct weft_nic_head head;
	struct weft_unit *unit;
	const struct weft_nic_up *up;
	void *up_arg;
	size_t packet_bytes;
	size_t eager_bytes;
	struct weft_list busy;	    /* peers with something to send */
	unsigned coll_groups;	    /* groups that poll looks at */
	struct weft_match match[2]; /* untagged, tagged */
	struct weft_pool msgs;
	size_t min_multi;
	bool no_dma;
	struct weft_list peers;
	struct weft_list claimed;
	struct weft_list gone; /* peers whose last messages wait here */
	/* names of ops on the wire: slot, generation above */
	struct weft_op **id_op;
	uint32_t *id_next;
	uint32_t id_free;
	uint32_t id_room;
	uint32_t id_gen;
	uint64_t garbage;    /* packets that made no sense */
	uint64_t deaths;     /* peers that died or were given up, not closed */
	uint64_t rendezvous; /* these three as in struct weft_nic_stats */
	uint64_t dma_bytes;
	uint64_t paced;
	struct nic_share *share;
	uint64_t cells_free; /* one bit each */
	const struct weft_machine *machine;
	struct nic_coll *coll; /* groups: nic_coll.c */
};

/* ---- nic.c --------------------------------------------------------------- */

struct nic_peer *nic_peer_make(struct weft_nic *nic,
			       struct weft_peer *peer) WEFT_COLD;

static inline struct nic_peer *nic_peer_of(struct weft_nic *nic,
					   struct weft_peer *peer)
{
	if (weft_likely(peer->up))
		return peer->up;
	return nic_peer_make(nic, peer);
}

/* Gives an op a name; -ENOMEM. */
int nic_id_new(struct weft_nic *nic, struct weft_op *op);
void nic_id_free(struct weft_nic *nic, struct weft_op *op);
/* The op of that name if it has to do with src, or NULL. */
struct weft_op *nic_id_op(struct weft_nic *nic, uint32_t id,
			  struct weft_peer *src);

/* Ends an op that is in no list. */
static inline void nic_done(struct weft_nic *nic, struct weft_op *op, int err)
{
	op->err = err;
	nic->up->done(nic->up_arg, op);
	weft_nic_op_put(op);
}

/* Ends an op wherever it is. */
void nic_end(struct weft_nic *nic, struct weft_op *op, int err);
/*
 * Says FIN to the sender of a message and ends the receive that has it, once
 * that word has left: who sees the receive complete need not come back.
 */
void nic_part(struct weft_nic *nic, struct weft_op *op, int err);

/* Puts an op in a list of its peer, and counts it. */
void nic_hold(struct nic_peer *p, struct weft_list *list, struct weft_op *op);
void nic_unhold(struct weft_op *op);
/* The peer was asked for an access, or has answered. */
void nic_asked(struct weft_op *op, bool on);

/* Moves bytes between memory and iov, from offset on. */
void nic_scatter(const struct iovec *iov, int count, uint64_t offset,
		 const void *from, size_t bytes);
void nic_gather(const struct iovec *iov, int count, uint64_t offset, void *to,
		size_t bytes);
/* The parts of iov that make [offset, offset + bytes); how many. */
int nic_slice(const struct iovec *iov, int count, uint64_t offset, size_t bytes,
	      struct iovec *out);

/* ---- nic_send.c ---------------------------------------------------------- */

/* Sends a packet that must arrive; queued when there is no room. */
void nic_ctrl(struct weft_nic *nic, struct weft_peer *peer,
	      const struct weft_pkt *pkt, const void *payload);
/* NIC_FIN for the sender's op; err is 0 or -errno. */
void nic_fin(struct weft_nic *nic, struct weft_peer *peer, uint32_t id,
	     int err);
/* Sends what waits for room, for all peers. */
void nic_push_all(struct weft_nic *nic);
/* Sends what waits for room to one peer. */
void nic_push(struct weft_nic *nic, struct nic_peer *p);
/* The peer has something that waits for room. */
void nic_busy(struct weft_nic *nic, struct nic_peer *p);
/* Is the peer alive, nothing before this op, its fence fulfilled? */
int nic_may_post(struct nic_peer *p, const struct weft_op *op);
/* FIN, CTS, HELP and their kind came. */
int nic_got_fin(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload);

/* ---- nic_recv.c ---------------------------------------------------------- */

int nic_got_msg(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload);
int nic_got_first(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload);
int nic_got_next(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload);
int nic_got_rts(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload);
/* Ends a receive: multi buffers, answer to the sender, up. */
void nic_recv_done(struct weft_nic *nic, struct weft_op *op, int err);
/* Everything of a dead peer that waits for a receive, or a receive for it. */
void nic_recv_lost(struct weft_nic *nic, struct nic_peer *p, int err);
void nic_recv_fini(struct weft_nic *nic);

/* The chunks of a message of limit bytes that both sides copy. */
static inline uint64_t nic_chunk(uint64_t limit)
{
	return limit < 2 * NIC_CHUNK ? (limit + 1) / 2 : NIC_CHUNK;
}

/* ---- nic_dma.c ------------------------------------------------------------
 */

/* The segments of an op's buffer, for a peer to read or write. */
void nic_segs_of(const struct weft_op *op, struct nic_segs *segs);
size_t nic_segs_bytes(const struct nic_segs *segs);
/* Copies and checks segments of len bytes of a packet; -EPROTO. */
int nic_segs_get(struct nic_segs *segs, const void *from, size_t len,
		 uint64_t *sum_p);
/* Names the peer's memory of an op. */
void nic_segs_set(struct weft_op *op, const struct nic_segs *segs);
/*
 * Moves op->limit bytes between op->iov and op->remote, op->put: there. Ends
 * in nic_xfer_done, perhaps before it returns.
 */
void nic_xfer(struct weft_nic *nic, struct weft_op *op);
/* Goes on with a transfer after pos and end were set. */
void nic_xfer_run(struct weft_nic *nic, struct weft_op *op);
/* Tries again what found no room; 1: some still does not. */
int nic_xfer_again(struct weft_nic *nic, struct nic_peer *p);
/* In nic_rndv.c: all that this side could move is moved. */
void nic_xfer_done(struct weft_nic *nic, struct weft_op *op, int err);
/* In nic_rma.c: likewise, of accesses. */
void nic_access_done(struct weft_nic *nic, struct weft_op *op, int err);
/* A cursor for a message that both sides may copy, or none: 0. */
uint8_t nic_cell_get(struct weft_nic *nic);
void nic_cell_put(struct weft_nic *nic, uint32_t cell);

/* ---- nic_share.c -----------------------------------------------------------
 */

size_t nic_share_bytes(void);
void nic_share_init(struct weft_nic *nic);
/* The peer's shared area is mapped: 0; -EAGAIN, -EOPNOTSUPP. */
int nic_share_peer(struct weft_nic *nic, struct nic_peer *p);
/*
 * Where a wanted piece of the peer's memory lies, and the row's access bits.
 * -ENOENT: not listed, ask the peer. -EACCES, -EFAULT. -EAGAIN.
 */
int nic_share_find(struct weft_nic *nic, struct nic_peer *p,
		   const struct weft_want *want, uint64_t *at_p,
		   uint32_t *access_p);
/* Cursor i of an area. */
weft_au64 *nic_share_cell(struct nic_share *s, uint32_t i);

/* ---- nic_rndv.c ------------------------------------------------------------
 */

/* Announces a large message. */
int nic_send_rts(struct weft_nic *nic, struct nic_peer *p, struct weft_op *op);
/* Begins to fetch a message that has met its receive. */
void nic_pull(struct weft_nic *nic, struct weft_op *op,
	      const struct nic_segs *segs);
int nic_got_cts(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload);
int nic_got_bulk(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload);
int nic_got_help(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload);
int nic_got_helped(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload);

/* ---- nic_rma.c, nic_at.c ------------------------------------------------- */

/* The next packet of an access or atomic in its peer's list bulk. */
int nic_push_access(struct weft_nic *nic, struct weft_op *op);
/* The target cannot reach our memory: the bytes go in packets. */
void nic_access_by_packets(struct weft_nic *nic, struct weft_op *op);
/* Tells up of an access of a peer, if the region or the data ask for it. */
void nic_event(struct weft_nic *nic, struct weft_peer *src,
	       const struct weft_op *seen, void *region);
int nic_got_write(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload);
int nic_got_write_pull(struct weft_nic *nic, struct weft_peer *src,
		       const struct weft_pkt *pkt, const void *payload);
int nic_got_read(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload);
int nic_got_read_push(struct weft_nic *nic, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload);
int nic_got_read_data(struct weft_nic *nic, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload);
int nic_got_event(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload);
int nic_got_atomic(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload);
int nic_got_result(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload);

/* ---- nic_coll.c ---------------------------------------------------------- */

int nic_coll_open(struct weft_nic *nic, const struct weft_nic_attr *attr);
void nic_coll_close(struct weft_nic *nic);
int nic_got_coll(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload);
void nic_coll_poll(struct weft_nic *nic);
void nic_coll_lost(struct weft_nic *nic, struct weft_peer *peer, int err);

#endif
