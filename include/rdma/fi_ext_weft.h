/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extensions of the weft provider beyond libfabric, through fi_open_ops():
 *
 *     struct fi_weft_clock *clock;
 *     fi_open_ops(&ep->fid, FI_WEFT_CLOCK, 0, (void **)&clock, NULL);
 *     t = clock->now_ps(&ep->fid);
 *
 * The tables are constant and valid as long as the library is loaded. size is
 * the size of the library's table, since later versions may append entries.
 */
#ifndef FI_EXT_WEFT_H
#define FI_EXT_WEFT_H

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_collective.h>
#include <weft/coll_call.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names for fi_open_ops() on endpoints and domains. */
#define FI_WEFT_CLOCK "weft_clock"
#define FI_WEFT_STATS "weft_stats"

struct fi_weft_clock {
	size_t size;
	/*
	 * Returns the time of the endpoint, in picoseconds from an arbitrary
	 * start: the host's monotonic clock or, in virtual time, the clock of
	 * the emulated machine. Reading the latter takes virtual time.
	 */
	uint64_t (*now_ps)(struct fid *fid);
	/* Resolution of the time, in picoseconds. */
	uint64_t (*tick_ps)(struct fid *fid);
	/* Like now_ps, but takes no virtual time; for reports. */
	uint64_t (*peek_ps)(struct fid *fid);
};

/*
 * Counters since the endpoint was enabled; for a domain, the sums over its
 * endpoints.
 */
struct fi_weft_stats_data {
	uint64_t packets_sent;
	uint64_t packets_received;
	uint64_t fifo_full; /* sends refused because the peer's FIFO was full */
	uint64_t refused;   /* invalid packets received and dropped */
	uint64_t skipped;   /* slots of peers that died while they wrote them */
	uint64_t sleeps;    /* waits that blocked */
	uint64_t wakes;	    /* blocked peers that were woken */
	uint64_t posted_now;	 /* currently posted receives */
	uint64_t unexpected_now; /* currently queued unexpected messages */
	uint64_t rendezvous;	 /* messages sent by rendezvous */
	uint64_t dma_bytes;	 /* bytes copied directly between processes */
	uint64_t paced;	  /* rendezvous messages sent in packets, without DMA */
	uint64_t resent;  /* retransmitted packets */
	uint64_t chained; /* commands started by events of the unit */
	/* packets counted in packets_sent that were sent as datagrams */
	uint64_t packets_remote;
	/* words changed by atomics of the unit (FI_WEFT_AMO_SYNC) */
	uint64_t unit_atomics;
	/*
	 * Performance counters of the unit, on bgq: packets and messages sent,
	 * packets and messages received, requests and bytes that the unit reads
	 * from memory, requests and bytes that it writes, register reads and
	 * writes by processors. 0 on machines without such counters.
	 */
	uint64_t unit[10];
};

struct fi_weft_stats {
	size_t size;
	/*
	 * Fills at most len bytes of data. Returns the number of bytes filled,
	 * or -FI_E*.
	 */
	ssize_t (*read)(struct fid *fid, struct fi_weft_stats_data *data,
			size_t len);
};

/*
 * For domains: memory that the processor cannot access, of the emulated device
 * and of NVIDIA GPUs (FI_HMEM_CUDA). Endpoints with FI_HMEM accept it as a
 * buffer of messages and of remote accesses (not as an operand of atomics or
 * collectives), registered with iface FI_WEFT_DEVICE or not. If the machine's
 * interface can access it, transfers are peer to peer; otherwise, or if
 * FI_OPT_FI_HMEM_P2P is FI_HMEM_P2P_DISABLED, data is copied through host
 * memory, which takes virtual time.
 */
#define FI_WEFT_MEM    "weft_mem"
#define FI_WEFT_DEVICE ((enum fi_hmem_iface)0x77656674)

/* Description of device memory for other processes of this host. */
struct fi_weft_share {
	uint32_t kind;
	uint32_t device; /* number of the device, the same in all processes */
	uint64_t word[13];
};

/* A reduction of vectors in device memory: to[i] = a[i] op b[i]. */
struct fi_weft_apply {
	void *to;
	const void *a;
	const void *b;
	uint64_t count;
	uint8_t op;   /* enum fi_op */
	uint8_t type; /* enum fi_datatype */
};

