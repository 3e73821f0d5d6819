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
 * The world is in a memfd: it is freed with the last process that maps it.
 */
#ifndef WEFT_VT_API_H
#define WEFT_VT_API_H

#include "prov/carrier/carrier.h"

struct weft_vt;

/* The machine, and the placement of the ranks. */
struct weft_vt_conf {
	const char *machine;   /* NAME[:DIMS], or a file */
	const char *map;       /* order of letters, or a file; "": ABCDET */
	uint32_t ppn;	       /* ranks per node; 0: the machine's */
	double compute;	       /* factor of CPU time; 0: not counted */
	uint32_t packet_bytes; /* largest that the machine's unit sends */
	const char *faults;    /* a fault plan or its file; NULL, "": none */
};

#define WEFT_VT_UNIT 16

/*
 * Returns the network interface of a machine's nodes, from its file. -ENOENT:
 * there is no such file; -EINVAL: the error has been logged.
 */
int weft_vt_unit(const char *machine, char unit[WEFT_VT_UNIT]);

#define WEFT_VT_HANDLE 64
#define WEFT_VT_DIMS   6

/*
 * Rank 0 creates the world; handle is text for the other ranks. -EINVAL: the
 * error in the machine or the map has been logged.
 */
int weft_vt_create(const struct weft_vt_conf *conf, uint32_t size,
		   struct weft_vt **w_p, char handle[WEFT_VT_HANDLE]);
/*
 * Maps the world in another rank. -ENOENT: its creator is not on this host, or
 * gone; -EPERM: it belongs to another user; -EINVAL: not a world.
 */
int weft_vt_attach(const struct weft_vt_conf *conf, const char *handle,
		   uint32_t rank, struct weft_vt **w_p);
/*
 * Creates or attaches without a launcher: job is "name:rank:size", the ranks of
 * one user find each other by the name. Waits for rank 0. -EINVAL, -ETIMEDOUT.
 */
int weft_vt_join_job(const struct weft_vt_conf *conf, const char *job,
		     struct weft_vt **w_p);
void weft_vt_close(struct weft_vt *w);

uint32_t weft_vt_size(const struct weft_vt *w);
/* Returns the address of a rank, which is known without communication. */
void weft_vt_name(const struct weft_vt *w, uint32_t rank,
		  struct sockaddr_in *name);

/* What a rank waits for, as reported by the layers above. */
#define WEFT_VT_TEXT 240
struct weft_vt_note {
	int64_t peer; /* rank, or -1 */
	uint64_t clock_ps;
	uint32_t state; /* enum weft_vt_state */
	char text[WEFT_VT_TEXT];
};

enum weft_vt_state {
	WEFT_VT_RUN,
	WEFT_VT_BLOCKED,   /* until something arrives */
	WEFT_VT_POLLING,   /* until its next poll */
	WEFT_VT_POLL_LOOP, /* polls in a loop: until something arrives */
	WEFT_VT_DONE,	   /* has left; may run the model once more */
	WEFT_VT_LEFT,	   /* has left and run the model */
	WEFT_VT_DEAD,
};

/* Counters so far, equal on every run. */
struct weft_vt_count {
	uint64_t now_ps;
	uint64_t events;
	uint64_t hops;
	uint64_t packets;
	uint64_t hash;	      /* hash of the event stream */
	uint64_t turns;	      /* runs of the model */
	uint64_t routes;      /* class routes opened */
	uint64_t route_parts; /* packets sent by ranks on class routes */
	uint64_t route_bytes;
	uint64_t route_atomics; /* atomics by which members arrived */
	uint64_t discards;	/* messages dropped at a full input queue */
	uint32_t nodes;		/* nodes of the machine */
	uint32_t nodes_used;	/* nodes with ranks */
	/* Processor time of this rank between calls that took no virtual time,
	 * in nanoseconds; pieces below 1 ms are not counted. */
	uint64_t computed_ns;
	bool compute_free; /* computation takes no virtual time */
};

/* A link, seen from the node it leaves. */
struct weft_vt_link {
	char name[4];  /* "A+" */
	char node[32]; /* "(0,1,3,2,1)" */
	uint64_t packets;
	uint64_t bytes; /* in whole chunks, headers included */
	uint64_t busy_ps;
	uint64_t queued_ps; /* packets queued here, times their waiting time */
	/* by a fault plan: */
	uint64_t bad;	   /* packets with detected errors */
	uint64_t detours;  /* packets rerouted around the link */
	uint64_t retry_ps; /* time taken by retries */
	bool dead;
};

