/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The backend: the functions of a carrier other than moving packets, in one
 * table with two rows.
 *
 *   weft_backend_live   the carriers of prov/carrier: the host's clock, copies
 *                       by the processors of the two processes
 *   weft_backend_vt     virtual time (prov/vt): the clock, the paths, the
 *                       interfaces and the class routes of a modelled machine
 *
 * weft_carrier_ops.backend is the row of a carrier. The layers above call the
 * functions, or use a property; they do not compare rows.
 */
#ifndef WEFT_BACKEND_H
#define WEFT_BACKEND_H

#include "prov/carrier/carrier.h"

#include <weft/coll_call.h>

/* ---- paths of packets and transfers -------------------------------------- */

#define WEFT_PKT_DIMS 6

enum weft_vc {
	WEFT_VC_ORDERED, /* packets between a pair of ranks keep their order */
	WEFT_VC_DYNAMIC, /* adaptive routing, unordered */
	WEFT_VC_HIGH,
	WEFT_VC_SYSTEM,
};

/*
 * How the machine sends the next packet or transfer: the contents of the unit's
 * descriptor. All zero: the first path, packets stay in order, all bytes are
 * sent.
 */
struct weft_pkt_attr {
	uint8_t path; /* number of the machine's path, from backend->path() */
	/*
	 * path at the peer, plus one, if its memory is of another kind; 0: same
	 * path
	 */
	uint8_t path_in;
	uint8_t vc;   /* enum weft_vc */
	uint8_t zone; /* dynamic routing: the order of dimensions */
	/*
	 * ordered routing: keep the order per cache line of the target, not per
	 * pair
	 */
	bool spread;
	/* dynamic routing: packets on the escape channel stay there */
	bool stay;
	bool ack; /* the peer's interface acknowledges each packet */
	/* full packet: the next packet to that peer may continue the message */
	bool full;
	/* injection FIFO, plus one; 0: selected by destination rank */
	uint8_t fifo;
	/* required direction, -1 or +1; 0: the network decides */
	int8_t hint[WEFT_PKT_DIMS];
	/* bytes of data that the machine would send, plus one; 0: all */
	uint32_t bytes;
};

/* Paths of a transfer. */
struct weft_dma_path {
	/* path to the peer, for data or request */
	struct weft_pkt_attr there;
	struct weft_pkt_attr back;
	/* the processor spends only as much time as for a single packet */
	bool quick;
};

/* ---- transfers ----------------------------------------------------------- */

/* DMA between local memory and a peer's memory. */
struct weft_dma {
	struct iovec local[4];
	int local_count;
	bool ordered;	 /* executed after earlier DMA to the same peer */
	bool by_line;	 /* ordered only within one cache line of the target */
	uint64_t remote; /* address in the peer's memory */
	uint64_t region; /* start address of the remote region; 0: unknown */
	uint64_t key;	 /* key of the remote region */
	/* length of the transfer; at most the bytes of the local segments */
	size_t bytes;
	/*
	 * called once, before the post returns 0 or in a later poll; err: 0 or
	 * -errno. The local memory stays in use until then. -EOPNOTSUPP: the
	 * operating system does not let ranks access each other's memory, or an
	 * atomic targets a peer with several threads.
	 */
	void (*done)(struct weft_dma *d, int err);
};

/*
 * An atomic executed by the peer's interface; old values are stored in
 * dma.local. dma.local_count 0: the old values are discarded.
 */
struct weft_amo {
	struct weft_dma dma;
	const void *what; /* argument of weft_carrier_attr.change */
	size_t operand_bytes;
	size_t operands; /* bytes of `what` that the machine would send */
};

/*
 * Maximum size of an atomic's operands, and of the memory that it changes,
 * bytes.
 */
#define WEFT_AMO_BYTES 4096

/* ---- class routes of the network ----------------------------------------- */