struct fi_weft_mem {
	size_t size;
	/*
	 * Allocates zeroed memory of the emulated device. -FI_ENOMEM;
	 * -FI_EINVAL: len is 0.
	 */
	int (*alloc)(struct fid *domain, size_t len, void **at);
	/* Frees memory. -FI_EINVAL: alloc did not return this address. */
	int (*free)(struct fid *domain, void *at);
	/*
	 * Copy from host to device (in), and from device to host (out).
	 * -FI_EFAULT: the range is not inside device memory.
	 */
	int (*in)(struct fid *domain, void *to, const void *from, size_t len);
	int (*out)(struct fid *domain, void *to, const void *from, size_t len);
	/*
	 * Sets *iface to the kind of memory: FI_HMEM_SYSTEM, FI_WEFT_DEVICE or
	 * FI_HMEM_CUDA. -FI_EFAULT: the range contains several kinds of memory.
	 */
	int (*iface)(struct fid *domain, const void *at, size_t len,
		     enum fi_hmem_iface *iface);
	/*
	 * Copies between several pieces of device memory and one host buffer.
	 * in: 1 to the device, 0 to the host.
	 */
	int (*move)(struct fid *domain, const struct iovec *device,
		    size_t count, void *host, int in);
	/*
	 * Makes the endpoint accept device memory, as if it had been opened
	 * with FI_HMEM, also on a machine whose interface cannot access device
	 * memory. No other thread may post during the call.
	 */
	int (*use)(struct fid_ep *ep);
	/*
	 * Like use(), but only calls with segments (fi_tsendv, fi_trecvmsg,
	 * ...) accept device memory; the other calls do not become slower.
	 */
	int (*use_segments)(struct fid_ep *ep);
	/* Returns whether the host has NVIDIA's driver (FI_WEFT_CUDA). */
	int (*cuda)(struct fid *domain);
	/*
	 * Returns the address of a pointer that is NULL while this process has
	 * no GPU memory. Returns NULL if there is no such pointer: the process
	 * may have GPU memory.
	 */
	const void *const volatile *(*cuda_gate)(struct fid *domain);
	/* Allocates GPU memory. -FI_ENOMEM. */
	int (*cuda_alloc)(struct fid *domain, size_t len, void **at);
	/*
	 * Functions for reductions by processes of one host. They describe
	 * memory, set the address of described memory in this process, start a
	 * reduction, start a copy within device memory, and wait for everything
	 * that was started. -FI_EOPNOTSUPP: not possible with this memory,
	 * operation or type. The owner keeps the memory until no other process
	 * uses it.
	 */
	int (*share)(struct fid *domain, const void *at, size_t len,
		     struct fi_weft_share *share);
	int (*open_share)(struct fid *domain, const struct fi_weft_share *share,
			  void **at);
	int (*apply)(struct fid *domain, const struct fi_weft_apply *x);
	int (*copy)(struct fid *domain, void *to, const void *from, size_t len);
	int (*wait)(struct fid *domain);
};

/*
 * For domains in virtual time; other domains return -FI_ENOSYS. All ranks of a
 * job share one world: rank 0 creates it and passes its handle to the other
 * ranks, before any rank enables the endpoint. FI_WEFT_JOB in the environment
 * (name:rank:size) replaces these calls.
 */
#define FI_WEFT_WORLD "weft_world"

/* Description of what a rank waits for. */
struct fi_weft_note {
	int64_t peer; /* rank waited for; -1: no particular rank */
	uint64_t clock_ps;
	int waits; /* 0: the rank has left and no longer runs the model */
	char text[240];
};

/* Counters of the model so far; deterministic. */
struct fi_weft_count {
	uint64_t now_ps;
	uint64_t events;
	uint64_t hops;
	uint64_t packets;
	uint64_t hash;		/* hash of the event stream */
	uint64_t model_runs;	/* number of times that a rank ran the model */
	uint64_t routes;	/* class routes opened */
	uint64_t route_parts;	/* packets sent by ranks on class routes */
	uint64_t route_bytes;	/* bytes in class route packets */
	uint64_t route_atomics; /* atomics that incremented arrival counters */
	uint32_t nodes;		/* nodes of the machine */
	uint32_t nodes_used;	/* nodes with ranks */
	/*
	 * CPU time of this rank between calls, in nanoseconds, if it took no
	 * virtual time; intervals below 1 ms are not counted
	 */
	uint64_t computed_ns;
	/* 1: computation takes no virtual time (FI_WEFT_COMPUTE is not set) */
	uint32_t compute_free;
};

