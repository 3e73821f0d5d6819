/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time, as those above the carrier see it: the world that the ranks of
 * a job share, and what a carrier of that world can do beyond the common
 * table. Nothing here shows the network model.
 *
 *   weft_vt_create (rank 0) -> pass the handle -> weft_vt_attach (others)
 *   weft_vt_meet   (everybody, by a name)
 *       -> open weft_carrier_vt with attr.world -> ... -> close
 *   -> weft_vt_close
 *
 * The world lies in a memfd: it goes away with the last process that maps it.
 */
#ifndef WEFT_CARRIER_VT_H
#define WEFT_CARRIER_VT_H

#include "prov/carrier/carrier.h"

struct weft_vt;

/* Which machine, and where the ranks stand on it. */
struct weft_vt_conf {
	const char *machine;   /* NAME[:DIMS], or a file */
	const char *map;       /* order of letters, or a file; "": ABCDET */
	uint32_t ppn;	       /* ranks per node; 0: the machine's */
	double compute;	       /* CPU time counts so many times; 0: not */
	uint32_t packet_bytes; /* largest that the machine's unit sends */
	const char *faults;    /* a plan or its file; NULL, "": none */
};

#define WEFT_VT_UNIT 16

/*
 * The network interface that stands at the nodes of a machine, as its file has
 * it. -ENOENT: there is no such file; -EINVAL: what is wrong has been logged.
 */
int weft_vt_unit(const char *machine, char unit[WEFT_VT_UNIT]);

#define WEFT_VT_HANDLE 64
#define WEFT_VT_DIMS   6

/*
 * Rank 0 makes the world; handle is text for the others. -EINVAL: what is
 * wrong with the machine or the map has been logged.
 */
int weft_vt_create(const struct weft_vt_conf *conf, uint32_t size,
		   struct weft_vt **w_p, char handle[WEFT_VT_HANDLE]);
/*
 * Another rank maps it. -ENOENT: its maker is not on this host, or gone;
 * -EPERM: it is of another user; -EINVAL: what is there is no world.
 */
int weft_vt_attach(const struct weft_vt_conf *conf, const char *handle,
		   uint32_t rank, struct weft_vt **w_p);
/*
 * The same without a launcher: job is "name:rank:size", the ranks of one user
 * find each other by the name. Waits for rank 0. -EINVAL, -ETIMEDOUT.
 */
int weft_vt_meet(const struct weft_vt_conf *conf, const char *job,
		 struct weft_vt **w_p);
void weft_vt_close(struct weft_vt *w);

uint32_t weft_vt_size(const struct weft_vt *w);
/* The address of a rank, known without asking. */
void weft_vt_name(const struct weft_vt *w, uint32_t rank,
		  struct sockaddr_in *name);

/* What a rank waits for, as the layers above say it. */
#define WEFT_VT_TEXT 240
struct weft_vt_note {
	int64_t peer; /* rank, or -1 */
	uint64_t clock_ps;
	uint32_t state; /* enum weft_vt_state */
	char text[WEFT_VT_TEXT];
};

enum weft_vt_state {
	WEFT_VT_RUN,
	WEFT_VT_BLOCKED, /* until something comes */
	WEFT_VT_POLLING, /* until its next look */
	WEFT_VT_JUMPING, /* looks again and again: until something comes */
	WEFT_VT_DONE,	 /* has left; may run the model once more */
	WEFT_VT_OUT,	 /* and has done so */
	WEFT_VT_DEAD,
};

/* What happened so far, the same on every run. */
struct weft_vt_count {
	uint64_t now_ps;
	uint64_t events;
	uint64_t hops;
	uint64_t packets;
	uint64_t hash;	      /* of the event stream */
	uint64_t turns;	      /* times the model ran */
	uint64_t routes;      /* class routes opened */
	uint64_t route_parts; /* packets that ranks sent on them */
	uint64_t route_bytes;
	uint64_t route_atomics; /* by which members counted each other */
	uint64_t discards;	/* messages that found a full input queue */
	uint32_t nodes;		/* of the machine */
	uint32_t nodes_used;	/* those with ranks */
	/* processor time of this rank between calls that took no virtual time,
	 * as far as it came in pieces of 1 ms and more */
	uint64_t computed_ns;
	bool compute_free; /* it takes none: FI_WEFT_COMPUTE is not set */
};

