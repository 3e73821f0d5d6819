/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared format of the job status page, see job_page.h.
 *
 *   0        +----------------------------------------+
 *            | head                                64 |
 *   64       | names   JOB_PAGE_NAMES of           64 |  names of calls
 *            | member  members of                 256 |  what each executes
 *            | tally   members * JOB_PAGE_NAMES of 16 |  if counted
 *            | text    JOB_PAGE_TEXT bytes            |  if counted
 *            | event   JOB_PAGE_EVENTS of          64 |  if counted
 *            +----------------------------------------+
 *
 * The members write the page; their launcher reads it, also after they have
 * died. Members also read each other's entries. A name is found by its hash and
 * linear probing; a name may be stored twice if two members wrote it
 * concurrently.
 */
#ifndef WEFT_JOB_PAGE_LAYOUT_H
#define WEFT_JOB_PAGE_LAYOUT_H

#include "src/base/atomic.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

#define JOB_PAGE_MAGIC	 0x6c6c6f72u /* ASCII "roll" */
#define JOB_PAGE_VERSION 6u

enum { JOB_PAGE_NAMES = 1024, JOB_PAGE_NAME = 56, JOB_PAGE_THREADS = 8 };
enum { JOB_PAGE_ENTRY = 120 };
enum { JOB_PAGE_TEXT = 1 << 18, JOB_PAGE_ONCE = 5, JOB_PAGE_EVENTS = 256 };

/*
 * JOB_PAGE_SESSIONS: a member has used MPI sessions. JOB_PAGE_STAYS: a member
 * has used them before MPI_Finalize, so that MPI_Finalize does not close the
 * library.
 */
enum { JOB_PAGE_SESSIONS = 1, JOB_PAGE_STAYS = 2 };

struct job_page_head {
	uint32_t magic;
	uint32_t version;
	uint64_t bytes;
	uint32_t members;
	uint32_t counted;	       /* 1: the page has tallies and text */
	weft_au32 text_len;	       /* bytes of text that are complete */
	weft_au32 sessions;	       /* JOB_PAGE_SESSIONS, JOB_PAGE_STAYS */
	uint64_t job;		       /* hash of the job's name */
	weft_au32 once[JOB_PAGE_ONCE]; /* hashes of texts reported once */
	/* number of exits of members that the launcher has recorded */
	weft_au32 exits;
};
static_assert(sizeof(struct job_page_head) == 64, "shared format");

enum { JOB_PAGE_FREE, JOB_PAGE_WRITING, JOB_PAGE_READY };

struct job_page_name {
	weft_au32 state;
	uint32_t pad;
	char text[JOB_PAGE_NAME]; /* terminated by 0 */
};
static_assert(sizeof(struct job_page_name) == 64, "shared format");

struct job_page_member {
	/*
	 * cache line 0: numbers of the current calls, per thread, written by
	 * every call; 0: no call
	 */
	weft_au32 in[JOB_PAGE_THREADS];
	/* 1: the other members need nothing more from this member */
	weft_au32 finished;
	weft_au32 ended;   /* 1: end_ps is valid (end_ps may be 0) */
	weft_au32 started; /* 1: MPI_Init has completed */
	weft_au32 exited;  /* 1: the process has exited; set by the launcher */
	uint32_t app;	   /* number of the program; set by the launcher */
	weft_au32 failed;  /* 1: a fault plan has ended the process */
	weft_au32 aborted; /* 1: the process has requested to end the job */
	/* 1: the process was connected to other jobs, and has disconnected */
	weft_au32 apart;
	/* cache line 1: times, only if requested */
	weft_au64 begin_ps;
	weft_au64 end_ps;
	uint64_t pad2[6];
	/* cache lines 2 and 3: written once by each process of the member */
	/* {entry number:24, length:8}; 0: no entry yet */
	weft_au32 entry_state;
	uint32_t pad3;
	weft_au64 entry[JOB_PAGE_ENTRY / 8];
};
static_assert(sizeof(struct job_page_member) == 256 &&
		      offsetof(struct job_page_member, begin_ps) == 64 &&
		      offsetof(struct job_page_member, entry_state) == 128,
	      "shared format");

struct job_page_tally {
	weft_au64 count;
	weft_au64 ps;
};
static_assert(sizeof(struct job_page_tally) == 16, "shared format");

/* An event that several members record, e.g. a failure, and its times. */
struct job_page_event {
	/* number of the event; the kind is its lowest byte; 0: unused */
	weft_au64 key;
	weft_au32 members; /* number of members that have recorded the event */
	uint32_t pad;
	/* earliest begin and latest end at all members, in ps, plus 1 */
	weft_au64 begin_ps;
	weft_au64 end_ps;
	weft_au64 first_end_ps;
	weft_au64 detail; /* kind JOB_PAGE_FAILURE: rank */
	weft_au64 at_ps;  /* JOB_PAGE_FAILURE: time of the failure, plus 1 */
	uint64_t pad2;
};
static_assert(sizeof(struct job_page_event) == 64, "shared format");

#endif
