/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the virtual-time runtime, which runs real processes in
 * virtual time and implements the carrier interface (prov/carrier/carrier.h).
 *
 *   vt_ops.c           open, close, peers, the tables
 *   vt_world.c         the shared world segment: creation, lookup, mapping
 *   vt_join.c          joining a world by the name of the job
 *   vt_wait.c          blocking and release; polls that cost virtual time
 *   vt_cpus.c          processor affinity of ranks
 *   vt_compute.c       time of computation between calls, and noise
 *   vt_host.c          all ranks in one process, as fibers of a simulator
 *   vt_tx.c            packets into buffers, for the engine
 *   vt_rx.c            packets out of the arrival list
 *   vt_interface.c     interfaces that match messages while ranks compute;
 *                      vt_interface_time.c: their times, for the engine
 *   vt_message.c       messages of the model, and their order
 *   vt_dma.c           transfers between the memories of two ranks
 *   vt_file.c          file accesses through I/O nodes; vt_file_call.c: the
 *                      rank's part
 *   vt_fault.c         failed nodes and lost messages, by a fault plan
 *   vt_end.c           ranks killed by a fault plan, and the times at which the
 *                      other ranks know it
 *   vt_engine_pass.c   functions that all parts of an engine pass use
 *   vt_engine.c        the engine pass, run by the rank that blocks last
 *   vt_watch.c         detection of dead ranks and of a world without progress
 *   route/             class routes
 *
 * vt_layout.h documents the shared format and its writers.
 */
#ifndef WEFT_VT_H
#define WEFT_VT_H

#include "prov/vt/vt_layout.h"
#include "prov/net/net.h"
#include "src/base/attr.h"
#include "src/base/hash.h"
#include "src/os/guard.h"
#include "src/base/region.h"
#include "src/base/rng.h"
#include "src/job/job_noise.h"

#include <errno.h>
#include <pthread.h>

/*
 * Of the packets of a long message, only every VT_WAKE_EVERY-th wakes the
 * receiver.
 */
#define VT_WAKE_EVERY 64u

/* maximum bytes of a result that is stored inline, without a data buffer */
#define VT_INLINE_BYTES 16u

/*
 * Number of consecutive polls without result that cost no virtual time, because
 * they are part of sending and waiting.
 */
#define VT_FREE_POLLS 2u

/* number of runs whose CPU time is measured after a long run */
#define VT_MEASURED_RUNS 64u

/* The shared world segment as this process has mapped it. */
struct weft_vt {
	struct weft_region region;
	struct vt_head *head;
	struct vt_rank *rank_of;
	/* virtual time at which each blocked rank must run again */
	weft_au64 *due;
	uint32_t *batch; /* ranks released in the last pass, in order */
	struct vt_rank_cold *cold_of;
	char *bufs;
	struct vt_join *joins;
	struct vt_member *members;
	/* state of reductions by interfaces; NULL: none */
	struct vt_adder *adders;
	struct vt_route *routes;
	unsigned char *results; /* results of class routes; vt_part.c */
	struct vt_tree *trees;
	char *shares;
	struct net *net;
	/*
	 * Constants of the world, which are checked once when it is mapped and
	 * never read from shared memory again.
	 */
	uint32_t size;
	uint32_t initial;   /* ranks at the start; the others are spawned */
	uint32_t buf_count; /* total number of buffers of all ranks */
	size_t buf_bytes;
	size_t packet_bytes;
	uint64_t ahead_ps, ahead_unit_ps;
	uint32_t fifos;
	/* number of the path of messages that interfaces send */
	unsigned fold_path;
	/* number of the path of atomics that interfaces send; 0: none */
	unsigned word_path;
	struct net_config cfg;
	uint32_t rank;
	bool in_use;
	/* listening socket of rank 0 in weft_vt_join_job(), or -1 */
	int listen;
	double compute;
	double instructions; /* instructions per second; 0: not counted */
	bool blocks;	     /* `instructions` counts basic blocks */
	struct weft_noise noise;
	bool skeleton;	/* data in folded memory is not copied */
	uint32_t *wake; /* ranks that this process has to wake, in order */
	uint32_t wake_count;
	/*
	 * hosted world: function that suspends the calling rank (vt_host.c);
	 * otherwise NULL
	 */
	void (*park)(void *arg);
	void *park_arg;
	struct vt *hosted; /* any rank of a hosted world, for the engine */
};

