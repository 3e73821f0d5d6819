/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deadlock report as text. Each rank writes a note, a short text that describes
 * what the rank waits for and that the provider transfers. One rank reads all
 * notes and prints which rank waits for which other rank, and a cycle of waits.
 * Ranks that wait for the same operations are printed on one line. These
 * functions do not communicate and have no state.
 *
 *   weft_waitnote_write -> note -> weft_waitnote_read (one rank)
 *   -> weft_waitnote_print
 *
 * Rank numbers are ranks in the job. A rank in a collective waits for the
 * members that have not entered it; a receive from any source waits for all
 * ranks.
 */
#ifndef WEFT_DIAG_WAIT_NOTE_H
#define WEFT_DIAG_WAIT_NOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	WEFT_WAIT_NOTE_BYTES = 240,
	/* largest number of items per rank in the report */
	WEFT_WAIT_NOTE_ITEMS = 6,
	WEFT_WAIT_NOTE_NAME = 32,
	WEFT_WAIT_NOTE_LIST = 48,
};

enum weft_waitnote_kind {
	WEFT_WAIT_RECV = 'r',
	WEFT_WAIT_SEND = 's',
	WEFT_WAIT_COLL = 'c',
};

enum { WEFT_WAIT_ANY = -1, WEFT_WAIT_FINALIZE = 0x7fffffff };

/* An operation for which a rank waits. */
struct weft_waitnote_item {
	enum weft_waitnote_kind kind;
	int peer; /* rank of the peer of a message, or WEFT_WAIT_ANY */
	/*
	 * tag of a message, or WEFT_WAIT_ANY; number of a collective, or
	 * WEFT_WAIT_FINALIZE for MPI_Finalize
	 */
	int tag;
	uint32_t ctx; /* context id of the communicator */
	char comm[WEFT_WAIT_NOTE_NAME];
	/*
	 * Members of a collective: first, first + step, ..., last. If step is
	 * 0, `list` contains the members, as in "0-2,5"; an empty list means
	 * that they did not fit.
	 */
	int first, last, step;
	char list[WEFT_WAIT_NOTE_LIST];
};

struct weft_waitnote {
	/* name of the MPI call; "": outside MPI */
	char call[WEFT_WAIT_NOTE_NAME];
	/* the rank has finalized MPI, or has exited */
	bool left;
	bool any; /* completion of one item is enough */
	/* number of collectives that the rank has started on MPI_COMM_WORLD */
	int world_seq;
	int nitems;
	int more; /* number of items that are not listed */
	struct weft_waitnote_item item[WEFT_WAIT_NOTE_ITEMS];
};

/*
 * Writes and returns the note; items that do not fit are counted, but not
 * described.
 */
char *weft_waitnote_write(const struct weft_waitnote *s,
			  char note[WEFT_WAIT_NOTE_BYTES]);
/* Reads a note. Returns false, and no items, if the text is not a note. */
bool weft_waitnote_read(struct weft_waitnote *s, const char *note);

/*
 * Writes the graph of waits for a drawing: one line per rank, with the rank and
 * the ranks it waits for. Writes nothing if there are more ranks than a drawing
 * can show.
 */
#define WEFT_WAIT_NOTE_GRAPH_RANKS 64
void weft_waitnote_graph(FILE *f, const struct weft_waitnote *rank, int n);

/* Prints the whole report; now_ps: virtual time of the deadlock, ps. */
void weft_waitnote_print(FILE *f, const struct weft_waitnote *rank, int n,
			 uint64_t now_ps);

#endif
