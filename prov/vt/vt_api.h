/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time, as seen by the layers above prov/vt: the shared world segment
 * of the ranks of a job, and its reports. Packets, transfers, class routes and
 * the clock are accessed through the table weft_backend_vt
 * (prov/backend/backend.h). The network model is not visible here.
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

#include "prov/backend/backend.h"

struct weft_vt;
struct weft_noise; /* src/job/job_noise.h */

/* Location of a rank: node, and slot on the node. */
struct weft_vt_place {
	uint32_t node, slot;
};

/* The machine and the placement of the ranks. */
struct weft_vt_conf {
	const char *machine; /* NAME[:DIMS], or the name of a machine file */
	/* order of the axis letters, or the name of a map file; "": ABCDET */
	const char *map;
	uint32_t ppn; /* ranks per node; 0: the machine's default */
	/*
	 * maximum number of ranks, including spawned ranks; if not larger than
	 * the job, no rank can be spawned
	 */
	uint32_t universe;
	/*
	 * places of all ranks, used instead of `map` (NULL: use `map`), and the
	 * number of nodes of a machine given without DIMS
	 */
	const struct weft_vt_place *place;
	uint32_t nodes;
	/* factor by which CPU time advances the clock; 0: not counted */
	double compute;
	/*
	 * rate of the clock in user-mode instructions per second; 0: not
	 * counted
	 */
	double instructions;
	/* instructions are basic blocks, counted by src/blocks */
	bool blocks;
	const struct weft_noise *noise; /* noise of computation; NULL: none */
	/* largest packet that the machine's unit sends, bytes */
	uint32_t packet_bytes;
	/* fault plan, or the name of its file; NULL or "": none */
	const char *faults;
	/* data in the folded memory of job_skeleton.h is not copied */
	bool skeleton;
};

#define WEFT_VT_UNIT 16

/* The network interface of a machine's nodes, and the sizes of its messages. */
struct weft_vt_unit {
	char name[WEFT_VT_UNIT];
	/*
	 * largest payload of a packet and largest eager message, bytes; 0: not
	 * given
	 */
	size_t packet_bytes;
	size_t eager_bytes;
};

/*
 * Reads the properties of the interface from the machine file. -ENOENT: there
 * is no such file; -EINVAL: the file is invalid, which is logged.
 */
int weft_vt_unit(const char *machine, struct weft_vt_unit *unit);

/*
 * Sets *nodes_p to the number of nodes of a machine. If `machine` does not
 * contain a size, the machine gets at least *nodes_p nodes. If *ppn_p is 0,
 * sets it to the number of ranks per node. Returns errors like
 * weft_vt_create().
 */
int weft_vt_nodes(const char *machine, uint32_t *nodes_p, uint32_t *ppn_p);

#define WEFT_VT_HANDLE 64

/*
 * Creates the world; called by rank 0. Sets `handle` to a text that the other
 * ranks need to attach it. Returns -EINVAL if the machine or the map is
 * invalid; the error is logged.
 */
int weft_vt_create(const struct weft_vt_conf *conf, uint32_t size,
		   struct weft_vt **w_p, char handle[WEFT_VT_HANDLE]);
/*
 * Maps the world; called by the other ranks. Returns -ENOENT: the creator is
 * not on this host, or has exited; -EPERM: the world belongs to another user;
 * -EINVAL: not a world.
 */
int weft_vt_attach(const struct weft_vt_conf *conf, const char *handle,
		   uint32_t rank, struct weft_vt **w_p);
/*
 * Creates the world or attaches to it, without a launcher: job is
 * "name:rank:size", and ranks of the same user find each other by the name.
 * Waits for rank 0. Returns -EINVAL, -ETIMEDOUT.
 */
int weft_vt_join_job(const struct weft_vt_conf *conf, const char *job,
		     struct weft_vt **w_p);
void weft_vt_close(struct weft_vt *w);

/* ---- all ranks in one process -------------------------------------------- */

/*
 * Makes the creator of a world the process that runs all its ranks; called
 * before any rank is opened. Each rank is a fiber of the caller: park(arg) is
 * called when a rank blocks, and returns when the rank is to continue. The data
 * of transfers is not copied.
 *
 *   weft_vt_create -> weft_vt_host -> [weft_vt_host_rank, open a carrier]*
 *       -> run all fibers until they are parked
 *       -> [weft_vt_host_pass, resume the fibers that it returns]*
 */
void weft_vt_host(struct weft_vt *w, void (*park)(void *arg), void *arg);
/* Selects the rank for the next carrier to be opened. */
void weft_vt_host_rank(struct weft_vt *w, uint32_t rank);
/*
 * Runs the model until some ranks can continue; called when no rank is running.
 * Sets *ranks_p to these ranks, in order, and returns their number; 0: all
 * ranks have left. -EIO: the model has failed.
 */
int weft_vt_host_pass(struct weft_vt *w, const uint32_t **ranks_p);

uint32_t weft_vt_size(const struct weft_vt *w);
/* Sets *name to the address of a rank; needs no communication. */
void weft_vt_name(const struct weft_vt *w, uint32_t rank,
		  union weft_name *name);

/*
 * A rule of the machine file that selects a collective algorithm; a maximum of
 * 0 means no limit. weft_vt_choice() sets *choice to rule i, or returns
 * -ENOENT.
 */
