/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internals of the message engine: packets, objects, files. Only files of
 * prov/nic include this header.
 *
 *   nic_engine.c open, close, poll, death of a peer
 *   nic_op.c     operations: ids, lists, completion, memory
 *   nic_send.c   sending: one packet, eager, announcement
 *   nic_recv.c   receiving: match, reassemble, unexpected, peek, claim
 *   nic_cancel.c cancelling receives and sends
 *   nic_dma.c    transfers by several DMAs, alone or shared with the peer
 *   nic_rndv.c   rendezvous: pull, both sides copy, or paced packets
 *   nic_stream.c transfers by the carrier's streams
 *   nic_fetch.c  rendezvous: a device copies from the sender's memory
 *   nic_rma.c    remote memory: one-sided, by request, by packets
 *   nic_atomic.c atomics; nic_atomic_exec.c the arithmetic
 *   nic_share.c  the shared area: cursors, and regions that peers look up
 *   nic_memory.c the unit's memory registers for buffers that peers access
 *   prov/group   groups and their collectives
 *
 * Pending operations, by kind and state: the list of their peer that holds
 * them, the fields set beyond those marked "in", and the event that ends them.
 * The death of the peer ends all of them. nic_op_list_add() and nic_end()
 * assert this table.
 *
 *   kind    state         list     set                      ended by
 *   ------  ------------  -------  -----------------------  -----------------
 *   SEND    KEPT          sending  held, if injected        its packet, cancel
 *           SENDING       sending  moved; id if ACK         its last packet
 *           WAITING       waiting  id; cell if shared       FIN
 *           PACING        bulk     id, moved, limit,        FIN
 *                                  remote_id
 *           DMA, D_AGAIN  waiting  id, cell, transfer       FIN
 *           DMA           waiting  in nic->fetching         the device's copy
 *   RECV    NEW, posted   (match)  m                        message, cancel
 *           NEW, rx_op    (peer)   moved, limit, remote_id  last NEXT
 *           NEW, a part   -        parent                   its message
 *           CLOSED        -        children, err            its last part
 *           WAITING       waiting  remote_id, transfer      the transfer
 *           DMA, D_AGAIN  waiting  as above                 the transfer
 *           WAITING_COPY  waiting  as above, id, peer_cell  COPY_DONE
 *           PACED         waiting  id, remote_id, moved,    last BULK
 *                                  end, limit
 *           DMA           waiting  in nic->fetching         the device's copy
 *           WAITING_COPY  waiting  id, peer_cell 0          STORED
 *           FIN_WAIT      fin_wait remote_id, err           FIN is sent
 *   WRITE   PACING        bulk     id, ask, moved, limit    FIN (a refusal)
 *   READ    WAITING       waiting  id, ask; READ: pos       FIN, READ_DATA
 *           DMA, D_AGAIN  waiting  transfer                 the transfer
 *   ATOMIC  PACING        bulk     id, ask, held, limit     FIN (a refusal)
 *   FETCH   WAITING       waiting  id, ask, held            FIN, RESULT
 *   COMPARE DMA           waiting  held                     the unit
 *   SERVE   PACING        bulk     remote_id, moved, limit  its last packet
 *           DMA, D_AGAIN  waiting  remote_id, transfer      the transfer
 *
 * "transfer" is remote, remote_count, put, pos, end, moved, limit and the cell
 * or peer_cell of a shared copy (nic_dma.c). D_AGAIN is DMA_AGAIN: the unit's
 * queue was full. In live mode a piece is complete when its post returns; in
 * virtual time it is outstanding in the unit (DMA), which reports completion
 * before it reports the death of the peer. REMOTE_WRITE and REMOTE_READ are
 * reported through weft_nic_up.event, and COLL is handled by grp.c; none of
 * them is in this table.
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
 * Packet types. `aux` holds an op's id: the sender's if a response is expected,
 * the addressee's in a response. `flags` contains flags of enum weft_nic_flag.
 * `tag` and `data` are the tag and immediate data of a message; other packet
 * types use these two fields as listed.
 */
