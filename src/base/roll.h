/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Job status page (roll): memory that a launcher shares with the processes it
 * starts, its members. Each member stores there what it is executing: a number
 * that stands for a name. The launcher reads it after a member has died for any
 * reason. With tallies, members also store call counts and times there. And
 * each member stores an entry (card), by which the others reach it.
 *
 *   weft_roll_open -> pass fd -> weft_roll_call ... -> weft_roll_close
 *   weft_roll_attach          -> weft_roll_id, member, tally, card
 *
 * Names come from other processes: readers get checked copies.
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

/* Creates a page; 0 or -errno. counted: with tallies and text. */
int weft_roll_open(struct weft_roll *r, uint32_t members, bool counted);
/*
 * Maps the page behind fd, which the caller keeps. -EINVAL: not a status page.
 */
int weft_roll_attach(struct weft_roll *r, int fd);
void weft_roll_close(struct weft_roll *r);

/* The number of a name, from 1 on; 0: the table is full. */
uint32_t weft_roll_id(struct weft_roll *r, const char *name);
/* Copies the name of a number; false: none. */
bool weft_roll_name(const struct weft_roll *r, uint32_t id,
		    char name[ROLL_NAME]);

/*
 * The member's record and its tally of a name; i below members, id below
 * ROLL_NAMES. tally: only if counted.
 */
struct roll_member *weft_roll_member(const struct weft_roll *r, uint32_t i);
struct roll_tally *weft_roll_tally(const struct weft_roll *r, uint32_t i,
				   uint32_t id);

/*
 * What member i is executing: "MPI_Recv", with several threads "MPI_Recv,
 * MPI_Send"; false: nothing.
 */
bool weft_roll_in(const struct weft_roll *r, uint32_t i, char *text,
		  size_t len);

/*
 * Set and check the job of the page: a job that a launcher inside this job
 * started has another name.
 */
void weft_roll_set_job(struct weft_roll *r, const char *job);
bool weft_roll_is_of(const struct weft_roll *r, const char *job);

/*
 * Stores the entry of member i, of at most ROLL_CARD bytes; returns its number.
 */
uint32_t weft_roll_card_put(struct weft_roll *r, uint32_t i, const void *card,
			    size_t len);
/*
 * Copies the entry of a member with that number, or a later one; waits for it.
 * *len_p is the room, then the length. -EPROTO: too long; -EINVAL: no such
 * member.
 */
int weft_roll_card_get(const struct weft_roll *r, uint32_t i, uint32_t turn,
		       void *card, size_t *len_p);

/* Appends text for the launcher to print at the end; truncated if too long. */
void weft_roll_say(struct weft_roll *r, const char *text);
/* Returns the text, to be freed by the caller; NULL: none. */
char *weft_roll_said(const struct weft_roll *r);

/*
 * Whether this text is reported for the first time; also true if the table of
 * texts is full.
 */
bool weft_roll_first(struct weft_roll *r, const char *text);

#endif
