/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The vt carrier inside: real processes in virtual time.
 *
 *   vt_ops.c         open, close, peers, the tables
 *   vt_world.c   the region: made, found, mapped
 *   vt_meet.c    the same by a name, without a launcher
 *   vt_wait.c    blocking and being freed; looks that cost time
 *   vt_cpus.c    where ranks run
 *   vt_tx.c      packets into buffers, for the engine
 *   vt_rx.c      packets out of the list of arrivals
 *   vt_message.c messages of the model, and their order
 *   vt_dma.c     transfers between memories
 *   vt_fault.c   nodes that die and messages that are lost, by a plan
 *   vt_turn.c    what the parts of a turn have in common
 *   vt_engine.c  the model runs, by whoever blocked last
 *   vt_watch.c   who died, and what does not move any more
 *   vt_route.c   class routes
 *   vt_part.c    their parts and results
 *   vt_fold.c    reductions by the interfaces of their members
 *   vt_tell.c    results that go from member to member
 *   vt_tree.c    trees of the model for class routes, shared if need be
 *
 * vt_layout.h has the shared format and who writes it when.
 */
#ifndef WEFT_CARRIER_VT_INT_H
#define WEFT_CARRIER_VT_INT_H

#include "prov/carrier/vt/vt_layout.h"
#include "prov/net/net.h"
#include "src/base/attr.h"
#include "src/base/guard.h"
#include "src/base/region.h"

#include <errno.h>

/* Of a message of many packets, each so-manieth wakes its receiver. */
#define VT_LOUD 64u

/* Bytes of a result that need no second place in memory. */
#define VT_FEW 16u

/* Looks in vain that cost nothing: part of sending and of waiting. */
#define VT_FREE_LOOKS 2u

/* Runs of a rank whose processor time is asked for, after a long one. */
#define VT_WATCHED 64u

/* The world as this process has mapped it. */
struct weft_vt {
	struct weft_region region;
	struct vt_head *head;
	struct vt_rank *rank_of;
	weft_au64 *due;	 /* when a rank that does not run is to run again */
	uint32_t *batch; /* who was freed last, in order */
	struct vt_desk *desk_of;
	char *bufs;
	struct vt_join *joins;
	struct vt_member *members;
	struct vt_adder *adders; /* NULL: no interface adds */
	struct vt_route *routes;
	struct vt_tree *trees;
	char *shares;
	struct net *net;
	/* what never changes, checked once, and not read from there again */
	uint32_t size;	    /* ranks */
	uint32_t buf_count; /* of all of them */
	size_t buf_bytes;
	size_t packet_bytes;
	uint64_t ahead_ps;
	unsigned fold_path; /* by which interfaces send by themselves */
	unsigned word_path; /* by which they do atomics; 0: none */
	struct net_config cfg;
	uint32_t rank;
	bool taken; /* a carrier stands on it */
	int listen; /* weft_vt_meet: rank 0's socket, or -1 */
	double compute;
	uint32_t *wake; /* whom this process has to wake, in order */
	uint32_t wake_count;
};

struct vt_turn;

struct vt_peer {
	struct weft_peer base;
	uint32_t rank;
};