/* A link of the machine, in the direction out of its node. */
struct fi_weft_link {
	char name[4]; /* "A+": dimension, direction; "1-": level, down */
	/* for example "(0,1,3,2,1)" or "level 2 switch 5 port 7" */
	char node[32];
	uint64_t packets;
	uint64_t bytes; /* bytes sent, in whole chunks with headers */
	uint64_t busy_ps;
	/* sum of the waiting times of packets queued for the link */
	uint64_t queued_ps;
	/* effects of a fault plan */
	uint64_t bad;	   /* packets with detected errors */
	uint64_t detours;  /* packets rerouted around the link */
	uint64_t retry_ps; /* time taken by retries */
	uint64_t dead;	   /* 1: the link is dead */
};

/* A node or switch in the tree of a class route. */
struct fi_weft_branch {
	/*
	 * number of the each() call that reported the parent; -1: this is the
	 * root
	 */
	int parent;
	uint32_t ranks; /* number of members at this node */
	char node[32];
};

/*
 * A choice of a collective algorithm in the machine file, for a range of group
 * sizes and of bytes. An upper limit of 0 means no limit.
 */
struct fi_weft_choice {
	/* name of the operation, as in the machine file: "bcast" */
	char operation[20];
	char algorithm[20];
	uint32_t ranks_min, ranks_max;
	uint64_t bytes_min, bytes_max;
};

/* A rank that has ended before the others. */
struct fi_weft_failure {
	uint32_t rank;
	uint32_t has_left; /* 1: the rank has left (fi_weft_world.leave) */
	/* 1: all packets from that rank to this rank have been read */
	uint32_t is_silent;
	uint64_t failed_ps; /* time at which the rank ended */
	uint64_t known_ps;  /* time at which the other ranks detect the end */
};

struct fi_weft_world {
	size_t size;
	/*
	 * Creates a world; called by rank 0. *len: size of the buffer for the
	 * handle, 64 is sufficient; on return, size of the handle.
	 */
	int (*create)(struct fid *domain, uint32_t ranks, void *handle,
		      size_t *len);
	int (*attach)(struct fid *domain, uint32_t rank, const void *handle,
		      size_t len);
	/* Returns the address of a rank, in the format of fi_av_insert. */
	int (*address)(struct fid *domain, uint32_t rank, void *addr,
		       size_t *len);
	/*
	 * Leaves virtual time. The rank must not send or receive after this
	 * call.
	 */
	void (*leave)(struct fid *domain);
	/*
	 * Called after a wait returned -EDEADLK: all ranks wait, and no message
	 * is in flight. Each rank reports what it waits for. Returns 0 when all
	 * other ranks have reported; then `read` returns their reports.
	 */
	int (*note)(struct fid *domain, int64_t peer, const char *text);
	/*
	 * Sets *note to the report of a rank. -FI_EINVAL: no such rank;
	 * -FI_ENOENT: the rank was not started.
	 */
	int (*read)(struct fid *domain, uint32_t rank,
		    struct fi_weft_note *note);
	void (*count)(struct fid *domain, struct fi_weft_count *count);
	/* Advances the clock of this rank by a computation of this duration. */
	void (*compute)(struct fid *domain, uint64_t ps);
	/*
	 * Returns the counters of a link; may be called only while no rank
	 * runs. -FI_ENOENT: the port has no link; -FI_EINVAL: no such node or
	 * port.
	 */
	int (*link)(struct fid *domain, uint32_t node, unsigned port,
		    struct fi_weft_link *link);
	/* Returns why a rank failed; -FI_ENOENT: not due to a fault plan. */
	int (*why)(struct fid *domain, uint32_t rank, char *text, size_t len);
	/*
	 * Returns the name and value of counter i of a fault plan; NULL: no
	 * more counters, or there is no plan.
	 */
	const char *(*fault)(struct fid *domain, unsigned i, uint64_t *value);
	/*
	 * Calls `each` for every node of the tree of a class route that this
	 * rank has joined (fi_weft_route). -FI_ENOENT: no class route has this
	 * id.
	 */
	int (*tree)(struct fid *domain, int id,
		    void (*each)(void *arg, const struct fi_weft_branch *b),
		    void *arg);
	/* Returns choice i of the machine file; -FI_ENOENT: no more. */
	int (*choice)(struct fid *domain, unsigned i,
		      struct fi_weft_choice *choice);
	/*
	 * Blocks this rank for the time of a file access of this length, if the
	 * machine has I/O nodes. -FI_EAGAIN: too many packets are in flight,
	 * and no time was taken; other errors: those of a wait.
	 */
	int (*file)(struct fid *domain, uint64_t bytes, int write);
	/*
	 * Returns the i-th rank that has ended, in the order in which the ranks
	 * ended; -FI_ENOENT: this rank knows of fewer. A wait also returns when
	 * a rank ends.
	 */
	int (*failure)(struct fid *domain, uint32_t i,
		       struct fi_weft_failure *f);
	/*
	 * Starts `ranks` further ranks on free places of the machine.
	 * -FI_EAGAIN: repeat the call after a poll. On success *first is the
	 * first of these consecutive ranks: the caller starts processes, which
	 * call attach with the handle that the caller got from `handle`, or
	 * calls cancel. -FI_ENOSPC: not enough places are free
	 * (FI_WEFT_UNIVERSE).
	 */
	int (*spawn)(struct fid *domain, uint32_t ranks, uint32_t *first);
	void (*cancel)(struct fid *domain, uint32_t first, uint32_t ranks);
	/* Returns a handle of the world, valid while this process lives. */
	int (*handle)(struct fid *domain, void *handle, size_t *len);
	/* Returns a number that no other world has. */
	uint64_t (*id)(struct fid *domain);
	/* Returns how many ranks can be started during the whole run. */
	uint32_t (*spare)(struct fid *domain);
	/*
	 * Marks this rank as a member of a background job; called after create
	 * or attach and before an endpoint is opened. When all ranks of the
	 * other jobs have left, virtual time stops, and a blocking call of this
	 * rank does not return.
	 */
	int (*background)(struct fid *domain);
};