/*
 * One packet of a collective on a class route. In a broadcast, the members
 * other than the root post contributions that wait for the data and are not
 * sent; the root must not post a packet before all members have taken the
 * packet that is WEFT_BACKEND_WINDOW packets earlier.
 */
struct weft_backend_part {
	uint8_t kind; /* WEFT_COLL_BARRIER, BCAST, REDUCE or ALLREDUCE */
	uint8_t op;   /* operation, argument of combine */
	uint8_t type;
	bool fp; /* floating point, which takes longer */
	/* the result does not wake this member: other contributions follow */
	bool quiet;
	bool word;	/* can be combined by an atomic on one word of memory */
	uint32_t root;	/* member that gets the result of a reduction */
	uint32_t flags; /* flags sent and received with the data */
	uint32_t bytes; /* length, at most the packet's payload */
	uint64_t seq;	/* sequence number on the route, from 0 */
};

/*
 * Arguments for opening a class route, with the members in the order of their
 * indices. The machine chooses the tree.
 */
struct weft_backend_route {
	uint64_t key;	 /* same value at all members, unique to this route */
	uint32_t routes; /* bit mask of the ids that may be used */
	int n;
	int me;
	/* peers of the members; member[me] is not used */
	struct weft_peer *const *member;
};

#define WEFT_BACKEND_ROUTES   16
/* contributions in flight per member and route */
#define WEFT_BACKEND_WINDOW   32
/* largest contribution, in bytes; a packet of the machine may be smaller */
#define WEFT_BACKEND_PART_MAX 2048u
/* Flag of a result: members sent contributions of different kinds. */
#define WEFT_BACKEND_DIFFER   (1u << 31)

struct weft_backend_routes {
	/*
	 * Opens a class route when all members have called this with equal
	 * arguments; the id is the same at all members. Returns -EAGAIN: not
	 * all members have called, call again; -ENOSPC: no id is free on all
	 * nodes of the members; -EINVAL: the nodes do not form a block.
	 */
	int (*open)(struct weft_carrier *c,
		    const struct weft_backend_route *attr, unsigned *id_p);
	void (*close)(struct weft_carrier *c, unsigned id);
	/*
	 * Returns whether the machine's hardware supports this kind; false for
	 * a broadcast that is implemented as an allreduce with zeroes.
	 */
	bool (*can)(struct weft_carrier *c, enum weft_coll_kind kind);
	/*
	 * Returns whether an open route is implemented by chained events of the
	 * members' interfaces. Then the root of a broadcast need not wait for
	 * the other members, but must follow the rule of struct
	 * weft_backend_part.
	 */
	bool (*chained)(struct weft_carrier *c, unsigned id);
	/*
	 * Sends this member's contribution. Returns -EAGAIN if too many
	 * contributions are in flight.
	 */
	int (*send)(struct weft_carrier *c, unsigned id,
		    const struct weft_backend_part *part, const void *data);
	/*
	 * Takes the result of part->seq. Returns -EAGAIN if it has not arrived.
	 */
	int (*take)(struct weft_carrier *c, unsigned id,
		    struct weft_backend_part *part, void *data);
};

/* ---- the table ----------------------------------------------------------- */

struct weft_backend {
	/* ---- properties ---- */
	/*
	 * Packets and transfers take the path that the unit specifies; false:
	 * the path has no effect, and the unit need not specify one.
	 */
	bool paths;
	/*
	 * The network acknowledges packets, and discards none: a unit does not
	 * send acknowledgements of its own.
	 */
	bool acks;
	/* packets on different paths may be reordered: WEFT_PKT_ANY_ROUTE */
	bool any_route;
	/*
	 * The interfaces execute transfers, and no processor copies data: a
	 * transfer completes in a later poll.
	 */
	bool transfers_later;
	bool atomics; /* the interfaces execute atomics */
	/*
	 * The shared area of a peer is mapped before its endpoint is open, and
	 * may stay empty.
	 */
	bool shares_early;
	/*
	 * Events arrive only while the process blocks: a wait must not spin.
	 */
	bool blocks_at_once;
	/*
	 * The result of each read of a completion queue is reported by
	 * completed() and checked by verdict().
	 */
	bool observes_reads;
	/* the endpoints of a job share a world: weft_carrier_attr.world */
	bool has_world;