struct vt {
	struct weft_carrier base;
	struct weft_vt *w;
	struct vt_rank *me;
	uint32_t rank;
	const struct weft_carrier_up *up;
	void *up_arg;
	weft_vt_combine_fn combine;
	int (*change)(const void *what, size_t what_bytes, void *data,
		      void *old, size_t bytes);
	struct vt_peer **peer; /* by rank; NULL: not met */
	uint32_t *met;	       /* ranks in the order of their index */
	uint32_t met_count;
	struct weft_carrier_stats stats;
	bool threads;
	bool out; /* has left the world */
	bool no_dma;
	struct weft_vt_dma *dma[VT_DMAS]; /* under way, by their number */
	weft_au32 full;		  /* what a send did not find, enum vt_room */
	uint64_t refused_at;	  /* by the unit: what had come by then */
	struct vt_member *narrow; /* whose window was full */
	struct vt_adder *narrow_adder; /* and its adder's, or NULL */
	uint64_t narrow_seq;	       /* for this one */
	bool shares;		       /* runs on all processors of the job */
	weft_au32 woken;
	weft_au32 blocked;   /* a thread sleeps for this rank */
	weft_au32 looks;     /* fruitless polls in a row */
	uint32_t clock_look; /* of them, before the clock was last read; 0 */
	uint64_t row_ps;     /* when the row began */
	uint32_t watch_next; /* whose life is asked for */
	uint32_t left_seen;
	/* the last packet sent, for messages of several */
	uint32_t last_to;
	uint64_t last_clock;
	struct weft_vt_way last_way;
	struct weft_vt_way way; /* of the next one */
	bool lengthy; /* the next packet begins a message of several */
	/* class routes of this rank, by their id */
	struct vt_own_route {
		bool open;
		int me;
		int n;
		uint32_t place; /* in the routes */
		/* results to be taken; a short one lies with its head */
		struct vt_result {
			uint64_t seq; /* plus one; 0: none */
			uint32_t flags;
			uint32_t bytes;
			unsigned char few[VT_FEW];
		} result[VT_WINDOW];
		unsigned char data[VT_WINDOW][VT_PART_BYTES];
	} * route; /* WEFT_VT_ROUTES */
	/* what the world looked like when it last moved; vt_watch.c */
	struct vt_still {
		uint64_t turns;
		uint64_t steps; /* of the model */
		uint64_t since_ns;
		uint64_t cpu_ticks; /* of the engine's owner, then */
		uint32_t owner;
	} still;
	uint64_t due;	 /* that it last blocked with */
	uint64_t cpu_ns; /* thread's CPU time when it was last here */
	/* the run of this rank: since it was freed; vt_turn.c */
	uint64_t run_ns;
	uint64_t run_cpu_ns;
	uint64_t computed_ns; /* processor time of long runs, all together */
	uint32_t watched;     /* runs whose processor time is asked for */
};

static inline struct vt *vt_of(struct weft_carrier *c)
{
	return (struct vt *)c;
}

/*
 * Everything in the world may have been written over. Ranks check what they
 * take from it and call vt_ruin(); the engine runs under a guard, and leaves
 * it when something is not so.
 */
static inline void vt_sure(bool it_is_so)
{
	if (weft_unlikely(!it_is_so))
		weft_guard_leave("the world of virtual time makes no sense");
}

static inline struct vt_buf *vt_buf(struct weft_vt *w, uint32_t i)
{
	vt_sure(i < w->buf_count);
	return (struct vt_buf *)(void *)(w->bufs + i * w->buf_bytes);
}

static inline struct vt_rank *vt_rank(struct weft_vt *w, uint32_t rank)
{
	vt_sure(rank < w->size);
	return &w->rank_of[rank];
}

/* The k-th buffer of a rank, and whose a buffer is. */
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
 * Clocks and the like are relaxed: with one thread in a rank the hand-over
 * orders them; with several, one may look while another's changes, and any
 * value that it had will do.
 */
static inline uint64_t vt_now(const struct vt_rank *r)
{
	return weft_load64_relaxed(&r->clock);
}

static inline void vt_now_set(struct vt_rank *r, uint64_t at)
{
	weft_store64_relaxed(&r->clock, at);
}

static inline void vt_pass(struct vt_rank *r, uint64_t ps)
{
	vt_now_set(r, vt_now(r) + ps);
}

/* relaxed, likewise: a thread may block again while the engine runs */
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

static inline uint32_t vt_looks(const struct vt *v)
{
	return weft_load32_relaxed(&v->looks);
}

static inline void vt_looks_set(struct vt *v, uint32_t n)
{
	weft_store32_relaxed(&v->looks, n);
}

/* What was posted behind it. */
static inline uint32_t vt_after(struct weft_vt *w, uint32_t i)
{
	/* relaxed: as posted_by() left it */
	return weft_load32_relaxed(&vt_buf(w, i)->next);
}

/* A stack of buffers through their next; many push, one pops. */
static inline void vt_push(struct weft_vt *w, weft_au32 *top, uint32_t i)
{
	uint32_t old = weft_load32_relaxed(top); /* the swap decides */

	do {
		/* relaxed: published by the swap */
		weft_store32_relaxed(&vt_buf(w, i)->next, old);
	} while (!weft_cas32(top, &old, i));
}