/* A node or switch in the tree of a class route. */
struct weft_vt_branch {
	int parent;	/* number in the order of calls, or -1: root */
	uint32_t ranks; /* members at this node */
	char node[32];
};

enum weft_vt_vc {
	WEFT_VT_ORDERED, /* packets of a pair keep their order */
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
	/* path at the peer, plus one: its memory is of another kind; 0: same */
	uint8_t path_in;
	uint8_t vc;   /* enum weft_vt_vc */
	uint8_t zone; /* dynamic: the order of dimensions */
	bool spread;  /* ordered: by cache line of the target, not by pair */
	bool stay;    /* dynamic: once on the escape channel, stay there */
	bool ack;     /* the peer's interface acknowledges each packet */
	bool full;    /* the next packet to that peer may belong to it */
	uint8_t fifo; /* injection FIFO, plus one; 0: by the peer */
	/* -1, +1: direction to take; 0: the network decides */
	int8_t hint[WEFT_VT_DIMS];
	/* bytes of data that the machine would send, plus one; 0: all */
	uint32_t bytes;
};

/*
 * A transfer executed by the network interfaces alone, without the peer's
 * processor. The poster's memory stays in use until done is called, in a poll;
 * -EOPNOTSUPP there: the kernel does not let ranks access each other's memory,
 * or an atomic targets a peer with several threads.
 */
struct weft_vt_dma {
	bool get;     /* from the peer; false: to it */
	bool ordered; /* executes after earlier ones of this pair */
	bool quick;   /* software cost of one packet */
	const struct iovec *local;
	int count;
	uint64_t remote; /* address in the peer */
	uint64_t region; /* start address of the remote region; 0: unknown */
	uint64_t key;	 /* key of the remote region */
	uint64_t bytes;
	/*
	 * An atomic: argument of attr.change, which computes the peer's new
	 * bytes; the old bytes go to local, or with count 0 nowhere.
	 */
	const void *what;
	size_t what_bytes;
	/* path to the peer, of a get its request; and path from the peer */
	struct weft_vt_pkt_attr way;
	struct weft_vt_pkt_attr back;
	void (*done)(struct weft_vt_dma *d, int err);
};

/* Largest operands of an atomic, and memory that it changes, in bytes. */
#define WEFT_VT_CHANGE 4096

/* One packet of a collective on a class route. */
struct weft_vt_part {
	uint8_t kind; /* enum weft_vt_kind */
	uint8_t op;   /* for combine */
	uint8_t type;
	bool fp;	/* floating point takes longer */
	bool quiet;	/* does not wake this member: others follow */
	bool word;	/* an atomic on one word of memory can combine it */
	uint32_t root;	/* member that gets the result of a WEFT_VT_REDUCE */
	uint32_t flags; /* in and out: travel with the data */
	uint32_t bytes; /* at most the packet's payload */
	uint64_t seq;	/* sequence number on the route, from 0 */
};

enum weft_vt_kind {
	WEFT_VT_BARRIER,
	WEFT_VT_REDUCE,
	WEFT_VT_ALLREDUCE,
	/*
	 * From root to all. The other members' parts wait for it and are not
	 * sent; the root must know that all members have taken the packet
	 * WEFT_VT_WINDOW before.
	 */
	WEFT_VT_BCAST,
};

/* Members in order; the machine chooses the tree. */
struct weft_vt_route_attr {
	uint64_t key;	 /* equal at all members, unique to this route */
	uint32_t routes; /* ids that may be used, bit mask */
	int n;
	int me;
	struct weft_peer *const *member; /* member[me] is not used */
};

#define WEFT_VT_ROUTES 16
#define WEFT_VT_WINDOW 32 /* parts in flight per member on a route */
/* In the flags of a result: members sent parts of different kinds. */
#define WEFT_VT_DIFFER (1u << 31)

/* Arithmetic of the tree: acc = acc op in, of `bytes` bytes; returns flags. */
typedef uint32_t (*weft_vt_combine_fn)(unsigned op, unsigned type, void *acc,
				       const void *in, size_t bytes);

