/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Evaluation of a traced job: the events that its ranks recorded
 * (src/job/job_trace.h) and the launcher's job status page become an HTML page
 * or a trace file for other tools. Called by mpiexec.
 *
 *   report_open -> report_page, report_perfetto -> report_close
 */
#ifndef WEFT_REPORT_H
#define WEFT_REPORT_H

#include "src/job/job_page.h"
#include "src/job/job_trace.h"

/* Description of the job; every field but job_page may be NULL or 0. */
struct report_job {
	const struct weft_job_page *job_page;
	char *const *argv;
	const char *machine;
	const char *shape;
	const char *host;
	const char *report; /* text of the report */
	/* texts of the jobs that share the machine, then NULL; NULL: one job */
	char *const *jobs;
	/* by rank: the rank belongs to a background job; NULL: none does */
	const bool *background;
	/* scale factor of computation; NULL: it takes no virtual time */
	const char *compute;
	uint32_t nodes; /* nodes of the machine; 0: unknown */
	uint32_t nodes_used;
	/* energy values of the machine file: pJ per byte on a link; mW */
	uint32_t link_byte_pj, link_mw, node_mw;
	bool virtual;
};

struct report {
	const struct report_job *job;
	struct weft_trace_file file;
	uint32_t ranks;
	uint64_t begin, end; /* first start and last end of all calls, ps */
	uint64_t calls, sends, recvs;
	uint64_t accesses; /* one-sided calls: MPI_Put and others */
	uint64_t colls;
	/* receives that are window synchronisation (MPI_Win_post and others) */
	uint64_t syncs;
	uint64_t sync_sends; /* sends that are window synchronisation */
	/*
	 * rank whose call ended last, except in background jobs, and time of
	 * that end
	 */
	uint32_t last;
	uint64_t last_end;
	uint64_t *first; /* first chunk of each rank */
	uint64_t *next;	 /* next chunk of the same rank, indexed by chunk */
	/* kinds of events in each chunk, as SHOW() bits */
	uint8_t *kinds;
	struct report_open_call *open;
	uint32_t opens;
};

/* A call from which its rank had not returned when the job ended. */
struct report_open_call {
	uint32_t rank, id;
	uint64_t t;
};

/*
 * Opens a trace and indexes its events. fd: from weft_trace_create(). Adds the
 * calls to the job status page, since traced ranks do not count calls
 * themselves. Returns 0 or -errno.
 */
int report_open(struct report *s, int fd, const struct report_job *job);
void report_close(struct report *s);

/*
 * Iterator over the events of a rank, in the order of recording. Chunks without
 * events of the requested kinds are skipped.
 */
#define SHOW(kind) (1u << (kind))
#define REPORT_ALL 0xffu

struct report_walk {
	const struct report *s;
	unsigned wanted;
	uint64_t next; /* index of the next chunk */
	const struct trace_chunk *c;
	const struct trace_entry *entry; /* next entry in the chunk */
	size_t left;
	struct trace_event e;
	/* additional fields of the next call; kind 0: none */
	struct trace_event more;
};

struct report_walk report_walk(const struct report *s, uint32_t rank,
			       unsigned wanted);
bool report_next_chunk(struct report_walk *w);

/* Returns the next event, valid until the next call; NULL: end of the trace. */
WEFT_INLINE const struct trace_event *report_next(struct report_walk *w)
{
	if (weft_unlikely(!w->left) && !report_next_chunk(w))
		return NULL;
	w->left--;
	w->e = weft_trace_get(&w->s->file, w->c, w->entry++);
	if (weft_unlikely(w->e.kind == TRACE_MORE)) {
		w->more = w->e;
	} else if (weft_unlikely(w->more.kind) && w->e.kind == TRACE_CALL) {
		w->e.size = w->more.size;
		w->e.root = w->more.root;
		w->e.root_rank = w->more.root_rank;
		w->more.kind = 0;
	}
	return &w->e;
}

/*
 * Returns whether the tag word belongs to MPI_Win_post or MPI_Win_complete,
 * which are recorded as messages without data.
 */
WEFT_INLINE bool report_is_sync(uint64_t word)
{
	return TRACE_WORD_KIND(word) == TRACE_WORD_SYNC;
}

/* Returns the name of call id, in the caller's buffer. */
const char *report_name(const struct report *s, uint32_t id,
			char name[JOB_PAGE_NAME]);
/* Returns the text that a rank recorded under this name; NULL: none. */
const char *report_note(const struct report *s, const char *name);

/* ---- matched messages and collectives (report_match.c) ------------------- */

struct report_message {
	uint32_t from, to;
	uint64_t sent, got, bytes;
	/* time at which the receive was posted, ps; 0: unknown */
	uint64_t posted;
	/* local completion time of the send, ps; 0: immediate */
	uint64_t done;
	uint64_t word;
};

struct report_coll {
	uint64_t word;
	/* first and last start and last end of the ranks' calls, ps */
	uint64_t first, last, end;
	uint32_t last_rank, ranks, id;
	/* rank of the root; REPORT_NO_RANK: none, or it made no call */
	uint32_t root;
	/* start of the root's call, ps; 0: the root made no call */
	uint64_t root_in;
};

#define REPORT_NO_RANK UINT32_MAX