	/* ---- clock ---- */
	/*
	 * Returns the time of the rank's clock. pay: reading the clock takes as
	 * much virtual time as on the machine.
	 */
	uint64_t (*now_ps)(struct weft_carrier *c, bool pay);
	uint64_t (*tick_ps)(struct weft_carrier *c);
	/* Advances the clock by computation that takes time on the machine. */
	void (*compute)(struct weft_carrier *c, uint64_t ps);
	/*
	 * Adds the time of a copy between device and host memory, by one
	 * command of the device.
	 */
	void (*device_copied)(struct weft_carrier *c, uint64_t bytes);
	/*
	 * Blocks for the time that a file access of this length takes on the
	 * machine; NULL: no time. -EAGAIN: too many packets are in flight, so
	 * the access takes no time.
	 */
	int (*file)(struct weft_carrier *c, uint64_t bytes, bool write);
	/*
	 * Notifies the backend that an operation has completed, possibly
	 * without a packet because its message arrived before the receive was
	 * posted. The rank is not in a polling loop, so each of its next polls
	 * without result takes one step.
	 */
	void (*completed)(struct weft_carrier *c);
	/*
	 * Returns 0 if the clock advances. -EDEADLK, -EOWNERDEAD, -ENETDOWN:
	 * time has ended for all ranks; -EHOSTDOWN: for this rank only, because
	 * its node has failed.
	 */
	int (*verdict)(struct weft_carrier *c);

	/* ---- packets ---- */
	/*
	 * Announces that the next packet starts a message of several packets,
	 * which takes more time than a single packet.
	 */
	void (*long_message)(struct weft_carrier *c);
	/* Sets the path of the next packet; valid for one accepted packet. */
	void (*routing)(struct weft_carrier *c,
			const struct weft_pkt_attr *routing);
	/*
	 * Notifies the backend that the unit has refused a packet: the next
	 * wait ends when a packet has arrived.
	 */
	void (*full)(struct weft_carrier *c);
	/*
	 * Returns the number of a path of the machine; 0: unknown path, or the
	 * backend has no paths.
	 */
	unsigned (*path)(struct weft_carrier *c, const char *name);

	/* ---- matching by the interface ---- */
	/*
	 * Returns whether the interface matches the messages of this endpoint;
	 * NULL: the processor matches. If so, searched() is called for every
	 * search of a queue, with the number of entries compared and, if an
	 * arriving message has matched, the time at which the receive was
	 * posted.
	 */
	bool (*matches)(struct weft_carrier *c);
	void (*searched)(struct weft_carrier *c, uint64_t entries,
			 uint64_t posted_ps);

	/* ---- transfers and atomics ---- */
	/*
	 * Post a transfer. Return 0: d->done was or will be called; -EAGAIN:
	 * too many are in flight; -EOPNOTSUPP; -ECONNRESET.
	 */
	int (*get)(struct weft_carrier *c, struct weft_peer *peer,
		   struct weft_dma *d, const struct weft_dma_path *path);
	int (*put)(struct weft_carrier *c, struct weft_peer *peer,
		   struct weft_dma *d, const struct weft_dma_path *path);
	int (*atomic)(struct weft_carrier *c, struct weft_peer *peer,
		      struct weft_amo *a, const struct weft_dma_path *path);

	/*
	 * Class routes of the network; NULL: none, and groups use the
	 * collective unit (prov/group/cunit).
	 */
	const struct weft_backend_routes *routes;
};

extern const struct weft_backend weft_backend_vt;

#endif