/* vt_world.c */
/* The rank of an address; -EHOSTUNREACH: nobody's of this world. */
int vt_name_rank(const struct weft_vt *w, const struct sockaddr_in *name,
		 uint32_t *rank_p);

/* vt_turn.c */
/* What a call costs at a node that may be slow. */
uint64_t vt_cost(const struct vt *v, uint64_t ps);
/* One run of the model. */
struct vt_turn {
	struct vt *v;
	struct weft_vt *w;
	uint64_t at;	  /* the event that is being dealt with */
	uint64_t horizon; /* whoever was freed acts from here on, or later */
	bool stop;	  /* the horizon or a due time has moved */
};

/* Counts computing since the last call, if that is wanted. */
void vt_enter(struct vt *v);
void vt_exit(struct vt *v);
/* The rank runs, and blocks. */
void vt_run_begin(struct vt *v);
void vt_run_end(struct vt *v);
/* The rank runs from this time on, when the turn is over. */
void vt_turn_free(struct vt_turn *t, uint32_t rank, uint64_t at);
/* Something has come for a rank: it runs at this time, or looks then. */
void vt_engine_notice(struct vt_turn *t, uint32_t rank, uint64_t at);
/*
 * The engine's: packet i has arrived at rank, at the turn's time. quiet: that
 * is no reason to wake it, others follow.
 */
void vt_arrive(struct vt_turn *t, uint32_t rank, uint32_t i, bool quiet);
/* Something that rank had under way has landed; it may have waited to go. */
void vt_landed(struct vt_turn *t, uint32_t rank);
/* A rank is gone: all may look. */
void vt_depart(struct vt_turn *t, uint32_t rank);
/* A buffer goes home to its owner, who may wait for it. */
void vt_give_back(struct vt_turn *t, uint32_t i);
/* When the network may still take what was sent at this time. */
uint64_t vt_send_time(const struct weft_vt *w, uint64_t at);
/* Ends and way of a message between two ranks. */
void vt_aim(struct weft_vt *w, uint32_t from, uint32_t to,
	    const struct weft_vt_way *way, struct net_msg *m);
/* The same of what an interface sends by itself. */
void vt_aim_unit(struct weft_vt *w, uint32_t from, uint32_t to,
		 const struct weft_vt_way *way, struct net_msg *m);
void vt_model_send(struct weft_vt *w, uint64_t at, const struct net_msg *m);
/* Does the machine acknowledge packets? */
static inline bool vt_acks(const struct net_config *cfg)
{
	return cfg->ack_bytes || cfg->ack_wire_bytes;
}

/* Somebody else has changed its memory: who looks in a loop looks again. */
void vt_touched(struct vt_turn *t, uint32_t rank);
/* The number of a path, or 0. */
unsigned vt_path_of(const struct net_config *cfg, const char *name);
/* The world makes no sense: every wait, of every rank, ends with that. */
void vt_ruin(struct vt *v) WEFT_COLD;
/* Wakes those who sleep for ever, once. */
void vt_tell_broken(struct vt *v) WEFT_COLD;

/* vt_wait.c */
int vt_wait(struct weft_carrier *c, uint64_t timeout_ns);
int vt_verdict(struct weft_carrier *c);
void vt_wake(struct weft_carrier *c);
/* A look found nothing: lets time pass, as far as looking costs any. */
void vt_look(struct vt *v);
/* An operation has completed: the next polls are single steps again. */
void vt_completed(struct weft_carrier *c);
/* The program has read the clock: its loop of polls may end by time. */
void vt_clock_read(struct vt *v);
/* Out of the world; the others go on. */
void vt_out(struct vt *v);

/* vt_cpus.c */
/* Adds this rank's processors to the job's; runs on any of those. */
void vt_cpus_add(struct vt_head *h);
void vt_cpus_share(struct vt_head *h);

/* vt_tx.c */
int vt_send(struct weft_carrier *c, struct weft_peer *peer,
	    const struct weft_pkt *pkt, const struct iovec *iov, int count);