/* Flag of fi_join_collective: use messages, even if hardware is available. */
#define FI_WEFT_SOFTWARE (1ULL << 57)
/* Flag of fi_allreduce and fi_reduce: a sum of doubles is rounded only once. */
#define FI_WEFT_EXACT	 (1ULL << 58)

/*
 * Flag of a blocking call: there are more processes than processors, so a long
 * spin would delay the other members.
 */
#define FI_WEFT_OVERSUBSCRIBED (1ULL << 59)

/* Flags in the data of a collective's completion. */
#define FI_WEFT_NAN	 1u /* a floating-point result is not a number */
#define FI_WEFT_OVERFLOW 2u /* an integer sum overflowed */

/*
 * For endpoints and domains: tagged receives that complete without a completion
 * queue entry. They match like all other receives. The caller polls for
 * completion, or the provider calls a function. The context for fi_cancel is
 * the struct fi_weft_arrival.
 */
#define FI_WEFT_RECV "weft_recv"

/* Result of a receive; the memory must stay valid until complete is set. */
struct fi_weft_arrival {
	uint64_t tag;
	uint64_t data; /* remote CQ data, if flags has FI_REMOTE_CQ_DATA */
	uint64_t flags;
	size_t len;
	int err;      /* FI_E*, or 0 */
	int complete; /* 1: complete; set after all other fields */
	/*
	 * NULL, or a function that is called when all fields are set, by the
	 * thread that makes progress or within post. The function must not call
	 * fi_*, and may reuse the memory.
	 */
	void (*call)(struct fi_weft_arrival *a);
};

struct fi_weft_recv {
	size_t size;
	/*
	 * Posts a receive of up to len bytes from any source. The completion
	 * wakes threads that block in fi_cq_sread on the endpoint's queue. 0 or
	 * -FI_E*.
	 */
	ssize_t (*post)(struct fid_ep *ep, void *buf, size_t len, uint64_t tag,
			uint64_t ignore, struct fi_weft_arrival *a);
	/*
	 * Makes progress until the receive is complete, the endpoint's receive
	 * queue has an entry, or `polls` polls were unsuccessful.
	 */
	void (*poll)(struct fid_ep *ep, const struct fi_weft_arrival *a,
		     unsigned polls);
};