enum nic_type {
	NIC_MSG = 1, /* a whole message */
	/* start of an eager message: total length (u64), then bytes */
	NIC_FIRST,
	NIC_NEXT, /* continuation of an eager message */
	/*
	 * announces a large message: struct nic_rts; without segments, a struct
	 * weft_mem_share may follow
	 */
	NIC_RTS,
	NIC_FIN, /* response: op `aux` is complete; tag: errno or 0 */
	/*
	 * requests the bytes of the sender's op `aux` up to offset `data`, for
	 * the receiver's op `tag`
	 */
	NIC_CTS,
	NIC_BULK,	  /* bytes for op `aux`, at offset `tag` */
	NIC_COPY_REQUEST, /* requests a shared copy of op `aux`: segments */
	/*
	 * the sender has copied `tag` bytes for op `aux`; flags 1: its copy
	 * failed at offset `data`
	 */
	NIC_COPY_DONE,
	/* write in packets: struct nic_access, then bytes of the access */
	NIC_WRITE,
	/* write, executed by the target: nic_access, nic_segs of the source */
	NIC_WRITE_PULL,
	NIC_READ, /* struct nic_access */
	/*
	 * read, executed by the target: nic_access, nic_segs of the destination
	 */
	NIC_READ_PUSH,
	NIC_READ_DATA, /* bytes for op `aux`, at offset `tag` */
	/* notice of a completed one-sided access: struct nic_access */
	NIC_EVENT,
	NIC_ATOMIC, /* atomic request: struct nic_atomic, then operands */
	NIC_RESULT, /* response to an atomic: old values for op `aux` */
	/* packet of group `tag`: struct weft_cunit_msg, or a notice */
	NIC_COLL,
	/*
	 * requests to drop the message of op `aux` if no receive has matched
	 * it; response: FIN with ECANCELED
	 */
	NIC_CANCEL,
	NIC_EMPTY, /* empty packet, sent to connect the carriers */
	/* requests the rest of a read, from `offset` on: struct nic_access */
	NIC_READ_REST,
	/* offers the bytes of a write by a stream: struct nic_access */
	NIC_WRITE_OFFER,
	/*
	 * requests that the sender's device copy `data` bytes of op `aux` for
	 * op `tag`: struct weft_mem_share
	 */
	NIC_STORE,
	/* response: all bytes for op `aux` are stored; `tag`: errno or 0 */
	NIC_STORED,
	NIC_TYPES,
};

#define NIC_WIRE_FLAGS (WEFT_OP_TAGGED | WEFT_OP_DATA | WEFT_OP_ACK)

/* Segments of a buffer in the sending process: address, length. */
struct nic_segs {
	uint32_t count;
	/* number of the shared copy's cursor, plus one; 0: none */
	uint32_t cell;
	uint64_t seg[2 * WEFT_IOV_MAX];
};

struct nic_rts {
	uint64_t len;
	struct nic_segs segs;
};

/*
 * Target memory of an access; `offset` is the position of this packet's bytes.
 */
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

/* Flags of NIC_CTS. */
/* send the bytes from `start` up to `data` by a stream */
#define NIC_CTS_STREAM	1u
#define NIC_CTS_CONNECT 2u /* open a stream for later transfers */
/* the stream is broken: send the bytes from `start` up to `data` in packets */
#define NIC_CTS_RESTART 4u

/* Flag of NIC_BULK: the sender could not read its buffer; `tag` is the errno.
 */
#define NIC_BULK_FAILED 1u

/* Flags of NIC_READ. */
#define NIC_READ_STREAM	 32u /* send by a stream; `offset` is the ticket */
#define NIC_READ_CONNECT 64u /* open a stream for later transfers */

/* Payload of a CTS with NIC_CTS_STREAM or NIC_CTS_RESTART. */
struct nic_grant {
	uint64_t start;
	uint64_t ticket;
};