struct vt_engine_pass;

/* CPU time of one thread. */
struct vt_cpu_time {
	pthread_t thread;
	uint64_t ns;
};

struct vt_peer {
	struct weft_peer base;
	union weft_name name;
	uint32_t rank;
};

struct vt {
	struct weft_carrier base;
	struct weft_vt *w;
	struct vt_rank *me;
	uint32_t rank;
	const struct weft_carrier_up *up;
	void *up_arg;
	/* acc = acc op in; returns arithmetic flags */
	uint32_t (*combine)(unsigned op, unsigned type, void *acc,
			    const void *in, size_t bytes);
	int (*change)(const void *what, size_t operand_bytes, void *data,
		      void *old, size_t bytes);
	struct weft_hash peers; /* peer records of contacted ranks, by rank */
	/* peer records of contacted ranks, by peer index */
	struct vt_peer **contacted;
	uint32_t contacted_count;
	uint32_t contacted_room;
	struct weft_carrier_stats stats;
	bool threads;
	bool out;	 /* this rank has left the world */
	uint64_t end_ps; /* time at which the fault plan ends this rank */
	bool no_dma;
	/* transfers in flight, by transfer number */
	struct weft_dma *dma[VT_DMAS];
	uint64_t files; /* number of file accesses by this rank */
	weft_au32 full; /* exhausted resources: enum vt_room */
	/* number of packets received when the unit refused a packet */
	uint64_t refused_received;
	struct vt_member *full_member; /* route member whose window was full */
	/* reduction state of full_member, or NULL */
	struct vt_adder *full_adder;
	/* sequence number of the contribution for which the window was full */
	uint64_t full_seq;
	bool shares; /* this rank may use all processors of the job */
	weft_au32 woken;
	weft_au32 blocked;
	weft_au32 idle_polls; /* consecutive polls without result */
	/* idle_polls when the clock was last read; 0: not read */
	uint32_t clock_poll;
	/* virtual time of the first poll in the series, ps */
	uint64_t series_ps;
	/* next rank whose process is checked */
	uint32_t check_next;
	uint32_t left_seen;
	/* The last packet sent; used to detect messages of several packets. */
	uint32_t last_to;
	uint64_t last_clock;
	struct weft_pkt_attr last_attr;
	struct weft_pkt_attr attr; /* path and routing of the next packet */
	/* the next packet starts a message of several packets */
	bool long_message;
	uint64_t long_ps; /* additional software time of that message, ps */
	/* the last packet belongs to a message of several packets */
	bool in_long_message;
	/* Class routes of this rank, by id. */
	struct vt_own_route {
		bool open;
		int me;
		int n;
		uint32_t place; /* index in weft_vt.routes */
		/*
		 * Results that the rank has not taken yet; short results are
		 * stored inline.
		 */
		struct vt_result {
			uint64_t seq; /* sequence number plus one; 0: none */
			uint32_t flags;
			uint32_t bytes;
			unsigned char inline_data[VT_INLINE_BYTES];
		} result[VT_WINDOW];
		unsigned char data[VT_WINDOW][WEFT_BACKEND_PART_MAX];
	} * route; /* array of WEFT_BACKEND_ROUTES entries */
	/* State of the world when it last made progress (vt_watch.c). */
	struct vt_progress {
		uint64_t passes;
		uint64_t steps; /* number of hops and packets of the model */
		uint64_t since_ns;
		/* CPU time of the engine's owner at since_ns, clock ticks */
		uint64_t cpu_ticks;
		uint32_t owner;
	} still;
	/* virtual time set by the last wait, at which the rank must run */
	uint64_t due;
	/* State of this rank's interface (vt_interface.c). */
	struct {
		bool matches;	 /* the interface matches messages */
		bool refused;	 /* the engine has refused the next packet */
		bool running;	 /* packets are processed by the interface */
		uint64_t now_ps; /* the interface's clock while it runs, ps */
		/* virtual time of the last release of the interface, ps */
		uint64_t released_ps;
		/* time at which the interface completed its last work, ps */
		uint64_t done_ps;
		/* receive cost not yet added to the rank's clock, ps */
		uint64_t owed_ps;
		int packets; /* packets processed while the rank computed */
	} interface;
	/* CPU time at the end of the last call */
	struct vt_cpu_time cpu;
	struct vt_computing {
		int counter; /* descriptor of the instruction counter, or -1 */
		/* returns the count of basic blocks; NULL: not used */
		uint64_t (*blocks)(void);
		/* instructions at the end of the last call */
		uint64_t counted;
		struct weft_rng rng; /* random number generator for the noise */
		/* computation time until the next interruption, ps */
		uint64_t quiet_ps;
	} computing;
	/* Times at which this rank's last run began (vt_engine_pass.c). */
	uint64_t run_ns;
	struct vt_cpu_time run_cpu;
	uint64_t computed_ns; /* CPU time of all long runs, ns */
	/* number of further runs whose CPU time is measured */
	uint32_t watched;
};

