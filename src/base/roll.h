/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roll: memory that a launcher shares with the processes it starts, its
 * members, and in which each of them leaves what it is doing: a number that
 * stands for a name. The launcher reads it after a member died of whatever
 * cause. With tallies, members count there how often and how long. And each
 * leaves a card there, by which the others find it.
 *
 *   weft_roll_open -> pass fd -> weft_roll_call ... -> weft_roll_close
 *   weft_roll_attach          -> weft_roll_id, member, tally, card
 *
 * Names come from other processes: readers get copies that are checked.
 */
#ifndef WEFT_BASE_ROLL_H
#define WEFT_BASE_ROLL_H

#include "src/base/region.h"
#include "src/base/roll_layout.h"

#include <stdbool.h>

struct weft_roll {
	struct weft_region region;
	struct roll_head *head;
	uint32_t members;
	bool counted;
};

/* Creates it; 0 or -errno. counted: with tallies and text. */
int weft_roll_open(struct weft_roll *r, uint32_t members, bool counted);
/* The one that fd is; it stays the caller's. -EINVAL: it is none. */
int weft_roll_attach(struct weft_roll *r, int fd);
void weft_roll_close(struct weft_roll *r);

/* The number of a name, from 1; 0: no room is left. */
uint32_t weft_roll_id(struct weft_roll *r, const char *name);
/* The name behind a number; false: none. */
bool weft_roll_name(const struct weft_roll *r, uint32_t id,
		    char name[ROLL_NAME]);

/* Their places; i below members, id below ROLL_NAMES. tally: counted only. */
struct roll_member *weft_roll_member(const struct weft_roll *r, uint32_t i);
struct roll_tally *weft_roll_tally(const struct weft_roll *r, uint32_t i,
				   uint32_t id);

/* What member i is in: "MPI_Recv", of several threads "MPI_Recv, MPI_Send";
 * false: in nothing. */
bool weft_roll_in(const struct weft_roll *r, uint32_t i, char *text,
		  size_t len);

/* Which job it is of: one that a launcher inside it started has another. */
void weft_roll_set_job(struct weft_roll *r, const char *job);
bool weft_roll_is_of(const struct weft_roll *r, const char *job);

/* Leaves the card of member i, of ROLL_CARD bytes at most; its number. */
uint32_t weft_roll_card_put(struct weft_roll *r, uint32_t i, const void *card,
			    size_t len);
/*
 * The card of a member with that number, or a later one; waits for it. *len_p
 * is the room, then the length. -EPROTO: it does not fit; -EINVAL: no member.
 */
int weft_roll_card_get(const struct weft_roll *r, uint32_t i, uint32_t turn,
		       void *card, size_t *len_p);

/* Text for the launcher to print at the end; what does not fit is cut. */
void weft_roll_say(struct weft_roll *r, const char *text);
/* What was said; the caller frees it, NULL: nothing. */
char *weft_roll_said(const struct weft_roll *r);

/* Is it the first to say this? Also when too many were said to remember. */
bool weft_roll_first(struct weft_roll *r, const char *text);

#endif