/* A link, seen from the node it leaves. */
struct weft_vt_link {
	char name[4];  /* "A+" */
	char node[32]; /* "(0,1,3,2,1)" */
	uint64_t packets;
	uint64_t bytes; /* in whole chunks, headers included */
	uint64_t busy_ps;
	uint64_t queued_ps; /* packets that came in here, times their wait */
	/* by a fault plan */
	uint64_t bad;	   /* packets found so */
	uint64_t detours;  /* packets that went round it */
	uint64_t retry_ps; /* it was taken by retries */
	bool dead;
};

/* A node or switch in the tree of a class route. */
struct weft_vt_branch {
	int parent;	/* its number in the order of calls, or -1: root */
	uint32_t ranks; /* members that are there */
	char node[32];
};

enum weft_vt_vc {
	WEFT_VT_ORDERED, /* packets of a pair keep their order */
	WEFT_VT_DYNAMIC, /* by any road */
	WEFT_VT_HIGH,
	WEFT_VT_SYSTEM,
};

/*
 * How the machine sends what is handed over next: what the unit's descriptor
 * says of it. All zero: the first path, in order, as many bytes as there are.
 */
struct weft_vt_way {
	uint8_t path; /* of the machine's, as virt->path numbers them */
	/* the same at the peer, plus one: its memory is of another kind; 0 */
	uint8_t path_in;
	uint8_t vc;   /* enum weft_vt_vc */
	uint8_t zone; /* dynamic: the order of dimensions */
	bool spread; /* ordered: by lines of the target's memory, not by pair */
	bool stay;   /* dynamic: once on the escape channel, stay there */
	bool ack;    /* the other end's interface answers each packet */
	bool full;   /* the next packet to that peer may belong to it */
	uint8_t fifo; /* injection FIFO, plus one; 0: by the peer */
	int8_t hint[WEFT_VT_DIMS]; /* -1, +1: go so; 0: the network decides */
	/* bytes of data that the machine would send, plus one; 0: all of it */
	uint32_t bytes;
};

/*
 * A transfer that the network interfaces do alone: the peer's processor has no
 * part in it. The poster's memory until done is called, in a poll; -EOPNOTSUPP
 * there: the kernel does not let ranks reach each other's memory, or an atomic
 * meets a peer with several threads.
 */
struct weft_vt_dma {
	bool get;     /* from the peer, or to it */
	bool ordered; /* happens after those before it, of this pair */
	bool quick;   /* costs its sender no more than a packet */
	const struct iovec *local;
	int count;
	uint64_t remote; /* address in the peer */
	uint64_t region; /* of memory, where it begins; 0: not known */
	uint64_t key;	 /* of that region */
	uint64_t bytes;
	/*
	 * An atomic: for attr.change, which makes new bytes of the peer's; what
	 * was there before goes to local, of count 0: to nobody.
	 */
	const void *what;
	size_t what_bytes;
	/* to the peer, its bytes: of the request of a get; and from it */
	struct weft_vt_way way;
	struct weft_vt_way back;
	void (*done)(struct weft_vt_dma *d, int err);
};

/* Bytes of an atomic's operands, and of the memory that it changes, at most. */
#define WEFT_VT_CHANGE 4096

/* One packet of a collective on a class route. */
struct weft_vt_part {
	uint8_t kind; /* enum weft_vt_kind */
	uint8_t op;   /* for combine */
	uint8_t type;
	bool fp;	/* floating point takes longer */
	bool quiet;	/* no reason to wake this member: others follow */
	bool word;	/* an atomic on one word of memory can add it */
	uint32_t root;	/* member that gets a WEFT_VT_REDUCE */
	uint32_t flags; /* in and out: travel with the data */
	uint32_t bytes; /* at most the packet's payload */
	uint64_t seq;	/* counts the packets of the route from 0 */
};

enum weft_vt_kind {
	WEFT_VT_BARRIER,
	WEFT_VT_REDUCE,
	WEFT_VT_ALLREDUCE,
	/*
	 * From root to all. The others' parts wait for it and are not sent;
	 * root must know that all have taken what was WEFT_VT_WINDOW before.
	 */
	WEFT_VT_BCAST,
};

/* Members in order; the tree is the machine's. */
struct weft_vt_route_attr {
	uint64_t key;	 /* the same for all members, and of this route alone */
	uint32_t routes; /* ids that may be taken, a bit each */
	int n;
	int me;
	struct weft_peer *const *member; /* member[me] is not looked at */
};

#define WEFT_VT_ROUTES 16
#define WEFT_VT_WINDOW 32 /* parts a member may have under way on a route */
/* In the flags of a result: members sent parts of different kinds. */
#define WEFT_VT_DIFFER (1u << 31)