static inline struct vt *vt_of(struct weft_carrier *c)
{
	return (struct vt *)c;
}

/*
 * Leaves the engine if the condition is false. Any process of the job may have
 * overwritten the world: ranks check the values that they read from it and call
 * vt_mark_broken(); the engine runs under a guard (src/os/guard.h), and
 * vt_require() leaves the guarded function if a check fails.
 */
static inline void vt_require(bool condition)
{
	if (weft_unlikely(!condition))
		weft_guard_fail("the shared world segment of virtual time is "
				"inconsistent");
}

static inline struct vt_buf *vt_buf(struct weft_vt *w, uint32_t i)
{
	vt_require(i < w->buf_count);
	return (struct vt_buf *)(void *)(w->bufs + i * w->buf_bytes);
}

static inline struct vt_rank *vt_rank(struct weft_vt *w, uint32_t rank)
{
	vt_require(rank < w->size);
	return &w->rank_of[rank];
}

/*
 * Returns the index of the k-th buffer of a rank. vt_buf_owner() returns the
 * rank that owns a buffer.
 */
static inline uint32_t vt_buf_of(const struct weft_vt *w, uint32_t rank,
				 uint32_t k)
{
	return k * w->size + rank;
}

static inline uint32_t vt_buf_owner(const struct weft_vt *w, uint32_t i)
{
	return i % w->size;
}

/*
 * Clocks and similar words are accessed relaxed: with one thread per rank, the
 * hand-over to the engine orders the accesses. With several threads, one may
 * read while another writes, and any value that the word has had is acceptable.
 */
static inline uint64_t vt_now(const struct vt_rank *r)
{
	return weft_load64_relaxed(&r->clock);
}

static inline void vt_now_set(struct vt_rank *r, uint64_t at)
{
	weft_store64_relaxed(&r->clock, at);
}

static inline void vt_clock_advance(struct vt_rank *r, uint64_t ps)
{
	vt_now_set(r, vt_now(r) + ps);
}

/*
 * relaxed, like vt_now(): the rank may change it during an engine pass by
 * blocking again, and either value is acceptable
 */
static inline uint64_t vt_due(const struct weft_vt *w, uint32_t rank)
{
	return weft_load64_relaxed(&w->due[rank]);
}

static inline void vt_due_set(struct weft_vt *w, uint32_t rank, uint64_t at)
{
	weft_store64_relaxed(&w->due[rank], at);
}

static inline uint64_t vt_reached(const struct weft_vt *w)
{
	return weft_load64_relaxed(&w->head->now);
}

static inline uint32_t vt_idle_polls(const struct vt *v)
{
	return weft_load32_relaxed(&v->idle_polls);
}

static inline void vt_idle_polls_set(struct vt *v, uint32_t n)
{
	weft_store32_relaxed(&v->idle_polls, n);
}

