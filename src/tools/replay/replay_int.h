/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internals of the replay of traces: ranks without processes.
 *
 * A rank is a fiber with an endpoint of the message engine (prov/nic) in a
 * hosted world of virtual time (prov/vt/vt_api.h). Calls of the trace are
 * executed as the MPI library would: the same tag words, protocols and
 * collective algorithms (coll/), and the same sequence of polls and waits,
 * since polls can take virtual time. Messages have sizes, but no data.
 *
 *   replay_fiber.c   fibers, and the loop that runs them and the model
 *   replay_rank.c    endpoints, completions, polls and waits of a rank
 *   replay_msg.c     sends and receives; the interface that coll/ calls
 *   replay_route.c   class routes; the interface that coll/ calls
 *   replay_comm.c    communicators
 *   replay_exec.c    calls of a trace, point to point
 *   replay_coll.c    calls of a trace, collectives
 *   replay_trace.c   reading of trace files; replay_otf2.c: of OTF2 archives
 *   replay_pattern.c calls of synthetic patterns
 *   replay_place.c   nodes of several programs
 *   replay_report.c  results
 */
#ifndef WEFT_REPLAY_INT_H
#define WEFT_REPLAY_INT_H

#include "prov/nic/nic.h"
#include "prov/vt/vt_api.h"
#include "src/comm/comm.h"
#include "src/msg/msg_p2p.h"
#include "src/msg/msg_req.h"
#include "src/msg/msg_wait.h"

#include <stdio.h>

struct replay_source;
struct replay_call;

/*
 * A program with a world communicator of its own. A replay may have several:
 * jobs that share the machine's network.
 */
struct replay_program {
	const char *name;  /* trace or pattern, as given on the command line */
	const char *place; /* nodes of the program's ranks; NULL: contiguous */
	bool is_pattern;
	bool background; /* repeats its calls until the other programs end */
	unsigned index;
	struct replay_source *source;
	struct weft_group *group; /* group of the world communicator */
	uint32_t first; /* number of the program's first rank in the replay */
	uint32_t size;
	/* number of the program's nodes; 0: the map places the ranks */
	uint32_t nodes;
	uint64_t calls;
};

/* A communicator of a rank, by its number in the trace. */
struct replay_comm {
	uint64_t id;
	struct weft_comm *comm;
};

/* An open request of a rank, by its number in the trace. */
struct replay_open {
	uint64_t id;
	struct weft_req *req;
};

struct replay_rank {
	uint32_t rank;	/* number in the replay, among the ranks of all programs
			 */
	uint32_t local; /* rank in its program */
	struct replay_program *program;
	uint64_t pass_ps; /* background: start of the current pass */
	struct replay_fiber *fiber;
	struct weft_nic *nic;
	struct weft_carrier *carrier;
	/* completed operations that no poll has read, as in a queue */
	struct weft_list done;
	unsigned done_count;
	bool signalled;		/* a join is complete, which ends a wait */
	struct weft_list retry; /* refused operations, in posting order */
	struct weft_list steps; /* nonblocking collectives */
	struct weft_list routes;
	uint32_t completed; /* weft_completed while the fiber is suspended */
	struct weft_comm *world;
	struct replay_comm *comm; /* communicators other than the world */
	unsigned comms;
	struct replay_open *open;
	unsigned opens, open_room;
	/* The call being executed, for reports; and the rank's result. */
	const char *call;
	int call_peer, call_tag;
	uint64_t call_number;
	bool stuck; /* the rank waits, and no wait can end */
	uint64_t end_ps;
};

struct replay_options {
	const char *machine, *map, *faults;
	uint32_t ppn;
	size_t eager;
	double compute;	  /* factor for the computation time between calls */
	bool no_finalize; /* ranks end without the barrier of MPI_Finalize */
	/*
	 * index of the only program that runs, on the nodes that it has; -1:
	 * all run
	 */
	int alone;
};

#define REPLAY_PROGRAMS 64