struct report_matched {
	/* matched messages, sorted by receiving rank, then by arrival */
	struct report_message *message;
	uint64_t messages;
	/* synchronisation by MPI_Win_post and MPI_Win_complete: no bytes */
	struct report_message *sync;
	uint64_t syncs;
	struct report_coll *coll;
	uint64_t colls;
	uint32_t *index; /* hash table of indices into coll, by tag word */
	uint64_t mask;
	bool all; /* false: there were too many events, and none was matched */
};

/*
 * report_match() matches messages; report_match_colls() then groups collective
 * calls. Both return 0 or -ENOMEM.
 */
int report_match(const struct report *s, struct report_matched *m);
int report_match_colls(const struct report *s, struct report_matched *m);
void report_match_free(struct report_matched *m);
/*
 * Returns the collective with this tag word; NULL: none. last: result of the
 * previous lookup, or NULL. The search starts with the collective that follows
 * `last`.
 */
const struct report_coll *report_coll_of(const struct report_matched *m,
					 uint64_t word,
					 const struct report_coll *last);

/* ---- wait states (report_wait.c) ----------------------------------------- */

/* Classes of wait states, with the names that Scalasca uses. */
enum report_class {
	REPORT_LATE_SENDER,
	REPORT_LATE_RECEIVER,
	REPORT_WAIT_BARRIER,
	REPORT_WAIT_NXN,
	REPORT_LATE_BROADCAST,
	REPORT_EARLY_REDUCE,
	REPORT_EARLY_SCAN,
	REPORT_WAIT_FENCE,
	REPORT_WAIT_CREATE, /* MPI_Win_create and MPI_Win_free */
	REPORT_LATE_POST,
	REPORT_LATE_COMPLETE,
	REPORT_LOCK_CONTENTION,
	REPORT_NOT_COMPLETED, /* the call was open when the job ended */
	REPORT_CLASSES,
	REPORT_NO_CLASS = REPORT_CLASSES
};

const char *report_class_name(enum report_class c);

/* Event that ended a wait of a rank. */
enum report_wait_end {
	REPORT_OWN, /* none: work of the rank itself */
	/*
	 * a message to this rank; the event is its send, or the post of the
	 * receive if that was later
	 */
	REPORT_MESSAGE,
	/* a message from this rank; the event is the post of the receive */
	REPORT_RECEIVER,
	REPORT_COLLECTIVE, /* the last rank entered the collective */
	REPORT_SYNC,	   /* MPI_Win_post or MPI_Win_complete */
	REPORT_LOCK,	   /* MPI_Win_unlock by another rank */
	REPORT_OPEN,	   /* none: the call did not end */
	REPORT_SEVERAL,	   /* several short parts of any kind, merged */
	REPORT_VIAS
};

/*
 * A wait of one rank, which ended at time `to` because of an event of rank
 * `other` at time `from` (ps).
 */
struct report_wait {
	uint64_t to, from;
	uint32_t other;
	uint32_t id; /* name of the waiting call */
	uint32_t via;
	/* rank at the other end, if `via` is a message */
	uint32_t peer;
};

struct report_waits {
	struct report_wait *wait; /* waits, sorted by to */
	uint64_t count, room;
};

struct report_wait_result {
	uint32_t ranks;
	struct report_waits *rank;
	/* waiting time of each rank by class, ps */
	uint64_t (*by_rank)[REPORT_CLASSES];
	/* waiting time of each call by class, ps; JOB_PAGE_NAMES entries */
	uint64_t (*by_call)[REPORT_CLASSES];
};

/*
 * Finds the waits of all ranks. m must contain the collectives
 * (report_match_colls). Returns 0 or -ENOMEM.
 */
int report_wait(const struct report *s, const struct report_matched *m,
		struct report_wait_result *w);
void report_wait_free(struct report_wait_result *w);

/* ---- the longest chain of waits (report_chain.c) ------------------------- */

struct report_link {
	uint32_t rank;
	uint32_t other; /* rank with which the chain continues */
	/* rank at the other end, if `via` is a message */
	uint32_t peer;
	/* name of the waiting call; 0: work of the rank itself */
	uint32_t id;
	uint32_t via;
	uint64_t from, to;
	uint64_t outside; /* part of the rank's own work outside MPI, ps */
};

struct report_chain {
	/* links from the end of the run to its start, without gaps in time */
	struct report_link *link;
	uint64_t links;
	/* totals in ps: work outside MPI; work and waits by call */
	uint64_t outside;
	uint64_t (*by_call)[REPORT_VIAS]; /* JOB_PAGE_NAMES entries */
	uint64_t *by_rank; /* work of each rank inside and outside MPI, ps */
};

/* Computes the chain of waits. Returns 0 or -ENOMEM. */
int report_chain(const struct report *s, const struct report_wait_result *w,
		 struct report_chain *c);
void report_chain_free(struct report_chain *c);

/* ---- output -------------------------------------------------------------- */

int report_page(const struct report *s, const char *file);
/* Writes JSON for Chrome's and Perfetto's trace viewer. */
int report_perfetto(const struct report *s, const char *file);
/* Writes tables of links, nodes and messages: PREFIX-links.csv and others. */
int report_stats(const struct report *s, const char *prefix);
/*
 * Writes an OTF2 archive with the module libweft-otf2.so from the folder lib;
 * -ENOSYS: the module is not installed.
 */
int report_archive(const struct report *s, const char *lib, const char *folder);
/* Returns whether the module is installed in lib and can be loaded. */
bool report_archive_can(const char *lib);

#endif