void vt_way(struct weft_carrier *c, const struct weft_vt_way *way);
unsigned vt_path(struct weft_carrier *c, const char *name);
/* A buffer of the own pool, or VT_NONE. */
uint32_t vt_buf_get(struct vt *v);
/* A send did not find this; has it come back since? */
void vt_lack(struct vt *v, enum vt_room what);
bool vt_has_room(const struct vt *v);
/* The unit refused a packet until something comes. */
void vt_full(struct weft_carrier *c);
/* Lets the time of a call that sends pass. */
void vt_pay(struct vt *v);
/* Hands it to the engine. */
void vt_post(struct vt *v, uint32_t i);

/* vt_rx.c */
int vt_poll(struct weft_carrier *c, int budget);
/* When the next packet that is known is to be read, or VT_NEVER. */
uint64_t vt_next(struct vt *v);

/* vt_engine.c */

/* Runs the model if nobody else runs; then wakes whom that freed. */
void vt_engine_try(struct vt *v);
/* Whether the engine's word names a rank that lives, and a rank lives. */
bool vt_owner_lives(const struct weft_vt *w, uint32_t owner);
bool vt_rank_lives(const struct weft_vt *w, uint32_t rank);

/* vt_message.c */
/* Posts the message that begins with a packet; the last of its packets. */
uint32_t vt_message_post(struct vt_turn *t, uint32_t rank, uint32_t first);
/* Bytes of the message whose last packet is end have come. */
void vt_message_packet(struct vt_turn *t, uint32_t end, uint32_t bytes);
/* The rest of them will not. */
void vt_message_lost(struct vt_turn *t, uint32_t end);
/* Lines of buffers: behind the last, out, the first to a rank from here on. */
void vt_line_add(struct weft_vt *w, struct vt_line *l, uint32_t i);
void vt_line_remove(struct weft_vt *w, struct vt_line *l, uint32_t i);
uint32_t vt_line_first(struct weft_vt *w, uint32_t from, uint32_t to);

/* vt_dma.c */
int vt_dma(struct weft_carrier *c, struct weft_peer *peer,
	   struct weft_vt_dma *d);
/* One of ours has ended: tells who posted it. -EPROTO: there is none. */
int vt_dma_over(struct vt *v, const struct vt_buf *b);
/* The engine's side. */
void vt_dma_post(struct vt_turn *t, uint32_t i);
void vt_dma_packet(struct vt_turn *t, uint32_t i, uint32_t bytes);
void vt_dma_lost(struct vt_turn *t, uint32_t i);

/* vt_fault.c */
void vt_fault_dead(void *arg, uint64_t at, uint32_t node);
/* What the plan did, as carrier_vt.h has it. */
const char *vt_fault_item(struct weft_carrier *c, unsigned i,
			  uint64_t *value_p);
int vt_fault_why(struct weft_carrier *c, uint32_t rank, char *text, size_t len);
void vt_dma_acked(struct vt_turn *t, uint32_t i);

/* vt_watch.c */
/* Asks whether those who should run are still there. */
void vt_engine_watch(struct vt *v);

/* vt_part.c */
bool vt_route_is_place(const struct weft_vt *w, uint32_t place);
struct vt_member *vt_route_members(struct weft_vt *w, uint32_t place);
struct vt_adder *vt_adders(struct weft_vt *w, uint32_t place);
/* The member that sent a part; will it get the result? */
struct vt_member *vt_part_member(struct weft_vt *w, const struct vt_buf *b);
bool vt_part_awaits(const struct weft_vt_part *part, uint32_t member);
/*
 * A part of a member that gets none is over, and its rank may wait for room;
 * the same of any part that was added.
 */
void vt_part_over(struct vt_turn *t, uint32_t i);
void vt_route_done(struct vt_turn *t, uint32_t i);
/* acc = acc op in; members that do not agree are noted in its flags. */
void vt_part_add(struct vt_turn *t, struct vt_buf *acc,
		 const struct vt_buf *in);
/*
 * Keeps a result while members hear of it (its buffer is its member's); its
 * place in the window. And one of them has heard, if its part waits.
 */