/*
 * largest eager message that is reassembled for a peer, regardless of the
 * length in its header
 */
#define NIC_EAGER_CAP	    ((size_t)16 << 20)
/* number of bytes that a receiver requests at a time in packets */
#define NIC_WINDOW	    ((size_t)256 << 10)
/*
 * Largest chunk of a shared copy, bytes. NIC_SHARED_COPY_MIN is the default
 * minimum size of a message that both sides copy (src/os/copy_calibrate.h
 * measures other values). At 256 KiB, two halves are fastest.
 */
#define NIC_CHUNK	    ((size_t)128 << 10)
#define NIC_CHUNK_MIN	    ((size_t)32 << 10) /* see nic_chunk() */
#define NIC_SHARED_COPY_MIN ((size_t)128 << 10)
/*
 * largest DMA posted to a unit, bytes; descriptors of units have 32-bit lengths
 */
#define NIC_PIECE	    ((size_t)1 << 30)
/* maximum number of regions that an endpoint lists */
#define NIC_REGIONS	    512u
/* number of shared-copy cursors per endpoint */
#define NIC_CELLS	    64

/* States of a pending op, see the table above. */
enum nic_state {
	NIC_NEW,
	NIC_SENDING, /* packets are left to send */
	/*
	 * in list bulk: the bytes that the receiver has requested are being
	 * sent
	 */
	NIC_PACING,
	NIC_WAITING,   /* waits for a packet from the peer */
	NIC_DMA_AGAIN, /* the unit's queue was full */
	NIC_DMA,       /* DMA is outstanding */
	/* waits until the peer has written its part of the copy */
	NIC_WAITING_COPY,
	NIC_PACED, /* receiving paced packets */
	/* multi buffer: no longer posted, but still receiving messages */
	NIC_CLOSED,
	/* a message of one packet that waits for space in the carrier */
	NIC_KEPT,
	/* received completely; its FIN waits for space in the carrier */
	NIC_FIN_WAIT,
};

/*
 * Number of packets preallocated for responses, and the number below which they
 * must be refilled. If malloc fails, they suffice for the responses to one
 * event, and no further event is accepted until they have been refilled
 * (nic_ready).
 */
#define NIC_SPARES     16
#define NIC_SPARES_LOW 8

/* An unexpected message. */
struct nic_msg {
	struct weft_match_msg m;
	struct weft_peer *src;
	uint64_t len;
	uint64_t data;
	/*
	 * bytes received so far; less than `len` while the message is arriving
	 */
	uint64_t got;
	/* context of the peek that reserved the message */
	void *claim;
	struct weft_list link; /* link in nic->claimed */
	uint32_t remote_id;
	uint16_t flags; /* flags of the packet, NIC_WIRE_FLAGS */
	uint8_t rts;	/* 1: only the announcement has arrived */
	/* 1: the message is discarded, but packets of it still arrive */
	uint8_t dropped;
	/* 1: the message is complete, but its sender has closed or died */
	uint8_t left;
	/* errno of a claimed message that will stay incomplete, or 0 */
	uint16_t lost;
	/*
	 * heap memory or NULL: the bytes of a message that does not fit
	 * `bytes`, or the struct weft_mem_share of an announcement
	 */
	void *heap;
	union {
		struct nic_segs segs;
		unsigned char bytes[72];
	};
};

struct nic_ctrl {
	struct weft_list link;
	struct weft_pkt pkt;
	unsigned char payload[];
};