/*
 * For endpoints and domains: tagged messages from or to memory that is not
 * contiguous. The thread that makes progress packs or unpacks the data, one
 * packet at a time, independently of the layout at the peer. For libfabric
 * these are ordinary messages: the peer may use fi_tsend or fi_trecv, and
 * fi_cancel, FI_PEEK and FI_CLAIM work.
 */
#define FI_WEFT_TYPED "weft_typed"

/*
 * The caller's memory, which must stay valid until the message is complete. The
 * functions copy bytes [pos, pos + len) of the message; they must not call
 * fi_*.
 */
struct fi_weft_data {
	void (*pack)(void *arg, size_t pos, void *to, size_t len);
	void (*unpack)(void *arg, size_t pos, const void *from, size_t len);
	void *arg;
};

struct fi_weft_typed {
	size_t size;
	/*
	 * Returns the smallest size, in bytes, for which a typed message is
	 * faster than packing the data first; SIZE_MAX: never.
	 */
	size_t (*least)(struct fid_ep *ep);
	/*
	 * Sends a message; flags: as for fi_tsendmsg. -FI_EINVAL: len < least.
	 */
	ssize_t (*send)(struct fid_ep *ep, const struct fi_weft_data *data,
			size_t len, fi_addr_t addr, uint64_t tag,
			uint64_t flags, void *context);
	/*
	 * Receives up to len bytes from any source; flags: as for fi_trecvmsg.
	 */
	ssize_t (*recv)(struct fid_ep *ep, const struct fi_weft_data *data,
			size_t len, uint64_t tag, uint64_t ignore,
			uint64_t flags, void *context);
};

/*
 * For endpoints and domains: reads and writes of a peer's memory that the
 * host's kernel executes without the peer. They are complete when the call
 * returns, have no completion entry, and are ordered with the endpoint's other
 * accesses to the peer.
 */
#define FI_WEFT_RMA_SYNC "weft_rma_sync"

struct fi_weft_rma_sync {
	size_t size;
	/*
	 * remote and key: as for fi_read. Returns 0, or -FI_EAGAIN: not
	 * possible at all or not now, or the peer has no such memory. Then no
	 * counter has changed, some bytes may have been copied, and fi_read
	 * reports the error.
	 */
	int (*read)(struct fid_ep *ep, void *buf, size_t len, fi_addr_t addr,
		    uint64_t remote, uint64_t key);
	int (*write)(struct fid_ep *ep, const void *buf, size_t len,
		     fi_addr_t addr, uint64_t remote, uint64_t key);
};

/*
 * For endpoints and domains: atomics on one word of a peer's memory that the
 * machine's interface executes before the call returns, without the peer. They
 * have no completion entry, and are atomic with respect to the processors'
 * atomic instructions.
 */
#define FI_WEFT_AMO_SYNC "weft_amo_sync"

struct fi_weft_amo_word {
	/*
	 * address of the word as mapped by this process; NULL: not mapped. Then
	 * the interface reads, computes and writes, and the caller must exclude
	 * other changes of the word.
	 */
	void *at;
	uint64_t remote; /* remote and key: as for fi_atomic */
	uint64_t key;
	const void *operand; /* one element; not used by FI_ATOMIC_READ */
	const void *compare; /* comparand; NULL: not a compare-and-swap */
	void *result;	     /* old value; NULL: not fetched */
	enum fi_datatype type;
	enum fi_op op;
};

struct fi_weft_amo_sync {
	size_t size;
	/* Returns whether the endpoint's interface has such atomics. */
	int (*usable)(struct fid_ep *ep);
	/*
	 * Returns 0; -FI_EACCES, -FI_EFAULT: refused by the peer's memory
	 * registers or region; -FI_EOPNOTSUPP: the interface has no such
	 * atomic; -FI_EAGAIN: not possible now. In these cases the word is
	 * unchanged.
	 */
	int (*word)(struct fid_ep *ep, fi_addr_t addr,
		    const struct fi_weft_amo_word *w);
};

/*
 * For endpoints and domains: peers that died, or were declared lost because
 * there is no memory for their state. The provider does not fail receives whose
 * source is encoded only in the tag, because the encoding is private to the
 * caller.
 */