/* Arithmetic of the tree: acc = acc op in, bytes long; flags that arose. */
typedef uint32_t (*weft_vt_combine_fn)(unsigned op, unsigned type, void *acc,
				       const void *in, size_t bytes);

/* Beyond the common table; weft_carrier.virt points to it. */
struct weft_carrier_virt {
	/* The rank's clock. pay: asking costs what it costs on the machine. */
	uint64_t (*now_ps)(struct weft_carrier *c, bool pay);
	uint64_t (*tick_ps)(struct weft_carrier *c);
	/* Lets time pass: the program computes. */
	void (*compute)(struct weft_carrier *c, uint64_t ps);
	/*
	 * An operation has completed, perhaps without a packet: a message that
	 * came before its receive was posted. The rank does not poll without
	 * result, so each of its next fruitless polls takes one step of time.
	 */
	void (*completed)(struct weft_carrier *c);
	/* The next packet begins a message of several: it costs more. */
	void (*lengthy)(struct weft_carrier *c);
	/* The next packet goes so; good for one packet that is taken. */
	void (*way)(struct weft_carrier *c, const struct weft_vt_way *way);
	/* The unit has refused a packet: when something has come the next wait
	 * ends with -EAGAIN. */
	void (*full)(struct weft_carrier *c);
	/* The number of a path of the machine; 0, the first, if it has none. */
	unsigned (*path)(struct weft_carrier *c, const char *name);
	/* Posts a transfer. -EAGAIN: too many; -EOPNOTSUPP; -ECONNRESET. */
	int (*dma)(struct weft_carrier *c, struct weft_peer *peer,
		   struct weft_vt_dma *d);
	/*
	 * 0: time goes on; -EDEADLK, -EOWNERDEAD, -ENETDOWN: it does not;
	 * -EHOSTDOWN: not for this rank, whose node is dead.
	 */
	int (*verdict)(struct weft_carrier *c);
	/* Out of the world in good order, without a word to the others. */
	void (*leave)(struct weft_carrier *c);
	/*
	 * Writes down what this rank waits for (peer -1: nobody special). The
	 * number of ranks that have not written since the deadlock was found;
	 * 0: this is the last.
	 */
	int (*note)(struct weft_carrier *c, int64_t peer, const char *text);
	/* What a rank wrote. -EINVAL: no such rank. */
	int (*look)(struct weft_carrier *c, uint32_t rank,
		    struct weft_vt_note *note);
	void (*count)(struct weft_carrier *c, struct weft_vt_count *count);
	/*
	 * What a fault plan did, a name and a number; NULL: no more of them, or
	 * no plan.
	 */
	const char *(*fault)(struct weft_carrier *c, unsigned i,
			     uint64_t *value_p);
	/* Why a rank is gone. -ENOENT: the plan has no part in it. */
	int (*why)(struct weft_carrier *c, uint32_t rank, char *text,
		   size_t len);
	/* Counters of a link. -ENOENT: none there; -EINVAL: no such node or
	 * port. */
	int (*link)(struct weft_carrier *c, uint32_t node, unsigned port,
		    struct weft_vt_link *link);
	/*
	 * Opens a class route when all members have called this alike; its id
	 * is the same for all. -EAGAIN: not all have, ask again. -ENOSPC: no
	 * id is free on all their nodes, -EINVAL: their nodes are no block.
	 */
	int (*route_open)(struct weft_carrier *c,
			  const struct weft_vt_route_attr *attr,
			  unsigned *id_p);
	void (*route_close)(struct weft_carrier *c, unsigned id);
	/* The tree of an open route. -ENOENT: it is not open. */
	int (*route_tree)(struct weft_carrier *c, unsigned id,
			  void (*each)(void *arg,
				       const struct weft_vt_branch *b),
			  void *arg);
	/*
	 * Whether the machine does that by itself. Broadcasts: not where they
	 * are an allreduction with zeroes.
	 */
	bool (*route_can)(struct weft_carrier *c, enum weft_vt_kind kind);
	/*
	 * Do events of the members' interfaces carry an open route? Its root of
	 * a broadcast need not wait for the others, but know what it must.
	 */
	bool (*route_chained)(struct weft_carrier *c, unsigned id);
	/* Sends this member's part. -EAGAIN: too many are under way. */
	int (*route_send)(struct weft_carrier *c, unsigned id,
			  const struct weft_vt_part *part, const void *data);
	/* Takes the result of part->seq if it is there. -EAGAIN. */
	int (*route_take)(struct weft_carrier *c, unsigned id,
			  struct weft_vt_part *part, void *data);
};

#endif