/* The engine's record of a peer, at weft_peer.up. */
struct nic_peer {
	struct weft_peer *peer;
	struct weft_list link; /* link in nic->peers */
	struct weft_list busy; /* link in nic->busy, or unlinked */
	struct weft_list ctrl; /* queued packets: struct nic_ctrl */
	/* ops with packets left to send, in post order */
	struct weft_list sending;
	/* ops whose packets other messages may overtake */
	struct weft_list bulk;
	struct weft_list waiting; /* ops that wait for the peer */
	/* receives whose FIN waits for space in the carrier */
	struct weft_list fin_wait;
	/*
	 * link in nic->gone, if the peer has closed or died and messages are
	 * kept
	 */
	struct weft_list gone;
	/* number of kept unexpected messages, if the peer has closed or died */
	uint32_t left;
	/* number of ops in this peer's lists, for FI_FENCE */
	uint32_t open_ops;
	uint32_t requests;	  /* requests that have no response yet */
	uint32_t one_sided_count; /* outstanding one-sided accesses */
	/*
	 * destination of the eager message that is arriving: at most one of the
	 * two is set
	 */
	struct weft_nic_op *rx_op;
	struct nic_msg *rx_msg;
	bool contacted; /* a message was sent to the peer */
	/* a packet that must be delivered could not be queued */
	bool starved;
	bool dma_works;		 /* a DMA with this peer has succeeded */
	bool dma_refused;	 /* a DMA with this peer was refused */
	struct nic_share *share; /* the peer's shared area, or NULL */
};

struct weft_nic {
	struct weft_nic_head head;
	struct weft_unit *unit;
	const struct weft_nic_up *up;
	void *up_arg;
	size_t packet_bytes;
	/* largest message that is sent in one packet, bytes */
	size_t whole_bytes;
	size_t eager_bytes;
	/* minimum bytes of a shared copy if no other message is outstanding */
	size_t shared_copy_bytes;
	/* minimum bytes of a shared copy if other messages are outstanding */
	size_t shared_copy_busy_bytes;
	/* minimum bytes of a transfer by a stream; 0: no streams */
	size_t stream_min;
	size_t copy_span;      /* span argument of weft_copy_piece() */
	struct weft_list busy; /* peers with queued packets */
	/* receives that a device copies (nic_fetch.c) */
	struct weft_list fetching;
	uint32_t loose; /* carrier flags of packets that may be reordered */
	/* a poll must make progress on the collective groups */
	bool coll_active;
	unsigned coll_groups;
	/* the interface matches, in virtual time: its searches take time */
	bool unit_matches;
	/* matching of untagged and tagged messages */
	struct weft_match match[2];
	struct weft_pool msgs;
	size_t min_multi;
	bool no_dma;
	struct weft_list peers;
	struct weft_list claimed;
	/* closed or dead peers of which messages are kept */
	struct weft_list gone;
	struct weft_list spare; /* list of struct nic_ctrl, see NIC_SPARES */
	unsigned spares;
	bool starved; /* a peer is starved: the next poll reports its loss */
	/* ops by id in packets: slot in the low bits, generation above */
	struct weft_nic_op **id_op;
	uint32_t *id_next;
	uint32_t id_free;
	uint32_t id_room;
	uint32_t id_gen;
	uint64_t garbage;
	/* peers that died or timed out; closed peers not counted */
	uint64_t deaths;
	/* rendezvous, dma_bytes, paced: see struct weft_nic_stats */
	uint64_t rendezvous;
	uint64_t dma_bytes;
	uint64_t paced;
	/*
	 * register number plus one of each listed region, by row of the table;
	 * or NULL
	 */
	uint16_t *region_reg;
	struct nic_share *share;
	uint64_t cells_free; /* bit mask of free cursors */
	const struct weft_machine *machine;
	struct grp *coll; /* collective groups (grp.c) */
};

/*
 * Returns whether the op has typed data. A peer cannot access the memory of
 * typed data.
 */
static inline bool nic_is_typed(const struct weft_nic_op *op)
{
	return weft_unlikely(op->iov_count == WEFT_IOV_TYPED);
}

/* Returns whether the layer above could not read the bytes of a send. */
static inline bool nic_pack_failed(const struct weft_nic_op *op)
{
	return weft_unlikely(op->flags & WEFT_OP_STAGED) && nic_is_typed(op) &&
	       op->err;
}

#endif
