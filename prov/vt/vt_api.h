/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time, as seen by the layers above prov/vt: the shared world segment
 * of the ranks of a job, and the functions of that world beyond the table of
 * prov/carrier/carrier.h. The network model is not visible here.
 *
 *   weft_vt_create (rank 0) -> pass the handle -> weft_vt_attach (others)
 *   weft_vt_join_job   (all ranks, by a name)
 *       -> open weft_carrier_vt with attr.world -> ... -> close
 *   -> weft_vt_close
 *
 * The world is in a memfd: it is freed when the last process that maps it
 * exits.
 */
#ifndef WEFT_VT_API_H
#define WEFT_VT_API_H

#include "prov/carrier/carrier.h"

struct weft_vt;

/* The machine and the placement of the ranks. */
struct weft_vt_conf {
	const char *machine; /* NAME[:DIMS], or a file */
	/* order of the axis letters, or a file; "": ABCDET */
	const char *map;
	uint32_t ppn; /* ranks per node; 0: the machine's default */
	/* factor by which CPU time advances the clock; 0: not counted */
	double compute;
	/* largest packet that the machine's unit sends, bytes */
	uint32_t packet_bytes;
	const char *faults; /* fault plan, or its file; NULL, "": none */
};

#define WEFT_VT_UNIT 16

/*
 * Returns the network interface of a machine's nodes, from the machine file.
 * -ENOENT: no such file; -EINVAL: invalid file; the error is logged.
 */
int weft_vt_unit(const char *machine, char unit[WEFT_VT_UNIT]);

#define WEFT_VT_HANDLE 64
#define WEFT_VT_DIMS   6

/*
 * Creates the world in rank 0; handle is a text for the other ranks. Returns
 * -EINVAL if the machine or the map is invalid; the error is logged.
 */
int weft_vt_create(const struct weft_vt_conf *conf, uint32_t size,
		   struct weft_vt **w_p, char handle[WEFT_VT_HANDLE]);
/*
 * Maps the world in another rank. Returns -ENOENT: the creator is not on this
 * host, or has exited; -EPERM: the world belongs to another user; -EINVAL: not
 * a world.
 */
int weft_vt_attach(const struct weft_vt_conf *conf, const char *handle,
		   uint32_t rank, struct weft_vt **w_p);
/*
 * Creates or attaches the world without a launcher: job is "name:rank:size",
 * and the ranks of one user find each other by the name. Waits for rank 0.
 * Returns -EINVAL, -ETIMEDOUT.
 */
int weft_vt_join_job(const struct weft_vt_conf *conf, const char *job,
		     struct weft_vt **w_p);
void weft_vt_close(struct weft_vt *w);

uint32_t weft_vt_size(const struct weft_vt *w);
/* Returns the address of a rank; needs no communication. */
void weft_vt_name(const struct weft_vt *w, uint32_t rank,
		  struct sockaddr_in *name);

/* What a rank waits for, as recorded by the layers above. */
#define WEFT_VT_TEXT 240
struct weft_vt_note {
	int64_t peer; /* rank waited for, or -1 */
	uint64_t clock_ps;
	uint32_t state; /* enum weft_vt_state */
	char text[WEFT_VT_TEXT];
};

enum weft_vt_state {
	WEFT_VT_RUN,
	WEFT_VT_BLOCKED,   /* blocked until a packet arrives */
	WEFT_VT_POLLING,   /* blocked until the next poll of the rank */
	WEFT_VT_POLL_LOOP, /* polls in a loop: blocked until a packet arrives */
	WEFT_VT_DONE,	   /* has left; may run the engine once more */
	WEFT_VT_LEFT,	   /* has left and run the engine */
	WEFT_VT_DEAD,
};

/* Counters so far, equal in every run. */
struct weft_vt_count {
	uint64_t now_ps;
	uint64_t events;
	uint64_t hops;
	uint64_t packets;
	uint64_t hash;	      /* hash of the event stream */
	uint64_t passes;      /* passes of the engine */
	uint64_t routes;      /* class routes opened */
	uint64_t route_parts; /* packets sent by ranks on class routes */
	uint64_t route_bytes;
	/* atomics by which members of class routes arrived */
	uint64_t route_atomics;
	uint64_t discards;   /* messages dropped at a full input queue */
	uint32_t nodes;	     /* nodes in the machine */
	uint32_t nodes_used; /* nodes with ranks */
	/*
	 * CPU time of this rank between calls that took no virtual time, ns;
	 * intervals below 1 ms are not counted.
	 */
	uint64_t computed_ns;
	bool compute_free; /* computation takes no virtual time */
};

/* A link, identified by the node at which it starts. */
struct weft_vt_link {
	char name[4];  /* direction, such as "A+" */
	char node[32]; /* coordinates, such as "(0,1,3,2,1)" */
	uint64_t packets;
	uint64_t bytes; /* bytes in whole chunks, including headers */
	uint64_t busy_ps;
	/* sum of the waiting times of packets queued for the link, ps */
	uint64_t queued_ps;
	/* Effects of a fault plan: */
	uint64_t bad;	   /* packets with detected errors */
	uint64_t detours;  /* packets rerouted around the link */
	uint64_t retry_ps; /* time spent in retries, ps */
	bool dead;
};

