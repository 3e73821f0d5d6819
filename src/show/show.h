/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a traced job did, made of the events that its ranks left
 * (src/base/trace.h) and the launcher's roll: a page, or a file for tools.
 *
 *   show_open -> show_page, show_perfetto -> show_close
 */
#ifndef WEFT_SHOW_H
#define WEFT_SHOW_H

#include "src/base/roll.h"
#include "src/base/trace.h"

/* Told by the launcher; all but roll may be NULL or 0. */
struct show_job {
	const struct weft_roll *roll;
	char *const *argv; /* of the program */
	const char *machine;
	const char *shape;
	const char *host;
	const char *report;  /* as text */
	const char *compute; /* factor; NULL: it takes no virtual time */
	uint32_t nodes;	     /* of the machine; 0: not known */
	uint32_t nodes_used;
	bool virtual;
};

struct show {
	const struct show_job *job;
	struct weft_trace_file file;
	uint32_t ranks;
	uint64_t begin, end; /* ps; of all calls */
	uint64_t calls, sends, recvs;
	uint64_t reaches;    /* calls that reach a window */
	uint64_t colls;	     /* calls that are collectives */
	uint64_t syncs;	     /* of recvs: MPI_Win_post and others */
	uint64_t sync_sends; /* likewise, of sends */
	uint32_t last;	     /* rank whose call ended last */
	uint64_t *first;     /* ranks: a rank's first chunk */
	uint64_t *next;	     /* chunks: the next of the same rank */
	uint8_t *kinds;	     /* chunks: SHOW() of what is in it */
	struct show_opened *open;
	uint32_t opens;
};

/* A call that its rank had not left at the end. */
struct show_opened {
	uint32_t rank, id;
	uint64_t t;
};

/* 0 or -errno. fd: of weft_trace_create(). Adds the calls up in the roll: their
 * ranks did not. */
int show_open(struct show *s, int fd, const struct show_job *job);
void show_close(struct show *s);

/* The events of a rank, in their order. Chunks in which there is nothing of
 * the wanted kinds are left out. */
#define SHOW(kind) (1u << (kind))
#define SHOW_ALL   0xffu

struct show_walk {
	const struct show *s;
	unsigned wanted;
	uint64_t next;		     /* chunk */
	const struct trace_chunk *c; /* this one */
	const struct trace_entry *at;
	size_t left;
	struct trace_event e;	 /* the last one */
	struct trace_event more; /* of the next call; kind 0: none */
};

struct show_walk show_walk(const struct show *s, uint32_t rank,
			   unsigned wanted);
bool show_next_chunk(struct show_walk *w);

