/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deadlock report as text. Each rank writes what it waits for into a note, a
 * short text that the provider transfers; one rank reads all notes and prints
 * which rank waits for which, equal ranks together, and a cycle among them. No
 * communication, no state.
 *
 *   weft_stuck_write -> note -> weft_stuck_read (one rank) -> weft_stuck_print
 *
 * Ranks are those of the job. A rank in a collective waits for the members that
 * are not in it; a receive from any source waits for all ranks.
 */
#ifndef WEFT_CORE_STUCK_H
#define WEFT_CORE_STUCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	WEFT_STUCK_NOTE = 240,
	WEFT_STUCK_ITEMS = 6, /* reported items per rank */
	WEFT_STUCK_NAME = 32,
	WEFT_STUCK_LIST = 48,
};

enum weft_stuck_kind {
	WEFT_STUCK_RECV = 'r',
	WEFT_STUCK_SEND = 's',
	WEFT_STUCK_COLL = 'c',
};

enum { WEFT_STUCK_ANY = -1, WEFT_STUCK_LAST = 0x7fffffff };

/* One operation that is waited for. */
struct weft_stuck_item {
	enum weft_stuck_kind kind;
	int peer; /* messages: rank, or WEFT_STUCK_ANY */
	/*
	 * tag or WEFT_STUCK_ANY; collectives: number, or WEFT_STUCK_LAST for
	 * MPI_Finalize
	 */
	int tag;
	uint32_t ctx; /* context id of the communicator */
	char comm[WEFT_STUCK_NAME];
	/*
	 * Members of a collective: first, first + step, ... last; step 0: the
	 * members in list, as "0-2,5"; empty: too many for the list.
	 */
	int first, last, step;
	char list[WEFT_STUCK_LIST];
};

struct weft_stuck {
	char call[WEFT_STUCK_NAME]; /* "": outside MPI */
	bool left;		    /* has finalized MPI, or has exited */
	bool any;		    /* one of the items is enough */
	int world_seq; /* collectives that it has begun on MPI_COMM_WORLD */
	int nitems;
	int more; /* items that are not listed */
	struct weft_stuck_item item[WEFT_STUCK_ITEMS];
};

/*
 * Writes the note of a rank; items that do not fit are counted in more. Returns
 * note.
 */
char *weft_stuck_write(const struct weft_stuck *s, char note[WEFT_STUCK_NOTE]);
/* Returns false if it is no note; s then waits for nothing known. */
bool weft_stuck_read(struct weft_stuck *s, const char *note);

/*
 * For a drawing: one line per rank, with the rank and those it waits for;
 * nothing if there are more ranks than a drawing can show.
 */
#define WEFT_STUCK_DRAWN 64
void weft_stuck_waits(FILE *f, const struct weft_stuck *rank, int n);

/* Prints the whole report; now_ps: time of the deadlock. */
void weft_stuck_print(FILE *f, const struct weft_stuck *rank, int n,
		      uint64_t now_ps);

#endif
