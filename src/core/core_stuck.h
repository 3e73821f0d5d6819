/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A deadlock in words. Each rank writes what it waits for into a note, a short
 * text that travels through the provider; one rank reads all notes and prints
 * who waits for whom, alike ranks together, and a cycle among them. Pure: no
 * communication, no state.
 *
 *   weft_stuck_write -> note -> weft_stuck_read (one rank) -> weft_stuck_print
 *
 * Ranks are those of the job. A rank in a collective waits for the members
 * that are not in it; a receive from anywhere waits for everybody.
 */
#ifndef WEFT_CORE_STUCK_H
#define WEFT_CORE_STUCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	WEFT_STUCK_NOTE = 240,
	WEFT_STUCK_ITEMS = 6, /* of a rank that are told */
	WEFT_STUCK_NAME = 32,
	WEFT_STUCK_LIST = 48,
};

enum weft_stuck_kind {
	WEFT_STUCK_RECV = 'r',
	WEFT_STUCK_SEND = 's',
	WEFT_STUCK_COLL = 'c',
};

enum { WEFT_STUCK_ANY = -1, WEFT_STUCK_LAST = 0x7fffffff };

/* One thing that is waited for. */
struct weft_stuck_item {
	enum weft_stuck_kind kind;
	int peer; /* messages: rank, or WEFT_STUCK_ANY */
	/*
	 * or WEFT_STUCK_ANY; collectives: which one, counted, * or
	 * WEFT_STUCK_LAST, which is MPI_Finalize's
	 */
	int tag;
	uint32_t ctx; /* of the communicator */
	char comm[WEFT_STUCK_NAME];
	/* Members, of collectives: first, first + step, ... last; step 0: they
	 * are no such row, but those of list, as "0-2,5"; empty: too many to
	 * be told. */
	int first, last, step;
	char list[WEFT_STUCK_LIST];
};

struct weft_stuck {
	char call[WEFT_STUCK_NAME]; /* "" : in none */
	bool left;		    /* has finished with MPI, or is gone */
	bool any;		    /* one of the items is enough */
	int world_seq; /* collectives on the whole job that it has begun */
	int nitems;
	int more; /* items that are not told */
	struct weft_stuck_item item[WEFT_STUCK_ITEMS];
};

/* The note of a rank; what does not fit is counted in more. Returns note. */
char *weft_stuck_write(const struct weft_stuck *s, char note[WEFT_STUCK_NOTE]);
/* false: it is no note; then s is a rank that waits for nothing known. */
bool weft_stuck_read(struct weft_stuck *s, const char *note);

/* For a picture: a line for each rank, itself and those it waits for; of more
 * ranks than a picture can show nothing. */
#define WEFT_STUCK_DRAWN 64
void weft_stuck_waits(FILE *f, const struct weft_stuck *rank, int n);

/* The whole report; now_ps: when. */
void weft_stuck_print(FILE *f, const struct weft_stuck *rank, int n,
		      uint64_t now_ps);

#endif