/* Returns the buffer posted after buffer i, or VT_NONE. */
static inline uint32_t vt_after(struct weft_vt *w, uint32_t i)
{
	/* relaxed: written by posted_by() in this process */
	return weft_load32_relaxed(&vt_buf(w, i)->next);
}

/*
 * Pushes buffer i onto a stack that is linked by `next`; many processes push,
 * one process pops.
 */
static inline void vt_push(struct weft_vt *w, weft_au32 *top, uint32_t i)
{
	/* relaxed: the compare-and-swap checks the value */
	uint32_t old = weft_load32_relaxed(top);

	do {
		/* relaxed: published by the compare-and-swap */
		weft_store32_relaxed(&vt_buf(w, i)->next, old);
	} while (!weft_cas32(top, &old, i));
}

/* vt_world.c */
/*
 * Sets *rank_p to the rank that has this address; -EHOSTUNREACH: no rank of
 * this world has it.
 */
int vt_name_rank(const struct weft_vt *w, const union weft_name *name,
		 uint32_t *rank_p);

/* vt_engine_pass.c */
/*
 * Returns the cost of a call whose normal cost is ps picoseconds; a fault plan
 * may increase it for a slow node.
 */
uint64_t vt_cost(const struct vt *v, uint64_t ps);
struct vt_engine_pass {
	struct vt *v;
	struct weft_vt *w;
	uint64_t time_ps; /* virtual time of the event being processed, ps */
	/* virtual time before which no released rank can act, ps */
	uint64_t horizon;
	bool stop; /* the horizon or a due time has moved */
};

/*
 * Start and end the measurement of a rank's run, from its release until it
 * blocks.
 */
void vt_run_begin(struct vt *v);
void vt_run_end(struct vt *v);
/* Releases a rank: after the pass it continues, at virtual time `at`. */
void vt_rank_release(struct vt_engine_pass *t, uint32_t rank, uint64_t at);
/*
 * Releases a rank because of an event at time `at`: a blocked rank continues at
 * that time, a polling rank at the time of its next poll.
 */
void vt_rank_notify(struct vt_engine_pass *t, uint32_t rank, uint64_t at);
/*
 * Called by the engine: delivers packet i to rank, at the time of the pass.
 * With `quiet` the rank is not woken, since more packets follow.
 */
void vt_arrive(struct vt_engine_pass *t, uint32_t rank, uint32_t i, bool quiet);
/*
 * Decrements the rank's number of packets and transfers in flight. If the rank
 * has closed and the number is now 0, calls vt_rank_left().
 */
void vt_flight_done(struct vt_engine_pass *t, uint32_t rank);
/* Handles a rank that has left: releases all ranks that may wait for it. */
void vt_rank_left(struct vt_engine_pass *t, uint32_t rank);
/*
 * Returns a buffer to its owner, and releases the owner if it waits for a
 * buffer.
 */
void vt_buf_return(struct vt_engine_pass *t, uint32_t i);
/*
 * Returns the time, `at` or later, at which the network can accept a message.
 */
uint64_t vt_send_time(const struct weft_vt *w, uint64_t at);
/* Sets the endpoints and the route of a message between two ranks. */
void vt_msg_init(struct weft_vt *w, uint32_t from, uint32_t to,
		 const struct weft_pkt_attr *attr, struct net_msg *m);
/* Like vt_msg_init(), for messages that an interface sends without its rank. */
void vt_msg_init_unit(struct weft_vt *w, uint32_t from, uint32_t to,
		      const struct weft_pkt_attr *attr, struct net_msg *m);
/*
 * Calls vt_msg_init() or vt_msg_init_unit(), as required for a packet or
 * transfer of a rank.
 */
void vt_msg_init_sent(struct weft_vt *w, const struct vt_buf *b,
		      struct net_msg *m);
void vt_model_send(struct weft_vt *w, uint64_t at, const struct net_msg *m);
/* Sends a message of a rank through the network or the node's memory. */
void vt_rank_send(struct weft_vt *w, uint64_t at, uint32_t from, uint32_t to,
		  const struct net_msg *m);