/* A node or switch in the tree of a class route. */
struct weft_vt_tree_node {
	/*
	 * number of the parent, in the order of the calls of each(); -1: root
	 */
	int parent;
	uint32_t ranks; /* members at this node */
	char node[32];
};

enum weft_vt_vc {
	WEFT_VT_ORDERED, /* packets between a pair of ranks keep their order */
	WEFT_VT_DYNAMIC, /* adaptive routing, unordered */
	WEFT_VT_HIGH,
	WEFT_VT_SYSTEM,
};

/*
 * How the machine sends the next packet or transfer: the contents of the unit's
 * descriptor. All zero: the first path, in order, all bytes.
 */
struct weft_vt_pkt_attr {
	uint8_t path; /* path of the machine, number from virt->path */
	/*
	 * path at the peer, plus one, if its memory is of another kind; 0: same
	 * path
	 */
	uint8_t path_in;
	uint8_t vc;   /* enum weft_vt_vc */
	uint8_t zone; /* dynamic routing: the order of dimensions */
	/* ordered routing: order by cache line of the target, not by pair */
	bool spread;
	/* dynamic routing: packets on the escape channel stay there */
	bool stay;
	bool ack; /* the peer's interface acknowledges each packet */
	/* full packet: the next packet to that peer may continue the message */
	bool full;
	/* injection FIFO, plus one; 0: selected by destination rank */
	uint8_t fifo;
	/* direction to take, -1 or +1; 0: the network decides */
	int8_t hint[WEFT_VT_DIMS];
	/* bytes of data that the machine would send, plus one; 0: all */
	uint32_t bytes;
};

/*
 * A transfer executed by the network interfaces, without the peer's processor.
 * The local memory stays in use until done is called, in a poll. done gets
 * -EOPNOTSUPP if the kernel does not let ranks access each other's memory, or
 * if an atomic targets a peer with several threads.
 */
struct weft_vt_dma {
	bool get;     /* true: from the peer; false: to the peer */
	bool ordered; /* execute after earlier ordered transfers of this pair */
	bool quick;   /* takes the software cost of one packet */
	const struct iovec *local;
	int count;
	uint64_t remote; /* address in the peer's memory */
	uint64_t region; /* start address of the remote region; 0: unknown */
	uint64_t key;	 /* key of the remote region */
	uint64_t bytes;
	/*
	 * For an atomic: argument of attr.change, which computes the peer's new
	 * bytes. The old bytes are stored in the local segments; count 0: the
	 * old bytes are discarded.
	 */
	const void *what;
	size_t operand_bytes;
	/*
	 * path to the peer (for a get: of the request), and path from the peer
	 */
	struct weft_vt_pkt_attr routing;
	struct weft_vt_pkt_attr back;
	void (*done)(struct weft_vt_dma *d, int err);
};

/* Largest operands of an atomic, and largest memory that it changes, bytes. */
#define WEFT_VT_CHANGE 4096

/* One packet of a collective on a class route. */
struct weft_vt_part {
	uint8_t kind; /* enum weft_vt_kind */
	uint8_t op;   /* operation, argument of combine */
	uint8_t type;
	bool fp; /* floating point, which takes longer */
	/* the result does not wake this member: other contributions follow */
	bool quiet;
	bool word;	/* can be combined by an atomic on one word of memory */
	uint32_t root;	/* member that gets the result of a WEFT_VT_REDUCE */
	uint32_t flags; /* flags sent and received with the data */
	uint32_t bytes; /* length, at most the packet's payload */
	uint64_t seq;	/* sequence number on the route, from 0 */
};

enum weft_vt_kind {
	WEFT_VT_BARRIER,
	WEFT_VT_REDUCE,
	WEFT_VT_ALLREDUCE,
	/*
	 * Broadcast from the root to all members. The other members post
	 * contributions that wait for the data and are not sent. The root must
	 * not post a packet before all members have taken the packet
	 * WEFT_VT_WINDOW earlier.
	 */
	WEFT_VT_BCAST,
};

/*
 * Arguments for opening a class route: the members in order. The machine
 * chooses the tree.
 */
struct weft_vt_route_attr {
	uint64_t key;	 /* same value at all members, unique to this route */
	uint32_t routes; /* bit mask of the ids that may be used */
	int n;
	int me;
	struct weft_peer *const *member; /* member[me] is not used */
};

#define WEFT_VT_ROUTES	 16
#define WEFT_VT_WINDOW	 32 /* contributions in flight per member and route */
/* largest contribution, in bytes; a packet of the machine may be smaller */
#define WEFT_VT_PART_MAX 2048u
/* Flag of a result: members sent contributions of different kinds. */
#define WEFT_VT_DIFFER	 (1u << 31)

/*
 * Arithmetic of the tree: computes acc = acc op in on `bytes` bytes; returns
 * flags.
 */
