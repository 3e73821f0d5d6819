/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the weft provider offers beyond libfabric, through fi_open_ops():
 *
 *     struct fi_weft_clock *clock;
 *     fi_open_ops(&ep->fid, FI_WEFT_CLOCK, 0, (void **)&clock, NULL);
 *     t = clock->now_ps(&ep->fid);
 *
 * The tables are constant and live as long as the library; size says how much
 * of a table the library knows, so that tables may grow at their end.
 */
#ifndef FI_EXT_WEFT_H
#define FI_EXT_WEFT_H

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_collective.h>

#ifdef __cplusplus
extern "C" {
#endif

/* On endpoints and domains. */
#define FI_WEFT_CLOCK "weft_clock"
#define FI_WEFT_STATS "weft_stats"

struct fi_weft_clock {
	size_t size;
	/*
	 * The time where the endpoint is, in picoseconds from a start of its
	 * own: the host's monotonic clock, or the emulated machine's, where
	 * asking takes time.
	 */
	uint64_t (*now_ps)(struct fid *fid);
	/* Smallest step of that time. */
	uint64_t (*tick_ps)(struct fid *fid);
	/* The same time without taking any, for reports. */
	uint64_t (*look_ps)(struct fid *fid);
};

/* Counted since the endpoint was enabled; a domain gives the sum. */
struct fi_weft_stats_data {
	uint64_t packets_sent;
	uint64_t packets_received;
	uint64_t fifo_full;	 /* sends that found the peer's FIFO full */
	uint64_t refused;	 /* packets that were dropped as garbage */
	uint64_t skipped;	 /* slots of peers that died while writing */
	uint64_t sleeps;	 /* waits that went to sleep */
	uint64_t wakes;		 /* sleeping peers that were woken */
	uint64_t posted_now;	 /* receives that wait */
	uint64_t unexpected_now; /* messages that wait for a receive */
	uint64_t rendezvous;	 /* messages announced first, fetched then */
	uint64_t dma_bytes;	 /* copied straight between processes */
	uint64_t paced;	      /* messages fetched by packets for want of that */
	uint64_t resent;      /* packets sent again after a loss */
	uint64_t chained;     /* commands that events of the unit started */
	uint64_t packets_far; /* of packets_sent: by datagrams */
};

struct fi_weft_stats {
	size_t size;
	/* Fills len bytes of the data at most; the bytes filled, or -FI_E*. */
	ssize_t (*read)(struct fid *fid, struct fi_weft_stats_data *data,
			size_t len);
};

/*
 * On domains: memory of the device's stand-in, which the processor cannot
 * touch. Endpoints with FI_HMEM take it as a buffer of messages and of remote
 * accesses (not as an operand of atomics or collectives), registered with
 * iface FI_WEFT_DEVICE or not: peer to peer where the machine's interface
 * reaches it, else, and with FI_OPT_FI_HMEM_P2P set to FI_HMEM_P2P_DISABLED,
 * by copies to host memory. Copies take their time on the virtual clock.
 */
#define FI_WEFT_MEM    "weft_mem"
#define FI_WEFT_DEVICE ((enum fi_hmem_iface)0x77656674)

struct fi_weft_mem {
	size_t size;
	/* Zeroed. -FI_ENOMEM; -FI_EINVAL: no bytes. */
	int (*alloc)(struct fid *domain, size_t len, void **at);
	/* at is what alloc gave; -FI_EINVAL: it is not. */
	int (*free)(struct fid *domain, void *at);
	/* Host to device, device to host. -FI_EFAULT: not inside. */
	int (*in)(struct fid *domain, void *to, const void *from, size_t len);
	int (*out)(struct fid *domain, void *to, const void *from, size_t len);
	/* Whose bytes these are: FI_HMEM_SYSTEM, FI_WEFT_DEVICE. -FI_EFAULT:
	 * of several. */
	int (*iface)(struct fid *domain, const void *at, size_t len,
		     enum fi_hmem_iface *iface);
	/* The same copies of several pieces as one: in or out. */
	int (*move)(struct fid *domain, const struct iovec *device,
		    size_t count, void *host, int in);
	/*
	 * From now on the endpoint takes such memory, as if it had been opened
	 * with FI_HMEM; on a machine whose interface does not reach it, too.
	 * Others may not be posting meanwhile.
	 */
	int (*use)(struct fid_ep *ep);
};

/*
 * On domains that run in virtual time; -FI_ENOSYS on others, which is how to
 * tell. All ranks of a job share one world: rank 0 makes it and hands the
 * others its handle, before anybody enables the endpoint. FI_WEFT_JOB in the
 * environment (name:rank:size) does the same without calls.
 */
#define FI_WEFT_WORLD "weft_world"

/* What a rank waits for. */
struct fi_weft_note {
	int64_t peer; /* rank, or -1: nobody special */
	uint64_t clock_ps;
	int waits; /* 0: it has left, and runs the model no more */
	char text[240];
};

/* What the model did so far: the same on every run. */
struct fi_weft_count {
	uint64_t now_ps;
	uint64_t events;
	uint64_t hops;
	uint64_t packets;
	uint64_t hash;		/* of the event stream */
	uint64_t turns;		/* times the model was run */
	uint64_t routes;	/* class routes opened */
	uint64_t route_parts;	/* packets that ranks sent on them */
	uint64_t route_bytes;	/* and what was in them */
	uint64_t route_atomics; /* words that members changed for each other */
	uint32_t nodes;		/* of the machine */
	uint32_t nodes_used;	/* those with ranks */
	/* processor time of this rank between calls that took no virtual time,
	 * as far as it came in pieces of 1 ms and more */
	uint64_t computed_ns;
	uint32_t
		compute_free; /* 1: it takes none, FI_WEFT_COMPUTE is not set */
};

/* A link of the machine, seen from the node it leaves. */
struct fi_weft_link {
	char name[4];  /* "A+", dimension and direction; "1-", level and down */
	char node[32]; /* "(0,1,3,2,1)", "level 2 switch 5 port 7" */
	uint64_t packets;
	uint64_t bytes; /* in whole chunks, headers included */
	uint64_t busy_ps;
	uint64_t queued_ps; /* packets that came in here, times their wait */
	/* by a fault plan */
	uint64_t bad;	   /* packets found so */
	uint64_t detours;  /* packets that went round it */
	uint64_t retry_ps; /* it was taken by retries */
	uint64_t dead;	   /* 1: it is */
};

/* A node or switch in the tree of a class route. */
struct fi_weft_branch {
	int parent;	/* its number in the order of calls, or -1: root */
	uint32_t ranks; /* members that are there */
	char node[32];
};

struct fi_weft_world {
	size_t size;
	/* Rank 0. len: room for the handle, then its bytes; 64 will do. */
	int (*create)(struct fid *domain, uint32_t ranks, void *handle,
		      size_t *len);
	int (*attach)(struct fid *domain, uint32_t rank, const void *handle,
		      size_t len);
	/* The address of a rank, as fi_av_insert takes it. */
	int (*address)(struct fid *domain, uint32_t rank, void *addr,
		       size_t *len);
	/* Out of virtual time: nothing is sent or received any more. */
	void (*leave)(struct fid *domain);
	/*
	 * A wait that returned -EDEADLK: everybody waits and nothing will
	 * come. Each rank says what it waits for; 0: all others have said
	 * so, and read tells what.
	 */
	int (*note)(struct fid *domain, int64_t peer, const char *text);
	int (*read)(struct fid *domain, uint32_t rank,
		    struct fi_weft_note *note);
	void (*count)(struct fid *domain, struct fi_weft_count *count);
	/* Lets the rank's clock run: the program computes so long. */
	void (*compute)(struct fid *domain, uint64_t ps);
	/*
	 * Counters of a link; good when nobody runs. -FI_ENOENT: none is
	 * there; -FI_EINVAL: no such node or port.
	 */
	int (*link)(struct fid *domain, uint32_t node, unsigned port,
		    struct fi_weft_link *link);
	/* Why a rank is gone; -FI_ENOENT: no fault plan has a part in it. */
	int (*why)(struct fid *domain, uint32_t rank, char *text, size_t len);
	/* What a fault plan did; NULL: no more, or there is no plan. */
	const char *(*fault)(struct fid *domain, unsigned i, uint64_t *value);
	/* The tree of a class route that this rank has joined (fi_weft_route).
	 * -FI_ENOENT: there is none of that id. */
	int (*tree)(struct fid *domain, int id,
		    void (*each)(void *arg, const struct fi_weft_branch *b),
		    void *arg);
};

/* Flags of fi_join_collective: by messages, even where hardware would do. */
#define FI_WEFT_SOFTWARE (1ULL << 57)
/* Flag of fi_allreduce and fi_reduce: a sum of doubles is rounded once. */
#define FI_WEFT_EXACT	 (1ULL << 58)

/* Flag of a call that is waited for on the spot: more processes than
 * processors are about, so that looking long keeps others from coming. */
#define FI_WEFT_CROWD (1ULL << 59)

/* Flag of such a call that is waited for later: over is called. */
#define FI_WEFT_LATER (1ULL << 60)

/* In the data of a collective's completion. */
#define FI_WEFT_NAN	 1u /* a floating-point result is not a number */
#define FI_WEFT_OVERFLOW 2u /* an integer sum did not fit */

/*
 * On endpoints and domains: tagged receives that no queue hears of; they match
 * as all others do. They are waited for on the spot, or have a call of their
 * own, and their context for fi_cancel is the arrival.
 */
#define FI_WEFT_RECV "weft_recv"

/* What such a receive brought; the caller's memory until it is over. */
struct fi_weft_arrival {
	uint64_t tag;
	uint64_t data; /* with FI_REMOTE_CQ_DATA in flags */
	uint64_t flags;
	size_t len;
	int err;  /* FI_E*, or 0 */
	int over; /* set last; 0 before */
	/*
	 * NULL, or called when all of that is set, by whoever makes progress,
	 * or within post. It must not call fi_*, and the memory is the
	 * caller's again.
	 */
	void (*call)(struct fi_weft_arrival *a);
};

struct fi_weft_recv {
	size_t size;
	/*
	 * Posts a receive of up to len bytes from anybody. Whoever sleeps in
	 * fi_cq_sread on the endpoint's queue comes back when it is over. 0
	 * or -FI_E*.
	 */
	ssize_t (*post)(struct fid_ep *ep, void *buf, size_t len, uint64_t tag,
			uint64_t ignore, struct fi_weft_arrival *a);
	/*
	 * Makes progress until it is over, the endpoint's queue of receives
	 * has an entry, or turns more looks were in vain.
	 */
	void (*poll)(struct fid_ep *ep, const struct fi_weft_arrival *a,
		     unsigned turns);
};

/*
 * On endpoints and domains: tagged messages whose bytes do not lie in memory as
 * they travel, or shall not lie so. Whoever makes progress asks for them, a
 * packet at a time, while the other side does the same with its own layout. For
 * libfabric they are messages like others: the peer's may be fi_tsend or
 * fi_trecv, and fi_cancel, FI_PEEK and FI_CLAIM know them.
 */
#define FI_WEFT_TYPED "weft_typed"

/* The caller's, until the message is complete. The functions move bytes [pos,
 * pos + len) of the message; they must not call fi_*. */
struct fi_weft_data {
	void (*pack)(void *arg, size_t pos, void *to, size_t len);
	void (*unpack)(void *arg, size_t pos, const void *from, size_t len);
	void *arg;
};

struct fi_weft_typed {
	size_t size;
	/* From how many bytes on this is better than a copy; SIZE_MAX: it is
	 * not to be had. */
	size_t (*least)(struct fid_ep *ep);
	/* flags: those of fi_tsendmsg. -FI_EINVAL: less than that. */
	ssize_t (*send)(struct fid_ep *ep, const struct fi_weft_data *data,
			size_t len, fi_addr_t addr, uint64_t tag,
			uint64_t flags, void *context);
	/* Of up to len bytes, from anybody; flags: those of fi_trecvmsg. */
	ssize_t (*recv)(struct fid_ep *ep, const struct fi_weft_data *data,
			size_t len, uint64_t tag, uint64_t ignore,
			uint64_t flags, void *context);
};

/*
 * On endpoints and domains: reads and writes of a peer's memory that are over
 * when the call returns, with no completion, where the host's kernel moves the
 * bytes and the peer has no part in it. They stand in the order of the
 * endpoint's other accesses to that peer.
 */
#define FI_WEFT_NOW "weft_now"

struct fi_weft_now {
	size_t size;
	/*
	 * remote and key: as of fi_read. 0; -FI_EAGAIN: not in this way, or not
	 * now, or the peer has no such memory; nothing was counted, bytes may
	 * have moved in part, and fi_read tells more.
	 */
	int (*read)(struct fid_ep *ep, void *buf, size_t len, fi_addr_t addr,
		    uint64_t remote, uint64_t key);
	int (*write)(struct fid_ep *ep, const void *buf, size_t len,
		     fi_addr_t addr, uint64_t remote, uint64_t key);
};

/*
 * On endpoints and domains: peers that died, or were given up since there is no
 * memory to reach them. A receive that names its source in the tag alone is not
 * ended by the provider, who does not know that.
 */
#define FI_WEFT_PEERS "weft_peers"

struct fi_weft_peers {
	size_t size;
	/* Their number so far, as far as it was noticed. */
	uint64_t (*deaths)(struct fid_ep *ep);
	/* That peer: FI_ECONNRESET: it died; FI_ENOMEM; 0: it may live. */
	int (*dead)(struct fid_ep *ep, fi_addr_t addr);
	/*
	 * Asks of every posted tagged receive without a source: 0, it stays;
	 * else it completes with that error. ask must not call fi_*.
	 */
	void (*fail)(struct fid_ep *ep,
		     int (*ask)(void *arg, uint64_t tag, uint64_t ignore),
		     void *arg);
	/*
	 * Something is expected of that peer: who was never met cannot be
	 * missed, so it gets a word now. Does nothing if it has been met.
	 */
	void (*meet)(struct fid_ep *ep, fi_addr_t addr);
};

/* On joined groups (fid_mc). */
#define FI_WEFT_ROUTES "weft_routes"

struct fi_weft_route {
	int id;	   /* class route, or -1: the tree runs by messages */
	int depth; /* hops from the farthest member to the root */
	int members;
	int bulk; /* long vectors go straight between the members' memories */
	int barrier; /* barrier class, or -1: barriers take the class route */
	/* barriers: 0 as suits the host, 1 the network asks all and tells all
	   (a range of nodes), 2 events chained up a tree, 3 atomics count the
	   members at one place, who tells them */
	int form;
	/* hops of the tree that stands in the descriptors of barriers and of
	   sums that have the same bits in any order; 0: they have none of
	   their own. Packets of this member that went by it. */
	int levels;
	uint64_t described;
	size_t most; /* longer vectors are better served by messages; 0: any */
	uint64_t atomics; /* of this member, so far; live */
};

struct fi_weft_work;

/* One member's part of a collective that he waits for on the spot. */
struct fi_weft_call {
	enum fi_collective_op what;
	int root; /* by its place in the set */
	const void *in;
	void *out; /* of a broadcast: the buffer */
	size_t count;
	enum fi_datatype datatype;
	enum fi_op op;
	uint64_t flags; /* FI_WEFT_EXACT, FI_WEFT_CROWD, FI_WEFT_LATER */
	/*
	 * With FI_WEFT_LATER, after begin said -FI_EINPROGRESS: called when it
	 * is over, by whoever makes progress, err being 0 or FI_E*. Who sleeps
	 * in fi_cq_sread on the endpoint's queue comes back then.
	 */
	void (*over)(struct fi_weft_work *work, int err);
};

/* Such a call under way: the caller's memory until it is over. */
struct fi_weft_work {
	uint64_t opaque[48];
};

struct fi_weft_routes {
	size_t size;
	/* What became of a join; after FI_JOIN_COMPLETE. */
	int (*route)(struct fid *fid, struct fi_weft_route *route);
	/*
	 * Hands in a part of a collective that nobody will read a completion
	 * of. 0: it is over; -FI_EINPROGRESS: wait for it; -FI_ENOSYS: not
	 * here (threads, automatic progress): use the calls of libfabric.
	 */
	int (*begin)(struct fid *fid, const struct fi_weft_call *call,
		     struct fi_weft_work *work);
	/*
	 * Waits until it is over (0 or its error), or something has come to
	 * the endpoint's queues, or the time is over (-FI_EAGAIN: read the
	 * queues and come back). timeout 0: looks once; < 0: no limit.
	 */
	int (*wait)(struct fid *fid, struct fi_weft_work *work, int timeout_ms);
};

#ifdef __cplusplus
}
#endif

#endif
