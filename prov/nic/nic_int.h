/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside the message engine: its packets, its objects, and which file does
 * what. Nobody outside prov/nic includes this.
 *
 *   nic_engine.c open, close, poll, death of a peer
 *   nic_op.c     operations: names, lists, ends, memory
 *   nic_send.c   messages out: one packet, eager, announcement
 *   nic_recv.c   messages in: match, reassemble, unexpected, peek, claim
 *   nic_cancel.c receives and sends that are called back
 *   nic_dma.c    transfers in pieces, alone or with the peer
 *   nic_rndv.c   rendezvous: pull, both sides copy, or paced packets
 *   nic_rma.c    remote memory: one-sided, by request, by packets
 *   nic_at.c     atomics; nic_at_exec.c the arithmetic
 *   nic_share.c  the shared area: cursors, and regions peers look up
 *   nic_coll.c   groups and their collectives, over cu/
 *
 * Operations that last, by kind and state: the list of their peer they are
 * in, what is set beyond the fields marked "in", and who ends them. The death
 * of the peer ends all of them. nic_hold() and nic_end() hold everybody to it.
 *
 *   kind    state         list     set                      ended by
 *   ------  ------------  -------  -----------------------  -----------------
 *   SEND    KEPT          sending  held, if injected        its packet, cancel
 *           SENDING       sending  moved; id if ACK         its last packet
 *           WAITING       waiting  id; cell if shared       FIN
 *           PACING        bulk     id, moved, limit,        FIN
 *                                  remote_id
 *           DMA, D_AGAIN  waiting  id, cell, transfer       FIN
 *   RECV    NEW, posted   (match)  m                        message, cancel
 *           NEW, rx_op    (peer)   moved, limit, remote_id  last NEXT
 *           NEW, a part   -        parent                   its message
 *           CLOSED        -        children, err            its last part
 *           WAITING       waiting  remote_id, transfer      the transfer
 *           DMA, D_AGAIN  waiting  the same                 the transfer
 *           WAITING_HELP  waiting  the same, id, peer_cell  HELPED
 *           PACED         waiting  id, remote_id, moved,    last BULK
 *                                  end, limit
 *           PARTING       parting  remote_id, err           FIN has left
 *   WRITE   PACING        bulk     id, ask, moved, limit    FIN (a refusal)
 *   READ    WAITING       waiting  id, ask; READ: pos       FIN, READ_DATA
 *           DMA, D_AGAIN  waiting  transfer                 the transfer
 *   ATOMIC  PACING        bulk     id, ask, held, limit     FIN (a refusal)
 *   FETCH   WAITING       waiting  id, ask, held            FIN, RESULT
 *   COMPARE DMA           waiting  held                     the unit
 *   SERVE   PACING        bulk     remote_id, moved, limit  its last packet
 *           DMA, D_AGAIN  waiting  remote_id, transfer      the transfer
 *
 * "transfer" is remote, remote_count, put, pos, end, moved, limit and the
 * cell or peer_cell of one that is shared (nic_dma.c). D_AGAIN is DMA_AGAIN:
 * the unit had no room. Live a piece is over when its post returns; in virtual
 * time the unit is at it (DMA), and tells the end before it tells that the
 * peer is gone. REMOTE_WRITE, REMOTE_READ and COLL never last here: the first
 * two are notes for up, the third is nic_coll.c's own.
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
 * wanted, of the addressee in an answer. flags are enum weft_nic_flag.
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
	NIC_CANCEL,	/* forget message aux if it waits: FIN, ECANCELED */
	NIC_WORD,	/* nothing: the carriers have met */
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
 * do where nobody knows the host better (src/base/copies.h): two halves are
 * best up to 256 KiB.
 */
#define NIC_CHUNK     ((size_t)128 << 10)
#define NIC_HELP_MIN  ((size_t)128 << 10)
/* Bytes that a unit is given at a time; descriptors have 32 bits for it. */
#define NIC_PIECE     ((size_t)1 << 30)
/* Cursors of an endpoint. */
#define NIC_CELLS     64

/* States of an op that lasts: the table above. */
enum nic_state {
	NIC_NEW,
	NIC_SENDING,	  /* packets of it are still to go */
	NIC_PACING,	  /* in bulk: bytes the peer asked for */
	NIC_WAITING,	  /* the peer has the next word */
	NIC_DMA_AGAIN,	  /* the unit had no room for it */
	NIC_DMA,	  /* the unit is at it */
	NIC_WAITING_HELP, /* the peer is writing the rest */
	NIC_PACED,	  /* receiving paced packets */
	NIC_CLOSED,	  /* multi: no longer posted, parts under way */
	NIC_KEPT,	  /* a whole message that found no room */
	NIC_PARTING,	  /* received; its answer waits for room */
};

/*
 * Packets that are kept ready for answers: without memory there is still room
 * for those that one event leads to, and no further event is taken before
 * there is again (nic_ready).
 */
#define NIC_SPARES     16
#define NIC_SPARES_LOW 8

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
	uint8_t left;	 /* whole, of a peer that is gone */
	uint16_t lost;	 /* claimed, but will never be whole: errno */
	void *heap;	 /* bytes beyond bytes[], or NULL */
	union {
		struct nic_segs segs;
		unsigned char bytes[72];
	};
};

/* A packet that found no room. */
struct nic_ctrl {
	struct weft_list link;
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
	struct weft_list parting; /* receives whose FIN waits for room */
	struct weft_list gone;	  /* in nic->gone: left, with messages here */
	uint32_t left;		  /* so many of them */
	uint32_t open_ops;	  /* in these lists; FI_FENCE */
	uint32_t asks;		  /* accesses the peer has not answered */
	uint32_t reaches;	  /* accesses that it does not see, under way */
	/* the eager message that is arriving: one of the two, or none */
	struct weft_nic_op *rx_op;
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
	size_t whole_bytes; /* up to here a message is one packet */
	size_t eager_bytes;
	size_t help_bytes;     /* both sides copy what is alone under way */
	size_t help_row_bytes; /* and what is not */
	size_t copy_span;      /* of weft_copy_piece */
	struct weft_list busy; /* peers with something to send */
	uint32_t loose; /* the wish of packets that say where they belong */
	bool coll_stir; /* poll has to look at the groups */
	unsigned coll_groups;
	struct weft_match match[2]; /* untagged, tagged */
	struct weft_pool msgs;
	size_t min_multi;
	bool no_dma;
	struct weft_list peers;
	struct weft_list claimed;
	struct weft_list gone;	/* peers whose last messages wait here */
	struct weft_list spare; /* struct nic_ctrl, see NIC_SPARES */
	unsigned spares;
	/* names of ops on the wire: slot, generation above */
	struct weft_nic_op **id_op;
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

#endif