/* Functions beyond the common table; weft_carrier.virt points to it. */
struct weft_carrier_virt {
	/* The rank's clock. pay: reading it takes the machine's time. */
	uint64_t (*now_ps)(struct weft_carrier *c, bool pay);
	uint64_t (*tick_ps)(struct weft_carrier *c);
	/* Advances the clock: the program computes. */
	void (*compute)(struct weft_carrier *c, uint64_t ps);
	/*
	 * An operation has completed, perhaps without a packet: a message that
	 * came before its receive was posted. The rank does not poll without
	 * result, so each of its next fruitless polls takes one step of time.
	 */
	void (*completed)(struct weft_carrier *c);
	/* The next packet starts a message of several: it costs more. */
	void (*long_message)(struct weft_carrier *c);
	/* Sets the path of the next packet; valid for one accepted packet. */
	void (*way)(struct weft_carrier *c, const struct weft_vt_pkt_attr *way);
	/* The unit has refused a packet: when something has arrived the next
	 * wait returns -EAGAIN. */
	void (*full)(struct weft_carrier *c);
	/* Returns the number of a path of the machine; 0 if unknown. */
	unsigned (*path)(struct weft_carrier *c, const char *name);
	/* Posts a transfer. -EAGAIN: too many; -EOPNOTSUPP; -ECONNRESET. */
	int (*dma)(struct weft_carrier *c, struct weft_peer *peer,
		   struct weft_vt_dma *d);
	/*
	 * 0: time advances; -EDEADLK, -EOWNERDEAD, -ENETDOWN: it does not;
	 * -EHOSTDOWN: not for this rank, whose node has failed.
	 */
	int (*verdict)(struct weft_carrier *c);
	/* Leaves the world regularly, without notifying the others. */
	void (*leave)(struct weft_carrier *c);
	/*
	 * Records what this rank waits for (peer -1: no particular rank).
	 * Returns the number of ranks that have not recorded theirs since the
	 * deadlock was detected; 0: this is the last.
	 */
	int (*note)(struct weft_carrier *c, int64_t peer, const char *text);
	/* Returns what a rank recorded. -EINVAL: no such rank. */
	int (*look)(struct weft_carrier *c, uint32_t rank,
		    struct weft_vt_note *note);
	void (*count)(struct weft_carrier *c, struct weft_vt_count *count);
	/* Counter i of a fault plan and its name; NULL: no more, or no plan. */
	const char *(*fault)(struct weft_carrier *c, unsigned i,
			     uint64_t *value_p);
	/* Why a rank is gone. -ENOENT: not because of the fault plan. */
	int (*why)(struct weft_carrier *c, uint32_t rank, char *text,
		   size_t len);
	/*
	 * Counters of a link. -ENOENT: no link; -EINVAL: no such node or port.
	 */
	int (*link)(struct weft_carrier *c, uint32_t node, unsigned port,
		    struct weft_vt_link *link);
	/*
	 * Opens a class route when all members have called this with equal
	 * arguments; its id is equal at all members. -EAGAIN: not all have
	 * called, call again. -ENOSPC: no id is free on all their nodes,
	 * -EINVAL: their nodes are not a block.
	 */
	int (*route_open)(struct weft_carrier *c,
			  const struct weft_vt_route_attr *attr,
			  unsigned *id_p);
	void (*route_close)(struct weft_carrier *c, unsigned id);
	/* Returns the tree of an open route. -ENOENT: it is not open. */
	int (*route_tree)(struct weft_carrier *c, unsigned id,
			  void (*each)(void *arg,
				       const struct weft_vt_branch *b),
			  void *arg);
	/*
	 * Does the machine's hardware support this kind? Broadcasts: not where
	 * they are an allreduction with zeroes.
	 */
	bool (*route_can)(struct weft_carrier *c, enum weft_vt_kind kind);
	/*
	 * Is an open route implemented by events of the members' interfaces?
	 * The root of a broadcast then need not wait for the others, but must
	 * know what WEFT_VT_BCAST requires.
	 */
	bool (*route_chained)(struct weft_carrier *c, unsigned id);
	/* Sends this member's part. -EAGAIN: too many in flight. */
	int (*route_send)(struct weft_carrier *c, unsigned id,
			  const struct weft_vt_part *part, const void *data);
	/* Takes the result of part->seq if it has arrived. -EAGAIN. */
	int (*route_take)(struct weft_carrier *c, unsigned id,
			  struct weft_vt_part *part, void *data);
};

#endif