unsigned vt_route_hold(struct vt_turn *t, uint32_t place, uint64_t seq,
		       uint32_t i);
bool vt_route_hand_out(struct vt_turn *t, uint32_t place, uint32_t member,
		       unsigned k);
/* A sum is with the one who gets it, or is on its way to all. */
void vt_route_hand(struct vt_turn *t, uint32_t i);
void vt_route_cast(struct vt_turn *t, uint32_t i, uint64_t at);

/* vt_route.c */
int vt_route_open(struct weft_carrier *c, const struct weft_vt_route_attr *attr,
		  unsigned *id_p);
void vt_route_close(struct weft_carrier *c, unsigned id);
int vt_route_tree(struct weft_carrier *c, unsigned id,
		  void (*each)(void *arg, const struct weft_vt_branch *b),
		  void *arg);
bool vt_route_can(struct weft_carrier *c, enum weft_vt_kind kind);
bool vt_route_chained(struct weft_carrier *c, unsigned id);
int vt_route_send(struct weft_carrier *c, unsigned id,
		  const struct weft_vt_part *part, const void *data);
int vt_route_take(struct weft_carrier *c, unsigned id,
		  struct weft_vt_part *part, void *data);
/* A result has come: it waits for whoever takes it. -EPROTO: it is none. */
int vt_route_keep(struct vt *v, const struct vt_buf *b);
/* Is there a place for what a send found none for? */
bool vt_route_room(const struct vt *v);
/* The engine's side. */
void vt_route_post(struct vt_turn *t, uint32_t i);
uint64_t vt_route_combine(void *arg, uint64_t at, uint32_t node,
			  const uint64_t *cookie, unsigned count);
void vt_route_result(void *arg, uint64_t at, uint32_t route, uint32_t node,
		     uint64_t seq, uint64_t cookie);

/*
 * vt_tree.c: the tree over the nodes of the members of the route at a place; 0
 * or -errno. Is a member at that node? Members there, one after the other: nth
 * begins as VT_NONE, and VT_NONE is the end.
 */
int vt_tree_open(struct weft_vt *w, uint32_t place);
/* The same tree, for looking at. */
int vt_tree_plan(struct weft_vt *w, uint32_t place, struct net_tree_plan *tree);
void vt_tree_close(struct weft_vt *w, uint32_t place);
/*
 * There is none, and its members pass everything on: their interfaces, by
 * chained events, or their processors, who look.
 */
bool vt_tree_none(const struct weft_vt *w, uint32_t place);
bool vt_tree_chained(const struct weft_vt *w, uint32_t place);
bool vt_tree_looks(const struct weft_vt *w, uint32_t place);
bool vt_tree_at(struct weft_vt *w, uint32_t place, uint32_t node);
uint32_t vt_tree_next(struct weft_vt *w, uint32_t place, uint32_t node,
		      uint32_t *nth);

/* vt_fold.c */
/* Does the machine's network leave this part to the members' interfaces? */
bool vt_folds(const struct weft_vt *w, uint32_t place,
	      const struct weft_vt_part *part);
void vt_adder_init(struct vt_adder *a);
/* Does its place hold no part that is still to be added? */
bool vt_fold_fits(const struct vt_adder *a, uint64_t seq);
void vt_fold_post(struct vt_turn *t, uint32_t i);
void vt_fold_timer(void *arg, uint64_t at, uint64_t cookie);
void vt_fold_packet(struct vt_turn *t, uint32_t i, uint32_t bytes);

/* vt_tell.c */
/* The result in a part goes to all from that time on, from the first member. */
void vt_tell_begin(struct vt_turn *t, uint32_t i, uint64_t at);
/* So does a broadcast, from its root, by chained events. */
void vt_tell_cast(struct vt_turn *t, uint32_t i);
/* Had it come to a member who asks for it now? */
bool vt_tell_came(struct weft_vt *w, uint32_t place, uint32_t member,
		  unsigned k);
/* A packet of it is with a member, who passes it on when all is there. */
void vt_tell_packet(struct vt_turn *t, uint64_t cookie, uint64_t offset,
		    uint32_t bytes);
void vt_tell_timer(struct vt_turn *t, uint64_t cookie);

#endif