/* Returns whether the machine acknowledges packets. */
static inline bool vt_acks(const struct net_config *cfg)
{
	return cfg->ack_bytes || cfg->ack_wire_bytes;
}

/*
 * Called when another rank has changed memory of this rank: if the rank is in a
 * polling loop, the rank polls again.
 */
void vt_memory_changed(struct vt_engine_pass *t, uint32_t rank);
/* Returns the number of the path with this name; 0: there is none. */
unsigned vt_path_of(const struct net_config *cfg, const char *name);
/* Marks the world broken: every wait of every rank fails. */
void vt_mark_broken(struct vt *v) WEFT_COLD;
/*
 * In a broken world, wakes the ranks that block without a timeout; does so only
 * once.
 */
void vt_result_broken(struct vt *v) WEFT_COLD;

/* vt_wait.c */
int vt_wait(struct weft_carrier *c, uint64_t timeout_ns);
int vt_verdict(struct weft_carrier *c);
void vt_wake(struct weft_carrier *c);
/* Advances the clock by the cost of a poll without result. */
void vt_poll_unsuccessful(struct vt *v);
/*
 * Ends the series of polls without result, because an operation has completed:
 * the next polls advance the clock by one step each.
 */
void vt_completed(struct weft_carrier *c);
/*
 * Records that the program has read the clock, so that its polling loop may end
 * at a certain time.
 */
void vt_clock_read(struct vt *v);
/* Leaves the world; the other ranks continue. */
void vt_world_leave(struct vt *v);

/* vt_compute.c */
/*
 * Opens the counter of instructions, if it is needed. Returns 0, or -errno
 * after logging the error.
 */
int vt_compute_open(struct vt *v);
void vt_compute_close(struct vt *v);
/*
 * vt_enter() adds the time of the computation since the last call to the clock,
 * if FI_WEFT_COMPUTE is set. vt_exit() starts the next measurement.
 */
void vt_enter(struct vt *v);
void vt_exit(struct vt *v);
/*
 * Adds to the clock a computation that takes `ps` on the machine, and its
 * noise.
 */
void vt_computed(struct vt *v, uint64_t ps);
void vt_cpu_begin(struct vt_cpu_time *t);
/*
 * Returns the CPU time of the calling thread since its call of vt_cpu_begin(),
 * ns; 0 if another thread made that call.
 */
uint64_t vt_cpu_since(const struct vt_cpu_time *t);

/* vt_cpus.c */
/*
 * vt_cpus_add() adds this rank's processors to the job's set; vt_cpus_share()
 * binds the rank to the whole set.
 */
void vt_cpus_add(struct vt_head *h);
void vt_cpus_share(struct vt_head *h);

/* vt_tx.c */
int vt_send(struct weft_carrier *c, struct weft_peer *peer,
	    const struct weft_pkt *pkt, const struct iovec *iov, int count);
void vt_path_record(struct weft_carrier *c, const struct weft_pkt_attr *attr);
unsigned vt_path(struct weft_carrier *c, const char *name);
/* Returns a free buffer from this rank's pool, or VT_NONE. */
uint32_t vt_buf_get(struct vt *v);
/*
 * Records that a resource was exhausted at a send. vt_has_room() returns
 * whether such a resource is available again.
 */
void vt_set_backpressure(struct vt *v, enum vt_room what);
bool vt_has_room(const struct vt *v);
/*
 * Records that the unit refused a packet; the record is valid until another
 * packet arrives.
 */
void vt_full(struct weft_carrier *c);
void vt_send_cost(struct vt *v);
/*
 * Returns the time that this processor needs to copy a packet when sending or
 * receiving, ps.
 */
uint64_t vt_packet_copy_ps(const struct vt *v, const struct vt_buf *b);
void vt_post(struct vt *v, uint32_t i);

/* vt_wait.c */
/*
 * Blocks until the condition holds, without reading packets. Returns 0 or the
 * result of vt_verdict().
 */