typedef uint32_t (*weft_vt_combine_fn)(unsigned op, unsigned type, void *acc,
				       const void *in, size_t bytes);

/*
 * Functions of virtual time in addition to the common table; weft_carrier.virt
 * points to this table.
 */
struct weft_carrier_virt {
	/* Returns the rank's clock. pay: the read costs the machine's time. */
	uint64_t (*now_ps)(struct weft_carrier *c, bool pay);
	uint64_t (*tick_ps)(struct weft_carrier *c);
	/* Advances the clock by computation of the program. */
	void (*compute)(struct weft_carrier *c, uint64_t ps);
	/*
	 * An operation has completed, possibly without a packet: its message
	 * arrived before the receive was posted. The rank is not in a polling
	 * loop, so each of its next polls without result takes one step.
	 */
	void (*completed)(struct weft_carrier *c);
	/*
	 * The next packet starts a message of several packets, which costs
	 * more.
	 */
	void (*long_message)(struct weft_carrier *c);
	/* Sets the path of the next packet; valid for one accepted packet. */
	void (*routing)(struct weft_carrier *c,
			const struct weft_vt_pkt_attr *routing);
	/*
	 * The unit has refused a packet: the next wait returns -EAGAIN when a
	 * packet has arrived.
	 */
	void (*full)(struct weft_carrier *c);
	/* Returns the number of a path of the machine; 0: unknown path. */
	unsigned (*path)(struct weft_carrier *c, const char *name);
	/*
	 * Posts a transfer. Returns -EAGAIN: too many are in flight;
	 * -EOPNOTSUPP; -ECONNRESET.
	 */
	int (*dma)(struct weft_carrier *c, struct weft_peer *peer,
		   struct weft_vt_dma *d);
	/*
	 * Returns 0 if virtual time advances. -EDEADLK, -EOWNERDEAD, -ENETDOWN:
	 * virtual time has ended for all ranks; -EHOSTDOWN: for this rank only,
	 * because its node has failed.
	 */
	int (*verdict)(struct weft_carrier *c);
	/* Leaves the world normally, without notifying the other ranks. */
	void (*leave)(struct weft_carrier *c);
	/*
	 * Records what this rank waits for (peer -1: no particular rank).
	 * Returns the number of ranks that have not recorded their wait since
	 * the deadlock was detected; 0: this rank is the last.
	 */
	int (*note)(struct weft_carrier *c, int64_t peer, const char *text);
	/* Returns what a rank has recorded. -EINVAL: no such rank. */
	int (*read_note)(struct weft_carrier *c, uint32_t rank,
			 struct weft_vt_note *note);
	void (*count)(struct weft_carrier *c, struct weft_vt_count *count);
	/*
	 * Returns the name of counter i of the fault plan, and its value; NULL:
	 * no such counter, or no plan.
	 */
	const char *(*fault)(struct weft_carrier *c, unsigned i,
			     uint64_t *value_p);
	/*
	 * Returns a text with the reason why a rank has failed. -ENOENT: the
	 * reason is not the fault plan.
	 */
	int (*why)(struct weft_carrier *c, uint32_t rank, char *text,
		   size_t len);
	/*
	 * Returns the counters of a link. -ENOENT: no link; -EINVAL: no such
	 * node or port.
	 */
	int (*link)(struct weft_carrier *c, uint32_t node, unsigned port,
		    struct weft_vt_link *link);
	/*
	 * Opens a class route when all members have called this with equal
	 * arguments; the id is the same at all members. Returns -EAGAIN: not
	 * all members have called, call again; -ENOSPC: no id is free on all
	 * nodes of the members; -EINVAL: the nodes do not form a block.
	 */
	int (*route_open)(struct weft_carrier *c,
			  const struct weft_vt_route_attr *attr,
			  unsigned *id_p);
	void (*route_close)(struct weft_carrier *c, unsigned id);
	/*
	 * Calls `each` for the nodes of the tree of an open route. Returns
	 * -ENOENT if the route is not open.
	 */
	int (*route_tree)(struct weft_carrier *c, unsigned id,
			  void (*each)(void *arg,
				       const struct weft_vt_tree_node *b),
			  void *arg);
	/*
	 * Returns whether the machine's hardware supports this kind; false for
	 * a broadcast that is implemented as an allreduce with zeroes.
	 */
	bool (*route_can)(struct weft_carrier *c, enum weft_vt_kind kind);
	/*
	 * Returns whether an open route is implemented by chained events of the
	 * members' interfaces. Then the root of a broadcast need not wait for
	 * the other members, but must follow the rule of WEFT_VT_BCAST.
	 */
	bool (*route_chained)(struct weft_carrier *c, unsigned id);
	/*
	 * Sends this member's contribution. Returns -EAGAIN if too many are in
	 * flight.
	 */
	int (*route_send)(struct weft_carrier *c, unsigned id,
			  const struct weft_vt_part *part, const void *data);
	/*
	 * Takes the result of part->seq. Returns -EAGAIN if it has not arrived.
	 */
	int (*route_take)(struct weft_carrier *c, unsigned id,
			  struct weft_vt_part *part, void *data);
};

#endif
