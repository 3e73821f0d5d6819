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
	const char *report; /* as text */
	bool virtual;
};

struct show {
	const struct show_job *job;
	struct weft_trace_file file;
	uint32_t ranks;
	uint64_t begin, end; /* ps; of all calls */
	uint64_t calls, sends, recvs;
	uint64_t reaches; /* calls that reach a window */
	uint64_t colls;	  /* calls that are collectives */
	uint32_t last;	  /* rank whose call ended last */
	uint64_t *first;  /* ranks: a rank's first chunk */
	uint64_t *next;	  /* chunks: the next of the same rank */
	uint8_t *kinds;	  /* chunks: SHOW() of what is in it */
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
	struct trace_event e; /* the last one */
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
	return &w->e;
}

/* The name of a call. */
const char *show_name(const struct show *s, uint32_t id, char name[ROLL_NAME]);
/* What a rank noted under that name; NULL: nothing. */
const char *show_note(const struct show *s, const char *name);

/* ---- messages that were matched, collectives (show_match.c) -------------- */

struct show_message {
	uint32_t from, to;
	uint64_t sent, got, bytes;
};

struct show_coll {
	uint64_t word;
	uint64_t first, last, end; /* begins of first and last to come; end */
	uint32_t last_rank, ranks, id;
};

struct show_matched {
	struct show_message *message; /* by arrival within each rank */
	uint64_t messages;
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

/* ---- the longest chain of waits (show_chain.c) --------------------------- */

struct show_link {
	uint32_t rank;
	uint32_t other; /* of a message: whence; else rank */
	uint64_t from, to;
	uint32_t id;  /* of a collective: its name; else 0 */
	bool message; /* under way, from other to rank */
};

/* From the end back; how many of room there are. */
unsigned show_chain(const struct show *s, const struct show_matched *m,
		    struct show_link *link, unsigned room);

/* ---- what comes out ------------------------------------------------------ */

int show_page(const struct show *s, const char *file);
/* Chrome's and Perfetto's trace viewer. */
int show_perfetto(const struct show *s, const char *file);
/* By the module libweft-otf2.so, in the folder lib: -ENOSYS: there is none. */
int show_archive(const struct show *s, const char *lib, const char *folder);
/* Whether that module is there and can be loaded. */
bool show_archive_can(const char *lib);

#endif