int vt_block_until(struct vt *v, bool (*done)(const struct vt *v));

/* vt_rx.c */
int vt_poll(struct weft_carrier *c, int budget);
/* Returns the arrival time of the next packet in the list, or VT_NEVER. */
uint64_t vt_next(struct vt *v);

/* Reads at most `budget` packets that have arrived up to the rank's clock. */
int vt_rx_receive(struct vt *v, int budget);

/* vt_interface.c */
static inline struct vt_interface *vt_interface_of(struct weft_vt *w,
						   uint32_t rank)
{
	return &w->cold_of[rank].interface;
}

/* Returns the clock of the rank, or of its interface while that runs. */
static inline uint64_t vt_time(const struct vt *v)
{
	return weft_unlikely(v->interface.running) ? v->interface.now_ps
						   : vt_now(v->me);
}

/*
 * Advances the rank's clock. While its interface runs, the time is added to the
 * clock later, when the rank polls.
 */
static inline void vt_charge(struct vt *v, uint64_t ps)
{
	if (weft_unlikely(v->interface.running))
		v->interface.owed_ps += ps;
	else
		vt_clock_advance(v->me, ps);
}

void vt_interface_init(struct vt *v, const struct weft_carrier_attr *attr);
bool vt_interface_matches(struct weft_carrier *c);
void vt_interface_searched(struct weft_carrier *c, uint64_t entries,
			   uint64_t posted_ps);
/*
 * Lets the interface process the packets that have arrived up to the rank's
 * clock; returns the number of packets.
 */
int vt_interface_receive(struct vt *v, int budget);
/*
 * Called before and after a rank blocks. vt_interface_block() returns the time
 * at which the rank or its interface must run. vt_interface_release() returns
 * whether the interface was released; if so, the interface has run, and *due_p
 * is the time at which the rank must run.
 */
uint64_t vt_interface_block(struct vt *v, uint64_t due);
bool vt_interface_release(struct vt *v, enum weft_vt_state as, uint64_t *due_p);
/*
 * vt_interface_time.c, called by the engine. vt_interface_stamp() returns the
 * time at which the rank or its interface can read an arriving packet;
 * vt_interface_runs() returns whether an event at time `at` concerns the
 * interface only, because the rank's clock is later.
 */
uint64_t vt_interface_stamp(struct vt_engine_pass *t, uint32_t rank,
			    const struct vt_buf *b);
bool vt_interface_runs(struct weft_vt *w, uint32_t rank, uint64_t at);
void vt_interface_drain(struct vt_engine_pass *t, uint32_t rank);

/* vt_engine.c */

/* Runs the model if no rank is running, then wakes the released ranks. */
void vt_engine_try(struct vt *v);
/*
 * vt_owner_alive() returns whether the owner recorded in the engine word is a
 * living rank, vt_rank_alive() whether the process of a rank is alive.
 */
bool vt_owner_alive(const struct weft_vt *w, uint32_t owner);
bool vt_rank_alive(const struct weft_vt *w, uint32_t rank);

/* vt_message.c */
/*
 * Sends the message that starts with packet `first`. Returns the last packet of
 * the message.
 */
uint32_t vt_message_post(struct vt_engine_pass *t, uint32_t rank,
			 uint32_t first);
/*
 * Handles the arrival of `bytes` bytes of the message whose last packet is
 * `end`.
 */
void vt_message_packet(struct vt_engine_pass *t, uint32_t end, uint32_t bytes);
/*
 * Handles the loss of the remaining bytes of the message whose last packet is
 * `end`.
 */
void vt_message_lost(struct vt_engine_pass *t, uint32_t end);
/*
 * Functions to append a message to a FIFO, to remove one, and to find the first
 * message from one rank to another.
 */
void vt_msg_fifo_add(struct weft_vt *w, struct vt_msg_fifo *l, uint32_t i);
void vt_msg_fifo_remove(struct weft_vt *w, struct vt_msg_fifo *l, uint32_t i);
uint32_t vt_msg_fifo_first(struct weft_vt *w, uint32_t from, uint32_t to);