/* The programs that are replayed on one machine; one replay in a process. */
struct replay_job {
	struct weft_vt *world;
	const struct weft_machine *machine;
	struct replay_options opt;
	uint32_t size;
	struct replay_rank *rank;
	struct replay_program program[REPLAY_PROGRAMS];
	unsigned programs;
	unsigned backgrounds;
	uint32_t left; /* ranks that have not ended, except background ranks */
	char *scratch; /* buffer of all messages; its contents are undefined */
	size_t scratch_bytes;
	uint64_t stuck;
	bool failed; /* a rank has reported an error */
};

extern struct replay_job replay_job;
extern struct replay_rank *replay_me; /* rank of the running fiber */

/* ---- replay_fiber.c ---- */

/* Creates a fiber per rank, which calls run. Returns 0 or -ENOMEM. */
int replay_fibers_open(void (*run)(void));
/* Suspends the running fiber; the argument is not used. */
void replay_fiber_park(void *arg);
/*
 * Runs all fibers and the model until all fibers have ended. Returns 0 or
 * -errno.
 */
int replay_fibers_run(void);

/* ---- replay_rank.c ---- */

/* An operation of the engine that belongs to a request. */
struct replay_op {
	struct weft_req req;
	struct weft_list link; /* entry in replay_rank.done or .retry */
	struct weft_peer *peer;
	uint64_t word, ignore;
	size_t bytes;
	unsigned flags; /* enum weft_nic_flag */
	bool is_send;
	bool typed; /* the data is not contiguous in memory */
	bool free_when_done;
	int err;
	uint64_t got_tag, got_bytes;
	struct weft_nic_typed form;
};

int replay_rank_open(struct replay_rank *r);
/* Returns the peer of a rank; NULL: no memory. */
struct weft_peer *replay_peer(struct replay_rank *r, uint32_t rank);
/* Queues a completion for the next poll of the rank. */
void replay_rank_done(struct replay_rank *r, struct replay_op *op);
/* Runs one pass of the progress loop. Returns the number of completions. */
int replay_progress(void);
/* Blocks until an event; mark: weft_completed before the last pass. */
void replay_block(uint32_t mark);
/* Waits until the condition holds. */
void replay_wait_until(bool (*holds)(void *arg), void *arg);
/* Ends the rank: it can never continue. Does not return. */
void replay_rank_stuck(void) __attribute__((noreturn));
/* Reports an error of the trace or of the model, and ends the program. */
void replay_fail(const char *form, ...)
	__attribute__((format(printf, 1, 2), noreturn));
uint64_t replay_clock_ps(void);
void replay_compute(uint64_t ps);

/* ---- replay_msg.c ---- */

/*
 * Posts the operation, or queues it behind other operations for the same peer.
 */
int replay_retry_run(struct replay_rank *r);
struct weft_req *replay_isend(const struct weft_p2p_args *a, bool typed);
struct weft_req *replay_irecv(const struct weft_p2p_args *a, bool typed);
int replay_steps_run(struct replay_rank *r);
/* Peeks for a message, as a probe does. Returns whether there is one. */
bool replay_peek(const struct weft_p2p_args *a);

/* ---- replay_route.c ---- */

void replay_routes_poll(struct replay_rank *r);

/* ---- replay_comm.c ---- */

struct weft_comm *replay_world_open(const struct replay_rank *r);
struct weft_comm *replay_comm_of(uint64_t id);
void replay_comm_make(const struct replay_call *c);
void replay_comm_free(uint64_t id);
/* Frees all communicators of the rank except the world. */
void replay_comm_free_all(void);
int replay_finalize(void);

/* ---- replay_place.c ---- */

/*
 * Chooses the nodes of all programs. Returns the places of all ranks, or NULL:
 * the options name no placement, and the map applies. *nodes_p: nodes that the
 * machine needs.
 */
struct weft_vt_place *replay_place(struct replay_job *j, uint32_t *nodes_p);

/* ---- replay_coll.c, replay_exec.c ---- */

/* Executes a collective; returns the request of a nonblocking collective. */
struct weft_req *replay_coll_call(const struct replay_call *c);
void replay_run_rank(void);

#endif
