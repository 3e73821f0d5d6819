/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deadlock report as text. Each rank writes what it waits for into a note, a
 * short text that the provider transfers; one rank reads all notes and prints
 * which rank waits for which, equal ranks together, and a cycle among them. No
 * communication, no state.
 *
 *   weft_waitnote_write -> note -> weft_waitnote_read (one rank)
 *   -> weft_waitnote_print
 *
 * Ranks are those of the job. A rank in a collective waits for the members that
 * are not in it; a receive from any source waits for all ranks.
 */
#ifndef WEFT_DIAG_WAIT_NOTE_H
#define WEFT_DIAG_WAIT_NOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	WEFT_WAIT_NOTE_BYTES = 240,
	WEFT_WAIT_NOTE_ITEMS = 6, /* reported items per rank */
	WEFT_WAIT_NOTE_NAME = 32,
	WEFT_WAIT_NOTE_LIST = 48,
};

enum weft_waitnote_kind {
	WEFT_WAIT_RECV = 'r',
	WEFT_WAIT_SEND = 's',
	WEFT_WAIT_COLL = 'c',
};

enum { WEFT_WAIT_ANY = -1, WEFT_WAIT_FINALIZE = 0x7fffffff };

/* One operation that is waited for. */
struct weft_waitnote_item {
	enum weft_waitnote_kind kind;
	int peer; /* messages: rank, or WEFT_WAIT_ANY */
	/*
	 * tag or WEFT_WAIT_ANY; collectives: number, or WEFT_WAIT_FINALIZE for
	 * MPI_Finalize
	 */
	int tag;
	uint32_t ctx; /* context id of the communicator */
	char comm[WEFT_WAIT_NOTE_NAME];
	/*
	 * Members of a collective: first, first + step, ... last; step 0: the
	 * members in list, as "0-2,5"; empty: too many for the list.
	 */
	int first, last, step;
	char list[WEFT_WAIT_NOTE_LIST];
};

struct weft_waitnote {
	char call[WEFT_WAIT_NOTE_NAME]; /* "": outside MPI */
	bool left;			/* has finalized MPI, or has exited */
	bool any;			/* one of the items is enough */
	int world_seq; /* collectives that it has begun on MPI_COMM_WORLD */
	int nitems;
	int more; /* items that are not listed */
	struct weft_waitnote_item item[WEFT_WAIT_NOTE_ITEMS];
};

/*
 * Writes the note of a rank; items that do not fit are counted in more. Returns
 * note.
 */
char *weft_waitnote_write(const struct weft_waitnote *s,
			  char note[WEFT_WAIT_NOTE_BYTES]);
/* Returns false if it is no note; s then waits for nothing known. */
bool weft_waitnote_read(struct weft_waitnote *s, const char *note);

/*
 * For a drawing: one line per rank, with the rank and those it waits for;
 * nothing if there are more ranks than a drawing can show.
 */
#define WEFT_WAIT_NOTE_GRAPH_RANKS 64
void weft_waitnote_graph(FILE *f, const struct weft_waitnote *rank, int n);

/* Prints the whole report; now_ps: time of the deadlock. */
void weft_waitnote_print(FILE *f, const struct weft_waitnote *rank, int n,
			 uint64_t now_ps);

#endif