/* vt_file_call.c */
int vt_file_access(struct weft_carrier *c, uint64_t bytes, bool write);

/* vt_file.c, called by the engine */
void vt_file_post(struct vt_engine_pass *t, uint32_t i);
void vt_file_packet(struct vt_engine_pass *t, uint32_t i, uint32_t bytes);
void vt_file_lost(struct vt_engine_pass *t, uint32_t i);

/* vt_background.c: ends virtual time when only background jobs are left */
bool vt_background_is_over(struct weft_vt *w);
/*
 * Returns whether virtual time has ended for the rank, so that it will not be
 * released again.
 */
bool vt_background_has_ended(const struct weft_vt *w, uint32_t rank);

/* vt_spawn.c, called by the engine */
void vt_spawn_post(struct vt_engine_pass *t, uint32_t i);
void vt_spawn_start(struct vt_engine_pass *t, uint32_t i);

/* vt_dma.c */
int vt_get(struct weft_carrier *c, struct weft_peer *peer, struct weft_dma *d,
	   const struct weft_dma_path *path);
int vt_put(struct weft_carrier *c, struct weft_peer *peer, struct weft_dma *d,
	   const struct weft_dma_path *path);
int vt_atomic(struct weft_carrier *c, struct weft_peer *peer,
	      struct weft_amo *a, const struct weft_dma_path *path);
/*
 * Completes a transfer of this rank: calls its function done(). Returns -EPROTO
 * if there is no such transfer.
 */
int vt_dma_completed(struct vt *v, const struct vt_buf *b);
/* Called by the engine: starts the transfer posted in buffer i. */
void vt_dma_post(struct vt_engine_pass *t, uint32_t i);
/* vt_memory.c: messages between ranks of one node through the node's memory. */
bool vt_memory_shared(const struct weft_vt *w, uint32_t from, uint32_t to);
void vt_memory_send(struct weft_vt *w, uint64_t at, const struct net_msg *m);
/*
 * Handles a timer of a message through memory: starts its copy, or returns true
 * if the copy has ended or there are no bytes. Sets *bytes_p to the number of
 * bytes of the message.
 */
bool vt_memory_copy(struct vt_engine_pass *t, uint64_t cookie,
		    uint64_t *bytes_p);
void vt_dma_packet(struct vt_engine_pass *t, uint32_t i, uint64_t bytes);
void vt_dma_lost(struct vt_engine_pass *t, uint32_t i);

/* vt_end.c */
struct weft_fault_plan;
struct weft_fault_plan_why;
/*
 * Sets the times at which the fault plan ends ranks. Returns false if a line is
 * invalid; `why` then has the error message.
 */
bool vt_ends_load(struct weft_vt *w, const char *name,
		  const struct weft_fault_plan *plan,
		  struct weft_fault_plan_why *why);
static inline bool vt_has_ended(const struct vt *v)
{
	return vt_now(v->me) >= v->end_ps && v->end_ps != VT_NEVER;
}

/* Handles the death of a rank's process that is not part of the fault plan. */
void vt_end_of_process(struct vt_engine_pass *t, uint32_t rank);
/*
 * Called by the engine: the other ranks have detected the end of the rank that
 * the cookie names.
 */
void vt_end_known(struct vt_engine_pass *t, uint64_t cookie);
/* Called by the engine when the other ranks detect that a rank has failed. */
void vt_rank_failed(struct vt_engine_pass *t, uint32_t rank,
		    uint64_t failed_ps);
/* Called by the engine when a rank leaves a job in which ranks may fail. */
void vt_rank_leaves(struct vt_engine_pass *t, uint32_t rank);

/* vt_fault.c */
void vt_fault_dead(void *arg, uint64_t at, uint32_t node);
/*
 * Called by the engine when the interface of the origin has received the
 * acknowledgement of a put.
 */
void vt_dma_acked(struct vt_engine_pass *t, uint32_t i);

/* vt_watch.c */
/* Checks that the processes of running ranks still exist. */
void vt_engine_watch(struct vt *v);

#endif