/* Stays until the next; NULL: there is none. */
WEFT_INLINE const struct trace_event *show_next(struct show_walk *w)
{
	if (weft_unlikely(!w->left) && !show_next_chunk(w))
		return NULL;
	w->left--;
	w->e = weft_trace_get(&w->s->file, w->c, w->at++);
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

/* An end of MPI_Win_post or MPI_Win_complete, which is no message. */
WEFT_INLINE bool show_is_sync(uint64_t word)
{
	return TRACE_WORD_KIND(word) == TRACE_WORD_SYNC;
}

/* The name of a call. */
const char *show_name(const struct show *s, uint32_t id, char name[ROLL_NAME]);
/* What a rank noted under that name; NULL: nothing. */
const char *show_note(const struct show *s, const char *name);

/* ---- messages that were matched, collectives (show_match.c) -------------- */

struct show_message {
	uint32_t from, to;
	uint64_t sent, got, bytes;
	uint64_t posted; /* when the receive was posted; 0: not known */
	uint64_t done;	 /* local completion of the send; 0: at once */
	uint64_t word;
};

struct show_coll {
	uint64_t word;
	uint64_t first, last, end; /* begins of first and last to come; end */
	uint32_t last_rank, ranks, id;
	uint32_t root;	  /* rank of the root; SHOW_NO_RANK */
	uint64_t root_in; /* its begin; 0: it did not come */
};

#define SHOW_NO_RANK UINT32_MAX

struct show_matched {
	struct show_message *message; /* by arrival within each rank */
	uint64_t messages;
	/* the same of MPI_Win_post and MPI_Win_complete: no bytes, no message
	 */
	struct show_message *sync;
	uint64_t syncs;
	struct show_coll *coll;
	uint64_t colls;
	uint32_t *index; /* of coll, by a hash of their words */
	uint64_t mask;
	bool all; /* false: there were too many */
};

/* Messages alone; and of those that it found, the collectives too. */
int show_match(const struct show *s, struct show_matched *m);
int show_match_colls(const struct show *s, struct show_matched *m);
void show_match_free(struct show_matched *m);
/* The collective that a word names; NULL: none. last: the one that was found
 * before, or NULL: it is often the next. */
const struct show_coll *show_coll_of(const struct show_matched *m,
				     uint64_t word,
				     const struct show_coll *last);

/* ---- wait states (show_wait.c) ------------------------------------------- */

/* As Scalasca names them. */
enum show_class {
	SHOW_LATE_SENDER,
	SHOW_LATE_RECEIVER,
	SHOW_WAIT_BARRIER,
	SHOW_WAIT_NXN,
	SHOW_LATE_BROADCAST,
	SHOW_EARLY_REDUCE,
	SHOW_EARLY_SCAN,
	SHOW_WAIT_FENCE,
	SHOW_WAIT_CREATE, /* and free */
	SHOW_LATE_POST,
	SHOW_LATE_COMPLETE,
	SHOW_LOCK_CONTENTION,
	SHOW_NOT_COMPLETED, /* the call was open when the job ended */
	SHOW_CLASSES,
	SHOW_NO_CLASS = SHOW_CLASSES
};

const char *show_class_name(enum show_class c);

/* What a rank was released by. */
enum show_via {
	SHOW_OWN,	 /* nothing: the rank's own work */
	SHOW_MESSAGE,	 /* a message to this rank, since it was sent or, where
			  * the receive came later, posted */
	SHOW_RECEIVER,	 /* a message of this rank, since it was received */
	SHOW_COLLECTIVE, /* since the last rank came */
	SHOW_SYNC,	 /* MPI_Win_post or MPI_Win_complete */
	SHOW_LOCK,	 /* MPI_Win_unlock of another rank */
	SHOW_OPEN,	 /* the call did not end */
	SHOW_SEVERAL,	 /* short parts of all kinds */
	SHOW_VIAS
};

/* The rank was held until to by what the other did at from. */
struct show_wait {
	uint64_t to, from;
	uint32_t other;
	uint32_t id; /* of the call */
	uint32_t via;
	uint32_t peer; /* of a message: its other end */
};

struct show_waits {
	struct show_wait *at; /* by to */
	uint64_t count, room;
};

struct show_waited {
	uint32_t ranks;
	struct show_waits *rank;
	uint64_t (*by_rank)[SHOW_CLASSES]; /* ps */
	uint64_t (*by_call)[SHOW_CLASSES]; /* ROLL_NAMES of them */
};

/* 0 or -ENOMEM. m: with its collectives. */
int show_wait(const struct show *s, const struct show_matched *m,
	      struct show_waited *w);
void show_wait_free(struct show_waited *w);

/* ---- the longest chain of waits (show_chain.c) --------------------------- */

struct show_link {
	uint32_t rank;
	uint32_t other; /* where the chain goes on */
	uint32_t peer;	/* of a message: its other end */
	uint32_t id;	/* name of the call that waited; of own work 0 */
	uint32_t via;
	uint64_t from, to;
	uint64_t outside; /* of own work: outside MPI */
};

struct show_chain {
	struct show_link *link; /* from the end back; without a gap */
	uint64_t links;
	/* the whole of it: own work outside MPI, in each call, and waits by
	 * via and call */
	uint64_t outside;
	uint64_t (*by_call)[SHOW_VIAS]; /* ROLL_NAMES of them, by via */
	uint64_t *by_rank;		/* own work, outside MPI or in it */
};

/* 0 or -ENOMEM. */
int show_chain(const struct show *s, const struct show_waited *w,
	       struct show_chain *c);
void show_chain_free(struct show_chain *c);

/* ---- what comes out ------------------------------------------------------ */

int show_page(const struct show *s, const char *file);
/* Chrome's and Perfetto's trace viewer. */
int show_perfetto(const struct show *s, const char *file);
/* By the module libweft-otf2.so, in the folder lib: -ENOSYS: there is none. */
int show_archive(const struct show *s, const char *lib, const char *folder);
/* Whether that module is there and can be loaded. */
bool show_archive_can(const char *lib);

#endif
