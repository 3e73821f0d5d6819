/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Job status page: memory that a launcher shares with the processes it starts,
 * its members. Each member stores there the number of the call it is executing;
 * a table maps numbers to names. The launcher reads the page after a member has
 * died for any reason. With tallies, members also store call counts and times
 * there. Each member also stores an entry, which contains its address for the
 * other members.
 *
 *   launcher   weft_job_page_open -> pass fd -> weft_job_page_in ... ->
 *              weft_job_page_close
 *   member     weft_job_page_attach -> weft_job_page_id, _member,
 *              _call_count, _entry_put, _entry_get
 *
 * Names come from other processes: readers get checked copies.
 */
#ifndef WEFT_JOB_PAGE_H
#define WEFT_JOB_PAGE_H

#include "src/base/region.h"
#include "src/job/job_page_layout.h"

#include <stdbool.h>

struct weft_job_page {
	struct weft_region region;
	struct job_page_head *head;
	uint32_t members;
	bool counted;
};

/* Creates a page. Returns 0 or -errno. counted: with tallies and text. */
int weft_job_page_open(struct weft_job_page *r, uint32_t members, bool counted);
/*
 * Maps the page behind fd, which the caller keeps. Returns 0 or -errno;
 * -EINVAL: not a status page.
 */
int weft_job_page_attach(struct weft_job_page *r, int fd);
/*
 * Returns the version of the page behind fd if it differs from the version of
 * this library, otherwise 0.
 */
uint32_t weft_job_page_other(int fd);
void weft_job_page_close(struct weft_job_page *r);

/* Returns the number of a name, at least 1; 0: the table is full. */
uint32_t weft_job_page_id(struct weft_job_page *r, const char *name);
/* Copies the name with that number. Returns false if there is none. */
bool weft_job_page_name(const struct weft_job_page *r, uint32_t id,
			char name[JOB_PAGE_NAME]);

/*
 * Return the record of member i, and member i's tally of the function with
 * number id; i is below members, id below JOB_PAGE_NAMES. Tallies exist only if
 * the page was opened with `counted`.
 */
struct job_page_member *weft_job_page_member(const struct weft_job_page *r,
					     uint32_t i);
struct job_page_tally *weft_job_page_call_count(const struct weft_job_page *r,
						uint32_t i, uint32_t id);

/*
 * Writes the calls that member i is executing: "MPI_Recv", with several threads
 * "MPI_Recv, MPI_Send". Returns false if it is in no call.
 */
bool weft_job_page_in(const struct weft_job_page *r, uint32_t i, char *text,
		      size_t len);

/*
 * Set and check the name of the job that the page belongs to: a job that was
 * started by a launcher inside this job has another name.
 */
void weft_job_page_set_job(struct weft_job_page *r, const char *job);
bool weft_job_page_is_of(const struct weft_job_page *r, const char *job);

/*
 * Stores the entry of member i, of at most JOB_PAGE_ENTRY bytes. Returns the
 * number of the entry.
 */
uint32_t weft_job_page_entry_put(struct weft_job_page *r, uint32_t i,
				 const void *entry, size_t len);
/*
 * Copies the entry of member i with that number, or a later one; waits until it
 * exists. *len_p: on entry the size of the buffer, on return the length of the
 * entry. Returns 0; -EPROTO: the entry is too long; -EINVAL: no such member.
 */
int weft_job_page_entry_get(const struct weft_job_page *r, uint32_t i,
			    uint32_t number, void *entry, size_t *len_p);

/*
 * Exits of members. The launcher records every exit, so that the other members
 * are notified; has_exited and exits (which returns the number of exits) are
 * called by members. wait_exit blocks while the number of exits is `seen`, at
 * most for a short time; wake_waiters ends the waits of all members.
 */
void weft_job_page_record_exit(struct weft_job_page *r, uint32_t i);
bool weft_job_page_has_exited(const struct weft_job_page *r, uint32_t i);
uint32_t weft_job_page_exits(const struct weft_job_page *r);
void weft_job_page_wait_exit(struct weft_job_page *r, uint32_t seen);
void weft_job_page_wake_waiters(struct weft_job_page *r);

/*
 * Events of recovery after failures, which several members record: the page
 * keeps the earliest begin and the latest end, so that the result does not
 * depend on the order of members. Pages without tallies have no events.
 */
enum weft_job_page_event_kind {
	JOB_PAGE_FAILURE = 1, /* a member has detected a failure */
	JOB_PAGE_REVOCATION,
	JOB_PAGE_AGREEMENT,
	JOB_PAGE_SHRINK,
};
struct weft_job_page_event {
	enum weft_job_page_event_kind kind;
	/* number of the event: equal at all members, unique to the event */
	uint64_t number;
	uint64_t begin_ps, end_ps;
	/* JOB_PAGE_FAILURE: rank that has failed */
	uint32_t rank;
	uint64_t at_ps; /* time of the failure; 0: unknown */
};
void weft_job_page_event_add(struct weft_job_page *r,
			     const struct weft_job_page_event *e);
/* Returns the table of JOB_PAGE_EVENTS entries, or NULL. */
struct job_page_event *weft_job_page_events(const struct weft_job_page *r);

/*
 * Appends text that the launcher prints at the end; text that does not fit is
 * truncated.
 */
void weft_job_page_text_add(struct weft_job_page *r, const char *text);
/* Returns the text, which the caller frees; NULL: no text. */
char *weft_job_page_text(const struct weft_job_page *r);

/*
 * Returns whether this text is reported for the first time; also true if the
 * table of texts is full.
 */
bool weft_job_page_first(struct weft_job_page *r, const char *text);

#endif