#define FI_WEFT_PEERS "weft_peers"

struct fi_weft_peers {
	size_t size;
	/* Returns the number of dead peers detected so far. */
	uint64_t (*deaths)(struct fid_ep *ep);
	/*
	 * Returns FI_ECONNRESET if the peer died, FI_ENOMEM if it was declared
	 * lost, 0 if it may be alive.
	 */
	int (*dead)(struct fid_ep *ep, fi_addr_t addr);
	/*
	 * Calls `ask` for every posted tagged receive without a source. If it
	 * returns 0, the receive stays posted, otherwise the receive completes
	 * with that error. `ask` must not call fi_*.
	 */
	void (*fail)(struct fid_ep *ep,
		     int (*ask)(void *arg, uint64_t tag, uint64_t ignore),
		     void *arg);
	/*
	 * Sends an empty packet to a peer from which the caller expects data,
	 * because the provider detects only the death of peers that it has
	 * contacted. Does nothing if the peer was contacted before.
	 */
	void (*contact)(struct fid_ep *ep, fi_addr_t addr);
	/*
	 * Notifies the provider that the process of a peer on another host has
	 * ended, which the provider would detect only by the peer's silence.
	 * The provider delivers the packets that have arrived and then declares
	 * the peer dead: operations with it fail.
	 */
	void (*ended)(struct fid_ep *ep, fi_addr_t addr);
};

/*
 * For joined groups (struct fid_mc): their class routes, and collective calls
 * without a completion queue entry.
 */
#define FI_WEFT_ROUTES "weft_routes"

struct fi_weft_route {
	int id;	   /* class route id; -1: the tree uses messages */
	int depth; /* hops from the farthest member to the root */
	int members;
	/* nonzero: long vectors use DMA between the members' memories */
	int bulk;
	int barrier; /* barrier class, or -1: barriers use the class route */
	/*
	 * barrier method: 0: selected by the host; 1: network query and
	 * broadcast (range of nodes); 2: events chained in a tree; 3: atomics
	 * on a counter of one member, which notifies the others
	 */
	int form;
	/*
	 * levels: depth of the tree in the descriptors of barriers and of
	 * commutative reductions; 0: no separate tree. described: packets that
	 * this member sent in that tree.
	 */
	int levels;
	uint64_t described;
	/*
	 * bytes up to which the route is faster than messages; 0: always faster
	 */
	size_t most;
	/* atomics posted by this member so far; live jobs only */
	uint64_t atomics;
};

/*
 * A call without a completion queue entry: its arguments, and the state of the
 * provider. The caller keeps the memory valid until the call completes.
 */
struct fi_weft_work {
	struct weft_coll_call call;
	uint64_t opaque[32];
};

struct fi_weft_routes {
	size_t size;
	/*
	 * Sets *route to the result of a join; called after FI_JOIN_COMPLETE.
	 */
	int (*route)(struct fid *fid, struct fi_weft_route *route);
	/*
	 * Posts this member's contribution to work->call, whose arguments the
	 * caller has set. flags: FI_WEFT_OVERSUBSCRIBED. Returns 0: complete;
	 * -FI_EINPROGRESS: call wait; -FI_ENOSYS: not supported here (threads,
	 * automatic progress), use the libfabric calls.
	 *
	 * done: NULL, or a function that is called at completion after begin
	 * returned -FI_EINPROGRESS, by the thread that makes progress; err: 0
	 * or FI_E*. Threads that block in fi_cq_sread on the endpoint's queue
	 * are woken. With done, begin does not spin.
	 */
	int (*begin)(struct fid *fid, struct fi_weft_work *work, uint64_t flags,
		     void (*done)(struct fi_weft_work *work, int err));
	/*
	 * Waits until the call is complete (0 or its error), an entry is in the
	 * endpoint's queues, or the timeout expires (-FI_EAGAIN: read the
	 * queues and call again). timeout_ms 0: polls once; < 0: no limit.
	 */
	int (*wait)(struct fid *fid, struct fi_weft_work *work, int timeout_ms);
	/*
	 * Fails the outstanding and all later calls of the group at this member
	 * with err (FI_E*), including a join that is not complete. The other
	 * members are notified, and fail as well.
	 */
	void (*fail)(struct fid *fid, int err);
};

#ifdef __cplusplus
}
#endif

#endif