struct weft_vt_choice {
	char operation[20], algorithm[20];
	uint32_t ranks_min, ranks_max;
	uint64_t bytes_min, bytes_max;
};
int weft_vt_choice(const struct weft_vt *w, unsigned i,
		   struct weft_vt_choice *choice);

/* Description of a rank's wait, as recorded by the layers above. */
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
	WEFT_VT_DONE, /* the rank has left, and may run the engine once more */
	WEFT_VT_LEFT, /* the rank has left, and will not run the engine again */
	WEFT_VT_DEAD,
	/* the rank has not started; weft_vt_spawn() can start it */
	WEFT_VT_VACANT,
};

/* Counters of the run so far; their values are the same in every run. */
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
	/* atomics by which members of class routes announced their arrival */
	uint64_t route_atomics;
	uint64_t discards;   /* messages dropped at a full input queue */
	uint32_t nodes;	     /* nodes in the machine */
	uint32_t nodes_used; /* nodes with ranks */
	/*
	 * CPU time that this rank used between calls without advancing virtual
	 * time, ns; intervals below 1 ms are not counted.
	 */
	uint64_t computed_ns;
	bool compute_free; /* computation takes no virtual time */
};

/*
 * Counters of a link, which is identified by the node at which it starts and
 * its direction.
 */
struct weft_vt_link {
	char name[4];  /* direction, such as "A+" */
	char node[32]; /* coordinates, such as "(0,1,3,2,1)" */
	uint64_t packets;
	uint64_t bytes; /* bytes in whole chunks, including headers */
	uint64_t busy_ps;
	/* total time that packets waited in the queue for the link, ps */
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

/* ---- functions of a carrier in a world ----------------------------------- */

/* Leaves the world normally, without notifying the other ranks. */
void weft_vt_leave(struct weft_carrier *c);
/*
 * Records a description of this rank's wait (peer -1: the rank waits for no
 * particular rank). Returns the number of ranks that have not recorded their
 * wait since the deadlock was detected; 0: this rank is the last.
 */
int weft_vt_note(struct weft_carrier *c, int64_t peer, const char *text);
/*
 * Sets *note to the description that a rank has recorded of its wait. -EINVAL:
 * no such rank; -ENOENT: the rank was not started.
 */
int weft_vt_read_note(struct weft_carrier *c, uint32_t rank,
		      struct weft_vt_note *note);
void weft_vt_count(struct weft_carrier *c, struct weft_vt_count *count);
/*
 * Returns the name of counter i of the fault plan, and sets *value_p to its
 * value. NULL: there is no such counter, or no plan.
 */
const char *weft_vt_fault(struct weft_carrier *c, unsigned i,
			  uint64_t *value_p);
/*
 * Writes the reason for a rank's failure to `text`. -ENOENT: the fault plan did
 * not cause it.
 */
int weft_vt_why(struct weft_carrier *c, uint32_t rank, char *text, size_t len);
/*
 * A rank that has ended before the others, either by the fault plan or because
 * it has left the job.
 */
struct weft_vt_failure {
	uint32_t rank;
	bool has_left;
	/* the calling rank has read all packets of the ended rank */
	bool is_silent;
	uint64_t failed_ps;
	uint64_t known_ps; /* time at which the other ranks detect the end */
};
/*
 * Sets *f to the i-th ended rank of the job. -ENOENT: the calling rank knows of
 * fewer ended ranks.
 */
int weft_vt_failure(struct weft_carrier *c, uint32_t i,
		    struct weft_vt_failure *f);
/*
 * Starts further ranks, one lookahead later in virtual time. Blocks the calling
 * rank until then; if the rank has several threads, returns -EAGAIN instead,
 * and the call must be repeated after a poll. Returns 0: *first_p is the first
 * of `count` consecutive ranks, whose processes the caller must start or
 * cancel; -ENOSPC: the world has not enough free ranks; another -errno as
 * returned by a wait.
 */
int weft_vt_spawn(struct weft_carrier *c, uint32_t count, uint32_t *first_p);
/* Cancels ranks from weft_vt_spawn() whose processes will not be started. */
void weft_vt_spawn_cancel(struct weft_carrier *c, uint32_t first,
			  uint32_t count);
/*
 * Sets `handle` to a handle of the world for processes that this process
 * starts. -ENOSPC: no further ranks can be spawned in this world.
 */
int weft_vt_handle(const struct weft_vt *w, char handle[WEFT_VT_HANDLE]);
/*
 * Marks this rank as a member of a background job; called before the rank opens
 * a carrier. When all ranks of the other jobs have left, virtual time stops,
 * and blocked ranks of background jobs are not released again.
 */
void weft_vt_set_background(struct weft_vt *w);
/* Returns a random number that identifies the world, equal in all its ranks. */
uint64_t weft_vt_id(const struct weft_vt *w);
/* Returns the total number of ranks that can be spawned in the run. */
uint32_t weft_vt_spare(const struct weft_vt *w);
/*
 * Sets *link to the counters of the link at a port. -ENOENT: the port has no
 * link; -EINVAL: no such node or port.
 */
int weft_vt_link(struct weft_carrier *c, uint32_t node, unsigned port,
		 struct weft_vt_link *link);
/*
 * Calls each() for every node in the tree of an open class route. Returns
 * -ENOENT if the route is not open.
 */
int weft_vt_route_tree(struct weft_carrier *c, unsigned id,
		       void (*each)(void *arg,
				    const struct weft_vt_tree_node *b),
		       void *arg);

#endif
